import type { AppContext } from '#context'
import { ownerExists } from '#db/owner-counts.ts'
import { orgOf, type OwnerKey, ownerKey } from '#db/owner-key.ts'
import { MAX_ROWS_IN_TURN, type Page, readerFor } from '#db/paging.ts'
import type { Depreciation } from '#db/schema/assets.ts'
import { finishInSlices, inSlices } from '#db/slices.ts'
import type { Db, Tx } from '#db/store.ts'
import { recordDeleted } from '#db/tombstones.ts'
import * as access from '#domains/access/index.ts'
import { adminPage, ownersOf } from '#domains/admin/index.ts'
import type { SyncRevival } from '#domains/contributions.ts'
import { unknownTemplates } from '#domains/metadata/index.ts'
import type { LoggedActor, Owner } from '#http/endpoint.ts'
import { badRequest, notFound } from '#http/errors.ts'
import { treeRefusals } from '#http/tree-refusals.ts'
import { invalid } from '#http/validate.ts'
import type { MaybePromise } from '#lib/maybe-promise.ts'
import { type Nested, orderItems, pathsOf, treeOf } from '#lib/tree.ts'

import { deletePlansOf, hasCategoryPlans, startWork } from '../dues.store.ts'
import { bookingOf } from './booking.service.ts'
import {
  type AllAssetCategoriesQuery,
  type AnyAssetCategoryView,
  type AssetCategoryDeletable,
  type AssetCategoryView,
  type CategoryChange,
  type CreateAssetCategory,
  type DepreciationInput,
  MAX_CATEGORIES,
  MAX_DEPTH,
  type ReorderAssetCategories,
  type TreeQuery,
  type UpdateAssetCategory,
} from './categories.model.ts'
import {
  audiencesOf,
  NO_TEMPLATES,
  sameTemplates,
  type Templates,
  templatesAfter,
  visibleTo,
} from './categories.rules.ts'
import * as store from './categories.store.ts'
import { assetCategoryTree, type CategoryRow } from './categories.store.ts'

const refusals = treeRefusals({
  one: 'category',
  many: 'categories',
  zh: '分类',
  maxDepth: MAX_DEPTH,
})

/** The owner's categories that the caller sees, in list order. */
async function visibleCategories(ctx: AppContext, db: Db | Tx, owner: Owner): Promise<CategoryRow[]> {
  const rows = await assetCategoryTree.all(db, ownerKey(owner))
  return (await mayManage(ctx, owner)) ? rows : visibleTo(owner.userId, rows)
}

/** The paths of the owner's categories that the caller sees, by id: for spreadsheets. */
export const categoryPaths = async (ctx: AppContext, db: Db | Tx, owner: Owner): Promise<Map<number, string>> =>
  pathsOf(await visibleCategories(ctx, db, owner))

export const mayManage = (ctx: AppContext, { userId, orgId }: Owner): MaybePromise<boolean> =>
  orgId === 0 || access.can(ctx, userId, 'ORG', orgId, 'asset_category:manage')

/** Undefined also for categories that others keep to themselves. */
export async function findVisibleCategory(ctx: AppContext, owner: Owner, id: number): Promise<CategoryRow | undefined> {
  if (await mayManage(ctx, owner)) return assetCategoryTree.find(ctx.db.read, ownerKey(owner), id)
  return (await visibleCategories(ctx, ctx.db.read, owner)).find((row) => row.id === id)
}

/** For those who manage categories. */
export const getCategory = async (ctx: AppContext, owner: Owner, id: number): Promise<AssetCategoryView> =>
  viewOf(ctx, await assetCategoryTree.find(ctx.db.read, ownerKey(owner), id))

export const getAnyCategory = async (ctx: AppContext, id: number): Promise<AssetCategoryView> =>
  viewOf(ctx, await store.findAnyCategory(ctx.db.read, id))

export async function getTree(
  ctx: AppContext,
  owner: Owner,
  { scope }: TreeQuery,
): Promise<Nested<AssetCategoryView>[]> {
  if (scope === 'ORG' && owner.orgId === 0)
    throw invalid('query.orgId', 'is required for the scope ORG', '范围为 ORG 时不能为空')
  const rows = await visibleCategories(ctx, ctx.db.read, owner)
  const key = ownerKey(owner)
  const counts = await store.assetCounts(await readerOf(ctx, key), key)
  return treeOf(await toViews(ctx.db.read, rows, counts))
}

/** Where to count the assets of an owner, who can have a million of them. */
export async function readerOf({ db }: AppContext, key: OwnerKey): Promise<Db> {
  return readerFor(db, (await store.hasMoreAssets(db.read, key, MAX_ROWS_IN_TURN)) ? Infinity : 0)
}

export async function createCategory(
  ctx: AppContext,
  owner: Owner,
  input: CreateAssetCategory,
): Promise<AssetCategoryView> {
  const row = await ctx.db.write('assets.createCategory', (tx) => addCategory(tx, owner, input, 'body'))
  return viewOf(ctx, row)
}

/** Adds a category in a write. `where` is the first part of the paths of bad fields. */
export async function addCategory(
  tx: Tx,
  owner: Owner,
  input: CreateAssetCategory & CategoryChange,
  where: string,
  revived?: SyncRevival,
): Promise<CategoryRow> {
  const { name, color, parentId = null, pinned = false, sortOrder = 0 } = input
  const key = ownerKey(owner)
  const shared = sharedOf(owner, input.shared, where) ?? owner.orgId !== 0
  if (!(await ownerExists(tx, key))) throw notFound()
  await checkCount(tx, key)
  refusals.check(await assetCategoryTree.checkParent(tx, key, parentId), where)
  const templates = await templatesOf(tx, key, NO_TEMPLATES, input, where)
  const values = {
    userId: owner.userId,
    name,
    color: colorOf(color),
    parentId,
    shared,
    pinned,
    sortOrder,
    depreciation: depreciationOf(input.depreciation, where),
    countEveryMonths: input.countEveryMonths ?? null,
    booking: await bookingOf(tx, owner, input.booking, where),
  }
  const inserted = await store.insertCategory(tx, key, values, revived)
  await store.setTemplates(tx, inserted.id, templates)
  return inserted
}

async function checkCount(tx: Tx, key: OwnerKey): Promise<void> {
  if ((await assetCategoryTree.count(tx, key)) >= MAX_CATEGORIES)
    throw badRequest(`There can be at most ${MAX_CATEGORIES} categories`, `最多创建 ${MAX_CATEGORIES} 个分类`)
}

const colorOf = (given: string | null | undefined): string => given?.toLowerCase() ?? ''

/** @throws AppError 400 for a personal category that is to be shared */
function sharedOf({ orgId }: Owner, given: boolean | undefined, where: string): boolean | undefined {
  if (given === true && orgId === 0)
    throw invalid(`${where}.shared`, 'can be true only for categories of an organization', '仅组织的分类可以共享')
  return given
}

/** The templates after a write. @throws AppError 400 for one that is not visible to the owner, or for a default that is not among them */
async function templatesOf(
  tx: Tx,
  key: OwnerKey,
  before: Templates,
  input: Pick<UpdateAssetCategory, 'templateIds' | 'defaultTemplateId'>,
  where: string,
): Promise<Templates> {
  const added = (input.templateIds ?? []).filter((id) => !before.templateIds.includes(id))
  const [unknown] = added.length === 0 ? [] : await unknownTemplates(tx, 'asset', key, added)
  if (unknown !== undefined)
    throw invalid(
      `${where}.templateIds.${input.templateIds!.indexOf(unknown)}`,
      'must be the id of a template that is visible in the scope of the category',
      '须为该分类范围内可见的模板',
    )
  const after = templatesAfter(before, input)
  if (after === undefined)
    throw invalid(`${where}.defaultTemplateId`, 'must be one of the templates of the category', '须为该分类的模板之一')
  return after
}

export async function updateCategory(
  ctx: AppContext,
  owner: Owner,
  id: number,
  input: UpdateAssetCategory,
): Promise<AssetCategoryView> {
  const row = await ctx.db.write('assets.updateCategory', (tx) => changeCategory(tx, owner, id, input, 'body'))
  return viewOf(ctx, row)
}

/** Changes the fields that are given, in a write. `where` is the first part of the paths of bad fields. */
export async function changeCategory(
  tx: Tx,
  owner: Owner,
  id: number,
  input: CategoryChange,
  where: string,
): Promise<CategoryRow> {
  const key = ownerKey(owner)
  const before = await assetCategoryTree.find(tx, key, id)
  if (before === undefined) throw notFound()
  const change = {
    ...columnsOf(owner, input, where),
    ...(input.booking !== undefined && { booking: await bookingOf(tx, owner, input.booking, where, before.booking) }),
  }
  if (change.parentId !== undefined && change.parentId !== before.parentId)
    refusals.check(await assetCategoryTree.checkMove(tx, key, id, change.parentId), where)
  const bound = (await store.categoryTemplates(tx, [id])).get(id) ?? NO_TEMPLATES
  const templates = await templatesOf(tx, key, bound, input, where)
  const keepsTemplates = sameTemplates(bound, templates)
  const keeps = (name: string) => Bun.deepEquals(change[name as keyof typeof change], before[name as keyof CategoryRow])
  if (keepsTemplates && Object.keys(change).every(keeps)) return before
  if (!keepsTemplates) await store.setTemplates(tx, id, templates)
  const update = () => store.updateCategory(tx, key, id, change)
  if (change.parentId !== undefined && change.parentId !== before.parentId && (await hasCategoryPlans(tx, key)))
    await startWork(tx, key, await assetCategoryTree.branchIds(tx, key, id))
  const isSeenAlike = ['parentId', 'shared'].every((name) => !Object.hasOwn(change, name) || keeps(name))
  return isSeenAlike ? update() : withAudiences(tx, key, update)
}

/** The columns that a request sets. */
function columnsOf(
  owner: Owner,
  { name, color, shared, parentId, pinned, sortOrder, depreciation, countEveryMonths }: CategoryChange,
  where: string,
): Partial<store.CategoryFields> {
  return {
    ...(name !== undefined && { name }),
    ...(color !== undefined && { color: colorOf(color) }),
    ...(shared !== undefined && { shared: sharedOf(owner, shared, where)! }),
    ...(parentId !== undefined && { parentId }),
    ...(pinned !== undefined && { pinned }),
    ...(sortOrder !== undefined && { sortOrder }),
    ...(depreciation !== undefined && { depreciation: depreciationOf(depreciation, where) }),
    ...(countEveryMonths !== undefined && { countEveryMonths }),
  }
}

/** @throws AppError 400 unless the method has what it needs, and nothing else */
function depreciationOf(given: DepreciationInput | null | undefined, where: string): Depreciation | null {
  if (given == null) return null
  const { method, months = null, residualPercent = 0, yearlyPercent = null } = given
  const at = `${where}.depreciation`
  if (method === 'STRAIGHT_LINE' && months === null)
    throw invalid(`${at}.months`, 'is required with STRAIGHT_LINE', '直线法须填写使用月数')
  if ((method === 'DECLINING') !== (yearlyPercent !== null))
    throw invalid(
      `${at}.yearlyPercent`,
      'is required with DECLINING, and possible with it only',
      '仅余额递减法须填写年折旧率',
    )
  return { method, months, residualPercent, yearlyPercent }
}

/**
 * Brings a deleted category back with a change, in a write. It comes without templates, and to the top level if its parent is gone.
 * Assets that it has not lost yet stay in it.
 */
export async function restoreCategory(
  tx: Tx,
  owner: Owner,
  row: CategoryRow,
  input: CategoryChange,
  where: string,
): Promise<CategoryRow> {
  const key = ownerKey(owner)
  await checkCount(tx, key)
  const change = columnsOf(owner, input, where)
  const problem = await assetCategoryTree.checkParent(tx, key, change.parentId ?? row.parentId)
  if (change.parentId != null) refusals.check(problem, where)
  const parentId = change.parentId === null || problem !== undefined ? null : (change.parentId ?? row.parentId)
  await store.setTemplates(tx, row.id, await templatesOf(tx, key, NO_TEMPLATES, input, where))
  await store.deleteCleanUp(tx, row.id)
  const booking = input.booking === undefined ? row.booking : await bookingOf(tx, owner, input.booking, where)
  return store.updateCategory(tx, key, row.id, { ...change, booking, parentId, deletedAt: null })
}

/**
 * Runs a change after which other users may see categories of an organization. Clients that synchronize get these categories, and those
 * who may no longer see them get them as deleted.
 */
async function withAudiences<T>(tx: Tx, key: OwnerKey, change: () => Promise<T>): Promise<T> {
  if (orgOf(key) === 0) return change()
  const before = audiencesOf(await store.categoryNodes(tx, key))
  const result = await change()
  const after = audiencesOf(await store.categoryNodes(tx, key))
  const changed = [...after].filter(([id, audience]) => before.has(id) && before.get(id) !== audience)
  await store.stampCategories(
    tx,
    key,
    changed.map(([id]) => id),
  )
  const lost = changed.filter(([id, audience]) => audience !== 'EVERYONE' && before.get(id) !== 'NOBODY')
  await recordDeleted(
    tx,
    'assetCategory',
    lost.map(([id]) => ({ owner: key, id, version: 0 })),
  )
  return result
}

export async function pinCategory(
  ctx: AppContext,
  owner: Owner,
  id: number,
  pinned: boolean,
): Promise<AssetCategoryView> {
  const key = ownerKey(owner)
  const row = await ctx.db.write('assets.pinCategory', async (tx) => {
    await assetCategoryTree.pin(tx, key, [id], pinned)
    return assetCategoryTree.find(tx, key, id)
  })
  return viewOf(ctx, row)
}

/** Pins none of them if one id is not the owner's. */
export function pinCategories(
  ctx: AppContext,
  owner: Owner,
  ids: readonly number[],
  pinned: boolean,
): Promise<{ count: number }> {
  return ctx.db.write('assets.pinCategories', async (tx) => {
    const count = await assetCategoryTree.pin(tx, ownerKey(owner), ids, pinned)
    if (count !== ids.length) throw notFound()
    return { count }
  })
}

export async function moveCategory(
  ctx: AppContext,
  owner: Owner,
  id: number,
  parentId: number | null,
): Promise<AssetCategoryView> {
  const row = await ctx.db.write('assets.moveCategory', (tx) => changeCategory(tx, owner, id, { parentId }, 'body'))
  return viewOf(ctx, row)
}

/** Changes none of them if one id is not the owner's. */
export function reorderCategories(
  ctx: AppContext,
  owner: Owner,
  input: ReorderAssetCategories,
): Promise<{ count: number }> {
  const items = orderItems(input)
  if (typeof items === 'string') throw refusals.of(items)
  return ctx.db.write('assets.reorderCategories', async (tx) => {
    refusals.check(await assetCategoryTree.reorder(tx, ownerKey(owner), items))
    return { count: items.length }
  })
}

export async function checkDeletable(ctx: AppContext, owner: Owner, id: number): Promise<AssetCategoryDeletable> {
  if ((await findVisibleCategory(ctx, owner, id)) === undefined) throw notFound()
  const key = ownerKey(owner)
  const childCount = await assetCategoryTree.countChildren(ctx.db.read, key, id)
  const assetCount = (await store.assetCounts(await readerOf(ctx, key), key, id)).get(id) ?? 0
  return { deletable: childCount === 0, reason: childCount === 0 ? null : 'HAS_CHILDREN', childCount, assetCount }
}

/** Assets that lose their category in one write, which takes some milliseconds. */
const ASSETS_PER_WRITE = 200

/**
 * A category can hold a million assets. They are taken out in short writes, so that the writes of others do not wait: the first ones in
 * that which deletes the category, and the others afterwards, by a job if the server stops meanwhile.
 */
export async function deleteCategory(ctx: AppContext, owner: Owner, id: number): Promise<void> {
  await ctx.db.write('assets.deleteCategory', (tx) => removeCategory(tx, owner, id))
  await emptyCategory(ctx, id)
}

/** Deletes a category in a write. The assets that are too many for it are left to the job. */
export async function removeCategory(tx: Tx, owner: Owner, id: number): Promise<CategoryRow> {
  const key = ownerKey(owner)
  if ((await assetCategoryTree.find(tx, key, id)) === undefined) throw notFound()
  if ((await assetCategoryTree.countChildren(tx, key, id)) > 0)
    throw badRequest('Move or delete the sub-categories first', '请先移动或删除子分类')
  await deletePlansOf(tx, key, { categoryId: id })
  if (await isFull(tx, key, id)) await store.insertCleanUp(tx, key, id)
  return store.deleteCategory(tx, key, id)
}

/** Takes the remaining assets out of a deleted category, or of all of them. */
const emptyCategory = (ctx: AppContext, id?: number): Promise<void> =>
  finishInSlices(ctx, 'assets.emptyCategory', {
    first: (db) => store.findCleanUp(db, id),
    work: (tx, { owner, categoryId }, limit) => store.clearCategory(tx, owner, categoryId, limit),
    end: (tx, { categoryId }) => store.deleteCleanUp(tx, categoryId),
  })

export const emptyCategories = (ctx: AppContext): Promise<void> => emptyCategory(ctx)

/** Takes some assets out of the category. Whether there may be more of them. */
const isFull = async (tx: Tx, key: OwnerKey, id: number): Promise<boolean> =>
  (await store.clearCategory(tx, key, id, ASSETS_PER_WRITE)) === ASSETS_PER_WRITE

/** The administrator's deletion: the categories below move to the parent. */
export async function deleteAnyCategory(ctx: AppContext, actor: LoggedActor, id: number): Promise<void> {
  const found = await store.findAnyCategory(ctx.db.read, id)
  if (found === undefined) throw notFound()
  const key = found.owner
  await actor.write('assets.deleteAnyCategory', async (tx) => {
    const row = await assetCategoryTree.find(tx, key, id)
    if (row === undefined) throw notFound()
    const hadPlans = await hasCategoryPlans(tx, key)
    await deletePlansOf(tx, key, { categoryId: id })
    if (hadPlans) await startWork(tx, key, await assetCategoryTree.branchIds(tx, key, id))
    if (await isFull(tx, key, id)) await store.insertCleanUp(tx, key, id)
    const movedChildren = await withAudiences(tx, key, () => store.moveChildren(tx, key, id, row.parentId))
    await store.deleteCategory(tx, key, id)
    const { name, parentId, userId } = row
    const before = { name, parentId, orgId: orgIdOf(row), createdBy: userId, movedChildren }
    return { result: undefined, logged: { targetId: id, targetName: name, before } }
  })
  await emptyCategory(ctx, id)
}

const orgIdOf = (row: CategoryRow): number | null => orgOf(row.owner) || null

/** The assets of a page's categories are counted on the worker: a category can have a million. */
export async function listAllCategories(
  ctx: AppContext,
  adminId: number,
  query: AllAssetCategoriesQuery,
): Promise<Page<AnyAssetCategoryView>> {
  const page = await adminPage(ctx, adminId, store.allCategories(query), query)
  const db = ctx.db.readInWorker
  const views = await toViews(db, page.items, await store.assetCountsOf(db, page.items))
  const rows = page.items.map((row) => ({ userId: row.userId, orgId: orgOf(row.owner) }))
  const ownerOf = await ownersOf(ctx.db.read, rows)
  return { ...page, items: views.map((view, i) => ({ ...view, ...ownerOf(rows[i]!) })) }
}

/** Categories that lose a deleted template in one write. */
const CATEGORIES_PER_WRITE = 200

/** A GLOBAL template can be bound to a million categories. Those beyond the first are left to the job; they no longer show it meanwhile. */
export const templateDeleting = (tx: Tx, templateId: number): Promise<number> =>
  store.dropTemplate(tx, templateId, CATEGORIES_PER_WRITE)

/** Takes deleted templates off the categories that were too many for the write that deleted the template. */
export async function dropDeletedTemplates(ctx: AppContext): Promise<void> {
  for (;;) {
    const id = await store.firstDeletedTemplate(ctx.db.readInWorker)
    if (id === undefined || ctx.lifecycle.draining) return
    await inSlices(ctx, 'assets.dropTemplate', (tx, limit) => store.dropTemplate(tx, id, limit))
  }
}

export async function toViews(
  db: Db,
  rows: readonly CategoryRow[],
  counts: ReadonlyMap<number, number>,
): Promise<AssetCategoryView[]> {
  const templates = await store.categoryTemplates(
    db,
    rows.map((row) => row.id),
  )
  return rows.map((row) => {
    const { templateIds, defaultTemplateId } = templates.get(row.id) ?? NO_TEMPLATES
    const orgId = orgIdOf(row)
    return {
      id: row.id,
      scope: orgId === null ? 'PERSONAL' : 'ORG',
      orgId,
      name: row.name,
      color: row.color,
      parentId: row.parentId,
      pinned: row.pinned,
      sortOrder: row.sortOrder,
      shared: row.shared,
      depreciation: row.depreciation,
      countEveryMonths: row.countEveryMonths,
      booking: row.booking && { ...row.booking, keeperIds: [...row.booking.keeperIds] },
      templateIds: [...templateIds],
      defaultTemplateId,
      assetCount: counts.get(row.id) ?? 0,
      createdBy: row.userId,
      version: row.version,
      createdAt: row.createdAt,
      updatedAt: row.updatedAt,
    }
  })
}

/** 404 if there is no row. */
async function viewOf(ctx: AppContext, row: CategoryRow | undefined): Promise<AssetCategoryView> {
  if (row === undefined) throw notFound()
  const counts = await store.assetCounts(await readerOf(ctx, row.owner), row.owner, row.id)
  const [view] = await toViews(ctx.db.read, [row], counts)
  return view!
}
