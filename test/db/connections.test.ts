/** A process opens no more connections to PostgreSQL than it may, works with the fewest, and does not start if the server has fewer. */

import { afterEach, beforeEach, describe, expect, test } from 'bun:test'

import { sql } from 'drizzle-orm'

import { joinProcesses } from '#db/processes.ts'
import { counters } from '#db/schema/index.ts'

import { until } from '../harness/index.ts'
import { Installation } from '../ops/cli.ts'
import { onSqlite, withStore } from './fresh.ts'
import { counter } from './sharing.ts'

const OURS = `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'tessera'`

if (!onSqlite)
  describe('connections to PostgreSQL', () => {
    test.each([
      ['alone', 5],
      ['alone', 25],
      ['shared', 9],
      ['shared', 12],
      ['shared', 25],
    ] as const)(
      'are used up to the limit, by a process that uses its database %s and may have %i',
      async (mode, most) => {
        await withStore(async (first, place) => {
          await first.close()
          const shared = mode === 'shared'
          const count = async () => Number((await place.raw(OURS))[0]![0])
          await until(async () => (await count()) === 0)
          const store = await place.open({ shared, databaseConnections: most })
          const { databaseUrl, clock, log } = place
          const signingKey = new Uint8Array(32)
          const member = shared ? await joinProcesses({ databaseUrl, signingKey, clock, log }) : undefined
          const slow = sql<number>`(SELECT 1 FROM pg_sleep(0.05))`
          const reads = Array.from({ length: 150 }, () => store.read.select({ slow }).from(sql`(VALUES (1)) AS one`))
          const searches = Array.from({ length: 30 }, (_, user) =>
            store.search(user, async (db) => db.select({ slow }).from(sql`(VALUES (1)) AS one`)),
          )
          const writes = Array.from({ length: 100 }, (_, n) =>
            store.write('test', async (tx) => {
              await tx.select({ slow }).from(sql`(VALUES (1)) AS one`)
              await tx.insert(counters).values(counter(`k${n}`))
            }),
          )
          let isDone = false
          const done = Promise.all([...reads, ...searches, ...writes]).finally(() => (isDone = true))
          let highest = 0
          while (!isDone) highest = Math.max(highest, await count())
          await done
          expect(await store.read.select({ n: sql<number>`count(*)::int` }).from(counters)).toEqual([{ n: 100 }])
          expect(highest).toBeLessThanOrEqual(most)
          // Connections are opened as they are needed, and this load needs them.
          expect(highest).toBeGreaterThan(most - 3)
          await member?.leave()
        })
      },
    )

    describe('at the start', () => {
      let place: Installation
      beforeEach(async () => {
        place = await Installation.make()
      })
      afterEach(() => place.dispose())

      test('are counted, and too few of them are one sentence and exit code 6', async () => {
        const { databaseUrl } = place
        const name = new URL(databaseUrl).pathname.slice(1)
        const admin = new Bun.SQL({ url: databaseUrl, max: 1 })
        const limit = (most: number) => admin.unsafe(`ALTER DATABASE "${name}" CONNECTION LIMIT ${most}`)
        try {
          await limit(8)
          const { code, stderr } = await place.run(['serve'])
          expect([code, stderr]).toEqual([
            6,
            expect.stringContaining('free connections, and this process may open 25:'),
          ])
          expect(stderr.trim().split('\n')).toHaveLength(1)
          // One is that of this test.
          const server = await place.serve([], { env: { TESSERA_DATABASE_CONNECTIONS: '7' } })
          expect(await server.end()).toBe(0)
          await limit(-1)
        } finally {
          await admin.close()
        }
      })
    })
  })
