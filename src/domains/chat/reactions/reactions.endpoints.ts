import { app, endpoint } from '#http/endpoint.ts'

import { Message } from '../messages/messages.model.ts'
import { ByEmoji, MAX_EMOJI, REACTIONS } from './reactions.model.ts'
import * as service from './reactions.service.ts'

const tag = 'Messages'
const REFUSED = 'You have left the group, or one of you has blocked the other (codes 4015, 4012).'

export const reactionEndpoints = [
  endpoint({
    id: 'messages.react',
    method: 'PUT',
    path: '/api/chats/messages/:id/reactions/:emoji',
    summary: 'Add an emoji to a message',
    description: `Nothing changes if you have already added it. A message has at most ${MAX_EMOJI} different ones.`,
    tag,
    access: app('chat:send'),
    params: ByEmoji,
    data: Message,
    budgets: [REACTIONS],
    refuses: { 400: 'The message is recalled, is one of the system, or has too many different emoji.', 403: REFUSED },
    run: ({ ctx, actor, params }) => service.addReaction(ctx, actor, params.id, params.emoji),
  }),
  endpoint({
    id: 'messages.unreact',
    method: 'DELETE',
    path: '/api/chats/messages/:id/reactions/:emoji',
    summary: 'Remove your emoji from a message',
    tag,
    access: app('chat:send'),
    params: ByEmoji,
    data: Message,
    budgets: [REACTIONS],
    refuses: { 403: REFUSED },
    run: ({ ctx, actor, params }) => service.removeReaction(ctx, actor, params.id, params.emoji),
  }),
]
