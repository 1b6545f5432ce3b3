import { app, endpoint } from '#http/endpoint.ts'

import { Conversation } from './conversations/conversations.model.ts'
import { openNotes } from './conversations/conversations.service.ts'

export const noteEndpoints = [
  endpoint({
    id: 'chats.openNotes',
    method: 'POST',
    path: '/api/chats/notes',
    summary: 'Open your notes to yourself',
    description:
      'A conversation that only you see, with `isNotes`. Send to its id, or to your own user id, which is refused with 400 before the notes ' +
      'were opened for the first time. Nothing in it is ever unread. The same conversation every time; it is put back on your list if you had deleted it.',
    tag: 'Conversations',
    access: app('chat:send'),
    data: Conversation,
    run: ({ ctx, actor }) => openNotes(ctx, actor),
  }),
]
