/** Changes that need a recent proof of the owner: a stolen session alone must not be enough to take an account over. */

import { describe, expect, test } from 'bun:test'

import { bindPlatformRole } from '#domains/access/index.ts'
import { setSetting } from '#domains/settings/index.ts'

import { inProcess, ok, type TestServer } from '../harness/index.ts'
import { type Person, person } from '../harness/people.ts'
import { newDevice, newEmail, newPhone, otherThan, useWorld } from './helpers.ts'

const MINUTE = 60_000

async function requireOfEveryone(server: Pick<TestServer, 'ctx'>, value: boolean) {
  await server.ctx.db.write('test', (tx) => setSetting(tx, 'security.stepUp', value))
}

describe.if(inProcess)('confirmations', () => {
  const world = useWorld()

  const later = () => world.server.clock.advance(10 * MINUTE + 1)

  async function administrator(): Promise<Person & { email: string }> {
    const user = await world.withEmail()
    const { ctx } = world.server
    await ctx.db.write('test', (tx) => bindPlatformRole(ctx, tx, user.id, 'USER_ADMIN'))
    return user
  }

  /** Everything that a thief with the session would do. Returns the answers. */
  async function takeOver(who: Person) {
    const [phone, email] = [newPhone(), newEmail()]
    world.gateways.tokens.set(phone, phone)
    const code = await world.codeBy(who, '/api/auth/email/bind-code', { email }, email)
    return [
      await who.call('auth.emailBind', { body: { email, code } }),
      await who.call('auth.phoneBind', { body: { phone, code: '123456' } }),
      await who.call('auth.verifyMobile', { body: { token: phone } }),
      await who.call('auth.emailUnbind'),
      await who.call('auth.phoneUnbind'),
      await who.call('auth.deleteAccount'),
    ]
  }

  const confirm = (who: Person, body: object) => who.post('/api/auth/confirm', body)

  test('ten minutes after the sign-in an administrator’s session alone changes no way to sign in', async () => {
    const chief = await administrator()
    later()
    for (const refused of await takeOver(chief)) {
      expect([refused.status, refused.code]).toEqual([403, 4031])
      expect(refused.details.map((d) => d.path)).toEqual(['PASSWORD', 'EMAIL_CODE', 'SIGN_IN'])
      expect(refused.details[0]!.message).toContain('/api/auth/confirm')
    }
    const { data } = ok(await chief.call('profile.get'))
    expect([data.email, data.phone]).toEqual([chief.email, null])
  })

  test('within ten minutes of the sign-in an administrator can change them', async () => {
    const chief = await administrator()
    const email = newEmail()
    const code = await world.codeBy(chief, '/api/auth/email/bind-code', { email }, email)
    expect(ok(await chief.call('auth.emailBind', { body: { email, code } })).data.email).toBe(email)
    // The rules of the operation itself still hold.
    expect((await chief.call('auth.deleteAccount')).status).toBe(400)
  })

  test('other users need a confirmation only if the setting asks for one', async () => {
    const bob = await world.withEmail()
    later()
    const phone = newPhone()
    world.gateways.tokens.set(phone, phone)
    ok(await bob.call('auth.verifyMobile', { body: { token: phone } }))
    await requireOfEveryone(world.server, true)
    try {
      for (const refused of await takeOver(bob)) expect([refused.status, refused.code]).toEqual([403, 4031])
      const mine = await world.byPhone()
      later()
      const set = await mine.call('profile.setPassword', { body: { password: 'a new password' } })
      expect([set.status, set.code]).toEqual([403, 4031])
      expect(set.details.map((d) => d.path)).toEqual(['PHONE_CODE', 'SIGN_IN'])
    } finally {
      await requireOfEveryone(world.server, false)
    }
  })

  test('a refused bind does not use up the code of the new e-mail', async () => {
    const chief = await administrator()
    later()
    const email = newEmail()
    const code = await world.codeBy(chief, '/api/auth/email/bind-code', { email }, email)
    for (let i = 0; i < 6; i++) expect((await chief.call('auth.emailBind', { body: { email, code } })).status).toBe(403)
    ok(await confirm(chief, { verifyType: 'PASSWORD', password: chief.password }))
    ok(await chief.call('auth.emailBind', { body: { email, code } }))
  })

  test('the password confirms the session for ten minutes, and no other session', async () => {
    const chief = await administrator()
    const deviceId = newDevice()
    const account = { account: chief.username, password: chief.password }
    const login = ok(await world.post('/api/auth/login', account, { deviceId }))
    const other = person(world.server.url, login, chief.username, '', deviceId)
    later()
    const confirmed = ok(await confirm(chief, { verifyType: 'PASSWORD', password: chief.password }))
    expect(confirmed.data.confirmedUntil).toBeGreaterThan(world.server.clock.now() + 9 * MINUTE)
    expect((await other.call('auth.emailUnbind')).status).toBe(403)
    world.server.clock.advance(9 * MINUTE)
    ok(await chief.call('auth.emailUnbind'))
    world.server.clock.advance(2 * MINUTE)
    expect((await chief.call('auth.emailUnbind')).code).toBe(4031)
  })

  test('a code to the bound e-mail confirms once, and a wrong one does not', async () => {
    const chief = await administrator()
    later()
    const code = await world.codeBy(chief, '/api/auth/password/change-code', { channel: 'EMAIL' }, chief.email)
    const byCode = (given: string) => confirm(chief, { verifyType: 'EMAIL_CODE', code: given })
    expect((await byCode(otherThan(code))).status).toBe(400)
    expect((await chief.call('auth.emailUnbind')).status).toBe(403)
    ok(await byCode(code))
    expect((await byCode(code)).status).toBe(400)
    ok(await chief.call('auth.emailUnbind'))
  })

  test('wrong passwords are answered with 400 and count in the failure lock of the account', async () => {
    const chief = await administrator()
    const guess = (password: string) => confirm(chief, { verifyType: 'PASSWORD', password })
    for (let i = 0; i < 5; i++) {
      const refused = await guess(`guess ${i}`)
      expect([refused.status, refused.details[0]?.path]).toEqual([400, 'body.password'])
    }
    expect((await guess(chief.password)).status).toBe(429)
    const login = { account: chief.username, password: chief.password }
    expect((await world.post('/api/auth/login', login)).status).toBe(429)
    expect((await chief.call('profile.get')).status).toBe(200)
  })

  test('a session that was opened without a proof does not count as a sign-in', async () => {
    const chief = await administrator()
    const owner = await world.server.person()
    const by = { verifyType: 'PASSWORD', linkedUserId: chief.id, password: chief.password } as const
    const linkId = ok(await owner.call('auth.link', { body: by })).data.id
    const switched = ok(await owner.call('auth.switchLink', { params: { linkId } }))
    const byLink = person(world.server.url, switched, '', '', owner.deviceId)
    expect((await byLink.call('auth.emailUnbind')).code).toBe(4031)

    const tablet = newDevice()
    const signIn = { account: chief.username, password: chief.password }
    ok(await world.post('/api/auth/login', signIn, { deviceId: tablet }))
    later()
    const opened = ok(await chief.call('sessions.create', { body: { deviceId: tablet } }))
    const further = person(world.server.url, opened, '', '', tablet)
    expect((await further.call('auth.emailUnbind')).code).toBe(4031)
    const refreshed = ok(await world.post('/api/auth/refresh', { refreshToken: chief.refreshToken }))
    const renewed = person(world.server.url, refreshed, '', '', chief.deviceId)
    expect((await renewed.call('auth.emailUnbind')).code).toBe(4031)
  })

  test('a session on an unknown device needs a recent proof, one on a known device does not', async () => {
    const chief = await administrator()
    const onNew = (deviceId?: string) => chief.call('sessions.create', { body: { deviceId } })
    later()
    for (const deviceId of [undefined, newDevice()]) expect((await onNew(deviceId)).code).toBe(4031)
    expect(ok(await chief.call('sessions.list')).data.total).toBe(1)
    ok(await confirm(chief, { verifyType: 'PASSWORD', password: chief.password }))
    const tablet = newDevice()
    ok(await onNew(tablet))
    later()
    ok(await onNew(tablet))
    // Nobody else is asked, unless the settings say so.
    const bob = await world.server.person()
    later()
    ok(await bob.call('sessions.create', { body: {} }))
  })

  test('signing in by the device counts only for users who have no other way to prove who they are', async () => {
    await requireOfEveryone(world.server, true)
    try {
      const deviceId = newDevice()
      const byDevice = async () =>
        person(world.server.url, ok(await world.post('/api/auth/device-login', {}, { deviceId })), '', '', deviceId)
      await byDevice()
      later()
      const phone = newPhone()
      world.gateways.tokens.set(phone, phone)
      const alone = await byDevice()
      ok(await alone.call('auth.verifyMobile', { body: { token: phone } }))
      later()
      const withPhone = await byDevice()
      const refused = await withPhone.call('auth.phoneUnbind')
      expect([refused.code, refused.details.map((d) => d.path)]).toEqual([4031, ['PHONE_CODE', 'SIGN_IN']])
    } finally {
      await requireOfEveryone(world.server, false)
    }
  })
})
