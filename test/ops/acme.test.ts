/** A server that gets its certificate by itself from a real authority: the first one, renewal, kills. */

import 'reflect-metadata'

import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { chmodSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { Pkcs10CertificateRequest } from '@peculiar/x509'

import { type AuthorityProxy, type Kind, type Message, startAuthorityProxy } from '../harness/authority-proxy.ts'
import { AUTHORITY_CA, startPebble } from '../harness/pebble.ts'
import { ADMIN } from '../harness/server.ts'
import { until } from '../harness/until.ts'
import { Installation, onPostgres, type RunningCli } from './cli.ts'
import { handshake } from './handshake.ts'

const pebble = await startPebble({ refusedNonces: 10 })
const shortLived = await startPebble({ validitySeconds: 45 })

/** Only a handshake in the moment of the exchange may fail. On a busy machine that moment is longer than one more try. */
const afterExchange = <T>(ask: () => Promise<T>): Promise<T> => ask().catch(() => Bun.sleep(1000).then(ask))

describe.skipIf(pebble === undefined)('HTTPS by itself', () => {
  let place: Installation
  let authority: AuthorityProxy
  beforeEach(async () => {
    place = await Installation.make()
    authority = startAuthorityProxy(pebble!.directory)
  })
  afterEach(async () => {
    await place.dispose()
    await authority.stop()
  })

  const env = (more: Record<string, string> = {}): Record<string, string> => ({
    TESSERA_DOMAIN: 'qr.example.org,www.example.org',
    TESSERA_ACME_DIRECTORY: authority.directory,
    TESSERA_ACME_CA: AUTHORITY_CA,
    TESSERA_HTTP_PORT: String(pebble!.httpPort),
    TESSERA_ADMIN_USERNAME: ADMIN.username,
    TESSERA_ADMIN_PASSWORD: ADMIN.password,
    ...more,
  })
  const serve = (more: Record<string, string> = {}): Promise<RunningCli> => place.serve([], { env: env(more) })

  test('a server gets a certificate for its names, says so, and leads plain HTTP to it', async () => {
    const server = await serve({ TESSERA_ACME_EMAIL: 'admin@example.org' })
    const { port } = new URL(server.url)
    const [first, loopback, listening] = server.stdout().split('\n')
    expect(first).toBe('getting a certificate for qr.example.org, www.example.org')
    expect(loopback).toMatch(/^until then this computer reaches the server at http:\/\/127\.0\.0\.1:\d+$/)
    expect(listening).toBe(`listening on ${server.url}`)
    for (const servername of ['qr.example.org', 'www.example.org']) {
      const { isTrusted, serial } = await handshake(port, servername, await pebble!.root())
      expect([isTrusted, serial]).toEqual([true, expect.stringMatching(/^[0-9A-F]+$/)])
    }
    // A name that is not in the certificate gets the same one.
    expect((await handshake(port, 'other.example.net', '')).serial).toBe(
      (await handshake(port, 'qr.example.org', '')).serial,
    )

    const plain = (path: string, host: string) =>
      fetch(`http://127.0.0.1:${pebble!.httpPort}${path}`, { redirect: 'manual', headers: { host } })
    for (const [host, name] of [
      ['qr.example.org', 'qr.example.org'],
      ['www.example.org', 'www.example.org'],
      ['evil.example', 'qr.example.org'],
    ] as const) {
      const answer = await plain('/console/?a=b', host)
      expect([answer.status, answer.headers.get('location')]).toEqual([308, `https://${name}:${port}/console/?a=b`])
      expect(answer.headers.get('set-cookie')).toBeNull()
    }
    for (const token of ['short', 'a'.repeat(43), `${'a'.repeat(42)}%2e`, 'a'.repeat(200)])
      expect((await plain(`/.well-known/acme-challenge/${token}`, 'qr.example.org')).status).toBe(404)
    const answer = await get(server.url, '/actuator/health')
    expect(answer.headers.get('strict-transport-security')).toBe('max-age=31536000')

    expect((await place.run(['healthcheck'], { env: env() })).code).toBe(0)
    const { stdout } = await place.run(['doctor'], { env: env() })
    expect(stdout).toMatch(/OK +certificate +valid until \d{4}-\d\d-\d\d, for (89|90) days/)
    expect(authority.messages.find(({ kind }) => kind === 'account')!.payload).toEqual({
      termsOfServiceAgreed: true,
      contact: ['mailto:admin@example.org'],
    })
    expect(await server.end()).toBe(0)

    const again = await serve()
    expect(again.stdout()).toBe(`listening on ${again.url}\n`)
    expect(authority.count('newOrder')).toBe(1)
    expect(await again.end()).toBe(0)
  })

  test.each<[string, Kind, 'before' | 'after', { orders: number }]>([
    ['the account is made', 'account', 'after', { orders: 1 }],
    ['the order is made', 'newOrder', 'after', { orders: 2 }],
    ['the challenge is prepared', 'challenge', 'before', { orders: 1 }],
    ['the order is about to be completed', 'finalize', 'before', { orders: 1 }],
    ['the order is completed', 'finalize', 'after', { orders: 1 }],
    ['the certificate is issued', 'certificate', 'after', { orders: 1 }],
  ])('a server that is killed when %s goes on after its next start', async (_what, kind, moment, { orders }) => {
    const killed = Promise.withResolvers<void>()
    authority[moment] = async (message: Message) => {
      if (message.kind !== kind || (moment === 'after' && message.status! >= 300)) return undefined
      authority[moment] = () => undefined
      killed.resolve()
      await first.exited
      return new Response(null, { status: 500 })
    }
    const first = place.start(['serve'], { env: env() })
    await killed.promise
    first.kill('SIGKILL')
    await first.exited
    const server = await serve()
    expect((await handshake(new URL(server.url).port, 'qr.example.org', await pebble!.root())).isTrusted).toBe(true)
    expect(authority.count('newOrder')).toBe(orders)
    // Each key was sent with a single order.
    const keys = new Map<string, Set<string>>()
    for (const { path, payload } of authority.messages.filter((one) => one.kind === 'finalize' && one.status! < 300)) {
      const { publicKey } = new Pkcs10CertificateRequest(Buffer.from(String(payload!['csr']), 'base64url'))
      const key = Buffer.from(publicKey.rawData).toString('base64url')
      keys.set(key, new Set(keys.get(key)).add(path))
    }
    expect([...keys.values()].map(({ size }) => size)).toEqual([1])
    expect(await server.end()).toBe(0)
  })

  test('a restored server goes on with its certificate and asks the authority for nothing', async () => {
    const server = await serve()
    const { serial } = await handshake(new URL(server.url).port, 'qr.example.org', '')
    expect(await server.end()).toBe(0)
    const archive = join(place.home, 'backup.tar.zst')
    expect((await place.run(['backup', archive])).code).toBe(0)
    rmSync(place.dataDir, { recursive: true })
    if (onPostgres) await place.newDatabase()
    expect((await place.run(['restore', archive])).code).toBe(0)
    const asked = authority.messages.length
    const again = await serve()
    expect((await handshake(new URL(again.url).port, 'qr.example.org', '')).serial).toBe(serial)
    expect(authority.messages.length).toBe(asked)
    expect(await again.end()).toBe(0)
  })

  test('a certificate is renewed while a socket stays open and 64 clients work', async () => {
    const server = await serve({
      TESSERA_ACME_DIRECTORY: shortLived!.directory,
      TESSERA_HTTP_PORT: String(shortLived!.httpPort),
    })
    const { port } = new URL(server.url)
    const { serial } = await handshake(port, 'qr.example.org', await shortLived!.root())
    const socket = new WebSocket(`wss://localhost:${port}/ws/chat?token=${await signIn(server.url)}`, {
      tls: { rejectUnauthorized: false },
    } as never)
    const frames: string[] = []
    socket.addEventListener('message', ({ data }) => frames.push((JSON.parse(data as string) as { type: string }).type))
    await until(() => frames.includes('hello'))
    const clients = startClients(server.url)
    let isRenewed = false
    while (!isRenewed) {
      isRenewed = (await afterExchange(() => handshake(port, 'qr.example.org', ''))).serial !== serial
    }
    expect((await handshake(port, 'qr.example.org', await shortLived!.root())).isTrusted).toBe(true)
    await clients.stopAfterOneMore()
    socket.send(JSON.stringify({ type: 'ping', id: '1' }))
    await until(() => frames.includes('pong'))
    expect(socket.readyState).toBe(WebSocket.OPEN)
    expect(await server.end()).toBe(0)
  })

  test('a server whose name leads nowhere says so over plain HTTP, and lets its computer in', async () => {
    pebble!.names.hidden.add('nowhere.example.org')
    const child = place.start(['serve'], { env: env({ TESSERA_DOMAIN: 'nowhere.example.org' }) })
    const page = (headers = {}) =>
      fetch(`http://127.0.0.1:${pebble!.httpPort}/console/`, { redirect: 'manual', headers })
    await until(async () =>
      (
        await page().then(
          (answer) => answer.text(),
          () => '',
        )
      ).includes('nowhere.example.org'),
    )
    const answer = await page()
    expect([answer.status, Number(answer.headers.get('retry-after')) <= 60]).toEqual([503, true])
    const text = await answer.text()
    expect(text).toContain('This server has no certificate yet')
    expect(text).toContain('The authority cannot reach nowhere.example.org at port 80.')
    expect(await (await page({ 'accept-language': 'zh' })).text()).toContain(
      '证书颁发机构无法连接 nowhere.example.org 的 80 端口',
    )
    const { stdout } = await place.run(['doctor'], { env: env({ TESSERA_DOMAIN: 'nowhere.example.org' }) })
    expect(stdout).toMatch(/WARN +certificate +There is none yet for nowhere\.example\.org: The authority cannot reach/)
    const out = child.stdout.getReader()
    let said = ''
    while (!/http:\/\/127\.0\.0\.1:\d+/.test(said)) said += new TextDecoder().decode((await out.read()).value)
    const loopback = /http:\/\/127\.0\.0\.1:\d+/.exec(said)![0]
    expect((await fetch(`${loopback}/actuator/health`)).status).toBe(200)
    expect(await signIn(loopback)).toMatch(/^ey/)
    child.kill()
    expect(await child.exited).toBe(0)
    expect(said).not.toContain('listening on')
  })

  test('a program for DNS proves a wildcard without a port for plain HTTP', async () => {
    const { texts } = pebble!.names
    const calls: string[] = []
    const records = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch({ url }) {
        const [, action, name, value] = new URL(url).pathname.split('/')
        calls.push(`${action!} ${name!}`)
        if (action === 'present') texts.set(name!, new Set([value!]))
        else texts.delete(name!)
        return new Response()
      },
    })
    const program = join(place.home, 'dns')
    const script = `await fetch('http://127.0.0.1:${records.port!}/' + process.argv.slice(1).join('/'))`
    writeFileSync(
      program,
      `#!/bin/sh\n[ -z "$TESSERA_DOMAIN" ] || exit 9\nexec '${process.execPath}' -e "${script}" "$@"\n`,
    )
    chmodSync(program, 0o755)
    const server = await serve({
      TESSERA_DOMAIN: 'example.net,*.example.net',
      TESSERA_ACME_DNS_COMMAND: program,
      TESSERA_HTTP_PORT: 'off',
    })
    const { port } = new URL(server.url)
    for (const name of ['example.net', 'any.example.net'])
      expect((await handshake(port, name, await pebble!.root())).isTrusted).toBe(true)
    expect(calls.toSorted()).toEqual([
      ...Array<string>(2).fill('cleanup _acme-challenge.example.net'),
      ...Array<string>(2).fill('present _acme-challenge.example.net'),
    ])
    expect(await server.end()).toBe(0)
    await records.stop(true)
  })
})

const get = (url: string, path: string): Promise<Response> =>
  fetch(`https://localhost:${new URL(url).port}${path}`, { tls: { rejectUnauthorized: false } })

/** 64 clients that ask again and again. One that is refused twice in a row makes `stopAfterOneMore` reject, and so does another answer than 200. */
function startClients(url: string) {
  let isStopped = false
  const work = async (client: { answers: number }): Promise<void> => {
    while (!isStopped) {
      const answer = await afterExchange(() => get(url, '/actuator/health/live'))
      expect([answer.status, await answer.text()]).toEqual([200, '{"status":"UP"}'])
      client.answers++
      await Bun.sleep(50)
    }
  }
  const clients = Array.from({ length: 64 }, () => ({ answers: 0 }))
  const all = Promise.all(clients.map(work))
  // Without this, a rejection before the end would be an unhandled one.
  all.catch(() => undefined)
  return {
    /** Resolves when each of them was answered once more. */
    async stopAfterOneMore(): Promise<void> {
      const before = clients.map(({ answers }) => answers)
      await Promise.race([all, until(() => clients.every(({ answers }, i) => answers > before[i]!))])
      isStopped = true
      await all
    },
  }
}

async function signIn(url: string): Promise<string> {
  const origin = url.startsWith('https:') ? `https://localhost:${new URL(url).port}` : url
  const answer = await fetch(`${origin}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-device-id': 'device-of-the-acme-test' },
    body: JSON.stringify({ account: ADMIN.username, password: ADMIN.password }),
    tls: { rejectUnauthorized: false },
  })
  return ((await answer.json()) as { data: { accessToken: string } }).data.accessToken
}
