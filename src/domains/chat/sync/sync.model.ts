import { Id, Model, type Static, Time, Type } from '#http/schema.ts'

import { Conversation } from '../conversations/conversations.model.ts'
import { Message, MessageRemoval } from '../messages/messages.model.ts'

const Cursor = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })

export const SyncQuery = Type.Object({
  afterId: { ...Cursor, default: 0, description: 'The `cursor` up to which you have everything; 0 at first' },
  limit: Type.Integer({ minimum: 1, maximum: 500, default: 100 }),
})
export type SyncQuery = Static<typeof SyncQuery>

export const SyncPage = Model('ChatSync', {
  messages: Type.Array(Message, { description: 'New messages, also your own from other devices, oldest first' }),
  recalled: Type.Array(
    Model('RecalledMessage', {
      messageId: Id,
      conversationId: Id,
      recalledAt: Time,
      removal: Type.Optional({
        ...MessageRemoval,
        description: 'Of a message that others than the sender have removed',
      }),
      deleted: Type.Optional(
        Type.Boolean({ description: 'True: you have deleted the message for yourself, at `recalledAt`' }),
      ),
    }),
    {
      description: 'Messages that were recalled after you may have received them',
    },
  ),
  updated: Type.Array(Message, { description: 'Messages that changed in other ways, for example by reactions' }),
  conversations: Type.Array(Conversation, {
    description: 'Those of the messages on this page that are on your list, as they are now',
  }),
  cursor: { ...Cursor, description: 'The next `afterId`' },
  hasMore: Type.Boolean(),
})
export type SyncPage = Static<typeof SyncPage>
