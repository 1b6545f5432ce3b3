/** The parts of a data export that are about chats: all messages that the user may still read. Of other people they have the nickname and their texts. */

import { aliasedTable, and, asc, eq, gt, inArray, lte, ne } from 'drizzle-orm'

import { type DataArea, type DataRow, tableArea } from '#db/data-areas.ts'
import { users } from '#db/schema/accounts.ts'
import { conversationMembers, conversations, messageReports, messages } from '#db/schema/chat.ts'
import { isAmongFirst } from '#db/slices.ts'
import type { Db, Tx } from '#db/store.ts'

import { notDeletedBy } from './deleted.store.ts'
import { NO_DRAFT } from './drafts.store.ts'

const low = aliasedTable(users, 'low')
const high = aliasedTable(users, 'high')

const membershipArea = tableArea({
  name: 'conversations',
  title: { en: 'Conversations', zh: '会话' },
  from: conversationMembers,
  joins: [
    { table: conversations, on: eq(conversations.id, conversationMembers.conversationId) },
    { table: low, on: eq(low.id, conversations.lowUserId) },
    { table: high, on: eq(high.id, conversations.highUserId) },
  ],
  columns: {
    id: conversationMembers.conversationId,
    type: conversations.type,
    name: conversations.name,
    lowUserId: conversations.lowUserId,
    lowNickname: low.nickname,
    highUserId: conversations.highUserId,
    highNickname: high.nickname,
    role: conversationMembers.role,
    pinned: conversationMembers.pinned,
    muted: conversationMembers.muted,
    draft: conversationMembers.draft,
    createdAt: conversations.createdAt,
  },
  where: (userId) => eq(conversationMembers.userId, userId),
  key: [conversationMembers.conversationId],
})

/** The members of direct conversations are stored in the order of their ids. */
const conversationArea: DataArea = {
  ...membershipArea,
  columns: ['id', 'type', 'name', 'peerId', 'peerNickname', 'role', 'pinned', 'muted', 'draft', 'createdAt'],
  async *pages(db, userId) {
    for await (const page of membershipArea.pages(db, userId))
      yield page.map(({ lowUserId, lowNickname, highUserId, highNickname, pinned, type, ...row }) => ({
        ...row,
        type: type === 'DIRECT' && lowUserId === highUserId ? 'NOTES' : type,
        pinned: pinned === 1,
        peerId: lowUserId === userId ? highUserId : lowUserId,
        peerNickname: lowUserId === userId ? highNickname : lowNickname,
      }))
  },
}

/** Texts that were not sent. As `EraseContent`. */
export async function eraseDrafts(_ctx: unknown, tx: Tx, userId: number, limit: number): Promise<number> {
  const where = and(eq(conversationMembers.userId, userId), ne(conversationMembers.draft, ''))
  const rows = await tx
    .update(conversationMembers)
    .set(NO_DRAFT)
    .where(isAmongFirst(tx, conversationMembers, { where, limit }))
    .returning({ id: conversationMembers.conversationId })
  return rows.length
}

/** Rows that one query reads. */
const PAGE = 250

const COLUMNS = [
  'id',
  'conversationId',
  'senderId',
  'senderName',
  'type',
  'text',
  'content',
  'replyToId',
  'forwarded',
  'editedAt',
  'recalledAt',
  'createdAt',
] as const

async function* pagesOfMessages(db: Db, userId: number): AsyncGenerator<readonly DataRow[]> {
  for await (const page of conversationArea.pages(db, userId)) {
    const parts = await partsOf(db, userId, page)
    for (const part of parts) yield* messagesOf(db, userId, part)
  }
}

type Part = Awaited<ReturnType<typeof partsOf>>[number]

const partsOf = (db: Db, userId: number, page: readonly DataRow[]) =>
  db
    .select({
      conversationId: conversationMembers.conversationId,
      clearedUpTo: conversationMembers.clearedUpTo,
      leftAfter: conversationMembers.leftAfter,
    })
    .from(conversationMembers)
    .where(
      and(
        eq(conversationMembers.userId, userId),
        inArray(
          conversationMembers.conversationId,
          page.map((row) => row['id'] as number),
        ),
      ),
    )
    .orderBy(asc(conversationMembers.conversationId))

async function* messagesOf(
  db: Db,
  userId: number,
  { conversationId, clearedUpTo, leftAfter }: Part,
): AsyncGenerator<DataRow[]> {
  for (let after = clearedUpTo; ;) {
    const rows = await db
      .select({
        id: messages.id,
        senderId: messages.senderId,
        senderName: users.nickname,
        type: messages.type,
        content: messages.content,
        replyToId: messages.replyToId,
        forwarded: messages.forwarded,
        editedAt: messages.editedAt,
        recalledAt: messages.recalledAt,
        createdAt: messages.createdAt,
      })
      .from(messages)
      .leftJoin(users, eq(users.id, messages.senderId))
      .where(
        and(
          eq(messages.conversationId, conversationId),
          gt(messages.id, after),
          leftAfter === null ? undefined : lte(messages.id, leftAfter),
          notDeletedBy(messages.id, userId),
        ),
      )
      .orderBy(asc(messages.id))
      .limit(PAGE)
    if (rows.length > 0)
      yield rows.map(({ content, ...row }) => {
        const shown: Record<string, unknown> = row.recalledAt === null ? { ...content } : {}
        // Only edits read them.
        delete shown['mentionedBefore']
        delete shown['toldAll']
        const text = shown['text']
        return { ...row, conversationId, text: typeof text === 'string' ? text : null, content: shown }
      })
    if (rows.length < PAGE) return
    after = rows.at(-1)!.id
  }
}

export const chatAreas: readonly DataArea[] = [
  conversationArea,
  {
    name: 'messages',
    title: { en: 'Messages', zh: '消息' },
    columns: COLUMNS,
    tables: [messages],
    pages: pagesOfMessages,
  },
  tableArea({
    name: 'message-reports',
    title: { en: 'Reports of messages', zh: '举报的消息' },
    from: messageReports,
    columns: {
      id: messageReports.id,
      messageId: messageReports.messageId,
      conversationId: messageReports.conversationId,
      reason: messageReports.reason,
      status: messageReports.status,
      createdAt: messageReports.createdAt,
      handledAt: messageReports.handledAt,
    },
    where: (userId) => eq(messageReports.reporterId, userId),
    key: [messageReports.id],
  }),
]
