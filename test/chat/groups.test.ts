import { beforeAll, describe, expect, test } from 'bun:test'

import { and, eq, isNotNull } from 'drizzle-orm'

import { conversationMembers, conversations } from '#db/schema/chat.ts'
import { MAX_FOLLOWING, MAX_GROUPS, MAX_MEMBERS } from '#domains/chat/groups/groups.rules.ts'
import { setOrgStatus } from '#domains/orgs/index.ts'
import { organizationDisabled } from '#http/permissions.ts'

import { inProcess, ok, type Person, race, useServer } from '../harness/index.ts'
import { addMembers, createOrg, leave as leaveOrg, type Org } from '../orgs/helpers.ts'
import { befriend, conversationOf, createGroup, history, membersOf, say } from './group-helpers.ts'
import { relate } from './helpers.ts'

const UNKNOWN = 999_999_999

describe.if(inProcess)('a group of contacts', () => {
  const { server, alice, bob, carol, dave, mallory } = useServer({
    people: ['alice', 'bob', 'carol', 'dave', 'mallory'],
    noAdmin: true,
  })
  const add = (user: Person, group: { id: number }, ...userIds: number[]) =>
    user.call('groups.addMembers', { params: { id: group.id }, body: { userIds } })
  const remove = (user: Person, group: { id: number }, userId: number) =>
    user.call('groups.removeMember', { params: { id: group.id, userId } })
  const leave = (user: Person, group: { id: number }) => user.call('groups.leave', { params: { id: group.id } })
  const setRole = (user: Person, group: { id: number }, userId: number, role: 'ADMIN' | 'MEMBER') =>
    user.call('groups.changeRole', { params: { id: group.id, userId }, body: { role } })

  beforeAll(async () => {
    await befriend(server, alice, bob, carol)
    await befriend(server, bob, dave)
  })

  test('POST /api/chats/groups makes the caller the owner, and the group a conversation of all members', async () => {
    const group = await createGroup(alice, [bob, carol], { name: 'Library team' })
    expect(group).toMatchObject({ type: 'GROUP', title: 'Library team', peer: null, avatarUrl: null, unreadCount: 0 })
    expect(group.group).toEqual({
      role: 'OWNER',
      memberCount: 3,
      orgId: null,
      followsOrg: false,
      membersMentionAll: false,
      membersPin: false,
    })
    for (const user of [bob, carol]) {
      const seen = await conversationOf(user, group)
      expect(seen).toMatchObject({ id: group.id, title: 'Library team', unreadCount: 0, group: { role: 'MEMBER' } })
      expect(seen.lastMessage?.content).toMatchObject({ event: 'GROUP_CREATED', userIds: [alice.id] })
    }
    const { items, total } = await membersOf(carol, group)
    expect(total).toBe(3)
    expect(items.map(({ userId, role }) => [userId, role])).toEqual([
      [alice.id, 'OWNER'],
      [bob.id, 'MEMBER'],
      [carol.id, 'MEMBER'],
    ])
    expect(Object.keys(items[0]!).toSorted()).toEqual(['avatarUrl', 'joinedAt', 'nickname', 'role', 'userId'])
  })

  test('answers 404 to users who were never in it, exactly as for an unknown id', async () => {
    const group = await createGroup(alice, [bob])
    const calls = (user: Person, id: number) => [
      user.call('groups.members', { params: { id } }),
      user.call('groups.update', { params: { id }, body: { name: 'Mine' } }),
      add(user, { id }, alice.id),
      remove(user, { id }, alice.id),
      leave(user, { id }),
      setRole(user, { id }, alice.id, 'MEMBER'),
      user.call('groups.transfer', { params: { id }, body: { userId: user.id } }),
    ]
    for (const id of [group.id, UNKNOWN])
      for (const reply of await Promise.all(calls(mallory, id))) expect([reply.status, reply.code]).toEqual([404, 404])
    expect((await membersOf(alice, group)).total).toBe(2)
    expect((await conversationOf(alice, group)).title).toBe('Climbers')
  })

  test('takes contacts of the member who adds them; users whom that member may not name are 404', async () => {
    const group = await createGroup(alice, [bob])
    expect((await add(alice, group, dave.id)).status).toBe(404)
    expect((await add(alice, group, UNKNOWN)).status).toBe(404)
    expect((await add(alice, group, carol.id, mallory.id)).status).toBe(404)
    expect((await membersOf(alice, group)).total).toBe(2)
    ok(await add(bob, group, dave.id))
    expect((await membersOf(alice, group)).total).toBe(3)
    const refused = await alice.call('groups.create', { body: { name: 'No', userIds: [mallory.id] } })
    expect(refused.status).toBe(404)
  })

  test('takes no users who are known, but no contacts of the member who adds them', async () => {
    // Without being a contact of mallory, alice is one on mallory's side: they know each other.
    await relate(server, mallory, alice)
    const group = await createGroup(alice, [bob])
    const refused = await add(alice, group, mallory.id)
    expect([refused.status, refused.code]).toEqual([403, 4011])
    expect((await mallory.get(`/api/chats/conversations/${group.id}`)).status).toBe(404)
  })

  test('takes no users who have blocked the member who adds them; the answer is that for unknown users', async () => {
    const group = await createGroup(alice, [bob])
    await relate(server, carol, alice, { blocked: true })
    expect((await add(alice, group, carol.id)).status).toBe(404)
    await relate(server, carol, alice)
    ok(await add(alice, group, carol.id))
  })

  test('adding a member again changes nothing and sends no message', async () => {
    const group = await createGroup(alice, [bob])
    const before = await history(alice, group)
    ok(await add(alice, group, bob.id))
    expect(await history(alice, group)).toEqual(before)
  })

  test('shows new members only messages that are sent after they joined', async () => {
    const group = await createGroup(alice, [bob])
    await say(alice, group, 'before')
    ok(await add(alice, group, carol.id))
    await say(alice, group, 'after')
    expect(await history(carol, group)).toEqual(['after', 'MEMBER_JOINED'])
    expect(await history(bob, group)).toEqual(['after', 'MEMBER_JOINED', 'before', 'GROUP_CREATED'])
    expect((await conversationOf(carol, group)).unreadCount).toBe(1)
  })

  test('former members keep the history until they left, get nothing newer, and are refused with 4015', async () => {
    const group = await createGroup(alice, [bob, carol])
    await say(alice, group, 'first')
    ok(await leave(bob, group))
    ok(await remove(alice, group, carol.id))
    await say(alice, group, 'second')
    expect(await history(bob, group)).toEqual(['MEMBER_LEFT', 'first', 'GROUP_CREATED'])
    expect(await history(carol, group)).toEqual(['MEMBER_REMOVED', 'MEMBER_LEFT', 'first', 'GROUP_CREATED'])
    expect((await conversationOf(bob, group)).group).toMatchObject({ role: null })
    const content = { text: 'hello' }
    const body = { conversationId: group.id, clientMsgId: 'late', type: 'TEXT', content }
    for (const reply of [
      await bob.call('messages.send', { body }),
      await bob.call('groups.members', { params: { id: group.id } }),
      await leave(bob, group),
      await add(bob, group, dave.id),
    ])
      expect([reply.status, reply.code]).toEqual([403, 4015])
    expect((await membersOf(alice, group)).total).toBe(1)
  })

  test('members who come back see only messages that are sent after they joined again', async () => {
    const group = await createGroup(alice, [bob])
    await say(alice, group, 'one')
    ok(await leave(bob, group))
    await say(alice, group, 'two')
    ok(await add(alice, group, bob.id))
    await say(alice, group, 'three')
    expect(await history(bob, group)).toEqual(['three', 'MEMBER_JOINED'])
    expect(await conversationOf(bob, group)).toMatchObject({
      unreadCount: 1,
      group: { role: 'MEMBER', memberCount: 2 },
    })
  })

  test('roles decide who changes the group, removes members and gives roles', async () => {
    const group = await createGroup(alice, [bob, carol])
    const rename = (user: Person) =>
      user.call('groups.update', { params: { id: group.id }, body: { name: 'New name' } })
    expect((await rename(bob)).status).toBe(403)
    expect((await remove(bob, group, carol.id)).status).toBe(403)
    expect((await setRole(bob, group, bob.id, 'ADMIN')).status).toBe(403)
    expect(ok(await setRole(alice, group, bob.id, 'ADMIN')).data.role).toBe('ADMIN')
    expect(ok(await rename(bob)).data.title).toBe('New name')
    expect((await setRole(bob, group, carol.id, 'ADMIN')).status).toBe(403)
    expect((await setRole(alice, group, alice.id, 'MEMBER')).status).toBe(400)
    expect((await remove(bob, group, alice.id)).status).toBe(403)
    expect((await remove(bob, group, bob.id)).status).toBe(400)
    expect((await remove(bob, group, UNKNOWN)).status).toBe(404)
    ok(await remove(bob, group, carol.id))
    expect(await history(alice, group)).toEqual(['MEMBER_REMOVED', 'GROUP_RENAMED', 'GROUP_CREATED'])
  })

  test('the owner can transfer it, and stays as an administrator', async () => {
    const group = await createGroup(alice, [bob])
    const transfer = (user: Person, userId: number) =>
      user.call('groups.transfer', { params: { id: group.id }, body: { userId } })
    expect((await transfer(bob, bob.id)).status).toBe(403)
    expect((await transfer(alice, carol.id)).status).toBe(404)
    expect(ok(await transfer(alice, bob.id)).data.group?.role).toBe('ADMIN')
    expect((await conversationOf(bob, group)).group?.role).toBe('OWNER')
    expect((await transfer(alice, alice.id)).status).toBe(403)
  })

  test('passes to the administrator, or else the member, who has been in it longest, and ends with the last member', async () => {
    const group = await createGroup(alice, [bob, carol])
    ok(await setRole(alice, group, carol.id, 'ADMIN'))
    ok(await leave(alice, group))
    expect((await conversationOf(carol, group)).group?.role).toBe('OWNER')
    ok(await leave(carol, group))
    expect((await conversationOf(bob, group)).group?.role).toBe('OWNER')
    ok(await leave(bob, group))
    expect((await conversationOf(bob, group)).group).toEqual({
      role: null,
      memberCount: 0,
      orgId: null,
      followsOrg: false,
      membersMentionAll: false,
      membersPin: false,
    })
    expect((await add(bob, group, alice.id)).code).toBe(4015)
  })

  test('keeps its other members when an account is deleted, and passes to one of them', async () => {
    const [erin, frank] = [await server.person('erin'), await server.person('frank')]
    await befriend(server, erin, frank)
    const group = await createGroup(erin, [frank])
    await say(erin, group, 'hello')
    ok(await erin.call('auth.deleteAccount'))
    const seen = await conversationOf(frank, group)
    expect(seen.group).toMatchObject({ role: 'OWNER', memberCount: 1 })
    expect((await membersOf(frank, group)).items.map(({ userId }) => userId)).toEqual([frank.id])
    expect(await history(frank, group)).toContain('hello')
  })

  test('bad input creates nothing', async () => {
    const before = ok(await alice.get('/api/chats/conversations', { size: 100 })).data.total
    for (const body of [
      {},
      { name: '' },
      { name: 'x'.repeat(51) },
      { name: 'x', userIds: ['a'] },
      { name: 'x', followsOrg: true },
    ])
      expect((await alice.post('/api/chats/groups', body)).status).toBe(400)
    expect((await alice.post('/api/chats/groups', { name: 'x', orgId: UNKNOWN })).status).toBe(404)
    expect(ok(await alice.get('/api/chats/conversations', { size: 100 })).data.total).toBe(before)
  })
})

describe.if(inProcess)('a group of an organization', () => {
  const { server, owner, manager, member, late, outsider } = useServer({
    people: ['owner', 'manager', 'member', 'late', 'outsider'],
    noAdmin: true,
  })
  let org: Org
  const create = (user: Person, body: object) => user.post('/api/chats/groups', { name: 'Staff', ...body })

  beforeAll(async () => {
    org = await createOrg(owner, { joinPolicy: 'FREE' })
    await addMembers(owner, org, manager, member)
    await befriend(server, owner, outsider)
  })

  test('can be created by every member, with members of the organization as its members, contacts or not, and nobody else', async () => {
    const group = ok(await create(member, { orgId: org.id, userIds: [manager.id] })).data
    expect(group.group).toEqual({
      role: 'OWNER',
      memberCount: 2,
      orgId: org.id,
      followsOrg: false,
      membersMentionAll: false,
      membersPin: false,
    })
    expect((await create(owner, { orgId: org.id, userIds: [outsider.id] })).status).toBe(404)
    expect((await create(outsider, { orgId: org.id })).status).toBe(404)
  })

  test('needs org:update to follow its members, and then names no users', async () => {
    expect((await create(member, { orgId: org.id, followsOrg: true })).status).toBe(403)
    expect((await create(owner, { orgId: org.id, followsOrg: true, userIds: [member.id] })).status).toBe(400)
  })

  test('contains members who join later, and not those who leave, if it follows the organization', async () => {
    const group = ok(await create(owner, { orgId: org.id, followsOrg: true })).data
    expect(group.group).toEqual({
      role: 'OWNER',
      memberCount: 3,
      orgId: org.id,
      followsOrg: true,
      membersMentionAll: false,
      membersPin: false,
    })
    ok(await late.call('orgs.joinByCode', { body: { code: org.code } }))
    await say(owner, group, 'welcome')
    expect(await history(late, group)).toEqual(['welcome', 'MEMBER_JOINED'])
    ok(await leaveOrg(late, org))
    await say(owner, group, 'internal')
    expect(await history(late, group)).toEqual(['MEMBER_LEFT', 'welcome', 'MEMBER_JOINED'])
    expect((await membersOf(owner, group)).items.map(({ userId }) => userId).toSorted((a, b) => a - b)).toEqual([
      owner.id,
      manager.id,
      member.id,
    ])
    for (const reply of [
      await member.call('groups.leave', { params: { id: group.id } }),
      await owner.call('groups.removeMember', { params: { id: group.id, userId: member.id } }),
      await owner.call('groups.addMembers', { params: { id: group.id }, body: { userIds: [outsider.id] } }),
    ])
      expect(reply.status).toBe(400)
  })

  test('loses members who leave the organization, but gets no new ones, if it does not follow it', async () => {
    ok(await late.call('orgs.joinByCode', { body: { code: org.code } }))
    const group = ok(await create(owner, { orgId: org.id, userIds: [late.id] })).data
    ok(await leaveOrg(late, org))
    ok(await late.call('orgs.joinByCode', { body: { code: org.code } }))
    expect((await membersOf(owner, group)).total).toBe(1)
    expect((await conversationOf(late, group)).group?.role).toBeNull()
    ok(await leaveOrg(late, org))
  })

  test('can only be read while the organization is disabled', async () => {
    const group = ok(await create(owner, { orgId: org.id, userIds: [member.id] })).data
    await say(owner, group, 'before')
    const setStatus = (status: 'ACTIVE' | 'DISABLED') =>
      server.ctx.db.write('test.setStatus', (tx) => setOrgStatus(server.ctx, tx, org.id, status))
    await setStatus('DISABLED')
    expect(await history(member, group)).toContain('before')
    const body = { conversationId: group.id, clientMsgId: 'disabled', type: 'TEXT', content: { text: 'no' } }
    for (const reply of [
      await owner.call('messages.send', { body }),
      await owner.call('groups.update', { params: { id: group.id }, body: { name: 'no' } }),
      await owner.call('groups.addMembers', { params: { id: group.id }, body: { userIds: [manager.id] } }),
      await create(owner, { orgId: org.id }),
    ])
      expect([reply.status, reply.message]).toEqual([403, organizationDisabled.text.en])
    expect(await history(member, group)).not.toContain('no')
    await setStatus('ACTIVE')
    await say(owner, group, 'again')
  })

  test('ends with the organization; its history stays with those who were members', async () => {
    const other = await createOrg(owner, { joinPolicy: 'FREE' })
    await addMembers(owner, other, member)
    const groups = [
      ok(await create(owner, { orgId: other.id, followsOrg: true })).data,
      ok(await create(member, { orgId: other.id })).data,
    ]
    await say(owner, groups[0], 'last words')
    ok(await owner.call('orgs.dissolve', { params: { id: other.id }, query: { force: true } }))
    expect(await history(member, groups[0])).toEqual(['GROUP_ENDED', 'last words', 'GROUP_CREATED'])
    for (const group of groups)
      expect((await conversationOf(member, group)).group).toEqual({
        role: null,
        memberCount: 0,
        orgId: null,
        followsOrg: false,
        membersMentionAll: false,
        membersPin: false,
      })
  })

  test('can follow all members at most five times in an organization', async () => {
    const other = await createOrg(owner)
    const replies = await race(MAX_FOLLOWING + 3, () => create(owner, { orgId: other.id, followsOrg: true }))
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(MAX_FOLLOWING)
    expect(replies.filter(({ status }) => status === 400)).toHaveLength(3)
  })
})

describe.if(inProcess)('limits of groups', () => {
  const { server, alice, bob } = useServer({ people: ['alice', 'bob'], noAdmin: true })

  const rowsOf = (groupId: number) =>
    server.ctx.db.read
      .select({ userId: conversationMembers.userId })
      .from(conversationMembers)
      .where(and(eq(conversationMembers.conversationId, groupId), isNotNull(conversationMembers.role)))
  const countOf = async (groupId: number) =>
    (await server.ctx.db.read.select().from(conversations).where(eq(conversations.id, groupId)))[0]!.memberCount

  test('50 members who are added at once fill it to exactly 500', async () => {
    const friends: Person[] = []
    for (let i = 0; i < 50; i++) friends.push(await server.person())
    await befriend(server, alice, ...friends)
    const group = await createGroup(alice, [])
    await server.ctx.db.write('test.almostFill', async (tx) => {
      await tx
        .update(conversations)
        .set({ memberCount: MAX_MEMBERS - 20 })
        .where(eq(conversations.id, group.id))
    })
    const replies = await race(50, (i) =>
      alice.call('groups.addMembers', { params: { id: group.id }, body: { userIds: [friends[i]!.id] } }),
    )
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(20)
    expect(replies.filter(({ status }) => status === 400)).toHaveLength(30)
    expect(await rowsOf(group.id)).toHaveLength(21)
    expect(await countOf(group.id)).toBe(MAX_MEMBERS)
  })

  test('50 parallel requests that add the same user add the user once, with one message', async () => {
    await befriend(server, alice, bob)
    const group = await createGroup(alice, [])
    const replies = await race(50, () =>
      alice.call('groups.addMembers', { params: { id: group.id }, body: { userIds: [bob.id] } }),
    )
    expect(replies.every(({ status }) => status === 200)).toBe(true)
    expect(await countOf(group.id)).toBe(2)
    expect(await history(alice, group)).toEqual(['MEMBER_JOINED', 'GROUP_CREATED'])
  })

  test('owners who leave at once leave a group with exactly one owner, or none without members', async () => {
    const friends: Person[] = []
    for (let i = 0; i < 10; i++) friends.push(await server.person())
    await befriend(server, alice, ...friends)
    const group = await createGroup(alice, friends)
    await race(10, (i) => [alice, ...friends][i]!.call('groups.leave', { params: { id: group.id } }))
    const { items, total } = await membersOf(friends[9]!, group)
    expect([total, items[0]!.role]).toEqual([1, 'OWNER'])
    expect(await countOf(group.id)).toBe(1)
  })

  test('a user can be in 200 groups: then nobody can add the user to another one', async () => {
    const [carol, dan] = [await server.person(), await server.person()]
    await befriend(server, carol, dan)
    await server.ctx.db.write('test.manyGroups', async (tx) => {
      for (let i = 0; i < MAX_GROUPS; i++) {
        const times = { createdAt: tx.stamp, updatedAt: tx.stamp }
        const [row] = await tx
          .insert(conversations)
          .values({ type: 'GROUP', name: `group ${i}`, memberCount: 1, ...times })
          .returning({ id: conversations.id })
        const at = { sortAt: tx.stamp, updatedAt: tx.stamp }
        await tx.insert(conversationMembers).values({ conversationId: row!.id, userId: dan.id, role: 'MEMBER', ...at })
      }
    })
    const refused = await carol.call('groups.create', { body: { name: 'One more', userIds: [dan.id] } })
    expect([refused.status, refused.code]).toEqual([429, 4022])
    expect((await dan.call('groups.create', { body: { name: 'Own' } })).status).toBe(429)
  })
})

describe.if(inProcess)('budgets of groups', () => {
  const { alice } = useServer({ people: ['alice'], noAdmin: true, rateLimit: true })

  test('a user can create 20 groups a day', async () => {
    const replies = await race(25, () => alice.call('groups.create', { body: { name: 'Group' } }))
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(20)
    const refused = replies.filter(({ status }) => status === 429)
    expect(refused).toHaveLength(5)
    expect(refused[0]!.code).toBe(4022)
  })
})
