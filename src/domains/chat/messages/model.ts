/** Shapes of messages. Contents have their own, by type (contents/model.ts). */

import { MESSAGE_TYPES } from '#db/schema/chat.ts'
import { Enum, Id, Model, Nullable, type Static, Text, Time, Type } from '#http/schema.ts'

import { Reaction } from '../reactions/model.ts'

export const MessageContent = Type.Unsafe<Readonly<Record<string, unknown>>>(
  Type.Record(Type.String(), Type.Unknown(), {
    description: 'By `type`, see `POST /api/chats/messages`; `{}` once the message is recalled',
    examples: [{ text: 'See you at nine' }],
  }),
)

/** Characters of the text that a reply shows of the message it answers. */
export const EXCERPT_LENGTH = 100

export const RepliedMessage = Model('RepliedMessage', {
  id: Id,
  senderId: Nullable(Id),
  type: Enum(MESSAGE_TYPES),
  excerpt: Text('See you at nine', {
    description: 'The beginning of its text, caption or name; empty once it is recalled',
  }),
})

/** The same for all viewers. */
export const Message = Model('Message', {
  id: { ...Id, description: 'Grows with time, over all conversations' },
  conversationId: Id,
  senderId: Nullable({ ...Id, description: 'Null for SYSTEM' }),
  clientMsgId: Nullable(Text('5f1c2e9a-41', { description: 'That of the sender, to recognize the message by' })),
  type: Enum(MESSAGE_TYPES),
  content: MessageContent,
  replyToId: Nullable({ ...Id, description: 'The message of the same conversation that this one answers' }),
  replyTo: Nullable({ ...RepliedMessage, description: 'That message as it is now; null if it was deleted' }),
  reactions: Type.Array(Reaction),
  forwarded: Type.Boolean({ description: 'A copy of a message of another conversation' }),
  recalled: Type.Boolean(),
  recalledAt: Nullable(Time),
  createdAt: Time,
})
export type Message = Static<typeof Message>
