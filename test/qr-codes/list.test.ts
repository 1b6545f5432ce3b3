import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { type Person, startServer, type TestServer } from '../harness/index.ts'
import { allPages, type Code, makeCategory, makeCode, ok } from './helpers.ts'

let server: TestServer
let alice: Person

beforeAll(async () => {
  server = await startServer()
  alice = await server.person()
})
afterAll(() => server.stop())

/** Spec §4.2: pinned first, then sortOrder, then creation time ascending; ids make it total. */
const expected = (codes: readonly Code[]): number[] =>
  codes
    .toSorted(
      (a, b) =>
        Number(b['pinned']) - Number(a['pinned']) ||
        (a['sortOrder'] as number) - (b['sortOrder'] as number) ||
        (a['createdAt'] as number) - (b['createdAt'] as number) ||
        a.id - b.id,
    )
    .map((c) => c.id)

const ids = (codes: readonly Code[]) => codes.map((c) => c.id)

describe('the order', () => {
  test('is total: pages never repeat or skip a row, whatever ties', async () => {
    const me = await server.person()
    // A batch is made in one moment: 60 rows tie on everything but the id.
    const items = Array.from({ length: 60 }, (_, i) => ({ name: `tied ${i}`, content: 'x' }))
    const made: Code[] = ok(await me.post('/api/qr-codes/batch', { items })).data.items
    for (const code of made.filter((_, i) => i % 7 === 0))
      ok(await me.patch(`/api/qr-codes/${code.id}/pin`, { pinned: true }))
    for (const code of made.filter((_, i) => i % 5 === 0))
      ok(await me.put(`/api/qr-codes/${code.id}`, { sortOrder: (code.id % 3) - 1 }))
    const whole = await allPages(me, '/api/qr-codes', 100)
    expect(ids(whole)).toEqual(expected(whole))
    expect(whole).toHaveLength(60)
    for (const size of [1, 7, 20, 59, 60])
      expect(ids(await allPages(me, '/api/qr-codes', size)), `size ${size}`).toEqual(ids(whole))
    for (const sort of [
      'name',
      '-name',
      'createdAt',
      '-createdAt',
      'updatedAt',
      '-updatedAt',
      'scanCount',
      '-scanCount',
    ]) {
      const sorted = await allPages(me, '/api/qr-codes', 100, { sort })
      expect(ids(sorted).toSorted(), sort).toEqual(ids(whole).toSorted())
      expect(ids(await allPages(me, '/api/qr-codes', 9, { sort })), sort).toEqual(ids(sorted))
    }
  })

  test('sort by a field, both ways, with the id to decide', async () => {
    const me = await server.person()
    const made = []
    for (const name of ['b', 'a', 'c', 'a']) made.push(await makeCode(me, { name }))
    const [b, a1, c, a2] = ids(made)
    const sorted = async (sort: string) => ids(ok(await me.get('/api/qr-codes', { sort })).data.items)
    expect(await sorted('name')).toEqual([a1!, a2!, b!, c!])
    expect(await sorted('-name')).toEqual([c!, b!, a2!, a1!])
    expect(await sorted('createdAt')).toEqual([b!, a1!, c!, a2!])
    expect(await sorted('-createdAt')).toEqual([a2!, c!, a1!, b!])
    ok(await me.put(`/api/qr-codes/${b}`, { remark: 'touched' }))
    expect(await sorted('-updatedAt')).toEqual([b!, a2!, c!, a1!])
    for (const sort of ['id', 'content', '--name', 'name;drop', 'Name', ''])
      expect((await me.get('/api/qr-codes', { sort })).status, sort).toBe(400)
  })

  test('a page past the end is empty, and says how many there are', async () => {
    const me = await server.person()
    await makeCode(me)
    expect(ok(await me.get('/api/qr-codes', { page: 9 })).data).toEqual({ items: [], total: 1, page: 9, size: 20 })
    expect(ok(await me.get('/api/qr-codes', { page: 10_000_000, size: 100 })).data.items).toEqual([])
  })

  test('bad paging is refused', async () => {
    for (const query of [{ page: 0 }, { page: -1 }, { page: 'x' }, { size: 0 }, { size: 101 }, { page: 1.5 }])
      expect((await alice.get('/api/qr-codes', query as never)).status, JSON.stringify(query)).toBe(400)
  })
})

describe('filters', () => {
  let me: Person
  const codes: Record<string, number> = {}
  let top: number
  let below: number
  let other: number

  beforeAll(async () => {
    me = await server.person()
    top = await makeCategory(me, 'top')
    below = await makeCategory(me, 'below', top)
    const bottom = await makeCategory(me, 'bottom', below)
    other = await makeCategory(me, 'other')
    const make = async (key: string, fields: Record<string, unknown>) => (codes[key] = (await makeCode(me, fields)).id)
    await make('inTop', { name: 'Alpha', content: 'https://example.com/', categoryId: top, isPublic: true })
    await make('inBelow', { name: 'beta', content: 'plain text', categoryId: below, remark: 'Remark with ALPHA' })
    await make('inBottom', {
      name: 'gamma',
      content: 'tel:+8613800138000',
      categoryId: bottom,
      tags: ['alphabet', '春节'],
    })
    await make('inOther', { name: '100% sure', content: 'x_y', categoryId: other })
    await make('free', { name: '中文名称', content: '内容：二维码' })
    ok(await me.patch(`/api/qr-codes/${codes['free']}/pin`, { pinned: true }))
    const gone = await makeCode(me, { name: 'Alpha deleted', categoryId: top, isPublic: true })
    ok(await me.delete(`/api/qr-codes/${gone.id}`))
    await makeCode(alice, { name: 'Alpha of somebody else', isPublic: true })
  })

  const found = async (query: Record<string, string | number | boolean>) => {
    const { data } = ok(await me.get('/api/qr-codes', query))
    expect(data.total).toBe(data.items.length)
    return Object.keys(codes).filter((key) => data.items.some((c: Code) => c.id === codes[key]))
  }

  const cases: [query: () => Record<string, string | number | boolean>, keys: string[]][] = [
    [() => ({}), ['inTop', 'inBelow', 'inBottom', 'inOther', 'free']],
    [() => ({ categoryId: top }), ['inTop', 'inBelow', 'inBottom']],
    [() => ({ categoryId: below }), ['inBelow', 'inBottom']],
    [() => ({ categoryId: other }), ['inOther']],
    [() => ({ categoryId: 0 }), ['free']],
    [() => ({ categoryId: 999_999 }), []],
    [() => ({ category_id: 0 }), ['free']],
    [() => ({ keyword: 'alpha' }), ['inTop', 'inBelow', 'inBottom']],
    [() => ({ keyword: 'ALPHA', categoryId: below }), ['inBelow', 'inBottom']],
    [() => ({ keyword: '春节' }), ['inBottom']],
    [() => ({ keyword: '维码' }), ['free']],
    [() => ({ keyword: '名称' }), ['free']],
    [() => ({ keyword: '%' }), ['inOther']],
    [() => ({ keyword: '_' }), ['inOther']],
    [() => ({ keyword: '100% s' }), ['inOther']],
    [() => ({ keyword: '"' }), []],
    [() => ({ keyword: '[' }), []],
    [() => ({ keyword: "'" }), []],
    [() => ({ keyword: '\\' }), []],
    [() => ({ keyword: '' }), ['inTop', 'inBelow', 'inBottom', 'inOther', 'free']],
    [() => ({ contentType: 'PHONE' }), ['inBottom']],
    [() => ({ contentType: 'WIFI' }), []],
    [() => ({ isPublic: true }), ['inTop']],
    [() => ({ isPublic: false, categoryId: top }), ['inBelow', 'inBottom']],
    [() => ({ pinned: true }), ['free']],
    [() => ({ pinned: false, keyword: 'a', isPublic: true }), ['inTop']],
  ]
  for (const [query, keys] of cases)
    test(`${String(query).slice(6)} finds ${keys.join(', ') || 'nothing'}`, async () =>
      expect(await found(query())).toEqual(keys))

  test('somebody else’s category finds nothing', async () => {
    const theirs = await makeCategory(alice, 'theirs')
    await makeCode(alice, { categoryId: theirs })
    expect(await found({ categoryId: theirs })).toEqual([])
  })

  test('values that are no filter are refused', async () => {
    for (const query of [
      { contentType: 'FILM' },
      { isPublic: 'maybe' },
      { categoryId: -1 },
      { categoryId: 'x' },
      { orgId: 0 },
    ])
      expect([400, 403], JSON.stringify(query)).toContain((await me.get('/api/qr-codes', query as never)).status)
  })
})

describe('totals and pages stay right while codes come, change and go', () => {
  test('every step', async () => {
    const me = await server.person()
    const made: Code[] = []
    const check = async (what: string) => {
      const whole = await allPages(me, '/api/qr-codes', 4)
      expect(ids(whole), what).toEqual(expected(whole))
      expect(ids(whole).toSorted(), what).toEqual(ids(made).toSorted())
      const deep = ok(await me.get('/api/qr-codes', { page: 3, size: 4 })).data
      expect(deep.total, what).toBe(made.length)
    }
    await check('empty')
    for (let i = 0; i < 13; i++) made.push(await makeCode(me))
    await check('made one by one')
    made.push(
      ...ok(
        await me.post('/api/qr-codes/batch', {
          items: [
            { name: 'b1', content: 'x' },
            { name: 'b2', content: 'y' },
          ],
        }),
      ).data.items,
    )
    await check('made in a batch')
    ok(await me.patch(`/api/qr-codes/${made[9]!.id}/pin`, { pinned: true }))
    await check('pinned')
    ok(await me.put(`/api/qr-codes/${made[2]!.id}`, { sortOrder: 5 }))
    await check('moved down')
    ok(await me.put(`/api/qr-codes/${made[12]!.id}`, { sortOrder: -5, pinned: true }))
    await check('moved up')
    const [gone] = made.splice(4, 1)
    ok(await me.delete(`/api/qr-codes/${gone!.id}`))
    await check('deleted')
    ok(await me.patch(`/api/qr-codes/trash/restore/${gone!.id}`))
    made.push(gone!)
    await check('restored')
    ok(await me.put(`/api/qr-codes/${made[1]!.id}`, { name: 'renamed' }))
    await check('renamed')
  })
})
