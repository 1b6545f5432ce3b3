import { and, count, eq, exists, getTableColumns, inArray, isNull, sql } from 'drizzle-orm'

import { dialect, isOneOf, notByIndex } from '#db/dialect.ts'
import { isNotErasedOwner } from '#db/erasures.ts'
import { insertFrom, wholeRows } from '#db/json-rows.ts'
import { pagedTable } from '#db/lists.ts'
import { note } from '#db/notes.ts'
import { orgOf, type OwnerKey, ownerKey } from '#db/owner-key.ts'
import { prepared } from '#db/prepared.ts'
import { versionIn } from '#db/row-version.ts'
import { users } from '#db/schema/accounts.ts'
import { assetCategories, assetLoans, assets } from '#db/schema/assets.ts'
import { files } from '#db/schema/files.ts'
import { orgLocations } from '#db/schema/locations.ts'
import { orgMembers } from '#db/schema/orgs.ts'
import type { Db, SQL, SQLiteColumn, Tx } from '#db/store.ts'
import type { EntityTable, SyncRevival } from '#domains/contributions.ts'
import type { FileRow } from '#domains/files/index.ts'
import type { Owner } from '#http/endpoint.ts'
import { uuid } from '#platform/ids.ts'

import { endWaiting, itemsReturned } from '../bookings.store.ts'
import { plansOf, refreshDues } from '../dues.store.ts'
import { moveOnMap } from '../grid.store.ts'
import { numberKey } from '../numbers.rules.ts'
import { type AssetChange, differences, type NewFields } from './register.rules.ts'

export type AssetRow = typeof assets.$inferSelect

/** Every column that decides which lists a row is in, and where. */
export const listed = pagedTable(assets, [
  'id',
  'owner',
  'deletedAt',
  'name',
  'assetNo',
  'status',
  'categoryId',
  'locationId',
  'custodianId',
  'purchaseDate',
  'purchasePrice',
  'warrantyExpiry',
  'nextMaintenance',
  'createdAt',
  'updatedAt',
])

export const isLive = isNull(assets.deletedAt)

/** The owner's undeleted assets that meet the condition. */
export const assetsWhere = (owner: OwnerKey, where?: SQL): SQL => and(eq(assets.owner, owner), isLive, where)!

const p = sql.placeholder

const byId = prepared((db) =>
  db
    .select()
    .from(assets)
    .where(and(eq(assets.id, p('id')), eq(assets.owner, p('owner')), isLive)),
)

/** Undefined if the asset belongs to another owner or is deleted. */
export const findAsset = async (db: Db | Tx, owner: Owner, id: number): Promise<AssetRow | undefined> =>
  (await byId(db, { id, owner: ownerKey(owner) }))[0]

const withDeleted = prepared((db) =>
  db
    .select()
    .from(assets)
    .where(and(eq(assets.id, p('id')), eq(assets.owner, p('owner')))),
)
/** The same, but also finds a deleted asset. */
export const findAlsoDeleted = async (tx: Tx, owner: Owner, id: number): Promise<AssetRow | undefined> =>
  (await withDeleted(tx, { id, owner: ownerKey(owner) }))[0]

const byIdOnly = prepared((db) =>
  db
    .select()
    .from(assets)
    .where(and(eq(assets.id, p('id')), isLive)),
)
/** An asset of any owner, for the console and for questions about who may see it. */
export const findAnyAsset = async (db: Db | Tx, id: number): Promise<AssetRow | undefined> =>
  (await byIdOnly(db, { id }))[0]

const byUuid = prepared((db) =>
  db
    .select()
    .from(assets)
    .where(and(eq(assets.uuid, p('uuid')), isLive, isNotErasedOwner(assets.owner))),
)
/** An asset of any owner. */
export const findByUuid = async (db: Db | Tx, id: string): Promise<AssetRow | undefined> =>
  (await byUuid(db, { uuid: id.toLowerCase() }))[0]

const isLiveById = sql`${notByIndex(assets.deletedAt)} is null`

/** The assets with these ids that belong to the owner and are not deleted, in no particular order. */
export const assetsByIds = (db: Db | Tx, owner: OwnerKey, ids: readonly number[]): Promise<AssetRow[]> =>
  db
    .select()
    .from(assets)
    .where(and(isOneOf(assets.id, ids), sql`${notByIndex(assets.owner)} = ${owner}`, isLiveById))

const byNumber = prepared((db) =>
  db
    .select()
    .from(assets)
    .where(and(eq(assets.owner, p('owner')), eq(assets.assetNoKey, p('key')), isLive)),
)

/**
 * The owner's undeleted assets by the keys of their numbers (`numberKey`). For a list of keys, SQLite walks over all assets of the owner
 * instead of using the index of the numbers, so there each key is a query of its own, which takes some microseconds.
 */
export async function assetsByNumbers(db: Db | Tx, owner: OwnerKey, keys: readonly string[]): Promise<AssetRow[]> {
  if (dialect === 'postgres')
    return db
      .select()
      .from(assets)
      .where(assetsWhere(owner, inArray(assets.assetNoKey, [...keys])))
  const found: AssetRow[] = []
  for (const key of new Set(keys)) found.push(...(await byNumber(db, { owner, key })))
  return found
}

const bySerial = prepared((db) =>
  db
    .select()
    .from(assets)
    .where(and(eq(assets.owner, p('owner')), isLive, eq(assets.serialNo, p('serial'))))
    .limit(2),
)
/** The owner's undeleted assets with these serial numbers, at most two of each. See `assetsByNumbers`. */
export async function assetsBySerials(db: Db | Tx, owner: OwnerKey, serials: readonly string[]): Promise<AssetRow[]> {
  if (dialect === 'sqlite')
    return (await Promise.all([...new Set(serials)].map((serial) => bySerial(db, { owner, serial })))).flat()
  const ids = await db
    .select({ first: sql<number>`min(${assets.id})`, last: sql<number>`max(${assets.id})` })
    .from(assets)
    .where(assetsWhere(owner, inArray(assets.serialNo, [...serials])))
    .groupBy(assets.serialNo)
  return assetsByIds(db, owner, [...new Set(ids.flatMap(({ first, last }) => [Number(first), Number(last)]))])
}

/** The owner's asset with this number, or else the only one with this serial number. */
export async function findByNumber(db: Db | Tx, owner: OwnerKey, text: string): Promise<AssetRow | undefined> {
  const [numbered] = await assetsByNumbers(db, owner, [numberKey(text)])
  if (numbered !== undefined) return numbered
  const serial = await assetsBySerials(db, owner, [text])
  return serial.length === 1 ? serial[0] : undefined
}

const ownerById = prepared((db) =>
  db
    .select({ owner: assets.owner })
    .from(assets)
    .where(and(eq(assets.id, p('id')), isLive)),
)

export const versionOfAsset = versionIn(assets)

/** The organization of an asset: 0 for a personal asset, undefined for an unknown or deleted one. */
export async function organizationOfAsset(db: Db, id: number): Promise<number | undefined> {
  const [row] = await ownerById(db, { id })
  return row && orgOf(row.owner)
}

/** With an id and a version if it was deleted permanently and comes back. */
type NewRow = NewFields & Partial<SyncRevival>

const { id: _, ...insertable } = getTableColumns(assets)
const insertOne = prepared((db) =>
  db
    .insert(assets)
    .values(Object.fromEntries(Object.keys(insertable).map((name) => [name, p(name)])) as never)
    .returning({ id: assets.id, uuid: assets.uuid }),
)
const newRows = wholeRows('given', assets, ['id'])
const insertMany = prepared((db) => insertFrom(db, assets, newRows).returning({ id: assets.id, uuid: assets.uuid }))

/** Adds assets with numbers that are free. Returns their rows in the same order. */
export async function insertRows(tx: Tx, owner: Owner, items: readonly NewRow[]): Promise<AssetRow[]> {
  const rows: AssetRow[] = []
  for (let at = 0; at < items.length; at += ROWS_PER_STATEMENT) {
    const given = items.slice(at, at + ROWS_PER_STATEMENT).map((fields) => ({
      ...fields,
      uuid: uuid(),
      owner: ownerKey(owner),
      userId: owner.userId,
      assetNoKey: numberKey(fields.assetNo),
      scrappedAt: fields.status === 'SCRAPPED' ? tx.stamp : null,
      scrapReason: fields.scrapReason ?? '',
      nextMaintenance: null,
      lastCountedOn: null,
      placedAt: tx.stamp,
      version: fields.version ?? 1,
      deletedAt: null,
      createdAt: tx.stamp,
      updatedAt: tx.stamp,
    }))
    const inserted = given.some(({ id }) => id !== undefined)
      ? await tx.insert(assets).values(given).returning({ id: assets.id, uuid: assets.uuid })
      : given.length === 1
        ? await insertOne(tx, given[0]!)
        : await insertMany(tx, newRows.values(given))
    const ids = new Map(inserted.map((row) => [row.uuid, row.id]))
    const created = given.map((fields) => ({ ...fields, id: ids.get(fields.uuid)! }))
    for (const row of await withDues(tx, created)) {
      listed.inserted(tx, row)
      note(tx, { type: 'asset.created', owner: row.owner, id: row.id, row })
      await moveOnMap(tx, undefined, row)
      rows.push(row)
    }
  }
  return rows
}

/** New assets with the due dates that they have by plans of their categories. */
async function withDues(tx: Tx, rows: readonly AssetRow[]): Promise<AssetRow[]> {
  if (rows.length === 0 || (await plansOf(tx, rows[0]!.owner)).length === 0) return [...rows]
  const next = await refreshDues(tx, rows)
  const due = [...next].filter(([, day]) => day !== null)
  for (const [day, some] of Map.groupBy(due, ([, on]) => on))
    await tx
      .update(assets)
      .set({ nextMaintenance: day })
      .where(
        inArray(
          assets.id,
          some.map(([assetId]) => assetId),
        ),
      )
      .returning({ id: assets.id })
  return rows.map((row) => ({ ...row, nextMaintenance: next.get(row.id) ?? null }))
}

/** A row has 35 columns, and PostgreSQL takes 65,535 values in a statement that has rows with ids. */
const ROWS_PER_STATEMENT = 500

export interface RowChange {
  /** As read in the same write. */
  readonly row: AssetRow
  readonly change: AssetChange
  /** Also without a column that differs, the asset is changed: a value of metadata is part of it. */
  readonly touched?: boolean
}

/**
 * Changes assets, and returns their rows as they are now in the same order. Without a value that differs from the row, nothing is
 * written and the version stays.
 */
export async function updateRows(tx: Tx, items: readonly RowChange[]): Promise<AssetRow[]> {
  const changes = items.map(({ row, change, touched = false }) => {
    const different = differences(row, change)
    if (Object.keys(different).length === 0 && !touched) return { row, after: row }
    const isPlaced = different.status !== undefined || different.locationId !== undefined
    const placedAt = isPlaced ? tx.stamp : (row.placedAt ?? row.updatedAt)
    const columns = { ...different, placedAt, version: row.version + 1, updatedAt: tx.stamp }
    return { row, columns, after: { ...row, ...columns } }
  })
  const changed = await changesOfDues(
    tx,
    changes.filter(({ columns }) => columns !== undefined),
  )
  if (changed.length === 1) await updateOne(tx, changed[0]!.row, changed[0]!.columns!)
  else
    for (let at = 0; at < changed.length; at += ROWS_PER_STATEMENT)
      await replaceRows(tx, changedRows.values(changed.slice(at, at + ROWS_PER_STATEMENT).map(({ after }) => after)))
  for (const { row, after } of changed) {
    listed.updated(tx, row, after)
    noteChange(tx, row, after)
    await moveOnMap(tx, row, after)
  }
  await endWaiting(
    tx,
    changed.filter(({ row, after }) => !isGone(row) && isGone(after)).map(({ row }) => row.id),
  )
  const byId = new Map(changed.map(({ after }) => [after.id, after]))
  return changes.map(({ after }) => byId.get(after.id) ?? after)
}

function noteChange(tx: Tx, before: AssetRow, row: AssetRow): void {
  const { id, owner, name, status, deletedAt } = row
  if (deletedAt !== null) {
    if (before.deletedAt === null) note(tx, { type: 'asset.deleted', owner, id, data: { name } })
    return
  }
  // It was given to an organization.
  if (before.owner !== owner) {
    note(tx, { type: 'asset.deleted', owner: before.owner, id, data: { name } })
    note(tx, { type: 'asset.created', owner, id, row })
    return
  }
  note(tx, { type: 'asset.updated', owner, id, row })
  if (status === 'SCRAPPED' && before.status !== 'SCRAPPED') note(tx, { type: 'asset.scrapped', owner, id, row })
}

/** Whether nobody can have the asset, now or later. */
export const isGone = ({ status, deletedAt }: Pick<AssetRow, 'status' | 'deletedAt'>): boolean =>
  status === 'SCRAPPED' || status === 'LOST' || deletedAt !== null

interface Change {
  readonly row: AssetRow
  readonly columns?: Partial<AssetRow> | undefined
  readonly after: AssetRow
}

/** The columns that decide which plans of maintenance hold for an asset. */
const PLANNED = ['categoryId', 'status', 'owner', 'deletedAt'] as const

/** The changes with the next due date, which follows from the plans. */
async function changesOfDues(tx: Tx, changes: readonly Change[]): Promise<readonly Change[]> {
  const planned = changes.filter(({ row, after }) => PLANNED.some((name) => row[name] !== after[name]))
  if (planned.length === 0) return changes
  const next = await refreshDues(
    tx,
    planned.map(({ after }) => after),
  )
  return changes.map(({ row, columns, after }) => {
    const nextMaintenance = next.has(after.id) ? (next.get(after.id) ?? null) : after.nextMaintenance
    return { row, columns: { ...columns, nextMaintenance }, after: { ...after, nextMaintenance } }
  })
}

async function updateOne(tx: Tx, { id, owner }: AssetRow, columns: Partial<AssetRow>): Promise<void> {
  await tx
    .update(assets)
    .set(columns)
    .where(and(eq(assets.id, id), eq(assets.owner, owner)))
    .returning({ id: assets.id })
}

const { uuid: __, owner: ___, ...replaceable } = insertable

const changedRows = wholeRows('given', assets)
/** One statement for many rows. The owner of a row cannot change here. */
const replaceRows = prepared((db) =>
  insertFrom(db, assets, changedRows)
    .onConflictDoUpdate({
      target: assets.id,
      set: Object.fromEntries(
        Object.entries(replaceable).map(([name, column]) => [name, sql`excluded.${sql.identifier(column.name)}`]),
      ),
      setWhere: eq(assets.owner, sql`excluded.owner`),
    })
    .returning({ id: assets.id }),
)

/** Those of the ids that are categories of the owner. */
export async function knownCategories(tx: Tx, owner: OwnerKey, ids: readonly number[]): Promise<Set<number>> {
  if (ids.length === 0) return new Set()
  const rows = await tx
    .select({ id: assetCategories.id })
    .from(assetCategories)
    .where(and(eq(assetCategories.owner, owner), isNull(assetCategories.deletedAt), isOneOf(assetCategories.id, ids)))
  return new Set(rows.map((row) => row.id))
}

/** Names of those of the ids that are locations of the organization. */
export async function locationNames(tx: Db | Tx, orgId: number, ids: readonly number[]): Promise<Map<number, string>> {
  if (ids.length === 0 || orgId === 0) return new Map()
  const rows = await tx
    .select({ id: orgLocations.id, name: orgLocations.name })
    .from(orgLocations)
    .where(and(eq(orgLocations.orgId, orgId), isOneOf(orgLocations.id, ids)))
  return new Map(rows.map((row) => [row.id, row.name]))
}

/** The members of the organization among these users. */
export async function membersAmong(tx: Db | Tx, orgId: number, userIds: readonly number[]): Promise<Set<number>> {
  if (userIds.length === 0) return new Set()
  const rows = await tx
    .select({ id: orgMembers.userId })
    .from(orgMembers)
    .where(and(eq(orgMembers.orgId, orgId), isOneOf(orgMembers.userId, userIds)))
  return new Set(rows.map((row) => row.id))
}

/** Names of users as the organization knows them, or their own ones. */
export async function userNames(db: Db | Tx, orgId: number, userIds: readonly number[]): Promise<Map<number, string>> {
  if (userIds.length === 0) return new Map()
  const rows = await db
    .select({ id: users.id, name: sql<string>`coalesce(${orgMembers.nickname}, ${users.nickname})`.as('name') })
    .from(users)
    .leftJoin(orgMembers, and(eq(orgMembers.userId, users.id), eq(orgMembers.orgId, orgId)))
    .where(inArray(users.id, [...userIds]))
  return new Map(rows.map((row) => [row.id, row.name]))
}

/** The owner's undeleted assets, as the write sees them. Walks over all of them. */
export async function countOwned(tx: Db | Tx, owner: OwnerKey): Promise<number> {
  const [row] = await tx.select({ n: count() }).from(assets).where(assetsWhere(owner))
  return row!.n
}

export type LoanRow = Pick<typeof assetLoans.$inferSelect, 'id' | 'assetId' | 'userId' | 'personName' | 'dueAt'>

const ofLoan = {
  id: assetLoans.id,
  assetId: assetLoans.assetId,
  userId: assetLoans.userId,
  personName: assetLoans.personName,
  dueAt: assetLoans.dueAt,
}
const openLoan = prepared((db) =>
  db
    .select(ofLoan)
    .from(assetLoans)
    .where(and(eq(assetLoans.assetId, p('id')), isNull(assetLoans.checkedInAt))),
)

/** The open loans of these assets. */
export const openLoans = (db: Db | Tx, assetIds: readonly number[]): Promise<LoanRow[]> =>
  assetIds.length === 1
    ? openLoan(db, { id: assetIds[0]! })
    : db
        .select(ofLoan)
        .from(assetLoans)
        .where(and(isOneOf(assetLoans.assetId, assetIds), isNull(assetLoans.checkedInAt)))

/** Ends the open loan of an asset that is deleted by force. */
export async function closeLoan(tx: Tx, assetId: number): Promise<void> {
  const closed = await tx
    .update(assetLoans)
    .set({ checkedInAt: tx.stamp })
    .where(and(eq(assetLoans.assetId, assetId), isNull(assetLoans.checkedInAt)))
    .returning({ id: assetLoans.id, reservationId: assetLoans.reservationId })
  await itemsReturned(tx, closed)
}

export type PhotoRow = Pick<FileRow, 'id' | 'mime' | 'thumbnailBlobId'>

/** The files with these ids that are photos of assets. */
export const photosByIds = (db: Db | Tx, ids: readonly number[]): Promise<PhotoRow[]> =>
  db
    .select({ id: files.id, mime: files.mime, thumbnailBlobId: files.thumbnailBlobId })
    .from(files)
    .where(and(isOneOf(files.id, ids), eq(files.entityType, 'ASSET')))

/** Undeleted assets of any owners. */
export const anyAssetsByIds = (db: Db | Tx, ids: readonly number[]): Promise<AssetRow[]> =>
  db
    .select()
    .from(assets)
    .where(and(isOneOf(assets.id, ids), isLiveById))

/** Where searches for values of metadata find the assets of an owner. */
export const assetEntities: EntityTable = {
  table: assets,
  id: assets.id,
  order: [assets.createdAt, assets.id],
  where: (owner) => assetsWhere(owner),
}

export const isLiveAsset = (id: SQLiteColumn | SQL): SQL =>
  sql`exists (select 1 from ${assets} where ${assets.id} = ${id} and ${assets.deletedAt} is null)`

const anyAsset = prepared((db) => {
  const asset = db
    .select({ id: assets.id })
    .from(assets)
    .where(eq(assets.userId, p('userId')))
  return db
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.id, p('userId')), exists(asset)))
})

/** Whether the user has registered an asset, for whomever. */
export const hasAssets = async (db: Db | Tx, userId: number): Promise<boolean> =>
  (await anyAsset(db, { userId })).length > 0

/** The organization's undeleted assets at a location. */
export async function countAtLocation(db: Db | Tx, orgId: number, locationId: number): Promise<number> {
  const [row] = await db
    .select({ n: count() })
    .from(assets)
    .where(assetsWhere(orgId, eq(assets.locationId, locationId)))
  return row!.n
}
