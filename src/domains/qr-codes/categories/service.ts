import type { AppContext } from '#context'
import type { Db, Tx } from '#db/store.ts'
import type { Actor } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'

import { levelOf, levelsBelow } from './branch.ts'
import {
  hasChildren,
  insideItself,
  namedTwice,
  noSuchParent,
  nothingToOrder,
  notSiblings,
  tooDeep,
  tooMany,
} from './errors.ts'
import {
  type CategoryNode,
  type CategoryView,
  type CreateCategory,
  type Deletable,
  type ListQuery,
  MAX_CATEGORIES,
  MAX_DEPTH,
  type ReorderCategories,
  type UpdateCategory,
} from './model.ts'
import { fitsBelow, treeOf } from './rules.ts'
import * as store from './store.ts'
import { toView } from './view.ts'

export async function listCategories(ctx: AppContext, actor: Actor, query: ListQuery) {
  const page = await store.categoriesPage(ctx.db.read, actor.userId, query)
  return { ...page, items: await views(ctx.db.read, actor.userId, page.items) }
}

export async function categoryTree(ctx: AppContext, actor: Actor): Promise<CategoryNode[]> {
  const rows = await store.allCategories(ctx.db.read, actor.userId)
  return treeOf(await views(ctx.db.read, actor.userId, rows))
}

export async function getCategory(ctx: AppContext, actor: Actor, id: number): Promise<CategoryView> {
  return view(ctx.db.read, actor.userId, await store.findCategory(ctx.db.read, actor.userId, id))
}

export function createCategory(ctx: AppContext, actor: Actor, input: CreateCategory): Promise<CategoryView> {
  const { userId } = actor
  const parentId = input.parentId ?? null
  return ctx.db.write('qrCodes.createCategory', async (tx) => {
    if ((await store.countCategories(tx, userId)) >= MAX_CATEGORIES) throw tooMany()
    const level = parentId === null ? 0 : await levelOf(tx, userId, parentId)
    if (level === undefined) throw noSuchParent()
    if (!fitsBelow(level, 1, MAX_DEPTH)) throw tooDeep()
    const row = await store.insertCategory(tx, userId, {
      name: input.name,
      color: input.color ?? '',
      parentId,
      createdAt: tx.stamp,
      updatedAt: tx.stamp,
    })
    return toView(row, 0)
  })
}

export function updateCategory(
  ctx: AppContext,
  actor: Actor,
  id: number,
  input: UpdateCategory,
): Promise<CategoryView> {
  const change = {
    ...(input.name !== undefined && { name: input.name }),
    ...(input.color !== undefined && { color: input.color ?? '' }),
  }
  return ctx.db.write('qrCodes.updateCategory', async (tx) =>
    view(tx, actor.userId, await store.updateCategory(tx, actor.userId, id, change)),
  )
}

export function pinCategory(ctx: AppContext, actor: Actor, id: number, pinned: boolean): Promise<CategoryView> {
  return ctx.db.write('qrCodes.pinCategory', async (tx) =>
    view(tx, actor.userId, await store.updateCategory(tx, actor.userId, id, { pinned })),
  )
}

/** All or nothing: one id that is not the caller's, and none is pinned. */
export function pinCategories(
  ctx: AppContext,
  actor: Actor,
  ids: readonly number[],
  pinned: boolean,
): Promise<{ count: number }> {
  return ctx.db.write('qrCodes.pinCategories', async (tx) => {
    const count = await store.pinCategories(tx, actor.userId, ids, pinned)
    if (count !== ids.length) throw notFound()
    return { count }
  })
}

/** Writes are serial, so of two moves that together would make a circle the second sees the first and is refused. */
export function moveCategory(
  ctx: AppContext,
  actor: Actor,
  id: number,
  parentId: number | null,
): Promise<CategoryView> {
  const { userId } = actor
  return ctx.db.write('qrCodes.moveCategory', async (tx) => {
    if ((await store.findCategory(tx, userId, id)) === undefined) throw notFound()
    const levels = await levelsBelow(tx, userId, id)
    if (parentId !== null) {
      const parentLevel = await levelOf(tx, userId, parentId)
      if (parentLevel === undefined) throw noSuchParent()
      if (levels.some((level) => level.includes(parentId))) throw insideItself()
      if (!fitsBelow(parentLevel, levels.length, MAX_DEPTH)) throw tooDeep()
    }
    return view(tx, userId, await store.updateCategory(tx, userId, id, { parentId }))
  })
}

/** `ids` get the places 1, 2, 3 …; `items` name theirs. */
export function reorderCategories(ctx: AppContext, actor: Actor, input: ReorderCategories): Promise<{ count: number }> {
  if ((input.ids === undefined) === (input.items === undefined)) throw nothingToOrder()
  const items = input.items ?? input.ids!.map((id, i) => ({ id, sortOrder: i + 1 }))
  const ids = items.map((item) => item.id)
  if (new Set(ids).size !== ids.length) throw namedTwice()
  return ctx.db.write('qrCodes.reorderCategories', async (tx) => {
    const rows = await store.findCategories(tx, actor.userId, ids)
    if (rows.length !== ids.length) throw notFound()
    if (new Set(rows.map((row) => row.parentId)).size > 1) throw notSiblings()
    for (const { id, sortOrder } of items) await store.placeCategory(tx, actor.userId, id, sortOrder)
    return { count: ids.length }
  })
}

export async function deletable(ctx: AppContext, actor: Actor, id: number): Promise<Deletable> {
  const db = ctx.db.read
  if ((await store.findCategory(db, actor.userId, id)) === undefined) throw notFound()
  const childCount = (await store.childIds(db, actor.userId, [id])).length
  const codeCount = (await store.codeCounts(db, actor.userId, [id])).get(id) ?? 0
  return { deletable: childCount === 0, reason: childCount === 0 ? null : 'HAS_CHILDREN', childCount, codeCount }
}

export function deleteCategory(ctx: AppContext, actor: Actor, id: number): Promise<void> {
  const { userId } = actor
  return ctx.db.write('qrCodes.deleteCategory', async (tx) => {
    if ((await store.findCategory(tx, userId, id)) === undefined) throw notFound()
    if ((await store.childIds(tx, userId, [id])).length > 0) throw hasChildren()
    await store.deleteCategory(tx, userId, id)
  })
}

async function views(db: Db | Tx, userId: number, rows: store.CategoryRow[]): Promise<CategoryView[]> {
  const counts = await store.codeCounts(
    db,
    userId,
    rows.map((row) => row.id),
  )
  return rows.map((row) => toView(row, counts.get(row.id) ?? 0))
}

async function view(db: Db | Tx, userId: number, row: store.CategoryRow | undefined): Promise<CategoryView> {
  if (row === undefined) throw notFound()
  const [shown] = await views(db, userId, [row])
  return shown!
}
