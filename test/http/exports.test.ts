/** Exports over HTTP whose parts the test controls. */

import { afterEach, beforeEach, describe, expect, test } from 'bun:test'

import { Type } from '@sinclair/typebox'

import type { AppContext } from '#context'
import { endpoint, open } from '#http/endpoint.ts'
import { sendExport } from '#http/exports.ts'
import type { Gatekeeper } from '#http/mount.ts'
import { listen, type RunningServer } from '#http/server.ts'
import { SECOND } from '#platform/clock.ts'

import { until } from '../harness/until.ts'
import { bareContext } from './context.ts'

const PIECE = new Uint8Array(64 * 1024).fill(7)

/** Exports whose start waits, by user. */
const holding = new Map<number, () => void>()

const endpoints = [
  endpoint({
    id: 'test.export',
    method: 'GET',
    path: '/export/:user',
    summary: 'Export',
    tag: 'Operations',
    access: open,
    params: Type.Object({ user: Type.Integer() }),
    query: Type.Object({
      pieces: Type.Integer({ default: 1 }),
      holds: Type.Boolean({ default: false }),
      fails: Type.Boolean({ default: false }),
    }),
    answers: 'application/octet-stream',
    run: ({ ctx, params: { user }, query: { pieces, holds, fails }, caller }) =>
      sendExport(ctx, { userId: user, isAdministrator: false, signal: caller.signal }, async () => {
        if (holds) await new Promise<void>((go) => holding.set(user, go))
        async function* generate() {
          for (let i = 0; i < pieces; i++) yield PIECE
          if (fails) throw new Error('broken')
        }
        return { pieces: generate(), type: 'application/octet-stream', name: 'file', rows: pieces * 1000 }
      }),
  }),
]

const never = (): never => {
  throw new Error('no operation of this test asks')
}
const gates: Gatekeeper = {
  authenticate: never,
  refusePublisherKey: never,
  can: never,
  consoleRefusal: never,
  isMember: never,
  refusalIn: never,
  refusesUnknownParameters: () => false,
  spend: never,
  isAdministrator: never,
  loggedActor: never,
}

/** Time of the server, which only the tests change: they must not depend on the speed of the machine. */
let now: number
let ctx: AppContext
let server: RunningServer
/** Kept, because the garbage collector closes the connection of an answer that nobody has. */
let answers: Response[]
beforeEach(() => {
  now = Date.now()
  ctx = bareContext({ host: '127.0.0.1' }, { now: () => now })
  server = listen(endpoints, ctx, gates)
  answers = []
})
afterEach(async () => {
  for (const go of holding.values()) go()
  holding.clear()
  await server.kill()
})

const get = (user: number, query = '', signal?: AbortSignal): Promise<Response> =>
  fetch(`${server.url}/export/${user}?${query}`, { ...(signal && { signal }) })

/** More than fits into the buffers of a connection. */
const LONG = 300

/** Begins an export and reads nothing of it. */
async function stall(user: number): Promise<Response> {
  const response = await get(user, `pieces=${LONG}`)
  expect(response.status).toBe(200)
  answers.push(response)
  return response
}

/** Takes both places for exports of any size. */
async function hold(...users: number[]): Promise<void> {
  for (const user of users) {
    // The end of the test may cut them off.
    void get(user, 'holds=true').then(
      (response) => response.arrayBuffer(),
      () => undefined,
    )
    await until(() => holding.has(user))
  }
}

describe('readers of exports', () => {
  test('keep no place while they take nothing, and get the rest when they read again', async () => {
    const stalled = [await stall(1), await stall(2), await stall(3), await stall(4)]
    for (let user = 10; user < 20; user++)
      expect((await (await get(user, 'pieces=3')).arrayBuffer()).byteLength).toBe(3 * PIECE.length)
    expect((await get(1)).status).toBe(429)
    for (const response of stalled) expect((await response.arrayBuffer()).byteLength).toBe(LONG * PIECE.length)
    expect((await get(1)).status).toBe(200)
  })

  test('get the whole file even if they take only a little at a time', async () => {
    await stall(2)
    await stall(3)
    const reader = (await get(1, 'pieces=40')).body!.getReader()
    let bytes = 0
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      bytes += value.length
      await Bun.sleep(2)
    }
    expect(bytes).toBe(40 * PIECE.length)
  })

  test('are cut off after taking nothing for 5 seconds if a hundred exports are open, one for each new export', async () => {
    for (let user = 1; user <= 100; user++) await stall(user)
    const refused = await get(101)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '10'])
    now += 5 * SECOND
    const served = await stall(102)
    // Only users whose export was cut off can begin again: that one, and another one that made room for it.
    const again: number[] = []
    for (let user = 1; user <= 100; user++) if ((await get(user)).status === 200) again.push(user)
    expect([1, 2]).toContain(again.length)
    const broken = answers[again[0]! - 1]!
    await expect(broken.arrayBuffer()).rejects.toThrow()
    expect((await served.arrayBuffer()).byteLength).toBe(LONG * PIECE.length)
  })
})

describe('requests for exports', () => {
  test('wait while the server works for others, and are served in turn', async () => {
    await hold(1, 2)
    const waiting = get(3)
    await Bun.sleep(0)
    holding.get(1)!()
    expect((await waiting).status).toBe(200)
  })

  test('get 429 with Retry-After if they have waited 15 seconds for a place', async () => {
    await hold(1, 2)
    let isAnswered = false
    const waiting = get(3).then((response) => ((isAnswered = true), response))
    // A second request of the user is refused at once as soon as the first one waits.
    await until(async () => (await get(3)).status === 429)
    expect(isAnswered).toBe(false)
    now += 15 * SECOND
    const response = await waiting
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '10'])
    expect(await response.json()).toMatchObject({ code: 4022, message: 'Other exports are running, try again later' })
  })

  test('leave their place in the queue when the client disconnects', async () => {
    await hold(1, 2)
    const client = new AbortController()
    const gone = get(3, '', client.signal).catch(() => 'gone')
    await Bun.sleep(20)
    client.abort()
    expect(await gone).toBe('gone')
    // The same user can ask again, which is refused while the first request is open.
    const waiting: Promise<Response>[] = []
    await until(async () => {
      const next = get(3)
      const first = await Promise.race([next, Bun.sleep(100)])
      if (first === undefined) waiting.push(next)
      return first === undefined
    })
    holding.get(1)!()
    expect((await waiting[0]!).status).toBe(200)
  })

  test('get 503 if they wait while the server stops', async () => {
    await hold(1, 2)
    const waiting = get(3)
    await until(async () => (await get(3)).status === 429)
    const stopped = server.stop()
    const response = await waiting
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5'])
    for (const go of holding.values()) go()
    await stopped
  })

  test('are broken off if the file fails, and the next export of the user is served', async () => {
    for (let i = 0; i < 5; i++) {
      const response = await get(1, 'pieces=2&fails=true')
      await expect(response.arrayBuffer()).rejects.toThrow()
    }
    expect((await (await get(1)).arrayBuffer()).byteLength).toBe(PIECE.length)
  })
})
