/** API keys: made, limited, used and ended. */

import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { apiKeys } from '#db/schema/api-keys.ts'
import { bindPlatformRole, unbindRoles } from '#domains/access/index.ts'
import { resetPassword } from '#domains/accounts/index.ts'
import { isWellFormedKey } from '#lib/api-key.ts'
import { DAY, MINUTE, SECOND } from '#platform/clock.ts'
import { sha256 } from '#platform/ids.ts'

import { inProcess, ok, race, until, useServer } from '../harness/index.ts'
import { addMembers, createOrg } from '../orgs/helpers.ts'
import { type Key, keyOf, makeKey, set } from './helpers.ts'

describe.if(inProcess)('API keys', () => {
  const { server, alice, bob, admin } = useServer({ people: ['alice', 'bob'], rateLimit: true })

  const codes = (key: Key) => key.get('/api/qr-codes')
  const runJob = (name: string) => {
    const jobs = (
      server.ctx as unknown as { domains: { jobs?: { name: string; run(ctx: unknown): Promise<void> }[] }[] }
    ).domains
    return jobs
      .flatMap(({ jobs: list = [] }) => list)
      .find((job) => job.name === name)!
      .run(server.ctx)
  }

  test('a key is shown once, and the database has its hash only', async () => {
    const { data } = ok(await alice.call('apiKeys.create', { body: { name: 'Home', points: ['qr_code:read'] } }))
    expect(data.key).toMatch(/^tsk_[0-9A-Za-z]{40}$/)
    expect(isWellFormedKey(data.key)).toBe(true)
    expect(data).toMatchObject({
      domain: 'APP',
      orgId: null,
      mcp: 'OFF',
      networks: [],
      lastUsedAt: null,
      revokedAt: null,
    })
    expect(data.prefix).toBe(data.key.slice(0, 12))
    expect(data.expiresAt - data.createdAt).toBeGreaterThan(89 * DAY)
    const listed = ok(await alice.get('/api/auth/api-keys'))
    expect(listed.data.items[0]).toMatchObject({ id: data.id, name: 'Home', prefix: data.prefix })
    expect(listed.text).not.toContain(data.key)
    ok(await alice.call('apiKeys.revoke', { params: { id: data.id } }))
  })

  test('no file of the server contains a key, and the database has its hash', async () => {
    const key = await makeKey(server, alice)
    ok(await codes(key))
    expect((await server.request('GET', `/api/qr-codes?key=${key.key}`)).status).toBe(401)
    expect((await codes(keyOf(server, 0, `${key.key}x`))).status).toBe(401)
    const hash = sha256(key.key)
    let withHash = 0
    for (const path of new Bun.Glob('**/*').scanSync({ cwd: server.dataDir })) {
      const bytes = readFileSync(join(server.dataDir, path))
      expect([path, bytes.includes(key.key.slice(4, 38))]).toEqual([path, false])
      if (bytes.includes(hash)) withHash++
    }
    // On SQLite, the database or its log, which a backup copies.
    expect(withHash > 0).toBe(!process.env['TEST_DATABASE_URL'])
    const rows = await server.ctx.db.read.select().from(apiKeys)
    expect(JSON.stringify(rows)).not.toContain(key.key.slice(4, 38))
  })

  test('the owner learns of a new key by a login record and a notification', async () => {
    const key = await makeKey(server, alice, { name: 'Told of' })
    const records = ok(await alice.get('/api/login-records/recent')).data.items
    expect(records[0]).toMatchObject({ loginType: 'api_key_create', status: 'success' })
    const notices = ok(await alice.get('/api/notifications')).data.items
    expect(notices[0].data).toMatchObject({ event: 'API_KEY_CREATED', apiKeyId: key.id })
    expect(notices[0].content ?? notices[0].body).toContain('Told of')
    expect(JSON.stringify(notices)).not.toContain(key.key)
  })

  test('a key needs no device id, and every other text in its place is answered like a bad token', async () => {
    const key = await makeKey(server, alice)
    ok(await codes(key))
    const bad = await server.request('GET', '/api/qr-codes', { token: 'nonsense', deviceId: 'x'.repeat(20) })
    const last = key.key.at(-1) === 'a' ? 'b' : 'a'
    const texts = [key.key.slice(0, -1) + last, `${key.key}a`, 'tsk_', `tsk_${'0'.repeat(40)}`, key.key.toUpperCase()]
    for (const text of texts) {
      const refused = await codes(keyOf(server, 0, text))
      expect([refused.status, refused.code, refused.message]).toEqual([401, 401, bad.message])
    }
    expect((await server.request('GET', `/api/qr-codes?token=${key.key}`)).status).toBe(401)
    expect((await server.request('GET', `/ws/chat?token=${key.key}`)).status).toBe(401)
    expect((await key.get('/ws/chat')).status).toBe(401)
  })

  test('GET /api/auth/api-keys/self answers the key that asks, and 401 to tokens', async () => {
    const key = await makeKey(server, alice, { name: 'Self' })
    const { data } = ok(await key.get('/api/auth/api-keys/self'))
    expect(data).toMatchObject({ id: key.id, name: 'Self' })
    expect(data.key).toBeUndefined()
    expect((await alice.get('/api/auth/api-keys/self')).status).toBe(401)
    expect((await server.request('GET', '/api/auth/api-keys/self')).status).toBe(401)
  })

  test.each([
    ['no name', { name: '' }],
    ['a long name', { name: 'x'.repeat(51) }],
    ['no points', { points: [] }],
    ['101 points', { points: Array.from({ length: 101 }, (_, i) => `a:${'b'.repeat(i + 1)}`) }],
    ['an unknown point', { points: ['qr_code:fly'] }],
    ['a point of chats', { points: ['chat:read'] }],
    ['a point of the console', { points: ['user:read'] }],
    ['an end in the past', { expiresAt: 1 }],
    ['an end in 400 days', { expiresAt: Date.now() + 400 * DAY }],
    ['an impossible network', { networks: ['10.0.0.0/33'] }],
    ['11 networks', { networks: Array.from({ length: 11 }, (_, i) => `10.0.${i}.0/24`) }],
    ['an organization without its domain', { domain: 'APP', orgId: 1 }],
    ['the domain of an organization without one', { domain: 'ORG' }],
    ['an organization of others', { orgId: 999_999_999 }],
    ['an unknown use by assistants', { mcp: 'ALL' }],
  ])('a key with %s is refused with 400', async (_, wrong) => {
    const before = ok(await bob.get('/api/auth/api-keys')).data.total
    const refused = await bob.post('/api/auth/api-keys', { name: 'Wrong', points: ['qr_code:read'], ...wrong })
    expect([refused.status, refused.details.length > 0]).toEqual([400, true])
    expect(ok(await bob.get('/api/auth/api-keys')).data.total).toBe(before)
  })

  test('ten minutes after the sign-in a key is made only after a confirmation, by everyone', async () => {
    const carol = await server.person()
    server.clock.advance(10 * MINUTE + SECOND)
    const body = { name: 'Late', points: ['qr_code:read'] }
    const refused = await carol.call('apiKeys.create', { body })
    expect([refused.status, refused.code]).toEqual([403, 4031])
    ok(await carol.post('/api/auth/confirm', { verifyType: 'PASSWORD', password: carol.password }))
    ok(await carol.call('apiKeys.create', { body }))
  })

  test('an account that only its device can open makes no key', async () => {
    const deviceId = `device-${crypto.randomUUID()}`
    const login = ok(await server.request('POST', '/api/auth/device-login', { body: {}, deviceId }))
    const options = { token: login.data.accessToken, deviceId, body: { name: 'X', points: ['qr_code:read'] } }
    expect((await server.request('POST', '/api/auth/api-keys', options)).status).toBe(403)
  })

  test('of 40 keys at once a user gets 20', async () => {
    const dora = await server.person()
    const body = { name: 'Many', points: ['qr_code:read'] }
    const answers = await race(40, () => dora.call('apiKeys.create', { body }))
    expect(answers.map(({ status }) => status).filter((status) => status === 200)).toHaveLength(20)
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 400]))
    const { items } = ok(await dora.get('/api/auth/api-keys')).data
    ok(await dora.call('apiKeys.revoke', { params: { id: items[0].id } }))
    ok(await dora.call('apiKeys.create', { body }))
  })

  test('a key can be renamed and limited, and never gets more', async () => {
    const key = await makeKey(server, alice, { mcp: 'READ' })
    const { expiresAt } = ok(await key.get('/api/auth/api-keys/self')).data
    const change = (body: object) => alice.put(`/api/auth/api-keys/${key.id}`, body)
    for (const wrong of [{ mcp: 'WRITE' }, { expiresAt: expiresAt + 1 }, { expiresAt: 1 }, { networks: ['x'] }])
      expect((await change(wrong)).status).toBe(400)
    expect(ok(await change({ points: ['qr_code:delete'], domain: 'PLATFORM' })).data.points).toEqual(['qr_code:read'])
    const { data } = ok(
      await change({ name: 'Less', mcp: 'OFF', expiresAt: expiresAt - DAY, networks: ['192.0.2.9/24'] }),
    )
    expect(data).toMatchObject({ name: 'Less', mcp: 'OFF', expiresAt: expiresAt - DAY, networks: ['192.0.2.0/24'] })
    expect((await codes(key)).status).toBe(401)
    expect((await bob.put(`/api/auth/api-keys/${key.id}`, { name: 'Mine' })).status).toBe(404)
    expect((await bob.delete(`/api/auth/api-keys/${key.id}`)).status).toBe(404)
  })

  test('a key is taken from its networks only, by the address that a trusted proxy reports', async () => {
    const key = await makeKey(server, alice, { networks: ['203.0.113.0/24', '2001:db8:1::/48'] })
    const from = (ip: string) => key.send('GET', '/api/qr-codes', { headers: { 'x-forwarded-for': ip } })
    for (const inside of ['203.0.113.9', '2001:db8:1:2::3', '198.51.100.1, 203.0.113.9']) ok(await from(inside))
    for (const outside of ['203.0.114.9', '2001:db8:2::1', '203.0.113.9, 198.51.100.1', ''])
      expect((await from(outside)).status).toBe(401)
  })

  test('a key ends to the second', async () => {
    const expiresAt = server.clock.now() + DAY
    const erin = await server.person()
    const key = await makeKey(server, erin, { expiresAt })
    server.clock.advance(expiresAt - server.clock.now() - SECOND)
    ok(await codes(key))
    server.clock.advance(SECOND)
    expect((await codes(key)).status).toBe(401)
    expect((await erin.put(`/api/auth/api-keys/${key.id}`, { name: 'Too late' })).status).toBe(400)
  })

  test('a key has its own rate, apart from the sessions of its owner', async () => {
    await set(server, 'apiKeys.perMinute', 5)
    const key = await makeKey(server, alice)
    for (let i = 0; i < 5; i++) ok(await codes(key))
    const refused = await codes(key)
    expect([refused.status, refused.code]).toEqual([429, 4022])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    ok(await alice.get('/api/qr-codes'))
    await set(server, 'apiKeys.perMinute', 0)
    ok(await codes(key))
    await set(server, 'apiKeys.perMinute', 600)
  })

  test('the setting apiKeys.enabled refuses all keys while it is off', async () => {
    const key = await makeKey(server, alice)
    await set(server, 'apiKeys.enabled', false)
    expect((await codes(key)).status).toBe(401)
    await set(server, 'apiKeys.enabled', true)
    ok(await codes(key))
  })

  test('the last use is exact to a minute, and costs one write a minute', async () => {
    const key = await makeKey(server, alice)
    const shown = async () =>
      ok(await alice.get('/api/auth/api-keys', { size: 100 })).data.items.find(
        (item: { id: number }) => item.id === key.id,
      )
    await key.send('GET', '/api/qr-codes', { headers: { 'x-forwarded-for': '203.0.113.5' } })
    const first = server.clock.now()
    await until(async () => (await shown()).lastUsedAt !== null)
    expect(await shown()).toMatchObject({ lastAddress: '203.0.113.5' })
    server.clock.advance(30 * SECOND)
    ok(await codes(key))
    expect((await shown()).lastUsedAt).toBeLessThanOrEqual(first)
    server.clock.advance(30 * SECOND)
    ok(await codes(key))
    await until(async () => (await shown()).lastUsedAt > first)
  })

  test('a changed password ends the keys, unless the user keeps them', async () => {
    const frank = await server.person()
    const key = await makeKey(server, frank)
    const change = (newPassword: string, more = {}) =>
      frank.post('/api/auth/password/change', {
        verifyType: 'OLD_PASSWORD',
        oldPassword: frank.password,
        newPassword,
        ...more,
      })
    const again = async (password: string) => {
      const body = { account: frank.username, password }
      const { data } = ok(await server.request('POST', '/api/auth/login', { body, deviceId: frank.deviceId }))
      Object.assign(frank, { token: data.accessToken, password })
    }
    ok(await change('Correct-horse-1', { keepApiKeys: true }))
    ok(await codes(key))
    await again('Correct-horse-1')
    ok(await change('Correct-horse-2'))
    expect((await codes(key)).status).toBe(401)
    await again('Correct-horse-2')
    expect(ok(await frank.get('/api/auth/api-keys')).data.items[0].revokedAt).toBeNumber()
  })

  test('a password that the operator sets ends the keys', async () => {
    const grace = await server.person()
    const key = await makeKey(server, grace)
    await resetPassword(server.ctx, grace.username, 'Correct-horse-3')
    expect((await codes(key)).status).toBe(401)
  })

  test('a disabled owner’s keys are refused at once, and work again after that', async () => {
    const heidi = await server.person()
    const key = await makeKey(server, heidi)
    ok(await codes(key))
    ok(await admin.patch(`/api/admin/users/${heidi.id}/status`, { status: 'DISABLED' }))
    expect((await codes(key)).status).toBe(401)
    ok(await admin.patch(`/api/admin/users/${heidi.id}/status`, { status: 'ACTIVE' }))
    ok(await codes(key))
  })

  test('deleting the account deletes its keys', async () => {
    const ivan = await server.person()
    const key = await makeKey(server, ivan)
    ok(await codes(key))
    ok(await ivan.call('auth.deleteAccount'))
    expect((await codes(key)).status).toBe(401)
    const { items } = ok(await admin.get('/api/admin/api-keys', { userId: ivan.id })).data
    expect(items).toEqual([])
  })

  test('a member’s keys of an organization end when they leave, and all of them with the organization', async () => {
    const [judy, ken] = [await server.person(), await server.person()]
    const org = await createOrg(judy)
    await addMembers(judy, org, ken)
    const points = ['asset:read']
    const [hers, his] = [
      await makeKey(server, judy, { orgId: org.id, points }),
      await makeKey(server, ken, { orgId: org.id, points }),
    ]
    ok(await his.get('/api/assets'))
    ok(await ken.post(`/api/orgs/${org.id}/leave`))
    expect((await his.get('/api/assets')).status).toBe(401)
    ok(await hers.get('/api/assets'))
    ok(await judy.delete(`/api/orgs/${org.id}`))
    expect((await hers.get('/api/assets')).status).toBe(401)
    expect(ok(await judy.get('/api/auth/api-keys')).data.total).toBe(0)
  })

  test('a member who may change the organization sees its keys with their owners and ends them, and the owner is notified', async () => {
    const [judy, ken] = [await server.person(), await server.person()]
    const org = await createOrg(judy)
    await addMembers(judy, org, ken)
    const key = await makeKey(server, ken, { orgId: org.id, points: ['asset:read'], name: 'Sheet of Ken' })
    const other = await makeKey(server, ken)
    expect((await ken.get(`/api/orgs/${org.id}/api-keys`)).status).toBe(403)
    const { items } = ok(await judy.get(`/api/orgs/${org.id}/api-keys`)).data
    expect(items).toHaveLength(1)
    expect(items[0]).toMatchObject({ id: key.id, owner: { userId: ken.id } })
    expect((await judy.delete(`/api/orgs/${org.id}/api-keys/${other.id}`)).status).toBe(404)
    ok(await judy.delete(`/api/orgs/${org.id}/api-keys/${key.id}`))
    ok(await judy.delete(`/api/orgs/${org.id}/api-keys/${key.id}`))
    expect((await key.get('/api/assets')).status).toBe(401)
    ok(await codes(other))
    const notices = ok(await ken.get('/api/notifications')).data.items.filter(
      (notice: { data: { event?: string } }) => notice.data.event === 'API_KEY_REVOKED',
    )
    expect(notices).toHaveLength(1)
  })

  test('administrators see all keys and end them in the operation log, but not those of other administrators', async () => {
    const [lea, manager] = [await server.person(), await server.person()]
    const { ctx } = server
    await ctx.db.write('test', (tx) => bindPlatformRole(ctx, tx, manager.id, 'USER_ADMIN'))
    const key = await makeKey(server, lea, { name: 'Of Lea' })
    const chief = await makeKey(server, admin, { name: 'Of the chief' })
    const listed = ok(await manager.get('/api/admin/api-keys', { keyword: 'of lea' })).data.items
    expect(listed).toHaveLength(1)
    expect(listed[0]).toMatchObject({ id: key.id, owner: { userId: lea.id } })
    expect((await manager.delete(`/api/admin/api-keys/${chief.id}`)).status).toBe(403)
    ok(await manager.delete(`/api/admin/api-keys/${key.id}`))
    ok(await manager.delete(`/api/admin/api-keys/${key.id}`))
    expect((await codes(key)).status).toBe(401)
    const logs = ok(await admin.get('/api/admin/logs', { action: 'API_KEY_REVOKE' })).data.items
    expect(logs).toHaveLength(1)
    expect(logs[0]).toMatchObject({ targetId: key.id, targetName: 'Of Lea', actorId: manager.id, apiKey: null })
    expect(ok(await admin.get('/api/admin/api-keys', { status: 'ENDED', userId: lea.id })).data.total).toBe(1)
    expect(ok(await admin.get('/api/admin/api-keys', { status: 'ACTIVE', userId: lea.id })).data.total).toBe(0)
    expect((await lea.get('/api/admin/api-keys')).status).toBe(403)
    expect((await admin.delete('/api/admin/api-keys/999999999')).status).toBe(404)
    await ctx.db.write('test', (tx) => unbindRoles(tx, manager.id, 'PLATFORM', 0))
  })

  test('owners are notified once, seven days before a key expires; ended keys are deleted after 30 days', async () => {
    const mia = await server.person()
    const expiresAt = server.clock.now() + 10 * DAY
    const key = await makeKey(server, mia, { expiresAt })
    await makeKey(server, mia, { expiresAt: server.clock.now() + 5 * DAY })
    const told = async () => {
      await runJob('apiKeys.tellOwners')
      const again = ok(
        await server.request('POST', '/api/auth/login', {
          body: { account: mia.username, password: mia.password },
          deviceId: mia.deviceId,
        }),
      )
      mia.token = again.data.accessToken
      return ok(await mia.get('/api/notifications'))
        .data.items.map((notice: { data: { event?: string; apiKeyId?: number } }) => notice.data)
        .filter(({ event }: { event?: string }) => event === 'API_KEY_EXPIRING')
    }
    expect(await told()).toEqual([])
    server.clock.advance(3 * DAY + MINUTE)
    expect(await told()).toMatchObject([{ apiKeyId: key.id }])
    expect(await told()).toHaveLength(1)
    server.clock.advance(38 * DAY)
    await told()
    expect(ok(await mia.get('/api/auth/api-keys')).data.total).toBe(2)
    await runJob('apiKeys.deleteEnded')
    expect(ok(await mia.get('/api/auth/api-keys')).data.total).toBe(0)
  })
})
