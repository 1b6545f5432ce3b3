import { and, asc, count, desc, eq, inArray, type SQL, sql } from 'drizzle-orm'

import { prepared } from '#db/prepared.ts'
import { orgLocations } from '#db/schema/locations.ts'
import type { Db, Tx } from '#db/store.ts'

export type LocationRow = typeof orgLocations.$inferSelect
export type Change = Partial<
  Pick<LocationRow, 'name' | 'description' | 'parentId' | 'latitude' | 'longitude' | 'pinned'>
>

const of = (orgId: number, ...more: (SQL | undefined)[]) => and(eq(orgLocations.orgId, orgId), ...more)

/** The interface's order (spec §4.2), made total. */
const inOrder = [
  desc(orgLocations.pinned),
  asc(orgLocations.sortOrder),
  asc(orgLocations.createdAt),
  asc(orgLocations.id),
]

export const allLocations = (db: Db, orgId: number): Promise<LocationRow[]> =>
  db
    .select()
    .from(orgLocations)
    .where(of(orgId))
    .orderBy(...inOrder)

export async function countLocations(db: Db | Tx, orgId: number): Promise<number> {
  const [row] = await db.select({ n: count() }).from(orgLocations).where(of(orgId))
  return row!.n
}

export async function findLocation(db: Db | Tx, orgId: number, id: number): Promise<LocationRow | undefined> {
  const [row] = await db
    .select()
    .from(orgLocations)
    .where(of(orgId, eq(orgLocations.id, id)))
  return row
}

export const findLocations = (db: Db | Tx, orgId: number, ids: readonly number[]): Promise<LocationRow[]> =>
  db
    .select()
    .from(orgLocations)
    .where(of(orgId, inArray(orgLocations.id, [...ids])))

/** Direct children of any of `parents`. */
export async function childIds(db: Db | Tx, orgId: number, parents: readonly number[]): Promise<number[]> {
  const rows = await db
    .select({ id: orgLocations.id })
    .from(orgLocations)
    .where(of(orgId, inArray(orgLocations.parentId, [...parents])))
  return rows.map((row) => row.id)
}

export async function insertLocation(
  tx: Tx,
  orgId: number,
  values: Pick<LocationRow, 'name' | 'description' | 'parentId' | 'latitude' | 'longitude'>,
): Promise<LocationRow> {
  const [row] = await tx
    .insert(orgLocations)
    .values({ ...values, orgId, createdAt: tx.stamp, updatedAt: tx.stamp })
    .returning()
  return row!
}

/** Undefined when the organization has no such location. */
export async function updateLocation(
  tx: Tx,
  orgId: number,
  id: number,
  change: Change,
): Promise<LocationRow | undefined> {
  const [row] = await tx
    .update(orgLocations)
    .set({ ...change, updatedAt: tx.stamp })
    .where(of(orgId, eq(orgLocations.id, id)))
    .returning()
  return row
}

const p = sql.placeholder
const ofOne = and(eq(orgLocations.orgId, p('orgId')), eq(orgLocations.id, p('id')))

const place = prepared((db) =>
  db
    .update(orgLocations)
    .set({ sortOrder: sql`${p('sortOrder')}`, updatedAt: sql`${p('now')}` })
    .where(ofOne),
)
const pin = prepared((db) =>
  db
    .update(orgLocations)
    .set({ pinned: sql`${p('pinned')}`, updatedAt: sql`${p('now')}` })
    .where(ofOne)
    .returning({ id: orgLocations.id }),
)

export async function placeLocation(tx: Tx, orgId: number, id: number, sortOrder: number): Promise<void> {
  await place(tx, { orgId, id, sortOrder, now: tx.stamp })
}

/** False when the organization has no such location. */
export const pinLocation = async (tx: Tx, orgId: number, id: number, pinned: boolean): Promise<boolean> =>
  (await pin(tx, { orgId, id, pinned, now: tx.stamp })).length > 0

export async function deleteLocation(tx: Tx, orgId: number, id: number): Promise<void> {
  await tx.delete(orgLocations).where(of(orgId, eq(orgLocations.id, id)))
}
