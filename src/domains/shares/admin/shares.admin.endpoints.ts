import { endpoint, platform } from '#http/endpoint.ts'

import { AdminSharePage, AdminSharesQuery, ByShareId } from './shares.admin.model.ts'
import * as service from './shares.admin.service.ts'

const tag = 'Shares'

export const shareAdminEndpoints = [
  endpoint({
    id: 'admin.shares.list',
    method: 'GET',
    path: '/api/admin/shares',
    summary: 'List the shares of all organizations',
    description:
      'Latest first unless `sort` is given. Shares whose copy is in the trash of the organization are included.',
    tag,
    access: platform('share:read'),
    query: AdminSharesQuery,
    data: AdminSharePage,
    run: ({ ctx, actor, query }) => service.listAllShares(ctx, actor, query),
  }),
  endpoint({
    id: 'admin.shares.delete',
    method: 'DELETE',
    path: '/api/admin/shares/:shareId',
    summary: 'Delete any share',
    description: 'Permanently deletes the copy, also one in the trash. The original is not affected.',
    tag,
    access: platform('share:delete'),
    logs: 'SHARE_DELETE',
    params: ByShareId,
    run: ({ ctx, actor, params }) => service.deleteAnyShare(ctx, actor, params.shareId),
  }),
]
