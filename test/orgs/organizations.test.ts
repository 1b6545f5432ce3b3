import { describe, expect, test } from 'bun:test'

import type { UpdateOrg } from '#domains/orgs/organizations/organizations.model.ts'
import { serverZone } from '#platform/clock.ts'

import { type Person, useServer } from '../harness/index.ts'
import {
  addMembers,
  apply,
  createOrg,
  currentOrgId,
  expectConsistent,
  getOrg,
  invite,
  joinByCode,
  listMembers,
  ok,
  switchTo,
  UNKNOWN_ID,
} from './helpers.ts'

const { server, owner, member, stranger } = useServer({ people: ['owner', 'member', 'stranger'] })

const update = (user: Person, org: { id: number }, body: UpdateOrg) =>
  user.call('orgs.update', { params: { id: org.id }, body })

describe('creating', () => {
  test('POST /orgs makes the caller the owner, with every permission of the organization', async () => {
    const org = await createOrg(owner, { name: '  Willow Street Library ', description: 'Books' })
    expect(org).toMatchObject({
      name: 'Willow Street Library',
      description: 'Books',
      status: 'ACTIVE',
      visibility: 'PUBLIC',
      joinPolicy: 'APPROVAL',
      memberLimit: 500,
      timeZone: serverZone(),
      memberCount: 1,
      avatarUrl: null,
      ownerId: owner.id,
      isOwner: true,
      roleName: 'Owner',
    })
    expect(org.code).toMatch(/^[A-HJ-NP-Z2-9]{8}$/)
    expect(org.permissions).toHaveLength(63)
    await expectConsistent(owner, org)
  })

  test('POST /orgs sets the join policy of an INTERNAL organization to INVITE', async () => {
    const org = await createOrg(owner, { visibility: 'INTERNAL', joinPolicy: 'FREE' })
    expect(org).toMatchObject({ visibility: 'INTERNAL', joinPolicy: 'INVITE' })
  })

  test('POST /orgs answers 400 to invalid fields', async () => {
    for (const body of [
      {},
      { name: '' },
      { name: 'x'.repeat(101) },
      { name: 'x', visibility: 'SECRET' },
      { name: 'x', joinPolicy: null },
      { name: 'x', memberLimit: 0 },
      { name: 'x', timeZone: 'Berlin' },
      { name: 'x', timeZone: '+02:00' },
      { name: 'x', avatarUrl: 'javascript:alert(1)' },
    ])
      expect((await owner.post('/api/orgs', body)).status, JSON.stringify(body)).toBe(400)
  })

  test('POST /orgs ignores id, owner, code, member count and status in the body', async () => {
    const org = ok(
      await owner.post('/api/orgs', {
        name: 'x',
        id: 7777,
        ownerId: stranger.id,
        code: 'AAAAAAAA',
        memberCount: 9,
        status: 'DISABLED',
      }),
    ).data
    expect(org).toMatchObject({ ownerId: owner.id, memberCount: 1, status: 'ACTIVE' })
    expect(org.id).not.toBe(7777)
    expect(org.code).not.toBe('AAAAAAAA')
  })

  test('each organization has roles of its own, and its owner is a stranger in others', async () => {
    const [one, two] = [await createOrg(owner), await createOrg(stranger)]
    const roleOfOwner = async (user: Person, org: { id: number }) => (await listMembers(user, org)).items[0]!.roleId
    expect(await roleOfOwner(owner, one)).not.toBe(await roleOfOwner(stranger, two))
    expect((await owner.get(`/api/orgs/${two.id}/members`)).status).toBe(403)
  })
})

describe('reading', () => {
  test('GET /orgs/:id shows non-members a PUBLIC organization without permissions, role and owner', async () => {
    const org = await createOrg(owner)
    expect(await getOrg(stranger, org)).toMatchObject({
      permissions: [],
      roleName: '',
      isOwner: false,
      ownerId: null,
      memberCount: 1,
    })
  })

  test('GET /orgs/:id answers non-members 403 for an INTERNAL organization and 404 for an unknown one', async () => {
    const org = await createOrg(owner, { visibility: 'INTERNAL', name: 'hidden name' })
    const reply = await stranger.get(`/api/orgs/${org.id}`)
    expect(reply.status).toBe(403)
    expect(reply.text).not.toContain('hidden name')
    expect((await stranger.get(`/api/orgs/${UNKNOWN_ID}`)).status).toBe(404)
  })

  test('GET /orgs/:id shows a member the role and its permissions', async () => {
    const org = await createOrg(owner, { visibility: 'INTERNAL' })
    await addMembers(owner, org, member)
    const seen = await getOrg(member, org)
    expect(seen).toMatchObject({ isOwner: false, ownerId: owner.id, roleName: 'Member' })
    expect(seen.permissions).toContain('member:read')
    expect(seen.permissions).not.toContain('org:update')
  })

  test('GET /orgs lists only the caller’s organizations, in the order of joining', async () => {
    const person = await server.person()
    const theirs = await createOrg(owner)
    const [first, second] = [await createOrg(person), await createOrg(owner)]
    await addMembers(owner, second, person)
    const { data } = ok(await person.call('orgs.list'))
    expect(data.items.map((org) => org.id)).toEqual([first.id, second.id])
    expect(data.total).toBe(2)
    expect(data.items[0]).toMatchObject({ isOwner: true, roleName: 'Owner' })
    expect(data.items[1]).toMatchObject({ isOwner: false, roleName: 'Member' })
    expect(JSON.stringify(data)).not.toContain(theirs.code)
  })
})

describe('updating', () => {
  test('PUT /orgs/:id changes only the fields present, and null clears description and avatar', async () => {
    const org = await createOrg(owner, { description: 'Books', avatarUrl: '/logo.png' })
    expect(ok(await update(owner, org, { name: 'New' })).data).toMatchObject({
      name: 'New',
      description: 'Books',
      avatarUrl: '/logo.png',
    })
    expect(ok(await update(owner, org, { description: null, avatarUrl: null })).data).toMatchObject({
      name: 'New',
      description: '',
      avatarUrl: null,
    })
    expect((await owner.put(`/api/orgs/${org.id}`, { name: null })).status).toBe(400)
  })

  test('the join policy of an INTERNAL organization stays INVITE until the organization is PUBLIC again', async () => {
    const org = await createOrg(owner, { joinPolicy: 'FREE' })
    const set = async (body: UpdateOrg) => ok(await update(owner, org, body)).data
    expect(await set({ visibility: 'INTERNAL' })).toMatchObject({ joinPolicy: 'INVITE' })
    expect(await set({ joinPolicy: 'FREE' })).toMatchObject({ joinPolicy: 'INVITE' })
    expect(await set({ visibility: 'PUBLIC' })).toMatchObject({ joinPolicy: 'INVITE' })
    expect(await set({ joinPolicy: 'FREE' })).toMatchObject({ joinPolicy: 'FREE' })
  })

  test('the member limit cannot be set below the number of members', async () => {
    const org = await createOrg(owner)
    await addMembers(owner, org, member)
    expect((await update(owner, org, { memberLimit: 1 })).status).toBe(400)
    expect((await getOrg(owner, org)).memberLimit).toBe(500)
    expect(ok(await update(owner, org, { memberLimit: 2 })).data.memberLimit).toBe(2)
  })

  test('an organization has a time zone of its own, or else that of the server', async () => {
    const org = await createOrg(owner, { timeZone: 'America/New_York' })
    expect(org.timeZone).toBe('America/New_York')
    await addMembers(owner, org, member)
    expect((await update(member, org, { timeZone: 'Asia/Shanghai' })).status).toBe(403)
    for (const timeZone of ['Nowhere/City', 'berlin time', '+01:00', '', 7])
      expect((await owner.put(`/api/orgs/${org.id}`, { timeZone })).status, JSON.stringify(timeZone)).toBe(400)
    expect(ok(await update(owner, org, { name: 'Moved' })).data.timeZone).toBe('America/New_York')
    expect(ok(await update(owner, org, { timeZone: 'Asia/Shanghai' })).data.timeZone).toBe('Asia/Shanghai')
    expect((await getOrg(member, org)).timeZone).toBe('Asia/Shanghai')
    expect(ok(await update(owner, org, { timeZone: null })).data.timeZone).toBe(serverZone())
  })

  test('POST /orgs/:id/reset-code makes the old code useless at once', async () => {
    const org = await createOrg(owner)
    const { code } = ok(await owner.call('orgs.resetCode', { params: { id: org.id } })).data
    expect(code).not.toBe(org.code)
    expect((await server.request('GET', `/api/orgs/public/${org.code}`)).status).toBe(404)
    expect((await joinByCode(stranger, org.code)).status).toBe(404)
    ok(await server.call('orgs.public', { params: { code } }))
  })
})

test('the current organization can be switched and cleared, only among the caller’s organizations', async () => {
  const person = await server.person()
  const [org, foreign] = [await createOrg(person), await createOrg(owner)]
  const switched = ok(await switchTo(person, org)).data
  expect(switched).toMatchObject({ id: org.id, roleName: 'Owner' })
  expect(switched.permissions).toContain('org:delete')
  expect(await currentOrgId(person)).toBe(org.id)
  expect(ok(await person.get('/api/rbac/my-permissions')).data.org).toContain('org:delete')

  const set = (orgId: number | null) => person.call('orgs.choose', { body: { orgId } })
  expect((await switchTo(person, foreign)).status).toBe(403)
  for (const orgId of [foreign.id, UNKNOWN_ID]) expect((await set(orgId)).status).toBe(404)
  expect(await currentOrgId(person)).toBe(org.id)

  ok(await set(null))
  expect(await currentOrgId(person)).toBeNull()
  ok(await person.put('/api/users/me/current-org', { org_id: org.id }))
  expect(await currentOrgId(person)).toBe(org.id)
})

test('GET /orgs/:id/stats counts members by role, pending requests and invitations, and resources', async () => {
  const org = await createOrg(owner)
  await addMembers(owner, org, member)
  ok(await apply(stranger, org))
  await invite(owner, org, await server.person())
  ok(await owner.post('/api/qr-codes', { name: 'sign', content: 'x', orgId: org.id }))
  const { data } = ok(await member.call('orgs.stats', { params: { id: org.id } }))
  expect(data).toMatchObject({ memberCount: 2, memberLimit: 500, pendingRequests: 1, pendingInvitations: 1 })
  expect(Object.fromEntries(data.roles.map((role) => [role.roleCode, role.memberCount]))).toEqual({
    OWNER: 1,
    ADMIN: 0,
    MEMBER: 1,
    GUEST: 0,
  })
  expect(data.resources.filter(({ count }) => count > 0)).toEqual([{ name: 'QR codes', count: 1 }])
  expect((await stranger.get(`/api/orgs/${org.id}/stats`)).status).toBe(403)
})
