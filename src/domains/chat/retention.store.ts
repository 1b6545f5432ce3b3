import { and, asc, eq, inArray, isNotNull, lte, sql } from 'drizzle-orm'

import { conversations, messages } from '#db/schema/chat.ts'
import type { Db, Tx } from '#db/store.ts'

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

export async function deleteMessages(tx: Tx, ids: readonly number[]): Promise<void> {
  await tx.delete(messages).where(inArray(messages.id, [...ids]))
}
