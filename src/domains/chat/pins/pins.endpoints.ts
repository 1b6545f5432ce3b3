import { app, endpoint } from '#http/endpoint.ts'
import { ById } from '#http/schema.ts'

import { Message } from '../messages/messages.model.ts'
import { MAX_PINS, PinnedMessages, PINS } from './pins.model.ts'
import * as service from './pins.service.ts'

const WHO =
  'Both users of a direct conversation may do that, in a group its owner and administrators, and its members if `membersPin` is true.'
const REFUSED =
  'You may not (code 4015), have left the group (code 4015), or could not send to this user (codes 4011, 4012).'

export const pinEndpoints = [
  endpoint({
    id: 'messages.pin',
    method: 'POST',
    path: '/api/chats/messages/:id/pin',
    summary: 'Pin a message in its conversation',
    description:
      `For everyone who can see it. ${WHO} A conversation has at most ${MAX_PINS} pinned messages; if you cannot see all of them, one that you cannot ` +
      'see is unpinned for the new one. Nothing changes if the message is pinned already.',
    tag: 'Messages',
    access: app('chat:send'),
    params: ById,
    data: Message,
    budgets: [PINS],
    refuses: {
      400: `The message is recalled or one of the system, or the conversation has ${MAX_PINS} pinned messages (code 4016).`,
      403: REFUSED,
    },
    run: ({ ctx, actor, params }) => service.pinMessage(ctx, actor, params.id),
  }),
  endpoint({
    id: 'messages.unpin',
    method: 'POST',
    path: '/api/chats/messages/:id/unpin',
    summary: 'Remove a message from the pinned ones',
    description: `For everyone, also if another user has pinned it. ${WHO} Nothing changes if the message is not pinned.`,
    tag: 'Messages',
    access: app('chat:send'),
    params: ById,
    data: Message,
    budgets: [PINS],
    refuses: { 403: REFUSED },
    run: ({ ctx, actor, params }) => service.unpinMessage(ctx, actor, params.id),
  }),
  endpoint({
    id: 'conversations.pins',
    method: 'GET',
    path: '/api/chats/conversations/:id/pins',
    summary: 'List the pinned messages of a conversation',
    description: 'Those that you can see, the latest pinned first.',
    tag: 'Conversations',
    access: app('chat:read'),
    params: ById,
    data: PinnedMessages,
    run: ({ ctx, actor, params }) => service.listPins(ctx, actor, params.id),
  }),
]
