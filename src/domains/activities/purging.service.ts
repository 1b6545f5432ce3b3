/**
 * Deletes activities and passes permanently. Both are gone for everybody with the write that deletes them. Of the rows that belong to
 * them, which can be a million, that write deletes the first ones, and jobs the rest in small writes.
 */

import type { AppContext } from '#context'
import { finishInSlices, inSlices } from '#db/slices.ts'
import type { Tx } from '#db/store.ts'
import { emit, type Job } from '#domains/domain.ts'
import { HOUR, MINUTE } from '#platform/clock.ts'

import type { ActivityRow } from './activities.store.ts'
import { uncountListUses } from './check-in-lists/check-in-lists.store.ts'
import * as store from './purging.store.ts'
import { cancelActivities, markDeleted } from './register/register.service.ts'

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
  await removeSome(tx, row.id, store.SHOWN, ROWS_PER_WRITE)
}

/** Removes at most `limit` rows, or a few more. Returns how many. */
async function removeSome(tx: Tx, activityId: number, kinds: typeof store.SHOWN, limit: number): Promise<number> {
  let removed = 0
  for (const remove of kinds) if (removed < limit) removed += await remove(tx, activityId, limit - removed)
  return removed
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
    const kinds = isOld ? [...store.SHOWN, ...store.REFERRED_TO] : store.SHOWN
    await inSlices(ctx, 'activities.purge', async (tx, limit) => {
      const removed = await removeSome(tx, activityId, kinds, limit)
      if (removed < limit && isOld) await store.removeActivity(tx, activityId)
      return removed
    })
  }
}

/** Statements that purge an activity, besides its rows. */
const STATEMENTS_OF_PURGE = 50
/** An activity waits so long for the notifications of its cancellation. */
const TELLING_MS = 12 * HOUR

/**
 * The user's own activities. Those that are ACTIVE are cancelled first, and stay until the participants are notified. As `EraseContent`.
 */
export async function eraseActivities(
  ctx: AppContext,
  tx: Tx,
  userId: number,
  limit: number,
): Promise<number | 'LATER'> {
  const owner = -userId
  const cancelled = await cancelActivities(ctx, tx, owner, limit)
  if (cancelled > 0) return cancelled
  const since = ctx.clock.now() - TELLING_MS
  const rows = await store.erasableActivities(tx, owner, since, Math.ceil(limit / STATEMENTS_OF_PURGE))
  for (const row of rows) await purgeActivity(ctx, tx, row)
  if (rows.length > 0) return rows.length * STATEMENTS_OF_PURGE
  if (await store.hasUnpurged(tx, owner)) return 'LATER'
  return store.deletePassTemplates(tx, owner, limit)
}

/** False, with nothing changed, if it has been deleted already. */
export async function purgePass(tx: Tx, id: number): Promise<boolean> {
  const cleared = await store.clearPass(tx, id)
  if (cleared === undefined) return false
  await store.uncountPass(tx, cleared)
  await uncountListUses(tx, cleared.activityId, id)
  if ((await store.removeUsesOfPass(tx, id, ROWS_PER_WRITE)) === ROWS_PER_WRITE) await store.insertPurgedPass(tx, id)
  return true
}

const purgePasses = (ctx: AppContext): Promise<void> =>
  finishInSlices(ctx, 'passes.purge', {
    first: store.firstPurgedPass,
    work: store.removeUsesOfPass,
    end: store.deletePurgedPass,
  })

export const purgeJobs: readonly Job[] = [
  { name: 'activities.purge', every: MINUTE, run: purgeActivities },
  { name: 'passes.purge', every: MINUTE, run: purgePasses },
]
