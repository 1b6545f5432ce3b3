/** The activities whose registered users may still have to get passes. */

import { and, asc, eq, lte } from 'drizzle-orm'

import { dueIssues } from '#db/schema/passes.ts'
import type { Db, Tx } from '#db/store.ts'

/** Lets the job issue the missing passes of the activity from this time on. */
export async function setDue(tx: Tx, activityId: number, dueAt: number): Promise<void> {
  await tx
    .insert(dueIssues)
    .values({ activityId, dueAt })
    .onConflictDoUpdate({ target: dueIssues.activityId, set: { dueAt } })
}

/** Those that wait longest first. */
export async function dueActivities(db: Db, now: number, limit: number): Promise<number[]> {
  const rows = await db
    .select({ id: dueIssues.activityId })
    .from(dueIssues)
    .where(lte(dueIssues.dueAt, now))
    .orderBy(asc(dueIssues.dueAt))
    .limit(limit)
  return rows.map(({ id }) => id)
}

/** Unless it is due again since `startedAt`. */
export async function clearDue(tx: Tx, activityId: number, startedAt: number): Promise<void> {
  await tx.delete(dueIssues).where(and(eq(dueIssues.activityId, activityId), lte(dueIssues.dueAt, startedAt)))
}
