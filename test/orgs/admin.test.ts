/** The console's operations on all organizations: the list, creating, changing, dissolving and transferring them. */

import { beforeAll, describe, expect, test } from 'bun:test'

import type { OrgStatus } from '#db/schema/orgs.ts'
import { serverZone } from '#platform/clock.ts'

import { type Person, race, type Reply, until, useServer } from '../harness/index.ts'
import {
  addMembers,
  createOrg,
  currentOrgId,
  expectConsistent,
  getOrg,
  listMembers,
  offerTo,
  ok,
  type Org,
  setRole,
  switchTo,
  UNKNOWN_ID,
} from './helpers.ts'

const { server, admin, owner } = useServer({ people: ['owner'] })

const path = (org: { id: number }, more = '') => `/api/admin/orgs/${org.id}${more}`
const statuses = (replies: Reply[]) => replies.map((reply) => reply.status).toSorted((a, b) => a - b)
/** Titles of the notifications of a user, the newest first. */
const titles = async (user: Person, type: string): Promise<string[]> =>
  ok(await user.get('/api/notifications', { type })).data.items.map((item: { title: string }) => item.title)

test('the operations of the console do not accept the roles that a user has in the organization', async () => {
  const org = await createOrg(owner)
  for (const [method, suffix, body] of [
    ['GET', '', undefined],
    ['PUT', '', { name: 'renamed' }],
    ['DELETE', '', undefined],
    ['POST', '/transfer-ownership', { userId: admin.id }],
    ['GET', '/members', undefined],
    ['POST', '/members', { userId: admin.id }],
    ['PUT', `/members/${owner.id}/role`, { roleCode: 'ADMIN' }],
    ['DELETE', `/members/${owner.id}`, undefined],
  ] as const) {
    const options = body === undefined ? {} : { body }
    expect((await owner.send(method, path(org, suffix), options)).status, `${method} ${suffix}`).toBe(403)
    expect((await server.request(method, path(org, suffix), options)).status, `${method} ${suffix}`).toBe(401)
  }
  expect(await getOrg(owner, org)).toEqual(org)
})

describe('GET /api/admin/orgs', () => {
  const orgs: Org[] = []
  let another: Person

  beforeAll(async () => {
    another = await server.person()
    const fields = [
      { name: 'Zebra club', joinPolicy: 'FREE' as const },
      { name: 'Aspen Library' },
      { name: 'aspen school', visibility: 'INTERNAL' as const },
    ]
    for (const field of fields) {
      server.clock.advance(1000)
      orgs.push(await createOrg(another, field))
    }
    await addMembers(another, orgs[1]!, owner)
    await setStatus(orgs[0]!, 'DISABLED')
  })

  const setStatus = async (org: Org, status: OrgStatus) => ok(await admin.put(path(org), { status }))
  const names = async (query: object): Promise<string[]> =>
    ok(await admin.get('/api/admin/orgs', { userId: another.id, ...query })).data.items.map((org: Org) => org.name)

  test('shows every organization with its owner and without the caller’s own rights', async () => {
    const { items, total } = ok(await admin.call('admin.orgs.list', { query: { size: 1 } })).data
    expect(total).toBeGreaterThanOrEqual(4)
    expect(items).toEqual([
      {
        id: orgs[2]!.id,
        name: 'aspen school',
        description: '',
        code: orgs[2]!.code,
        visibility: 'INTERNAL',
        joinPolicy: 'INVITE',
        memberCount: 1,
        avatarUrl: null,
        createdAt: orgs[2]!.createdAt,
        status: 'ACTIVE',
        memberLimit: 500,
        timeZone: serverZone(),
        ownerId: another.id,
        owner: { userId: another.id, username: another.username, nickname: expect.any(String) as string },
        pendingTransfer: null,
        updatedAt: expect.any(Number) as number,
      },
    ])
  })

  test('sorts and filters, and refuses unknown values', async () => {
    const [zebra, library, school] = ['Zebra club', 'Aspen Library', 'aspen school']
    expect(await names({})).toEqual([school, library, zebra])
    expect(await names({ sort: 'createdAt' })).toEqual([zebra, library, school])
    expect(await names({ sort: '-memberCount' })).toEqual([library, school, zebra])
    expect((await names({ sort: 'name' })).at(-1)).toBe(school)
    expect(await names({ keyword: 'ASPEN' })).toEqual([school, library])
    const { code } = orgs[0]!
    expect(await names({ keyword: `${code.slice(0, 4)}-${code.slice(4)}`.toLowerCase() })).toEqual([zebra])
    expect(await names({ status: 'DISABLED' })).toEqual([zebra])
    expect(await names({ visibility: 'INTERNAL' })).toEqual([school])
    expect(await names({ joinPolicy: 'APPROVAL' })).toEqual([library])
    const [, { createdAt: from }, { createdAt: to }] = orgs as [Org, Org, Org]
    expect(await names({ from, to })).toEqual([library])
    expect(await names({ from, to, sort: 'name', keyword: 'a' })).toEqual([library])
    expect(await names({ userId: UNKNOWN_ID })).toEqual([])
    for (const [filter, value] of Object.entries({ status: 'GONE', visibility: 'SECRET', sort: 'code', userId: 'x' }))
      expect((await admin.get('/api/admin/orgs', { [filter]: value })).status, filter).toBe(400)
  })

  test('pages hold each organization once, in every order', async () => {
    for (const sort of ['createdAt', '-name', 'memberCount']) {
      const ids: number[] = []
      for (let page = 1; page <= 2; page += 1)
        for (const { id } of ok(await admin.get('/api/admin/orgs', { userId: another.id, sort, page, size: 2 })).data
          .items)
          ids.push(id)
      expect(ids.toSorted((a, b) => a - b)).toEqual(orgs.map(({ id }) => id))
    }
  })
})

test('GET /api/admin/orgs/:orgId shows what the organization owns and an open offer of ownership', async () => {
  const org = await createOrg(owner)
  const heir = await server.person()
  await addMembers(owner, org, heir)
  ok(await offerTo(owner, org, heir))
  ok(await owner.post('/api/qr-codes', { name: 'sign', content: 'x', orgId: org.id }))
  const detail = ok(await admin.call('admin.orgs.get', { params: { orgId: org.id } })).data
  expect(detail).toMatchObject({ id: org.id, ownerId: owner.id, pendingTransfer: { userId: heir.id } })
  expect(Object.keys(detail)).not.toContain('permissions')
  expect(detail.resources).toContainEqual({ name: 'QR codes', count: 1 })
  expect(detail.resources).toContainEqual({ name: 'assets', count: 0 })
  expect((await admin.get(path({ id: UNKNOWN_ID }))).status).toBe(404)
})

describe('POST /api/admin/orgs', () => {
  const create = (body: object) => admin.post('/api/admin/orgs', body)

  test('makes the named user the owner', async () => {
    const person = await server.person()
    const made = ok(await create({ name: 'Founded', ownerId: person.id, visibility: 'INTERNAL', joinPolicy: 'FREE' }))
    expect(made.data).toMatchObject({
      name: 'Founded',
      owner: { userId: person.id, username: person.username },
      visibility: 'INTERNAL',
      joinPolicy: 'INVITE',
      memberCount: 1,
      resources: expect.any(Array) as unknown[],
    })
    expect(await getOrg(person, made.data)).toMatchObject({ isOwner: true, roleName: 'Owner' })
    await expectConsistent(person, made.data)
    expect((await admin.get(`/api/orgs/${made.data.id}/members`)).status).toBe(403)
  })

  describe('where users may own one organization', () => {
    const limited = useServer({ people: ['anna'], settings: { 'quota.organizations': 1 } })

    test('gives a user more than they may create', async () => {
      const { anna } = limited
      await createOrg(anna)
      expect((await anna.post('/api/orgs', { name: 'too many' })).status).toBe(429)
      ok(await limited.admin.post('/api/admin/orgs', { name: 'by an administrator', ownerId: anna.id }))
      expect(ok(await anna.call('orgs.list')).data.total).toBe(2)
    })
  })

  test('refuses an owner who does not exist or cannot sign in, and creates nothing', async () => {
    const gone = await server.person()
    ok(await gone.post('/api/auth/account/delete'))
    const before = ok(await admin.get('/api/admin/orgs')).data.total
    for (const ownerId of [UNKNOWN_ID, gone.id]) {
      const reply = await create({ name: 'Unowned', ownerId })
      expect(reply.status).toBe(400)
      expect(reply.details.map((detail) => detail.path)).toEqual(['body.ownerId'])
    }
    for (const body of [{ name: 'x' }, { ownerId: owner.id }, { name: 'x', ownerId: owner.id, joinPolicy: 'OPEN' }])
      expect((await create(body)).status).toBe(400)
    expect(ok(await admin.get('/api/admin/orgs')).data.total).toBe(before)
  })
})

describe('PUT /api/admin/orgs/:orgId', () => {
  test('changes the given fields only, and INTERNAL sets the join policy to INVITE', async () => {
    const org = await createOrg(owner, { description: 'kept', joinPolicy: 'FREE' })
    const changed = ok(await admin.put(path(org), { name: 'Renamed', visibility: 'INTERNAL', ownerId: admin.id })).data
    expect(changed).toMatchObject({ name: 'Renamed', description: 'kept', joinPolicy: 'INVITE', ownerId: owner.id })
    expect(await getOrg(owner, org)).toMatchObject({ name: 'Renamed', visibility: 'INTERNAL', isOwner: true })
  })

  test('refuses a member limit below the number of members, and then changes nothing', async () => {
    const org = await createOrg(owner)
    await addMembers(owner, org, await server.person())
    const before = await getOrg(owner, org)
    for (const body of [{ memberLimit: 1 }, { memberLimit: 0 }, { status: 'DELETED' }, { name: '' }])
      expect((await admin.put(path(org), { description: 'changed', ...body })).status).toBe(400)
    expect(await getOrg(owner, org)).toEqual(before)
    expect((await admin.put(path({ id: UNKNOWN_ID }), { name: 'x' })).status).toBe(404)
  })

  test('takes the members’ right to change anything with DISABLED, at the next request, and gives it back with ACTIVE', async () => {
    const org = await createOrg(owner)
    const member = await server.person()
    await addMembers(owner, org, member)
    await setRole(owner, org, member, 'ADMIN')
    ok(await member.put(`/api/orgs/${org.id}`, { description: 'before' }))
    expect(ok(await admin.put(path(org), { status: 'DISABLED' })).data.status).toBe('DISABLED')
    for (const user of [owner, member]) {
      expect((await user.put(`/api/orgs/${org.id}`, { description: 'after' })).status).toBe(403)
      expect(await getOrg(user, org)).toMatchObject({ status: 'DISABLED', description: 'before' })
    }
    // Administrators still change it.
    ok(await admin.put(path(org), { description: 'by an administrator' }))
    ok(await admin.put(path(org), { status: 'ACTIVE' }))
    ok(await member.put(`/api/orgs/${org.id}`, { description: 'after' }))
  })
})

describe('DELETE /api/admin/orgs/:orgId', () => {
  const dissolve = (org: { id: number }, force = false) => admin.delete(path(org, force ? '?force=true' : ''))

  test('is refused while there are resources, and without force while there are members; details count both', async () => {
    const org = await createOrg(owner)
    const [member, other] = [await server.person(), await server.person()]
    await addMembers(owner, org, member, other)
    const codes = ['a', 'b'].map((content) => owner.post('/api/qr-codes', { name: content, content, orgId: org.id }))
    const ids = (await Promise.all(codes)).map((reply) => ok(reply).data.id)
    const rows = async (force: boolean) => {
      const reply = await dissolve(org, force)
      expect(reply.status).toBe(400)
      return reply.details
    }
    const resources = { path: 'resources.qrCodes', message: '2 left' }
    const members = { path: 'members', message: '2 besides the owner' }
    expect(await rows(false)).toEqual([resources, members])
    expect(await rows(true)).toEqual([resources])
    for (const id of ids) ok(await owner.delete(`/api/qr-codes/${id}?orgId=${org.id}`))
    expect(await rows(false)).toEqual([members])
    expect((await getOrg(owner, org)).memberCount).toBe(3)

    ok(await switchTo(member, org))
    expect(ok(await dissolve(org, true)).data).toBeNull()
    expect((await dissolve(org, true)).status).toBe(404)
    expect((await owner.get(`/api/orgs/${org.id}`)).status).toBe(404)
    expect(await currentOrgId(member)).toBeNull()
  })

  test('notifies the owner and the members', async () => {
    const [boss, member] = [await server.person(), await server.person()]
    const [large, small] = [await createOrg(boss, { name: 'Large' }), await createOrg(boss, { name: 'Small' })]
    await addMembers(boss, large, member)
    ok(await dissolve(large, true))
    ok(await dissolve(small))
    const told = (user: Person) => titles(user, 'ORG_DISSOLVED')
    await until(async () => (await told(boss)).length === 2)
    expect((await told(boss)).toSorted()).toEqual(['Large was dissolved', 'Small was dissolved'])
    expect(await told(member)).toEqual(['Large was dissolved'])
  })

  test('leaves no QR code without its organization if codes are created at the same time', async () => {
    for (let round = 0; round < 5; round += 1) {
      const org = await createOrg(owner)
      const replies = await race(6, (i) =>
        i === 3 ? dissolve(org) : owner.post('/api/qr-codes', { name: 'late', content: 'x', orgId: org.id }),
      )
      const dissolved = replies[3]!.status === 200
      const made = replies.filter((reply, i) => i !== 3 && reply.status === 200)
      if (dissolved) expect(made).toEqual([])
      else
        expect(ok(await admin.get(path(org))).data.resources).toContainEqual({ name: 'QR codes', count: made.length })
    }
  })
})

describe('POST /api/admin/orgs/:orgId/transfer-ownership', () => {
  const transfer = (org: { id: number }, userId: number) => admin.post(path(org, '/transfer-ownership'), { userId })

  test('makes a member the owner at once, notifies both, and ends the open offer to another member', async () => {
    const boss = await server.person()
    const org = await createOrg(boss, { name: 'Willow' })
    const [heir, candidate] = [await server.person(), await server.person()]
    await addMembers(boss, org, heir, candidate)
    ok(await offerTo(boss, org, candidate))
    ok(await admin.put(path(org), { status: 'DISABLED' }))

    expect(ok(await transfer(org, heir.id)).data).toMatchObject({ owner: { userId: heir.id }, pendingTransfer: null })
    expect(await getOrg(heir, org)).toMatchObject({ isOwner: true, roleName: 'Owner' })
    expect(await getOrg(boss, org)).toMatchObject({ isOwner: false, roleName: 'Administrator' })
    expect((await candidate.post(`/api/orgs/${org.id}/transfer/answer`, { accept: true })).status).toBe(404)
    expect(await titles(heir, 'ORG_TRANSFER')).toEqual(['You are the owner of Willow'])
    expect(await titles(boss, 'ORG_TRANSFER')).toEqual(['Willow has a new owner'])
    expect((await titles(candidate, 'ORG_TRANSFER'))[0]).toBe('The offer of Willow was withdrawn')
    await expectConsistent(heir, org)
  })

  test('refuses the owner, users who are not members, and the administrator who asks', async () => {
    const org = await createOrg(owner)
    const stranger = await server.person()
    ok(await admin.post(path(org, '/members'), { userId: admin.id }))
    for (const userId of [owner.id, stranger.id, UNKNOWN_ID, admin.id])
      expect((await transfer(org, userId)).status).toBe(400)
    expect((await transfer({ id: UNKNOWN_ID }, owner.id)).status).toBe(404)
    expect(await getOrg(owner, org)).toMatchObject({ isOwner: true, ownerId: owner.id })
  })

  test('of simultaneous transfers to one member exactly one succeeds, and to several members there is one owner', async () => {
    const org = await createOrg(owner)
    const members = await race(3, () => server.person())
    await addMembers(owner, org, ...members)
    const same = await race(6, () => transfer(org, members[0]!.id))
    expect(statuses(same)).toEqual([200, 400, 400, 400, 400, 400])
    ok(await transfer(org, owner.id))
    for (const reply of await race(6, (i) => transfer(org, members[i % 3]!.id)))
      expect([200, 400]).toContain(reply.status)
    await expectConsistent(owner, org)
    const { items } = await listMembers(owner, org)
    expect(items.filter(({ roleCode }) => roleCode === 'OWNER')).toHaveLength(1)
  })
})
