/** Budgets that records declare, and the limits by address that all requests share. */

import { afterEach, describe, expect, spyOn, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { domain } from '#domains/domain.ts'
import { type Budget, usesOf } from '#http/budget.ts'
import { type AnyEndpoint, endpoint, open, signedIn } from '#http/endpoint.ts'
import { forbidden, unauthorized } from '#http/errors.ts'
import type { Gatekeeper } from '#http/mount.ts'
import { openApiDocument } from '#http/openapi/document.ts'
import { Line, Type } from '#http/schema.ts'
import { listen, type RunningServer } from '#http/server.ts'
import type { Clock } from '#platform/clock.ts'
import { countUse } from '#platform/limiter.ts'

import { send } from '../harness/client.ts'
import { freshDatabase } from '../harness/database.ts'
import { inProcess, ok, race, startServer } from '../harness/index.ts'
import { bareContext } from './context.ts'

const MINUTE = 60_000
const DAY = 86_400_000
const tag = 'Operations'
const counts = { en: 'letters', zh: '信件' }

const Body = Type.Object({ names: Type.Array(Line(10, 1), { maxItems: 100 }) })
const costOfNames = ({ body }: { body: { names: string[] } }) => body.names.length

const perUser: Budget = { name: 'letters', counts, per: 'user', limit: 5, windowMs: DAY }
const perAddress: Budget = { name: 'letters', counts, per: 'address', limit: 8, windowMs: DAY }

const letter = (id: string, budgets: NonNullable<AnyEndpoint['budgets']>) =>
  endpoint({
    id: `letters.${id}`,
    method: 'POST',
    path: `/api/letters/${id}`,
    summary: `Write letters (${id})`,
    tag,
    access: signedIn,
    budgets,
    body: Body,
    data: Type.Integer(),
    run: ({ body }) => body.names.length,
  })

const perName = { cost: costOfNames }
let adjustable = 2
const endpoints = [
  letter('write', [
    { ...perUser, ...perName },
    { ...perAddress, ...perName },
  ]),
  letter('copy', [{ ...perUser, ...perName }]),
  letter('post', [{ ...perAddress, name: 'posted', limit: 2 }]),
  letter('adjustable', [{ ...perUser, name: 'adjustable', limit: { initial: 2, read: () => adjustable } }]),
  endpoint({
    id: 'letters.count',
    method: 'GET',
    path: '/api/letters',
    summary: 'Count letters',
    tag,
    access: signedIn,
    run: () => undefined,
  }),
  endpoint({
    id: 'letters.secret',
    method: 'GET',
    path: '/api/letters/secret',
    summary: 'Check a secret',
    tag,
    access: signedIn,
    checksSecret: true,
    run: () => undefined,
  }),
  endpoint({
    id: 'letters.open',
    method: 'GET',
    path: '/api/letters/open',
    summary: 'Check a secret of an anonymous caller',
    tag,
    access: open,
    checksSecret: true,
    run: () => undefined,
  }),
]

let durable: unknown[] = []
const gates: Gatekeeper = {
  authenticate(_ctx, token) {
    const id = Number(/^user-(\d+)$/.exec(token)?.[1])
    return id ? { userId: id, sessionId: id, deviceKey: `key-${id}` } : unauthorized('Sign in again', '请重新登录')
  },
  can: () => true,
  refusePublisherKey: async () => undefined,
  isAdministrator: () => false,
  loggedActor: () => {
    throw new Error('no endpoint of this file is logged')
  },
  refusesUnknownParameters: () => false,
  consoleRefusal: () => undefined,
  isMember: () => false,
  refusalIn: () => forbidden('refused', '拒绝'),
  spend: async (_ctx, uses) => void durable.push(...uses),
}

/** Only a test moves it, so that no window ends however long the requests take. */
class StoppedClock implements Clock {
  #now = 1_767_225_600_000
  now = () => this.#now
  advance(ms: number): void {
    this.#now += ms
  }
}

let running: RunningServer | undefined
afterEach(async () => {
  await running?.kill()
  running = undefined
  durable = []
})

function start(rateLimit = true) {
  const clock = new StoppedClock()
  const ctx = bareContext({ rateLimit, trustedProxies: ['127.0.0.0/8'] }, clock)
  const server = (running = listen(endpoints, ctx, gates))
  const write = (user: number, count: number, path = '/api/letters/write', ip = '192.0.2.1') =>
    send(server.url, 'POST', path, {
      token: `user-${user}`,
      headers: { 'x-forwarded-for': ip },
      body: { names: Array.from({ length: count }, () => 'Lin') },
    })
  const get = (path: string, ip: string, token?: string) =>
    send(server.url, 'GET', path, { headers: { 'x-forwarded-for': ip }, ...(token !== undefined && { token }) })
  return { clock, ctx, server, write, get }
}

describe('a budget', () => {
  test('is used up by the cost of each call, and refuses with 4022 and Retry-After until its window ends', async () => {
    const { clock, write } = start()
    expect((await write(1, 3)).status).toBe(200)
    clock.advance(DAY - 90_000)
    const refused = await write(1, 3)
    expect([refused.status, refused.code, refused.message]).toEqual([429, 4022, 'Too many letters, try again later'])
    expect(refused.headers.get('retry-after')).toBe('90')
    clock.advance(90_000)
    expect((await write(1, 5)).status).toBe(200)
  })

  test('counts nothing for a call that it refuses, that is not valid or that costs nothing', async () => {
    const { write } = start()
    expect((await write(1, 6)).status).toBe(429)
    expect((await write(1, 101)).status).toBe(400)
    expect((await write(1, 0)).status).toBe(200)
    expect((await write(1, 5)).status).toBe(200)
    expect((await write(1, 0)).status).toBe(200)
  })

  test('counts a call in all budgets or in none', async () => {
    const { write } = start()
    for (const user of [1, 2]) expect((await write(user, 3)).status).toBe(200)
    // 6 of 8 are used at the address, so 3 more are refused there and must not count for user 3.
    expect((await write(3, 3)).status).toBe(429)
    expect((await write(3, 5, '/api/letters/write', '192.0.2.9')).status).toBe(200)
  })

  test('is shared by all operations that declare its name, and is counted for each user', async () => {
    const { write } = start()
    expect((await write(1, 3)).status).toBe(200)
    expect((await write(1, 3, '/api/letters/copy')).status).toBe(429)
    expect((await write(1, 2, '/api/letters/copy')).status).toBe(200)
    expect((await write(2, 3, '/api/letters/copy')).status).toBe(200)
  })

  test('counts an IPv6 /64 like one address, and allows a /56 three and a /48 five times as much', async () => {
    const { write } = start()
    const sent = async (ips: string[]) => {
      const replies = []
      for (const ip of ips) replies.push(await write(1, 1, '/api/letters/post', ip))
      return replies.filter((r) => r.status === 200).length
    }
    expect(await sent(['2001:db8:1:2::1', '2001:db8:1:2::2', '2001:db8:1:2::3'])).toBe(2)
    // The same /56, which has a limit of 6.
    expect(await sent(Array.from({ length: 9 }, (_, i) => `2001:db8:1:${i + 3}::1`))).toBe(4)
    // Other /56s of the same /48, which has a limit of 10.
    expect(await sent(Array.from({ length: 9 }, (_, i) => `2001:db8:1:${i + 1}00::1`))).toBe(4)
    expect(await sent(['2001:db8:2::1', '192.0.2.7'])).toBe(2)
  })

  test('can have a limit that is read at each call, where 0 means none', async () => {
    const { write } = start()
    const path = '/api/letters/adjustable'
    const statuses = async (count: number) =>
      (await Promise.all(Array.from({ length: count }, () => write(1, 1, path)))).map((r) => r.status)
    expect(await statuses(3)).toEqual([200, 200, 429])
    adjustable = 3
    expect(await statuses(2)).toEqual([200, 429])
    adjustable = 0
    expect(await statuses(9)).toEqual(Array(9).fill(200))
  })

  test('is not counted with rate limits switched off, nor for operations that declare none', async () => {
    const off = start(false)
    for (let i = 0; i < 9; i++) expect((await off.write(1, 5)).status).toBe(200)
    await off.server.kill()
    const { ctx, get } = start()
    const takeAll = spyOn(ctx.limiter, 'takeAll')
    expect((await get('/api/letters', '192.0.2.1', 'user-1')).status).toBe(200)
    expect(takeAll).not.toHaveBeenCalled()
    expect(durable).toEqual([])
  })

  test('is documented with its operation, with the number that it has by default', () => {
    const document = openApiDocument(endpoints, { version: '1', publicUrl: '' })
    const paths = document.paths as Record<string, { post: { description: string } }>
    const descriptionOf = (path: string) => paths[path]!.post.description
    expect(descriptionOf('/api/letters/write')).toContain(
      '**Limits:** 5 letters a day for each user; 8 letters a day from each IP address.',
    )
    expect(descriptionOf('/api/letters/adjustable')).toContain('2 letters a day for each user (by default).')
  })

  test('starts a window with the first use, and a new count when the window ends', () => {
    const use = { key: 'x', limit: 2, windowMs: 100 }
    const one = { count: 1, windowStart: 1000 }
    const two = { count: 2, windowStart: 1000 }
    expect(countUse(undefined, use, 1000)).toEqual({ after: one })
    expect(countUse(one, use, 1050)).toEqual({ after: two })
    expect(countUse(two, use, 1099)).toEqual({ refusedFor: 1 })
    expect(countUse(two, use, 1100)).toEqual({ after: { count: 1, windowStart: 1100 } })
    expect(countUse(one, { ...use, cost: 2 }, 1050)).toEqual({ refusedFor: 50 })
  })
})

describe('limits by address', () => {
  test('operations of signed-in users that check a secret are limited to 60 a minute for a session and for an address', async () => {
    const { get, clock } = start()
    const answered = async (count: number, ip: string, token?: string) => {
      const path = token === undefined ? '/api/letters/open' : '/api/letters/secret'
      const replies = await Promise.all(Array.from({ length: count }, () => get(path, ip, token)))
      return replies.filter((r) => r.status === 200).length
    }
    expect(await answered(70, '192.0.2.1', 'user-1')).toBe(60)
    // A second session at the address, and anonymous calls from there, do not get 60 of their own.
    expect(await answered(10, '192.0.2.1', 'user-2')).toBe(0)
    expect(await answered(10, '192.0.2.1')).toBe(0)
    // The session is limited at its next address, too; others are not.
    expect(await answered(10, '192.0.2.2', 'user-1')).toBe(0)
    expect(await answered(10, '192.0.2.2', 'user-3')).toBe(10)
    const refused = await get('/api/letters/secret', '192.0.2.1', 'user-1')
    expect([refused.status, refused.code]).toEqual([429, 4022])
    clock.advance(MINUTE)
    expect(await answered(1, '192.0.2.1', 'user-1')).toBe(1)
  })

  test('requests for unknown paths and with wrong methods are limited to 300 a minute for an address', async () => {
    const { get, server } = start()
    const ip = '192.0.2.1'
    const unknown = await Promise.all(Array.from({ length: 200 }, (_, i) => get(`/admin/${i}.php`, ip)))
    expect(new Set(unknown.map((r) => r.status))).toEqual(new Set([404]))
    const wrong = await Promise.all(
      Array.from({ length: 110 }, () =>
        send(server.url, 'DELETE', '/api/letters', { headers: { 'x-forwarded-for': ip } }),
      ),
    )
    expect(wrong.filter((r) => r.status === 405)).toHaveLength(100)
    const refused = await send(server.url, 'GET', '/nothing', {
      headers: { 'x-forwarded-for': ip, accept: 'text/html' },
    })
    expect([refused.status, refused.code]).toEqual([429, 4022])
    expect(Number(refused.headers.get('retry-after'))).toBeWithin(1, 61)
    expect((await get('/nothing', '192.0.2.2')).status).toBe(404)
    expect((await get('/api/letters', ip, 'user-1')).status).toBe(200)
  })

  test('a /64 that goes on after its limit does not use up the limit of the /48 around it', async () => {
    const { get } = start()
    for (let i = 0; i < 4; i++)
      await Promise.all(Array.from({ length: 100 }, () => get('/api/letters/open', '2001:db8:1:1::1')))
    expect((await get('/api/letters/open', '2001:db8:1:1::1')).status).toBe(429)
    expect((await get('/api/letters/open', '2001:db8:1:2::1')).status).toBe(200)
  })
})

describe.if(inProcess)('a durable budget', () => {
  const stamps: Budget = { name: 'stamps', counts, per: 'user', limit: 5, windowMs: DAY, durable: true }
  const post = domain({
    name: 'post',
    endpoints: [
      letter('durable', [{ ...stamps, ...perName }]),
      endpoint({
        id: 'letters.inRun',
        method: 'POST',
        path: '/api/letters/in-run',
        summary: 'Count in the write',
        tag,
        access: signedIn,
        budgets: [{ ...stamps, countedByRun: true }],
        data: Type.Integer(),
        run: async ({ ctx, actor, caller }) => (await usesOf(ctx, stamps, { actor, caller }, 2))[0]!.cost!,
      }),
    ],
  })
  const start = (dataDir?: string, databaseUrl = '') =>
    startServer({
      rateLimit: true,
      domains: (product) => [...product, post],
      ...(dataDir !== undefined && { dataDir, config: { databaseUrl } }),
    })
  const write = (server: Awaited<ReturnType<typeof start>>, token: string, deviceId: string, count = 1) =>
    server.request('POST', '/api/letters/durable', {
      token,
      deviceId,
      body: { names: Array.from({ length: count }, () => 'Lin') },
    })

  test('lets exactly as many of 50 calls at once through as it has, and survives a restart', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'tessera-budget-'))
    const database = process.env['TEST_DATABASE_URL'] ? await freshDatabase() : undefined
    const first = await start(dataDir, database?.url)
    const { token, deviceId } = await first.person('lin')
    const replies = await race(50, () => write(first, token, deviceId))
    expect(replies.filter((r) => r.status === 200)).toHaveLength(5)
    expect(replies.filter((r) => r.code === 4022)).toHaveLength(45)
    await first.stop()
    const second = await start(dataDir, database?.url)
    const refused = await write(second, token, deviceId)
    expect([refused.status, refused.code]).toEqual([429, 4022])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(86_000)
    second.clock.advance(DAY)
    expect((await write(second, token, deviceId, 5)).status).toBe(200)
    await second.stop()
    await database?.drop()
    rmSync(dataDir, { recursive: true })
  })

  test('is counted for each user', async () => {
    await using server = await start()
    for (const user of [await server.person(), await server.person()])
      ok(await write(server, user.token, user.deviceId, 5))
  })

  test('is not counted by the server if `run` counts it', async () => {
    await using server = await start()
    const user = await server.person()
    for (let i = 0; i < 9; i++) expect(ok(await user.post('/api/letters/in-run')).data).toBe(2)
  })
})
