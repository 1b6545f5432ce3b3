import { app, endpoint } from '#http/endpoint.ts'
import { ById, Pin } from '#http/schema.ts'

import {
  Conversation,
  ConversationPage,
  Draft,
  History,
  HistoryQuery,
  ListQuery,
  Mute,
  ReadState,
  ReadUpTo,
} from './conversations.model.ts'
import * as service from './conversations.service.ts'
import { saveDraft } from './drafts.service.ts'

const tag = 'Conversations'

export const conversationEndpoints = [
  endpoint({
    id: 'conversations.list',
    method: 'GET',
    path: '/api/chats/conversations',
    summary: 'List your conversations',
    description: 'Pinned ones first, then by the time of the last message, newest first.',
    tag,
    access: app('chat:read'),
    query: ListQuery,
    data: ConversationPage,
    run: ({ ctx, actor, query }) => service.listConversations(ctx, actor, query),
  }),
  endpoint({
    id: 'conversations.get',
    method: 'GET',
    path: '/api/chats/conversations/:id',
    summary: 'Get a conversation',
    tag,
    access: app('chat:read'),
    params: ById,
    data: Conversation,
    run: ({ ctx, actor, params }) => service.showConversation(ctx, actor, params.id),
  }),
  endpoint({
    id: 'conversations.pin',
    method: 'POST',
    path: '/api/chats/conversations/:id/pin',
    summary: 'Pin or unpin a conversation',
    tag,
    access: app('chat:read'),
    params: ById,
    body: Pin,
    data: Conversation,
    run: ({ ctx, actor, params, body }) =>
      service.changeOwnView(ctx, actor, params.id, { pinned: body.pinned ? 1 : 0 }),
  }),
  endpoint({
    id: 'conversations.read',
    method: 'POST',
    path: '/api/chats/conversations/:id/read',
    summary: 'Mark the messages of a conversation as read',
    description:
      'Up to `messageId`, otherwise up to the newest message. The mark never goes back. A conversation that you have marked as unread is no longer. Your devices get a `read` frame, and so does the ' +
      'other user of a direct conversation if both of you have read receipts on.',
    tag,
    access: app('chat:read'),
    params: ById,
    body: ReadUpTo,
    data: ReadState,
    run: ({ ctx, actor, params, body }) => service.readConversation(ctx, actor, params.id, body.messageId),
  }),
  endpoint({
    id: 'conversations.unread',
    method: 'POST',
    path: '/api/chats/conversations/:id/unread',
    summary: 'Mark a conversation as unread',
    description:
      'For yourself: your devices show it as unread until you mark messages of it as read. `unreadCount` and the read marks stay as they are.',
    tag,
    access: app('chat:read'),
    params: ById,
    data: Conversation,
    run: ({ ctx, actor, params }) => service.changeOwnView(ctx, actor, params.id, { markedUnread: true }),
  }),
  endpoint({
    id: 'conversations.mute',
    method: 'PUT',
    path: '/api/chats/conversations/:id/mute',
    summary: 'Set whether a conversation is muted',
    description: 'Muted conversations still count as unread.',
    tag,
    access: app('chat:read'),
    params: ById,
    body: Mute,
    data: Conversation,
    run: ({ ctx, actor, params, body }) => service.changeOwnView(ctx, actor, params.id, { muted: body.muted }),
  }),
  endpoint({
    id: 'conversations.draft',
    method: 'PUT',
    path: '/api/chats/conversations/:id/draft',
    summary: 'Set the draft of a conversation',
    description:
      'Only your own devices see it. It does not change the place of the conversation in the list. With `baseVersion` it may be as long as a ' +
      'message, and never replaces a draft that your device has not seen.',
    tag,
    access: app('chat:read'),
    params: ById,
    body: Draft,
    data: Conversation,
    refuses: {
      409: 'The draft was changed since `baseVersion`. `data` is the conversation with the present draft.',
    },
    run: ({ ctx, actor, params, body }) => saveDraft(ctx, actor, params.id, body),
  }),
  endpoint({
    id: 'conversations.clear',
    method: 'DELETE',
    path: '/api/chats/conversations/:id/messages',
    summary: 'Clear the history of a conversation',
    description: 'For yourself only. The conversation stays on your list.',
    tag,
    access: app('chat:delete'),
    params: ById,
    run: ({ ctx, actor, params }) => service.clearConversation(ctx, actor, params.id, { deleted: false }),
  }),
  endpoint({
    id: 'conversations.delete',
    method: 'DELETE',
    path: '/api/chats/conversations/:id',
    summary: 'Delete a conversation from your list',
    description:
      'For yourself only. It is empty, and answered with 404, until a newer message brings it back under the same id.',
    tag,
    access: app('chat:delete'),
    params: ById,
    run: ({ ctx, actor, params }) => service.clearConversation(ctx, actor, params.id, { deleted: true }),
  }),
  endpoint({
    id: 'conversations.history',
    method: 'GET',
    path: '/api/chats/conversations/:id/messages',
    summary: 'List the messages of a conversation',
    description: 'Newest first. Reading them does not mark them as read.',
    tag,
    access: app('chat:read'),
    params: ById,
    query: HistoryQuery,
    data: History,
    run: ({ ctx, actor, params, query }) => service.showHistory(ctx, actor, params.id, query),
  }),
]
