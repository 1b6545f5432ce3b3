import { describe, expect, test } from 'bun:test'

import { ADMIN, inProcess, ok, race, useServer } from '../harness/index.ts'
import { costOf, newDevice } from './helpers.ts'

const { server } = useServer()

const post = (path: string, body: unknown, deviceId?: string) =>
  server.request('POST', path, { body, ...(deviceId && { deviceId }) })
const login = (account: string, password: string, deviceId?: string) =>
  post('/api/auth/login', { account, password }, deviceId)

describe('POST /auth/login', () => {
  test('a login finds the username ignoring case, in any of the fields account, username and email', async () => {
    const bob = await server.person('Bob.Login')
    for (const name of ['account', 'username', 'email']) {
      const reply = await post('/api/auth/login', { [name]: ' bob.LOGIN ', password: bob.password })
      expect(reply.status).toBe(200)
      expect(reply.data).toMatchObject({ isNewUser: false, user: { id: bob.id, username: 'Bob.Login' } })
    }
  })

  test('a login without a device gets a new device id, and its access token works only with that id', async () => {
    const bob = await server.person()
    const { data } = await login(bob.username, bob.password)
    const ask = (deviceId?: string) =>
      server.request('GET', '/api/auth/userinfo', { token: data.accessToken, ...(deviceId && { deviceId }) })
    expect((await ask(data.deviceId)).status).toBe(200)
    expect((await ask()).status).toBe(401)
    expect((await ask(newDevice())).status).toBe(401)
  })

  test('a second login on a device ends the first session of that device at once', async () => {
    const bob = await server.person()
    expect((await bob.call('profile.get')).status).toBe(200)
    const second = await login(bob.username, bob.password, bob.deviceId)
    expect(second.data.sessionId).not.toBe(bob.sessionId)
    expect((await bob.call('profile.get')).status).toBe(401)
    const refreshed = await post('/api/auth/refresh', { refreshToken: bob.refreshToken })
    expect(refreshed.status).toBe(401)
    const now = { token: second.data.accessToken, deviceId: bob.deviceId }
    const sessions = await server.request('GET', '/api/auth/sessions', now)
    expect(sessions.data.items.map((s: { id: number }) => s.id)).toEqual([second.data.sessionId])
  })

  test('a login to an unknown account gets the same answer as one with a wrong password', async () => {
    const bob = await server.person()
    const wrong = await login(bob.username, 'not the password')
    const unknown = await login('unknown.account', 'not the password')
    expect([wrong.status, unknown.status]).toEqual([401, 401])
    expect(wrong.message).toBe(unknown.message)
    expect(Object.keys(JSON.parse(wrong.text)).toSorted()).toEqual(Object.keys(JSON.parse(unknown.text)).toSorted())
  })

  test.if(inProcess)(
    'a login to an unknown account costs the same hashes and writes as one with a wrong password',
    async () => {
      const bob = await server.person()
      // The first unknown account also hashes the decoy.
      await login('warm.up', 'x')
      const known = await costOf(server, () => login(bob.username, 'not the password'))
      const unknown = await costOf(server, () => login('unknown.account.2', 'not the password'))
      expect(known).toEqual({ hashes: 1, writes: ['accounts.countAttempt', 'accounts.recordFailure'] })
      expect(unknown).toEqual(known)
    },
  )

  test('no password signs in to an account that has none', async () => {
    const { data } = await post('/api/auth/device-login', {})
    const me = { token: data.accessToken, deviceId: data.deviceId }
    await server.request('PUT', '/api/users/me/username', { ...me, body: { username: 'deviceonly' } })
    for (const password of ['x', 'null', 'undefined']) expect((await login('deviceonly', password)).status).toBe(401)
  })

  for (const [name, body] of [
    ['without an account', { password: 'x' }],
    ['without a password', { account: 'bob' }],
    ['with an empty password', { account: 'bob', password: '' }],
    ['with an object as the password', { account: 'bob', password: { $gt: '' } }],
    ['with a list as the account', { account: ['bob'], password: 'x' }],
  ] as const)
    test(`a login ${name} is answered with 400`, async () =>
      expect((await post('/api/auth/login', body)).status).toBe(400))
})

describe('the failure lock', () => {
  test('of 50 wrong passwords at once exactly 5 are checked, and the others are refused with code 4022', async () => {
    const bob = await server.person()
    const replies = await race(50, (i) => login(bob.username, `wrong ${i}`))
    expect(replies.filter((r) => r.status === 401)).toHaveLength(5)
    const refused = replies.filter((r) => r.status === 429)
    expect(refused).toHaveLength(45)
    for (const r of refused) {
      expect(r.code).toBe(4022)
      const wait = Number(r.headers.get('retry-after'))
      // 5 minutes less the time that this test may take.
      expect(wait).toBeGreaterThan(240)
      expect(wait).toBeLessThanOrEqual(300)
    }
    // The lock also holds for the right password, for the name in another case, and for the console.
    expect((await login(bob.username, bob.password)).status).toBe(429)
    expect((await login(bob.username.toUpperCase(), bob.password)).status).toBe(429)
    expect((await post('/api/admin/auth/login', { account: bob.username, password: bob.password })).status).toBe(429)
    // Bob's open session and other accounts are not affected.
    expect((await bob.call('profile.get')).status).toBe(200)
    expect((await login(ADMIN.username, ADMIN.password)).status).toBe(200)
    // Only the five attempts that were checked are recorded.
    expect((await bob.call('loginRecords.failed')).data.total).toBe(5)
  })

  test('an account that does not exist is locked after 5 failures, too', async () => {
    const replies = await race(12, () => login('does.not.exist', 'wrong'))
    expect(replies.map((r) => r.status).toSorted()).toEqual([
      401, 401, 401, 401, 401, 429, 429, 429, 429, 429, 429, 429,
    ])
  })

  test('a successful login forgets the failures before it', async () => {
    const bob = await server.person()
    for (let round = 0; round < 3; round++) {
      for (let i = 0; i < 4; i++) expect((await login(bob.username, 'wrong')).status).toBe(401)
      expect((await login(bob.username, bob.password)).status).toBe(200)
    }
  })

  test.if(inProcess)('a login takes two writes, and the second one forgets earlier failures', async () => {
    const bob = await server.person()
    await login(bob.username, 'wrong')
    const { writes } = await costOf(server, async () => ok(await login(bob.username, bob.password)))
    expect(writes).toEqual(['accounts.countAttempt', 'accounts.login'])
    const { passwordTries } = await import('#db/schema/accounts.ts')
    const { lockOf } = await import('#domains/accounts/passwords/failure-lock.ts')
    const rows = await server.ctx.db.read.select().from(passwordTries)
    expect(rows.map((row) => row.key)).not.toContain(lockOf({ id: bob.id }, ''))
  })

  test('the right password never locks the account, even if the console refuses the login', async () => {
    const bob = await server.person()
    // Not an administrator: the password is right, and no session is opened.
    for (let i = 0; i < 7; i++)
      expect((await post('/api/admin/auth/login', { account: bob.username, password: bob.password })).status).toBe(403)
    expect((await login(bob.username, bob.password)).status).toBe(200)
  })

  test('12 logins at once with the right password do not count as failures of each other', async () => {
    const bob = await server.person()
    const replies = await race(12, () => login(bob.username, bob.password))
    expect(replies.map((r) => r.status)).toEqual(Array.from({ length: 12 }, () => 200))
  })

  test.if(inProcess)('the lock still holds after 4 minutes and is open after 5 minutes', async () => {
    const bob = await server.person()
    for (let i = 0; i < 5; i++) await login(bob.username, 'wrong')
    server.clock.advance(4 * 60_000)
    expect((await login(bob.username, bob.password)).status).toBe(429)
    server.clock.advance(61_000)
    expect((await login(bob.username, bob.password)).status).toBe(200)
  })

  test('a name that was typed into the login is stored as a hash only', async () => {
    const typed = 'oops.my.Password.1'
    await login(typed, 'wrong')
    if (!inProcess) return
    const { passwordTries } = await import('#db/schema/accounts.ts')
    const rows = await server.ctx.db.read.select().from(passwordTries)
    expect(rows.length).toBeGreaterThan(0)
    expect(JSON.stringify(rows).toLowerCase()).not.toContain(typed.toLowerCase())
  })
})

describe('POST /admin/auth/login', () => {
  const adminLogin = (account: string, password: string) => post('/api/admin/auth/login', { account, password })

  test('a user with a PLATFORM role signs in to the console and gets their permissions and role name', async () => {
    const reply = await adminLogin(ADMIN.username, ADMIN.password)
    expect(reply.status).toBe(200)
    expect(reply.data.roleName).toBe('System administrator')
    expect(reply.data.permissions).toContain('user:read')
    expect(reply.data.permissions).toContain('qr_code:create')
  })

  test('a user without a PLATFORM role gets 403 at the console, or 401 with a wrong password, and no session', async () => {
    const bob = await server.person()
    expect((await adminLogin(bob.username, bob.password)).status).toBe(403)
    expect((await adminLogin(bob.username, 'wrong')).status).toBe(401)
    expect((await bob.call('sessions.list')).data.total).toBe(1)
  })

  test('the console refuses to refresh the token of a user without a PLATFORM role, and leaves it unused', async () => {
    const bob = await server.person()
    expect((await post('/api/admin/auth/refresh', { refreshToken: bob.refreshToken })).status).toBe(403)
    expect((await post('/api/auth/refresh', { refreshToken: bob.refreshToken })).status).toBe(200)
    expect((await post('/api/admin/auth/refresh', { refreshToken: 'x'.repeat(43) })).status).toBe(401)
    const { data } = await adminLogin(ADMIN.username, ADMIN.password)
    const refreshed = await post('/api/admin/auth/refresh', { refreshToken: data.refreshToken })
    expect(refreshed.data.sessionId).toBe(data.sessionId)
  })
})

describe('POST /auth/logout', () => {
  test('signing out ends the session of the caller at once, and no other session', async () => {
    const bob = await server.person()
    const other = await login(bob.username, bob.password, newDevice())
    expect((await bob.call('auth.logout')).status).toBe(200)
    expect((await bob.call('profile.get')).status).toBe(401)
    expect((await post('/api/auth/refresh', { refreshToken: bob.refreshToken })).status).toBe(401)
    expect((await post('/api/auth/refresh', { refreshToken: other.data.refreshToken })).status).toBe(200)
  })

  test('signing out without a token is answered with 401', async () =>
    expect((await post('/api/auth/logout', {})).status).toBe(401))

  async function deviceUser() {
    const deviceId = newDevice()
    const { data } = await post('/api/auth/device-login', {}, deviceId)
    const me = { token: data.accessToken as string, deviceId }
    return { me, deviceId, key: data.deviceId as string, id: data.user.id as number }
  }

  test('forgetting a device is refused if it is the only way to sign in to the account', async () => {
    const { me, deviceId, id } = await deviceUser()
    const reply = await server.request('POST', `/api/auth/logout/${deviceId}`, me)
    expect(reply.status).toBe(400)
    expect(reply.message).toContain('only way')
    expect((await server.request('GET', '/api/auth/userinfo', me)).data.identities).toHaveLength(1)
    expect((await post('/api/auth/device-login', {}, deviceId)).data.user.id).toBe(id)
  })

  test('forgetting a device deletes its identity and ends its session', async () => {
    const { me, deviceId, id } = await deviceUser()
    await server.request('PUT', '/api/users/me/username', { ...me, body: { username: `dev${id}` } })
    await server.request('POST', '/api/auth/password/set', { ...me, body: { password: 'secret enough' } })
    expect((await server.request('POST', `/api/auth/logout/${deviceId}`, me)).status).toBe(200)
    expect((await server.request('GET', '/api/auth/userinfo', me)).status).toBe(401)
    // The device gets a new account; the old account is still there for its password.
    expect((await post('/api/auth/device-login', {}, deviceId)).data.user.id).not.toBe(id)
    const back = await login(`dev${id}`, 'secret enough')
    expect(back.data.user).toMatchObject({ id, identities: [] })
  })

  test('forgetting another device by its key leaves the session of the caller active', async () => {
    const bob = await server.person()
    const phone = newDevice()
    const other = await login(bob.username, bob.password, phone)
    expect((await bob.call('auth.logoutDevice', { params: { deviceId: other.data.deviceId } })).status).toBe(200)
    const asOther = { token: other.data.accessToken, deviceId: phone }
    expect((await server.request('GET', '/api/auth/userinfo', asOther)).status).toBe(401)
    expect((await bob.call('profile.get')).status).toBe(200)
  })

  test('forgetting a device of another user is answered with 404 and changes nothing', async () => {
    const { me, deviceId, key, id } = await deviceUser()
    const mallory = await server.person()
    for (const name of [deviceId, key, 'unknown-device'])
      expect((await mallory.call('auth.logoutDevice', { params: { deviceId: name } })).status).toBe(404)
    expect((await server.request('GET', '/api/auth/userinfo', me)).data.id).toBe(id)
    expect((await post('/api/auth/device-login', {}, deviceId)).data.user.id).toBe(id)
  })
})
