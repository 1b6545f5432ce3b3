/** The reports of depreciation and of the costs of maintenance. */

import { describe, expect, test } from 'bun:test'

import { bookValueOf, valueOf } from '#domains/assets/reports/reports.rules.ts'

import { inProcess, ok, useServer } from '../harness/index.ts'
import { addMembers, createOrg } from '../orgs/helpers.ts'
import { addMany, createAsset, deleteAsset, scrapAsset } from './helpers.ts'
import { createCategory } from './places.ts'

const { server, alice, bob, mallory } = useServer({ people: ['alice', 'bob', 'mallory'] })

const line = (months: number, residualPercent = 0) =>
  ({ method: 'STRAIGHT_LINE', months, residualPercent, yearlyPercent: null }) as const
const declining = (yearlyPercent: number, residualPercent = 0) =>
  ({ method: 'DECLINING', months: null, residualPercent, yearlyPercent }) as const

test.each([
  [120_000, line(36), 0, 120_000],
  [120_000, line(36), 10, 86_667],
  [120_000, line(36), 36, 0],
  [120_000, line(36), 99, 0],
  [120_000, line(36, 10), 36, 12_000],
  [120_000, line(36, 100), 20, 120_000],
  [1, line(2), 1, 1],
  [999_999_999_999_999, line(3), 1, 666_666_666_666_666],
  [100_000, declining(20), 18, 72_000],
  [100_000, declining(20), 12, 80_000],
  [100_000, declining(20, 75), 18, 75_000],
  [100_000, declining(99), 1200, 0],
])('the book value of %j by %j after %j months is %j', (price, depreciation, months, expected) => {
  expect(Number(bookValueOf(price, depreciation, months))).toBe(expected)
})

test.each([
  ['2024-02-29', '2025-02-28', 11, '2027-02-28'],
  ['2024-02-29', '2025-03-01', 12, '2027-02-28'],
  ['2026-01-31', '2026-02-28', 0, '2029-01-31'],
  ['2026-01-31', '2026-03-31', 2, '2029-01-31'],
  ['2026-05-05', '2026-05-04', 0, '2029-05-05'],
])('bought on %j, on %j %j months have passed, and it ends on %j', (purchaseDate, asOf, elapsedMonths, endsOn) => {
  const bought = { purchaseDate, purchasePrice: 3600, scrappedOn: null }
  expect(valueOf(bought, line(36), asOf)).toMatchObject({ elapsedMonths, endsOn })
})

test('the value stays from the day on which the asset is scrapped', () => {
  const bought = { purchaseDate: '2024-01-01', purchasePrice: 3600, scrappedOn: '2025-01-01' }
  expect(valueOf(bought, line(36), '2026-06-01')).toMatchObject({ elapsedMonths: 12, bookValue: 2400n })
  expect(valueOf(bought, line(36), '2024-07-01')).toMatchObject({ elapsedMonths: 6, bookValue: 3000n })
})

const report = async (query: object, person = alice) =>
  ok(await person.call('assetReports.depreciation', { query: { size: 100, ...query } })).data as {
    items: Record<string, unknown>[]
    total: number
    totals: object
  }

describe('GET /api/assets/reports/depreciation', () => {
  test('has the value of each asset by its category or the nearest one above, and the totals', async () => {
    const me = await server.person()
    const top = await createCategory(me, 'Hardware', { depreciation: { method: 'STRAIGHT_LINE', months: 36 } })
    const below = await createCategory(me, 'Laptops', { parentId: top.id })
    const own = await createCategory(me, 'Cars', {
      parentId: top.id,
      depreciation: { method: 'DECLINING', yearlyPercent: 20 },
    })
    const bought = { purchaseDate: '2025-01-15', purchasePrice: '1200.00' }
    const ids = [
      (await createAsset(me, { ...bought, categoryId: below.id })).id,
      (await createAsset(me, { ...bought, purchasePrice: '1000', categoryId: own.id })).id,
      (await createAsset(me, bought)).id,
      (await createAsset(me, { categoryId: below.id, purchasePrice: '7' })).id,
    ]
    ok(await deleteAsset(me, (await createAsset(me, { ...bought, categoryId: below.id })).id))
    const { items, total, totals } = await report({ asOf: '2025-11-15' }, me)
    expect(total).toBe(4)
    expect(items).toMatchObject([
      {
        assetId: ids[0],
        method: 'STRAIGHT_LINE',
        months: 36,
        elapsedMonths: 10,
        depreciated: '333.33',
        bookValue: '866.67',
        endsOn: '2028-01-15',
      },
      {
        assetId: ids[1],
        method: 'DECLINING',
        months: null,
        elapsedMonths: 10,
        depreciated: '166.67',
        bookValue: '833.33',
        endsOn: null,
      },
      { assetId: ids[2], price: '1200.00', method: null, elapsedMonths: null, bookValue: null },
      { assetId: ids[3], price: '7.00', purchaseDate: null, method: null, bookValue: null },
    ])
    expect(totals).toEqual({ assets: 2, without: 2, price: '2200.00', depreciated: '500.00', bookValue: '1700.00' })
    expect((await report({ asOf: '2025-01-14' }, me)).totals).toMatchObject({
      depreciated: '0.00',
      bookValue: '2200.00',
    })
    expect((await report({ asOf: '2025-11-15', categoryId: own.id }, me)).items).toHaveLength(1)
    expect((await report({ categoryId: 0 }, me)).items.map(({ assetId }) => assetId)).toEqual([ids[2]])
    const second = await report({ asOf: '2025-11-15', page: 2, size: 1 }, me)
    expect([second.items.length, second.items[0]!['assetId'], second.totals]).toEqual([1, ids[1], totals])
    const csv = await me.get('/api/assets/reports/depreciation?format=csv&asOf=2025-11-15')
    expect(csv.text.trim().split('\r\n').at(-1)).toContain('Total')
    expect(csv.text).toContain('866.67')
    const xlsx = await me.get('/api/assets/reports/depreciation?format=xlsx')
    expect([xlsx.status, xlsx.headers.get('content-type')]).toEqual([
      200,
      'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    ])
  })

  test('stops at the day on which an asset was scrapped', async () => {
    const me = await server.person()
    const { id } = await createCategory(me, 'Tools', { depreciation: { method: 'STRAIGHT_LINE', months: 1200 } })
    const asset = await createAsset(me, { categoryId: id, purchaseDate: '2020-01-01', purchasePrice: '1200' })
    const { items: before } = await report({}, me)
    ok(await scrapAsset(me, asset.id))
    const { items } = await report({ asOf: '2099-01-01' }, me)
    expect(items[0]!['bookValue']).toBe(before[0]!['bookValue'])
  })

  test.if(inProcess)('adds up to the cent over thousands of assets', async () => {
    const me = await server.person()
    const { id } = await createCategory(me, 'All', {
      depreciation: { method: 'STRAIGHT_LINE', months: 37, residualPercent: 7 },
    })
    const fields = Array.from({ length: 2600 }, (_, i) => ({
      categoryId: id,
      purchasePrice: (i * 7919) % 1_000_003,
      purchaseDate: `20${String(20 + (i % 6)).padStart(2, '0')}-${String((i % 12) + 1).padStart(2, '0')}-${String((i % 28) + 1).padStart(2, '0')}`,
    }))
    await addMany(server, { userId: me.id, orgId: 0 }, fields)
    // In cents times 3700, so that a spreadsheet would get the same without fractions.
    const expected = fields.reduce((sum, { purchasePrice, purchaseDate }) => {
      const [year, month, day] = purchaseDate.split('-').map(Number) as [number, number, number]
      const months = Math.min(37, Math.max(0, (2026 - year) * 12 + (6 - month) - (15 < day ? 1 : 0)))
      const exact = purchasePrice * (3700 - 93 * months)
      return sum + Math.floor(exact / 3700) + (exact % 3700 >= 1850 ? 1 : 0)
    }, 0)
    const { totals } = await report({ asOf: '2026-06-15', size: 1 }, me)
    expect(totals).toMatchObject({ assets: 2600, without: 0, bookValue: (expected / 100).toFixed(2) })
  })

  test('bad input is answered with 400, and strangers see nothing', async () => {
    const org = await createOrg(alice)
    await addMembers(alice, org, bob)
    for (const query of ['asOf=2026-02-30', 'asOf=yesterday', 'format=pdf', 'categoryId=-1'])
      expect((await alice.get(`/api/assets/reports/depreciation?${query}`)).status, query).toBe(400)
    expect((await bob.get(`/api/assets/reports/depreciation?orgId=${org.id}`)).status).toBe(200)
    expect((await mallory.get(`/api/assets/reports/depreciation?orgId=${org.id}`)).status).toBe(403)
    expect((await fetch(`${server.url}/api/assets/reports/depreciation`)).status).toBe(401)
    for (const depreciation of [
      { method: 'STRAIGHT_LINE' },
      { method: 'STRAIGHT_LINE', months: 0 },
      { method: 'STRAIGHT_LINE', months: 1201 },
      { method: 'STRAIGHT_LINE', months: 12, yearlyPercent: 5 },
      { method: 'STRAIGHT_LINE', months: 12, residualPercent: 101 },
      { method: 'DECLINING', months: 12 },
      { method: 'DECLINING', yearlyPercent: 100 },
      { method: 'OTHER', months: 12 },
    ])
      expect(
        (await alice.post('/api/assets/categories', { name: 'x', depreciation })).status,
        JSON.stringify(depreciation),
      ).toBe(400)
  })

  test('a category keeps its depreciation and interval until they are cleared', async () => {
    const depreciation = { method: 'DECLINING', yearlyPercent: 20 } as const
    const { id, version } = await createCategory(alice, 'Cars', { depreciation, countEveryMonths: 12 })
    const update = async (body: object) => ok(await alice.put(`/api/assets/categories/${id}`, body)).data
    const full = { ...depreciation, months: null, residualPercent: 0 }
    expect(await update({ depreciation: full })).toMatchObject({ depreciation: full, countEveryMonths: 12, version })
    expect(await update({ name: 'Vans' })).toMatchObject({ depreciation: full, version: version + 1 })
    expect(await update({ depreciation: null, countEveryMonths: null })).toMatchObject({
      depreciation: null,
      countEveryMonths: null,
    })
  })
})

test('GET /api/assets/reports/costs adds costs up by asset, category and supplier', async () => {
  const me = await server.person()
  const { id: categoryId } = await createCategory(me, 'Machines')
  const [drill, saw] = [await createAsset(me, { categoryId }), await createAsset(me)]
  const add = async (id: number, doneOn: string, cost: string | null, supplier: string) =>
    ok(await me.post(`/api/assets/${id}/maintenance`, { kind: 'REPAIR', doneOn, cost, supplier }))
  await add(drill.id, '2026-01-01', '0.10', 'Volt')
  await add(drill.id, '2026-02-01', '0.20', 'Ampere')
  await add(saw.id, '2026-03-01', '9999999999999.99', 'Volt')
  await add(saw.id, '2026-03-01', '9999999999999.99', 'Volt')
  await add(saw.id, '2026-03-02', null, 'Volt')
  const costs = async (query = '') => ok(await me.get(`/api/assets/reports/costs${query}`)).data
  expect(await costs()).toMatchObject({
    records: 4,
    cost: '20000000000000.28',
    byAsset: [
      { assetId: saw.id, records: 2, cost: '19999999999999.98' },
      { assetId: drill.id, records: 2, cost: '0.30' },
    ],
    byCategory: [{ categoryId: null }, { categoryId, cost: '0.30' }],
    bySupplier: [
      { supplier: 'Volt', cost: '20000000000000.08' },
      { supplier: 'Ampere', cost: '0.20' },
    ],
  })
  expect(await costs('?from=2026-01-02&to=2026-02-28')).toMatchObject({ records: 1, cost: '0.20' })
  expect(await costs('?from=2027-01-01')).toMatchObject({ records: 0, cost: '0.00', byAsset: [] })
  expect((await me.get('/api/assets/reports/costs?from=2026-02-30')).status).toBe(400)
})
