/** Changes by managers: the status, and the place in the waiting list. */

import { and, asc, eq, ne, sql } from 'drizzle-orm'

import { isOneOf } from '#db/dialect.ts'
import { prepared } from '#db/prepared.ts'
import { registrations, type RegistrationStatus } from '#db/schema/activities.ts'
import type { Db, Tx } from '#db/store.ts'
import { updatedAtFor } from '#db/updated-at.ts'

import { listed, noteStatus, type RegistrationRow, waitOrder, waitOrderOf } from './registrations.store.ts'

const p = sql.placeholder

const byId = prepared((db) =>
  db
    .select()
    .from(registrations)
    .where(eq(registrations.id, p('id'))),
)

/** The caller checks who may see it. */
export const findById = async (db: Db | Tx, id: number): Promise<RegistrationRow | undefined> =>
  (await byId(db, { id }))[0]

/** Those of the activity. In the order of the ids. */
export const findByIds = (db: Db | Tx, activityId: number, ids: readonly number[]): Promise<RegistrationRow[]> =>
  db
    .select()
    .from(registrations)
    .where(and(isOneOf(registrations.id, ids), eq(registrations.activityId, activityId)))
    .orderBy(asc(registrations.id))

export type Details = Partial<
  Pick<
    RegistrationRow,
    'name' | 'email' | 'emailConfirmedAt' | 'language' | 'answers' | 'note' | 'reason' | 'secretHash' | 'secret'
  >
>

/** Equal values change nothing. Returns the row. */
export async function updateDetails(tx: Tx, id: number, change: Details): Promise<RegistrationRow> {
  const [row] = await tx
    .update(registrations)
    .set({ ...change, updatedAt: updatedAtFor(registrations, change, tx.stamp) })
    .where(eq(registrations.id, id))
    .returning()
  return row!
}

/** Those of the addresses that guests of the activity have, with the ids of their registrations. */
export async function guestsByEmail(
  db: Db | Tx,
  activityId: number,
  emails: readonly string[],
): Promise<Map<string, number>> {
  if (emails.length === 0) return new Map()
  const rows = await db
    .select({ id: registrations.id, email: registrations.email })
    .from(registrations)
    .where(
      and(
        eq(registrations.activityId, activityId),
        isOneOf(registrations.email, emails),
        // The condition of the index.
        sql`${registrations.userId} is null and ${registrations.email} is not null`,
      ),
    )
  return new Map(rows.map((row) => [row.email!, row.id]))
}

/** In the order of `rows`. They become the last ones of the waiting list, and lose the passes that `autoIssue` has issued. */
export async function setStatus(
  tx: Tx,
  rows: readonly RegistrationRow[],
  status: RegistrationStatus,
  reason: string,
): Promise<RegistrationRow[]> {
  const before = new Map(rows.map((row) => [row.id, row]))
  const after = await tx
    .update(registrations)
    .set({
      status,
      reason: status === 'CANCELLED' || status === 'REJECTED' ? reason : '',
      confirmedAt: status === 'CONFIRMED' ? tx.stamp : null,
      waitOrder: status === 'WAITING' ? tx.stamp : null,
      autoPassId: null,
      updatedAt: tx.stamp,
    })
    .where(and(isOneOf(registrations.id, [...before.keys()]), ne(registrations.status, status)))
    .returning()
  for (const row of after) {
    listed.updated(tx, before.get(row.id)!, row)
    noteStatus(tx, before.get(row.id), row)
  }
  const byIds = new Map(after.map((row) => [row.id, row]))
  return rows.map((row) => byIds.get(row.id)!)
}

const isWaiting = eq(registrations.status, 'WAITING').inlineParams()

/** Puts a WAITING registration at this place of the waiting list, or at the nearest one. Returns the row. */
export async function putAt(tx: Tx, row: RegistrationRow, position: number): Promise<RegistrationRow> {
  const others = (skip: number, limit: number) =>
    tx
      .select({ id: registrations.id, order: waitOrder.mapWith(Number) })
      .from(registrations)
      .where(and(eq(registrations.activityId, row.activityId), isWaiting, ne(registrations.id, row.id)))
      .orderBy(asc(waitOrder), asc(registrations.id))
      .limit(limit)
      .offset(skip)
  const at = Math.max(position, 1)
  const [first, second] = at === 1 ? [undefined, ...(await others(0, 1))] : await others(at - 2, 2)
  const isBeyond = first === undefined && at > 1
  const last = isBeyond ? await lastBefore(tx, row) : undefined
  const order = between(isBeyond ? last : first?.order, second?.order ?? tx.stamp)
  if (order === undefined) {
    await spreadOut(tx, row.activityId)
    return putAt(tx, (await findById(tx, row.id))!, position)
  }
  const own = waitOrderOf(row)
  const isThere = (isBeyond ? last : first?.order) === undefined || own > (isBeyond ? last! : first!.order)
  if (isThere && own < (second?.order ?? tx.stamp + 1)) return row
  const [after] = await tx
    .update(registrations)
    .set({ waitOrder: order, updatedAt: tx.stamp })
    .where(eq(registrations.id, row.id))
    .returning()
  return after!
}

/** The order of the last one who waits, apart from this person. */
async function lastBefore(tx: Tx, row: RegistrationRow): Promise<number | undefined> {
  const [found] = await tx
    .select({ order: waitOrder.mapWith(Number) })
    .from(registrations)
    .where(and(eq(registrations.activityId, row.activityId), isWaiting, ne(registrations.id, row.id)))
    .orderBy(sql`${waitOrder} desc`, sql`${registrations.id} desc`)
    .limit(1)
  return found?.order
}

/** A number between the two; undefined if there is none. */
function between(from: number | undefined, to: number): number | undefined {
  if (from === undefined) return to - 1
  const middle = from + (to - from) / 2
  return middle > from && middle < to ? middle : undefined
}

/**
 * Gives the people of a waiting list whole numbers in their order, far from each other and before all who join later. Needed if there is no number left
 * between two of them: they came in the same write, or one place was given some dozen times.
 */
async function spreadOut(tx: Tx, activityId: number): Promise<void> {
  const numbered = tx
    .select({
      id: registrations.id,
      nth: sql<number>`row_number() over (order by ${waitOrder}, ${registrations.id})`.as('nth'),
    })
    .from(registrations)
    .where(and(eq(registrations.activityId, activityId), isWaiting))
    .as('numbered')
  await tx
    .update(registrations)
    .set({ waitOrder: sql`numbered.nth` })
    .from(numbered)
    .where(eq(registrations.id, numbered.id))
    .returning({ id: registrations.id })
}
