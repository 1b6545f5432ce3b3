/** The counts of passes on check-in lists, and those of the lists. */

import { and, eq, sql } from 'drizzle-orm'

import { insertFrom, jsonRows } from '#db/json-rows.ts'
import { prepared } from '#db/prepared.ts'
import { checkInLists, passListUses } from '#db/schema/passes.ts'
import type { Builders, Db, Tx } from '#db/store.ts'

const p = sql.placeholder

export type ListUses = typeof passListUses.$inferSelect
const key = [passListUses.activityId, passListUses.passId, passListUses.listId]

/** The uses of passes on lists as they are after a write. */
export const onLists = jsonRows('on_lists', {
  activityId: 'int',
  passId: 'int',
  listId: 'int',
  usedCount: 'int',
  isInside: 'bool',
  lastUsedAt: 'int',
})
export const changeListUses = (db: Builders) =>
  insertFrom(db, passListUses, onLists).onConflictDoUpdate({
    target: key,
    set: {
      usedCount: sql`excluded.used_count`,
      isInside: sql`excluded.is_inside`,
      lastUsedAt: sql`excluded.last_used_at`,
    },
  })

/** The numbers that a write adds to the counts of lists. */
export const listSums = jsonRows('list_sums', { id: 'int', admitted: 'int', inside: 'int' })
export const addToLists = (db: Builders) =>
  db
    .update(checkInLists)
    .set({
      admitted: sql`${checkInLists.admitted} + ${listSums.admitted}`,
      inside: sql`${checkInLists.inside} + ${listSums.inside}`,
    })
    .from(listSums.rows)
    .where(eq(checkInLists.id, listSums.id))

/** The uses of a pass on a check-in list; undefined if there were none. */
export async function listUsesOf(
  db: Db | Tx,
  activityId: number,
  passId: number,
  listId: number,
): Promise<ListUses | undefined> {
  const [row] = await ofPassOnList(db, { activityId, passId, listId })
  return row
}

const isOnList = and(
  eq(passListUses.activityId, p('activityId')),
  eq(passListUses.passId, p('passId')),
  eq(passListUses.listId, p('listId')),
)
const ofPassOnList = prepared((db) => db.select().from(passListUses).where(isOnList))

/** Stores the uses of a pass on a list. */
export async function saveListUses(tx: Tx, { activityId, passId, listId, ...counts }: ListUses): Promise<void> {
  await tx
    .insert(passListUses)
    .values({ activityId, passId, listId, ...counts })
    .onConflictDoUpdate({ target: key, set: counts })
}
