/** The steps of a random history that change groups. */

import { expect } from 'bun:test'

import { ok } from '../harness/index.ts'
import {
  type Conversation,
  endDraft,
  heirOf,
  isBlocked,
  isMemberOf,
  isPresent,
  isTwoWay,
  type Member,
  memberOf,
  newMember,
  presentMembers,
  type Sent,
  type User,
} from './history-model.ts'
import {
  answered,
  chance,
  checkConversation,
  context,
  conversations,
  newest,
  of,
  others,
  pick,
  type Step,
  WORDS,
} from './history-world.ts'

/** Groups with members. */
const MAX_GROUPS = 4

let joins = 0

/** The messages of the system that a change has caused, as a member sees them: the event and its users. */
async function learnSystem(group: Conversation, reader: User, ...events: [event: string, ...about: User[]][]) {
  const { items } = ok(
    await of(reader).get(`/api/chats/conversations/${group.id}/messages`, { limit: events.length }),
  ).data
  const messages = (items as Sent[]).toReversed()
  expect(
    messages.map(({ type, senderId, content }) => [type, senderId, content['event'], content['userIds']]),
    context(),
  ).toEqual(events.map(([event, ...about]) => ['SYSTEM', null, event, about.map(({ id }) => id)]))
  for (const message of messages) {
    expect(message.id, context()).toBeGreaterThan(newest())
    group.messages.push({
      ...message,
      recalledAfter: undefined,
      editedAfter: undefined,
      pinnedAfter: undefined,
      deletedBy: new Map(),
      told: [],
    })
  }
  for (const each of presentMembers(group)) each.hidden = false
}

/** A membership has ended. An owner is succeeded. */
async function end(group: Conversation, member: Member, event: string): Promise<void> {
  // It is the last message for the former member.
  await learnSystem(group, member.user, [event, member.user])
  member.leftAfter = group.messages.at(-1)!.id
  endDraft(member)
  if (member.role !== 'OWNER') return
  const heir = heirOf(group)
  if (heir === undefined) return
  heir.role = 'OWNER'
  await learnSystem(group, heir.user, ['OWNER_CHANGED', heir.user])
}

const groups = () => conversations.filter(({ type }) => type === 'GROUP')
const isListed = (group: Conversation, user: User) => isMemberOf(group, user) && !memberOf(group, user).hidden

interface Found {
  readonly group: Conversation
  readonly path: string
  /** Undefined for users who are not in the group. */
  readonly own: Member | undefined
  /** Why any change is refused. */
  readonly refused: number[] | undefined
}

/** A group of the user in most cases. */
function someGroup(user: User): Found | undefined {
  const present = groups().filter((each) => isPresent(each, user) && isListed(each, user))
  const list = present.length > 0 && chance(90) ? present : groups()
  if (list.length === 0) return undefined
  const group = pick(list)
  const own = isPresent(group, user) ? memberOf(group, user) : undefined
  const refused = !isMemberOf(group, user) ? [404] : own === undefined ? [4015] : undefined
  return { group, path: `/api/chats/groups/${group.id}`, own, refused }
}

/** Changes that only owners may make would hardly ever succeed otherwise. */
function oftenOwner(user: User): User {
  const owners = groups().flatMap((each) => presentMembers(each).filter(({ role }) => role === 'OWNER'))
  return owners.length > 0 && chance(50) ? pick(owners).user : user
}

const friendsOf = (user: User) => others(user).filter((other) => isTwoWay(user, other) && !isBlocked(user, other))
function targetOf(group: Conversation): User {
  const present = presentMembers(group)
  return pick(present.length > 0 && chance(85) ? present : group.members).user
}

export const groupSteps: Record<string, Step> = {
  async createGroup(user) {
    // The others are added later, so that the order of joining counts.
    const friends = friendsOf(user).slice(0, 2)
    const alive = groups().filter((each) => presentMembers(each).length > 0)
    if (alive.length >= MAX_GROUPS || friends.length === 0) return
    const name = pick(WORDS)
    const reply = await of(user).post('/api/chats/groups', { name, userIds: friends.map(({ id }) => id) })
    if (!answered(`createGroup ${user.name} ${friends.map((each) => each.name).join()}`, reply, 200)) return
    const { id, createdAt } = reply.data
    joins++
    const members = [user, ...friends].map((each) => ({ ...newMember(each), joined: joins }))
    members[0]!.role = 'OWNER'
    const group: Conversation = { id, type: 'GROUP', name, membersPin: false, createdAt, members, messages: [] }
    conversations.push(group)
    await learnSystem(group, user, ['GROUP_CREATED', user])
    checkConversation(reply.data, group, user)
  },
  async renameGroup(user) {
    const found = someGroup(user)
    if (found === undefined) return
    const { group, path, own, refused } = found
    const name = pick(WORDS)
    const reply = await of(user).put(path, { name })
    const allowed = refused ?? [own!.role === 'MEMBER' ? 403 : 200]
    if (!answered(`renameGroup ${user.name} ${group.id} ${name}`, reply, ...allowed) || group.name === name) return
    group.name = name
    await learnSystem(group, user, ['GROUP_RENAMED', user])
    checkConversation(reply.data, group, user)
  },
  async letMembersPin(user) {
    const found = someGroup(user)
    if (found === undefined) return
    const { group, path, own, refused } = found
    const membersPin = chance(50)
    const reply = await of(user).put(path, { membersPin })
    const allowed = refused ?? [own!.role === 'MEMBER' ? 403 : 200]
    if (!answered(`letMembersPin ${user.name} ${group.id} ${membersPin}`, reply, ...allowed)) return
    group.membersPin = membersPin
    checkConversation(reply.data, group, user)
  },
  async listMembers(user) {
    const found = someGroup(user)
    if (found === undefined) return
    const { group, path, refused } = found
    const reply = await of(user).get(`${path}/members`, { size: 100 })
    if (!answered(`listMembers ${user.name} ${group.id}`, reply, ...(refused ?? [200]))) return
    const expected = presentMembers(group).toSorted((a, b) => a.joined - b.joined || a.user.id - b.user.id)
    expect(
      reply.data.items.map((each: { userId: number; role: string }) => [each.userId, each.role]),
      context(),
    ).toEqual(expected.map(({ user: { id }, role }) => [id, role]))
  },
  async addMember(user) {
    const found = someGroup(user)
    if (found === undefined) return
    const { group, path, refused } = found
    const friends = friendsOf(user)
    const other = pick(chance(80) && friends.length > 0 ? friends : others(user))
    const isIn = isPresent(group, other)
    const before = newest()
    const reply = await of(user).post(`${path}/members`, { userIds: [other.id] })
    const allowed = refused ?? (isIn || friends.includes(other) ? [200] : [4011, 404])
    if (!answered(`addMember ${user.name} ${other.name} ${group.id}`, reply, ...allowed) || isIn) return
    const joined = ++joins
    const former = group.members.find((each) => each.user === other)
    if (former === undefined) group.members.push({ ...newMember(other, before), joined })
    else
      Object.assign(former, { role: 'MEMBER', joined, leftAfter: undefined, clearedUpTo: before, joinedAfter: before })
    await learnSystem(group, user, ['MEMBER_JOINED', other])
    checkConversation(reply.data, group, user)
  },
  async changeRole(someone) {
    const user = oftenOwner(someone)
    const found = someGroup(user)
    if (found === undefined) return
    const { group, path, own, refused } = found
    const other = targetOf(group)
    const role = pick(['ADMIN', 'ADMIN', 'MEMBER'] as const)
    const reply = await of(user).put(`${path}/members/${other.id}/role`, { role })
    const allowed =
      refused ?? (own!.role !== 'OWNER' ? [403] : !isPresent(group, other) ? [404] : other === user ? [400] : [200])
    if (!answered(`changeRole ${user.name} ${other.name} ${group.id} ${role}`, reply, ...allowed)) return
    memberOf(group, other).role = role
    expect(reply.data, context()).toMatchObject({ userId: other.id, role })
  },
  async transferGroup(someone) {
    const user = oftenOwner(someone)
    const found = someGroup(user)
    if (found === undefined || !chance(40)) return
    const { group, path, own, refused } = found
    const other = targetOf(group)
    const reply = await of(user).post(`${path}/transfer`, { userId: other.id })
    const allowed = refused ?? (own!.role !== 'OWNER' ? [403] : isPresent(group, other) ? [200] : [404])
    if (!answered(`transferGroup ${user.name} ${other.name} ${group.id}`, reply, ...allowed) || other === user) return
    own!.role = 'ADMIN'
    memberOf(group, other).role = 'OWNER'
    await learnSystem(group, user, ['OWNER_CHANGED', other])
    checkConversation(reply.data, group, user)
  },
  async leaveGroup(someone) {
    const user = oftenOwner(someone)
    const found = someGroup(user)
    if (found === undefined || !chance(50)) return
    const { group, path, own, refused } = found
    const reply = await of(user).post(`${path}/leave`)
    if (answered(`leaveGroup ${user.name} ${group.id}`, reply, ...(refused ?? [200])))
      await end(group, own!, 'MEMBER_LEFT')
  },
  async removeMember(someone) {
    const user = oftenOwner(someone)
    const found = someGroup(user)
    if (found === undefined) return
    const { group, path, own, refused } = found
    const other = targetOf(group)
    const target = isPresent(group, other) ? memberOf(group, other) : undefined
    const mayRemove = own?.role === 'OWNER' || (own?.role === 'ADMIN' && target?.role === 'MEMBER')
    const reply = await of(user).delete(`${path}/members/${other.id}`)
    const allowed = refused ?? (other === user ? [400] : target === undefined ? [404] : [mayRemove ? 200 : 403])
    if (answered(`removeMember ${user.name} ${other.name} ${group.id}`, reply, ...allowed))
      await end(group, target!, 'MEMBER_REMOVED')
  },
}
