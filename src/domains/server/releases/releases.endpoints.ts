import { endpoint, platform } from '#http/endpoint.ts'
import { HOUR } from '#platform/clock.ts'

import { UpdateView } from './releases.model.ts'
import { lookNow } from './releases.service.ts'

export const releaseEndpoints = [
  endpoint({
    id: 'server.look',
    method: 'POST',
    path: '/api/admin/server/update',
    summary: 'Check whether there is a newer version',
    description:
      'One request to the address of `TESSERA_UPDATE_URL`, which says nothing about this server. An answer without the signature of the releases counts as none. ' +
      'Nothing is downloaded or installed. The answer is 200 also if there was none.',
    tag: 'Server',
    access: platform('setting:update'),
    data: UpdateView,
    ignoresKey: 'It asks another server, and creates nothing.',
    budgets: [
      {
        name: 'server.look',
        counts: { en: 'looks for a newer version', zh: '检查新版本' },
        per: 'user',
        limit: 10,
        windowMs: HOUR,
        durable: true,
      },
    ],
    refuses: { 400: 'The setting `update.check` is off or locked.' },
    run: ({ ctx, caller }) => lookNow(ctx, caller.locale),
  }),
]
