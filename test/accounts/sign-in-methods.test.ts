import { describe, expect, test } from 'bun:test'

import { setSetting } from '#domains/settings/index.ts'

import { inProcess, ok, race, type Reply } from '../harness/index.ts'
import { type Person, person } from '../harness/people.ts'
import { newDevice, newEmail, newPhone, otherThan, useWorld } from './helpers.ts'

const world = useWorld()

const phoneCode = (phone: string) => world.codeBy(undefined, '/api/auth/sms/send-code', { phone }, phone)
const mailCode = (email: string) => world.codeBy(undefined, '/api/auth/email/send-code', { email }, email)
const labels = async (who: Person) =>
  (await who.call('loginRecords.ofUser', { params: { userId: who.id } })).data.items.map((r) => r.loginType)
const asks = async ({ data }: Reply, deviceId: string) =>
  (await world.server.request('GET', '/api/auth/userinfo', { token: data.accessToken, deviceId })).status

describe('POST /auth/phone-login', () => {
  test('a phone login with a new number creates an account and binds the number', async () => {
    const phone = newPhone()
    const deviceId = newDevice()
    const reply = await world.post(
      '/api/auth/phone-login',
      { phone: phone.slice(3), code: await phoneCode(phone) },
      { deviceId },
    )
    expect(reply.status).toBe(200)
    expect(reply.data).toMatchObject({ isNewUser: true, tokenType: 'Bearer', roleName: 'User' })
    expect(reply.data.user).toMatchObject({ phone, email: null, hasPassword: false, hasRecoverableCredential: true })
    expect(reply.data.user.identities).toMatchObject([{ provider: 'PHONE', credential: phone, verified: true }])
    expect(await asks(reply, deviceId)).toBe(200)
    expect(world.gateways.forged).toBe(0)
  })

  test('a phone login with a bound number signs in to its account', async () => {
    const bob = await world.withPhone()
    const code = await phoneCode(bob.phone)
    const deviceId = newDevice()
    const reply = await world.post('/api/auth/phone-login', { phone: bob.phone, code }, { deviceId })
    expect(reply.data).toMatchObject({ isNewUser: false, user: { id: bob.id } })
    expect((await labels(bob))[0]).toBe('phone')
  })

  test('ten first logins at once with one number create one account', async () => {
    const phone = newPhone()
    world.gateways.tokens.set(`t${phone}`, phone)
    const replies = await race(10, () => world.post('/api/auth/sms/oneclick-login', { token: `t${phone}` }))
    expect(replies.map((r) => r.status)).toEqual(Array(10).fill(200))
    expect(new Set(replies.map((r) => r.data.user.id)).size).toBe(1)
    expect(replies.filter((r) => r.data.isNewUser)).toHaveLength(1)
  })
})

describe('POST /auth/phone-password-login', () => {
  test('a login by phone and password counts in the same failure lock as the other names of the account', async () => {
    const bob = await world.withPhone()
    const by = (password: string) => world.post('/api/auth/phone-password-login', { phone: bob.phone, password })
    const reply = await by(bob.password)
    expect(reply.data.user.id).toBe(bob.id)
    expect((await labels(bob))[0]).toBe('phone')
    for (let i = 0; i < 3; i++) expect((await by('wrong')).status).toBe(401)
    for (let i = 0; i < 2; i++)
      expect((await world.post('/api/auth/login', { account: bob.username, password: 'wrong' })).status).toBe(401)
    expect((await by(bob.password)).status).toBe(429)
    expect((await world.post('/api/auth/login', { account: bob.username, password: bob.password })).status).toBe(429)
    // A typed name cannot lock an account through its id.
    for (let i = 0; i < 6; i++) await world.post('/api/auth/login', { account: `user ${bob.id}`, password: 'x' })
    expect((await bob.call('profile.get')).status).toBe(200)
  })

  test('a login with an unknown phone gets the same answer as one with a wrong password', async () => {
    const bob = await world.withPhone()
    const wrong = await world.post('/api/auth/phone-password-login', { phone: bob.phone, password: 'wrong' })
    const unknown = await world.post('/api/auth/phone-password-login', { phone: newPhone(), password: 'wrong' })
    expect([wrong.status, wrong.message]).toEqual([401, unknown.message])
    expect(unknown.status).toBe(401)
  })

  test('no password signs in to a phone whose account has none', async () => {
    const { phone } = await world.byPhone()
    for (const password of ['x', 'null', 'undefined'])
      expect((await world.post('/api/auth/phone-password-login', { phone, password })).status).toBe(401)
  })
})

describe('POST /auth/email-login', () => {
  test('a code sent by e-mail signs in to the account of the e-mail, ignoring case', async () => {
    const bob = await world.withEmail()
    const code = await mailCode(bob.email)
    const reply = await world.post('/api/auth/email-login', { email: bob.email.toUpperCase(), code })
    expect(reply.data.user.id).toBe(bob.id)
    expect((await labels(bob))[0]).toBe('email')
  })

  test('an e-mail login verifies the unverified e-mail of a registration', async () => {
    const email = newEmail()
    await world.post('/api/auth/register', { email, password: 'a long password' })
    const reply = await world.post('/api/auth/email-login', { email, code: await mailCode(email) })
    expect(reply.data.user.identities).toMatchObject([{ provider: 'EMAIL', credential: email, verified: true }])
  })

  test('the first e-mail login removes the password and sessions of the person who registered the unverified e-mail', async () => {
    const [email, deviceId] = [newEmail(), newDevice()]
    const claimed = await world.post('/api/auth/register', { email, password: 'waiting for you' }, { deviceId })
    const claimer = person(world.server.url, claimed, email, '', deviceId)
    const owner = await world.post('/api/auth/email-login', { email, code: await mailCode(email) })
    expect(owner.data.user).toMatchObject({ id: claimer.id, hasPassword: false })
    expect((await claimer.call('profile.get')).status).toBe(401)
    expect((await world.post('/api/auth/refresh', { refreshToken: claimer.refreshToken })).status).toBe(401)
    expect((await world.post('/api/auth/login', { account: email, password: 'waiting for you' })).status).toBe(401)
    // Only the first time: a later login leaves the password of the verified e-mail.
    const mine = person(world.server.url, owner, email, '', owner.data.deviceId)
    expect((await mine.call('profile.setPassword', { body: { password: 'the owner’s own' } })).status).toBe(200)
    if (!inProcess) return // The next code can be requested after a minute, and the clock of the executable cannot be moved.
    world.server.clock.advance(61_000)
    const again = await world.post('/api/auth/email-login', { email, code: await mailCode(email) })
    expect(again.data.user.hasPassword).toBe(true)
  })

  test('codes to an unverified e-mail open nothing if the account has a verified phone', async () => {
    const [email, deviceId, phone] = [newEmail(), newDevice(), newPhone()]
    const made = await world.post('/api/auth/register', { email, password: 'a long password' }, { deviceId })
    const bob = person(world.server.url, made, email, 'a long password', deviceId)
    const code = await world.codeBy(bob, '/api/auth/sms/bind-code', { phone }, phone)
    expect((await bob.call('auth.phoneBind', { body: { phone, code } })).status).toBe(200)
    const reply = await world.post('/api/auth/email-login', { email, code: await mailCode(email) })
    expect([reply.status, reply.message]).toEqual([400, 'This account is not registered'])
    expect((await world.post('/api/auth/password/forgot-code', { credential: email })).status).toBe(400)
    expect((await bob.call('profile.get')).status).toBe(200)
    expect((await world.post('/api/auth/login', { account: email, password: 'a long password' })).status).toBe(200)
  })

  test('an e-mail login creates no account, and only the right code reveals that the e-mail is not registered', async () => {
    const email = newEmail()
    const code = await mailCode(email)
    const wrong = await world.post('/api/auth/email-login', { email, code: otherThan(code) })
    expect([wrong.status, wrong.code, wrong.message]).toEqual([400, 400, 'The code is wrong or has expired'])
    const right = await world.post('/api/auth/email-login', { email, code })
    expect([right.status, right.code, right.message]).toEqual([400, 4035, 'This account is not registered'])
    // The code is not used up: the app goes on to sign-up with it.
    ok(await world.post('/api/auth/register', { email, code, password: 'a long password' }))
  })
})

describe('POST /auth/sms/oneclick-login', () => {
  test('a one-click login creates an account the first time and signs in to it later', async () => {
    const phone = newPhone()
    world.gateways.tokens.set('mine', phone)
    const first = await world.post('/api/auth/sms/oneclick-login', { token: 'mine' })
    expect(first.data).toMatchObject({ isNewUser: true, user: { phone } })
    const again = await world.post('/api/auth/sms/oneclick-login', { token: 'mine' })
    expect(again.data).toMatchObject({ isNewUser: false, user: { id: first.data.user.id } })
  })

  test('a one-click login with an invalid token is answered with 400', async () => {
    const reply = await world.post('/api/auth/sms/oneclick-login', { token: 'made up' })
    expect(reply.status).toBe(400)
    expect(reply.data).toBeUndefined()
  })
})

describe('devices of a login', () => {
  test('a device is named by X-Device-Name, otherwise by its User-Agent', async () => {
    const bob = await world.server.person()
    const enter = async (headers: Record<string, string>) => {
      const deviceId = newDevice()
      const body = { account: bob.username, password: bob.password }
      const { data } = await world.post('/api/auth/login', body, { deviceId, headers })
      const me = { token: data.accessToken as string, deviceId }
      return (await world.server.request('GET', '/api/auth/devices', me)).data.items[0].deviceName
    }
    const agent = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile/15E148 Safari/604.1'
    expect(await enter({ 'x-device-name': encodeURIComponent('小明的手机'), 'user-agent': agent })).toBe('小明的手机')
    expect(await enter({ 'user-agent': agent })).toBe('Safari on iPhone')
  })

  test('users with earlier logins are notified of a new device in the app and by e-mail, once', async () => {
    const bob = await world.withEmail()
    const enter = (deviceId: string) =>
      world.post(
        '/api/auth/login',
        { account: bob.username, password: bob.password },
        { deviceId, headers: { 'x-device-name': 'Evil phone' } },
      )
    const notes = async () =>
      (await bob.call('notifications.list')).data.items.filter((n) => n.data['event'] === 'NEW_DEVICE')
    expect(await notes()).toEqual([])
    const stranger = newDevice()
    await enter(stranger)
    await enter(stranger)
    expect(await notes()).toHaveLength(1)
    expect((await notes())[0]!.data['device']).toBe('Evil phone')
    await world.mailArrived(bob.email, 'Evil phone')
    await world.allDelivered()
    expect(world.gateways.mails.filter((m) => m.to === bob.email && m.text.includes('Evil phone'))).toHaveLength(1)
  })
})

describe.if(inProcess)('closed registration', () => {
  test('closed registration still signs in to existing accounts, and creates none', async () => {
    const { ctx } = world.server
    const known = await world.byPhone()
    await ctx.db.write('test', (tx) => setSetting(tx, 'registration.enabled', false))
    const phone = newPhone()
    const fresh = await world.post('/api/auth/phone-login', { phone, code: await phoneCode(phone) })
    expect(fresh.status).toBe(403)
    world.gateways.tokens.set('fresh', newPhone())
    expect((await world.post('/api/auth/sms/oneclick-login', { token: 'fresh' })).status).toBe(403)
    world.gateways.tokens.set('known', known.phone)
    expect((await world.post('/api/auth/sms/oneclick-login', { token: 'known' })).status).toBe(200)
    await ctx.db.write('test', (tx) => setSetting(tx, 'registration.enabled', true))
  })
})
