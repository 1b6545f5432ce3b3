import {
  and,
  asc,
  count,
  eq,
  exists,
  getTableColumns,
  gt,
  inArray,
  isNotNull,
  isNull,
  or,
  type SQL,
  sql,
} from 'drizzle-orm'

import { contains } from '#db/contains.ts'
import { dialect, isInJson, isOneOf, notByIndex } from '#db/dialect.ts'
import { insertFrom, jsonRows, wholeRows } from '#db/json-rows.ts'
import { pagedTable } from '#db/lists.ts'
import { orgOf, type OwnerKey, ownerKey } from '#db/owner-key.ts'
import { type Page, type PageInput, pageOf, sortBy } from '#db/paging.ts'
import { prepared } from '#db/prepared.ts'
import { versionIn } from '#db/row-version.ts'
import { users } from '#db/schema/accounts.ts'
import { files } from '#db/schema/files.ts'
import { supplies, supplyLoans, supplyNumbers, supplyPlaces } from '#db/schema/supplies.ts'
import { deleteSome } from '#db/slices.ts'
import type { Builders, Db, Tx } from '#db/store.ts'
import { within } from '#domains/admin/index.ts'
import type { Owner } from '#http/endpoint.ts'
import { uuid } from '#platform/ids.ts'

import { numberKey } from '../numbers.rules.ts'
import type { PhotoRow } from '../register/register.store.ts'
import type { AdminSuppliesQuery, SupplySort } from './supplies.model.ts'
import { isLow, type SupplyFields } from './supplies.rules.ts'

export type SupplyRow = typeof supplies.$inferSelect

/** Every column that decides which lists a row is in, and where. */
export const listed = pagedTable(supplies, [
  'id',
  'owner',
  'deletedAt',
  'name',
  'supplyNo',
  'stock',
  'createdAt',
  'updatedAt',
])

const isLive = isNull(supplies.deletedAt)

/** The owner's undeleted supplies that meet the condition. */
export const suppliesWhere = (owner: OwnerKey, where?: SQL): SQL => and(eq(supplies.owner, owner), isLive, where)!

const p = sql.placeholder

const byId = prepared((db) =>
  db
    .select()
    .from(supplies)
    .where(and(eq(supplies.id, p('id')), eq(supplies.owner, p('owner')), isLive)),
)
/** Undefined if the supply belongs to another owner or is deleted. */
export const findSupply = async (db: Db | Tx, owner: OwnerKey, id: number): Promise<SupplyRow | undefined> =>
  (await byId(db, { id, owner }))[0]

const byUuid = prepared((db) =>
  db
    .select()
    .from(supplies)
    .where(and(eq(supplies.uuid, p('uuid')), isLive)),
)
/** A supply of any owner. */
export const findByUuid = async (db: Db | Tx, uuid: string): Promise<SupplyRow | undefined> =>
  (await byUuid(db, { uuid: uuid.toLowerCase() }))[0]

const byIdOnly = prepared((db) =>
  db
    .select()
    .from(supplies)
    .where(and(eq(supplies.id, p('id')), isLive)),
)
/** A supply of any owner. */
export const findAnySupply = async (db: Db | Tx, id: number): Promise<SupplyRow | undefined> =>
  (await byIdOnly(db, { id }))[0]

export const versionOfSupply = versionIn(supplies)

/** The organization of a supply: 0 for a personal one, undefined for an unknown or deleted one. */
export async function organizationOfSupply(db: Db, id: number): Promise<number | undefined> {
  const row = await findAnySupply(db, id)
  return row && orgOf(row.owner)
}

/**
 * The owner's undeleted supplies with these ids, in the order of the ids. On PostgreSQL their rows are locked in that order, so that writes that
 * change the same ones wait for each other instead of being repeated.
 */
export const lockSupplies = (tx: Tx, owner: OwnerKey, ids: readonly number[]): Promise<SupplyRow[]> =>
  locked(tx, { owner, ids: JSON.stringify(ids) })
const locked = prepared((db) => {
  const rows = db
    .select()
    .from(supplies)
    .where(
      and(
        isInJson(supplies.id, p('ids')),
        sql`${notByIndex(supplies.owner)} = ${p('owner')}`,
        sql`${notByIndex(supplies.deletedAt)} is null`,
      ),
    )
    .orderBy(asc(supplies.id))
  // On SQLite, writes run one after the other, and the builder has no locks.
  return dialect === 'sqlite' ? rows : (rows as unknown as { for(lock: 'update'): typeof rows }).for('update')
})

/** A supply that is lent, as reservations count it. */
export interface Pool {
  readonly id: number
  readonly name: string
  readonly categoryId: number | null
  /** How many the owner has: those that are there, and those that people have. */
  readonly total: number
  /** Those that are there now. */
  readonly stock: number
}

/**
 * The owner's POOL supplies with these ids, locked like `lockSupplies`: until the write ends, no other write changes their numbers. Supplies of
 * other owners and kinds are left out.
 */
export async function lockPools(tx: Tx, owner: OwnerKey, ids: readonly number[]): Promise<Map<number, Pool>> {
  const rows = (await lockSupplies(tx, owner, ids)).filter(({ kind }) => kind === 'POOL')
  return new Map(
    rows.map(({ id, name, categoryId, stock, lent }) => [id, { id, name, categoryId, total: stock + lent, stock }]),
  )
}

/** The organization's supplies of which some are at a location. */
export async function countAtLocation(db: Db | Tx, orgId: number, locationId: number): Promise<number> {
  const [row] = await db
    .select({ n: count() })
    .from(supplyPlaces)
    .innerJoin(supplies, eq(supplies.id, supplyPlaces.supplyId))
    .where(and(eq(supplyPlaces.locationId, locationId), suppliesWhere(orgId)))
  return row!.n
}

/** The owner's undeleted supplies, as the write sees them. */
export async function countSupplies(db: Db | Tx, owner: OwnerKey): Promise<number> {
  const [row] = await db.select({ n: count() }).from(supplies).where(suppliesWhere(owner))
  return row!.n
}

// Writes.

const newRows = wholeRows('given', supplies, ['id'])
const insertAll = prepared((db) =>
  insertFrom(db, supplies, newRows).returning({ id: supplies.id, uuid: supplies.uuid }),
)

/** Adds supplies with numbers that are free. Returns their rows in the same order. */
export async function insertSupplies(tx: Tx, owner: Owner, given: readonly SupplyFields[]): Promise<SupplyRow[]> {
  if (given.length === 0) return []
  const values = given.map((fields) => ({
    ...fields,
    uuid: uuid(),
    owner: ownerKey(owner),
    userId: owner.userId,
    supplyNoKey: numberKey(fields.supplyNo),
    stock: 0,
    lent: 0,
    lowSince: isLow({ stock: 0, minimum: fields.minimum }) ? tx.stamp : null,
    version: 1,
    deletedAt: null,
    createdAt: tx.stamp,
    updatedAt: tx.stamp,
  }))
  const inserted = await insertAll(tx, newRows.values(values))
  const ids = new Map(inserted.map((row) => [row.uuid, row.id]))
  const rows = values.map((row) => ({ ...row, id: ids.get(row.uuid)! }))
  for (const row of rows) listed.inserted(tx, row)
  return rows
}

export interface RowChange {
  readonly before: SupplyRow
  readonly change: Partial<SupplyRow>
}

const { id: _, uuid: __, owner: ___, ...replaceable } = getTableColumns(supplies)
const changedRows = wholeRows('given', supplies)
const replaceAll = prepared((db) =>
  insertFrom(db, supplies, changedRows)
    .onConflictDoUpdate({
      target: supplies.id,
      set: Object.fromEntries(
        Object.entries(replaceable).map(([name, column]) => [name, sql`excluded.${sql.identifier(column.name)}`]),
      ),
      setWhere: eq(supplies.owner, sql`excluded.owner`),
    })
    .returning({ id: supplies.id }),
)

function changed(tx: Tx, { before, change }: RowChange): Partial<SupplyRow> {
  const lowSince = isLow({ ...before, ...change }) ? (before.lowSince ?? tx.stamp) : null
  return { ...change, lowSince, version: before.version + 1, updatedAt: tx.stamp }
}

/** Changes the columns that requests decide. `change` differs from the row. */
export async function updateSupply(tx: Tx, before: SupplyRow, change: Partial<SupplyRow>): Promise<SupplyRow> {
  const [row] = await tx
    .update(supplies)
    .set(changed(tx, { before, change }))
    .where(and(eq(supplies.id, before.id), eq(supplies.owner, before.owner)))
    .returning()
  listed.updated(tx, before, row!)
  return row!
}

/** The same with many supplies, which are locked, by one statement. Returns the rows in the same order. */
export async function updateSupplies(tx: Tx, changes: readonly RowChange[]): Promise<SupplyRow[]> {
  if (changes.length === 0) return []
  const rows = changes.map((one) => ({ ...one.before, ...changed(tx, one) }))
  await replaceAll(tx, changedRows.values(rows))
  for (const [i, { before }] of changes.entries()) listed.updated(tx, before, rows[i]!)
  return rows
}

type Numbers = Pick<SupplyRow, 'stock' | 'lent' | 'lowSince'>

const numbers = jsonRows('given', { id: 'int', owner: 'int', stock: 'int', lent: 'int', lowSince: 'int' })
const setAll = prepared((db) =>
  db
    .update(supplies)
    .set({ stock: numbers.stock, lent: numbers.lent, lowSince: numbers.lowSince })
    .from(numbers.rows)
    .where(and(eq(supplies.id, numbers.id), sql`${notByIndex(supplies.owner)} = ${numbers.owner}`))
    .returning({ id: supplies.id }),
)

/**
 * Sets the numbers that movements change. They raise neither `version` nor `updatedAt`, so that forms that are open stay valid. Returns the rows in
 * the same order.
 */
export async function setNumbers(
  tx: Tx,
  changes: readonly { readonly before: SupplyRow; readonly now: Numbers }[],
): Promise<SupplyRow[]> {
  if (changes.length === 0) return []
  const given = changes.map(({ before: { id, owner }, now }) => ({ ...now, id, owner }))
  await setAll(tx, numbers.values(given))
  return changes.map(({ before, now }) => {
    const after = { ...before, ...now }
    listed.updated(tx, before, after)
    return after
  })
}

/** The ids of the owner's undeleted supplies that meet the condition, in an order of the list. */
export const supplyIds = (
  db: Db,
  owner: OwnerKey,
  where: SQL | undefined,
  sort: SupplySort,
  limit: number,
): Promise<number[]> =>
  db
    .select({ id: supplies.id })
    .from(supplies)
    .where(suppliesWhere(owner, where))
    .orderBy(...sortBy(SORTED, sort))
    .limit(limit)
    .then((rows) => rows.map((row) => row.id))

/** The owner's undeleted supplies with these ids, in the order of `ids`. */
export async function suppliesByIds(db: Db | Tx, owner: OwnerKey, ids: readonly number[]): Promise<SupplyRow[]> {
  const rows = await db
    .select()
    .from(supplies)
    .where(and(isOneOf(supplies.id, ids), suppliesWhere(owner)))
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}

// Lists.

const select = (db: Builders) => db.select().from(supplies).$dynamic()
const ofOwner = listed.list({
  owner: ['owner'],
  where: { deletedAt: null },
  orders: {
    name: ['name', 'createdAt', 'id'],
    supplyNo: ['supplyNo', 'createdAt', 'id'],
    stock: ['stock', 'createdAt', 'id'],
    updatedAt: ['updatedAt', 'createdAt', 'id'],
  },
  sort: 'name',
  select,
})
const SORTED = {
  id: supplies.id,
  name: supplies.name,
  supplyNo: supplies.supplyNo,
  stock: supplies.stock,
  updatedAt: supplies.updatedAt,
}
export const DEFAULT_SORT = 'name'

export type SortedPage = PageInput & { readonly sort?: SupplySort | undefined }

export const suppliesPage = (db: Db, owner: OwnerKey, { page, size, sort }: SortedPage): Promise<Page<SupplyRow>> =>
  ofOwner.page(db, { owner }, { page, size, sort })

export const filteredSupplies = (
  db: Db,
  owner: OwnerKey,
  where: SQL | undefined,
  { page, size, sort = DEFAULT_SORT }: SortedPage,
): Promise<Page<SupplyRow>> =>
  pageOf(db, supplies, { where: suppliesWhere(owner, where), orderBy: sortBy(SORTED, sort), page: { page, size } })

export interface Conditions {
  readonly keyword?: string | undefined
  /** With those below it; null for supplies without a category. */
  readonly categoryIds?: readonly number[] | null | undefined
  readonly locationIds?: readonly number[] | undefined
  readonly kind?: SupplyRow['kind'] | undefined
  readonly low?: boolean | undefined
  readonly ids?: readonly number[] | undefined
}

const containsKeyword = (keyword: string): SQL | undefined =>
  or(
    ...[supplies.name, supplies.supplyNo, supplies.supplier, supplies.remark].map((column) =>
      contains(column, keyword),
    ),
  )

const conditionsOf = ({ keyword, kind, low }: Conditions): SQL | undefined =>
  and(
    keyword ? containsKeyword(keyword) : undefined,
    kind && eq(supplies.kind, kind),
    low === undefined ? undefined : low ? isNotNull(supplies.lowSince) : isNull(supplies.lowSince),
  )

/** Without the owner, which every query adds. Undefined for all supplies. */
export function conditionsWhere(db: Pick<Db, 'select'>, given: Conditions): SQL | undefined {
  const { categoryIds, locationIds, ids } = given
  const places = (some: readonly number[]) =>
    db
      .select({ one: sql`1` })
      .from(supplyPlaces)
      .where(and(eq(supplyPlaces.supplyId, supplies.id), inArray(supplyPlaces.locationId, [...some])))
  return and(
    conditionsOf(given),
    categoryIds === undefined
      ? undefined
      : categoryIds === null
        ? isNull(supplies.categoryId)
        : inArray(supplies.categoryId, [...categoryIds]),
    locationIds && exists(places(locationIds)),
    ids && inArray(supplies.id, [...ids]),
  )
}

/** Supplies of all owners, for the console. */
export const allSupplies = ({ userId, orgId, keyword, kind, low, from, to }: AdminSuppliesQuery) => ({
  table: supplies,
  scope: and(isLive, within(supplies.createdAt, { from, to })),
  where: and(
    userId === undefined ? undefined : eq(supplies.userId, userId),
    orgId === undefined ? undefined : eq(supplies.owner, orgId),
    conditionsOf({ keyword, kind, low }),
  ),
  order: [supplies.createdAt, supplies.id],
  isReversed: true,
  select: (db: Pick<Builders, 'select'>) => db.select().from(supplies).$dynamic(),
})

/** A supply of which fewer are there than there should be. */
export interface LowSupply {
  readonly id: number
  readonly name: string
  readonly supplyNo: string
  readonly unit: string
  readonly stock: number
  readonly minimum: number
  readonly target: number | null
  /** `target - stock`, or up to the minimum without a target. */
  readonly toOrder: number
}

/** At most `limit` supplies of the owner that are low, with ids above `after`, in the order of their ids. */
export async function lowSupplies(db: Db | Tx, owner: OwnerKey, after: number, limit: number): Promise<LowSupply[]> {
  const rows = await db
    .select()
    .from(supplies)
    .where(suppliesWhere(owner, and(isNotNull(supplies.lowSince), gt(supplies.id, after))))
    .orderBy(asc(supplies.id))
    .limit(limit)
  return rows.map(({ id, name, supplyNo, unit, stock, minimum, target }) => ({
    id,
    name,
    supplyNo,
    unit,
    stock,
    minimum: minimum ?? 0,
    target,
    toOrder: Math.max(0, (target ?? minimum ?? 0) - stock),
  }))
}

/** The files with these ids that are photos of supplies. */
export const photosByIds = (db: Db | Tx, ids: readonly number[]): Promise<PhotoRow[]> =>
  ids.length === 0
    ? Promise.resolve([])
    : db
        .select({ id: files.id, mime: files.mime, thumbnailBlobId: files.thumbnailBlobId })
        .from(files)
        .where(and(inArray(files.id, [...ids]), eq(files.entityType, 'SUPPLY')))

/** Supplies of any owner, for files that were deleted. */
export const anySuppliesByIds = (tx: Tx, ids: readonly number[]): Promise<SupplyRow[]> =>
  tx
    .select()
    .from(supplies)
    .where(and(isOneOf(supplies.id, ids), isLive))

// Rows of accounts and organizations that ended.

const anySupply = prepared((db) =>
  db
    .select({ id: users.id })
    .from(users)
    .where(
      and(
        eq(users.id, p('userId')),
        exists(
          db
            .select({ id: supplies.id })
            .from(supplies)
            .where(eq(supplies.userId, p('userId'))),
        ),
      ),
    ),
)
/** Whether the user has registered a supply, for whomever. */
export const hasSupplies = async (db: Db | Tx, userId: number): Promise<boolean> =>
  (await anySupply(db, { userId })).length > 0

/**
 * Deletes at most `limit` rows of an owner that was deleted, whose movements are deleted already: supplies, after their places and loans, of which
 * each can have any number. Returns the number of rows.
 */
export async function purgeSupplies(tx: Tx, owner: OwnerKey, limit: number): Promise<number> {
  await tx.delete(supplyNumbers).where(eq(supplyNumbers.owner, owner))
  const some = await tx.select({ id: supplies.id }).from(supplies).where(eq(supplies.owner, owner)).limit(limit)
  const ids = some.map((row) => row.id)
  if (ids.length === 0) return 0
  let rows = await deleteSome(tx, supplyPlaces, inArray(supplyPlaces.supplyId, ids), limit)
  if (rows < limit) rows += await deleteSome(tx, supplyLoans, inArray(supplyLoans.supplyId, ids), limit - rows)
  const bare = ids.slice(0, limit - rows)
  if (bare.length === 0) return rows
  const deleted = await tx.delete(supplies).where(inArray(supplies.id, bare)).returning(listed.columns)
  for (const row of deleted) listed.deleted(tx, row)
  return rows + bare.length
}
