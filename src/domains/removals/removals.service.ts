/**
 * Deletes the rows of users and organizations that were deleted, in small writes. There can be any number of these rows, and a write that deletes
 * 100,000 of them keeps all others waiting for seconds.
 */

import { type AppContext, perContext } from '#context'
import type { OwnerKey } from '#db/owner-key.ts'
import { finishInSlices } from '#db/slices.ts'
import type { Tx } from '#db/store.ts'
import { contributions, type Job } from '#domains/domain.ts'
import { MINUTE } from '#platform/clock.ts'

import * as store from './removals.store.ts'

/** Rows that one write deletes: 5 to 30 ms on SQLite. */
const ROWS_AT_ONCE = 500

/** In the write that deletes the owner: deletes the first rows that remain of it, and leaves the others to the job. */
export async function removeRemains(ctx: AppContext, tx: Tx, owner: OwnerKey): Promise<void> {
  if ((await removeSome(ctx, tx, owner, ROWS_AT_ONCE)) < ROWS_AT_ONCE) return
  await store.insertRemoval(tx, owner)
  tx.afterCommit(() => {
    removeAll(ctx).catch((error: unknown) =>
      ctx.log.warn('the rows of a deleted owner could not be deleted', { error }),
    )
  })
}

/** Returns the number of rows; fewer than `limit` if nothing remains. */
async function removeSome(ctx: AppContext, tx: Tx, owner: OwnerKey, limit: number): Promise<number> {
  let rows = 0
  // Conversations, which others see, come before rows that nobody sees.
  for (const remove of contributions(ctx, 'remains').toReversed())
    if (rows < limit) rows += await remove(ctx, tx, owner, limit - rows)
  return rows
}

const removing = perContext((): { running?: Promise<void> | undefined } => ({}))

/** Runs once at a time. */
export function removeAll(ctx: AppContext): Promise<void> {
  const state = removing(ctx)
  return (state.running ??= (async () => {
    try {
      await finishInSlices(
        ctx,
        'removals.remove',
        {
          first: store.firstRemoval,
          work: (tx, owner, limit) => removeSome(ctx, tx, owner, limit),
          end: store.deleteRemoval,
        },
        { maxRows: ROWS_AT_ONCE },
      )
    } finally {
      // No `await` since the last look: a later call starts a new run.
      state.running = undefined
    }
  })())
}

export const stopRemoving = async (ctx: AppContext): Promise<void> => removing(ctx).running?.catch(() => undefined)

export const removalJob: Job = { name: 'removals.remove', every: MINUTE, run: removeAll }
