/** Checks from outside: an administrator starts one, and a phone opens its address. */

import { afterEach, describe, expect, test } from 'bun:test'

import { browserFamily, networkOf } from '#domains/server/checks/checks.rules.ts'
import { MINUTE } from '#platform/clock.ts'

import { inProcess, ok, race, useServer } from '../harness/index.ts'

describe('networkOf', () => {
  const own = ['192.168.1.5', '198.51.100.7', '93.184.216.34', '2606:4700:10:20::5']
  const cases: [ip: string, network: 'SAME' | 'OTHER'][] = [
    ['8.8.8.8', 'OTHER'],
    ['2a00:1450::1', 'OTHER'],
    ['2606:4700:10:21::9', 'OTHER'],
    ['93.184.216.34', 'SAME'],
    ['2606:4700:10:20:aaaa::9', 'SAME'],
    ['192.168.1.77', 'SAME'],
    ['10.0.0.1', 'SAME'],
    ['127.0.0.1', 'SAME'],
    ['fe80::1', 'SAME'],
    ['', 'SAME'],
  ]
  for (const [ip, network] of cases)
    test(`says ${network} for ${JSON.stringify(ip)}`, () => expect(networkOf(ip, own)).toBe(network))
})

describe('browserFamily', () => {
  const cases: [userAgent: string, family: string][] = [
    ['Mozilla/5.0 (Android 15; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0', 'Firefox'],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) FxiOS/140.0 Mobile/15E148 Safari/605.1.15',
      'Firefox',
    ],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
      'Safari',
    ],
    [
      'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/137.0.0.0 Mobile Safari/537.36',
      'Chrome',
    ],
    [
      'Mozilla/5.0 (Linux; Android 14; SM-S921B) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/27.0 Chrome/125.0.0.0 Mobile Safari/537.36',
      'Samsung Internet',
    ],
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/137.0.0.0 Safari/537.36 Edg/137.0.0.0',
      'Edge',
    ],
    ['curl/8.7.1', 'Other'],
    ['', 'Other'],
  ]
  for (const [userAgent, family] of cases)
    test(`recognizes ${family} in ${JSON.stringify(userAgent.slice(-40))}`, () =>
      expect(browserFamily(userAgent)).toBe(family))
})

describe('a check', () => {
  const publicUrl = 'https://127.0.0.1:8443'
  const { server, admin, alice } = useServer({ people: ['alice'], config: { publicUrl } })
  const FIREFOX = 'Mozilla/5.0 (Android 15; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0'

  const start = async (body: { url?: string } = {}) => ok(await admin.call('server.checks.start', { body })).data
  const state = async (id: number) => ok(await admin.call('server.checks.get', { params: { id } })).data
  /** Without the path of the address, which a proxy removes. */
  const pathOf = (url: string) => `/check/${url.split('/').at(-1)!}`
  const visit = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    server.request(method, path, {
      headers: { accept: 'text/html', host: '127.0.0.1:8443', 'user-agent': FIREFOX, ...headers },
    })
  const cookieOf = (headers: Headers) => headers.get('set-cookie')!.split(';')[0]!
  const report = (path: string, body: object, headers: Record<string, string> = {}) =>
    server.request('POST', path, { body, headers })
  const open: string[] = []
  const opened = async (body: { url?: string } = {}) => {
    const check = await start(body)
    open.push(pathOf(check.url))
    return { ...check, path: pathOf(check.url) }
  }
  // Those that wait count.
  afterEach(async () => {
    for (const path of open.splice(0)) await visit(path)
  })

  test('is seen by the administrator when a phone opens its address, and the phone sees that it works', async () => {
    const { id, url, qrUrl, expiresAt, path } = await opened()
    expect(url).toMatch(/^https:\/\/127\.0\.0\.1:8443\/check\/[\w-]{22}$/)
    expect(qrUrl).toBe(`${publicUrl}/api/qrcode/render?content=${encodeURIComponent(url)}`)
    expect(expiresAt).toBeGreaterThan(0)
    const picture = await server.request('GET', qrUrl.slice(publicUrl.length))
    expect(picture.headers.get('content-type')).toBe('image/png')
    expect(await state(id)).toEqual({ status: 'WAITING', seen: [] })
    const page = await visit(path, { 'accept-language': 'zh' })
    expect(page.status).toBe(200)
    expect(page.text).toContain('<h1>连接成功</h1>')
    expect(page.text).toContain('Tessera')
    expect(page.text).toContain('摄像头：可以使用')
    expect(page.headers.get('cache-control')).toBe('no-store')
    expect(page.headers.get('set-cookie')).toContain('HttpOnly')
    const { status, seen } = await state(id)
    expect([status, seen.length]).toEqual(['SEEN', 1])
    expect(seen[0]).toMatchObject({ network: 'SAME', scheme: 'https', secureContext: true, browser: 'Firefox' })
  })

  test('can be loaded again by the same device, and does not exist for others', async () => {
    const { path, id } = await opened()
    const cookie = cookieOf((await visit(path)).headers)
    const { seen } = await state(id)
    const again = await visit(`${path}?lang=en`, { cookie, 'user-agent': 'curl/8' })
    expect([again.status, again.headers.get('set-cookie')]).toEqual([200, null])
    expect(again.text).toContain('It works')
    for (const other of ['', 'tessera_check=x', `${cookie}x`])
      expect((await visit(path, { cookie: other })).status).toBe(404)
    expect((await state(id)).seen).toEqual(seen)
  })

  test('is not used up by programs that only look', async () => {
    const { path, id } = await opened()
    await visit(path, {}, 'HEAD')
    await visit(path, { 'sec-purpose': 'prefetch;prerender' })
    expect((await state(id)).status).toBe('WAITING')
    expect((await visit(path)).status).toBe(200)
  })

  test('is opened by one of many devices', async () => {
    const { path, id } = await opened()
    const answers = await race(20, () => visit(path))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect((await state(id)).seen).toHaveLength(1)
  })

  test('says which network and scheme the phone used, and keeps no address', async () => {
    const plain = await opened({ url: 'http://127.0.0.1:8080' })
    const page = await visit(plain.path, { host: '192.168.1.5:8080', 'x-forwarded-for': '8.8.8.8' })
    expect(page.text).toContain('Camera: allowed here')
    const { seen } = await state(plain.id)
    expect(seen[0]).toMatchObject({ network: 'OTHER', scheme: 'http', browser: 'Firefox' })
    const lan = await opened({ url: 'http://192.168.1.5:8080' })
    expect((await visit(lan.path, { host: '192.168.1.5:8080' })).text).toContain('Camera: needs https')
    expect((await state(lan.id)).seen[0]).toMatchObject({ network: 'SAME', scheme: 'http', secureContext: false })
    if (!inProcess) return
    const { reachChecks } = await import('#db/schema/reach.ts')
    const rows = await server.ctx.db.read.select().from(reachChecks)
    expect(rows.length).toBeGreaterThan(0)
    expect(JSON.stringify(rows)).not.toContain('8.8.8.8')
    for (const { path } of [plain, lan]) expect(JSON.stringify(rows)).not.toContain(path.split('/').at(-1)!)
  })

  test('takes the report of the page from the device that opened it, and from nobody else', async () => {
    const { path, id } = await opened({ url: 'http://192.168.1.5:8080' })
    const body = { scheme: 'https', secureContext: true }
    expect((await report(path, body)).status).toBe(404)
    const cookie = cookieOf((await visit(path, { host: '192.168.1.5:8080' })).headers)
    expect((await report(path, body)).status).toBe(404)
    for (const bad of [{}, { ...body, scheme: 'ftp' }, { ...body, secureContext: 'yes' }])
      expect((await report(path, bad, { cookie })).status).toBe(400)
    expect((await state(id)).seen[0]).toMatchObject({ scheme: 'http', secureContext: false })
    expect((await report(path, body, { cookie })).status).toBe(200)
    expect((await state(id)).seen[0]).toMatchObject({ scheme: 'https', secureContext: true, browser: 'Firefox' })
  })

  test('is for any address of the server, written as an address', async () => {
    const urlOf = async (url: string) => (await opened({ url })).url.replace(/[\w-]{22}$/, '')
    expect(await urlOf('HTTPS://Old.Example.org.:443/')).toBe('https://old.example.org/check/')
    expect(await urlOf('qr.example.org:8443')).toBe('https://qr.example.org:8443/check/')
    expect(await urlOf('https://example.org/qr')).toBe('https://example.org/qr/check/')
    const bad = [
      'javascript:alert(1)',
      'ftp://x.example',
      'https://',
      'https://a:b@x.example',
      'https://x.example?q=1',
      ' ',
    ]
    for (const url of [...bad, `https://${'x'.repeat(300)}.example`, 7])
      expect((await admin.post('/api/admin/server/reach/checks', { url })).status).toBe(400)
  })

  test('is started and read by system administrators only', async () => {
    const { id } = await opened()
    expect((await alice.call('server.checks.start', { body: {} })).status).toBe(403)
    expect((await alice.call('server.checks.get', { params: { id } })).status).toBe(403)
    expect((await server.call('server.checks.start', { body: {} })).status).toBe(401)
    expect((await admin.call('server.checks.get', { params: { id: id + 1000 } })).status).toBe(404)
    for (const token of ['x', 'l3xVdFq0T8yJm2sWbNc7hA', 'a'.repeat(99)])
      expect((await visit(`/check/${token}`)).status).toBe(404)
  })

  test.if(inProcess)('expires after ten minutes', async () => {
    const { path, id } = await opened()
    server.clock.advance(10 * MINUTE)
    expect((await visit(path)).status).toBe(404)
    expect(await state(id)).toEqual({ status: 'EXPIRED', seen: [] })
    server.clock.advance(61 * MINUTE)
    await opened()
    expect((await admin.call('server.checks.get', { params: { id } })).status).toBe(404)
  })

  test('waits together with at most 19 others', async () => {
    const answers = await race(25, () => admin.call('server.checks.start', { body: {} }))
    const started = answers.flatMap((answer) => (answer.status === 200 ? [answer.data as { url: string }] : []))
    open.push(...started.map(({ url }) => pathOf(url)))
    expect(answers.map(({ status }) => status).filter((status) => status !== 429)).toEqual(Array(20).fill(200))
    expect(started).toHaveLength(20)
    const refused = answers.filter(({ status }) => status === 429)
    expect(refused).toHaveLength(5)
    expect(Number(refused[0]!.headers.get('retry-after'))).toBeGreaterThan(0)
    await visit(open.pop()!)
    expect((await opened()).id).toBeGreaterThan(0)
  })
})
