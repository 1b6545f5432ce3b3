/** Pinned messages. A change takes a number, so that sockets and `sync` deliver the message again. */

import type { AppContext } from '#context'
import type { Db, Tx } from '#db/store.ts'
import type { Actor } from '#http/endpoint.ts'
import { AppError, badRequest, notFound } from '#http/errors.ts'

import { noPermissionOnConversation, notInConversation } from '../chat.errors.ts'
import { findListed } from '../conversations/conversations.service.ts'
import { deletedAmong } from '../deleted.store.ts'
import { isVisible } from '../members.rules.ts'
import { findConversation, type MemberRow, messageChanged } from '../members.store.ts'
import type { Message } from '../messages/messages.model.ts'
import { findSeen, type MessageRow } from '../messages/messages.store.ts'
import { toMessages } from '../messages/messages.view.ts'
import { checkMayWrite } from '../messages/posting.service.ts'
import { IN_ORDER, takeNumbers } from '../numbers.ts'
import { MAX_PINS } from './pins.model.ts'
import { pinnedIn, setPin } from './pins.store.ts'

const tooManyPins = () =>
  new AppError(400, 4016, {
    en: `A conversation has at most ${MAX_PINS} pinned messages: unpin one first`,
    zh: `每个会话最多置顶 ${MAX_PINS} 条消息，请先取消一条`,
  })
const notPinnable = () =>
  badRequest('Recalled messages and messages of the system cannot be pinned', '已撤回的消息和系统消息不能置顶')

/** The pinned messages of a conversation that the user can see. */
export async function listPins(ctx: AppContext, { userId }: Actor, id: number): Promise<{ items: Message[] }> {
  const db = ctx.db.read
  const member = await findListed(db, id, userId)
  const { seen } = await pinsFor(db, member)
  return { items: await toMessages(ctx, db, seen) }
}

/** The pinned messages that a member sees, and those that others see. */
async function pinsFor(db: Db | Tx, member: MemberRow): Promise<{ seen: MessageRow[]; unseen: MessageRow[] }> {
  const pinned = await pinnedIn(db, member.conversationId)
  const deleted = await deletedAmong(
    db,
    pinned.map(({ id }) => id),
    member.userId,
  )
  const { true: seen = [], false: unseen = [] } = Object.groupBy(pinned, ({ id }) =>
    String(isVisible(id, member) && !deleted.has(id)),
  )
  return { seen, unseen }
}

/**
 * Changes nothing if the message is pinned already. If all places are taken, a message that the user cannot see is unpinned for it: the user could
 * not choose it.
 */
export function pinMessage(ctx: AppContext, { userId }: Actor, id: number): Promise<Message> {
  return change(ctx, userId, id, async (tx, message, member) => {
    if (message.recalledAt !== null || message.type === 'SYSTEM') throw notPinnable()
    if (message.pin !== null) return message
    const { seen, unseen } = await pinsFor(tx, member)
    if (seen.length >= MAX_PINS) throw tooManyPins()
    if (seen.length + unseen.length >= MAX_PINS) await setTo(tx, unseen.at(-1)!, null)
    return setTo(tx, message, { userId, pinnedAt: tx.stamp })
  })
}

/** Changes nothing if the message is not pinned. */
export function unpinMessage(ctx: AppContext, { userId }: Actor, id: number): Promise<Message> {
  return change(ctx, userId, id, async (tx, message) =>
    message.pin === null || message.recalledAt !== null ? message : setTo(tx, message, null),
  )
}

async function change(
  ctx: AppContext,
  userId: number,
  id: number,
  decide: (tx: Tx, message: MessageRow, member: MemberRow) => Promise<MessageRow>,
): Promise<Message> {
  const row = await ctx.db.write(
    'chat.pinMessage',
    async (tx) => {
      const seen = await findSeen(tx, id, userId)
      if (seen === undefined) throw notFound()
      const { message, member } = seen
      if (member.leftAfter !== null) throw notInConversation()
      // Refused where messages would be.
      const { role } = await checkMayWrite(ctx, tx, userId, message.conversationId)
      if (role === 'MEMBER' && !(await findConversation(tx, message.conversationId))!.membersPin)
        throw noPermissionOnConversation()
      return decide(tx, message, member)
    },
    IN_ORDER,
  )
  return (await toMessages(ctx, ctx.db.read, [row]))[0]!
}

async function setTo(tx: Tx, message: MessageRow, pin: MessageRow['pin']): Promise<MessageRow> {
  const number = await takeNumbers(tx, 1)
  await setPin(tx, message.id, pin, number)
  await messageChanged(tx, message, number)
  return { ...message, pin, changedNumber: number }
}
