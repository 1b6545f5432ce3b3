import { and, asc, eq, gt, inArray, isNull, ne, or, sql } from 'drizzle-orm'

import { isOneOf } from '#db/dialect.ts'
import { prepared } from '#db/prepared.ts'
import { conversationMembers, messageCards, messageFiles, messageKeys, messages } from '#db/schema/chat.ts'
import type { Db, Tx } from '#db/store.ts'

import { isDeletedBy } from '../deleted.store.ts'
import { isVisible } from '../members.rules.ts'
import { findMember, type MemberRow } from '../members.store.ts'

export type MessageRow = typeof messages.$inferSelect

const p = sql.placeholder

const IDS_PER_QUERY = 1000

/** Messages of any conversation, the oldest first. Callers check whether the user may see them. */
export async function messagesByIds(db: Db | Tx, ids: readonly number[]): Promise<MessageRow[]> {
  const rows: MessageRow[] = []
  const ascending = [...new Set(ids)].toSorted((a, b) => a - b)
  for (let i = 0; i < ascending.length; i += IDS_PER_QUERY)
    rows.push(
      ...(await db
        .select()
        .from(messages)
        .where(inArray(messages.id, ascending.slice(i, i + IDS_PER_QUERY)))
        .orderBy(asc(messages.id))),
    )
  return rows
}

const byId = prepared((db) =>
  db
    .select()
    .from(messages)
    .where(eq(messages.id, p('id'))),
)

/** A message of any conversation. Callers check whether the user may see it. */
export const findMessage = async (db: Db | Tx, id: number): Promise<MessageRow | undefined> =>
  (await byId(db, { id }))[0]

/** A message that the user can see, and the user's member row. Undefined for every other one. */
export async function findSeen(
  db: Db | Tx,
  messageId: number,
  userId: number,
): Promise<{ readonly message: MessageRow; readonly member: MemberRow } | undefined> {
  const message = await findMessage(db, messageId)
  const own = message && (await findMember(db, message.conversationId, userId))
  if (message === undefined || own === undefined || !isVisible(messageId, own)) return undefined
  return (await isDeletedBy(db, messageId, userId)) ? undefined : { message, member: own }
}

/** Makes a message a recalled one with the number of this change. Undefined if it was recalled before. */
export async function markRecalled(
  tx: Tx,
  id: number,
  recalledAt: number,
  changedNumber: number,
  removal: MessageRow['removal'],
): Promise<MessageRow | undefined> {
  const rows = await tx
    .update(messages)
    .set({ content: {}, reactions: null, recalledAt, changedNumber, removal })
    .where(and(eq(messages.id, id), isNull(messages.recalledAt)))
    .returning()
  return rows[0]
}

export type KeyRow = typeof messageKeys.$inferSelect

const key = prepared((db) =>
  db
    .select()
    .from(messageKeys)
    .where(and(eq(messageKeys.senderId, p('senderId')), eq(messageKeys.clientMsgId, p('clientMsgId')))),
)

export const findKey = async (db: Db | Tx, senderId: number, clientMsgId: string): Promise<KeyRow | undefined> =>
  (await key(db, { senderId, clientMsgId }))[0]

const ofKey = prepared((db) =>
  db
    .select()
    .from(messages)
    .where(
      and(
        sql`${messages.id} between ${p('firstId')} and ${p('lastId')}`,
        eq(messages.conversationId, p('conversationId')),
        eq(messages.senderId, p('senderId')),
      ),
    )
    .orderBy(asc(messages.id)),
)

/** The messages that were sent with a key, as far as they still exist. */
export const messagesOfKey = (db: Db | Tx, row: KeyRow): Promise<MessageRow[]> =>
  ofKey(db, {
    firstId: row.firstId,
    lastId: row.firstId + row.count - 1,
    conversationId: row.conversationId,
    senderId: row.senderId,
  })

/** Present members of the conversation, out of these users. */
export async function presentMembers(
  tx: Tx,
  conversationId: number,
  userIds: readonly number[],
): Promise<ReadonlySet<number>> {
  const rows = await tx
    .select({ userId: conversationMembers.userId })
    .from(conversationMembers)
    .where(
      and(
        eq(conversationMembers.conversationId, conversationId),
        isOneOf(conversationMembers.userId, userIds),
        isNull(conversationMembers.leftAfter),
      ),
    )
  return new Set(rows.map((row) => row.userId))
}

const insertCardRow = prepared((db) =>
  db
    .insert(messageCards)
    .values({ messageId: p('messageId'), conversationId: p('conversationId'), userId: p('userId') }),
)

export const insertCard = async (
  tx: Tx,
  row: { readonly messageId: number; readonly conversationId: number; readonly userId: number },
): Promise<void> => void (await insertCardRow(tx, row))

const card = prepared((db) =>
  db
    .select({ messageId: messageCards.messageId })
    .from(conversationMembers)
    // CROSS JOIN keeps SQLite from reading all cards of the user first, of which others can send any number.
    .crossJoin(messageCards)
    .innerJoin(messages, eq(messages.id, messageCards.messageId))
    .where(
      and(
        eq(conversationMembers.userId, p('viewerId')),
        eq(messageCards.userId, p('userId')),
        eq(messageCards.conversationId, conversationMembers.conversationId),
        gt(messageCards.messageId, conversationMembers.clearedUpTo),
        or(isNull(conversationMembers.leftAfter), sql`${messageCards.messageId} <= ${conversationMembers.leftAfter}`),
        ne(messages.senderId, p('viewerId')),
      ),
    )
    .limit(1),
)

/** Whether the viewer can see a message of someone else with the card of the user. */
export const hasCardOf = async (db: Db | Tx, viewerId: number, userId: number): Promise<boolean> =>
  (await card(db, { viewerId, userId })).length > 0

export async function deleteCards(tx: Tx, messageIds: readonly number[]): Promise<void> {
  await tx.delete(messageCards).where(inArray(messageCards.messageId, [...messageIds]))
}

const insertFileRow = prepared((db) =>
  db
    .insert(messageFiles)
    .values({ messageId: p('messageId'), fileId: p('fileId') })
    .onConflictDoNothing(),
)

export const insertFile = async (tx: Tx, messageId: number, fileId: number): Promise<void> =>
  void (await insertFileRow(tx, { messageId, fileId }))

/** Takes these messages' files from them. Returns the files that no other message has. */
export async function deleteFiles(tx: Tx, messageIds: readonly number[]): Promise<number[]> {
  const removed = await tx
    .delete(messageFiles)
    .where(inArray(messageFiles.messageId, [...messageIds]))
    .returning({ fileId: messageFiles.fileId })
  const ids = [...new Set(removed.map((row) => row.fileId))]
  if (ids.length === 0) return []
  const used = await tx
    .selectDistinct({ fileId: messageFiles.fileId })
    .from(messageFiles)
    .where(inArray(messageFiles.fileId, ids))
  const still = new Set(used.map((row) => row.fileId))
  return ids.filter((id) => !still.has(id))
}
