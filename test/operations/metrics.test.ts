import { describe, expect, test } from 'bun:test'

import { allEndpoints } from '#app'
import { createMetrics } from '#platform/metrics.ts'

import { inProcess, ok, startServer, until, useServer } from '../harness/index.ts'
import { onPostgres, withServers } from '../processes/several.ts'
import { readExposition, valueOf } from './exposition.ts'

const TOKEN = 'a-token-for-prometheus'
const { server, alice } = useServer({ config: { metricsToken: TOKEN }, people: ['alice'] })

const scrape = (token: string, path = '/actuator/metrics', url = server.url) =>
  fetch(url + path, { headers: { authorization: `Bearer ${token}` } })

const families = async (url = server.url) => readExposition(await (await scrape(TOKEN, undefined, url)).text())

const series = (text: string): number => text.split('\n').filter((line) => line !== '' && !line.startsWith('#')).length

describe('the metrics token', () => {
  test('reads metrics without a user and a device, and opens nothing else', async () => {
    const answer = await scrape(TOKEN)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([
      200,
      'text/plain; version=0.0.4; charset=utf-8',
    ])
    for (const path of ['/actuator/info', '/api/admin/server-log', '/api/auth/userinfo'])
      expect((await scrape(TOKEN, path)).status, path).toBe(401)
    expect(await (await scrape(TOKEN, '/actuator/health')).json()).toEqual({ status: 'UP' })
  })

  test('is refused if it is wrong, as are users without the permission', async () => {
    for (const wrong of ['x', `${TOKEN}x`, TOKEN.slice(1), 'a.b.c']) expect((await scrape(wrong)).status).toBe(401)
    expect((await fetch(`${server.url}/actuator/metrics`)).status).toBe(401)
    const { token, deviceId } = alice
    expect((await server.request('GET', '/actuator/metrics', { token, deviceId })).status).toBe(403)
    const admin = await server.admin()
    const reply = await server.request('GET', '/actuator/metrics', { token: admin.token, deviceId: admin.deviceId })
    expect(reply.status).toBe(200)
  })

  test.if(inProcess)('is counted as a secret when it is wrong only', async () => {
    const limited = await startServer({ config: { metricsToken: TOKEN }, rateLimit: true })
    try {
      const statuses = async (token: string, times: number) => {
        const answers = Array.from({ length: times }, () => scrape(token, undefined, limited.url))
        return new Set((await Promise.all(answers)).map(({ status }) => status))
      }
      expect(await statuses(TOKEN, 100)).toEqual(new Set([200]))
      for (let nth = 0; nth < 60; nth++) expect((await scrape('wrong', undefined, limited.url)).status).toBe(401)
      expect(await statuses('wrong', 1)).toEqual(new Set([429]))
      // Otherwise the limit would not keep anyone from guessing.
      expect(await statuses(TOKEN, 1)).toEqual(new Set([429]))
    } finally {
      await limited.stop()
    }
  })

  test.if(inProcess)('is not accepted if none is configured', async () => {
    const without = await startServer()
    try {
      for (const token of ['', 'undefined', TOKEN])
        expect((await scrape(token, undefined, without.url)).status).toBe(401)
    } finally {
      await without.stop()
    }
  })
})

describe('metrics', () => {
  test('are in the format of Prometheus', async () => {
    for (const path of ['/setup', '/nowhere', '/api/qr-codes']) await fetch(server.url + path)
    ok(await alice.call('qrCodes.create', { body: { name: 'a', content: 'b' } }))
    const text = await (await scrape(TOKEN)).text()
    const found = readExposition(text)
    expect(found.size).toBeGreaterThan(15)
    expect(valueOf(found, 'tessera_requests_in_flight')).toBe(1)
    expect(
      valueOf(
        found,
        'tessera_http_requests_total',
        'tessera_http_requests_total{endpoint="qrCodes.create",status="200"}',
      ),
    ).toBe(1)
    expect(found.get('tessera_http_request_duration_seconds')!.type).toBe('histogram')
    expect(
      valueOf(
        found,
        'tessera_http_request_seconds_total',
        'tessera_http_request_seconds_total{endpoint="qrCodes.create"}',
      ),
    ).toBeGreaterThan(0)
    expect(valueOf(found, 'tessera_db_group_size', 'tessera_db_group_size_count')).toBeGreaterThan(0)
    expect(valueOf(found, 'tessera_up')).toBe(1)
    expect(valueOf(found, 'tessera_outbox_waiting')).toBe(0)
    expect(valueOf(found, 'tessera_backup_overdue')).toBe(0)

    // Debian's package `prometheus` contains it.
    if (Bun.which('promtool') !== null) {
      const child = Bun.spawn(['promtool', 'check', 'metrics'], { stdin: new Blob([text]), stderr: 'pipe' })
      expect([await child.stderr.text(), await child.exited]).toEqual(['', 0])
    }
  })

  test.if(inProcess)('have the time when a job last succeeded', async () => {
    const { clock } = server
    const before = clock.now() / 1000
    clock.advance(120_000)
    const read = async () => (await families()).get('tessera_jobs_last_success_seconds')!.samples
    await until(async () => (await read()).size > 5)
    const jobs = await read()
    for (const at of jobs.values()) {
      expect(at).toBeGreaterThan(before + 119)
      expect(at).toBeLessThanOrEqual(clock.now() / 1000)
    }
  })

  test('have at most 3,500 series, however many endpoints answer in however many ways', () => {
    const metrics = createMetrics()
    const counted = (text: string, name: string) =>
      [...readExposition(text).get(name)!.samples.values()].reduce((sum, n) => sum + n, 0)
    let requests = 0
    for (const status of [200, 201, 204, 304, 400, 401, 403, 404, 409, 413, 429, 500, 503])
      for (const endpoint of allEndpoints) {
        metrics.begin()
        metrics.request(endpoint, status, 1)
        requests++
      }
    const text = metrics.render()
    expect(series(text)).toBeLessThan(3300)
    // None is lost.
    expect(counted(text, 'tessera_http_requests_total')).toBe(requests)
    expect(text).toContain('{endpoint="other",status="503"}')
    expect(counted(text, 'tessera_http_request_seconds_total')).toBeCloseTo(requests / 1000)
    expect(counted(text, 'tessera_requests_in_flight')).toBe(0)
  })
})

test.if(onPostgres)('two processes count statements by pool, and the events that they read of each other', async () => {
  await withServers(
    2,
    async ({ servers }) => {
      const [a, b] = [servers[0]!, servers[1]!]
      const person = await a.person()
      for (const { url } of [a, b, a, b]) await fetch(`${url}/api/qr-codes`)
      const admin = await a.admin()
      ok(await admin.call('admin.settings.update', { body: { values: { 'quota.assets': 7 } } }))
      await fetch(`${b.url}/api/qr-codes`)
      const found = await families(b.url)
      for (const pool of ['read', 'write', 'events', 'stamps']) {
        const count = valueOf(found, 'tessera_db_statements_total', `tessera_db_statements_total{pool="${pool}"}`)
        expect(count).toBeGreaterThan(0)
        expect(valueOf(found, 'tessera_db_seconds', `tessera_db_seconds_count{pool="${pool}"}`)).toBe(count!)
      }
      expect(found.get('tessera_db_waiting')!.samples.size).toBe(3)
      expect(valueOf(found, 'tessera_db_conflicts_total')).toBeGreaterThanOrEqual(0)
      expect(valueOf(found, 'tessera_bus_events_total')).toBeGreaterThan(0)
      expect(valueOf(found, 'tessera_bus_delay_seconds')).toBeGreaterThanOrEqual(0)
      expect(valueOf(found, 'tessera_caught_up_seconds')).toBeLessThan(60)
      expect(person.id).toBeGreaterThan(0)
    },
    { metricsToken: TOKEN },
  )
})
