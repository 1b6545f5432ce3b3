/** The plans of SQLite for discovery: which index answers each order and each filter, and that no query reads other rows. */

import { describe, expect, test } from 'bun:test'

import type { Db } from '#db/store.ts'
import { filteredPage, regionPage, searchPublic, somePassed } from '#domains/activities/discovery/discovery.store.ts'

import { plansOf } from '../db/plans.ts'
import { inProcess, useServer } from '../harness/index.ts'

const SORTS = ['startTime', '-startTime', 'createdAt', '-createdAt'] as const
/** Given from the largest part on: paged lists. */
const WHOLE_REGIONS = [
  {},
  { province: 'A' },
  { province: 'A', city: 'B' },
  { province: 'A', city: 'B', district: 'C' },
] as const
/** The lines of plans of `run` about activities, without those about joined tables. */
const linesOf = async (db: Db, run: () => unknown): Promise<string[]> =>
  (await plansOf(db, run)).flatMap(({ plan }) => plan).filter((line) => / activities |TEMP B-TREE/.test(line))

const page = (sort: (typeof SORTS)[number]) => ({ page: 1, size: 20, sort })

describe.if(inProcess && !process.env['TEST_DATABASE_URL'])('plans of SQLite', () => {
  const { server } = useServer({ noAdmin: true })

  test('every order of a region is read in the order of an index that has discovered activities only', async () => {
    const { read } = server.ctx.db
    for (const sort of SORTS)
      for (const region of WHOLE_REGIONS) {
        const plans = await linesOf(read, () => regionPage(read, region, page(sort)))
        expect(plans.length).toBeGreaterThan(0)
        for (const plan of plans) expect(plan).toContain('INDEX activities_discover_')
      }
  })

  test('filters by period and parts of a region compare and count within an index, without sorting', async () => {
    const { read } = server.ctx.db
    for (const sort of SORTS)
      for (const region of [...WHOLE_REGIONS, { city: 'B' }, { district: 'C' }])
        for (const period of [{}, { from: 5 }, { to: 5 }, { from: 5, to: 6 }]) {
          const plans = await linesOf(read, () => filteredPage(read, { ...region, ...period }, page(sort)))
          // The rows themselves are read by their ids, and there are none.
          expect(plans).toHaveLength(2)
          for (const plan of plans) expect(plan).toContain('USING COVERING INDEX activities_discover_')
        }
  })

  test('searches read the activities of the region in the order of an index', async () => {
    const { read } = server.ctx.db
    for (const sort of SORTS)
      for (const region of [...WHOLE_REGIONS, { city: 'B' }, { province: 'A', district: 'C' }]) {
        const plans = await linesOf(read, () => searchPublic(read, { ...region, keyword: 'x' }, page(sort)))
        expect(plans.length).toBeGreaterThan(0)
        for (const plan of plans) expect(plan).toContain('INDEX activities_discover_')
      }
  })

  test('whether anything has passed is known from the first row of an index', async () => {
    const { read } = server.ctx.db
    expect(await linesOf(read, () => somePassed(read, 5))).toEqual([
      'SEARCH activities USING COVERING INDEX activities_discover_until (discover_until<?)',
    ])
  })
})
