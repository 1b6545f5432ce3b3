/**
 * The index of the search: a row for each term of each message, under the conversation. A search reads the rows of the user's own
 * conversations only, so it does not cost more when others write more.
 */

import { and, desc, eq, gt, lte, sql } from 'drizzle-orm'

import { dialect } from '#db/dialect.ts'
import { jsonRows, jsonTexts } from '#db/json-rows.ts'
import { prepared } from '#db/prepared.ts'
import { conversationMembers as members, messageIndex, messages, messageTerms } from '#db/schema/chat.ts'
import type { Builders, Db, Tx } from '#db/store.ts'

import { notDeletedBy } from '../deleted.store.ts'
import type { MessageRow } from '../messages/messages.store.ts'

const INDEX_ROW = 1

/** SQL for `indexedUpTo`. */
export const lastIndexed = sql`coalesce((select ${sql.raw('up_to')} from ${messageIndex} where id = ${sql.raw(String(INDEX_ROW))}), 0)`

const current = prepared((db) =>
  db.select({ upTo: messageIndex.upTo }).from(messageIndex).where(eq(messageIndex.id, INDEX_ROW)),
)

/** All messages up to this number have been indexed. */
export const indexedUpTo = async (db: Db | Tx): Promise<number> => (await current(db))[0]?.upTo ?? 0

export async function setIndexedUpTo(tx: Tx, upTo: number): Promise<void> {
  await tx
    .insert(messageIndex)
    .values({ id: INDEX_ROW, upTo })
    .onConflictDoUpdate({ target: messageIndex.id, set: { upTo } })
}

/** The oldest messages above `after`, up to `upTo`. */
export const messagesAfter = (tx: Tx, after: number, upTo: number, limit: number): Promise<MessageRow[]> =>
  tx
    .select()
    .from(messages)
    .where(and(gt(messages.id, after), lte(messages.id, upTo)))
    .orderBy(messages.id)
    .limit(limit)

const termsOfMessages = (name: string) => jsonRows(name, { conversationId: 'int', messageId: 'int', terms: 'json' })

export interface TermsOfMessage {
  readonly messageId: number
  readonly conversationId: number
  readonly terms: readonly string[]
}

/** The values of `insertTerms`, from a list of `TermsOfMessage`. */
export const withTerms = termsOfMessages('with_terms')

// A list of VALUES took 25 µs a term to build.
export const insertTerms = (db: Builders) =>
  db
    .insert(messageTerms)
    .select(
      sql`select ${withTerms.conversationId}, term.value, ${withTerms.messageId} from ${withTerms.rows}, ${jsonTexts(withTerms.terms, 'term')}`,
    )

/** The values of `removeTerms`, from a list of `TermsOfMessage`. */
export const withoutTerms = termsOfMessages('without_terms')

/** Each term is looked up by itself: PostgreSQL expects many, and would read the whole table. */
export const removeTerms = (db: Builders) => {
  const { conversationId, term, messageId } = messageTerms
  const isOne = and(
    eq(conversationId, withoutTerms.conversationId),
    eq(term, sql`term.value`),
    eq(messageId, withoutTerms.messageId),
  )
  const given = sql`${withoutTerms.rows}, ${jsonTexts(withoutTerms.terms, 'term')}`
  return db
    .delete(messageTerms)
    .where(
      dialect === 'sqlite'
        ? sql`(${conversationId}, ${term}, ${messageId}) in (select ${withoutTerms.conversationId}, term.value, ${withoutTerms.messageId} from ${given})`
        : sql`ctid = any(array(select found.place from ${given}, lateral (select ctid as place from ${messageTerms} where ${isOne} limit 1) as found))`,
    )
}

const insert = prepared(insertTerms)
const remove = prepared(removeTerms)

export const addTerms = async (tx: Tx, list: readonly TermsOfMessage[]): Promise<void> =>
  void (await insert(tx, withTerms.values(list)))

export const deleteTerms = async (tx: Tx, list: readonly TermsOfMessage[]): Promise<void> =>
  void (await remove(tx, withoutTerms.values(list)))

/** Messages that a user can see, with ids in (after, upTo]. */
export interface Window {
  readonly userId: number
  readonly conversationId: number | undefined
  readonly after: number
  readonly upTo: number
}

// `lastNumber` is at least the id of every message that the member can see: conversations without one in the window are skipped by its index.
const ofMember = ({ userId, conversationId, after }: Window) =>
  and(
    eq(members.userId, userId),
    conversationId === undefined ? gt(members.lastNumber, after) : eq(members.conversationId, conversationId),
  )

/** The newest messages of the window that have all of the terms; at most `limit` ids. */
export async function idsWithTerms(
  db: Db,
  window: Window,
  [first, ...others]: readonly [string, ...string[]],
  limit: number,
): Promise<number[]> {
  const { after, upTo } = window
  const { messageId, conversationId, term } = messageTerms
  const hasOther = (other: string) =>
    sql`exists (select 1 from ${messageTerms} as other where other.conversation_id = ${conversationId} and other.term = ${other} and other.message_id = ${messageId})`
  const rows = await db
    .select({ id: messageId })
    .from(members)
    // CROSS JOIN keeps SQLite from reading the terms of all conversations first.
    .crossJoin(messageTerms)
    .where(
      and(
        ofMember(window),
        eq(conversationId, members.conversationId),
        eq(term, first),
        gt(messageId, after),
        lte(messageId, upTo),
        gt(messageId, members.clearedUpTo),
        sql`(${members.leftAfter} is null or ${messageId} <= ${members.leftAfter})`,
        notDeletedBy(messageId, window.userId),
        ...others.map(hasOther),
      ),
    )
    .orderBy(desc(messageId))
    .limit(limit)
  return rows.map((row) => row.id)
}

/** The newest messages of the window, for those that are not indexed yet. */
export async function newestMessages(db: Db, window: Window, limit: number): Promise<MessageRow[]> {
  const rows = await db
    .select({ message: messages })
    .from(members)
    .crossJoin(messages)
    .where(
      and(
        ofMember(window),
        eq(messages.conversationId, members.conversationId),
        gt(messages.id, window.after),
        lte(messages.id, window.upTo),
        gt(messages.id, members.clearedUpTo),
        sql`(${members.leftAfter} is null or ${messages.id} <= ${members.leftAfter})`,
        notDeletedBy(messages.id, window.userId),
      ),
    )
    .orderBy(desc(messages.id))
    .limit(limit)
  return rows.map((row) => row.message)
}
