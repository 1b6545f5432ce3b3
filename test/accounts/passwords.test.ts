import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { ADMIN, inProcess, race } from '../harness/index.ts'
import { person } from '../harness/people.ts'
import { newDevice, newEmail, newIp, newPhone, otherThan, startWorld, type World } from './helpers.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const NEW = 'an entirely new one'
/** The server makes the device's id and answers it. */
const login = (account: string, password: string) => world.post('/api/auth/login', { account, password })
const forgot = (credential: string) => world.post('/api/auth/password/forgot-code', { credential })
const reset = (credential: string, code: string, newPassword = NEW) =>
  world.post('/api/auth/password/reset', { credential, code, newPassword })

describe('change', () => {
  test('by the old password: every token of everybody ends, and the new one opens', async () => {
    const bob = await world.server.person()
    const other = await login(bob.username, bob.password)
    const asked = { token: other.data.accessToken, deviceId: other.data.deviceId }
    expect((await world.server.request('GET', '/api/auth/userinfo', asked)).status).toBe(200)
    const reply = await bob.post('/api/auth/password/change', {
      verifyType: 'OLD_PASSWORD',
      oldPassword: bob.password,
      newPassword: NEW,
    })
    expect([reply.status, reply.data]).toEqual([200, null])
    expect((await bob.get('/api/auth/userinfo')).status).toBe(401)
    expect((await world.server.request('GET', '/api/auth/userinfo', asked)).status).toBe(401)
    for (const refreshToken of [bob.refreshToken, other.data.refreshToken])
      expect((await world.post('/api/auth/refresh', { refreshToken })).status).toBe(401)
    expect((await login(bob.username, bob.password)).status).toBe(401)
    expect((await login(bob.username, NEW)).status).toBe(200)
  })

  test('a wrong old password is a 400, counts in the account’s lock, and changes nothing', async () => {
    const bob = await world.server.person()
    const change = (oldPassword: string) =>
      bob.post('/api/auth/password/change', { verifyType: 'OLD_PASSWORD', oldPassword, newPassword: NEW })
    const replies = await race(20, (i) => change(`wrong ${i}`))
    expect(replies.filter((r) => r.status === 400)).toHaveLength(5)
    expect(replies.filter((r) => r.status === 429)).toHaveLength(15)
    expect((await change(bob.password)).status).toBe(429)
    expect((await login(bob.username, bob.password)).status).toBe(429)
    expect((await bob.get('/api/auth/userinfo')).status).toBe(200)
  })

  test('by a code to the bound phone or e-mail', async () => {
    for (const [channel, verifyType, who] of [
      ['PHONE', 'PHONE_CODE', await world.withPhone()],
      ['EMAIL', 'EMAIL_CODE', await world.withEmail()],
    ] as const) {
      const to = 'phone' in who ? who.phone : who.email
      const code = await world.codeBy(who, '/api/auth/password/change-code', { channel }, to)
      const change = (c: string) => who.post('/api/auth/password/change', { verifyType, code: c, newPassword: NEW })
      expect((await change(otherThan(code))).status).toBe(400)
      expect((await change(code)).status).toBe(200)
      expect((await who.get('/api/auth/userinfo')).status).toBe(401)
      expect((await login(who.username, NEW)).status).toBe(200)
    }
  })

  test('what is not bound, not confirmed, or not set is a 400', async () => {
    const bob = await world.server.person()
    for (const channel of ['PHONE', 'EMAIL', 'FAX'])
      expect((await bob.post('/api/auth/password/change-code', { channel })).status).toBe(400)
    const { phone, ...carol } = await world.byPhone()
    const old = { verifyType: 'OLD_PASSWORD', oldPassword: 'x', newPassword: NEW }
    expect((await carol.post('/api/auth/password/change', old)).status).toBe(400)
    const email = newEmail()
    const deviceId = newDevice()
    const made = await world.post('/api/auth/register', { email, password: 'a long password' }, { deviceId })
    const dora = person(world.server.url, made, email, 'a long password', deviceId)
    const unconfirmed = await dora.post('/api/auth/password/change-code', { channel: 'EMAIL' })
    expect([unconfirmed.status, unconfirmed.message]).toEqual([400, 'The e-mail is not verified: bind it again'])
    expect(phone).toStartWith('+86')
  })

  test('five at once with the old password: one new password', async () => {
    const bob = await world.server.person()
    const replies = await race(5, (i) =>
      bob.post('/api/auth/password/change', {
        verifyType: 'OLD_PASSWORD',
        oldPassword: bob.password,
        newPassword: `${NEW} ${i}`,
      }),
    )
    expect(replies.filter((r) => r.status === 200)).toHaveLength(1)
    const winner = replies.findIndex((r) => r.status === 200)
    expect((await login(bob.username, `${NEW} ${winner}`)).status).toBe(200)
  })

  test('an administrator needs a strong one', async () => {
    const admin = await world.server.admin()
    const change = (newPassword: string) =>
      admin.post('/api/auth/password/change', { verifyType: 'OLD_PASSWORD', oldPassword: ADMIN.password, newPassword })
    const short = await change('short 1')
    expect(short.details).toMatchObject([{ path: 'body.newPassword' }])
    expect((await change('password123')).status).toBe(400)
    expect((await admin.get('/api/auth/userinfo')).status).toBe(200)
  })

  test('logins that race with the change leave no session with the old password', async () => {
    for (let round = 0; round < 4; round++) {
      const bob = await world.server.person()
      const [changed, ...logins] = await Promise.all([
        bob.post('/api/auth/password/change', {
          verifyType: 'OLD_PASSWORD',
          oldPassword: bob.password,
          newPassword: NEW,
        }),
        ...Array.from({ length: 4 }, () => login(bob.username, bob.password)),
      ])
      expect(changed.status).toBe(200)
      for (const { status, data } of logins) {
        if (status !== 200) continue
        const me = { token: data.accessToken, deviceId: data.deviceId }
        expect((await world.server.request('GET', '/api/auth/userinfo', me)).status).toBe(401)
        expect((await world.post('/api/auth/refresh', { refreshToken: data.refreshToken })).status).toBe(401)
      }
    }
  })
})

describe('forgotten', () => {
  test('by e-mail and by phone: a new password, everybody out, a lock ended, told', async () => {
    for (const who of [await world.withPhone(), await world.withEmail()]) {
      const to = 'phone' in who ? who.phone : who.email
      for (let i = 0; i < 5; i++) await login(who.username, 'wrong')
      const code = await world.codeBy(undefined, '/api/auth/password/forgot-code', { credential: to }, to)
      expect((await reset(to, otherThan(code))).status).toBe(400)
      const reply = await reset(to, code)
      expect([reply.status, reply.data]).toEqual([200, null])
      expect((await who.get('/api/auth/userinfo')).status).toBe(401)
      expect((await world.post('/api/auth/refresh', { refreshToken: who.refreshToken })).status).toBe(401)
      expect((await login(who.username, who.password)).status).toBe(401)
      const back = await login(who.username, NEW)
      expect(back.status).toBe(200)
      const me = { token: back.data.accessToken, deviceId: back.data.deviceId }
      const records = await world.server.request('GET', `/api/login-records/user/${who.id}`, me)
      expect(records.data.items.map((r: { loginType: string }) => r.loginType)).toContain('password_change')
      const notes = await world.server.request('GET', '/api/notifications', me)
      expect(notes.data.items.map((n: { data: { event: string } }) => n.data.event)).toContain('PASSWORD_CHANGED')
      if (!('email' in who)) continue
      while (!world.gateways.mails.some((m) => m.to === who.email && m.subject.includes('password was changed')))
        await Bun.sleep(5)
    }
  })

  test('11 digits are a phone, and an account without a password gets one', async () => {
    const { phone } = await world.byPhone()
    const code = await world.codeBy(undefined, '/api/auth/password/forgot-code', { credential: phone.slice(3) }, phone)
    expect((await reset(phone.slice(3), code)).status).toBe(200)
    expect((await world.post('/api/auth/phone-password-login', { phone, password: NEW })).status).toBe(200)
  })

  test('an address claimed at registration gets its owner in', async () => {
    const email = newEmail()
    await world.post('/api/auth/register', { email, password: 'whoever claimed it' })
    const code = await world.codeBy(undefined, '/api/auth/password/forgot-code', { credential: email }, email)
    expect((await reset(email, code)).status).toBe(200)
    expect((await login(email, 'whoever claimed it')).status).toBe(401)
    expect((await login(email, NEW)).data.user.identities).toMatchObject([{ credential: email, verified: true }])
  })

  test('nobody’s is refused with a sentence that says so, and nothing is sent', async () => {
    for (const credential of [newEmail(), newPhone()]) {
      const reply = await forgot(credential)
      expect([reply.status, reply.message]).toEqual([400, 'This account is not registered'])
      await Bun.sleep(50)
      expect([...world.gateways.mails, ...world.gateways.messages].filter((m) => m.to === credential)).toEqual([])
    }
    for (const credential of ['', 'bob', '@', '123']) expect((await forgot(credential)).status).toBe(400)
  })

  test('a short password spends no code', async () => {
    const bob = await world.withPhone()
    const code = await world.codeBy(undefined, '/api/auth/password/forgot-code', { credential: bob.phone }, bob.phone)
    expect((await reset(bob.phone, code, 'short')).status).toBe(400)
    expect((await reset(bob.phone, code)).status).toBe(200)
    expect((await reset(bob.phone, code)).status).toBe(400)
  })

  test('ten at once with one code: one password', async () => {
    const bob = await world.withPhone()
    const code = await world.codeBy(undefined, '/api/auth/password/forgot-code', { credential: bob.phone }, bob.phone)
    const replies = await race(5, (i) => reset(bob.phone, code, `${NEW} ${i}`))
    expect(replies.filter((r) => r.status === 200)).toHaveLength(1)
  })
})

/** Whether an account exists must not be found out by a clock. */
describe('timing', () => {
  const ROUNDS = 21
  const medianOf = (times: number[]) => times.toSorted((a, b) => a - b)[times.length >> 1]!
  async function timed(run: () => Promise<unknown>): Promise<number> {
    const started = performance.now()
    await run()
    return performance.now() - started
  }
  /** Of neighbours, in turns: what else this machine does falls on both. */
  async function difference(known: () => Promise<unknown>, unknown: () => Promise<unknown>): Promise<number> {
    const differences: number[] = []
    for (let i = 0; i < ROUNDS; i++) {
      const first = await timed(i % 2 ? known : unknown)
      const second = await timed(i % 2 ? unknown : known)
      differences.push(i % 2 ? first - second : second - first)
    }
    return Math.abs(medianOf(differences))
  }

  test('of a login: under 10 ms at the median', async () => {
    const people = await Promise.all(Array.from({ length: ROUNDS }, () => world.server.person()))
    await login('warm.up', 'x')
    let i = 0
    // Each person thrice at most: the fifth failure would lock the account.
    const known = () => login(people[i++ % ROUNDS]!.username, 'not the password')
    const unknown = () => login(`nobody.${newIp()}`.slice(0, 30), 'not the password')
    // Hashing takes as long as a busy machine lets it: a difference that is really there is there every time.
    let apart = Infinity
    for (let tries = 0; tries < 3 && apart >= 10; tries++) apart = await difference(known, unknown)
    console.log(`login, known and unknown: ${apart.toFixed(2)} ms apart`)
    expect(apart).toBeLessThan(10)
  }, 60_000)

  test('of a forgotten password: under 10 ms at the median', async () => {
    const people: Awaited<ReturnType<World['byPhone']>>[] = []
    for (let i = 0; i < ROUNDS; i++) people.push(await world.byPhone())
    let i = 0
    const apart = await difference(
      () => forgot(people[i++]!.phone),
      () => forgot(newPhone()),
    )
    console.log(`forgot, known and unknown: ${apart.toFixed(2)} ms apart`)
    expect(apart).toBeLessThan(10)
  }, 60_000)
})

describe.if(inProcess)('tokens', () => {
  test('of an older version end at once, also where nothing is cached', async () => {
    const bob = await world.withPhone()
    const code = await world.codeBy(undefined, '/api/auth/password/forgot-code', { credential: bob.phone }, bob.phone)
    expect((await bob.get('/api/auth/userinfo')).status).toBe(200)
    const [, ...asked] = await Promise.all([
      reset(bob.phone, code),
      ...Array.from({ length: 5 }, () => bob.get('/api/auth/userinfo')),
    ])
    for (const { status } of asked) expect([200, 401]).toContain(status)
    for (let i = 0; i < 3; i++) expect((await bob.get('/api/auth/userinfo')).status).toBe(401)
  })
})
