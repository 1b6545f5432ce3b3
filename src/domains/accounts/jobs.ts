import type { AppContext } from '#context'
import type { Job } from '#domains/domain.ts'
import { MINUTE } from '#platform/clock.ts'

import { deleteExpiredCodes } from './codes/store.ts'
import { SESSION_MS } from './limits.ts'
import { deleteExpiredTries } from './passwords/store.ts'
import { sessionsChanged } from './sessions/live.ts'
import { deleteOld, expireSessions } from './sessions/store.ts'

/** Marks sessions past their end, and drops refresh tokens, attempts, codes and long ended sessions that nothing needs any more. */
async function cleanUp(ctx: AppContext): Promise<void> {
  const now = ctx.clock.now()
  await ctx.db.write('accounts.cleanUp', async (tx) => {
    sessionsChanged(ctx, tx, await expireSessions(tx, now))
    await deleteOld(tx, now, now - SESSION_MS)
    await deleteExpiredTries(tx, now)
    await deleteExpiredCodes(tx, now)
  })
}

export const jobs: readonly Job[] = [{ name: 'accounts.cleanUp', every: 10 * MINUTE, run: cleanUp }]
