import { and, asc, count, eq, gt, inArray, isNotNull, isNull, max, or, sql } from 'drizzle-orm'

import { type Page, type PageInput, pageOf } from '#db/paging.ts'
import { prepared } from '#db/prepared.ts'
import { activityGates } from '#db/schema/activity-gates.ts'
import { checkInLists, passListUses } from '#db/schema/passes.ts'
import type { Db, Tx } from '#db/store.ts'

const p = sql.placeholder

export type ListRow = typeof checkInLists.$inferSelect
/** The values that requests set. */
export type ListValues = Omit<
  ListRow,
  'id' | 'activityId' | 'sortOrder' | 'admitted' | 'inside' | 'deletedAt' | 'createdAt'
>

export const isNotDeleted = isNull(checkInLists.deletedAt).inlineParams()
const ofActivity = (activityId: number) => and(eq(checkInLists.activityId, activityId), isNotDeleted)
const inOrder = [asc(checkInLists.sortOrder), asc(checkInLists.id)]

/** At most 100. */
export const listsPage = (db: Db, activityId: number, page: PageInput): Promise<Page<ListRow>> =>
  pageOf(db, checkInLists, { where: ofActivity(activityId), orderBy: inOrder, page })

/** All of the activity, in their order. */
export const allLists = (db: Db | Tx, activityId: number): Promise<ListRow[]> =>
  db
    .select()
    .from(checkInLists)
    .where(ofActivity(activityId))
    .orderBy(...inOrder)

const byId = prepared((db) =>
  db
    .select()
    .from(checkInLists)
    .where(and(eq(checkInLists.id, p('id')), eq(checkInLists.activityId, p('activityId')), isNotDeleted)),
)

/** Undefined if it is not a list of the activity. */
export const findList = async (db: Db | Tx, activityId: number, id: number): Promise<ListRow | undefined> =>
  (await byId(db, { id, activityId }))[0]

/** Lists of the activity by id, also those that were deleted. */
export async function listsById(
  db: Db | Tx,
  activityId: number,
  ids: readonly number[],
): Promise<ReadonlyMap<number, ListRow>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .select()
    .from(checkInLists)
    .where(and(eq(checkInLists.activityId, activityId), inArray(checkInLists.id, [...new Set(ids)])))
  return new Map(rows.map((row) => [row.id, row]))
}

/** The names of lists that uses show: with the id null for those that were deleted. */
export async function shownLists(
  db: Db,
  ids: readonly number[],
): Promise<ReadonlyMap<number, { readonly id: number | null; readonly name: string }>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .select({ id: checkInLists.id, name: checkInLists.name, deletedAt: checkInLists.deletedAt })
    .from(checkInLists)
    .where(inArray(checkInLists.id, [...new Set(ids)]))
  return new Map(rows.map(({ id, name, deletedAt }) => [id, { id: deletedAt === null ? id : null, name }]))
}

/** The lists of the activity in their order, then deleted ones that have admitted somebody; at most `limit`. */
export const listsWithAdmissions = (db: Db, activityId: number, limit: number): Promise<ListRow[]> =>
  db
    .select()
    .from(checkInLists)
    .where(and(eq(checkInLists.activityId, activityId), or(isNotDeleted, gt(checkInLists.admitted, 0))))
    .orderBy(sql`case when ${isNotDeleted} then 0 else 1 end`, ...inOrder)
    .limit(limit)

/** The number of lists of the activity, with those that were deleted, and the place of the last one. */
export async function countLists(
  tx: Tx,
  activityId: number,
): Promise<{ readonly live: number; readonly all: number; readonly last: number }> {
  const [row] = await tx
    .select({
      all: count(),
      live: sql`count(case when ${isNotDeleted} then 1 end)`.mapWith(Number),
      last: max(checkInLists.sortOrder),
    })
    .from(checkInLists)
    .where(eq(checkInLists.activityId, activityId))
  return { live: row!.live, all: row!.all, last: row!.last ?? 0 }
}

/** Adds lists to an activity, after those that it has: `last` is the place of the last one. */
export const insertLists = (
  tx: Tx,
  activityId: number,
  lists: readonly ListValues[],
  last: number,
): Promise<ListRow[]> =>
  tx
    .insert(checkInLists)
    .values(lists.map((values, i) => ({ ...values, activityId, sortOrder: last + i + 1, createdAt: tx.stamp })))
    .returning()

export async function updateList(
  tx: Tx,
  activityId: number,
  id: number,
  change: Partial<ListValues & Pick<ListRow, 'sortOrder'>>,
): Promise<ListRow> {
  const [row] = await tx
    .update(checkInLists)
    .set(change)
    .where(and(eq(checkInLists.id, id), ofActivity(activityId)))
    .returning()
  return row!
}

/** False if it is not a list of the activity. The row stays until the activity is deleted, for its uses and for gates that upload later ones. */
export async function deleteList(tx: Tx, activityId: number, id: number): Promise<boolean> {
  const rows = await tx
    .update(checkInLists)
    .set({ deletedAt: tx.stamp })
    .where(and(eq(checkInLists.id, id), ofActivity(activityId)))
    .returning({ id: checkInLists.id })
  return rows.length === 1
}

/** The name of a gate of the activity that has not ended and is for deleted lists only. */
export async function gateWithoutList(tx: Tx, activityId: number, now: number): Promise<string | undefined> {
  const gates = await tx
    .select({ name: activityGates.name, listIds: activityGates.listIds })
    .from(activityGates)
    .where(
      and(
        eq(activityGates.activityId, activityId),
        isNull(activityGates.revokedAt),
        isNotNull(activityGates.listIds),
        or(isNull(activityGates.expiresAt), gt(activityGates.expiresAt, now)),
      ),
    )
  const live = new Set<number | null>((await allLists(tx, activityId)).map(({ id }) => id)).add(null)
  return gates.find(({ listIds }) => !listIds!.some((id) => live.has(id)))?.name
}

/** Takes the uses of a pass that is being deleted out of the counts of all lists. */
export async function uncountListUses(tx: Tx, activityId: number, passId: number): Promise<void> {
  const rows = await tx
    .delete(passListUses)
    .where(and(eq(passListUses.activityId, activityId), eq(passListUses.passId, passId)))
    .returning({ listId: passListUses.listId, usedCount: passListUses.usedCount, isInside: passListUses.isInside })
  for (const { listId, usedCount, isInside } of rows) await countOnList(tx, listId, -usedCount, isInside ? -1 : 0)
}

/** Adds to the counts of a list. */
export async function countOnList(tx: Tx, id: number, admitted: number, inside: number): Promise<void> {
  if (admitted === 0 && inside === 0) return
  await tx
    .update(checkInLists)
    .set({ admitted: sql`${checkInLists.admitted} + ${admitted}`, inside: sql`${checkInLists.inside} + ${inside}` })
    .where(eq(checkInLists.id, id))
    .returning({ id: checkInLists.id })
}
