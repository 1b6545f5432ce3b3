import type { AppContext } from '#context'
import { deleteExpiredCounters } from '#db/counters.ts'
import { deleteExpiredRepeatKeys } from '#db/repeat-keys.ts'
import type { Job } from '#domains/domain.ts'
import { DAY, MINUTE } from '#platform/clock.ts'

import { ANONYMOUS_RECORDS_MS, SESSION_MS } from './accounts.model.ts'
import { deleteExpiredCodes } from './codes/codes.store.ts'
import { deleteOldAttempts } from './login-records/login-records.store.ts'
import { deleteExpiredAttempts } from './passwords/passwords.store.ts'
import { endUnusedAccounts } from './profile/profile.service.ts'
import { sessionsEnded } from './sessions/sessions.service.ts'
import { deleteOld, expireSessions } from './sessions/sessions.store.ts'
import { deleteExpiredUndos } from './undos/undos.store.ts'

/** Marks expired sessions, and deletes expired refresh tokens, attempts, codes, repeat keys and undo links, and sessions and records of long ago. */
async function cleanUp(ctx: AppContext): Promise<void> {
  const now = ctx.clock.now()
  await ctx.db.write('accounts.cleanUp', async (tx) => {
    await sessionsEnded(ctx, tx, await expireSessions(tx, now), 'EXPIRED')
    await deleteOld(tx, now, now - SESSION_MS)
    await deleteExpiredAttempts(tx, now)
    await deleteExpiredCodes(tx, now)
    await deleteExpiredRepeatKeys(tx, now)
    await deleteOldAttempts(tx, now - ANONYMOUS_RECORDS_MS)
    await deleteExpiredUndos(tx, now)
  })
}

/** In one write: some milliseconds. */
const COUNTERS_AT_ONCE = 5000

/** Apart from the other writes: requests wait for a counter that is being deleted. */
async function deleteCounters(ctx: AppContext): Promise<void> {
  const some = () =>
    ctx.db.write('accounts.deleteCounters', (tx) => deleteExpiredCounters(tx, ctx.clock.now(), COUNTERS_AT_ONCE))
  while ((await some()) === COUNTERS_AT_ONCE) await Bun.sleep(0)
}

export const jobs: readonly Job[] = [
  { name: 'accounts.cleanUp', every: 10 * MINUTE, run: cleanUp },
  { name: 'accounts.deleteCounters', every: 10 * MINUTE, run: deleteCounters },
  { name: 'accounts.endUnused', every: DAY, run: endUnusedAccounts },
]
