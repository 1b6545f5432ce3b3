import { beforeAll, describe, expect, test } from 'bun:test'

import { ok, type Person, useServer } from '../harness/index.ts'
import { allPages, type Code, createCategory, createCode } from './helpers.ts'

const { server, alice } = useServer({ people: ['alice'] })

/** Spec §4.2: pinned first, then sortOrder, then creation time, oldest first; the id makes it total. */
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

describe('order', () => {
  test('the order of GET /qr-codes is total, so pages never repeat or skip a code, even if all other fields are equal', async () => {
    const me = await server.person()
    // The codes of a batch have the same time of creation, so 60 rows differ only in their ids.
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

  test('the order of GET /qr-codes follows `sort` in both directions, and codes with equal values by their ids', async () => {
    const me = await server.person()
    const made = []
    for (const name of ['b', 'a', 'c', 'a']) made.push(await createCode(me, { name }))
    const [b, a1, c, a2] = ids(made)
    const sorted = async (sort: string) => ids(ok(await me.get('/api/qr-codes', { sort })).data.items)
    expect(await sorted('name')).toEqual([a1!, a2!, b!, c!])
    expect(await sorted('-name')).toEqual([c!, b!, a2!, a1!])
    expect(await sorted('createdAt')).toEqual([b!, a1!, c!, a2!])
    expect(await sorted('-createdAt')).toEqual([a2!, c!, a1!, b!])
    ok(await me.put(`/api/qr-codes/${b}`, { remark: 'touched' }))
    expect(await sorted('-updatedAt')).toEqual([b!, a2!, c!, a1!])
    for (const sort of ['id', 'content', '--name', 'name;drop', 'Name'])
      expect((await me.get('/api/qr-codes', { sort })).status, sort).toBe(400)
  })

  test('GET /qr-codes gives an empty page after the last one, with the total', async () => {
    const me = await server.person()
    await createCode(me)
    expect(ok(await me.get('/api/qr-codes', { page: 9 })).data).toEqual({ items: [], total: 1, page: 9, size: 20 })
    expect(ok(await me.get('/api/qr-codes', { page: 10_000_000, size: 100 })).data.items).toEqual([])
  })

  test('GET /qr-codes answers 400 to an invalid page or size', async () => {
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
    top = await createCategory(me, 'top')
    below = await createCategory(me, 'below', top)
    const bottom = await createCategory(me, 'bottom', below)
    other = await createCategory(me, 'other')
    const make = async (key: string, fields: Record<string, unknown>) =>
      (codes[key] = (await createCode(me, fields)).id)
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
    const deleted = await createCode(me, { name: 'Alpha deleted', categoryId: top, isPublic: true })
    ok(await me.delete(`/api/qr-codes/${deleted.id}`))
    await createCode(alice, { name: 'Alpha of another user', isPublic: true })
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
    test(`GET /qr-codes with ${String(query).slice(6)} finds ${keys.join(', ') || 'nothing'}`, async () =>
      expect(await found(query())).toEqual(keys))

  test('GET /qr-codes finds nothing in a category of another user', async () => {
    const theirs = await createCategory(alice, 'theirs')
    await createCode(alice, { categoryId: theirs })
    expect(await found({ categoryId: theirs })).toEqual([])
  })

  test('GET /qr-codes with ids finds those codes of the owner, with and without other filters', async () => {
    const [deleted, theirs] = [await createCode(me, { name: 'Alpha in the trash' }), await createCode(alice)]
    ok(await me.delete(`/api/qr-codes/${deleted.id}`))
    const chosen = `${codes['free']},${codes['inTop']},${deleted.id},${theirs.id},999999,${codes['inTop']}`
    expect(await found({ ids: chosen })).toEqual(['inTop', 'free'])
    expect(await found({ ids: chosen, keyword: 'alpha' })).toEqual(['inTop'])
    expect(await found({ ids: chosen, categoryId: 0, sort: '-createdAt' })).toEqual(['free'])
    const org = ok(await me.call('orgs.create', { body: { name: 'Ids' } })).data.id
    expect(ok(await me.get('/api/qr-codes', { ids: chosen, orgId: org })).data.items).toEqual([])
    const shared = await createCode(me, { orgId: org } as never)
    expect(ok(await me.get('/api/qr-codes', { ids: shared.id })).data.items).toEqual([])
    expect(ids(ok(await me.get('/api/qr-codes', { ids: shared.id, orgId: org })).data.items)).toEqual([shared.id])
    for (const bad of ['x', '0', '-1', '1.5', Array.from({ length: 501 }, (_, i) => i + 1).join(',')])
      expect((await me.get('/api/qr-codes', { ids: bad })).status, bad).toBe(400)
  })

  test('GET /qr-codes refuses filters with invalid values', async () => {
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

describe('changes', () => {
  test('totals and pages of GET /qr-codes are right after each creation, change, deletion and restoration', async () => {
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
    for (let i = 0; i < 13; i++) made.push(await createCode(me))
    await check('created one by one')
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
    await check('created in a batch')
    ok(await me.patch(`/api/qr-codes/${made[9]!.id}/pin`, { pinned: true }))
    await check('pinned')
    ok(await me.put(`/api/qr-codes/${made[2]!.id}`, { sortOrder: 5 }))
    await check('moved down')
    ok(await me.put(`/api/qr-codes/${made[12]!.id}`, { sortOrder: -5, pinned: true }))
    await check('moved up')
    const [deleted] = made.splice(4, 1)
    ok(await me.delete(`/api/qr-codes/${deleted!.id}`))
    await check('deleted')
    ok(await me.patch(`/api/qr-codes/trash/restore/${deleted!.id}`))
    made.push(deleted!)
    await check('restored')
    ok(await me.put(`/api/qr-codes/${made[1]!.id}`, { name: 'renamed' }))
    await check('renamed')
  })
})
