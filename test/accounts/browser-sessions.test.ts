/** Sign-in of browsers: the refresh token and the device id as cookies. */

import { describe, expect, test } from 'bun:test'

import { allEndpoints } from '#app'

import { Browser } from '../harness/browser.ts'
import { inProcess, ok, openSocket, type Person, race, type Reply, startServer, useServer } from '../harness/index.ts'
import { newDevice } from './helpers.ts'

const { server, admin, alice, mallory } = useServer({ people: ['alice', 'mallory'] })

const REFRESH = '/api/auth/refresh'
const ADMIN_REFRESH = '/api/admin/auth/refresh'
const DAY = 86_400

/** A browser in which this user has just signed in. */
async function browserOf(user: Person, path?: string): Promise<{ browser: Browser; login: Reply }> {
  const browser = new Browser(server.url)
  return { browser, login: ok(await browser.signIn(user.username, user.password, path)) }
}

/** The user whom the server takes a request for, with this token and the cookies of the browser. */
const whoIs = async (browser: Browser, token: string): Promise<number> => {
  const reply = await browser.send('GET', '/api/auth/userinfo', { token })
  return reply.status === 200 ? reply.data.id : reply.status
}

/** The secrets of a browser, which no answer may contain. */
const secretsOf = (browser: Browser): string[] => [...browser.jar.values()].map(({ value }) => value)

describe('signing in', () => {
  test('every operation that answers tokens can give them as cookies', () => {
    const giving = allEndpoints.filter(({ data }) => data?.$id === 'LoginResponse')
    expect(giving.length).toBeGreaterThan(10)
    expect(giving.filter((endpoint) => !endpoint.keepsCookies).map(({ id }) => id)).toEqual([])
    expect(allEndpoints.filter((e) => e.keepsCookies && !giving.includes(e)).map(({ id }) => id)).toEqual([
      'auth.logout',
    ])
  })

  test('a sign-in of a browser gives the refresh token and the device id as cookies that scripts cannot read', async () => {
    const { browser, login } = await browserOf(alice)
    expect(login.data.refreshToken).toBeNull()
    for (const path of [REFRESH, ADMIN_REFRESH]) {
      const cookie = browser.cookie('tessera_refresh', path)!
      expect(cookie.attributes.split('; ').sort()).toEqual(
        ['HttpOnly', `Max-Age=${cookie.maxAge}`, `Path=${path}`, 'SameSite=Strict'].sort(),
      )
      expect(Math.abs(cookie.maxAge - 30 * DAY)).toBeLessThan(60)
    }
    expect(browser.cookie('tessera_device', '/')!.attributes).toBe(
      `Path=/; Max-Age=${400 * DAY}; HttpOnly; SameSite=Strict`,
    )
    expect(browser.jar.size).toBe(3)
    expect(secretsOf(browser).filter((secret) => login.text.includes(secret))).toEqual([])
    expect(await whoIs(browser, login.data.accessToken)).toBe(alice.id)
  })

  test('registering, signing in to the console and switching to a linked account give cookies too', async () => {
    const registering = new Browser(server.url)
    const registered = await registering.post('/api/auth/register', {
      username: 'newcomer',
      password: 'a long password 1',
    })
    expect(await whoIs(registering, ok(registered).data.accessToken)).toBe(registered.data.user.id)

    const { browser, login } = await browserOf(admin, '/api/admin/auth/login')
    expect([login.data.refreshToken, browser.jar.size]).toEqual([null, 3])

    const bob = await server.person()
    const { browser: ofBob, login: asBob } = await browserOf(bob)
    const link = { verifyType: 'PASSWORD', linkedUserId: alice.id, password: alice.password }
    const linked = ok(await ofBob.post('/api/auth/link', link, { token: asBob.data.accessToken }))
    const switched = await ofBob.post(`/api/auth/link/${linked.data.id}/switch`, {}, { token: asBob.data.accessToken })
    expect([ok(switched).data.refreshToken, switched.data.user.id]).toEqual([null, alice.id])
    expect(await whoIs(ofBob, switched.data.accessToken)).toBe(alice.id)
    expect((await ofBob.post(REFRESH)).data.user.id).toBe(alice.id)
  })

  test('if the header is empty, sign-in and refresh know no cookies', async () => {
    const { browser } = await browserOf(alice)
    const headers = { 'x-refresh-token': '' }
    const login = await browser.post(
      '/api/auth/login',
      { account: alice.username, password: alice.password },
      { headers },
    )
    expect(ok(login).data.refreshToken).toMatch(/^[\w-]{43}$/)
    expect(login.data.deviceId).toMatch(/^[\w-]{43}$/)
    expect(secretsOf(browser)).not.toContain(login.data.deviceId)
    expect(login.headers.getSetCookie()).toEqual([])
    const refreshed = await browser.post(REFRESH, {}, { headers })
    expect([refreshed.status, refreshed.details[0]!.path]).toEqual([400, 'body.refreshToken'])
  })

  test('another value of the header than cookie is answered with 400 that names it, and signs nobody in', async () => {
    const { browser } = await browserOf(alice)
    const sessions = ok(await alice.call('sessions.list', {})).data.total
    for (const value of ['0', 'body', 'cookies', 'cookie, cookie'])
      for (const [path, body] of [
        ['/api/auth/login', { account: alice.username, password: alice.password }],
        [REFRESH, {}],
      ] as const) {
        const refused = await browser.post(path, body, { headers: { 'x-refresh-token': value } })
        expect([refused.status, refused.details], value).toMatchObject([400, [{ path: 'header.X-Refresh-Token' }]])
        expect(refused.headers.getSetCookie()).toEqual([])
      }
    expect(ok(await alice.call('sessions.list', {})).data.total).toBe(sessions)
  })

  test('a second sign-in in the same browser replaces the session of this device', async () => {
    const bob = await server.person()
    const { browser, login } = await browserOf(bob)
    const again = ok(await browser.signIn(bob.username, bob.password))
    expect(again.data.deviceId).toBe(login.data.deviceId)
    expect(await whoIs(browser, login.data.accessToken)).toBe(401)
    expect(await whoIs(browser, again.data.accessToken)).toBe(bob.id)
    expect(ok(await bob.call('sessions.list', {})).data.total).toBe(2)
  })

  test('a device cookie that the server did not write does not prevent a sign-in', async () => {
    const browser = new Browser(server.url)
    const values = ['weak', '%zz', 'ä'.repeat(43), 'A'.repeat(43)].map((value) => `tessera_device=${value}`)
    for (const cookie of [...values, '=;;;']) {
      const login = await browser.post(
        '/api/auth/login',
        { account: alice.username, password: alice.password },
        { headers: { cookie } },
      )
      expect(login.status, cookie).toBe(200)
    }
  })

  test('a client that names its device itself gets no device cookie', async () => {
    const browser = new Browser(server.url)
    const body = { account: alice.username, password: alice.password }
    const deviceId = newDevice()
    const login = ok(await browser.post('/api/auth/login', body, { deviceId }))
    expect(browser.cookie('tessera_device', '/')).toBeUndefined()
    expect(await whoIs(browser, login.data.accessToken)).toBe(401)
    expect(ok(await browser.post(REFRESH, {}, { deviceId })).data.sessionId).toBe(login.data.sessionId)
  })
})

describe('refreshing', () => {
  test('a refresh by cookie answers new tokens of the same session, and replaces the cookie', async () => {
    const { browser, login } = await browserOf(alice)
    const before = secretsOf(browser)
    const refreshed = ok(await browser.post(REFRESH))
    expect(refreshed.data).toMatchObject({ refreshToken: null, sessionId: login.data.sessionId })
    expect(refreshed.data.accessToken).not.toBe(login.data.accessToken)
    const after = secretsOf(browser)
    expect(new Set([...before, ...after]).size).toBe(3)
    expect([...before, ...after].filter((secret) => refreshed.text.includes(secret))).toEqual([])
    expect(await whoIs(browser, refreshed.data.accessToken)).toBe(alice.id)
    // The next one shows that the new cookie is the right one.
    expect(ok(await browser.send('POST', REFRESH)).data.sessionId).toBe(login.data.sessionId)
  })

  test('the console is refreshed by cookie, which other users may not, and both kinds of refresh follow each other', async () => {
    const { browser, login } = await browserOf(admin)
    for (const path of [ADMIN_REFRESH, REFRESH, ADMIN_REFRESH])
      expect(ok(await browser.post(path)).data.sessionId).toBe(login.data.sessionId)
    const { browser: other } = await browserOf(alice)
    const refused = await other.post(ADMIN_REFRESH)
    expect([refused.status, refused.headers.getSetCookie()]).toEqual([403, []])
    expect((await other.post(REFRESH)).status).toBe(200)
  })

  test('two tabs that refresh at the same time both get tokens that work', async () => {
    const { browser } = await browserOf(alice)
    const tabs = Array.from({ length: 10 }, () => browser.copy())
    const replies = await race(10, (i) => tabs[i]!.post(REFRESH))
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200))
    for (const [i, { data }] of replies.entries()) expect(await whoIs(tabs[i]!, data.accessToken)).toBe(alice.id)
    // The browser keeps the cookie of the answer that came last, whichever that is.
    expect((await tabs[7]!.post(REFRESH)).status).toBe(200)
  })

  test.if(inProcess)(
    'a browser that was closed for 29 days goes on with its cookies, and after 31 days it has to sign in',
    async () => {
      await using own = await startServer()
      const bob = await own.person()
      const browser = new Browser(own.url)
      await browser.signIn(bob.username, bob.password)
      own.clock.advance(29 * DAY * 1000)
      expect((await browser.post(REFRESH)).status).toBe(200)
      own.clock.advance(31 * DAY * 1000)
      const late = await browser.post(REFRESH)
      expect([late.status, browser.cookie('tessera_refresh', REFRESH)]).toEqual([401, undefined])
    },
  )

  test('without a cookie a refresh is answered with 401', async () => {
    const browser = new Browser(server.url)
    for (const path of [REFRESH, ADMIN_REFRESH]) expect((await browser.post(path)).status).toBe(401)
  })

  test('a cookie that was used before its successor ends the session, and is deleted', async () => {
    const { browser } = await browserOf(alice)
    const thief = browser.copy()
    await browser.post(REFRESH)
    const latest = ok(await browser.post(REFRESH))
    const stolen = await thief.post(REFRESH)
    expect(stolen.status).toBe(401)
    expect([thief.cookie('tessera_refresh', REFRESH), thief.cookie('tessera_refresh', ADMIN_REFRESH)]).toEqual([
      undefined,
      undefined,
    ])
    expect(await whoIs(browser, latest.data.accessToken)).toBe(401)
    expect((await browser.post(REFRESH)).status).toBe(401)
  })

  test('a cookie without the device cookie, or with that of another browser, is refused and does not use the token up', async () => {
    const { browser } = await browserOf(alice)
    const { browser: other } = await browserOf(alice)
    const [without, foreign] = [browser.copy(), browser.copy()]
    without.jar.delete('tessera_device /')
    foreign.jar.set('tessera_device /', other.cookie('tessera_device', '/')!)
    expect((await without.post(REFRESH)).status).toBe(401)
    expect((await foreign.post(REFRESH)).status).toBe(401)
    expect((await browser.post(REFRESH)).status).toBe(200)
  })

  test('a refresh token in the body counts before the cookie, which stays if that token is refused', async () => {
    const { browser, login } = await browserOf(alice)
    const bob = await server.person()
    const headers = { 'x-device-id': bob.deviceId }
    expect((await browser.post(REFRESH, { refreshToken: 'x'.repeat(43) })).status).toBe(401)
    expect(ok(await browser.post(REFRESH)).data.sessionId).toBe(login.data.sessionId)
    expect(ok(await browser.post(REFRESH, { refreshToken: bob.refreshToken }, { headers })).data.user.id).toBe(bob.id)
  })
})

describe('signing out', () => {
  test('signing out deletes the refresh token, and the browser remains the same device', async () => {
    const { browser, login } = await browserOf(alice)
    const earlier = browser.copy()
    ok(await browser.post('/api/auth/logout', {}, { token: login.data.accessToken }))
    expect([...browser.jar.values()].map(({ name }) => name)).toEqual(['tessera_device'])
    expect((await earlier.post(REFRESH)).status).toBe(401)
    expect(ok(await browser.signIn(alice.username, alice.password)).data.deviceId).toBe(login.data.deviceId)
  })

  test('the cookie of a session that was ended elsewhere is refused and deleted', async () => {
    const bob = await server.person()
    const { browser, login } = await browserOf(bob)
    ok(await bob.call('sessions.revoke', { params: { sessionId: login.data.sessionId } }))
    expect((await browser.post(REFRESH)).status).toBe(401)
    expect([...browser.jar.values()].map(({ name }) => name)).toEqual(['tessera_device'])
  })
})

describe('isolation', () => {
  test('the cookies of one user give no tokens of another, whatever the other one sends', async () => {
    const { browser, login } = await browserOf(alice)
    const { browser: hers, login: asMallory } = await browserOf(mallory)
    // With the token of one and the device of the other, nobody is signed in.
    expect(await whoIs(hers, login.data.accessToken)).toBe(401)
    const refused = await browser.send('GET', '/api/auth/userinfo', { token: asMallory.data.accessToken })
    expect([refused.status, refused.details[0]!.path]).toEqual([401, 'header.X-Device-Id'])
    const ended = await browser.send('GET', '/api/auth/userinfo', { token: 'not-a-token' })
    expect([ended.status, ended.details]).toEqual([401, []])
    for (const path of [REFRESH, ADMIN_REFRESH]) {
      const mixed = hers.copy()
      mixed.jar.set('tessera_device /', browser.cookie('tessera_device', '/')!)
      expect((await mixed.post(path, {}, { token: login.data.accessToken })).status).not.toBe(200)
    }
    expect((await hers.post(REFRESH, {}, { token: login.data.accessToken })).data.user.id).toBe(mallory.id)
    expect((await browser.post(REFRESH)).data.user.id).toBe(alice.id)
  })

  test('a token that leaks from a page is of no use without the device cookie, also at the socket', async () => {
    const { browser, login } = await browserOf(alice)
    const token: string = login.data.accessToken
    const handshake = (headers: Record<string, string>, byProtocol = true) =>
      openSocket(server.url, token, { byProtocol, headers })
    expect((await server.request('GET', '/ws/chat', { query: { token } })).status).toBe(401)
    await expect(handshake({})).rejects.toThrow()
    await expect(
      handshake({ cookie: browser.cookiesFor('/ws/chat'), origin: 'https://evil.example' }),
    ).rejects.toThrow()
    for (const byProtocol of [true, false]) {
      const headers = { cookie: browser.cookiesFor('/ws/chat'), origin: browser.origin }
      const socket = await handshake(headers, byProtocol)
      expect(socket.hello.sessionId).toBe(login.data.sessionId)
      await socket.close()
    }
  })

  test('a script in the page gets no tokens for use elsewhere, also without the header', async () => {
    const bob = await server.person()
    const { browser, login } = await browserOf(bob)
    const token: string = login.data.accessToken
    const headers = { 'x-refresh-token': '' }
    const named = await browser.post('/api/auth/sessions', { deviceId: newDevice() }, { token, headers })
    expect([named.status, named.details[0]!.path]).toEqual([400, 'body.deviceId'])
    for (const path of ['/api/auth/sessions', `/api/auth/sessions/${login.data.sessionId}/switch`]) {
      const copy = browser.copy()
      const opened = ok(await copy.post(path, {}, { token, headers }))
      expect(opened.data.refreshToken, path).toBeNull()
      expect(secretsOf(copy).filter((secret) => opened.text.includes(secret))).toEqual([])
      const elsewhere = { token: opened.data.accessToken, deviceId: opened.data.deviceId }
      expect((await server.request('GET', '/api/auth/userinfo', elsewhere)).status, path).toBe(401)
      expect(await whoIs(copy, opened.data.accessToken), path).toBe(bob.id)
    }
  })

  test('two users of one browser have a session each, and the cookie is that of the last sign-in', async () => {
    const { browser, login } = await browserOf(alice)
    const second = ok(await browser.signIn(mallory.username, mallory.password))
    expect(await whoIs(browser, login.data.accessToken)).toBe(alice.id)
    expect(await whoIs(browser, second.data.accessToken)).toBe(mallory.id)
    expect(ok(await browser.post(REFRESH)).data.user.id).toBe(mallory.id)
  })
})

describe('pages of other origins', () => {
  const FOREIGN: Record<string, string>[] = [
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'none' },
  ]

  test('they can neither sign in with cookies nor use those of the browser', async () => {
    const { browser, login } = await browserOf(alice)
    for (const headers of FOREIGN) {
      const name = JSON.stringify(headers)
      for (const [path, body] of [
        [REFRESH, {}],
        [ADMIN_REFRESH, {}],
        ['/api/auth/login', { account: alice.username, password: alice.password }],
      ] as const) {
        const reply = await browser.post(path, body, { headers })
        expect([reply.status, reply.headers.getSetCookie()], `${name} ${path}`).toEqual([403, []])
        expect(reply.text, name).not.toContain('accessToken')
      }
      const logout = await browser.post('/api/auth/logout', {}, { headers, token: login.data.accessToken })
      expect([logout.status, logout.headers.getSetCookie()], name).toEqual([403, []])
      const asked = await browser.send('GET', '/api/auth/userinfo', { token: login.data.accessToken, headers })
      expect(asked.status, name).toBe(401)
    }
    expect((await browser.post(REFRESH)).status).toBe(200)
  })

  test('a form of another page, which can set no header, gets nothing from the cookies', async () => {
    const browser = new Browser(server.url)
    const owner = ok(await browser.post('/api/auth/device-login')).data.user
    expect(ok(await browser.post('/api/auth/device-login')).data.user.id).toBe(owner.id)
    const cookie = `${browser.cookiesFor(REFRESH)}; ${browser.cookiesFor('/api/auth/userinfo')}`
    // Browsers of ten years ago sent no origin with a form.
    for (const origin of [{ origin: 'https://evil.example' }, {}] as Record<string, string>[]) {
      const headers = { ...origin, cookie, 'content-type': 'text/plain' }
      const refreshed = await server.request('POST', REFRESH, { headers, body: '{}' })
      expect(refreshed.status).not.toBe(200)
      expect(refreshed.headers.getSetCookie()).toEqual([])
      const byDevice = await server.request('POST', '/api/auth/device-login', {
        headers: { ...origin, cookie },
        body: {},
      })
      expect(ok(byDevice).data.user.id).not.toBe(owner.id)
    }
  })

  test('a listed origin of CORS may not send the header, and gets no credentials', async () => {
    const origin = 'https://app.example.org'
    await using other = await startServer({ config: { corsOrigins: [origin] } })
    const preflight = await fetch(other.url + REFRESH, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'x-refresh-token' },
    })
    expect(preflight.headers.get('access-control-allow-headers')!.toLowerCase()).not.toContain('x-refresh-token')
    const reply = await other.request('POST', REFRESH, { headers: { origin, 'x-refresh-token': 'cookie' }, body: {} })
    expect([reply.status, reply.headers.get('access-control-allow-credentials')]).toEqual([403, null])
  })
})

describe('behind a proxy', () => {
  test.if(inProcess)('over https the cookies are Secure, have the prefix and the path of the public URL', async () => {
    await using published = await startServer({ config: { publicUrl: 'https://qr.example.org/codes' } })
    const bob = await published.person()
    const browser = new Browser(published.url, 'https://qr.example.org', '/codes')
    const login = ok(await browser.signIn(bob.username, bob.password))
    expect([...browser.jar.keys()].sort()).toEqual([
      '__Secure-tessera_device /codes/',
      '__Secure-tessera_refresh /codes/api/admin/auth/refresh',
      '__Secure-tessera_refresh /codes/api/auth/refresh',
    ])
    expect((await browser.send('GET', '/api/auth/userinfo', { token: login.data.accessToken })).status).toBe(200)
    expect((await browser.post(REFRESH)).status).toBe(200)
    // Any page of the network could have written a cookie without the prefix.
    const unsafe = browser.cookiesFor(REFRESH).replaceAll('__Secure-', '')
    expect((await browser.post(REFRESH, {}, { headers: { cookie: unsafe } })).status).toBe(401)

    // Opened past the proxy, the browser would refuse such cookies.
    const inside = new Browser(published.url)
    ok(await inside.signIn(bob.username, bob.password))
    expect((await inside.post(REFRESH)).status).toBe(200)
  })
})
