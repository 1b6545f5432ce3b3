import { endpoint, open } from '#http/endpoint.ts'

import { HealthView, LiveView, ReadyView } from './health.model.ts'
import { health, live, ready } from './health.service.ts'

const tag = 'Operations'

export const healthEndpoints = [
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
    id: 'actuator.live',
    method: 'GET',
    path: '/actuator/health/live',
    summary: 'Check whether the program answers at all',
    description:
      'Returns `{"status":"UP"}` without an envelope, whatever the state of the database and the disk. For supervisors that start the ' +
      'server again if it does not answer.',
    tag,
    access: open,
    answers: 'application/json',
    data: LiveView,
    whileDraining: true,
    unlimited: true,
    run: () => live(),
  }),
  endpoint({
    id: 'actuator.ready',
    method: 'GET',
    path: '/actuator/health/ready',
    summary: 'Check whether requests should come to this process',
    description:
      'Returns `{"status":"UP"}` without an envelope, or 503 and the reason. It is DOWN as soon as the server begins to stop, while requests ' +
      'are still answered. For proxies that choose among several processes.',
    tag,
    access: open,
    answers: 'application/json',
    data: ReadyView,
    whileDraining: true,
    unlimited: true,
    run: ({ ctx }) => ready(ctx),
  }),
]
