import type { AppContext } from '#context'
import { mapPage, type Page } from '#db/paging.ts'
import * as qrCodes from '#domains/qr-codes/index.ts'
import type { Actor } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'

import { notYet } from './errors.ts'
import type { CreateShare, SharesQuery, ShareView } from './model.ts'
import * as store from './store.ts'
import { toShareView } from './view.ts'

/** Copies something of the caller's own into the organization. The copy is the organization's from then on. */
export async function share(ctx: AppContext, actor: Actor, orgId: number, input: CreateShare): Promise<ShareView> {
  const { entityType, sourceId } = input
  if (entityType !== 'QR_CODE') throw notYet()
  const quota = await qrCodes.quotaOf(ctx)
  const row = await ctx.db.write('shares.create', async (tx) => {
    if (!(await store.orgExists(tx, orgId))) throw notFound()
    const qrCodeId = await qrCodes.copyIntoOrg(tx, actor.userId, sourceId, orgId, quota)
    const id = await store.insertShare(tx, { orgId, entityType, sourceId, qrCodeId, sharedBy: actor.userId })
    return (await store.findShare(tx, orgId, id))!
  })
  return toShareView(row)
}

export const listShares = async (ctx: AppContext, orgId: number, query: SharesQuery): Promise<Page<ShareView>> =>
  mapPage(await store.sharesPage(ctx.db.read, orgId, query), toShareView)

/** The copy goes for good, wherever it is; the original knows nothing of it. */
export async function deleteShare(ctx: AppContext, _actor: Actor, orgId: number, id: number): Promise<void> {
  await ctx.db.write('shares.delete', async (tx) => {
    const gone = await store.deleteShare(tx, orgId, id)
    if (gone === undefined) throw notFound()
    if (gone.qrCodeId !== null) await qrCodes.removeOrgCopy(tx, orgId, gone.qrCodeId)
  })
}
