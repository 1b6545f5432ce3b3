/** Shapes of messages. Contents have their own, by type (contents/model.ts). */

import { MESSAGE_TYPES } from '#db/schema/chat.ts'
import { Enum, Id, Model, Nullable, type Static, Text, Time, Type } from '#http/schema.ts'

export const MessageContent = Type.Unsafe<Readonly<Record<string, unknown>>>(
  Type.Record(Type.String(), Type.Unknown(), {
    description: 'By `type`, see `POST /api/chats/messages`; `{}` once the message is recalled',
    examples: [{ text: 'See you at nine' }],
  }),
)

/** The same for all viewers. */
export const Message = Model('Message', {
  id: { ...Id, description: 'Grows with time, over all conversations' },
  conversationId: Id,
  senderId: Nullable({ ...Id, description: 'Null for SYSTEM' }),
  clientMsgId: Nullable(Text('5f1c2e9a-41', { description: 'That of the sender, to recognize the message by' })),
  type: Enum(MESSAGE_TYPES),
  content: MessageContent,
  replyToId: Nullable({ ...Id, description: 'The message of the same conversation that this one answers' }),
  forwarded: Type.Boolean({ description: 'A copy of a message of another conversation' }),
  recalled: Type.Boolean(),
  recalledAt: Nullable(Time),
  createdAt: Time,
})
export type Message = Static<typeof Message>
