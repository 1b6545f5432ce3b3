/** Forwards messages to several users, with a result for each of them. */

import type { AppContext } from '#context'
import type { Db, Tx } from '#db/store.ts'
import { getSetting } from '#domains/settings/index.ts'
import type { Actor, Caller } from '#http/endpoint.ts'
import { AppError, notFound } from '#http/errors.ts'
import { sha256 } from '#platform/ids.ts'

import * as errors from '../chat.errors.ts'
import { deletedAmong } from '../deleted.store.ts'
import { isVisible } from '../members.rules.ts'
import { findDirect, findMember, type MemberRow } from '../members.store.ts'
import { IN_ORDER } from '../numbers.ts'
import type { SentType } from './contents.model.ts'
import type { Prepared } from './contents.service.ts'
import type { Forwarded, ForwardMessages, ForwardResult } from './messages.model.ts'
import { filesOf, keyOfTarget } from './messages.rules.ts'
import { findKey, type KeyRow, type MessageRow, messagesByIds } from './messages.store.ts'
import { insertKey } from './posting.store.ts'
import { sendOne } from './sending.service.ts'

/**
 * Sends copies of the messages to each of the users, all of them or none. A repeat sends only to the users that failed before.
 * @throws AppError 404 if the caller cannot see a message, 400 for messages that cannot be forwarded
 */
export async function forwardMessages(
  ctx: AppContext,
  { userId }: Actor,
  { locale }: Caller,
  { messageIds, userIds, clientMsgId }: ForwardMessages,
): Promise<Forwarded> {
  const digest = sha256(JSON.stringify({ messageIds, userIds }))
  await checkKey(ctx.db.read, userId, clientMsgId, digest)
  const perMinute = await getSetting(ctx, 'chat.messagesPerMinute')
  const isFirst = (await findKey(ctx.db.read, userId, clientMsgId)) === undefined
  // A repeat shows which users have got the messages, also if a message was recalled meanwhile.
  if (isFirst) await findForwardable(ctx.db.read, userId, messageIds)

  const forwardTo = async (toUserId: number): Promise<ForwardResult> => {
    try {
      if (toUserId === userId && (await findDirect(ctx.db.read, userId, userId)) === undefined)
        throw errors.messageToOneself()
      const sent = await ctx.db.write(
        'chat.forward',
        async (tx) => {
          const whole = await checkKey(tx, userId, clientMsgId, digest)
          const key = await findKey(tx, userId, keyOfTarget(clientMsgId, toUserId))
          if (key !== undefined) return idsOf(key)
          const items = await findForwardable(tx, userId, messageIds)
          const own = { clientMsgId: keyOfTarget(clientMsgId, toUserId), digest }
          const by = { senderId: userId, target: { toUserId }, key: own, perMinute }
          const result = await sendOne(ctx, tx, { ...by, items, forwarded: true })
          if (whole === undefined)
            await insertKey(tx, { senderId: userId, clientMsgId, conversationId: 0, firstId: 0, count: 0, digest })
          if (result.kind === 'repeated') return idsOf(result.key)
          return { conversationId: result.rows[0]!.conversationId, messageIds: result.rows.map((row) => row.id) }
        },
        IN_ORDER,
      )
      return { userId: toUserId, status: 'SENT', code: null, message: null, ...sent }
    } catch (error) {
      if (!(error instanceof AppError) || error.status >= 500) throw error
      const reason = { code: error.code, message: error.text[locale] }
      return { userId: toUserId, status: 'FAILED', ...reason, conversationId: null, messageIds: [] }
    }
  }
  const results: ForwardResult[] = []
  for (const toUserId of userIds) results.push(await forwardTo(toUserId))
  return { results }
}

/** @throws AppError 400 if the sender has used the id for something else */
async function checkKey(
  db: Db | Tx,
  senderId: number,
  clientMsgId: string,
  digest: string,
): Promise<KeyRow | undefined> {
  const key = await findKey(db, senderId, clientMsgId)
  if (key !== undefined && key.digest !== digest) throw errors.clientMsgIdUsed()
  return key
}

const idsOf = ({ conversationId, firstId, count }: KeyRow) => ({
  conversationId,
  messageIds: Array.from({ length: count }, (_, k) => firstId + k),
})

/** Copies of the messages, in the order of the ids. @throws AppError 404 or 400 */
async function findForwardable(db: Db | Tx, userId: number, messageIds: readonly number[]): Promise<Prepared[]> {
  const rows = new Map((await messagesByIds(db, messageIds)).map((row) => [row.id, row]))
  const own = new Map<number, MemberRow | undefined>()
  for (const { conversationId } of rows.values())
    if (!own.has(conversationId)) own.set(conversationId, await findMember(db, conversationId, userId))
  const deleted = await deletedAmong(db, messageIds, userId)
  for (const id of messageIds) {
    const row = rows.get(id)
    const member = row && own.get(row.conversationId)
    if (member === undefined || !isVisible(id, member) || deleted.has(id)) throw notFound()
  }
  return messageIds.map((id) => copyOf(rows.get(id)!))
}

function copyOf({ type, content, recalledAt }: MessageRow): Prepared {
  if (recalledAt !== null || type === 'SYSTEM') throw errors.notForwardable()
  // An administrator has deleted the file.
  if (content['fileId'] === null) throw errors.notForwardable()
  const path = 'body.messageIds'
  return {
    type: type as SentType,
    content: withoutMentions(content),
    path,
    files: filesOf(content).map((id) => ({ id, path })),
    isCopy: true,
  }
}

/** Members of one conversation are not those of another. */
function withoutMentions(content: MessageRow['content']): MessageRow['content'] {
  const { mentions: _, mentionedBefore: __, mentionsAll: ___, toldAll: ____, ...rest } = content
  return rest
}
