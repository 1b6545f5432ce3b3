import { app, endpoint } from '#http/endpoint.ts'
import { ById } from '#http/schema.ts'

import { EditMessage, EDITS } from './edits.model.ts'
import { editMessage } from './edits.service.ts'
import { Message } from './messages/messages.model.ts'

export const editEndpoints = [
  endpoint({
    id: 'messages.edit',
    method: 'PATCH',
    path: '/api/chats/messages/:id',
    summary: 'Change the text of a message',
    description:
      'Replaces the content of a TEXT of yours for everyone. Possible for a day, unless administrators change that. Members whom it ' +
      'mentions for the first time and who have not read it are notified.',
    tag: 'Messages',
    access: app('chat:send'),
    params: ById,
    body: EditMessage,
    data: Message,
    budgets: [EDITS],
    refuses: {
      400: 'The message is recalled, forwarded or no TEXT, the content is not valid (code 4021), or the time has passed (code 4014).',
      403: 'You are not the sender, have left the group (code 4015), or could not send to this user (codes 4011, 4012).',
    },
    run: ({ ctx, actor, caller, params, body }) => editMessage(ctx, actor, caller, params.id, body),
  }),
]
