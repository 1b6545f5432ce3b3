import { describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { categories } from '#db/schema/index.ts'
import type { CategoryView } from '#domains/qr-codes/categories/categories.model.ts'
import type { Nested } from '#lib/tree.ts'

import { inProcess, ok, type Person, race, useServer } from '../harness/index.ts'
import { allPages, createCode } from './helpers.ts'

const { server, alice, mallory } = useServer({ people: ['alice', 'mallory'] })

type Node = Nested<CategoryView>
const getTree = async (user: Person): Promise<Node[]> => ok(await user.call('categories.tree')).data
/** `a(b(c),d)`, by name. */
const shape = (nodes: Node[]): string =>
  nodes.map((n) => n.name + (n.children.length > 0 ? `(${shape(n.children)})` : '')).join(',')
const treeOf = async (user: Person) => shape(await getTree(user))

const create = async (user: Person, name: string, parentId: number | null = null): Promise<number> =>
  ok(await user.call('categories.create', { body: { name, parentId } })).data.id
const get = (user: Person, id: number) => user.call('categories.get', { params: { id } })
const list = async (user: Person) => ok(await user.call('categories.list')).data
const move = (user: Person, id: number, parentId: number | null) =>
  user.call('categories.move', { params: { id }, body: { parentId } })
const pin = (user: Person, id: number) => user.call('categories.pin', { params: { id }, body: { pinned: true } })
const pinMany = (user: Person, ids: number[], pinned: boolean) =>
  user.call('categories.batchPin', { body: { ids, pinned } })
const remove = (user: Person, id: number) => user.call('categories.delete', { params: { id } })
const checkDeletable = (user: Person, id: number) => user.call('categories.deletable', { params: { id } })

/** Creates categories `l1`, `l2` …, each below the one before. */
async function createChain(user: Person, length: number): Promise<number[]> {
  const ids: number[] = []
  for (let i = 0; i < length; i++) ids.push(await create(user, `l${i + 1}`, ids.at(-1) ?? null))
  return ids
}

describe('creating and updating', () => {
  test.if(inProcess)('a colour from before the rule of six digits stays readable until it is replaced', async () => {
    const id = await create(alice, 'old')
    await server.ctx.db.write('test', (tx) =>
      tx.update(categories).set({ color: 'tomato' }).where(eq(categories.id, id)).returning(),
    )
    expect(ok(await get(alice, id)).data.color).toBe('tomato')
    const update = (body: { name?: string; color?: string }) =>
      alice.call('categories.update', { params: { id }, body })
    expect(ok(await update({ name: 'renamed' })).data.color).toBe('tomato')
    expect((await update({ color: 'tomato' })).status).toBe(400)
    expect(ok(await update({ color: '#FF6347' })).data.color).toBe('#ff6347')
  })

  test('a category is created with trimmed name, can be read, renamed, recoloured and pinned', async () => {
    const { data } = ok(await alice.call('categories.create', { body: { name: ' 客人 ', color: '#ff8800' } }))
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
    expect(ok(await get(alice, data.id)).data).toEqual(data)
    const update = (body: { name?: string; color?: string | null }) =>
      alice.call('categories.update', { params: { id: data.id }, body })
    expect(ok(await update({ name: 'Guests' })).data).toEqual({ ...data, name: 'Guests' })
    expect(ok(await update({ color: null })).data.color).toBe('')
    expect(ok(await pin(alice, data.id)).data.pinned).toBe(true)
  })

  test('two categories may have the same name', async () => {
    expect(await create(alice, 'same')).not.toBe(await create(alice, 'same'))
  })

  for (const [what, body] of [
    ['no name', { color: '#ff8800' }],
    ['a script as colour', { name: 'x', color: 'javascript:alert(1)' }],
    ['a colour of three digits', { name: 'x', color: '#f80' }],
    ['a colour with more behind it', { name: 'x', color: '#ff8800;x:y' }],
    ['a blank name', { name: ' ' }],
    ['a name of 101 characters', { name: 'x'.repeat(101) }],
    ['a parent that does not exist', { name: 'x', parentId: 999_999 }],
    ['0 as the parent', { name: 'x', parentId: 0 }],
  ] as const)
    test(`POST /categories with ${what} answers 400 and creates nothing`, async () => {
      const before = await treeOf(alice)
      expect((await alice.post('/api/categories', body)).status).toBe(400)
      expect(await treeOf(alice)).toBe(before)
    })

  test('categories can be nested five levels deep, but not six', async () => {
    const me = await server.person()
    const ids = await createChain(me, 5)
    expect((await me.post('/api/categories', { name: 'l6', parentId: ids[4] })).status).toBe(400)
    expect(await treeOf(me)).toBe('l1(l2(l3(l4(l5))))')
  })
})

describe('listing', () => {
  test('GET /categories lists pinned ones first, then by sortOrder, then the oldest, on any number of pages', async () => {
    const me = await server.person()
    const ids: number[] = []
    for (const name of ['a', 'b', 'c', 'd', 'e']) ids.push(await create(me, name))
    ok(await pin(me, ids[3]!))
    ok(
      await me.patch('/api/categories/reorder', {
        items: [
          { id: ids[0], sortOrder: 9 },
          { id: ids[4], sortOrder: -1 },
        ],
      }),
    )
    const paged = await allPages(me, '/api/categories', 2)
    expect(paged.map((c) => c.name)).toEqual(['d', 'e', 'b', 'c', 'a'])
    expect(await treeOf(me)).toBe('d,e,b,c,a')
    const sorted = ok(await me.call('categories.list', { query: { sort: '-name' } })).data
    expect(sorted.items.map((c) => c.name).join('')).toBe('edcba')
    expect((await me.get('/api/categories', { sort: 'color' })).status).toBe(400)
  })

  test('GET /categories can be filtered by parent and by a part of the name', async () => {
    const me = await server.person()
    const [top, second] = await createChain(me, 3)
    const names = async (query: { parentId?: number; keyword?: string }) =>
      ok(await me.call('categories.list', { query }))
        .data.items.map((c) => c.name)
        .join(',')
    expect(await names({ parentId: 0 })).toBe('l1')
    expect(await names({ parentId: top! })).toBe('l2')
    expect(await names({ parentId: second! })).toBe('l3')
    expect(await names({ keyword: 'L2' })).toBe('l2')
    expect(await names({ keyword: '%' })).toBe('')
  })

  test('codeCount counts the codes directly in a category, without those in the trash', async () => {
    const me = await server.person()
    const [top, second] = await createChain(me, 2)
    await createCode(me, { categoryId: top })
    await createCode(me, { categoryId: second })
    await createCode(me, { categoryId: second })
    ok(await me.delete(`/api/qr-codes/${(await createCode(me, { categoryId: second })).id}`))
    expect((await list(me)).items.map((c) => c.codeCount)).toEqual([1, 2])
    expect(ok(await get(me, second!)).data.codeCount).toBe(2)
    expect((await getTree(me))[0]!.children[0]!.codeCount).toBe(2)
  })
})

describe('moving', () => {
  test('a category can be moved below another and back to the top level', async () => {
    const me = await server.person()
    const a = await create(me, 'a')
    const b = await create(me, 'b')
    expect(ok(await move(me, b, a)).data.parentId).toBe(a)
    expect(await treeOf(me)).toBe('a(b)')
    ok(await move(me, b, null))
    expect(await treeOf(me)).toBe('a,b')
    expect((await me.patch(`/api/categories/${b}/parent`, {})).status).toBe(400)
  })

  test('a category cannot be moved into itself, below itself, or where its sub-categories would be too deep', async () => {
    const me = await server.person()
    const [l1, l2, l3] = await createChain(me, 3)
    const [, , , d4] = await createChain(me, 4)
    const before = await treeOf(me)
    for (const [id, parentId] of [
      [l1, l1],
      [l1, l2],
      [l1, l3],
      [l1, d4],
      [l1, 999_999],
    ] as [number, number][])
      expect((await move(me, id, parentId)).status, `${id} → ${parentId}`).toBe(400)
    expect(await treeOf(me)).toBe(before)
    // l3 alone fits below the fourth level; l2 with l3 below it would need a sixth.
    expect((await move(me, l2!, d4!)).status).toBe(400)
    ok(await move(me, l3!, d4!))
  })

  test('of two simultaneous moves that together would make a cycle, one is refused', async () => {
    for (let round = 0; round < 10; round++) {
      const me = await server.person()
      const a = await create(me, 'a')
      const b = await create(me, 'b')
      const replies = await Promise.all([move(me, a, b), move(me, b, a)])
      expect(replies.map((r) => r.status).toSorted()).toEqual([200, 400])
      expect(['a(b)', 'b(a)']).toContain(await treeOf(me))
    }
  })

  test('60 simultaneous moves leave a tree of at most five levels with every category in it', async () => {
    const me = await server.person()
    const ids = await Promise.all(Array.from({ length: 8 }, (_, i) => create(me, `c${i}`)))
    await race(60, (i) => move(me, ids[i % 8]!, ids[(i * 5 + 3) % 8]!))
    const tree = await getTree(me)
    const depth = (nodes: Node[]): number =>
      nodes.length === 0 ? 0 : 1 + Math.max(...nodes.map((n) => depth(n.children)))
    const all = (nodes: Node[]): number[] => nodes.flatMap((n) => [n.id, ...all(n.children)])
    expect(depth(tree)).toBeLessThanOrEqual(5)
    expect(all(tree).toSorted()).toEqual(ids.toSorted())
  })
})

describe('reordering and pinning several', () => {
  test('PATCH /categories/reorder takes ids in their new order, or items with a sortOrder', async () => {
    const me = await server.person()
    const [a, b, c] = [await create(me, 'a'), await create(me, 'b'), await create(me, 'c')]
    const reordered = await me.call('categories.reorder', { body: { ids: [c, a, b] } })
    expect(ok(reordered).data).toEqual({ count: 3 })
    expect(await treeOf(me)).toBe('c,a,b')
    ok(await me.patch('/api/categories/reorder', { items: [{ id: a, sortOrder: 0 }] }))
    expect(await treeOf(me)).toBe('a,c,b')
  })

  test('PATCH /categories/reorder with one category that is refused changes none', async () => {
    const me = await server.person()
    const a = await create(me, 'a')
    const b = await create(me, 'b')
    const child = await create(me, 'child', a)
    const theirs = await create(mallory, 'theirs')
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
    expect(ok(await get(mallory, theirs)).data.sortOrder).toBe(0)
  })

  test('PATCH /categories/batch-pin with one category that is refused pins none', async () => {
    const me = await server.person()
    const [a, b, c] = [await create(me, 'a'), await create(me, 'b'), await create(me, 'c')]
    const theirs = await create(mallory, 'theirs')
    expect((await pinMany(me, [b, theirs], true)).status).toBe(404)
    expect((await pinMany(me, [b, b], true)).status).toBe(400)
    expect(await treeOf(me)).toBe('a,b,c')
    expect(ok(await pinMany(me, [c, b], true)).data).toEqual({ count: 2 })
    expect(await treeOf(me)).toBe('b,c,a')
    ok(await pinMany(me, [a, b, c], false))
    expect(await treeOf(me)).toBe('a,b,c')
  })
})

describe('deleting', () => {
  test('deleting a category keeps its codes without a category, and is refused while it has sub-categories', async () => {
    const me = await server.person()
    const [top, below] = await createChain(me, 2)
    const code = await createCode(me, { categoryId: below })
    const trashed = await createCode(me, { categoryId: below })
    ok(await me.delete(`/api/qr-codes/${trashed.id}`))
    expect(ok(await checkDeletable(me, top!)).data).toEqual({
      deletable: false,
      reason: 'HAS_CHILDREN',
      childCount: 1,
      codeCount: 0,
    })
    expect((await remove(me, top!)).status).toBe(400)
    expect(await treeOf(me)).toBe('l1(l2)')
    expect(ok(await checkDeletable(me, below!)).data).toEqual({
      deletable: true,
      reason: null,
      childCount: 0,
      codeCount: 1,
    })
    expect(ok(await remove(me, below!)).data).toBeNull()
    expect(await treeOf(me)).toBe('l1')
    const kept = ok(await me.get(`/api/qr-codes/${code.id}`)).data
    expect(kept).toEqual({ ...code, categoryId: null, version: 2, updatedAt: kept.updatedAt })
    expect(ok(await me.get('/api/qr-codes', { categoryId: 0 })).data.total).toBe(1)
    expect(ok(await me.get('/api/qr-codes/trash')).data.items[0].categoryId).toBeNull()
    expect((await get(me, below!)).status).toBe(404)
  })

  test('codes that are created in a category while it is deleted end up without a category', async () => {
    const me = await server.person()
    const id = await create(me, 'parent')
    await Promise.all([
      race(20, (i) => me.post('/api/qr-codes', { name: `n${i}`, content: 'x', categoryId: id })),
      remove(me, id),
    ])
    for (const code of await allPages(me, '/api/qr-codes', 100)) expect(code['categoryId']).toBeNull()
  })

  test('a sub-category that is created while its parent is deleted is never left without a parent', async () => {
    for (let round = 0; round < 10; round++) {
      const me = await server.person()
      const id = await create(me, 'parent')
      const [created, deleted] = await Promise.all([
        me.post('/api/categories', { name: 'child', parentId: id }),
        remove(me, id),
      ])
      expect([created.status, deleted.status].toSorted()).toEqual([200, 400])
      expect(['', 'parent(child)']).toContain(await treeOf(me))
    }
  })
})

describe('permissions', () => {
  const calls: [method: 'GET' | 'PUT' | 'DELETE' | 'PATCH', suffix: string, body?: unknown][] = [
    ['GET', ''],
    ['PUT', '', { name: 'taken' }],
    ['DELETE', ''],
    ['PATCH', '/parent', { parentId: null }],
    ['PATCH', '/pin', { pinned: true }],
    ['GET', '/deletable'],
  ]
  for (const [method, suffix, body] of calls)
    test(`${method} /categories/:id${suffix} answers 401 without a token, 404 to other users, and changes nothing`, async () => {
      const id = await create(alice, 'private')
      const before = ok(await get(alice, id)).data
      expect((await server.request(method, `/api/categories/${id}${suffix}`, { body })).status).toBe(401)
      expect((await mallory.send(method, `/api/categories/${id}${suffix}`, { body })).status).toBe(404)
      expect((await alice.send(method, `/api/categories/abc${suffix}`, { body })).status).toBe(400)
      expect(ok(await get(alice, id)).data).toEqual(before)
    })

  test('lists and trees do not contain categories of other users', async () => {
    const me = await server.person()
    await create(alice, 'of alice')
    expect(await list(me)).toEqual({ items: [], total: 0, page: 1, size: 20 })
    expect(await getTree(me)).toEqual([])
    for (const path of ['', '/tree']) expect((await server.request('GET', `/api/categories${path}`)).status).toBe(401)
  })

  test('a category of another user as the parent answers 400, like one that does not exist', async () => {
    const theirs = await create(mallory, 'theirs')
    const mine = await create(alice, 'mine')
    expect((await alice.post('/api/categories', { name: 'x', parentId: theirs })).status).toBe(400)
    expect((await move(alice, mine, theirs)).status).toBe(400)
  })
})
