/**
 * Deletes the content of deleted users who chose that. With the write that deletes the account nobody finds it (db/erasures.ts), and its rows go in
 * small writes, because there can be any number of them.
 */

import { type AppContext, perContext } from '#context'
import { outsideRequest } from '#db/around-writes.ts'
import { inSlices } from '#db/slices.ts'
import type { Tx } from '#db/store.ts'
import { contributions } from '#domains/domain.ts'

import * as store from './erasures.store.ts'

/** Rows of one write: 5 to 30 ms on SQLite. */
const ROWS_AT_ONCE = 500
const FIRST_ROWS = 100

/** Inside the write that deletes the account. */
export async function beginErasure(ctx: AppContext, tx: Tx, userId: number): Promise<void> {
  await store.insertErasure(tx, userId)
  tx.afterCommit(() =>
    outsideRequest(() => {
      eraseAll(ctx).catch((error: unknown) =>
        ctx.log.warn('the content of a deleted user could not be erased', { error }),
      )
    }),
  )
}

const erasing = perContext((): { running?: Promise<void> | undefined } => ({}))

/** Runs once at a time. */
export function eraseAll(ctx: AppContext): Promise<void> {
  const state = erasing(ctx)
  return (state.running ??= (async () => {
    try {
      let userId: number | undefined
      for (let after = 0; (userId = await store.nextErasure(ctx.db.read, after)) !== undefined; after = userId) {
        if (ctx.lifecycle.draining) return
        await erase(ctx, userId)
      }
    } finally {
      // No `await` since the last look: a later call starts a new run.
      state.running = undefined
    }
  })())
}

async function erase(ctx: AppContext, userId: number): Promise<void> {
  let waits = false
  const slice = async (tx: Tx, limit: number): Promise<number> => {
    waits = false
    let rows = 0
    // Things come before the files that they have.
    for (const eraseSome of contributions(ctx, 'erase').toReversed()) {
      if (rows >= limit) break
      const erased = await eraseSome(ctx, tx, userId, limit - rows)
      if (erased === 'LATER') waits = true
      else rows += erased
    }
    if (rows === 0 && !waits) await store.deleteErasure(tx, userId)
    // A slice that finds anything is followed by another one.
    return rows === 0 ? 0 : limit
  }
  await inSlices(ctx, 'ownData.erase', slice, { firstRows: FIRST_ROWS, maxRows: ROWS_AT_ONCE })
}

export const stopErasing = async (ctx: AppContext): Promise<void> => erasing(ctx).running?.catch(() => undefined)
