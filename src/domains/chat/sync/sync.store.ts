/**
 * Finds the messages and changes of one user by their numbers, of which the messages of all users take one sequence. Neither way of reading
 * is good alone: reading all messages of a range costs as much as the server is busy, and looking into each conversation as many look-ups as
 * the user has conversations with news. So short ranges are read whole, and long ones by conversation (sync.service.ts).
 */

import { and, asc, count, eq, exists, gt, gte, isNull, lt, lte, or, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'

import { dialect } from '#db/dialect.ts'
import { prepared } from '#db/prepared.ts'
import { conversationMembers as members, messages } from '#db/schema/chat.ts'
import type { Builders, Db } from '#db/store.ts'

const p = sql.placeholder

const touched = prepared((db) =>
  db
    .select({ n: count() })
    .from(members)
    .where(and(eq(members.userId, p('userId')), gt(members.lastNumber, p('after')))),
)

/** Conversations of the user with a message or change above `after`. */
export const countTouched = async (db: Db, userId: number, after: number): Promise<number> =>
  (await touched(db, { userId, after }))[0]!.n

export interface Range {
  readonly userId: number
  readonly after: number
  readonly upTo: number
  readonly limit: number
}

export interface Found {
  readonly id: number
  readonly number: number
}

export type Find = (db: Db, range: Range) => Promise<Found[]>

/** Of a range of numbers: reads the messages of all users in it, until `limit` of them are the user's. */
const whole = (number: SQLiteColumn): Find => {
  const query = prepared((db) => {
    const seen = db
      .select({ userId: members.userId })
      .from(members)
      .where(
        and(
          eq(members.conversationId, messages.conversationId),
          eq(members.userId, p('userId')),
          lt(members.clearedUpTo, messages.id),
          or(isNull(members.leftAfter), gte(members.leftAfter, messages.id)),
        ),
      )
    return db
      .select({ id: messages.id, number })
      .from(messages)
      .where(and(gt(number, p('after')), lte(number, p('upTo')), exists(seen)))
      .orderBy(asc(number))
      .limit(p('limit'))
  })
  return (db, range) => query(db, { ...range }) as Promise<Found[]>
}

/** Of a range of numbers: reads at most `limit` index entries of each conversation with news. */
const byConversation = (number: 'id' | 'changed_number'): Find => {
  const column = sql.raw(`x.${number}`)
  // SQLite has no LATERAL: there the ids of each conversation are a list that is looked up.
  const inMember = (more: SQL, select: SQL) =>
    sql`select ${select} from ${messages} as x where x.conversation_id = cm.conversation_id and ${column} > ${p('after')}
      and ${column} <= ${p('upTo')} ${more} order by ${column} limit ${p('limit')}`
  const visible = sql`and x.id > cm.cleared_up_to and x.id <= coalesce(cm.left_after, ${sql.raw(String(Number.MAX_SAFE_INTEGER))})`
  const from =
    dialect === 'sqlite'
      ? sql`${members} as cm cross join ${messages} as m`
      : sql`${members} as cm cross join lateral (${inMember(visible, sql.raw('x.id, x.changed_number'))}) as m`
  const isOfMember = dialect === 'sqlite' ? sql`and m.id in (${inMember(visible, sql.raw('x.id'))})` : sql``
  const query = prepared((db: Builders) =>
    db
      .select({
        id: sql<number>`m.id`.mapWith(Number),
        number: sql<number>`${sql.raw(`m.${number}`)}`.mapWith(Number).as('number'),
      })
      .from(from as never)
      .where(sql`cm.user_id = ${p('userId')} and cm.last_number > ${p('after')} ${isOfMember}`)
      .orderBy(sql.raw('2'))
      .limit(p('limit')),
  )
  return (db, range) => query(db, { ...range }) as Promise<Found[]>
}

export const sentIn = { whole: whole(messages.id), byConversation: byConversation('id') }
export const changedIn = { whole: whole(messages.changedNumber), byConversation: byConversation('changed_number') }
