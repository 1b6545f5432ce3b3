import type { AppContext } from '#context'
import { inSlices } from '#db/slices.ts'
import type { Tx } from '#db/store.ts'
import type { Job } from '#domains/domain.ts'
import { HOUR } from '#platform/clock.ts'

import { KEPT_FOR } from './conflicts.model.ts'
import { deleteOldConflicts, deleteOldReceipts } from './conflicts.store.ts'

const deleteOld = (name: string, some: (tx: Tx, before: number, limit: number) => Promise<number>): Job => ({
  name,
  every: HOUR,
  run(ctx: AppContext) {
    const before = ctx.clock.now() - KEPT_FOR
    return inSlices(ctx, name, (tx, limit) => some(tx, before, limit))
  },
})

/** Results of pushes, and conflicts. */
export const oldPushesJobs = [
  deleteOld('sync.deleteOldReceipts', deleteOldReceipts),
  deleteOld('sync.deleteOldConflicts', deleteOldConflicts),
]
