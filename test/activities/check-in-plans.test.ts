/** The plans of SQLite for the records of check-ins, on a server of its own: explaining a statement keeps its snapshot open. */

import { beforeAll, describe, expect, test } from 'bun:test'

import { recordsBefore, recordsPage, searchRecords } from '#domains/activities/check-ins/check-ins.store.ts'

import { plansOf } from '../db/plans.ts'
import { inProcess, ok, useServer } from '../harness/index.ts'
import { addMany, openActivity, recordsOf } from './check-in-helpers.ts'

describe.if(inProcess && !process.env['TEST_DATABASE_URL'])('plans of SQLite', () => {
  const { server, alice, bob, carol } = useServer({ people: ['alice', 'bob', 'carol'], noAdmin: true })
  const N = 3000
  let activity: { id: number }

  beforeAll(async () => {
    activity = await openActivity(server, alice)
    await addMany(server, activity, N, [bob, carol])
  })

  const plansOfCheckIns = (run: () => unknown) => plansOf(server.ctx.db.read, run, 'from "check_ins"')

  /** Lines of the plans that neither look check-ins up by an index of the activity, nor a user or a registration by the id. */
  async function badPlansOf(run: () => unknown): Promise<string[]> {
    const plans = await plansOfCheckIns(run)
    expect(plans.length).toBeGreaterThan(0)
    const isGood = (line: string) =>
      /^SEARCH check_ins USING (COVERING )?INDEX check_ins_(activity|user) \(activity_id=\?/.test(line) ||
      /^SEARCH (users|registrations) USING INTEGER PRIMARY KEY/.test(line) ||
      /^(CO-ROUTINE|MATERIALIZE|SCAN) found$/.test(line)
    return plans.flatMap(({ sql, plan }) => plan.filter((line) => !isGood(line)).map((line) => `${line} ← ${sql}`))
  }

  test('all pages, searches and exports are read in the order of an index of the activity', async () => {
    const { read } = server.ctx.db
    for (const userId of [null, bob.id]) {
      const records = { activityId: activity.id, userId }
      for (const page of [1, 10, 70])
        expect(await badPlansOf(() => recordsPage(read, records, { page, size: 20 }))).toEqual([])
      for (const filters of [
        { method: 'QR' },
        { from: 1, to: 2 ** 45 },
        { keyword: 'x' },
        { keyword: 'x', from: 1 },
      ] as const)
        expect(await badPlansOf(() => searchRecords(read, records, { page: 2, size: 20, ...filters }))).toEqual([])
      for (const before of [undefined, { checkedInAt: 2 ** 45, id: 7 }])
        expect(await badPlansOf(() => recordsBefore(read, records, { keyword: 'x' }, before, 250))).toEqual([])
    }
  })

  test('a search within a period reads the rows of the period only', async () => {
    const { read } = server.ctx.db
    const records = { activityId: activity.id, userId: null }
    const all = ok(await recordsOf(alice, activity, { size: 100 })).data.items
    const period = { from: all[50]!.checkedInAt, to: all[0]!.checkedInAt }
    const page = { page: 1, size: 20, method: 'QR' } as const
    const [short, long] = [
      await plansOfCheckIns(() => searchRecords(read, records, { ...page, ...period })),
      await plansOfCheckIns(() => searchRecords(read, records, page)),
    ]
    expect(short.length).toBeLessThanOrEqual(3)
    // Quick slices double, from 250 rows on.
    expect(long.length).toBeGreaterThan(2 * Math.log2(N / 250))
  })
})
