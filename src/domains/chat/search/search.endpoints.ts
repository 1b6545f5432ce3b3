import { app, endpoint } from '#http/endpoint.ts'

import { FoundMessages, SEARCHES, SearchQuery } from './search.model.ts'
import { searchMessages } from './search.service.ts'

export const searchEndpoints = [
  endpoint({
    id: 'messages.search',
    method: 'GET',
    path: '/api/chats/messages/search',
    summary: 'Search your messages',
    description:
      'The newest first, among the messages that you can see: texts, captions, names of files, places, cards, QR codes and activities. ' +
      'Case and width of letters do not count.',
    tag: 'Messages',
    access: app('chat:read'),
    query: SearchQuery,
    data: FoundMessages,
    budgets: [SEARCHES],
    refuses: { 404: 'You were never part of the conversation.' },
    run: ({ ctx, actor, query }) => searchMessages(ctx, actor, query),
  }),
]
