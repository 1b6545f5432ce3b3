import type { AppContext } from '#context'
import type { Page } from '#db/paging.ts'
import type { Db, Tx } from '#db/store.ts'
import type { SyncRevival } from '#domains/contributions.ts'
import { emit } from '#domains/domain.ts'
import type { Actor } from '#http/endpoint.ts'
import { badRequest, notFound } from '#http/errors.ts'
import { treeRefusals } from '#http/tree-refusals.ts'
import { type Nested, orderItems, treeOf } from '#lib/tree.ts'

import {
  type CategoryChange,
  type CategoryView,
  type CreateCategory,
  type Deletable,
  type ListQuery,
  MAX_CATEGORIES,
  MAX_DEPTH,
  type ReorderCategories,
  type UpdateCategory,
} from './categories.model.ts'
import * as store from './categories.store.ts'
import { categoryTree } from './categories.store.ts'

const refusals = treeRefusals({ one: 'category', many: 'categories', zh: '分类', maxDepth: MAX_DEPTH })

export async function listCategories(ctx: AppContext, actor: Actor, query: ListQuery): Promise<Page<CategoryView>> {
  const pageIn = (db: Db) => store.categoriesPage(db, actor.userId, query)
  const page = await (query.keyword ? ctx.db.search(actor.userId, pageIn) : pageIn(ctx.db.read))
  return { ...page, items: await toViews(ctx.db.read, actor.userId, page.items) }
}

export async function getCategoryTree(ctx: AppContext, actor: Actor): Promise<Nested<CategoryView>[]> {
  const rows = await categoryTree.all(ctx.db.read, actor.userId)
  return treeOf(await toViews(ctx.db.read, actor.userId, rows))
}

export async function getCategory(ctx: AppContext, actor: Actor, id: number): Promise<CategoryView> {
  return toView(ctx.db.read, actor.userId, await categoryTree.find(ctx.db.read, actor.userId, id))
}

export function createCategory(ctx: AppContext, actor: Actor, input: CreateCategory): Promise<CategoryView> {
  const { userId } = actor
  return ctx.db.write('qrCodes.createCategory', async (tx) =>
    toView(tx, userId, await addCategory(tx, userId, input, 'body')),
  )
}

/** Adds a category in a write. `where` is the first part of the paths of bad fields. */
export async function addCategory(
  tx: Tx,
  userId: number,
  { name, color, parentId = null, pinned = false, sortOrder = 0 }: CreateCategory & CategoryChange,
  where: string,
  revived?: SyncRevival,
): Promise<store.CategoryRow> {
  if ((await categoryTree.count(tx, userId)) >= MAX_CATEGORIES)
    throw badRequest(`There can be at most ${MAX_CATEGORIES} categories`, `最多创建 ${MAX_CATEGORIES} 个分类`)
  refusals.check(await categoryTree.checkParent(tx, userId, parentId), where)
  const values = { name, color: colorOf(color), parentId, pinned, sortOrder }
  return store.insertCategory(tx, userId, values, revived)
}

const colorOf = (given: string | null | undefined): string => given?.toLowerCase() ?? ''

export function updateCategory(
  ctx: AppContext,
  actor: Actor,
  id: number,
  input: UpdateCategory,
): Promise<CategoryView> {
  return ctx.db.write('qrCodes.updateCategory', async (tx) =>
    toView(tx, actor.userId, await changeCategory(tx, actor.userId, id, input, 'body')),
  )
}

/** Changes the fields that are given, in a write. `where` is the first part of the paths of bad fields. */
export async function changeCategory(
  tx: Tx,
  userId: number,
  id: number,
  { name, color, parentId, pinned, sortOrder }: CategoryChange,
  where: string,
): Promise<store.CategoryRow> {
  const before = await categoryTree.find(tx, userId, id)
  if (before === undefined) throw notFound()
  if (parentId !== undefined && parentId !== before.parentId)
    refusals.check(await categoryTree.checkMove(tx, userId, id, parentId), where)
  const change = {
    ...(name !== undefined && { name }),
    ...(color !== undefined && { color: colorOf(color) }),
    ...(parentId !== undefined && { parentId }),
    ...(pinned !== undefined && { pinned }),
    ...(sortOrder !== undefined && { sortOrder }),
  }
  return (await store.updateCategory(tx, userId, id, change))!
}

export function pinCategory(ctx: AppContext, actor: Actor, id: number, pinned: boolean): Promise<CategoryView> {
  return ctx.db.write('qrCodes.pinCategory', async (tx) => {
    await categoryTree.pin(tx, actor.userId, [id], pinned)
    return toView(tx, actor.userId, await categoryTree.find(tx, actor.userId, id))
  })
}

/** Pins none of them if one id is not the caller's. */
export function pinCategories(
  ctx: AppContext,
  actor: Actor,
  ids: readonly number[],
  pinned: boolean,
): Promise<{ count: number }> {
  return ctx.db.write('qrCodes.pinCategories', async (tx) => {
    const count = await categoryTree.pin(tx, actor.userId, ids, pinned)
    if (count !== ids.length) throw notFound()
    return { count }
  })
}

export function moveCategory(
  ctx: AppContext,
  actor: Actor,
  id: number,
  parentId: number | null,
): Promise<CategoryView> {
  return ctx.db.write('qrCodes.moveCategory', async (tx) =>
    toView(tx, actor.userId, await changeCategory(tx, actor.userId, id, { parentId }, 'body')),
  )
}

/** Changes none of them if one id is not the caller's. */
export function reorderCategories(ctx: AppContext, actor: Actor, input: ReorderCategories): Promise<{ count: number }> {
  const items = orderItems(input)
  if (typeof items === 'string') throw refusals.of(items)
  return ctx.db.write('qrCodes.reorderCategories', async (tx) => {
    refusals.check(await categoryTree.reorder(tx, actor.userId, items))
    return { count: items.length }
  })
}

export async function checkDeletable(ctx: AppContext, actor: Actor, id: number): Promise<Deletable> {
  const db = ctx.db.read
  if ((await categoryTree.find(db, actor.userId, id)) === undefined) throw notFound()
  const childCount = await categoryTree.countChildren(db, actor.userId, id)
  const codeCount = (await store.codeCounts(db, actor.userId, [id])).get(id) ?? 0
  return { deletable: childCount === 0, reason: childCount === 0 ? null : 'HAS_CHILDREN', childCount, codeCount }
}

export async function deleteCategory(ctx: AppContext, actor: Actor, id: number): Promise<void> {
  await ctx.db.write('qrCodes.deleteCategory', (tx) => removeCategory(ctx, tx, actor.userId, id))
}

/** Returns the version of the tombstone. */
export async function removeCategory(ctx: AppContext, tx: Tx, userId: number, id: number): Promise<number> {
  if ((await categoryTree.find(tx, userId, id)) === undefined) throw notFound()
  if ((await categoryTree.countChildren(tx, userId, id)) > 0)
    throw badRequest('Move or delete the sub-categories first', '请先移动或删除子分类')
  await emit(ctx, tx, 'category.deleting', { userId, id })
  return store.deleteCategory(tx, userId, id)
}

export async function toViews(
  db: Db | Tx,
  userId: number,
  rows: readonly store.CategoryRow[],
): Promise<CategoryView[]> {
  const ids = rows.map((row) => row.id)
  const counts = await store.codeCounts(db, userId, ids)
  return rows.map((row) => viewOf(row, counts))
}

/** `counts`: number of codes directly in each category. */
export const viewOf = (row: store.CategoryRow, counts: ReadonlyMap<number, number>): CategoryView => ({
  id: row.id,
  name: row.name,
  color: row.color,
  parentId: row.parentId,
  pinned: row.pinned,
  sortOrder: row.sortOrder,
  codeCount: counts.get(row.id) ?? 0,
  createdAt: row.createdAt,
})

/** 404 if there is no row. */
async function toView(db: Db | Tx, userId: number, row: store.CategoryRow | undefined): Promise<CategoryView> {
  if (row === undefined) throw notFound()
  const [view] = await toViews(db, userId, [row])
  return view!
}
