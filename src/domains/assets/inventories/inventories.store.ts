import { and, asc, count, desc, eq, gt, inArray, isNull, lt, lte, ne, or, type SQL, sql } from 'drizzle-orm'

import { contains } from '#db/contains.ts'
import { dialect, isAnyOf } from '#db/dialect.ts'
import { note } from '#db/notes.ts'
import { orgOf, type OwnerKey } from '#db/owner-key.ts'
import { type Page, pageOf, pageOfQuery } from '#db/paging.ts'
import { prepared } from '#db/prepared.ts'
import { assets, inventories, inventoryItems } from '#db/schema/assets.ts'
import { organizations } from '#db/schema/orgs.ts'
import type { Db, Tx } from '#db/store.ts'
import type { LostFiles } from '#domains/events.ts'

import type { ItemsQuery, ListQuery } from './inventories.model.ts'
import type { Branches, Figures, Group, InventoryChange, InventoryRow, ItemRow } from './inventories.rules.ts'

const p = sql.placeholder
const one = and(eq(inventories.id, p('id')), eq(inventories.owner, p('owner')))

const byId = prepared((db) => db.select().from(inventories).where(one))

export const findInventory = async (db: Db | Tx, owner: OwnerKey, id: number): Promise<InventoryRow | undefined> =>
  (await byId(db, { id, owner }))[0]

export const inventoriesByIds = (tx: Tx, owner: OwnerKey, ids: readonly number[]): Promise<InventoryRow[]> =>
  tx
    .select()
    .from(inventories)
    .where(and(inArray(inventories.id, [...ids]), eq(inventories.owner, owner)))

const ownerById = prepared((db) =>
  db
    .select({ owner: inventories.owner })
    .from(inventories)
    .where(eq(inventories.id, p('id'))),
)

export const ownerOfInventory = async (db: Db | Tx, id: number): Promise<OwnerKey | undefined> =>
  (await ownerById(db, { id }))[0]?.owner

/** 0 for a personal inventory, undefined for an unknown id. */
export async function organizationOfInventory(db: Db, id: number): Promise<number | undefined> {
  const owner = await ownerOfInventory(db, id)
  return owner === undefined ? undefined : orgOf(owner)
}

/** An owner has at most MAX_INVENTORIES, so they are filtered by looking at each. */
export const inventoriesPage = (db: Db, owner: OwnerKey, query: ListQuery): Promise<Page<InventoryRow>> => {
  const { status, keyword } = query
  return pageOf(db, inventories, {
    where: and(
      eq(inventories.owner, owner),
      status === undefined ? undefined : eq(inventories.status, status),
      keyword ? or(contains(inventories.name, keyword), contains(inventories.note, keyword)) : undefined,
    ),
    orderBy: [desc(inventories.createdAt), desc(inventories.id)],
    page: query,
  })
}

export async function countInventories(tx: Tx, owner: OwnerKey): Promise<number> {
  const [row] = await tx.select({ n: count() }).from(inventories).where(eq(inventories.owner, owner))
  return row!.n
}

export async function insertInventory(
  tx: Tx,
  owner: OwnerKey,
  createdBy: number,
  values: Pick<InventoryRow, 'name' | 'scope' | 'assigneeIds' | 'note'>,
): Promise<InventoryRow> {
  const [row] = await tx
    .insert(inventories)
    .values({ ...values, owner, createdBy, createdAt: tx.stamp, updatedAt: tx.stamp })
    .returning()
  return row!
}

export async function updateInventory(
  tx: Tx,
  row: InventoryRow,
  change: InventoryChange & Partial<Pick<InventoryRow, 'expected' | 'startedAt' | 'closedAt' | 'countedUpTo'>>,
): Promise<InventoryRow> {
  const changed = { ...change, updatedAt: tx.stamp }
  await tx
    .update(inventories)
    .set(changed)
    .where(and(eq(inventories.id, row.id), eq(inventories.owner, row.owner)))
  if (change.status === 'CLOSED') note(tx, { type: 'inventory.closed', owner: row.owner, id: row.id })
  return { ...row, ...changed }
}

/** Assets that an inventory of the owner can expect. */
const countable = (owner: OwnerKey): SQL | undefined =>
  and(eq(assets.owner, owner), isNull(assets.deletedAt), ne(assets.status, 'SCRAPPED'))

/** How many assets the owner has in each category at each location. Reads all of them. */
export async function assetGroups(db: Db, owner: OwnerKey): Promise<Group[]> {
  const { categoryId, locationId } = assets
  return db
    .select({ categoryId, locationId, count: count() })
    .from(assets)
    .where(countable(owner))
    .groupBy(categoryId, locationId)
}

/**
 * Inserts an item for each asset of the owner in the branches, as it is now. Returns their number, or undefined if there are more than
 * `max`. All in one write, because no asset may change before the last one is read.
 */
export async function freeze(
  tx: Tx,
  { id, owner }: InventoryRow,
  { categoryIds, locationIds }: Branches,
  max: number,
): Promise<number | undefined> {
  const ofOwner = and(eq(assets.owner, owner), isNull(assets.deletedAt))
  const isExpected = and(
    ne(assets.status, 'SCRAPPED'),
    categoryIds && inArray(assets.categoryId, [...categoryIds]),
    locationIds && inArray(assets.locationId, [...locationIds]),
  )
  const insert = (where: SQL | undefined) =>
    tx.insert(inventoryItems).select(
      tx
        .select(frozenItem(id))
        .from(assets)
        .where(and(ofOwner, isExpected, where))
        .limit(max + 1),
    )
  // PostgreSQL does all of it at once, and other requests run meanwhile.
  if (dialect === 'postgres') await insert(undefined)
  else for await (const slice of slicesOf(tx, ofOwner)) await insert(slice)
  const [row] = await tx.select({ n: count() }).from(inventoryItems).where(eq(inventoryItems.inventoryId, id))
  return row!.n <= max ? row!.n : undefined
}

/** Assets that one statement looks at: it takes some milliseconds. */
const SLICE_ROWS = 1000

/**
 * Divides assets by creation time and id into slices of at most SLICE_ROWS. Assets that were imported together have one creation time;
 * a comparison of both columns at once would read all of them for each slice (see db/lists.ts).
 */
async function* slicesOf(tx: Tx, scope: SQL | undefined): AsyncGenerator<SQL | undefined> {
  const { createdAt, id } = assets
  const lastOfSlice = async (rest: SQL | undefined) => {
    const rows = await tx
      .select({ createdAt, id })
      .from(assets)
      .where(and(scope, rest))
      .orderBy(asc(createdAt), asc(id))
      .limit(1)
      .offset(SLICE_ROWS - 1)
    return rows[0]
  }
  for (let from = { createdAt: -1, id: 0 }; ; await tx.pause()) {
    const sameTime = and(eq(createdAt, from.createdAt), gt(id, from.id))
    const last = await lastOfSlice(sameTime)
    yield and(sameTime, last && lte(id, last.id))
    if (last !== undefined) {
      from = last
      continue
    }
    const later = gt(createdAt, from.createdAt)
    const next = await lastOfSlice(later)
    yield and(later, next && lt(createdAt, next.createdAt))
    if (next === undefined) return
    from = { createdAt: next.createdAt, id: 0 }
  }
}

/** An item that nobody has scanned, with the columns of the table in their order. */
const frozenItem = (inventoryId: number) => ({
  inventoryId: sql`${sql.raw(String(inventoryId))}`.as('inventory_id'),
  assetId: assets.id,
  state: sql`'MISSING'`.as('state'),
  uuid: assets.uuid,
  name: assets.name,
  assetNo: assets.assetNo,
  expectedLocationId: assets.locationId,
  locationId: sql`null`.as('location_id'),
  condition: sql`null`.as('condition'),
  note: sql`''`.as('note'),
  photoFileId: sql`null`.as('photo_file_id'),
  scannedBy: sql`null`.as('scanned_by'),
  scannedAt: sql`null`.as('scanned_at'),
  appliedAt: sql`null`.as('applied_at'),
})

const itemByAsset = prepared((db) =>
  db
    .select()
    .from(inventoryItems)
    .where(and(eq(inventoryItems.inventoryId, p('inventoryId')), eq(inventoryItems.assetId, p('assetId')))),
)

/** `inventoryId` is that of an inventory of the owner, here and below. */
export const findItem = async (tx: Tx, inventoryId: number, assetId: number): Promise<ItemRow | undefined> =>
  (await itemByAsset(tx, { inventoryId, assetId }))[0]

export async function saveItem(tx: Tx, item: ItemRow): Promise<void> {
  await tx
    .insert(inventoryItems)
    .values(item)
    .onConflictDoUpdate({ target: [inventoryItems.inventoryId, inventoryItems.assetId], set: item })
}

export async function addFigures(tx: Tx, row: InventoryRow, by: Figures): Promise<InventoryRow> {
  if (by.found === 0 && by.unexpected === 0 && by.misplaced === 0) return row
  const { found, unexpected, misplaced } = inventories
  const [after] = await tx
    .update(inventories)
    .set({
      found: sql`${found} + ${by.found}`,
      unexpected: sql`${unexpected} + ${by.unexpected}`,
      misplaced: sql`${misplaced} + ${by.misplaced}`,
    })
    .where(and(eq(inventories.id, row.id), eq(inventories.owner, row.owner)))
    .returning()
  return after!
}

/** `total`: the number of items in the state, which the figures of the inventory give. */
export const itemsPage = (
  db: Db,
  inventoryId: number,
  { state, page, size }: ItemsQuery,
  total: number,
): Promise<Page<ItemRow>> =>
  pageOfQuery(
    { page, size },
    db
      .select()
      .from(inventoryItems)
      .where(
        and(
          eq(inventoryItems.inventoryId, inventoryId),
          state === undefined ? undefined : eq(inventoryItems.state, state),
        ),
      )
      .orderBy(asc(inventoryItems.assetId)),
    Promise.resolve([{ n: total }]),
  )

/** At most `limit` items of assets with ids greater than `afterAssetId`, ascending. */
export const itemsAfter = (db: Db, inventoryId: number, afterAssetId: number, limit: number): Promise<ItemRow[]> =>
  db
    .select()
    .from(inventoryItems)
    .where(and(eq(inventoryItems.inventoryId, inventoryId), gt(inventoryItems.assetId, afterAssetId)))
    .orderBy(asc(inventoryItems.assetId))
    .limit(limit)

/** The columns of an asset that a scan needs. */
export type ScannedAsset = Pick<typeof assets.$inferSelect, 'id' | 'uuid' | 'name' | 'assetNo' | 'locationId'>

const idByUuid = prepared((db) =>
  db
    .select({ id: assets.id })
    .from(assets)
    .where(eq(assets.uuid, p('uuid'))),
)

/** Of any owner, deleted or not: the caller looks for the asset among those of the owner, and among the items. */
export const findIdByUuid = async (tx: Tx, uuid: string): Promise<number | undefined> =>
  (await idByUuid(tx, { uuid }))[0]?.id

/** Some inventories of organizations that have been dissolved. */
export async function abandonedInventories(db: Db, limit: number): Promise<number[]> {
  const rows = await db
    .select({ id: inventories.id })
    .from(inventories)
    .leftJoin(organizations, eq(organizations.id, inventories.owner))
    .where(and(gt(inventories.owner, 0), isNull(organizations.id)))
    .limit(limit)
  return rows.map(({ id }) => id)
}

/** Takes deleted files away from the items whose photos they were. */
export async function clearItemPhotos(tx: Tx, { fileIds, entityIds }: LostFiles): Promise<void> {
  await tx
    .update(inventoryItems)
    .set({ photoFileId: null })
    .where(and(inArray(inventoryItems.photoFileId, [...fileIds]), inArray(inventoryItems.inventoryId, [...entityIds])))
}

/** Deletes at most `limit` items, and returns them. */
export function deleteItems(tx: Tx, inventoryId: number, limit: number): Promise<{ photoFileId: number | null }[]> {
  const some = tx
    .select({ assetId: inventoryItems.assetId })
    .from(inventoryItems)
    .where(eq(inventoryItems.inventoryId, inventoryId))
    .limit(limit)
  return tx
    .delete(inventoryItems)
    .where(and(eq(inventoryItems.inventoryId, inventoryId), isAnyOf(inventoryItems.assetId, some)))
    .returning({ photoFileId: inventoryItems.photoFileId })
}

export async function deleteInventory(tx: Tx, id: number): Promise<void> {
  await tx.delete(inventories).where(eq(inventories.id, id))
}
