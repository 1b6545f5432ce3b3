import type { AppContext } from '#context'
import { inSlices } from '#db/slices.ts'
import type { Job } from '#domains/domain.ts'
import { DAY } from '#platform/clock.ts'

import { LOOKUP_MS, REQUESTS_KEPT_MS } from './contacts.model.ts'
import { deleteLookups, deleteRequests } from './contacts.store.ts'

/** Deletes look-ups that have lost their effect, and requests that expired long ago. */
export async function cleanUp(ctx: AppContext): Promise<void> {
  const now = ctx.clock.now()
  await inSlices(ctx, 'contacts.cleanUp', (tx, limit) => deleteLookups(tx, now - LOOKUP_MS, limit))
  await inSlices(ctx, 'contacts.cleanUp', (tx, limit) => deleteRequests(tx, now - REQUESTS_KEPT_MS, limit))
}

export const jobs: readonly Job[] = [{ name: 'contacts.cleanUp', every: DAY, run: cleanUp }]
