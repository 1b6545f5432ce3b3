/**
 * Conversations and messages. Every message, recall and other change of a message takes a number of one sequence (`chat_numbers`). Numbers are
 * taken in writes that commit in their order (`WriteOptions.inOrder`), so that a client that has seen a number has seen all lower ones.
 */

import { sql } from 'drizzle-orm'

import { col, descending, index, primaryKey, table, uniqueIndex } from '../dialect.ts'
import { users } from './accounts.ts'

export const MESSAGE_TYPES = [
  'TEXT',
  'IMAGE',
  'FILE',
  'VOICE',
  'VIDEO',
  'LOCATION',
  'CARD',
  'QR_CODE',
  'ACTIVITY',
  'SYSTEM',
] as const
export type MessageType = (typeof MESSAGE_TYPES)[number]

export const CONVERSATION_TYPES = ['DIRECT', 'GROUP'] as const
export type ConversationType = (typeof CONVERSATION_TYPES)[number]

export const GROUP_ROLES = ['OWNER', 'ADMIN', 'MEMBER'] as const
export type GroupRole = (typeof GROUP_ROLES)[number]

/** The users of an emoji, in the order in which they added it. */
export interface ReactionCount {
  readonly emoji: string
  readonly count: number
  /** The first 20. */
  readonly userIds: readonly number[]
}

/** Who has removed a message of others, and why. */
export interface Removal {
  readonly by: 'GROUP' | 'ADMINISTRATOR'
  /** The owner or administrator of the group; administrators of the server are not named. */
  readonly userId: number | null
  /** Empty if none was given. */
  readonly reason: string
}

/** Who has pinned a message in its conversation. */
export interface MessagePin {
  readonly userId: number
  readonly pinnedAt: number
}

export const MESSAGE_REPORT_STATUSES = ['OPEN', 'REMOVED', 'DISMISSED'] as const
export type MessageReportStatus = (typeof MESSAGE_REPORT_STATUSES)[number]

/** One row: the highest number that was taken. */
export const chatNumbers = table('chat_numbers', {
  id: col.int('id').primaryKey(),
  last: col.int('last').notNull(),
})

export const conversations = table(
  'conversations',
  {
    id: col.id(),
    type: col.text('type').$type<ConversationType>().notNull(),
    /** The two users of a direct conversation, the lower id first; the same user twice for their notes; null for groups. */
    lowUserId: col.int('low_user_id'),
    highUserId: col.int('high_user_id'),
    /** Of groups. */
    name: col.text('name').notNull().default(''),
    avatarFileId: col.int('avatar_file_id'),
    /** The organization that a group belongs to and whose membership it follows; 0 for groups of contacts. */
    orgId: col.int('org_id').notNull().default(0),
    /** The organization's members are the group's members (`orgId` is set). */
    followsOrg: col.bool('follows_org').notNull().default(false),
    /** Ordinary members may mention everybody, too. */
    membersMentionAll: col.bool('members_mention_all').notNull().default(false),
    /** Ordinary members may pin messages, too. */
    membersPin: col.bool('members_pin').notNull().default(false),
    memberCount: col.int('member_count').notNull(),
    /** No member can see the messages up to this id, which wait for their deletion; null if there are none. */
    purgeUpTo: col.int('purge_up_to'),
    createdAt: col.time('created_at').notNull(),
    updatedAt: col.time('updated_at').notNull(),
  },
  (t) => [
    uniqueIndex('conversations_pair').on(t.lowUserId, t.highUserId).where(sql.raw('low_user_id is not null')),
    index('conversations_org').on(t.orgId).where(sql.raw('org_id <> 0')),
    index('conversations_purge').on(t.id).where(sql.raw('purge_up_to is not null')),
  ],
)

/** A user's part in a conversation. Rows stay when a user leaves a group, because the history until then stays theirs. */
export const conversationMembers = table(
  'conversation_members',
  {
    conversationId: col
      .int('conversation_id')
      .notNull()
      .references(() => conversations.id),
    userId: col
      .int('user_id')
      .notNull()
      .references(() => users.id),
    /** Null in direct conversations, and for users who have left the group. */
    role: col.text('role').$type<GroupRole>(),
    /** When the user joined the group; 0 in direct conversations. */
    joinedAt: col.time('joined_at').notNull().default(0),
    /** The user sees messages above this number: 0, or the last number before the user joined or has cleared the history. */
    clearedUpTo: col.int('cleared_up_to').notNull().default(0),
    /**
     * The last number before the user joined the group: earlier messages were not for this user, and a read mark above them says nothing. Null in direct
     * conversations, and in rows of earlier versions, for which `clearedUpTo` is used.
     */
    joinedAfter: col.int('joined_after'),
    /** The user has left and sees messages up to this number; null while a member. */
    leftAfter: col.int('left_after'),
    readUpTo: col.int('read_up_to').notNull().default(0),
    /**
     * When `shownReadUpTo` got its value, and its value before: when the messages between the two were read. Of earlier ones the time is not kept. They stay
     * while that mark stays: a time that disappears would show that a user reads on who has blocked the other.
     */
    readAt: col.time('read_at'),
    readBefore: col.int('read_before'),
    /** `readUpTo` as shown to the other user of a direct conversation: not changed while either has blocked the other. */
    shownReadUpTo: col.int('shown_read_up_to').notNull().default(0),
    /** Messages of others that the user can see, above `readUpTo`, neither recalled nor SYSTEM. Kept by every write. */
    unread: col.int('unread').notNull().default(0),
    /** The newest message that mentions the user, above `readUpTo`; 0 if there is none. */
    mentionedAt: col.int('mentioned_at').notNull().default(0),
    /** The newest message that the user can see; null if there is none. */
    lastMessageId: col.int('last_message_id'),
    /** The highest number of a message or change in the conversation that the user can see: `sync` asks for conversations by it. */
    lastNumber: col.int('last_number').notNull().default(0),
    /** When `lastMessageId` was sent, else when the conversation was created. */
    sortAt: col.time('sort_at').notNull(),
    /** Deleted from the user's list, until there is a newer message. */
    hidden: col.bool('hidden').notNull().default(false),
    /** 1 or 0: lists are sorted by it and the columns after it in one direction. */
    pinned: col.int('pinned').notNull().default(0),
    muted: col.bool('muted').notNull().default(false),
    /** The user has marked the conversation as unread, until the next read mark. `unread` and `readUpTo` stay as they are. */
    markedUnread: col.bool('marked_unread').notNull().default(false),
    draft: col.text('draft').notNull().default(''),
    /** The message that the draft answers. */
    draftReplyToId: col.int('draft_reply_to_id'),
    /** Grows with each change of the draft, and never starts again: a device sees by it that another one was first. */
    draftVersion: col.int('draft_version').notNull().default(0),
    updatedAt: col.time('updated_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.conversationId, t.userId] }),
    index('conversation_members_list').on(
      t.userId,
      t.hidden,
      descending(t.pinned),
      descending(t.sortAt),
      descending(t.conversationId),
    ),
    index('conversation_members_sync').on(t.userId, t.lastNumber),
    // The members of a group, and the groups of a user.
    index('conversation_members_group').on(t.conversationId, t.joinedAt, t.userId).where(sql.raw('role is not null')),
    index('conversation_members_user').on(t.userId, t.role).where(sql.raw('role is not null')),
    // The list of unread conversations, and the number of unread messages of a user.
    index('conversation_members_unread')
      .on(t.userId, descending(t.pinned), descending(t.sortAt), descending(t.conversationId), t.unread)
      .where(sql.raw('unread > 0')),
    // The list of unread conversations has these, too.
    index('conversation_members_marked')
      .on(t.userId, descending(t.pinned), descending(t.sortAt), descending(t.conversationId))
      .where(sql.raw('marked_unread')),
  ],
)

export const messages = table(
  'messages',
  {
    /** A number of `chat_numbers`. */
    id: col.int('id').primaryKey(),
    conversationId: col
      .int('conversation_id')
      .notNull()
      .references(() => conversations.id),
    /** Null for SYSTEM. */
    senderId: col.int('sender_id').references(() => users.id),
    type: col.text('type').$type<MessageType>().notNull(),
    /** As it was checked when the message was sent, with what the server added; `{}` once recalled. */
    content: col.json<Readonly<Record<string, unknown>>>('content').notNull(),
    clientMsgId: col.text('client_msg_id'),
    replyToId: col.int('reply_to_id'),
    forwarded: col.bool('forwarded').notNull().default(false),
    createdAt: col.time('created_at').notNull(),
    recalledAt: col.time('recalled_at'),
    /** Of a message that others have removed; it is a recalled one, too. */
    removal: col.json<Removal>('removal'),
    /** When the sender last changed the text; null if it is as it was sent. */
    editedAt: col.time('edited_at'),
    /** The number of the last change (recall, edit, reactions); null if the message is as it was sent. */
    changedNumber: col.int('changed_number'),
    /** Counts of `message_reactions`, kept by the writes there so that no list of messages has to count; null without any. */
    reactions: col.json<readonly ReactionCount[]>('reactions'),
    /** Null if it is not pinned. A recalled message is not pinned, whatever this says. */
    pin: col.json<MessagePin>('pin'),
  },
  (t) => [
    index('messages_conversation').on(t.conversationId, descending(t.id)),
    // Few of each conversation.
    index('messages_pinned').on(t.conversationId).where(sql.raw('pin is not null and recalled_at is null')),
    index('messages_changed').on(t.conversationId, t.changedNumber).where(sql.raw('changed_number is not null')),
    // For the feed: all conversations, in order.
    index('messages_changes').on(t.changedNumber).where(sql.raw('changed_number is not null')),
  ],
)

/** Every `clientMsgId` that a user has sent, also after the messages are gone: a repeat must never send again. */
export const messageKeys = table(
  'message_keys',
  {
    senderId: col
      .int('sender_id')
      .notNull()
      .references(() => users.id),
    clientMsgId: col.text('client_msg_id').notNull(),
    conversationId: col.int('conversation_id').notNull(),
    /** The messages `firstId` to `firstId + count - 1`. */
    firstId: col.int('first_id').notNull(),
    count: col.int('count').notNull(),
    /** Hash of target, type and content: the same id with other contents is refused. */
    digest: col.text('digest').notNull(),
  },
  (t) => [primaryKey({ columns: [t.senderId, t.clientMsgId] })],
)

/** Files of messages. A file can be in several (a message that was forwarded). */
export const messageFiles = table(
  'message_files',
  {
    messageId: col
      .int('message_id')
      .notNull()
      .references(() => messages.id),
    fileId: col.int('file_id').notNull(),
  },
  (t) => [primaryKey({ columns: [t.messageId, t.fileId] }), index('message_files_file').on(t.fileId)],
)

/** Files that were deleted while messages had them. A job takes them away from the messages in steps, then deletes the row. */
export const messageLostFiles = table('message_lost_files', {
  fileId: col.int('file_id').primaryKey(),
})

/** The users on the cards in messages. Members who can see a card may name its user. */
export const messageCards = table(
  'message_cards',
  {
    messageId: col
      .int('message_id')
      .primaryKey()
      .references(() => messages.id),
    conversationId: col.int('conversation_id').notNull(),
    userId: col
      .int('user_id')
      .notNull()
      .references(() => users.id),
  },
  (t) => [index('message_cards_user').on(t.userId, t.conversationId, t.messageId)],
)

/** Messages that users have reported to the administrators of the server, with copies of their content at that time. */
export const messageReports = table(
  'message_reports',
  {
    id: col.id(),
    messageId: col.int('message_id').notNull(),
    conversationId: col.int('conversation_id').notNull(),
    senderId: col
      .int('sender_id')
      .notNull()
      .references(() => users.id),
    reporterId: col
      .int('reporter_id')
      .notNull()
      .references(() => users.id),
    reason: col.text('reason').notNull(),
    type: col.text('type').$type<MessageType>().notNull(),
    /** A copy, because the message can be edited or recalled. */
    content: col.json<Readonly<Record<string, unknown>>>('content').notNull(),
    sentAt: col.time('sent_at').notNull(),
    status: col.text('status').$type<MessageReportStatus>().notNull().default('OPEN'),
    handledAt: col.time('handled_at'),
    createdAt: col.time('created_at').notNull(),
  },
  (t) => [
    uniqueIndex('message_reports_once').on(t.messageId, t.reporterId),
    index('message_reports_list').on(t.createdAt, t.id),
    index('message_reports_status').on(t.status, t.createdAt, t.id),
    index('message_reports_sender').on(t.senderId),
    index('message_reports_reporter').on(t.reporterId),
  ],
)

/** Messages that users have deleted for themselves. */
export const messageDeletions = table(
  'message_deletions',
  {
    messageId: col.int('message_id').notNull(),
    userId: col
      .int('user_id')
      .notNull()
      .references(() => users.id),
    conversationId: col.int('conversation_id').notNull(),
    /** A number of `chat_numbers`, by which the other devices of the user find the deletion. */
    number: col.int('number').notNull(),
    createdAt: col.time('created_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.messageId, t.userId] }),
    index('message_deletions_user').on(t.userId, t.number),
    // For the feed: all users, in order.
    index('message_deletions_number').on(t.number),
  ],
)

export const messageReactions = table(
  'message_reactions',
  {
    messageId: col
      .int('message_id')
      .notNull()
      .references(() => messages.id),
    userId: col
      .int('user_id')
      .notNull()
      .references(() => users.id),
    emoji: col.text('emoji').notNull(),
    createdAt: col.time('created_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.messageId, t.userId, t.emoji] }),
    index('message_reactions_order').on(t.messageId, t.emoji, t.createdAt, t.userId),
  ],
)

/** Where each device of a user has received everything up to (`ack` frames). */
export const chatCursors = table(
  'chat_cursors',
  {
    userId: col
      .int('user_id')
      .notNull()
      .references(() => users.id),
    deviceKey: col.text('device_key').notNull(),
    cursor: col.int('cursor').notNull(),
    updatedAt: col.time('updated_at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.userId, t.deviceKey] })],
)

/**
 * The terms of messages, for the search (domains/chat/search). Users search their own conversations only, so a term is looked up by
 * conversation. In SQLite it is a table WITHOUT ROWID: the primary key is all there is.
 */
export const messageTerms = table(
  'message_terms',
  {
    conversationId: col.int('conversation_id').notNull(),
    term: col.text('term').notNull(),
    messageId: col.int('message_id').notNull(),
  },
  (t) => [primaryKey({ columns: [t.conversationId, t.term, t.messageId] })],
)

/** One row: all messages up to this number have their terms in `message_terms`. */
export const messageIndex = table('message_index', {
  id: col.int('id').primaryKey(),
  upTo: col.int('up_to').notNull(),
})
