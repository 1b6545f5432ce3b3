/** Traces that are sent to a collector. */

import { afterAll, describe, expect, test } from 'bun:test'

import { domain } from '#domains/domain.ts'
import { endpoint, open } from '#http/endpoint.ts'
import { createLog } from '#platform/log.ts'
import { createMetrics } from '#platform/metrics.ts'
import { KIND, parseTraceparent } from '#platform/spans.ts'
import { Tracer } from '#platform/tracer.ts'

import { connect, sendText } from '../chat/helpers.ts'
import { text as note, upload } from '../files/helpers.ts'
import { TestClock } from '../harness/clock.ts'
import { startGateways } from '../harness/gateways.ts'
import { inProcess, ok, startServer, until, useServer } from '../harness/index.ts'
import { onPostgres, sendTo, withServers } from '../processes/several.ts'
import { startPushService } from '../push/push-service.ts'
import { attribute, type Collected, startCollector } from './collector.ts'
import { readExposition, valueOf } from './exposition.ts'

const collector = startCollector()
const gateways = await startGateways()
const pushes = await startPushService()
afterAll(async () => {
  await collector.stop()
  await gateways.stop()
  await pushes.stop()
})

const { server, alice } = useServer({
  people: ['alice'],
  config: {
    ...gateways.config,
    otlpUrl: collector.url,
    otlpHeaders: 'x-key=a%20b, x-tenant=museum',
    traceRatio: 1,
    pushServices: [pushes.origin],
  },
})

const ofRequest = (id: string) => (span: Collected) => attribute(span, 'http.request.header.x-request-id') === id
const named = (spans: readonly Collected[], name: string) => spans.filter((span) => span.name === name)

/** Every span but the first is a part of one in the same trace, and within its time. */
function expectTree(spans: readonly Collected[]): void {
  const byId = new Map(spans.map((span) => [span.spanId, span]))
  expect(byId.size).toBe(spans.length)
  expect(spans.filter(({ parentSpanId }) => parentSpanId === undefined)).toHaveLength(1)
  for (const span of spans) {
    expect(span.traceId).toMatch(/^[0-9a-f]{32}$/)
    expect(span.spanId).toMatch(/^[0-9a-f]{16}$/)
    const [start, end] = [BigInt(span.startTimeUnixNano), BigInt(span.endTimeUnixNano)]
    expect(end >= start).toBe(true)
    if (span.parentSpanId === undefined) continue
    const parent = byId.get(span.parentSpanId)!
    expect([span.name, BigInt(parent.startTimeUnixNano) <= start]).toEqual([span.name, true])
    expect([span.name, end <= BigInt(parent.endTimeUnixNano)]).toEqual([span.name, true])
  }
}

describe('the trace of a request', () => {
  test('has the request, the write, its group and the statements, and nothing personal', async () => {
    const requestId = 'trace-of-a-create'
    const content = 'https://example.org/private'
    const created = await alice.send('POST', '/api/qr-codes', {
      headers: { 'x-request-id': requestId },
      body: { name: 'My secret garden', content },
    })
    ok(created)
    const root = await collector.root(ofRequest(requestId))
    const spans = collector.traceOf(root)
    expectTree(spans)
    expect(root).toMatchObject({ name: 'POST /api/qr-codes', kind: KIND.server, status: { code: 1 } })
    expect(attribute(root, 'http.route')).toBe('/api/qr-codes')
    expect(attribute(root, 'http.response.status_code')).toBe('200')
    expect(Math.abs(Number(BigInt(root.startTimeUnixNano) / 1_000_000n) - Date.now())).toBeLessThan(600_000)

    const [write] = named(spans, 'write')
    expect(attribute(write!, 'name')).toStartWith('qrCodes.')
    expect(write!.parentSpanId).toBe(root.spanId)
    const [group] = named(spans, 'group')
    expect(group!.parentSpanId).toBe(write!.spanId)
    const statements = named(spans, 'statement').filter(({ parentSpanId }) => parentSpanId === group!.spanId)
    expect(statements.map((span) => attribute(span, 'pool'))).toContain('write')

    const { path, headers, text } = collector.posts.find((post) => post.spans.includes(root))!
    expect([path, headers.get('content-type')]).toEqual(['/v1/traces', 'application/json'])
    expect([headers.get('x-key'), headers.get('x-tenant')]).toEqual(['a b', 'museum'])
    expect(text).toContain('"service.name"')
    for (const secret of ['garden', content, 'alice', alice.token, alice.deviceId, '127.0.0.1'])
      expect(text).not.toContain(secret)
    expect(text).not.toMatch(/insert|select|update/i)
  })

  test('has the reads, without the query and the ids of the path', async () => {
    const { data } = ok(await alice.call('qrCodes.create', { body: { name: 'a', content: 'b' } }))
    const requestId = 'trace-of-a-read'
    await alice.send('GET', `/api/qr-codes/${data.id}`, {
      headers: { 'x-request-id': requestId },
      query: { lang: 'zh' },
    })
    const root = await collector.root(ofRequest(requestId))
    expect(root.name).toBe('GET /api/qr-codes/:id')
    const spans = collector.traceOf(root)
    expectTree(spans)
    expect(named(spans, 'statement').map((span) => attribute(span, 'pool'))).toContain('read')
    expect(JSON.stringify(spans)).not.toContain('lang')
  })

  test('has the file store', async () => {
    ok(await upload(alice, note()))
    const root = await collector.root(({ name }) => name === 'POST /api/files/upload')
    const spans = collector.traceOf(root)
    expectTree(spans)
    expect(named(spans, 'file store').map((span) => attribute(span, 'operation'))).toContain('put')
  })

  test.if(onPostgres)('has the wait for the changes of other processes', () =>
    withServers(
      1,
      async ({ servers: [first] }) => {
        const person = await first!.person()
        const requestId = 'trace-of-a-wait'
        await sendTo(first!, person, 'GET', '/api/qr-codes', { headers: { 'x-request-id': requestId } })
        const root = await collector.root(ofRequest(requestId))
        const spans = collector.traceOf(root)
        expectTree(spans)
        expect(named(spans, 'wait for events')[0]!.parentSpanId).toBe(root.spanId)
      },
      { otlpUrl: collector.url, traceRatio: 1 },
    ),
  )

  test.if(inProcess)('has the write of a message, which many requests share', async () => {
    const bob = await server.person()
    await connect(server, alice, bob)
    await sendText(alice, bob)
    const root = await collector.root(({ name }) => name === 'POST /api/chats/messages')
    const spans = collector.traceOf(root)
    expectTree(spans)
    expect(named(spans, 'write').map((span) => attribute(span, 'name'))).toContain('chat.send')
  })
})

describe('Messages to other servers', () => {
  test('have traces of their own: mail, SMS and push', async () => {
    ok(await server.request('POST', '/api/auth/sms/send-code', { body: { phone: '+8613800138000', purpose: 'LOGIN' } }))
    const { client } = KIND
    expect(await collector.root(({ name }) => name === 'SMS')).toMatchObject({ kind: client, status: { code: 1 } })
    const email = { email: 'ann@example.org' }
    ok(await alice.post('/api/auth/email/send-code', { ...email, purpose: 'BIND' }))
    expect(await collector.root(({ name }) => name === 'mail')).toMatchObject({ kind: client, status: { code: 1 } })
    const person = await server.person()
    await pushes.subscribe(person)
    const org = ok(await alice.post('/api/orgs', { name: 'Willow Street Library' })).data
    ok(await alice.post(`/api/orgs/${org.id}/invite`, { userIds: [person.id] }))
    expect(await collector.root(({ name }) => name === 'push')).toMatchObject({ kind: client, status: { code: 1 } })
    const all = collector.posts.map(({ text }) => text).join()
    for (const secret of ['ann@', 'example.org', '13800138000', 'Willow', pushes.origin])
      expect(all).not.toContain(secret)
  })
})

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const PARENT = 'b7ad6b7169203331'
const traceparent = (flags: string) => ({ traceparent: `00-${TRACE}-${PARENT}-${flags}` })

describe('The header traceparent', () => {
  test('of a trusted proxy is the parent, and decides whether the request is sampled', async () => {
    await fetch(`${server.url}/actuator/health`, { headers: { ...traceparent('00'), 'x-request-id': 'not-sampled' } })
    await fetch(`${server.url}/actuator/health`, { headers: { ...traceparent('01'), 'x-request-id': 'is-sampled' } })
    const root = await collector.root(ofRequest('is-sampled'))
    expect(root).toMatchObject({ traceId: TRACE, parentSpanId: PARENT })
    expect(collector.spans().filter(ofRequest('not-sampled'))).toEqual([])
  })

  test.if(inProcess)('of other addresses is ignored', async () => {
    const direct = await startServer({ config: { otlpUrl: collector.url, traceRatio: 1, trustedProxies: [] } })
    await fetch(`${direct.url}/actuator/health`, { headers: { ...traceparent('01'), 'x-request-id': 'from-a-client' } })
    await direct.stop()
    const [root] = collector.spans().filter(ofRequest('from-a-client'))
    expect(root!.traceId).not.toBe(TRACE)
    expect(root!.parentSpanId).toBeUndefined()
  })

  test.each(['', '00', `00-${TRACE}-${PARENT}`, `ff-${TRACE}-${PARENT}-01`, `00-${'0'.repeat(32)}-${PARENT}-01`])(
    'is not accepted as %j',
    (header) => expect(parseTraceparent(header)).toBeUndefined(),
  )
})

const failing = domain({
  name: 'failing',
  endpoints: [
    endpoint({
      id: 'failing.fail',
      method: 'GET',
      path: '/api/fail',
      summary: 'Fail',
      tag: 'Operations',
      access: open,
      run: ({ ctx, caller }) => {
        throw new Error(`${ctx.config.host} ${caller.ip}`)
      },
    }),
    endpoint({
      id: 'failing.wait',
      method: 'GET',
      path: '/api/wait',
      summary: 'Wait',
      tag: 'Operations',
      access: open,
      run: async ({ ctx }) => {
        await ctx.db.write('failing.wait', () => Bun.sleep(1050))
      },
    }),
  ],
})

describe('A request that is not sampled', () => {
  test.if(inProcess)('is sent without its parts, and only if it failed or took a second', async () => {
    const own = startCollector()
    const config = { otlpUrl: own.url, traceRatio: 0, checkAnswers: false }
    const quiet = await startServer({ config, domains: (product) => [...product, failing] })
    expect((await quiet.request('GET', '/api/qr-codes')).status).toBe(401)
    expect((await quiet.request('GET', '/api/fail')).status).toBe(500)
    expect((await quiet.request('GET', '/api/wait')).status).toBe(200)
    // Sends what waits.
    await quiet.stop()
    await own.stop()
    expect(own.spans().map(({ name, status }) => [name, status.code])).toEqual([
      ['GET /api/fail', 2],
      ['GET /api/wait', 1],
    ])
    expect(own.spans()[0]!.traceId).not.toBe(own.spans()[1]!.traceId)
    expect(own.posts[0]!.text).not.toContain('127.0.0.1')
  })
})

describe('The sender', () => {
  function tracer(url: string) {
    const lines: string[] = []
    const clock = new TestClock()
    const metrics = createMetrics()
    const log = createLog({ level: 'warn', format: 'json', write: (text) => lines.push(text) })
    const made = new Tracer({ url, headers: {}, ratio: 1, process: 'p1', clock, log, metrics })
    return {
      clock,
      add(count: number) {
        for (let nth = 0; nth < count; nth++) made.begin('work', KIND.client).end()
      },
      stop: () => made.stop(),
      dropped: () => valueOf(readExposition(metrics.render()), 'tessera_spans_dropped_total'),
      warnings: () => lines.filter((line) => line.includes('"warn"')),
    }
  }

  test('keeps 2,048 spans while the collector is busy, sends 512 at a time and counts the others', async () => {
    const held = Promise.withResolvers<Response>()
    const slow = startCollector(() => (slow.posts.length === 1 ? held.promise : Response.json({})))
    const { add, stop, dropped, warnings } = tracer(slow.url)
    add(3000)
    expect(dropped()).toBe(3000 - 512 - 2048)
    await until(() => slow.posts.length === 1)
    held.resolve(Response.json({}))
    await stop()
    await slow.stop()
    expect(slow.posts.map(({ spans }) => spans.length)).toEqual([512, 512, 512, 512, 512])
    expect(new Set(slow.spans().map(({ spanId }) => spanId)).size).toBe(2560)
    expect(warnings()).toEqual([])
  })

  test('sends few spans too, without being stopped', async () => {
    const own = startCollector()
    const { add, stop } = tracer(own.url)
    add(3)
    await until(() => own.spans().length === 3)
    await stop()
    await own.stop()
  })

  test('drops the spans that a collector refuses or cannot get, and warns once a minute', async () => {
    const gone = startCollector()
    await gone.stop()
    const { clock, add, stop, dropped, warnings } = tracer(gone.url)
    add(512)
    await until(() => dropped() === 512)
    expect(warnings()).toHaveLength(1)
    expect(warnings()[0]).toContain('traces cannot be sent')
    add(10)
    await stop()
    expect([dropped(), warnings().length]).toEqual([522, 1])
    add(1)
    clock.advance(60_000)
    await stop()
    expect([dropped(), warnings().length]).toEqual([523, 2])

    const refusing = startCollector(() => new Response('no', { status: 401 }))
    const refused = tracer(refusing.url)
    refused.add(1)
    await refused.stop()
    await refusing.stop()
    expect([refused.dropped(), refused.warnings().length]).toEqual([1, 1])
    expect(refused.warnings()[0]).toContain('HTTP 401')
  })

  test('does not wait for a collector that never answers', async () => {
    const silent = startCollector(() => new Promise<Response>(() => {}))
    const { add, stop, dropped, warnings } = tracer(silent.url)
    add(600)
    await until(() => silent.posts.length === 1)
    await stop()
    expect(dropped()).toBe(600)
    expect(warnings()[0]).toContain('the server stops')
    await silent.stop()
  })

  test.if(inProcess)('does not keep requests waiting for it', async () => {
    const silent = startCollector(() => new Promise<Response>(() => {}))
    const own = await startServer({ config: { otlpUrl: silent.url, traceRatio: 1 } })
    const ask = () => fetch(`${own.url}/actuator/health`)
    for (let nth = 0; silent.posts.length === 0 || nth < 600; nth++) expect((await ask()).status).toBe(200)
    await own.stop()
    await silent.stop()
  })
})
