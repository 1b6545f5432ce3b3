import { describe, expect, test } from 'bun:test'

import { ADMIN, inProcess, race } from '../harness/index.ts'
import { person } from '../harness/people.ts'
import { costOf, newDevice, newEmail, newPhone, otherThan, useWorld } from './helpers.ts'

const world = useWorld()

const NEW = 'an entirely new one'
/** Without a device, so that the server generates an id and answers it. */
const login = (account: string, password: string) => world.post('/api/auth/login', { account, password })
const forgot = (credential: string) => world.post('/api/auth/password/forgot-code', { credential })
const reset = (credential: string, code: string, newPassword = NEW) =>
  world.post('/api/auth/password/reset', { credential, code, newPassword })

describe('POST /auth/password/change', () => {
  test('changing the password with the old one ends every session and token, and only the new password signs in', async () => {
    const bob = await world.server.person()
    const other = await login(bob.username, bob.password)
    const asked = { token: other.data.accessToken, deviceId: other.data.deviceId }
    expect((await world.server.request('GET', '/api/auth/userinfo', asked)).status).toBe(200)
    const reply = await bob.call('auth.changePassword', {
      body: {
        verifyType: 'OLD_PASSWORD',
        oldPassword: bob.password,
        newPassword: NEW,
      },
    })
    expect([reply.status, reply.data]).toEqual([200, null])
    expect((await bob.call('profile.get')).status).toBe(401)
    expect((await world.server.request('GET', '/api/auth/userinfo', asked)).status).toBe(401)
    for (const refreshToken of [bob.refreshToken, other.data.refreshToken])
      expect((await world.post('/api/auth/refresh', { refreshToken })).status).toBe(401)
    expect((await login(bob.username, bob.password)).status).toBe(401)
    expect((await login(bob.username, NEW)).status).toBe(200)
  })

  test('a wrong old password is answered with 400, counts in the failure lock of the account, and changes nothing', async () => {
    const bob = await world.server.person()
    const change = (oldPassword: string) =>
      bob.call('auth.changePassword', { body: { verifyType: 'OLD_PASSWORD', oldPassword, newPassword: NEW } })
    const replies = await race(20, (i) => change(`wrong ${i}`))
    expect(replies.filter((r) => r.status === 400)).toHaveLength(5)
    expect(replies.filter((r) => r.status === 429)).toHaveLength(15)
    expect((await change(bob.password)).status).toBe(429)
    expect((await login(bob.username, bob.password)).status).toBe(429)
    expect((await bob.call('profile.get')).status).toBe(200)
  })

  test('the password can be changed with a code sent to the bound phone or e-mail', async () => {
    for (const [channel, verifyType, who] of [
      ['PHONE', 'PHONE_CODE', await world.withPhone()],
      ['EMAIL', 'EMAIL_CODE', await world.withEmail()],
    ] as const) {
      const to = 'phone' in who ? who.phone : who.email
      const code = await world.codeBy(who, '/api/auth/password/change-code', { channel }, to)
      const change = (c: string) => who.call('auth.changePassword', { body: { verifyType, code: c, newPassword: NEW } })
      expect((await change(otherThan(code))).status).toBe(400)
      expect((await change(code)).status).toBe(200)
      expect((await who.call('profile.get')).status).toBe(401)
      expect((await login(who.username, NEW)).status).toBe(200)
    }
  })

  test('a change with a phone or e-mail that is not bound or verified, or without an old password, is answered with 400', async () => {
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

  test('of five changes at once with the same old password one succeeds', async () => {
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

  test('an administrator cannot change to a weak password', async () => {
    const admin = await world.server.admin()
    const change = (newPassword: string) =>
      admin.call('auth.changePassword', {
        body: { verifyType: 'OLD_PASSWORD', oldPassword: ADMIN.password, newPassword },
      })
    const short = await change('short 1')
    expect(short.details).toMatchObject([{ path: 'body.newPassword' }])
    expect((await change('password123')).status).toBe(400)
    expect((await admin.call('profile.get')).status).toBe(200)
  })

  test('logins that run at the same time as a password change leave no session by the old password', async () => {
    for (let round = 0; round < 4; round++) {
      const bob = await world.server.person()
      const [changed, ...logins] = await Promise.all([
        bob.call('auth.changePassword', {
          body: {
            verifyType: 'OLD_PASSWORD',
            oldPassword: bob.password,
            newPassword: NEW,
          },
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

describe('POST /auth/password/reset', () => {
  test('a reset by e-mail or phone sets the password, ends all sessions and the failure lock, and notifies the user', async () => {
    for (const who of [await world.withPhone(), await world.withEmail()]) {
      const to = 'phone' in who ? who.phone : who.email
      for (let i = 0; i < 5; i++) await login(who.username, 'wrong')
      const code = await world.codeBy(undefined, '/api/auth/password/forgot-code', { credential: to }, to)
      expect((await reset(to, otherThan(code))).status).toBe(400)
      const reply = await reset(to, code)
      expect([reply.status, reply.data]).toEqual([200, null])
      expect((await who.call('profile.get')).status).toBe(401)
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
      await world.mailArrived(who.email, 'password was changed')
    }
  })

  test('a reset accepts 11 digits as a phone number and gives a first password to an account without one', async () => {
    const { phone } = await world.byPhone()
    const code = await world.codeBy(undefined, '/api/auth/password/forgot-code', { credential: phone.slice(3) }, phone)
    expect((await reset(phone.slice(3), code)).status).toBe(200)
    expect((await world.post('/api/auth/phone-password-login', { phone, password: NEW })).status).toBe(200)
  })

  test('a reset of an account with an unverified e-mail verifies it and replaces the password of the registration', async () => {
    const email = newEmail()
    await world.post('/api/auth/register', { email, password: 'of the claimant' })
    const code = await world.codeBy(undefined, '/api/auth/password/forgot-code', { credential: email }, email)
    expect((await reset(email, code)).status).toBe(200)
    expect((await login(email, 'of the claimant')).status).toBe(401)
    expect((await login(email, NEW)).data.user.identities).toMatchObject([{ credential: email, verified: true }])
  })

  test('a forgotten-password code for an unknown e-mail or phone is refused as not registered, and nothing is sent', async () => {
    for (const credential of [newEmail(), newPhone()]) {
      const reply = await forgot(credential)
      expect([reply.status, reply.message]).toEqual([400, 'This account is not registered'])
      await world.allDelivered()
      expect([...world.gateways.mails, ...world.gateways.messages].filter((m) => m.to === credential)).toEqual([])
    }
    for (const credential of ['', 'bob', '@', '123']) expect((await forgot(credential)).status).toBe(400)
  })

  test('a reset that is refused for a short password does not use up the code', async () => {
    const bob = await world.withPhone()
    const code = await world.codeBy(undefined, '/api/auth/password/forgot-code', { credential: bob.phone }, bob.phone)
    expect((await reset(bob.phone, code, 'short')).status).toBe(400)
    expect((await reset(bob.phone, code)).status).toBe(200)
    expect((await reset(bob.phone, code)).status).toBe(400)
  })

  test('of five resets at once with the same code one succeeds', async () => {
    const bob = await world.withPhone()
    const code = await world.codeBy(undefined, '/api/auth/password/forgot-code', { credential: bob.phone }, bob.phone)
    const replies = await race(5, (i) => reset(bob.phone, code, `${NEW} ${i}`))
    expect(replies.filter((r) => r.status === 200)).toHaveLength(1)
  })
})

describe.if(inProcess)('POST /auth/password/forgot-code', () => {
  test('a forgotten-password code costs the same hashes and writes for an unknown phone as for a known one', async () => {
    const bob = await world.byPhone()
    const known = await costOf(world.server, () => forgot(bob.phone))
    const unknown = await costOf(world.server, () => forgot(newPhone()))
    expect(known).toEqual({ hashes: 0, writes: ['accounts.sendCode'] })
    expect(unknown).toEqual(known)
  })
})

describe.if(inProcess)('access tokens after a reset', () => {
  test('a reset ends access tokens at once, even while requests with them are running', async () => {
    const bob = await world.withPhone()
    const code = await world.codeBy(undefined, '/api/auth/password/forgot-code', { credential: bob.phone }, bob.phone)
    expect((await bob.call('profile.get')).status).toBe(200)
    const [, ...asked] = await Promise.all([
      reset(bob.phone, code),
      ...Array.from({ length: 5 }, () => bob.call('profile.get')),
    ])
    for (const { status } of asked) expect([200, 401]).toContain(status)
    for (let i = 0; i < 3; i++) expect((await bob.call('profile.get')).status).toBe(401)
  })
})
