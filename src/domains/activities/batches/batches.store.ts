import { and, eq, isNotNull, isNull, lt, sql } from 'drizzle-orm'

import { activityBatches as batches } from '#db/schema/activity-batches.ts'
import { deleteSome } from '#db/slices.ts'
import type { Tx } from '#db/store.ts'

export type BatchRow = typeof batches.$inferSelect

/** The request with this id; undefined if there is none. */
export async function findBatch(
  tx: Tx,
  activityId: number,
  userId: number,
  requestId: string,
): Promise<BatchRow | undefined> {
  const [row] = await tx
    .select()
    .from(batches)
    .where(
      and(
        eq(batches.activityId, activityId),
        eq(batches.userId, userId),
        eq(batches.requestId, requestId),
        // The condition of the index.
        sql`${batches.requestId} is not null`,
      ),
    )
  return row
}

const isRunning = (activityId: number) => and(eq(batches.activityId, activityId), isNotNull(batches.lease))

/** The end of the lease of the request that works on the activity; undefined if none does. Dead ones lose their lease. */
export async function leasedUntil(tx: Tx, activityId: number, now: number): Promise<number | undefined> {
  await tx
    .update(batches)
    .set({ lease: null })
    .where(and(isRunning(activityId), lt(batches.leaseUntil, now)))
    .returning({ id: batches.id })
  const [row] = await tx.select({ until: batches.leaseUntil }).from(batches).where(isRunning(activityId))
  return row?.until
}

export type NewBatch = Pick<BatchRow, 'activityId' | 'userId' | 'requestId' | 'fingerprint' | 'lease' | 'leaseUntil'>

/** Undefined if another request has a lease of the activity. */
export async function insertBatch(tx: Tx, batch: NewBatch, now: number): Promise<BatchRow | undefined> {
  const [row] = await tx
    .insert(batches)
    .values({ ...batch, createdAt: now })
    .onConflictDoNothing()
    .returning()
  return row
}

/** Changes a row whose lease the request still has; undefined if it has lost it. */
export async function updateBatch(
  tx: Tx,
  id: number,
  lease: string | null,
  change: Partial<BatchRow>,
): Promise<BatchRow | undefined> {
  const [row] = await tx
    .update(batches)
    .set(change)
    .where(and(eq(batches.id, id), lease === null ? isNull(batches.lease) : eq(batches.lease, lease)))
    .returning()
  return row
}

export async function deleteBatch(tx: Tx, id: number): Promise<void> {
  await tx.delete(batches).where(eq(batches.id, id)).returning({ id: batches.id })
}

/** Deletes at most `limit` requests that began before this time. Returns their number. */
export const deleteOld = (tx: Tx, before: number, limit: number): Promise<number> =>
  deleteSome(tx, batches, lt(batches.createdAt, before), limit)

/** A request that has added these registrations in one write. False if there is one with the same id. */
export async function insertAddition(
  tx: Tx,
  batch: Pick<BatchRow, 'activityId' | 'userId' | 'requestId' | 'fingerprint'>,
  ids: readonly number[],
  now: number,
): Promise<boolean> {
  const done = { ids, matched: ids.length, changed: ids.length, lease: null, leaseUntil: now, finishedAt: now }
  const rows = await tx
    .insert(batches)
    .values({ ...batch, ...done, createdAt: now })
    .onConflictDoNothing()
    .returning({ id: batches.id })
  return rows.length > 0
}
