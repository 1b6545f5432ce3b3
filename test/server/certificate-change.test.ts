/** The source of the certificate in the browser: PUT /api/admin/server/certificate. */

import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { MINUTE } from '#platform/clock.ts'

import { inProcess, ok, type Person, startServer, type TestServer, until } from '../harness/index.ts'
import { AUTHORITY_CA, startPebble } from '../harness/pebble.ts'
import { freePort } from '../harness/s3.ts'
import { namesAt } from '../lan/lan.ts'

const MACHINE = {
  hasIpv6: false,
  names: ['willow', 'willow.local'],
  addresses: ['127.0.0.1'],
  publicAddresses: [],
}
const TLS = join(import.meta.dir, '../harness/tls')
const pem = (name: string) => readFileSync(join(TLS, name), 'utf8')
const LOCALHOST = { kind: 'FILES', chain: pem('localhost-1.cert.pem'), key: pem('localhost-1.key.pem') } as const

const pebble = await startPebble()

describe.if(inProcess)('the certificate of the server', () => {
  let server: TestServer
  let admin: Person
  const start = async (config: object = {}) => {
    server = await startServer({ machine: () => MACHINE, config })
    admin = await server.admin()
  }
  beforeEach(() => start())
  afterEach(() => server.stop())

  const change = (body: object) => admin.send('PUT', '/api/admin/server/certificate', { body })
  const reach = async (body: object) => ok(await admin.send('PUT', '/api/admin/server/reach', { body })).data
  const health = async (url: string) =>
    (await fetch(`${url}/actuator/health`, { tls: { rejectUnauthorized: false } })).status

  test('comes from the local authority in a private network, which further names may replace', async () => {
    const httpsPort = await freePort()
    await reach({ mode: 'NETWORK', names: ['willow'], httpsPort, host: '127.0.0.1' })
    const { data } = ok(await change({ kind: 'LOCAL_CA' }))
    expect(data).toMatchObject({ kind: 'LOCAL_CA', status: 'VALID', sources: { kind: 'DATABASE' } })
    const url = `https://127.0.0.1:${httpsPort}`
    expect(await health(url)).toBe(200)
    expect(await namesAt(url)).toContain('DNS:willow')
    expect(await health(server.url)).toBe(200)
    expect(ok(await admin.call('server.values')).data.reach.publicUrl).toBe(`https://willow:${httpsPort}`)

    const refused = await change({ names: ['library.lan'] })
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('body.newAuthority')])
    const renewed = ok(await change({ names: ['library.lan'], newAuthority: true })).data
    expect(renewed.authority.fingerprint).not.toBe(data.authority.fingerprint)
    await until(async () => (await namesAt(url).catch(() => '')).includes('DNS:library.lan'))
    for (const name of ['example.org', '192.0.2.7'])
      expect((await change({ names: [name] })).text).toContain('private network')
    expect((await change({ kind: 'NONE' })).text).toContain('change the address first')
    await reach({ mode: 'LOCAL' })
    expect(ok(await change({ kind: 'NONE' })).data).toMatchObject({ kind: 'NONE', status: 'NONE' })
  })

  test('is uploaded, checked, used at once, and its key is never shown', async () => {
    const httpsPort = await freePort()
    await reach({ mode: 'NETWORK', names: ['localhost'], httpsPort, host: '127.0.0.1' })
    const { data, text } = ok(await change(LOCALHOST))
    expect(data).toMatchObject({ kind: 'FILES', status: 'VALID', names: ['localhost', '127.0.0.1'] })
    const url = `https://127.0.0.1:${httpsPort}`
    expect(await health(url)).toBe(200)
    for (const [body, field, sentence] of [
      [{ key: pem('localhost-2.key.pem') }, 'body.key', 'does not belong'],
      [{ key: 'x' }, 'body.key', 'private key in PEM form'],
      [{ chain: 'x' }, 'body.chain', 'PEM form'],
      [{ chain: null }, 'body.chain', 'required'],
      [{ key: null }, 'body.key', 'required'],
      [{ chain: LOCALHOST.key }, 'body.chain', 'private key'],
    ] as const) {
      const { status, text } = await change(body)
      expect([status, text]).toEqual([400, expect.stringContaining(sentence)])
      expect(text).toContain(`"${field}"`)
    }
    ok(await change({ chain: pem('localhost-2.cert.pem'), key: pem('localhost-2.key.pem') }))
    expect(await health(url)).toBe(200)
    const secret = LOCALHOST.key.split('\n')[1]!
    const log = ok(await admin.call('operationLog.list', { query: { action: 'SERVER_UPDATE' } })).text
    for (const shown of [text, log, ok(await admin.call('server.values')).text]) expect(shown).not.toContain(secret)
    expect(log).toContain('*** (new)')
  })

  test('has to suit the address', async () => {
    for (const [body, sentence] of [
      [{ kind: 'ACME', agreedToTerms: true }, 'set the address to DOMAIN or PROXY first'],
      [{ kind: 'LOCAL_CA' }, 'set the address to NETWORK first'],
      [LOCALHOST, 'set the address to NETWORK, DOMAIN or PROXY first'],
    ] as const) {
      const { status, text } = await change(body)
      expect([status, text]).toEqual([400, expect.stringContaining(sentence)])
    }
    const [httpsPort, httpPort] = [await freePort(), await freePort()]
    await reach({ mode: 'DOMAIN', names: ['qr.example.org', '*.example.org'], httpsPort, httpPort, host: '127.0.0.1' })
    for (const [body, field] of [
      [{ kind: 'ACME' }, 'agreedToTerms'],
      [{ kind: 'ACME', agreedToTerms: true }, 'challenge'],
      [{ kind: 'ACME', agreedToTerms: true, challenge: 'DNS_01' }, 'dns'],
      [{ kind: 'ACME', agreedToTerms: true, directory: 'http://ca.example' }, 'directory'],
      [{ kind: 'ACME', agreedToTerms: true, email: 'x' }, 'email'],
      [{ ...LOCALHOST }, 'chain'],
      [{ kind: 'LOCAL_CA' }, 'kind'],
      [{ kind: 'NONE' }, 'kind'],
      [{ dns: { kind: 'CLOUDFLARE', zoneId: 'x' } }, 'dns.token'],
      [{ dns: { kind: 'ACMEDNS', url: 'http://x', username: 'u', subdomain: 's' } }, 'dns.url'],
    ] as const) {
      const { status, text } = await change(body)
      expect([status, text]).toEqual([400, expect.stringContaining(`body.${field}"`)])
    }
  })

  test.skipIf(pebble === undefined)(
    'is ordered from an authority, and the server answers by HTTPS without a restart',
    async () => {
      await server.stop()
      await start({ acmeCa: AUTHORITY_CA })
      const [httpsPort, httpPort] = [await freePort(), pebble!.httpPort]
      await reach({ mode: 'DOMAIN', names: ['qr.example.org'], httpsPort, httpPort, host: '127.0.0.1' })
      const body = { kind: 'ACME', directory: pebble!.directory, agreedToTerms: true, email: 'desk@example.org' }
      expect(['PENDING', 'VALID']).toContain(ok(await change(body)).data.status)
      const url = `https://127.0.0.1:${httpsPort}`
      await until(async () => (await namesAt(url).catch(() => '')).includes('qr.example.org'))
      expect(await health(url)).toBe(200)
      const view = ok(await admin.call('server.values')).data
      expect(view.certificate).toMatchObject({ kind: 'ACME', status: 'VALID', email: 'desk@example.org' })
      expect(view.reach.publicUrl).toBe(`https://qr.example.org:${httpsPort}`)
      expect((await fetch(`http://127.0.0.1:${httpPort}/x`, { redirect: 'manual' })).status).toBe(308)

      await reach({ names: ['new.example.org'] })
      await until(async () => (await namesAt(url).catch(() => '')).includes('new.example.org'))
      expect(await namesAt(url)).toContain('qr.example.org')

      // An earlier name that no longer leads here is left out after its second failure.
      pebble!.names.hidden.add('new.example.org')
      await reach({ names: ['next.example.org'] })
      await until(async () => ok(await admin.call('server.values')).data.certificate.lastError !== null)
      server.clock.advance(2 * MINUTE)
      await until(async () => (await namesAt(url).catch(() => '')).includes('next.example.org'))
      expect(await namesAt(url)).not.toContain('new.example.org')
      const { warnings, aliases } = ok(await admin.call('server.values')).data.reach
      expect(warnings.map(({ code }: { code: string }) => code)).toContain('ALIAS_LEFT_OUT')
      expect(aliases).toHaveLength(2)
    },
    180_000,
  )
})
