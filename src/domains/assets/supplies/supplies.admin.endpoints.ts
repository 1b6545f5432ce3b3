import { endpoint, platform } from '#http/endpoint.ts'

import { AdminSuppliesQuery, AdminSupplyPage } from './supplies.model.ts'
import { listAllSupplies } from './supplies.service.ts'

export const supplyAdminEndpoints = [
  endpoint({
    id: 'supplies.listAll',
    method: 'GET',
    path: '/api/admin/supplies',
    summary: 'List the supplies of all users and organizations',
    description: 'Newest first.',
    tag: 'Supplies',
    access: platform('asset:read'),
    query: AdminSuppliesQuery,
    data: AdminSupplyPage,
    run: ({ ctx, actor, query }) => listAllSupplies(ctx, actor, query),
  }),
]
