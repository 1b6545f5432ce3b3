import { beforeAll, describe, expect, test } from 'bun:test'

import type { AssetStatus } from '#db/schema/assets.ts'
import { type SortName, SORTS } from '#domains/assets/register/register.model.ts'
import { type AssetFields, EMPTY } from '#domains/assets/register/register.rules.ts'

import { inProcess, ok, useServer } from '../harness/index.ts'
import { addMembers, createOrg, type Org } from '../orgs/helpers.ts'
import { allPages } from '../qr-codes/helpers.ts'
import { addMany, type Asset, createAsset, createLocation, deleteAsset } from './helpers.ts'
import { createCategory } from './places.ts'

const { server, owner, member } = useServer({ people: ['owner', 'member'], noAdmin: true })

describe.if(inProcess)('lists of assets', () => {
  const COUNT = 90
  const STATUSES: readonly AssetStatus[] = ['IN_USE', 'IDLE', 'REPAIR', 'LOST', 'SCRAPPED']
  let org: Org
  let rows: (AssetFields & { id: number })[]
  let categories: number[]
  let locations: number[]

  beforeAll(async () => {
    org = await createOrg(owner)
    await addMembers(owner, org, member)
    const orgId = org.id
    const parent = (await createCategory(owner, 'parent', { orgId })).id
    categories = [parent, (await createCategory(owner, 'child', { orgId, parentId: parent })).id]
    categories.push((await createCategory(owner, 'other', { orgId })).id)
    const building = await createLocation(owner, orgId, 'building')
    locations = [building, await createLocation(owner, orgId, 'room', building)]
    // Every value occurs several times, and every column that can be empty is empty in a third of the rows.
    const some = <T>(values: readonly T[], i: number): T => values[i % values.length]!
    const day = (i: number) => `2026-0${(i % 7) + 1}-1${i % 3}`
    const given = Array.from({ length: COUNT }, (_, i) => ({
      name: `asset ${String((i * 7) % 20).padStart(2, '0')}`,
      assetNo: `N-${String((i * 37) % COUNT).padStart(3, '0')}`,
      brand: i % 10 === 0 ? 'Needle & Co' : '',
      model: i % 11 === 0 ? 'needle' : '',
      serialNo: i % 12 === 0 ? `sn NEEDLE ${i}` : '',
      remark: i % 13 === 0 ? 'a\nneedle' : '',
      supplier: i % 14 === 0 ? 'needle' : '',
      status: some(STATUSES, i),
      categoryId: some([null, ...categories], i),
      locationId: some([null, ...locations], i),
      custodianId: some([null, owner.id, member.id], i),
      purchaseDate: i % 3 === 0 ? null : day(i),
      warrantyExpiry: i % 3 === 1 ? null : day(i * 5),
      purchasePrice: i % 3 === 2 ? null : (i * 13) % 17,
    }))
    const ids: number[] = []
    // Assets of one write have one time of creation.
    for (let at = 0; at < COUNT; at += 30)
      ids.push(...(await addMany(server, { userId: owner.id, orgId }, given.slice(at, at + 30))))
    rows = given.map((fields, i) => ({ ...EMPTY, ...fields, id: ids[i]! }))
    const gone = await createAsset(owner, { orgId, name: 'asset 00', brand: 'needle' })
    ok(await deleteAsset(owner, gone.id))
    await createAsset(owner, { name: 'asset 00', brand: 'needle' })
  })

  type Query = Record<string, string | number>
  const listed = (query: Query, size = 100) => allPages<Asset>(owner, '/api/assets', size, { orgId: org.id, ...query })
  const idsOf = (items: readonly { id: number }[]) => items.map(({ id }) => id)

  /** The list as a plain program would make it. Rows that were added later have larger ids. */
  function expected(keep: (row: AssetFields) => boolean, sort: SortName, isReversed: boolean): number[] {
    const value = (row: AssetFields & { id: number }): string | number | null =>
      // No plan of maintenance holds for these assets.
      sort === 'nextMaintenance' ? null : sort === 'createdAt' || sort === 'updatedAt' ? row.id : row[sort]
    const direction = isReversed ? -1 : 1
    return idsOf(
      rows.filter(keep).toSorted((a, b) => {
        const [x, y] = [value(a), value(b)]
        if ((x === null) !== (y === null)) return x === null ? 1 : -1
        if (x !== null && y !== null && x !== y) return (x < y ? -1 : 1) * direction
        return (a.id - b.id) * direction
      }),
    )
  }

  test('without a sort the newest come first, and every asset is on one page only', async () => {
    for (const size of [1, 7, 100])
      expect(idsOf(await listed({}, size))).toEqual(expected(() => true, 'createdAt', true))
  })

  for (const sort of SORTS)
    for (const isReversed of [false, true])
      test(`sort=${isReversed ? '-' : ''}${sort} orders the whole list and filtered ones, with empty values last`, async () => {
        const by = { sort: `${isReversed ? '-' : ''}${sort}` }
        const all = expected(() => true, sort, isReversed)
        for (const size of [7, 30, 100]) expect(idsOf(await listed(by, size))).toEqual(all)
        const lost = expected((row) => row.status === 'LOST' || row.status === 'IDLE', sort, isReversed)
        expect(idsOf(await listed({ ...by, status: 'LOST,IDLE' }, 7))).toEqual(lost)
        const found = expected((row) => row.brand.includes('Needle'), sort, isReversed)
        expect(idsOf(await listed({ ...by, keyword: 'needle &' }, 4))).toEqual(found)
      })

  const FILTERS: readonly (readonly [() => Query, (row: AssetFields) => boolean])[] = [
    [() => ({ categoryId: 0 }), (row) => row.categoryId === null],
    [() => ({ categoryId: categories[0]! }), (row) => categories.slice(0, 2).includes(row.categoryId!)],
    [() => ({ categoryId: categories[1]! }), (row) => row.categoryId === categories[1]],
    [() => ({ categoryId: 999_999 }), () => false],
    [() => ({ locationId: 0 }), (row) => row.locationId === null],
    [() => ({ locationId: locations[0]! }), (row) => row.locationId !== null],
    [() => ({ locationId: locations[1]! }), (row) => row.locationId === locations[1]],
    [() => ({ custodianId: 0 }), (row) => row.custodianId === null],
    [() => ({ custodianId: member.id }), (row) => row.custodianId === member.id],
    [() => ({ custodianId: 999_999 }), () => false],
    [() => ({ status: 'SCRAPPED' }), (row) => row.status === 'SCRAPPED'],
    [() => ({ status: 'LOST,REPAIR,LOST' }), (row) => ['LOST', 'REPAIR'].includes(row.status)],
    [
      () => ({ warrantyFrom: '2026-03-11' }),
      (row) => row.warrantyExpiry !== null && row.warrantyExpiry >= '2026-03-11',
    ],
    [() => ({ warrantyTo: '2026-03-11' }), (row) => row.warrantyExpiry !== null && row.warrantyExpiry <= '2026-03-11'],
    [
      () => ({ purchaseFrom: '2026-02-10', purchaseTo: '2026-02-12' }),
      (row) => row.purchaseDate !== null && row.purchaseDate.startsWith('2026-02-1'),
    ],
    [() => ({ purchaseFrom: '2026-05-01', purchaseTo: '2026-04-01' }), () => false],
    [() => ({ ids: [3, 1, 7].map((i) => rows[i]!.id).join(',') }), (row) => [3, 1, 7].some((i) => rows[i] === row)],
    [
      () => ({ keyword: 'needle' }),
      (row) => [row.brand, row.model, row.serialNo, row.remark].some((text) => text.toLowerCase().includes('needle')),
    ],
    [() => ({ keyword: 'n-01' }), (row) => row.assetNo.startsWith('N-01')],
    [() => ({ keyword: '%' }), () => false],
    [() => ({ keyword: '', status: '', categoryId: '' }), () => true],
    [
      () => ({ keyword: 'needle', status: 'IN_USE,IDLE', custodianId: 0, categoryId: categories[0]! }),
      (row) =>
        ['IN_USE', 'IDLE'].includes(row.status) &&
        row.custodianId === null &&
        categories.slice(0, 2).includes(row.categoryId!) &&
        [row.brand, row.model, row.serialNo, row.remark].some((text) => text.toLowerCase().includes('needle')),
    ],
  ]
  for (const [i, [query, keep]] of FILTERS.entries())
    test(`filter ${i + 1} of the list selects the assets that meet it, in the default order and by price`, async () => {
      const filter = query()
      expect(idsOf(await listed(filter, 7)), JSON.stringify(filter)).toEqual(expected(keep, 'createdAt', true))
      expect(idsOf(await listed({ ...filter, sort: 'createdAt' }))).toEqual(expected(keep, 'createdAt', false))
      expect(idsOf(await listed({ ...filter, sort: '-purchasePrice' }, 9))).toEqual(
        expected(keep, 'purchasePrice', true),
      )
    })

  test('filters by one column follow changes of it', async () => {
    const total = async (query: Query) =>
      ok(await owner.get('/api/assets', { orgId: org.id, size: 1, ...query })).data.total
    const asset = await createAsset(owner, { orgId: org.id, custodianId: owner.id, categoryId: categories[2]! })
    const counts = () =>
      Promise.all([
        total({ custodianId: owner.id }),
        total({ custodianId: 0 }),
        total({ categoryId: categories[2]! }),
        total({ status: 'IN_USE' }),
        total({}),
      ])
    const before = await counts()
    ok(await owner.call('assets.update', { params: { id: asset.id }, body: { custodianId: null, status: 'IDLE' } }))
    expect(await counts()).toEqual([before[0]! - 1, before[1]! + 1, before[2]!, before[3]! - 1, before[4]!])
    ok(await owner.call('assetCategories.delete', { params: { id: categories[2]! } }))
    expect(await total({ categoryId: categories[2]! })).toBe(0)
    ok(await deleteAsset(owner, asset.id))
    expect(await total({})).toBe(before[4]! - 1)
  })

  test('bad filters are 400', async () => {
    for (const query of [
      { sort: 'serialNo' },
      { sort: 'brand' },
      { status: 'GONE' },
      { status: 'LOST,GONE' },
      { categoryId: -1 },
      { categoryId: 'x' },
      { warrantyFrom: '2026-02-30' },
      { purchaseTo: 'today' },
      { ids: 'a' },
      { ids: Array.from({ length: 501 }, (_, i) => i + 1).join(',') },
      { size: 101 },
      { page: 0 },
      { keyword: 'x'.repeat(101) },
    ])
      expect((await owner.get('/api/assets', query as never)).status, JSON.stringify(query)).toBe(400)
  })
})
