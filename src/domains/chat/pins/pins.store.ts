import { and, eq, isNotNull, isNull } from 'drizzle-orm'

import { messages } from '#db/schema/chat.ts'
import type { Db, Tx } from '#db/store.ts'

import type { MessageRow } from '../messages/messages.store.ts'

type PinnedRow = MessageRow & { readonly pin: NonNullable<MessageRow['pin']> }

/** The pinned messages of a conversation, the latest pinned first. Callers check which of them the user can see. */
export async function pinnedIn(db: Db | Tx, conversationId: number): Promise<PinnedRow[]> {
  const rows = await db
    .select()
    .from(messages)
    .where(and(eq(messages.conversationId, conversationId), isNotNull(messages.pin), isNull(messages.recalledAt)))
  return (rows as PinnedRow[]).toSorted((a, b) => b.pin.pinnedAt - a.pin.pinnedAt || b.id - a.id)
}

/** Pins a message, or with null unpins it, with the number of this change. */
export const setPin = async (tx: Tx, id: number, pin: MessageRow['pin'], changedNumber: number): Promise<void> =>
  void (await tx.update(messages).set({ pin, changedNumber }).where(eq(messages.id, id)))
