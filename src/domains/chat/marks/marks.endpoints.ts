import { app, endpoint } from '#http/endpoint.ts'
import { ById } from '#http/schema.ts'

import { MessageReaders } from './marks.model.ts'
import { showReaders } from './marks.service.ts'

export const markEndpoints = [
  endpoint({
    id: 'messages.readers',
    method: 'GET',
    path: '/api/chats/messages/:id/readers',
    summary: 'List the members who have read your message',
    description:
      'For its sender only, in groups of up to 100 members and in direct conversations. Members who have read receipts off, or with whom ' +
      'you have a block, count as not having read it.',
    tag: 'Messages',
    access: app('chat:read'),
    params: ById,
    data: MessageReaders,
    refuses: { 403: 'You have left the group: code 4015.', 404: 'There is no such message, or it is not yours.' },
    run: ({ ctx, actor, params }) => showReaders(ctx, actor, params.id),
  }),
]
