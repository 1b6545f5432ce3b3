/** Sign-ins by a provider and the rest of the product: second factors, other ways to sign in, memberships and sessions. */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'

import type { JWTPayload } from 'jose'

import { stepAt, totp } from '#lib/totp.ts'

import { fromBase32, newEmail } from '../accounts/helpers.ts'
import { ADMIN, inProcess, ok, type Person, race, type Reply, startServer, type TestServer } from '../harness/index.ts'
import { person } from '../harness/people.ts'
import { addProvider, Browser, CLIENT, type Facts, type Liar, problemOf, startLiar } from './helpers.ts'

const provider: Liar = await startLiar()
let [server, admin] = [] as unknown as [TestServer, Person]
let id = 0
const change = async (body: object) =>
  ok(await admin.call('admin.oidcProviders.update', { params: { id }, query: { force: true }, body })).data
const setting = (key: string, value: unknown) => admin.put('/api/admin/settings', { values: { [key]: value } })

beforeAll(async () => {
  server = await startServer({ config: { privateTargets: [provider.issuer] } })
  admin = await server.admin()
  id = (await addProvider(admin, 'school', provider.issuer, { createAccounts: true })).id
})
afterAll(async () => {
  await server?.stop()
  await provider.stop()
})
beforeEach(() => {
  provider.claims = { sub: crypto.randomUUID() }
})

const answer = ({ status, code }: Reply) => [status, code]
const deviceOf = () => `device-${crypto.randomUUID()}`

/** Signs in with these claims, as a new user at the provider unless they name one. */
async function signIn(claims: Facts = {}): Promise<Person> {
  provider.claims = { sub: crypto.randomUUID(), ...claims }
  const browser = new Browser(server)
  const address = await browser.start('school')
  const deviceId = deviceOf()
  const reply = await server.request('POST', '/api/auth/oidc/token', {
    body: { ticket: address.searchParams.get('ticket') },
    headers: { cookie: browser.cookiesOf(server.url) },
    deviceId,
  })
  return person(server.url, ok(reply), 'somebody', '', deviceId)
}

/** Links a new account at the provider to the user. */
async function link(who: Person): Promise<string> {
  const sub = crypto.randomUUID()
  provider.claims = { sub }
  const { url } = ok(await who.call('oidc.link', { params: { key: 'school' }, body: {} })).data
  expect(problemOf(await new Browser(server).visit(url))).toBeNull()
  return sub
}

describe.if(inProcess)('the second factor', () => {
  /** Enables it. Returns the next code of the authenticator app. */
  async function enable(who: Person): Promise<() => string> {
    const { secret } = ok(await who.call('auth.startTotp')).data
    const next = () => {
      server.clock.advance(30_000)
      return totp(fromBase32(secret), stepAt(server.clock.now()))
    }
    ok(await who.call('auth.confirmTotp', { body: { totp: next() } }))
    return next
  }
  const wrong = (code: string) => code.replace(/^./, (d) => String((Number(d) + 1) % 10))

  test('is asked for, and the ticket stays good for five tries', async () => {
    const mei = await server.person()
    const next = await enable(mei)
    const sub = await link(mei)
    provider.claims = { sub, amr: ['mfa'] }
    const browser = new Browser(server)
    const address = await browser.start('school')
    expect(answer(await browser.exchange(address))).toEqual([403, 4032])
    server.clock.advance(2 * 60_000)
    expect(answer(await browser.exchange(address, { totp: wrong(next()) }))).toEqual([400, 4033])
    ok(await browser.exchange(address, { totp: next() }))

    const again = await browser.start('school')
    const code = next()
    for (let i = 0; i < 5; i++)
      expect(answer(await browser.exchange(again, { totp: wrong(code) }))[1]).toBeOneOf([4033, 4022])
    // The ticket has ended, also for the right code.
    expect(answer(await browser.exchange(again, { totp: code }))).toEqual([400, 400])
  })

  test('of the provider counts if the settings trust it, but not for administrators', async () => {
    await change({ trustMfa: true })
    const mei = await server.person()
    await enable(mei)
    const sub = await link(mei)
    expect((await signIn({ sub, amr: ['pwd', 'otp'] })).id).toBe(mei.id)
    provider.claims = { sub, amr: ['pwd'] }
    const browser = new Browser(server)
    expect(answer(await browser.exchange(await browser.start('school')))).toEqual([403, 4032])

    const roles = ok(await admin.get('/api/rbac/roles', { domain: 'PLATFORM' })).data.items as {
      id: number
      code: string
    }[]
    const roleId = roles.find(({ code }) => code === 'USER_ADMIN')!.id
    ok(await admin.call('access.grantRole', { params: { userId: mei.id }, body: { roleId } }))
    provider.claims = { sub, amr: ['mfa'] }
    expect(answer(await browser.exchange(await browser.start('school')))).toEqual([403, 4032])
    await change({ trustMfa: false })
  })
})

describe('other ways to sign in', () => {
  const login = (account: string, password: string) =>
    server.request('POST', '/api/auth/login', { body: { account, password }, deviceId: deviceOf() })

  test('can be left to administrators, once a provider has been checked', async () => {
    const mei = await server.person()
    const byProvider = await signIn()
    ok(await setting('security.adminResetCodes', true))
    const { code } = ok(await admin.call('admin.users.resetCode', { params: { userId: mei.id }, body: {} })).data
    const redeem = () =>
      server.request('POST', '/api/auth/password/redeem', {
        body: { account: mei.username, code, newPassword: 'another long secret' },
      })
    expect((await setting('security.localSignIn', 'ADMINS')).status).toBe(400)
    // The liar has no client to refuse and no page to show an error.
    expect(ok(await admin.call('admin.oidcProviders.check', { params: { id } })).data).toEqual({
      ok: true,
      problems: [],
    })
    ok(await setting('security.localSignIn', 'ADMINS'))
    expect(ok(await server.call('oidc.signInProviders')).data.localSignIn).toBe(false)

    expect(answer(await login(mei.username, mei.password))).toEqual([403, 4036])
    expect(answer(await login(mei.username, 'wrong'))).toEqual([401, 401])
    const registration = { username: `new.${Date.now() % 1e6}`, password: 'a long secret' }
    expect(answer(await server.request('POST', '/api/auth/register', { body: registration }))).toEqual([403, 4036])
    expect(answer(await server.request('POST', '/api/auth/device-login', { body: {} }))).toEqual([403, 4036])
    expect(answer(await mei.post('/api/auth/sessions', {}))).toEqual([403, 4036])
    for (let i = 0; i < 6; i++) expect(answer(await redeem())).toEqual([403, 4036])
    // Sessions of these ways end when they are refreshed, and nothing else makes them last longer.
    ok(await mei.get('/api/auth/userinfo'))
    const renewed = (who: Person) => who.call('sessions.switch', { params: { sessionId: who.sessionId }, body: {} })
    expect(answer(await renewed(mei))).toEqual([403, 4036])
    ok(await renewed(byProvider))
    const refresh = (who: Person) =>
      server.request('POST', '/api/auth/refresh', { body: { refreshToken: who.refreshToken }, deviceId: who.deviceId })
    expect((await refresh(mei)).status).toBe(401)
    expect((await mei.get('/api/auth/userinfo')).status).toBe(401)
    ok(await refresh(byProvider))
    ok(await login(ADMIN.username, ADMIN.password))
    await signIn()

    // Nobody unlinks their only way in, although they have a password.
    const own = ok(await byProvider.call('oidc.identities')).data.items[0]!.id
    expect((await byProvider.call('oidc.unlink', { params: { id: own } })).status).toBe(400)
    ok(await setting('security.localSignIn', null))
    ok(await login(mei.username, mei.password))
    ok(await redeem())
  })

  test('keep users from being locked out when a provider is switched off or deleted', async () => {
    const second = await startLiar()
    const issuer = second.issuer
    await second.stop()
    const update = (body: object, query: { force?: boolean } = {}) =>
      admin.call('admin.oidcProviders.update', { params: { id }, query, body })
    const mei = await signIn()
    const refused = await update({ enabled: false })
    expect(refused.status).toBe(400)
    const stranded = Number(refused.details.find(({ path }) => path === 'stranded')!.message)
    expect(stranded).toBeGreaterThan(0)
    ok(await mei.get('/api/auth/userinfo'))
    // A password with a name is another way in.
    ok(await mei.put('/api/users/me/username', { username: `mei.${Date.now() % 1e6}` }))
    ok(await mei.post('/api/auth/password/set', { password: 'a long secret' }))
    const fewer = await update({ enabled: false })
    expect(Number(fewer.details.find(({ path }) => path === 'stranded')!.message)).toBe(stranded - 1)

    const off = ok(await update({ enabled: false }, { force: true }))
    expect(off.data).toMatchObject({ enabled: false, stranded: stranded - 1 })
    expect((await mei.get('/api/auth/userinfo')).status).toBe(401)
    ok(await update({ enabled: true }))
    expect((await update({ issuer })).status).toBe(400)
    const foreign = await update({ issuer: 'https://10.0.0.5/' })
    expect([foreign.status, foreign.details[0]?.path]).toEqual([400, 'body.issuer'])
  })

  test('are shown as what they are, and the identity of a provider that is off as none, while another provider is on', async () => {
    const username = `mei.${Date.now() % 1e6}`
    const [email, password] = [newEmail(), 'a long secret']
    const { id: userId } = ok(await admin.call('admin.users.create', { body: { username, email, password } })).data
    const deviceId = deviceOf()
    const login = await server.request('POST', '/api/auth/login', { body: { account: username, password }, deviceId })
    const mei = person(server.url, ok(login), username, password, deviceId)
    await link(mei)
    const other = await addProvider(admin, 'other', 'https://accounts.example.org')
    const shown = async () => {
      const own = ok(await mei.get('/api/auth/userinfo')).data.identities
      expect(ok(await admin.call('admin.users.get', { params: { userId } })).data.identities).toEqual(own)
      return own.map(({ credential }: { credential: string }) => credential).toSorted()
    }
    expect(await shown()).toEqual(['The school', email].toSorted())
    await change({ enabled: false })
    expect(await shown()).toEqual([email])
    await change({ enabled: true })
    ok(await admin.call('admin.oidcProviders.delete', { params: { id: other.id } }))
  })

  test('end with a new password, if a thief has linked an account of theirs', async () => {
    const mei = await server.person()
    const device = deviceOf()
    const body = { account: mei.username, password: mei.password }
    const thief = person(
      server.url,
      await server.request('POST', '/api/auth/login', { body, deviceId: device }),
      '',
      '',
      device,
    )
    const [foreign, own] = [await link(thief), await link(mei)]
    ok(
      await mei.post('/api/auth/password/change', {
        verifyType: 'OLD_PASSWORD',
        oldPassword: mei.password,
        newPassword: 'another long one',
      }),
    )
    expect((await signIn({ sub: own })).id).toBe(mei.id)
    expect((await signIn({ sub: foreign })).id).not.toBe(mei.id)
  })
})

describe('memberships', () => {
  let orgId = 0
  let owner: Person
  const members = async () => {
    const { items } = ok(await owner.get(`/api/orgs/${orgId}/members`, { size: 100 })).data
    return new Map((items as { userId: number; roleCode: string }[]).map((one) => [one.userId, one.roleCode]))
  }
  const mapTo = (roleMode: 'ADD' | 'SYNC', lines: [group: string, roleCode: string][]) =>
    change({ roleMode, roleMap: lines.map(([group, roleCode]) => ({ group, orgId, roleCode })) })

  beforeAll(async () => {
    owner = await server.person()
    orgId = ok(await owner.post('/api/orgs', { name: 'The school', memberLimit: 100 })).data.id
  })

  test('follow the groups of each sign-in: ADD gives and raises', async () => {
    await mapTo('ADD', [
      ['pupils', 'GUEST'],
      ['staff', 'MEMBER'],
      ['heads', 'ADMIN'],
    ])
    const mei = await signIn({ groups: ['pupils', 'staff', 'others'] })
    expect((await members()).get(mei.id)).toBe('MEMBER')
    const notices = ok(await mei.get('/api/notifications')).data.items
    expect(notices.map((one: { title: string }) => one.title)).toContain('Welcome to The school')
    const sub = provider.claims['sub']
    await signIn({ sub, groups: 'heads' })
    expect((await members()).get(mei.id)).toBe('ADMIN')
    await signIn({ sub, groups: [] })
    expect((await members()).get(mei.id)).toBe('ADMIN')
    const log = ok(await admin.get('/api/admin/logs', { targetType: 'ORG_MEMBER', targetId: mei.id })).data.items
    expect(
      log.map((row: { action: string; actorName: string; actorId: number }) => [
        row.action,
        row.actorName,
        row.actorId,
      ]),
    ).toEqual([
      ['ORG_MEMBER_ROLE', 'provider school', 0],
      ['ORG_MEMBER_ADD', 'provider school', 0],
    ])
  })

  test('that the provider gave are lowered and ended by SYNC, others are not', async () => {
    await mapTo('SYNC', [
      ['staff', 'MEMBER'],
      ['heads', 'ADMIN'],
    ])
    const mei = await signIn({ groups: ['heads'] })
    const sub = provider.claims['sub']
    await signIn({ sub, groups: ['staff'] })
    expect((await members()).get(mei.id)).toBe('MEMBER')
    // A provider that cannot list so many groups says nothing about them.
    await signIn({ sub, groups: undefined, _claim_names: { groups: 'src1' } })
    expect((await members()).get(mei.id)).toBe('MEMBER')
    await signIn({ sub })
    expect((await members()).has(mei.id)).toBe(false)

    const guest = await server.person()
    ok(await admin.post(`/api/admin/orgs/${orgId}/members`, { userId: guest.id }))
    await signIn({ sub: await link(guest), groups: [] })
    expect((await members()).get(guest.id)).toBe('MEMBER')
    // Neither is the owner.
    await signIn({ sub: await link(owner), groups: ['staff'] })
    expect((await members()).get(owner.id)).toBe('OWNER')
  })

  test('of a full or disabled organization are skipped, and many sign-ins at once fill it exactly', async () => {
    const small = ok(await owner.post('/api/orgs', { name: 'A small one', memberLimit: 4 })).data.id as number
    await change({ roleMap: [{ group: 'club', orgId: small, roleCode: 'MEMBER' }] })
    const browsers: { browser: Browser; address: URL }[] = []
    for (let i = 0; i < 6; i++) {
      provider.claims = { sub: crypto.randomUUID(), groups: ['club'] }
      const browser = new Browser(server)
      browsers.push({ browser, address: await browser.start('school') })
    }
    const replies = await race(6, (i) => browsers[i]!.browser.exchange(browsers[i]!.address))
    expect(replies.map(({ status }) => status)).toEqual(Array.from({ length: 6 }, () => 200))
    expect(ok(await owner.get(`/api/orgs/${small}`)).data.memberCount).toBe(4)

    ok(await admin.put(`/api/admin/orgs/${small}`, { status: 'DISABLED' }))
    await signIn({ groups: ['club'] })
    ok(await admin.send('DELETE', `/api/admin/orgs/${small}`, { query: { force: true } }))
    const [row] = ok(await admin.call('admin.oidcProviders.list')).data.items
    expect(row!.roleMap).toEqual([])
    await signIn({ groups: ['club'] })
  })

  test('are for organizations that exist', async () => {
    const roleMap = [{ group: 'a', orgId: 999_999, roleCode: 'MEMBER' }]
    const refused = await admin.put(`/api/admin/oidc/providers/${id}`, { roleMap })
    expect([refused.status, refused.details[0]?.path]).toEqual([400, 'body.roleMap.0.orgId'])
    const owner = await admin.put(`/api/admin/oidc/providers/${id}`, {
      roleMap: [{ group: 'a', orgId, roleCode: 'OWNER' }],
    })
    expect(owner.status).toBe(400)
  })
})

describe('a logout token', () => {
  const EVENT = { 'http://schemas.openid.net/event/backchannel-logout': {} }
  const now = () => Math.floor(Date.now() / 1000)
  const token = (more: JWTPayload = {}, header: object = { typ: 'logout+jwt' }) => {
    const payload = {
      iss: provider.issuer,
      aud: CLIENT.clientId,
      iat: now(),
      exp: now() + 120,
      jti: crypto.randomUUID(),
      events: EVENT,
      ...more,
    }
    return provider.sign(JSON.parse(JSON.stringify(payload)) as JWTPayload, header as Facts)
  }
  const send = (text: string) =>
    server.request('POST', '/api/auth/oidc/school/backchannel-logout', {
      body: new URLSearchParams({ logout_token: text }).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
  const isIn = async (who: Person) => (await who.get('/api/auth/userinfo')).status === 200

  // Other tests move the clock of the server.
  beforeAll(() => inProcess && server.clock.advance(Date.now() - server.clock.now()))

  test('ends the sessions of its session at the provider, or all of the user, and works once', async () => {
    const sub = crypto.randomUUID()
    const [one, two, other] = [await signIn({ sub, sid: 'a' }), await signIn({ sub, sid: 'b' }), await signIn()]
    const first = await token({ sub, sid: 'a' })
    const reply = await send(first)
    expect([reply.status, reply.text]).toEqual([200, ''])
    expect([await isIn(one), await isIn(two), await isIn(other)]).toEqual([false, true, true])
    expect((await send(first)).status).toBe(400)
    const both = await token({ sub })
    const replies = await race(5, () => send(both))
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
    expect([await isIn(two), await isIn(other)]).toEqual([false, true])
    // A session without an id of its own ends with any session of its user there.
    const nameless = await signIn({ sub })
    expect((await send(await token({ sub, sid: 'another' }))).status).toBe(200)
    expect(await isIn(nameless)).toBe(false)
    // Unknown users and sessions are no error.
    expect((await send(await token({ sub: 'nobody' }))).status).toBe(200)
    expect((await send(await token({ sid: 'nothing' }))).status).toBe(200)
  })

  test('also ends the sessions that were opened from one of the provider', async () => {
    const sub = crypto.randomUUID()
    const mei = await signIn({ sub, sid: 'a' })
    const open = async (from: Person, deviceId: string) =>
      person(server.url, await from.post('/api/auth/sessions', { deviceId }), '', '', deviceId)
    const further = await open(mei, deviceOf())
    // On the same device it replaces the session from which it was opened.
    const instead = await open(mei, mei.deviceId)
    expect([await isIn(mei), await isIn(further), await isIn(instead)]).toEqual([false, true, true])
    expect((await send(await token({ sub, sid: 'a' }))).status).toBe(200)
    expect([await isIn(further), await isIn(instead)]).toEqual([false, false])
  })

  test('that is not right ends nothing', async () => {
    const sub = crypto.randomUUID()
    const mei = await signIn({ sub })
    const wrong: JWTPayload[] = [
      { nonce: 'a nonce' },
      { events: {} },
      { events: undefined },
      { aud: 'another' },
      { iss: 'https://id.example.org' },
      { iat: now() - 300 },
      { jti: undefined as never },
      { sub: undefined as never },
    ]
    for (const claims of wrong)
      expect([claims, (await send(await token({ sub, ...claims }))).status]).toEqual([claims, 400])
    expect((await send(await token({ sub }, { kid: 'unknown' }))).status).toBe(400)
    expect((await send('nothing')).status).toBe(400)
    expect((await server.request('POST', '/api/auth/oidc/school/backchannel-logout', { body: {} })).status).toBe(400)
    expect(await isIn(mei)).toBe(true)
  })
})

test('a deleted account takes its identities with it', async () => {
  const mei = await signIn()
  const sub = provider.claims['sub']
  ok(await mei.post('/api/auth/account/delete'))
  const again = await signIn({ sub })
  expect(again.id).not.toBe(mei.id)
})

test('a provider that answers nothing is given up after five seconds, and others wait for nothing', async () => {
  const silent = await startLiar()
  silent.isSilent = true
  await using other = await startServer({
    config: { privateTargets: [silent.issuer, provider.issuer] },
    rateLimit: true,
  })
  const root = await other.admin()
  await addProvider(root, 'silent', silent.issuer)
  await addProvider(root, 'school', provider.issuer)
  const slow = new Browser(other).visit('/api/auth/oidc/silent/start')
  expect(problemOf(await new Browser(other).start('school'))).toBe('unknown')
  expect(problemOf(await slow)).toBe('unavailable')
  await silent.stop()

  // One start and one callback were counted for each.
  const statuses: number[] = []
  for (let i = 0; i < 60; i++) statuses.push((await other.call('oidc.signInProviders')).status)
  expect(statuses.every((status) => status === 200)).toBe(true)
  expect((await other.call('oidc.signInProviders')).status).toBe(429)
})

test('a deleted provider ends its sessions, and its accounts can no longer sign in', async () => {
  const mei = await signIn()
  expect((await admin.call('admin.oidcProviders.delete', { params: { id } })).status).toBe(400)
  const { stranded } = ok(
    await admin.call('admin.oidcProviders.delete', { params: { id }, query: { force: true } }),
  ).data
  expect(stranded).toBeGreaterThan(0)
  expect((await mei.get('/api/auth/userinfo')).status).toBe(401)
  expect((await admin.call('admin.oidcProviders.delete', { params: { id } })).status).toBe(404)
  expect(ok(await server.call('oidc.signInProviders')).data.items).toEqual([])
})
