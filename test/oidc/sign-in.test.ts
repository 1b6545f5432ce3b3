/** Signing in with a real provider. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { sha256 } from '#platform/ids.ts'

import { inProcess, ok, type Person, race, type Reply, startServer, type TestServer } from '../harness/index.ts'
import { person } from '../harness/people.ts'
import { addProvider, Browser, problemOf, type RealProvider, startRealProvider } from './helpers.ts'

let [provider, server, admin] = [] as unknown as [RealProvider, TestServer, Person]
let id = 0
let home = ''
const change = async (body: object) =>
  ok(await admin.call('admin.oidcProviders.update', { params: { id }, query: { force: true }, body })).data

beforeAll(async () => {
  provider = await startRealProvider()
  server = await startServer({
    config: { privateTargets: [provider.issuer] },
    settings: { 'oidc.redirects': ['com.example.app:/signed-in'] },
  })
  admin = await server.admin()
  const added = await addProvider(admin, 'school', provider.issuer, { createAccounts: true })
  id = added.id
  home = new URL('/console/', added.redirectUri).href
  provider.open({ ...added, home })
})
afterAll(async () => {
  await server?.stop()
  await provider?.stop()
})

/** Makes a new user at the provider, who is signed in there from now on. */
function newUser(facts: object = {}): string {
  provider.user = `user-${crypto.randomUUID()}`
  provider.users.set(provider.user, { ...facts })
  return provider.user
}
const answer = ({ status, code }: Reply) => [status, code]
const newDevice = () => `device-${crypto.randomUUID()}`
const asPerson = (login: Reply, deviceId: string): Person => person(server.url, login, 'somebody', '', deviceId)

/** A user who came by the provider, with their session. */
async function signedIn(facts: object = {}): Promise<Person> {
  newUser(facts)
  const browser = new Browser(server)
  const deviceId = newDevice()
  const address = await browser.start('school')
  const body = { ticket: address.searchParams.get('ticket') }
  const headers = { cookie: browser.cookiesOf(server.url) }
  return asPerson(ok(await server.request('POST', '/api/auth/oidc/token', { body, headers, deviceId })), deviceId)
}

describe('a sign-in', () => {
  test('in a browser creates an account, and the next one opens it', async () => {
    newUser({ name: 'Lin Mei', preferred_username: 'lin.mei', email: 'mei@school.example', email_verified: true })
    const first = await new Browser(server).signIn('school')
    expect(first.data).toMatchObject({
      isNewUser: true,
      user: { nickname: 'Lin Mei', username: 'lin.mei', email: null, hasPassword: false },
    })
    expect(first.data.user.identities).toEqual([
      { provider: 'OIDC', credential: 'The school', verified: true, createdAt: expect.any(Number) },
    ])
    const again = await new Browser(server).signIn('school')
    expect(again.data).toMatchObject({ isNewUser: false, user: { id: first.data.user.id } })
  })

  test('never finds an account by its username', async () => {
    const squatter = await server.person('chen.wei')
    newUser({ preferred_username: 'chen.wei' })
    const { user } = (await new Browser(server).signIn('school')).data
    expect(user.id).not.toBe(squatter.id)
    expect(user.username).toBeNull()
  })

  test('of an app returns to its address, and the ticket needs its verifier', async () => {
    newUser()
    const verifier = 'v'.repeat(43)
    const query = { redirect: 'com.example.app:/signed-in', codeChallenge: sha256(verifier) }
    const browser = new Browser(server)
    const address = await browser.start('school', query)
    expect(address.href).toStartWith('com.example.app:/signed-in?ticket=')
    for (const codeVerifier of [undefined, 'x'.repeat(43)])
      expect((await browser.exchange(address, { codeVerifier })).status).toBe(400)
    const body = { ticket: address.searchParams.get('ticket'), codeVerifier: verifier }
    const deviceId = newDevice()
    ok(await server.request('POST', '/api/auth/oidc/token', { body, deviceId }))
    expect((await server.request('POST', '/api/auth/oidc/token', { body, deviceId })).status).toBe(400)
  })

  test.each([
    ['https://evil.example/'],
    ['//evil.example/console/'],
    ['/\\evil.example/console/'],
    ['/console/../api/auth/logout'],
    ['/q/abc'],
    ['com.example.app:/signed-in?x=1'],
    ['javascript:alert(1)'],
  ])('does not return to %s', async (redirect) => {
    const codeChallenge = sha256('v')
    const query = { redirect, codeChallenge }
    const headers = { accept: 'application/json' }
    const reply = await server.request('GET', '/api/auth/oidc/school/start', { query, headers })
    expect([reply.status, reply.details[0]?.path]).toEqual([400, 'query.redirect'])
  })

  test('of an app without a code challenge is refused', async () => {
    const query = { redirect: 'com.example.app:/signed-in' }
    const headers = { accept: 'application/json' }
    const reply = await server.request('GET', '/api/auth/oidc/school/start', { query, headers })
    expect([reply.status, reply.details[0]?.path]).toEqual([400, 'query.codeChallenge'])
  })

  test('belongs to the browser that started it', async () => {
    newUser()
    const [mine, other] = [new Browser(server), new Browser(server)]
    const address = await mine.start('school', { redirect: '/console/account?tab=1' })
    expect(address.pathname + address.search).toStartWith('/console/account?tab=1&ticket=')
    expect((await other.exchange(address)).status).toBe(400)
    ok(await mine.exchange(address))

    const started = await mine.get('/api/auth/oidc/school/start')
    expect(started.headers.getSetCookie()[0]).toMatch(/HttpOnly/i)
    expect(started.headers.getSetCookie()[0]).toMatch(/SameSite=Lax/i)
    const back = await other.visit(started.headers.get('location')!)
    expect(problemOf(back)).toBe('failed')
  })

  test('works once: its callback and its ticket are refused the second time, and of many at once one succeeds', async () => {
    newUser()
    const browser = new Browser(server)
    const address = await browser.start('school')
    expect(problemOf(await browser.visit(browser.callback))).toBe('failed')
    const replies = await race(10, () => browser.exchange(address))
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(replies.filter(({ status }) => status === 400)).toHaveLength(9)

    // The same callback ten times: the provider would refuse the second use of the code as well.
    const started = await browser.get('/api/auth/oidc/school/start')
    let next = new URL(started.headers.get('location')!)
    while (!next.pathname.endsWith('/callback'))
      next = new URL((await browser.get(next.href)).headers.get('location')!, next)
    const callback = server.url + next.pathname + next.search
    const ends = await race(10, () => browser.visit(callback))
    expect(ends.filter((end) => end.searchParams.has('ticket'))).toHaveLength(1)
    expect(ends.filter((end) => problemOf(end) === 'failed')).toHaveLength(9)
  })

  test('of a person without an account is refused if no accounts are made', async () => {
    newUser()
    await change({ createAccounts: false })
    expect(problemOf(await new Browser(server).start('school'))).toBe('unknown')
    await change({ createAccounts: true })
  })

  test('by an unknown provider, or one that is switched off, is answered with 404', async () => {
    expect((await server.request('GET', '/api/auth/oidc/nobody/start')).status).toBe(404)
    await change({ enabled: false })
    expect((await server.request('GET', '/api/auth/oidc/school/start')).status).toBe(404)
    expect(ok(await server.call('oidc.signInProviders')).data).toEqual({ items: [], localSignIn: true })
    await change({ enabled: true })
    expect(ok(await server.call('oidc.signInProviders')).data.items).toEqual([{ key: 'school', name: 'The school' }])
  })
})

describe('a link', () => {
  const startLink = async (who: Person, body: object = {}) =>
    ok(await who.call('oidc.link', { params: { key: 'school' }, body })).data.url

  test('opens the account of the user who made it, who is notified, and can be ended', async () => {
    newUser()
    const mei = await server.person()
    const browser = new Browser(server)
    const address = await browser.visit(await startLink(mei, { redirect: '/console/account/security' }))
    expect([address.pathname, address.searchParams.get('linked')]).toEqual(['/console/account/security', 'school'])
    const [linked] = ok(await mei.call('oidc.identities')).data.items
    expect(linked).toMatchObject({ provider: 'school', name: 'The school', lastUsedAt: null })
    const notices = ok(await mei.get('/api/notifications')).data.items
    expect(notices[0].data.event).toBe('IDENTITY_BOUND')

    const login = await new Browser(server).signIn('school')
    expect(login.data.user.id).toBe(mei.id)
    ok(await mei.call('oidc.unlink', { params: { id: linked!.id } }))
    expect(ok(await mei.call('oidc.identities')).data.items).toEqual([])
    // The session that it opened has ended.
    expect((await server.request('GET', '/api/auth/userinfo', { token: login.data.accessToken })).status).toBe(401)
    expect((await mei.call('oidc.unlink', { params: { id: linked!.id } })).status).toBe(404)
  })

  test.if(inProcess)('is made and ended only soon after a sign-in or a confirmation', async () => {
    newUser()
    const mei = await server.person()
    await new Browser(server).visit(await startLink(mei))
    const { id } = ok(await mei.call('oidc.identities')).data.items[0]!
    server.clock.advance(11 * 60_000)
    const body = { redirect: '/console/account/security' }
    for (const refused of [
      await mei.call('oidc.link', { params: { key: 'school' }, body }),
      await mei.call('oidc.unlink', { params: { id } }),
    ])
      expect([refused.status, refused.code]).toEqual([403, 4031])
    ok(await mei.post('/api/auth/confirm', { verifyType: 'PASSWORD', password: mei.password }))
    ok(await mei.call('oidc.unlink', { params: { id } }))
    // Tokens of the provider have the true time.
    server.clock.advance(Date.now() - server.clock.now())
  })

  test('is refused for an account at the provider that another user has', async () => {
    const owner = await signedIn()
    const other = await server.person()
    expect(problemOf(await new Browser(server).visit(await startLink(other)))).toBe('taken')
    expect(ok(await other.call('oidc.identities')).data.items).toEqual([])
    expect(ok(await owner.call('oidc.identities')).data.items).toHaveLength(1)
    // Nobody ends the identity of somebody else.
    const foreign = ok(await owner.call('oidc.identities')).data.items[0]!.id
    expect((await other.call('oidc.unlink', { params: { id: foreign } })).status).toBe(404)
  })

  test('that somebody sends to another person links nothing', async () => {
    newUser()
    const attacker = await server.person()
    const cross = new Browser(server, { 'sec-fetch-site': 'cross-site' })
    expect(problemOf(await cross.visit(await startLink(attacker)))).toBe('failed')
    // A page of this server, in the browser of another device.
    const url = await startLink(attacker)
    const device = `tessera_device=${'Zk3q0sJ9xW7vT2bN5yLrAeHc8uGdPmKf4iOa1nQwXEo'}`
    const reply = await fetch(server.url + url.slice(new URL(url).origin.length), {
      redirect: 'manual',
      headers: { cookie: device, 'sec-fetch-site': 'same-origin' },
    })
    expect(reply.headers.get('location')).toContain('error=failed')
    expect(ok(await attacker.call('oidc.identities')).data.items).toEqual([])
  })

  test('works once, and ends with the session that asked for it', async () => {
    newUser()
    const mei = await server.person()
    const url = await startLink(mei)
    await new Browser(server).visit(url)
    expect((await new Browser(server).get(url)).status).toBe(400)
    newUser()
    const late = await startLink(mei)
    ok(await mei.post('/api/auth/logout'))
    expect(problemOf(await new Browser(server).visit(late))).toBe('failed')
  })

  test('of an app is complete when the app proves that it started it', async () => {
    newUser()
    const mei = await server.person()
    const verifier = 'w'.repeat(43)
    const url = await startLink(mei, { redirect: 'com.example.app:/signed-in', codeChallenge: sha256(verifier) })
    const address = await new Browser(server).visit(url)
    expect(ok(await mei.call('oidc.identities')).data.items).toEqual([])
    const body = { ticket: address.searchParams.get('ticket'), codeVerifier: verifier }
    const login = ok(await server.request('POST', '/api/auth/oidc/token', { body, deviceId: newDevice() }))
    expect(login.data.user.id).toBe(mei.id)
    expect(ok(await mei.call('oidc.identities')).data.items).toHaveLength(1)
  })

  test('needs a sign-in', async () => {
    const reply = await server.request('POST', '/api/auth/oidc/school/link', { body: {} })
    expect(reply.status).toBe(401)
    expect(answer(await admin.post('/api/auth/oidc/school/link', { redirect: '/q/x' }))).toEqual([400, 400])
    expect(answer(await admin.post('/api/auth/oidc/nobody/link', {}))).toEqual([404, 404])
  })

  test('is the only way to an administrator', async () => {
    // A user whom the provider made becomes an administrator: their sessions by the provider end.
    const made = await signedIn()
    const role = { domain: 'PLATFORM' }
    const roles = ok(await admin.get('/api/rbac/roles', role)).data
    const list = (roles.items ?? roles) as { id: number; code: string }[]
    const roleId = list.find(({ code }) => code === 'SYSTEM_ADMIN')!.id
    ok(await admin.call('access.grantRole', { params: { userId: made.id }, body: { roleId } }))
    expect((await made.get('/api/auth/userinfo')).status).toBe(401)
    expect(problemOf(await new Browser(server).start('school'))).toBe('failed')

    newUser()
    const browser = new Browser(server)
    await browser.visit(ok(await admin.call('oidc.link', { params: { key: 'school' }, body: {} })).data.url)
    expect((await new Browser(server).signIn('school')).data.user.username).toBe('root')
  })
})

test('a session leads to the logout of its provider, if the provider takes part', async () => {
  const before = await signedIn()
  expect(ok(await before.post('/api/auth/logout')).data).toEqual({ logoutUrl: null })
  await change({ logout: 'PROVIDER' })
  const after = await signedIn()
  const { logoutUrl } = ok(await after.post('/api/auth/logout')).data
  const url = new URL(logoutUrl)
  expect([url.origin, url.searchParams.get('post_logout_redirect_uri')]).toEqual([provider.issuer, home])
  expect(url.searchParams.get('id_token_hint')).toMatch(/^eyJ/)
  expect((await new Browser(server).get(logoutUrl)).status).toBe(200)
  const local = await server.person()
  // As clients know it that sign in without a provider.
  expect(ok(await local.post('/api/auth/logout')).data).toBeNull()
})
