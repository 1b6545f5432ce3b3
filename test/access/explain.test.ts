import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { can } from '#domains/access/index.ts'

import { inProcess, type Person, startServer, type TestServer } from '../harness/index.ts'
import { addMembers as enrol, createOrg as found, type Org, setRole as promote } from '../orgs/helpers.ts'
import { grant, makeRole, ok, point, points } from './admin-helpers.ts'

let server: TestServer
let admin: Person
let owner: Person
let member: Person
let stranger: Person
let org: Org

beforeAll(async () => {
  server = await startServer()
  admin = await server.admin()
  ;[owner, member, stranger] = [await server.person(), await server.person(), await server.person()]
  org = await found(owner)
  await enrol(owner, org, member)
})
afterAll(() => server.stop())

interface Answer {
  domain: string
  scopeId: number
  granted: boolean
  reason: string
  explanation: string
  roles: { roleId: number; code: string; name: string; grants: boolean }[]
}

async function explain(whom: Person, permission: string, orgId?: number): Promise<Record<string, Answer>> {
  const query = { userId: whom.id, permission, ...(orgId !== undefined && { orgId }) }
  const { data } = ok(await admin.get('/api/rbac/explain', query))
  expect(data).toMatchObject({ userId: whom.id, userStatus: 'ACTIVE', permission, orgId: orgId ?? null })
  expect(data.granted).toBe(data.answers.some((answer: Answer) => answer.granted))
  return Object.fromEntries(data.answers.map((answer: Answer) => [answer.domain, answer]))
}

describe('GET /api/rbac/explain', () => {
  test('names the role that grants', async () => {
    const { APP, PLATFORM } = await explain(member, 'qr_code:read')
    expect(APP).toMatchObject({ granted: true, reason: 'GRANTED_BY_ROLE', explanation: 'Granted by: User.' })
    expect(APP!.roles.map(({ code, grants }) => ({ code, grants }))).toEqual([{ code: 'USER', grants: true }])
    expect(PLATFORM).toMatchObject({ granted: false, reason: 'NO_ROLE', roles: [] })
    const inOrg = await explain(member, 'member:read', org.id)
    expect(Object.keys(inOrg)).toEqual(['ORG'])
    expect(inOrg['ORG']).toMatchObject({ granted: true, reason: 'GRANTED_BY_ROLE', scopeId: org.id })
  })

  test('says why not', async () => {
    expect((await explain(member, 'org:delete', org.id))['ORG']).toMatchObject({
      granted: false,
      reason: 'NOT_IN_ROLES',
    })
    expect((await explain(stranger, 'org:read', org.id))['ORG']).toMatchObject({
      granted: false,
      reason: 'NOT_A_MEMBER',
      roles: [],
    })
    for (const name of ['no_such:point', 'nonsense', 'qr_code:read:more'])
      for (const answer of Object.values(await explain(admin, name)))
        expect(answer, name).toMatchObject({ granted: false, reason: 'UNKNOWN_POINT' })
    // A point of one domain is unknown in the other.
    expect((await explain(admin, 'setting:update'))['APP']!.reason).toBe('UNKNOWN_POINT')
  })

  test('tells of roles that hold everything, and of none beside them', async () => {
    expect((await explain(owner, 'org:delete', org.id))['ORG']).toMatchObject({
      granted: true,
      reason: 'SHORT_CIRCUIT',
    })
    expect((await explain(admin, 'setting:update'))['PLATFORM']).toMatchObject({
      granted: true,
      reason: 'SHORT_CIRCUIT',
    })
    expect((await explain(admin, 'org:read', org.id))['ORG']).toMatchObject({ granted: false, reason: 'NOT_A_MEMBER' })
  })

  test('a disabled point is disabled for everybody, but for the way back', async () => {
    const off = [await point(admin, 'ORG', 'org:read'), await point(admin, 'PLATFORM', 'rbac_permission:update')]
    for (const { id } of off) ok(await admin.put(`/api/rbac/permissions/${id}`, { enabled: false }))
    for (const who of [owner, member])
      expect((await explain(who, 'org:read', org.id))['ORG']).toMatchObject({ granted: false, reason: 'DISABLED' })
    expect((await explain(admin, 'rbac_permission:update'))['PLATFORM']).toMatchObject({
      granted: true,
      reason: 'NEVER_OFF',
    })
    for (const { id } of off) ok(await admin.put(`/api/rbac/permissions/${id}`, { enabled: true }))
  })

  test('in the language of who asks', async () => {
    const reply = await admin.send('GET', '/api/rbac/explain', {
      query: { userId: member.id, permission: 'no_such:point' },
      headers: { 'accept-language': 'zh-CN' },
    })
    expect(reply.data.answers[0].explanation).toBe('APP 域没有此权限点。')
  })

  test('unknown people and organizations are 404, missing questions 400, others 403', async () => {
    const ask = (who: Person, query: Record<string, string | number>) => who.get('/api/rbac/explain', query)
    expect((await ask(admin, { userId: 999_999_999, permission: 'org:read' })).status).toBe(404)
    expect((await ask(admin, { userId: member.id, permission: 'org:read', orgId: 999_999_999 })).status).toBe(404)
    for (const query of [{ userId: member.id }, { permission: 'org:read' }, { userId: 'x', permission: 'org:read' }])
      expect((await ask(admin, query as Record<string, string>)).status).toBe(400)
    expect((await ask(owner, { userId: owner.id, permission: 'org:read', orgId: org.id })).status).toBe(403)
  })

  test.if(inProcess)('agrees with the check, for every point of some people of all kinds', async () => {
    const several = await server.person()
    await enrol(owner, org, several)
    await promote(owner, org, several, 'GUEST')
    const extra = await makeRole(admin, {
      domain: 'ORG',
      scopeId: org.id,
      permissions: ['asset:scrap', 'location:update'],
    })
    ok(await grant(admin, several, extra.id))
    ok(await grant(admin, several, (await makeRole(admin, { permissions: ['user:read', 'setting:read'] })).id))
    const off = [
      await point(admin, 'ORG', 'asset:scrap'),
      await point(admin, 'APP', 'chat:read'),
      await point(admin, 'PLATFORM', 'user:read'),
      await point(admin, 'PLATFORM', 'rbac_permission:read'),
    ]
    for (const { id } of off) ok(await admin.put(`/api/rbac/permissions/${id}`, { enabled: false }))
    let compared = 0
    for (const who of [admin, owner, member, several, stranger])
      for (const domain of ['PLATFORM', 'APP', 'ORG'] as const) {
        const scopeId = domain === 'ORG' ? org.id : 0
        const names = (await points(admin, domain)).map((each) => each.name)
        const answers = await Promise.all(
          names.map((name) => explain(who, name, domain === 'ORG' ? org.id : undefined)),
        )
        for (const [i, name] of names.entries()) {
          const allowed = await can(server.ctx, who.id, domain, scopeId, name)
          expect(answers[i]![domain]!.granted, `${who.username} ${domain} ${name}`).toBe(allowed)
          compared++
        }
      }
    expect(compared).toBeGreaterThan(1000)
    for (const { id } of off) ok(await admin.put(`/api/rbac/permissions/${id}`, { enabled: true }))
  })
})
