/** Budgets of new accounts, of account links, of look-ups by link code, and of tries to sign in. */

import { describe, expect, test } from 'bun:test'

import { setSetting } from '#domains/settings/index.ts'

import { inProcess, race, useServer } from '../harness/index.ts'
import { person } from '../harness/people.ts'
import { newDevice, newEmail, newIp, newPhone, useWorld } from './helpers.ts'

const MINUTE = 60_000
const DAY = 86_400_000

describe.if(inProcess)('new accounts', () => {
  const world = useWorld({ rateLimit: true })
  const from = (ip: string) => ({ headers: { 'x-forwarded-for': ip } })
  const byDevice = (ip: string, deviceId = newDevice()) =>
    world.post('/api/auth/device-login', {}, { ...from(ip), deviceId })
  let names = 0
  const register = (ip: string) =>
    world.post('/api/auth/register', { username: `person${++names}`, password: 'secret of a person' }, from(ip))

  test('of 30 devices that sign in at once from one address 20 get an account, and the next the day after', async () => {
    const ip = newIp()
    const devices = Array.from({ length: 30 }, newDevice)
    const replies = await race(30, (i) => byDevice(ip, devices[i]))
    const known = replies.flatMap((r, i) => (r.status === 200 ? [devices[i]!] : []))
    expect(known).toHaveLength(20)
    const refused = replies.find((r) => r.status !== 200)!
    expect([refused.status, refused.code, refused.message]).toEqual([
      429,
      4022,
      'Too many new accounts, try again later',
    ])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(86_000)
    // A device that has an account creates none.
    expect((await byDevice(ip, known[0])).status).toBe(200)
    expect((await byDevice(newIp())).status).toBe(200)
    world.server.clock.advance(DAY)
    expect((await byDevice(ip)).status).toBe(200)
  })

  test('registration and sign-in by phone count like devices, but not if they create nothing', async () => {
    const ip = newIp()
    for (let i = 0; i < 18; i++) expect((await byDevice(ip)).status).toBe(200)
    expect((await register(ip)).status).toBe(200)
    const taken = { username: `person${names}`, password: 'secret of a person' }
    for (let i = 0; i < 3; i++) expect((await world.post('/api/auth/register', taken, from(ip))).status).toBe(400)
    const signIn = async () => {
      const phone = newPhone()
      const code = await world.codeBy(undefined, '/api/auth/sms/send-code', { phone }, phone)
      return world.post('/api/auth/phone-login', { phone, code }, { ...from(ip), deviceId: newDevice() })
    }
    expect((await signIn()).data.isNewUser).toBe(true)
    expect((await signIn()).status).toBe(429)
    expect((await register(ip)).status).toBe(429)
  })

  test('a /48 of IPv6 gets 100 accounts a day, and each of its /64s 20', async () => {
    const created = async (network: string, count: number) => {
      const replies = await race(count, (i) => byDevice(`${network}::${i + 1}`))
      return replies.filter((r) => r.status === 200).length
    }
    expect(await created('2001:db8:7:100', 25)).toBe(20)
    let total = 20
    for (let i = 2; i < 7; i++) {
      world.server.clock.advance(MINUTE)
      total += await created(`2001:db8:7:${i}00`, 20)
    }
    expect(total).toBe(100)
    expect(await created('2001:db8:8:100', 1)).toBe(1)
  })

  test('the number is a setting, and 0 allows any number', async () => {
    const { ctx } = world.server
    const set = (n: number) => ctx.db.write('test', (tx) => setSetting(tx, 'budget.accountsPerAddress', n))
    await set(1)
    const ip = newIp()
    expect([(await byDevice(ip)).status, (await byDevice(ip)).status]).toEqual([200, 429])
    await set(0)
    expect(new Set((await race(30, () => byDevice(ip))).map((r) => r.status))).toEqual(new Set([200]))
    await set(20)
  })
})

describe.if(inProcess)('account links', () => {
  const world = useWorld({ rateLimit: true })

  test('an address can try 100 passwords a day through links', async () => {
    const [ann, bob] = [await world.server.person(), await world.server.person()]
    const link = (from = ann) =>
      from.send('POST', '/api/auth/link', {
        body: { linkedUserId: bob.id, password: bob.password },
        headers: { 'x-forwarded-for': '192.0.2.1' },
      })
    for (let i = 0; i < 2; i++) {
      expect(new Set((await race(50, () => link())).map((r) => r.status))).toEqual(
        new Set(i === 0 ? [200, 400] : [400]),
      )
      world.server.clock.advance(MINUTE)
    }
    const refused = await link()
    expect([refused.status, refused.code]).toEqual([429, 4022])
    // Another user at the address gets no further tries.
    expect((await link(bob)).status).toBe(429)
    world.server.clock.advance(DAY)
    expect((await link()).status).toBe(400)
  })

  test('link codes count as look-ups of contacts, whether or not an account has the contact', async () => {
    const ip = newIp()
    const ask = async (i: number) => {
      // Each user may request 20 link codes a day, so it takes many users to look up many contacts.
      const user = users[Math.floor(i / 20)]!
      const headers = { 'x-forwarded-for': ip }
      return (await user.send('POST', '/api/auth/email/link-code', { body: { email: newEmail() }, headers })).status
    }
    const users = await Promise.all(
      Array.from({ length: 11 }, async () => {
        const deviceId = newDevice()
        return person(world.server.url, await world.post('/api/auth/device-login', {}, { deviceId }), '', '', deviceId)
      }),
    )
    const statuses: number[] = []
    for (let i = 0; i < 210; i++) statuses.push(await ask(i))
    expect(statuses.filter((s) => s === 400)).toHaveLength(200)
    expect(statuses.slice(200)).toEqual(Array(10).fill(429))
  })
})

describe.if(inProcess)('ways to sign in without a password', () => {
  const world = useWorld({ rateLimit: true })
  const MAX_TRIES = 60
  const secret = () => crypto.randomUUID().replaceAll('-', '') + crypto.randomUUID().replaceAll('-', '')
  const credential = { id: 'AAAA', rawId: 'AAAA', type: 'public-key', clientExtensionResults: {} }
  const response = { clientDataJSON: 'AAAA', authenticatorData: 'AAAA', signature: 'AAAA' }
  const tries: readonly (readonly [string, () => object])[] = [
    ['/api/auth/passkey-login', () => ({ challengeId: secret(), credential: { ...credential, response } })],
    [
      '/api/auth/password/redeem',
      () => ({
        account: `pupil${newPhone().slice(-6)}`,
        code: 'AAAA-AAAA-AAAA-AAAA',
        newPassword: 'a password of mine',
      }),
    ],
    ['/api/auth/oidc/token', () => ({ ticket: secret() })],
  ]
  const at = (ip: string) => ({ headers: { 'x-forwarded-for': ip } })

  test('passkeys, start codes and tickets of providers together have 60 tries a minute from an address', async () => {
    const ip = newIp()
    const wrong = (i: number, from = ip) => {
      const [path, body] = tries[i % tries.length]!
      return world.post(path, body(), at(from))
    }
    const replies = await race(MAX_TRIES + 15, (i) => wrong(i))
    expect(replies.filter((r) => r.status === 400)).toHaveLength(MAX_TRIES)
    expect(replies.filter((r) => r.status === 429 && r.code === 4022)).toHaveLength(15)
    const pupil = await world.server.person()
    const right = { account: pupil.username, password: pupil.password }
    // A correct password waits, too, and other addresses do not.
    expect((await world.post('/api/auth/login', right, at(ip))).status).toBe(429)
    for (const [i] of tries.entries())
      expect([(await wrong(i)).status, (await wrong(i, newIp())).status]).toEqual([429, 400])
    expect((await world.post('/api/auth/login', right)).status).toBe(200)
    world.server.clock.advance(MINUTE)
    for (const [i] of tries.entries()) expect((await wrong(i)).status).toBe(400)
  })

  test('a start code has five tries, however many addresses they come from', async () => {
    const admin = await world.server.admin()
    const pupil = await world.server.person()
    await world.server.ctx.db.write('test', (tx) => setSetting(tx, 'security.adminResetCodes', true))
    const { code } = (await admin.call('admin.users.resetCode', { params: { userId: pupil.id }, body: {} })).data
    const redeem = (given: string) =>
      world.post('/api/auth/password/redeem', {
        account: pupil.username,
        code: given,
        newPassword: 'a password of mine',
      })
    const wrong = code.startsWith('A') ? `B${code.slice(1)}` : `A${code.slice(1)}`
    for (const { status } of await race(20, () => redeem(wrong))) expect(status).toBe(400)
    expect((await redeem(code)).status).toBe(400)
  })

  test.each([
    ['the list of providers', 'GET', '/api/auth/oidc/providers', 200],
    ['the start of a sign-in', 'GET', '/api/auth/oidc/school/start', 404],
    ['the way back', 'GET', '/api/auth/oidc/school/callback?code=a&state=b', 404],
    ['the end of a session at the provider', 'POST', '/api/auth/oidc/school/backchannel-logout', 404],
  ] as const)(
    'of a provider: %s is asked for 60 times a minute from an address',
    async (_name, method, path, status) => {
      const ip = newIp()
      const ask = (from: string) =>
        world.server.request(method, path, {
          ...at(from),
          ...(method === 'POST' && { body: { logout_token: 'a.b.c' } }),
        })
      const replies = await race(MAX_TRIES + 10, () => ask(ip))
      expect(replies.filter((r) => r.status === status)).toHaveLength(MAX_TRIES)
      const refused = replies.filter((r) => r.status === 429)
      expect(refused).toHaveLength(10)
      expect(Number(refused[0]!.headers.get('retry-after'))).toBeWithin(1, 61)
      expect((await ask(newIp())).status).toBe(status)
    },
  )
})

describe('without rate limits', () => {
  const { server } = useServer()

  test('an address may create any number of accounts, for benchmarks and tests', async () => {
    const replies = await race(30, () =>
      server.request('POST', '/api/auth/device-login', { deviceId: newDevice(), body: {} }),
    )
    expect(new Set(replies.map((r) => r.status))).toEqual(new Set([200]))
  })
})

describe('the failure lock', () => {
  const world = useWorld()

  test('answers 429 with code 4022 and Retry-After wherever a password is checked', async () => {
    const bob = await world.withPhone()
    const { username: account, password, phone } = bob
    const wrong = { account, password: 'wrong' }
    for (let i = 0; i < 5; i++) expect((await world.post('/api/auth/login', wrong)).status).toBe(401)
    const change = { verifyType: 'OLD_PASSWORD', oldPassword: password, newPassword: 'another long secret' }
    for (const reply of [
      await world.post('/api/auth/login', { account, password }),
      await world.post('/api/auth/phone-password-login', { phone, password }),
      await world.post('/api/admin/auth/login', { account, password }),
      await bob.post('/api/auth/password/change', change),
    ]) {
      expect([reply.status, reply.code]).toEqual([429, 4022])
      expect(Number(reply.headers.get('retry-after'))).toBeWithin(1, 301)
    }
  })
})
