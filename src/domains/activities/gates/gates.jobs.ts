/** Keeps the records of refused checks short that people who do not manage an activity have caused. Redemptions stay. */

import type { AppContext } from '#context'
import type { Job } from '#domains/domain.ts'
import { DAY, HOUR } from '#platform/clock.ts'

import * as store from './gates.store.ts'

/** Of an activity. */
const KEPT = 10_000
const KEPT_MS = 30 * DAY
const ROWS_PER_WRITE = 500

async function deleteRefusedChecks(ctx: AppContext): Promise<void> {
  const before = ctx.clock.now() - KEPT_MS
  let activityId: number | undefined = 0
  while ((activityId = await store.nextWithRefusedChecks(ctx.db.read, activityId)) !== undefined) {
    const id = activityId
    const upTo = (await store.refusedCheckBeyond(ctx.db.read, id, KEPT)) ?? 0
    const rows = { upTo, before, limit: ROWS_PER_WRITE }
    while ((await ctx.db.write('gates.deleteRefusedChecks', (tx) => store.deleteRefusedChecks(tx, id, rows))) > 0);
  }
}

export const refusedChecksJob: Job = { name: 'gates.deleteRefusedChecks', every: HOUR, run: deleteRefusedChecks }
