import { endpoint, platform } from '#http/endpoint.ts'

import { LogPage, LogQuery } from './model.ts'
import { listLogs } from './service.ts'

export const logEndpoints = [
  endpoint({
    id: 'operationLog.list',
    method: 'GET',
    path: '/api/admin/logs',
    summary: 'List what administrators have changed',
    description:
      'Newest first. The rows form a chain: `hash` covers the row and the hash of the row before, so a change of an old row is ' +
      'found by `tessera doctor`. No operation changes or deletes rows.',
    tag: 'Operation log',
    access: platform('admin_log:read'),
    query: LogQuery,
    data: LogPage,
    run: ({ ctx, query }) => listLogs(ctx, query),
  }),
]
