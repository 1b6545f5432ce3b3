/** Deletes guests who did not confirm, and the data of those who cancelled or whose activity is over. */

import type { AppContext } from '#context'
import { inSlices } from '#db/slices.ts'
import type { Job } from '#domains/domain.ts'
import { getSetting } from '#domains/settings/index.ts'
import { DAY, HOUR, MINUTE } from '#platform/clock.ts'

import { PENDING_MS } from '../guest-forms/guest-forms.model.ts'
import { eraseGuests } from '../passes/passes.store.ts'
import * as store from '../registrations/guests.store.ts'

/** Guests who cancelled are kept for so long: they may have done it by mistake. */
const CANCELLED_MS = 7 * DAY

const deletePending = (ctx: AppContext): Promise<void> =>
  inSlices(ctx, 'guests.deletePending', (tx, limit) => store.deleteOldPending(tx, ctx.clock.now() - PENDING_MS, limit))

async function eraseData(ctx: AppContext): Promise<void> {
  await inSlices(ctx, 'guests.eraseCancelled', async (tx, limit) => {
    const ids = await store.cancelledGuests(tx, ctx.clock.now() - CANCELLED_MS, limit)
    await eraseGuests(tx, ids)
    return ids.length
  })
  const days = await getSetting(ctx, 'guests.retentionDays')
  let next: Awaited<ReturnType<typeof store.nextWithGuests>>
  for (let after = 0; (next = await store.nextWithGuests(ctx.db.read, after)) !== undefined; after = next.id) {
    const { id, endTime, endedAt, registration } = next
    const until = Math.max(endTime, endedAt ?? 0) + (registration?.guestRetentionDays ?? days) * DAY
    if (until > ctx.clock.now()) continue
    await inSlices(ctx, 'guests.eraseOld', async (tx, limit) => {
      const ids = await store.keptGuests(tx, id, limit)
      await eraseGuests(tx, ids)
      return ids.length
    })
  }
}

export const guestJobs: readonly Job[] = [
  { name: 'guests.deletePending', every: 10 * MINUTE, run: deletePending },
  { name: 'guests.eraseData', every: HOUR, run: eraseData },
]
