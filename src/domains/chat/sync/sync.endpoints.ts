import { app, endpoint } from '#http/endpoint.ts'

import { SyncPage, SyncQuery } from './sync.model.ts'
import { sync } from './sync.service.ts'

export const syncEndpoints = [
  endpoint({
    id: 'chats.sync',
    method: 'GET',
    path: '/api/chats/sync',
    summary: 'Get the messages and changes after a cursor',
    description:
      'Everything after a cursor: messages, recalls and other changes in the order in which they happened. Ask again with the `cursor` of ' +
      'the answer while `hasMore` is true. Messages that you have cleared are left out.',
    tag: 'Messages',
    access: app('chat:read'),
    query: SyncQuery,
    data: SyncPage,
    run: ({ ctx, actor, query }) => sync(ctx, actor, query),
  }),
]
