import type { AppContext } from '../../../context.ts'
import { mapPage } from '../../../db/paging.ts'
import { branchIds } from '../categories/branch.ts'
import type { ListQuery } from '../codes/model.ts'
import { toView } from '../codes/view.ts'
import type { Owner } from '../owner.ts'
import { type CategoryIds, codesPage } from './store.ts'

export async function listCodes(ctx: AppContext, owner: Owner, query: ListQuery) {
  const categoryIds = query.categoryId === undefined ? undefined : await categoriesUnder(ctx, owner, query.categoryId)
  return mapPage(await codesPage(ctx.db.read, owner, query, categoryIds), (row) => toView(ctx, row))
}

/** What a filter by category means: 0 is none, any other takes its sub-categories in. Somebody else's holds nothing. */
export const categoriesUnder = async (ctx: AppContext, owner: Owner, categoryId: number): Promise<CategoryIds> =>
  categoryId === 0 ? null : branchIds(ctx.db.read, owner.userId, categoryId)
