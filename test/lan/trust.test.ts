/** The server with `--lan`: its pages and files over http and https, and its authority over restarts, restores and replacements. */

import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'

import { profileOf } from '#domains/lan/trust/profile.view.ts'
import { mayRead, systemOf } from '#domains/lan/trust/trust.rules.ts'
import { createSeal } from '#platform/seal.ts'

import { Installation, onPostgres } from '../ops/cli.ts'
import { accepts, LAN, namesAt, serveLan, unchecked } from './lan.ts'

let place: Installation
beforeEach(async () => {
  place = await Installation.make()
})
afterEach(() => place.dispose())

const derOf = (ca: string): Buffer => Buffer.from(ca.replaceAll(/-----.*-----|\s/g, ''), 'base64')
const fingerprintOf = (ca: string): string => {
  const hex = createHash('sha256').update(derOf(ca)).digest('hex')
  return hex.toUpperCase().match(/.{4}/g)!.join(' ')
}

test('a client that trusts the authority reaches the server by https, and others refuse it', async () => {
  const server = await serveLan(place)
  expect(server.stdout()).toMatch(
    /^listening on https:\/\/127\.0\.0\.1:\d+\nDevices must trust "Tessera local authority [0-9a-f]{4}" once: http:\/\/127\.0\.0\.1:\d+\/trust\n/,
  )
  expect(await accepts(server.ca, server.url)).toBe(true)
  // Not a name of the certificate.
  expect(await accepts(server.ca, server.url, 'localhost')).toBe(false)
  const other = readFileSync(join(import.meta.dir, '../harness/tls/localhost-1.cert.pem'), 'utf8')
  expect(await accepts(other, server.url)).toBe(false)
  const answer = await unchecked(`${server.url}/actuator/health`)
  expect([answer.status, await answer.json()]).toEqual([200, { status: 'UP' }])
  expect(answer.headers.get('strict-transport-security')).toBeNull()
  expect((await place.run(['healthcheck'])).code).toBe(0)
  const names = await namesAt(server.url)
  expect(names).toContain('IP Address:127.0.0.1')
  const host = hostname().split('.')[0]!.toLowerCase()
  if (/^[a-z0-9]+(-[a-z0-9]+)*$/.test(host)) expect(names).toContain(`DNS:${host}.local`)
  const doctor = await place.run(['doctor', '--lan', '--public-url', server.url])
  expect(doctor.stdout).toMatch(/OK +certificate +Tessera local authority [0-9a-f]{4}, valid until 2\d\d\d-/)
  expect(doctor.stdout).toContain(fingerprintOf(server.ca))
  expect(doctor.stdout).toMatch(/OK +public URL/)
  expect(await server.end()).toBe(0)
})

test('pages and files are served over http and https, in both languages, and HEAD works', async () => {
  const server = await serveLan(place)
  for (const origin of [server.plain, server.url]) {
    const get = (path: string, init?: RequestInit) => unchecked(origin + path, init)
    for (const [path, type] of [
      ['/trust', 'text/html; charset=utf-8'],
      ['/trust?lang=zh', 'text/html; charset=utf-8'],
      ['/trust/ca.crt', 'application/x-x509-ca-cert'],
      ['/trust/ca.pem', 'application/x-pem-file'],
      ['/trust/ca.mobileconfig', 'application/x-apple-aspen-config'],
      ['/trust/check', 'application/json;charset=utf-8'],
    ] as const) {
      const answer = await get(path)
      expect([path, answer.status, answer.headers.get('content-type')]).toEqual([path, 200, type])
      expect(answer.headers.get('cache-control')).toBe('no-store')
      expect(answer.headers.get('strict-transport-security')).toBeNull()
      expect(answer.headers.get('set-cookie')).toBeNull()
      const length = (await answer.bytes()).length
      expect(length).toBeLessThan(64 * 1024)
      const head = await get(path, { method: 'HEAD' })
      expect([head.status, head.headers.get('content-type'), await head.text()]).toEqual([200, type, ''])
    }
    const der = await (await get('/trust/ca.crt')).bytes()
    expect(Buffer.from(der).equals(derOf(server.ca))).toBe(true)
    expect(await (await get('/trust?lang=zh')).text()).toContain('信任此服务器')
    expect((await get('/trust', { method: 'POST' })).status).toBe(405)
    expect((await get('/trust/other')).status).toBe(404)
  }
  // Everything else leads to https.
  const led = await fetch(`${server.plain}/console`, { redirect: 'manual' })
  expect([led.status, led.headers.get('location')]).toEqual([308, `${server.url}/console`])
  expect((await fetch(`${server.plain}/trustworthy`, { redirect: 'manual' })).status).toBe(308)
  expect(await server.end()).toBe(0)
})

test('the page shows the fingerprint and the steps of the system first, and repeats no host that is not in the certificate', async () => {
  const server = await serveLan(place)
  const page = async (headers: Record<string, string>) =>
    (await fetch(`${server.plain}/trust`, { headers: { 'user-agent': 'curl', ...headers } })).text()
  const iphone = await page({ 'user-agent': 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X)' })
  expect(iphone).toContain(fingerprintOf(server.ca))
  expect(iphone.indexOf('<h2>iPhone and iPad</h2>')).toBeGreaterThan(0)
  expect(iphone.match(/<li>/g)).toHaveLength(18)
  expect(iphone.match(/<svg class="shot"/g)).toHaveLength(18)
  expect((await page({})).includes('<h2>iPhone and iPad</h2>')).toBe(false)
  const hostile = await page({ host: 'evil.example:1' })
  expect(hostile).not.toContain('evil.example')
  expect(hostile).toContain(`data-address="${server.url}/trust/check"`)
  expect(await page({ host: '"><script>' })).not.toContain('"><script>')
  expect(await server.end()).toBe(0)
})

test('scripts of the same host over plain http may read the check, and no others', async () => {
  const server = await serveLan(place)
  const allowed = async (origin: string) =>
    (await unchecked(`${server.url}/trust/check`, { headers: { origin } })).headers.get('access-control-allow-origin')
  expect(await allowed(server.plain)).toBe(server.plain)
  for (const origin of ['http://evil.example', server.url, 'null', 'http://127.0.0.1.evil.example', 'http://'])
    expect([origin, await allowed(origin)]).toEqual([origin, null])
  const body: unknown = await (await unchecked(`${server.url}/trust/check`)).json()
  expect(body).toEqual({ ok: true, fingerprint: fingerprintOf(server.ca) })
  expect(await server.end()).toBe(0)
})

test('the profile is read by another reader of property lists, and is the same for every download', async () => {
  const server = await serveLan(place)
  const download = async () => (await fetch(`${server.plain}/trust/ca.mobileconfig`)).text()
  const profile = await download()
  expect(await download()).toBe(profile)
  const read = Bun.spawnSync(
    ['python3', '-c', 'import plistlib,sys,json\nprint(json.dumps(plistlib.loads(sys.stdin.buffer.read()), default=lambda b: b.hex()))'], // prettier-ignore
    { stdin: new TextEncoder().encode(profile) },
  )
  const [name] = /Tessera local authority [0-9a-f]{4}/.exec(server.stdout())!
  const der = derOf(server.ca).toString('hex')
  const id = expect.stringMatching(/^[0-9A-F]{8}-[0-9A-F]{4}-8[0-9A-F]{3}-8[0-9A-F]{3}-[0-9A-F]{12}$/)
  expect(JSON.parse(read.stdout.toString())).toMatchObject({
    PayloadType: 'Configuration',
    PayloadVersion: 1,
    PayloadDisplayName: name,
    PayloadRemovalDisallowed: false,
    PayloadUUID: id,
    PayloadIdentifier: expect.stringMatching(/^org\.tessera\.authority\.[0-9a-f]{16}$/),
    PayloadContent: [
      { PayloadType: 'com.apple.security.root', PayloadUUID: id, PayloadContent: der, PayloadDisplayName: name },
    ],
  })
  expect(await server.end()).toBe(0)
})

test('the profile of another authority of the same server has the same ids, and texts in it are escaped', () => {
  const of = (name: string, key: number) =>
    profileOf({ name, fingerprint: '', der: new Uint8Array(), pem: '', notAfter: 0 }, createSeal(new Uint8Array(32).fill(key)), 'en') // prettier-ignore
  const ids = (profile: string) => profile.match(/[0-9A-F]{8}-[0-9A-F-]{27}/g)
  expect(ids(of('a', 1))).toEqual(ids(of('b', 1)))
  expect(ids(of('a', 1))).not.toEqual(ids(of('a', 2)))
  expect(of('<b>&"', 1)).toContain('<string>&lt;b&gt;&amp;&quot;</string>')
})

test('a server without --lan has no page about trust', async () => {
  const server = await place.serve()
  for (const path of ['/trust', '/trust/ca.crt', '/trust/ca.pem', '/trust/ca.mobileconfig', '/trust/check'])
    expect([path, (await fetch(server.url + path)).status]).toEqual([path, 404])
  expect(await server.end()).toBe(0)
})

describe('the authority', () => {
  test('stays the same after a restart, and its key is not readable in the database', async () => {
    const first = await serveLan(place)
    await first.end()
    const second = await serveLan(place)
    expect(second.ca).toBe(first.ca)
    expect(await accepts(first.ca, second.url)).toBe(true)
    expect(second.stderr() + second.stdout()).not.toContain('PRIVATE KEY')
    await second.end()
    if (!onPostgres) {
      const bytes = await Bun.file(join(place.dataDir, 'tessera.db')).text()
      expect(bytes).toContain('BEGIN CERTIFICATE')
      expect(bytes).not.toContain('PRIVATE KEY')
    }
  })

  test('comes back with a restored backup', async () => {
    const server = await serveLan(place)
    expect((await place.run(['backup', join(place.home, 'b.tar')])).code).toBe(0)
    expect((await place.run(['rotate-local-authority'])).code).toBe(0)
    await server.end()
    const other = await serveLan(place)
    expect(other.ca).not.toBe(server.ca)
    await other.end()
    if (onPostgres) await place.newDatabase()
    const restored = await place.run(['restore', join(place.home, 'b.tar')])
    expect([restored.code, restored.stderr]).toEqual([0, expect.any(String)])
    const again = await serveLan(place)
    expect(again.ca).toBe(server.ca)
    await again.end()
  })

  test('is replaced by tessera rotate-local-authority', async () => {
    const none = await place.run(['rotate-local-authority'])
    if (!onPostgres) expect(none.stderr).toContain('There is no database')
    const server = await serveLan(place)
    await server.end()
    const { code, stdout } = await place.run(['rotate-local-authority'])
    expect([code, stdout]).toEqual([0, expect.stringContaining('All devices must trust the new one')])
    expect((await place.run(['rotate-local-authority'])).stdout).toStartWith('There is no local authority')
    const next = await serveLan(place)
    expect(next.ca).not.toBe(server.ca)
    expect(await accepts(server.ca, next.url)).toBe(false)
    await next.end()
  })

  test('that was sealed with another secret refuses the start, and doctor says so', async () => {
    const server = await serveLan(place)
    await server.end()
    const env = { TESSERA_SECRET: 'another secret of at least 32 characters' }
    const { code, stdout, stderr } = await place.run(['serve', ...LAN], { env })
    expect([code, stdout]).toEqual([4, ''])
    expect(stderr).toContain('The key of the local authority was sealed with another secret')
    const doctor = await place.run(['doctor', '--lan'], { env })
    expect(doctor.stdout).toMatch(/FAIL +certificate +The key of the local authority was sealed with another secret/)
  })

  test('that is not for the public address refuses the start until it is replaced', async () => {
    const server = await serveLan(place)
    await server.end()
    const elsewhere = [...LAN.slice(0, -1), 'https://xn--bcherei-n2a.lan:8443']
    const { code, stdout, stderr } = await place.run(['serve', ...elsewhere])
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(/The local authority is for .* and not for xn--bcherei-n2a\.lan: set TESSERA_PUBLIC_URL/)
    await place.run(['rotate-local-authority'])
    const next = await serveLan(place, elsewhere)
    expect(await namesAt(next.url)).toContain('DNS:xn--bcherei-n2a.lan')
    await next.end()
  })

  test('before the first start, doctor says that there is none yet', async () => {
    const server = await place.serve()
    await server.end()
    const { code, stdout } = await place.run(['doctor', '--lan'])
    expect([code, stdout]).toEqual([0, expect.stringMatching(/WARN +certificate +There is no local authority yet/)])
  })
})

test.each([
  [['--lan', '--tls-cert', 'c.pem', '--tls-key', 'k.pem'], '--tls-cert and --lan cannot be used together.'],
  [
    ['--lan', '--public-url', 'https://qr.example.org'],
    'must be https:// with a name or an address of a private network',
  ],
  [['--lan=on'], '--lan takes no value.'],
])('a start with %p is refused', async (args, sentence) => {
  const { code, stdout, stderr } = await place.run(['serve', ...args])
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toContain(sentence)
})

test.each([
  ['Mozilla/5.0 (iPad; CPU OS 18_0 like Mac OS X) FxiOS/130.0', 'ios'],
  ['Mozilla/5.0 (Android 15; Mobile; rv:130.0) Gecko/130.0 Firefox/130.0', 'android'],
  ['Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0', 'firefox'],
  ['Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/130.0', 'windows'],
  ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) Version/18.0 Safari/605.1.15', 'macos'],
  ['Mozilla/5.0 (X11; CrOS x86_64) Chrome/130.0', 'linux'],
  ['curl/8', undefined],
] as const)('the browser %p has the system %p', (userAgent, system) => {
  expect(systemOf(userAgent)).toBe(system)
})

test.each([
  ['http://willow:8080', true],
  ['http://willow', true],
  ['https://willow', false],
  ['http://oak', false],
  ['willow', false],
  ['', false],
])('a page of the origin %p may read the check of willow: %p', (origin, expected) => {
  expect(mayRead(origin, 'willow')).toBe(expected)
})
