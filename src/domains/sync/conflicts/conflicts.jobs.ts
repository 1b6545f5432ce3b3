import type { AppContext } from '#context'
import type { Tx } from '#db/store.ts'
import type { Job } from '#domains/domain.ts'
import { HOUR } from '#platform/clock.ts'

import { KEPT_FOR } from './conflicts.model.ts'
import { deleteOldConflicts, deleteOldReceipts } from './conflicts.store.ts'

const deleteOld = (name: string, some: (tx: Tx, before: number) => Promise<boolean>): Job => ({
  name,
  every: HOUR,
  async run(ctx: AppContext) {
    const before = ctx.clock.now() - KEPT_FOR
    while (!ctx.lifecycle.draining && (await ctx.db.write(name, (tx) => some(tx, before)))) await Bun.sleep(0)
  },
})

/** Results of pushes, and conflicts. */
export const oldPushesJobs = [
  deleteOld('sync.deleteOldReceipts', deleteOldReceipts),
  deleteOld('sync.deleteOldConflicts', deleteOldConflicts),
]
