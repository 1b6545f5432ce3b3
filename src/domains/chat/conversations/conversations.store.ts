/** A user's list of conversations, and the settings in the user's own member row. */

import { and, count, desc, eq, getTableColumns, inArray, ne, or, type SQL, sql } from 'drizzle-orm'

import { contains } from '#db/contains.ts'
import { isOneOf } from '#db/dialect.ts'
import { offsetOf, type Page, type PageInput } from '#db/paging.ts'
import { prepared } from '#db/prepared.ts'
import { users } from '#db/schema/accounts.ts'
import { conversationMembers as members, conversations, messageDeletions } from '#db/schema/chat.ts'
import { contacts } from '#db/schema/contacts.ts'
import { searchPage } from '#db/search.ts'
import { isAmongFirst } from '#db/slices.ts'
import type { Builders, Db, Tx } from '#db/store.ts'
import { updatedAtFor } from '#db/updated-at.ts'

import { NO_DRAFT } from '../drafts.store.ts'
import type { MemberRow } from '../members.store.ts'

const p = sql.placeholder

const ofUser = eq(members.userId, p('userId'))
const listed = and(ofUser, eq(members.hidden, false))
/** The condition of an index. Members with unread messages are never hidden. */
const unreadOnly = sql`${members.unread} > 0`
const listOrder = [members.pinned, members.sortAt, members.conversationId]

/** As `unreadOnly`. Clearing and deleting take the mark away. */
const markedOnly = sql`${members.markedUnread}`
const newestFirst = listOrder.map((column) => desc(column))

const page = (db: Builders, where: SQL | undefined) =>
  db
    .select()
    .from(members)
    .where(where)
    .orderBy(...newestFirst)
    .limit(p('limit'))
    .offset(p('offset'))
const countOf = (where: SQL | undefined) => {
  const query = prepared((db) => db.select({ n: count() }).from(members).where(where))
  return async (db: Db, userId: number): Promise<number> => (await query(db, { userId }))[0]!.n
}

const all = { rows: prepared((db) => page(db, listed)), total: countOf(listed) }

/** The first conversations, up to the end of the page, of an index. */
const firstOf = (db: Builders, where: SQL | undefined) =>
  db
    .select({ id: members.conversationId })
    .from(members)
    .where(where)
    .orderBy(...newestFirst)
    .limit(p('end'))
const withMessages = and(ofUser, unreadOnly)
const onlyMarked = and(ofUser, markedOnly, sql`${members.unread} = 0`)
const countWithMessages = countOf(withMessages)
const countOnlyMarked = countOf(onlyMarked)
const countMarked = countOf(and(ofUser, markedOnly))
/** Each half of the list has an index in its order, so that a page reads no more rows than the pages up to it have. */
const unread = {
  rows: prepared((db) => {
    const ids = sql`select * from ${firstOf(db, withMessages).as('a')} union all select * from ${firstOf(db, onlyMarked).as('b')}`
    return page(db, and(ofUser, sql`${members.conversationId} in (${ids})`))
  }),
  total: async (db: Db, userId: number) => (await countWithMessages(db, userId)) + (await countOnlyMarked(db, userId)),
}

/** Names under which the notes of a user are found; clients show them. */
const NOTES_TITLES = ['notes to myself', '给自己的笔记']

export interface ListInput extends PageInput {
  readonly unread?: boolean | undefined
}

/** Pinned conversations first, then by the time of the last message, newest first. Both counts are read from the index alone. */
export async function conversationsPage(db: Db, userId: number, input: ListInput): Promise<Page<MemberRow>> {
  const { page: number, size } = input
  const query = input.unread ? unread : all
  const [items, total] = await Promise.all([
    query.rows(db, { userId, limit: size, offset: offsetOf(input), end: offsetOf(input) + size }),
    query.total(db, userId),
  ])
  return { items, total, page: number, size }
}

/** Conversations whose title contains `keyword`. `db` is that of `Store.search`. */
export function searchConversations(
  db: Db,
  userId: number,
  input: ListInput & { readonly keyword: string },
): Promise<Page<MemberRow>> {
  const { keyword, page, size } = input
  const isNotes = NOTES_TITLES.some((title) => title.includes(keyword.toLowerCase()))
  const other = sql`case when ${conversations.lowUserId} = ${userId} then ${conversations.highUserId} else ${conversations.lowUserId} end`
  return searchPage<MemberRow>(
    db,
    {
      table: members,
      scope: and(
        eq(members.userId, userId),
        eq(members.hidden, false),
        input.unread ? or(unreadOnly, markedOnly) : undefined,
      ),
      order: listOrder,
      isReversed: true,
      where: or(
        contains(conversations.name, keyword),
        contains(contacts.remark, keyword),
        isNotes ? sql`${conversations.lowUserId} = ${conversations.highUserId}` : undefined,
        and(sql`coalesce(${contacts.remark}, '') = ''`, contains(users.nickname, keyword)),
      ),
      select: (reader) =>
        reader
          .select(getTableColumns(members))
          .from(members)
          .innerJoin(conversations, eq(conversations.id, members.conversationId))
          .leftJoin(users, sql`${users.id} = ${other}`)
          .leftJoin(contacts, and(eq(contacts.userId, userId), eq(contacts.otherId, users.id)))
          .$dynamic(),
    },
    { page, size },
  )
}

const sumUnread = prepared((db) =>
  db
    .select({ n: sql`coalesce(sum(${members.unread}), 0)`.mapWith(Number) })
    .from(members)
    .where(and(ofUser, unreadOnly)),
)

/** Unread messages of all conversations, also of muted ones. A conversation that the user has marked as unread counts as one more. */
export const unreadTotal = async (db: Db, userId: number): Promise<number> =>
  (await sumUnread(db, { userId }))[0]!.n + (await countMarked(db, userId))

/** The rows of a user, in no particular order. */
export const ownMembers = async (
  db: Db | Tx,
  userId: number,
  conversationIds: readonly number[],
): Promise<MemberRow[]> =>
  conversationIds.length === 0
    ? []
    : db
        .select()
        .from(members)
        .where(and(eq(members.userId, userId), isOneOf(members.conversationId, conversationIds)))

/** The rows of the other users in direct conversations. */
export const peersIn = async (db: Db, userId: number, conversationIds: readonly number[]) =>
  conversationIds.length === 0
    ? []
    : db
        .select({
          conversationId: members.conversationId,
          userId: members.userId,
          shownReadUpTo: members.shownReadUpTo,
        })
        .from(members)
        .where(and(isOneOf(members.conversationId, conversationIds), ne(members.userId, userId)))

export type OwnView = Partial<Pick<MemberRow, 'pinned' | 'muted' | 'markedUnread'>>

/** Undefined if the user does not have the conversation on the list. */
export async function updateOwnView(
  tx: Tx,
  conversationId: number,
  userId: number,
  change: OwnView,
): Promise<MemberRow | undefined> {
  const [row] = await tx
    .update(members)
    .set({ ...change, updatedAt: updatedAtFor(members, change, tx.stamp) })
    .where(and(eq(members.conversationId, conversationId), eq(members.userId, userId), eq(members.hidden, false)))
    .returning()
  return row
}

export const setRead = async (
  tx: Tx,
  { conversationId, userId, shownReadUpTo: before }: MemberRow,
  change: Pick<MemberRow, 'readUpTo' | 'shownReadUpTo' | 'unread'>,
): Promise<MemberRow> => {
  const [row] = await tx
    .update(members)
    .set({
      ...change,
      ...(change.shownReadUpTo > before && { readAt: tx.stamp, readBefore: before }),
      markedUnread: false,
      mentionedAt: sql`case when ${members.mentionedAt} <= ${change.readUpTo} then 0 else ${members.mentionedAt} end`,
      updatedAt: updatedAtFor(members, { ...change, markedUnread: false }, tx.stamp),
    })
    .where(and(eq(members.conversationId, conversationId), eq(members.userId, userId)))
    .returning()
  return row!
}

/** Empties the history of one member; `deleted`: also takes the conversation off the list. */
export async function clearHistory(tx: Tx, row: MemberRow, createdAt: number, deleted: boolean): Promise<void> {
  await tx
    .update(members)
    .set({
      clearedUpTo: Math.max(row.clearedUpTo, row.lastMessageId ?? 0),
      unread: 0,
      markedUnread: false,
      mentionedAt: 0,
      lastMessageId: null,
      sortAt: createdAt,
      updatedAt: tx.stamp,
      ...(deleted && { hidden: true, pinned: 0, muted: false, ...NO_DRAFT }),
    })
    .where(and(eq(members.conversationId, row.conversationId), eq(members.userId, row.userId)))
}

/** Lets the messages up to this id be deleted, because no member can see them. */
export const setPurge = async (tx: Tx, conversationId: number, upTo: number): Promise<void> =>
  void (await tx.update(conversations).set({ purgeUpTo: upTo }).where(eq(conversations.id, conversationId)))

/**
 * Ends the part of a user whose account was deleted in at most `limit` direct conversations, and in groups that the user had left. Messages that only this user
 * could see may then be deleted. Returns their number.
 */
export async function leaveDirect(tx: Tx, userId: number, limit: number): Promise<number> {
  const left = await tx
    .delete(members)
    .where(isAmongFirst(tx, members, { where: and(eq(members.userId, userId), sql`${members.role} is null`), limit }))
    .returning({ id: members.conversationId })
  const ids = left.map(({ id }) => id)
  const others = sql`from ${members} as other where other.conversation_id = ${conversations.id}`
  for (let i = 0; i < ids.length; i += IDS_PER_UPDATE)
    await tx
      .update(conversations)
      .set({ purgeUpTo: sql`coalesce((select min(other.cleared_up_to) ${others}), ${Number.MAX_SAFE_INTEGER})` })
      .where(
        and(
          eq(conversations.type, 'DIRECT'),
          inArray(conversations.id, ids.slice(i, i + IDS_PER_UPDATE)),
          sql`(not exists (select 1 ${others} and other.cleared_up_to = 0)
            or exists (select 1 from ${messageDeletions} as gone where gone.conversation_id = ${conversations.id}
              and gone.user_id in (select other.user_id ${others})))`,
        ),
      )
  return ids.length
}

const IDS_PER_UPDATE = 500

export const hasConversations = async (db: Db | Tx, userId: number): Promise<boolean> =>
  (await db.select({ id: members.conversationId }).from(members).where(eq(members.userId, userId)).limit(1)).length > 0
