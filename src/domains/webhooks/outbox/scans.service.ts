/** Makes an event of the scans of each code, at most once a minute. */

import type { AppContext } from '#context'
import { inSlices } from '#db/slices.ts'
import type { Job } from '#domains/domain.ts'
import { MINUTE, SECOND } from '#platform/clock.ts'

import { tellOf } from './outbox.service.ts'
import { takeScans } from './scans.store.ts'

/** From the first scan to the event. */
const GATHER_MS = MINUTE

async function tellScans(ctx: AppContext): Promise<void> {
  const until = ctx.clock.now() - GATHER_MS
  await inSlices(ctx, 'webhooks.tellScans', async (tx, limit) => {
    const rows = await takeScans(tx, until, limit)
    const events = rows.map(({ qrCodeId, owner, firstAt, lastAt, count }) => ({
      type: 'qr_code.scanned' as const,
      owner,
      id: qrCodeId,
      data: { qrCodeId, from: firstAt, to: lastAt, count },
    }))
    await tellOf(ctx, tx, events)
    return rows.length
  })
}

export const tellScansJob: Job = { name: 'webhooks.tellScans', every: 10 * SECOND, run: tellScans }
