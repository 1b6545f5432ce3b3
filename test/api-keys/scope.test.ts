/** The permissions of API keys: their points, as far as the owner holds them at the moment, in one domain. */

import { beforeAll, describe, expect, test } from 'bun:test'

import { allEndpoints } from '#app'
import { bindPlatformRole, permissionSet, unbindRoles } from '#domains/access/index.ts'
import type { AnyEndpoint } from '#http/endpoint.ts'

import { inProcess, ok, type Person, useServer } from '../harness/index.ts'
import { addMembers, createOrg, type Org, setRole } from '../orgs/helpers.ts'
import { type Key, keyOf, makeKey } from './helpers.ts'

/** Areas of the contract that no key reaches. */
const CLOSED = [
  '/api/auth',
  '/api/rbac',
  '/api/webhooks',
  '/api/admin/webhooks',
  '/api/admin/oidc',
  '/api/admin/api-keys',
  '/api/admin/backups',
  '/api/admin/restores',
  '/api/admin/server-log',
  '/api/orgs/:orgId/api-keys',
]
const CLOSED_WRITES = [
  '/api/admin/settings',
  '/api/admin/chat/settings',
  '/api/admin/server',
  '/api/admin/setup',
  '/api/orgs/:orgId/roles',
  '/api/orgs/:id/transfer',
  '/api/orgs/:id/transfer-ownership',
  '/api/admin/orgs/:orgId/transfer-ownership',
  '/api/admin/orgs/:orgId/members/:userId/role',
  '/api/admin/users/:userId/role',
  '/api/admin/users/:userId/status',
  '/api/admin/users/:userId/sessions',
  '/api/admin/users/:userId/reset-code',
  '/api/admin/users/:userId/export',
  // A calendar can be read by its link when the key has ended.
  '/api/assets/calendar',
  // A phone works as a gate by its link, also when the key has ended.
  '/api/activities/:id/gates',
]
const DISSOLVING = ['DELETE /api/orgs/:id', 'DELETE /api/admin/orgs/:orgId', 'DELETE /api/admin/users/:userId']
const inside = (path: string, areas: readonly string[]) => areas.some((at) => path === at || path.startsWith(`${at}/`))

describe.if(inProcess)('the permissions of API keys', () => {
  const { server, admin, alice, bob } = useServer({ people: ['alice', 'bob'] })
  let org: Org
  let other: Org
  const keys: Record<string, Key> = {}
  const points: Record<string, ReadonlySet<string>> = {}

  beforeAll(async () => {
    org = await createOrg(alice)
    other = await createOrg(alice)
    const all = async (domain: 'APP' | 'ORG' | 'PLATFORM', who: Person, orgId = 0) =>
      [...(await permissionSet(server.ctx, who.id, domain, orgId))].filter((point) => !point.startsWith('chat:'))
    const app = await all('APP', alice)
    const inOrg = await all('ORG', alice, org.id)
    const platform = (await all('PLATFORM', admin)).filter(
      (point) => point.endsWith(':read') || ['notification:send', 'user:create', 'org_member:create'].includes(point),
    )
    const make = async (name: string, owner: Person, wishes: Parameters<typeof makeKey>[2] & { points: string[] }) => {
      keys[name] = await makeKey(server, owner, wishes)
      points[name] = new Set(wishes.points)
    }
    await make('APP', alice, { points: app })
    await make('ORG', alice, { points: inOrg, orgId: org.id })
    await make('PLATFORM', admin, { points: platform, domain: 'PLATFORM' })
    await make('one point', alice, { points: ['qr_code:read'] })
  })

  /** The outcome that the contract names for an operation and a key. */
  function expected(endpoint: AnyEndpoint, key: string): 401 | 403 | 4037 | 'in' {
    const { access, method, path, opensSocket } = endpoint
    const { kind } = access
    if (kind === 'gate' || opensSocket) return 401
    if (kind === 'key') return 'in'
    if (kind === 'open' && !inside(path, CLOSED)) return 'in'
    if (kind === 'signedIn' || kind === 'admin' || inside(path, CLOSED)) return 4037
    if (method !== 'GET' && inside(path, CLOSED_WRITES)) return 4037
    if (DISSOLVING.includes(`${method} ${path}`)) return 4037
    const point = 'point' in access ? access.point : ''
    const isHeld = points[key]!.has(point)
    switch (key) {
      case 'ORG':
        return isHeld && (kind === 'org' || kind === 'dual') ? 'in' : 403
      case 'PLATFORM':
        return isHeld && (kind === 'platform' || kind === 'publisher') ? 'in' : 403
      default:
        return isHeld && ['app', 'dual', 'signedUrl'].includes(kind) ? 'in' : 403
    }
  }

  test.each(['APP', 'ORG', 'PLATFORM', 'one point'])(
    'a key of %s gets into every operation of the API that its points open, and into no other',
    async (name) => {
      const wrong: string[] = []
      for (const endpoint of allEndpoints) {
        const { method, path, body, access } = endpoint
        // Nothing looks at the header there; the web application would be built.
        if (access.kind === 'open' && !('readsToken' in access) && !path.startsWith('/api/')) continue
        const ownOrg = endpoint.access.kind === 'org' ? String(org.id) : '999999999'
        const url = path
          .replace(':orgId', ownOrg)
          .replace(/^\/api\/orgs\/:id/, `/api/orgs/${ownOrg}`)
          .replace(/:\w+/g, '999999999')
        // An operation without an id or a body could do something.
        if (path === '/api/admin/server/restart') continue
        // Pages show the message without its code.
        const headers = { accept: 'application/json' }
        const reply = await keys[name]!.send(method, url, { headers, ...(body && { body: {} }) })
        if (reply.status >= 500 && reply.status !== 503) wrong.push(`${method} ${path}: ${reply.status}`)
        const outcome = reply.code === 4037 ? 4037 : reply.status === 401 || reply.status === 403 ? reply.status : 'in'
        const right = expected(endpoint, name)
        // The shape of an empty body is refused with 400, whatever the rules of the operation are.
        if (outcome !== right) wrong.push(`${method} ${path} ${endpoint.access.kind}: ${outcome} instead of ${right}`)
      }
      expect(wrong).toEqual([])
      ok(await keys[name]!.get('/api/auth/api-keys/self'))
    },
  )

  test('a key of an organization sees and makes rows of this organization, with or without orgId', async () => {
    const key = keys['ORG']!
    const made = ok(await key.call('qrCodes.create', { body: { name: 'Door', content: 'https://example.org' } })).data
    expect(made.orgId).toBe(org.id)
    const mine = ok(
      await alice.call('qrCodes.create', { body: { name: 'Mine', content: 'https://example.org/m' } }),
    ).data
    const theirs = ok(
      await alice.call('qrCodes.create', { body: { name: 'O', content: 'https://example.org/o', orgId: other.id } }),
    ).data
    const names = async (query = {}) =>
      ok(await key.get('/api/qr-codes', query)).data.items.map(({ name }: { name: string }) => name)
    expect(await names()).toEqual(['Door'])
    expect(await names({ orgId: org.id })).toEqual(['Door'])
    expect((await key.get('/api/qr-codes', { orgId: other.id })).status).toBe(403)
    ok(await key.get(`/api/qr-codes/${made.id}`))
    for (const { id } of [mine, theirs]) {
      expect((await key.get(`/api/qr-codes/${id}`)).status).toBe(404)
      expect((await key.send('PUT', `/api/qr-codes/${id}`, { body: { name: 'Taken' } })).status).toBe(404)
      expect((await key.send('DELETE', `/api/qr-codes/${id}`)).status).toBe(404)
    }
    const elsewhere = { name: 'E', content: 'https://example.org/e', orgId: other.id }
    expect((await key.send('POST', '/api/qr-codes', { body: elsewhere })).status).toBe(403)
    expect((await key.get(`/api/orgs/${other.id}/members`)).status).toBe(403)
    ok(await key.get(`/api/orgs/${org.id}/members`))
  })

  test('a key for the owner’s own rows sees no row of an organization, whatever its owner may see', async () => {
    const key = keys['APP']!
    const own = ok(await key.call('qrCodes.create', { body: { name: 'Own', content: 'https://example.org/own' } })).data
    expect(own.orgId).toBeNull()
    const made = ok(
      await alice.call('qrCodes.create', { body: { name: 'Org', content: 'https://example.org/1', orgId: org.id } }),
    ).data
    ok(await alice.get(`/api/qr-codes/${made.id}`))
    expect((await key.get(`/api/qr-codes/${made.id}`)).status).toBe(404)
    expect((await key.get('/api/qr-codes', { orgId: org.id })).status).toBe(403)
    const body = { name: 'N', content: 'https://example.org/n', orgId: org.id }
    expect((await key.send('POST', '/api/qr-codes', { body })).status).toBe(403)
  })

  test('rows that `run` decides on, such as activities, are those of the key only', async () => {
    const soon = server.clock.now() + 3_600_000
    const body = { name: 'Meeting', startTime: soon, endTime: soon + 3_600_000, orgId: org.id, visibility: 'ORG' }
    const created = await alice.post('/api/activities', body)
    const { id } =
      created.status === 200
        ? created.data
        : ok(await alice.post('/api/activities', { ...body, visibility: undefined })).data
    ok(await alice.get(`/api/activities/${id}`))
    ok(await keys['ORG']!.get(`/api/activities/${id}`))
    expect((await keys['APP']!.get(`/api/activities/${id}`)).status).toBe(404)
    expect((await keys['APP']!.send('PUT', `/api/activities/${id}`, { body: { name: 'Mine' } })).status).toBe(404)
    const personal = ok(await alice.post('/api/activities', { ...body, orgId: undefined, visibility: undefined })).data
    ok(await keys['APP']!.get(`/api/activities/${personal.id}`))
    expect((await keys['ORG']!.get(`/api/activities/${personal.id}`)).status).toBe(404)
  })

  test('a repeated request with the same Idempotency-Key is repeated for each key apart', async () => {
    const body = { name: 'Once', content: 'https://example.org/once' }
    const make = (name: string) =>
      keys[name]!.send('POST', '/api/qr-codes', { body, headers: { 'idempotency-key': 'row-1' } })
    const [first, again, personal] = [ok(await make('ORG')), ok(await make('ORG')), ok(await make('APP'))]
    expect([again.data.id, again.headers.get('idempotency-replayed')]).toEqual([first.data.id, 'true'])
    expect([personal.data.orgId, personal.headers.get('idempotency-replayed')]).toEqual([null, null])
  })

  test('a key subscribes no device to pushes, which belong to a session', async () => {
    const body = {
      endpoint: 'https://push.example.net/1',
      keys: {
        p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
        auth: 'BTBZMqHH6r4Tts7J_aSIgg',
      },
    }
    expect((await keys['APP']!.send('POST', '/api/notifications/subscriptions', { body })).code).toBe(4037)
  })

  test('a further point that a service asks for inside a write counts as that of the key', async () => {
    const key = await makeKey(server, alice, { points: ['qr_code:create', 'qr_code:read'] })
    const body = { name: 'Public', content: 'https://example.org/p', isPublic: true }
    const owner = ok(await alice.post('/api/qr-codes', body)).data
    expect(owner.isPublic).toBe(true)
    const reply = await key.send('POST', '/api/qr-codes', { body })
    expect(reply.status === 403 || reply.data.isPublic === false).toBe(true)
  })

  test('a key loses a point with its owner, at the next request', async () => {
    await addMembers(alice, org, bob)
    await setRole(alice, org, bob, 'ADMIN')
    const key = await makeKey(server, bob, { orgId: org.id, points: ['asset:create', 'asset:read'] })
    const create = () => key.send('POST', '/api/assets', { body: { name: 'Chair' } })
    ok(await create())
    await setRole(alice, org, bob, 'GUEST')
    expect((await create()).status).toBe(403)
    await setRole(alice, org, bob, 'ADMIN')
    ok(await create())
    ok(await admin.put(`/api/admin/orgs/${org.id}`, { status: 'DISABLED' }))
    expect((await create()).status).toBe(403)
    ok(await key.get('/api/assets'))
    ok(await admin.put(`/api/admin/orgs/${org.id}`, { status: 'ACTIVE' }))
  })

  test('a key of the console loses everything with the role of its owner', async () => {
    const { ctx } = server
    const chief = await server.person()
    await ctx.db.write('test', (tx) => bindPlatformRole(ctx, tx, chief.id, 'SYSTEM_ADMIN'))
    const key = await makeKey(server, chief, { domain: 'PLATFORM', points: ['user:read'] })
    ok(await key.get('/api/admin/users'))
    await ctx.db.write('test', (tx) => unbindRoles(tx, chief.id, 'PLATFORM', 0))
    expect((await key.get('/api/admin/users')).status).toBe(403)
    ok(await chief.post('/api/auth/confirm', { verifyType: 'PASSWORD', password: chief.password }))
    const refused = await chief.post('/api/auth/api-keys', { name: 'X', domain: 'PLATFORM', points: ['user:read'] })
    expect(refused.status).toBe(403)
  })

  test('a key of the console cannot have points that change more than adding users, members and notifications', async () => {
    ok(await admin.post('/api/auth/confirm', { verifyType: 'PASSWORD', password: admin.password }))
    for (const point of ['user:update', 'setting:update', 'session:revoke', 'rbac_user_role:grant'])
      expect((await admin.post('/api/auth/api-keys', { name: 'X', domain: 'PLATFORM', points: [point] })).status).toBe(
        400,
      )
  })

  test('a key makes no password and gives no role, and the operation log names it', async () => {
    const key = keys['PLATFORM']!
    const create = (body: object) => key.send('POST', '/api/admin/users', { body })
    const refused = await create({ username: 'made.by.key', password: 'Correct-horse-9' })
    expect([refused.status, refused.code]).toEqual([403, 4037])
    const { data } = ok(await create({ username: 'made.by.key' }))
    expect([data.initialPassword, data.hasPassword]).toEqual([undefined, false])
    const row = ok(await admin.get('/api/admin/logs', { action: 'USER_CREATE' })).data.items[0]
    expect(row).toMatchObject({ actorId: admin.id, targetId: data.id, apiKey: { id: key.id, name: 'Spreadsheet' } })
    const list = (fields: object) => {
      const form = new FormData()
      for (const [name, value] of Object.entries(fields)) form.set(name, String(value))
      form.set('file', new File(['username\nlisted.by.key\n'], 'list.csv'))
      return key.send('POST', '/api/admin/users/import', { body: form })
    }
    for (const fields of [{}, { way: 'START_CODE' }]) expect((await list(fields)).code).toBe(4037)
    expect(ok(await list({ way: 'NONE' })).data).toMatchObject({ created: 1, sheetUrl: null })
    const add = (body: object) =>
      key.send('POST', `/api/admin/orgs/${other.id}/members`, { body: { userId: data.id, ...body } })
    expect((await add({ roleCode: 'ADMIN' })).code).toBe(4037)
    expect(ok(await add({})).data.roleCode).toBe('MEMBER')
    const invited = await keys['ORG']!.send('POST', `/api/orgs/${org.id}/invite`, {
      body: { userIds: [data.id], roleId: 1 },
    })
    expect([400, 403]).toContain(invited.status)
    const member = await keys['ORG']!.send('PUT', `/api/orgs/${org.id}/members/${bob.id}`, {
      body: { roleCode: 'GUEST' },
    })
    expect(member.code).toBe(4037)
  })

  test('a key changes an organization, but not whether it requires a second factor', async () => {
    const change = (requireSecondFactor: boolean) =>
      keys['ORG']!.send('PUT', `/api/orgs/${org.id}`, { body: { description: 'By a key', requireSecondFactor } })
    const refused = await change(true)
    expect([refused.status, refused.code]).toEqual([403, 4037])
    expect(ok(await alice.get(`/api/orgs/${org.id}`)).data.requireSecondFactor).toBe(false)
    expect(ok(await change(false)).data.description).toBe('By a key')
  })

  test('public operations do for a key what they do for anyone, and those for signing in refuse it', async () => {
    const key = keys['one point']!
    ok(await key.get('/api/server'))
    const login = await key.send('POST', '/api/auth/login', { body: { account: 'alice', password: alice.password } })
    expect([login.status, login.code]).toEqual([403, 4037])
    const wrong = keyOf(server, 0, `${key.key}x`)
    expect((await wrong.send('POST', '/api/auth/login', { body: {} })).status).toBe(401)
  })
})
