import { endpoint, platform } from '#http/endpoint.ts'
import { Type } from '#http/schema.ts'

import { OWNER_REFUSAL, serverVersionRow } from '../server.service.ts'
import { ReachChange, ReachView } from './reach.model.ts'
import { showReach, updateReach } from './reach.service.ts'

export const reachEndpoints = [
  endpoint({
    id: 'server.reach.update',
    method: 'PUT',
    path: '/api/admin/server/reach',
    summary: 'Change how people reach the server',
    description:
      'Acts at once: the new ports are open before the old ones close, and if one of them cannot be opened nothing changes. An earlier public ' +
      'address becomes an alias. The other administrators are notified.',
    tag: 'Server',
    access: platform('setting:update'),
    row: serverVersionRow(ReachView, ({ ctx, caller }) => showReach(ctx, caller.locale)),
    query: Type.Object({
      force: Type.Optional(Type.Boolean({ description: 'Also removes aliases under which something was printed' })),
    }),
    body: ReachChange,
    data: ReachView,
    logs: 'SERVER_UPDATE',
    refuses: {
      400: 'A value contradicts another one, is set at the start, or a port cannot be opened.',
      403: OWNER_REFUSAL,
    },
    run: ({ ctx, actor, body, query, caller }) =>
      updateReach(ctx, actor, body, { isForced: query.force ?? false, locale: caller.locale }),
  }),
]
