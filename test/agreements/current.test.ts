/** The current agreement: what everyone can read, how clients keep it, and when other processes see a change. */

import { describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { agreements } from '#db/schema/agreements.ts'

import { inProcess, ok, startServer, useServer } from '../harness/index.ts'
import { activate, countReads, pending, publish } from './helpers.ts'

const { server, admin } = useServer()

const current = (type: string, etag?: string) =>
  server.request('GET', '/api/agreement/current', {
    query: { type },
    ...(etag !== undefined && { headers: { 'if-none-match': etag } }),
  })

describe('GET /api/agreement/current', () => {
  test('answers the active version without a token, with exactly five fields', async () => {
    await publish(admin, 'SERVICE', { title: 'Old', content: 'old' })
    const { version } = await publish(admin, 'SERVICE', { title: 'New', content: 'Be **kind**.' })
    expect(ok(await current('SERVICE')).data).toEqual({
      type: 'SERVICE',
      version,
      title: 'New',
      content: 'Be **kind**.',
      contentHtml: '<p>Be <strong>kind</strong>.</p>\n',
    })
  })

  test('answers 400 for a missing or unknown type, and 404 if none is published', async () => {
    await using empty = await startServer()
    expect((await empty.request('GET', '/api/agreement/current')).status).toBe(400)
    for (const type of ['', 'COOKIES', 'service', '__proto__', '1'])
      expect((await empty.request('GET', '/api/agreement/current', { query: { type } })).status, type).toBe(400)
    await publish(await empty.admin(), 'PRIVACY')
    expect((await empty.request('GET', '/api/agreement/current?type=SERVICE')).status).toBe(404)
    expect((await empty.request('GET', '/api/agreement/current?type=PRIVACY')).status).toBe(200)
  })

  test('answers 304 without a body while the version stays active', async () => {
    await publish(admin)
    const first = await current('SERVICE')
    const etag = first.headers.get('etag')!
    expect(etag).toMatch(/^"[\w-]+"$/)
    expect(first.headers.get('cache-control')).toBe('no-cache')
    for (const tag of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const again = await current('SERVICE', tag)
      expect([again.status, again.text, again.headers.get('etag')], tag).toEqual([304, '', etag])
      expect(again.headers.get('cache-control')).toBe('no-cache')
    }
    expect((await current('SERVICE', '"other"')).status).toBe(200)
    const head = await server.request('HEAD', '/api/agreement/current?type=SERVICE')
    expect([head.status, head.text, head.headers.get('etag')]).toEqual([200, '', etag])
  })

  test('gets another ETag by each publication and activation of its type, also for the same version and text', async () => {
    const etag = async (type = 'SERVICE') => ok(await current(type)).headers.get('etag')!
    await publish(admin, 'PRIVACY')
    const old = await publish(admin, 'SERVICE', { content: 'same' })
    const [policy, first] = [await etag('PRIVACY'), await etag()]
    await publish(admin, 'SERVICE', { content: 'same' })
    const second = await etag()
    ok(await activate(admin, old))
    const third = await etag()
    expect(new Set([policy, first, second, third]).size).toBe(4)
    for (const stale of [first, second]) expect((await current('SERVICE', stale)).status).toBe(200)
    expect(await etag('PRIVACY')).toBe(policy)
  })

  test.if(inProcess)('reads the database once a minute, also if nothing is published', async () => {
    await using fresh = await startServer()
    const read = async () => (await fresh.request('GET', '/api/agreement/current?type=SERVICE')).status
    for (const status of [404, 200]) {
      await read()
      const reads = countReads(fresh)
      expect([await read(), await read()]).toEqual([status, status])
      expect(reads.count).toBe(0)
      fresh.clock.advance(60_000)
      expect([await read(), await read()]).toEqual([status, status])
      expect(reads.count).toBe(1)
      reads.stop()
      if (status === 404) await publish(await fresh.admin())
    }
  })

  test.if(inProcess)('shows a change by another process after at most 60 seconds', async () => {
    const user = await server.person()
    const old = await publish(admin)
    const replaced = await publish(admin)
    expect(ok(await current('SERVICE')).data.version).toBe(replaced.version)
    // Like another process, this write does not clear the cache.
    await server.ctx.db.write('test', async (tx) => {
      await tx.update(agreements).set({ active: false }).where(eq(agreements.id, replaced.id))
      await tx.update(agreements).set({ active: true, activatedAt: tx.stamp }).where(eq(agreements.id, old.id))
    })
    server.clock.advance(60_000)
    expect(ok(await current('SERVICE')).data.version).toBe(old.version)
    expect(await pending(user)).toContain(`SERVICE ${old.version}`)
  })
})
