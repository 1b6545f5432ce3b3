import type { AppContext } from '#context'
import { mapPage } from '#db/paging.ts'

import { categoryTree } from '../categories/store.ts'
import type { ListQuery } from '../codes/model.ts'
import { codesPage } from '../codes/store.ts'
import { toView } from '../codes/view.ts'
import type { Owner } from '../owner.ts'
import { readerFor } from './reader.ts'
import { type CategoryIds, filteredPage } from './store.ts'

export async function listCodes(ctx: AppContext, owner: Owner, query: ListQuery) {
  const page = isWhole(query)
    ? await codesPage(ctx.db.read, owner, query)
    : await filteredPage(await readerFor(ctx, owner), owner, query, await categoriesUnder(ctx, owner, query.categoryId))
  return mapPage(page, (row) => toView(ctx, row))
}

/** The list that clients open with; its pages cost the same however long it is. */
const isWhole = (query: ListQuery): boolean =>
  query.categoryId === undefined &&
  !query.keyword &&
  query.contentType === undefined &&
  query.isPublic === undefined &&
  query.pinned === undefined

/** What a filter by category means: 0 is none, any other takes its sub-categories in. Somebody else's holds nothing. */
export async function categoriesUnder(
  ctx: AppContext,
  owner: Owner,
  categoryId: number | null | undefined,
): Promise<CategoryIds> {
  if (categoryId == null) return undefined
  return categoryId === 0 ? null : categoryTree.branchIds(ctx.db.read, owner.userId, categoryId)
}
