/** How many codes were printed for each address, and what this means for the removal of an address. */

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { aliasesAfterChange, aliasesKept, aliasViews } from '#domains/server/aliases/aliases.service.ts'
import { serverValues } from '#domains/settings/index.ts'
import type { AppError } from '#http/errors.ts'
import { SECOND } from '#platform/clock.ts'

import { issued, withPasses } from '../activities/pass-helpers.ts'
import { freshDatabase, type TestDatabase } from '../harness/database.ts'
import { inProcess, ok, type Person, startServer, type TestServer } from '../harness/index.ts'
import { setAliases } from './aliases.ts'

/** They move the clock and look inside the process. */
describe.if(inProcess)('printed codes', () => {
  const publicUrl = 'https://qr.example.org'
  let server: TestServer
  let alice: Person
  const dataDir = mkdtempSync(join(tmpdir(), 'tessera-printed-'))

  let database: TestDatabase | undefined

  /** The clock is stopped: two requests of the same second count once. */
  let at = 0

  const start = async () => {
    server = await startServer({ dataDir, config: { publicUrl, ...(database && { databaseUrl: database.url }) } })
    at = server.clock.now()
    server.clock.now = () => at
  }
  beforeAll(async () => {
    if (process.env['TEST_DATABASE_URL']) database = await freshDatabase()
    await start()
    alice = await server.person('alice')
  })
  afterAll(async () => {
    await server.stop()
    await database?.drop()
    rmSync(dataDir, { recursive: true, force: true })
  })
  afterEach(() => setAliases(server, []))

  const printed = async (origin = publicUrl) => {
    await setAliases(server, [origin])
    return (await aliasViews(server.ctx))[0]!.printed
  }
  /** How many more there are after `run`. */
  const counted = async (run: () => Promise<unknown>) => {
    const before = await printed()
    await run()
    return (await printed()) - before
  }
  const render = (content: string) => server.request('GET', `/api/qrcode/render?content=${encodeURIComponent(content)}`)
  const aCode = async (more: object = {}) =>
    ok(
      await alice.call('qrCodes.create', {
        body: { name: 'Menu', content: 'https://example.com', isPublic: true, isDynamic: true, ...more },
      }),
    ).data

  test('are counted when their picture is fetched, each at most once a second', async () => {
    const [one, two] = [await aCode(), await aCode()]
    at += SECOND
    expect(await counted(() => render(one.pictureContent))).toBe(1)
    expect(await counted(() => render(one.pictureContent))).toBe(0)
    expect(await counted(() => server.request('GET', `/public/qr/${one.uuid}/code.png`))).toBe(0)
    expect(await counted(() => server.request('GET', `/public/qr/${two.uuid}/code.svg`))).toBe(1)
    at += SECOND
    expect(await counted(() => render(one.shortUrl!))).toBe(1)
  })

  test('are not counted if they do not lead to the public address', async () => {
    const fixed = await aCode({ isDynamic: false })
    at += SECOND
    const others = [
      'https://example.com/s/asset/1',
      `${publicUrl}.evil.example/s/asset/1`,
      'https://go.example.org/k7mpx2wr',
      `${publicUrl}/console/`,
      `${publicUrl}/check/l3xVdFq0T8yJm2sWbNc7hA`,
      'org-join:ABCDEFGH',
      'x',
    ]
    for (const content of others) expect(`${content} ${await counted(() => render(content))}`).toBe(`${content} 0`)
    expect(await counted(() => server.request('GET', `/public/qr/${fixed.uuid}/code.png`))).toBe(0)
  })

  test('are counted in exports of codes and passes, one for each', async () => {
    const ids = [await aCode(), await aCode(), await aCode()].map(({ id }) => id)
    for (const format of ['csv', 'zip', 'xlsx'] as const) {
      at += SECOND
      expect(
        await counted(async () =>
          expect((await alice.call('qrCodes.export', { body: { ids, format, size: 300 } })).status).toBe(200),
        ),
      ).toBe(3)
    }
    const activity = await withPasses(alice)
    await issued(alice, activity.id, { holders: [{ name: 'Ann' }, { name: 'Ben' }] })
    for (const format of ['csv', 'zip', 'pdf'] as const) {
      at += SECOND
      expect(await counted(() => alice.get(`/api/activities/${activity.id}/pass/passes`, { format }))).toBe(2)
    }
    at += SECOND
    expect(await counted(() => alice.get(`/api/activities/${activity.id}/pass/passes`))).toBe(0)
  })

  test('are counted when a client reports them', async () => {
    expect(await counted(() => alice.call('server.printed', { body: { things: 24 } }))).toBe(24)
    for (const body of [{}, { things: 0 }, { things: 2001 }, { things: 'x' }])
      expect((await alice.post('/api/server/printed', body)).status).toBe(400)
    expect((await server.request('POST', '/api/server/printed', { body: { things: 1 } })).status).toBe(401)
  })

  test('keep the address on the list until its removal is forced', async () => {
    await alice.call('server.printed', { body: { things: 2 } })
    const total = await printed()
    const empty = 'https://unused.example.org'
    await setAliases(server, [publicUrl, empty])
    const { aliases = [] } = serverValues(server.ctx)
    const keep = (origins: string[], isForced = false) =>
      server.ctx.db.write('test.keep', (tx) => aliasesKept(server.ctx, tx, aliases, origins, isForced))
    const refusal = async (origins: string[]) => {
      try {
        await keep(origins)
        return undefined
      } catch (error) {
        return error as AppError
      }
    }
    expect((await keep([publicUrl])).map(({ origin }) => origin)).toEqual([publicUrl])
    expect(await keep(['HTTPS://QR.EXAMPLE.ORG:443', empty])).toHaveLength(2)
    const error = (await refusal([empty]))!
    expect([error.status, error.text.en.includes(`: ${total}.`), error.text.zh.includes(`${total} 个`)]).toEqual([
      400,
      true,
      true,
    ])
    expect(await keep([empty], true)).toHaveLength(1)
    expect(await keep([], true)).toHaveLength(0)
    for (const bad of ['https://stranger.example', 'x y', ''])
      expect((await refusal([publicUrl, empty, bad]))?.status).toBe(400)
  })

  test('make an address of the loopback an alias', async () => {
    const config = server.ctx.config as { publicUrl: string }
    const local = 'http://localhost:8080'
    const change = (old: string) =>
      server.ctx.db.write('test.change', (tx) => aliasesAfterChange(server.ctx, tx, [], old, 'https://new.example.org'))
    expect(await change(publicUrl)).toHaveLength(1)
    expect(await change(local)).toEqual([])
    config.publicUrl = local
    ok(await alice.call('server.printed', { body: { things: 1 } }))
    config.publicUrl = publicUrl
    expect((await change(local)).map(({ origin }) => origin)).toEqual([local])
  })

  test('are not lost when the server stops', async () => {
    await render((await aCode()).publicUrl)
    const total = await printed()
    await server.stop()
    await start()
    expect(await printed()).toBe(total)
    expect(await printed('https://QR.example.org.:443/')).toBe(total)
    expect(await printed('https://other.example.org')).toBe(0)
  })
})
