import type { AppContext } from '#context'
import { inSlices } from '#db/slices.ts'
import type { Tx } from '#db/store.ts'
import type { Job } from '#domains/domain.ts'
import { MINUTE } from '#platform/clock.ts'

import { endOrphanedSessions } from './links/links.service.ts'
import { deleteOrphanedIdentities } from './links/links.store.ts'
import { deleteExpiredTokens } from './logouts/logouts.store.ts'
import { deleteExpiredStates, deleteExpiredTickets } from './sign-ins/sign-ins.store.ts'

/** Deletes expired rows, and rows of providers that were disabled or deleted. */
async function cleanUp(ctx: AppContext): Promise<void> {
  const now = ctx.clock.now()
  await endOrphanedSessions(ctx)
  const steps: readonly ((tx: Tx, limit: number) => Promise<number>)[] = [
    (tx, limit) => deleteExpiredStates(tx, now, limit),
    (tx, limit) => deleteExpiredTickets(tx, now, limit),
    (tx, limit) => deleteExpiredTokens(tx, now, limit),
    deleteOrphanedIdentities,
  ]
  for (const step of steps) await inSlices(ctx, 'oidc.cleanUp', step)
}

export const jobs: readonly Job[] = [{ name: 'oidc.cleanUp', every: 10 * MINUTE, run: cleanUp }]
