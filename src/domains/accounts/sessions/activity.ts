/** When sessions were last used. Kept in memory and written in batches: a request must not cost a write. */

import { type AppContext, perContext } from '#context'
import { MINUTE } from '#platform/clock.ts'

import { saveActivity } from './store.ts'

/** How often it is written, at most. */
const EVERY = MINUTE
/** Rows of one write: a few milliseconds. */
const BATCH = 500

interface Activity {
  /** Last use by session id, epoch milliseconds, since the last flush. */
  noted: Map<number, number>
  nextFlush: number
  flushing: Promise<void>
  /** What the running flush has not written yet. */
  leaving: Map<number, number>
}

const activity = perContext((ctx): Activity => ({
  noted: new Map(),
  leaving: new Map(),
  nextFlush: ctx.clock.now() + EVERY,
  flushing: Promise.resolve(),
}))

export function noteActivity(ctx: AppContext, sessionId: number, now: number): void {
  const state = activity(ctx)
  state.noted.set(sessionId, now)
  if (now >= state.nextFlush) void flushActivity(ctx)
}

/** The later of what is stored and what is still in memory. */
export function lastActive(ctx: AppContext, session: { id: number; lastActiveAt: number }): number {
  const { noted, leaving } = activity(ctx)
  return Math.max(session.lastActiveAt, noted.get(session.id) ?? 0, leaving.get(session.id) ?? 0)
}

/** Writes what is in memory. Failures are logged and lose no more than a minute of "last active". */
export function flushActivity(ctx: AppContext): Promise<void> {
  const state = activity(ctx)
  state.nextFlush = ctx.clock.now() + EVERY
  state.flushing = state.flushing.then(() => flush(ctx, state))
  return state.flushing
}

async function flush(ctx: AppContext, state: Activity): Promise<void> {
  if (state.noted.size === 0) return
  const batch = state.noted
  state.noted = new Map()
  state.leaving = batch
  try {
    const rows = [...batch]
    for (let from = 0; from < rows.length; from += BATCH)
      await ctx.db.write('accounts.flushActivity', async (tx) => {
        for (const [id, at] of rows.slice(from, from + BATCH)) await saveActivity(tx, id, at)
      })
  } catch (error) {
    ctx.log.error('last activity of sessions could not be written', { error })
  }
  state.leaving = new Map()
}
