/** Limits that several processes count together in one database. */

import { expect, test } from 'bun:test'

import { TimedConnection } from '#db/engine/pg-connection.ts'
import { SharedCounters } from '#db/shared-counters.ts'
import type { Use } from '#platform/limiter.ts'

import { TestClock } from '../harness/clock.ts'
import { freshDatabase } from '../harness/database.ts'
import { race } from '../harness/race.ts'
import { onSqlite } from './fresh.ts'

const MINUTE = 60_000
const use = (key: string, limit: number, cost = 1): Use => ({ key, limit, windowMs: MINUTE, cost })

interface World {
  readonly counters: readonly SharedCounters[]
  readonly clock: TestClock
  readonly statements: string[]
  /** Rows of `counters`. */
  count(key: string): Promise<number | undefined>
}

/** Counters of as many processes, each with a connection of its own. */
async function withCounters(processes: number, run: (world: World) => Promise<void>): Promise<void> {
  const database = await freshDatabase()
  const connections = Array.from({ length: processes }, () => new TimedConnection(database.url, {}))
  const clock = new TestClock()
  const statements: string[] = []
  try {
    await run({
      counters: connections.map(
        (connection) =>
          new SharedCounters((sql, params) => {
            statements.push(sql)
            return connection.rows(sql, params)
          }, clock),
      ),
      clock,
      statements,
      async count(key) {
        const [row] = await connections[0]!.rows('SELECT count FROM counters WHERE key = $1', [key])
        return row && Number(row[0])
      },
    })
  } finally {
    for (const connection of connections) await connection.close()
    await database.drop()
  }
}

test.skipIf(onSqlite)('of 50 uses at once by three processes, exactly the limit is granted', async () => {
  await withCounters(3, async ({ counters, clock }) => {
    for (const limit of [1, 7, 49]) {
      const key = `race ${limit}`
      const refusals = await race(50, (i) => counters[i % 3]!.takeAll([use(key, limit)]))
      expect(refusals.filter((one) => one === undefined)).toHaveLength(limit)
      for (const one of counters) expect(await one.takeAll([use(key, limit)])).toMatchObject({ use: { key } })
      for (const one of counters) expect(one.spent(key)).toBeGreaterThan(0)
    }
    clock.advance(MINUTE)
    const again = await race(50, (i) => counters[i % 3]!.takeAll([use('race 7', 7)]))
    expect(again.filter((one) => one === undefined)).toHaveLength(7)
  })
})

test.skipIf(onSqlite)(
  'a use that costs nothing is refused after the limit, and any number of them takes nothing',
  async () => {
    await withCounters(2, async ({ counters, count }) => {
      await race(40, (i) => counters[i % 2]!.takeAll([use('code', 3, 0)]))
      expect(await count('code')).toBe(0)
      for (let i = 0; i < 3; i++) expect(await counters[i % 2]!.takeAll([use('code', 3)])).toBeUndefined()
      for (const one of counters) expect(await one.takeAll([use('code', 3, 0)])).toBeDefined()
    })
  },
)

test.skipIf(onSqlite)(
  'calls of one turn are one statement, and a refused call gives back what it took of its other limits',
  async () => {
    await withCounters(2, async ({ counters: [first, second], statements, count }) => {
      const wide = use('wide', 30)
      const refusals = await race(20, () => first!.takeAll([use('narrow', 5), wide]))
      expect(refusals.filter((one) => one === undefined)).toHaveLength(5)
      expect(refusals.find((one) => one !== undefined)?.use.key).toBe('narrow')
      // The second one gives back, and nobody waits for it.
      expect(statements.length).toBeLessThanOrEqual(2)
      await first!.takeAll([use('other', 1)])
      expect(await count('wide')).toBe(5)
      const neighbours = await race(30, () => second!.takeAll([wide]))
      expect(neighbours.filter((one) => one === undefined)).toHaveLength(25)
    })
  },
)

test.skipIf(onSqlite)('costs are granted in the order of the calls, as much as fits', async () => {
  await withCounters(1, async ({ counters: [only], count }) => {
    const costs = [4, 4, 3, 2, 1]
    const refusals = await Promise.all(costs.map((cost) => only!.takeAll([use('space', 10, cost)])))
    expect(refusals.map((one) => one === undefined)).toEqual([true, true, false, true, false])
    await only!.takeAll([use('other', 1)])
    expect(await count('space')).toBe(10)
  })
})

test.skipIf(onSqlite)('calls with more keys than one statement takes are all counted', async () => {
  await withCounters(1, async ({ counters: [only], statements }) => {
    const refusals = await race(600, (i) => only!.takeAll([use(`key ${i % 300}`, 1)]))
    expect(refusals.filter((one) => one === undefined)).toHaveLength(300)
    expect(statements.length).toBeGreaterThan(1)
  })
})

test.skipIf(onSqlite)('a call is not granted if the statement fails, and later ones are counted', async () => {
  const clock = new TestClock()
  let fails = true
  const counters = new SharedCounters(async () => {
    if (fails) throw new Error('away')
    return [['key', 1, 1, clock.now(), clock.now() + MINUTE]]
  }, clock)
  const failed = await Promise.allSettled([counters.takeAll([use('key', 1)]), counters.takeAll([use('key', 1)])])
  expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  fails = false
  expect(await counters.takeAll([use('key', 1)])).toBeUndefined()
})
