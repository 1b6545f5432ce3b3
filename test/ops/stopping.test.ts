import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { connect, type Socket } from 'node:net'

import { sources } from '../harness/program.ts'
import { Installation, type RunningCli } from './cli.ts'

let place: Installation
beforeEach(async () => {
  place = await Installation.make()
})
afterEach(() => place.dispose())

const BODY = JSON.stringify({ username: 'slowpoke', password: 'takes its time' })

/** A registration whose body is sent in two parts, so that it is under way for as long as the test wants. */
class SlowRequest {
  readonly #socket: Socket
  #answer = ''
  /** Resolves with everything that was received when the connection closes. */
  readonly ended: Promise<string>

  private constructor(url: string) {
    const { hostname, port } = new URL(url)
    this.#socket = connect(Number(port), hostname)
    this.ended = new Promise((resolve) => {
      this.#socket.on('data', (chunk) => (this.#answer += chunk.toString()))
      this.#socket.on('close', () => resolve(this.#answer))
      this.#socket.on('error', () => resolve(this.#answer))
    })
  }

  /** Resolves when the server has read the first part. */
  static async start(server: RunningCli): Promise<SlowRequest> {
    const request = new SlowRequest(server.url)
    const { host } = new URL(server.url)
    const head = `POST /api/auth/register HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: ${Buffer.byteLength(BODY)}\r\n\r\n`
    await new Promise<void>((sent) => request.#socket.write(head + BODY.slice(0, 10), () => sent()))
    // The server reads what has arrived before it answers requests that arrive later.
    for (let i = 0; i < 3; i++) expect((await fetch(`${server.url}/actuator/health`)).status).toBe(200)
    return request
  }

  finish(): void {
    this.#socket.write(BODY.slice(10))
  }

  destroy(): void {
    this.#socket.destroy()
  }
}

/** Resolves when the server takes no new requests: it refuses the connection or answers that it is stopping. */
async function refusesNewRequests(server: RunningCli): Promise<void> {
  for (;;) {
    const status = await fetch(`${server.url}/actuator/health`)
      .then((answer) => answer.status)
      .catch(() => 'refused')
    if (status !== 200) return expect([503, 'refused']).toContain(status)
    await Bun.sleep(10)
  }
}

test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
  'after %s the server answers the requests under way, takes no new ones and exits with 0',
  async (signal) => {
    const server = await place.serve()
    const slow = await SlowRequest.start(server)
    server.child.kill(signal)
    await refusesNewRequests(server)
    expect(server.child.exitCode).toBeNull()
    slow.finish()
    expect(await slow.ended).toStartWith('HTTP/1.1 200')
    expect(await server.ended()).toBe(0)
    // The buffered line of the last request is written before the end.
    expect(server.stderr()).toContain('/api/auth/register')
    expect(server.stderr()).toContain('stopped')

    const again = await place.serve()
    const body = JSON.stringify({ account: 'slowpoke', password: 'takes its time' })
    const headers = { 'content-type': 'application/json' }
    expect((await fetch(`${again.url}/api/auth/login`, { method: 'POST', headers, body })).status).toBe(200)
    expect(await again.end()).toBe(0)
  },
)

test('two signals of one Ctrl-C count as one', async () => {
  const server = await place.serve()
  const slow = await SlowRequest.start(server)
  // A stopped process receives both at the same moment, even on a busy machine. Two equal signals would be delivered only once.
  for (const signal of ['SIGSTOP', 'SIGINT', 'SIGTERM', 'SIGCONT'] as const) server.child.kill(signal)
  await refusesNewRequests(server)
  slow.destroy()
  expect(await server.ended()).toBe(0)
  expect(server.stderr()).not.toContain('second signal')
})

test('a second signal ends the server at once', async () => {
  const server = await place.serve()
  const slow = await SlowRequest.start(server)
  server.child.kill('SIGTERM')
  await refusesNewRequests(server)
  // An earlier signal would count as part of the same Ctrl-C.
  await Bun.sleep(150)
  expect(server.child.exitCode).toBeNull()
  // A server that waited for the request would exit with 0.
  expect(await server.end('SIGINT')).toBe(130)
  expect(server.stderr()).toContain('ended by a second signal')
  slow.destroy()
})

/** Logged when requests are still running 10 seconds after the stop. */
const CUT_OFF = 'requests that did not end in time are cut off'

test('a request that never ends delays the end by 10 seconds and does not prevent it', async () => {
  const server = await place.serve()
  const slow = await SlowRequest.start(server)
  // 1 would mean that the server was ended by its own deadline of 15 seconds.
  expect(await server.end()).toBe(0)
  expect(server.stderr()).toContain(CUT_OFF)
  slow.destroy()
})

test('clients with open connections get 503 with Retry-After, and none of them is reset', async () => {
  const server = await place.serve([], { env: { TESSERA_RATE_LIMIT: 'off', TESSERA_LOG_LEVEL: 'error' } })
  const { hostname, port } = new URL(server.url)
  /** Sends one request after the other on one connection until it is closed. Resolves with the last answer. */
  const client = async (): Promise<string> => {
    const socket = connect(Number(port), hostname)
    let last = ''
    socket.on('data', (chunk) => {
      last = chunk.toString()
      if (!socket.destroyed) socket.write(ask)
    })
    const ask = `GET /api/qr-codes HTTP/1.1\r\nhost: ${hostname}:${port}\r\n\r\n`
    socket.write(ask)
    return new Promise((resolve) => {
      socket.on('error', (error) => resolve(`reset: ${error.message}`))
      socket.on('close', () => resolve(last))
    })
  }
  const clients = Array.from({ length: 64 }, client)
  // Every client has had an answer.
  for (let i = 0; i < 20; i++) await fetch(`${server.url}/actuator/health`)
  server.child.kill('SIGTERM')
  for (const last of await Promise.all(clients)) {
    expect(last).toStartWith('HTTP/1.1 503')
    expect(last.toLowerCase()).toContain('retry-after: 5')
    expect(last.toLowerCase()).toContain('connection: close')
  }
  expect(await server.ended()).toBe(0)
})

test('an idle connection does not delay the end', async () => {
  const server = await place.serve()
  // `fetch` keeps the connection open.
  expect((await fetch(`${server.url}/actuator/health`)).status).toBe(200)
  expect(await server.end()).toBe(0)
  // Otherwise the server would have waited 10 seconds for the connection, and then closed it.
  expect(server.stderr()).not.toContain(CUT_OFF)
})

describe('an error that no code catches', () => {
  test.each([
    ['an exception', 'SIGUSR1', 'provoked exception'],
    ['a rejection', 'SIGUSR2', 'provoked rejection'],
  ] as const)('%s is logged, requests under way are answered, and the exit code is 1', async (_, signal, message) => {
    const preload = ['--preload', `${import.meta.dir}/throw-later.ts`]
    const server = await place.serve([], { program: sources(...preload) })
    const slow = await SlowRequest.start(server)
    server.child.kill(signal)
    await refusesNewRequests(server)
    expect(server.child.exitCode).toBeNull()
    slow.finish()
    expect(await slow.ended).toStartWith('HTTP/1.1 200')
    expect(await server.ended()).toBe(1)
    expect(server.stderr()).toContain(message)
    expect(server.stderr()).toContain('stopped')
    // The supervisor starts it again, on the same data.
    const again = await place.serve()
    expect(await again.end()).toBe(0)
  })
})

test('with a longer drain, requests are answered while the server is no longer ready', async () => {
  const server = await place.serve([], { env: { TESSERA_DRAIN_SECONDS: '4', TESSERA_RATE_LIMIT: 'off' } })
  const ask = async (path: string) => {
    const answer = await fetch(server.url + path)
    return [answer.status, answer.headers.get('connection'), await answer.text()] as const
  }
  expect((await ask('/actuator/health/ready'))[0]).toBe(200)
  expect((await place.run(['healthcheck', '--ready'], { env: {} })).code).toBe(0)
  server.child.kill('SIGTERM')
  while ((await ask('/actuator/health/ready'))[0] === 200) await Bun.sleep(5)
  const ready = await place.run(['healthcheck', '--ready'])
  expect([ready.code, ready.stderr]).toEqual([1, expect.stringContaining('503 (DOWN, DRAINING)')])
  expect(await ask('/actuator/health/ready')).toEqual([503, 'close', '{"status":"DOWN","reason":"DRAINING"}'])
  expect(await ask('/setup')).toEqual([200, 'close', expect.stringContaining('<html')])
  expect((await ask('/actuator/health'))[0]).toBe(503)
  expect((await place.run(['healthcheck', '--live'])).code).toBe(0)
  expect(await server.ended()).toBe(0)
})

test('with a drain of 0 the port is closed at once', async () => {
  const server = await place.serve([], { env: { TESSERA_DRAIN_SECONDS: '0' } })
  expect(await server.end()).toBe(0)
})

test('healthcheck refuses to ask two questions', async () => {
  const { code, stderr } = await place.run(['healthcheck', '--live', '--ready'])
  expect([code, stderr]).toEqual([2, expect.stringContaining('--live and --ready cannot be used together')])
})
