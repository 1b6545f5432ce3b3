/** Earlier public addresses: what is remembered, where their visitors are led, and which scanned links are recognized. */

import { afterEach, describe, expect, test } from 'bun:test'

import { aliasesAfter, reachWarnings } from '#domains/server/aliases/aliases.rules.ts'
import { MAX_ALIASES } from '#domains/settings/index.ts'

import { inProcess, ok, useServer } from '../harness/index.ts'
import { setAliases } from './aliases.ts'

describe('aliasesAfter', () => {
  const now = 1_000
  const origins = (...args: Parameters<typeof aliasesAfter>) => aliasesAfter(...args).map(({ origin }) => origin)
  const some = (...list: string[]) => list.map((origin) => ({ origin, since: 1 }))

  test('adds the old address with the time of the change', () => {
    const after = aliasesAfter(some('https://a.example'), 'https://b.example/', 'https://c.example', now)
    expect(after).toEqual([...some('https://a.example'), { origin: 'https://b.example', since: now }])
  })

  test('takes the new address from the list, in any spelling', () => {
    const before = some('https://a.example', 'https://b.example')
    expect(origins(before, 'https://c.example', 'HTTPS://A.example.:443/', now)).toEqual([
      'https://b.example',
      'https://c.example',
    ])
  })

  test('adds nothing if the address is the same or known already', () => {
    expect(origins([], 'https://a.example', 'https://a.example/', now)).toEqual([])
    const known = some('https://b.example')
    expect(aliasesAfter(known, 'https://B.example', 'https://c.example', now)).toEqual(known)
  })

  test('adds an address of the loopback only if something was printed on it', () => {
    for (const old of ['http://localhost:8080', 'http://127.0.0.1', 'http://[::1]:8080', 'http://localhost.']) {
      expect(origins([], old, 'https://c.example', now)).toEqual([])
      expect(origins([], old, 'https://c.example', now, () => 1)).toHaveLength(1)
    }
    expect(origins([], 'http://192.168.1.5:8080', 'https://c.example', now)).toEqual(['http://192.168.1.5:8080'])
  })

  test('forgets the oldest address without printed codes when there are too many', () => {
    const full = some(...Array.from({ length: MAX_ALIASES }, (_, i) => `https://a${i}.example`))
    const printedOn = (address: string) => (address === 'https://a0.example' ? 3 : 0)
    const after = origins(full, 'https://b.example', 'https://c.example', now, printedOn)
    expect(after).toHaveLength(MAX_ALIASES)
    expect(after).not.toContain('https://a1.example')
    expect([after[0], after.at(-1)]).toEqual(['https://a0.example', 'https://b.example'])
    const all = origins(full, 'https://b.example', 'https://c.example', now, () => 1)
    expect([all[0], all.at(-1), all.length]).toEqual(['https://a1.example', 'https://b.example', MAX_ALIASES])
  })
})

test('warnings say in both languages what is wrong with an address', () => {
  expect(reachWarnings('https://qr.example.org', 'en')).toEqual([])
  const [first, second, ...others] = reachWarnings('http://192.168.1.5', 'en')
  expect([first!.code, second!.code, others.length]).toEqual(['PRIVATE', 'PLAIN_HTTP', 0])
  expect(first!.text).toContain('same network')
  expect(reachWarnings('http://localhost:8080', 'zh')[0]!.text).toContain('这台计算机')
})

/** Their aliases are set inside the process. */
describe.if(inProcess)('a server with earlier addresses', () => {
  const publicUrl = 'https://new.example.org'
  const { server, alice } = useServer({ people: ['alice'], config: { publicUrl } })
  const html = { accept: 'text/html' }
  const at = (host: string, path: string, headers: Record<string, string> = {}, method = 'GET') =>
    server.request(method, path, { headers: { host, ...html, ...headers } })
  const leadsAway = async (host: string, path = '/console/codes?x=1', headers = {}) => {
    const reply = await at(host, path, headers)
    if (reply.status !== 308) return false
    expect(reply.headers.get('location')).toBe(publicUrl + path)
    expect(reply.headers.get('cache-control')).toBe('no-store')
    return true
  }

  afterEach(() => setAliases(server, []))

  test('leads visitors of pages of the web application to the public address', async () => {
    await setAliases(server, [
      'https://old.example.org',
      'http://192.168.1.5:8080',
      'http://[fd00::5]:8080',
      'https://new.example.org:8443',
    ])
    const hosts = [
      'old.example.org',
      'OLD.Example.org',
      'old.example.org.',
      'old.example.org:443',
      'old.example.org:80',
      'old.example.org:9999',
      '192.168.1.5:8080',
      '[FD00:0::5]:8080',
      'new.example.org:8443',
    ]
    for (const host of hosts)
      for (const path of ['/', '/console', '/console/', '/console/codes?x=1'])
        expect(`${host} ${path} ${await leadsAway(host, path)}`).toBe(`${host} ${path} true`)
    expect((await at('old.example.org', '/console/', {}, 'HEAD')).status).toBe(308)
  })

  test('leads nobody away from other hosts', async () => {
    await setAliases(server, ['https://old.example.org', 'http://localhost:8080', 'http://new.example.org'])
    const hosts = [
      'new.example.org',
      'new.example.org:443',
      'evil.example',
      'old.example.org.evil.example',
      'xold.example.org',
    ]
    for (const host of [...hosts, 'localhost:8080', '127.0.0.1', 'localhost', ''])
      expect(`${host} ${await leadsAway(host)}`).toBe(`${host} false`)
    await setAliases(server, [])
    expect(await leadsAway('old.example.org')).toBe(false)
  })

  test('leads nobody in a circle whose proxy sends the address of this server as Host', async () => {
    await setAliases(server, ['http://192.168.1.5:8080', 'https://old.example.org'])
    const forwarded = (host: string) => leadsAway('192.168.1.5:8080', '/console/', { 'x-forwarded-host': host })
    expect(await forwarded('new.example.org')).toBe(false)
    expect(await forwarded('new.example.org, proxy.example')).toBe(false)
    expect(await forwarded('%%%')).toBe(false)
    expect(await forwarded('OLD.example.org')).toBe(true)
  })

  test('answers codes, the interface, files and sockets at them as everywhere', async () => {
    await setAliases(server, ['https://old.example.org'])
    const code = ok(
      await alice.call('qrCodes.create', { body: { name: 'Menu', content: 'https://example.org', isPublic: true } }),
    ).data
    for (const path of [`/public/qr/${code.uuid}`, `/public/qr/${code.uuid}/code.svg`, '/manifest.webmanifest']) {
      const [here, there] = [await at('new.example.org', path), await at('old.example.org', path)]
      expect([path, there.status]).toEqual([path, 200])
      expect(there.text.replace(/Opened (?:once|\d+ times)/, '')).toBe(
        here.text.replace(/Opened (?:once|\d+ times)/, ''),
      )
    }
    expect((await at('old.example.org', '/s/activity/none')).status).toBe(404)
    expect((await at('old.example.org', '/S/PASS/NONE')).status).toBe(404)
    const { status } = await alice.send('GET', '/api/qr-codes', { headers: { host: 'old.example.org' } })
    expect(status).toBe(200)
    expect((await at('old.example.org', '/console/worker.js')).status).not.toBe(308)
    expect((await at('old.example.org', '/actuator/health')).status).toBe(200)
  })

  test('recognizes scanned links that begin with them', async () => {
    const code = ok(await alice.call('qrCodes.create', { body: { name: 'Menu', content: 'https://example.org' } })).data
    const org = ok(await alice.call('orgs.create', { body: { name: 'Readers', visibility: 'PUBLIC' } })).data
    const kinds = async (origin: string) => {
      const links = [`/public/qr/${code.uuid}`, `/public/orgs/${org.code}`].map((path) => origin + path)
      const found = await Promise.all(
        links.map(async (content) => ok(await alice.call('scanRecords.create', { body: { content } })).data.resolved),
      )
      return found.map(({ kind, id }) => `${kind} ${id}`)
    }
    const known = [`QR_CODE ${code.id}`, `ORG_JOIN ${org.id}`]
    expect(await kinds(publicUrl)).toEqual(known)
    for (const origin of ['https://old.example.org', 'http://localhost:8080']) {
      await setAliases(server, [])
      expect(await kinds(origin)).toEqual(['URL undefined', 'URL undefined'])
      await setAliases(server, [origin])
      expect(await kinds(origin)).toEqual(known)
      expect(await kinds(origin.toUpperCase())).toEqual(known)
    }
  })
})
