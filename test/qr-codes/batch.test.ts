import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { type Person, startServer, type TestServer } from '../harness/index.ts'
import { makeCategory, ok } from './helpers.ts'

let server: TestServer
let alice: Person

beforeAll(async () => {
  server = await startServer()
  alice = await server.person()
})
afterAll(() => server.stop())

const items = (count: number, fields: (i: number) => object = () => ({})) =>
  Array.from({ length: count }, (_, i) => ({ name: `n${i}`, content: `c${i}`, ...fields(i) }))
const total = async (who: Person) => ok(await who.get('/api/qr-codes')).data.total

describe('batch create', () => {
  test('500 at once, in their order, each with its own uuid', async () => {
    const me = await server.person()
    const categoryId = await makeCategory(me, 'all')
    const { data } = ok(
      await me.post('/api/qr-codes/batch', { items: items(500, () => ({ categoryId, tags: ['t'] })) }),
    )
    expect(data.count).toBe(500)
    expect(data.items.map((c: { name: string }) => c.name)).toEqual(items(500).map((i) => i.name))
    expect(new Set(data.items.map((c: { uuid: string }) => c.uuid)).size).toBe(500)
    expect(data.items[7]).toEqual(ok(await me.get(`/api/qr-codes/${data.items[7].id}`)).data)
    expect(await total(me)).toBe(500)
  })

  test('500 of the largest content fit into a request', async () => {
    const me = await server.person()
    ok(await me.post('/api/qr-codes/batch', { items: items(500, () => ({ content: 'x'.repeat(2953) })) }))
    expect(await total(me)).toBe(500)
  })

  for (const [what, body] of [
    ['none', { items: [] }],
    ['501', { items: items(501) }],
    ['no list', {}],
    ['a list of something else', { items: ['x'] }],
  ] as const)
    test(`${what} is refused`, async () => {
      expect((await alice.post('/api/qr-codes/batch', body)).status).toBe(400)
      expect(await total(alice)).toBe(0)
    })

  test('all or nothing, with a row of details for each bad item', async () => {
    const theirs = await makeCategory(await server.person(), 'theirs')
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

  test('bad shapes are named by their place, too', async () => {
    const reply = await alice.post('/api/qr-codes/batch', {
      items: items(10, (i) => (i % 4 === 1 ? { name: '' } : {})),
    })
    expect(reply.status).toBe(400)
    expect(reply.details.map((d) => d.path)).toEqual(['body.items.1.name', 'body.items.5.name', 'body.items.9.name'])
    expect(await total(alice)).toBe(0)
  })

  test('an item cannot name an organization of its own', async () => {
    const me = await server.person()
    const { data } = ok(await me.post('/api/qr-codes/batch', { items: items(1, () => ({ orgId: 7, userId: 1 })) }))
    expect(data.items[0]).toMatchObject({ orgId: null, userId: me.id })
  })

  test('without a token, and in an organization one does not belong to', async () => {
    expect((await server.request('POST', '/api/qr-codes/batch', { body: { items: items(1) } })).status).toBe(401)
    expect((await alice.post('/api/qr-codes/batch', { items: items(1), orgId: 3 })).status).toBe(403)
    expect(await total(alice)).toBe(0)
  })
})
