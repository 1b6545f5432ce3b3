/** Deleted codes can be put back for 30 days. */

import type { AppContext } from '#context'
import { mapPage, type PageInput } from '#db/paging.ts'
import type { Job } from '#domains/domain.ts'
import { notFound } from '#http/errors.ts'
import { HOUR } from '#platform/clock.ts'

import type { QrCodeView } from '../codes/model.ts'
import { checkRoom, quotaOf } from '../codes/quota.ts'
import { TRASH_MS } from '../codes/rules.ts'
import { updateCode } from '../codes/store.ts'
import { toTrashedView, toView } from '../codes/view.ts'
import { isOwnCategory } from '../codes/write.ts'
import type { Owner } from '../owner.ts'
import * as store from './store.ts'

/** Rows removed in one transaction: some milliseconds, so that other writers hardly notice. */
const ROWS_PER_WRITE = 500

export async function listTrash(ctx: AppContext, owner: Owner, query: PageInput) {
  return mapPage(await store.trashPage(ctx.db.read, owner, query), (row) => toTrashedView(ctx, row))
}

/** Back to its place; its category is cleared when that is gone. Counts towards the quota again. */
export async function restoreCode(ctx: AppContext, owner: Owner, id: number): Promise<QrCodeView> {
  const quota = await quotaOf(ctx)
  const row = await ctx.db.write('qrCodes.restoreCode', async (tx) => {
    const trashed = await store.findTrashed(tx, owner, id)
    if (trashed === undefined) throw notFound()
    await checkRoom(tx, owner, quota, 1)
    const { categoryId } = trashed
    const kept = categoryId !== null && (await isOwnCategory(tx, owner, categoryId)) ? categoryId : null
    return updateCode(tx, owner, trashed, { deletedAt: null, categoryId: kept })
  })
  return toView(ctx, row)
}

/** What goes to the trash meanwhile stays there. Cut short, it has removed some and runs again. */
export async function emptyTrash(ctx: AppContext, owner: Owner): Promise<{ deleted: number }> {
  let deleted = 0
  let until = 0
  for (;;) {
    const removed = await ctx.db.write('qrCodes.emptyTrash', (tx) =>
      store.removeTrash(tx, owner, (until ||= tx.stamp), ROWS_PER_WRITE),
    )
    deleted += removed
    if (removed < ROWS_PER_WRITE) return { deleted }
  }
}

/** Ids looked through in one transaction: there is no index for this, as every write would pay for one that a job needs now and then. */
const IDS_PER_WRITE = 2000

/** Removes for good what went to the trash more than 30 days ago. Walks over all codes in small steps. */
export async function purgeTrash(ctx: AppContext): Promise<void> {
  const before = ctx.clock.now() - TRASH_MS
  const last = await store.largestId(ctx.db.read)
  for (let id = 0; id < last; id += IDS_PER_WRITE) {
    if (await store.hasOldTrash(ctx.db.read, before, id, IDS_PER_WRITE))
      await ctx.db.write('qrCodes.purgeTrash', (tx) => store.removeOldTrash(tx, before, id, IDS_PER_WRITE))
    await Bun.sleep(0)
  }
}

export const purgeJob: Job = { name: 'qrCodes.purgeTrash', every: 6 * HOUR, run: purgeTrash }
