import { endpoint, platform } from '#http/endpoint.ts'

import { metrics } from './metrics.service.ts'

export const metricsEndpoints = [
  endpoint({
    id: 'actuator.metrics',
    method: 'GET',
    path: '/actuator/metrics',
    summary: 'Get metrics in the Prometheus text format',
    description:
      'With `TESSERA_METRICS_TOKEN` as the Bearer token, no administrator and no device is needed. Each of several processes has metrics of its own.',
    tag: 'Operations',
    access: platform('system:read'),
    takesMetricsToken: true,
    answers: 'text/plain; version=0.0.4',
    run: ({ ctx }) => metrics(ctx),
  }),
]
