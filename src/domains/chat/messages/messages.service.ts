/** Sends messages. */

import type { AppContext } from '#context'
import type { Db, Tx } from '#db/store.ts'
import { getSetting } from '#domains/settings/index.ts'
import type { Actor, Caller } from '#http/endpoint.ts'
import { sha256 } from '#platform/ids.ts'

import * as errors from '../chat.errors.ts'
import { IN_ORDER } from '../numbers.ts'
import { CONTENTS, type SentType } from './contents.model.ts'
import { checkShape, type Draft, prepare, type Prepared } from './contents.service.ts'
import { ATTACHMENT_TYPES, type SendMessage, type SentMessages } from './messages.model.ts'
import * as store from './messages.store.ts'
import { toMessages } from './messages.view.ts'
import {
  checkMentions,
  checkRelation,
  checkReply,
  findTarget,
  isTargetOf,
  post,
  type TargetIds,
} from './posting.service.ts'

/** Sends the messages of a request, or answers with those that an earlier try has stored. */
export async function sendMessage(
  ctx: AppContext,
  { userId }: Actor,
  caller: Caller,
  body: SendMessage,
): Promise<SentMessages> {
  const { clientMsgId, replyToId } = body
  checkTarget(userId, body)
  const drafts = await draftsOf(ctx, body)
  const contents = drafts.map(({ type, content }) => [type, content])
  const digest = sha256(JSON.stringify([contents, replyToId ?? null]))
  const isRepeat = async (db: Db | Tx, key: store.KeyRow) =>
    key.digest === digest && (await isTargetOf(db, userId, body, key.conversationId))

  const earlier = await store.findKey(ctx.db.read, userId, clientMsgId)
  if (earlier !== undefined && (await isRepeat(ctx.db.read, earlier))) return repeated(ctx, earlier)
  const items: Prepared[] = []
  for (const draft of drafts) items.push(await prepare(ctx, { userId, caller }, draft))
  if (earlier !== undefined) throw errors.clientMsgIdUsed()

  const perMinute = await getSetting(ctx, 'chat.messagesPerMinute')
  const result = await ctx.db.write(
    'chat.send',
    async (tx) => {
      const key = await store.findKey(tx, userId, clientMsgId)
      if (key !== undefined) {
        if (await isRepeat(tx, key)) return key
        throw errors.clientMsgIdUsed()
      }
      const target = await findTarget(ctx, tx, userId, body)
      await checkMentions(tx, userId, target, items)
      if (replyToId != null) await checkReply(tx, userId, target, replyToId)
      await checkRelation(tx, userId, target)
      const by = { senderId: userId, key: { clientMsgId, digest }, perMinute }
      return post(ctx, tx, { ...by, target, items, replyToId, forwarded: false })
    },
    IN_ORDER,
  )
  return 'digest' in result ? repeated(ctx, result) : sent(ctx, result[0]!.conversationId, result)
}

function checkTarget(userId: number, { toUserId, conversationId }: TargetIds): void {
  if ((toUserId == null) === (conversationId == null)) throw errors.oneTarget()
  if (toUserId === userId) throw errors.messageToOneself()
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
