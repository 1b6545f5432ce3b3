import type { AppContext } from '#context'
import type { Tx } from '#db/store.ts'
import { getSetting } from '#domains/settings/index.ts'
import type { Actor } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'

import * as errors from './chat.errors.ts'
import { findMember, messageRecalled } from './members.store.ts'
import { releaseMedia } from './messages/media.service.ts'
import type { Message } from './messages/messages.model.ts'
import { findMessage, findSeen, markRecalled, type MessageRow } from './messages/messages.store.ts'
import { toMessages } from './messages/messages.view.ts'
import { IN_ORDER, takeNumbers } from './numbers.ts'
import { deleteReactionsTo } from './reactions/reactions.store.ts'
import { forgetTerms } from './search/search.service.ts'

/** Whether a message can no longer be recalled. Times in epoch milliseconds. */
const isTooLate = (createdAt: number, now: number, recallSeconds: number): boolean =>
  now >= createdAt + recallSeconds * 1000

/** Empties a message for everyone. A message that is recalled already stays as it is. */
export async function recallMessage(ctx: AppContext, { userId }: Actor, id: number): Promise<Message> {
  const recallSeconds = await getSetting(ctx, 'chat.recallSeconds')
  const row = await ctx.db.write(
    'chat.recall',
    async (tx) => {
      const message = await findMessage(tx, id)
      const own = message && (await findMember(tx, message.conversationId, userId))
      if (message === undefined || own === undefined) throw notFound()
      if (message.senderId !== userId) throw (await findSeen(tx, id, userId)) ? errors.notYourMessage() : notFound()
      if (own.leftAfter !== null) throw errors.notInConversation()
      if (message.recalledAt !== null) return message
      const now = ctx.clock.now()
      if (isTooLate(message.createdAt, now, recallSeconds)) throw errors.recallTimedOut(recallSeconds)
      return emptyMessage(ctx, tx, message, null)
    },
    IN_ORDER,
  )
  return (await toMessages(ctx, ctx.db.read, [row]))[0]!
}

/** Takes everything from a message that is neither recalled nor one of the system, in a write that is `IN_ORDER`. */
export async function emptyMessage(
  ctx: AppContext,
  tx: Tx,
  message: MessageRow,
  removal: MessageRow['removal'],
): Promise<MessageRow> {
  const { id } = message
  const number = await takeNumbers(tx, 1)
  const recalled = (await markRecalled(tx, id, ctx.clock.now(), number, removal))!
  await messageRecalled(tx, message, number)
  await releaseMedia(ctx, tx, [id])
  await deleteReactionsTo(tx, [id])
  await forgetTerms(tx, [message])
  return recalled
}
