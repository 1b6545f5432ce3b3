/** Administrators publish versions of agreements and make older ones current again. */

import { describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { agreements } from '#db/schema/agreements.ts'
import { bindPlatformRole, createRole } from '#domains/access/index.ts'

import { inProcess, ok, type Person, race, startServer, useServer } from '../harness/index.ts'
import { activate, publish, versions } from './helpers.ts'

const { server, admin, alice } = useServer({ people: ['alice'] })

/** The newest row of the operation log, and the number of rows. */
async function log(who: Person = admin) {
  const { items, total } = ok(await who.call('operationLog.list', { query: { size: 1 } })).data
  return { total, newest: items[0]! }
}

describe('POST /api/admin/agreements', () => {
  test('publishes the next version of its type, which becomes the only active one', async () => {
    const [highest] = await versions(admin, 'SERVICE')
    const first = await publish(admin, 'SERVICE', { title: 'Terms', content: '# One\n\nBe **kind**.' })
    expect(first).toEqual({
      id: expect.any(Number),
      type: 'SERVICE',
      version: (highest?.version ?? 0) + 1,
      title: 'Terms',
      content: '# One\n\nBe **kind**.',
      contentHtml: '<h1>One</h1>\n<p>Be <strong>kind</strong>.</p>\n',
      active: true,
      publishedBy: admin.id,
      createdAt: expect.any(Number),
    })
    const second = await publish(admin, 'SERVICE', { content: 'Be kinder.' })
    expect(second.version).toBe(first.version + 1)
    expect((await versions(admin, 'SERVICE')).slice(0, 2)).toEqual([second, { ...first, active: false }])
    expect(ok(await admin.call('agreements.get', { params: { id: first.id } })).data).toEqual({
      ...first,
      active: false,
    })
  })

  test('counts the versions of each type from 1 and leaves the other type active', async () => {
    const terms = await publish(admin, 'SERVICE')
    const before = (await versions(admin, 'PRIVACY')).length
    const policy = await publish(admin, 'PRIVACY', { title: 'Privacy policy' })
    expect(policy.version).toBe(before + 1)
    expect((await versions(admin, 'SERVICE'))[0]).toEqual(terms)
    const all = ok(await admin.call('agreements.list')).data
    const order = all.items.map(({ version, id }) => [version, id] as const)
    expect(order).toEqual(order.toSorted((a, b) => b[0] - a[0] || b[1] - a[1]))
    for (const { type, version } of [policy, terms])
      expect(all.items.find((row) => row.type === type)).toMatchObject({ version, active: true })
    expect(all.total).toBe((await versions(admin, 'SERVICE')).length + policy.version)
  })

  test('ignores fields that callers may not set', async () => {
    const body = { type: 'SERVICE', title: 'T', content: 'C', version: 99, active: false, publishedBy: 7, id: 1 }
    const { data } = ok(await admin.post('/api/admin/agreements', body))
    expect(data).toMatchObject({ active: true, publishedBy: admin.id })
    expect(data.version).toBeLessThan(99)
  })

  test('renders hostile Markdown as harmless HTML, and 100,000 characters', async () => {
    const hostile = '<script>alert(1)</script>\n\n[x](javascript:alert(1)) <img src=x onerror=alert(1)>'
    const { contentHtml } = await publish(admin, 'SERVICE', { content: hostile })
    expect(contentHtml).not.toMatch(/<script|<img|href="javascript/)
    expect(contentHtml).toContain('&lt;script&gt;')
    const content = 'Ein ganzer Satz. '.repeat(6000).slice(0, 99_999) + '.'
    const long = await publish(admin, 'SERVICE', { content })
    expect(long.content).toBe(content)
    expect(long.contentHtml.length).toBeGreaterThan(100_000)
  })

  for (const [name, body] of [
    ['without a type', { type: undefined }],
    ['with an unknown type', { type: 'COOKIES' }],
    ['without a title', { title: undefined }],
    ['with a blank title', { title: ' ' }],
    ['with a title of two lines', { title: 'a\nb' }],
    ['with a title of 101 characters', { title: 'x'.repeat(101) }],
    ['without content', { content: undefined }],
    ['with blank content', { content: ' \n ' }],
    ['with 100,001 characters', { content: 'x'.repeat(100_001) }],
    ['with content that is not a string', { content: { md: 'x' } }],
  ] as const)
    test(`${name} answers 400 and publishes nothing`, async () => {
      const before = [await versions(admin, 'SERVICE'), await versions(admin, 'PRIVACY'), (await log()).total]
      const reply = await admin.post('/api/admin/agreements', { type: 'SERVICE', title: 'T', content: 'C', ...body })
      expect(reply.status).toBe(400)
      expect([await versions(admin, 'SERVICE'), await versions(admin, 'PRIVACY'), (await log()).total]).toEqual(before)
    })

  test('adds a row to the operation log with the hash of the content instead of the content', async () => {
    const row = await publish(admin, 'PRIVACY', { title: 'Privacy', content: 'We keep no diary.' })
    const { newest } = await log()
    expect(newest).toMatchObject({
      action: 'AGREEMENT_PUBLISH',
      targetType: 'AGREEMENT',
      targetId: row.id,
      targetName: `PRIVACY ${row.version}`,
      before: null,
      after: {
        type: 'PRIVACY',
        version: row.version,
        title: 'Privacy',
        contentSha256: new Bun.CryptoHasher('sha256').update('We keep no diary.').digest('hex'),
      },
    })
    expect(JSON.stringify(newest)).not.toContain('diary')
  })

  test.if(inProcess)('is limited to 100 publications an hour for each administrator', async () => {
    await using limited = await startServer({ rateLimit: true })
    const root = await limited.admin()
    const body = { type: 'SERVICE', title: 'T', content: 'C' }
    const replies = await race(101, () => root.post('/api/admin/agreements', body))
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(100)
    expect(replies.find(({ status }) => status !== 200)).toMatchObject({ status: 429, code: 4022 })
    limited.clock.advance(3_600_000)
    expect((await publish(root)).version).toBe(101)
  })
})

describe('POST /api/admin/agreements/:id/activate', () => {
  test('makes an older version active again, and adds a row to the operation log', async () => {
    const old = await publish(admin, 'PRIVACY')
    const replaced = await publish(admin, 'PRIVACY')
    expect(ok(await activate(admin, old)).data).toEqual(old)
    expect((await versions(admin, 'PRIVACY')).filter(({ active }) => active)).toEqual([old])
    expect((await log()).newest).toMatchObject({
      action: 'AGREEMENT_ACTIVATE',
      targetId: old.id,
      targetName: `PRIVACY ${old.version}`,
      before: { activeVersion: replaced.version },
      after: { activeVersion: old.version },
    })
    const next = await publish(admin, 'PRIVACY')
    expect(next.version).toBe(replaced.version + 1)
  })

  test('answers 200 and changes nothing if the version is active', async () => {
    const active = await publish(admin, 'SERVICE')
    const before = [await versions(admin, 'SERVICE'), (await log()).total]
    const etag = async () =>
      (await server.call('agreements.current', { query: { type: 'SERVICE' } })).headers.get('etag')
    const tag = await etag()
    expect(ok(await activate(admin, active)).data).toEqual(active)
    expect([await versions(admin, 'SERVICE'), (await log()).total]).toEqual(before)
    expect(await etag()).toBe(tag)
  })

  test('answers 404 for an unknown version, and so does GET', async () => {
    expect((await activate(admin, { id: 999_999 })).status).toBe(404)
    expect((await admin.call('agreements.get', { params: { id: 999_999 } })).status).toBe(404)
  })
})

describe('published versions', () => {
  test('can be neither changed nor deleted through the API: 405 with the methods that are allowed', async () => {
    const row = await publish(admin)
    const paths = { '/api/admin/agreements': 'POST', [`/api/admin/agreements/${row.id}`]: 'GET' }
    for (const [path, allowed] of Object.entries(paths))
      for (const method of ['PUT', 'PATCH', 'DELETE'] as const) {
        const reply = await admin.send(method, path, { body: { title: 'changed' } })
        expect(reply.status, `${method} ${path}`).toBe(405)
        expect(reply.headers.get('allow')).toContain(allowed)
      }
    expect((await versions(admin, 'SERVICE'))[0]).toEqual(row)
  })

  test.if(inProcess)('can be neither changed nor deleted in the database', async () => {
    const row = await publish(admin)
    const { db } = server.ctx
    const here = eq(agreements.id, row.id)
    const changes = [{ content: 'forged' }, { contentHtml: 'forged' }, { title: 'forged' }, { version: 7777 }]
    for (const change of changes) {
      const writing = db.write('test', (tx) => tx.update(agreements).set(change).where(here))
      await expect(writing).rejects.toThrow('published agreements cannot be changed')
    }
    await expect(db.write('test', (tx) => tx.delete(agreements).where(here))).rejects.toThrow(
      /cannot be (changed or )?deleted/,
    )
    expect((await versions(admin, 'SERVICE'))[0]).toEqual(row)
  })
})

describe('permissions', () => {
  test('users without a PLATFORM role get 403, and callers who are not signed in 401', async () => {
    const row = await publish(admin)
    const replies = async (who: Pick<Person, 'send'>) =>
      Promise.all([
        who.send('GET', '/api/admin/agreements'),
        who.send('GET', `/api/admin/agreements/${row.id}`),
        who.send('POST', '/api/admin/agreements', { body: { type: 'SERVICE', title: 'T', content: 'C' } }),
        who.send('POST', `/api/admin/agreements/${row.id}/activate`),
      ])
    expect((await replies(alice)).map(({ status }) => status)).toEqual([403, 403, 403, 403])
    expect((await replies({ send: server.request })).map(({ status }) => status)).toEqual([401, 401, 401, 401])
    expect((await versions(admin, 'SERVICE'))[0]).toEqual(row)
  })

  test.if(inProcess)('agreement:read allows to list versions, but not to publish or activate them', async () => {
    const helper = await server.person()
    await server.ctx.db.write('test', async (tx) => {
      const role = { domain: 'PLATFORM', scopeId: 0, code: 'READER', name: 'Reader' } as const
      await createRole(tx, { ...role, points: ['agreement:read'] })
      await bindPlatformRole(server.ctx, tx, helper.id, 'READER')
    })
    const [old] = [await publish(admin), await publish(admin)]
    expect((await helper.call('agreements.list')).status).toBe(200)
    expect((await helper.call('agreements.get', { params: { id: old.id } })).status).toBe(200)
    expect((await activate(helper, old)).status).toBe(403)
    const body = { type: 'SERVICE', title: 'T', content: 'C' } as const
    expect((await helper.call('agreements.publish', { body })).status).toBe(403)
  })
})

describe('many administrators at once', () => {
  test('50 concurrent publications of a new type get the versions 1 to 50, and the last one is active', async () => {
    await using fresh = await startServer()
    const root = await fresh.admin()
    const published = await race(50, (i) => publish(root, 'PRIVACY', { title: `title ${i}` }))
    const numbers = Array.from({ length: 50 }, (_, i) => i + 1)
    expect(published.map(({ version }) => version).toSorted((a, b) => a - b)).toEqual(numbers)
    expect(new Set(published.map(({ title }) => title)).size).toBe(50)
    const stored = await versions(root, 'PRIVACY')
    expect(stored.map(({ version }) => version)).toEqual(numbers.toReversed())
    expect(stored.filter(({ active }) => active).map(({ version }) => version)).toEqual([50])
    expect(ok(await fresh.call('agreements.current', { query: { type: 'PRIVACY' } })).data.version).toBe(50)
    expect((await log(root)).total).toBe(50)
  })

  test('concurrent publications and activations leave exactly one version active, and no gap', async () => {
    await using fresh = await startServer()
    const root = await fresh.admin()
    const old = [await publish(root), await publish(root), await publish(root)]
    const replies = await race(50, (i) =>
      i % 2 === 0
        ? root.post('/api/admin/agreements', { type: 'SERVICE', title: 'T', content: 'C' })
        : activate(root, old[i % 3]!),
    )
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]))
    const stored = await versions(root, 'SERVICE')
    expect(stored.map(({ version }) => version)).toEqual(Array.from({ length: 28 }, (_, i) => 28 - i))
    const active = stored.filter((row) => row.active)
    expect(active).toHaveLength(1)
    const { data } = ok(await fresh.call('agreements.current', { query: { type: 'SERVICE' } }))
    expect(data.version).toBe(active[0]!.version)
  })

  test('of 50 concurrent activations of one version, one is logged', async () => {
    await using fresh = await startServer()
    const root = await fresh.admin()
    const [old] = [await publish(root), await publish(root)]
    const { total } = await log(root)
    for (const reply of await race(50, () => activate(root, old))) expect(ok(reply).data).toEqual(old)
    expect((await log(root)).total).toBe(total + 1)
  })
})
