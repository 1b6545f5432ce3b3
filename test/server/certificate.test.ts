/** The certificate of the server in the browser: shown by GET /api/admin/server, and renewed. */

import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { findRole, grant } from '../access/helpers.ts'
import { inProcess, ok, type Person, startServer, type TestServer, until, useServer } from '../harness/index.ts'
import { AUTHORITY_CA, startPebble } from '../harness/pebble.ts'

const pebble = await startPebble()
const TLS = join(import.meta.dir, '../harness/tls')
const HOUR = 3_600_000

const { admin: plainAdmin } = useServer()

const view = async (admin: Person, language = 'en') => {
  const headers = { 'accept-language': language }
  return ok(await admin.send('GET', '/api/admin/server', { headers })).data.certificate
}
const renew = (admin: Person, language = 'en') =>
  admin.send('POST', '/api/admin/server/certificate/renew', { headers: { 'accept-language': language } })

test('a server without a certificate shows none, and has nothing to renew', async () => {
  expect(await view(plainAdmin)).toMatchObject({
    kind: 'NONE',
    status: 'NONE',
    names: [],
    serial: null,
    processes: [],
    sources: { kind: 'DEFAULT' },
    lockedBy: null,
  })
  const reply = await renew(plainAdmin)
  expect([reply.status, reply.message]).toEqual([400, 'The server has no certificate that it could renew'])
  expect((await renew(plainAdmin, 'zh')).message).toContain('没有可续期的证书')
})

describe.skipIf(!inProcess)('a certificate from files', () => {
  let folder = ''
  beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'tessera-files-'))))
  afterEach(() => rmSync(folder, { recursive: true }))

  test('is shown with the reason for which the next one is not used, and renewed elsewhere', async () => {
    const [tlsCert, tlsKey] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
    copyFileSync(join(TLS, 'localhost-1.cert.pem'), tlsCert)
    copyFileSync(join(TLS, 'localhost-1.key.pem'), tlsKey)
    await using server = await startServer({ config: { tlsCert, tlsKey, publicUrl: 'https://127.0.0.1:0' } })
    const admin = await server.admin()
    const first = await view(admin)
    expect(first).toMatchObject({ kind: 'FILES', status: 'VALID', names: ['localhost', '127.0.0.1'], lastError: null })
    expect(first.notAfter).toBeGreaterThan(first.notBefore)
    expect(first.processes).toEqual([{ id: 'only', serial: first.serial, since: expect.any(Number) }])
    expect([first.renewAt, first.directory, first.challenge, first.authority]).toEqual([null, null, null, null])

    copyFileSync(join(TLS, 'localhost-2.key.pem'), tlsKey)
    await until(async () => (await view(admin)).lastError !== null)
    const { lastError, serial } = await view(admin)
    expect([serial, lastError.code]).toEqual([first.serial, 'otherKey'])
    expect(lastError.sentence).toMatch(/does not belong to the certificate/)
    expect((await view(admin, 'zh')).lastError.sentence).toContain('不匹配')
    copyFileSync(join(TLS, 'localhost-2.cert.pem'), tlsCert)
    // A handshake in the moment of the exchange may be cut off.
    await until(async () => (await view(admin).catch(() => first)).serial !== first.serial)
    expect((await view(admin)).lastError).toBeNull()

    const reply = await renew(admin)
    expect([reply.status, reply.message]).toEqual([400, expect.stringContaining('comes from files')])
  })
})

describe.skipIf(!inProcess)('a certificate of the authority of the server', () => {
  const start = (more: Parameters<typeof startServer>[0] = {}) =>
    startServer({ config: { lan: true, httpPort: 0, publicUrl: 'https://127.0.0.1:0' }, ...more })

  test('is shown with its authority, and replaced at once; other administrators are notified', async () => {
    await using server = await start()
    const admin = await server.admin()
    const other = await server.person()
    ok(await grant(admin, other, await findRole(admin, 'PLATFORM', 0, 'SYSTEM_ADMIN')))
    const first = await view(admin)
    expect(first).toMatchObject({ kind: 'LOCAL_CA', status: 'VALID', challenge: null, directory: null, email: null })
    expect(first.names).toContain('127.0.0.1')
    expect(first.renewAt).toBeWithin(first.notBefore + 59 * 24 * HOUR, first.notAfter - 29 * 24 * HOUR)
    const page = await server.request('GET', '/trust')
    expect(page.text).toContain(first.authority.fingerprint.slice(0, 9))
    expect(first.authority.trustedDevices).toBeGreaterThanOrEqual(1)

    server.clock.advance(1000)
    const renewed = ok(await renew(admin)).data
    expect(renewed.serial).not.toBe(first.serial)
    expect(renewed.authority.fingerprint).toBe(first.authority.fingerprint)
    expect(renewed.processes).toEqual([{ id: 'only', serial: renewed.serial, since: expect.any(Number) }])
    expect(renewed.processes[0].since).toBeGreaterThan(first.processes[0].since)
    const bodies = async (person: Person) =>
      ok(await person.call('notifications.list', {})).data.items.map(({ body }) => String(body))
    expect((await bodies(other)).filter((text) => text.includes('renewed the certificate'))).toHaveLength(1)
    expect((await bodies(admin)).filter((text) => text.includes('renewed the certificate'))).toEqual([])
    const { items } = ok(await admin.call('operationLog.list', { query: { action: 'SERVER_UPDATE' } })).data
    expect(items[0]).toMatchObject({ targetName: 'certificate', after: { renewal: 'LOCAL_CA' } })
  })

  test('is renewed three times an hour, after a confirmation', async () => {
    await using server = await start({ rateLimit: true })
    const admin = await server.admin()
    for (let times = 0; times < 3; times++) ok(await renew(admin))
    const refused = await renew(admin)
    expect([refused.status, Number(refused.headers.get('retry-after')) > 3000]).toEqual([429, true])
    server.clock.advance(HOUR + 1000)
    const late = await renew(admin)
    expect([late.status, late.code]).toEqual([403, 4031])
  })
})

describe.skipIf(pebble === undefined || !inProcess)('a certificate of an authority', () => {
  const NAME = 'shown.example.org'
  const start = () =>
    startServer({
      config: {
        domain: [NAME],
        publicUrl: `https://${NAME}:0`,
        acmeDirectory: pebble!.directory,
        acmeEmail: 'desk@example.org',
        acmeCa: AUTHORITY_CA,
        httpPort: pebble!.httpPort,
      },
    })
  const validations = () => pebble!.log().split('Pulled a task').length
  afterEach(() => pebble!.names.hidden.clear())

  const settled = async (admin: Person, before: number | null) => {
    await until(async () => ((await view(admin)).lastError?.at ?? null) !== before)
    return view(admin)
  }

  test('is shown with its failure, ordered without the pause, and not validated more than five times an hour', async () => {
    pebble!.names.hidden.add(NAME)
    await using server: TestServer = await start()
    const admin = await server.admin()
    let shown = await settled(admin, null)
    expect(shown).toMatchObject({
      kind: 'ACME',
      status: 'FAILED',
      names: [NAME],
      serial: null,
      challenge: 'HTTP_01',
      directory: pebble!.directory,
      email: 'desk@example.org',
      staging: false,
      dns: null,
      lastError: { code: 'connection' },
      processes: [{ id: 'only', serial: null, since: null }],
    })
    expect(shown.lastError.sentence).toContain(`cannot reach ${NAME} at port 80`)
    expect((await view(admin, 'zh')).lastError.sentence).toContain(`无法连接 ${NAME}`)
    expect(shown.lastAttemptAt).toBe(shown.lastError.at)
    expect(shown.renewAt).toBeGreaterThan(shown.lastError.at)

    for (let failures = 1; failures < 5; failures++) {
      server.clock.advance(1000)
      ok(await renew(admin))
      shown = await settled(admin, shown.lastError.at)
    }
    const asked = validations()
    const refused = await renew(admin)
    expect([refused.status, refused.code]).toEqual([429, 4022])
    expect(refused.message).toContain(`could not validate ${NAME} five times within an hour`)
    const seconds = Number(refused.headers.get('retry-after'))
    expect(seconds).toBeWithin(3590, 3601)
    // The pause of the fifth failure is longer than that of the rule.
    expect(validations()).toBe(asked)

    pebble!.names.hidden.clear()
    server.clock.advance(seconds * 1000)
    const again = await server.admin()
    ok(await renew(again))
    // It is stored a moment before the server uses it.
    await until(async () => (await view(again)).serial !== null)
    const valid = await view(again)
    expect(valid).toMatchObject({ status: 'VALID', lastError: null, issuer: expect.stringContaining('Pebble') })
    await until(async () => (await view(again)).processes[0].serial === valid.serial)
    ok(await renew(again))
    await until(async () => ![null, valid.serial].includes((await view(again)).serial))
  })
})
