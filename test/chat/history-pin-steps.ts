/** The steps of a random history that pin and unpin messages. */

import { expect } from 'bun:test'

import {
  type Conversation,
  isMemberOf,
  isPresent,
  MAX_PINS,
  memberOf,
  messageRefusal,
  peerOf,
  pinnedIn,
  type Sent,
  type User,
  visible,
} from './history-model.ts'
import {
  answered,
  chance,
  checkMessages,
  context,
  conversations,
  newest,
  of,
  pick,
  type Step,
} from './history-world.ts'

/** The outcome that the state of the conversation allows, whatever becomes of the message. */
function refusal(user: User, conversation: Conversation, message: Sent): number | undefined {
  if (!isMemberOf(conversation, user) || !visible(conversation, user).includes(message)) return 404
  if (!isPresent(conversation, user)) return 4015
  if (conversation.type === 'DIRECT') return messageRefusal(user, peerOf(conversation, user).user)
  return memberOf(conversation, user).role === 'MEMBER' && !conversation.membersPin ? 4015 : undefined
}

/** Few conversations would ever have three pinned messages otherwise. */
function someMessage(user: User, isPinned: boolean): { conversation: Conversation; message: Sent } | undefined {
  const own = conversations.filter((each) => isMemberOf(each, user))
  const list =
    own.length > 0 && chance(90)
      ? own.toSorted((a, b) => pinnedIn(b).length - pinnedIn(a).length || b.messages.length - a.messages.length)
      : conversations
  const known = list.filter(({ messages }) => messages.length > 0)
  if (known.length === 0) return undefined
  const conversation = chance(70) ? known[0]! : pick(known)
  const pinned = pinnedIn(conversation)
  const messages = isPinned && pinned.length > 0 && chance(80) ? pinned : conversation.messages.slice(-12)
  return { conversation, message: pick(messages) }
}

export const pinSteps: Record<string, Step> = {
  async pinMessage(user) {
    const found = someMessage(user, chance(15))
    if (found === undefined) return
    const { conversation, message } = found
    const pinned = pinnedIn(conversation)
    const seen = isMemberOf(conversation, user) ? visible(conversation, user) : []
    const isFull = pinned.length >= MAX_PINS
    const unseen = pinned.filter((each) => !seen.includes(each))
    const isPinned = pinned.includes(message)
    const outcome =
      message.recalledAt !== null || message.type === 'SYSTEM'
        ? 400
        : !isPinned && isFull && unseen.length === 0
          ? 4016
          : 200
    const reply = await of(user).post(`/api/chats/messages/${message.id}/pin`)
    const name = `pinMessage ${user.name} ${message.id} of ${conversation.id}`
    if (!answered(name, reply, refusal(user, conversation, message) ?? outcome)) return
    if (!isPinned) {
      if (isFull) Object.assign(unseen.at(-1)!, { pin: null, pinnedAfter: newest() })
      Object.assign(message, { pin: reply.data.pin, pinnedAfter: newest() })
      expect(reply.data.pin, context()).toEqual({ userId: user.id, pinnedAt: expect.any(Number) })
    }
    checkMessages([reply.data], [message])
  },
  async unpinMessage(user) {
    const found = someMessage(user, true)
    if (found === undefined || chance(50)) return
    const { conversation, message } = found
    const isPinned = pinnedIn(conversation).includes(message)
    const reply = await of(user).post(`/api/chats/messages/${message.id}/unpin`)
    const name = `unpinMessage ${user.name} ${message.id} of ${conversation.id}`
    if (!answered(name, reply, refusal(user, conversation, message) ?? 200)) return
    if (isPinned) Object.assign(message, { pin: null, pinnedAfter: newest() })
    checkMessages([reply.data], [message])
  },
}
