import { describe, expect, test } from 'bun:test'

import { race } from '../harness/index.ts'
import { type Person, person } from '../harness/people.ts'
import { newDevice, newEmail, newPhone, useWorld } from './helpers.ts'

const world = useWorld()

const bindCode = (who: Person, phone: string) => world.codeBy(who, '/api/auth/sms/bind-code', { phone }, phone)
const me = async (who: Person) => (await who.call('profile.get')).data

async function byDevice() {
  const deviceId = newDevice()
  const login = await world.post('/api/auth/device-login', {}, { deviceId })
  return person(world.server.url, login, '', '', deviceId)
}

describe('binding phones and e-mails', () => {
  test('a bound phone and e-mail are verified, recorded and notified, and can be used to sign in', async () => {
    const bob = await byDevice()
    expect((await me(bob)).hasRecoverableCredential).toBe(false)
    const [phone, email] = [newPhone(), newEmail()]
    const reply = await bob.call('auth.phoneBind', {
      body: { phone: phone.slice(3), code: await bindCode(bob, phone) },
    })
    expect(reply.data).toMatchObject({ phone, hasRecoverableCredential: true })
    const code = await world.codeBy(bob, '/api/auth/email/bind-code', { email: ` ${email.toUpperCase()} ` }, email)
    expect((await bob.call('auth.emailBind', { body: { email, code } })).data.email).toBe(email)
    expect((await me(bob)).identities.map((i: { verified: boolean }) => i.verified)).toEqual([true, true, true])
    const login = await world.codeBy(undefined, '/api/auth/email/send-code', { email }, email)
    expect((await world.post('/api/auth/email-login', { email, code: login })).data.user.id).toBe(bob.id)
    const records = (await bob.call('loginRecords.ofUser', { params: { userId: bob.id } })).data.items
    expect(records.map((r) => r.loginType)).toEqual(expect.arrayContaining(['phone_bind', 'email_bind']))
    const notes = (await bob.call('notifications.list')).data.items
    expect(notes.filter((n) => n.data['event'] === 'IDENTITY_BOUND')).toHaveLength(2)
    await world.mailArrived(email, 'way to sign in was added')
  })

  test('binding another phone replaces the one before, which becomes free for other accounts', async () => {
    const bob = await world.withPhone()
    const [before, phone] = [bob.phone, newPhone()]
    expect((await bob.call('auth.phoneBind', { body: { phone, code: await bindCode(bob, phone) } })).data.phone).toBe(
      phone,
    )
    expect((await me(bob)).identities).toHaveLength(1)
    // The old number signs in to a new account.
    const carol = await world.byPhone(before)
    expect(carol.id).not.toBe(bob.id)
  })

  test('binding the e-mail of the registration verifies it', async () => {
    const email = newEmail()
    const deviceId = newDevice()
    const made = await world.post('/api/auth/register', { email, password: 'a long password' }, { deviceId })
    expect(made.data.user.identities[0].verified).toBe(false)
    const bob = person(world.server.url, made, email, '', deviceId)
    const code = await world.codeBy(bob, '/api/auth/email/bind-code', { email }, email)
    const bound = await bob.call('auth.emailBind', { body: { email, code } })
    expect(bound.data.identities).toMatchObject([{ provider: 'EMAIL', credential: email, verified: true }])
  })

  test('binding a phone or e-mail that another account proved is refused, and only after the code or token was right', async () => {
    const [bob, eve] = [await world.withPhone(), await world.withPhone()]
    world.gateways.tokens.set('bobs', bob.phone)
    const refused = await eve.call('auth.verifyMobile', { body: { token: 'bobs' } })
    expect([refused.status, refused.details[0]?.path]).toEqual([400, 'body.phone'])
    expect((await me(eve)).phone).toBe(eve.phone)
    expect((await me(bob)).phone).toBe(bob.phone)
    const email = newEmail()
    await world.post('/api/auth/register', { email, password: 'a long password' })
    const first = await world.codeBy(undefined, '/api/auth/email/send-code', { email }, email)
    expect((await world.post('/api/auth/email-login', { email, code: first })).status).toBe(200)
    const code = await world.codeBy(eve, '/api/auth/email/bind-code', { email }, email)
    const late = await eve.call('auth.emailBind', { body: { email, code } })
    expect([late.status, late.details[0]?.path]).toEqual([400, 'body.email'])
    expect((await me(eve)).email).toBeNull()
  })

  test('of 50 users who bind one phone at once one gets it', async () => {
    const phone = newPhone()
    world.gateways.tokens.set(phone, phone)
    const people = await race(50, byDevice)
    const replies = await race(50, (i) => people[i]!.post('/api/auth/sms/verify-mobile', { token: phone }))
    expect(replies.filter((r) => r.status === 200)).toHaveLength(1)
    expect(replies.filter((r) => r.status === 400)).toHaveLength(49)
    const views = await race(50, (i) => me(people[i]!))
    expect(views.filter((v) => v.phone === phone)).toHaveLength(1)
    expect(views.filter((v) => v.identities.length === 2)).toHaveLength(1)
  })
})

describe('unbinding phones and e-mails', () => {
  test('unbinding the only way to sign in is refused with advice, and possible once there is another one', async () => {
    const bob = await world.byPhone()
    const refused = await bob.call('auth.phoneUnbind')
    expect(refused.status).toBe(400)
    expect(refused.message).toContain('bind an e-mail or phone')
    expect((await me(bob)).phone).toBe(bob.phone)
    const email = newEmail()
    const code = await world.codeBy(bob, '/api/auth/email/bind-code', { email }, email)
    await bob.call('auth.emailBind', { body: { email, code } })
    const reply = await bob.call('auth.phoneUnbind')
    expect(reply.data).toMatchObject({ hint: null, user: { phone: null, email } })
    expect((await bob.call('auth.emailUnbind')).status).toBe(400)
    expect((await bob.call('profile.get')).status).toBe(200)
  })

  test('unbinding that leaves only the device succeeds with a hint to bind something', async () => {
    const bob = await byDevice()
    const phone = newPhone()
    world.gateways.tokens.set(phone, phone)
    await bob.call('auth.verifyMobile', { body: { token: phone } })
    const reply = await bob.call('auth.phoneUnbind')
    expect(reply.status).toBe(200)
    expect(reply.data.hint).toContain('bind')
    expect(reply.data.user.hasRecoverableCredential).toBe(false)
    expect((await bob.call('auth.phoneUnbind')).status).toBe(400)
  })

  test('an e-mail that is the only name for the password cannot be unbound', async () => {
    const email = newEmail()
    const deviceId = newDevice()
    const made = await world.post('/api/auth/register', { email, password: 'a long password' }, { deviceId })
    const bob = person(world.server.url, made, email, '', deviceId)
    expect((await bob.call('auth.emailUnbind')).status).toBe(400)
    await bob.call('profile.setUsername', { body: { username: `named${bob.id}` } })
    expect((await bob.call('auth.emailUnbind')).status).toBe(200)
    expect((await world.post('/api/auth/login', { account: email, password: 'a long password' })).status).toBe(401)
    expect(
      (await world.post('/api/auth/login', { account: `named${bob.id}`, password: 'a long password' })).status,
    ).toBe(200)
  })

  test('of phone and e-mail unbound at the same time one stays', async () => {
    for (let round = 0; round < 5; round++) {
      const bob = await world.byPhone()
      const email = newEmail()
      const code = await world.codeBy(bob, '/api/auth/email/bind-code', { email }, email)
      await bob.call('auth.emailBind', { body: { email, code } })
      const replies = await Promise.all([bob.call('auth.phoneUnbind'), bob.call('auth.emailUnbind')])
      expect(replies.map((r) => r.status).toSorted()).toEqual([200, 400])
      expect((await me(bob)).identities).toHaveLength(1)
    }
  })
})
