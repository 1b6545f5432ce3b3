/**
 * Conversations and their member rows. A member row carries what lists and counts show (unread messages, last message), so that neither of
 * them reads messages: every write that adds, recalls or deletes messages says so with the functions of this file.
 */

import { and, eq, getTableColumns, gt, inArray, lt, lte, ne, sql } from 'drizzle-orm'

import { jsonInt, jsonRows } from '#db/json-rows.ts'
import { prepared } from '#db/prepared.ts'
import { conversationMembers as members, conversations, type MessageType } from '#db/schema/chat.ts'
import { organizations } from '#db/schema/orgs.ts'
import type { Builders, Db, Tx } from '#db/store.ts'

import { deletionsOf, notDeletedBy } from './deleted.store.ts'
import { type Countable, counts, isUnread } from './members.rules.ts'

export type ConversationRow = typeof conversations.$inferSelect
export type MemberRow = typeof members.$inferSelect

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

/** In no particular order. A group of an organization that was dissolved has ended (`isOver`), even before its rows say so. */
export async function conversationsByIds(
  db: Db | Tx,
  ids: readonly number[],
): Promise<(ConversationRow & { readonly isOver: boolean })[]> {
  if (ids.length === 0) return []
  const rows = await db
    .select({ row: conversations, orgExists: organizations.id })
    .from(conversations)
    .leftJoin(organizations, eq(organizations.id, conversations.orgId))
    .where(inArray(conversations.id, [...ids]))
  return rows.map(({ row, orgExists }) =>
    row.orgId === 0 || orgExists !== null
      ? { ...row, isOver: false }
      : { ...row, orgId: 0, followsOrg: false, memberCount: 0, isOver: true },
  )
}

const direct = prepared((db) =>
  db
    .select()
    .from(conversations)
    .where(and(eq(conversations.lowUserId, p('low')), eq(conversations.highUserId, p('high')))),
)

const pairOf = (a: number, b: number) => ({ low: Math.min(a, b), high: Math.max(a, b) })

/** The direct conversation of two users, if they have ever written to each other; of a user with themselves, if the user has ever opened it. */
export const findDirect = async (db: Db | Tx, a: number, b: number): Promise<ConversationRow | undefined> =>
  (await direct(db, pairOf(a, b)))[0]

/** Whether it is the conversation of a user with themselves. */
export const isNotes = ({ lowUserId, highUserId }: ConversationRow): boolean =>
  lowUserId !== null && lowUserId === highUserId

/** The other user of a direct conversation; undefined for groups and notes. */
export function peerOf(row: ConversationRow, userId: number): number | undefined {
  if (row.type === 'GROUP' || isNotes(row)) return undefined
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

/** The conversation of a user with themselves is on the user's list afterwards. Returns the row, and whether it was there before. */
export async function ensureNotes(
  tx: Tx,
  userId: number,
): Promise<{ readonly row: MemberRow; readonly isKnown: boolean }> {
  const times = { createdAt: tx.stamp, updatedAt: tx.stamp }
  const [created] = await tx
    .insert(conversations)
    .values({ type: 'DIRECT', lowUserId: userId, highUserId: userId, memberCount: 1, ...times })
    .onConflictDoNothing()
    .returning({ id: conversations.id })
  if (created !== undefined) {
    const values = { conversationId: created.id, userId, sortAt: tx.stamp, updatedAt: tx.stamp }
    const [row] = await tx.insert(members).values(values).returning()
    return { row: row!, isKnown: false }
  }
  const { id } = (await findDirect(tx, userId, userId))!
  const [shown] = await tx
    .update(members)
    .set({ hidden: false, updatedAt: tx.stamp })
    .where(and(eq(members.conversationId, id), eq(members.userId, userId), eq(members.hidden, true)))
    .returning()
  return { row: shown ?? (await findMember(tx, id, userId))!, isKnown: shown === undefined }
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
  readonly conversationId: number
  /** Null for SYSTEM. */
  readonly senderId: number | null
  readonly type: MessageType
  readonly createdAt: number
}

const added = jsonRows('added', {
  conversationId: 'int',
  unread: 'int',
  unreadBy: 'json',
  lastId: 'int',
  sortAt: 'int',
})

/**
 * The statement that takes new messages into the rows of all present members; its values are those of `addedToMembers` and `stamp`. One also for many
 * conversations or a group of 500: the costs are the index entries of the rows that change.
 */
export const addToMembers = (db: Builders) =>
  db
    .update(members)
    .set({
      unread: sql`${members.unread} + ${added.unread} - ${jsonInt(added.unreadBy, sql`${members.userId}`)}`,
      lastMessageId: added.lastId,
      lastNumber: added.lastId,
      sortAt: added.sortAt,
      hidden: false,
      updatedAt: sql`${p('stamp')}`,
    })
    .from(added.rows)
    .where(and(eq(members.conversationId, added.conversationId), sql`${members.leftAfter} is null`))

/** Values of `addToMembers`, for messages in the order of their ids. Nobody has unread messages of their own. */
export function addedToMembers(messages: readonly AddedMessage[]): Readonly<Record<string, string>> {
  const rows = [...Map.groupBy(messages, ({ conversationId }) => conversationId)].map(([conversationId, ofIt]) => {
    const counted = ofIt.filter(counts)
    const unreadBy: Record<string, number> = {}
    for (const { senderId } of counted) if (senderId !== null) unreadBy[senderId] = (unreadBy[senderId] ?? 0) + 1
    const last = ofIt.at(-1)!
    return { conversationId, unread: counted.length, unreadBy, lastId: last.id, sortAt: last.createdAt }
  })
  return added.values(rows)
}

/** Notes in the rows of the present members that a message mentions them. Users who are not in the conversation are ignored. */
export async function noteMentions(
  tx: Tx,
  { id, conversationId, senderId }: AddedMessage,
  userIds: readonly number[] | 'all',
): Promise<void> {
  if (userIds.length === 0) return
  await tx
    .update(members)
    .set({ mentionedAt: id })
    .where(
      and(
        eq(members.conversationId, conversationId),
        userIds === 'all' ? undefined : inArray(members.userId, [...userIds]),
        ne(members.userId, senderId ?? 0),
        sql`${members.leftAfter} is null`,
      ),
    )
}

/**
 * Takes the changed mentions of an edited message into the rows of the present members: it marks the conversation for those who have not read the message and
 * are mentioned now, and no longer for those who are not. Returns the members whose view has changed.
 */
export async function mentionsChanged(
  tx: Tx,
  { id, conversationId, senderId }: Pick<AddedMessage, 'id' | 'conversationId' | 'senderId'>,
  { added, removed }: { readonly added: readonly number[]; readonly removed: readonly number[] | 'all' },
): Promise<number[]> {
  const ofGiven = (userIds: readonly number[] | 'all') =>
    and(
      eq(members.conversationId, conversationId),
      userIds === 'all' ? undefined : inArray(members.userId, [...userIds]),
      ne(members.userId, senderId ?? 0),
      sql`${members.leftAfter} is null`,
    )
  const changed: { userId: number }[] = []
  if (removed.length > 0)
    changed.push(
      ...(await tx
        .update(members)
        .set({ mentionedAt: 0, updatedAt: tx.stamp })
        .where(and(ofGiven(removed), eq(members.mentionedAt, id)))
        .returning({ userId: members.userId })),
    )
  if (added.length > 0)
    changed.push(
      ...(await tx
        .update(members)
        .set({ mentionedAt: id, updatedAt: tx.stamp })
        .where(
          and(
            ofGiven(added),
            lt(members.mentionedAt, id),
            lt(members.readUpTo, id),
            lt(members.clearedUpTo, id),
            notDeletedBy(sql`${id}`, members.userId),
          ),
        )
        .returning({ userId: members.userId })),
    )
  return changed.map(({ userId }) => userId)
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
      unread: sql`${members.unread} - case when ${members.readUpTo} < ${p('messageId')} and ${members.userId} <> ${p('senderId')} and ${notDeletedBy(sql`${p('messageId')}`, members.userId)} then 1 else 0 end`,
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

/** Takes the deletion of a message for one member into the row. */
export async function setAfterDeletion(
  tx: Tx,
  { conversationId, userId }: MemberRow,
  change: Partial<Pick<MemberRow, 'unread' | 'mentionedAt' | 'lastNumber' | 'lastMessageId' | 'sortAt'>>,
): Promise<void> {
  await tx
    .update(members)
    .set({ ...change, updatedAt: tx.stamp })
    .where(and(eq(members.conversationId, conversationId), eq(members.userId, userId)))
}

const gone = jsonRows('gone', { conversationId: 'int', upTo: 'int' })

const forgetLast = prepared((db) =>
  db
    .update(members)
    .set({
      lastMessageId: null,
      sortAt: sql`(select ${conversations.createdAt} from ${conversations} where ${conversations.id} = ${gone.conversationId})`,
      updatedAt: sql`${p('stamp')}`,
    })
    .from(gone.rows)
    .where(and(eq(members.conversationId, gone.conversationId), lte(members.lastMessageId, gone.upTo))),
)

const unreadBefore = prepared((db) =>
  db
    .select(getTableColumns(members))
    .from(members)
    .innerJoin(gone.rows, eq(members.conversationId, gone.conversationId))
    .where(and(gt(members.unread, 0), lt(members.readUpTo, gone.upTo), lt(members.clearedUpTo, gone.upTo))),
)

const fewer = jsonRows('fewer', { conversationId: 'int', userId: 'int', by: 'int' })

const decreaseUnread = prepared((db) =>
  db
    .update(members)
    .set({ unread: sql`${members.unread} - ${fewer.by}`, updatedAt: sql`${p('stamp')}` })
    .from(fewer.rows)
    .where(and(eq(members.conversationId, fewer.conversationId), eq(members.userId, fewer.userId))),
)

/** Takes the deletion of the oldest messages of conversations, which are given in the order of their ids, into the member rows. */
export async function messagesRemoved(
  tx: Tx,
  removed: readonly (Countable & { readonly conversationId: number })[],
): Promise<void> {
  const byConversation = Map.groupBy(removed, ({ conversationId }) => conversationId)
  const last = gone.values(
    [...byConversation].map(([conversationId, ofIt]) => ({ conversationId, upTo: ofIt.at(-1)!.id })),
  )
  await forgetLast(tx, { ...last, stamp: tx.stamp })
  const rows = await unreadBefore(tx, last)
  if (rows.length === 0) return
  const ids = removed.map(({ id }) => id)
  const deleted = new Set((await deletionsOf(tx, ids)).map(({ messageId, userId }) => `${messageId} ${userId}`))
  const counted = (one: Countable, row: MemberRow) => isUnread(one, row) && !deleted.has(`${one.id} ${row.userId}`)
  const changes = rows
    .map((row) => ({ ...row, by: byConversation.get(row.conversationId)!.filter((one) => counted(one, row)).length }))
    .filter(({ by }) => by > 0)
  if (changes.length > 0) await decreaseUnread(tx, { ...fewer.values(changes), stamp: tx.stamp })
}
