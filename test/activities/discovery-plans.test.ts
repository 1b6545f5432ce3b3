/** The plans of SQLite for discovery: which index answers each order and each filter, and that no query reads other rows. */

import { describe, expect, test } from 'bun:test'

import type { ReadDb } from '#db/engine/write.ts'
import type { Runner } from '#db/query/builders.ts'
import type { Db } from '#db/store.ts'
import { filteredPage, regionPage, searchPublic, somePassed } from '#domains/activities/discovery/store.ts'

import { inProcess, useServer } from '../harness/index.ts'

const SORTS = ['startTime', '-startTime', 'createdAt', '-createdAt'] as const
/** Given from the largest part on: paged lists. */
const WHOLE_REGIONS = [
  {},
  { province: 'A' },
  { province: 'A', city: 'B' },
  { province: 'A', city: 'B', district: 'C' },
] as const
/** The plans of all statements on activities that `run` executes, without those of joined tables. */
async function plansOf(db: Db, run: () => Promise<unknown> | undefined): Promise<string[]> {
  const runner = (db as ReadDb).runner as Runner
  const statements: (readonly [string, unknown[]])[] = []
  const { rows } = runner
  runner.rows = ((sql, params) => {
    statements.push([sql, params])
    return rows.call(runner, sql, params)
  }) as Runner['rows']
  try {
    await run()
  } finally {
    runner.rows = rows
  }
  const plans: string[] = []
  for (const [sql, params] of statements)
    for (const line of (await runner.rows(`explain query plan ${sql}`, params as never)) as unknown[][])
      if (/ activities |TEMP B-TREE/.test(String(line[3]))) plans.push(String(line[3]))
  return plans
}

const page = (sort: (typeof SORTS)[number]) => ({ page: 1, size: 20, sort })

describe.if(inProcess && !process.env['TEST_DATABASE_URL'])('plans of SQLite', () => {
  const { server } = useServer({ noAdmin: true })

  test('every order of a region is read in the order of an index that has discovered activities only', async () => {
    const { read } = server.ctx.db
    for (const sort of SORTS)
      for (const region of WHOLE_REGIONS) {
        const plans = await plansOf(read, () => regionPage(read, region, page(sort)))
        expect(plans.length).toBeGreaterThan(0)
        for (const plan of plans) expect(plan).toContain('INDEX activities_discover_')
      }
  })

  test('filters by period and parts of a region compare and count within an index, without sorting', async () => {
    const { read } = server.ctx.db
    for (const sort of SORTS)
      for (const region of [...WHOLE_REGIONS, { city: 'B' }, { district: 'C' }])
        for (const period of [{}, { from: 5 }, { to: 5 }, { from: 5, to: 6 }]) {
          const plans = await plansOf(read, () => filteredPage(read, { ...region, ...period }, page(sort)))
          // The rows themselves are read by their ids, and there are none.
          expect(plans).toHaveLength(2)
          for (const plan of plans) expect(plan).toContain('USING COVERING INDEX activities_discover_')
        }
  })

  test('searches read the activities of the region in the order of an index', async () => {
    const { read } = server.ctx.db
    for (const sort of SORTS)
      for (const region of [...WHOLE_REGIONS, { city: 'B' }, { province: 'A', district: 'C' }]) {
        const plans = await plansOf(read, () => searchPublic(read, { ...region, keyword: 'x' }, page(sort)))
        expect(plans.length).toBeGreaterThan(0)
        for (const plan of plans) expect(plan).toContain('INDEX activities_discover_')
      }
  })

  test('whether anything has passed is known from the first row of an index', async () => {
    const { read } = server.ctx.db
    expect(await plansOf(read, () => somePassed(read, 5))).toEqual([
      'SEARCH activities USING COVERING INDEX activities_discover_until (discover_until<?)',
    ])
  })
})
