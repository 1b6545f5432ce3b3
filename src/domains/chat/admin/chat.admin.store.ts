import { and, asc, count, eq, gt, gte, lte, sql } from 'drizzle-orm'

import { conversations, messages, type MessageType } from '#db/schema/chat.ts'
import { contactRequests, contacts } from '#db/schema/contacts.ts'
import type { Db } from '#db/store.ts'
import { QUARTER_HOUR } from '#lib/quarter-hours.ts'

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

/** Messages that one statement reads, so that other statements of the worker do not wait for long. */
const STEP_MESSAGES = 10_000

export interface MessageCount {
  /** Quarter-hours since 1970. */
  readonly quarter: number
  readonly type: MessageType
  /** Null for SYSTEM. */
  readonly senderId: number | null
  readonly n: number
}

/** Messages with ids above `fromId` that were sent at `time` or later, in statements of limited length. */
export async function* countMessages(
  db: Db,
  fromId: number,
  time: number,
  stepMessages = STEP_MESSAGES,
): AsyncGenerator<readonly MessageCount[]> {
  // A literal instead of a parameter: PostgreSQL would not treat the occurrences of the expression as the same.
  const quarter = sql<number>`${messages.createdAt} / ${sql.raw(String(QUARTER_HOUR))}`.mapWith(Number)
  for (let after: number | undefined = fromId; after !== undefined;) {
    const [last] = await db
      .select({ id: messages.id })
      .from(messages)
      .where(gt(messages.id, after))
      .orderBy(asc(messages.id))
      .limit(1)
      .offset(stepMessages - 1)
    yield await db
      .select({ quarter, type: messages.type, senderId: messages.senderId, n: count() })
      .from(messages)
      .where(and(gt(messages.id, after), last && lte(messages.id, last.id), gte(messages.createdAt, time)))
      .groupBy(quarter, messages.senderId, messages.type)
    after = last?.id
  }
}
