/** Deletes messages for one user. A deletion takes a number, by which the user's other devices find it. */

import type { AppContext } from '#context'
import type { Tx } from '#db/store.ts'
import type { Actor } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'

import { announce } from './conversations/conversations.view.ts'
import * as store from './deleted.store.ts'
import { isUnread } from './members.rules.ts'
import { findConversation, type MemberRow, setAfterDeletion } from './members.store.ts'
import { hasViewer } from './messages/media.store.ts'
import { findSeen, type MessageRow } from './messages/messages.store.ts'
import { IN_ORDER, takeNumbers } from './numbers.ts'
import { deletePermanently } from './retention.service.ts'

export async function deleteForOneself(ctx: AppContext, { userId }: Actor, id: number): Promise<void> {
  await ctx.db.write(
    'chat.deleteMessage',
    async (tx) => {
      const seen = await findSeen(tx, id, userId)
      if (seen === undefined) throw notFound()
      const { message, member } = seen
      const { conversationId } = message
      const number = await takeNumbers(tx, 1)
      await store.insertDeletion(tx, { messageId: id, userId, conversationId, number })
      await changeMember(tx, member, message, number)
      announce(tx, conversationId, [userId])
      // The last one who could see it: nobody will ever see it again.
      if (!(await hasViewer(tx, conversationId, id))) await deletePermanently(ctx, tx, [message])
    },
    IN_ORDER,
  )
}

async function changeMember(tx: Tx, member: MemberRow, message: MessageRow, number: number): Promise<void> {
  const { id, conversationId } = message
  const isLast = member.lastMessageId === id
  const last = isLast ? await store.lastVisible(tx, member, member.clearedUpTo, id) : undefined
  const createdAt = last?.createdAt ?? (await findConversation(tx, conversationId))!.createdAt
  await setAfterDeletion(tx, member, {
    unread: member.unread - (isUnread(message, member) ? 1 : 0),
    mentionedAt: member.mentionedAt === id ? 0 : member.mentionedAt,
    lastNumber: number,
    ...(isLast && { lastMessageId: last?.id ?? null, sortAt: createdAt }),
  })
}
