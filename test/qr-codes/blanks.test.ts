/** Labels: batches, numbers, quotas, and what labels stand for. */

import { beforeAll, describe, expect, test } from 'bun:test'

import type { BatchView, BlankView } from '#domains/qr-codes/blanks/blanks.model.ts'
import { setSetting } from '#domains/settings/index.ts'
import { MINUTE } from '#platform/clock.ts'

import { createAsset, createLocation, deleteAsset } from '../assets/helpers.ts'
import { inProcess, ok, type Person, race, startServer, useServer } from '../harness/index.ts'
import { addMembers, createOrg } from '../orgs/helpers.ts'
import { createCode } from './helpers.ts'

const { server, alice, bob, mallory } = useServer({ people: ['alice', 'bob', 'mallory'] })

let counter = 0
const fresh = () => `P${(counter += 1)}-`

const make = async (user: Person, fields: object = {}): Promise<BatchView> =>
  ok(
    await user.post('/api/qr-codes/blanks', {
      count: 3,
      name: 'Labels',
      prefix: fresh(),
      ...fields,
    }),
  ).data
const labels = async (user: Person, query: Record<string, string | number> = {}): Promise<BlankView[]> =>
  ok(await user.get('/api/qr-codes/blanks', { size: 100, ...query })).data.items
const one = async (user: Person, fields: object = {}): Promise<BlankView> => {
  const { id, orgId } = await make(user, { count: 1, ...fields })
  return (await labels(user, { batchId: id, ...(orgId !== null && { orgId }) }))[0]!
}
const bind = (user: Person, { slug }: { slug: string }, body: object) =>
  user.post(`/api/qr-codes/blanks/${slug}/bind`, body)
const release = (user: Person, slug: string) => user.post(`/api/qr-codes/blanks/${slug}/release`, {})
const voidLabel = (user: Person, slug: string) => user.post(`/api/qr-codes/blanks/${slug}/void`, {})
const get = (user: Person, slug: string) => user.get(`/api/qr-codes/blanks/${slug}`)
const batchOf = async (user: Person, id: number): Promise<BatchView> =>
  ok(await user.get('/api/qr-codes/batches', { size: 100 })).data.items.find((batch: BatchView) => batch.id === id)

beforeAll(async () => {
  if (inProcess) await server.ctx.db.write('test', (tx) => setSetting(tx, 'quota.qrCodes', 0))
})

describe('a batch', () => {
  test('has numbers that run on from the last batch with its prefix', async () => {
    const prefix = fresh()
    const first = await make(alice, { prefix, count: 3 })
    expect(first).toMatchObject({
      first: 1,
      last: 3,
      count: 3,
      bound: 0,
      void: 0,
      digits: 5,
      orgId: null,
      designId: null,
    })
    const other = await make(alice)
    expect(other.first).toBe(1)
    const second = await make(alice, { prefix, count: 2, digits: 4 })
    expect(second).toMatchObject({ first: 4, last: 5, count: 2 })
    const made = await labels(alice, { batchId: first.id })
    expect(made.map(({ number }) => number)).toEqual([`${prefix}00001`, `${prefix}00002`, `${prefix}00003`])
    expect((await labels(alice, { batchId: second.id })).map(({ number }) => number)).toEqual([
      `${prefix}0004`,
      `${prefix}0005`,
    ])
    for (const label of made) {
      expect(label.slug).toMatch(/^[2-9a-hj-km-np-z]{8}$/)
      expect(label).toMatchObject({
        status: 'FREE',
        kind: null,
        targetId: null,
        title: null,
        boundBy: null,
        scanCount: 0,
      })
      expect(label.shortUrl).toEndWith(`/q/${label.slug}`)
    }
  })

  test('begins with the same numbers for another owner', async () => {
    const prefix = fresh()
    await make(alice, { prefix })
    expect((await make(bob, { prefix })).first).toBe(1)
  })

  test('is answered with the first one if its request id is repeated, also at once', async () => {
    const requestId = `request ${fresh()}`
    const made = await race(10, () => make(alice, { requestId, prefix: 'SAME-', count: 7 }))
    expect(new Set(made.map(({ id }) => id)).size).toBe(1)
    expect((await make(alice, { requestId, count: 9 })).count).toBe(7)
    expect((await make(bob, { requestId })).id).not.toBe(made[0]!.id)
  })

  test('gets a range of its own without gap when ten are made at once', async () => {
    const prefix = fresh()
    const made = await race(10, () => make(alice, { prefix, count: 30 }))
    expect(made.toSorted((a, b) => a.first - b.first).map(({ first, last }) => [first, last])).toEqual(
      Array.from({ length: 10 }, (_, i) => [30 * i + 1, 30 * i + 30]),
    )
  })

  test('is refused, with nothing made, if its numbers would look like those of another prefix', async () => {
    await make(alice, { prefix: 'X1', digits: 4, count: 2 })
    // X10001 is number 1 of the prefix X1, and number 10001 of the prefix X.
    for (let i = 0; i < 2; i++) await make(alice, { prefix: 'X', count: 5000 })
    const before = ok(await alice.get('/api/qr-codes/blanks')).data.total
    const refused = await alice.post('/api/qr-codes/blanks', {
      count: 5,
      name: 'Labels',
      prefix: 'X',
    })
    expect(refused.status).toBe(400)
    expect(ok(await alice.get('/api/qr-codes/blanks')).data.total).toBe(before)
  })

  test.each([
    ['count', { count: 0 }],
    ['count', { count: 5001 }],
    ['count', { count: 1.5 }],
    ['prefix', { prefix: 'abc' }],
    ['prefix', { prefix: 'ABCDEFGHIJK' }],
    ['digits', { digits: 3 }],
    ['digits', { digits: 9 }],
    ['name', { name: '' }],
    ['requestId', { requestId: 'short' }],
    ['designId', { designId: 999_999 }],
  ])('with a wrong %s is refused', async (field, wrong) => {
    const reply = await alice.post('/api/qr-codes/blanks', { count: 1, name: 'Labels', ...wrong })
    expect(reply.status).toBe(400)
    expect(reply.text).toContain(`body.${field}`)
  })

  test('of an organization is made by those who may create its codes only', async () => {
    const org = await createOrg(alice)
    expect((await mallory.post('/api/qr-codes/blanks', { count: 1, name: 'x', orgId: org.id })).status).toBe(403)
    const batch = await make(alice, { orgId: org.id })
    expect(batch.orgId).toBe(org.id)
    expect((await mallory.get('/api/qr-codes/batches', { orgId: org.id })).status).toBe(403)
    expect(ok(await alice.get('/api/qr-codes/batches', { orgId: org.id })).data.items).toHaveLength(1)
    expect(await labels(alice, { batchId: batch.id })).toEqual([])
  })
})

describe('the list of labels', () => {
  test('filters by batch, status, kind, thing and a part of number or slug', async () => {
    const batch = await make(alice, { count: 4 })
    const [a, b, c] = await labels(alice, { batchId: batch.id })
    const code = await createCode(alice)
    ok(await bind(alice, a!, { kind: 'QR_CODE', id: code.id }))
    ok(await voidLabel(alice, b!.slug))
    const slugs = async (query: object) =>
      (await labels(alice, { batchId: batch.id, ...query })).map(({ slug }) => slug)
    expect(await slugs({ status: 'BOUND' })).toEqual([a!.slug])
    expect(await slugs({ status: 'VOID' })).toEqual([b!.slug])
    expect(await slugs({ kind: 'QR_CODE' })).toEqual([a!.slug])
    expect(await slugs({ kind: 'ASSET' })).toEqual([])
    expect(await slugs({ kind: 'QR_CODE', targetId: code.id })).toEqual([a!.slug])
    expect(await slugs({ kind: 'ASSET', targetId: code.id })).toEqual([])
    expect(await slugs({ kind: 'QR_CODE', targetId: code.id + 1 })).toEqual([])
    expect(await labels(mallory, { kind: 'QR_CODE', targetId: code.id })).toEqual([])
    expect(await slugs({ keyword: c!.number.toLowerCase() })).toEqual([c!.slug])
    expect(await slugs({ keyword: c!.slug.slice(1, 7) })).toEqual([c!.slug])
    expect(await batchOf(alice, batch.id)).toMatchObject({ bound: 1, void: 1 })
    expect(await labels(mallory, { batchId: batch.id })).toEqual([])
  })
})

describe('binding a label', () => {
  test('to a code without slug makes it the slug of the code', async () => {
    const label = await one(alice)
    const code = await createCode(alice, { name: 'Menu', content: 'https://example.org/menu' })
    expect(code.slug).toBeNull()
    const bound = ok(await bind(alice, label, { kind: 'QR_CODE', id: code.id })).data
    expect(bound).toMatchObject({
      status: 'BOUND',
      kind: 'QR_CODE',
      targetId: code.id,
      title: 'Menu',
      boundBy: alice.id,
    })
    expect(bound.boundAt).toBeGreaterThan(0)
    const after = ok(await alice.get(`/api/qr-codes/${code.id}`)).data
    expect(after).toMatchObject({
      slug: label.slug,
      opens: 'TARGET',
      pictureContent: 'https://example.org/menu',
    })
    const second = await one(alice)
    ok(await bind(alice, second, { kind: 'QR_CODE', id: code.id }))
    expect(ok(await alice.get(`/api/qr-codes/${code.id}`)).data.slug).toBe(label.slug)
    ok(await release(alice, label.slug))
    expect(ok(await alice.get(`/api/qr-codes/${code.id}`)).data.slug).toBe(second.slug)
    ok(await release(alice, second.slug))
    expect(ok(await alice.get(`/api/qr-codes/${code.id}`)).data).toMatchObject({
      slug: null,
      opens: null,
    })
  })

  test('to a new code makes a changeable one, whose slug it becomes', async () => {
    const label = await one(alice)
    const create = { name: 'New', content: 'https://example.org/new' }
    const bound = ok(await bind(alice, label, { kind: 'QR_CODE', create })).data
    const code = ok(await alice.get(`/api/qr-codes/${bound.targetId}`)).data
    expect(code).toMatchObject({ ...create, isDynamic: true, slug: label.slug, opens: 'TARGET' })
    expect(code.pictureContent.toLowerCase()).toBe(label.shortUrl.toLowerCase())
    expect((await bind(alice, await one(alice), { kind: 'QR_CODE', create: { name: '', content: 'x' } })).status).toBe(
      400,
    )
  })

  test('changes nothing when it is repeated, and is refused with the label in the answer when it stands for something else', async () => {
    const label = await one(alice)
    const [asset, other] = [await createAsset(alice, { name: 'Projector' }), await createAsset(alice)]
    const bound = ok(await bind(alice, label, { kind: 'ASSET', id: asset.id })).data
    expect(ok(await bind(alice, label, { kind: 'ASSET', id: asset.id })).data).toEqual(bound)
    const refused = await bind(alice, label, { kind: 'ASSET', id: other.id })
    expect(refused.status).toBe(400)
    expect(refused.text).toContain('Projector')
    expect(refused.data).toMatchObject({ kind: 'ASSET', targetId: asset.id, title: 'Projector' })
    // A thing may have several labels.
    ok(await bind(alice, await one(alice), { kind: 'ASSET', id: asset.id }))
  })

  test('has one winner when 20 try at once', async () => {
    const label = await one(alice)
    const assets = await Promise.all(Array.from({ length: 20 }, () => createAsset(alice)))
    const replies = await race(20, (i) => bind(alice, label, { kind: 'ASSET', id: assets[i]!.id }))
    const won = replies.filter(({ status }) => status === 200)
    expect(won).toHaveLength(1)
    for (const lost of replies.filter(({ status }) => status !== 200)) {
      expect(lost.status).toBe(400)
      expect(lost.data.targetId).toBe(won[0]!.data.targetId)
    }
    expect(ok(await get(alice, label.slug)).data.targetId).toBe(won[0]!.data.targetId)
    expect((await batchOf(alice, label.batchId)).bound).toBe(1)
  })

  test('leaves room for ten earlier slugs of a code, however many labels it has', async () => {
    const { id } = await createCode(alice, { content: 'https://example.org', isDynamic: true })
    const batch = await make(alice, { count: 12 })
    for (const label of await labels(alice, { batchId: batch.id }))
      ok(await bind(alice, label, { kind: 'QR_CODE', id }))
    const rename = (i: number) => alice.put(`/api/qr-codes/${id}/link`, { slug: `many-labels-${i}-${id}` })
    for (let i = 0; i < 10; i++) ok(await rename(i))
    const refused = await rename(10)
    expect([refused.status, refused.details![0]!.path]).toEqual([400, 'body.slug'])
    const link = ok(await alice.get(`/api/qr-codes/${id}/link`)).data
    expect([link.slug, link.aliases.length]).toEqual([`many-labels-9-${id}`, 22])
  })

  test('works for locations and activities of the same organization', async () => {
    const org = await createOrg(alice)
    const locationId = await createLocation(alice, org.id, 'Shelf 4')
    const label = await one(alice, { orgId: org.id })
    expect(ok(await bind(alice, label, { kind: 'LOCATION', id: locationId })).data.title).toBe('Shelf 4')
    const personal = await one(alice)
    for (const body of [
      { kind: 'LOCATION', id: locationId },
      { kind: 'ASSET', id: 999_999 },
      { kind: 'ASSET', id: (await createAsset(mallory)).id },
      { kind: 'QR_CODE', id: (await createCode(mallory)).id },
    ])
      expect((await bind(alice, personal, body)).status).toBe(400)
    expect(ok(await get(alice, personal.slug)).data.status).toBe('FREE')
  })

  test('needs exactly one of id and create', async () => {
    const label = await one(alice)
    const create = { name: 'n', content: 'x' }
    for (const body of [
      { kind: 'QR_CODE' },
      { kind: 'QR_CODE', id: 1, create },
      { kind: 'ASSET', create },
      { kind: 'SHELF', id: 1 },
      { id: 1 },
    ])
      expect((await bind(alice, label, body)).status).toBe(400)
  })

  test('needs the permission to change the thing and the codes of the organization', async () => {
    const org = await createOrg(alice)
    await addMembers(alice, org, bob)
    const label = await one(alice, { orgId: org.id })
    const asset = await createAsset(alice, { orgId: org.id })
    // Members read codes only.
    expect((await get(bob, label.slug)).status).toBe(200)
    expect((await bind(bob, label, { kind: 'ASSET', id: asset.id })).status).toBe(403)
    expect((await release(bob, label.slug)).status).toBe(403)
    expect((await voidLabel(bob, label.slug)).status).toBe(403)
    expect((await bind(mallory, label, { kind: 'ASSET', id: asset.id })).status).toBe(404)
    ok(await bind(alice, label, { kind: 'ASSET', id: asset.id }))
  })
})

describe('a label', () => {
  test('is found in any case by those who may read the codes of its owner, and by nobody else', async () => {
    const label = await one(alice)
    expect(ok(await get(alice, label.slug.toUpperCase())).data).toEqual(label)
    expect((await get(mallory, label.slug)).status).toBe(404)
    expect((await server.request('GET', `/api/qr-codes/blanks/${label.slug}`)).status).toBe(401)
  })

  test('that is void stays so', async () => {
    const label = await one(alice)
    const asset = await createAsset(alice)
    ok(await bind(alice, label, { kind: 'ASSET', id: asset.id }))
    expect(ok(await voidLabel(alice, label.slug)).data).toMatchObject({
      status: 'VOID',
      kind: null,
      targetId: null,
    })
    ok(await voidLabel(alice, label.slug))
    expect((await release(alice, label.slug)).status).toBe(400)
    expect((await bind(alice, label, { kind: 'ASSET', id: asset.id })).status).toBe(400)
    expect(await batchOf(alice, label.batchId)).toMatchObject({ bound: 0, void: 1 })
  })

  test('is free again when its thing is deleted', async () => {
    const asset = await createAsset(alice)
    const code = await createCode(alice)
    const [ofAsset, ofCode] = [await one(alice), await one(alice)]
    ok(await bind(alice, ofAsset, { kind: 'ASSET', id: asset.id }))
    ok(await bind(alice, ofCode, { kind: 'QR_CODE', id: code.id }))
    ok(await deleteAsset(alice, asset.id))
    expect(ok(await get(alice, ofAsset.slug)).data).toEqual({ ...ofAsset })
    ok(await alice.delete(`/api/qr-codes/${code.id}`))
    // In the trash it can be restored.
    expect(ok(await get(alice, ofCode.slug)).data).toMatchObject({ status: 'BOUND', title: null })
    ok(await alice.delete(`/api/qr-codes/trash/${code.id}`))
    expect(ok(await get(alice, ofCode.slug)).data).toEqual({ ...ofCode })
    expect((await batchOf(alice, ofCode.batchId)).bound).toBe(0)
    const org = await createOrg(alice)
    const locationId = await createLocation(alice, org.id, 'Shelf')
    const ofPlace = await one(alice, { orgId: org.id })
    ok(await bind(alice, ofPlace, { kind: 'LOCATION', id: locationId }))
    ok(await alice.delete(`/api/orgs/${org.id}/locations/${locationId}`))
    expect(ok(await get(alice, ofPlace.slug)).data.status).toBe('FREE')
  })
})

test('20 wrong slugs from an address within a minute are followed by 429, also for a right one', async () => {
  await using limited = await startServer({ noAdmin: true, rateLimit: true })
  const [owner, stranger] = [await limited.person(), await limited.person()]
  const label = await one(owner)
  for (let i = 0; i < 19; i++) expect((await get(owner, `wrong${i}`)).status).toBe(404)
  // Right ones are not counted; a label of somebody else is wrong.
  ok(await get(owner, label.slug))
  expect((await bind(stranger, label, { kind: 'ASSET', id: 1 })).status).toBe(404)
  for (const reply of [await get(owner, label.slug), await release(owner, label.slug)])
    expect([reply.status, reply.code, Number(reply.headers.get('retry-after')) > 0]).toEqual([429, 4022, true])
  if (!inProcess) return
  limited.clock.advance(MINUTE)
  ok(await get(owner, label.slug))
})

describe.if(inProcess)('the quota of QR codes', () => {
  const quota = (limit: number) => server.ctx.db.write('test', (tx) => setSetting(tx, 'quota.qrCodes', limit))

  test('counts labels that stand for nothing, and is not exceeded by batches and codes at once', async () => {
    const carol = await server.person()
    await quota(10)
    try {
      const label = await one(carol)
      expect((await carol.post('/api/qr-codes/blanks', { count: 10, name: 'x' })).code).toBe(4022)
      const replies = await race(20, (i) =>
        i % 2 === 0
          ? carol.post('/api/qr-codes/blanks', { count: 2, name: 'x', prefix: `R${i}-` })
          : carol.post('/api/qr-codes', { name: 'n', content: 'x' }),
      )
      const used = replies.reduce((sum, { status }, i) => sum + (status === 200 ? (i % 2 === 0 ? 2 : 1) : 0), 1)
      expect(used).toBeLessThanOrEqual(10)
      expect(used).toBeGreaterThanOrEqual(9)
      for (let i = used; i < 10; i++) await createCode(carol)
      expect((await carol.post('/api/qr-codes', { name: 'n', content: 'x' })).code).toBe(4022)
      // The new code takes the place of the label.
      ok(
        await bind(carol, label, {
          kind: 'QR_CODE',
          create: { name: 'n', content: 'https://example.org' },
        }),
      )
      expect((await carol.post('/api/qr-codes', { name: 'n', content: 'x' })).code).toBe(4022)
    } finally {
      await quota(0)
    }
  })
})
