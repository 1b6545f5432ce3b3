/** The users of a random history of contacts and chat, and the comparison of their views with the model. */

import { expect } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { HOUR } from '#platform/clock.ts'

import { randomOf } from '../assets/history-model.ts'
import { freshDatabase } from '../harness/database.ts'
import { inProcess, ok, type Person, type Reply, startServer, type TestServer } from '../harness/index.ts'
import { addMembers, createOrg } from '../orgs/helpers.ts'
import {
  type Contact,
  type Conversation,
  hasContact,
  isMemberOf,
  isMentioned,
  isPending,
  isPresent,
  lastOf,
  memberOf,
  peerOf,
  pinnedIn,
  presentMembers,
  readCountOf,
  type Sent,
  statusOf,
  syncOf,
  unreadOf,
  type User,
  visible,
  type World,
} from './history-model.ts'
import type { SyncPage } from './phone.ts'

export const WORDS = ['hello', 'Hello again', '你好', "O'Neill & Co <b>", 'draft %_', '🙂 ok']

export const seed = Number(process.env['SEED'] ?? 20_261_210)
export const { random, pick, chance } = randomOf(seed)

export let server: TestServer
let dataDir: string
let database: Awaited<ReturnType<typeof freshDatabase>> | undefined
let admin: Person
const persons = new Map<User, Person>()
export const world: World & { users: User[] } = { users: [], requests: [], conversations: [] }
export const { requests, conversations } = world
/** The highest id of all messages. */
export const newest = (): number => Math.max(0, ...conversations.map(({ messages }) => messages.at(-1)?.id ?? 0))
/** Whether the message is in anyone's history. */
export const isSeen = (message: Sent): boolean =>
  conversations.some((each) => each.members.some(({ user }) => visible(each, user).includes(message)))

export const outcomes = new Map<string, number>()
export const trace: string[] = []

/** Uses the data and the port of the last server. */
async function start(port = 0): Promise<void> {
  const config = { port, ...(database && { databaseUrl: database.url }) }
  // Limits of a day or a minute have tests of their own.
  const settings = { 'chat.messagesPerMinute': 0, 'chat.requestsPerDay': 0 }
  server = await startServer({ dataDir, config, settings })
}

export async function setUp(): Promise<void> {
  dataDir = mkdtempSync(join(tmpdir(), 'tessera-history-'))
  if (process.env['TEST_DATABASE_URL']) database = await freshDatabase()
  await start()
  admin = await server.admin()
  for (const name of ['alice', 'bob', 'carol', 'dave', 'eve', 'frank']) {
    const person = await server.person(name)
    const { nickname } = ok(await person.get('/api/auth/userinfo')).data
    const user: User = {
      id: person.id,
      name,
      nickname,
      isMember: ['alice', 'bob', 'carol'].includes(name),
      whoMayRequest: 'EVERYONE',
      whoMayMessage: 'CONTACTS',
      readReceipts: true,
      cardCode: undefined,
      oldCodes: [],
      contacts: new Map(),
      lookups: new Map(),
    }
    persons.set(user, person)
    world.users.push(user)
  }
  const [alice, bob, carol] = [...persons.values()]
  await addMembers(alice!, await createOrg(alice!), bob!, carol!)
}

export async function tearDown(): Promise<void> {
  await server.stop()
  await database?.drop()
  rmSync(dataDir, { recursive: true, force: true })
}

let ahead = 0
let signedInAt = 0

export const now = (): number => Date.now() + ahead

/** Moves the clock, unless the executable is under test. */
export async function advance(ms: number): Promise<void> {
  if (!inProcess) return
  for (let rest = ms; rest > 0; rest -= 72 * HOUR) {
    const hop = Math.min(rest, 72 * HOUR)
    ahead += hop
    server.clock.advance(hop)
    // Sessions last seven days.
    if (ahead - signedInAt < 72 * HOUR) continue
    signedInAt = ahead
    for (const person of [...persons.values(), admin]) {
      const path = person === admin ? '/api/admin/auth/refresh' : '/api/auth/refresh'
      const { data } = ok(await person.post(path, { refreshToken: person.refreshToken }))
      person.token = data.accessToken
      person.refreshToken = data.refreshToken
    }
  }
}

export async function restart(): Promise<void> {
  const port = Number(new URL(server.url).port)
  await server.stop()
  await start(port)
  server.clock.advance(ahead)
}

export const of = (user: User): Person => persons.get(user)!
export const others = (user: User): User[] => world.users.filter((each) => each !== user)
/** The conversations on a user's list. */
export const listed = (user: User): Conversation[] =>
  conversations.filter((each) => isMemberOf(each, user) && !memberOf(each, user).hidden)

export type Step = (user: User) => Promise<void>

export const context = () => `SEED=${seed}\n${trace.slice(-15).join('\n')}`

/** A business code, else the status of HTTP. */
export const outcomeOf = ({ status, code }: Reply<unknown>): number => (status !== 200 && code >= 4000 ? code : status)

/** One request: its outcome must be one of `allowed`. Returns whether it succeeded. */
export function answered(name: string, reply: Reply<unknown>, ...allowed: number[]): boolean {
  const outcome = outcomeOf(reply)
  trace.push(`${name} → ${outcome} ${outcome === 200 ? '' : reply.text.slice(0, 300)}`)
  expect(allowed, context()).toContain(outcome)
  const key = `${name.split(' ')[0]} ${outcome}`
  outcomes.set(key, (outcomes.get(key) ?? 0) + 1)
  return outcome === 200
}

/** Addresses of files are signed again in each answer. */
const unsigned = (content: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    Object.entries(content).map(([key, value]) => [
      key,
      /url$/i.test(key) && typeof value === 'string' ? value.replace(/\?.*/, '') : value,
    ]),
  )

const MESSAGE_KEYS = ['id', 'conversationId', 'senderId', 'type', 'clientMsgId', 'createdAt', 'forwarded'] as const

/** The parts of a message that the model knows. */
export function essence(message: Sent) {
  return {
    ...Object.fromEntries(MESSAGE_KEYS.map((key) => [key, message[key]])),
    content: message.recalledAt === null ? unsigned(message.content) : {},
    recalledAt: message.recalledAt,
    editedAt: message.recalledAt === null ? message.editedAt : null,
    pin: message.recalledAt === null ? message.pin : null,
  }
}

export function checkMessages(seen: readonly unknown[], expected: readonly Sent[]): void {
  expect((seen as Sent[]).map(essence), context()).toEqual(expected.map(essence))
  for (const { recalledAt, content } of seen as Sent[]) if (recalledAt !== null) expect(content, context()).toEqual({})
}

/** The view of a conversation that a user should get. */
export function viewOf(conversation: Conversation, user: User) {
  const own = memberOf(conversation, user)
  const last = lastOf(conversation, user)
  return {
    id: conversation.id,
    type: conversation.type,
    ...(conversation.type === 'DIRECT' ? directView(conversation, user) : groupView(conversation, user)),
    lastMessage: last ? essence(last) : null,
    unreadCount: unreadOf(conversation, user),
    mentioned: isMentioned(conversation, user),
    readUpToId: own.readUpTo,
    pinned: own.pinned,
    muted: own.muted,
    markedUnread: own.markedUnread,
    lastMessageNames: conversation.type === 'GROUP' && last ? namesOf(last, user) : [],
    draft: own.draft,
    draftVersion: own.draftVersion,
    isNotes: conversation.isNotes === true,
  }
}

/** The names in a line about a message of a group. */
function namesOf({ senderId, recalledAt, removal, content }: Sent, user: User) {
  const about = senderId === null ? (content['userIds'] as readonly number[]) : []
  const remover = recalledAt === null ? undefined : removal?.userId
  const ids = [senderId, remover, ...(about.length > 5 ? [] : about)]
  return [...new Set(ids)]
    .filter((id) => id != null && id !== user.id)
    .map((id) => ({
      userId: id,
      name: user.contacts.get(id!)?.remark || world.users.find((each) => each.id === id)!.nickname,
    }))
}

function directView(conversation: Conversation, user: User) {
  const { user: other, shownUpTo } = peerOf(conversation, user)
  const remark = user.contacts.get(other.id)?.remark ?? ''
  return {
    title: remark || other.nickname,
    peer: { userId: other.id, nickname: other.nickname, remark },
    peerReadUpToId: other !== user && user.readReceipts && other.readReceipts ? shownUpTo : null,
  }
}

/** Whether former members see a later name is open. */
function groupView(conversation: Conversation, user: User) {
  const { role } = memberOf(conversation, user)
  const memberCount = presentMembers(conversation).length
  const known = isPresent(conversation, user)
    ? { title: conversation.name, group: { role, memberCount } }
    : { group: { role: null } }
  return { ...known, peer: null, peerReadUpToId: null }
}

// oxlint-disable-next-line typescript/no-explicit-any -- of answers that the server has checked against its schemas
export function checkConversation(view: any, conversation: Conversation, user: User): void {
  const seen = { ...view, lastMessage: view.lastMessage && essence(view.lastMessage) }
  expect(seen, context()).toMatchObject(viewOf(conversation, user))
}

const sortTime = (conversation: Conversation, user: User) =>
  lastOf(conversation, user)?.createdAt ?? conversation.createdAt

/** In the order of the list. */
const inOrder = (list: Conversation[], user: User): Conversation[] =>
  list.toSorted(
    (a, b) =>
      Number(memberOf(b, user).pinned) - Number(memberOf(a, user).pinned) ||
      sortTime(b, user) - sortTime(a, user) ||
      b.id - a.id,
  )

async function compareConversations(user: User): Promise<void> {
  const person = of(user)
  const expected = inOrder(listed(user), user)
  const pages = []
  const size = pick([2, 3, 50])
  for (let page = 1; page <= Math.ceil(expected.length / size) || page === 1; page++) {
    const { data } = ok(await person.get('/api/chats/conversations', { page, size }))
    expect(data.total, context()).toBe(expected.length)
    pages.push(...data.items)
  }
  expect(
    pages.map(({ id }) => id),
    context(),
  ).toEqual(expected.map(({ id }) => id))
  for (const [i, view] of pages.entries()) checkConversation(view, expected[i]!, user)
  const unread = ok(await person.get('/api/chats/conversations', { unread: true })).data
  const withUnread = expected.filter((each) => unreadOf(each, user) > 0 || memberOf(each, user).markedUnread)
  expect(
    unread.items.map((each: { id: number }) => each.id),
    context(),
  ).toEqual(withUnread.map(({ id }) => id))
  for (const each of conversations) {
    const reply = await person.get(`/api/chats/conversations/${each.id}`)
    expect(reply.status, context()).toBe(expected.includes(each) ? 200 : 404)
    if (reply.status === 200) checkConversation(reply.data, each, user)
    if (expected.includes(each)) await compareHistory(each, user)
    const pins = await person.get(`/api/chats/conversations/${each.id}/pins`)
    expect(pins.status, context()).toBe(reply.status)
    if (pins.status === 200) {
      const seen = visible(each, user)
      const shown = pinnedIn(each).filter((message) => seen.includes(message))
      checkMessages(pins.data.items, shown)
    }
  }
}

/** Pages backwards through all messages. */
async function compareHistory(conversation: Conversation, user: User): Promise<void> {
  const limit = pick([3, 20, 100])
  const all = visible(conversation, user).toReversed()
  let beforeId: number | undefined
  for (let at = 0; at < all.length || at === 0; at += limit) {
    const query = { limit, ...(beforeId !== undefined && { beforeId }) }
    const { data } = ok(await of(user).get(`/api/chats/conversations/${conversation.id}/messages`, query))
    const page = all.slice(at, at + limit)
    checkMessages(data.items, page)
    expect(
      data.items.map(({ readCount }: { readCount?: number }) => readCount),
      context(),
    ).toEqual(page.map((message) => readCountOf(conversation, message, user)))
    expect(data.hasMore, context()).toBe(at + limit < all.length)
    beforeId = data.items.at(-1)?.id
  }
}

/** Catches up from a random message on. */
export async function compareSync(user: User): Promise<void> {
  const ids = conversations.flatMap(({ messages }) => messages.map(({ id }) => id)).toSorted((a, b) => a - b)
  // The product reads short ranges in another way than long ones.
  const afterId = pick(chance(40) ? [0, ...ids.slice(-8)] : [0, 0, ...ids])
  const limit = pick([1, 5, 100, 500])
  const expected = syncOf(world, user, afterId)
  const messages: Sent[] = []
  const recalled = new Map<number, number>()
  const updated = new Map<number, Sent>()
  const deleted = new Set<number>()
  let cursor = afterId
  for (;;) {
    const page: SyncPage = ok(await of(user).get('/api/chats/sync', { afterId: cursor, limit })).data
    expect(page.messages.length, context()).toBeLessThanOrEqual(limit)
    for (const { id } of page.messages) {
      expect(id, context()).toBeGreaterThan(cursor)
      expect(id, context()).toBeLessThanOrEqual(page.cursor)
    }
    const touched = new Set(
      [...page.messages, ...page.recalled, ...page.updated].map(({ conversationId }) => conversationId),
    )
    const listed = conversations.filter(({ id }) => touched.has(id)).filter((one) => !memberOf(one, user).hidden)
    expect(page.conversations.map(({ id }) => id).toSorted(), context()).toEqual(listed.map(({ id }) => id).toSorted())
    for (const view of page.conversations)
      checkConversation(
        view,
        conversations.find(({ id }) => id === view.id)!,
        user,
      )
    messages.push(...(page.messages as Sent[]))
    for (const { messageId, recalledAt, deleted: isDeletion } of page.recalled)
      if (isDeletion) deleted.add(messageId)
      else recalled.set(messageId, recalledAt)
    for (const message of page.updated as Sent[]) updated.set(message.id, message)
    expect(page.cursor, context()).toBeGreaterThanOrEqual(cursor)
    if (page.hasMore) expect(page.cursor, context()).toBeGreaterThan(cursor)
    cursor = page.cursor
    if (!page.hasMore) break
  }
  trace.push(`sync ${user.name} ${afterId} by ${limit}`)
  checkMessages(messages, expected.messages)
  expect(
    [...recalled].toSorted(([a], [b]) => a - b),
    context(),
  ).toEqual(
    expected.recalled.map(({ id, recalledAt }) => [id, recalledAt!] as const).toSorted(([a], [b]) => a - b) as never,
  )
  const wanted = expected.deleted.map(({ id }) => id)
  expect(
    [...deleted].filter((id) => !wanted.includes(id)),
    context(),
  ).toEqual([])
  // The deletions of messages that nobody sees are forgotten at some time.
  const seen = expected.deleted.filter((message) => isSeen(message)).map(({ id }) => id)
  expect(
    seen.filter((id) => !deleted.has(id)),
    context(),
  ).toEqual([])
  const byId = (a: Sent, b: Sent) => a.id - b.id
  checkMessages([...updated.values()].toSorted(byId), expected.updated.toSorted(byId))
  const again: SyncPage = ok(await of(user).get('/api/chats/sync', { afterId: cursor })).data
  const { messages: none, recalled: noRecalls, updated: noUpdates, hasMore } = again
  expect([none, noRecalls, noUpdates, again.cursor, hasMore], context()).toEqual([[], [], [], cursor, false])
}

/** The view of a row that its owner should get. */
export function contactView(user: User, otherId: number, { remark, tags, blocked }: Contact) {
  const other = world.users.find(({ id }) => id === otherId)!
  const twoWay = hasContact(user, other) && hasContact(other, user)
  return { userId: otherId, nickname: other.nickname, remark, tags, blocked, twoWay }
}

async function compareContacts(user: User): Promise<void> {
  const person = of(user)
  const rows = [...user.contacts]
  const list = async (query: Record<string, string | boolean | number> = {}) => {
    const { data } = ok(await person.get('/api/contacts', { size: 100, ...query }))
    expect(data.total, context()).toBe(data.items.length)
    return data.items as { id: number; userId: number }[]
  }
  const byUser = (a: { userId: number }, b: { userId: number }) => a.userId - b.userId
  const expect_ = (seen: { userId: number }[], which: (contact: Contact) => boolean) => {
    const expected = rows.filter(([, row]) => which(row)).map(([id, row]) => contactView(user, id, row))
    expect(seen.toSorted(byUser), context()).toMatchObject(expected.toSorted(byUser))
    expect(seen.length, context()).toBe(expected.length)
  }
  const all = await list()
  expect_(all, ({ isContact }) => isContact)
  expect_(await list({ blocked: false }), ({ isContact, blocked }) => isContact && !blocked)
  const blocked = await list({ blocked: true })
  expect_(blocked, (row) => row.blocked)
  for (const { id, userId } of [...all, ...blocked]) {
    const row = user.contacts.get(userId)!
    expect(row.id ?? id, context()).toBe(id)
    row.id = id
  }
}

async function compareRequests(user: User): Promise<void> {
  const person = of(user)
  const line = (id: number, status: string, userId: number) => `${id} ${status} ${userId}`
  const list = async (path: string) => {
    const { items } = ok(await person.get(path, { size: 100 })).data
    return items.map((each: { id: number; status: string; userId: number }) => line(each.id, each.status, each.userId))
  }
  const newestFirst = requests.toReversed().slice(0, 100)
  const expected = (own: 'from' | 'to', other: 'from' | 'to') =>
    newestFirst
      .filter((each) => each[own] === user && (own === 'from' || !each.isHidden))
      .map((each) => line(each.id, statusOf(each, now()), each[other].id))
  // Those of the first hundred in all.
  expect((await list('/api/contacts/outgoing')).slice(0, expected('from', 'to').length), context()).toEqual(
    expected('from', 'to'),
  )
  expect((await list('/api/contacts/incoming')).slice(0, expected('to', 'from').length), context()).toEqual(
    expected('to', 'from'),
  )
  const pending = requests.filter((each) => each.to === user && !each.isHidden && isPending(each, now()))
  expect(ok(await person.get('/api/contacts/pending-count')).data.count, context()).toBe(pending.length)
}

/** Everything that each user can see. */
export async function compare(): Promise<void> {
  trace.push('compare')
  for (const user of world.users) {
    await compareContacts(user)
    await compareRequests(user)
    await compareConversations(user)
    await compareSync(user)
  }
}
