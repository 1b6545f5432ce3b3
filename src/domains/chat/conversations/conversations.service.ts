import type { AppContext } from '#context'
import type { Page } from '#db/paging.ts'
import type { Db, Tx } from '#db/store.ts'
import { isBlocked, readReceiptsOf } from '#domains/contacts/index.ts'
import type { Actor } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'
import { topic } from '#platform/bus.ts'

import { unseenDeleted } from '../deleted.store.ts'
import { withReadCounts } from '../marks/marks.service.ts'
import { isUnread, isVisible, lastViewers, unseenUpTo } from '../members.rules.ts'
import {
  ensureNotes,
  findConversation,
  findDirect,
  findMember,
  type MemberRow,
  membersOf,
  peerOf,
} from '../members.store.ts'
import { findMessage, hasCardOf } from '../messages/messages.store.ts'
import { loadExtras, toMessage } from '../messages/messages.view.ts'
import { IN_ORDER } from '../numbers.ts'
import type { Conversation, History, HistoryQuery, ListQuery, ReadState } from './conversations.model.ts'
import * as store from './conversations.store.ts'
import { announce, toConversations } from './conversations.view.ts'
import { historyOf, messagesBetween } from './history.store.ts'

/** A user has read; `to`: the users whose sockets get the `read` frame; `after`: in a group, up to where the user had read before. */
export const READ = topic<{
  readonly conversationId: number
  readonly userId: number
  readonly readUpToId: number
  readonly to: readonly number[]
  readonly after?: number
}>('chat.read')

/** Messages wait for their deletion (`purgeUpTo`). */
export const PURGE = topic<Record<string, never>>('chat.purge')

/** Messages that one write of `read` looks at: about a millisecond. */
const READ_STEP = 2000

/** @throws AppError 404 if the user was never part of the conversation, or has deleted it and nothing newer has arrived */
export async function findListed(db: Db | Tx, conversationId: number, userId: number): Promise<MemberRow> {
  const row = await findMember(db, conversationId, userId)
  if (row === undefined || row.hidden) throw notFound()
  return row
}

export const toConversation = async (ctx: AppContext, row: MemberRow): Promise<Conversation> =>
  (await toConversations(ctx, row.userId, [row]))[0]!

export async function listConversations(
  ctx: AppContext,
  { userId }: Actor,
  query: ListQuery,
): Promise<Page<Conversation>> {
  const { keyword } = query
  const page = keyword
    ? await ctx.db.search(userId, (db) => store.searchConversations(db, userId, { ...query, keyword }))
    : await store.conversationsPage(ctx.db.read, userId, query)
  return { ...page, items: await toConversations(ctx, userId, page.items) }
}

export const showConversation = async (ctx: AppContext, { userId }: Actor, id: number): Promise<Conversation> =>
  toConversation(ctx, await findListed(ctx.db.read, id, userId))

/** Opens the conversation of a user with themselves, which is made if there is none, and put back on the list if it was deleted. */
export async function openNotes(ctx: AppContext, { userId }: Actor): Promise<Conversation> {
  const member = await ctx.db.write('chat.openNotes', async (tx) => {
    const { row, isKnown } = await ensureNotes(tx, userId)
    if (!isKnown) announce(tx, row.conversationId, [userId])
    return row
  })
  return toConversation(ctx, member)
}

/** Changes what only the user's own devices see. */
export async function changeOwnView(
  ctx: AppContext,
  { userId }: Actor,
  id: number,
  change: store.OwnView,
): Promise<Conversation> {
  const row = await ctx.db.write('chat.changeOwnView', async (tx) => {
    const updated = await store.updateOwnView(tx, id, userId, change)
    if (updated === undefined) throw notFound()
    if (updated.updatedAt === tx.stamp) announce(tx, id, [userId])
    return updated
  })
  return toConversation(ctx, row)
}

/** Marks messages as read up to `messageId`, without it up to the newest. Never goes back. */
export async function readConversation(
  ctx: AppContext,
  { userId }: Actor,
  id: number,
  messageId: number | undefined,
): Promise<ReadState> {
  const before = await findListed(ctx.db.read, id, userId)
  if (messageId !== undefined) {
    const message = await findMessage(ctx.db.read, messageId)
    if (message?.conversationId !== id || !isVisible(messageId, before)) throw notFound()
  }
  const upTo = messageId ?? before.lastMessageId ?? 0
  let row = before
  // A client says so after every message, and often more than once: repeated marks take no turn of the writes in order.
  while (row.readUpTo < upTo || row.shownReadUpTo < row.readUpTo || row.markedUnread) {
    const after = await ctx.db.write('chat.read', (tx) => readStep(tx, id, userId, upTo), IN_ORDER)
    if (after.readUpTo === row.readUpTo && after.shownReadUpTo === row.shownReadUpTo) break
    row = after
  }
  return { conversationId: id, readUpToId: row.readUpTo, unreadCount: row.unread }
}

/** Reads at most READ_STEP messages, so that no write takes long, however many are unread. */
async function readStep(tx: Tx, conversationId: number, userId: number, upTo: number): Promise<MemberRow> {
  const row = await findListed(tx, conversationId, userId)
  let readUpTo = Math.max(row.readUpTo, upTo)
  let { unread } = row
  if (readUpTo >= (row.lastMessageId ?? 0)) unread = 0
  else if (unread > 0 && readUpTo > row.readUpTo) {
    const after = Math.max(row.readUpTo, row.clearedUpTo)
    const read = await messagesBetween(tx, { conversationId, userId, after, upTo: readUpTo, limit: READ_STEP })
    if (read.length === READ_STEP) readUpTo = read.at(-1)!.id
    unread -= read.filter((message) => isUnread(message, row)).length
  }
  const conversation = (await findConversation(tx, conversationId))!
  const peerId = peerOf(conversation, userId)
  const blocked = peerId !== undefined && (await isBlocked(tx, userId, peerId))
  const shownReadUpTo = blocked ? row.shownReadUpTo : readUpTo
  const moves = readUpTo !== row.readUpTo || shownReadUpTo !== row.shownReadUpTo
  if (!moves && !row.markedUnread) return row
  const updated = await store.setRead(tx, row, { readUpTo, shownReadUpTo, unread })
  // The other user learns nothing of a mark that ends.
  if (moves && readUpTo >= upTo) {
    const to = [userId]
    if (peerId !== undefined && !blocked) {
      const receipts = await readReceiptsOf(tx, [userId, peerId])
      if (receipts.get(userId) && receipts.get(peerId)) to.push(peerId)
    }
    const after = conversation.type === 'GROUP' ? { after: row.readUpTo } : undefined
    tx.publish(READ, { conversationId, userId, readUpToId: readUpTo, to, ...after })
  }
  if (readUpTo >= upTo) announce(tx, conversationId, [userId])
  return updated
}

/** Empties the history for the user; `deleted`: also takes the conversation off the user's list. */
export async function clearConversation(
  ctx: AppContext,
  { userId }: Actor,
  id: number,
  { deleted }: { readonly deleted: boolean },
): Promise<void> {
  await ctx.db.write(
    deleted ? 'chat.deleteConversation' : 'chat.clearConversation',
    async (tx) => clear(tx, await findListed(tx, id, userId), deleted),
    IN_ORDER,
  )
}

async function clear(tx: Tx, row: MemberRow, deleted: boolean): Promise<void> {
  const { conversationId, userId } = row
  const conversation = (await findConversation(tx, conversationId))!
  await store.clearHistory(tx, row, conversation.createdAt, deleted)
  announce(tx, conversationId, [userId])
  const members = await membersOf(tx, conversationId)
  const upTo = unseenUpTo(members)
  // Messages that the others have deleted one by one.
  const viewers = lastViewers(members).map((member) => member.userId)
  if (upTo === 0 && (await unseenDeleted(tx, conversationId, viewers, 1)).length === 0) return
  await store.setPurge(tx, conversationId, upTo)
  tx.publish(PURGE, {})
}

/** The user has deleted the other one from the contacts. */
export async function hideDirect(tx: Tx, userId: number, otherId: number): Promise<void> {
  const conversation = await findDirect(tx, userId, otherId)
  const row = conversation && (await findMember(tx, conversation.id, userId))
  if (row !== undefined && !row.hidden) await clear(tx, row, true)
}

export async function showHistory(
  ctx: AppContext,
  { userId }: Actor,
  id: number,
  { beforeId = Number.MAX_SAFE_INTEGER, afterId, limit }: HistoryQuery,
): Promise<History> {
  const row = await findListed(ctx.db.read, id, userId)
  const rows = await historyOf(ctx.db.read, row, { beforeId, afterId, limit: limit + 1 })
  const shown = rows.slice(0, limit)
  if (afterId !== undefined) shown.reverse()
  const extras = await loadExtras(ctx.db.read, shown)
  const items = shown.map((message) => toMessage(ctx, message, extras))
  return { items: await withReadCounts(ctx.db.read, row, items), hasMore: rows.length > limit }
}

/** The conversation of two users, if the first one has it on the list. */
export async function directConversation(db: Db | Tx, userId: number, otherId: number): Promise<number | undefined> {
  const conversation = await findDirect(db, userId, otherId)
  const row = conversation && (await findMember(db, conversation.id, userId))
  return row === undefined || row.hidden ? undefined : row.conversationId
}

/** Whether a conversation or a received card makes the other user known to this one. */
export async function isAcquainted(db: Db | Tx, userId: number, otherId: number): Promise<boolean> {
  const conversation = await findDirect(db, userId, otherId)
  if (conversation && (await findMember(db, conversation.id, userId))) return true
  return hasCardOf(db, userId, otherId)
}
