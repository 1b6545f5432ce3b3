/** Searches the caller's messages, and keeps the index of the search. */

import type { AppContext } from '#context'
import type { Db, Tx } from '#db/store.ts'
import type { Actor } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'
import { invalid } from '#http/validate.ts'

import { lastNumber } from '../chat.store.ts'
import { findMember } from '../members.store.ts'
import { textOf } from '../messages/messages.rules.ts'
import { type MessageRow, messagesByIds } from '../messages/messages.store.ts'
import { loadExtras, toMessage } from '../messages/messages.view.ts'
import type { FoundMessages, SearchQuery } from './search.model.ts'
import { matches, type Run, runsOf, termsOf } from './search.rules.ts'
import * as store from './search.store.ts'

/** Terms that the database looks up; the texts of the messages decide about the rest. */
const LOOKED_UP = 4
/** Messages read at once. */
const BATCH = 100
/** Numbers of the first window, and how much larger each further one is: a search reads little more than it answers. */
const FIRST_WINDOW = 4096
const GROWTH = 8

const tooShort = () =>
  invalid('query.q', 'must contain a word, or two neighbouring characters', '须包含一个单词，或两个相连的汉字')

/** @throws AppError 404 if the user was never part of the conversation */
export async function searchMessages(ctx: AppContext, actor: Actor, query: SearchQuery): Promise<FoundMessages> {
  const { userId } = actor
  const { conversationId, limit, beforeId = Number.MAX_SAFE_INTEGER } = query
  const runs = runsOf(query.q)
  const [first, ...others] = longestFirst(termsOf(runs))
  if (first === undefined) throw tooShort()
  const { read } = ctx.db
  if (conversationId !== undefined && (await findMember(read, conversationId, userId)) === undefined) throw notFound()
  const found = await ctx.db.search(userId, async (db) => {
    const upTo = Math.min(beforeId - 1, await lastNumber(db))
    const scope = { userId, conversationId }
    return collect(db, scope, upTo, [first, ...others.slice(0, LOOKED_UP - 1)], runs, limit + 1)
  })
  const rows = found.slice(0, limit)
  const extras = await loadExtras(read, rows)
  return { items: rows.map((row) => toMessage(ctx, row, extras)), hasMore: found.length > limit }
}

/** Long words are rarer. */
const longestFirst = (terms: readonly string[]): string[] => terms.toSorted((a, b) => b.length - a.length)

type Scope = Pick<store.Window, 'userId' | 'conversationId'>

/** At most `limit` messages, the newest first: those that are not indexed yet are read one by one. */
async function collect(
  db: Db,
  scope: Scope,
  upTo: number,
  terms: readonly [string, ...string[]],
  runs: readonly Run[],
  limit: number,
): Promise<MessageRow[]> {
  const indexed = Math.min(upTo, await store.indexedUpTo(db))
  const found: MessageRow[] = []
  const keep = (rows: readonly MessageRow[]) => {
    for (const row of rows) if (found.length < limit && matches(runs, runsOf(textOf(row)))) found.push(row)
  }
  for (let to = upTo; to > indexed && found.length < limit;) {
    const rows = await store.newestMessages(db, { ...scope, after: indexed, upTo: to }, BATCH)
    keep(rows)
    to = rows.length < BATCH ? indexed : rows.at(-1)!.id - 1
  }
  let size = FIRST_WINDOW
  for (let to = indexed; to > 0 && found.length < limit;) {
    const after = Math.max(0, to - size)
    const ids = await store.idsWithTerms(db, { ...scope, after, upTo: to }, terms, BATCH)
    keep((await messagesByIds(db, ids)).toReversed())
    if (ids.length === BATCH) to = ids.at(-1)! - 1
    else {
      to = after
      size *= GROWTH
    }
  }
  return found
}

/** Messages and terms that one write indexes, and characters in which it looks for terms: a few milliseconds. */
const MESSAGES_PER_WRITE = 250
const TERMS_PER_WRITE = 2000
const CHARACTERS_PER_WRITE = 50_000
/** Terms go to random places of a large table. With a backlog, the job leaves most of the time to those who send. */
const WRITES_PER_RUN = 20

/** Indexes the messages that were sent since the last run. Sending does not wait for it: a message has a dozen terms. */
export async function indexMessages(ctx: AppContext): Promise<void> {
  const { read } = ctx.db
  for (let i = 0; i < WRITES_PER_RUN && (await store.indexedUpTo(read)) < (await lastNumber(read)); i++)
    await ctx.db.write('chat.indexMessages', indexSome)
}

async function indexSome(tx: Tx): Promise<void> {
  const upTo = await lastNumber(tx)
  const rows = await store.messagesAfter(tx, await store.indexedUpTo(tx), upTo, MESSAGES_PER_WRITE)
  const indexed: store.TermsOfMessage[] = []
  let terms = 0
  let characters = 0
  for (const row of rows) {
    if (terms >= TERMS_PER_WRITE || characters >= CHARACTERS_PER_WRITE) break
    const text = textOf(row)
    const ofMessage = termsOf(runsOf(text))
    indexed.push({ messageId: row.id, conversationId: row.conversationId, terms: ofMessage })
    terms += ofMessage.length
    characters += text.length
  }
  await store.addTerms(tx, indexed)
  const isAll = indexed.length === rows.length && rows.length < MESSAGES_PER_WRITE
  await store.setIndexedUpTo(tx, isAll ? upTo : indexed.at(-1)!.messageId)
}

/** The words that an edit takes from a message and gives to it. */
export function changedTerms(
  { id: messageId, conversationId, type }: Pick<MessageRow, 'id' | 'conversationId' | 'type'>,
  before: MessageRow['content'],
  after: MessageRow['content'],
): { readonly gone: store.TermsOfMessage; readonly added: store.TermsOfMessage } {
  const [old, now] = [before, after].map((content) => new Set(termsOf(runsOf(textOf({ type, content })))))
  const of = (terms: ReadonlySet<string>): store.TermsOfMessage => ({ messageId, conversationId, terms: [...terms] })
  return { gone: of(old!.difference(now!)), added: of(now!.difference(old!)) }
}

/** Forgets the words of messages that are recalled or deleted. The rows must still have their content. */
export async function forgetTerms(
  tx: Tx,
  rows: readonly Pick<MessageRow, 'id' | 'conversationId' | 'type' | 'content'>[],
): Promise<void> {
  let some: store.TermsOfMessage[] = []
  let characters = 0
  for (const [i, { id: messageId, conversationId, ...row }] of rows.entries()) {
    const text = textOf(row)
    some.push({ messageId, conversationId, terms: termsOf(runsOf(text)) })
    characters += text.length
    if (i < rows.length - 1 && characters < CHARACTERS_PER_WRITE) continue
    await store.deleteTerms(tx, some)
    if (characters >= CHARACTERS_PER_WRITE) await tx.pause()
    some = []
    characters = 0
  }
}
