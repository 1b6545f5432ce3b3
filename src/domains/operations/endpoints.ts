import { endpoint, open, platform } from '#http/endpoint.ts'

import { HealthStatus, InfoView } from './model.ts'
import { info, isHealthy, metricsText } from './service.ts'

const tag = 'Operations'

export const operationsEndpoints = [
  endpoint({
    id: 'actuator.health',
    method: 'GET',
    path: '/actuator/health',
    summary: 'Whether the server can do its work',
    description:
      'Answers `{"status":"UP"}` bare, or 503 and `{"status":"DOWN"}` while stopping or when the database or the disk fails.',
    tag,
    access: open,
    answers: 'application/json',
    data: HealthStatus,
    whileDraining: true,
    run: async ({ ctx }) => {
      const healthy = await isHealthy(ctx)
      return Response.json(
        { status: healthy ? 'UP' : 'DOWN' },
        { status: healthy ? 200 : 503, headers: { 'cache-control': 'no-store' } },
      )
    },
  }),
  endpoint({
    id: 'actuator.info',
    method: 'GET',
    path: '/actuator/info',
    summary: 'Version, uptime, memory and disk',
    tag,
    access: platform('system:read'),
    data: InfoView,
    run: ({ ctx }) => info(ctx),
  }),
  endpoint({
    id: 'actuator.metrics',
    method: 'GET',
    path: '/actuator/metrics',
    summary: 'Metrics in Prometheus text format',
    tag,
    access: platform('system:read'),
    answers: 'text/plain; version=0.0.4',
    run: ({ ctx }) =>
      new Response(metricsText(ctx), { headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' } }),
  }),
]
