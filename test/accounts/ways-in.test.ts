import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { setSetting } from '#domains/settings/index.ts'

import { inProcess, race, type Reply } from '../harness/index.ts'
import { person } from '../harness/people.ts'
import { newDevice, newEmail, newPhone, otherThan, startWorld, type World } from './helpers.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const phoneCode = (phone: string) => world.codeBy(undefined, '/api/auth/sms/send-code', { phone }, phone)
const mailCode = (email: string) => world.codeBy(undefined, '/api/auth/email/send-code', { email }, email)
const labels = async (who: { get(path: string): Promise<Reply>; id: number }) =>
  (await who.get(`/api/login-records/user/${who.id}`)).data.items.map((r: { loginType: string }) => r.loginType)
const asks = async ({ data }: Reply, deviceId: string) =>
  (await world.server.request('GET', '/api/auth/userinfo', { token: data.accessToken, deviceId })).status

describe('phone and code', () => {
  test('a new number makes an account that the number is bound to', async () => {
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

  test('the same number comes back to the same account', async () => {
    const bob = await world.withPhone()
    const code = await phoneCode(bob.phone)
    const deviceId = newDevice()
    const reply = await world.post('/api/auth/phone-login', { phone: bob.phone, code }, { deviceId })
    expect(reply.data).toMatchObject({ isNewUser: false, user: { id: bob.id } })
    expect((await labels(bob))[0]).toBe('phone')
  })

  test('ten first logins of one number at once make one account', async () => {
    const phone = newPhone()
    world.gateways.tokens.set(`t${phone}`, phone)
    const replies = await race(10, () => world.post('/api/auth/sms/oneclick-login', { token: `t${phone}` }))
    expect(replies.map((r) => r.status)).toEqual(Array(10).fill(200))
    expect(new Set(replies.map((r) => r.data.user.id)).size).toBe(1)
    expect(replies.filter((r) => r.data.isNewUser)).toHaveLength(1)
  })
})

describe('phone and password', () => {
  test('signs in, and counts in one lock with the account’s other names', async () => {
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
    // What somebody types as a name is no way to lock an account by its id.
    for (let i = 0; i < 6; i++) await world.post('/api/auth/login', { account: `user ${bob.id}`, password: 'x' })
    expect((await bob.get('/api/auth/userinfo')).status).toBe(200)
  })

  test('an unknown number and a wrong password get the same answer', async () => {
    const bob = await world.withPhone()
    const wrong = await world.post('/api/auth/phone-password-login', { phone: bob.phone, password: 'wrong' })
    const unknown = await world.post('/api/auth/phone-password-login', { phone: newPhone(), password: 'wrong' })
    expect([wrong.status, wrong.message]).toEqual([401, unknown.message])
    expect(unknown.status).toBe(401)
  })

  test('a number without a password opens to none', async () => {
    const { phone } = await world.byPhone()
    for (const password of ['x', 'null', 'undefined'])
      expect((await world.post('/api/auth/phone-password-login', { phone, password })).status).toBe(401)
  })
})

describe('e-mail and code', () => {
  test('signs in who has it, by real mail, whatever the case', async () => {
    const bob = await world.withEmail()
    const code = await mailCode(bob.email)
    const reply = await world.post('/api/auth/email-login', { email: bob.email.toUpperCase(), code })
    expect(reply.data.user.id).toBe(bob.id)
    expect((await labels(bob))[0]).toBe('email')
  })

  test('confirms an address that was only claimed at registration', async () => {
    const email = newEmail()
    await world.post('/api/auth/register', { email, password: 'a long password' })
    const reply = await world.post('/api/auth/email-login', { email, code: await mailCode(email) })
    expect(reply.data.user.identities).toMatchObject([{ provider: 'EMAIL', credential: email, verified: true }])
  })

  test('ends the password and the sessions of whoever claimed the address before its owner came', async () => {
    const [email, deviceId] = [newEmail(), newDevice()]
    const claimed = await world.post('/api/auth/register', { email, password: 'waiting for you' }, { deviceId })
    const claimer = person(world.server.url, claimed, email, '', deviceId)
    const owner = await world.post('/api/auth/email-login', { email, code: await mailCode(email) })
    expect(owner.data.user).toMatchObject({ id: claimer.id, hasPassword: false })
    expect((await claimer.get('/api/auth/userinfo')).status).toBe(401)
    expect((await world.post('/api/auth/refresh', { refreshToken: claimer.refreshToken })).status).toBe(401)
    expect((await world.post('/api/auth/login', { account: email, password: 'waiting for you' })).status).toBe(401)
    // Only the first time: a confirmed address and its password go together from now on.
    const mine = person(world.server.url, owner, email, '', owner.data.deviceId)
    expect((await mine.post('/api/auth/password/set', { password: 'the owner’s own' })).status).toBe(200)
    if (!inProcess) return // Waiting for the next code takes a minute there.
    world.server.clock.advance(61_000)
    const again = await world.post('/api/auth/email-login', { email, code: await mailCode(email) })
    expect(again.data.user.hasPassword).toBe(true)
  })

  test('a claimed address opens nothing where somebody proved who they are otherwise', async () => {
    const [email, deviceId, phone] = [newEmail(), newDevice(), newPhone()]
    const made = await world.post('/api/auth/register', { email, password: 'a long password' }, { deviceId })
    const bob = person(world.server.url, made, email, 'a long password', deviceId)
    const code = await world.codeBy(bob, '/api/auth/sms/bind-code', { phone }, phone)
    expect((await bob.post('/api/auth/phone-bind', { phone, code })).status).toBe(200)
    const reply = await world.post('/api/auth/email-login', { email, code: await mailCode(email) })
    expect([reply.status, reply.message]).toEqual([400, 'This account is not registered'])
    expect((await world.post('/api/auth/password/forgot-code', { credential: email })).status).toBe(400)
    expect((await bob.get('/api/auth/userinfo')).status).toBe(200)
    expect((await world.post('/api/auth/login', { account: email, password: 'a long password' })).status).toBe(200)
  })

  test('makes no account; that nobody has the address is told only to who holds the code', async () => {
    const email = newEmail()
    const code = await mailCode(email)
    const wrong = await world.post('/api/auth/email-login', { email, code: otherThan(code) })
    expect(wrong.message).toBe('The code is wrong or has expired')
    const right = await world.post('/api/auth/email-login', { email, code })
    expect([right.status, right.message]).toEqual([400, 'This account is not registered'])
  })
})

describe('one click', () => {
  test('the carrier’s word makes an account, and leads back to it', async () => {
    const phone = newPhone()
    world.gateways.tokens.set('mine', phone)
    const first = await world.post('/api/auth/sms/oneclick-login', { token: 'mine' })
    expect(first.data).toMatchObject({ isNewUser: true, user: { phone } })
    const again = await world.post('/api/auth/sms/oneclick-login', { token: 'mine' })
    expect(again.data).toMatchObject({ isNewUser: false, user: { id: first.data.user.id } })
  })

  test('a made-up token opens nothing', async () => {
    const reply = await world.post('/api/auth/sms/oneclick-login', { token: 'made up' })
    expect(reply.status).toBe(400)
    expect(reply.data).toBeUndefined()
  })
})

describe('devices', () => {
  test('are named by X-Device-Name, else by their user agent', async () => {
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

  test('a new one is told to who was here before, in the app and by e-mail; a known one is not', async () => {
    const bob = await world.withEmail()
    const enter = (deviceId: string) =>
      world.post(
        '/api/auth/login',
        { account: bob.username, password: bob.password },
        { deviceId, headers: { 'x-device-name': 'Evil phone' } },
      )
    const notes = async () =>
      (await bob.get('/api/notifications')).data.items.filter(
        (n: { data: { event: string } }) => n.data.event === 'NEW_DEVICE',
      )
    expect(await notes()).toEqual([])
    const stranger = newDevice()
    await enter(stranger)
    await enter(stranger)
    expect(await notes()).toHaveLength(1)
    expect((await notes())[0].data.device).toBe('Evil phone')
    const told = () => world.gateways.mails.filter((m) => m.to === bob.email && m.text.includes('Evil phone'))
    while (told().length === 0) await Bun.sleep(5)
    await Bun.sleep(50)
    expect(told()).toHaveLength(1)
  })
})

describe.if(inProcess)('registration closed', () => {
  test('lets in who has an account, and makes none', async () => {
    const { ctx } = world.server
    const known = await world.byPhone()
    await ctx.db.write('test', (tx) => setSetting(ctx, tx, 'registration.enabled', false))
    const phone = newPhone()
    const fresh = await world.post('/api/auth/phone-login', { phone, code: await phoneCode(phone) })
    expect(fresh.status).toBe(403)
    world.gateways.tokens.set('fresh', newPhone())
    expect((await world.post('/api/auth/sms/oneclick-login', { token: 'fresh' })).status).toBe(403)
    world.gateways.tokens.set('known', known.phone)
    expect((await world.post('/api/auth/sms/oneclick-login', { token: 'known' })).status).toBe(200)
    await ctx.db.write('test', (tx) => setSetting(ctx, tx, 'registration.enabled', true))
  })
})
