import type { AppContext } from '#context'
import type { Page } from '#db/paging.ts'
import type { Db, Tx } from '#db/store.ts'
import { emit } from '#domains/domain.ts'
import type { Actor } from '#http/endpoint.ts'
import { badRequest, notFound } from '#http/errors.ts'
import { treeRefusals } from '#http/tree-refusals.ts'
import { type Nested, orderItems, treeOf } from '#lib/tree.ts'

import {
  type CategoryView,
  type CreateCategory,
  type Deletable,
  type ListQuery,
  MAX_CATEGORIES,
  MAX_DEPTH,
  type ReorderCategories,
  type UpdateCategory,
} from './model.ts'
import * as store from './store.ts'
import { categoryTree } from './store.ts'

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
  const { name, color, parentId = null } = input
  return ctx.db.write('qrCodes.createCategory', async (tx) => {
    if ((await categoryTree.count(tx, userId)) >= MAX_CATEGORIES)
      throw badRequest(`There can be at most ${MAX_CATEGORIES} categories`, `最多创建 ${MAX_CATEGORIES} 个分类`)
    refusals.check(await categoryTree.checkParent(tx, userId, parentId))
    return toView(tx, userId, await store.insertCategory(tx, userId, { name, color: colorOf(color), parentId }))
  })
}

const colorOf = (given: string | null | undefined): string => given?.toLowerCase() ?? ''

export function updateCategory(
  ctx: AppContext,
  actor: Actor,
  id: number,
  input: UpdateCategory,
): Promise<CategoryView> {
  const change = {
    ...(input.name !== undefined && { name: input.name }),
    ...(input.color !== undefined && { color: colorOf(input.color) }),
  }
  return ctx.db.write('qrCodes.updateCategory', async (tx) =>
    toView(tx, actor.userId, await store.updateCategory(tx, actor.userId, id, change)),
  )
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
  return ctx.db.write('qrCodes.moveCategory', async (tx) => {
    refusals.check(await categoryTree.move(tx, actor.userId, id, parentId))
    return toView(tx, actor.userId, await categoryTree.find(tx, actor.userId, id))
  })
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

export function deleteCategory(ctx: AppContext, actor: Actor, id: number): Promise<void> {
  const { userId } = actor
  return ctx.db.write('qrCodes.deleteCategory', async (tx) => {
    if ((await categoryTree.find(tx, userId, id)) === undefined) throw notFound()
    if ((await categoryTree.countChildren(tx, userId, id)) > 0)
      throw badRequest('Move or delete the sub-categories first', '请先移动或删除子分类')
    await emit(ctx, tx, 'category.deleting', { id })
    await store.deleteCategory(tx, userId, id)
  })
}

async function toViews(db: Db | Tx, userId: number, rows: store.CategoryRow[]): Promise<CategoryView[]> {
  const ids = rows.map((row) => row.id)
  const counts = await store.codeCounts(db, userId, ids)
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    color: row.color,
    parentId: row.parentId,
    pinned: row.pinned,
    sortOrder: row.sortOrder,
    codeCount: counts.get(row.id) ?? 0,
    createdAt: row.createdAt,
  }))
}

/** 404 if there is no row. */
async function toView(db: Db | Tx, userId: number, row: store.CategoryRow | undefined): Promise<CategoryView> {
  if (row === undefined) throw notFound()
  const [view] = await toViews(db, userId, [row])
  return view!
}
