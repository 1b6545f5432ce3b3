/** Slugs of short links: who gets which one, what happens to those that are replaced, and what codes without one keep. */

import { afterEach, describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { qrCodes } from '#db/schema/qr-codes.ts'
import { qrLinks } from '#db/schema/qr-links.ts'
import { bindRole, createRole, unbindRoles } from '#domains/access/index.ts'
import type { WrittenQrCode } from '#domains/qr-codes/codes/codes.model.ts'
import { claimSlug } from '#domains/qr-codes/slugs.store.ts'
import { removeAll } from '#domains/removals/removals.service.ts'
import { setSetting } from '#domains/settings/index.ts'

import { inProcess, ok, type Person, race, useServer } from '../harness/index.ts'
import { addMembers, createOrg } from '../orgs/helpers.ts'
import { allPages, type Code, createCode } from './helpers.ts'

const { server, alice, mallory } = useServer({ people: ['alice', 'mallory'] })

let counter = 0
const newSlug = () => `slug-${process.pid}-${++counter}`

const change = async (user: Person, id: number, body: object): Promise<WrittenQrCode> =>
  ok(await user.put(`/api/qr-codes/${id}`, body)).data
const refused = async (user: Person, body: object): Promise<unknown> => {
  const reply = await user.post('/api/qr-codes', { name: 'n', content: 'https://example.com/', ...body })
  expect(reply.status).toBe(400)
  return reply.details
}
const taken = [{ path: 'body.slug', message: 'is taken' }]

describe('a code that becomes dynamic', () => {
  test('gets a random slug, is public, and opens its target, whether it is created so or switched on', async () => {
    const body = { name: 'Menu', content: 'https://example.com/menu', isDynamic: true }
    const created: WrittenQrCode = ok(await alice.post('/api/qr-codes', body)).data
    expect(created).toMatchObject({ isPublic: true, isDynamic: true, opens: 'TARGET', version: 1, warnings: [] })
    expect(created.slug).toMatch(/^[23456789abcdefghjkmnpqrstuvwxyz]{8}$/)
    expect(created.shortUrl).toEndWith(`/q/${created.slug}`)
    expect(created.pictureContent).toBe(created.shortUrl!.toUpperCase())
    expect(created.pictureContent).toMatch(/^[0-9A-Z $%*+./:-]+$/)
    expect(created.imageUrl).toContain(encodeURIComponent(created.pictureContent))

    const plain = await createCode(alice, { content: body.content })
    expect(plain).toMatchObject({
      isPublic: false,
      slug: null,
      shortUrl: null,
      opens: null,
      pictureContent: body.content,
    })
    const switched = await change(alice, plain.id, { isDynamic: true })
    expect(switched).toMatchObject({ isPublic: true, opens: 'TARGET', version: 2 })
    expect(switched.slug).not.toBe(created.slug)
    expect(switched.warnings).toEqual([
      {
        code: 'PICTURE_CHANGED',
        message: expect.stringContaining('picture has changed'),
        details: { before: body.content, after: switched.pictureContent },
      },
    ])
    const { warnings: _, ...shown } = switched
    expect(ok(await alice.get(`/api/qr-codes/${plain.id}`)).data).toEqual(shown)
  })

  test('takes what the request says instead', async () => {
    const slug = newSlug()
    const body = { name: 'n', content: 'https://example.com/', isDynamic: true, isPublic: false, opens: 'PAGE', slug }
    const headers = { 'accept-language': 'zh' }
    const code: WrittenQrCode = ok(await alice.send('POST', '/api/qr-codes', { body, headers })).data
    expect(code).toMatchObject({ isPublic: false, opens: 'PAGE', slug })
    expect(code.warnings).toEqual([{ code: 'NOT_PUBLIC', message: '此二维码未公开，扫码将找不到内容', details: null }])
    // The same request again changes nothing.
    const again = await change(alice, code.id, { isDynamic: true, isPublic: false, opens: 'PAGE', slug })
    expect(again).toMatchObject({ version: 1, updatedAt: code.updatedAt })
    expect(again.warnings.map((warning) => warning.code)).toEqual(['NOT_PUBLIC'])
  })

  test('keeps its slug and its short link when it is no longer dynamic, and when it is dynamic again', async () => {
    const code = await createCode(alice, { isDynamic: true, opens: 'PAGE', content: 'https://example.com/a' })
    const fixed = await change(alice, code.id, { isDynamic: false })
    expect(fixed).toMatchObject({
      slug: code.slug,
      shortUrl: code.shortUrl,
      opens: 'PAGE',
      pictureContent: code.content,
    })
    expect(fixed.warnings).toMatchObject([
      { code: 'PICTURE_CHANGED', details: { before: code.pictureContent, after: code.content } },
    ])
    expect(await change(alice, code.id, { isDynamic: true })).toMatchObject({
      slug: code.slug,
      opens: 'TARGET',
      pictureContent: code.pictureContent,
    })
  })
})

test('requests that do not make a code dynamic see no change', async () => {
  expect(await createCode(alice, { isDynamic: false })).toMatchObject({ isPublic: false, slug: null, opens: null })
  expect(await createCode(alice, { opens: 'TARGET', slug: null })).toMatchObject({ slug: null, opens: null })
  const dynamic = await createCode(alice, { isDynamic: true })
  ok(await alice.patch(`/api/qr-codes/${dynamic.id}/public`, { isPublic: false }))
  expect(await change(alice, dynamic.id, { isDynamic: true, name: 'new' })).toMatchObject({ isPublic: false })
  expect(await change(alice, dynamic.id, { content: 'https://example.com/new' })).toMatchObject({ warnings: [] })
})

describe('a custom slug', () => {
  test('is stored in lower case, and is no change in another case', async () => {
    const slug = newSlug()
    const code = await createCode(alice, { slug: ` ${slug.toUpperCase()} `, content: 'https://example.com/' })
    expect(code).toMatchObject({ slug, isDynamic: false, opens: 'TARGET', pictureContent: 'https://example.com/' })
    expect(await change(alice, code.id, { slug: slug.toUpperCase() })).toMatchObject({ version: 1 })
    expect(await refused(mallory, { slug: slug.toUpperCase() })).toEqual(taken)
  })

  test.each([
    'ab',
    'a'.repeat(51),
    '-abc',
    'abc-',
    'a_b',
    'a b',
    'ä-b',
    'a/b',
    'menü',
    'a\u212ab',
    '..%2f',
    'info',
    'NEW',
    'api',
    'q',
    's',
  ])('%p is refused', async (slug) => {
    expect(await refused(alice, { slug })).toMatchObject([{ path: 'body.slug' }])
    const items = [
      { name: 'n', content: 'x' },
      { name: 'n', content: 'x', slug },
    ]
    const batch = await alice.post('/api/qr-codes/batch', { items })
    expect([batch.status, batch.details]).toMatchObject([400, [{ path: 'body.items.1.slug' }]])
  })

  test.each(['abc', 'a-b', '2-2', 'a'.repeat(50)])('%p is accepted', async (slug) => {
    const own = `${slug.slice(0, 42)}${slug.length > 10 ? String(process.pid).padStart(8, '0') : ''}`
    expect((await createCode(alice, { slug: own })).slug).toBe(own)
  })

  test('is refused in the same words whether a living, a deleted or the code of another user has it', async () => {
    const [own, foreign, trashed, purged] = [newSlug(), newSlug(), newSlug(), newSlug()]
    await createCode(mallory, { slug: own })
    await createCode(alice, { slug: foreign })
    for (const slug of [trashed, purged])
      ok(await alice.delete(`/api/qr-codes/${(await createCode(alice, { slug })).id}`))
    const trash: Code[] = await allPages(alice, '/api/qr-codes/trash', 100)
    ok(await alice.delete(`/api/qr-codes/trash/${trash.find((code) => code.slug === purged)!.id}`))
    for (const slug of [own, foreign, trashed, purged]) expect(await refused(mallory, { slug })).toEqual(taken)
    expect(await refused(alice, { slug: purged })).toEqual(taken)
  })

  test('of two codes in one batch is refused for the second one, and nothing is created', async () => {
    const me = await server.person()
    const slug = newSlug()
    const item = { name: 'n', content: 'x', slug }
    const reply = await me.post('/api/qr-codes/batch', { items: [item, { ...item, slug: slug.toUpperCase() }] })
    expect([reply.status, reply.details]).toEqual([400, [{ path: 'body.items.1.slug', message: 'is taken' }]])
    expect(ok(await me.get('/api/qr-codes')).data.total).toBe(0)
    await createCode(me, { slug })
  })

  test('that 50 requests want at once goes to one of them', async () => {
    const people = await Promise.all(Array.from({ length: 5 }, () => server.person()))
    const slug = newSlug()
    const codes = await Promise.all(people.map((person) => createCode(person)))
    const replies = await race(50, (i) => {
      const person = people[i % 5]!
      if (i % 3 === 0) return person.put(`/api/qr-codes/${codes[i % 5]!.id}`, { slug })
      const body = { name: `n${i}`, content: 'https://example.com/', slug: i % 2 ? slug : slug.toUpperCase() }
      return i % 3 === 1
        ? person.post('/api/qr-codes', { ...body, isDynamic: true })
        : person.post('/api/qr-codes/batch', { items: [body] })
    })
    const lists = await Promise.all(people.map((person) => allPages(person, '/api/qr-codes', 100)))
    const holders = lists.flat().filter((code) => code.slug === slug)
    expect(holders).toHaveLength(1)
    const winner = people.findIndex((person) => person.id === holders[0]!.userId)
    for (const [i, reply] of replies.entries()) {
      if (reply.status === 200) {
        expect(i % 5).toBe(winner)
        continue
      }
      expect(reply.status).toBe(400)
      expect(reply.details).toMatchObject([{ message: 'is taken' }])
    }
  })
})

describe('a slug that is replaced', () => {
  test('stays with its code, which can have it back', async () => {
    const [first, second] = [newSlug(), newSlug()]
    const code = await createCode(alice, { isDynamic: true, slug: first, content: 'https://example.com/' })
    const changed = await change(alice, code.id, { slug: second })
    expect(changed).toMatchObject({ slug: second, version: 2 })
    expect(changed.warnings).toMatchObject([
      { code: 'PICTURE_CHANGED', details: { before: code.pictureContent, after: changed.pictureContent } },
    ])
    expect(await refused(alice, { slug: first })).toEqual(taken)
    expect(await change(alice, code.id, { slug: first.toUpperCase() })).toMatchObject({ slug: first, version: 3 })
    expect(await refused(mallory, { slug: second })).toEqual(taken)
  })

  test('ten times stays with its code; the eleventh change is refused, while earlier slugs can still come back', async () => {
    const slugs = Array.from({ length: 12 }, newSlug)
    const code = await createCode(alice, { slug: slugs[0]! })
    for (const slug of slugs.slice(1, 11)) await change(alice, code.id, { slug })
    const reply = await alice.put(`/api/qr-codes/${code.id}`, { slug: slugs[11], name: 'new' })
    expect([reply.status, reply.details]).toMatchObject([400, [{ path: 'body.slug' }]])
    expect(ok(await alice.get(`/api/qr-codes/${code.id}`)).data).toMatchObject({ slug: slugs[10], name: code.name })
    expect(await change(alice, code.id, { slug: slugs[3] })).toMatchObject({ slug: slugs[3] })
    // The refused one is still free.
    await createCode(mallory, { slug: slugs[11]! })
  })
})

describe('the trash', () => {
  test('keeps the slug of a code, which has it again when it is restored', async () => {
    const slug = newSlug()
    const code = await createCode(alice, { isDynamic: true, slug, content: 'https://example.com/' })
    ok(await alice.delete(`/api/qr-codes/${code.id}`))
    const trash = await allPages<Code & { deletedAt: number }>(alice, '/api/qr-codes/trash', 100)
    expect(trash.find(({ id }) => id === code.id)).toMatchObject({ slug, shortUrl: code.shortUrl, opens: 'TARGET' })
    const restored = ok(await alice.patch(`/api/qr-codes/trash/restore/${code.id}`)).data
    expect(restored).toMatchObject({ slug, isPublic: true, isDynamic: true, opens: 'TARGET' })
  })
})

describe.if(inProcess)('with the database', () => {
  afterEach(() => quota(200))
  const quota = (limit: number) => server.ctx.db.write('test', (tx) => setSetting(tx, 'quota.slugs', limit))

  /** A code as it was before there were short links. */
  async function oldCode(fields = {}): Promise<Code> {
    const { id } = await createCode(alice, { content: 'https://example.com/old', isDynamic: true, ...fields })
    await server.ctx.db.write('test', async (tx) => {
      await tx.update(qrCodes).set({ slug: null, opens: null }).where(eq(qrCodes.id, id)).returning({ id: qrCodes.id })
    })
    return ok(await alice.get(`/api/qr-codes/${id}`)).data
  }

  const pictureOf = async (code: Code) =>
    ok(await server.request('GET', code.imageUrl.slice(code.imageUrl.indexOf('/api/')))).bytes

  test('a dynamic code of a user who may not publish stays private, and the answer says so', async () => {
    const writer = await server.person()
    await server.ctx.db.write('test', async (tx) => {
      await unbindRoles(tx, writer.id, 'APP', 0)
      const points = ['read', 'create', 'update'].map((action) => `qr_code:${action}`)
      await createRole(tx, { domain: 'APP', scopeId: 0, code: 'LINK_WRITER', name: 'Writer', points })
      await bindRole(tx, writer.id, 'APP', 0, 'LINK_WRITER')
    })
    const item = { name: 'n', content: 'https://example.com/', isDynamic: true }
    const [plain, created, batch] = [
      await createCode(writer),
      ok(await writer.post('/api/qr-codes', item)).data,
      ok(await writer.post('/api/qr-codes/batch', { items: [item] })).data.items[0],
    ]
    for (const code of [created, batch, await change(writer, plain.id, { isDynamic: true })]) {
      expect(code).toMatchObject({ isPublic: false, isDynamic: true, opens: 'TARGET', slug: expect.any(String) })
      expect(code.warnings.map((warning: { code: string }) => warning.code)).toContain('NOT_PUBLIC')
    }
    expect((await writer.post('/api/qr-codes', { ...item, isPublic: true })).status).toBe(403)
    // One that somebody else has published stays public.
    await server.ctx.db.write('test', async (tx) => {
      await tx
        .update(qrCodes)
        .set({ isPublic: true, isDynamic: false })
        .where(eq(qrCodes.id, plain.id))
        .returning({ id: qrCodes.id })
    })
    expect(await change(writer, plain.id, { isDynamic: true })).toMatchObject({ isPublic: true })
  })

  test('a code that was dynamic before keeps its picture byte for byte until its owner sends a slug', async () => {
    const code = await oldCode()
    expect(code).toMatchObject({ slug: null, shortUrl: null, opens: 'PAGE', pictureContent: code.publicUrl })
    expect(code.imageUrl).toEndWith(`/api/qrcode/render?content=${encodeURIComponent(code.publicUrl)}`)
    const picture = await pictureOf(code)
    const { warnings, version } = await change(alice, code.id, { isDynamic: true, opens: 'PAGE', slug: null })
    expect([warnings, version]).toEqual([[], code.version])
    const led = await change(alice, code.id, { opens: 'TARGET' })
    expect(led).toMatchObject({ opens: 'TARGET', slug: null, version: code.version + 1, warnings: [] })
    expect(led.imageUrl).toBe(code.imageUrl)
    expect(await pictureOf(led)).toEqual(picture)
    const slug = newSlug()
    const linked = await change(alice, code.id, { slug })
    expect(linked).toMatchObject({ slug, opens: 'TARGET', pictureContent: linked.shortUrl!.toUpperCase() })
    expect(linked.warnings).toMatchObject([{ code: 'PICTURE_CHANGED', details: { before: code.publicUrl } }])
  })

  test('the quota of custom slugs counts replaced and deleted ones, but no random ones, and lets none slip through in a race', async () => {
    const me = await server.person()
    await quota(5)
    const code = await createCode(me, { slug: newSlug(), isDynamic: true, content: 'https://example.com/' })
    await change(me, code.id, { slug: newSlug() })
    ok(await me.delete(`/api/qr-codes/${code.id}`))
    ok(await me.delete('/api/qr-codes/trash'))
    for (let i = 0; i < 3; i++) await createCode(me, { isDynamic: true })
    const replies = await race(20, (i) =>
      i % 2
        ? me.post('/api/qr-codes', { name: 'n', content: 'x', slug: newSlug() })
        : me.post('/api/qr-codes/batch', { items: [{ name: 'n', content: 'x', slug: newSlug() }] }),
    )
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(3)
    for (const { status, code: reason } of replies.filter((reply) => reply.status !== 200))
      expect([status, reason]).toEqual([429, 4022])
    await createCode(me, { isDynamic: true })
    // Organizations have a quota of their own.
    const org = await createOrg(me)
    ok(await me.post('/api/qr-codes', { name: 'n', content: 'x', slug: newSlug(), orgId: org.id }))
    await quota(0)
    await createCode(me, { slug: newSlug() })
  })

  test('a slug in upper case and the same in lower case exclude each other, because pictures hold slugs in upper case', async () => {
    const claim = (slug: string) =>
      server.ctx.db.write('test', (tx) => claimSlug(tx, { userId: alice.id, orgId: 0 }, slug, { qrCodeId: null }))
    const [first, second, mixed] = [newSlug(), newSlug(), newSlug()]
    expect([await claim(first), await claim(first.toUpperCase())]).toEqual([true, false])
    expect(await claim(second.toUpperCase())).toBe(true)
    expect(await refused(alice, { slug: second })).toEqual(taken)
    expect([await claim(mixed.replace('slug', 'Slug')), await claim(mixed)]).toEqual([true, true])
  })

  test('a copy in an organization leads like the original, with a slug, but no password or counts', async () => {
    const org = await createOrg(mallory)
    await addMembers(mallory, org, alice)
    const code = await createCode(alice, { isDynamic: true, opens: 'PAGE', content: 'https://example.com/shared' })
    const rules = [{ target: 'https://example.com/first', firstScans: 3 }]
    const rest = {
      forwardQuery: true,
      warn: true,
      fallbackUrl: 'https://example.com/over',
      expiresAt: 4e12,
      maxScans: 9,
    }
    const used = { rulesLeft: [1], scansLeft: 2, passwordHash: 'x', earlierScans: 7 }
    await server.ctx.db.write('test', async (tx) => {
      await tx.insert(qrLinks).values({ qrCodeId: code.id, rules, ...rest, ...used })
    })
    const body = { entityType: 'QR_CODE' as const, sourceId: code.id }
    const { id, copyId } = ok(await alice.call('shares.create', { params: { orgId: org.id }, body })).data
    const copy = ok(await mallory.get(`/api/qr-codes/${copyId}`)).data
    expect(copy).toMatchObject({
      isDynamic: true,
      isPublic: false,
      opens: 'PAGE',
      content: code.content,
      orgId: org.id,
    })
    expect(copy.slug).toMatch(/^[23456789abcdefghjkmnpqrstuvwxyz]{8}$/)
    expect(copy.slug).not.toBe(code.slug)
    const links = () => server.ctx.db.read.select().from(qrLinks).where(eq(qrLinks.qrCodeId, copyId))
    expect(await links()).toEqual([
      { qrCodeId: copyId, rules, ...rest, rulesLeft: [3], scansLeft: 9, passwordHash: null, earlierScans: 0 },
    ])
    // The link goes with the copy, and its slug stays taken.
    ok(await mallory.delete(`/api/orgs/${org.id}/shares/${id}`))
    expect(await links()).toEqual([])
    expect(await refused(mallory, { slug: copy.slug })).toEqual(taken)
  })

  test('the slug of a code of an organization that was dissolved stays taken', async () => {
    const owner = await server.person()
    const org = await createOrg(owner)
    const slug = newSlug()
    const body = { name: 'n', content: 'https://example.com/', isDynamic: true, slug, orgId: org.id }
    const { id } = ok(await owner.post('/api/qr-codes', body)).data
    await server.ctx.db.write('test', async (tx) => {
      await tx.insert(qrLinks).values({ qrCodeId: id, rules: [], rulesLeft: [] })
    })
    ok(await owner.delete(`/api/qr-codes/${id}?orgId=${org.id}`))
    ok(await owner.call('orgs.dissolve', { params: { id: org.id }, query: { force: true } }))
    await removeAll(server.ctx)
    const { read } = server.ctx.db
    expect(await read.select().from(qrCodes).where(eq(qrCodes.id, id))).toEqual([])
    expect(await read.select().from(qrLinks).where(eq(qrLinks.qrCodeId, id))).toEqual([])
    expect(await refused(owner, { slug })).toEqual(taken)
  })
})
