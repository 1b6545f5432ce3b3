import { endpoint, platform } from '#http/endpoint.ts'

import { SystemView } from './system.model.ts'
import { showSystem } from './system.service.ts'

export const systemEndpoints = [
  endpoint({
    id: 'system.get',
    method: 'GET',
    path: '/api/admin/system',
    summary: 'Get the database, the files, the jobs and the limits of the server',
    tag: 'Operations',
    access: platform('system:read'),
    data: SystemView,
    run: ({ ctx }) => showSystem(ctx),
  }),
]
