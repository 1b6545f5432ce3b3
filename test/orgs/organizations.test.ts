import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { type Person, startServer, type TestServer } from '../harness/index.ts'
import { enrol, expectSound, found, look, members, ok, promote } from './helpers.ts'

let server: TestServer
let owner: Person
let member: Person
let stranger: Person

beforeAll(async () => {
  server = await startServer()
  owner = await server.person('owner')
  member = await server.person('member')
  stranger = await server.person('stranger')
})
afterAll(() => server.stop())

describe('founding', () => {
  test('makes the caller the owner, with every permission there', async () => {
    const org = await found(owner, { name: '  Willow Street Library ', description: 'Books' })
    expect(org).toMatchObject({
      name: 'Willow Street Library',
      description: 'Books',
      status: 'ACTIVE',
      visibility: 'PUBLIC',
      joinPolicy: 'APPROVAL',
      memberLimit: 500,
      memberCount: 1,
      avatarUrl: null,
      ownerId: owner.id,
      isOwner: true,
      roleName: 'Owner',
    })
    expect(org.code).toMatch(/^[A-HJ-NP-Z2-9]{8}$/)
    expect(org['permissions']).toHaveLength(63)
    await expectSound(owner, org)
  })

  test('INTERNAL makes the join policy INVITE, whatever was asked', async () => {
    const org = await found(owner, { visibility: 'INTERNAL', joinPolicy: 'FREE' })
    expect(org).toMatchObject({ visibility: 'INTERNAL', joinPolicy: 'INVITE' })
  })

  test('refuses what is no organization', async () => {
    for (const body of [
      {},
      { name: '' },
      { name: 'x'.repeat(101) },
      { name: 'x', visibility: 'SECRET' },
      { name: 'x', joinPolicy: null },
      { name: 'x', memberLimit: 0 },
      { name: 'x', avatarUrl: 'javascript:alert(1)' },
    ])
      expect((await owner.post('/api/orgs', body)).status, JSON.stringify(body)).toBe(400)
  })

  test('takes no ids, owners, codes or counts from the body', async () => {
    const org = await found(owner, {
      id: 7777,
      ownerId: stranger.id,
      code: 'AAAAAAAA',
      memberCount: 9,
      status: 'DISABLED',
    })
    expect(org).toMatchObject({ ownerId: owner.id, memberCount: 1, status: 'ACTIVE' })
    expect(org.id).not.toBe(7777)
    expect(org.code).not.toBe('AAAAAAAA')
  })

  test('each organization has its own roles, and those of two founders do not mix', async () => {
    const [one, two] = [await found(owner), await found(stranger)]
    expect((await members(owner, one))[0]!.roleId).not.toBe((await members(stranger, two))[0]!.roleId)
    expect((await owner.get(`/api/orgs/${two.id}/members`)).status).toBe(403)
  })
})

describe('seeing', () => {
  test('a stranger sees a PUBLIC one without permissions, role and owner', async () => {
    const org = await found(owner)
    expect(await look(stranger, org)).toMatchObject({
      permissions: [],
      roleName: '',
      isOwner: false,
      ownerId: null,
      memberCount: 1,
    })
  })

  test('a stranger gets 403 for an INTERNAL one and 404 for none', async () => {
    const org = await found(owner, { visibility: 'INTERNAL', name: 'hidden name' })
    const reply = await stranger.get(`/api/orgs/${org.id}`)
    expect(reply.status).toBe(403)
    expect(reply.text).not.toContain('hidden name')
    expect((await stranger.get('/api/orgs/999999999')).status).toBe(404)
  })

  test('a member sees what their role allows', async () => {
    const org = await found(owner, { visibility: 'INTERNAL' })
    await enrol(owner, org, member)
    const seen = await look(member, org)
    expect(seen).toMatchObject({ isOwner: false, ownerId: owner.id, roleName: 'Member' })
    expect(seen['permissions']).toContain('member:read')
    expect(seen['permissions']).not.toContain('org:update')
  })

  test('one’s own are listed in the order of joining, others’ are not', async () => {
    const person = await server.person()
    const theirs = await found(owner)
    const [first, second] = [await found(person), await found(owner)]
    await enrol(owner, second, person)
    const { data } = ok(await person.get('/api/orgs'))
    expect(data.items.map((o: { id: number }) => o.id)).toEqual([first.id, second.id])
    expect(data.total).toBe(2)
    expect(data.items[0]).toMatchObject({ isOwner: true, roleName: 'Owner' })
    expect(data.items[1]).toMatchObject({ isOwner: false, roleName: 'Member' })
    expect(JSON.stringify(data)).not.toContain(theirs.code)
  })
})

describe('settings', () => {
  test('only the fields present change; null clears', async () => {
    const org = await found(owner, { description: 'Books', avatarUrl: '/logo.png' })
    expect(ok(await owner.put(`/api/orgs/${org.id}`, { name: 'New' })).data).toMatchObject({
      name: 'New',
      description: 'Books',
      avatarUrl: '/logo.png',
    })
    expect(ok(await owner.put(`/api/orgs/${org.id}`, { description: null, avatarUrl: null })).data).toMatchObject({
      name: 'New',
      description: '',
      avatarUrl: null,
    })
    expect((await owner.put(`/api/orgs/${org.id}`, { name: null })).status).toBe(400)
  })

  test('INTERNAL locks the join policy until it is PUBLIC again', async () => {
    const org = await found(owner, { joinPolicy: 'FREE' })
    const set = async (body: object) => ok(await owner.put(`/api/orgs/${org.id}`, body)).data
    expect(await set({ visibility: 'INTERNAL' })).toMatchObject({ joinPolicy: 'INVITE' })
    expect(await set({ joinPolicy: 'FREE' })).toMatchObject({ joinPolicy: 'INVITE' })
    expect(await set({ visibility: 'PUBLIC' })).toMatchObject({ joinPolicy: 'INVITE' })
    expect(await set({ joinPolicy: 'FREE' })).toMatchObject({ joinPolicy: 'FREE' })
  })

  test('the limit never goes below the members there are', async () => {
    const org = await found(owner)
    await enrol(owner, org, member)
    expect((await owner.put(`/api/orgs/${org.id}`, { memberLimit: 1 })).status).toBe(400)
    expect((await look(owner, org))['memberLimit']).toBe(500)
    expect(ok(await owner.put(`/api/orgs/${org.id}`, { memberLimit: 2 })).data['memberLimit']).toBe(2)
  })

  test('a new code makes the old one useless at once', async () => {
    const org = await found(owner)
    const fresh = ok(await owner.post(`/api/orgs/${org.id}/reset-code`)).data
    expect(fresh.code).not.toBe(org.code)
    expect((await server.request('GET', `/api/orgs/public/${org.code}`)).status).toBe(404)
    expect((await stranger.post('/api/orgs/join-by-code', { code: org.code })).status).toBe(404)
    ok(await server.request('GET', `/api/orgs/public/${fresh.code}`))
  })
})

describe('dissolving', () => {
  test('is the owner’s alone and takes everything with it', async () => {
    const org = await found(owner)
    await enrol(owner, org, member)
    await promote(owner, org, member, 'ADMIN')
    expect((await member.delete(`/api/orgs/${org.id}?force=true`)).status).toBe(403)
    ok(await member.patch(`/api/orgs/${org.id}/switch`))

    const warned = await owner.delete(`/api/orgs/${org.id}`)
    expect(warned.status).toBe(400)
    expect(warned.message).toContain('force=true')
    expect((await look(owner, org)).memberCount).toBe(2)

    ok(await owner.delete(`/api/orgs/${org.id}?force=true`))
    expect((await owner.get(`/api/orgs/${org.id}`)).status).toBe(404)
    expect((await member.get(`/api/orgs/${org.id}/members`)).status).toBe(403)
    expect((await owner.get(`/api/orgs/${org.id}/qrcode`)).status).toBe(403)
    expect(ok(await member.get('/api/auth/userinfo')).data.currentOrgId).toBeNull()
    expect((await server.request('GET', `/api/orgs/public/${org.code}`)).status).toBe(404)
  })

  test('is refused while the organization owns codes', async () => {
    const org = await found(owner)
    const code = ok(await owner.post('/api/qr-codes', { name: 'sign', content: 'x', orgId: org.id })).data
    const refused = await owner.delete(`/api/orgs/${org.id}?force=true`)
    expect(refused.status).toBe(400)
    expect(refused.message).toContain('QR codes (1)')
    ok(await owner.delete(`/api/qr-codes/${code.id}?orgId=${org.id}`))
    ok(await owner.delete(`/api/orgs/${org.id}`))
  })
})

describe('the current organization', () => {
  test('is chosen, switched and cleared, only among one’s own', async () => {
    const person = await server.person()
    const [org, foreign] = [await found(person), await found(owner)]
    const switched = ok(await person.patch(`/api/orgs/${org.id}/switch`)).data
    expect(switched).toMatchObject({ id: org.id, roleName: 'Owner' })
    expect(switched.permissions).toContain('org:delete')
    expect(ok(await person.get('/api/auth/userinfo')).data.currentOrgId).toBe(org.id)
    expect(ok(await person.get('/api/rbac/my-permissions')).data.org).toContain('org:delete')

    expect((await person.patch(`/api/orgs/${foreign.id}/switch`)).status).toBe(403)
    for (const orgId of [foreign.id, 999_999_999])
      expect((await person.put('/api/users/me/current-org', { orgId })).status).toBe(404)
    expect(ok(await person.get('/api/auth/userinfo')).data.currentOrgId).toBe(org.id)

    ok(await person.put('/api/users/me/current-org', { orgId: null }))
    expect(ok(await person.get('/api/auth/userinfo')).data.currentOrgId).toBeNull()
    ok(await person.put('/api/users/me/current-org', { org_id: org.id }))
    expect(ok(await person.get('/api/auth/userinfo')).data.currentOrgId).toBe(org.id)
  })
})

describe('numbers', () => {
  test('count members by role, who waits, and what is owned', async () => {
    const org = await found(owner)
    await enrol(owner, org, member)
    ok(await stranger.post(`/api/orgs/${org.id}/apply`))
    const invited = await server.person()
    ok(await owner.post(`/api/orgs/${org.id}/invite`, { userIds: [invited.id] }))
    ok(await owner.post('/api/qr-codes', { name: 'sign', content: 'x', orgId: org.id }))
    const { data } = ok(await member.get(`/api/orgs/${org.id}/stats`))
    expect(data).toMatchObject({ memberCount: 2, memberLimit: 500, pendingRequests: 1, pendingInvitations: 1 })
    expect(
      Object.fromEntries(data.roles.map((r: Record<string, unknown>) => [r['roleCode'], r['memberCount']])),
    ).toEqual({
      OWNER: 1,
      ADMIN: 0,
      MEMBER: 1,
      GUEST: 0,
    })
    expect(data.resources).toEqual([{ name: 'QR codes', count: 1 }])
    expect((await stranger.get(`/api/orgs/${org.id}/stats`)).status).toBe(403)
  })
})
