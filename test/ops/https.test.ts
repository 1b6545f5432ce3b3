/** The server with a certificate: HTTPS, the port for plain HTTP, refused starts, and a change of the certificate while clients work. */

import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { connect } from 'node:net'
import { join } from 'node:path'
import { connect as connectTls, type TLSSocket } from 'node:tls'

import { ADMIN } from '../harness/server.ts'
import { until } from '../harness/until.ts'
import { Installation, type RunningCli } from './cli.ts'

const fixture = (name: string): string => join(import.meta.dir, '../harness/tls', name)

let place: Installation
let certFile = ''
let keyFile = ''
beforeEach(async () => {
  place = await Installation.make()
  certFile = join(place.home, 'cert.pem')
  keyFile = join(place.home, 'key.pem')
  use('localhost-1')
})
afterEach(() => place.dispose())

function use(name: string): void {
  copyFileSync(fixture(`${name}.key.pem`), keyFile)
  copyFileSync(fixture(`${name}.cert.pem`), certFile)
}

const env = () => ({
  TESSERA_TLS_CERT: certFile,
  TESSERA_TLS_KEY: keyFile,
  TESSERA_ADMIN_USERNAME: ADMIN.username,
  TESSERA_ADMIN_PASSWORD: ADMIN.password,
})
const serve = (...args: string[]): Promise<RunningCli> => place.serve(args, { env: env() })

const TRUSTED = {
  tls: { ca: ['localhost-1', 'localhost-2'].map((name) => readFileSync(fixture(`${name}.cert.pem`), 'utf8')) },
}
/** A request of a client that verifies the certificate. */
const get = (url: string, init: RequestInit = {}): Promise<Response> => fetch(url, { ...TRUSTED, ...init })

const SIGN_IN_HEADERS = { 'content-type': 'application/json', 'x-device-id': 'device-of-the-https-test' }
/** A second sign-in with the same device would end the session of the first. */
const OTHER_DEVICE = { ...SIGN_IN_HEADERS, 'x-device-id': 'other-device-of-the-https-test' }
const SIGN_IN = JSON.stringify({ account: ADMIN.username, password: ADMIN.password })

/** Begins a sign-in whose body goes on arriving until `end`, which resolves with the status of the answer. */
function slowSignIn(url: string): { end(): Promise<number | undefined> } {
  const answer = Promise.withResolvers<number | undefined>()
  const sending = request(`${url}/api/auth/login`, {
    method: 'POST',
    headers: OTHER_DEVICE,
    rejectUnauthorized: false,
  })
  sending.on('response', ({ statusCode }) => answer.resolve(statusCode)).on('error', answer.reject)
  const timer = setInterval(() => sending.write(' '), 100)
  return {
    end() {
      clearInterval(timer)
      sending.end(SIGN_IN)
      return answer.promise
    },
  }
}

/** The common name of the certificate that a new connection gets. */
async function nameAt(url: string): Promise<string> {
  const { hostname, port } = new URL(url)
  const socket = await new Promise<TLSSocket>((resolve, reject) => {
    const made: TLSSocket = connectTls({ host: hostname, port: Number(port), rejectUnauthorized: false }, () =>
      resolve(made),
    )
    made.on('error', reject)
  })
  const name = socket.getPeerCertificate().subject.CN
  socket.destroy()
  return String(name)
}

async function signIn(url: string): Promise<string> {
  const answer = await get(`${url}/api/auth/login`, { method: 'POST', headers: SIGN_IN_HEADERS, body: SIGN_IN })
  return ((await answer.json()) as { data: { accessToken: string } }).data.accessToken
}

test('with a certificate the server speaks HTTPS, and commands find it', async () => {
  const server = await serve()
  const { port } = new URL(server.url)
  expect(server.url).toBe(`https://127.0.0.1:${port}`)
  const answer = await get(`https://localhost:${port}/actuator/health`)
  expect([answer.status, await answer.json()]).toEqual([200, { status: 'UP' }])
  expect(answer.headers.get('strict-transport-security')).toBe('max-age=31536000')
  expect((await place.run(['healthcheck'], { env: env() })).code).toBe(0)
  const { stdout } = await place.run(['doctor'], { env: env() })
  expect(stdout).toMatch(/OK +server +UP at https:/)
  expect(stdout).toMatch(/OK +certificate +valid until 21\d\d-/)
  expect(await server.end()).toBe(0)
})

test('the port for plain HTTP leads to the public address, whatever host the request names, and answers health checks', async () => {
  const port = freePort()
  const server = await serve('--http-port', String(port), '--public-url', 'https://localhost:8443')
  for (const [path, init] of [
    ['/console/codes?page=2', {}],
    ['/api/auth/login', { method: 'POST', body: '{}' }],
    ['/', { headers: { host: 'evil.example' } }],
  ] as const) {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { ...init, redirect: 'manual' })
    expect([answer.status, answer.headers.get('location')]).toEqual([308, `https://localhost:8443${path}`])
    expect(answer.headers.get('set-cookie')).toBeNull()
  }
  // Hosts with which the address of the request cannot be parsed.
  for (const host of ['[', 'a b', ''])
    expect(await firstLine(port, `GET /x HTTP/1.1\r\nHost: ${host}\r\n\r\n`)).toBe('HTTP/1.1 308 Permanent Redirect')
  const health = await fetch(`http://127.0.0.1:${port}/actuator/health`)
  expect([health.status, await health.json()]).toEqual([200, { status: 'UP' }])
  expect(await server.end()).toBe(0)
})

test('changed files are used for new connections, while an open socket and an upload go on', async () => {
  const server = await serve()
  expect(await nameAt(server.url)).toBe('first')
  const token = await signIn(server.url)
  const url = `${server.url.replace('https', 'wss')}/ws/chat?token=${token}`
  const socket = new WebSocket(url, TRUSTED as never)
  const frames: string[] = []
  socket.addEventListener('message', ({ data }) => frames.push(JSON.parse(data as string).type))
  await until(() => frames.includes('hello'))
  const upload = slowSignIn(server.url)

  const [first, second] = ['localhost-1', 'localhost-2'].map((name) =>
    readFileSync(fixture(`${name}.cert.pem`), 'utf8'),
  )
  // A chain that is still being written.
  writeFileSync(certFile, first! + second!.slice(0, 300))
  await until(() => server.stderr().includes('is not complete'))
  expect(await nameAt(server.url)).toBe('first')
  // The key alone fits nothing.
  copyFileSync(fixture('localhost-2.key.pem'), keyFile)
  await until(() => server.stderr().includes('does not belong to'))
  expect(await nameAt(server.url)).toBe('first')
  copyFileSync(fixture('localhost-2.cert.pem'), certFile)
  // A handshake in the moment of the exchange may be cut off.
  await until(async () => (await nameAt(server.url).catch(() => '')) === 'second')

  expect(await upload.end()).toBe(200)
  socket.send(JSON.stringify({ type: 'ping', id: '1' }))
  await until(() => frames.includes('pong'))
  expect((await get(`${server.url}/actuator/health`)).status).toBe(200)
  // A socket that opens now is served by the new listener.
  const newer = new WebSocket(url, TRUSTED as never)
  await until(() => newer.readyState === WebSocket.OPEN)
  expect(socket.readyState).toBe(WebSocket.OPEN)
  expect(await server.end()).toBe(0)
  await until(() => socket.readyState === WebSocket.CLOSED && newer.readyState === WebSocket.CLOSED)
})

test.each<[string, string[]]>([
  ['the key', ['key', 'cert']],
  ['the certificate', ['cert', 'key']],
])(
  'if %s is replaced a second before the other file, no connection gets a pair that does not fit',
  async (_what, order) => {
    const server = await serve()
    for (const kind of order) {
      copyFileSync(fixture(`localhost-2.${kind}.pem`), kind === 'key' ? keyFile : certFile)
      await Bun.sleep(1000)
    }
    let name = 'first'
    await until(async () => {
      // A handshake in the moment of the exchange may be cut off; with a pair that does not fit, all would be.
      name = await nameAt(server.url).catch(() => name)
      expect(['first', 'second']).toContain(name)
      return name === 'second'
    })
    expect((await get(`${server.url.replace('127.0.0.1', 'localhost')}/actuator/health`)).status).toBe(200)
    expect(await server.end()).toBe(0)
  },
)

describe('a start is refused', () => {
  test.each<[string, () => void, RegExp]>([
    [
      'the certificate is missing',
      () => (certFile += '.missing'),
      /The certificate \S+ cannot be read: there is no such file/,
    ],
    ['the certificate is no PEM', () => writeFileSync(certFile, 'x'), /The certificate \S+ is not in PEM form/],
    [
      'its chain is cut off',
      () => writeFileSync(certFile, readFileSync(certFile, 'utf8').repeat(2).slice(0, -100)),
      /The certificate \S+ or its chain is not complete/,
    ],
    ['the key is no PEM', () => writeFileSync(keyFile, 'x'), /The key \S+ is not a private key/],
    [
      'the key is of another one',
      () => copyFileSync(fixture('other.key.pem'), keyFile),
      /The key \S+ does not belong to/,
    ],
    [
      'it is for another name',
      () => use('other'),
      /is for other\.example\.org, \*\.example\.net, and not for localhost/,
    ],
    ['there is no key', () => (keyFile = ''), /TESSERA_TLS_CERT requires TESSERA_TLS_KEY as well/],
  ])('if %s', async (_what, spoil, sentence) => {
    spoil()
    const { code, stdout, stderr } = await place.run(['serve'], { env: env() })
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(sentence)
  })

  test('if the port for plain HTTP is taken, with the name of its setting', async () => {
    const taken = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() })
    const { code, stderr } = await place.run(['serve', '--http-port', String(taken.port)], { env: env() })
    await taken.stop(true)
    expect(code).toBe(3)
    expect(stderr).toContain('TESSERA_HTTP_PORT')
  })
})

test('an expired certificate only warns', async () => {
  use('expired')
  const server = await serve('--public-url', 'https://localhost')
  expect(server.stderr()).toContain('the certificate has expired')
  const { code, stdout } = await place.run(['doctor'], { env: env() })
  expect([code, stdout]).toEqual([1, expect.stringMatching(/FAIL +certificate +\S+ expired on 2021-01-01/)])
  expect(await server.end()).toBe(0)
})

function firstLine(port: number, request: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(request))
    socket.once('data', (bytes) => {
      resolve(bytes.toString().split('\r\n')[0]!)
      socket.destroy()
    })
    socket.once('error', reject)
  })
}

/** Nobody else takes it in the moment until the server does, as the system gives free ports in turn. */
function freePort(): number {
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() })
  const { port } = server
  void server.stop(true)
  return port!
}
