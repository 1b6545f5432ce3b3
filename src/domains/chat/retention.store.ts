import { and, asc, eq, gte, inArray, isNotNull, isNull, lt, lte, notExists, or, sql } from 'drizzle-orm'

import {
  conversationMembers as members,
  conversations,
  messageDeletions as deletions,
  messageReactions,
  messages,
} from '#db/schema/chat.ts'
import type { Db, Tx } from '#db/store.ts'

import { notDeletedBy } from './deleted.store.ts'

const columns = {
  id: messages.id,
  conversationId: messages.conversationId,
  senderId: messages.senderId,
  type: messages.type,
  content: messages.content,
  recalledAt: messages.recalledAt,
  createdAt: messages.createdAt,
}

/** The oldest messages of all conversations. Ids grow with time. */
export const oldestMessages = (tx: Tx, limit: number) =>
  tx.select(columns).from(messages).orderBy(asc(messages.id)).limit(limit)

/** The oldest messages of a conversation up to an id. */
export const oldestOf = (tx: Tx, conversationId: number, upTo: number, limit: number) =>
  tx
    .select(columns)
    .from(messages)
    .where(and(eq(messages.conversationId, conversationId), lte(messages.id, upTo)))
    .orderBy(asc(messages.id))
    .limit(limit)

/** The oldest messages of a conversation that nobody sees, although not all have cleared them, because one of these users has deleted them. */
export const unseenDeleted = (tx: Tx, conversationId: number, userIds: readonly number[], limit: number) =>
  tx
    .select(columns)
    .from(messages)
    .where(
      and(
        inArray(
          messages.id,
          tx
            .select({ id: deletions.messageId })
            .from(deletions)
            .where(and(inArray(deletions.userId, [...userIds]), eq(deletions.conversationId, conversationId))),
        ),
        notExists(
          tx
            .select({ userId: members.userId })
            .from(members)
            .where(
              and(
                eq(members.conversationId, conversationId),
                lt(members.clearedUpTo, messages.id),
                or(isNull(members.leftAfter), gte(members.leftAfter, messages.id)),
                notDeletedBy(messages.id, members.userId),
              ),
            ),
        ),
      ),
    )
    .orderBy(asc(messages.id))
    .limit(limit)

/** A conversation with messages that no member can see. */
export async function findPurge(db: Db): Promise<{ id: number } | undefined> {
  const [row] = await db
    .select({ id: conversations.id })
    .from(conversations)
    .where(isNotNull(conversations.purgeUpTo).inlineParams())
    .orderBy(asc(conversations.id))
    .limit(1)
  return row
}

/** 0 for a conversation that has none. */
export async function purgeUpTo(tx: Tx, conversationId: number): Promise<number> {
  const [row] = await tx
    .select({ upTo: conversations.purgeUpTo })
    .from(conversations)
    .where(eq(conversations.id, conversationId))
  return row?.upTo ?? 0
}

export const endPurge = async (tx: Tx, conversationId: number): Promise<void> =>
  void (await tx
    .update(conversations)
    .set({ purgeUpTo: sql`null` })
    .where(eq(conversations.id, conversationId)))

export async function deleteReactions(tx: Tx, ids: readonly number[]): Promise<void> {
  await tx.delete(messageReactions).where(inArray(messageReactions.messageId, [...ids]))
}

export async function deleteMessages(tx: Tx, ids: readonly number[]): Promise<void> {
  await tx.delete(messages).where(inArray(messages.id, [...ids]))
}
