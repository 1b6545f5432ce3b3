/** Deletes the addresses of invitations when those of guests are deleted: some days after the end of the activity. */

import type { AppContext } from '#context'
import { inSlices } from '#db/slices.ts'
import type { Job } from '#domains/domain.ts'
import { getSetting } from '#domains/settings/index.ts'
import { DAY, HOUR } from '#platform/clock.ts'

import * as store from './invitations.store.ts'

async function eraseAddresses(ctx: AppContext): Promise<void> {
  const days = await getSetting(ctx, 'guests.retentionDays')
  let next: Awaited<ReturnType<typeof store.nextWithAddresses>>
  for (let after = 0; (next = await store.nextWithAddresses(ctx.db.read, after)) !== undefined; after = next.id) {
    const { id, endTime, endedAt, deletedAt, registration } = next
    const until = Math.max(endTime, endedAt ?? 0) + (registration?.guestRetentionDays ?? days) * DAY
    if (deletedAt === null && until > ctx.clock.now()) continue
    await inSlices(ctx, 'activities.eraseInvitations', (tx, limit) => store.eraseAddresses(tx, id, limit))
  }
}

export const invitationsJob: Job = { name: 'activities.eraseInvitations', every: HOUR, run: eraseAddresses }
