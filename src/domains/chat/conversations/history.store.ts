/** Messages of a conversation as a member sees them. */

import { and, asc, desc, eq, gt, lt, lte, sql } from 'drizzle-orm'

import { prepared } from '#db/prepared.ts'
import { messages } from '#db/schema/chat.ts'
import type { Db, Tx } from '#db/store.ts'

import { notDeletedBy } from '../deleted.store.ts'
import type { Countable } from '../members.rules.ts'
import type { MemberRow } from '../members.store.ts'
import type { MessageRow } from '../messages/messages.store.ts'

const p = sql.placeholder

const between = prepared((db) =>
  db
    .select({
      id: messages.id,
      senderId: messages.senderId,
      type: messages.type,
      recalledAt: messages.recalledAt,
    })
    .from(messages)
    .where(
      and(
        eq(messages.conversationId, p('conversationId')),
        gt(messages.id, p('after')),
        lte(messages.id, p('upTo')),
        notDeletedBy(messages.id, sql`${p('userId')}`),
      ),
    )
    .orderBy(asc(messages.id))
    .limit(p('limit')),
)

/** The oldest messages with ids above `after` and up to `upTo` that the user has not deleted, at most `limit`. */
export const messagesBetween = (
  db: Db | Tx,
  range: {
    readonly conversationId: number
    readonly userId: number
    readonly after: number
    readonly upTo: number
    readonly limit: number
  },
): Promise<Countable[]> => between(db, { ...range })

const before = prepared((db) =>
  db
    .select()
    .from(messages)
    .where(
      and(
        eq(messages.conversationId, p('conversationId')),
        gt(messages.id, p('after')),
        lt(messages.id, p('before')),
        notDeletedBy(messages.id, sql`${p('userId')}`),
      ),
    )
    .orderBy(desc(messages.id))
    .limit(p('limit')),
)

const after = prepared((db) =>
  db
    .select()
    .from(messages)
    .where(
      and(
        eq(messages.conversationId, p('conversationId')),
        gt(messages.id, p('after')),
        lt(messages.id, p('before')),
        notDeletedBy(messages.id, sql`${p('userId')}`),
      ),
    )
    .orderBy(asc(messages.id))
    .limit(p('limit')),
)

export interface HistoryRange {
  readonly beforeId: number
  /** With it the oldest messages of the range are read, otherwise the newest. */
  readonly afterId: number | undefined
  readonly limit: number
}

/** Messages that the member can see: the newest first, or after `afterId` the oldest first. */
export function historyOf(
  db: Db,
  { conversationId, userId, clearedUpTo, leftAfter }: MemberRow,
  { beforeId, afterId, limit }: HistoryRange,
): Promise<MessageRow[]> {
  const range = {
    conversationId,
    userId,
    after: Math.max(clearedUpTo, afterId ?? 0),
    before: leftAfter === null ? beforeId : Math.min(beforeId, leftAfter + 1),
    limit,
  }
  return afterId === undefined ? before(db, range) : after(db, range)
}
