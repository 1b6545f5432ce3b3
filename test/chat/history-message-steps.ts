/** The steps of a random history that send, repeat, forward and recall messages. */

import { expect } from 'bun:test'

import { HOUR } from '#platform/clock.ts'

import { pathOf, png, text, uploaded } from '../files/helpers.ts'
import { ok } from '../harness/index.ts'
import {
  type Conversation,
  directOf,
  endDraft,
  hasContact,
  isBlocked,
  isMemberOf,
  isPresent,
  isTwoWay,
  mayName,
  memberOf,
  messageRefusal,
  newMember,
  peerOf,
  type Sent,
  tellOfMentions,
  type User,
  visible,
} from './history-model.ts'
import {
  answered,
  chance,
  checkMessages,
  context,
  conversations,
  isSeen,
  newest,
  now,
  of,
  others,
  pick,
  random,
  server,
  type Step,
  WORDS,
  world,
} from './history-world.ts'

/** The files and rows that a user can put into messages. */
interface Things {
  readonly files: Record<'first' | 'second' | 'note' | 'voice' | 'video', number>
  readonly qrCode: { readonly id: number; readonly name: string; readonly content: string }
  readonly activity: { readonly id: number; readonly uuid: string }
  /** An activity that only its creator sees. */
  readonly draft: { readonly id: number; readonly uuid: string }
}
const things = new Map<User, Things>()

const bytesOf = (...parts: (string | number)[]) =>
  new Uint8Array(parts.flatMap((part) => (typeof part === 'number' ? [part] : [...Buffer.from(part, 'latin1')])))
const mp3 = () => bytesOf('ID3', 3, 0, 0, 0, 0, 0, 10, 'x'.repeat(10), String(Math.random()))
const mp4 = () => bytesOf(0, 0, 0, 24, 'ftypisom', 0, 0, 2, 0, 'isommp42', 'x'.repeat(40), String(Math.random()))

export async function makeThings(): Promise<void> {
  for (const user of world.users) {
    const person = of(user)
    const qrCode = ok(
      await person.post('/api/qr-codes', { name: `code of ${user.name}`, content: 'https://example.org' }),
    )
    const startTime = Date.now()
    const event = { name: 'Meeting', startTime, endTime: startTime + 1000 * HOUR, visibility: 'PUBLIC' }
    const activity = ok(await person.post('/api/activities', event)).data
    ok(await person.patch(`/api/activities/${activity.id}/status`, { status: 'ACTIVE' }))
    const draft = ok(await person.post('/api/activities', event)).data
    things.set(user, {
      files: { first: 0, second: 0, note: 0, voice: 0, video: 0 },
      qrCode: qrCode.data,
      activity,
      draft,
    })
  }
}

const UPLOADS = {
  first: [png, 'a.png'],
  second: [png, 'b.png'],
  note: [text, 'note.txt'],
  voice: [mp3, 'voice.mp3'],
  video: [mp4, 'video.mp4'],
} as const

/** Uploads the user's files again that are gone with the last message that had them. */
async function refreshFiles(user: User): Promise<void> {
  const { files } = things.get(user)!
  for (const [kind, [make, name]] of Object.entries(UPLOADS)) {
    const key = kind as keyof typeof UPLOADS
    const uses = conversations.flatMap((each) =>
      each.messages.filter(({ content }) => content['fileId'] === files[key]),
    )
    const isAlive = uses.some((message) => message.recalledAt === null && isSeen(message))
    if (files[key] !== 0 && (uses.length === 0 || isAlive)) continue
    files[key] = (await uploaded(of(user), make(), { type: 'other' }, name)).id
  }
}

type Content = Record<string, unknown>
interface Draft {
  readonly type: string
  readonly content?: Content
  readonly attachments?: Content[]
  /** Type and known content of each message that results. */
  readonly made: readonly (readonly [type: string, content: Content])[]
  /** A limit that may have been reached. */
  readonly mayBeRefused?: number
  /** Outcomes of a refusal of type or content. */
  readonly refused?: readonly number[]
}

const one = (type: string, content: Content, expected: Content = content): Draft => ({
  type,
  content,
  made: [[type, expected]],
})
const bad = (draft: Omit<Draft, 'made'>, ...refused: number[]): Draft => ({ ...draft, made: [], refused })

/** Something to send, in one case of eight something that is refused. */
async function someDraft(user: User): Promise<Draft> {
  await refreshFiles(user)
  const own = things.get(user)!
  const foreign = things.get(pick(others(user)))!
  // Whether the card of somebody who has deleted the sender can be sent is open.
  const contacts = world.users.filter((other) => other === user || (isTwoWay(user, other) && !isBlocked(user, other)))
  const stranger = others(user).find((other) => !hasContact(user, other))
  const { first, second, note, voice, video } = own.files
  const picture = pick([first, second])
  const words = { text: pick(WORDS) }
  if (chance(12))
    return pick([
      bad({ type: 'SYSTEM', content: { event: 'MEMBER_LEFT', text: 'x' } }, 4020),
      bad({ type: 'POEM', content: words }, 4020),
      bad({ type: 'TEXT' }, 4021),
      bad({ type: 'TEXT', content: { text: '' } }, 4021),
      bad({ type: 'TEXT', content: { text: 'x'.repeat(5001) } }, 4021),
      bad({ type: 'IMAGE', content: { fileId: note } }, 4021),
      bad({ type: 'IMAGE', content: { fileId: foreign.files.first } }, 4021),
      bad({ type: 'IMAGE', content: { fileId: 999_999_999 } }, 4021),
      bad({ type: 'VOICE', content: { fileId: voice } }, 4021),
      bad({ type: 'VOICE', content: { fileId: picture, durationMs: 10 } }, 4021),
      bad({ type: 'LOCATION', content: { latitude: 91, longitude: 0 } }, 4021),
      bad({ type: 'TEXT', content: words, attachments: [{ fileId: picture }, { fileId: foreign.files.second }] }, 4021),
      ...(stranger ? [bad({ type: 'CARD', content: { userId: stranger.id } }, 4021, 404)] : []),
      bad({ type: 'QR_CODE', content: { qrCodeId: foreign.qrCode.id } }, 4021, 404),
      bad({ type: 'ACTIVITY', content: { activityId: foreign.draft.id } }, 4021, 404),
    ])
  const { name, content } = own.qrCode
  const image = ['IMAGE', { fileId: picture }] as const
  const cardOf = pick(contacts)
  return pick<() => Draft>([
    () => one('TEXT', words),
    () => one('TEXT', words),
    () => one('TEXT', words),
    () => one('TEXT', words),
    () => one('IMAGE', { fileId: picture, caption: pick(WORDS) }),
    () => one('FILE', { fileId: note, name: 'my note.txt' }),
    () => one('VOICE', { fileId: voice, durationMs: 1500 }),
    () => one('VIDEO', { fileId: video, durationMs: 9000 }),
    () => one('LOCATION', { latitude: 30.25, longitude: 120.15, name: '湖' }),
    () => one('CARD', { userId: cardOf.id }, { userId: cardOf.id, nickname: cardOf.nickname }),
    () => one('QR_CODE', { qrCodeId: own.qrCode.id }, { name, content }),
    () => one('ACTIVITY', { activityId: own.activity.id }, { uuid: own.activity.uuid, name: 'Meeting' }),
    () => ({
      type: 'TEXT',
      content: words,
      attachments: [{ fileId: picture }, { fileId: note, type: 'FILE' }],
      made: [['TEXT', words], image, ['FILE', { fileId: note }]],
    }),
    () => ({
      type: 'IMAGE',
      attachments: [{ fileId: picture }, { fileId: second }],
      made: [image, ['IMAGE', { fileId: second }]],
    }),
  ])()
}

interface Delivery {
  readonly user: User
  readonly body: Record<string, unknown>
  readonly sent: readonly Sent[]
}
const deliveries: Delivery[] = []
let keys = 0

/** The outcomes of a message to somebody, apart from its content. */
function targetOutcomes(user: User, to: User): number[] {
  if (user === to) return [directOf(world, user, user) === undefined ? 400 : 200]
  const known = mayName(world, user, to, now())
  if (known === false) return [404]
  return [messageRefusal(user, to) ?? 200, ...(known === undefined ? [404] : [])]
}

/** The version of the user's draft that a message names, or an older one. */
function someDraftVersion(conversation: Conversation | undefined, user: User): { draftVersion?: number } {
  if (conversation === undefined || !isMemberOf(conversation, user) || !chance(30)) return {}
  const { draftVersion } = memberOf(conversation, user)
  return { draftVersion: chance(70) ? draftVersion : draftVersion + 1 }
}

function sendDraft(conversation: Conversation, user: User, { draftVersion }: { draftVersion?: number }): void {
  const member = memberOf(conversation, user)
  if (member.draftVersion === draftVersion) endDraft(member)
}

async function deliver(user: User, to: User | Conversation, messages: readonly Sent[]): Promise<void> {
  const [{ conversationId }] = messages as [Sent]
  let conversation = 'members' in to ? to : directOf(world, user, to)
  if (conversation === undefined) {
    const { createdAt } = ok(await of(user).get(`/api/chats/conversations/${conversationId}`)).data
    const members = [newMember(user), newMember(to as User)]
    conversation = { id: conversationId, type: 'DIRECT', name: '', membersPin: false, createdAt, members, messages: [] }
    conversations.push(conversation)
  }
  for (const message of messages) {
    expect([message.conversationId, message.senderId, message.recalledAt], context()).toEqual([
      conversation.id,
      user.id,
      null,
    ])
    expect(message.id, context()).toBeGreaterThan(newest())
    const kept = {
      ...message,
      recalledAfter: undefined,
      editedAfter: undefined,
      pinnedAfter: undefined,
      deletedBy: new Map(),
      told: [],
    }
    conversation.messages.push(kept)
    tellOfMentions(conversation, kept)
  }
  for (const member of conversation.members) if (member.leftAfter === undefined) member.hidden = false
}

function checkMade(sent: readonly Sent[], made: Draft['made'], clientMsgId: string): void {
  const types = made.map(([type]) => type)
  expect(
    sent.map(({ type }) => type),
    context(),
  ).toEqual(types)
  for (const [k, message] of sent.entries()) {
    expect(message.content, context()).toMatchObject(made[k]![1])
    expect(message.clientMsgId, context()).toBe(k === 0 ? clientMsgId : `${clientMsgId}:${k}`)
    expect(message.id, context()).toBe(sent[0]!.id + k)
  }
}

/** A text that mentions somebody: refused for users who are not in the group now. */
function mention(user: User, group: Conversation): Draft {
  if (chance(30)) {
    const all = { text: pick(WORDS), mentionsAll: true }
    const { role } = isMemberOf(group, user) ? memberOf(group, user) : { role: 'MEMBER' }
    // Ten a day.
    return role === 'MEMBER'
      ? bad({ type: 'TEXT', content: all }, 4015, 404)
      : { ...one('TEXT', all), mayBeRefused: 4022 }
  }
  const { id } = pick(chance(80) ? group.members : world.users.map((user) => ({ user }))).user
  const content = { text: pick(WORDS), mentions: [id] }
  const isIn = group.members.some(({ user, leftAfter }) => user.id === id && leftAfter === undefined)
  return isIn ? one('TEXT', content) : bad({ type: 'TEXT', content }, 4021, 4015, 404)
}

/** Mentions somebody in some percent of cases: in `ofMembers` percent of them a member of the group, otherwise any user. */
function someMention({ type, members }: Conversation, percent: number, ofMembers = 90): { mentions?: number[] } {
  if (type === 'DIRECT' || !chance(percent)) return {}
  return { mentions: [pick(chance(ofMembers) ? members.map(({ user }) => user) : world.users).id] }
}

/** The possible outcomes of an edit. Whether former members and users who could not send get one refusal or the other is open. */
function editOutcomes(user: User, conversation: Conversation, message: Sent, content: Content): number[] {
  if (!isMemberOf(conversation, user) || !visible(conversation, user).includes(message)) return [404]
  if (message.senderId !== user.id) return [403]
  if (message.type !== 'TEXT' || message.recalledAt !== null || message.forwarded) return [400]
  if (!isPresent(conversation, user)) return [4015]
  const peer = conversation.type === 'DIRECT' ? peerOf(conversation, user).user : undefined
  const refusal = peer && messageRefusal(user, peer)
  if (refusal !== undefined) return [refusal]
  if (Bun.deepEquals(message.content, content)) return [200]
  const age = now() - message.createdAt
  if (age > 24 * HOUR + 10_000) return [4014]
  const isTold = ((content['mentions'] ?? []) as number[]).every((id) =>
    conversation.members.some((member) => member.user.id === id && member.leftAfter === undefined),
  )
  return age < 24 * HOUR - 10_000 ? [isTold ? 200 : 4021] : [200, 4014, 4021]
}

async function sendToGroup(user: User, groups: readonly Conversation[]): Promise<void> {
  const own = groups.filter((each) => isPresent(each, user) && !memberOf(each, user).hidden)
  const left = groups.filter((each) => isMemberOf(each, user) && !isPresent(each, user))
  const group = pick(own.length > 0 && chance(80) ? own : left.length > 0 && chance(50) ? left : groups)
  const { made, refused, mayBeRefused, ...draft } = chance(15) ? mention(user, group) : await someDraft(user)
  const clientMsgId = `key-${user.id}-${++keys}`
  const isHidden = isMemberOf(group, user) && memberOf(group, user).hidden
  const target = !isMemberOf(group, user)
    ? [404]
    : [...(isPresent(group, user) ? [200] : [4015]), ...(isHidden ? [404] : [])]
  const named = someDraftVersion(group, user)
  const body = { conversationId: group.id, ...draft, clientMsgId, ...named }
  const reply = await of(user).post('/api/chats/messages', body)
  const label = `sendToGroup ${user.name} ${JSON.stringify(body).slice(0, 120)}`
  if (!answered(label, reply, ...(refused ?? [...target, ...(mayBeRefused === undefined ? [] : [mayBeRefused])])))
    return
  const sent = reply.data.messages as Sent[]
  checkMade(sent, made, clientMsgId)
  await deliver(user, group, sent)
  sendDraft(group, user, named)
  deliveries.push({ user, body, sent: group.messages.slice(-sent.length) })
}

export const messageSteps: Record<string, Step> = {
  async send(user) {
    const groups = conversations.filter(({ type }) => type === 'GROUP')
    if (groups.length > 0 && chance(20)) return sendToGroup(user, groups)
    const friends = others(user).filter((other) => messageRefusal(user, other) === undefined)
    const to = chance(directOf(world, user, user) === undefined ? 1 : 6)
      ? user
      : friends.length > 0 && chance(75)
        ? pick(friends)
        : pick(others(user))
    const { made, refused, ...draft } = await someDraft(user)
    const conversation = directOf(world, user, to)
    const isHidden = conversation !== undefined && memberOf(conversation, user).hidden
    const isById = conversation !== undefined && chance(40)
    const target = isById ? { conversationId: conversation.id } : { toUserId: to.id }
    const clientMsgId = `key-${user.id}-${++keys}`
    const named = someDraftVersion(conversation, user)
    const body = { ...target, ...draft, clientMsgId, ...named }
    const outcomes =
      to === user && conversation === undefined
        ? [400, ...(refused ?? [])]
        : (refused ?? [...targetOutcomes(user, to), ...(isById && isHidden ? [404] : [])])
    const reply = await of(user).post('/api/chats/messages', body)
    const label = `send ${user.name} → ${to.name} ${JSON.stringify(body).slice(0, 120)}`
    if (!answered(label, reply, ...outcomes)) return
    const sent = reply.data.messages as Sent[]
    checkMade(sent, made, clientMsgId)
    expect(reply.data.conversationId, context()).toBe(sent[0]!.conversationId)
    await deliver(user, to, sent)
    if (conversation !== undefined) sendDraft(conversation, user, named)
    deliveries.push({
      user,
      body,
      sent: conversations.flatMap(({ messages }) => messages).filter(({ id }) => sent.some((s) => s.id === id)),
    })
  },
  async repeat(user) {
    const own = deliveries.filter((each) => each.user === user)
    if (own.length === 0) return
    const { body, sent } = pick(chance(50) ? own.slice(-3) : own)
    if (chance(25)) {
      const reply = await of(user).post('/api/chats/messages', {
        ...body,
        type: 'TEXT',
        content: { text: 'something else' },
      })
      // Files of the first attempt may be gone.
      const refused = body['attachments'] === undefined ? [400] : [400, 4021]
      answered(`repeatOther ${user.name} ${String(body['clientMsgId'])}`, reply, ...refused)
      return
    }
    const reply = await of(user).post('/api/chats/messages', body)
    if (!answered(`repeat ${user.name} ${String(body['clientMsgId'])}`, reply, 200)) return
    // Messages that nobody sees are deleted at some time.
    const isLeft = ({ id }: { id: number }) => (reply.data.messages as Sent[]).some((each) => each.id === id)
    checkMessages(
      reply.data.messages,
      sent.filter((message) => isLeft(message) || isSeen(message)),
    )
  },
  async recall(user) {
    const all = conversations.flatMap((conversation) =>
      conversation.messages.map((message) => ({ conversation, message })),
    )
    const own = all.filter(({ message }) => message.senderId === user.id)
    const recent = own.slice(-3)
    const foreign = all.filter((each) => isMemberOf(each.conversation, user) && each.message.senderId !== user.id)
    const list = chance(20) ? foreign : recent.length > 0 && chance(80) ? recent : all
    const found = list.length > 0 ? pick(list) : undefined
    if (found === undefined) return
    const { conversation, message } = found
    const isIn = isMemberOf(conversation, user)
    const isVisible = isIn && visible(conversation, user).includes(message)
    const age = now() - message.createdAt
    const allowed = !isIn
      ? [404]
      : [
          ...(message.senderId !== user.id
            ? [403]
            : message.recalledAt !== null || age < 110_000
              ? [200]
              : age > 130_000
                ? [4014]
                : [200, 4014]),
          ...(isVisible ? [] : [404]),
          // Whether former members of a group can recall is open.
          ...(isPresent(conversation, user) ? [] : [4015]),
        ]
    const address = message.recalledAt === null && isVisible ? await addressOf(conversation, message, user) : undefined
    if (address !== undefined) expect((await server.request('GET', address)).status, context()).toBe(200)
    const reply = await of(user).post(`/api/chats/messages/${message.id}/recall`)
    if (!answered(`recall ${user.name} ${message.id} of ${message.senderId}, ${age} ms`, reply, ...allowed)) return
    if (message.recalledAt === null) {
      message.recalledAfter = newest()
      message.recalledAt = reply.data.recalledAt
      for (const member of conversation.members) if (member.mentionedAt === message.id) member.mentionedAt = 0
      expect(reply.data.recalledAt, context()).toBeGreaterThanOrEqual(message.createdAt)
      if (address !== undefined)
        expect((await server.request('GET', address)).status, `${context()}\nopens ${address}`).not.toBe(200)
    }
    checkMessages([reply.data], [message])
  },
  /** The owner and administrators of a group remove messages of others. */
  async removeMessage(user) {
    const groups = conversations.filter((each) => each.type === 'GROUP' && isMemberOf(each, user))
    const removable = groups.flatMap((each) =>
      isPresent(each, user) && memberOf(each, user).role !== 'MEMBER'
        ? visible(each, user).map((message) => ({ conversation: each, message }))
        : [],
    )
    const list = groups.length > 0 && chance(85) ? groups : conversations
    const any = list.length > 0 ? pick(list) : undefined
    const { conversation, message } =
      removable.length > 0 && chance(50)
        ? (pick(removable.filter(({ message }) => message.type !== 'SYSTEM').slice(-10)) ?? {})
        : { conversation: any, message: any && any.messages.length > 0 ? pick(any.messages.slice(-10)) : undefined }
    if (conversation === undefined || message === undefined) return
    const isSeenByUser = isMemberOf(conversation, user) && visible(conversation, user).includes(message)
    const mayManage = isSeenByUser && conversation.type === 'GROUP' && memberOf(conversation, user).role !== 'MEMBER'
    const allowed = !isSeenByUser
      ? 404
      : conversation.type === 'GROUP' && !isPresent(conversation, user)
        ? 4015
        : !mayManage
          ? 403
          : message.type === 'SYSTEM'
            ? 400
            : 200
    const reply = await of(user).post(`/api/chats/messages/${message.id}/remove`, { reason: pick(WORDS) })
    if (!answered(`removeMessage ${user.name} ${message.id}`, reply, allowed)) return
    if (message.recalledAt === null) {
      expect(reply.data.removal.userId, context()).toBe(user.id)
      Object.assign(message, {
        recalledAfter: newest(),
        recalledAt: reply.data.recalledAt,
        removal: reply.data.removal,
      })
      for (const member of conversation.members) if (member.mentionedAt === message.id) member.mentionedAt = 0
    }
    checkMessages([reply.data], [message])
  },
  async edit(user) {
    const all = conversations.flatMap((conversation) =>
      conversation.messages.map((message) => ({ conversation, message })),
    )
    const own = all.filter(({ message }) => message.senderId === user.id)
    const texts = own.filter(({ message: { type, recalledAt } }) => type === 'TEXT' && recalledAt === null)
    const some = chance(75) ? texts.slice(-6) : texts
    const list = chance(80) && texts.length > 0 ? some : chance(70) && own.length > 0 ? own : all
    if (list.length === 0) return
    const { conversation, message } = pick(list)
    const before = message.content
    const content = { ...someMention(conversation, 80, 60), text: `${pick(WORDS)} ${random(3)}` }
    const reply = await of(user).patch(`/api/chats/messages/${message.id}`, { content })
    const name = `edit ${user.name} ${message.id} of ${message.senderId} ${JSON.stringify(content)}`
    if (!answered(name, reply, ...editOutcomes(user, conversation, message, content))) return
    if (!Bun.deepEquals(before, reply.data.content)) {
      Object.assign(message, { content: reply.data.content, editedAt: reply.data.editedAt, editedAfter: newest() })
      expect(reply.data.content, context()).toEqual(content)
      tellOfMentions(conversation, message, before)
    }
    checkMessages([reply.data], [message])
  },
  async deleteMessage(user) {
    const all = conversations.flatMap((conversation) =>
      conversation.messages.map((message) => ({ conversation, message })),
    )
    const seen = all.filter(
      ({ conversation, message }) => isMemberOf(conversation, user) && visible(conversation, user).includes(message),
    )
    const list = seen.length > 0 && chance(90) ? (chance(70) ? seen.slice(-8) : seen) : all
    if (list.length === 0) return
    const found = pick(list)
    const { conversation, message } = found
    const reply = await of(user).delete(`/api/chats/messages/${message.id}`)
    if (!answered(`deleteMessage ${user.name} ${message.id}`, reply, seen.includes(found) ? 200 : 404)) return
    expect(reply.data, context()).toBeNull()
    message.deletedBy.set(user, newest())
    const member = memberOf(conversation, user)
    if (member.mentionedAt === message.id) member.mentionedAt = 0
  },
  async forward(user) {
    const own = conversations.filter((each) => isMemberOf(each, user)).flatMap((each) => each.messages)
    const anywhere = conversations.flatMap(({ messages }) => messages)
    const list = own.length > 0 && chance(90) ? own : anywhere
    if (list.length === 0) return
    const chosen = new Set(Array.from({ length: 1 + random(3) }, () => pick(chance(70) ? list.slice(-10) : list)))
    const targets = new Set(Array.from({ length: 1 + random(3) }, () => pick(chance(90) ? others(user) : [user])))
    const isVisible = (message: Sent) =>
      conversations.some((each) => isMemberOf(each, user) && visible(each, user).includes(message))
    const hidden = [...chosen].some((message) => !isVisible(message))
    const refused = [...chosen].some(({ type, recalledAt }) => type === 'SYSTEM' || recalledAt !== null)
    const allowed = hidden && refused ? [400, 404] : hidden ? [404] : refused ? [400] : [200]
    const clientMsgId = `forward-${user.id}-${++keys}`
    const [messageIds, userIds] = [[...chosen].map(({ id }) => id), [...targets].map(({ id }) => id)]
    const expected = [...targets].map((to) => targetOutcomes(user, to))
    const body = { messageIds, userIds, clientMsgId }
    const reply = await of(user).post('/api/chats/messages/forward', body)
    if (!answered(`forward ${user.name} ${JSON.stringify(body)}`, reply, ...allowed)) return
    type Result = { userId: number; status: string; code: number | null; conversationId: number; messageIds: number[] }
    const results = reply.data.results as Result[]
    expect(
      results.map(({ userId }) => userId),
      context(),
    ).toEqual(userIds)
    for (const [i, to] of [...targets].entries()) {
      const { status, code, conversationId, messageIds: ids } = results[i]!
      expect(expected[i], context()).toContain(status === 'SENT' ? 200 : code!)
      if (status !== 'SENT') {
        expect(ids, context()).toEqual([])
        continue
      }
      const page = ok(
        await of(user).get(`/api/chats/conversations/${conversationId}/messages`, {
          beforeId: ids.at(-1)! + 1,
          limit: ids.length,
        }),
      ).data.items.toReversed() as Sent[]
      expect(
        page.map(({ id }) => id),
        context(),
      ).toEqual(ids)
      for (const [k, original] of [...chosen].entries()) {
        expect([page[k]!.type, page[k]!.forwarded], context()).toEqual([original.type, true])
        const { text: words, fileId, name } = original.content
        expect(page[k]!.content, context()).toMatchObject({
          ...(words !== undefined && { text: words }),
          ...(fileId !== undefined && { fileId }),
          ...(name !== undefined && { name }),
        })
      }
      await deliver(user, to, page)
    }
    if (!chance(30)) return
    const again = await of(user).post('/api/chats/messages/forward', body)
    answered(`forwardAgain ${user.name}`, again, 200)
    const sentOf = (list_: Result[]) =>
      list_.filter(({ status }) => status === 'SENT').map(({ messageIds: ids }) => ids)
    expect(sentOf(again.data.results), context()).toEqual(sentOf(results))
  },
  /** Members open media by the address in the message; others get no address. */
  async open(user) {
    const mine = conversations
      .filter((each) => isMemberOf(each, user))
      .flatMap((conversation) => visible(conversation, user).map((message) => ({ conversation, message })))
      .filter(({ message }) => message.content['fileId'] !== undefined && message.recalledAt === null)
    if (mine.length === 0) return
    const { conversation, message } = pick(mine)
    if (memberOf(conversation, user).hidden) return
    const address = await addressOf(conversation, message, user)
    const reply = await server.request('GET', address!)
    answered(`open ${user.name} ${message.id}`, { ...reply, text: '' }, 200)
  },
}

/** Path and query of the file of a message, as signed for the user now. */
async function addressOf(conversation: Conversation, message: Sent, user: User): Promise<string | undefined> {
  if (message.content['fileId'] === undefined || memberOf(conversation, user).hidden) return undefined
  const query = { beforeId: message.id + 1, limit: 1 }
  const { data } = ok(await of(user).get(`/api/chats/conversations/${conversation.id}/messages`, query))
  return pathOf(data.items[0].content.url)
}
