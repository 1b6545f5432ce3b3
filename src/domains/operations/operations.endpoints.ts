import { endpoint, platform } from '#http/endpoint.ts'

import { InfoView, ProcessList, ServerLog, ServerLogQuery } from './operations.model.ts'
import { info, listProcesses, showServerLog } from './operations.service.ts'

const tag = 'Operations'

export const operationsEndpoints = [
  endpoint({
    id: 'actuator.info',
    method: 'GET',
    path: '/actuator/info',
    summary: 'Get version, uptime, memory and free disk space',
    tag,
    access: platform('system:read'),
    data: InfoView,
    run: ({ ctx }) => info(ctx),
  }),
  endpoint({
    id: 'processes.list',
    method: 'GET',
    path: '/api/admin/processes',
    summary: 'List the processes of the server',
    description:
      'Those that share the database, in the order of their start; on SQLite the only one. Each reports itself every second. One that was ' +
      'killed is LOST within 5 seconds, one whose machine does not answer within 30, and it is listed for an hour. One that was stopped is not listed.',
    tag,
    access: platform('system:read'),
    data: ProcessList,
    run: ({ ctx }) => listProcesses(ctx),
  }),
  endpoint({
    id: 'serverLog.list',
    method: 'GET',
    path: '/api/admin/server-log',
    summary: 'List the newest lines of the server log',
    description:
      'At most 1,000 requests and 1,000 other lines since the start of the process, kept in memory. Secrets and contacts are masked, and ' +
      'verification codes, which the log contains in readable form without a gateway, are left out. Requests of this operation and of ' +
      '`/actuator` are kept only if they fail.',
    tag,
    access: platform('admin_log:read'),
    query: ServerLogQuery,
    data: ServerLog,
    run: ({ ctx, query }) => showServerLog(ctx, query),
  }),
]
