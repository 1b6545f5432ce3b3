/** Changes while a server with `--lan` runs: of the addresses of the machine, of the authority, and of the time. */

import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { request } from 'node:https'

import type { Machine } from '#config/machine.ts'
import { deleteLocalAuthority } from '#db/local-authority.ts'
import { authorityState, countTrustingDevices, prepareAuthority, replaceAuthority } from '#domains/lan/index.ts'
import { DAY, MINUTE } from '#platform/clock.ts'

import { ADMIN, inProcess, startServer, type TestServer } from '../harness/server.ts'
import { until } from '../harness/until.ts'
import { accepts, namesAt, unchecked } from './lan.ts'

const HEADERS = { 'content-type': 'application/json', 'x-device-id': 'device-of-the-lan-test' }
const SIGN_IN = JSON.stringify({ account: ADMIN.username, password: ADMIN.password })

async function signIn(url: string): Promise<string> {
  const answer = await unchecked(`${url}/api/auth/login`, { method: 'POST', headers: HEADERS, body: SIGN_IN })
  return ((await answer.json()) as { data: { accessToken: string } }).data.accessToken
}

/** Begins a sign-in whose body goes on arriving until `end`, which resolves with the status of the answer. */
function slowSignIn(url: string): { end(): Promise<number | undefined> } {
  const answer = Promise.withResolvers<number | undefined>()
  const headers = { ...HEADERS, 'x-device-id': 'other-device-of-the-lan-test' }
  const sending = request(`${url}/api/auth/login`, { method: 'POST', headers, rejectUnauthorized: false })
  sending.on('response', ({ statusCode }) => answer.resolve(statusCode)).on('error', answer.reject)
  sending.write(' ')
  return {
    end() {
      sending.end(SIGN_IN)
      return answer.promise
    },
  }
}

describe.if(inProcess)('a running server', () => {
  let machine: Machine
  let server: TestServer
  beforeEach(async () => {
    machine = {
      hasIpv6: false,
      names: ['willow', 'willow.local'],
      addresses: ['192.168.7.1', '127.0.0.1'],
      publicAddresses: [],
    }
    server = await startServer({
      config: { lan: true, httpPort: 0, publicUrl: 'https://127.0.0.1:0' },
      machine: () => machine,
    })
  })
  afterEach(() => server.stop())

  const ca = () => authorityState(server.ctx)!.authority.pem
  /** A handshake in the moment of an exchange may be cut off. */
  const accepted = (authority: string) => until(() => accepts(authority, server.url))

  test('gets a certificate for new addresses, while an open socket and an upload go on, and nobody has to trust it again', async () => {
    expect(await namesAt(server.url)).toContain('192.168.7.1')
    const first = ca()
    const token = await signIn(server.url)
    const socket = new WebSocket(`${server.url.replace('https', 'wss')}/ws/chat?token=${token}`, {
      tls: { rejectUnauthorized: false },
    } as never)
    const frames: string[] = []
    socket.addEventListener('message', ({ data }) => frames.push(JSON.parse(String(data)).type))
    await until(() => frames.includes('hello'))
    const upload = slowSignIn(server.url)

    machine = { ...machine, addresses: ['10.9.8.7', '127.0.0.1'] }
    server.clock.advance(MINUTE)
    await until(async () => (await namesAt(server.url).catch(() => '')).includes('10.9.8.7'))
    expect(await namesAt(server.url)).not.toContain('192.168.7.1')
    expect(await accepts(first, server.url)).toBe(true)
    expect(await upload.end()).toBe(200)
    socket.send(JSON.stringify({ type: 'ping', id: '1' }))
    await until(() => frames.includes('pong'))
    socket.close()
  })

  test('renews its certificate after two thirds of its time', async () => {
    const { notAfter } = authorityState(server.ctx)!.certificate
    server.clock.advance(59 * DAY)
    server.clock.advance(2 * DAY)
    await until(() => authorityState(server.ctx)!.certificate.notAfter > notAfter + 50 * DAY)
  })

  test('serves by a new authority as soon as it is stored, and knows how many devices trusted the old one', async () => {
    const first = ca()
    await accepted(first)
    await signIn(server.url)
    expect(await countTrustingDevices(server.ctx, authorityState(server.ctx)!)).toBe(1)
    const prepared = await prepareAuthority(server.ctx, ['library.lan'])
    await server.ctx.db.write('test.replace', (tx) => replaceAuthority(tx, prepared))
    await until(() => ca() !== first)
    expect(authorityState(server.ctx)!.allowedNames).toEqual(['willow', 'willow.local', 'library.lan'])
    await accepted(ca())
    expect(await accepts(first, server.url)).toBe(false)
    expect(await namesAt(server.url)).toContain('DNS:library.lan')
  })

  test('makes another authority within a minute after the command has deleted it', async () => {
    const first = ca()
    expect(await deleteLocalAuthority(server.ctx.config)).toBe(true)
    server.clock.advance(MINUTE)
    await until(() => ca() !== first)
    await accepted(ca())
  })

  test('keeps its certificate while the authority in the database cannot be opened', async () => {
    const first = ca()
    const prepared = { ...(await prepareAuthority(server.ctx)), sealedKey: 'sealed with another secret' }
    await server.ctx.db.write('test.replace', (tx) => replaceAuthority(tx, prepared))
    server.clock.advance(MINUTE)
    await accepted(first)
    expect(ca()).toBe(first)
  })
})
