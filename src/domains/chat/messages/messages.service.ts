/** Sends messages. */

import type { AppContext } from '#context'
import type { Db } from '#db/store.ts'
import { getSetting } from '#domains/settings/index.ts'
import type { Actor, Caller } from '#http/endpoint.ts'
import { sha256 } from '#platform/ids.ts'

import * as errors from '../chat.errors.ts'
import { findDirect } from '../members.store.ts'
import { CONTENTS, type SentType } from './contents.model.ts'
import { checkShape, type Draft, prepare, type Prepared, refersToNothing } from './contents.service.ts'
import { ATTACHMENT_TYPES, type SendMessage, type SentMessages } from './messages.model.ts'
import * as store from './messages.store.ts'
import { toMessages } from './messages.view.ts'
import type { TargetIds } from './posting.service.ts'
import { sendInGroup } from './sending.service.ts'

/** Sends the messages of a request, or answers with those that an earlier try has stored. */
export async function sendMessage(
  ctx: AppContext,
  { userId }: Actor,
  caller: Caller,
  body: SendMessage,
): Promise<SentMessages> {
  const { clientMsgId, replyToId, toUserId, conversationId, draftVersion } = body
  const target = { toUserId, conversationId }
  await checkTarget(ctx.db.read, userId, target)
  const drafts = await draftsOf(ctx, body)
  const contents = drafts.map(({ type, content }) => [type, content])
  const key = { clientMsgId, digest: sha256(JSON.stringify([contents, replyToId ?? null])) }
  // A repeat is answered also if what the contents refer to is gone. Texts and places refer to nothing, and the write recognizes their repeats.
  const earlier = drafts.every(({ type }) => refersToNothing(type))
    ? undefined
    : await store.findKey(ctx.db.read, userId, clientMsgId)
  if (earlier?.digest === key.digest && (await isTargetOf(ctx.db.read, userId, target, earlier.conversationId)))
    return repeated(ctx, earlier)
  const items: Prepared[] = []
  for (const draft of drafts) items.push(await prepare(ctx, { userId, caller }, draft))
  if (earlier !== undefined) throw errors.clientMsgIdUsed()
  const perMinute = await getSetting(ctx, 'chat.messagesPerMinute')
  const sending = { senderId: userId, target, items, replyToId, draftVersion, forwarded: false, key, perMinute }
  const result = await sendInGroup(ctx, sending)
  return result.kind === 'repeated' ? repeated(ctx, result.key) : sent(ctx, result.rows[0]!.conversationId, result.rows)
}

/** Whether the ids name this conversation. */
const isTargetOf = async (
  db: Db,
  senderId: number,
  { toUserId, conversationId }: TargetIds,
  id: number,
): Promise<boolean> =>
  toUserId == null ? conversationId === id : (await findDirect(db, senderId, toUserId))?.id === id

/** A user's own id names the notes, once they were opened. */
async function checkTarget(db: Db, userId: number, { toUserId, conversationId }: TargetIds): Promise<void> {
  if ((toUserId == null) === (conversationId == null)) throw errors.oneTarget()
  if (toUserId === userId && (await findDirect(db, userId, userId)) === undefined) throw errors.messageToOneself()
}

const isSentType = (type: unknown): type is SentType => typeof type === 'string' && Object.hasOwn(CONTENTS, type)

/** One content for each message of the request, the shapes of which are checked. */
async function draftsOf(ctx: AppContext, { type, content, attachments }: SendMessage): Promise<Draft[]> {
  if (!isSentType(type)) throw errors.unknownMessageType()
  if (attachments == null) return [await checkShape(ctx, type, content, 'body.content')]
  if (type !== 'TEXT' && type !== 'IMAGE') throw errors.noAttachments()
  if (type === 'IMAGE' && content != null) throw errors.contentBesideAttachments()
  const drafts = type === 'TEXT' ? [await checkShape(ctx, type, content, 'body.content')] : []
  for (const [i, attachment] of attachments.entries()) {
    const ofItem =
      typeof attachment === 'object' && attachment !== null && 'type' in attachment ? attachment.type : null
    const itemType = ATTACHMENT_TYPES.find((known) => known === (ofItem ?? 'IMAGE'))
    if (itemType === undefined) throw errors.unknownMessageType()
    drafts.push(await checkShape(ctx, itemType, attachment, `body.attachments.${i}`))
  }
  return drafts
}

const sent = async (
  ctx: AppContext,
  conversationId: number,
  rows: readonly store.MessageRow[],
): Promise<SentMessages> => ({ conversationId, messages: await toMessages(ctx, ctx.db.read, rows) })

const repeated = async (ctx: AppContext, key: store.KeyRow): Promise<SentMessages> =>
  sent(ctx, key.conversationId, await store.messagesOfKey(ctx.db.read, key))
