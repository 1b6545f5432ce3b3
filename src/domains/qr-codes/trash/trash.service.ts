/** Deleted codes can be restored for 30 days. After that they are hidden at once, and the next run of the job deletes them. */

import type { AppContext } from '#context'
import type { OwnerKey } from '#db/owner-key.ts'
import { mapPage, type Page, type PageInput } from '#db/paging.ts'
import { inSlices } from '#db/slices.ts'
import type { Tx } from '#db/store.ts'
import { emit, type Job } from '#domains/domain.ts'
import type { Owner } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'
import { HOUR } from '#platform/clock.ts'

import type { QrCodeView } from '../codes/codes.model.ts'
import { type CodeChange, trashBegins } from '../codes/codes.rules.ts'
import { checkRoom, isOwnCategory, quotaOf } from '../codes/codes.service.ts'
import { purgeCodes, type QrCodeRow, updateCode } from '../codes/codes.store.ts'
import { toView } from '../codes/codes.view.ts'
import { clearPurgedCodes } from '../scans/scans.service.ts'
import type { TrashedView } from './trash.model.ts'
import * as store from './trash.store.ts'

/** Rows deleted in one transaction: it takes some milliseconds, so that other writes hardly wait. */
const ROWS_PER_WRITE = 500

export async function listTrash(ctx: AppContext, owner: Owner, query: PageInput): Promise<Page<TrashedView>> {
  const page = await store.trashPage(ctx.db.read, owner, trashBegins(ctx.clock.now()), query)
  return mapPage(page, (row) => trashedView(ctx, row))
}

const trashedView = (ctx: AppContext, row: QrCodeRow): TrashedView => ({
  ...toView(ctx, row),
  deletedAt: row.deletedAt!,
})

export async function getTrashed(ctx: AppContext, owner: Owner, id: number): Promise<TrashedView> {
  const row = await store.findTrashed(ctx.db.read, owner, id, trashBegins(ctx.clock.now()))
  if (row === undefined) throw notFound()
  return trashedView(ctx, row)
}

/** Restores a code. Its category is cleared if it no longer exists. The code counts towards the quota again. */
export async function restoreCode(ctx: AppContext, owner: Owner, id: number): Promise<QrCodeView> {
  const quota = await quotaOf(ctx)
  const row = await ctx.db.write('qrCodes.restoreCode', async (tx) => {
    const trashed = await store.findTrashed(tx, owner, id, trashBegins(tx.stamp))
    if (trashed === undefined) throw notFound()
    return updateCode(tx, owner, trashed, await restoring(ctx, tx, owner, quota, trashed))
  })
  return toView(ctx, row)
}

/** The change that takes a code out of the trash. */
export async function restoring(
  ctx: AppContext,
  tx: Tx,
  owner: Owner,
  quota: number,
  { categoryId }: QrCodeRow,
): Promise<CodeChange> {
  await checkRoom(ctx, tx, owner, quota, 1)
  const kept = categoryId !== null && (await isOwnCategory(tx, owner, categoryId)) ? categoryId : null
  return { deletedAt: null, categoryId: kept }
}

/** Codes that are moved to the trash meanwhile stay there. If it is interrupted, some codes are deleted and it can run again. */
export async function emptyTrash(ctx: AppContext, owner: Owner): Promise<{ deleted: number }> {
  let total = 0
  let until = 0
  for (;;) {
    const deleted = await ctx.db.write('qrCodes.emptyTrash', async (tx) =>
      purge(ctx, tx, await store.trashOf(tx, owner, (until ||= tx.stamp), ROWS_PER_WRITE)),
    )
    total += deleted
    if (deleted < ROWS_PER_WRITE) return { deleted: total }
  }
}

export async function deleteTrashed(ctx: AppContext, owner: Owner, id: number): Promise<void> {
  await ctx.db.write('qrCodes.deleteTrashed', async (tx) => {
    const trashed = await store.findTrashed(tx, owner, id, trashBegins(tx.stamp))
    if (trashed === undefined || (await purge(ctx, tx, [id])) === 0) throw notFound()
  })
}

/** Deletes codes permanently, in the trash or not, after the listeners have removed what refers to them. Returns their number. */
export async function purge(ctx: AppContext, tx: Tx, ids: readonly number[]): Promise<number> {
  if (ids.length === 0) return 0
  await emit(ctx, tx, 'qrCodes.purging', { ids })
  await clearPurgedCodes(tx, ids)
  return purgeCodes(tx, ids)
}

/** Empties the trash of an organization that was dissolved. */
export async function removeTrash(ctx: AppContext, tx: Tx, owner: OwnerKey, limit: number): Promise<number> {
  if (owner < 0) return 0
  const ids = await store.trashOfOrg(tx, owner, limit)
  for (let i = 0; i < ids.length; i += ROWS_PER_WRITE) await purge(ctx, tx, ids.slice(i, i + ROWS_PER_WRITE))
  return ids.length
}

/** Deletes one code of an organization permanently, in the trash or not. */
export async function purgeOrgCode(ctx: AppContext, tx: Tx, orgId: number, id: number): Promise<void> {
  if (await store.isOrgCode(tx, orgId, id)) await purge(ctx, tx, [id])
}

/** Codes in the trash that are read at once. */
const ROWS_PER_READ = 1000

/** Permanently deletes codes that were moved to the trash more than 30 days ago. Reads the whole trash, in small steps. */
export async function purgeTrash(ctx: AppContext): Promise<void> {
  const before = trashBegins(ctx.clock.now())
  let after = { createdAt: 0, id: 0 }
  for (;;) {
    const trash = await store.trashAfter(ctx.db.read, after, ROWS_PER_READ)
    const old = trash.filter(({ deletedAt }) => deletedAt! < before).map(({ id }) => id)
    let at = 0
    await inSlices(ctx, 'qrCodes.purgeTrash', async (tx, limit) => {
      const slice = old.slice(at, at + limit)
      await purge(ctx, tx, await store.oldTrash(tx, before, slice))
      tx.afterCommit(() => (at += slice.length))
      return slice.length
    })
    const last = trash.at(-1)
    if (last === undefined || trash.length < ROWS_PER_READ) return
    after = last
  }
}

export const purgeJob: Job = { name: 'qrCodes.purgeTrash', every: 6 * HOUR, run: purgeTrash }
