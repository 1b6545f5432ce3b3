/** The address of the server in the browser: PUT /api/admin/server/reach. */

import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { freshDatabase } from '../harness/database.ts'
import { inProcess, ok, type Person, startServer, type TestServer, until } from '../harness/index.ts'
import { freePort } from '../harness/s3.ts'

const MACHINE = { hasIpv6: false, names: ['willow', 'willow.local'], addresses: ['127.0.0.1'], publicAddresses: [] }

const answers = async (url: string): Promise<number> =>
  (await fetch(`${url}/actuator/health`, { redirect: 'manual', tls: { rejectUnauthorized: false } })).status

const isClosed = (url: string) =>
  until(() =>
    answers(url).then(
      () => false,
      () => true,
    ),
  )

describe.if(inProcess)('the address of the server', () => {
  let server: TestServer
  let admin: Person
  beforeEach(async () => {
    server = await startServer({ machine: () => MACHINE })
    admin = await server.admin()
  })
  afterEach(() => server.stop())

  const change = (body: object) => admin.call('server.reach.update', { body })
  const reach = async () => ok(await admin.call('server.values')).data.reach

  test('is this computer only, unless something else is set', async () => {
    const port = Number(new URL(server.url).port)
    expect(await reach()).toMatchObject({
      mode: 'LOCAL',
      names: [],
      loopback: true,
      aliases: [],
      listeners: [{ scheme: 'http', host: '127.0.0.1', port }],
      warnings: [{ code: 'LOOPBACK' }],
      sources: { mode: 'DEFAULT' },
      lockedBy: null,
    })
  })

  test('is locked by the start value that sets it, which the views name', async () => {
    await server.stop()
    server = await startServer({ machine: () => MACHINE, origins: new Map([['host', '--host']]) })
    admin = await server.admin()
    const { reach: shown, certificate } = ok(await admin.call('server.values')).data
    expect(shown).toMatchObject({ lockedBy: '--host', sources: { mode: 'FLAG', publicUrl: 'FLAG' } })
    expect(certificate.lockedBy).toBeNull()
    const refused = await change({ mode: 'PROXY', publicUrl: 'https://qr.example.org' })
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('is set by --host')])
  })

  test('is opened in the network at once, and this computer reaches the server as before', async () => {
    const httpPort = await freePort()
    const { data } = ok(await change({ mode: 'NETWORK', names: ['Willow'], httpPort, host: '127.0.0.1' }))
    expect(data).toMatchObject({
      mode: 'NETWORK',
      publicUrl: `http://willow:${httpPort}`,
      sources: { mode: 'DATABASE', publicUrl: 'DEFAULT' },
    })
    expect(await answers(`http://127.0.0.1:${httpPort}`)).toBe(200)
    expect(await answers(server.url)).toBe(200)
    ok(await change({ mode: 'LOCAL' }))
    await isClosed(`http://127.0.0.1:${httpPort}`)
    expect(await answers(server.url)).toBe(200)
    expect(await reach()).toMatchObject({
      mode: 'LOCAL',
      publicUrl: 'http://localhost:8080',
      aliases: [{ origin: `http://willow:${httpPort}`, printed: 0 }],
    })
  })

  test('is kept for the next start, which a port that is taken then does not stop', async () => {
    const httpPort = await freePort()
    const place = mkdtempSync(join(tmpdir(), 'tessera-reach-'))
    const database = process.env['TEST_DATABASE_URL'] ? await freshDatabase() : undefined
    const options = { dataDir: place, config: { databaseUrl: database?.url ?? '' }, machine: () => MACHINE }
    const first = await startServer(options)
    const body = { mode: 'NETWORK' as const, names: ['willow'], httpPort, host: '127.0.0.1' }
    ok(await (await first.admin()).call('server.reach.update', { body }))
    await first.stop()
    const restarted = await startServer(options)
    expect(await answers(`http://127.0.0.1:${httpPort}`)).toBe(200)
    await restarted.stop()
    const other = Bun.serve({ hostname: '127.0.0.1', port: httpPort, fetch: () => new Response() })
    const last = await startServer(options)
    expect(ok(await (await last.admin()).call('server.values')).data.reach).toMatchObject({
      mode: 'LOCAL',
      warnings: [{ code: 'IGNORED' }, { code: 'LOOPBACK' }],
    })
    await other.stop(true)
    const again = { mode: 'NETWORK' as const }
    const { data } = ok(await (await last.admin()).call('server.reach.update', { body: again }))
    expect(data).toMatchObject({ mode: 'NETWORK', publicUrl: `http://willow:${httpPort}` })
    expect(data.warnings.map(({ code }: { code: string }) => code)).not.toContain('IGNORED')
    expect(await answers(`http://127.0.0.1:${httpPort}`)).toBe(200)
    await last.stop()
    await database?.drop()
    rmSync(place, { recursive: true })
  })

  test('answers where it says after many changes at the same time', async () => {
    const ports = [await freePort(), await freePort()]
    ok(await change({ mode: 'NETWORK', host: '127.0.0.1', httpPort: ports[0] }))
    const names = Array.from({ length: 20 }, (_, i) => ({ names: [`willow-${i}`] }))
    const replies = await Promise.all([...names, { httpPort: ports[1] }, ...names].map(change))
    expect(replies.every(({ status }) => status === 200)).toBe(true)
    const { publicUrl, listeners } = await reach()
    expect(new URL(publicUrl).port).toBe(String(ports[1]))
    expect(listeners.map(({ port }: { port: number }) => port).toSorted()).toEqual(
      [ports[1]!, Number(new URL(server.url).port)].toSorted(),
    )
    expect(await answers(`http://127.0.0.1:${ports[1]}`)).toBe(200)
    await isClosed(`http://127.0.0.1:${ports[0]}`)
  })

  test('waits for a certificate in the mode DOMAIN, which plain HTTP says meanwhile', async () => {
    const [httpsPort, httpPort] = [await freePort(), await freePort()]
    const body = { mode: 'DOMAIN', names: ['QR.münchen.example.'], httpsPort, httpPort, host: '127.0.0.1' }
    expect(ok(await change(body)).data).toMatchObject({
      names: ['qr.xn--mnchen-3ya.example'],
      publicUrl: `https://qr.xn--mnchen-3ya.example:${httpsPort}`,
    })
    const page = await fetch(`http://127.0.0.1:${httpPort}/`)
    expect(page.status).toBe(503)
    expect(await page.text()).toContain('no certificate yet')
    expect(await answers(server.url)).toBe(200)
    await isClosed(`http://127.0.0.1:${httpsPort}`)
  })

  test('stays as it is if a port cannot be opened or a value contradicts another one', async () => {
    const taken = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response('other') })
    const before = await reach()
    const port = taken.port!
    for (const [body, path, sentence] of [
      [{ mode: 'NETWORK', host: '127.0.0.1', httpPort: port }, 'body.httpPort', 'another program uses'],
      [{ mode: 'NETWORK', host: '192.0.2.7' }, 'body.host', 'no address of this machine'],
      [{ mode: 'DOMAIN' }, 'body.names', 'required'],
      [{ mode: 'DOMAIN', names: ['192.168.1.2'] }, 'body.names.0', 'name of the internet'],
      [{ mode: 'DOMAIN', names: ['willow'] }, 'body.names.0', 'name of the internet'],
      [{ mode: 'DOMAIN', names: ['*.example.org'] }, 'body.names.0', 'asterisk'],
      [{ mode: 'DOMAIN', names: ['a.example'], publicUrl: 'https://b.example' }, 'body.publicUrl', 'a.example'],
      [{ mode: 'DOMAIN', names: ['a.example'], publicUrl: 'http://a.example' }, 'body.publicUrl', 'https://'],
      [{ mode: 'DOMAIN', names: ['a.example'], httpsPort: 4430, httpPort: 4430 }, 'body.httpPort', 'twice'],
      [{ mode: 'PROXY' }, 'body.publicUrl', 'required'],
      [{ mode: 'PROXY', publicUrl: 'https://a.example/path' }, 'body.publicUrl', 'without a path'],
      [{ mode: 'NETWORK', names: ['a b'] }, 'body.names.0', 'must be a name'],
      [{ mode: 'NETWORK', publicUrl: 'https://willow' }, 'body.publicUrl', 'no certificate'],
    ] as const) {
      const { status, text } = await change(body)
      expect({ body, status, text }).toEqual({ body, status: 400, text: expect.stringContaining(sentence) })
      expect(text).toContain(`"${path}"`)
    }
    expect(await reach()).toEqual(before)
    expect(await answers(server.url)).toBe(200)
    await taken.stop(true)
  })
})
