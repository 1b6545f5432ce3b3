import { and, asc, count, countDistinct, eq, gt, gte, type SQL, sql } from 'drizzle-orm'

import { conversations, messages } from '#db/schema/chat.ts'
import { contactRequests, contacts } from '#db/schema/contacts.ts'
import type { Db } from '#db/store.ts'
import type { OffsetSpan } from '#lib/days.ts'
import { DAY } from '#platform/clock.ts'

export async function totals(db: Db, now: number) {
  const [conversationRows] = await db.select({ n: count() }).from(conversations)
  const [messageRows] = await db.select({ n: count() }).from(messages)
  const [contactRows] = await db.select({ n: count() }).from(contacts).where(eq(contacts.isContact, true))
  const [requestRows] = await db
    .select({ n: count() })
    .from(contactRequests)
    .where(and(eq(contactRequests.status, 'PENDING'), gt(contactRequests.expiresAt, now)))
  return {
    conversations: conversationRows!.n,
    messages: messageRows!.n,
    contacts: contactRows!.n,
    pendingRequests: requestRows!.n,
  }
}

/** An id below which all messages are older than `time`. Ids grow with time, so a search by halves needs no index of times. */
export async function idBefore(db: Db, time: number, lastId: number): Promise<number> {
  let low = 0
  let high = lastId + 1
  while (low + 1 < high) {
    const middle = Math.floor((low + high) / 2)
    const [row] = await db
      .select({ id: messages.id, createdAt: messages.createdAt })
      .from(messages)
      .where(gte(messages.id, middle))
      .orderBy(asc(messages.id))
      .limit(1)
    if (row === undefined || row.createdAt >= time) high = middle
    else low = row.id
  }
  return low
}

const since = (fromId: number, time: number): SQL | undefined =>
  and(gt(messages.id, fromId), gte(messages.createdAt, time))

export const countByType = (db: Db, fromId: number, time: number) =>
  db.select({ type: messages.type, count: count() }).from(messages).where(since(fromId, time)).groupBy(messages.type)

export const countSenders = async (db: Db, fromId: number, time: number): Promise<number> =>
  (
    await db
      .select({ n: countDistinct(messages.senderId) })
      .from(messages)
      .where(since(fromId, time))
  )[0]!.n

/** By day number since 1970. The spans follow each other; each has another UTC offset. */
export function countByDay(db: Db, fromId: number, spans: readonly OffsetSpan[]) {
  // Literals instead of parameters: PostgreSQL would not treat the two occurrences of `day` as the same expression.
  const offset = spans
    .slice(0, -1)
    .reduceRight(
      (rest, span) => `case when created_at < ${span.to} then ${span.offset} else ${rest} end`,
      String(spans.at(-1)!.offset),
    )
  const day = sql<number>`(${messages.createdAt} + ${sql.raw(offset)}) / ${sql.raw(String(DAY))}`.mapWith(Number)
  return db
    .select({ day, messages: count(), senders: countDistinct(messages.senderId) })
    .from(messages)
    .where(since(fromId, spans[0]!.from))
    .groupBy(day)
}
