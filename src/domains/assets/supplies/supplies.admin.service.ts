/** Supplies of all owners, for administrators. */

import type { AppContext } from '#context'
import type { Page } from '#db/paging.ts'
import { adminPage, ownersOf } from '#domains/admin/index.ts'
import type { Actor } from '#http/endpoint.ts'

import type { AdminSuppliesQuery, AdminSupplyView } from './supplies.model.ts'
import { allSupplies } from './supplies.store.ts'
import { toViews } from './supplies.view.ts'

export async function listAllSupplies(
  ctx: AppContext,
  { userId }: Actor,
  query: AdminSuppliesQuery,
): Promise<Page<AdminSupplyView>> {
  const { items, ...page } = await adminPage(ctx, userId, allSupplies(query), query)
  const views = await toViews(ctx, ctx.db.read, items)
  const owners = views.map((view) => ({ userId: view.userId, orgId: view.orgId ?? 0 }))
  const ownedBy = await ownersOf(ctx.db.read, owners)
  return { ...page, items: views.map((view, i) => ({ ...view, ...ownedBy(owners[i]!) })) }
}
