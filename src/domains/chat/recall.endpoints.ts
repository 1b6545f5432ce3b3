import { app, endpoint } from '#http/endpoint.ts'
import { ById } from '#http/schema.ts'

import { Message } from './messages/messages.model.ts'
import { recallMessage } from './recall.service.ts'

export const recallEndpoints = [
  endpoint({
    id: 'messages.recall',
    method: 'POST',
    path: '/api/chats/messages/:id/recall',
    summary: 'Recall a message',
    description:
      'Its content ends for everyone, and so do its files. Possible for 2 minutes, unless administrators change that.',
    tag: 'Messages',
    access: app('chat:send'),
    params: ById,
    data: Message,
    refuses: {
      400: 'The time for recalling the message has passed: code 4014.',
      403: 'You are not the sender, or have left the group (code 4015).',
    },
    run: ({ ctx, actor, params }) => recallMessage(ctx, actor, params.id),
  }),
]
