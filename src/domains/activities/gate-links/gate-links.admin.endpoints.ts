import { endpoint, platform } from '#http/endpoint.ts'
import { Id, PageQuery, Type } from '#http/schema.ts'

import { GatePage } from './gate-links.model.ts'
import * as service from './gate-links.service.ts'

const shared = { tag: 'Passes' } as const

export const gateLinkAdminEndpoints = [
  endpoint({
    ...shared,
    id: 'admin.activityGates.list',
    method: 'GET',
    path: '/api/admin/activities/:activityId/gates',
    summary: 'List the gates of any activity that need no account',
    description: 'Without their links.',
    access: platform('activity:read'),
    params: Type.Object({ activityId: Id }),
    query: PageQuery({}),
    data: GatePage,
    run: ({ ctx, params, query }) => service.listAnyGates(ctx, params.activityId, query),
  }),
  endpoint({
    ...shared,
    id: 'admin.activityGates.revoke',
    method: 'DELETE',
    path: '/api/admin/activities/:activityId/gates/:gateId',
    summary: 'End a gate of any activity that needs no account',
    access: platform('activity:update'),
    logs: 'GATE_REVOKE',
    params: Type.Object({ activityId: Id, gateId: Id }),
    run: ({ ctx, actor, params }) =>
      service.revokeAnyGate(ctx, actor, { id: params.activityId, gateId: params.gateId }),
  }),
]
