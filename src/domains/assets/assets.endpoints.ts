import { dual, type DualAccess, endpoint, type RowOf } from '#http/endpoint.ts'
import { ById, InOrg } from '#http/schema.ts'

import * as service from './assets.service.ts'
import { listAssets } from './listing.service.ts'
import {
  AssetPage,
  AssetView,
  CreateAsset,
  DeleteQuery,
  ListQuery,
  ScrapAsset,
  UpdateAsset,
} from './register/register.model.ts'
import { organizationOfAsset, versionOfAsset } from './register/register.store.ts'

const tag = 'Assets'
const asset: RowOf<DualAccess, typeof ById> = {
  version: versionOfAsset,
  view: AssetView,
  show: ({ ctx, owner, params, caller }) => service.getAsset(ctx, owner, params.id, caller),
}

export const assetEndpoints = [
  endpoint({
    id: 'assets.list',
    method: 'GET',
    path: '/api/assets',
    summary: 'List assets',
    description:
      'The newest come first unless `sort` is given; assets without the value that `sort` names come last. `orgId` lists the assets of ' +
      'that organization. Scrapped assets are listed unless `status` says otherwise. To filter by fields of metadata, add up to five of ' +
      '`field.<id>=…`, `field.<id>.min=…` and `field.<id>.max=…`: a part of a text, options separated by commas, an exact number or day ' +
      'or an inclusive range, `true` or `false`, the id of a reference, or `true` for files and positions that are filled in.',
    tag,
    access: dual('asset:read'),
    query: ListQuery,
    readsQuery: ['field.*'],
    data: AssetPage,
    run: ({ ctx, owner, query, request, caller }) => listAssets(ctx, owner, query, { request, caller }),
  }),
  endpoint({
    id: 'assets.create',
    method: 'POST',
    path: '/api/assets',
    summary: 'Register an asset',
    description:
      'Without `assetNo` the asset gets the next number of the pattern that the administrators have set. A number is unique among the ' +
      'assets of its owner, whatever its case.',
    tag,
    access: dual('asset:create'),
    query: InOrg,
    body: CreateAsset,
    data: AssetView,
    refuses: { 404: 'The organization does not exist.' },
    run: ({ ctx, owner, body, caller }) => service.createAsset(ctx, owner, body, caller),
  }),
  endpoint({
    id: 'assets.get',
    method: 'GET',
    path: '/api/assets/:id',
    summary: 'Get an asset',
    tag,
    access: dual('asset:read', organizationOfAsset),
    params: ById,
    query: InOrg,
    data: AssetView,
    run: ({ ctx, owner, params, caller }) => service.getAsset(ctx, owner, params.id, caller),
  }),
  endpoint({
    id: 'assets.update',
    method: 'PUT',
    path: '/api/assets/:id',
    summary: 'Update an asset',
    description:
      'Absent fields stay; null clears a field (name and number cannot be cleared). A new custodian or location adds a row to the ' +
      'history of the asset.',
    tag,
    access: dual('asset:update', organizationOfAsset),
    params: ById,
    query: InOrg,
    body: UpdateAsset,
    data: AssetView,
    row: asset,
    run: ({ ctx, owner, params, body, caller }) => service.updateAsset(ctx, owner, params.id, body, caller),
  }),
  endpoint({
    id: 'assets.delete',
    method: 'DELETE',
    path: '/api/assets/:id',
    summary: 'Delete an asset',
    description:
      'Its number becomes free. An asset that is on loan cannot be deleted, and one that is reserved only with `force`: its reservations ' +
      'end, and their people are notified.',
    tag,
    access: dual('asset:delete', organizationOfAsset),
    params: ById,
    query: DeleteQuery,
    refuses: { 400: 'The asset is on loan, or reserved and not forced.' },
    row: asset,
    run: ({ ctx, owner, params, query }) => service.deleteAsset(ctx, owner, params.id, query.force ?? false),
  }),
  endpoint({
    id: 'assets.scrap',
    method: 'POST',
    path: '/api/assets/:id/scrap',
    summary: 'Scrap an asset',
    description: 'This is final. If the asset is scrapped already, nothing changes.',
    tag,
    access: dual('asset:scrap', organizationOfAsset),
    params: ById,
    query: InOrg,
    body: ScrapAsset,
    data: AssetView,
    run: ({ ctx, owner, params, body, caller }) => service.scrapAsset(ctx, owner, params.id, body.reason, caller),
  }),
]
