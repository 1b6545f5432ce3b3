import type { AppContext } from '#context'
import { deleteExpiredCounters } from '#db/counters.ts'
import { deleteExpiredRepeatKeys } from '#db/repeat-keys.ts'
import { inSlices } from '#db/slices.ts'
import type { Tx } from '#db/store.ts'
import type { Job } from '#domains/domain.ts'
import { DAY, MINUTE } from '#platform/clock.ts'

import { ANONYMOUS_RECORDS_MS, SESSION_MS } from './accounts.model.ts'
import { CHALLENGE_MS } from './assertions/assertions.rules.ts'
import { deleteExpiredChallenges } from './assertions/assertions.store.ts'
import { deleteExpiredCodes } from './codes/codes.store.ts'
import { deleteOldAttempts } from './login-records/login-records.store.ts'
import { deleteExpiredAttempts } from './passwords/passwords.store.ts'
import { endUnusedAccounts } from './profile/profile.service.ts'
import { deleteExpiredResetCodes } from './reset-codes/reset-codes.store.ts'
import { deleteExpiredTrust } from './second-factor/second-factor.store.ts'
import { sessionsEnded } from './sessions/sessions.service.ts'
import { deleteExpiredTokens, deleteOldSessions, expireSessions } from './sessions/sessions.store.ts'
import { deleteExpiredUndos } from './undos/undos.store.ts'

/** Marks expired sessions, and deletes expired refresh tokens, attempts, codes, repeat keys, undo links and counters, and sessions and records of long ago. */
async function cleanUp(ctx: AppContext): Promise<void> {
  const now = ctx.clock.now()
  const steps: readonly ((tx: Tx, limit: number) => Promise<number>)[] = [
    async (tx, limit) => {
      const expired = await expireSessions(tx, now, { limit })
      await sessionsEnded(ctx, tx, expired, 'EXPIRED')
      return expired.length
    },
    (tx, limit) => deleteExpiredTokens(tx, now, limit),
    (tx, limit) => deleteOldSessions(tx, now - SESSION_MS, limit),
    (tx, limit) => deleteExpiredAttempts(tx, now, limit),
    (tx, limit) => deleteExpiredCodes(tx, now, limit),
    (tx, limit) => deleteExpiredResetCodes(tx, now, limit),
    (tx, limit) => deleteExpiredRepeatKeys(tx, now, limit),
    (tx, limit) => deleteOldAttempts(tx, now - ANONYMOUS_RECORDS_MS, limit),
    (tx, limit) => deleteExpiredUndos(tx, now, limit),
    // Later, because the clocks of processes differ.
    (tx, limit) => deleteExpiredChallenges(tx, now - CHALLENGE_MS, limit),
    (tx, limit) => deleteExpiredTrust(tx, now, limit),
    (tx, limit) => deleteExpiredCounters(tx, now, limit),
  ]
  for (const step of steps) await inSlices(ctx, 'accounts.cleanUp', step)
}

export const jobs: readonly Job[] = [
  { name: 'accounts.cleanUp', every: 10 * MINUTE, run: cleanUp },
  { name: 'accounts.endUnused', every: DAY, run: endUnusedAccounts },
]
