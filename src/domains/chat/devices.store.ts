import { inArray } from 'drizzle-orm'

import { conversationMembers as members } from '#db/schema/chat.ts'
import type { Db } from '#db/store.ts'

/** The members of the conversations, with the columns that decide who gets a push. */
export const listenersOf = async (db: Db, conversationIds: readonly number[]) =>
  db
    .select({
      conversationId: members.conversationId,
      userId: members.userId,
      clearedUpTo: members.clearedUpTo,
      leftAfter: members.leftAfter,
      readUpTo: members.readUpTo,
      muted: members.muted,
    })
    .from(members)
    .where(inArray(members.conversationId, [...conversationIds]))
