import { endpoint, platform } from '#http/endpoint.ts'

import { exportLogs, listLogs } from './listing.service.ts'
import { EXPORT_TYPES, LogPage, LogQuery } from './operation-log.model.ts'

export const logEndpoints = [
  endpoint({
    id: 'operationLog.list',
    method: 'GET',
    path: '/api/admin/logs',
    summary: 'List what administrators have changed',
    description:
      'Newest first. The rows form a chain: `hash` covers the row and the hash of the row before, so a change of an old row is ' +
      'found by `tessera log verify`. No operation changes or deletes rows. With `format` you get all rows that match, as a table.',
    tag: 'Operation log',
    access: platform('admin_log:read'),
    query: LogQuery,
    data: LogPage,
    answers: EXPORT_TYPES,
    run: ({ ctx, actor, query, caller }) =>
      query.format === undefined ? listLogs(ctx, actor, query) : exportLogs(ctx, actor, query, query.format, caller),
  }),
]
