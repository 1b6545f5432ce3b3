import { and, asc, gt, inArray, lte, sql } from 'drizzle-orm'

import { prepared } from '#db/prepared.ts'
import { conversationMembers as members, messages } from '#db/schema/chat.ts'
import type { Db } from '#db/store.ts'

const p = sql.placeholder

const sent = prepared((db) =>
  db
    .select()
    .from(messages)
    .where(and(gt(messages.id, p('after')), lte(messages.id, p('upTo'))))
    .orderBy(asc(messages.id))
    .limit(p('limit')),
)

const changed = prepared((db) =>
  db
    .select()
    .from(messages)
    .where(and(gt(messages.changedNumber, p('after')), lte(messages.changedNumber, p('upTo'))))
    .orderBy(asc(messages.changedNumber))
    .limit(p('limit')),
)

export interface Numbers {
  readonly after: number
  readonly upTo: number
  readonly limit: number
}

/** Messages of all conversations by their numbers. */
export const sentMessages = (db: Db, numbers: Numbers) => sent(db, { ...numbers })
/** Messages of all conversations by the numbers of their last changes. */
export const changedMessages = (db: Db, numbers: Numbers) => changed(db, { ...numbers })

/** Who can see which messages of the conversations. */
export const viewersOf = async (db: Db, conversationIds: readonly number[]) =>
  db
    .select({
      conversationId: members.conversationId,
      userId: members.userId,
      clearedUpTo: members.clearedUpTo,
      leftAfter: members.leftAfter,
    })
    .from(members)
    .where(inArray(members.conversationId, [...conversationIds]))
