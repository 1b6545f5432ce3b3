import type { AppContext } from '#context'
import { mapPage, type Page } from '#db/paging.ts'
import type { ShareEntity } from '#db/schema/shares.ts'
import type { Shareable } from '#domains/contributions.ts'
import { contributions } from '#domains/domain.ts'
import type { Actor } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'

import { notYet } from './errors.ts'
import type { CreateShare, SharesQuery, ShareView } from './model.ts'
import * as store from './store.ts'
import { toShareView } from './view.ts'

/** Copies something of the caller's own into the organization. The copy is the organization's from then on. */
export async function share(ctx: AppContext, actor: Actor, orgId: number, input: CreateShare): Promise<ShareView> {
  const { entityType, sourceId } = input
  const copy = await shareableOf(ctx, entityType)?.prepareCopy(ctx)
  if (copy === undefined) throw notYet()
  const row = await ctx.db.write('shares.create', async (tx) => {
    if (!(await store.orgExists(tx, orgId))) throw notFound()
    const qrCodeId = await copy(tx, actor.userId, sourceId, orgId)
    const id = await store.insertShare(tx, { orgId, entityType, sourceId, qrCodeId, sharedBy: actor.userId })
    return (await store.findShare(tx, orgId, id))!
  })
  return toShareView(row)
}

function shareableOf(ctx: AppContext, entityType: ShareEntity): Shareable | undefined {
  return contributions(ctx, 'shareable').find((shareable) => shareable[entityType])?.[entityType]
}

export const listShares = async (ctx: AppContext, orgId: number, query: SharesQuery): Promise<Page<ShareView>> =>
  mapPage(await store.sharesPage(ctx.db.read, orgId, query), toShareView)

/** The copy goes for good, wherever it is; the original knows nothing of it. */
export async function deleteShare(ctx: AppContext, _actor: Actor, orgId: number, id: number): Promise<void> {
  await ctx.db.write('shares.delete', async (tx) => {
    const gone = await store.deleteShare(tx, orgId, id)
    if (gone === undefined) throw notFound()
    if (gone.qrCodeId !== null) await shareableOf(ctx, 'QR_CODE')!.deleteCopy(tx, orgId, gone.qrCodeId)
  })
}
