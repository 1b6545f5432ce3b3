/** Users whom an administrator created and who become administrators: what their creator knows or has bound must not open the account. */

import { beforeAll, describe, expect, test } from 'bun:test'

import { findRole, grant } from '../access/helpers.ts'
import { inProcess, ok, type Person, until } from '../harness/index.ts'
import { person } from '../harness/people.ts'
import { newDevice, newEmail, newPhone, useWorld } from './helpers.ts'

const world = useWorld()
let admin: Person
/** Holds USER_ADMIN. */
let clerk: Person

beforeAll(async () => {
  admin = await world.server.admin()
  clerk = await world.server.person()
  ok(await grant(admin, clerk, await findRole(admin, 'PLATFORM', 0, 'USER_ADMIN')))
})

const CHOSEN = 'chosen by the clerk'
const HOUR = 3_600_000
const OWN = 'a password of their own'

async function create(contacts: { email?: string; phone?: string } = {}) {
  const username = `new${crypto.randomUUID().slice(0, 8)}`
  ok(await clerk.post('/api/admin/users', { username, password: CHOSEN, ...contacts }))
  return username
}
async function signIn(account: string, password: string): Promise<Person> {
  const deviceId = newDevice()
  const reply = await world.post('/api/auth/login', { account, password }, { deviceId })
  return person(world.server.url, reply, account, password, deviceId)
}
const change = (who: Person, oldPassword: string, newPassword: string) =>
  who.call('auth.changePassword', { body: { verifyType: 'OLD_PASSWORD', oldPassword, newPassword } })
const promote = (who: Person) =>
  admin.call('admin.users.changeRole', { params: { userId: who.id }, body: { role: 'ADMIN' } })
const mailCode = (email: string) => world.codeBy(undefined, '/api/auth/email/send-code', { email }, email)
async function bind(who: Person, email: string) {
  const code = await world.codeBy(who, '/api/auth/email/bind-code', { email }, email)
  return ok(await who.call('auth.emailBind', { body: { email, code } }))
}

test('a user becomes an administrator with the password that SYSTEM_ADMIN chose, but not with that of others', async () => {
  const username = `new${crypto.randomUUID().slice(0, 8)}`
  ok(await admin.post('/api/admin/users', { username, password: CHOSEN }))
  expect(ok(await promote(await signIn(username, CHOSEN))).data.isAdmin).toBe(true)
  const refused = await promote(await signIn(await create(), CHOSEN))
  expect([refused.status, refused.message]).toEqual([400, expect.stringContaining('chose the password')])
})

describe('a user whom an administrator created and who became an administrator', () => {
  test('an e-mail that the administrator typed opens nothing, and their password stays', async () => {
    const email = newEmail()
    const bob = await signIn(await create({ email }), CHOSEN)
    ok(await change(bob, CHOSEN, OWN))
    // Asked for before the promotion, and used after it.
    const code = await mailCode(email)
    const reset = await world.codeBy(undefined, '/api/auth/password/forgot-code', { credential: email }, email)
    ok(await promote(bob))
    expect((await world.post('/api/auth/email-login', { email, code })).status).toBe(400)
    const body = { credential: email, code: reset, newPassword: 'stolen by the clerk' }
    expect((await world.post('/api/auth/password/reset', body)).status).toBe(400)
    expect((await world.post('/api/auth/password/forgot-code', { credential: email })).status).toBe(400)
    ok(await world.post('/api/admin/auth/login', { account: bob.username, password: OWN }))
    // They can prove the address themselves. An address gets few codes a minute.
    world.server.clock.advance(HOUR)
    const again = await signIn(email, OWN)
    await bind(again, email)
    world.server.clock.advance(HOUR)
    const proved = await mailCode(email)
    ok(await world.post('/api/auth/email-login', { email, code: proved }))
  })

  test('a phone number that the administrator typed opens another account', async () => {
    const phone = newPhone()
    const bob = await signIn(await create({ phone }), CHOSEN)
    ok(await change(bob, CHOSEN, OWN))
    ok(await promote(bob))
    const clerks = await world.byPhone(phone)
    expect(clerks.id).not.toBe(bob.id)
    ok(await world.post('/api/admin/auth/login', { account: bob.username, password: OWN }))
  })

  test.if(inProcess)('an undo link that was sent before the promotion restores nothing', async () => {
    const bob = await signIn(await create(), CHOSEN)
    const [clerks, own] = [newEmail(), newEmail()]
    await bind(bob, clerks)
    await world.passDays(3)
    await bind(bob, own)
    ok(await bob.call('auth.emailUnbind'))
    ok(await change(bob, CHOSEN, OWN))
    const sent = () =>
      world.gateways.mails
        .filter((mail) => mail.to === clerks)
        .flatMap((mail) => /undo-email\?token=([\w-]{43})/.exec(mail.text)?.[1] ?? [])
    await until(() => sent().length > 0, 'the undo link arrived')
    ok(await promote(bob))
    const reply = await world.server.request('POST', '/account/undo-email', {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ token: sent()[0]! }).toString(),
    })
    expect(reply.status).toBe(403)
    ok(await world.post('/api/admin/auth/login', { account: bob.username, password: OWN }))
  })
})

describe('a user who has the password that an administrator chose', () => {
  test('cannot set the same password again, and learns that only with a proof', async () => {
    const bob = await signIn(await create(), CHOSEN)
    const same = await change(bob, CHOSEN, CHOSEN)
    expect([same.status, same.details[0]!.path]).toEqual([400, 'body.newPassword'])
    const guess = await change(bob, 'a wrong password', CHOSEN)
    expect(guess.details).toEqual((await change(bob, 'a wrong password', OWN)).details)
    expect((await promote(bob)).status).toBe(400)
  })

  test('cannot become an administrator after binding an e-mail, until it is unbound and the password changed', async () => {
    const bob = await signIn(await create(), CHOSEN)
    const email = newEmail()
    await bind(bob, email)
    ok(await change(bob, CHOSEN, OWN))
    const refused = await promote(bob)
    expect([refused.status, refused.message]).toEqual([400, expect.stringContaining('must be unbound')])
    // A code to that e-mail is no proof that the administrator is out.
    const code = await world.codeBy(undefined, '/api/auth/password/forgot-code', { credential: email }, email)
    ok(await world.post('/api/auth/password/reset', { credential: email, code, newPassword: `${OWN} 2` }))
    expect((await promote(bob)).status).toBe(400)
    const again = await signIn(bob.username, `${OWN} 2`)
    ok(await again.call('auth.emailUnbind'))
    ok(await change(again, `${OWN} 2`, `${OWN} 3`))
    ok(await promote(again))
    world.server.clock.advance(HOUR)
    await bind(await signIn(bob.username, `${OWN} 3`), email)
  })
})
