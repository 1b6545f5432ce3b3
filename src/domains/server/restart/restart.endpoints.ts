import { endpoint, platform } from '#http/endpoint.ts'
import { HOUR } from '#platform/clock.ts'

import { OWNER_REFUSAL } from '../server.service.ts'
import { Restarted } from './restart.model.ts'
import { restartServer } from './restart.service.ts'

export const restartEndpoints = [
  endpoint({
    id: 'server.restart',
    method: 'POST',
    path: '/api/admin/server/restart',
    summary: 'Restart the server',
    description:
      'The process that answers finishes its requests and ends with exit code 75; the service or the container starts it again. Other processes ' +
      'go on.',
    tag: 'Server',
    access: platform('setting:update'),
    data: Restarted,
    logs: 'SERVER_RESTART',
    ignoresKey: 'The server ends before a repeated request can arrive.',
    budgets: [
      {
        name: 'server.restart',
        counts: { en: 'restarts', zh: '重启' },
        per: 'user',
        limit: 6,
        windowMs: HOUR,
        durable: true,
      },
    ],
    refuses: {
      400: 'Nothing would start the server again, its configuration has become invalid, or a backup or restore is under way.',
      403: OWNER_REFUSAL,
    },
    run: ({ ctx, actor }) => restartServer(ctx, actor),
  }),
]
