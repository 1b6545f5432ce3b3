import { endpoint, platform } from '#http/endpoint.ts'

import { AdminLinkPage, AdminLinksQuery, AdminLinkView, ProposeLink } from './links.admin.model.ts'
import { listAllLinks, proposeLink, unlinkAny } from './links.admin.service.ts'
import { ByLink } from './links.model.ts'

const tag = 'Linked accounts'

export const linkAdminEndpoints = [
  endpoint({
    id: 'admin.links.list',
    method: 'GET',
    path: '/api/admin/auth/link/list',
    summary: 'List the account links of all users',
    description: 'Newest first unless `sort` is given.',
    tag,
    access: platform('account_link:read'),
    query: AdminLinksQuery,
    data: AdminLinkPage,
    run: ({ ctx, actor, query }) => listAllLinks(ctx, actor, query),
  }),
  endpoint({
    id: 'admin.links.propose',
    method: 'POST',
    path: '/api/admin/auth/link',
    summary: 'Propose a link between two accounts',
    description:
      'The link is `PENDING` and opens nothing until the user of the linked account accepts it with ' +
      '`POST /api/auth/link/{linkId}/accept`. They are notified.',
    tag,
    access: platform('account_link:create'),
    logs: 'LINK_CREATE',
    body: ProposeLink,
    data: AdminLinkView,
    refuses: {
      400: 'The users are the same, one of them is not active, or they are linked already.',
      403: 'One of the users is you or another administrator, or the linked one has a second factor (code 4032).',
    },
    run: ({ ctx, actor, body }) => proposeLink(ctx, actor, body),
  }),
  endpoint({
    id: 'admin.links.delete',
    method: 'DELETE',
    path: '/api/admin/auth/link/:linkId',
    summary: 'Delete any account link',
    description:
      'Ends the sessions that the link opened, at once. Both users are notified, unless it was still PENDING.',
    tag,
    access: platform('account_link:delete'),
    logs: 'LINK_DELETE',
    params: ByLink,
    refuses: { 403: 'One of the users is another administrator, and you are not SYSTEM_ADMIN.' },
    run: ({ ctx, actor, params, caller }) => unlinkAny(ctx, actor, params.linkId, caller),
  }),
]
