/**
 * Conversations and their member rows. A member row carries what lists and counts show (unread messages, last message), so that neither of
 * them reads messages: every write that adds, recalls or deletes messages says so with the functions of this file.
 */

import { and, count, desc, eq, getTableColumns, gt, inArray, lt, lte, ne, or, type SQL, sql } from 'drizzle-orm'

import { contains } from '#db/contains.ts'
import { offsetOf, type Page, type PageInput } from '#db/paging.ts'
import { prepared } from '#db/prepared.ts'
import { users } from '#db/schema/accounts.ts'
import { conversationMembers as members, conversations, type MessageType } from '#db/schema/chat.ts'
import { contacts } from '#db/schema/contacts.ts'
import { searchPage } from '#db/search.ts'
import type { Db, Tx } from '#db/store.ts'
import { updatedAtFor } from '#db/updated-at.ts'

import { type Countable, counts, isUnread } from './conversations.rules.ts'

export type ConversationRow = typeof conversations.$inferSelect
export type MemberRow = typeof members.$inferSelect
export { isVisible } from './conversations.rules.ts'

const p = sql.placeholder

const ofMember = and(eq(members.conversationId, p('conversationId')), eq(members.userId, p('userId')))

const member = prepared((db) => db.select().from(members).where(ofMember))

/** Undefined if the user was never part of the conversation. Callers check `hidden` and `leftAfter`. */
export const findMember = async (db: Db | Tx, conversationId: number, userId: number): Promise<MemberRow | undefined> =>
  (await member(db, { conversationId, userId }))[0]

const conversation = prepared((db) =>
  db
    .select()
    .from(conversations)
    .where(eq(conversations.id, p('id'))),
)

export const findConversation = async (db: Db | Tx, id: number): Promise<ConversationRow | undefined> =>
  (await conversation(db, { id }))[0]

/** In no particular order. */
export const conversationsByIds = async (db: Db | Tx, ids: readonly number[]): Promise<ConversationRow[]> =>
  ids.length === 0
    ? []
    : db
        .select()
        .from(conversations)
        .where(inArray(conversations.id, [...ids]))

const direct = prepared((db) =>
  db
    .select()
    .from(conversations)
    .where(and(eq(conversations.lowUserId, p('low')), eq(conversations.highUserId, p('high')))),
)

const pairOf = (a: number, b: number) => ({ low: Math.min(a, b), high: Math.max(a, b) })

/** The direct conversation of two users, if they have ever written to each other. */
export const findDirect = async (db: Db | Tx, a: number, b: number): Promise<ConversationRow | undefined> =>
  (await direct(db, pairOf(a, b)))[0]

/** The other user of a direct conversation; undefined for groups. */
export function peerOf(row: ConversationRow, userId: number): number | undefined {
  if (row.type === 'GROUP') return undefined
  return (row.lowUserId === userId ? row.highUserId : row.lowUserId)!
}

/** The direct conversation of two users, which is created with both member rows if there is none. */
export async function ensureDirect(tx: Tx, a: number, b: number): Promise<ConversationRow> {
  const found = await findDirect(tx, a, b)
  if (found) return found
  const { low, high } = pairOf(a, b)
  const times = { createdAt: tx.stamp, updatedAt: tx.stamp }
  const [created] = await tx
    .insert(conversations)
    .values({ type: 'DIRECT', lowUserId: low, highUserId: high, memberCount: 2, ...times })
    .onConflictDoNothing()
    .returning()
  if (created === undefined) return (await findDirect(tx, a, b))!
  await tx
    .insert(members)
    .values(
      [low, high].map((userId) => ({ conversationId: created.id, userId, sortAt: tx.stamp, updatedAt: tx.stamp })),
    )
  return created
}

const membersIn = prepared((db) =>
  db
    .select()
    .from(members)
    .where(eq(members.conversationId, p('conversationId'))),
)

/** Also those who have left. */
export const membersOf = (db: Db | Tx, conversationId: number): Promise<MemberRow[]> =>
  membersIn(db, { conversationId })

export interface AddedMessage {
  readonly id: number
  /** Null for SYSTEM. */
  readonly senderId: number | null
  readonly type: MessageType
  readonly createdAt: number
  /** Users whom the message mentions; those who are not in the conversation are ignored. */
  readonly mentions?: readonly number[]
}

// One statement also for a group of 500: the costs are the index entries of the rows that change.
const addMessages = prepared((db) =>
  db
    .update(members)
    .set({
      unread: sql`${members.unread} + case when ${members.userId} = ${p('senderId')} then 0 else ${p('unread')} end`,
      lastMessageId: sql`${p('lastId')}`,
      lastNumber: sql`${p('lastId')}`,
      sortAt: sql`${p('sortAt')}`,
      hidden: false,
      updatedAt: sql`${p('stamp')}`,
    })
    .where(and(eq(members.conversationId, p('conversationId')), sql`${members.leftAfter} is null`)),
)

/** Takes new messages of one sender, in the order of their ids, into the rows of all present members. */
export async function messageAdded(
  tx: Tx,
  { id: conversationId }: Pick<ConversationRow, 'id'>,
  added: readonly AddedMessage[],
): Promise<void> {
  const last = added.at(-1)
  if (last === undefined) return
  await addMessages(tx, {
    conversationId,
    senderId: last.senderId ?? 0,
    unread: added.filter(counts).length,
    lastId: last.id,
    sortAt: last.createdAt,
    stamp: tx.stamp,
  })
  for (const { id, senderId, mentions = [] } of added)
    if (mentions.length > 0)
      await tx
        .update(members)
        .set({ mentionedAt: id })
        .where(
          and(
            eq(members.conversationId, conversationId),
            inArray(members.userId, [...mentions]),
            ne(members.userId, senderId ?? 0),
            sql`${members.leftAfter} is null`,
          ),
        )
}

/** The members who can see the message. */
const viewers = and(
  eq(members.conversationId, p('conversationId')),
  sql`${members.clearedUpTo} < ${p('messageId')}`,
  sql`(${members.leftAfter} is null or ${members.leftAfter} >= ${p('messageId')})`,
)

const setLastNumber = prepared((db) =>
  db
    .update(members)
    .set({ lastNumber: sql`${p('number')}` })
    .where(viewers),
)

/** Takes a change of a message (`changedNumber`) into the rows of the members who can see it, so that they find it by catching up. */
export const messageChanged = async (
  tx: Tx,
  { id: messageId, conversationId }: { readonly id: number; readonly conversationId: number },
  number: number,
): Promise<void> => void (await setLastNumber(tx, { conversationId, messageId, number }))

const recall = prepared((db) =>
  db
    .update(members)
    .set({
      unread: sql`${members.unread} - case when ${members.readUpTo} < ${p('messageId')} and ${members.userId} <> ${p('senderId')} then 1 else 0 end`,
      mentionedAt: sql`case when ${members.mentionedAt} = ${p('messageId')} then 0 else ${members.mentionedAt} end`,
      lastNumber: sql`${p('number')}`,
      updatedAt: sql`${p('stamp')}`,
    })
    .where(viewers),
)

/** Takes the first recall of a message, which is not SYSTEM, into the rows of the members who can see it. */
export async function messageRecalled(
  tx: Tx,
  message: { readonly id: number; readonly conversationId: number; readonly senderId: number | null },
  number: number,
): Promise<void> {
  const { id: messageId, conversationId, senderId } = message
  await recall(tx, { conversationId, messageId, senderId: senderId ?? 0, number, stamp: tx.stamp })
}

const forgetLast = prepared((db) =>
  db
    .update(members)
    .set({
      lastMessageId: null,
      sortAt: sql`(select ${conversations.createdAt} from ${conversations} where ${conversations.id} = ${p('conversationId')})`,
      updatedAt: sql`${p('stamp')}`,
    })
    .where(and(eq(members.conversationId, p('conversationId')), lte(members.lastMessageId, p('upTo')))),
)

const unreadBefore = prepared((db) =>
  db
    .select()
    .from(members)
    .where(
      and(
        eq(members.conversationId, p('conversationId')),
        gt(members.unread, 0),
        lt(members.readUpTo, p('upTo')),
        lt(members.clearedUpTo, p('upTo')),
      ),
    ),
)

/** Takes the deletion of the oldest messages of a conversation, which are given in the order of their ids, into the member rows. */
export async function messagesRemoved(tx: Tx, conversationId: number, removed: readonly Countable[]): Promise<void> {
  const upTo = removed.at(-1)?.id
  if (upTo === undefined) return
  await forgetLast(tx, { conversationId, upTo, stamp: tx.stamp })
  const byDecrease = new Map<number, number[]>()
  for (const row of await unreadBefore(tx, { conversationId, upTo })) {
    const decrease = removed.filter((message) => isUnread(message, row)).length
    if (decrease > 0) byDecrease.set(decrease, [...(byDecrease.get(decrease) ?? []), row.userId])
  }
  for (const [decrease, userIds] of byDecrease)
    await tx
      .update(members)
      .set({ unread: sql`${members.unread} - ${decrease}`, updatedAt: tx.stamp })
      .where(and(eq(members.conversationId, conversationId), inArray(members.userId, userIds)))
}

const ofUser = eq(members.userId, p('userId'))
const listed = and(ofUser, eq(members.hidden, false))
/** The condition of an index. Members with unread messages are never hidden. */
const unreadOnly = sql`${members.unread} > 0`
const listOrder = [members.pinned, members.sortAt, members.conversationId]

const preparePage = (where: SQL | undefined) => ({
  rows: prepared((db) =>
    db
      .select()
      .from(members)
      .where(where)
      .orderBy(...listOrder.map((column) => desc(column)))
      .limit(p('limit'))
      .offset(p('offset')),
  ),
  total: prepared((db) => db.select({ n: count() }).from(members).where(where)),
})
const all = preparePage(listed)
const unread = preparePage(and(ofUser, unreadOnly))

export interface ListInput extends PageInput {
  readonly unread?: boolean | undefined
}

/** Pinned conversations first, then by the time of the last message, newest first. Both counts are read from the index alone. */
export async function conversationsPage(db: Db, userId: number, input: ListInput): Promise<Page<MemberRow>> {
  const { page, size } = input
  const query = input.unread ? unread : all
  const [items, counted] = await Promise.all([
    query.rows(db, { userId, limit: size, offset: offsetOf(input) }),
    query.total(db, { userId }),
  ])
  return { items, total: counted[0]!.n, page, size }
}

/** Conversations whose title contains `keyword`. `db` is that of `Store.search`. */
export function searchConversations(
  db: Db,
  userId: number,
  input: ListInput & { readonly keyword: string },
): Promise<Page<MemberRow>> {
  const { keyword, page, size } = input
  const other = sql`case when ${conversations.lowUserId} = ${userId} then ${conversations.highUserId} else ${conversations.lowUserId} end`
  return searchPage<MemberRow>(
    db,
    {
      table: members,
      scope: and(eq(members.userId, userId), eq(members.hidden, false), input.unread ? unreadOnly : undefined),
      order: listOrder,
      isReversed: true,
      where: or(
        contains(conversations.name, keyword),
        contains(contacts.remark, keyword),
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

/** Unread messages of all conversations, also of muted ones. */
export const unreadTotal = async (db: Db, userId: number): Promise<number> => (await sumUnread(db, { userId }))[0]!.n

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
        .where(and(eq(members.userId, userId), inArray(members.conversationId, [...conversationIds])))

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
        .where(and(inArray(members.conversationId, [...conversationIds]), ne(members.userId, userId)))

export type OwnView = Partial<Pick<MemberRow, 'pinned' | 'muted' | 'draft'>>

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
  { conversationId, userId }: MemberRow,
  change: Pick<MemberRow, 'readUpTo' | 'shownReadUpTo' | 'unread'>,
): Promise<MemberRow> => {
  const [row] = await tx
    .update(members)
    .set({
      ...change,
      mentionedAt: sql`case when ${members.mentionedAt} <= ${change.readUpTo} then 0 else ${members.mentionedAt} end`,
      updatedAt: updatedAtFor(members, change, tx.stamp),
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
      mentionedAt: 0,
      lastMessageId: null,
      sortAt: createdAt,
      updatedAt: tx.stamp,
      ...(deleted && { hidden: true, pinned: 0, muted: false, draft: '' }),
    })
    .where(and(eq(members.conversationId, row.conversationId), eq(members.userId, row.userId)))
}

/** Lets the messages up to this id be deleted, because no member can see them. */
export const setPurge = async (tx: Tx, conversationId: number, upTo: number): Promise<void> =>
  void (await tx.update(conversations).set({ purgeUpTo: upTo }).where(eq(conversations.id, conversationId)))

/** Ends a user's part in all direct conversations. Messages that only this user could see may then be deleted. */
export async function leaveDirect(tx: Tx, userId: number): Promise<void> {
  const own = and(eq(members.userId, userId), sql`${members.role} is null`)
  const others = sql`from ${members} as other where other.conversation_id = ${conversations.id} and other.user_id <> ${userId}`
  await tx
    .update(conversations)
    .set({ purgeUpTo: sql`coalesce((select min(other.cleared_up_to) ${others}), ${Number.MAX_SAFE_INTEGER})` })
    .where(
      and(
        eq(conversations.type, 'DIRECT'),
        inArray(conversations.id, tx.select({ id: members.conversationId }).from(members).where(own)),
        sql`not exists (select 1 ${others} and other.cleared_up_to = 0)`,
      ),
    )
  await tx.delete(members).where(own)
}

export const hasConversations = async (db: Db | Tx, userId: number): Promise<boolean> =>
  (await db.select({ id: members.conversationId }).from(members).where(eq(members.userId, userId)).limit(1)).length > 0
