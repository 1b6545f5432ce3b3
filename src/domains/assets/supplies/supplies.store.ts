import { and, asc, count, eq, inArray, isNull, sql } from 'drizzle-orm'

import { dialect } from '#db/dialect.ts'
import { pagedTable } from '#db/lists.ts'
import { orgOf, type OwnerKey } from '#db/owner-key.ts'
import { prepared } from '#db/prepared.ts'
import { versionIn } from '#db/row-version.ts'
import { supplies, supplyPlaces } from '#db/schema/supplies.ts'
import type { Db, SQL, Tx } from '#db/store.ts'

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
export function lockSupplies(tx: Tx, owner: OwnerKey, ids: readonly number[]): Promise<SupplyRow[]> {
  const rows = tx
    .select()
    .from(supplies)
    .where(and(inArray(supplies.id, [...new Set(ids)]), suppliesWhere(owner)))
    .orderBy(asc(supplies.id))
  // On SQLite, writes run one after the other, and the builder has no locks.
  return dialect === 'sqlite' ? rows : (rows as unknown as { for(lock: 'update'): typeof rows }).for('update')
}

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
