import { describe, expect, test } from 'bun:test'

import { setSetting } from '#domains/settings/index.ts'

import { inProcess, race, useServer } from '../harness/index.ts'

const { server } = useServer()

const register = (body: unknown, headers: Record<string, string> = {}) =>
  server.request('POST', '/api/auth/register', { body, headers })
const login = (account: string, password: string) =>
  server.request('POST', '/api/auth/login', { body: { account, password } })
const password = 'a good password'

describe('POST /auth/register', () => {
  test('registering with a username signs the user in with the role User', async () => {
    const before = server.clock.now()
    const reply = await register({ username: 'Lin.Mei', password }, { 'x-device-name': encodeURIComponent('林的手机') })
    const after = server.clock.now()
    expect(reply.status).toBe(200)
    const { data } = reply
    expect(Object.keys(data).toSorted()).toEqual(
      [
        'accessToken',
        'deviceId',
        'expiresAt',
        'isNewUser',
        'mustChangePassword',
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
    // Whole seconds, as in the token.
    expect(data.expiresAt).toBeGreaterThan(before + 7 * 86_400_000 - 1000)
    expect(data.expiresAt).toBeLessThanOrEqual(after + 7 * 86_400_000)
    // Neither the password nor its hash is answered.
    expect(reply.text).not.toContain('argon2')
    expect(reply.text).not.toContain(password)

    const options = { token: data.accessToken, deviceId: data.deviceId }
    const devices = await server.request('GET', '/api/auth/devices', options)
    expect(devices.data.items[0]).toMatchObject({ deviceName: '林的手机', loginType: 'register', isCurrent: true })
  })

  test('registering with an e-mail binds it unverified, and it works as the account of a login', async () => {
    const reply = await register({ email: ' Mei@Example.ORG ', password, nickname: ' 林美 ' })
    expect(reply.data.user).toMatchObject({ username: null, nickname: '林美', email: 'mei@example.org' })
    expect(reply.data.user.identities).toMatchObject([
      { provider: 'EMAIL', credential: 'mei@example.org', verified: false },
    ])
    expect((await login('MEI@example.org', password)).status).toBe(200)
  })

  const bad: [string, unknown][] = [
    ['without a body', undefined],
    ['without username and e-mail', { password }],
    ['with an empty username and e-mail', { username: '', email: '', password }],
    ['with a short password', { username: 'shorty', password: '12345' }],
    ['with a long password', { username: 'longy', password: 'x'.repeat(129) }],
    ['without a password', { username: 'nopass' }],
    ['with a username like a phone number', { username: '13800138000', password }],
    ['with a username like an e-mail', { username: 'a@b.org', password }],
    ['with an invalid e-mail', { email: 'a@b', password }],
    ['with a long nickname', { username: 'nick', password, nickname: 'x'.repeat(51) }],
    ['with a device id that is too easy to guess', { username: 'guess', password, deviceId: 'phone1' }],
    ['with a device id of few different characters', { username: 'guess', password, deviceId: '12121212'.repeat(4) }],
  ]
  for (const [name, body] of bad)
    test(`a registration ${name} is answered with 400`, async () => expect((await register(body)).status).toBe(400))

  test('a refused registration creates no account', async () => {
    const taken = 'taken@example.org'
    expect((await register({ email: taken, password })).status).toBe(200)
    const refused = await register({ username: 'halfway', email: taken, password })
    expect(refused.status).toBe(400)
    expect((await login('halfway', password)).status).toBe(401)
    expect((await register({ username: 'halfway', password })).status).toBe(200)
  })

  test('usernames and e-mails are unique ignoring case', async () => {
    await register({ username: 'Unique', password })
    const again = await register({ username: 'uNIQUE', password })
    expect(again.status).toBe(400)
    expect(again.details).toEqual([{ path: 'body.username', message: 'is taken' }])
    await register({ email: 'unique@example.org', password })
    expect((await register({ email: 'Unique@Example.org', password })).status).toBe(400)
  })

  test('ids, roles and timestamps in the body of a registration are ignored', async () => {
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

  test('50 registrations at once with the same username create one account', async () => {
    const replies = await race(50, () => register({ username: 'onlyone', password }))
    expect(replies.filter((r) => r.status === 200)).toHaveLength(1)
    expect(replies.filter((r) => r.status === 400)).toHaveLength(49)
  })

  test('20 registrations at once with the same e-mail create one account', async () => {
    const replies = await race(20, (i) => register({ username: `racer${i}`, email: 'race@example.org', password }))
    expect(replies.filter((r) => r.status === 200)).toHaveLength(1)
    expect(replies.filter((r) => r.status === 400)).toHaveLength(19)
  })

  test.if(inProcess)('closed registration refuses new accounts, by device as well', async () => {
    const { ctx } = server
    await ctx.db.write('test', (tx) => setSetting(tx, 'registration.enabled', false))
    const byDevice = await server.request('POST', '/api/auth/device-login', { body: {} })
    const byName = await register({ username: 'latecomer', password })
    await ctx.db.write('test', (tx) => setSetting(tx, 'registration.enabled', true))
    expect([byDevice.status, byName.status]).toEqual([403, 403])
    expect((await login('latecomer', password)).status).toBe(401)
    expect((await register({ username: 'latecomer', password })).status).toBe(200)
  })

  test('common passwords are refused from everyone, without any setting', async () => {
    for (const common of ['123456', 'Password123', 'aaaaaaaa', 'commoner'])
      expect((await register({ username: 'commoner', password: common })).status, common).toBe(400)
    expect((await register({ username: 'commoner', password })).status).toBe(200)
  })

  test.if(inProcess)('the settings can require longer passwords and accept common ones', async () => {
    const { ctx } = server
    await ctx.db.write('test', async (tx) => {
      await setSetting(tx, 'password.minLength', 8)
      await setSetting(tx, 'password.refuseCommon', false)
    })
    const replies = await Promise.all([
      register({ username: 'weak1', password: 'q7k2m9x' }),
      register({ username: 'weak2', password: 'Password123' }),
      register({ username: 'strong', password: 'plenty of it' }),
    ])
    await ctx.db.write('test', async (tx) => {
      await setSetting(tx, 'password.minLength', 6)
      await setSetting(tx, 'password.refuseCommon', true)
    })
    expect(replies.map((r) => r.status)).toEqual([400, 200, 200])
  })
})

describe('POST /auth/device-login', () => {
  const deviceLogin = (deviceId?: string, body: unknown = {}) =>
    server.request('POST', '/api/auth/device-login', { ...(deviceId && { deviceId }), body })

  test('the first device login creates an account, and the next one signs in to it', async () => {
    const id = `phone-${crypto.randomUUID()}`
    const first = await deviceLogin(id, { deviceName: 'Phone' })
    expect(first.data).toMatchObject({ isNewUser: true, user: { hasPassword: false, hasRecoverableCredential: false } })
    expect(first.data.user.identities).toMatchObject([{ provider: 'DEVICE', verified: true }])
    const second = await deviceLogin(undefined, { deviceId: id })
    expect(second.data).toMatchObject({ isNewUser: false, user: { id: first.data.user.id } })
    // The device id works like a password, so it is never sent back.
    for (const reply of [first, second]) expect(reply.text).not.toContain(id)
    // The identity shows the beginning of the key, the login the whole key.
    const shown: string = first.data.user.identities[0].credential
    expect(shown.endsWith('…')).toBe(true)
    expect(first.data.deviceId.startsWith(shown.slice(0, -1))).toBe(true)
  })

  test('a device login without a device id gets one, which signs in to the same account later', async () => {
    const first = await deviceLogin()
    const again = await deviceLogin(first.data.deviceId)
    expect(again.data.user.id).toBe(first.data.user.id)
    const options = { token: again.data.accessToken, deviceId: first.data.deviceId }
    expect((await server.request('GET', '/api/auth/userinfo', options)).status).toBe(200)
  })

  test('a device login with an id that is too easy to guess is answered with 400', async () => {
    for (const id of ['short', 'a'.repeat(16), 'abcdefg'.repeat(4)]) {
      const refused = await deviceLogin(id)
      expect([refused.status, refused.details[0]?.path], id).toEqual([400, 'header.X-Device-Id'])
    }
    expect((await deviceLogin('abcdefgh'.repeat(4))).status).toBe(200)
  })

  test('the key of a device does not work as its device id', async () => {
    const id = `phone-${crypto.randomUUID()}`
    const first = await deviceLogin(id)
    const byKey = await deviceLogin(first.data.deviceId)
    expect(byKey.data.user.id).not.toBe(first.data.user.id)
  })

  test('50 logins at once on a new device create one account and leave one session active', async () => {
    const id = `phone-${crypto.randomUUID()}`
    const replies = await race(50, () => deviceLogin(id))
    expect(replies.map((r) => r.status)).toEqual(Array.from({ length: 50 }, () => 200))
    expect(new Set(replies.map((r) => r.data.user.id)).size).toBe(1)
    expect(replies.filter((r) => r.data.isNewUser)).toHaveLength(1)
    // A device has one session, so only the last one is active.
    const alive = await Promise.all(
      replies.map((r) => server.request('GET', '/api/auth/userinfo', { token: r.data.accessToken, deviceId: id })),
    )
    expect(alive.filter((r) => r.status === 200)).toHaveLength(1)
  })
})
