import { endpoint, platform } from '#http/endpoint.ts'

import { ServerLog, ServerLogQuery } from './server-log.model.ts'
import { showServerLog } from './server-log.service.ts'

export const serverLogEndpoints = [
  endpoint({
    id: 'serverLog.list',
    method: 'GET',
    path: '/api/admin/server-log',
    summary: 'List the newest lines of the server log',
    description:
      'At most 1,000 requests and 1,000 other lines of each process since its start, kept in memory. With several processes, the one that ' +
      'answers asks the others, for 2 seconds at most. Secrets and contacts are masked, and ' +
      'verification codes, which the log contains in readable form without a gateway, are left out. Requests of this operation and of ' +
      '`/actuator` are kept only if they fail.',
    tag: 'Operations',
    access: platform('admin_log:read'),
    query: ServerLogQuery,
    data: ServerLog,
    run: ({ ctx, query }) => showServerLog(ctx, query),
  }),
]
