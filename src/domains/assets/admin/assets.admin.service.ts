/** Assets of all owners, for administrators. */

import type { AppContext } from '#context'
import { orgOf } from '#db/owner-key.ts'
import type { Page } from '#db/paging.ts'
import { ownersOf } from '#domains/admin/index.ts'
import { locationTree } from '#domains/orgs/index.ts'
import type { Actor, LoggedActor } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'
import { invalidAll } from '#http/validate.ts'
import { dayAt } from '#lib/days.ts'
import { serverZone } from '#platform/clock.ts'

import { markDeleted, scrap } from '../assets.service.ts'
import { assetCategoryTree, findAnyCategory } from '../categories/categories.store.ts'
import { conditionsIn } from '../listing.service.ts'
import * as listing from '../listing.store.ts'
import type { AdminAssetView, AdminListQuery, AssetView } from '../register/register.model.ts'
import { filterProblems } from '../register/register.rules.ts'
import { type AssetRow, closeLoan, findAnyAsset } from '../register/register.store.ts'
import { toOneView, toViews } from '../register/register.view.ts'
import * as store from './assets.admin.store.ts'

export async function listAllAssets(
  ctx: AppContext,
  { userId }: Actor,
  query: AdminListQuery,
): Promise<Page<AdminAssetView>> {
  const { items, ...page } = await rowsPage(ctx, userId, query)
  const views = await toViews(ctx, ctx.db.read, items)
  const ownedBy = await ownersOf(
    ctx.db.read,
    views.map(({ userId, orgId }) => ({ userId, orgId: orgId ?? 0 })),
  )
  return {
    ...page,
    items: views.map((view) => ({ ...view, ...ownedBy({ userId: view.userId, orgId: view.orgId ?? 0 }) })),
  }
}

async function rowsPage(ctx: AppContext, adminId: number, query: AdminListQuery): Promise<Page<AssetRow>> {
  const problems = filterProblems(query)
  if (problems.length > 0) throw invalidAll(problems)
  const db = ctx.db.read
  const conditions = await conditionsIn(query, {
    categories: async (id) => {
      const category = await findAnyCategory(db, id)
      return category === undefined ? [] : assetCategoryTree.branchIds(db, category.owner, id)
    },
    locations: async (id) => {
      const orgId = await store.organizationOfLocation(db, id)
      return orgId === undefined ? [] : locationTree.branchIds(db, orgId, id)
    },
    today: async () => dayAt(ctx.clock.now(), serverZone()),
  })
  const owners = store.ownersWhere(query)
  const where = listing.conditionsWhere(conditions, query.keyword, owners)
  if (where === undefined) return listing.allAssetsPage(db, query)
  const { search, readInWorker } = await ctx.db.heavyReads()
  if (query.keyword) return search(adminId, (reader) => listing.searchAll(reader, where, query))
  // The filters and the total may look at all assets.
  return listing.filteredOfAll(readInWorker, where, query)
}

export async function getAnyAsset(ctx: AppContext, id: number): Promise<AssetView> {
  const row = await findAnyAsset(ctx.db.read, id)
  if (row === undefined) throw notFound()
  return toOneView(ctx, ctx.db.read, row)
}

export async function scrapAnyAsset(
  ctx: AppContext,
  actor: LoggedActor,
  id: number,
  reason: string | null | undefined,
): Promise<AssetView> {
  const row = await actor.write('assets.scrapAny', async (tx) => {
    const before = await findAnyAsset(tx, id)
    if (before === undefined) throw notFound()
    const after = await scrap(tx, before, reason)
    if (after === before) return { result: before, logged: 'unchanged' }
    const logged = { targetId: id, targetName: before.name, before: loggedFields(before), after: loggedFields(after) }
    return { result: after, logged }
  })
  return toOneView(ctx, ctx.db.read, row)
}

const loggedFields = ({ status, scrapReason }: AssetRow) => ({ status, scrapReason })

/** Whatever the state of the asset. */
export async function deleteAnyAsset(ctx: AppContext, actor: LoggedActor, id: number): Promise<void> {
  await actor.write('assets.deleteAny', async (tx) => {
    const row = await findAnyAsset(tx, id)
    if (row === undefined) throw notFound()
    await closeLoan(tx, id)
    await markDeleted(ctx, tx, row)
    const before = {
      name: row.name,
      assetNo: row.assetNo,
      status: row.status,
      userId: row.userId,
      orgId: orgOf(row.owner) || null,
    }
    return { result: undefined, logged: { targetId: id, targetName: row.name, before } }
  })
}
