import { and, asc, eq, inArray } from 'drizzle-orm'

import { messageReactions, messages, type ReactionCount } from '#db/schema/chat.ts'
import type { Tx } from '#db/store.ts'

interface Key {
  readonly messageId: number
  readonly userId: number
  readonly emoji: string
}

/** False if the user has added this emoji before. */
export async function insertReaction(tx: Tx, key: Key): Promise<boolean> {
  const rows = await tx
    .insert(messageReactions)
    .values({ ...key, createdAt: tx.stamp })
    .onConflictDoNothing()
    .returning({ userId: messageReactions.userId })
  return rows.length > 0
}

/** False if there was none. */
export async function deleteReaction(tx: Tx, { messageId, userId, emoji }: Key): Promise<boolean> {
  const rows = await tx
    .delete(messageReactions)
    .where(
      and(
        eq(messageReactions.messageId, messageId),
        eq(messageReactions.userId, userId),
        eq(messageReactions.emoji, emoji),
      ),
    )
    .returning({ userId: messageReactions.userId })
  return rows.length > 0
}

/** The first users of an emoji. */
export async function firstUsers(tx: Tx, messageId: number, emoji: string, limit: number): Promise<number[]> {
  const rows = await tx
    .select({ userId: messageReactions.userId })
    .from(messageReactions)
    .where(and(eq(messageReactions.messageId, messageId), eq(messageReactions.emoji, emoji)))
    .orderBy(asc(messageReactions.createdAt), asc(messageReactions.userId))
    .limit(limit)
  return rows.map((row) => row.userId)
}

export async function setReactions(
  tx: Tx,
  messageId: number,
  reactions: readonly ReactionCount[],
  changedNumber: number,
): Promise<void> {
  await tx
    .update(messages)
    .set({ reactions: reactions.length === 0 ? null : reactions, changedNumber })
    .where(eq(messages.id, messageId))
}

/** Deletes the reactions to messages that are recalled or deleted. */
export async function deleteReactionsTo(tx: Tx, messageIds: readonly number[]): Promise<void> {
  await tx.delete(messageReactions).where(inArray(messageReactions.messageId, [...messageIds]))
}
