import { endpoint, platform } from '#http/endpoint.ts'

import { InfoView, ProcessList } from './operations.model.ts'
import { info, listProcesses } from './operations.service.ts'

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
]
