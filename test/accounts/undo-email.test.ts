/** Undo links: a replaced e-mail can be bound again, and everyone else is then out of the account. */

import { describe, expect, test } from 'bun:test'

import { accounts } from '#domains/accounts/index.ts'

import { inProcess, ok, race, until } from '../harness/index.ts'
import { type Person, person } from '../harness/people.ts'
import { newDevice, newEmail, newPhone, useWorld } from './helpers.ts'

const world = useWorld()

const LINK = /\/account\/undo-email\?token=([\w-]{43})/

const linksTo = (email: string): string[] =>
  world.gateways.mails.filter((m) => m.to === email).flatMap((m) => LINK.exec(m.text)?.[1] ?? [])

/** The token of the newest undo link to this address. Waits until `count` of them have arrived. */
async function tokenTo(email: string, count = 1): Promise<string> {
  await until(() => linksTo(email).length >= count, `${count} undo links arrived at ${email}`)
  return linksTo(email).at(-1)!
}

const open = (token: string, language = 'en') =>
  world.server.request('GET', `/account/undo-email?token=${token}`, { headers: { 'accept-language': language } })
const submit = (token: string) =>
  world.server.request('POST', '/account/undo-email', {
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ token }).toString(),
  })

async function bind(who: Person, email: string) {
  const code = await world.codeBy(who, '/api/auth/email/bind-code', { email }, email)
  return ok(await who.call('auth.emailBind', { body: { email, code } }))
}

/** A user whose e-mail was bound long enough ago to get an undo link. Tests of an executable cannot move its clock. */
async function settled() {
  const owner = await world.withEmail()
  await world.passDays(3)
  return owner
}

const login = (account: string, password: string) => world.post('/api/auth/login', { account, password })

async function reset(email: string, newPassword: string) {
  const code = await world.codeBy(undefined, '/api/auth/password/forgot-code', { credential: email }, email)
  return world.post('/api/auth/password/reset', { credential: email, code, newPassword })
}

describe.if(inProcess)('an account that was taken over with a stolen session', () => {
  test('the undo link gives it back to the owner of the replaced e-mail and keeps the thief out', async () => {
    const owner = await settled()
    // The thief adds a phone, replaces the e-mail, and has a password and a session.
    const [thiefsPhone, thiefsEmail] = [newPhone(), newEmail()]
    world.gateways.tokens.set(thiefsPhone, thiefsPhone)
    ok(await owner.call('auth.verifyMobile', { body: { token: thiefsPhone } }))
    await bind(owner, thiefsEmail)
    ok(await reset(thiefsEmail, 'password of the thief'))
    const deviceId = newDevice()
    const body = { account: owner.username, password: 'password of the thief' }
    const thief = person(world.server.url, await world.post('/api/auth/login', body, { deviceId }), '', '', deviceId)
    // A throw-away account claims the address, to keep the owner from getting it back.
    ok(await world.post('/api/auth/register', { email: owner.email, password: 'a throw-away account' }))

    const token = await tokenTo(owner.email)
    for (let i = 0; i < 3; i++) expect((await open(token)).status).toBe(200)
    expect((await thief.call('profile.get')).data.email).toBe(thiefsEmail)

    const done = await submit(token)
    expect([done.status, done.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(done.text).toContain('Forgot password')

    expect((await thief.call('profile.get')).status).toBe(401)
    expect((await world.post('/api/auth/refresh', { refreshToken: thief.refreshToken })).status).toBe(401)
    expect((await login(owner.username, 'password of the thief')).status).toBe(401)
    const forgot = await world.post('/api/auth/password/forgot-code', { credential: thiefsEmail })
    expect([forgot.status, forgot.message]).toEqual([400, 'This account is not registered'])
    expect((await world.byPhone(thiefsPhone)).id).not.toBe(owner.id)

    ok(await reset(owner.email, 'password of the owner'))
    const back = ok(await login(owner.username, 'password of the owner'))
    expect(back.data.user).toMatchObject({ id: owner.id, email: owner.email, phone: null })
    const me = person(world.server.url, back, '', '', back.data.deviceId)
    const records = ok(await me.call('loginRecords.ofUser', { params: { userId: me.id } })).data.items
    expect(records.map((r) => r.loginType)).toContain('email_restore')
    const notes = ok(await me.call('notifications.list')).data.items
    expect(notes.map((n) => n.data['event'])).toContain('EMAIL_RESTORED')
    await world.mailArrived(owner.email, 'was bound again')
  })

  test('an undo link gives nothing to a thief whose address the owner has replaced by hand', async () => {
    const owner = await settled()
    const device = { deviceId: owner.deviceId }
    const thiefsEmail = newEmail()
    await bind(owner, thiefsEmail)
    ok(await reset(thiefsEmail, 'password of the thief'))
    await world.passDays(1)
    // The owner knows the mailbox only, and recovers by a code and not by the link.
    const body = { account: owner.username, password: 'password of the thief' }
    const back = person(world.server.url, await world.post('/api/auth/login', body, device), '', '', owner.deviceId)
    const change = {
      verifyType: 'OLD_PASSWORD',
      oldPassword: body.password,
      newPassword: 'password of the owner',
    } as const
    ok(await back.call('auth.changePassword', { body: change }))
    const again = await world.post('/api/auth/login', { account: owner.username, password: change.newPassword }, device)
    await bind(person(world.server.url, again, '', '', owner.deviceId), owner.email)
    await world.mailArrived(thiefsEmail, 'way to sign in was added')
    await world.allDelivered()
    expect(linksTo(thiefsEmail)).toEqual([])
    // The owner's own link works on, and the address stays as trusted as it was.
    expect((await open(linksTo(owner.email)[0]!)).status).toBe(200)
    await world.passDays(2.5)
    const later = await world.post('/api/auth/login', { account: owner.username, password: change.newPassword }, device)
    await bind(person(world.server.url, later, '', '', owner.deviceId), newEmail())
    expect((await submit(await tokenTo(owner.email, 2))).status).toBe(200)
  })

  test('no address that was bound while an undo link is open gets one', async () => {
    const owner = await settled()
    const emails = [newEmail(), newEmail(), newEmail()]
    for (const email of emails) await bind(owner, email)
    ok(await owner.call('auth.emailUnbind'))
    await world.mailArrived(emails[2]!, 'was removed')
    await world.allDelivered()
    for (const email of emails) expect(linksTo(email)).toEqual([])
    expect((await submit(await tokenTo(owner.email))).status).toBe(200)
    ok(await reset(owner.email, 'password of the owner'))
  })

  test('the former address of a thief gets no link that outlives the password change of the owner', async () => {
    const owner = await settled()
    const [thiefsDevice, thiefsEmail] = [newDevice(), newEmail()]
    const signIn = { account: owner.username, password: owner.password }
    const thief = person(
      world.server.url,
      await world.post('/api/auth/login', signIn, { deviceId: thiefsDevice }),
      '',
      '',
      thiefsDevice,
    )
    await bind(thief, thiefsEmail)
    // The owner notices nothing until the address counts as settled.
    await world.passDays(4)
    const session = await world.post('/api/auth/login', signIn, { deviceId: owner.deviceId })
    const me = person(world.server.url, session, '', '', owner.deviceId)
    await bind(me, owner.email)
    const token = await tokenTo(thiefsEmail)
    const newPassword = 'password of the owner'
    ok(
      await me.call('auth.changePassword', {
        body: { verifyType: 'OLD_PASSWORD', oldPassword: owner.password, newPassword },
      }),
    )
    expect((await submit(token)).status).toBe(403)
    expect(ok(await login(owner.username, newPassword)).data.user.email).toBe(owner.email)
  })

  test('a thief who knows the password does not end the owner’s undo link by changing it', async () => {
    const owner = await settled()
    const deviceId = newDevice()
    const signIn = { account: owner.username, password: owner.password }
    const thief = person(world.server.url, await world.post('/api/auth/login', signIn, { deviceId }), '', '', deviceId)
    await bind(thief, newEmail())
    const newPassword = 'password of the thief'
    ok(
      await thief.call('auth.changePassword', {
        body: { verifyType: 'OLD_PASSWORD', oldPassword: owner.password, newPassword },
      }),
    )
    expect((await submit(await tokenTo(owner.email))).status).toBe(200)
    expect((await login(owner.username, newPassword)).status).toBe(401)
  })
})

describe.if(inProcess)('undo links', () => {
  test('an unbound e-mail gets a link that binds it again', async () => {
    const owner = await settled()
    ok(await owner.call('auth.emailUnbind'))
    expect((await submit(await tokenTo(owner.email))).status).toBe(200)
    ok(await reset(owner.email, 'password of the owner'))
    expect(ok(await login(owner.username, 'password of the owner')).data.user.email).toBe(owner.email)
  })

  test('the page has no script, masks the address, and exists in English and Chinese', async () => {
    const owner = await settled()
    await bind(owner, newEmail())
    const token = await tokenTo(owner.email)
    for (const [language, title] of [
      ['en', 'Bind this e-mail again'],
      ['zh-CN', '恢复绑定此邮箱'],
    ] as const) {
      const page = await open(token, language)
      expect(page.text).toContain(title)
      expect(page.text).not.toContain('<script')
      expect(page.text).not.toContain(owner.email)
      expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
      expect(page.headers.get('referrer-policy')).toBe('no-referrer')
      expect(page.headers.get('cache-control')).toBe('no-store')
    }
  })

  test('of ten submissions of a link at once one succeeds, and a wrong token is answered with 403', async () => {
    const owner = await settled()
    await bind(owner, newEmail())
    const token = await tokenTo(owner.email)
    const replies = await race(10, () => submit(token))
    expect(replies.filter((r) => r.status === 200)).toHaveLength(1)
    expect(replies.filter((r) => r.status === 403)).toHaveLength(9)
    for (const used of [token, 'x'.repeat(43)]) {
      expect((await open(used)).status).toBe(403)
      expect((await submit(used)).status).toBe(403)
    }
    expect((await world.server.request('GET', '/account/undo-email')).status).toBe(400)
  })

  test.if(inProcess)('a link works for 72 hours', async () => {
    const hour = 3_600_000
    const [early, late] = [await world.withEmail(), await settled()]
    for (const who of [early, late]) await bind(who, newEmail())
    const tokens = [await tokenTo(early.email), await tokenTo(late.email)]
    world.server.clock.advance(71 * hour)
    expect((await submit(tokens[0]!)).status).toBe(200)
    world.server.clock.advance(hour)
    for (const job of accounts.jobs) await job.run(world.server.ctx)
    expect((await open(tokens[1]!)).status).toBe(403)
    expect((await submit(tokens[1]!)).status).toBe(403)
  })

  test('an e-mail that nobody proved gets neither a notice nor a link when it is replaced', async () => {
    const email = newEmail()
    const deviceId = newDevice()
    const made = await world.post('/api/auth/register', { email, password: 'a long password' }, { deviceId })
    const bob = person(world.server.url, made, email, '', deviceId)
    const next = newEmail()
    await bind(bob, next)
    await world.mailArrived(next, 'way to sign in was added')
    await world.allDelivered()
    expect(world.gateways.mails.filter((m) => m.to === email)).toEqual([])
  })

  test('a link to a deleted account changes nothing', async () => {
    const owner = await settled()
    await bind(owner, newEmail())
    const token = await tokenTo(owner.email)
    ok(await owner.call('auth.deleteAccount'))
    expect((await submit(token)).status).toBe(403)
    expect((await world.post('/api/auth/password/forgot-code', { credential: owner.email })).status).toBe(400)
  })

  test.if(inProcess)('a link does not take the address from an account that has proved it meanwhile', async () => {
    const owner = await settled()
    await bind(owner, newEmail())
    const token = await tokenTo(owner.email)
    const other = await world.server.person()
    // A code to one address is sent once a minute.
    world.server.clock.advance(61_000)
    await bind(other, owner.email)
    const refused = await submit(token)
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('another account')])
    expect((await other.call('profile.get')).data.email).toBe(owner.email)
    expect((await owner.call('profile.get')).status).toBe(200)
  })
})
