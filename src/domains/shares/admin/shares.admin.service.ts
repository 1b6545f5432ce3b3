/** Shares of all organizations, for administrators. */

import type { AppContext } from '#context'
import type { Page } from '#db/paging.ts'
import { adminPage, ownersOf } from '#domains/admin/index.ts'
import type { Actor, LoggedActor } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'

import { deleteWithCopy, toView } from '../shares.service.ts'
import { findAnyShare } from '../shares.store.ts'
import type { AdminSharesQuery, AdminShareView } from './shares.admin.model.ts'
import { filteredShares } from './shares.admin.store.ts'

export async function listAllShares(
  ctx: AppContext,
  { userId }: Actor,
  query: AdminSharesQuery,
): Promise<Page<AdminShareView>> {
  const { page, size } = query
  const { items, ...rest } = await adminPage(ctx, userId, filteredShares(query), { page, size })
  const rows = items.map((row) => ({ row, owned: { userId: row.sharedBy, orgId: row.orgId } }))
  const ownedBy = await ownersOf(
    ctx.db.read,
    rows.map(({ owned }) => owned),
  )
  return {
    ...rest,
    items: rows.map(({ row, owned }) => {
      const { owner, orgName } = ownedBy(owned)
      return { ...toView(ctx, row), owner, orgName }
    }),
  }
}

export async function deleteAnyShare(ctx: AppContext, actor: LoggedActor, id: number): Promise<void> {
  await actor.write('shares.deleteAny', async (tx) => {
    const row = await findAnyShare(tx, id)
    if (row === undefined) throw notFound()
    await deleteWithCopy(ctx, tx, row.orgId, id)
    const { entityType, sourceId, copyId, orgId, sharedBy } = row
    const before = { entityType, sourceId, copyId, orgId, sharedBy }
    return { result: undefined, logged: { targetId: id, targetName: row.name, before } }
  })
}
