import { describe, expect, test } from 'bun:test'

import { inProcess, type Person, useServer } from '../harness/index.ts'

const { server, admin } = useServer()

interface Record {
  id: number
  userId: number | null
  loginType: string
  status: string
  failureReason: string | null
  ipAddress: string
}
const own = async (person: Person): Promise<Record[]> =>
  (await person.get(`/api/login-records/user/${person.id}`, { size: 100 })).data.items
const types = (records: Record[]) => records.map((r) => r.loginType)

describe('login records', () => {
  test('every way to sign in or out leaves a login record, newest first', async () => {
    const bob = await server.person()
    const phone = `device-${crypto.randomUUID()}`
    const login = (password: string, deviceId = phone) =>
      server.request('POST', '/api/auth/login', { deviceId, body: { account: bob.username, password } })
    await login('wrong')
    const other = await login(bob.password)
    await bob.call('sessions.switch', { params: { sessionId: other.data.sessionId } })
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

  test('the newest 50 login records of each user are kept', async () => {
    const [bob, eve] = [await server.person(), await server.person()]
    for (let i = 0; i < 60; i++) await bob.post('/api/login-records', { loginType: 'qrcode', deviceName: `scan ${i}` })
    const page = (await bob.get(`/api/login-records/user/${bob.id}`, { size: 100 })).data
    expect(page.total).toBe(50)
    const names = page.items.map((r: { deviceName: string }) => r.deviceName)
    expect([names[0], names.at(-1)]).toEqual(['scan 59', 'scan 10'])
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
    })
    expect(reported.data.createdAt).toBeGreaterThan(1_700_000_000_000)
    expect(await own(eve)).toHaveLength(1)
    expect((await bob.post('/api/login-records', { loginType: 'rocket' })).status).toBe(400)
    expect((await bob.post('/api/login-records', { loginType: 'login', status: 'maybe' })).status).toBe(400)
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
