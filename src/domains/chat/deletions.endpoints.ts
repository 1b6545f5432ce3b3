import { app, endpoint } from '#http/endpoint.ts'
import { ById } from '#http/schema.ts'

import { deleteForOneself } from './deletions.service.ts'

export const deletionEndpoints = [
  endpoint({
    id: 'messages.delete',
    method: 'DELETE',
    path: '/api/chats/messages/:id',
    summary: 'Delete a message for yourself',
    description:
      'It is gone from your history, search and unread messages on all of your devices, which get it as a recall with `deleted`. Others still see it.',
    tag: 'Messages',
    access: app('chat:delete'),
    params: ById,
    run: ({ ctx, actor, params }) => deleteForOneself(ctx, actor, params.id),
  }),
]
