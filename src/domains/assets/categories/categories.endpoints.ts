import { dual, type DualAccess, endpoint, type RowOf } from '#http/endpoint.ts'
import { ById, Count, InOrg, Pin } from '#http/schema.ts'
import { DAY } from '#platform/clock.ts'

import {
  AssetCategoryDeletable,
  AssetCategoryTree,
  AssetCategoryView,
  CreateAssetCategory,
  MoveAssetCategory,
  PinAssetCategories,
  ReorderAssetCategories,
  TreeQuery,
  UpdateAssetCategory,
} from './categories.model.ts'
import * as service from './categories.service.ts'
import { organizationOfCategory, versionOfCategory } from './categories.store.ts'

const tag = 'Asset categories'
const manage = dual('asset_category:manage')
const manageOne = dual('asset_category:manage', organizationOfCategory)
const category: RowOf<DualAccess, typeof ById> = {
  version: versionOfCategory,
  view: AssetCategoryView,
  show: ({ ctx, owner, params }) => service.getCategory(ctx, owner, params.id),
}
const ONE_MISSING = 'One of the categories does not exist or belongs to another owner.'

export const assetCategoryEndpoints = [
  endpoint({
    id: 'assetCategories.tree',
    method: 'GET',
    path: '/api/assets/categories',
    summary: 'Get all asset categories as a tree',
    description:
      'Your personal categories, or with `orgId` those of that organization. On each level: pinned ones first, then by `sortOrder`, then ' +
      'the oldest first.',
    tag,
    access: { ...dual('asset:read'), isPersonal: ({ scope }) => scope === 'PERSONAL' },
    query: TreeQuery,
    data: AssetCategoryTree,
    run: ({ ctx, owner, query }) => service.getTree(ctx, owner, query),
  }),
  endpoint({
    id: 'assetCategories.create',
    method: 'POST',
    path: '/api/assets/categories',
    summary: 'Create an asset category',
    description: 'Categories can be nested five levels deep. Names need not be unique.',
    tag,
    access: manage,
    query: InOrg,
    body: CreateAssetCategory,
    data: AssetCategoryView,
    budgets: [
      {
        name: 'assetCategories.create',
        counts: { en: 'new asset categories', zh: '新建资产分类次数' },
        per: 'user',
        // Deleted categories stay in the table.
        limit: 5000,
        windowMs: DAY,
        durable: true,
      },
    ],
    refuses: { 404: 'The organization does not exist.' },
    run: ({ ctx, owner, body }) => service.createCategory(ctx, owner, body),
  }),
  endpoint({
    id: 'assetCategories.reorder',
    method: 'PATCH',
    path: '/api/assets/categories/reorder',
    summary: 'Reorder the asset categories of one parent',
    description:
      'Give either `ids` in their new order, or `items` with a `sortOrder` each. If one category is refused, none changes.',
    tag,
    access: manage,
    query: InOrg,
    body: ReorderAssetCategories,
    data: Count,
    refuses: { 404: ONE_MISSING },
    run: ({ ctx, owner, body }) => service.reorderCategories(ctx, owner, body),
  }),
  endpoint({
    id: 'assetCategories.batchPin',
    method: 'PATCH',
    path: '/api/assets/categories/batch-pin',
    summary: 'Pin or unpin several asset categories',
    description: 'If one category is refused, none changes.',
    tag,
    access: manage,
    query: InOrg,
    body: PinAssetCategories,
    data: Count,
    refuses: { 404: ONE_MISSING },
    run: ({ ctx, owner, body }) => service.pinCategories(ctx, owner, body.ids, body.pinned),
  }),
  endpoint({
    id: 'assetCategories.update',
    method: 'PUT',
    path: '/api/assets/categories/:id',
    summary: 'Update an asset category',
    description: 'Only the fields present change. To move it, use `PATCH /api/assets/categories/{id}/parent`.',
    tag,
    access: manageOne,
    params: ById,
    query: InOrg,
    body: UpdateAssetCategory,
    data: AssetCategoryView,
    row: category,
    run: ({ ctx, owner, params, body }) => service.updateCategory(ctx, owner, params.id, body),
  }),
  endpoint({
    id: 'assetCategories.delete',
    method: 'DELETE',
    path: '/api/assets/categories/:id',
    summary: 'Delete an asset category',
    description:
      'A category with sub-categories cannot be deleted. Its assets are not deleted; they are left without a category.',
    tag,
    access: manageOne,
    params: ById,
    query: InOrg,
    row: category,
    run: ({ ctx, owner, params }) => service.deleteCategory(ctx, owner, params.id),
  }),
  endpoint({
    id: 'assetCategories.move',
    method: 'PATCH',
    path: '/api/assets/categories/:id/parent',
    summary: 'Move an asset category',
    description:
      '`parentId` null moves it to the top level. You cannot move it below itself or deeper than five levels.',
    tag,
    access: manageOne,
    params: ById,
    query: InOrg,
    body: MoveAssetCategory,
    data: AssetCategoryView,
    row: category,
    run: ({ ctx, owner, params, body }) => service.moveCategory(ctx, owner, params.id, body.parentId),
  }),
  endpoint({
    id: 'assetCategories.pin',
    method: 'PATCH',
    path: '/api/assets/categories/:id/pin',
    summary: 'Pin or unpin an asset category',
    tag,
    access: manageOne,
    params: ById,
    query: InOrg,
    body: Pin,
    data: AssetCategoryView,
    row: category,
    run: ({ ctx, owner, params, body }) => service.pinCategory(ctx, owner, params.id, body.pinned),
  }),
  endpoint({
    id: 'assetCategories.deletable',
    method: 'GET',
    path: '/api/assets/categories/:id/deletable',
    summary: 'Check whether an asset category can be deleted',
    description: 'Also counts the assets that would be left without a category.',
    tag,
    access: dual('asset:read', organizationOfCategory),
    params: ById,
    query: InOrg,
    data: AssetCategoryDeletable,
    run: ({ ctx, owner, params }) => service.checkDeletable(ctx, owner, params.id),
  }),
]
