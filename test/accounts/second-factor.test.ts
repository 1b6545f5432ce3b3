/** The second factor (TOTP): enabling it, signing in with it, and the ways around it that must not exist. */

import { describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { recoveryCodes, totpSecrets } from '#db/schema/accounts.ts'
import { bindPlatformRole, SYSTEM_ADMIN } from '#domains/access/index.ts'
import { createSession } from '#domains/accounts/devices/devices.service.ts'
import { authenticate, disableTotp } from '#domains/accounts/index.ts'
import { useFactor } from '#domains/accounts/second-factor/second-factor.service.ts'
import { findFactor } from '#domains/accounts/totp/totp.service.ts'
import { setSetting } from '#domains/settings/index.ts'
import { stepAt, totp } from '#lib/totp.ts'

import { inProcess, ok, race, type Reply } from '../harness/index.ts'
import { type Person, person } from '../harness/people.ts'
import { pictureOfSvg, readByQr } from '../lib/qr-pictures.ts'
import { fromBase32, newDevice, newEmail, newPhone, otherThan, useWorld } from './helpers.ts'

const MINUTE = 60_000
const STEP = 30_000

describe.if(inProcess)('the second factor', () => {
  const world = useWorld()

  /** The authenticator app of a user. */
  interface App {
    /** The code that it shows now. */
    code(): string
    /** A code that was not used yet. */
    next(): string
    readonly recovery: readonly string[]
  }

  function appOf(secret: string, recovery: readonly string[] = []): App {
    const bytes = fromBase32(secret)
    const code = () => totp(bytes, stepAt(world.server.clock.now()))
    const next = () => {
      world.server.clock.advance(STEP)
      return code()
    }
    return { code, next, recovery }
  }

  async function enable(who: Person): Promise<App> {
    const { secret } = ok(await who.call('auth.startTotp')).data
    const confirmed = ok(await who.call('auth.confirmTotp', { body: { totp: appOf(secret).code() } }))
    return appOf(secret, confirmed.data.recoveryCodes)
  }

  const signIn = (who: Person, more: object = {}, path = '/api/auth/login') =>
    world.post(path, { account: who.username, password: who.password, ...more }, { deviceId: newDevice() })
  const answer = ({ status, code }: Reply) => [status, code]
  const WRONG = [400, 4033]
  const NEEDED = [403, 4032]

  async function makeAdministrator(who: Person) {
    const { ctx } = world.server
    await ctx.db.write('test', (tx) => bindPlatformRole(ctx, tx, who.id, SYSTEM_ADMIN))
  }

  test('after it is enabled a sign-in needs a code, and the secret is neither stored in clear nor shown again', async () => {
    const ann = await world.withEmail()
    const started = ok(await ann.call('auth.startTotp')).data
    expect(started.uri).toBe(`otpauth://totp/Tessera:${ann.username}?secret=${started.secret}&issuer=Tessera`)
    // The code that a phone scans. As a `data:` address it asks no server, whose proxies would log the secret.
    const svg = Buffer.from(started.imageUrl.replace('data:image/svg+xml;base64,', ''), 'base64').toString()
    expect(readByQr(pictureOfSvg(svg, 4))).toBe(started.uri)
    // Nothing has changed yet.
    ok(await signIn(ann))
    expect(ok(await ann.call('auth.totp')).data).toEqual({ enabled: false, recoveryCodesLeft: 0 })

    const app = appOf(started.secret)
    expect(answer(await ann.call('auth.confirmTotp', { body: { totp: otherThan(app.code()) } }))).toEqual(WRONG)
    const codes = ok(await ann.call('auth.confirmTotp', { body: { totp: app.code() } })).data.recoveryCodes
    expect(new Set(codes).size).toBe(10)
    expect(ok(await ann.call('auth.totp')).data).toEqual({ enabled: true, recoveryCodesLeft: 10 })

    const refused = await signIn(ann)
    expect([...answer(refused), refused.message]).toEqual([...NEEDED, expect.stringContaining('“totp”')])
    // The password comes first: its answer does not reveal the second factor.
    expect((await signIn({ ...ann, password: 'wrong' })).status).toBe(401)
    ok(await signIn(ann, { totp: app.next() }))

    const { read } = world.server.ctx.db
    const rows = await read.select().from(totpSecrets).where(eq(totpSecrets.userId, ann.id))
    const hashes = await read.select().from(recoveryCodes).where(eq(recoveryCodes.userId, ann.id))
    const stored = JSON.stringify([rows, hashes])
    const raw = Buffer.from(fromBase32(started.secret))
    for (const secret of [started.secret, raw.toString('hex'), raw.toString('base64url'), ...codes])
      expect(stored).not.toContain(secret)
    expect((await ann.call('auth.startTotp')).status).toBe(400)
    await world.mailArrived(ann.email, 'Two-factor sign-in is on')
    const records = ok(await ann.call('loginRecords.ofUser', { params: { userId: ann.id } })).data.items
    expect(records.map((r) => r.loginType)).toContain('totp_enable')
  })

  test('enabling it ends the other sessions, which were opened without it, and keeps the session that enabled it', async () => {
    const ann = await world.withEmail()
    const deviceId = newDevice()
    const login = await world.post('/api/auth/login', { account: ann.username, password: ann.password }, { deviceId })
    const thief = person(world.server.url, login, '', '', deviceId)
    ok(await thief.call('profile.get'))
    await enable(ann)
    ok(await ann.call('profile.get'))
    expect((await thief.call('profile.get')).status).toBe(401)
    expect((await world.post('/api/auth/refresh', { refreshToken: thief.refreshToken })).status).toBe(401)
    ok(await world.post('/api/auth/refresh', { refreshToken: ann.refreshToken }))
  })

  test('only a recent sign-in or confirmation can start enabling it, and the secret must be confirmed within 10 minutes', async () => {
    const ann = await world.server.person()
    world.server.clock.advance(10 * MINUTE + 1)
    expect(answer(await ann.call('auth.startTotp'))).toEqual([403, 4031])
    ok(await ann.post('/api/auth/confirm', { verifyType: 'PASSWORD', password: ann.password }))
    const { secret } = ok(await ann.call('auth.startTotp')).data
    world.server.clock.advance(10 * MINUTE + 1)
    const late = await ann.call('auth.confirmTotp', { body: { totp: appOf(secret).code() } })
    expect([late.status, late.message]).toEqual([400, expect.stringContaining('expired')])
    ok(await signIn(ann))
  })

  test('a new secret replaces an unconfirmed one', async () => {
    const ann = await world.server.person()
    const first = ok(await ann.call('auth.startTotp')).data.secret
    const second = ok(await ann.call('auth.startTotp')).data.secret
    expect(answer(await ann.call('auth.confirmTotp', { body: { totp: appOf(first).code() } }))).toEqual(WRONG)
    ok(await ann.call('auth.confirmTotp', { body: { totp: appOf(second).code() } }))
  })

  test('a code works once, also when it is sent many times at once', async () => {
    const ann = await world.server.person()
    const app = await enable(ann)
    // The code that enabled it is used up, too.
    expect(answer(await signIn(ann, { totp: app.code() }))).toEqual(WRONG)
    const code = app.next()
    const replies = await race(4, () => signIn(ann, { totp: code }))
    expect(replies.map((r) => r.status).toSorted()).toEqual([200, 400, 400, 400])
    ok(await signIn(ann, { totp: ` ${app.next().replace(/^.../, '$& ')}` }))
  })

  test('of sign-ins that had the same code checked before one of them used it, one succeeds', async () => {
    const ann = await world.server.person()
    const app = await enable(ann)
    const { ctx } = world.server
    const event = { loginType: 'login', device: { key: 'k', name: '' }, ip: '', locale: 'en' } as const
    for (const code of [app.next(), app.recovery[0]!]) {
      const checked = [await findFactor(ctx, ann.id, code), await findFactor(ctx, ann.id, code)]
      const used = await race(2, (i) =>
        ctx.db
          .write('test', (tx) => useFactor(ctx, tx, ann.id, checked[i], event))
          .then(
            () => 'used',
            (error: Error) => error.message,
          ),
      )
      expect(used.toSorted()).toEqual([expect.stringContaining('has been used'), 'used'])
    }
  })

  test('a code that was checked for another user opens nothing', async () => {
    const [ann, bob] = [await world.server.person(), await world.server.person()]
    const app = await enable(ann)
    await enable(bob)
    const { ctx } = world.server
    const event = { loginType: 'login', device: { key: 'k', name: '' }, ip: '', locale: 'en' } as const
    const factor = await findFactor(ctx, ann.id, app.next())
    const write = ctx.db.write('test', (tx) => useFactor(ctx, tx, bob.id, factor, event))
    await expect(write).rejects.toThrow(/[Tt]wo-factor/)
  })

  test('a recovery code replaces the app once, and the user is notified', async () => {
    const ann = await world.withEmail()
    const app = await enable(ann)
    const code = app.recovery[0]!
    const replies = await race(3, () => signIn(ann, { totp: code.toUpperCase().replace('-', ' ') }))
    expect(replies.map((r) => r.status).toSorted()).toEqual([200, 400, 400])
    expect(ok(await ann.call('auth.totp')).data.recoveryCodesLeft).toBe(9)
    await world.mailArrived(ann.email, 'A recovery code was used')
    // A code of another user opens nothing.
    const bob = await world.server.person()
    const others = await enable(bob)
    expect(answer(await signIn(ann, { totp: others.recovery[0] }))).toEqual(WRONG)
    ok(await signIn(bob, { totp: others.recovery[0] }))
  })

  test('new recovery codes need a code and end the earlier ones', async () => {
    const ann = await world.server.person()
    const app = await enable(ann)
    const replace = (code: string) => ann.call('auth.replaceRecoveryCodes', { body: { totp: code } })
    expect(answer(await replace(otherThan(app.next())))).toEqual(WRONG)
    const { recoveryCodes: fresh } = ok(await replace(app.recovery[1]!)).data
    expect(ok(await ann.call('auth.totp')).data.recoveryCodesLeft).toBe(10)
    expect(answer(await signIn(ann, { totp: app.recovery[2] }))).toEqual(WRONG)
    ok(await signIn(ann, { totp: fresh[0] }))
  })

  test('wrong codes count in the failure lock of the account, missing ones do not and do not forgive them', async () => {
    const ann = await world.server.person()
    const app = await enable(ann)
    for (let i = 0; i < 8; i++) expect(answer(await signIn(ann))).toEqual(NEEDED)
    for (let i = 0; i < 4; i++) {
      expect(answer(await signIn(ann, { totp: otherThan(app.code()) }))).toEqual(WRONG)
      expect(answer(await signIn(ann))).toEqual(NEEDED)
    }
    expect(answer(await signIn(ann, { totp: 'not-a-code' }))).toEqual(WRONG)
    expect(answer(await signIn(ann, { totp: app.next() }))).toEqual([429, 4022])
    const failures = ok(await ann.call('loginRecords.failed')).data.items
    expect(failures.filter((r) => r.failureReason === 'wrong second factor')).toHaveLength(5)
    world.server.clock.advance(5 * MINUTE)
    ok(await signIn(ann, { totp: app.next() }))
  })

  test('wrong codes lock the second factor for longer each time, and the user is notified', async () => {
    const ann = await world.withEmail()
    const app = await enable(ann)
    const told = async () => {
      const { items } = ok(await ann.call('notifications.list')).data
      return items.filter((note) => note.data['event'] === 'TOTP_GUESSED').length
    }
    const wrong = () => signIn(ann, { totp: otherThan(app.code()) })
    // An honest user mistypes: a right code forgives.
    for (let i = 0; i < 4; i++) expect(answer(await wrong())).toEqual(WRONG)
    ok(await signIn(ann, { totp: app.next() }))
    // Slow enough for the failure lock of passwords: never five in five minutes.
    for (const [round, minutes] of [5, 10, 20].entries()) {
      for (let i = 0; i < 5; i++) {
        expect(answer(await wrong())).toEqual(WRONG)
        world.server.clock.advance(2 * MINUTE)
      }
      expect(await told()).toBe(round + 1)
      const refused = await signIn(ann, { totp: app.next() })
      expect(answer(refused)).toEqual([429, 4022])
      const seconds = Number(refused.headers.get('retry-after'))
      expect(seconds).toBeWithin((minutes - 3) * 60, (minutes - 2) * 60 + 1)
      world.server.clock.advance(seconds * 1000)
    }
    await world.mailArrived(ann.email, 'guessing your two-factor codes')
    ok(await signIn(ann, { totp: app.next() }))
    for (let i = 0; i < 4; i++) expect(answer(await wrong())).toEqual(WRONG)
    ok(await signIn(ann, { totp: app.next() }))
    expect(await told()).toBe(3)
  })

  test('of 30 wrong codes of a signed-in user at once, five are compared', async () => {
    const ann = await world.server.person()
    const totp = otherThan((await enable(ann)).code())
    const replies = await race(30, () => ann.call('auth.disableTotp', { body: { totp } }))
    expect(replies.filter((reply) => reply.code === 4033)).toHaveLength(5)
    expect(replies.filter((reply) => reply.code === 4022)).toHaveLength(25)
  })

  test('wrong codes of a signed-in user count in the same lock', async () => {
    const ann = await world.server.person()
    const app = await enable(ann)
    for (let i = 0; i < 5; i++)
      expect(answer(await ann.call('auth.disableTotp', { body: { totp: otherThan(app.code()) } }))).toEqual(WRONG)
    expect(answer(await ann.call('auth.disableTotp', { body: { totp: app.next() } }))).toEqual([429, 4022])
    expect(answer(await signIn(ann, { totp: app.code() }))).toEqual([429, 4022])
  })

  test('no other sign-in method goes around it', async () => {
    const phone = newPhone()
    const ann = await world.byPhone(phone)
    const email = newEmail()
    const bindCode = await world.codeBy(ann, '/api/auth/email/bind-code', { email }, email)
    ok(await ann.call('auth.emailBind', { body: { email, code: bindCode } }))
    // A device that can sign in by itself, and an account that can switch to this one.
    const byDevice = newDevice()
    const alone = person(
      world.server.url,
      ok(await world.post('/api/auth/device-login', {}, { deviceId: byDevice })),
      '',
      '',
      byDevice,
    )
    const aloneApp = await enable(alone)
    const owner = await world.server.person()
    const linkCode = await world.codeBy(owner, '/api/auth/email/link-code', { email }, email)
    const link = ok(
      await owner.call('auth.link', { body: { verifyType: 'EMAIL_CODE', credential: email, code: linkCode } }),
    )
    const app = await enable(ann)

    expect(answer(await world.post('/api/auth/device-login', {}, { deviceId: byDevice }))).toEqual(NEEDED)
    expect(answer(await world.post('/api/auth/device-login', { totp: '000000' }, { deviceId: byDevice }))).toEqual(
      WRONG,
    )
    ok(await world.post('/api/auth/device-login', { totp: aloneApp.next() }, { deviceId: byDevice }))

    world.gateways.tokens.set(phone, phone)
    expect(answer(await world.post('/api/auth/sms/oneclick-login', { token: phone }))).toEqual(NEEDED)
    ok(await world.post('/api/auth/sms/oneclick-login', { token: phone, totp: app.next() }))

    // A refusal does not use up the code that was sent.
    const sms = await world.codeBy(undefined, '/api/auth/sms/send-code', { phone }, phone)
    expect(answer(await world.post('/api/auth/phone-login', { phone, code: sms }))).toEqual(NEEDED)
    ok(await world.post('/api/auth/phone-login', { phone, code: sms, totp: app.next() }))
    const mail = await world.codeBy(undefined, '/api/auth/email/send-code', { email }, email)
    expect(answer(await world.post('/api/auth/email-login', { email, code: mail }))).toEqual(NEEDED)
    ok(await world.post('/api/auth/email-login', { email, code: mail, totp: app.next() }))

    const linkId = link.data.id
    expect(answer(await owner.call('auth.switchLink', { params: { linkId } }))).toEqual(NEEDED)
    const byTarget = await owner.call('auth.switchAccount', { params: { targetUserId: ann.id } })
    expect(answer(byTarget)).toEqual(NEEDED)
  })

  test('no link is made to an account that has it', async () => {
    const [owner, ann] = [await world.server.person(), await world.withEmail()]
    const byPassword = { verifyType: 'PASSWORD', linkedUserId: ann.id, password: ann.password } as const
    const code = await world.codeBy(owner, '/api/auth/email/link-code', { email: ann.email }, ann.email)
    const byCode = { verifyType: 'EMAIL_CODE', credential: ann.email, code } as const
    const admin = await world.server.admin()
    const proposal = { ownerUserId: owner.id, linkedUserId: ann.id }
    const { id: linkId } = ok(await admin.call('admin.links.propose', { body: proposal })).data
    const app = await enable(ann)
    expect(answer(await ann.call('auth.acceptLink', { params: { linkId } }))).toEqual(NEEDED)
    ok(await ann.call('auth.unlink', { params: { linkId } }))
    for (const body of [byPassword, byCode]) expect(answer(await owner.call('auth.link', { body }))).toEqual(NEEDED)
    expect(answer(await admin.call('admin.links.propose', { body: proposal }))).toEqual(NEEDED)
    // Only a proof shows that the account has a second factor.
    const guess = await owner.call('auth.link', { body: { ...byPassword, password: 'a wrong password' } })
    expect(guess.status).toBe(400)
    expect(ok(await owner.call('auth.links')).data.items).toEqual([])
    // The refused code was not used up.
    ok(await ann.call('auth.disableTotp', { body: { totp: app.next() } }))
    ok(await owner.call('auth.link', { body: byCode }))
  })

  test('every session of an administrator with a second factor was opened with it, so the console is closed without it', async () => {
    const chief = await world.server.person()
    await makeAdministrator(chief)
    const before = await signIn(chief, {}, '/api/admin/auth/login')
    const { refreshToken } = ok(before).data
    const app = await enable(chief)
    for (const path of ['/api/admin/auth/refresh', '/api/auth/refresh'])
      expect((await world.post(path, { refreshToken })).status).toBe(401)
    for (const path of ['/api/admin/auth/login', '/api/auth/login'])
      expect(answer(await signIn(chief, {}, path))).toEqual(NEEDED)
    const deviceId = newDevice()
    const body = { account: chief.username, password: chief.password, totp: app.next() }
    const opened = await world.post('/api/admin/auth/login', body, { deviceId })
    const signedIn = person(world.server.url, opened, '', '', deviceId)
    ok(await signedIn.get('/api/rbac/roles'))
    ok(await world.post('/api/admin/auth/refresh', { refreshToken: signedIn.refreshToken }))
  })

  test('if the settings require it, administrators without it can sign in only to enable it', async () => {
    const [chief, user] = [await world.server.person(), await world.server.person()]
    await makeAdministrator(chief)
    const console = () =>
      Promise.all([
        chief.get('/api/rbac/roles'),
        chief.call('loginRecords.all'),
        chief.call('loginRecords.ofUser', { params: { userId: user.id } }),
      ])
    const { ctx } = world.server
    const require = (value: boolean) => ctx.db.write('test', (tx) => setSetting(tx, 'security.requireTotp', value))
    const healthDetails = async () => 'components' in JSON.parse((await chief.get('/actuator/health')).text)
    for (const reply of await console()) ok(reply)
    expect(await healthDetails()).toBe(true)
    await require(true)
    try {
      for (const reply of await console())
        expect([...answer(reply), reply.message]).toEqual([403, 4034, expect.stringContaining('two-factor')])
      expect(await healthDetails()).toBe(false)
      expect(answer(await user.get('/api/rbac/roles'))).toEqual([403, 403])
      ok(await chief.call('profile.get'))
      ok(await chief.call('loginRecords.ofUser', { params: { userId: chief.id } }))
      ok(await signIn(chief, {}, '/api/admin/auth/login'))
      const app = await enable(chief)
      for (const reply of await console()) ok(reply)
      expect(await healthDetails()).toBe(true)
      ok(await chief.call('auth.disableTotp', { body: { totp: app.recovery[0]! } }))
      for (const reply of await console()) expect(answer(reply)).toEqual([403, 4034])
    } finally {
      await require(false)
    }
    for (const reply of await console()) ok(reply)
  })

  test('a session that ended while its request was running opens no further session', async () => {
    const ann = await world.server.person()
    const deviceId = newDevice()
    const login = await world.post('/api/auth/login', { account: ann.username, password: ann.password }, { deviceId })
    const thief = person(world.server.url, login, '', '', deviceId)
    const { ctx } = world.server
    const actor = await authenticate(ctx, thief.token, deviceId)
    if (actor instanceof Error) throw actor
    await enable(ann)
    const caller = {
      requestId: 'test',
      ip: '192.0.2.1',
      locale: 'en',
      userAgent: '',
      deviceId,
      deviceName: undefined,
    } as const
    await expect(createSession(ctx, actor, {}, caller)).rejects.toThrow('session has ended')
    expect(ok(await ann.call('sessions.list')).data.total).toBe(1)
  })

  test('a user with a second factor needs a confirmation for changes of the ways to sign in', async () => {
    const ann = await world.withEmail()
    await enable(ann)
    world.server.clock.advance(10 * MINUTE + 1)
    expect(answer(await ann.call('auth.emailUnbind'))).toEqual([403, 4031])
    ok(await ann.post('/api/auth/confirm', { verifyType: 'PASSWORD', password: ann.password }))
    ok(await ann.call('auth.emailUnbind'))
  })

  test('a password that is reset with a code leaves it enabled', async () => {
    const ann = await world.withEmail()
    const app = await enable(ann)
    const code = await world.codeBy(undefined, '/api/auth/password/forgot-code', { credential: ann.email }, ann.email)
    const newPassword = 'a password from a mailbox'
    ok(await world.post('/api/auth/password/reset', { credential: ann.email, code, newPassword }))
    expect(answer(await signIn({ ...ann, password: newPassword }))).toEqual(NEEDED)
    ok(await signIn({ ...ann, password: newPassword }, { totp: app.next() }))
  })

  test('codes to an unconfirmed address do not open an account with a second factor, and its owner can still register', async () => {
    const email = newEmail()
    const password = 'a password of ann'
    const deviceId = newDevice()
    const made = ok(await world.post('/api/auth/register', { email, password }, { deviceId }))
    const ann = person(world.server.url, made, '', password, deviceId)
    await enable(ann)
    const code = await world.codeBy(undefined, '/api/auth/email/send-code', { email }, email)
    const refused = await world.post('/api/auth/email-login', { email, code })
    expect([refused.status, refused.message]).toEqual([400, expect.stringContaining('not registered')])
    expect((await world.post('/api/auth/password/forgot-code', { credential: email })).status).toBe(400)
    ok(await ann.call('profile.get'))
    ok(await world.post('/api/auth/register', { email, password: 'a password of the owner', code }))
  })

  test('it can be disabled with a code, which is recorded and notified, and then a password is enough again', async () => {
    const ann = await world.withEmail()
    const app = await enable(ann)
    expect(answer(await ann.call('auth.disableTotp', { body: { totp: app.code() } }))).toEqual(WRONG)
    ok(await ann.call('auth.disableTotp', { body: { totp: app.recovery[3]! } }))
    expect(ok(await ann.call('auth.totp')).data).toEqual({ enabled: false, recoveryCodesLeft: 0 })
    ok(await signIn(ann))
    await world.mailArrived(ann.email, 'Two-factor sign-in is off')
    for (const id of ['auth.disableTotp', 'auth.replaceRecoveryCodes'] as const)
      expect((await ann.call(id, { body: { totp: app.next() } })).status).toBe(400)
    // It can be enabled again, with a new secret.
    const again = await enable(ann)
    expect(answer(await signIn(ann, { totp: app.next() }))).toEqual(WRONG)
    ok(await signIn(ann, { totp: again.next() }))
  })

  test('the operator can remove it, by username or id, which ends all sessions', async () => {
    const ann = await world.withEmail()
    await enable(ann)
    const { ctx } = world.server
    await disableTotp(ctx, ann.username)
    expect((await ann.call('profile.get')).status).toBe(401)
    const deviceId = newDevice()
    const login = await world.post('/api/auth/login', { account: ann.username, password: ann.password }, { deviceId })
    await enable(person(world.server.url, ok(login), '', '', deviceId))
    await disableTotp(ctx, String(ann.id))
    ok(await signIn(ann))
    await expect(disableTotp(ctx, ann.username)).rejects.toThrow('Two-factor sign-in is off')
    await expect(disableTotp(ctx, 'no.such.user')).rejects.toThrow('no user')
    await world.mailArrived(ann.email, 'Two-factor sign-in is off')
  })

  test('the undo link of a replaced e-mail removes a second factor that was enabled with the change', async () => {
    const owner = await world.withEmail()
    await world.passDays(3)
    ok(await owner.call('auth.confirm', { body: { verifyType: 'PASSWORD', password: owner.password } }))
    const old = owner.email
    const bind = async (email: string) => {
      const code = await world.codeBy(owner, '/api/auth/email/bind-code', { email }, email)
      ok(await owner.call('auth.emailBind', { body: { email, code } }))
    }
    await enable(owner)
    await bind(newEmail())
    await world.mailArrived(old, '/account/undo-email?token=')
    const mail = world.gateways.mails.findLast((m) => m.to === old && m.text.includes('undo-email'))!
    const token = /token=([\w-]{43})/.exec(mail.text)![1]!
    const submitted = await world.server.request('POST', '/account/undo-email', {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ token }).toString(),
    })
    expect(submitted.status).toBe(200)
    const code = await world.codeBy(undefined, '/api/auth/email/send-code', { email: old }, old)
    ok(await world.post('/api/auth/email-login', { email: old, code }))
  })

  test('a deleted account leaves neither its secret nor its recovery codes behind', async () => {
    const ann = await world.server.person()
    await enable(ann)
    ok(await ann.call('auth.deleteAccount'))
    const { read } = world.server.ctx.db
    expect(await read.select().from(totpSecrets).where(eq(totpSecrets.userId, ann.id))).toEqual([])
    expect(await read.select().from(recoveryCodes).where(eq(recoveryCodes.userId, ann.id))).toEqual([])
  })
})
