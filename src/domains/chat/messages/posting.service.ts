/**
 * Adds messages to conversations: the steps that sending, forwarding and messages of the system have in common. All run in one write, which is
 * `IN_ORDER`. Messages of many senders are checked and stored by the same few statements; only rare kinds take statements of their own.
 */

import type { AppContext } from '#context'
import { spend } from '#db/counters.ts'
import type { Tx } from '#db/store.ts'
import { mayKnow } from '#domains/contacts/index.ts'
import { emit } from '#domains/domain.ts'
import { attachFile, type FileRow, findFile } from '#domains/files/index.ts'
import { AppError, notFound } from '#http/errors.ts'
import { organizationDisabled } from '#http/permissions.ts'
import { DAY, MINUTE, SECOND } from '#platform/clock.ts'

import * as errors from '../chat.errors.ts'
import { lastNumber } from '../chat.store.ts'
import { isDeletedBy } from '../deleted.store.ts'
import { forgetSent } from '../drafts.store.ts'
import { isVisible } from '../members.rules.ts'
import { ensureDirect, noteMentions } from '../members.store.ts'
import type { StoredContents } from './contents.model.ts'
import { isSendable, notSendable, type Prepared } from './contents.service.ts'
import { partOf } from './messages.rules.ts'
import { findMessage, insertCard, insertFile, type KeyRow, type MessageRow, presentMembers } from './messages.store.ts'
import { type Facts, findFacts, type Rate, storeMessages } from './posting.store.ts'

/** One of the two. */
export interface TargetIds {
  readonly toUserId?: number | null | undefined
  readonly conversationId?: number | null | undefined
}

/** Messages of one sender to one target, which are stored together or not at all. */
export interface Sending {
  readonly senderId: number
  readonly target: TargetIds
  readonly items: readonly Prepared[]
  readonly replyToId?: number | null | undefined
  readonly forwarded: boolean
  /** Of the draft that is sent. */
  readonly draftVersion?: number | undefined
  readonly key: { readonly clientMsgId: string; readonly digest: string }
  /** 0 = unlimited. */
  readonly perMinute: number
}

/** `repeated`: the messages were stored before, with this key. `later`: to be sent in another write, after this one. */
export type Outcome =
  | { readonly kind: 'sent'; readonly rows: readonly MessageRow[] }
  | { readonly kind: 'repeated'; readonly key: KeyRow }
  | { readonly kind: 'refused'; readonly error: AppError }
  | { readonly kind: 'later' }

/** Member rows that one write changes: a few milliseconds. All messages of a conversation change its rows once. */
const MAX_MEMBERS = 1000

/**
 * Checks each of the sendings by itself, and stores the messages of those that are allowed with consecutive ids. Returns their outcomes in the same
 * order. A sending is `later` if it depends on one before it in a way that only the stored rows can show. The first one never is.
 */
export async function sendAll(ctx: AppContext, tx: Tx, sendings: readonly Sending[]): Promise<Outcome[]> {
  const facts = await findFacts(
    tx,
    sendings.map(({ senderId, key: { clientMsgId }, target }) => ({ senderId, clientMsgId, ...target })),
  )
  const group = new Group(ctx, tx, facts[0]!.lastNumber)
  const outcomes: Outcome[] = []
  for (const [i, sending] of sendings.entries()) outcomes.push(await group.add(sending, facts[i]!))
  await group.store()
  return outcomes
}

/** Rows of messages that are to be stored. */
interface Accepted extends Sending {
  readonly conversationId: number
  readonly rows: MessageRow[]
}

class Group {
  readonly #ctx: AppContext
  readonly #tx: Tx
  readonly #now: number
  readonly #accepted: Accepted[] = []
  readonly #rates = new Map<number, Rate>()
  /** Keys, and pairs of users without a conversation, of the accepted sendings. */
  readonly #taken = new Set<string>()
  readonly #conversations = new Set<number>()
  #members = 0
  #lastNumber: number

  constructor(ctx: AppContext, tx: Tx, last: number) {
    this.#ctx = ctx
    this.#tx = tx
    this.#now = ctx.clock.now()
    this.#lastNumber = last
  }

  async add(sending: Sending, facts: Facts): Promise<Outcome> {
    const { senderId, key, target } = sending
    const names = [`key ${senderId} ${key.clientMsgId}`]
    if (facts.conversationId === null && target.toUserId != null)
      names.push(`pair ${[senderId, target.toUserId].toSorted((a, b) => a - b).join(' ')}`)
    const isFull = this.#members >= MAX_MEMBERS && !this.#conversations.has(facts.conversationId ?? 0)
    if (isFull || names.some((name) => this.#taken.has(name))) return { kind: 'later' }
    try {
      const earlier = earlierKey(sending, facts)
      if (earlier !== undefined) return { kind: 'repeated', key: earlier }
      await this.#check(sending, facts)
      const rows = await this.#accept(sending, facts)
      for (const name of names) this.#taken.add(name)
      return { kind: 'sent', rows }
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      return { kind: 'refused', error }
    }
  }

  /** @throws AppError 404, 403 or 400 */
  async #check({ senderId, target, items, replyToId }: Sending, facts: Facts): Promise<void> {
    await checkTarget(this.#ctx, this.#tx, senderId, target, facts)
    await checkMentions(this.#tx, senderId, items, facts)
    const all = items.find(({ content }) => mentionsAllOf(content))
    if (all !== undefined) await checkMentionsAll(all, facts)
    if (replyToId != null) await checkReply(this.#tx, senderId, replyToId, facts)
    checkRelation(facts)
    for (const { files, isCopy } of items)
      if (!isCopy) for (const { id, path } of files) await checkFile(this.#tx, senderId, id, path)
  }

  /** @throws AppError 429 with code 4022 if the sender has sent too many in this minute */
  async #accept(sending: Sending, facts: Facts): Promise<readonly MessageRow[]> {
    const { senderId, items, replyToId = null, forwarded, key } = sending
    this.#countInRate(sending, facts)
    if (items.some(({ content }) => mentionsAllOf(content))) await spendMentionOfAll(this.#tx, senderId, this.#now)
    const conversationId = facts.conversationId ?? (await ensureDirect(this.#tx, senderId, facts.peerId!)).id
    const rows = items.map(({ type, content }, k) => ({
      id: ++this.#lastNumber,
      conversationId,
      senderId,
      type,
      content,
      clientMsgId: partOf(key.clientMsgId, k),
      replyToId: k === 0 ? replyToId : null,
      forwarded,
      createdAt: this.#now,
      recalledAt: null,
      removal: null,
      editedAt: null,
      changedNumber: null,
      reactions: null,
      pin: null,
    }))
    this.#accepted.push({ ...sending, conversationId, rows })
    if (!this.#conversations.has(conversationId)) this.#members += facts.memberCount ?? 2
    this.#conversations.add(conversationId)
    return rows
  }

  #countInRate({ senderId, items, perMinute }: Sending, { rateCount, rateWindowStart, rateExpiresAt }: Facts): void {
    if (perMinute === 0) return
    const now = this.#now
    const stored =
      rateCount !== null && rateExpiresAt! > now
        ? { count: rateCount, windowStart: rateWindowStart!, expiresAt: rateExpiresAt! }
        : { count: 0, windowStart: now, expiresAt: now + MINUTE }
    const before = this.#rates.get(senderId) ?? stored
    const rate = { ...before, count: before.count + items.length }
    if (rate.count > perMinute) throw errors.tooManyMessages(perMinute, Math.ceil((rate.expiresAt - now) / SECOND))
    this.#rates.set(senderId, rate)
  }

  /** Stores the messages that were accepted. */
  async store(): Promise<void> {
    if (this.#accepted.length === 0) return
    const tx = this.#tx
    const rows = this.#accepted.flatMap((one) => one.rows)
    const keys = this.#accepted.map(({ senderId, key, conversationId, rows: ofIt }) => {
      return { senderId, ...key, conversationId, firstId: ofIt[0]!.id, count: ofIt.length }
    })
    await storeMessages(tx, rows, keys, this.#rates)
    for (const { items, rows: ofIt } of this.#accepted)
      for (const [k, item] of items.entries()) await keepReferences(tx, ofIt[k]!, item)
    const drafts = this.#accepted.flatMap(({ senderId: userId, conversationId, draftVersion: version }) =>
      version === undefined ? [] : [{ conversationId, userId, version }],
    )
    if (drafts.length > 0) await forgetSent(tx, drafts)
    await emit(this.#ctx, tx, 'messages.sent', { ids: rows.map(({ id }) => id) })
  }
}

/**
 * The key of an earlier request with the same messages.
 * @throws AppError 400 if the sender has used the `clientMsgId` for other messages
 */
function earlierKey({ senderId, target, key }: Sending, facts: Facts): KeyRow | undefined {
  const { keyConversationId, keyFirstId, keyCount, keyDigest } = facts
  if (keyConversationId === null) return undefined
  const conversationId = target.toUserId == null ? target.conversationId : facts.conversationId
  if (keyDigest !== key.digest || keyConversationId !== conversationId) throw errors.clientMsgIdUsed()
  return { senderId, ...key, conversationId, firstId: keyFirstId!, count: keyCount! }
}

/** @throws AppError 404, or 403 with code 4015 for a conversation in which the sender can no longer write */
async function checkTarget(
  ctx: AppContext,
  tx: Tx,
  senderId: number,
  { toUserId }: TargetIds,
  { conversationId, peerId, peerHidden, hidden, leftAfter, orgStatus, isOver }: Facts,
): Promise<void> {
  if (toUserId != null) {
    // The first message creates the conversation.
    if (conversationId === null) {
      if (toUserId === senderId) throw errors.messageToOneself()
      if (!(await mayKnow(ctx, tx, senderId, toUserId))) throw notFound()
      return
    }
  } else {
    // Null: the user was never a member.
    if (hidden !== false) throw notFound()
    if (leftAfter !== null || isOver) throw errors.notInConversation()
  }
  if (peerId !== null && peerHidden === null) throw errors.notInConversation()
  if (orgStatus === 'DISABLED') throw organizationDisabled
}

/** @throws AppError 403 with code 4012 or 4011 */
function checkRelation({ peerId, refusal }: Facts): void {
  if (peerId !== null && refusal !== null) throw errors.refusalOf(refusal)
}

/** @throws AppError 404 or 403 if messages of the user to the conversation would be refused */
export async function checkMayWrite(ctx: AppContext, tx: Tx, userId: number, conversationId: number): Promise<Facts> {
  const [facts] = await findFacts(tx, [{ senderId: userId, clientMsgId: '', conversationId }])
  await checkFacts(ctx, tx, userId, facts!)
  return facts!
}

/** `checkMayWrite` with the facts that `findFacts` has read. */
export async function checkFacts(ctx: AppContext, tx: Tx, userId: number, facts: Facts): Promise<void> {
  await checkTarget(ctx, tx, userId, {}, facts)
  checkRelation(facts)
}

/** @throws AppError 400 with code 4021 if a text mentions users who are not in the conversation */
export async function checkMentions(
  tx: Tx,
  senderId: number,
  items: readonly Pick<Prepared, 'content' | 'path'>[],
  { conversationId, peerId }: Facts,
): Promise<void> {
  for (const { content, path } of items) {
    const mentions = mentionsOf(content)
    if (mentions.length === 0) continue
    const members = peerId === null ? await presentMembers(tx, conversationId!, mentions) : new Set([senderId, peerId])
    if (!mentions.every((id) => members.has(id))) throw errors.notMembers(`${path}.mentions`)
  }
}

export const mentionsAllOf = (content: Prepared['content']): boolean =>
  (content as Partial<StoredContents['TEXT']>).mentionsAll === true

/** @throws AppError 400 with code 4021 in a direct conversation, 403 with code 4015 if the member may not mention everybody */
async function checkMentionsAll({ path }: Pick<Prepared, 'path'>, { role, membersMentionAll }: Facts): Promise<void> {
  if (role === null) throw errors.noGroupToMention(`${path}.mentionsAll`)
  if (role === 'MEMBER' && membersMentionAll !== true) throw errors.noPermissionOnConversation()
}

/** Of one user in 24 hours: each notifies up to 500 members. */
const MENTIONS_OF_ALL = 10

/** In the write that sends, so that a refused message counts nothing. @throws AppError 429 with code 4022 */
async function spendMentionOfAll(tx: Tx, userId: number, now: number): Promise<void> {
  const use = { key: `chat mentions of all:user:${userId}`, limit: MENTIONS_OF_ALL, windowMs: DAY }
  const refusal = await spend(tx, [use], now)
  if (refusal !== undefined) throw errors.tooManyMentionsOfAll(MENTIONS_OF_ALL, refusal.refusedFor)
}

export const mentionsOf = (content: Prepared['content']): readonly number[] =>
  (content as Partial<StoredContents['TEXT']>).mentions ?? []

/** @throws AppError 400 if the sender sees no such message in the conversation */
async function checkReply(
  tx: Tx,
  senderId: number,
  replyToId: number,
  { conversationId, clearedUpTo, leftAfter }: Facts,
): Promise<void> {
  const message = await findMessage(tx, replyToId)
  if (clearedUpTo === null || message?.conversationId !== conversationId) throw errors.cannotReply()
  if (!isVisible(replyToId, { clearedUpTo, leftAfter })) throw errors.cannotReply()
  if (await isDeletedBy(tx, replyToId, senderId)) throw errors.cannotReply()
}

/**
 * The file was sendable before the write; it may have been deleted or used elsewhere since.
 * @throws AppError 400 with code 4021
 */
async function checkFile(tx: Tx, senderId: number, fileId: number, path: string): Promise<FileRow> {
  const file = await findFile(tx, fileId)
  return isSendable(file, senderId) ? file : notSendable(path)
}

/** Rows by which the files, the card and the mentions of a message are found. */
async function keepReferences(tx: Tx, row: MessageRow, { files, isCopy }: Prepared): Promise<void> {
  const { id, conversationId, type, content } = row
  const senderId = row.senderId!
  for (const { id: fileId, path } of files) {
    if (!isCopy && (await checkFile(tx, senderId, fileId, path)).entityType === null)
      await attachFile(tx, { userId: senderId, orgId: 0 }, fileId, {
        type: 'other',
        entityType: 'MESSAGE',
        entityId: id,
        path,
      })
    await insertFile(tx, id, fileId)
  }
  if (type === 'CARD') {
    const { userId } = content as unknown as StoredContents['CARD']
    await insertCard(tx, { messageId: id, conversationId, userId })
  }
  await noteMentions(tx, row, mentionsAllOf(content) ? 'all' : mentionsOf(content))
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
  const id = (await lastNumber(tx)) + 1
  const content = { event, ...(userIds && { userIds }), text }
  const of = { conversationId, senderId: null, type: 'SYSTEM' as const, content, clientMsgId: null, replyToId: null }
  await storeMessages(tx, [{ id, ...of, forwarded: false, createdAt: ctx.clock.now() }])
}
