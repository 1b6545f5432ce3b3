/** Shapes of messages. Contents have their own, by type (contents.model.ts). */

import { MESSAGE_TYPES } from '#db/schema/chat.ts'
import { Deferred, Enum, Id, Model, Nullable, type Static, Text, Time, Type } from '#http/schema.ts'

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

/** Users named for each emoji. */
export const SHOWN_USERS = 20

const Reaction = Model('Reaction', {
  emoji: Text('👍'),
  count: Type.Integer({ minimum: 1, examples: [3] }),
  userIds: Type.Array(Id, { description: `The first ${SHOWN_USERS} users who added it` }),
})

export const MessageRemoval = Model('MessageRemoval', {
  by: Enum(['GROUP', 'ADMINISTRATOR'] as const),
  userId: Nullable({ ...Id, description: 'The owner or administrator of the group' }),
  reason: Text('Advertising', { description: 'Empty if none was given' }),
})

/** The same for all viewers, except for `readCount`. */
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
  removal: Nullable({
    ...MessageRemoval,
    description: 'Of a recalled message that others than the sender have removed',
  }),
  pin: Nullable({
    ...Model('MessagePin', { userId: { ...Id, description: 'The user who pinned it' }, pinnedAt: Time }),
    description: 'Of a pinned message',
  }),
  editedAt: Nullable({ ...Time, description: 'When the sender last changed the text' }),
  readCount: Type.Optional(
    Type.Integer({
      minimum: 0,
      examples: [3],
      description:
        'How many members have read it. Only in the history of a group of up to 100 members, of your own messages, if you have read receipts on',
    }),
  ),
  createdAt: Time,
})
export type Message = Static<typeof Message>

const MAX_ATTACHMENTS = 9
export const ATTACHMENT_TYPES = ['IMAGE', 'VIDEO', 'FILE'] as const

const ClientMsgId = Type.String({
  pattern: '^[A-Za-z0-9._-]{1,64}$',
  maxLength: 64,
  examples: ['5f1c2e9a-41'],
  description:
    'An id that you choose, a new one for each request. A request that is repeated with it never sends again',
})

// Wrong types and contents have business codes of their own, so the service checks them.
export const SendMessage = Model(
  'SendMessage',
  { examples: [{ toUserId: 42, clientMsgId: '5f1c2e9a-41', type: 'TEXT', content: { text: 'See you at nine' } }] },
  {
    toUserId: Type.Optional(Nullable({ ...Id, description: 'Another user. Not with `conversationId`' })),
    conversationId: Type.Optional(Nullable({ ...Id, description: 'Not with `toUserId`' })),
    clientMsgId: ClientMsgId,
    type: Type.Optional(
      Deferred(Type.Unknown({ description: `One of ${MESSAGE_TYPES.filter((type) => type !== 'SYSTEM').join(', ')}` })),
    ),
    content: Type.Optional(Deferred(Type.Unknown({ description: 'By `type`, see the table in the description' }))),
    attachments: Type.Optional(
      Nullable(
        Deferred(
          Type.Array(Type.Unknown(), {
            minItems: 1,
            maxItems: MAX_ATTACHMENTS,
            description:
              'Objects with `fileId`, `type` (IMAGE by default, VIDEO or FILE) and the fields of the content of that type. Each ' +
              'becomes a message of its own, after the text. With type TEXT, or with IMAGE and no `content`',
          }),
        ),
      ),
    ),
    replyToId: Type.Optional(Nullable({ ...Id, description: 'A message of the same conversation' })),
    draftVersion: Type.Optional(
      Type.Integer({
        minimum: 0,
        description: 'That of the draft which is sent. It is removed, unless it was changed meanwhile',
      }),
    ),
  },
)
export type SendMessage = Static<typeof SendMessage>

export const SentMessages = Model('SentMessages', { conversationId: Id, messages: Type.Array(Message) })
export type SentMessages = Static<typeof SentMessages>

const MAX_FORWARDED = 20
const MAX_TARGETS = 20

export const ForwardMessages = Model('ForwardMessages', {
  messageIds: Type.Array(Id, {
    minItems: 1,
    maxItems: MAX_FORWARDED,
    uniqueItems: true,
    description: 'In the order to send',
  }),
  userIds: Type.Array(Id, { minItems: 1, maxItems: MAX_TARGETS, uniqueItems: true }),
  clientMsgId: { ...ClientMsgId, examples: ['9b0d7f34-42'] },
})
export type ForwardMessages = Static<typeof ForwardMessages>

const ForwardResult = Model('ForwardResult', {
  userId: Id,
  status: Enum(['SENT', 'FAILED'] as const),
  code: Nullable(Type.Integer({ examples: [4011], description: 'The code of the refusal' })),
  message: Nullable(Text('The message was refused', { description: 'The reason of the refusal' })),
  conversationId: Nullable(Id),
  messageIds: Type.Array(Id),
})
export type ForwardResult = Static<typeof ForwardResult>

export const Forwarded = Model('ForwardedMessages', { results: Type.Array(ForwardResult) })
export type Forwarded = Static<typeof Forwarded>
