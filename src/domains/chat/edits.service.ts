/** Edits of texts. An edit takes a number, so that sockets and `sync` deliver the message again. */

import type { AppContext } from '#context'
import type { Tx } from '#db/store.ts'
import { emit } from '#domains/domain.ts'
import { getSetting } from '#domains/settings/index.ts'
import type { Actor, Caller } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'
import { SECOND } from '#platform/clock.ts'

import * as errors from './chat.errors.ts'
import { announce } from './conversations/conversations.view.ts'
import type { EditMessage } from './edits.model.ts'
import { mentionsChanged, messageChanged } from './members.store.ts'
import type { StoredContents } from './messages/contents.model.ts'
import { checkShape, prepare } from './messages/contents.service.ts'
import type { Message } from './messages/messages.model.ts'
import { findSeen, type MessageRow, setContent } from './messages/messages.store.ts'
import { toMessages } from './messages/messages.view.ts'
import { checkMayWrite, checkMentions, mentionsAllOf, mentionsOf } from './messages/posting.service.ts'
import { IN_ORDER, takeNumbers } from './numbers.ts'
import { replaceTerms } from './search/search.service.ts'

/** Replaces the text of a message for everyone. The same text changes nothing. */
export async function editMessage(
  ctx: AppContext,
  { userId }: Actor,
  caller: Caller,
  id: number,
  { content }: EditMessage,
): Promise<Message> {
  // Before the content, so that a message of others is answered like an unknown one whatever the body says.
  if ((await findSeen(ctx.db.read, id, userId)) === undefined) throw notFound()
  const draft = await checkShape(ctx, 'TEXT', content, 'body.content')
  const next = await prepare(ctx, { userId, caller }, draft)
  const seconds = await getSetting(ctx, 'chat.editSeconds')
  const row = await ctx.db.write(
    'chat.edit',
    async (tx) => {
      const message = (await findSeen(tx, id, userId))?.message
      if (message === undefined) throw notFound()
      if (message.senderId !== userId) throw errors.notYourText()
      if (message.type !== 'TEXT' || message.recalledAt !== null || message.forwarded) throw errors.notEditable()
      if (mentionsAllOf(next.content) && !mentionsAllOf(message.content)) throw errors.allNotAdded()
      const facts = await checkMayWrite(ctx, tx, userId, message.conversationId)
      const { mentionedBefore: _, toldAll: __, ...before } = message.content
      if (Bun.deepEquals(before, next.content)) return message
      const now = ctx.clock.now()
      if (now >= message.createdAt + seconds * SECOND) throw errors.editTimedOut(seconds)
      await checkMentions(tx, userId, [next], facts)
      return change(ctx, tx, message, next.content, now)
    },
    IN_ORDER,
  )
  return (await toMessages(ctx, ctx.db.read, [row]))[0]!
}

async function change(
  ctx: AppContext,
  tx: Tx,
  message: MessageRow,
  next: MessageRow['content'],
  now: number,
): Promise<MessageRow> {
  const { id, conversationId } = message
  const { mentionedBefore = [] } = message.content as unknown as StoredContents['TEXT']
  const [before, mentions] = [mentionsOf(message.content), mentionsOf(next)]
  const told = [...new Set([...mentionedBefore, ...before])]
  // Everybody was notified of a text that mentioned all, and is not notified again.
  const wasAll = message.content['toldAll'] === true || mentionsAllOf(message.content)
  const added = wasAll ? [] : mentions.filter((userId) => !told.includes(userId))
  const isAll = mentionsAllOf(next)
  const without = before.filter((userId) => !mentions.includes(userId))
  const endsForAll = mentionsAllOf(message.content) && !isAll
  const removed = isAll ? [] : endsForAll ? 'all' : without
  // Those who are still mentioned keep the mark.
  const marked = endsForAll ? mentions : added
  const content = { ...next, ...(told.length > 0 && { mentionedBefore: told }), ...(wasAll && { toldAll: true }) }
  const number = await takeNumbers(tx, 1)
  const row = await setContent(tx, id, { content, editedAt: now, changedNumber: number })
  await messageChanged(tx, message, number)
  const changed = await mentionsChanged(tx, message, { added: marked, removed })
  announce(tx, conversationId, changed)
  await replaceTerms(tx, message, message.content, content)
  if (added.length > 0) await emit(ctx, tx, 'messages.sent', { ids: [id], userIds: added })
  return row
}
