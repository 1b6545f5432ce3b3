import type { AppContext } from '#context'
import type { Db, Tx } from '#db/store.ts'
import { personsByIds, readReceiptsOf, remarksOf } from '#domains/contacts/index.ts'
import { findFiles, publicImageUrl } from '#domains/files/index.ts'
import { topic } from '#platform/bus.ts'

import { deletedAmong } from '../deleted.store.ts'
import { isVisible } from '../members.rules.ts'
import { type ConversationRow, conversationsByIds, isNotes, type MemberRow, peerOf } from '../members.store.ts'
import type { StoredContents } from '../messages/contents.model.ts'
import { type MessageRow, messagesByIds } from '../messages/messages.store.ts'
import { loadExtras, toMessage } from '../messages/messages.view.ts'
import type { Conversation } from './conversations.model.ts'
import { peersIn } from './conversations.store.ts'

/** A conversation looks different to these users. */
export const CONVERSATION = topic<{ readonly conversationId: number; readonly userIds: readonly number[] }>(
  'chat.conversation',
)

/** Pushes `conversation.updated` to the live sockets of the users after the commit. */
export function announce(tx: Tx, conversationId: number, userIds: readonly number[]): void {
  if (userIds.length > 0) tx.publish(CONVERSATION, { conversationId, userIds })
}

/** The conversations of a user in the order of the rows, with the same number of queries for one and for many. */
export async function toConversations(
  ctx: AppContext,
  viewerId: number,
  rows: readonly MemberRow[],
): Promise<Conversation[]> {
  if (rows.length === 0) return []
  const db = ctx.db.read
  const found = await conversationsByIds(
    db,
    rows.map((row) => row.conversationId),
  )
  const conversations = new Map(found.map((row) => [row.id, row]))
  const direct = found.filter((row) => row.type === 'DIRECT')
  // Notes show the viewer as the other user, to clients that do not know them.
  const peerIds = direct.map((row) => peerOf(row, viewerId) ?? viewerId)
  const lastIds = rows.flatMap(({ lastMessageId }) => lastMessageId ?? [])
  const groupIds = new Set(found.flatMap((row) => (row.type === 'GROUP' ? [row.id] : [])))
  const pictureIds = found.flatMap(({ avatarFileId }) => avatarFileId ?? [])
  const messages = await messagesByIds(db, lastIds)
  const namedIn = new Map(
    messages.flatMap((row) => (groupIds.has(row.conversationId) ? [[row.id, namedBy(row, viewerId)]] : [])),
  )
  const personIds = [...peerIds, ...[...namedIn.values()].flat()]
  const [persons, remarks, receipts, peers, pictures] = await Promise.all([
    personsByIds(ctx, db, personIds),
    remarksOf(db, viewerId, personIds),
    readReceiptsOf(db, [viewerId, ...peerIds]),
    peersIn(
      db,
      viewerId,
      direct.map((row) => row.id),
    ),
    findFiles(db, pictureIds),
  ])
  const answered = await answeredIn(db, viewerId, rows)
  const extras = await loadExtras(db, messages)
  const lastMessages = new Map(messages.map((row) => [row.id, toMessage(ctx, row, extras)]))
  const readByPeers = new Map(peers.map((row) => [row.conversationId, row.shownReadUpTo]))

  const nameOf = (userId: number) => remarks.get(userId)?.remark || persons.get(userId)?.nickname || ''
  return rows.map((row) => {
    const conversation = conversations.get(row.conversationId)!
    const isOwnNotes = isNotes(conversation)
    const peerId = isOwnNotes ? viewerId : peerOf(conversation, viewerId)
    const person = peerId === undefined ? undefined : persons.get(peerId)
    const known = peerId === undefined ? undefined : remarks.get(peerId)
    const showsReceipts =
      peerId !== undefined && !isOwnNotes && receipts.get(viewerId) === true && receipts.get(peerId) === true
    return {
      id: conversation.id,
      type: conversation.type,
      isNotes: isOwnNotes,
      title: person === undefined ? conversation.name : known?.remark || person.nickname,
      avatarUrl:
        person?.avatarUrl ??
        publicImageUrl(ctx, pictures.find(({ id }) => id === conversation.avatarFileId)?.publicKey ?? null),
      peer:
        person === undefined ? null : { ...person, remark: known?.remark ?? '', contactId: known?.contactId ?? null },
      group: groupInfo(conversation, row),
      lastMessage: (row.lastMessageId !== null && lastMessages.get(row.lastMessageId)) || null,
      unreadCount: row.unread,
      markedUnread: row.markedUnread,
      lastMessageNames: (namedIn.get(row.lastMessageId ?? 0) ?? []).map((userId) => ({ userId, name: nameOf(userId) })),
      mentioned: row.mentionedAt > Math.max(row.readUpTo, row.clearedUpTo),
      readUpToId: row.readUpTo,
      peerReadUpToId: showsReceipts ? (readByPeers.get(conversation.id) ?? 0) : null,
      pinned: row.pinned === 1,
      muted: row.muted,
      draft: row.draft,
      draftReplyToId: row.draftReplyToId !== null && answered.has(row.draftReplyToId) ? row.draftReplyToId : null,
      draftVersion: row.draftVersion,
      createdAt: conversation.createdAt,
      updatedAt: Math.max(conversation.updatedAt, row.updatedAt),
    }
  })
}

/** Those of the messages that drafts answer which the user still sees: an answer to another one would be refused. Drafts themselves outlive the messages. */
async function answeredIn(db: Db, viewerId: number, rows: readonly MemberRow[]): Promise<ReadonlySet<number>> {
  const members = new Map(rows.flatMap((row) => (row.draftReplyToId === null ? [] : [[row.draftReplyToId, row]])))
  const ids = [...members.keys()]
  if (ids.length === 0) return new Set()
  const [found, deleted] = await Promise.all([messagesByIds(db, ids), deletedAmong(db, ids, viewerId)])
  const seen = found.filter(({ id }) => isVisible(id, members.get(id)!) && !deleted.has(id))
  return new Set(seen.map(({ id }) => id))
}

/** More are not named: a change of a group can be about a hundred users. */
const MAX_NAMED = 5

/** The other users whom a line about the message names: its sender, and the one who removed it or those whom a change of the group is about. */
function namedBy({ senderId, removal, type, content }: MessageRow, viewerId: number): number[] {
  const about = type === 'SYSTEM' ? ((content as Partial<StoredContents['SYSTEM']>).userIds ?? []) : []
  const ids = [senderId, removal?.userId, ...(about.length > MAX_NAMED ? [] : about)]
  return [...new Set(ids.filter((id): id is number => id != null && id !== viewerId))]
}

const groupInfo = (
  group: ConversationRow & { readonly isOver: boolean },
  { role }: MemberRow,
): Conversation['group'] =>
  group.type === 'GROUP'
    ? {
        role: group.isOver ? null : role,
        memberCount: group.memberCount,
        orgId: group.orgId === 0 ? null : group.orgId,
        followsOrg: group.followsOrg,
        membersMentionAll: group.membersMentionAll,
        membersPin: group.membersPin,
      }
    : null
