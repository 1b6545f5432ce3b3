import { endpoint, open, platform } from '#http/endpoint.ts'

import { HealthView, InfoView, ServerLog, ServerLogQuery } from './operations.model.ts'
import { health, info, metrics, showServerLog } from './operations.service.ts'

const tag = 'Operations'

export const operationsEndpoints = [
  endpoint({
    id: 'actuator.health',
    method: 'GET',
    path: '/actuator/health',
    summary: 'Check whether the server is healthy',
    description:
      'Returns `{"status":"UP"}` without an envelope, or 503 and `{"status":"DOWN"}` while the server is stopping or if the ' +
      'database or the disk fails. With the token and the `X-Device-Id` of an administrator, `components` shows details. Other tokens ' +
      'are ignored.',
    tag,
    access: open,
    answers: 'application/json',
    data: HealthView,
    whileDraining: true,
    run: ({ ctx, request, caller }) => health(ctx, request, caller),
  }),
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
    id: 'actuator.metrics',
    method: 'GET',
    path: '/actuator/metrics',
    summary: 'Get metrics in the Prometheus text format',
    tag,
    access: platform('system:read'),
    answers: 'text/plain; version=0.0.4',
    run: ({ ctx }) => metrics(ctx),
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
