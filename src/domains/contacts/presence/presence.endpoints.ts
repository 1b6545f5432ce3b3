import { app, endpoint } from '#http/endpoint.ts'

import { Presence, PresenceQuery } from './presence.model.ts'
import { showPresence } from './presence.service.ts'

export const presenceEndpoints = [
  endpoint({
    id: 'contacts.presence',
    method: 'GET',
    path: '/api/contacts/presence',
    summary: 'Show which contacts are online',
    description:
      'Of contacts who have you as a contact too, without a block, if both of you have `presence` on. Ask once a minute: the server sends no ' +
      'frames about it. Clients say that somebody is there by the frame `presence`.',
    tag: 'Contacts',
    access: app('contact:read'),
    query: PresenceQuery,
    data: Presence,
    run: ({ ctx, actor, query }) => showPresence(ctx, actor, query.userIds),
  }),
]
