import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { type Person, race, startServer, type TestServer } from '../harness/index.ts'
import { allPages, makeCategory, makeCode, ok } from './helpers.ts'

let server: TestServer
let alice: Person
let mallory: Person

beforeAll(async () => {
  server = await startServer()
  alice = await server.person()
  mallory = await server.person()
})
afterAll(() => server.stop())

interface Node {
  id: number
  children: Node[]
}
/** `1(2(3),4)`, by name. */
const shape = (nodes: (Node & { name?: string })[]): string =>
  nodes.map((n) => n.name + (n.children.length > 0 ? `(${shape(n.children)})` : '')).join(',')
const treeOf = async (who: Person) => shape(ok(await who.get('/api/categories/tree')).data)

/** A chain of categories `l1` … , each below the one before. */
async function chain(who: Person, length: number): Promise<number[]> {
  const ids: number[] = []
  for (let i = 0; i < length; i++) ids.push(await makeCategory(who, `l${i + 1}`, ids.at(-1) ?? null))
  return ids
}

describe('making and changing', () => {
  test('a category and its fields', async () => {
    const { data } = ok(await alice.post('/api/categories', { name: ' 客人 ', color: '#ff8800' }))
    expect(data).toEqual({
      id: expect.any(Number),
      name: '客人',
      color: '#ff8800',
      parentId: null,
      pinned: false,
      sortOrder: 0,
      codeCount: 0,
      createdAt: expect.any(Number),
    })
    expect(ok(await alice.get(`/api/categories/${data.id}`)).data).toEqual(data)
    const changed = ok(await alice.put(`/api/categories/${data.id}`, { name: 'Guests' })).data
    expect(changed).toEqual({ ...data, name: 'Guests' })
    expect(ok(await alice.put(`/api/categories/${data.id}`, { color: null })).data.color).toBe('')
    expect(ok(await alice.patch(`/api/categories/${data.id}/pin`, { pinned: true })).data.pinned).toBe(true)
  })

  test('two of one name are allowed', async () => {
    expect(await makeCategory(alice, 'same')).not.toBe(await makeCategory(alice, 'same'))
  })

  for (const [what, body] of [
    ['no name', { color: 'x' }],
    ['a blank name', { name: ' ' }],
    ['a name of 101 characters', { name: 'x'.repeat(101) }],
    ['a parent that does not exist', { name: 'x', parentId: 999_999 }],
    ['a parent of 0', { name: 'x', parentId: 0 }],
  ] as const)
    test(`${what} is refused`, async () => {
      const before = await treeOf(alice)
      expect((await alice.post('/api/categories', body)).status).toBe(400)
      expect(await treeOf(alice)).toBe(before)
    })

  test('five levels, not six', async () => {
    const me = await server.person()
    const ids = await chain(me, 5)
    expect((await me.post('/api/categories', { name: 'l6', parentId: ids[4] })).status).toBe(400)
    expect(await treeOf(me)).toBe('l1(l2(l3(l4(l5))))')
  })
})

describe('lists', () => {
  test('pinned first, then sortOrder, then the oldest; page by page', async () => {
    const me = await server.person()
    const ids: number[] = []
    for (const name of ['a', 'b', 'c', 'd', 'e']) ids.push(await makeCategory(me, name))
    ok(await me.patch(`/api/categories/${ids[3]}/pin`, { pinned: true }))
    ok(
      await me.patch('/api/categories/reorder', {
        items: [
          { id: ids[0], sortOrder: 9 },
          { id: ids[4], sortOrder: -1 },
        ],
      }),
    )
    const list = await allPages(me, '/api/categories', 2)
    expect(list.map((c) => c.name)).toEqual(['d', 'e', 'b', 'c', 'a'])
    expect(await treeOf(me)).toBe('d,e,b,c,a')
    expect(
      ok(await me.get('/api/categories', { sort: '-name' }))
        .data.items.map((c: { name: string }) => c.name)
        .join(''),
    ).toBe('edcba')
    expect((await me.get('/api/categories', { sort: 'color' })).status).toBe(400)
  })

  test('by parent and keyword', async () => {
    const me = await server.person()
    const [top, second] = await chain(me, 3)
    const names = async (query: Record<string, string | number>) =>
      ok(await me.get('/api/categories', query))
        .data.items.map((c: { name: string }) => c.name)
        .join(',')
    expect(await names({ parentId: 0 })).toBe('l1')
    expect(await names({ parentId: top! })).toBe('l2')
    expect(await names({ parentId: second! })).toBe('l3')
    expect(await names({ keyword: 'L2' })).toBe('l2')
    expect(await names({ keyword: '%' })).toBe('')
  })

  test('codeCount counts live codes directly in it, of its owner', async () => {
    const me = await server.person()
    const [top, second] = await chain(me, 2)
    await makeCode(me, { categoryId: top })
    await makeCode(me, { categoryId: second })
    await makeCode(me, { categoryId: second })
    ok(await me.delete(`/api/qr-codes/${(await makeCode(me, { categoryId: second })).id}`))
    const counts = ok(await me.get('/api/categories')).data.items.map((c: { codeCount: number }) => c.codeCount)
    expect(counts).toEqual([1, 2])
    expect(ok(await me.get(`/api/categories/${second}`)).data.codeCount).toBe(2)
    expect(ok(await me.get('/api/categories/tree')).data[0].children[0].codeCount).toBe(2)
  })
})

describe('moving', () => {
  test('below another, and back to the top', async () => {
    const me = await server.person()
    const a = await makeCategory(me, 'a')
    const b = await makeCategory(me, 'b')
    expect(ok(await me.patch(`/api/categories/${b}/parent`, { parentId: a })).data.parentId).toBe(a)
    expect(await treeOf(me)).toBe('a(b)')
    ok(await me.patch(`/api/categories/${b}/parent`, { parentId: null }))
    expect(await treeOf(me)).toBe('a,b')
    expect((await me.patch(`/api/categories/${b}/parent`, {})).status).toBe(400)
  })

  test('never into itself, below itself, or too deep with all that hangs on it', async () => {
    const me = await server.person()
    const [l1, l2, l3] = await chain(me, 3)
    const [, , , d4] = await chain(me, 4)
    const before = await treeOf(me)
    for (const [id, parentId] of [
      [l1, l1],
      [l1, l2],
      [l1, l3],
      [l1, d4],
      [l1, 999_999],
    ])
      expect((await me.patch(`/api/categories/${id}/parent`, { parentId })).status, `${id} → ${parentId}`).toBe(400)
    expect(await treeOf(me)).toBe(before)
    // l3 alone fits below the fourth level, l2 with l3 would be a sixth.
    expect((await me.patch(`/api/categories/${l2}/parent`, { parentId: d4 })).status).toBe(400)
    ok(await me.patch(`/api/categories/${l3}/parent`, { parentId: d4 }))
  })

  test('two moves at once never make a circle', async () => {
    for (let round = 0; round < 10; round++) {
      const me = await server.person()
      const a = await makeCategory(me, 'a')
      const b = await makeCategory(me, 'b')
      const replies = await Promise.all([
        me.patch(`/api/categories/${a}/parent`, { parentId: b }),
        me.patch(`/api/categories/${b}/parent`, { parentId: a }),
      ])
      expect(replies.map((r) => r.status).toSorted()).toEqual([200, 400])
      expect(['a(b)', 'b(a)']).toContain(await treeOf(me))
    }
  })

  test('many at once leave a tree of at most five levels with everything in it', async () => {
    const me = await server.person()
    const ids = await Promise.all(Array.from({ length: 8 }, (_, i) => makeCategory(me, `c${i}`)))
    await race(60, (i) => me.patch(`/api/categories/${ids[i % 8]}/parent`, { parentId: ids[(i * 5 + 3) % 8] }))
    const tree: Node[] = ok(await me.get('/api/categories/tree')).data
    const depth = (nodes: Node[]): number =>
      nodes.length === 0 ? 0 : 1 + Math.max(...nodes.map((n) => depth(n.children)))
    const all = (nodes: Node[]): number[] => nodes.flatMap((n) => [n.id, ...all(n.children)])
    expect(depth(tree)).toBeLessThanOrEqual(5)
    expect(all(tree).toSorted()).toEqual(ids.toSorted())
  })
})

describe('order and pins in bulk', () => {
  test('ids in their new order', async () => {
    const me = await server.person()
    const [a, b, c] = [await makeCategory(me, 'a'), await makeCategory(me, 'b'), await makeCategory(me, 'c')]
    expect(ok(await me.patch('/api/categories/reorder', { ids: [c, a, b] })).data).toEqual({ count: 3 })
    expect(await treeOf(me)).toBe('c,a,b')
    ok(await me.patch('/api/categories/reorder', { items: [{ id: a, sortOrder: 0 }] }))
    expect(await treeOf(me)).toBe('a,c,b')
  })

  test('all or nothing, within one parent', async () => {
    const me = await server.person()
    const a = await makeCategory(me, 'a')
    const b = await makeCategory(me, 'b')
    const child = await makeCategory(me, 'child', a)
    const theirs = await makeCategory(mallory, 'theirs')
    const refused: [body: unknown, status: number][] = [
      [{ ids: [b, a, child] }, 400],
      [{ ids: [b, a, theirs] }, 404],
      [{ ids: [b, a, 999_999] }, 404],
      [{ ids: [b, b] }, 400],
      [
        {
          items: [
            { id: b, sortOrder: 1 },
            { id: b, sortOrder: 2 },
          ],
        },
        400,
      ],
      [{ ids: [b, a], items: [{ id: a, sortOrder: 1 }] }, 400],
      [{ ids: [] }, 400],
      [{}, 400],
    ]
    for (const [body, status] of refused)
      expect((await me.patch('/api/categories/reorder', body)).status, JSON.stringify(body)).toBe(status)
    expect(await treeOf(me)).toBe('a(child),b')
    expect(ok(await mallory.get(`/api/categories/${theirs}`)).data.sortOrder).toBe(0)
  })

  test('pins several, all or none', async () => {
    const me = await server.person()
    const [a, b, c] = [await makeCategory(me, 'a'), await makeCategory(me, 'b'), await makeCategory(me, 'c')]
    const theirs = await makeCategory(mallory, 'theirs')
    expect((await me.patch('/api/categories/batch-pin', { ids: [b, theirs], pinned: true })).status).toBe(404)
    expect((await me.patch('/api/categories/batch-pin', { ids: [b, b], pinned: true })).status).toBe(400)
    expect(await treeOf(me)).toBe('a,b,c')
    expect(ok(await me.patch('/api/categories/batch-pin', { ids: [c, b], pinned: true })).data).toEqual({ count: 2 })
    expect(await treeOf(me)).toBe('b,c,a')
    ok(await me.patch('/api/categories/batch-pin', { ids: [a, b, c], pinned: false }))
    expect(await treeOf(me)).toBe('a,b,c')
  })
})

describe('deleting', () => {
  test('its codes stay and are in no category', async () => {
    const me = await server.person()
    const [top, below] = await chain(me, 2)
    const code = await makeCode(me, { categoryId: below })
    const trashed = await makeCode(me, { categoryId: below })
    ok(await me.delete(`/api/qr-codes/${trashed.id}`))
    expect(ok(await me.get(`/api/categories/${top}/deletable`)).data).toEqual({
      deletable: false,
      reason: 'HAS_CHILDREN',
      childCount: 1,
      codeCount: 0,
    })
    expect((await me.delete(`/api/categories/${top}`)).status).toBe(400)
    expect(await treeOf(me)).toBe('l1(l2)')
    expect(ok(await me.get(`/api/categories/${below}/deletable`)).data).toEqual({
      deletable: true,
      reason: null,
      childCount: 0,
      codeCount: 1,
    })
    expect(ok(await me.delete(`/api/categories/${below}`)).data).toBeNull()
    expect(await treeOf(me)).toBe('l1')
    const left = ok(await me.get(`/api/qr-codes/${code.id}`)).data
    expect(left).toEqual({ ...code, categoryId: null, version: 2, updatedAt: left.updatedAt })
    expect(ok(await me.get('/api/qr-codes', { categoryId: 0 })).data.total).toBe(1)
    expect(ok(await me.get('/api/qr-codes/trash')).data.items[0].categoryId).toBeNull()
    expect((await me.get(`/api/categories/${below}`)).status).toBe(404)
  })

  test('while codes are put into it: none ends up in a category that is gone', async () => {
    const me = await server.person()
    const id = await makeCategory(me, 'going')
    await Promise.all([
      race(20, (i) => me.post('/api/qr-codes', { name: `n${i}`, content: 'x', categoryId: id })),
      me.delete(`/api/categories/${id}`),
    ])
    for (const code of await allPages(me, '/api/qr-codes', 100)) expect(code['categoryId']).toBeNull()
  })

  test('while a child is put into it: no child is left without its parent', async () => {
    for (let round = 0; round < 10; round++) {
      const me = await server.person()
      const id = await makeCategory(me, 'going')
      const [child, gone] = await Promise.all([
        me.post('/api/categories', { name: 'child', parentId: id }),
        me.delete(`/api/categories/${id}`),
      ])
      expect([child.status, gone.status].toSorted()).toEqual([200, 400])
      expect(['', 'going(child)']).toContain(await treeOf(me))
    }
  })
})

describe('who may', () => {
  const calls: [method: 'GET' | 'PUT' | 'DELETE' | 'PATCH', suffix: string, body?: unknown][] = [
    ['GET', ''],
    ['PUT', '', { name: 'taken' }],
    ['DELETE', ''],
    ['PATCH', '/parent', { parentId: null }],
    ['PATCH', '/pin', { pinned: true }],
    ['GET', '/deletable'],
  ]
  for (const [method, suffix, body] of calls)
    test(`${method} /:id${suffix}`, async () => {
      const id = await makeCategory(alice, 'private')
      const before = ok(await alice.get(`/api/categories/${id}`)).data
      expect((await server.request(method, `/api/categories/${id}${suffix}`, { body })).status).toBe(401)
      expect((await mallory.send(method, `/api/categories/${id}${suffix}`, { body })).status).toBe(404)
      expect((await alice.send(method, `/api/categories/abc${suffix}`, { body })).status).toBe(400)
      expect(ok(await alice.get(`/api/categories/${id}`)).data).toEqual(before)
    })

  test('nothing of anybody else is in lists and trees', async () => {
    const me = await server.person()
    await makeCategory(alice, 'of alice')
    expect(ok(await me.get('/api/categories')).data).toEqual({ items: [], total: 0, page: 1, size: 20 })
    expect(ok(await me.get('/api/categories/tree')).data).toEqual([])
    for (const path of ['', '/tree']) expect((await server.request('GET', `/api/categories${path}`)).status).toBe(401)
  })

  test('a parent of somebody else is one that does not exist', async () => {
    const theirs = await makeCategory(mallory, 'theirs')
    const mine = await makeCategory(alice, 'mine')
    expect((await alice.post('/api/categories', { name: 'x', parentId: theirs })).status).toBe(400)
    expect((await alice.patch(`/api/categories/${mine}/parent`, { parentId: theirs })).status).toBe(400)
  })
})
