import { endpoint, type MemberAccess, platform, type RowOf } from '#http/endpoint.ts'
import { ById } from '#http/schema.ts'

import { AllAssetCategoriesQuery, AnyAssetCategoryPage, AssetCategoryView } from './categories.model.ts'
import * as service from './categories.service.ts'
import { versionOfCategory } from './categories.store.ts'

const tag = 'Asset categories'
const anyCategory: RowOf<MemberAccess, typeof ById> = {
  version: versionOfCategory,
  view: AssetCategoryView,
  show: ({ ctx, params }) => service.getAnyCategory(ctx, params.id),
}

export const assetCategoryAdminEndpoints = [
  endpoint({
    id: 'assetCategories.listAll',
    method: 'GET',
    path: '/api/admin/asset-categories',
    summary: 'List the asset categories of all users and organizations',
    description: 'Newest first unless `sort` is given.',
    tag,
    access: platform('category:read'),
    query: AllAssetCategoriesQuery,
    data: AnyAssetCategoryPage,
    run: ({ ctx, actor, query }) => service.listAllCategories(ctx, actor.userId, query),
  }),
  endpoint({
    id: 'assetCategories.deleteAny',
    method: 'DELETE',
    path: '/api/admin/asset-categories/:id',
    summary: 'Delete any asset category',
    description: 'Its sub-categories move to its parent, and its assets are left without a category.',
    tag,
    access: platform('category:delete'),
    logs: 'ASSET_CATEGORY_DELETE',
    params: ById,
    row: anyCategory,
    run: ({ ctx, actor, params }) => service.deleteAnyCategory(ctx, actor, params.id),
  }),
]
