import { endpoint, type MemberAccess, platform, type RowOf } from '#http/endpoint.ts'
import { ById } from '#http/schema.ts'

import { AdminAssetPage, AdminListQuery, AdminScrap, AssetView } from '../register/register.model.ts'
import { versionOfAsset } from '../register/register.store.ts'
import * as service from './assets.admin.service.ts'

const tag = 'Assets'
const anyAsset: RowOf<MemberAccess, typeof ById> = {
  version: versionOfAsset,
  view: AssetView,
  show: ({ ctx, params }) => service.getAnyAsset(ctx, params.id),
}

export const assetAdminEndpoints = [
  endpoint({
    id: 'assets.listAll',
    method: 'GET',
    path: '/api/admin/assets',
    summary: 'List the assets of all users and organizations',
    description: 'Newest first unless `sort` is given.',
    tag,
    access: platform('asset:read'),
    query: AdminListQuery,
    data: AdminAssetPage,
    run: ({ ctx, actor, query }) => service.listAllAssets(ctx, actor, query),
  }),
  endpoint({
    id: 'assets.scrapAny',
    method: 'PUT',
    path: '/api/admin/assets/:id/scrap',
    summary: 'Scrap any asset',
    description: 'This is final. If the asset is scrapped already, nothing changes.',
    tag,
    access: platform('asset:scrap'),
    logs: 'ASSET_SCRAP',
    params: ById,
    body: AdminScrap,
    data: AssetView,
    row: anyAsset,
    run: ({ ctx, actor, params, body }) => service.scrapAnyAsset(ctx, actor, params.id, body.reason),
  }),
  endpoint({
    id: 'assets.deleteAny',
    method: 'DELETE',
    path: '/api/admin/assets/:id',
    summary: 'Delete any asset',
    description: 'An asset on loan can be deleted too; its loan ends.',
    tag,
    access: platform('asset:delete'),
    logs: 'ASSET_DELETE',
    params: ById,
    row: anyAsset,
    run: ({ ctx, actor, params }) => service.deleteAnyAsset(ctx, actor, params.id),
  }),
]
