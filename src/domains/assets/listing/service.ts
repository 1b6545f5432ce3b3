/** The list of assets, and its filters, which the map and the export have too. */

import type { AppContext } from '#context'
import { type OwnerKey, ownerKey } from '#db/owner-key.ts'
import { type Page, readerFor } from '#db/paging.ts'
import type { Db, SQL } from '#db/store.ts'
import { locationTree } from '#domains/orgs/index.ts'
import type { Owner } from '#http/endpoint.ts'
import { invalidAll } from '#http/validate.ts'

import { assetCategoryTree } from '../categories/store.ts'
import type { AssetView, Filters, ListQuery } from '../register/model.ts'
import { filterProblems } from '../register/rules.ts'
import { toViews } from '../register/view.ts'
import * as store from './store.ts'

export async function listAssets(ctx: AppContext, owner: Owner, query: ListQuery): Promise<Page<AssetView>> {
  const { items, ...page } = await rowsPage(ctx, owner, query)
  return { ...page, items: await toViews(ctx, ctx.db.read, items) }
}

async function rowsPage(ctx: AppContext, owner: Owner, query: ListQuery): Promise<Page<store.AssetRow>> {
  const conditions = await conditionsOf(ctx, owner, query)
  const key = ownerKey(owner)
  const { keyword } = query
  if (keyword) {
    const where = store.conditionsWhere(conditions, keyword)
    return ctx.db.search(owner.userId, (db) => store.searchAssets(db, key, where, query))
  }
  if (Object.keys(conditions).length === 0) return store.assetsPage(ctx.db.read, key, query)
  return (
    store.pageWithOneFilter(ctx.db.read, key, conditions, query) ??
    store.filteredPage(await assetsReader(ctx, key), store.assetsWhere(key, store.conditionsWhere(conditions)), query)
  )
}

/** Where to run queries that look at all assets of an owner. */
export const assetsReader = async (ctx: AppContext, owner: OwnerKey): Promise<Db> =>
  readerFor(ctx.db, await store.countAssets(ctx.db.read, owner))

/**
 * The filters of a query as a condition, to which the caller adds the owner (`assetsWhere`). @throws AppError 400
 */
export async function listConditions(
  ctx: AppContext,
  owner: Owner,
  query: Filters,
): Promise<{ where: SQL | undefined }> {
  return { where: store.conditionsWhere(await conditionsOf(ctx, owner, query), query.keyword) }
}

/** The filters with the ids of sub-trees. Categories and locations of other owners select nothing. @throws AppError 400 */
export async function conditionsOf(ctx: AppContext, owner: Owner, query: Filters): Promise<store.Conditions> {
  const problems = filterProblems(query)
  if (problems.length > 0) throw invalidAll(problems)
  const db = ctx.db.read
  return conditionsIn(query, {
    categories: (id) => assetCategoryTree.branchIds(db, ownerKey(owner), id),
    locations: (id) => locationTree.branchIds(db, owner.orgId, id),
  })
}

type BranchOf = (id: number) => Promise<readonly number[]>

/** The same for valid filters, with the functions that find the node with this id and all below it. */
export async function conditionsIn(
  query: Filters,
  branches: { readonly categories: BranchOf; readonly locations: BranchOf },
): Promise<store.Conditions> {
  const { categoryId, locationId, custodianId, status, warrantyFrom, warrantyTo, purchaseFrom, purchaseTo, ids } = query
  return {
    ...(categoryId !== undefined && { categoryIds: categoryId === 0 ? null : await branches.categories(categoryId) }),
    ...(locationId !== undefined && { locationIds: locationId === 0 ? null : await branches.locations(locationId) }),
    ...(custodianId !== undefined && { custodianId: custodianId || null }),
    ...(status !== undefined && { statuses: [...new Set(status)] }),
    ...(warrantyFrom && { warrantyFrom }),
    ...(warrantyTo && { warrantyTo }),
    ...(purchaseFrom && { purchaseFrom }),
    ...(purchaseTo && { purchaseTo }),
    ...(ids !== undefined && { ids }),
  }
}
