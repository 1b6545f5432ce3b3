import type { AppContext } from '#context'
import { ownerExists } from '#db/owner-counts.ts'
import { mapPage, type Page } from '#db/paging.ts'
import type { ShareEntity } from '#db/schema/shares.ts'
import type { Tx } from '#db/store.ts'
import type { Shareable } from '#domains/contributions.ts'
import { contributions } from '#domains/domain.ts'
import { avatarUrl } from '#domains/files/index.ts'
import type { Actor } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'

import type { CreateShare, SharesQuery, ShareView } from './shares.model.ts'
import * as store from './shares.store.ts'

/**
 * Copies a thing of the caller into the organization, which owns the copy from then on. If the caller has shared it before, returns that
 * share and makes no second copy. No other write comes between the check and the insert.
 */
export async function createShare(
  ctx: AppContext,
  actor: Actor,
  orgId: number,
  input: CreateShare,
): Promise<ShareView> {
  const { entityType, sourceId } = input
  const copy = await shareableOf(ctx, entityType).prepareCopy(ctx)
  const row = await ctx.db.write('shares.create', async (tx) => {
    if (!(await ownerExists(tx, orgId))) throw notFound()
    const source = { orgId, entityType, sourceId, sharedBy: actor.userId }
    const existing = await store.findShareOfSource(tx, source)
    if (existing) return existing
    const copyId = await copy(tx, actor.userId, sourceId, orgId)
    const id = await store.insertShare(tx, { ...source, copyId })
    return (await store.findShare(tx, orgId, id))!
  })
  return toView(ctx, row)
}

function shareableOf(ctx: AppContext, entityType: ShareEntity): Shareable {
  return contributions(ctx, 'shareable').find((shareable) => shareable[entityType])![entityType]!
}

export const listShares = async (ctx: AppContext, orgId: number, query: SharesQuery): Promise<Page<ShareView>> =>
  mapPage(await store.sharesPage(ctx.db.read, orgId, query), (row) => toView(ctx, row))

/** Permanently deletes the share and its copy, even if it is in the trash. The original is not affected. */
export async function deleteShare(ctx: AppContext, orgId: number, id: number): Promise<void> {
  await ctx.db.write('shares.delete', (tx) => deleteWithCopy(ctx, tx, orgId, id))
}

/** @throws AppError 404 if the organization has no such share */
export async function deleteWithCopy(ctx: AppContext, tx: Tx, orgId: number, id: number): Promise<void> {
  const deleted = await store.deleteShare(tx, orgId, id)
  if (deleted === undefined) throw notFound()
  await shareableOf(ctx, deleted.entityType).deleteCopy(ctx, tx, orgId, deleted.copyId)
}

export const toView = (ctx: AppContext, row: store.ShareRow): ShareView => ({
  id: row.id,
  orgId: row.orgId,
  entityType: row.entityType,
  sourceId: row.sourceId,
  copyId: row.copyId,
  name: row.name,
  sharedBy: { userId: row.sharedBy, nickname: row.nickname, avatarUrl: avatarUrl(ctx, row.avatar) },
  createdAt: row.createdAt,
})
