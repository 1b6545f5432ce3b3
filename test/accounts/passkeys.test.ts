/** Passkeys: adding them, signing in with them, as second factor, and the answers that must open nothing. */

import { describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { recoveryCodes } from '#db/schema/accounts.ts'
import { passkeys, requiredPasskeys, trustedDevices, usedChallenges } from '#db/schema/passkeys.ts'
import { bindPlatformRole, SYSTEM_ADMIN } from '#domains/access/index.ts'
import { jobs } from '#domains/accounts/accounts.jobs.ts'
import { relyingParty } from '#domains/accounts/assertions/assertions.rules.ts'
import { disableTotp } from '#domains/accounts/index.ts'
import { setSetting } from '#domains/settings/index.ts'
import { stepAt, totp } from '#lib/totp.ts'

import { type Algorithm, Authenticator, type Faults } from '../harness/authenticator.ts'
import { inProcess, ok, race, type Reply, useServer } from '../harness/index.ts'
import { type Person, person } from '../harness/people.ts'
import { fromBase32, newDevice, newEmail, useWorld } from './helpers.ts'

const ORIGIN = 'https://qr.example.org'
const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
const answer = ({ status, code }: Reply) => [status, code]
const NEEDED = [403, 4032]
const WRONG = [400, 4033]

describe.if(inProcess)('passkeys', () => {
  const world = useWorld({ config: { publicUrl: ORIGIN } })

  async function added(who: Person, key = new Authenticator(ORIGIN), faults: Faults = {}) {
    const { challengeId, publicKey } = ok(await who.call('passkeys.options')).data
    return who.call('passkeys.create', {
      body: { challengeId, credential: key.create(publicKey, faults), name: 'Key' },
    })
  }

  async function withKey(who?: Person, key = new Authenticator(ORIGIN)) {
    const user = who ?? (await world.server.person())
    const { id } = ok(await added(user, key)).data
    return { user, key, id }
  }

  const challenge = async () => ok(await world.post('/api/auth/passkey-login/options', {})).data
  /** The field `passkey` of a sign-in. */
  async function assertion(key: Authenticator, faults: Faults = {}) {
    const { challengeId, publicKey } = await challenge()
    return { challengeId, credential: key.get(publicKey, faults) }
  }

  const passkeyLogin = async (key: Authenticator, faults: Faults = {}, deviceId = newDevice()) =>
    world.post('/api/auth/passkey-login', await assertion(key, faults), { deviceId })
  const signIn = (who: Person, more: object = {}, deviceId = newDevice()) =>
    world.post('/api/auth/login', { account: who.username, password: who.password, ...more }, { deviceId })
  const listOf = async (who: Person) => ok(await who.call('passkeys.list')).data
  const require = (who: Person, required = true) => who.call('passkeys.require', { body: { required } })

  async function enableTotp(who: Person) {
    const { secret } = ok(await who.call('auth.startTotp')).data
    const code = () => totp(fromBase32(secret), stepAt(world.server.clock.now()))
    ok(await who.call('auth.confirmTotp', { body: { totp: code() } }))
    return () => {
      world.server.clock.advance(30_000)
      return code()
    }
  }

  async function makeAdministrator(who: Person) {
    const { ctx } = world.server
    await ctx.db.write('test', (tx) => bindPlatformRole(ctx, tx, who.id, SYSTEM_ADMIN))
  }

  /** The user on another device. */
  async function elsewhere(who: Person, more: object = {}) {
    const deviceId = newDevice()
    return person(world.server.url, await signIn(who, more, deviceId), who.username, who.password, deviceId)
  }

  const eventsOf = async (who: Person) =>
    ok(await who.call('notifications.list')).data.items.map(({ data }) => (data as { event?: string } | null)?.event)

  test.each(['ES256', 'EdDSA', 'RS256'] as Algorithm[])(
    'of %s are added and sign in as both factors',
    async (algorithm) => {
      const ann = await world.withEmail()
      const key = new Authenticator(ORIGIN, algorithm)
      const { data: passkey } = ok(await added(ann, key))
      expect(passkey).toMatchObject({
        name: 'Key',
        lastUsedAt: null,
        suspect: false,
        userVerified: true,
        transports: ['internal'],
      })
      expect(await listOf(ann)).toEqual({ items: [passkey], required: false, available: true, reason: null })
      await world.mailArrived(ann.email, 'A passkey was added')

      const { data } = ok(await passkeyLogin(key))
      expect(data.user.id).toBe(ann.id)
      expect((await listOf(ann)).items[0]!.lastUsedAt).toBeGreaterThan(0)
      const records = ok(await ann.call('loginRecords.ofUser', { params: { userId: ann.id } })).data.items
      expect(records.map((record) => record.loginType)).toContain('passkey_login')

      ok(await require(ann))
      ok(await passkeyLogin(key))
    },
  )

  test('options name the server, no user and no passkey to strangers, and the caller’s own to themselves', async () => {
    const { user, key } = await withKey()
    const { publicKey } = await challenge()
    expect(publicKey).toEqual({
      challenge: expect.stringMatching(/^[\w-]{43}$/),
      rpId: 'qr.example.org',
      timeout: 300_000,
      allowCredentials: [],
      userVerification: 'required',
    })
    const own = ok(await user.call('passkeys.options')).data.publicKey
    expect(own).toMatchObject({
      rp: { id: 'qr.example.org' },
      attestation: 'none',
      authenticatorSelection: { residentKey: 'preferred' },
      excludeCredentials: [{ id: key.id }],
    })
    expect(own.pubKeyCredParams.map(({ alg }) => alg).toSorted()).toEqual([-257, -7, -8])
    expect(Buffer.from(own.user.id, 'base64url').length).toBeLessThanOrEqual(64)
  })

  const faults: readonly [string, Faults][] = [
    ['another origin', { origin: 'https://evil.example.org' }],
    ['the same host by http', { origin: 'http://qr.example.org' }],
    ['another party', { rpId: 'example.org' }],
    ['another challenge', { challenge: Buffer.alloc(32).toString('base64url') }],
    ['the answer of another ceremony', { type: 'payment.get' }],
    ['a frame in another page', { crossOrigin: true }],
    ['an absent user', { userPresent: false }],
  ]

  test.each(faults)('with %s are not added', async (_name, fault) => {
    const ann = await world.server.person()
    expect(answer(await added(ann, new Authenticator(ORIGIN), fault))).toEqual([400, 400])
    expect((await listOf(ann)).items).toEqual([])
  })

  test.each([0, -257, -37, -65_535])('whose key says algorithm %d are not added', async (alg) => {
    const ann = await world.server.person()
    expect(answer(await added(ann, new Authenticator(ORIGIN), { alg }))).toEqual([400, 400])
    expect((await listOf(ann)).items).toEqual([])
  })

  const signInFaults: readonly [string, Faults][] = [
    ...faults,
    ['a user who was not verified', { userVerified: false }],
    ['the id of another user', { userHandle: 'c29tZWJvZHkgZWxzZQ' }],
    ['a signature of something else', { signature: Buffer.alloc(70, 1).toString('base64url') }],
  ]

  test.each(signInFaults)('with %s do not sign in, and leave the passkey as it was', async (_name, fault) => {
    const { user, key } = await withKey()
    const refused = await passkeyLogin(key, fault)
    const unknown = await passkeyLogin(new Authenticator(ORIGIN))
    expect([refused.status, refused.code, refused.message]).toEqual([400, 400, unknown.message])
    expect((await listOf(user)).items[0]).toMatchObject({ lastUsedAt: null, suspect: false })
    ok(await passkeyLogin(key))
  })

  test('of one user are no second factor of another, and a removed one opens nothing', async () => {
    const [ann, bob] = [await withKey(), await withKey()]
    ok(await require(ann.user))
    expect(answer(await signIn(ann.user, { passkey: await assertion(bob.key) }))).toEqual(WRONG)
    expect(answer(await bob.user.post('/api/auth/confirm', { passkey: await assertion(ann.key) }))).toEqual([400, 400])
    expect(answer(await bob.user.call('passkeys.delete', { params: { id: ann.id } }))).toEqual([404, 404])
    expect(answer(await bob.user.call('passkeys.update', { params: { id: ann.id }, body: { name: 'x' } }))).toEqual([
      404, 404,
    ])

    ok(await bob.user.call('passkeys.delete', { params: { id: bob.id } }))
    expect(answer(await passkeyLogin(bob.key))).toEqual([400, 400])
    expect(await eventsOf(bob.user)).toContain('PASSKEY_REMOVED')
  })

  test('are renamed, and the user is notified once', async () => {
    const { user, id } = await withKey()
    for (const name of ['Desk', 'Desk'])
      expect(ok(await user.call('passkeys.update', { params: { id }, body: { name } })).data.name).toBe('Desk')
    expect((await eventsOf(user)).filter((event) => event === 'PASSKEY_RENAMED')).toHaveLength(1)
    expect((await user.put(`/api/auth/passkeys/${id}`, { name: 'x'.repeat(51) })).status).toBe(400)
    expect((await user.put(`/api/auth/passkeys/${id}`, { name: '' })).status).toBe(400)
  })

  test('need a challenge for this purpose, user and session that is not older than 5 minutes and was not used', async () => {
    const { user: ann, key } = await withKey()
    const bob = await world.server.person()
    const options = async (who: Person) => ok(await who.call('passkeys.options')).data
    const create = (who: Person, given: { challengeId: string; publicKey: Parameters<Authenticator['create']>[0] }) => {
      const credential = new Authenticator(ORIGIN).create(given.publicKey)
      return who.call('passkeys.create', { body: { challengeId: given.challengeId, credential } })
    }
    const mine = await options(ann)
    expect(answer(await create(bob, mine))).toEqual([400, 400])
    expect(answer(await create(await elsewhere(ann), mine))).toEqual([400, 400])
    const forSignIn = await challenge()
    const mixed = {
      ...mine,
      challengeId: forSignIn.challengeId,
      publicKey: { ...mine.publicKey, challenge: forSignIn.publicKey.challenge },
    }
    expect(answer(await create(ann, mixed))).toEqual([400, 400])
    const forLogin = {
      challengeId: mine.challengeId,
      credential: key.get({ ...mine.publicKey, rpId: 'qr.example.org' }),
    }
    expect(answer(await world.post('/api/auth/passkey-login', forLogin))).toEqual([400, 400])
    // The end of a challenge is part of its keyed hash.
    const prolonged = {
      ...mine,
      challengeId: mine.challengeId.replace(/^.[^.]*/, (end) => (Number.parseInt(end, 36) + DAY).toString(36)),
    }
    expect(answer(await create(ann, prolonged))).toEqual([400, 400])
    ok(await create(ann, mine))
    expect(answer(await create(ann, mine))).toEqual([400, 400])

    const late = [await options(ann), await assertion(key)] as const
    world.server.clock.advance(5 * MINUTE)
    expect(answer(await create(ann, late[0]))).toEqual([400, 400])
    expect(answer(await world.post('/api/auth/passkey-login', late[1]))).toEqual([400, 400])
    expect((await listOf(ann)).items).toHaveLength(2)
  })

  test('open one session if an answer is sent 50 times at once, and nobody is suspected', async () => {
    const { user, key } = await withKey()
    const sent = await assertion(key)
    const replies = await race(50, () => world.post('/api/auth/passkey-login', sent, { deviceId: newDevice() }))
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(replies.filter(({ status, code }) => status === 400 && code === 400)).toHaveLength(49)
    expect((await listOf(user)).items[0]!.suspect).toBe(false)
    ok(await passkeyLogin(key))
  })

  test('are at most 20, and one credential belongs to one user', async () => {
    const { user, key } = await withKey()
    const bob = await world.server.person()
    expect(answer(await added(bob, key))).toEqual([400, 400])
    await race(25, () => added(user))
    expect((await listOf(user)).items).toHaveLength(20)
    expect(answer(await added(user))).toEqual([400, 400])
  })

  test('that no authenticator keeps are refused, as no sign-in would find them', async () => {
    const ann = await world.server.person()
    expect(answer(await added(ann, undefined, { keeps: false }))).toEqual([400, 400])
    ok(await added(ann, undefined, { keeps: true }))
  })

  test('whose counter does not grow are refused and suspect, and their user is notified', async () => {
    const { user, key, id } = await withKey()
    ok(await passkeyLogin(key))
    const copied = await passkeyLogin(key, { counter: 1 })
    expect(answer(copied)).toEqual(WRONG)
    expect((await listOf(user)).items[0]).toMatchObject({ id, suspect: true })
    expect((await eventsOf(user)).filter((event) => event === 'PASSKEY_SUSPECT')).toHaveLength(1)
    expect(answer(await passkeyLogin(key))).toEqual(WRONG)
    expect(answer(await require(user))).toEqual([400, 400])
    expect(answer(await user.put(`/api/auth/passkeys/${id}`, { name: 'Mine' }))).toEqual([400, 400])
    expect((await listOf(user)).items[0]!.name).toBe('Key')
    ok(await user.call('passkeys.delete', { params: { id } }))
  })

  test('of authenticators that count nothing sign in again and again', async () => {
    const { key } = await withKey(undefined, new Authenticator(ORIGIN, 'ES256', false))
    for (const _ of [1, 2]) ok(await passkeyLogin(key))
  })

  test('of a disabled user open nothing', async () => {
    const { user, key } = await withKey()
    const admin = await world.server.admin()
    ok(await admin.call('admin.users.changeStatus', { params: { userId: user.id }, body: { status: 'DISABLED' } }))
    expect((await passkeyLogin(key)).status).toBe(403)
  })

  test('need a recent proof to be added, removed and required', async () => {
    const { user, key, id } = await withKey()
    world.server.clock.advance(10 * MINUTE + 1)
    const step = [403, 4031]
    for (const refused of [
      await user.call('passkeys.options'),
      await user.call('passkeys.delete', { params: { id } }),
      await require(user),
    ]) {
      expect(answer(refused)).toEqual(step)
      expect(refused.details.map((detail) => detail.path)).toContain('PASSKEY')
    }
    // A passkey is a proof, too, also without a check of its user.
    ok(await user.post('/api/auth/confirm', { passkey: await assertion(key, { userVerified: false }) }))
    ok(await user.call('passkeys.options'))
    const again = await assertion(key)
    ok(await user.post('/api/auth/confirm', { verifyType: 'PASSKEY', passkey: again }))
    expect(answer(await user.post('/api/auth/confirm', { verifyType: 'PASSKEY', passkey: again }))).toEqual([400, 400])
    expect((await user.post('/api/auth/confirm', {})).status).toBe(400)
  })

  test('that are required are asked for at every sign-in, end other sessions and come with recovery codes', async () => {
    const { user, key, id } = await withKey()
    const other = await elsewhere(user)
    const { data } = ok(await require(user))
    expect([data.required, data.items.length, data.recoveryCodes?.length]).toEqual([true, 1, 10])
    expect((await other.call('profile.get')).status).toBe(401)
    ok(await user.call('profile.get'))
    expect(ok(await require(user)).data.recoveryCodes).toBeUndefined()
    expect(ok(await user.call('auth.totp')).data).toEqual({ enabled: false, recoveryCodesLeft: 10 })

    const refused = await signIn(user)
    expect(answer(refused)).toEqual(NEEDED)
    expect(refused.details.map((detail) => detail.path)).toEqual(['RECOVERY_CODE', 'PASSKEY'])
    // This user has no authenticator app.
    expect(refused.message).not.toContain('authenticator app')
    // As second factor the authenticator need not check its user.
    const passkey = await assertion(key, { userVerified: false })
    ok(await signIn(user, { passkey }))
    expect(answer(await signIn(user, { passkey }))).toEqual(WRONG)
    ok(await signIn(user, { totp: data.recoveryCodes![0]! }))
    expect(answer(await signIn(user, { totp: data.recoveryCodes![0]! }))).toEqual(WRONG)

    expect(answer(await user.call('passkeys.delete', { params: { id } }))).toEqual([400, 400])
    expect((await listOf(user)).items).toHaveLength(1)
    ok(await require(user, false))
    ok(await signIn(user))
    ok(await user.call('passkeys.delete', { params: { id } }))
    expect(ok(await user.call('auth.totp')).data.recoveryCodesLeft).toBe(0)
    expect(answer(await require(user))).toEqual([400, 400])
  })

  test('and an authenticator app are both ways, and each stays when the other ends', async () => {
    const { user, key } = await withKey()
    const next = await enableTotp(user)
    const ways = async () => (await signIn(user)).details.map((detail) => detail.path)
    expect(await ways()).toEqual(['TOTP', 'RECOVERY_CODE', 'PASSKEY'])
    ok(await signIn(user, { passkey: await assertion(key) }))
    // There are recovery codes already.
    expect(ok(await require(user)).data.recoveryCodes).toBeUndefined()
    ok(await signIn(user, { totp: next() }))
    ok(await user.call('auth.disableTotp', { body: { totp: next() } }))
    expect(await ways()).toEqual(['RECOVERY_CODE', 'PASSKEY'])
    ok(await signIn(user, { passkey: await assertion(key) }))
  })

  test('are a second factor wherever one is asked for', async () => {
    const { user: chief } = await withKey()
    await makeAdministrator(chief)
    const setting = (value: boolean) =>
      chief.call('admin.settings.update', { body: { values: { 'security.requireTotp': value } } })
    expect((await setting(true)).status).toBe(400)
    ok(await require(chief))
    ok(await setting(true))
    ok(await chief.call('admin.users.list'))
    const bob = await world.server.person()
    expect(answer(await bob.post('/api/auth/link', { linkedUserId: chief.id, password: chief.password }))).toEqual(
      NEEDED,
    )
    ok(await require(chief, false))
    expect(answer(await chief.call('admin.users.list'))).toEqual([403, 4034])
    ok(await require(chief))
    ok(await setting(false))
  })

  test('made on other devices end with a changed password, unless the user keeps them', async () => {
    const ann = await world.server.person()
    const change = (who: Person, more: object) =>
      who.post('/api/auth/password/change', {
        verifyType: 'OLD_PASSWORD',
        oldPassword: who.password,
        newPassword: `${who.password}!`,
        ...more,
      })
    const [own, foreign] = [new Authenticator(ORIGIN), new Authenticator(ORIGIN)]
    ok(await added(ann, own))
    ok(await added(await elsewhere(ann), foreign))
    ok(await change(ann, { keepPasskeys: true }))
    for (const key of [own, foreign]) ok(await passkeyLogin(key))
    const again = person(
      world.server.url,
      await passkeyLogin(own, {}, ann.deviceId),
      ann.username,
      `${ann.password}!`,
      ann.deviceId,
    )
    ok(await change(again, {}))
    ok(await passkeyLogin(own))
    expect(answer(await passkeyLogin(foreign))).toEqual([400, 400])
  })

  test('made on other devices end with a reset password, and recovery codes remain', async () => {
    const ann = await world.withEmail()
    const { key } = await withKey(ann)
    const { recoveryCodes: codes } = ok(await require(ann)).data
    const code = await world.codeBy(undefined, '/api/auth/password/forgot-code', { credential: ann.email }, ann.email)
    ok(await world.post('/api/auth/password/reset', { credential: ann.email, code, newPassword: 'another long one' }))
    expect(answer(await passkeyLogin(key))).toEqual([400, 400])
    const now = { ...ann, password: 'another long one' }
    const refused = await signIn(now)
    expect([answer(refused), refused.details.map((detail) => detail.path)]).toEqual([NEEDED, ['RECOVERY_CODE']])
    const back = await elsewhere(now, { totp: codes![0]! })
    expect(await listOf(back)).toMatchObject({ items: [], required: true })
  })

  test('that were made in the 72 hours before a replaced address, or later, end with its undo link, and older ones stay', async () => {
    const owner = await world.withEmail()
    const { key: older } = await withKey(owner)
    await world.passDays(4)
    ok(await owner.call('auth.confirm', { body: { verifyType: 'PASSWORD', password: owner.password } }))
    const { key: foreign } = await withKey(owner)
    ok(await require(owner))
    const [old, next] = [owner.email, newEmail()]
    const code = await world.codeBy(owner, '/api/auth/email/bind-code', { email: next }, next)
    ok(await owner.call('auth.emailBind', { body: { email: next, code } }))
    await world.mailArrived(old, '/account/undo-email?token=')
    const mail = world.gateways.mails.findLast((m) => m.to === old && m.text.includes('undo-email'))!
    const submitted = await world.server.request('POST', '/account/undo-email', {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ token: /token=([\w-]{43})/.exec(mail.text)![1]! }).toString(),
    })
    expect(submitted.status).toBe(200)
    expect(answer(await passkeyLogin(foreign))).toEqual([400, 400])
    // The requirement was made in these hours, too.
    const again = await world.codeBy(undefined, '/api/auth/email/send-code', { email: old }, old)
    ok(await world.post('/api/auth/email-login', { email: old, code: again }))
    ok(await passkeyLogin(older))
  })

  test('are removed with the second factor by the operator, also if none is required', async () => {
    const { user, key } = await withKey()
    const { ctx } = world.server
    await disableTotp(ctx, user.username)
    expect(answer(await passkeyLogin(key))).toEqual([400, 400])
    expect((await user.call('profile.get')).status).toBe(401)
    const bob = await withKey()
    ok(await require(bob.user))
    await disableTotp(ctx, bob.user.username)
    ok(await signIn(bob.user))
    await expect(disableTotp(ctx, bob.user.username)).rejects.toThrow('off')
  })

  test('leave nothing behind when the account is deleted', async () => {
    const { user } = await withKey()
    ok(await require(user))
    ok(await user.call('auth.deleteAccount'))
    const { read } = world.server.ctx.db
    expect(await read.select().from(passkeys).where(eq(passkeys.userId, user.id))).toEqual([])
    expect(await read.select().from(requiredPasskeys).where(eq(requiredPasskeys.userId, user.id))).toEqual([])
    expect(await read.select().from(recoveryCodes).where(eq(recoveryCodes.userId, user.id))).toEqual([])
  })

  test('answer 401 without a token and 400 to nonsense, and nothing changes', async () => {
    const { user, id } = await withKey()
    const call = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string) =>
      world.server.request(method, path, method === 'GET' ? {} : { body: {} })
    for (const [method, path] of [
      ['GET', '/api/auth/passkeys'],
      ['POST', '/api/auth/passkeys'],
      ['POST', '/api/auth/passkeys/options'],
      ['PUT', '/api/auth/passkeys/required'],
      ['PUT', `/api/auth/passkeys/${id}`],
      ['DELETE', `/api/auth/passkeys/${id}`],
      ['DELETE', '/api/auth/trusted-devices'],
      ['DELETE', '/api/auth/devices/x/trust'],
    ] as const)
      expect((await call(method, path)).status).toBe(401)
    for (const body of [{}, { challengeId: 'a', credential: {} }, { challengeId: 7, credential: null }]) {
      expect((await user.post('/api/auth/passkeys', body)).status).toBe(400)
      expect((await world.post('/api/auth/passkey-login', body)).status).toBe(400)
      expect((await signIn(user, { passkey: body })).status).toBe(400)
    }
    expect((await user.put('/api/auth/passkeys/required', { required: 'yes' })).status).toBe(400)
    expect(await listOf(user)).toMatchObject({ items: [{ id }], required: false })
  })

  test('whose challenges have expired leave no row', async () => {
    const { key } = await withKey()
    ok(await passkeyLogin(key))
    const { ctx, clock } = world.server
    const left = async () => (await ctx.db.read.select().from(usedChallenges)).length
    expect(await left()).toBeGreaterThan(0)
    clock.advance(10 * MINUTE)
    await jobs.find(({ name }) => name === 'accounts.cleanUp')!.run(ctx)
    expect(await left()).toBe(0)
  })

  describe('a trusted device', () => {
    const trusted = async () => {
      const { user, key } = await withKey()
      ok(await require(user))
      const deviceId = newDevice()
      const login = await signIn(user, { passkey: await assertion(key), trustDevice: true }, deviceId)
      return { user, key, deviceId, there: person(world.server.url, login, user.username, user.password, deviceId) }
    }

    test('is spared the second factor for 30 days, and no other device is', async () => {
      const { user, deviceId, there } = await trusted()
      const devices = ok(await there.call('devices.list')).data.items
      expect(devices.map(({ isCurrent, trustedUntil }) => [isCurrent, trustedUntil === null]).toSorted()).toEqual([
        [false, true],
        [true, false],
      ])
      ok(await signIn(user, {}, deviceId))
      expect(answer(await signIn(user))).toEqual(NEEDED)
      // A wrong password is a wrong password there, too.
      expect((await signIn({ ...user, password: 'wrong' }, {}, deviceId)).status).toBe(401)
      world.server.clock.advance(30 * DAY - MINUTE)
      // This sign-in passed no second factor, so it prolongs nothing.
      ok(await signIn(user, { trustDevice: true }, deviceId))
      world.server.clock.advance(MINUTE + 1)
      expect(answer(await signIn(user, {}, deviceId))).toEqual(NEEDED)
    })

    test('of somebody else spares nothing', async () => {
      const [ann, bob] = [await trusted(), await trusted()]
      expect(answer(await signIn(ann.user, {}, bob.deviceId))).toEqual(NEEDED)
    })

    test('cannot sign in by itself alone, as it would be both factors', async () => {
      const deviceId = newDevice()
      const login = await world.post('/api/auth/device-login', {}, { deviceId })
      const ann = person(world.server.url, login, '', '', deviceId)
      const { key } = await withKey(ann)
      ok(await require(ann))
      ok(await world.post('/api/auth/device-login', { passkey: await assertion(key), trustDevice: true }, { deviceId }))
      expect(answer(await world.post('/api/auth/device-login', {}, { deviceId }))).toEqual(NEEDED)
    })

    test('ends by its own operation, by that of all devices, and with the device', async () => {
      const end: readonly ((who: Person, deviceKey: string) => Promise<Reply>)[] = [
        (who, deviceId) => who.call('devices.endTrust', { params: { deviceId } }),
        (who) => who.call('devices.endAllTrust'),
        (who, deviceId) => who.call('devices.revoke', { params: { deviceId } }),
        (who) => who.call('passkeys.require', { body: { required: false } }),
      ]
      for (const by of end) {
        const { user, deviceId, there } = await trusted()
        const current = ok(await there.call('devices.list')).data.items.find((device) => device.isCurrent)!
        ok(await by(user, current.deviceId))
        const rows = await world.server.ctx.db.read
          .select()
          .from(trustedDevices)
          .where(eq(trustedDevices.userId, user.id))
        expect(rows).toEqual([])
        expect((await signIn(user, {}, deviceId)).status).toBe(by === end[3] ? 200 : 403)
      }
      const { user } = await trusted()
      expect(answer(await user.call('devices.endTrust', { params: { deviceId: newDevice() } }))).toEqual([404, 404])
      ok(await user.call('devices.endAllTrust'))
      ok(await user.call('devices.endAllTrust'))
      expect((await eventsOf(user)).filter((event) => event === 'TRUST_ENDED')).toHaveLength(1)
    })

    test('ends with the password', async () => {
      const { user, deviceId } = await trusted()
      const newPassword = `${user.password}!`
      ok(
        await user.call('auth.changePassword', {
          body: { verifyType: 'OLD_PASSWORD', oldPassword: user.password, newPassword, keepPasskeys: true },
        }),
      )
      expect(answer(await signIn({ ...user, password: newPassword }, {}, deviceId))).toEqual(NEEDED)
    })

    test('is none for administrators, and for nobody if the settings say so', async () => {
      const chief = await trusted()
      await makeAdministrator(chief.user)
      expect(answer(await signIn(chief.user, {}, chief.deviceId))).toEqual(NEEDED)
      ok(await signIn(chief.user, { passkey: await assertion(chief.key), trustDevice: true }, chief.deviceId))
      expect(answer(await signIn(chief.user, {}, chief.deviceId))).toEqual(NEEDED)

      const ann = await trusted()
      const { ctx } = world.server
      await ctx.db.write('test', (tx) => setSetting(tx, 'security.trustedDevices', false))
      expect(answer(await signIn(ann.user, {}, ann.deviceId))).toEqual(NEEDED)
      await ctx.db.write('test', (tx) => setSetting(tx, 'security.trustedDevices', true))
    })
  })
})

describe('a server', () => {
  test.each([
    ['https://qr.example.org', { id: 'qr.example.org', origin: ORIGIN }],
    ['https://qr.example.org:8443/qr', { id: 'qr.example.org', origin: `${ORIGIN}:8443` }],
    ['http://localhost:8080', { id: 'localhost', origin: 'http://localhost:8080' }],
    ['http://qr.example.org', 'NEEDS_HTTPS'],
    ['https://192.0.2.7', 'NEEDS_NAME'],
    ['https://[2001:db8::7]', 'NEEDS_NAME'],
    ['http://127.0.0.1:8080', 'NEEDS_NAME'],
  ])('at %s has passkeys, or says why not', (publicUrl, party) => {
    expect(relyingParty(publicUrl)).toEqual(party as never)
  })
})

describe('without a name a server', () => {
  const { server, ann } = useServer({ people: ['ann'], config: { publicUrl: 'https://192.0.2.7' } })

  test('offers no passkeys and says why', async () => {
    expect(ok(await ann.call('passkeys.list')).data).toMatchObject({ available: false, reason: 'NEEDS_NAME' })
    const options = await server.request('POST', '/api/auth/passkey-login/options', { body: {} })
    expect([(await ann.call('passkeys.options')).status, options.status]).toEqual([400, 400])
    expect(options.message).toContain('name')
  })
})
