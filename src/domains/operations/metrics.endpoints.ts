import { endpoint, platform } from '#http/endpoint.ts'

import { metrics } from './metrics.service.ts'

export const metricsEndpoints = [
  endpoint({
    id: 'actuator.metrics',
    method: 'GET',
    path: '/actuator/metrics',
    summary: 'Get metrics in the Prometheus text format',
    tag: 'Operations',
    access: platform('system:read'),
    answers: 'text/plain; version=0.0.4',
    run: ({ ctx }) => metrics(ctx),
  }),
]
