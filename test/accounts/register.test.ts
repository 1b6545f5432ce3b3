import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { setSetting } from '#domains/settings/index.ts'

import { inProcess, race, startServer, type TestServer } from '../harness/index.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.stop())

const register = (body: unknown, headers: Record<string, string> = {}) =>
  server.request('POST', '/api/auth/register', { body, headers })
const login = (account: string, password: string) =>
  server.request('POST', '/api/auth/login', { body: { account, password } })
const password = 'a good password'

describe('register', () => {
  test('with a username: signed in, with the role of every user', async () => {
    const reply = await register({ username: 'Lin.Mei', password }, { 'x-device-name': encodeURIComponent('林的手机') })
    expect(reply.status).toBe(200)
    const { data } = reply
    expect(Object.keys(data).toSorted()).toEqual(
      [
        'accessToken',
        'deviceId',
        'expiresAt',
        'isNewUser',
        'permissions',
        'refreshToken',
        'roleName',
        'sessionId',
        'tokenType',
        'user',
      ].toSorted(),
    )
    expect(data).toMatchObject({ tokenType: 'Bearer', isNewUser: true, roleName: 'User' })
    expect(data.permissions).toContain('qr_code:create')
    expect(data.permissions).not.toContain('user:read')
    expect(data.user).toMatchObject({
      username: 'Lin.Mei',
      email: null,
      phone: null,
      signature: null,
      avatarUrl: null,
      identities: [],
      hasPassword: true,
      hasRecoverableCredential: true,
      currentOrgId: null,
    })
    expect(data.user.nickname).toMatch(/^[A-Z][a-z]+ [A-Z][a-z]+$/)
    expect(Math.abs(data.expiresAt - Date.now() - 7 * 86_400_000)).toBeLessThan(10_000)
    // Nothing of the password leaves the server.
    expect(reply.text).not.toContain('argon2')
    expect(reply.text).not.toContain(password)

    const options = { token: data.accessToken, deviceId: data.deviceId }
    const devices = await server.request('GET', '/api/auth/devices', options)
    expect(devices.data.items[0]).toMatchObject({ deviceName: '林的手机', loginType: 'register', isCurrent: true })
  })

  test('with an e-mail: bound, not verified, and good for login', async () => {
    const reply = await register({ email: ' Mei@Example.ORG ', password, nickname: ' 林美 ' })
    expect(reply.data.user).toMatchObject({ username: null, nickname: '林美', email: 'mei@example.org' })
    expect(reply.data.user.identities).toMatchObject([
      { provider: 'EMAIL', credential: 'mei@example.org', verified: false },
    ])
    expect((await login('MEI@example.org', password)).status).toBe(200)
  })

  const bad: [string, unknown][] = [
    ['no body', undefined],
    ['neither username nor e-mail', { password }],
    ['both empty', { username: '', email: '', password }],
    ['a short password', { username: 'shorty', password: '12345' }],
    ['a long password', { username: 'longy', password: 'x'.repeat(129) }],
    ['no password', { username: 'nopass' }],
    ['a username like a phone number', { username: '13800138000', password }],
    ['a username like an e-mail', { username: 'a@b.org', password }],
    ['an e-mail that is none', { email: 'a@b', password }],
    ['a long nickname', { username: 'nick', password, nickname: 'x'.repeat(51) }],
    ['a device id too easy to guess', { username: 'guess', password, deviceId: 'phone1' }],
  ]
  for (const [name, body] of bad) test(`refuses ${name}`, async () => expect((await register(body)).status).toBe(400))

  test('a refused registration leaves no account', async () => {
    const taken = 'taken@example.org'
    expect((await register({ email: taken, password })).status).toBe(200)
    const refused = await register({ username: 'halfway', email: taken, password })
    expect(refused.status).toBe(400)
    expect((await login('halfway', password)).status).toBe(401)
    expect((await register({ username: 'halfway', password })).status).toBe(200)
  })

  test('usernames and e-mails are unique without case', async () => {
    await register({ username: 'Unique', password })
    const again = await register({ username: 'uNIQUE', password })
    expect(again.status).toBe(400)
    expect(again.details).toEqual([{ path: 'body.username', message: 'is taken' }])
    await register({ email: 'unique@example.org', password })
    expect((await register({ email: 'Unique@Example.org', password })).status).toBe(400)
  })

  test('ids, roles and timestamps in the body are not taken', async () => {
    const body = {
      username: 'greedy',
      password,
      id: 1,
      roleName: 'SYSTEM_ADMIN',
      permissions: ['user:read'],
      verified: true,
    }
    const { data } = await register({ ...body, createdAt: 1, status: 'DISABLED' })
    expect(data.user.id).not.toBe(1)
    expect(data.user.createdAt).toBeGreaterThan(1_700_000_000_000)
    expect(data.permissions).not.toContain('user:read')
  })

  test('50 at once with one username: one account', async () => {
    const replies = await race(50, () => register({ username: 'onlyone', password }))
    expect(replies.filter((r) => r.status === 200)).toHaveLength(1)
    expect(replies.filter((r) => r.status === 400)).toHaveLength(49)
  }, 60_000)

  test('20 at once with one e-mail: one account', async () => {
    const replies = await race(20, (i) => register({ username: `racer${i}`, email: 'race@example.org', password }))
    expect(replies.filter((r) => r.status === 200)).toHaveLength(1)
    expect(replies.filter((r) => r.status === 400)).toHaveLength(19)
  }, 60_000)

  test.if(inProcess)('closed registration: nobody new, also not by device', async () => {
    const { ctx } = server
    await ctx.db.write('test', (tx) => setSetting(ctx, tx, 'registration.enabled', false))
    const byDevice = await server.request('POST', '/api/auth/device-login', { body: {} })
    const byName = await register({ username: 'latecomer', password })
    await ctx.db.write('test', (tx) => setSetting(ctx, tx, 'registration.enabled', true))
    expect([byDevice.status, byName.status]).toEqual([403, 403])
    expect((await login('latecomer', password)).status).toBe(401)
    expect((await register({ username: 'latecomer', password })).status).toBe(200)
  })

  test.if(inProcess)('a setting raises what passwords must be', async () => {
    const { ctx } = server
    await ctx.db.write('test', async (tx) => {
      await setSetting(ctx, tx, 'password.minLength', 8)
      await setSetting(ctx, tx, 'password.refuseCommon', true)
    })
    const replies = await Promise.all([
      register({ username: 'weak1', password: '1234567' }),
      register({ username: 'weak2', password: 'Password123' }),
      register({ username: 'strong', password: 'plenty of it' }),
    ])
    await ctx.db.write('test', async (tx) => {
      await setSetting(ctx, tx, 'password.minLength', 6)
      await setSetting(ctx, tx, 'password.refuseCommon', false)
    })
    expect(replies.map((r) => r.status)).toEqual([400, 400, 200])
  })
})

describe('device login', () => {
  const deviceLogin = (deviceId?: string, body: unknown = {}) =>
    server.request('POST', '/api/auth/device-login', { ...(deviceId && { deviceId }), body })

  test('makes an account the first time and finds it again', async () => {
    const id = `phone-${crypto.randomUUID()}`
    const first = await deviceLogin(id, { deviceName: 'Phone' })
    expect(first.data).toMatchObject({ isNewUser: true, user: { hasPassword: false, hasRecoverableCredential: false } })
    expect(first.data.user.identities).toMatchObject([{ provider: 'DEVICE', verified: true }])
    const second = await deviceLogin(undefined, { deviceId: id })
    expect(second.data).toMatchObject({ isNewUser: false, user: { id: first.data.user.id } })
    // The raw id is a password: it is never sent back.
    for (const reply of [first, second]) expect(reply.text).not.toContain(id)
    // A shortened key in the identity, the whole key as the device.
    const shown: string = first.data.user.identities[0].credential
    expect(shown.endsWith('…')).toBe(true)
    expect(first.data.deviceId.startsWith(shown.slice(0, -1))).toBe(true)
  })

  test('without a device id the server makes one, which works from then on', async () => {
    const first = await deviceLogin()
    const again = await deviceLogin(first.data.deviceId)
    expect(again.data.user.id).toBe(first.data.user.id)
    const options = { token: again.data.accessToken, deviceId: first.data.deviceId }
    expect((await server.request('GET', '/api/auth/userinfo', options)).status).toBe(200)
  })

  test('refuses an id too easy to guess', async () => expect((await deviceLogin('short')).status).toBe(400))

  test("a device's key is not its id", async () => {
    const id = `phone-${crypto.randomUUID()}`
    const first = await deviceLogin(id)
    const byKey = await deviceLogin(first.data.deviceId)
    expect(byKey.data.user.id).not.toBe(first.data.user.id)
  })

  test('50 at once on one new device: one account', async () => {
    const id = `phone-${crypto.randomUUID()}`
    const replies = await race(50, () => deviceLogin(id))
    expect(replies.map((r) => r.status)).toEqual(Array.from({ length: 50 }, () => 200))
    expect(new Set(replies.map((r) => r.data.user.id)).size).toBe(1)
    expect(replies.filter((r) => r.data.isNewUser)).toHaveLength(1)
    // One device, one session: only the last is alive.
    const alive = await Promise.all(
      replies.map((r) => server.request('GET', '/api/auth/userinfo', { token: r.data.accessToken, deviceId: id })),
    )
    expect(alive.filter((r) => r.status === 200)).toHaveLength(1)
  })
})
