/** Adds messages to conversations: the steps that sending, forwarding and messages of the system have in common. All run in one write. */

import type { AppContext } from '#context'
import type { Db, Tx } from '#db/store.ts'
import { mayKnow, messageRefusal } from '#domains/contacts/index.ts'
import { emit } from '#domains/domain.ts'
import { attachFile, findFile } from '#domains/files/index.ts'
import { notFound } from '#http/errors.ts'
import { organizationDisabled } from '#http/permissions.ts'
import { MINUTE, SECOND } from '#platform/clock.ts'

import * as errors from '../chat.errors.ts'
import { isVisible } from '../members.rules.ts'
import {
  type ConversationRow,
  ensureDirect,
  findConversation,
  findDirect,
  findMember,
  isReadOnly,
  messageAdded,
  peerOf,
} from '../members.store.ts'
import { takeNumbers } from '../numbers.ts'
import type { StoredContents } from './contents.model.ts'
import { isSendable, notSendable, type Prepared } from './contents.service.ts'
import { partOf } from './messages.rules.ts'
import {
  countMessages,
  findMessage,
  insertCard,
  insertFile,
  insertKey,
  insertMessages,
  type MessageRow,
  presentMembers,
} from './messages.store.ts'

/** A place where the sender may be allowed to write. */
export interface Target {
  /** Undefined for a user to whom nobody has written: the first message creates the conversation. */
  readonly conversation: ConversationRow | undefined
  /** The other user; undefined for groups. */
  readonly peerId: number | undefined
}

export interface TargetIds {
  readonly toUserId?: number | null | undefined
  readonly conversationId?: number | null | undefined
}

/** `ids` has exactly one id. @throws AppError 404, or 403 with code 4015 for a conversation in which the sender can no longer write */
export async function findTarget(ctx: AppContext, tx: Tx, senderId: number, ids: TargetIds): Promise<Target> {
  return ids.toUserId == null
    ? findInConversation(tx, senderId, ids.conversationId!)
    : findToUser(ctx, tx, senderId, ids.toUserId)
}

async function findToUser(ctx: AppContext, tx: Tx, senderId: number, peerId: number): Promise<Target> {
  const conversation = await findDirect(tx, senderId, peerId)
  if (conversation === undefined) {
    if (!(await mayKnow(ctx, tx, senderId, peerId))) throw notFound()
  } else await checkPeer(tx, conversation, peerId)
  return { conversation, peerId }
}

async function findInConversation(tx: Tx, senderId: number, id: number): Promise<Target> {
  const own = await findMember(tx, id, senderId)
  if (own === undefined || own.hidden) throw notFound()
  if (own.leftAfter !== null) throw errors.notInConversation()
  const conversation = (await findConversation(tx, id))!
  const peerId = peerOf(conversation, senderId)
  if (peerId !== undefined) await checkPeer(tx, conversation, peerId)
  else if (conversation.orgId !== 0 && (await isReadOnly(tx, id))) throw organizationDisabled
  return { conversation, peerId }
}

/** The member rows of deleted accounts are gone. */
async function checkPeer(tx: Tx, conversation: ConversationRow, peerId: number): Promise<void> {
  if ((await findMember(tx, conversation.id, peerId)) === undefined) throw errors.notInConversation()
}

/** @throws AppError 403 with code 4012 or 4011 */
export async function checkRelation(tx: Tx, senderId: number, { peerId }: Target): Promise<void> {
  const code = peerId === undefined ? undefined : await messageRefusal(tx, senderId, peerId)
  if (code !== undefined) throw errors.refusalOf(code)
}

/** @throws AppError 400 with code 4021 if a text mentions users who are not in the conversation */
export async function checkMentions(
  tx: Tx,
  senderId: number,
  { conversation, peerId }: Target,
  items: readonly Prepared[],
): Promise<void> {
  for (const { content, path } of items) {
    const mentions = mentionsOf(content)
    if (mentions.length === 0) continue
    const members =
      peerId === undefined ? await presentMembers(tx, conversation!.id, mentions) : new Set([senderId, peerId])
    if (!mentions.every((id) => members.has(id))) throw errors.notMembers(`${path}.mentions`)
  }
}

const mentionsOf = (content: Prepared['content']): readonly number[] =>
  (content as Partial<StoredContents['TEXT']>).mentions ?? []

/** @throws AppError 400 if the sender sees no such message in the conversation */
export async function checkReply(tx: Tx, senderId: number, { conversation }: Target, replyToId: number): Promise<void> {
  const message = await findMessage(tx, replyToId)
  if (conversation === undefined || message?.conversationId !== conversation.id) throw errors.cannotReply()
  const own = await findMember(tx, conversation.id, senderId)
  if (own === undefined || !isVisible(replyToId, own)) throw errors.cannotReply()
}

export interface Posting {
  readonly senderId: number
  readonly target: Target
  readonly items: readonly Prepared[]
  readonly replyToId?: number | null | undefined
  readonly forwarded: boolean
  readonly key: { readonly clientMsgId: string; readonly digest: string }
  /** 0 = unlimited. */
  readonly perMinute: number
}

/** Stores checked messages with consecutive ids. @throws AppError 429 with code 4022 if the sender has sent too many in this minute */
export async function post(ctx: AppContext, tx: Tx, posting: Posting): Promise<MessageRow[]> {
  const { senderId, target, items, replyToId = null, forwarded, key, perMinute } = posting
  const now = ctx.clock.now()
  await countInRate(tx, senderId, items.length, perMinute, now)
  const conversation = target.conversation ?? (await ensureDirect(tx, senderId, target.peerId!))
  const firstId = await takeNumbers(tx, items.length)
  const rows = await insertMessages(
    tx,
    items.map(({ type, content }, k) => ({
      id: firstId + k,
      conversationId: conversation.id,
      senderId,
      type,
      content,
      clientMsgId: partOf(key.clientMsgId, k),
      replyToId: k === 0 ? replyToId : null,
      forwarded,
      createdAt: now,
    })),
  )
  for (const [k, item] of items.entries()) await keepReferences(tx, rows[k]!, item, senderId)
  await insertKey(tx, { senderId, ...key, conversationId: conversation.id, firstId, count: items.length })
  await messageAdded(
    tx,
    conversation,
    rows.map(({ id, type, createdAt, content }) => ({ id, senderId, type, createdAt, mentions: mentionsOf(content) })),
  )
  await emit(ctx, tx, 'messages.sent', { ids: rows.map(({ id }) => id) })
  return rows
}

async function countInRate(tx: Tx, senderId: number, count: number, limit: number, now: number): Promise<void> {
  if (limit === 0) return
  const wait = await countMessages(tx, senderId, { count, limit, windowMs: MINUTE, now })
  if (wait > 0) throw errors.tooManyMessages(limit, Math.ceil(wait / SECOND))
}

/** Rows by which the files and the card of a message are found. */
async function keepReferences(
  tx: Tx,
  { id, conversationId, type, content }: MessageRow,
  { files, isCopy }: Prepared,
  senderId: number,
): Promise<void> {
  for (const { id: fileId, path } of files) {
    if (!isCopy) await claimFile(tx, senderId, fileId, id, path)
    await insertFile(tx, id, fileId)
  }
  if (type === 'CARD') {
    const { userId } = content as unknown as StoredContents['CARD']
    await insertCard(tx, { messageId: id, conversationId, userId })
  }
}

/** The file was sendable before the write; it may have been deleted or used elsewhere since. */
async function claimFile(tx: Tx, senderId: number, fileId: number, messageId: number, path: string): Promise<void> {
  const file = await findFile(tx, fileId)
  if (!isSendable(file, senderId)) return notSendable(path)
  if (file.entityType === null)
    await attachFile(tx, { userId: senderId, orgId: 0 }, fileId, {
      type: 'other',
      entityType: 'MESSAGE',
      entityId: messageId,
      path,
    })
}

/**
 * Adds a message of the system to a conversation. The write must be `IN_ORDER`. Users do not get it as unread.
 * `text` is shown by clients that do not know the event.
 */
export async function sendSystem(
  ctx: AppContext,
  tx: Tx,
  conversationId: number,
  { event, userIds, text }: StoredContents['SYSTEM'],
): Promise<void> {
  const createdAt = ctx.clock.now()
  const id = await takeNumbers(tx, 1)
  const content = { event, ...(userIds && { userIds }), text }
  const message = { id, conversationId, senderId: null, type: 'SYSTEM' as const, createdAt }
  await insertMessages(tx, [{ ...message, content, clientMsgId: null, replyToId: null, forwarded: false }])
  await messageAdded(tx, { id: conversationId }, [message])
}

/** Whether the ids name this conversation. */
export async function isTargetOf(
  db: Db | Tx,
  senderId: number,
  { toUserId, conversationId }: TargetIds,
  id: number,
): Promise<boolean> {
  return toUserId == null ? conversationId === id : (await findDirect(db, senderId, toUserId))?.id === id
}
