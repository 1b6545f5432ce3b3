/** The console's operations on members of all organizations, and on the memberships of a user. */

import { beforeAll, describe, expect, test } from 'bun:test'

import { inArray } from 'drizzle-orm'

import { users } from '#db/schema/accounts.ts'

import { findRole, grant, revoke } from '../access/helpers.ts'
import { inProcess, type Person, race, useServer } from '../harness/index.ts'
import {
  addMembers,
  createOrg,
  expectConsistent,
  getOrg,
  invite,
  listMembers,
  listRequests,
  ok,
  type Org,
  setRole,
  UNKNOWN_ID,
} from './helpers.ts'

const { server, admin, owner } = useServer({ people: ['owner'] })
let org: Org
let other: Org

beforeAll(async () => {
  org = await createOrg(owner, { name: 'Willow', visibility: 'INTERNAL' })
  other = await createOrg(owner, { name: 'Maple' })
})

const path = (suffix = '', of: { id: number } = org) => `/api/admin/orgs/${of.id}/members${suffix}`
const add = (user: { id: number }, body: object = {}, of = org, by = admin) =>
  by.post(path('', of), { userId: user.id, ...body })
const setAnyRole = (user: { id: number }, body: object) => admin.put(path(`/${user.id}/role`), body)
const remove = (user: { id: number }, of = org) => admin.delete(path(`/${user.id}`, of))
const roleId = async (of: Org, code: string): Promise<number> =>
  ok(await owner.call('orgs.stats', { params: { id: of.id } })).data.roles.find((role) => role.roleCode === code)!
    .roleId
const roleOf = async (user: Person): Promise<string | null | undefined> =>
  (await listMembers(owner, org)).items.find((member) => member.userId === user.id)?.roleCode
const titles = async (user: Person): Promise<string[]> =>
  ok(await user.get('/api/notifications')).data.items.map((item: { title: string }) => item.title)

/** Both paths to the same effect. */
const ADD = [
  ['POST /api/admin/orgs/:orgId/members', add],
  [
    'POST /api/admin/users/:userId/orgs/:orgId',
    (user: { id: number }, body: object = {}, of = org, by = admin) =>
      by.post(`/api/admin/users/${user.id}/orgs/${of.id}`, body),
  ],
] as const
const REMOVE = [
  ['DELETE /api/admin/orgs/:orgId/members/:userId', remove],
  [
    'DELETE /api/admin/users/:userId/orgs/:orgId',
    (user: { id: number }, of = org) => admin.delete(`/api/admin/users/${user.id}/orgs/${of.id}`),
  ],
] as const

for (const [name, join] of ADD) {
  test(`${name} makes a user a member whatever the join policy is, and notifies them`, async () => {
    const [member, deputy] = [await server.person(), await server.person()]
    expect(ok(await join(member)).data).toMatchObject({ userId: member.id, roleCode: 'MEMBER', isOwner: false })
    expect(ok(await join(deputy, { roleId: await roleId(org, 'ADMIN') })).data.roleCode).toBe('ADMIN')
    expect(await getOrg(member, org)).toMatchObject({ roleName: 'Member' })
    expect(await titles(member)).toEqual(['Welcome to Willow'])
    // The role takes effect at once.
    ok(await deputy.put(`/api/orgs/${org.id}`, { description: name }))
    expect((await member.put(`/api/orgs/${org.id}`, { description: 'x' })).status).toBe(403)
    await expectConsistent(owner, org)
  })

  test(`${name} refuses members, the role OWNER and roles of other organizations, and adds nobody`, async () => {
    const person = await server.person()
    const gone = await server.person()
    ok(await gone.post('/api/auth/account/delete'))
    const before = await listMembers(owner, org)
    for (const body of [
      { roleCode: 'OWNER' },
      { roleId: await roleId(org, 'OWNER') },
      { roleId: await roleId(other, 'MEMBER') },
      { roleCode: 'NOBODY' },
      { roleId: await roleId(org, 'ADMIN'), roleCode: 'MEMBER' },
      { roleId: 'x' },
    ])
      expect((await join(person, body)).status, JSON.stringify(body)).toBe(400)
    expect(await join(owner)).toMatchObject({ status: 400, message: 'The user is already a member' })
    for (const unknown of [{ id: UNKNOWN_ID }, gone]) expect((await join(unknown)).status).toBe(404)
    expect((await join(person, {}, { ...org, id: UNKNOWN_ID })).status).toBe(404)
    expect(await listMembers(owner, org)).toEqual(before)
    expect(await titles(person)).toEqual([])
  })
}

describe('changes by an administrator of users in an organization', () => {
  let clerk: Person
  /** The newest notification about it that the owner has. */
  const told = async (): Promise<string | undefined> => {
    const { items } = ok(await owner.get('/api/notifications', { type: 'SYSTEM' })).data
    return items.find((note: { data: { orgId?: number } }) => note.data.orgId === org.id)?.body
  }

  beforeAll(async () => {
    clerk = await server.person('clerk')
    const role = await findRole(admin, 'PLATFORM', 0, 'USER_ADMIN')
    ok(await grant(admin, clerk, role))
  })

  test('the owner is notified of a later role although the notification of the membership was read', async () => {
    const [founder, joiner] = [await server.person(), await server.person()]
    const org = await createOrg(founder)
    const unread = async () =>
      ok(await founder.call('notifications.list', { query: { size: 100 } })).data.items.filter(
        ({ read, type }) => !read && type === 'SYSTEM',
      )
    const member = { orgId: org.id, userId: joiner.id }
    ok(await admin.post(`/api/admin/orgs/${org.id}/members`, { userId: joiner.id, roleCode: 'MEMBER' }))
    expect(await unread()).toHaveLength(1)
    ok(await founder.call('notifications.readAll'))
    ok(await admin.put(`/api/admin/orgs/${member.orgId}/members/${member.userId}/role`, { roleCode: 'ADMIN' }))
    const [told, ...others] = await unread()
    expect(others).toEqual([])
    expect(told!.data).toMatchObject({ event: 'ORG_GIVEN', userId: joiner.id })
  })

  test('many changes by administrators are 20 notifications of the owner and one for all others', async () => {
    const founder = await server.person()
    const org = await createOrg(founder)
    for (let i = 0; i < 24; i++) {
      const { id } = await server.person()
      ok(await admin.post(`/api/admin/orgs/${org.id}/members`, { userId: id, roleCode: 'MEMBER' }))
    }
    const { items } = ok(await founder.call('notifications.list', { query: { size: 100 } })).data
    const events = items.map(({ data }) => data['event'])
    expect(events.filter((event) => event === 'ORG_ADDED')).toHaveLength(20)
    expect(events.filter((event) => event === 'ORG_MANY_CHANGES')).toHaveLength(1)
    // Another organization has its own.
    const other = await createOrg(founder)
    ok(await admin.put(`/api/admin/orgs/${other.id}`, { description: 'changed' }))
    const first = ok(await founder.call('notifications.list')).data.items[0]!
    expect(first.data).toMatchObject({ event: 'ORG_CHANGED', orgId: other.id })
  })

  test('the owner is notified of each membership and role', async () => {
    const joiner = await server.person('joiner')
    ok(await clerk.post(path(), { userId: joiner.id }))
    expect(await told()).toBe('joiner was added to Willow with the role MEMBER.')
    ok(await clerk.put(path(`/${joiner.id}/role`), { roleCode: 'GUEST' }))
    expect(await told()).toBe('joiner was given the role GUEST in Willow.')
    const byId = { id: await roleId(org, 'ADMIN') }
    ok(await grant(admin, joiner, byId))
    expect(await told()).toBe('joiner was given the role ADMIN in Willow.')
    ok(await revoke(admin, joiner, byId))
    expect(await told()).toBe('joiner no longer has the role ADMIN in Willow.')
    ok(await clerk.delete(path(`/${joiner.id}`)))
    expect(await told()).toBe('joiner was removed from Willow.')
    ok(await clerk.post(path(), { userId: clerk.id }))
    expect(await told()).toBe('clerk was added to Willow with the role MEMBER.')
    ok(await clerk.delete(path(`/${clerk.id}`)))
  })

  test('roles above MEMBER, and ownership, need an administrator with all points of the role', async () => {
    const [accomplice, heir] = [await server.person(), await server.person()]
    for (const [, join] of ADD) expect((await join(accomplice, { roleCode: 'ADMIN' }, org, clerk)).status).toBe(403)
    ok(await clerk.post(path(), { userId: heir.id }))
    expect((await clerk.put(path(`/${heir.id}/role`), { roleCode: 'ADMIN' })).status).toBe(403)
    const transfer = { userId: heir.id }
    expect((await clerk.post(`/api/admin/orgs/${org.id}/transfer-ownership`, transfer)).status).toBe(403)
    expect(await roleOf(heir)).toBe('MEMBER')
    ok(await setAnyRole(heir, { roleCode: 'ADMIN' }))
    ok(await remove(heir))
  })
})

test('an administrator can add themselves as an ordinary member only, and cannot change their own role', async () => {
  const self = { id: admin.id }
  expect((await add(self, { roleCode: 'ADMIN' })).status).toBe(400)
  ok(await add(self))
  expect(await titles(admin)).not.toContain('Welcome to Willow')
  expect((await setAnyRole(self, { roleCode: 'ADMIN' })).status).toBe(400)
  expect(await roleOf(admin)).toBe('MEMBER')
  ok(await remove(self))
})

test.if(inProcess)('a disabled user can become neither a member nor an owner', async () => {
  const [stranger, member] = [await server.person(), await server.person()]
  ok(await add(member))
  await server.ctx.db.write('test', async (tx) => {
    await tx
      .update(users)
      .set({ status: 'DISABLED' })
      .where(inArray(users.id, [stranger.id, member.id]))
  })
  const { memberCount } = await getOrg(owner, org)
  for (const [, join] of ADD) expect((await join(stranger)).message).toBe('This user is disabled')
  expect((await admin.post(`/api/admin/orgs/${org.id}/transfer-ownership`, { userId: member.id })).status).toBe(400)
  const reply = await admin.post('/api/admin/orgs', { name: 'x', ownerId: stranger.id })
  expect(reply.details.map((detail) => detail.path)).toEqual(['body.ownerId'])
  expect(await getOrg(owner, org)).toMatchObject({ memberCount, isOwner: true })
  // Their memberships can still be ended.
  ok(await remove(member))
})

test('a user whom an administrator adds has no join request and no open invitation left', async () => {
  const [applicant, invitee] = [await server.person(), await server.person()]
  ok(await applicant.call('orgs.apply', { params: { id: other.id }, body: {} }))
  await invite(owner, other, invitee)
  for (const user of [applicant, invitee]) ok(await add(user, {}, other))
  expect((await listRequests(owner, other)).total).toBe(0)
  const open = await owner.call('orgs.invitations', { params: { id: other.id }, query: { status: 'PENDING' } })
  expect(ok(open).data.total).toBe(0)
})

test('administrators can add members to a disabled organization, within the member limit', async () => {
  const small = await createOrg(owner, { memberLimit: 2 })
  const setStatus = (status: string) => admin.put(`/api/admin/orgs/${small.id}`, { status })
  ok(await setStatus('DISABLED'))
  const crowd = await race(8, () => server.person())
  const replies = await race(8, (i) => add(crowd[i]!, {}, small))
  expect(replies.map((reply) => reply.status).toSorted()).toEqual([200, 400, 400, 400, 400, 400, 400, 400])
  expect(replies.find((reply) => reply.status === 400)!.message).toContain('member limit')
  ok(await setStatus('ACTIVE'))
  await expectConsistent(owner, small)
})

test('of simultaneous additions of one user exactly one succeeds', async () => {
  const person = await server.person()
  const replies = await race(8, (i) => ADD[i % 2]![1](person))
  expect(replies.map((reply) => reply.status).toSorted()).toEqual([200, 400, 400, 400, 400, 400, 400, 400])
  expect(await titles(person)).toEqual(['Welcome to Willow'])
  await expectConsistent(owner, org)
})

describe('PUT /api/admin/orgs/:orgId/members/:userId/role', () => {
  test('replaces the role by id or by code, and takes effect at once', async () => {
    const member = await server.person()
    ok(await add(member))
    expect(ok(await setAnyRole(member, { roleId: await roleId(org, 'ADMIN') })).data).toMatchObject({
      userId: member.id,
      roleCode: 'ADMIN',
    })
    ok(await member.put(`/api/orgs/${org.id}`, { description: 'by a deputy' }))
    expect(ok(await setAnyRole(member, { roleCode: 'GUEST' })).data.roleCode).toBe('GUEST')
    expect((await member.put(`/api/orgs/${org.id}`, { description: 'x' })).status).toBe(403)
    await expectConsistent(owner, org)
  })

  test('refuses the owner, the role OWNER and roles of other organizations, and changes nothing', async () => {
    const member = await server.person()
    ok(await add(member, { roleCode: 'ADMIN' }))
    for (const body of [
      {},
      { roleCode: 'OWNER' },
      { roleCode: 'NOBODY' },
      { roleId: await roleId(other, 'GUEST') },
      { roleId: await roleId(org, 'GUEST'), roleCode: 'MEMBER' },
    ])
      expect((await setAnyRole(member, body)).status, JSON.stringify(body)).toBe(400)
    expect((await setAnyRole(owner, { roleCode: 'MEMBER' })).status).toBe(400)
    for (const stranger of [await server.person(), { id: UNKNOWN_ID }])
      expect((await setAnyRole(stranger, { roleCode: 'MEMBER' })).status).toBe(404)
    expect(await roleOf(member)).toBe('ADMIN')
    await expectConsistent(owner, org)
  })
})

for (const [name, leave] of REMOVE)
  test(`${name} ends a membership at once and notifies the user, but not that of the owner`, async () => {
    const member = await server.person()
    ok(await add(member))
    expect(ok(await leave(member)).data).toBeNull()
    expect((await member.get(`/api/orgs/${org.id}`)).status).toBe(403)
    expect((await titles(member))[0]).toBe('You were removed from Willow')
    expect((await leave(owner)).status).toBe(400)
    for (const missing of [member, { id: UNKNOWN_ID }]) expect((await leave(missing)).status).toBe(404)
    expect((await leave(member, { ...org, id: UNKNOWN_ID })).status).toBe(404)
    await expectConsistent(owner, org)
  })

test('GET /api/admin/orgs/:orgId/members shows what the owner sees, but for second factors', async () => {
  const seen = ok(await admin.call('admin.orgs.members', { params: { orgId: org.id }, query: { size: 100 } })).data
  const { items } = await listMembers(owner, org)
  for (const member of items as { secondFactor?: boolean }[]) delete member.secondFactor
  expect(seen.items).toEqual(items)
  expect(seen.total).toBeGreaterThan(1)
  const { nickname } = seen.items[0]!
  const found = await admin.call('admin.orgs.members', { params: { orgId: org.id }, query: { keyword: nickname } })
  expect(ok(found).data.items.map((member) => member.nickname)).toContain(nickname)
  expect((await admin.get(path('', { id: UNKNOWN_ID }))).status).toBe(404)
})

test('GET /api/admin/users/:userId/memberships lists the organizations of a user, the latest joined first', async () => {
  const person = await server.person()
  const own = await createOrg(person, { name: 'Own' })
  server.clock.advance(1000)
  await addMembers(owner, org, person)
  await setRole(owner, org, person, 'ADMIN')
  const memberships = (query = {}) => admin.call('admin.users.memberships', { params: { userId: person.id }, query })
  const { items, total } = ok(await memberships()).data
  expect(total).toBe(2)
  expect(items).toEqual([
    {
      orgId: org.id,
      orgName: 'Willow',
      roleId: await roleId(org, 'ADMIN'),
      roleName: 'Administrator',
      isOwner: false,
      joinedAt: expect.any(Number) as number,
    },
    {
      orgId: own.id,
      orgName: 'Own',
      roleId: expect.any(Number) as number,
      roleName: 'Owner',
      isOwner: true,
      joinedAt: own.createdAt,
    },
  ])
  expect(ok(await memberships({ page: 2, size: 1 })).data.items.map(({ orgId }) => orgId)).toEqual([own.id])
  expect((await admin.get(`/api/admin/users/${UNKNOWN_ID}/memberships`)).status).toBe(404)
})
