/**
 * Deletes activities and passes permanently. Both are gone for everybody with the write that deletes them. Of the rows that belong to
 * them, which can be a million, that write deletes the first ones, and jobs the rest in small writes.
 */

import type { AppContext } from '#context'
import type { Tx } from '#db/store.ts'
import { emit, type Job } from '#domains/domain.ts'
import { pause } from '#lib/pause.ts'
import { HOUR, MINUTE } from '#platform/clock.ts'

import type { ActivityRow } from './activities.store.ts'
import * as store from './purging.store.ts'
import { markDeleted } from './register/register.service.ts'

/** Rows that one write deletes. */
const ROWS_PER_WRITE = 200

/**
 * Gates and other requests that had found the activity before may still insert a row that refers to it or to one of its passes. So those rows,
 * which nobody sees, are deleted after this time.
 */
const KEPT_MS = HOUR

export async function purgeActivity(ctx: AppContext, tx: Tx, row: ActivityRow): Promise<void> {
  await markDeleted(ctx, tx, row)
  await emit(ctx, tx, 'activity.purging', { id: row.id })
  await store.insertPurgedActivity(tx, row.id)
  await removeSome(tx, row.id, store.SHOWN)
}

/** Returns false if rows may be left. */
async function removeSome(tx: Tx, activityId: number, kinds: typeof store.SHOWN): Promise<boolean> {
  let left = ROWS_PER_WRITE
  for (const remove of kinds) {
    left -= await remove(tx, activityId, left)
    if (left <= 0) return false
  }
  return true
}

async function purgeActivities(ctx: AppContext): Promise<void> {
  let next: Awaited<ReturnType<typeof store.nextPurgedActivity>>
  for (
    let after = 0;
    (next = await store.nextPurgedActivity(ctx.db.read, after)) !== undefined;
    after = next.activityId
  ) {
    const { activityId, deletedAt } = next
    const isOld = deletedAt <= ctx.clock.now() - KEPT_MS
    const step = () =>
      ctx.db.write('activities.purge', async (tx) => {
        if (!(await removeSome(tx, activityId, store.SHOWN))) return false
        if (!isOld) return true
        if (!(await removeSome(tx, activityId, store.REFERRED_TO))) return false
        await store.removeActivity(tx, activityId)
        return true
      })
    while (!(await step())) await pause()
  }
}

/** False, with nothing changed, if it has been deleted already. */
export async function purgePass(tx: Tx, id: number): Promise<boolean> {
  const cleared = await store.clearPass(tx, id)
  if (cleared === undefined) return false
  await store.uncountPass(tx, cleared)
  if ((await store.removeUsesOfPass(tx, id, ROWS_PER_WRITE)) === ROWS_PER_WRITE) await store.insertPurgedPass(tx, id)
  return true
}

async function purgePasses(ctx: AppContext): Promise<void> {
  let passId: number | undefined
  while ((passId = await store.firstPurgedPass(ctx.db.read)) !== undefined) {
    const id = passId
    await ctx.db.write('passes.purge', async (tx) => {
      if ((await store.removeUsesOfPass(tx, id, ROWS_PER_WRITE)) < ROWS_PER_WRITE) await store.deletePurgedPass(tx, id)
    })
    await pause()
  }
}

export const purgeJobs: readonly Job[] = [
  { name: 'activities.purge', every: MINUTE, run: purgeActivities },
  { name: 'passes.purge', every: MINUTE, run: purgePasses },
]
