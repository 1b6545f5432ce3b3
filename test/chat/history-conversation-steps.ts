/** The steps of a random history that change a user's own view of conversations, and let time pass. */

import { expect } from 'bun:test'

import { HOUR, MINUTE, SECOND } from '#platform/clock.ts'

import {
  type Conversation,
  directOf,
  endDraft,
  isBlocked,
  isMemberOf,
  isPresent,
  memberOf,
  newMember,
  peerOf,
  readersOf,
  unreadOf,
  type User,
  visible,
} from './history-model.ts'
import {
  advance,
  answered,
  chance,
  checkConversation,
  compareSync,
  context,
  conversations,
  listed,
  of,
  pick,
  random,
  type Step,
  trace,
  WORDS,
  world,
} from './history-world.ts'

/** One of the user's conversations in most cases, and the outcome that its state allows. */
function someConversation(
  user: User,
  isPinned = false,
): { path: string; conversation: Conversation; allowed: readonly number[] } | undefined {
  const own = listed(user)
  const pinned = isPinned ? own.filter((each) => memberOf(each, user).pinned) : []
  const list = pinned.length > 0 ? pinned : own.length > 0 && chance(90) ? own : conversations
  if (list.length === 0) return undefined
  const conversation = pick(list)
  const isListed = isMemberOf(conversation, user) && !memberOf(conversation, user).hidden
  // Whether former members of a group can still change their view of it is open.
  const allowed = !isListed ? [404] : isPresent(conversation, user) ? [200] : [200, 4015]
  return { path: `/api/chats/conversations/${conversation.id}`, conversation, allowed }
}

/** A step that changes the caller's row and is answered with the conversation. */
const change =
  (name: string, send: (user: User, path: string) => Promise<[Awaited<ReturnType<typeof put>>, object]>): Step =>
  async (user) => {
    const found = someConversation(user)
    if (found === undefined) return
    const { conversation, path, allowed } = found
    const [reply, fields] = await send(user, path)
    if (!answered(`${name} ${user.name} ${conversation.id} ${JSON.stringify(fields)}`, reply, ...allowed)) return
    Object.assign(memberOf(conversation, user), fields)
    checkConversation(reply.data, conversation, user)
  }
const put = (user: User, path: string, body: object) => of(user).put(path, body)

export const conversationSteps: Record<string, Step> = {
  pin: change('pin', async (user, path) => {
    const body = { pinned: chance(60) }
    return [await of(user).post(`${path}/pin`, body), body]
  }),
  mute: change('mute', async (user, path) => {
    const body = { muted: chance(60) }
    return [await put(user, `${path}/mute`, body), body]
  }),
  markUnread: change('markUnread', async (user, path) => [
    await of(user).post(`${path}/unread`),
    { markedUnread: true },
  ]),
  async draft(user) {
    const found = someConversation(user)
    if (found === undefined) return
    const { conversation, path, allowed } = found
    const draft = pick([...WORDS, '', null])
    const own = isMemberOf(conversation, user) ? memberOf(conversation, user) : undefined
    const present = own?.draftVersion ?? 0
    const baseVersion = pick([undefined, undefined, present, present, Math.max(0, present - 1), present + 1])
    const isSame = own?.draft === (draft ?? '')
    const isKnown = baseVersion === undefined || baseVersion === present || isSame
    const isGone = !isPresent(conversation, user) && (draft ?? '') !== ''
    const outcomes = allowed.includes(404) ? [404] : [isGone ? 4015 : isKnown ? 200 : 409]
    const reply = await put(user, `${path}/draft`, { draft, ...(baseVersion !== undefined && { baseVersion }) })
    const isStored = answered(`draft ${user.name} ${conversation.id} ${draft} ${baseVersion}`, reply, ...outcomes)
    if (isStored && !isSame) Object.assign(own!, { draft: draft ?? '', draftVersion: present + 1 })
    // A refusal shows the draft that another device has written.
    if (isStored || reply.status === 409) checkConversation(reply.data, conversation, user)
  },
  async openNotes(user) {
    if (!chance(30)) return
    const reply = await of(user).post('/api/chats/notes')
    if (!answered(`openNotes ${user.name}`, reply, 200)) return
    const { id, createdAt } = reply.data
    let notes = directOf(world, user, user)
    if (notes === undefined) {
      notes = {
        id,
        type: 'DIRECT',
        isNotes: true,
        name: '',
        membersPin: false,
        createdAt,
        members: [newMember(user)],
        messages: [],
      }
      conversations.push(notes)
    }
    memberOf(notes, user).hidden = false
    checkConversation(reply.data, notes, user)
  },
  async read(user) {
    const found = someConversation(user)
    if (found === undefined) return
    const { conversation, path, allowed } = found
    const shown = allowed.includes(200) ? visible(conversation, user) : []
    const messageId = shown.length > 0 && chance(60) ? pick(chance(60) ? shown.slice(-5) : shown).id : undefined
    const reply = await of(user).post(`${path}/read`, messageId === undefined ? {} : { messageId })
    if (!answered(`read ${user.name} ${conversation.id} ${messageId}`, reply, ...allowed)) return
    const own = memberOf(conversation, user)
    own.markedUnread = false
    own.readUpTo = Math.max(own.readUpTo, messageId ?? shown.at(-1)?.id ?? 0)
    const isHidden = conversation.type === 'DIRECT' && isBlocked(user, peerOf(conversation, user).user)
    if (!isHidden) own.shownUpTo = own.readUpTo
    expect(reply.data, context()).toEqual({
      conversationId: conversation.id,
      readUpToId: own.readUpTo,
      unreadCount: unreadOf(conversation, user),
    })
  },
  async clear(user) {
    const found = someConversation(user)
    if (found === undefined || !chance(40)) return
    const { conversation, path, allowed } = found
    const reply = await of(user).delete(`${path}/messages`)
    if (!answered(`clear ${user.name} ${conversation.id}`, reply, ...allowed)) return
    expect(reply.data, context()).toBeNull()
    Object.assign(memberOf(conversation, user), {
      clearedUpTo: conversation.messages.at(-1)?.id ?? 0,
      markedUnread: false,
    })
    // Messages that were sent just before must be gone from catching up as well.
    await compareSync(user)
  },
  async deleteConversation(user) {
    const found = someConversation(user, chance(50))
    if (found === undefined || !chance(40)) return
    const { conversation, path, allowed } = found
    const reply = await of(user).delete(path)
    if (!answered(`deleteConversation ${user.name} ${conversation.id}`, reply, ...allowed)) return
    expect(reply.data, context()).toBeNull()
    const clearedUpTo = conversation.messages.at(-1)?.id ?? 0
    const gone = { hidden: true, clearedUpTo, pinned: false, muted: false, markedUnread: false }
    Object.assign(memberOf(conversation, user), gone)
    endDraft(memberOf(conversation, user))
    await compareSync(user)
  },
  async look(user) {
    const found = someConversation(user)
    if (found === undefined) return
    const { conversation, path, allowed } = found
    const reply = await of(user).get(path)
    if (answered(`look ${user.name} ${conversation.id}`, reply, ...allowed))
      checkConversation(reply.data, conversation, user)
    const history = await of(user).get(`${path}/messages`)
    answered(`history ${user.name} ${conversation.id}`, history, ...allowed)
  },
  async readers(user) {
    const own = conversations.flatMap((each) =>
      isMemberOf(each, user) ? each.messages.filter(({ senderId }) => senderId === user.id) : [],
    )
    const all = conversations.flatMap(({ messages }) => messages)
    if (all.length === 0) return
    const message = pick(own.length > 0 && chance(85) ? own.slice(-20) : all)
    const conversation = conversations.find(({ messages }) => messages.includes(message))!
    const isSeen =
      message.senderId === user.id && isMemberOf(conversation, user) && visible(conversation, user).includes(message)
    const allowed = !isSeen ? 404 : isPresent(conversation, user) ? 200 : 4015
    const reply = await of(user).get(`/api/chats/messages/${message.id}/readers`)
    if (!answered(`readers ${user.name} ${message.id}`, reply, allowed)) return
    const hidden = message.recalledAt !== null ? 'RECALLED' : user.readReceipts ? null : 'RECEIPTS_OFF'
    const { readers, others } = readersOf(conversation, message, user)
    const { unavailable, notReadCount, readers: seen } = reply.data
    expect(
      [unavailable, notReadCount, seen.map(({ userId }: { userId: number }) => userId).toSorted()],
      context(),
    ).toEqual(hidden === null ? [null, others, readers.map(({ id }) => id).toSorted()] : [hidden, 0, []])
  },
  sync: compareSync,
  async wait() {
    const [unit, most] = pick([
      [SECOND, 100],
      [SECOND, 100],
      [MINUTE, 10],
      [HOUR, 30],
      [24 * HOUR, 12],
    ] as const)
    const time = unit * (1 + random(most))
    if (unit >= HOUR && !chance(25)) return
    trace.push(`wait ${time / SECOND} s`)
    await advance(time)
  },
}
