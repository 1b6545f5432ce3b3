import { endpoint, org } from '#http/endpoint.ts'

import { ByShare, CreateShare, InOrg, SharePage, SharesQuery, ShareView } from './model.ts'
import { deleteShare, listShares, share } from './service.ts'

const tag = 'Shares'

export const shareEndpoints = [
  endpoint({
    id: 'shares.create',
    method: 'POST',
    path: '/api/orgs/:orgId/shares',
    summary: 'Share a copy of something of one’s own with the organization',
    description:
      'The copy is the organization’s and independent: it has its own public id, begins private and in no category, and counts in the ' +
      'organization’s quota. Sharing twice makes two copies.',
    tag,
    access: org('share:create'),
    params: InOrg,
    body: CreateShare,
    data: ShareView,
    run: ({ ctx, actor, params, body }) => share(ctx, actor, params.orgId, body),
  }),
  endpoint({
    id: 'shares.list',
    method: 'GET',
    path: '/api/orgs/:orgId/shares',
    summary: 'What is shared with the organization, the latest first',
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
    summary: 'Delete a shared copy for good',
    description: 'The original stays as it is.',
    tag,
    access: org('share:delete'),
    params: ByShare,
    run: ({ ctx, actor, params }) => deleteShare(ctx, actor, params.orgId, params.shareId),
  }),
]
