/** Assets and their categories as rows that devices keep and change without a network. */

import type { AppContext } from '#context'
import { orgOf, ownerKey } from '#db/owner-key.ts'
import type { Db, Tx } from '#db/store.ts'
import * as access from '#domains/access/index.ts'
import type { SyncEntity } from '#domains/contributions.ts'
import type { Owner } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'

import { type CheckOptions, prepareAsset, prepareChange, removeAsset } from '../assets.service.ts'
import { visibleTo } from '../categories/categories.rules.ts'
import {
  addCategory,
  changeCategory,
  mayManage,
  readerOf,
  removeCategory,
  restoreCategory,
  toViews as toCategoryViews,
} from '../categories/categories.service.ts'
import { assetCounts, categoryNodes, type CategoryRow } from '../categories/categories.store.ts'
import { valuesOfAssets } from '../entities.service.ts'
import type { UpdateAsset } from '../register/register.model.ts'
import { findAlsoDeleted } from '../register/register.store.ts'
import { toViews } from '../register/register.view.ts'
import { assetData, categoryData, newAssetData, newCategoryData } from './sync.model.ts'
import * as store from './sync.store.ts'

const assets: SyncEntity = {
  readPoint: 'asset:read',
  points: { create: 'asset:create', update: 'asset:update', delete: 'asset:delete' },
  references: { categoryId: 'assetCategory', locationId: 'location' },
  changes: store.assetChanges,
  async views(ctx, db, viewer, locale, ids, until) {
    const rows = await store.unchangedAssets(db, ownerKey(viewer), ids, until)
    const values = await valuesOfAssets(ctx, db, viewer, rows, locale)
    return (await toViews(ctx, db, rows)).map((view) => ({ ...view, values: values.get(view.id) ?? [] }))
  },
  states: (_ctx, db, _userId, ids) => store.assetStates(db, ids),
  async prepareCreate(ctx, _author, owner, data) {
    const input = newAssetData(data)
    const insert = await prepareAsset(ctx, owner, input, await optionsFor(ctx, owner, input))
    return async (tx, revived) => store.stateOf(await insert(tx, revived))
  },
  prepareUpdate: (ctx, _author, owner, data) => prepareUpdate(ctx, owner, data, false),
  prepareRestore: (ctx, _author, owner, data) => prepareUpdate(ctx, owner, data, true),
  remove: async (ctx, tx, owner, id) => store.stateOf(await removeAsset(ctx, tx, owner, id)),
}

async function prepareUpdate(ctx: AppContext, owner: Owner, data: unknown, isRestore: boolean) {
  const input = assetData(data)
  const change = await prepareChange(ctx, owner, input, { ...(await optionsFor(ctx, owner, input)), isRestore })
  return async (tx: Tx, id: number) => {
    const row = await findAlsoDeleted(tx, owner, id)
    if (row === undefined) throw notFound()
    return store.stateOf(await change(tx, row))
  }
}

/** A status of SCRAPPED needs the permission to scrap. */
async function optionsFor(
  ctx: AppContext,
  { userId, orgId }: Owner,
  { status, scrapReason }: UpdateAsset & { readonly scrapReason?: string | null },
): Promise<CheckOptions> {
  const isPermitted =
    status === 'SCRAPPED' && (await access.can(ctx, userId, orgId === 0 ? 'APP' : 'ORG', orgId, 'asset:scrap'))
  return { where: 'data', scrap: { isPermitted, reason: scrapReason ?? '' } }
}

const categories: SyncEntity = {
  readPoint: 'asset:read',
  points: {
    create: 'asset_category:manage',
    update: 'asset_category:manage',
    delete: 'asset_category:manage',
  },
  references: { parentId: 'assetCategory' },
  changes: store.categoryChanges,
  async views(ctx, db, viewer, _locale, ids, until) {
    const key = ownerKey(viewer)
    const rows = await store.unchangedCategories(db, key, ids, until)
    const visible = rows.length === 0 ? rows : await mayKnow(ctx, db, viewer, rows)
    if (visible.length === 0) return []
    const counts = await assetCounts(await readerOf(ctx, key), key, ...visible.map((row) => row.id))
    return toCategoryViews(db, visible, counts)
  },
  restricted: {
    point: 'asset_category:manage',
    async ids(db, orgId, userId) {
      const nodes = await categoryNodes(db, orgId)
      const visible = new Set(visibleTo(userId, nodes))
      return nodes.filter((node) => !visible.has(node)).map((node) => node.id)
    },
  },
  async states(ctx, db, userId, ids) {
    const known: CategoryRow[] = []
    for (const [owner, rows] of Map.groupBy(await store.anyCategories(db, ids), (row) => row.owner))
      known.push(...(await mayKnow(ctx, db, { userId, orgId: orgOf(owner) }, rows)))
    return known.map(store.stateOf)
  },
  async prepareCreate(_ctx, _author, owner, data) {
    const input = newCategoryData(data)
    return async (tx, revived) => store.stateOf(await addCategory(tx, owner, input, 'data', revived))
  },
  async prepareUpdate(_ctx, _author, owner, data) {
    const input = categoryData(data)
    return async (tx, id) => {
      const row = await store.findCategory(tx, ownerKey(owner), id)
      if (row === undefined) throw notFound()
      const change =
        row.deletedAt === null
          ? changeCategory(tx, owner, id, input, 'data')
          : restoreCategory(tx, owner, row, input, 'data')
      return store.stateOf(await change)
    }
  },
  remove: async (_ctx, tx, owner, id) => store.stateOf(await removeCategory(tx, owner, id)),
}

/** The rows of one owner without those that others keep to themselves. A deleted one has no place in the tree, so its parents do not count. */
async function mayKnow(
  ctx: AppContext,
  db: Db | Tx,
  owner: Owner,
  rows: readonly CategoryRow[],
): Promise<readonly CategoryRow[]> {
  if (await mayManage(ctx, owner)) return rows
  const visible = new Set(visibleTo(owner.userId, await categoryNodes(db, ownerKey(owner))).map((node) => node.id))
  return rows.filter((row) =>
    row.deletedAt === null ? visible.has(row.id) : row.shared || row.userId === owner.userId,
  )
}

export const syncEntities = { asset: assets, assetCategory: categories }
