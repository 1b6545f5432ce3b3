/** The plans of SQLite for the lists of assets: which index answers each order and each filter. */

import { beforeAll, describe, expect, test } from 'bun:test'

import { and, eq, gte, sql } from 'drizzle-orm'

import { assets } from '#db/schema/assets.ts'
import { metaValues } from '#db/schema/meta.ts'
import {
  assetsAmong,
  assetsPage,
  type Conditions,
  conditionsWhere,
  filteredPage,
  matchesAtMost,
  pageWithOneFilter,
  searchAssets,
} from '#domains/assets/listing.store.ts'
import { type AssetSort, SORTS } from '#domains/assets/register/register.model.ts'
import { assetsWhere } from '#domains/assets/register/register.store.ts'

import { plansOf } from '../db/plans.ts'
import { inProcess, useServer } from '../harness/index.ts'
import { addMany } from './helpers.ts'

describe.if(inProcess && !process.env['TEST_DATABASE_URL'])('plans of SQLite', () => {
  const { server, alice } = useServer({ people: ['alice'], noAdmin: true })
  /** Enough rows that pages are read from a key of the index in memory. */
  const ROWS = 1200
  const owner = () => -alice.id

  beforeAll(async () => {
    const items = Array.from({ length: ROWS }, (_, i) => ({
      status: 'IDLE' as const,
      ...(i % 2 === 0 && { purchaseDate: '2026-03-01', purchasePrice: i, warrantyExpiry: '2027-01-01' }),
    }))
    await addMany(server, { userId: alice.id, orgId: 0 }, items)
  })

  /** The lines of the plans of all statements that `run` executes on the table of assets, with their SQL. */
  async function linesOf(run: () => unknown): Promise<string[]> {
    const plans = await plansOf(server.ctx.db.read, run, 'from "assets"')
    expect(plans.length).toBeGreaterThan(0)
    return plans.flatMap(({ sql, plan }) =>
      plan.map((line) => `${line} ← ${sql.replace(/^select .*? from/, 'select … from').slice(0, 300)}`),
    )
  }
  const sorting = (plans: readonly string[]) => plans.filter((plan) => plan.includes('TEMP B-TREE'))
  const unindexed = (plans: readonly string[]) =>
    plans.filter(
      (plan) => plan.includes(' assets') && !/^SEARCH assets USING (COVERING )?INDEX assets_\w+ \(owner=\?/.test(plan),
    )

  const sorts = [undefined, ...SORTS.flatMap((sort): AssetSort[] => [sort, `-${sort}`])]

  for (const sort of sorts)
    test(`pages by ${sort ?? 'default'} are read in the order of an index`, async () => {
      const { read } = server.ctx.db
      for (const page of [1, 15, 45, 60]) {
        const plans = await linesOf(() => assetsPage(read, owner(), { page, size: 20, sort }))
        expect(sorting(plans)).toEqual([])
        expect(unindexed(plans)).toEqual([])
      }
    })

  const one: Readonly<Record<string, Conditions>> = {
    category: { categoryIds: [7] },
    'no category': { categoryIds: null },
    location: { locationIds: [7] },
    'no location': { locationIds: null },
    custodian: { custodianId: 7 },
    'no custodian': { custodianId: null },
    status: { statuses: ['IDLE'] },
  }
  for (const [name, conditions] of Object.entries(one))
    test(`pages of one ${name} are read in the order of an index`, async () => {
      for (const page of [1, 40]) {
        const plans = await linesOf(() =>
          pageWithOneFilter(server.ctx.db.read, owner(), conditions, { page, size: 20 })!,
        )
        expect(sorting(plans)).toEqual([])
        expect(unindexed(plans)).toEqual([])
      }
    })

  const others: readonly Conditions[] = [
    { categoryIds: [1, 2], custodianId: null },
    { locationIds: [1, 2] },
    { statuses: ['LOST', 'IDLE'], custodianId: 7 },
    { warrantyFrom: '2026-01-01', warrantyTo: '2026-02-01' },
    { purchaseFrom: '2026-01-01', purchaseTo: '2026-02-01' },
    { ids: [1, 2, 3] },
    {},
  ]
  for (const conditions of others)
    test(`pages with the filters ${JSON.stringify(conditions)} never read the assets of other owners`, async () => {
      for (const sort of sorts) {
        const where = assetsWhere(owner(), conditionsWhere(conditions))
        const plans = await linesOf(() => filteredPage(server.ctx.db.read, where, { page: 2, size: 20, sort }))
        const byId = (plan: string) =>
          conditions.ids !== undefined && plan.startsWith('SEARCH assets USING INTEGER PRIMARY KEY')
        expect(unindexed(plans).filter((plan) => !byId(plan))).toEqual([])
      }
    })

  test('a filter by few values begins with the index of the values, not with all assets of the owner', async () => {
    const { read } = server.ctx.db
    const values = sql`${assets.id} in (select ${metaValues.entityId} from ${metaValues}
      where ${and(eq(metaValues.fieldId, 1), eq(metaValues.owner, owner()), gte(metaValues.number, 1))})`
    const plans = await linesOf(async () => {
      await filteredPage(read, assetsAmong(owner(), values), { page: 1, size: 20 })
    })
    expect(plans.filter((plan) => plan.startsWith('SEARCH assets USING INTEGER PRIMARY KEY'))).toHaveLength(1)
    expect(plans.filter((plan) => plan.includes('assets USING') && !plan.includes('INTEGER PRIMARY KEY'))).toEqual([])
    expect(
      plans
        .filter((plan) => plan.startsWith('SEARCH meta_values'))
        .every((plan) => plan.includes('meta_values_number')),
    ).toBe(true)
  })

  test('a range of days is counted up to a limit by its own index', async () => {
    const where = assetsWhere(owner(), conditionsWhere({ warrantyFrom: '2027-01-01', warrantyTo: '2027-01-01' }))
    const plans = await linesOf(async () => {
      expect(await matchesAtMost(server.ctx.db.read, where, ROWS / 2)).toBe(true)
      expect(await matchesAtMost(server.ctx.db.read, where, ROWS / 2 - 1)).toBe(false)
    })
    expect(plans.every((plan) => plan.startsWith('SEARCH assets USING COVERING INDEX assets_warranty'))).toBe(true)
  })

  for (const sort of sorts)
    test(`searches by ${sort ?? 'default'} are read in the order of an index`, async () => {
      const where = conditionsWhere({ statuses: ['IDLE'] }, 'asset')
      const plans = await linesOf(() =>
        searchAssets(server.ctx.db.read, owner(), { where }, { page: 3, size: 20, sort }),
      )
      expect(sorting(plans)).toEqual([])
      expect(unindexed(plans)).toEqual([])
    })
})
