import type { AppContext } from '#context'
import type { Job } from '#domains/domain.ts'
import { DAY } from '#platform/clock.ts'

import { LOOKUP_MS, REQUESTS_KEPT_MS } from './contacts.model.ts'
import { deleteOld } from './contacts.store.ts'

/** Rows of each kind that one write deletes, which takes some milliseconds. */
const ROWS_PER_WRITE = 500

/** Deletes look-ups that have lost their effect, and requests that expired long ago. */
export async function cleanUp(ctx: AppContext): Promise<void> {
  const now = ctx.clock.now()
  const before = { lookupsBefore: now - LOOKUP_MS, requestsBefore: now - REQUESTS_KEPT_MS }
  while ((await ctx.db.write('contacts.cleanUp', (tx) => deleteOld(tx, before, ROWS_PER_WRITE))) > 0) await Bun.sleep(0)
}

export const jobs: readonly Job[] = [{ name: 'contacts.cleanUp', every: DAY, run: cleanUp }]
