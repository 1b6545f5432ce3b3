import { CONVERSATION_TYPES, GROUP_ROLES } from '#db/schema/chat.ts'
import {
  Enum,
  Id,
  Line,
  Model,
  Multiline,
  Named,
  Nullable,
  PageOf,
  PageQuery,
  type Static,
  Text,
  Time,
  Type,
} from '#http/schema.ts'

import { Message } from '../messages/messages.model.ts'

/** The largest value of the setting `chat.textMaxLength`. */
const DRAFT_MAX = 20_000

const LastRead = Type.Integer({ minimum: 0, description: 'The id of a message, 0 before the first' })

export const GroupRole = Named('GroupRole', Enum(GROUP_ROLES, { examples: ['MEMBER'] }))

/** Part of a Conversation of type GROUP. */
const GroupInfo = Model('GroupInfo', {
  role: Nullable({ ...GroupRole, description: 'Your role; null if you have left' }),
  memberCount: Type.Integer({ minimum: 0, examples: [12] }),
  orgId: Nullable({ ...Id, description: 'The organization that the group belongs to' }),
  followsOrg: Type.Boolean({ description: 'Its members are the members of the organization' }),
  membersMentionAll: Type.Boolean({ description: 'Ordinary members may mention everybody' }),
  membersPin: Type.Boolean({ description: 'Ordinary members may pin messages' }),
})

/** As one of its members sees it. */
export const Conversation = Model('Conversation', {
  id: Id,
  type: Enum(CONVERSATION_TYPES),
  isNotes: Type.Boolean({ description: 'Your notes to yourself: a direct conversation whose other user is you' }),
  title: Text('Mei from the library', {
    description: 'Your remark on the other user, otherwise their nickname; the name of a group',
  }),
  avatarUrl: Nullable(Text('https://example.com/mei.png')),
  peer: Nullable(
    Model(
      'ConversationPeer',
      { description: 'The other user of a direct conversation' },
      {
        userId: Id,
        nickname: Text('Lin Mei'),
        avatarUrl: Nullable(Text('https://example.com/mei.png')),
        remark: Text('Mei from the library', { description: 'Empty if you have given none' }),
        contactId: Nullable({ ...Id, description: 'Of your contact, if they are one' }),
      },
    ),
  ),
  group: Nullable({ ...GroupInfo, description: 'Of groups' }),
  lastMessage: Nullable(Message),
  unreadCount: Type.Integer({
    minimum: 0,
    description: 'Messages of others above `readUpToId` that are neither recalled nor SYSTEM',
  }),
  markedUnread: Type.Boolean({
    description:
      'You have marked the conversation as unread, and not read it since. Counts as one in the number of your unread messages',
  }),
  lastMessageNames: Type.Array(
    Model('NamedUser', {
      userId: Id,
      name: Text('Mei from the library', { description: 'Your remark on the user, otherwise their nickname' }),
    }),
    { description: 'Of groups: the users whom a line about `lastMessage` names, as its sender' },
  ),
  mentioned: Type.Boolean({
    description: 'You have not read the newest message that mentions you; a recall of that message ends it, too',
  }),
  readUpToId: LastRead,
  peerReadUpToId: Nullable({
    ...LastRead,
    description: 'Up to where the other user has read; null for groups, or if one of you has turned read receipts off',
  }),
  pinned: Type.Boolean(),
  muted: Type.Boolean(),
  draft: Text('See you at', { description: 'Seen only by your own devices' }),
  draftReplyToId: Nullable({ ...Id, description: 'The message that the draft answers' }),
  draftVersion: Type.Integer({ minimum: 0, description: 'Grows with each change of the draft' }),
  createdAt: Time,
  updatedAt: Time,
})
export type Conversation = Static<typeof Conversation>
export const ConversationPage = PageOf(Conversation)

export const ListQuery = PageQuery({
  keyword: Type.Optional(Line(100, 0, { description: 'Part of the title', examples: ['library'] })),
  unread: Type.Optional(
    Type.Boolean({
      description: '`true` lists conversations with unread messages, and those that you have marked as unread',
    }),
  ),
})
export type ListQuery = Static<typeof ListQuery>

export const Mute = Model('Mute', { muted: Type.Boolean() })
export const Draft = Model(
  'Draft',
  { examples: [{ draft: 'See you at' }] },
  {
    draft: Nullable(Multiline(DRAFT_MAX, 0, { description: 'Null or empty removes it', examples: ['See you at'] })),
    replyToId: Type.Optional(
      Nullable({ ...Id, description: 'The message of the conversation that it answers; without it as it is' }),
    ),
    baseVersion: Type.Optional(
      Type.Integer({
        minimum: 0,
        description:
          'The `draftVersion` that your device has last seen. If the draft has another one, nothing is changed; without it the last writer wins',
      }),
    ),
  },
)
export type Draft = Static<typeof Draft>

export const ReadUpTo = Model('ReadUpTo', {
  messageId: Type.Optional({ ...Id, description: 'The last message that was read; without it the newest one' }),
})
export const ReadState = Model('ReadState', {
  conversationId: Id,
  readUpToId: LastRead,
  unreadCount: Type.Integer({ minimum: 0 }),
})
export type ReadState = Static<typeof ReadState>

export const HistoryQuery = Type.Object({
  beforeId: Type.Optional({ ...Id, description: 'Only messages with lower ids' }),
  afterId: Type.Optional({
    ...Id,
    description:
      'Only messages with higher ids: the ones that follow it, of which `hasMore` says whether there are newer ones',
  }),
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 20 }),
})
export type HistoryQuery = Static<typeof HistoryQuery>

export const History = Model('MessageHistory', {
  items: Type.Array(Message, { description: 'Newest first' }),
  hasMore: Type.Boolean(),
})
export type History = Static<typeof History>
