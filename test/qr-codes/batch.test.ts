import { describe, expect, test } from 'bun:test'

import { ok, type Person, useServer } from '../harness/index.ts'
import { createCategory } from './helpers.ts'

const { server, alice } = useServer({ people: ['alice'] })

const items = (count: number, fields: (i: number) => object = () => ({})) =>
  Array.from({ length: count }, (_, i) => ({ name: `n${i}`, content: `c${i}`, ...fields(i) }))
const total = async (who: Person) => ok(await who.get('/api/qr-codes')).data.total

describe('creating codes in a batch', () => {
  test('POST /qr-codes/batch creates 500 codes in the order of the items, each with its own uuid', async () => {
    const me = await server.person()
    const categoryId = await createCategory(me, 'all')
    const { data } = ok(
      await me.post('/api/qr-codes/batch', { items: items(500, () => ({ categoryId, tags: ['t'] })) }),
    )
    expect(data.count).toBe(500)
    expect(data.items.map((c: { name: string }) => c.name)).toEqual(items(500).map((i) => i.name))
    expect(new Set(data.items.map((c: { uuid: string }) => c.uuid)).size).toBe(500)
    expect(data.items[7]).toEqual({ ...ok(await me.get(`/api/qr-codes/${data.items[7].id}`)).data, warnings: [] })
    expect(await total(me)).toBe(500)
  })

  test('POST /qr-codes/batch accepts 500 items of the largest content', async () => {
    const me = await server.person()
    ok(await me.post('/api/qr-codes/batch', { items: items(500, () => ({ content: 'x'.repeat(2953) })) }))
    expect(await total(me)).toBe(500)
  })

  for (const [what, body] of [
    ['an empty list of items', { items: [] }],
    ['501 items', { items: items(501) }],
    ['a body without items', {}],
    ['items that are not objects', { items: ['x'] }],
  ] as const)
    test(`POST /qr-codes/batch answers 400 to ${what} and creates nothing`, async () => {
      expect((await alice.post('/api/qr-codes/batch', body)).status).toBe(400)
      expect(await total(alice)).toBe(0)
    })

  test('POST /qr-codes/batch creates nothing if items are bad, and lists every bad item in the details', async () => {
    const theirs = await createCategory(await server.person(), 'theirs')
    const mixed = items(100, (i) => ({
      ...(i === 3 && { content: 'x'.repeat(2954) }),
      ...(i === 50 && { categoryId: theirs }),
      ...(i === 99 && { content: '汉'.repeat(500), style: { level: 'H' } }),
    }))
    const reply = await alice.post('/api/qr-codes/batch', { items: mixed })
    expect(reply.status).toBe(400)
    expect(reply.details.map((d) => d.path)).toEqual([
      'body.items.3.content',
      'body.items.50.categoryId',
      'body.items.99.content',
    ])
    expect(await total(alice)).toBe(0)
  })

  test('POST /qr-codes/batch names items of a wrong shape, content and category in one answer', async () => {
    const theirs = await createCategory(await server.person(), 'theirs')
    const bad = items(10, (i) => ({
      ...(i === 1 && { categoryId: theirs }),
      ...(i === 4 && { name: '' }),
      ...(i === 6 && { content: 'x'.repeat(2332), style: { level: 'M' } }),
      ...(i === 8 && { tags: Array.from({ length: 21 }, (_, n) => `tag ${n}`) }),
    }))
    const reply = await alice.post('/api/qr-codes/batch', { items: [...bad, 'not an object'] })
    expect(reply.status).toBe(400)
    expect(reply.details.map((d) => d.path)).toEqual([
      'body.items.1.categoryId',
      'body.items.4.name',
      'body.items.6.content',
      'body.items.8.tags',
      'body.items.10',
    ])
    expect(await total(alice)).toBe(0)
  })

  test('POST /qr-codes/batch lists 50 bad items, and says how many more there are', async () => {
    const reply = await alice.post('/api/qr-codes/batch', {
      items: items(500, (i) => (i % 5 === 0 ? { name: '' } : {})),
    })
    expect(reply.status).toBe(400)
    expect(reply.details).toHaveLength(51)
    expect(reply.details[49]!.path).toBe('body.items.245.name')
    expect(reply.details[50]).toEqual({ path: 'body', message: 'has at least 50 more problems' })
  })

  test('POST /qr-codes/batch names items of the wrong shape by their position', async () => {
    const reply = await alice.post('/api/qr-codes/batch', {
      items: items(10, (i) => (i % 4 === 1 ? { name: '' } : {})),
    })
    expect(reply.status).toBe(400)
    expect(reply.details.map((d) => d.path)).toEqual(['body.items.1.name', 'body.items.5.name', 'body.items.9.name'])
    expect(await total(alice)).toBe(0)
  })

  test('POST /qr-codes/batch ignores the organization and the user of an item', async () => {
    const me = await server.person()
    const { data } = ok(await me.post('/api/qr-codes/batch', { items: items(1, () => ({ orgId: 7, userId: 1 })) }))
    expect(data.items[0]).toMatchObject({ orgId: null, userId: me.id })
  })

  test('POST /qr-codes/batch answers 401 without a token and 403 for an organization that the caller is not a member of', async () => {
    expect((await server.request('POST', '/api/qr-codes/batch', { body: { items: items(1) } })).status).toBe(401)
    expect((await alice.post('/api/qr-codes/batch', { items: items(1), orgId: 3 })).status).toBe(403)
    expect(await total(alice)).toBe(0)
  })
})
