/** Operations with the access `signedUrl`: a signature, or a token. */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'

import { endpoint, open, signedUrl } from '#http/endpoint.ts'
import { unauthorized } from '#http/errors.ts'
import type { Gatekeeper } from '#http/mount.ts'
import { Enum, Id, Type } from '#http/schema.ts'
import { listen, type RunningServer } from '#http/server.ts'

import { send } from '../harness/client.ts'
import { TestClock } from '../harness/clock.ts'
import { bareContext } from './context.ts'

const clock = new TestClock()
const ctx = bareContext({ host: '127.0.0.1', rateLimit: true }, clock)

/** Users who reached `run`; `undefined` stands for a signature. */
const seen: (number | undefined)[] = []

const endpoints = [
  endpoint({
    id: 'things.get',
    method: 'GET',
    path: '/things/:id',
    summary: 'Get a thing',
    tag: 'Operations',
    access: signedUrl('thing', ['id', 'size'], 'file:read'),
    params: Type.Object({ id: Id }),
    query: Type.Object({ size: Type.Optional(Enum(['L', 'S'])) }),
    sendsRanges: true,
    run({ actor }) {
      seen.push(actor?.userId)
    },
  }),
  endpoint({
    id: 'pictures.get',
    method: 'GET',
    path: '/pictures',
    summary: 'Get a picture',
    tag: 'Operations',
    access: open,
    sendsRanges: true,
    run: () => undefined,
  }),
]

const never = (): never => {
  throw new Error('no operation of this test asks')
}
const gates: Gatekeeper = {
  authenticate: (_ctx, token) =>
    ['good', 'roleless'].includes(token)
      ? { userId: token === 'good' ? 7 : 8, sessionId: 1, deviceKey: '' }
      : unauthorized('No session', '无会话'),
  can: (_ctx, userId, domain, _scope, point) => userId === 7 && domain === 'APP' && point === 'file:read',
  refusesUnknownParameters: () => false,
  consoleRefusal: never,
  isMember: never,
  refusalIn: never,
  spend: never,
  refusePublisherKey: never,
  isAdministrator: never,
  loggedActor: never,
}

let server: RunningServer
beforeAll(() => {
  server = listen(endpoints, ctx, gates)
})
beforeEach(() => {
  seen.length = 0
  clock.advance(60_000)
})
afterAll(() => server.kill())

const inSeconds = (seconds: number): string => String(Math.floor(clock.now() / 1000) + seconds)
const signed = (id: string, size: string, expires: string, purpose = 'thing') =>
  `/things/${id}?size=${size}&expires=${expires}&signature=${ctx.signer.sign(purpose, id, size, expires)}`
const get = (path: string, headers: Record<string, string> = {}) => send(server.url, 'GET', path, { headers })
const token = { authorization: 'Bearer good' }

describe('signed URLs', () => {
  test('a valid signature needs no token, for GET and HEAD', async () => {
    const url = signed('5', 'L', inSeconds(60))
    expect((await get(url)).status).toBe(200)
    expect((await send(server.url, 'HEAD', url)).status).toBe(200)
    expect(seen).toEqual([undefined, undefined])
  })

  test('a token that is no longer valid does not spoil a valid signature', async () => {
    expect((await get(signed('5', 'L', inSeconds(60)), { authorization: 'Bearer old' })).status).toBe(200)
  })

  test('without a signature a token with the permission point is required, and run gets its user', async () => {
    expect((await get('/things/5')).status).toBe(401)
    expect((await get('/things/5?signature=')).status).toBe(401)
    expect((await get('/things/5', { authorization: 'Bearer bad' })).status).toBe(401)
    expect((await get('/things/5', { authorization: 'Bearer roleless' })).status).toBe(403)
    expect(seen).toEqual([])
    expect((await get('/things/5', token)).status).toBe(200)
    expect(seen).toEqual([7])
  })

  test('without a signature an invalid expiry is answered with 400 that names it', async () => {
    const refused = await get('/things/5?expires=AAA', token)
    expect([refused.status, refused.details]).toMatchObject([400, [{ path: 'query.expires' }]])
    expect((await get('/things/5?expires=AAA')).status).toBe(401)
    expect(seen).toEqual([])
    expect((await get(`/things/5?expires=${inSeconds(60)}`, token)).status).toBe(200)
    expect((await get('/things/5?expires=', token)).status).toBe(200)
    expect(seen).toEqual([7, 7])
  })

  test('an expired URL is answered with 403, also with a valid token', async () => {
    const url = signed('5', 'L', inSeconds(60))
    clock.advance(59_000)
    expect((await get(url)).status).toBe(200)
    clock.advance(1_000)
    expect((await get(url)).status).toBe(403)
    expect((await get(url, token)).status).toBe(403)
    expect(seen).toEqual([undefined])
  })

  test('the signature of another purpose is refused', async () => {
    expect((await get(signed('5', 'L', inSeconds(60), 'other'))).status).toBe(403)
  })

  test.each([
    ['another id', (url: string) => url.replace('/5?', '/6?')],
    ['the same id in other digits', (url: string) => url.replace('/5?', '/05?')],
    ['another value', (url: string) => url.replace('size=L', 'size=S')],
    ['a value that validation would refuse', (url: string) => url.replace('size=L', 'size=XXL')],
    ['a value that is given twice', (url: string) => `${url}&size=S`],
    ['a missing value', (url: string) => url.replace('size=L&', '')],
    ['a later expiry', (url: string) => url.replace(/expires=(\d+)/, 'expires=9$1')],
    ['the expiry in another notation', (url: string) => url.replace(/expires=(\d+)/, 'expires=$1.0')],
    ['no expiry', (url: string) => url.replace(/expires=\d+&/, '')],
    ['a shorter signature', (url: string) => url.slice(0, -1)],
    ['a longer signature', (url: string) => `${url}A`],
    [
      'another signature',
      (url: string) => url.replace(/signature=./, (s) => (s.endsWith('A') ? 'signature=B' : 'signature=A')),
    ],
  ])('a URL with %s is answered with 403, also with a valid token', async (_, edit) => {
    const url = signed('5', 'L', inSeconds(60))
    expect(edit(url)).not.toBe(url)
    expect((await get(edit(url))).status).toBe(403)
    expect((await get(edit(url), token)).status).toBe(403)
    expect(seen).toEqual([])
  })

  test('an address may ask for more bytes by signed URLs than it may guess signatures', async () => {
    const url = signed('5', 'L', inSeconds(60))
    const statuses = new Map<number, number>()
    for (let i = 0; i < 310; i++) {
      for (const path of [url, `${url}A`]) {
        const { status } = await get(path)
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
      }
    }
    expect(Object.fromEntries(statuses)).toEqual({ 200: 310, 403: 300, 429: 10 })
    // Public pictures are counted with them: 3,000 a minute.
    for (let i = 310; i < 3000; i++) expect((await get('/pictures')).status).toBe(200)
    for (const path of ['/pictures', url]) expect((await get(path)).status).toBe(429)
    clock.advance(60_000)
    expect((await get('/pictures')).status).toBe(200)
  })
})
