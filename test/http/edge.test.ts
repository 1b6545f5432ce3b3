/** HTTP without domains: endpoints made for these tests, their gates, and the handling of input and output. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import type { AppContext } from '#context'
import { storageError } from '#db/errors.ts'
import { type AnyEndpoint, app, dual, endpoint, open, openToUsers, org, platform, signedIn } from '#http/endpoint.ts'
import { badRequest, forbidden, limited, notFound, unauthorized } from '#http/errors.ts'
import type { Gatekeeper } from '#http/mount.ts'
import { mount } from '#http/mount.ts'
import { Enum, Id, Line, Multiline, Nullable, Raw, Time, Type } from '#http/schema.ts'
import { listen, type RunningServer } from '#http/server.ts'
import type { Clock } from '#platform/clock.ts'

import { send } from '../harness/client.ts'
import { bareContext } from './context.ts'

const tag = 'Operations'
const Body = Type.Object({
  name: Line(10, 1),
  remark: Type.Optional(Multiline(100)),
  secretText: Type.Optional(Raw(100)),
  startsAt: Type.Optional(Time),
  kind: Type.Optional(Enum(['A', 'B'])),
  parentId: Type.Optional(Nullable(Id)),
  items: Type.Optional(Type.Array(Type.Object({ innerName: Type.String() }), { maxItems: 3 })),
  data: Type.Optional(Type.Unknown()),
})
let runs = 0
const endpoints = [
  endpoint({
    id: 'echo.open',
    method: 'POST',
    path: '/open/echo',
    summary: 'echo',
    tag,
    access: open,
    body: Body,
    data: Type.Unknown(),
    run: ({ body }) => body,
  }),
  endpoint({
    id: 'echo.in',
    method: 'POST',
    path: '/in/:id/echo',
    summary: 'echo',
    tag,
    access: signedIn,
    params: Type.Object({ id: Id }),
    query: Type.Object({
      page: Type.Integer({ default: 1 }),
      flag: Type.Optional(Type.Boolean()),
      ids: Type.Optional(Type.Array(Id)),
    }),
    body: Body,
    data: Type.Unknown(),
    run: ({ params, query, body, actor }) => (runs++, { params, query, body, userId: actor.userId }),
  }),
  endpoint({
    id: 'get.open',
    method: 'GET',
    path: '/open/thing',
    summary: 'thing',
    tag,
    access: open,
    data: Type.Unknown(),
    run: () => ({ a: 1 }),
  }),
  endpoint({
    id: 'get.none',
    method: 'GET',
    path: '/open/none',
    summary: 'nothing',
    tag,
    access: open,
    run: () => undefined,
  }),
  endpoint({
    id: 'known',
    method: 'GET',
    path: '/open/known',
    summary: 'caller, if there is a token',
    tag,
    access: openToUsers,
    data: Nullable(Id),
    run: ({ actor }) => actor?.userId ?? null,
  }),
  endpoint({
    id: 'ip',
    method: 'GET',
    path: '/open/ip',
    summary: 'address',
    tag,
    access: open,
    data: Type.String(),
    run: ({ caller }) => caller.ip,
  }),
  endpoint({
    id: 'app',
    method: 'GET',
    path: '/app',
    summary: 'app',
    tag,
    access: app('category:read'),
    data: Type.Boolean(),
    run: () => true,
  }),
  endpoint({
    id: 'org',
    method: 'GET',
    path: '/org/:orgId',
    summary: 'org',
    tag,
    access: org('member:read'),
    params: Type.Object({ orgId: Id }),
    data: Type.Boolean(),
    run: () => true,
  }),
  endpoint({
    id: 'dual',
    method: 'POST',
    path: '/dual',
    summary: 'dual',
    tag,
    access: dual('qr_code:read'),
    data: Type.Boolean(),
    query: Type.Object({ orgId: Type.Optional(Id) }),
    body: Type.Object({ orgId: Type.Optional(Nullable(Id)) }),
    run: () => true,
  }),
  endpoint({
    id: 'platform',
    method: 'GET',
    path: '/platform',
    summary: 'platform',
    tag,
    access: platform('user:read'),
    data: Type.Boolean(),
    run: () => true,
  }),
  endpoint({
    id: 'secret',
    method: 'GET',
    path: '/open/secret',
    summary: 'secret',
    tag,
    access: open,
    checksSecret: true,
    data: Type.Boolean(),
    run: () => true,
  }),
  endpoint({
    id: 'broken',
    method: 'GET',
    path: '/open/broken',
    summary: 'broken',
    tag,
    access: open,
    data: Type.Boolean(),
    run: () => {
      throw new Error('SELECT secret FROM inside /var/lib')
    },
  }),
  endpoint({
    id: 'full',
    method: 'GET',
    path: '/open/full',
    summary: 'full',
    tag,
    access: open,
    run: () => {
      throw storageError('full', '/var/lib/tessera.db')
    },
  }),
  endpoint({
    id: 'missing',
    method: 'GET',
    path: '/open/missing',
    summary: 'missing',
    tag,
    access: open,
    refuses: { 404: 'Always.' },
    run: () => {
      throw notFound()
    },
  }),
  endpoint({
    id: 'limited',
    method: 'GET',
    path: '/open/limited',
    summary: 'limited',
    tag,
    access: open,
    run: () => {
      throw limited('Slow down', '慢一点', 7)
    },
  }),
  endpoint({
    id: 'page',
    method: 'GET',
    path: '/open/page',
    summary: 'page',
    tag,
    access: open,
    answers: 'text/html',
    refuses: { 400: 'Always.' },
    run: () => {
      throw badRequest('No <b>', '不')
    },
  }),
  endpoint({
    id: 'liar',
    method: 'GET',
    path: '/open/liar',
    summary: 'liar',
    tag,
    access: open,
    data: Type.Object({ a: Type.Integer() }),
    run: () => ({ a: 1, passwordHash: 'x' }),
  }),
  endpoint({
    id: 'undocumented',
    method: 'GET',
    path: '/open/undocumented',
    summary: 'undocumented',
    tag,
    access: open,
    run: () => {
      throw notFound()
    },
  }),
  endpoint({
    id: 'mislabelled',
    method: 'GET',
    path: '/open/mislabelled',
    summary: 'mislabelled',
    tag,
    access: open,
    answers: 'image/png, image/svg+xml',
    run: () => new Response('<p>', { headers: { 'content-type': 'text/html' } }),
  }),
]

/** Token `user-7` is user 7 on device `device-7`. User 7 holds every point in APP and in organization 5, user 9 only in organization 5. */
const gates: Gatekeeper = {
  authenticate(_ctx, token, deviceId) {
    const id = Number(/^user-(\d+)$/.exec(token)?.[1])
    if (!id || deviceId !== `device-${id}`) return unauthorized('Sign in again', '请重新登录')
    return { userId: id, sessionId: id, deviceKey: `key-${id}` }
  },
  can: (_ctx, userId, domain, scopeId) =>
    (userId === 7 && domain === 'APP') || ([7, 9].includes(userId) && domain === 'ORG' && scopeId === 5),
  refusePublisherKey: async () => undefined,
  isAdministrator: () => false,
  spend: async () => undefined,
  refusesUnknownParameters: () => false,
  consoleRefusal: () => undefined,
  isMember: () => false,
  refusalIn: () => forbidden('refused', '拒绝'),
  loggedActor: () => {
    throw new Error('no endpoint of this file is logged')
  },
}

let ctx: AppContext
let server: RunningServer
beforeAll(() => {
  ctx = bareContext()
  server = listen(endpoints, ctx, gates)
})
afterAll(() => server.kill())

const me = { token: 'user-7', deviceId: 'device-7' }
const call = (method: string, path: string, options = {}) => send(server.url, method, path, options)
const echo = (body: unknown, options = {}) => call('POST', '/open/echo', { body, ...options })

describe('envelope', () => {
  test('a successful answer has its data in the envelope, or null', async () => {
    expect((await call('GET', '/open/thing')).text).toBe('{"code":200,"data":{"a":1}}')
    expect((await call('GET', '/open/none')).text).toBe('{"code":200,"data":null}')
  })
  test('an error answer has code, message and the request id of its header', async () => {
    const reply = await call('GET', '/open/missing')
    expect(reply.status).toBe(404)
    expect(JSON.parse(reply.text)).toEqual({
      code: 404,
      message: 'Not found',
      requestId: reply.headers.get('x-request-id'),
    })
  })
  test('error messages follow Accept-Language, error codes do not', async () => {
    const reply = await call('GET', '/open/limited', { headers: { 'accept-language': 'zh-CN,en;q=0.5' } })
    expect([reply.status, reply.code, reply.message, reply.headers.get('retry-after')]).toEqual([
      429,
      4022,
      '慢一点',
      '7',
    ])
    expect((await call('GET', '/open/limited', { headers: { 'accept-language': 'en,zh;q=0.5' } })).message).toBe(
      'Slow down',
    )
  })
  test('a 500 answer contains no details of the error', async () => {
    const reply = await call('GET', '/open/broken')
    expect(reply.status).toBe(500)
    expect(reply.text).not.toMatch(/SELECT|var|Error|broken/)
  })
  test('a storage error is answered with 503 and Retry-After, without a path', async () => {
    const reply = await call('GET', '/open/full')
    expect([reply.status, reply.headers.get('retry-after')]).toEqual([503, '30'])
    expect(reply.text).not.toMatch(/tessera\.db|disk/)
  })
  test('a page operation answers errors as escaped HTML, or as JSON if Accept asks for it', async () => {
    const page = await call('GET', '/open/page')
    expect(page.status).toBe(400)
    expect(page.headers.get('content-type')).toStartWith('text/html')
    expect(page.text).toContain('No &lt;b&gt;')
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect((await call('GET', '/open/page', { headers: { accept: 'application/json' } })).code).toBe(400)
  })
  test('in tests, an answer with an undeclared key is a 500', async () => {
    expect((await call('GET', '/open/liar')).status).toBe(500)
  })

  test('in tests, an answer that the API document does not list is a 500 that says so', async () => {
    const undocumented = await call('GET', '/open/undocumented')
    expect(undocumented.status).toBe(500)
    expect(undocumented.text).toContain('undocumented answered 404, which the API document does not list')
    const mislabelled = await call('GET', '/open/mislabelled')
    expect(mislabelled.status).toBe(500)
    expect(mislabelled.text).toContain('mislabelled answered text/html')
  })
  test('a public GET has an ETag and answers 304 if If-None-Match contains it', async () => {
    const first = await call('GET', '/open/thing')
    const etag = first.headers.get('etag')!
    expect(etag).toMatch(/^".+"$/)
    for (const header of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const again = await call('GET', '/open/thing', { headers: { 'if-none-match': header } })
      expect([header, again.status, again.text]).toEqual([header, 304, ''])
    }
    expect((await call('GET', '/open/thing', { headers: { 'if-none-match': '"other"' } })).status).toBe(200)
  })
  test('answers to signed-in callers are not stored by caches', async () => {
    expect((await call('GET', '/app', me)).headers.get('cache-control')).toBe('no-store')
  })
  test('HEAD answers the status of GET without a body', async () => {
    const reply = await call('HEAD', '/open/thing')
    expect([reply.status, reply.text]).toEqual([200, ''])
  })
})

describe('request id', () => {
  test('each request gets a new request id, unless a proxy sent a valid one', async () => {
    const id = async (given?: string) =>
      (await call('GET', '/open/thing', given ? { headers: { 'x-request-id': given } } : {})).headers.get(
        'x-request-id',
      )!
    const [a, b] = [await id(), await id()]
    expect(a).not.toBe(b)
    expect(await id('proxy-id-12345678')).toBe('proxy-id-12345678')
    expect(await id('bad id with spaces')).not.toBe('bad id with spaces')
  })
})

describe('order of the gates', () => {
  test('a request without a token answers 401 for any body, even an invalid one', async () => {
    for (const body of [{}, '{', 'x'.repeat(5000), { name: 'a' }])
      expect((await call('POST', '/in/1/echo', { body })).status).toBe(401)
    expect(runs).toBe(0)
  })
  test('a Content-Length over the limit answers 413 before the token is checked', async () => {
    expect((await call('POST', '/in/1/echo', { body: ' '.repeat(1024 * 1024 + 1) })).status).toBe(413)
  })
  test('a body without Content-Length that exceeds the limit answers 413', async () => {
    const stream = new ReadableStream({
      pull(controller) {
        controller.enqueue(new Uint8Array(256 * 1024).fill(0x20))
      },
    })
    const reply = await fetch(`${server.url}/open/echo`, {
      method: 'POST',
      body: stream,
      headers: { 'content-type': 'application/json' },
    })
    expect(reply.status).toBe(413)
  })
  test('a token with the id of another device, or without a device id, answers 401', async () => {
    const options = { body: { name: 'a' } }
    expect((await call('POST', '/in/1/echo', { ...options, token: 'user-7' })).status).toBe(401)
    expect((await call('POST', '/in/1/echo', { ...options, token: 'user-7', deviceId: 'device-8' })).status).toBe(401)
    expect((await call('POST', '/in/1/echo', { ...options, ...me })).status).toBe(200)
    expect(runs).toBe(1)
  })
  test('an operation that is open to users knows the user of a valid token, refuses other tokens and needs none', async () => {
    const get = async (options: object) => {
      const { status, data } = await call('GET', '/open/known', options)
      return { status, data }
    }
    expect(await get({})).toEqual({ status: 200, data: null })
    expect(await get(me)).toEqual({ status: 200, data: 7 })
    expect((await get({ ...me, deviceId: 'device-8' })).status).toBe(401)
    expect((await get({ ...me, token: 'nobody' })).status).toBe(401)
  })
  test('a missing permission answers 403 before the body is validated', async () => {
    const other = { token: 'user-8', deviceId: 'device-8' }
    expect((await call('POST', '/dual', { ...other, body: { orgId: 'x' } })).status).toBe(403)
    expect((await call('GET', '/app', other)).status).toBe(403)
    expect((await call('GET', '/platform', me)).status).toBe(403)
  })
  test('a permission point of one organization does not count in another', async () => {
    expect((await call('GET', '/org/5', me)).status).toBe(200)
    for (const id of ['6', '0', '-5', 'x', '5.5', '5e0x'])
      expect((await call('GET', `/org/${id}`, me)).status).toBe(403)
  })
  test('a dual operation checks the organization of the body or query, as orgId or org_id', async () => {
    expect((await call('POST', '/dual', { ...me, body: {} })).status).toBe(200)
    expect((await call('POST', '/dual', { ...me, body: { orgId: null } })).status).toBe(200)
    expect((await call('POST', '/dual', { ...me, body: { orgId: 5 } })).status).toBe(200)
    for (const name of ['orgId', 'org_id'])
      expect((await call('POST', '/dual', { ...me, body: { [name]: 6 } })).status).toBe(403)
    // The gate must read the same value that the endpoint gets.
    const both = { token: 'user-9', deviceId: 'device-9', body: { orgId: null, org_id: 5 } }
    expect((await call('POST', '/dual', both)).status).toBe(403)
    expect((await call('POST', '/dual', { ...me, body: { orgId: 6 }, query: { orgId: '' } })).status).toBe(403)
  })
})

describe('input', () => {
  test('snake_case names become camelCase at every level, and unknown names are dropped', async () => {
    const reply = await echo({
      name: 'a',
      parent_id: 3,
      items: [{ inner_name: 'x', extra: 1 }],
      is_admin: true,
      starts_at: 5,
    })
    expect(reply.data).toEqual({ name: 'a', parentId: 3, items: [{ innerName: 'x' }], startsAt: 5 })
  })
  test('names inside JSON of any shape are not changed', async () => {
    const data = { my_key: { other_key: [1, 'x'] } }
    expect((await echo({ name: 'a', data })).data.data).toEqual(data)
  })
  test('texts are trimmed, except raw ones', async () => {
    expect((await echo({ name: '  a ', secretText: ' b\n ' })).data).toEqual({ name: 'a', secretText: ' b\n ' })
    expect((await echo({ name: '   ' })).status).toBe(400)
  })
  test.each([
    ['a line break in a one-line text', { name: 'a\nb' }],
    ['NUL', { name: 'a', secretText: 'x\0y' }],
    ['a lone surrogate', { name: 'a', secretText: '\ud800' }],
    ['a lone surrogate in JSON of any shape', { name: 'a', data: { deep: ['\udc00'] } }],
    ['NUL in a key of JSON of any shape', { name: 'a', data: { 'k\0': 1 } }],
    ['an escape character', { name: 'a', remark: '\u001b[31m' }],
  ])('a body that contains %s answers 400 with the path of the field', async (_, body) => {
    const reply = await echo(body)
    expect(reply.status).toBe(400)
    expect(reply.details[0]!.path).toStartWith('body.')
  })
  test('times are accepted as milliseconds and as ISO 8601', async () => {
    const at = async (startsAt: unknown) => (await echo({ name: 'a', startsAt })).data?.startsAt
    expect(await at(1_700_000_000_000)).toBe(1_700_000_000_000)
    expect(await at('2023-11-14T22:13:20Z')).toBe(1_700_000_000_000)
    expect(await at('2023-11-15T06:13:20+08:00')).toBe(1_700_000_000_000)
    for (const bad of ['yesterday', '2023-13-45', '2023-02-30T00:00:00Z', -1, 1e17, 1.5, {}])
      expect(await at(bad)).toBeUndefined()
    for (const bad of ['yesterday', '2023-13-45', 1.5, {}])
      expect((await echo({ name: 'a', startsAt: bad })).details).toEqual([
        { path: 'body.startsAt', message: 'must be a time: epoch milliseconds or ISO 8601' },
      ])
    const zh = await echo({ name: 'a', startsAt: 'abc' }, { headers: { 'accept-language': 'zh' } })
    expect(zh.details[0]!.message).toBe('必须是时间：毫秒时间戳或 ISO 8601 格式')
  })
  test('a 400 answer lists each invalid field once, in the language of the caller', async () => {
    const reply = await echo({ name: 'x'.repeat(11), kind: 'C', parentId: 0, items: [{}, {}, {}, {}] })
    expect(reply.status).toBe(400)
    expect(Object.fromEntries(reply.details.map((d) => [d.path, d.message]))).toMatchObject({
      'body.name': 'must have at most 10 characters',
      'body.kind': 'must be one of A, B',
      'body.parentId': 'must be at least 1',
      'body.items': 'must have at most 3 items',
    })
    expect((await echo({ name: 'a', items: [{}] })).details).toEqual([
      { path: 'body.items.0.innerName', message: 'is required' },
    ])
    const zh = await echo({}, { headers: { 'accept-language': 'zh' } })
    expect(zh.details).toEqual([{ path: 'body.name', message: '不能为空' }])
  })
  test('numbers, booleans and lists are parsed from text in query and path, but not in a body', async () => {
    expect((await echo({ name: 'a', parentId: '3' })).status).toBe(400)
    const reply = await call('POST', '/in/12/echo', { ...me, body: { name: 'a' }, query: { flag: 'true', ids: '1,2' } })
    expect(reply.data).toMatchObject({ params: { id: 12 }, query: { page: 1, flag: true, ids: [1, 2] }, userId: 7 })
    for (const id of ['0', '-1', '1.5', 'x', '9007199254740993', '1e3', '0x1', '%20'])
      expect((await call('POST', `/in/${id}/echo`, { ...me, body: { name: 'a' } })).status).toBe(400)
  })
  test('a list in the query can be one text with commas, or a parameter for each item', async () => {
    for (const query of ['ids=1,2,3', 'ids=1&ids=2&ids=&ids=3', 'ids=1,2&ids=3']) {
      const reply = await call('POST', `/in/12/echo?${query}`, { ...me, body: { name: 'a' } })
      expect([query, reply.data.query.ids]).toEqual([query, [1, 2, 3]])
    }
    // The last one of other parameters counts.
    const reply = await call('POST', '/in/12/echo?page=2&page=3', { ...me, body: { name: 'a' } })
    expect(reply.data.query.page).toBe(3)
  })

  test('an empty query parameter counts as absent', async () => {
    const reply = await call('POST', '/in/12/echo', {
      ...me,
      body: { name: 'a' },
      query: { page: '', flag: '', ids: '' },
    })
    expect(reply.data.query).toEqual({ page: 1 })
  })
  test.each([
    ['broken JSON', '{'],
    ['an array instead of an object', '[]'],
    ['a body of 33 levels', '['.repeat(33) + ']'.repeat(33)],
    ['a body of 100,000 levels', '['.repeat(100_000)],
    ['invalid UTF-8', new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
  ])('%s answers 400', async (_, body) => {
    expect((await echo(body)).status).toBe(400)
  })
  test('brackets inside texts do not count as levels', async () => {
    expect((await echo({ name: 'a', remark: '['.repeat(100) })).status).toBe(200)
  })
  test('a body that is not JSON answers 415', async () => {
    expect((await echo('name=a', { headers: { 'content-type': 'application/x-www-form-urlencoded' } })).status).toBe(
      415,
    )
    expect((await echo('{"name":"a"}', { headers: { 'content-type': 'application/vnd.api+json' } })).status).toBe(200)
  })
  test('__proto__ in a body sets no prototype', async () => {
    const reply = await echo('{"name":"a","data":{"__proto__":{"polluted":1}},"__proto__":{"name":"b"}}')
    expect(reply.status).toBe(200)
    expect(reply.data.name).toBe('a')
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  })
})

describe('rates', () => {
  /** The window of the limiter never ends, however long the requests take. */
  const stopped: Clock = { now: () => 1_767_225_600_000 }

  test('public operations are limited per IPv4 address and IPv6 /64, more strictly if they check a secret, with Retry-After', async () => {
    const limitedServer = listen(endpoints, bareContext({ rateLimit: true }, stopped), gates)
    const from = (ip: string, path: string) =>
      send(limitedServer.url, 'GET', path, { headers: { 'x-forwarded-for': ip } })
    const statuses = async (count: number, ip: string, path: string) => {
      const replies = await Promise.all(Array.from({ length: count }, () => from(ip, path)))
      return replies.filter((r) => r.status === 200).length
    }
    try {
      expect(await statuses(70, '192.0.2.1', '/open/secret')).toBe(60)
      expect(await statuses(310, '192.0.2.1', '/open/thing')).toBe(300)
      expect(await statuses(1, '192.0.2.2', '/open/thing')).toBe(1)
      expect(await statuses(40, '2001:db8::1', '/open/secret')).toBe(40)
      expect(await statuses(40, '2001:db8::2', '/open/secret')).toBe(20)
      const refused = await from('192.0.2.1', '/open/secret')
      expect([refused.status, refused.code]).toEqual([429, 4022])
      expect(Number(refused.headers.get('retry-after'))).toBeWithin(1, 61)
    } finally {
      await limitedServer.kill()
    }
  })
  test('operations with a token are limited to 1,200 requests a minute per session', async () => {
    const limitedServer = listen(endpoints, bareContext({ rateLimit: true }, stopped), gates)
    try {
      let refused = 0
      for (let i = 0; i < 13; i++) {
        const replies = await Promise.all(Array.from({ length: 100 }, () => send(limitedServer.url, 'GET', '/app', me)))
        refused += replies.filter((r) => r.status === 429).length
      }
      expect(refused).toBe(100)
    } finally {
      await limitedServer.kill()
    }
  })
  test('X-Forwarded-For is used only if a trusted proxy sent it', async () => {
    expect((await call('GET', '/open/ip', { headers: { 'x-forwarded-for': '203.0.113.9, 10.0.0.1' } })).data).toBe(
      '10.0.0.1',
    )
    const strict = listen(endpoints, bareContext({ trustedProxies: [] }), gates)
    const reply = await send(strict.url, 'GET', '/open/ip', { headers: { 'x-forwarded-for': '203.0.113.9' } })
    await strict.kill()
    expect(reply.data).toBe('127.0.0.1')
  })
})

describe('methods and paths', () => {
  test('HEAD answers the status and headers of GET, without content', async () => {
    const get = await fetch(`${server.url}/open/thing`)
    const head = await fetch(`${server.url}/open/thing`, { method: 'HEAD' })
    expect(head.status).toBe(200)
    expect(await head.text()).toBe('')
    expect(head.headers.get('content-length')).toBe(String((await get.text()).length))
    expect(head.headers.get('etag')).toBe(get.headers.get('etag'))
    expect((await fetch(`${server.url}/app`, { method: 'HEAD' })).status).toBe(401)
    expect((await fetch(`${server.url}/nothing`, { method: 'HEAD' })).status).toBe(404)
  })

  test('a method that a path does not allow is answered with 405 and the allowed ones', async () => {
    const reply = await call('DELETE', '/open/thing')
    expect([reply.status, reply.code]).toEqual([405, 405])
    expect(reply.headers.get('allow')).toBe('GET, HEAD')
    expect((await call('GET', '/dual')).headers.get('allow')).toBe('POST')
    for (const method of ['PUT', 'PATCH', 'OPTIONS'])
      expect((await call(method, '/open/thing')).status, method).toBe(405)
    expect((await call('DELETE', '/open/nothing')).status).toBe(404)
  })

  test('an unknown path is a page for browsers and JSON for programs', async () => {
    const page = await call('GET', '/nothing/here', { headers: { accept: 'text/html,*/*;q=0.8' } })
    expect(page.status).toBe(404)
    expect(page.headers.get('content-type')).toContain('text/html')
    const json = await call('GET', '/nothing/here')
    expect([json.status, json.code]).toEqual([404, 404])
    expect((await call('GET', '/')).status).toBe(404)
  })

  test('a slash at the end and percent-encoded parameters reach the same operation', async () => {
    expect((await call('GET', '/open/thing/')).status).toBe(200)
    expect((await call('GET', '/org/%35', me)).data).toBe(true)
    expect((await call('GET', '/org/%E0%A4%A', me)).status).toBe(403)
  })

  test('a host name of three letters finds the operations too', async () => {
    for (const host of ['nas', 'a', 'nas:8080']) {
      expect((await call('GET', '/open/thing', { headers: { host } })).status, host).toBe(200)
      expect((await call('GET', '/', { headers: { host } })).code, host).toBe(404)
    }
  })
})

describe('mounting', () => {
  const one: AnyEndpoint = endpoints[2]!
  test('two records with one id, or with one method and path (also with other parameter names), are refused', () => {
    const double = [
      { ...one, id: 'a', path: '/x/:id' },
      { ...one, id: 'b', path: '/x/:other' },
    ]
    expect(() => mount(double, ctx, gates)).toThrow('declared twice')
    expect(() =>
      mount(
        [
          { ...one, path: '/p' },
          { ...one, path: '/q' },
        ],
        ctx,
        gates,
      ),
    ).toThrow('declared twice')
  })
})

describe('stopping', () => {
  test('a stopping server finishes running requests and refuses new ones', async () => {
    const started = Promise.withResolvers<void>()
    const held = Promise.withResolvers<boolean>()
    const slow = endpoint({
      id: 'slow',
      method: 'GET',
      path: '/open/slow',
      summary: 'slow',
      tag,
      access: open,
      data: Type.Boolean(),
      run: () => {
        started.resolve()
        return held.promise
      },
    })
    const stopping = bareContext()
    const own = listen([slow, endpoints[2]!], stopping, gates)
    const running = send(own.url, 'GET', '/open/slow')
    await started.promise
    const stopped = own.stop()
    expect(stopping.lifecycle.draining).toBe(true)
    const later = await send(own.url, 'GET', '/open/thing').catch(() => 'refused')
    expect(later === 'refused' || (typeof later === 'object' && later.status === 503)).toBe(true)
    held.resolve(true)
    expect((await running).data).toBe(true)
    await stopped
  })
})
