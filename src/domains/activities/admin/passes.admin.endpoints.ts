import { endpoint, platform } from '#http/endpoint.ts'

import { ByPass } from '../passes/passes.model.ts'
import { AdminPassesQuery, AdminPassPage, AdminPassView, AdminRevokePass } from './passes.admin.model.ts'
import * as service from './passes.admin.service.ts'

const tag = 'Passes'

export const passAdminEndpoints = [
  endpoint({
    id: 'admin.passes.list',
    method: 'GET',
    path: '/api/admin/passes',
    summary: 'List the passes of all activities',
    description:
      'Newest first unless `sort` is given. `uuid`, `qrContent` and `publicUrl` are null, because each of them is as good as the pass.',
    tag,
    access: platform('pass:read'),
    query: AdminPassesQuery,
    data: AdminPassPage,
    run: ({ ctx, actor, query }) => service.listAllPasses(ctx, actor, query),
  }),
  endpoint({
    id: 'admin.passes.revoke',
    method: 'PUT',
    path: '/api/admin/passes/:passId/revoke',
    summary: 'Revoke any pass',
    description: 'This is final. If the pass is revoked already, nothing changes.',
    tag,
    access: platform('pass:revoke'),
    logs: 'PASS_REVOKE',
    params: ByPass,
    body: AdminRevokePass,
    data: AdminPassView,
    run: ({ ctx, actor, params, body }) => service.revokeAnyPass(ctx, actor, params.passId, body.reason),
  }),
  endpoint({
    id: 'admin.passes.delete',
    method: 'DELETE',
    path: '/api/admin/passes/:passId',
    summary: 'Delete any pass',
    description: 'Gates refuse it, also those that work offline once they get the next list. Its uses no longer count.',
    tag,
    access: platform('pass:delete'),
    logs: 'PASS_DELETE',
    params: ByPass,
    run: ({ ctx, actor, params }) => service.deleteAnyPass(ctx, actor, params.passId),
  }),
]
