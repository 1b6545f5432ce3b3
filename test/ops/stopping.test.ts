import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { connect, type Socket } from 'node:net'

import { Installation } from './cli.ts'

let place: Installation
beforeEach(async () => {
  place = await Installation.make()
})
afterEach(() => place.dispose())

/** A request whose body is sent in two parts, so that it is under way for as long as the test wants. */
class SlowRequest {
  readonly #socket: Socket
  #answer = ''
  readonly ended: Promise<string>

  constructor(
    url: string,
    path: string,
    readonly body: string,
  ) {
    const { hostname, port } = new URL(url)
    this.#socket = connect(Number(port), hostname)
    this.ended = new Promise((resolve) => {
      this.#socket.on('data', (chunk) => (this.#answer += chunk.toString()))
      this.#socket.on('close', () => resolve(this.#answer))
      this.#socket.on('error', () => resolve(this.#answer))
    })
    const head = `POST ${path} HTTP/1.1\r\nhost: ${hostname}:${port}\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n`
    this.#socket.write(head + body.slice(0, 10))
  }

  finish(): void {
    this.#socket.write(this.body.slice(10))
  }

  destroy(): void {
    this.#socket.destroy()
  }
}

const REGISTER = JSON.stringify({ username: 'slowpoke', password: 'takes its time' })

describe.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('%s', (signal) => {
  test('what is under way is answered, nothing new is taken, and the end is clean', async () => {
    const server = await place.serve()
    const slow = new SlowRequest(server.url, '/api/auth/register', REGISTER)
    await Bun.sleep(200)
    server.child.kill(signal)
    await Bun.sleep(300)
    expect(server.child.exitCode).toBeNull()
    // Refused at the door, or answered that the server is stopping.
    const late = await fetch(`${server.url}/actuator/health`)
      .then((answer) => answer.status)
      .catch(() => 'refused')
    expect([503, 'refused']).toContain(late)
    slow.finish()
    expect(await slow.ended).toStartWith('HTTP/1.1 200')
    await server.child.exited
    expect(server.child.exitCode).toBe(0)
    // The line of the last request is not lost with the buffer.
    expect(server.stderr()).toContain('/api/auth/register')
    expect(server.stderr()).toContain('stopped')

    const again = await place.serve()
    const body = JSON.stringify({ account: 'slowpoke', password: 'takes its time' })
    const headers = { 'content-type': 'application/json' }
    expect((await fetch(`${again.url}/api/auth/login`, { method: 'POST', headers, body })).status).toBe(200)
    expect(await again.end()).toBe(0)
  })
})

test('one Ctrl-C that arrives twice is one', async () => {
  const server = await place.serve()
  const slow = new SlowRequest(server.url, '/api/auth/register', REGISTER)
  await Bun.sleep(200)
  server.child.kill('SIGINT')
  server.child.kill('SIGINT')
  await Bun.sleep(300)
  expect(server.child.exitCode).toBeNull()
  slow.destroy()
  expect(await server.child.exited).toBe(0)
  expect(server.stderr()).not.toContain('second signal')
})

test('a second signal ends it at once', async () => {
  const server = await place.serve()
  const slow = new SlowRequest(server.url, '/api/auth/register', REGISTER)
  await Bun.sleep(200)
  server.child.kill('SIGTERM')
  await Bun.sleep(200)
  expect(server.child.exitCode).toBeNull()
  const asked = performance.now()
  expect(await server.end('SIGINT')).toBe(130)
  expect(performance.now() - asked).toBeLessThan(2000)
  expect(server.stderr()).toContain('ended by a second signal')
  slow.destroy()
})

test('a request that never ends holds the server up for 10 seconds, not longer', async () => {
  const server = await place.serve()
  const slow = new SlowRequest(server.url, '/api/auth/register', REGISTER)
  await Bun.sleep(200)
  const asked = performance.now()
  expect(await server.end()).toBe(0)
  const took = performance.now() - asked
  expect(took).toBeGreaterThan(8000)
  expect(took).toBeLessThan(13_000)
  slow.destroy()
}, 30_000)

test('without requests the end comes at once', async () => {
  const server = await place.serve()
  // A client that keeps its connection open and says nothing.
  expect((await fetch(`${server.url}/actuator/health`)).status).toBe(200)
  const asked = performance.now()
  expect(await server.end()).toBe(0)
  expect(performance.now() - asked).toBeLessThan(2000)
})
