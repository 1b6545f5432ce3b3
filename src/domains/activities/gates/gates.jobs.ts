/** Keeps the records of refused checks short that people who do not manage an activity have caused. Redemptions stay. */

import type { AppContext } from '#context'
import { inSlices } from '#db/slices.ts'
import type { Job } from '#domains/domain.ts'
import { DAY, HOUR } from '#platform/clock.ts'

import * as store from './gates.store.ts'

/** Of an activity. */
const KEPT = 10_000
const KEPT_MS = 30 * DAY

async function deleteRefusedChecks(ctx: AppContext): Promise<void> {
  const before = ctx.clock.now() - KEPT_MS
  let activityId: number | undefined = 0
  while ((activityId = await store.nextWithRefusedChecks(ctx.db.read, activityId)) !== undefined) {
    const id = activityId
    const upTo = (await store.refusedCheckBeyond(ctx.db.read, id, KEPT)) ?? 0
    await inSlices(ctx, 'gates.deleteRefusedChecks', (tx, limit) =>
      store.deleteRefusedChecks(tx, id, { upTo, before, limit }),
    )
  }
}

export const refusedChecksJob: Job = { name: 'gates.deleteRefusedChecks', every: HOUR, run: deleteRefusedChecks }
