import { afterAll, beforeAll, describe, expect, spyOn, test } from 'bun:test'

import { ADMIN, inProcess, race, startServer, type TestServer } from '../harness/index.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.stop())

const post = (path: string, body: unknown, deviceId?: string) =>
  server.request('POST', path, { body, ...(deviceId && { deviceId }) })
const login = (account: string, password: string, deviceId?: string) =>
  post('/api/auth/login', { account, password }, deviceId)
const newDevice = () => `device-${crypto.randomUUID()}`

describe('login', () => {
  test('by username without case, under any of the three names of the field', async () => {
    const bob = await server.person('Bob.Login')
    for (const name of ['account', 'username', 'email']) {
      const reply = await post('/api/auth/login', { [name]: ' bob.LOGIN ', password: bob.password })
      expect(reply.status).toBe(200)
      expect(reply.data).toMatchObject({ isNewUser: false, user: { id: bob.id, username: 'Bob.Login' } })
    }
  })

  test('a server-made device id is answered once and needed from then on', async () => {
    const bob = await server.person()
    const { data } = await login(bob.username, bob.password)
    const ask = (deviceId?: string) =>
      server.request('GET', '/api/auth/userinfo', { token: data.accessToken, ...(deviceId && { deviceId }) })
    expect((await ask(data.deviceId)).status).toBe(200)
    expect((await ask()).status).toBe(401)
    expect((await ask(newDevice())).status).toBe(401)
  })

  test('a second login on a device replaces its session at once', async () => {
    const bob = await server.person()
    expect((await bob.get('/api/auth/userinfo')).status).toBe(200)
    const second = await login(bob.username, bob.password, bob.deviceId)
    expect(second.data.sessionId).not.toBe(bob.sessionId)
    expect((await bob.get('/api/auth/userinfo')).status).toBe(401)
    const refreshed = await post('/api/auth/refresh', { refreshToken: bob.refreshToken })
    expect(refreshed.status).toBe(401)
    const now = { token: second.data.accessToken, deviceId: bob.deviceId }
    const sessions = await server.request('GET', '/api/auth/sessions', now)
    expect(sessions.data.items.map((s: { id: number }) => s.id)).toEqual([second.data.sessionId])
  })

  test('an unknown account and a wrong password get the same answer', async () => {
    const bob = await server.person()
    const wrong = await login(bob.username, 'not the password')
    const unknown = await login('nobody.here', 'not the password')
    expect([wrong.status, unknown.status]).toEqual([401, 401])
    expect(wrong.message).toBe(unknown.message)
    expect(Object.keys(JSON.parse(wrong.text)).toSorted()).toEqual(Object.keys(JSON.parse(unknown.text)).toSorted())
  })

  test('an unknown account takes as long as a wrong password', async () => {
    const bob = await server.person()
    await login('warm.up', 'x')
    const times: Record<string, number[]> = { known: [], unknown: [] }
    for (let i = 0; i < 4; i++)
      for (const [kind, name] of [
        ['known', bob.username],
        ['unknown', `nobody${i}`],
      ] as const) {
        const started = performance.now()
        await login(name, 'not the password')
        times[kind]!.push(performance.now() - started)
      }
    const fastest = (kind: string) => Math.min(...times[kind]!)
    expect(fastest('unknown')).toBeGreaterThan(fastest('known') * 0.5)
    expect(fastest('unknown')).toBeLessThan(fastest('known') * 2)
  })

  test('nobody without a password can sign in with one', async () => {
    const { data } = await post('/api/auth/device-login', {})
    const me = { token: data.accessToken, deviceId: data.deviceId }
    await server.request('PUT', '/api/users/me/username', { ...me, body: { username: 'deviceonly' } })
    for (const password of ['x', 'null', 'undefined']) expect((await login('deviceonly', password)).status).toBe(401)
  })

  for (const [name, body] of [
    ['no account', { password: 'x' }],
    ['no password', { account: 'bob' }],
    ['an empty password', { account: 'bob', password: '' }],
    ['an object as password', { account: 'bob', password: { $gt: '' } }],
    ['a list as account', { account: ['bob'], password: 'x' }],
  ] as const)
    test(`refuses ${name}`, async () => expect((await post('/api/auth/login', body)).status).toBe(400))
})

describe('failure lock', () => {
  test('50 wrong passwords at once: exactly 5 are checked, the rest refused with 4022', async () => {
    const bob = await server.person()
    const replies = await race(50, (i) => login(bob.username, `wrong ${i}`))
    expect(replies.filter((r) => r.status === 401)).toHaveLength(5)
    const refused = replies.filter((r) => r.status === 429)
    expect(refused).toHaveLength(45)
    for (const r of refused) {
      expect(r.code).toBe(4022)
      const wait = Number(r.headers.get('retry-after'))
      expect(wait).toBeGreaterThan(280)
      expect(wait).toBeLessThanOrEqual(300)
    }
    // Locked means locked: the right password is not even looked at, nor the console's login, nor another case.
    expect((await login(bob.username, bob.password)).status).toBe(429)
    expect((await login(bob.username.toUpperCase(), bob.password)).status).toBe(429)
    expect((await post('/api/admin/auth/login', { account: bob.username, password: bob.password })).status).toBe(429)
    // Others, and bob's running session, go on.
    expect((await bob.get('/api/auth/userinfo')).status).toBe(200)
    expect((await login(ADMIN.username, ADMIN.password)).status).toBe(200)
    // Five failures are on record, not fifty.
    expect((await bob.get('/api/login-records/failed')).data.total).toBe(5)
  }, 60_000)

  test('an account that does not exist locks just the same', async () => {
    const replies = await race(12, () => login('nobody.at.all', 'wrong'))
    expect(replies.map((r) => r.status).toSorted()).toEqual([
      401, 401, 401, 401, 401, 429, 429, 429, 429, 429, 429, 429,
    ])
  })

  test('a success forgets the failures before it', async () => {
    const bob = await server.person()
    for (let round = 0; round < 3; round++) {
      for (let i = 0; i < 4; i++) expect((await login(bob.username, 'wrong')).status).toBe(401)
      expect((await login(bob.username, bob.password)).status).toBe(200)
    }
  })

  test.if(inProcess)(
    'a login with the right password takes two writes, and the second one forgets the failures',
    async () => {
      const bob = await server.person()
      await login(bob.username, 'wrong')
      const write = spyOn(server.ctx.db, 'write')
      expect((await login(bob.username, bob.password)).status).toBe(200)
      const names = write.mock.calls.map(([name]) => name)
      write.mockRestore()
      expect(names).toEqual(['accounts.countAttempt', 'accounts.login'])
      const { passwordTries } = await import('#db/schema/accounts.ts')
      const { lockOf } = await import('#domains/accounts/passwords/failure-lock.ts')
      const rows = await server.ctx.db.read.select().from(passwordTries)
      expect(rows.map((row) => row.key)).not.toContain(lockOf({ id: bob.id }, ''))
    },
  )

  test('the right password never locks the account, even if the login is refused for another reason', async () => {
    const bob = await server.person()
    // Not an administrator: the password is right, and no session is opened.
    for (let i = 0; i < 7; i++)
      expect((await post('/api/admin/auth/login', { account: bob.username, password: bob.password })).status).toBe(403)
    expect((await login(bob.username, bob.password)).status).toBe(200)
  })

  test('many logins with the right password at once all succeed: they do not count as failures of each other', async () => {
    const bob = await server.person()
    const replies = await race(12, () => login(bob.username, bob.password))
    expect(replies.map((r) => r.status)).toEqual(Array.from({ length: 12 }, () => 200))
  }, 60_000)

  test.if(inProcess)('it ends after 5 minutes, not before', async () => {
    const bob = await server.person()
    for (let i = 0; i < 5; i++) await login(bob.username, 'wrong')
    server.clock.advance(4 * 60_000 + 50_000)
    expect((await login(bob.username, bob.password)).status).toBe(429)
    server.clock.advance(11_000)
    expect((await login(bob.username, bob.password)).status).toBe(200)
  })

  test('what was typed is stored as a hash only', async () => {
    const typed = 'oops.my.Password.1'
    await login(typed, 'wrong')
    if (!inProcess) return
    const { passwordTries } = await import('#db/schema/accounts.ts')
    const rows = await server.ctx.db.read.select().from(passwordTries)
    expect(rows.length).toBeGreaterThan(0)
    expect(JSON.stringify(rows).toLowerCase()).not.toContain(typed.toLowerCase())
  })
})

describe('console login', () => {
  const adminLogin = (account: string, password: string) => post('/api/admin/auth/login', { account, password })

  test('is for who holds a PLATFORM role', async () => {
    const reply = await adminLogin(ADMIN.username, ADMIN.password)
    expect(reply.status).toBe(200)
    expect(reply.data.roleName).toBe('System administrator')
    expect(reply.data.permissions).toContain('user:read')
    expect(reply.data.permissions).toContain('qr_code:create')
  })

  test('403 for the right password without a role, 401 for a wrong one; no session either way', async () => {
    const bob = await server.person()
    expect((await adminLogin(bob.username, bob.password)).status).toBe(403)
    expect((await adminLogin(bob.username, 'wrong')).status).toBe(401)
    expect((await bob.get('/api/auth/sessions')).data.total).toBe(1)
  })

  test('its refresh refuses others, and leaves their token unused', async () => {
    const bob = await server.person()
    expect((await post('/api/admin/auth/refresh', { refreshToken: bob.refreshToken })).status).toBe(403)
    expect((await post('/api/auth/refresh', { refreshToken: bob.refreshToken })).status).toBe(200)
    expect((await post('/api/admin/auth/refresh', { refreshToken: 'x'.repeat(43) })).status).toBe(401)
    const { data } = await adminLogin(ADMIN.username, ADMIN.password)
    const refreshed = await post('/api/admin/auth/refresh', { refreshToken: data.refreshToken })
    expect(refreshed.data.sessionId).toBe(data.sessionId)
  })
})

describe('logout', () => {
  test('ends this session at once, and no other', async () => {
    const bob = await server.person()
    const other = await login(bob.username, bob.password, newDevice())
    expect((await bob.post('/api/auth/logout')).status).toBe(200)
    expect((await bob.get('/api/auth/userinfo')).status).toBe(401)
    expect((await post('/api/auth/refresh', { refreshToken: bob.refreshToken })).status).toBe(401)
    expect((await post('/api/auth/refresh', { refreshToken: other.data.refreshToken })).status).toBe(200)
  })

  test('needs a token', async () => expect((await post('/api/auth/logout', {})).status).toBe(401))

  async function deviceUser() {
    const deviceId = newDevice()
    const { data } = await post('/api/auth/device-login', {}, deviceId)
    const me = { token: data.accessToken as string, deviceId }
    return { me, deviceId, key: data.deviceId as string, id: data.user.id as number }
  }

  test('with a device: refused where it is the only way in', async () => {
    const { me, deviceId, id } = await deviceUser()
    const reply = await server.request('POST', `/api/auth/logout/${deviceId}`, me)
    expect(reply.status).toBe(400)
    expect(reply.message).toContain('only way')
    expect((await server.request('GET', '/api/auth/userinfo', me)).data.identities).toHaveLength(1)
    expect((await post('/api/auth/device-login', {}, deviceId)).data.user.id).toBe(id)
  })

  test('with a device: its identity goes and its session ends', async () => {
    const { me, deviceId, id } = await deviceUser()
    await server.request('PUT', '/api/users/me/username', { ...me, body: { username: `dev${id}` } })
    await server.request('POST', '/api/auth/password/set', { ...me, body: { password: 'secret enough' } })
    expect((await server.request('POST', `/api/auth/logout/${deviceId}`, me)).status).toBe(200)
    expect((await server.request('GET', '/api/auth/userinfo', me)).status).toBe(401)
    // The device is a stranger now; the account lives on by its password.
    expect((await post('/api/auth/device-login', {}, deviceId)).data.user.id).not.toBe(id)
    const back = await login(`dev${id}`, 'secret enough')
    expect(back.data.user).toMatchObject({ id, identities: [] })
  })

  test("another of one's devices, named by its key: this session goes on", async () => {
    const bob = await server.person()
    const phone = newDevice()
    const other = await login(bob.username, bob.password, phone)
    expect((await bob.post(`/api/auth/logout/${other.data.deviceId}`)).status).toBe(200)
    const asOther = { token: other.data.accessToken, deviceId: phone }
    expect((await server.request('GET', '/api/auth/userinfo', asOther)).status).toBe(401)
    expect((await bob.get('/api/auth/userinfo')).status).toBe(200)
  })

  test("nobody else's device", async () => {
    const { me, deviceId, key, id } = await deviceUser()
    const mallory = await server.person()
    for (const name of [deviceId, key, 'unknown-device'])
      expect((await mallory.post(`/api/auth/logout/${name}`)).status).toBe(404)
    expect((await server.request('GET', '/api/auth/userinfo', me)).data.id).toBe(id)
    expect((await post('/api/auth/device-login', {}, deviceId)).data.user.id).toBe(id)
  })
})

test('the access log never holds a device id, also where a path names one', async () => {
  const { createLog } = await import('#platform/log.ts')
  let lines = ''
  const log = createLog({ level: 'info', format: 'json', write: (text) => (lines += text) })
  const caller = { requestId: 'r', ip: '127.0.0.1' }
  const id = newDevice()
  for (const path of [`/api/auth/logout/${id}`, `/api/auth/devices/${id}?x=1`, `/api/auth/devices/${id}/more`])
    log.access('POST', `http://localhost${path}`, 200, 1, caller, 1)
  log.access('GET', 'http://localhost/api/auth/sessions/5', 200, 1, caller, 1)
  log.flush()
  expect(lines).toContain('/api/auth/devices/***')
  expect(lines).toContain('/api/auth/sessions/5')
  expect(lines).not.toContain(id)
})
