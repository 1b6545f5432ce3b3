/** Reactions: emoji that users add to messages. A change takes a number, so that sockets and `sync` deliver the message again. */

import type { AppContext } from '#context'
import type { ReactionCount } from '#db/schema/chat.ts'
import type { Tx } from '#db/store.ts'
import type { Actor } from '#http/endpoint.ts'
import { badRequest, notFound } from '#http/errors.ts'
import { invalid } from '#http/validate.ts'

import { notInConversation } from '../chat.errors.ts'
import { messageChanged } from '../members.store.ts'
import { type Message, SHOWN_USERS } from '../messages/messages.model.ts'
import { findSeen, type MessageRow } from '../messages/messages.store.ts'
import { loadExtras, toMessage } from '../messages/messages.view.ts'
import { checkMayWrite } from '../messages/posting.service.ts'
import { IN_ORDER, takeNumbers } from '../numbers.ts'
import { MAX_EMOJI } from './reactions.model.ts'
import * as store from './reactions.store.ts'

const notAnEmoji = () => invalid('path.emoji', 'must be one emoji', '须为一个表情符号')
const tooManyEmoji = () =>
  badRequest(`A message has at most ${MAX_EMOJI} different reactions`, `每条消息最多 ${MAX_EMOJI} 种表情回应`)
const takesNone = () =>
  badRequest('Recalled messages and messages of the system take no reactions', '已撤回的消息和系统消息不能添加表情回应')

const EMOJI = /^\p{RGI_Emoji}$/v
/** Asks for the picture of a character that is also a text symbol, such as U+2764. */
const AS_PICTURE = '\uFE0F'

/** The emoji in its recommended spelling, or undefined if the text is anything but one emoji. */
export function emojiOf(text: string): string | undefined {
  if (EMOJI.test(text)) return text
  return EMOJI.test(text + AS_PICTURE) ? text + AS_PICTURE : undefined
}

/** Changes nothing if the user has already added the emoji. */
export function addReaction(ctx: AppContext, actor: Actor, id: number, text: string): Promise<Message> {
  return change(ctx, actor, id, text, async (tx, message, emoji) => {
    // Refused where messages would be.
    await checkMayWrite(ctx, tx, actor.userId, message.conversationId)
    if (message.recalledAt !== null || message.type === 'SYSTEM') throw takesNone()
    const before = message.reactions ?? []
    const known = before.find((reaction) => reaction.emoji === emoji)
    if (known === undefined && before.length >= MAX_EMOJI) throw tooManyEmoji()
    if (!(await store.insertReaction(tx, { messageId: id, userId: actor.userId, emoji }))) return undefined
    const after = { emoji, count: (known?.count ?? 0) + 1, userIds: await store.firstUsers(tx, id, emoji, SHOWN_USERS) }
    return known === undefined ? [...before, after] : before.map((one) => (one === known ? after : one))
  })
}

/** Changes nothing if the user has not added the emoji. */
export function removeReaction(ctx: AppContext, actor: Actor, id: number, text: string): Promise<Message> {
  return change(ctx, actor, id, text, async (tx, message, emoji) => {
    const before = message.reactions ?? []
    if (!(await store.deleteReaction(tx, { messageId: id, userId: actor.userId, emoji }))) return undefined
    const userIds = await store.firstUsers(tx, id, emoji, SHOWN_USERS)
    return before.flatMap((one) => {
      if (one.emoji !== emoji) return [one]
      return one.count === 1 ? [] : [{ emoji, count: one.count - 1, userIds }]
    })
  })
}

/** `decide` returns the reactions of the message after the change, or undefined if there is none. */
function change(
  ctx: AppContext,
  actor: Actor,
  id: number,
  text: string,
  decide: (tx: Tx, message: MessageRow, emoji: string) => Promise<readonly ReactionCount[] | undefined>,
): Promise<Message> {
  const emoji = emojiOf(text)
  if (emoji === undefined) throw notAnEmoji()
  return ctx.db.write(
    'chat.react',
    async (tx) => {
      const seen = await findSeen(tx, id, actor.userId)
      if (seen === undefined) throw notFound()
      const { message, member } = seen
      if (member.leftAfter !== null) throw notInConversation()
      const reactions = await decide(tx, message, emoji)
      if (reactions !== undefined) {
        const number = await takeNumbers(tx, 1)
        await store.setReactions(tx, id, reactions, number)
        await messageChanged(tx, message, number)
      }
      const row = { ...message, ...(reactions && { reactions }) }
      return toMessage(ctx, row, await loadExtras(tx, [row]))
    },
    IN_ORDER,
  )
}
