/** Looks for a newer version: POST /api/admin/server/update, its job, and the setting update.check. */

import { afterAll, afterEach, describe, expect, test } from 'bun:test'

import { server as domain } from '#domains/server/index.ts'
import { readSecretKey } from '#platform/minisign.ts'
import { readNotice, type Release, writeNotice } from '#platform/release-notice.ts'

import { createRole, grant } from '../access/helpers.ts'
import { PUBLIC_KEY, SECRET_KEY } from '../fixtures/release-key.ts'
import { inProcess, ok, startServer, useServer } from '../harness/index.ts'

const RELEASE: Release = {
  version: '7.4.0',
  date: '2027-03-01',
  notesUrl: 'https://example.org/notes/7.4.0?a=1&b=ü',
  sha256sumsUrl: 'https://example.org/7.4.0/SHA256SUMS',
}
const notice = (change: Partial<Release> = {}): string =>
  writeNotice({ ...RELEASE, ...change }, readSecretKey(SECRET_KEY))

type Answer = (request: Request) => Response | Promise<Response>
let answer: Answer = () => new Response(notice())
const requests: { method: string; url: string; headers: Headers }[] = []
const site = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch(request) {
    // Bun empties the request after its answer.
    requests.push({ method: request.method, url: request.url, headers: new Headers(request.headers) })
    return answer(request)
  },
})
afterAll(() => site.stop(true))
afterEach(() => {
  answer = () => new Response(notice())
  requests.length = 0
})
const updateUrl = `http://127.0.0.1:${site.port}/update.json`

describe.if(inProcess)('a server with an address and a key', () => {
  const { server, admin } = useServer({ config: { updateUrl }, releaseKey: PUBLIC_KEY })
  const turn = async (value: boolean | null) =>
    ok(await admin.call('admin.settings.update', { body: { values: { 'update.check': value } } }))
  const look = async () => ok(await admin.call('server.look')).data
  const view = async () => ok(await admin.call('server.values')).data.update

  test('asks nobody until an administrator switches that on', async () => {
    expect(await view()).toEqual({ locked: null, enabled: false, checkedAt: null, problem: null, available: null })
    for (const job of domain.jobs!) await job.run(server.ctx)
    const refused = await admin.call('server.look')
    expect([refused.status, refused.message]).toEqual([400, 'Switch the setting update.check on first'])
    expect(requests).toEqual([])
  })

  test('asks by one GET without a cookie or anything about itself, and shows the newer version', async () => {
    await turn(true)
    expect((await look()).available).toEqual(RELEASE)
    expect(await view()).toMatchObject({ enabled: true, problem: null, available: RELEASE })
    expect(requests.map(({ method, url }) => [method, url])).toEqual([['GET', updateUrl]])
    const { headers } = requests[0]!
    expect([...headers.keys()].toSorted()).toEqual(['accept', 'accept-encoding', 'connection', 'host', 'user-agent'])
    expect(headers.get('user-agent')).toBe('Tessera')
  })

  test('takes an older or an equal version as no news', async () => {
    // The version of the program.
    for (const version of ['0.1.0', '0.0.9', '0.1.0-rc.1']) {
      const other = await startServer({
        config: { updateUrl },
        releaseKey: PUBLIC_KEY,
        settings: { 'update.check': true },
      })
      answer = () => new Response(notice({ version }))
      const { data } = ok(await (await other.admin()).call('server.look'))
      expect(data).toMatchObject({ problem: null, available: null, checkedAt: expect.any(Number) })
      await other.stop()
    }
    // An old answer that is repeated hides no newer version.
    await turn(true)
    await look()
    answer = () => new Response(notice({ version: '7.3.9' }))
    expect((await look()).available?.version).toBe('7.4.0')
    answer = () => new Response(notice({ version: '7.10.0' }))
    expect((await look()).available?.version).toBe('7.10.0')
  })

  test.each<[string, Answer, string]>([
    ['another version than the signed one', () => new Response(notice().replace('7.4.0', '9.0.0')), 'NOT_SIGNED'],
    [
      'another address than the signed one',
      () => new Response(notice().replace('example.org', 'evil.example')),
      'NOT_SIGNED',
    ],
    ['no signature', () => Response.json(RELEASE), 'NOT_SIGNED'],
    ['HTML', () => new Response('<html>'), 'NOT_A_NOTICE'],
    ['null', () => new Response('null'), 'NOT_SIGNED'],
    ['404', () => new Response('', { status: 404 }), 'UNREACHABLE'],
    ['a redirect to another scheme', () => Response.redirect('ftp://127.0.0.1/x'), 'UNREACHABLE'],
    ['a redirect to a file', () => Response.redirect('file:///etc/passwd'), 'UNREACHABLE'],
    ['a redirect to itself', () => Response.redirect(updateUrl), 'UNREACHABLE'],
    ['100 MB', () => new Response(endless()), 'UNREACHABLE'],
    ['nothing', () => new Response(), 'NOT_A_NOTICE'],
  ])('takes %s as no answer, and keeps what it knows', async (_what, bad, problem) => {
    await turn(true)
    await look()
    const before = await view()
    answer = bad
    expect(await look()).toMatchObject({ problem: problem as 'UNREACHABLE', available: before.available })
    expect(requests.length).toBeLessThan(6)
    answer = () => new Response(notice())
    expect((await look()).problem).toBeNull()
  })

  test('follows a redirect of the same scheme', async () => {
    await turn(true)
    answer = ({ url }) => (url.endsWith('/moved') ? new Response(notice()) : Response.redirect('/moved'))
    expect(await look()).toMatchObject({ problem: null })
    expect(requests).toHaveLength(2)
  })

  test('looks by itself once a day', async () => {
    await turn(true)
    const job = async () => {
      for (const { run } of domain.jobs!) await run(server.ctx)
    }
    await look()
    requests.length = 0
    await job()
    expect(requests).toHaveLength(0)
    server.clock.advance(25 * 3_600_000)
    await job()
    await job()
    expect(requests).toHaveLength(1)
    await turn(null)
    server.clock.advance(25 * 3_600_000)
    await job()
    expect(requests).toHaveLength(1)
  })

  test('looks for the first time within a day, not at once', async () => {
    await using other = await startServer({
      config: { updateUrl },
      releaseKey: PUBLIC_KEY,
      settings: { 'update.check': true },
    })
    const job = async () => {
      for (const { run } of domain.jobs!) await run(other.ctx)
    }
    await job()
    expect(requests).toHaveLength(0)
    other.clock.advance(24 * 3_600_000)
    await job()
    expect(requests).toHaveLength(1)
  })

  test('lets administrators with setting:update look, and nobody else', async () => {
    await turn(true)
    const [operator, reader] = [await server.person(), await server.person()]
    ok(await grant(admin, operator, await createRole(admin, { permissions: ['setting:update'] })))
    ok(await grant(admin, reader, await createRole(admin, { permissions: ['setting:read'] })))
    expect((await operator.call('server.look')).status).toBe(200)
    expect((await reader.call('server.look')).status).toBe(403)
    expect((await server.call('server.look')).status).toBe(401)
    expect(requests).toHaveLength(1)
  })
})

describe('without the address or the key', () => {
  const { admin } = useServer()

  test('the setting is locked and says why, and can only have its default', async () => {
    const { data } = ok(await admin.call('admin.settings.list', {}))
    const setting = data.items.find(({ key }) => key === 'update.check')!
    expect(setting).toMatchObject({ mayChange: false, locked: expect.stringMatching(/^needs /) })
    const change = (value: boolean) =>
      admin.call('admin.settings.update', { body: { values: { 'update.check': value } } })
    const refused = await change(true)
    expect([refused.status, refused.details[0]!.path, refused.details[0]!.message]).toEqual([
      400,
      'body.values.update.check',
      setting.locked!,
    ])
    ok(await change(false))
    const { update } = ok(await admin.call('server.values')).data
    expect(update).toMatchObject({ locked: setting.locked!, enabled: false })
    expect((await admin.call('server.look')).status).toBe(400)
  })

  test.if(inProcess)('the sentence names what is missing', async () => {
    await using keyed = await startServer({ releaseKey: PUBLIC_KEY })
    const root = await keyed.admin()
    expect(ok(await root.call('server.values')).data.update.locked).toBe('needs TESSERA_UPDATE_URL, which is not set')
    const chinese = await root.send('GET', '/api/admin/server', { headers: { 'accept-language': 'zh' } })
    expect(chinese.text).toContain('需要设置 TESSERA_UPDATE_URL')
    await using addressed = await startServer({ config: { updateUrl } })
    const { locked } = ok(await (await addressed.admin()).call('server.values')).data.update
    expect(locked).toContain('the key of its releases')
    expect(requests).toEqual([])
  })
})

test.if(Bun.which('minisign') !== null)('a notice can be checked by minisign itself', async () => {
  const { signature, ...release } = JSON.parse(notice()) as Release & { signature: string }
  const folder = `${process.env['TMPDIR'] ?? '/tmp'}/notice-${crypto.randomUUID()}`
  await Bun.write(`${folder}/m`, JSON.stringify(release))
  await Bun.write(`${folder}/m.sig`, signature)
  const key = PUBLIC_KEY.split('\n')[1]!
  const { exitCode } = Bun.spawnSync(['minisign', '-V', '-m', `${folder}/m`, '-x', `${folder}/m.sig`, '-P', key])
  expect(exitCode).toBe(0)
})

test.each<[string, Partial<Release>]>([
  ['version', { version: '7.4' }],
  ['date', { date: '1 March' }],
  ['address', { notesUrl: 'http://example.org' }],
  ['address', { sha256sumsUrl: 'javascript:alert(1)' }],
])('a notice with a wrong %s is not signed', (_what, change) => {
  expect(() => notice(change)).toThrow('is not valid')
  expect(readNotice(notice(), PUBLIC_KEY)).toEqual(RELEASE)
})

function endless(): ReadableStream<Uint8Array> {
  let sent = 0
  return new ReadableStream({
    pull(controller) {
      if (sent++ < 1600) controller.enqueue(new Uint8Array(65_536).fill(32))
      else controller.close()
    },
  })
}
