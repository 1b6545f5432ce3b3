import { endpoint, org } from '#http/endpoint.ts'

import { ByShare, CreateShare, InOrg, SharePage, SharesQuery, ShareView } from './shares.model.ts'
import { createShare, deleteShare, listShares } from './shares.service.ts'

const tag = 'Shares'

export const shareEndpoints = [
  endpoint({
    id: 'shares.create',
    method: 'POST',
    path: '/api/orgs/:orgId/shares',
    summary: 'Share a copy with the organization',
    description:
      'Copies one of your own QR codes or album photos. The copy belongs to the organization, is independent and counts towards the ' +
      'organization’s quota. The copy of a QR code has its own public id, is private and has no category; the copy of a photo has no ' +
      'QR code. If you share it again, you get the same share, and its copy stays as it is.',
    tag,
    access: org('share:create'),
    params: InOrg,
    body: CreateShare,
    data: ShareView,
    run: ({ ctx, actor, params, body }) => createShare(ctx, actor, params.orgId, body),
  }),
  endpoint({
    id: 'shares.list',
    method: 'GET',
    path: '/api/orgs/:orgId/shares',
    summary: 'List the shares of the organization',
    description: 'Latest first.',
    tag,
    access: org('share:read'),
    params: InOrg,
    query: SharesQuery,
    data: SharePage,
    run: ({ ctx, params, query }) => listShares(ctx, params.orgId, query),
  }),
  endpoint({
    id: 'shares.delete',
    method: 'DELETE',
    path: '/api/orgs/:orgId/shares/:shareId',
    summary: 'Delete a share',
    description: 'Permanently deletes the copy. The original is not affected.',
    tag,
    access: org('share:delete'),
    params: ByShare,
    run: ({ ctx, params }) => deleteShare(ctx, params.orgId, params.shareId),
  }),
]
