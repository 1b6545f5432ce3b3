/** E-mail addresses that were only typed at registration (claims), and what becomes of them when another person proves the address. */

import { describe, expect, test } from 'bun:test'

import { race, until } from '../harness/index.ts'
import { type Person, person } from '../harness/people.ts'
import { newDevice, newEmail, newPhone, otherThan, useWorld } from './helpers.ts'

const world = useWorld()

const PASSWORD = 'of the claimant'
const login = (account: string, password = PASSWORD) => world.post('/api/auth/login', { account, password })
const register = (body: object) => world.post('/api/auth/register', { password: 'a long password', ...body })
const mailCode = (email: string) => world.codeBy(undefined, '/api/auth/email/send-code', { email }, email)
const bindCode = (who: Person, email: string) => world.codeBy(who, '/api/auth/email/bind-code', { email }, email)
const bind = (who: Person, email: string, code: string) => who.call('auth.emailBind', { body: { email, code } })
const me = async (who: Person) => (await who.call('profile.get')).data
const events = async (who: Person) => (await who.call('notifications.list')).data.items.map((n) => n.data['event'])

/** Registers with an address that nobody confirms. */
async function claim(email: string, username?: string): Promise<Person> {
  const deviceId = newDevice()
  const made = await world.post('/api/auth/register', { email, username, password: PASSWORD }, { deviceId })
  return person(world.server.url, made, email, PASSWORD, deviceId)
}

describe('a proof of an e-mail that another account claims', () => {
  test('binding takes the e-mail from an account with a username, which keeps its other sign-in and is notified in the app', async () => {
    const email = newEmail()
    const [bob, mallory] = [await world.server.person(), await claim(email, `mallory${newDevice().slice(7, 15)}`)]
    const ip = '203.0.113.77'
    const code = await bindCode(bob, email)
    const body = { email, code }
    const bound = await bob.send('POST', '/api/auth/email-bind', { body, headers: { 'x-forwarded-for': ip } })
    expect([bound.status, bound.data?.email]).toEqual([200, email])
    const { username } = await me(mallory)
    expect(await me(mallory)).toMatchObject({ email: null, identities: [], hasPassword: true })
    const [note] = (await mallory.call('notifications.list')).data.items
    expect(note).toMatchObject({ type: 'SYSTEM', title: 'A way to sign in was removed', data: { ip: '', device: '' } })
    expect(note!.bodyPlain).toContain(email)
    const [record] = (await mallory.call('loginRecords.ofUser', { params: { userId: mallory.id } })).data.items
    expect(record).toMatchObject({ loginType: 'email_unbind', status: 'success' })
    // The notification and the record do not say where the other person is.
    expect(JSON.stringify([note, record])).not.toContain(ip)
    expect((await login(username!)).status).toBe(200)
    expect((await login(email)).status).toBe(401)
    expect((await login(email, bob.password)).data.user.id).toBe(bob.id)
  })

  test('an account that has nothing but the claim loses its password, sessions and links in both directions', async () => {
    const email = newEmail()
    const [bob, mallory] = [await world.server.person(), await claim(email)]
    const accomplice = await world.server.person()
    const linkTo = (from: Person, to: Person) =>
      from.call('auth.link', { body: { verifyType: 'PASSWORD', linkedUserId: to.id, password: to.password } })
    const incoming = (await linkTo(accomplice, mallory)).data.id
    expect((await linkTo(mallory, accomplice)).status).toBe(200)
    const switched = await accomplice.call('auth.switchLink', { params: { linkId: incoming } })
    const inside = person(world.server.url, switched, '', '', accomplice.deviceId)
    expect((await bind(bob, email, await bindCode(bob, email))).status).toBe(200)
    for (const who of [mallory, inside]) expect((await who.call('profile.get')).status).toBe(401)
    expect((await world.post('/api/auth/refresh', { refreshToken: mallory.refreshToken })).status).toBe(401)
    expect((await login(email)).status).toBe(401)
    expect((await accomplice.call('auth.switchLink', { params: { linkId: incoming } })).status).toBe(404)
    for (const direction of ['OUTGOING', 'INCOMING'])
      expect((await accomplice.get('/api/auth/link/list', { direction })).data.items).toEqual([])
    expect((await linkTo(accomplice, mallory)).status).toBe(400)
    expect((await bob.call('profile.get')).status).toBe(200)
  })

  test('an account with a verified phone keeps its sessions, and the owner of the address can register with a code', async () => {
    const [email, phone] = [newEmail(), newPhone()]
    const mallory = await claim(email)
    const sms = await world.codeBy(mallory, '/api/auth/sms/bind-code', { phone }, phone)
    expect((await mallory.call('auth.phoneBind', { body: { phone, code: sms } })).status).toBe(200)

    // Signing in by code opens nothing, and the same code registers.
    const code = await mailCode(email)
    expect((await world.post('/api/auth/email-login', { email, code })).status).toBe(400)
    expect((await register({ email })).status).toBe(400)
    const made = await register({ email, code })
    expect(made.status).toBe(200)
    expect(made.data.user.id).not.toBe(mallory.id)
    expect(made.data.user.identities).toMatchObject([{ provider: 'EMAIL', credential: email, verified: true }])
    expect((await login(email, 'a long password')).data.user.id).toBe(made.data.user.id)
    expect(await me(mallory)).toMatchObject({ email: null, phone })
    expect(await events(mallory)).toContain('IDENTITY_UNBOUND')

    // The claim cannot come back.
    expect((await register({ email })).status).toBe(400)
    expect((await login(email)).status).toBe(401)
  })
})

describe('POST /auth/register with a code', () => {
  test('a code confirms the e-mail of a new account and can be used once', async () => {
    const email = newEmail()
    const code = await mailCode(email)
    const wrong = await register({ email, code: otherThan(code) })
    expect([wrong.status, wrong.message]).toEqual([400, 'The code is wrong or has expired'])
    const made = await register({ email, code })
    expect(made.data.user.identities).toMatchObject([{ credential: email, verified: true }])
    expect((await register({ username: `again${made.data.user.id}`, email, code })).status).toBe(400)
    expect((await login(`again${made.data.user.id}`, 'a long password')).status).toBe(401)
  })

  test('a registration with a code for an e-mail that another account proved is refused and creates no account', async () => {
    const bob = await world.withEmail()
    const reply = await register({ username: `late${bob.id}`, email: bob.email, code: await mailCode(bob.email) })
    expect([reply.status, reply.details[0]]).toEqual([
      400,
      { path: 'body.email', message: 'belongs to another account' },
    ])
    expect((await login(`late${bob.id}`, 'a long password')).status).toBe(401)
    expect((await me(bob)).email).toBe(bob.email)
  })

  test('an empty code counts as absent', async () => {
    const made = await register({ email: newEmail(), code: '' })
    expect(made.data.user.identities).toMatchObject([{ verified: false }])
  })
})

describe('mail to a claimed e-mail', () => {
  const mailsTo = async (email: string) => {
    await world.allDelivered()
    return world.gateways.mails.filter((m) => m.to === email).map((m) => m.subject)
  }

  test('signing in, changing and deleting the account sends no mail to the claimed address, but notifies in the app', async () => {
    const email = newEmail()
    const mallory = await claim(email)
    for (let i = 0; i < 6; i++) expect((await login(email)).status).toBe(200)
    await mallory.call('profile.setUsername', { body: { username: `bomb${mallory.id}` } })
    expect((await events(mallory)).filter((e) => e === 'NEW_DEVICE')).toHaveLength(6)
    expect((await mallory.call('auth.emailUnbind')).status).toBe(200)
    const other = newEmail()
    const again = await claim(other)
    expect((await bind(again, email, await bindCode(again, email))).status).toBe(200)
    const third = newEmail()
    expect((await (await claim(third)).call('auth.deleteAccount')).status).toBe(200)
    // The address that was proved at the end gets a code and the notice that it was bound.
    await world.mailArrived(email, 'was added')
    expect(await mailsTo(other)).toEqual([])
    expect(await mailsTo(third)).toEqual([])
    expect((await mailsTo(email)).filter((subject) => !/\d{6}/.test(subject))).toEqual(['A way to sign in was added'])
  })

  test('a confirmed address gets at most 11 mails a day about sign-ins, and still one about its removal', async () => {
    const bob = await world.withEmail()
    for (let i = 0; i < 14; i++) expect((await login(bob.username, bob.password)).status).toBe(200)
    const about = async () =>
      (await mailsTo(bob.email)).filter((subject) => /New sign-in|More changes/.test(subject)).length
    await until(async () => (await about()) >= 11, '11 mails about sign-ins arrived')
    expect(await about()).toBe(11)
    // More than 10 sign-ins ended the first session.
    const { deviceId } = bob
    const back = await world.post('/api/auth/login', { account: bob.username, password: bob.password }, { deviceId })
    expect((await person(world.server.url, back, '', '', deviceId).call('auth.emailUnbind')).status).toBe(200)
    await world.mailArrived(bob.email, 'was removed')
  })
})

describe('at the same time', () => {
  test('of two people who prove one claimed e-mail one gets it, and the claim ends', async () => {
    for (let round = 0; round < 5; round++) {
      const email = newEmail()
      const mallory = await claim(email, `mallory.${newDevice().slice(7, 15)}`)
      const ann = await world.server.person()
      const codes = [await bindCode(ann, email), await mailCode(email)] as const
      const [bound, made] = await Promise.all([bind(ann, email, codes[0]), register({ email, code: codes[1] })])
      expect([bound.status, made.status].toSorted()).toEqual([200, 400])
      expect((await me(ann)).email).toBe(bound.status === 200 ? email : null)
      expect((await me(mallory)).email).toBeNull()
      expect((await events(mallory)).filter((e) => e === 'IDENTITY_UNBOUND')).toHaveLength(1)
      const owner = bound.status === 200 ? ann.id : made.data.user.id
      expect((await login(email, bound.status === 200 ? ann.password : 'a long password')).data.user.id).toBe(owner)
    }
  })

  test('whichever comes first, a proof or a registration with the e-mail, the proof gets it', async () => {
    for (let round = 0; round < 10; round++) {
      const email = newEmail()
      const bob = await world.server.person()
      const code = await bindCode(bob, email)
      const claims = () => race(3, () => world.post('/api/auth/register', { email, password: PASSWORD }))
      const proof = () => bind(bob, email, code)
      const [proved, claimed] =
        round % 2 === 0
          ? await Promise.all([proof(), claims()])
          : await Promise.all([claims(), proof()]).then(([c, p]) => [p, c] as const)
      expect(proved.status).toBe(200)
      expect(claimed.filter((r) => r.status === 200).length).toBeLessThanOrEqual(1)
      expect((await me(bob)).email).toBe(email)
      expect((await login(email)).status).toBe(401)
      expect((await login(email, bob.password)).data.user.id).toBe(bob.id)
    }
  })

  test('of a sign-in by code to the claiming account and a proof by another account one gets the e-mail', async () => {
    for (let round = 0; round < 5; round++) {
      const email = newEmail()
      const [claimer, bob] = [await claim(email), await world.server.person()]
      const [binding, signingIn] = [await bindCode(bob, email), await mailCode(email)]
      const [bound, entered] = await Promise.all([
        bind(bob, email, binding),
        world.post('/api/auth/email-login', { email, code: signingIn }),
      ])
      // The person who reads the mail always gets in: to the account that proved the address first.
      expect(entered.status).toBe(200)
      expect(entered.data.user.id).toBe(bound.status === 200 ? bob.id : claimer.id)
      expect((await login(email)).status).toBe(401)
    }
  })
})
