import { and, eq, isNull, lt, or, sql } from 'drizzle-orm'

import { prepared } from '#db/prepared.ts'
import { conversationMembers as members } from '#db/schema/chat.ts'
import type { Db, Tx } from '#db/store.ts'

const p = sql.placeholder

const viewer = prepared((db) =>
  db
    .select({ userId: members.userId })
    .from(members)
    .where(
      and(
        eq(members.conversationId, p('conversationId')),
        lt(members.clearedUpTo, p('messageId')),
        or(isNull(members.leftAfter), sql`${members.leftAfter} >= ${p('messageId')}`),
      ),
    )
    .limit(1),
)

/** Whether anyone can see the message. */
export const hasViewer = async (db: Db | Tx, conversationId: number, messageId: number): Promise<boolean> =>
  (await viewer(db, { conversationId, messageId })).length > 0
