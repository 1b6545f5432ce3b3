import { describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { knownDevices, loginRecords } from '#db/schema/accounts.ts'
import { ANONYMOUS_USER_ID } from '#domains/accounts/accounts.model.ts'
import { accounts } from '#domains/accounts/index.ts'
import { recordLogin } from '#domains/accounts/login-records/login-records.service.ts'
import { recordDevice } from '#domains/accounts/login-records/login-records.store.ts'

import { inProcess, ok, type Person, type TestServer, useServer } from '../harness/index.ts'

const { server, admin } = useServer()

interface Record {
  id: number
  userId: number | null
  loginType: string
  status: string
  failureReason: string | null
  deviceName: string
  reportedByClient: boolean
  ipAddress: string
}
const own = async (person: Person): Promise<Record[]> =>
  (await person.get(`/api/login-records/user/${person.id}`, { size: 100 })).data.items
const types = (records: Record[]) => records.map((r) => r.loginType)

/** Records a sign-in, or a failed one, as the server does. */
function record({ ctx }: TestServer, userId: number, ip: string, reason?: string): Promise<void> {
  const event = { loginType: 'login', device: { key: 'key', name: '' }, ip, locale: 'en' } as const
  return ctx.db.write('test', (tx) => recordLogin(ctx, tx, userId, event, reason))
}

describe('login records', () => {
  test('every way to sign in or out leaves a login record, newest first', async () => {
    const bob = await server.person()
    const phone = `device-${crypto.randomUUID()}`
    const login = (password: string, deviceId = phone) =>
      server.request('POST', '/api/auth/login', { deviceId, body: { account: bob.username, password } })
    await login('wrong')
    const other = await login(bob.password)
    await bob.call('sessions.switch', { params: { sessionId: other.data.sessionId }, body: { deviceId: phone } })
    const made = await bob.call('sessions.create', { body: { deviceName: 'Tablet' } })
    await bob.call('devices.revoke', { params: { deviceId: made.data.deviceId } })
    await bob.call('sessions.revoke', { params: { sessionId: other.data.sessionId } })
    await server.request('POST', '/api/admin/auth/login', {
      deviceId: phone,
      body: { account: bob.username, password: bob.password },
    })
    await server.request('POST', '/api/auth/refresh', { body: { refreshToken: bob.refreshToken } })
    const third = await login(bob.password)
    await server.request('POST', '/api/auth/logout', { token: third.data.accessToken, deviceId: phone })
    const fourth = await login(bob.password)
    await server.request('POST', `/api/auth/logout/${phone}`, { token: fourth.data.accessToken, deviceId: phone })

    const records = await own(bob)
    expect(types(records)).toEqual([
      'logout_unbind_device',
      'login',
      'logout',
      'login',
      'admin_login',
      'remove_device',
      'remove_device',
      'register_device',
      'session_switch',
      'login',
      'login',
      'register',
    ])
    expect(records.at(-2)).toMatchObject({ status: 'failed', failureReason: 'wrong password', userId: bob.id })
    expect(records.at(-1)).toMatchObject({ status: 'success', failureReason: null, ipAddress: '127.0.0.1' })
    expect(records[4]).toMatchObject({ status: 'failed', failureReason: 'not an administrator' })
    expect(Object.keys(records[0]!).toSorted()).toEqual(
      [
        'id',
        'userId',
        'deviceId',
        'deviceName',
        'ipAddress',
        'city',
        'loginType',
        'status',
        'failureReason',
        'reportedByClient',
        'createdAt',
      ].toSorted(),
    )
    expect(JSON.stringify(records)).not.toContain(phone)
    const failed = (await bob.call('loginRecords.failed')).data
    expect(failed.items.map((r: Record) => r.failureReason)).toEqual(['not an administrator', 'wrong password'])
  })

  test('device logins and setting a username or password leave a login record', async () => {
    const deviceId = `device-${crypto.randomUUID()}`
    const first = await server.request('POST', '/api/auth/device-login', { deviceId, body: {} })
    const again = await server.request('POST', '/api/auth/device-login', { deviceId, body: {} })
    const me = { token: again.data.accessToken, deviceId }
    await server.request('PUT', '/api/users/me/username', { ...me, body: { username: 'recorded' } })
    await server.request('POST', '/api/auth/password/set', { ...me, body: { password: 'secret enough' } })
    const reply = await server.request('GET', `/api/login-records/user/${first.data.user.id}`, me)
    expect(types(reply.data.items)).toEqual(['password_set', 'username_set', 'device_login', 'device_auto_register'])
  })

  test('20 reports of clients are kept, and they push no record of the server out of the list', async () => {
    const [bob, eve] = [await server.person(), await server.person()]
    const attack = { account: bob.username, password: 'guess' }
    await server.request('POST', '/api/auth/login', { body: attack })
    for (let i = 0; i < 60; i++) {
      const body = { loginType: 'qrcode', deviceName: `scan ${i}`, status: i % 2 ? 'failed' : 'success' }
      ok(await bob.post('/api/login-records', body))
    }
    const records = await own(bob)
    const reported = records.filter((record) => record.reportedByClient)
    expect(reported.map((record) => record.deviceName)).toEqual(Array.from({ length: 20 }, (_, i) => `scan ${59 - i}`))
    expect(
      records.filter((record) => !record.reportedByClient).map(({ loginType, status }) => [loginType, status]),
    ).toEqual([
      ['login', 'failed'],
      ['register', 'success'],
    ])
    expect(await own(eve)).toHaveLength(1)
  })

  test('clients can report only the events that the server does not see', async () => {
    const bob = await server.person()
    for (const loginType of ['login', 'admin_login', 'device_login', 'password_change', 'logout', 'token_refresh'])
      expect((await bob.post('/api/login-records', { loginType })).status, loginType).toBe(400)
    expect(types(await own(bob))).toEqual(['register'])
  })

  test.if(inProcess)('50 successes and 50 failures of each user are kept, apart from each other', async () => {
    const [bob, eve] = [await server.person(), await server.person()]
    const body = { account: bob.username, password: 'guess' }
    expect((await server.request('POST', '/api/auth/login', { body })).status).toBe(401)
    const counts = async () => {
      const { failed = [], success = [] } = Object.groupBy(await own(bob), (record) => record.status)
      return { failed: failed.length, success: success.length }
    }
    for (let i = 0; i < 60; i++) await record(server, bob.id, '203.0.113.5', 'wrong password')
    expect(await counts()).toEqual({ failed: 50, success: 1 })
    for (let i = 0; i < 60; i++) await record(server, bob.id, '203.0.113.5')
    expect(await counts()).toEqual({ failed: 50, success: 50 })
    expect(await own(eve)).toHaveLength(1)
  })

  test('a client can report login events; user, IP address and time are set by the server', async () => {
    const [bob, eve] = [await server.person(), await server.person()]
    const reported = await bob.post('/api/login-records', {
      loginType: 'oauth',
      status: 'failed',
      failureReason: 'closed the window',
      userId: eve.id,
      ipAddress: '8.8.8.8',
      createdAt: 5,
      id: 1,
    })
    expect(reported.data).toMatchObject({
      userId: bob.id,
      ipAddress: '127.0.0.1',
      loginType: 'oauth',
      status: 'failed',
      reportedByClient: true,
    })
    expect(reported.data.createdAt).toBeGreaterThan(1_700_000_000_000)
    expect(await own(eve)).toHaveLength(1)
    expect((await bob.post('/api/login-records', { loginType: 'rocket' })).status).toBe(400)
    expect((await bob.post('/api/login-records', { loginType: 'oauth', status: 'maybe' })).status).toBe(400)
    expect((await server.request('POST', '/api/login-records', { body: { loginType: 'oauth' } })).status).toBe(401)
  })

  test('login records of other users need the PLATFORM point login_record:read', async () => {
    const [bob, mallory] = [await server.person(), await server.person()]
    for (const path of [`/api/login-records/user/${bob.id}`, `/api/login-records/user/${bob.id}/recent`]) {
      expect((await mallory.get(path)).status).toBe(403)
      expect((await server.request('GET', path)).status).toBe(401)
      expect((await admin.get(path)).data.items).toMatchObject([{ userId: bob.id, loginType: 'register' }])
    }
    expect((await mallory.get('/api/login-records/admin/all')).status).toBe(403)
    expect((await server.request('GET', '/api/login-records/admin/all')).status).toBe(401)
  })

  test('the list for administrators filters by user and type, and shows attempts to sign in to unknown accounts', async () => {
    const bob = await server.person()
    await bob.call('loginRecords.report', { body: { loginType: 'qrcode' } })
    await server.request('POST', '/api/auth/login', { body: { account: 'never.existed', password: 'x' } })
    const all = (query: { [name: string]: string | number }) => admin.get('/api/login-records/admin/all', query)
    expect(types((await all({ userId: bob.id })).data.items)).toEqual(['qrcode', 'register'])
    expect((await all({ userId: bob.id, loginType: 'qrcode' })).data.total).toBe(1)
    expect((await all({ loginType: 'nonsense' })).status).toBe(400)
    // A type of the specification that leaves no record.
    expect((await all({ userId: bob.id, loginType: 'token_refresh' })).data.items).toEqual([])
    expect((await all({})).data.items[0]).toMatchObject({
      userId: null,
      status: 'failed',
      failureReason: 'unknown account',
    })
    const pages = [await all({ page: 1, size: 3 }), await all({ page: 2, size: 3 })].map((r) => r.data.items)
    const seen = pages.flat().map((r: Record) => r.id)
    expect(new Set(seen).size).toBe(6)
    expect(seen).toEqual(seen.toSorted((a: number, b: number) => b - a))
  })

  test.if(inProcess)('the recent records are those of the given hours, or of 24 hours by default', async () => {
    const bob = await server.person()
    server.clock.advance(23 * 3_600_000)
    await bob.call('loginRecords.report', { body: { loginType: 'qrcode' } })
    expect((await bob.call('loginRecords.recent')).data.total).toBe(2)
    server.clock.advance(2 * 3_600_000)
    expect(types((await bob.call('loginRecords.recent')).data.items)).toEqual(['qrcode'])
    expect((await bob.get('/api/login-records/recent', { hours: 1 })).data.total).toBe(0)
    expect((await bob.get(`/api/login-records/user/${bob.id}/recent`, { hours: 48 })).data.total).toBe(2)
    for (const hours of [0, -1, 'x', 100_000])
      expect((await bob.get('/api/login-records/recent', { hours })).status, String(hours)).toBe(400)
    expect((await admin.get('/api/login-records/admin/all', { userId: bob.id, hours: 24 })).data.total).toBe(1)
  })
})

describe('the notice about a new device', () => {
  const newDevice = () => `device-${crypto.randomUUID()}`
  const login = async (person: Person, deviceId: string) =>
    ok(
      await server.request('POST', '/api/auth/login', {
        deviceId,
        body: { account: person.username, password: person.password },
      }),
    )
  const notices = async (person: Person): Promise<number> =>
    (await person.call('notifications.list')).data.items.filter((n) => n.data['event'] === 'NEW_DEVICE').length

  test('comes although client reports have named the device before', async () => {
    const bob = await server.person()
    const evil = newDevice()
    for (let i = 0; i < 25; i++)
      ok(await bob.post('/api/login-records', { loginType: 'device', deviceId: evil, city: 'Beijing' }))
    await login(bob, evil)
    expect(await notices(bob)).toBe(1)
  })

  test.if(inProcess)('comes although 50 wrong passwords were recorded before', async () => {
    const bob = await server.person()
    for (let i = 0; i < 60; i++) await record(server, bob.id, '203.0.113.5', 'wrong password')
    await login(bob, newDevice())
    expect(await notices(bob)).toBe(1)
  })

  test('comes when a session opens another one for the device, but not for a known device', async () => {
    const bob = await server.person()
    const evil = newDevice()
    for (let i = 0; i < 2; i++) ok(await bob.call('sessions.create', { body: { deviceId: evil } }))
    expect(await notices(bob)).toBe(1)
    await login(bob, evil)
    await login(bob, bob.deviceId)
    expect(await notices(await signedIn(bob))).toBe(1)
  })

  test('comes again after the user removed the device, even if no other device is known', async () => {
    const bob = await server.person()
    const phone = newDevice()
    await login(bob, phone)
    expect(await notices(bob)).toBe(1)
    ok(await bob.call('devices.revoke', { params: { deviceId: phone } }))
    const again = await login(bob, phone)
    expect(await notices(bob)).toBe(2)
    const device = { token: again.data.accessToken, deviceId: phone }
    ok(await server.request('DELETE', `/api/auth/devices/${bob.deviceId}`, device))
    ok(await server.request('POST', `/api/auth/logout/${phone}`, device))
    await login(bob, phone)
    expect(await notices(await signedIn(bob))).toBe(4)
  })

  test('does not come for the first sign-in of an account', async () => {
    const deviceId = newDevice()
    const { data } = ok(await server.request('POST', '/api/auth/device-login', { deviceId, body: {} }))
    const list = await server.request('GET', '/api/notifications', { token: data.accessToken, deviceId })
    expect(list.data.items).toEqual([])
  })

  test.if(inProcess)('knows the 100 devices of each user that signed in last', async () => {
    const bob = await server.person()
    const seen = (i: number) => server.ctx.db.write('test', (tx) => recordDevice(tx, bob.id, `device ${i}`, 9e12 + i))
    for (let i = 0; i < 120; i++) await seen(i)
    const rows = await server.ctx.db.read.select().from(knownDevices).where(eq(knownDevices.userId, bob.id))
    expect(rows).toHaveLength(100)
    expect(await seen(20)).toBe('known')
    expect(await seen(119)).toBe('known')
    expect(await seen(19)).toBe('new')
    ok(await bob.call('auth.deleteAccount'))
    expect(await server.ctx.db.read.select().from(knownDevices).where(eq(knownDevices.userId, bob.id))).toEqual([])
  })

  /** The user with a new session on their first device. */
  async function signedIn(person: Person): Promise<Person> {
    person.token = (await login(person, person.deviceId)).data.accessToken
    return person
  }
})

describe.if(inProcess)('attempts at unknown accounts', () => {
  // Of its own, because the clock is moved beyond the end of all sessions.
  const { server, admin } = useServer()

  test('are kept by network for 30 days, and one network cannot push out another', async () => {
    const body = { account: 'nobody.knows', password: 'x' }
    const headers = { 'x-forwarded-for': '198.51.100.1' }
    expect((await server.request('POST', '/api/auth/login', { headers, body })).status).toBe(401)
    const attempt = (ip: string) => record(server, ANONYMOUS_USER_ID, ip, 'unknown account')
    const addresses = async () => {
      const all: Record[] = []
      for (let page = 1; all.length === 100 * (page - 1); page++)
        all.push(...(await admin.get('/api/login-records/admin/all', { page, size: 100 })).data.items)
      return all.filter((record) => record.userId === null).map((record) => record.ipAddress)
    }
    await attempt('2001:db8:1::1')
    for (let i = 0; i < 60; i++) await attempt('203.0.113.5')
    // One customer can use all addresses of a /48.
    for (let i = 0; i < 60; i++) await attempt(`2001:db8:2:${i.toString(16)}::1`)
    const seen = await addresses()
    expect(seen.filter((ip) => ip === '203.0.113.5')).toHaveLength(50)
    expect(seen.filter((ip) => ip.startsWith('2001:db8:2:'))).toHaveLength(50)
    expect(seen).toContain('198.51.100.1')
    expect(seen).toContain('2001:db8:1::1')

    server.clock.advance(31 * 24 * 3_600_000)
    for (const { run } of accounts.jobs) await run(server.ctx)
    expect((await server.ctx.db.read.select().from(loginRecords)).filter((row) => row.userId === 0)).toEqual([])
  })
})
