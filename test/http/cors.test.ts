/** Web pages of other origins: preflights, the headers that let scripts read answers, and a page in a real browser. */

import { afterAll, describe, expect, test } from 'bun:test'

import { hasChromium, launchChromium } from '../harness/chromium.ts'
import { startServer, useServer } from '../harness/index.ts'

const LISTED = 'https://app.example.org'
const ORIGIN = 'access-control-allow-origin'

/** A page on another origin than the server. */
const startSite = () =>
  Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: () => new Response('<!doctype html><title>page</title>', { headers: { 'content-type': 'text/html' } }),
  })
const site = startSite()
afterAll(() => site.stop(true))

const { server, user } = useServer({
  people: ['user'],
  config: { corsOrigins: [LISTED, site.url.origin] },
})

const preflight = (url: string, origin: string, path = '/api/qr-codes') =>
  fetch(url + path, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': 'PUT',
      'access-control-request-headers': 'authorization,content-type,x-device-id',
    },
  })
const corsHeaders = (headers: Headers): string[] =>
  [...headers.keys()].filter((name) => name.startsWith('access-control-'))

test('a preflight from a listed origin is answered with the methods and headers of the API', async () => {
  for (const path of ['/api/qr-codes', '/api/no-such-path']) {
    const { status, headers } = await preflight(server.url, LISTED, path)
    expect(status).toBe(204)
    expect(headers.get(ORIGIN)).toBe(LISTED)
    expect(headers.get('vary')).toBe('Origin')
    expect(headers.get('x-request-id')).not.toBeNull()
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])
      expect(headers.get('access-control-allow-methods')).toContain(method)
    for (const name of ['Authorization', 'Content-Type', 'X-Device-Id', 'X-Device-Name', 'Idempotency-Key', 'If-Match'])
      expect(headers.get('access-control-allow-headers')).toContain(name)
    expect(headers.get('access-control-allow-credentials')).toBeNull()
  }
})

test('origins that are not listed get no CORS headers, however similar they are', async () => {
  for (const origin of [
    'https://evil.example',
    'http://app.example.org',
    'https://app.example.org.evil.example',
    'https://app.example.org:8443',
    'https://sub.app.example.org',
    'https://APP.example.org',
    'null',
    '*',
  ]) {
    const refused = await preflight(server.url, origin)
    expect(refused.status, origin).toBe(405)
    expect(corsHeaders(refused.headers), origin).toEqual([])
    const answer = await fetch(`${server.url}/actuator/health`, { headers: { origin } })
    expect(answer.status, origin).toBe(200)
    expect(corsHeaders(answer.headers), origin).toEqual([])
  }
})

test('every kind of answer to a listed origin can be read by its scripts', async () => {
  const headers = { origin: LISTED, authorization: `Bearer ${user.token}`, 'x-device-id': user.deviceId }
  for (const [path, status] of [
    ['/api/qr-codes', 200],
    ['/api/qrcode/render?content=x', 200],
    ['/api/qr-codes/999999', 404],
    ['/api/no-such-path', 404],
    ['/api/rbac/roles', 403],
    ['/public/orgs/NOSUCHCD', 404],
  ] as const) {
    const answer = await fetch(server.url + path, { headers })
    expect(answer.status, path).toBe(status)
    expect(answer.headers.get(ORIGIN), path).toBe(LISTED)
    expect(answer.headers.get('vary')?.toLowerCase(), path).toContain('origin')
    for (const name of [
      'X-Request-Id',
      'X-Ignored-Parameters',
      'Idempotency-Replayed',
      'Retry-After',
      'ETag',
      'Content-Range',
    ])
      expect(answer.headers.get('access-control-expose-headers'), path).toContain(name)
  }
  const anonymous = await fetch(`${server.url}/api/orgs`, { headers: { origin: LISTED } })
  expect([anonymous.status, anonymous.headers.get(ORIGIN)]).toEqual([401, LISTED])
})

test('answers without an origin say that they differ by origin, so that no cache gives one to a page', async () => {
  const { headers } = await fetch(`${server.url}/api/qrcode/render?content=x`)
  expect(headers.get('vary')?.toLowerCase()).toContain('origin')
  expect(corsHeaders(headers)).toEqual([])
})

test('without configured origins no answer has CORS headers, and OPTIONS is answered with 405', async () => {
  await using plain = await startServer()
  const refused = await preflight(plain.url, LISTED)
  expect([refused.status, corsHeaders(refused.headers), refused.headers.get('vary')]).toEqual([405, [], null])
  const answer = await fetch(`${plain.url}/actuator/health`, { headers: { origin: LISTED } })
  expect([corsHeaders(answer.headers), answer.headers.get('vary')]).toEqual([[], null])
})

describe('in a browser', () => {
  if (hasChromium)
    test('a page of a listed origin signs in and calls the API in Chromium, and other pages cannot', async () => {
      const other = startSite()
      const browser = await launchChromium()
      try {
        const page = await browser.newPage()
        page.setDefaultTimeout(60_000)
        /** Runs in the page: signs in, and creates a QR code. */
        const script = async ([url, account, password]: string[]) => {
          // As <img> does: without an origin. The browser keeps the answer for a year.
          await fetch(`${url}/api/qrcode/render?content=x`, { mode: 'no-cors' })
          const picture = await fetch(`${url}/api/qrcode/render?content=x`)
          const headers = { 'content-type': 'application/json', 'x-device-id': 'browser-0123456789abcdef' }
          const login = await fetch(`${url}/api/auth/login`, {
            method: 'POST',
            headers,
            body: JSON.stringify({ account, password }),
          })
          const { data } = (await login.json()) as { data: { accessToken: string } }
          const created = await fetch(`${url}/api/qr-codes`, {
            method: 'POST',
            headers: { ...headers, authorization: `Bearer ${data.accessToken}` },
            body: JSON.stringify({ name: 'From a page', content: 'x' }),
          })
          return [picture.status, login.status, created.status, created.headers.get('x-request-id') !== null]
        }
        const input = [server.url, user.username, user.password]
        await page.goto(site.url.href)
        expect(await page.evaluate(script, input)).toEqual([200, 200, 200, true])

        await page.goto(other.url.href)
        await expect(page.evaluate(script, input)).rejects.toThrow('Failed to fetch')
      } finally {
        await browser.close()
        await other.stop(true)
      }
    })
})
