import { expect, test } from 'bun:test'

import { openSqlite } from '#db/engine/sqlite.ts'
import { databaseFile } from '#db/migrate.ts'
import { counters } from '#db/schema/index.ts'

import { race } from '../harness/race.ts'
import { onSqlite, withPlace, withStore } from './fresh.ts'

if (onSqlite) {
  test("SQLite's write-ahead log stays short under steady writing, and no row is lost", async () => {
    await withPlace(async ({ dataDir, clock, log, open, raw }) => {
      await (await open()).close()
      const file = databaseFile(dataDir)
      const store = openSqlite({ file, clock, log, logPages: { checkpoint: 100, restart: 800, fallback: 100_000 } })
      const text = 'x'.repeat(1000)
      const ROUNDS = 60
      let longest = 0
      for (let round = 0; round < ROUNDS; round++) {
        await race(100, (i) =>
          store.write('test', async (tx) => {
            await tx
              .insert(counters)
              .values({ key: `${round} ${i} ${text}`, count: round, windowStart: 0, expiresAt: 0 })
          }),
        )
        longest = Math.max(longest, Bun.file(`${file}-wal`).size)
      }
      await store.close()
      // 6,000 rows of more than 2 KB (row and index) are at least 14 MB; 800 pages are 3.3 MB.
      expect(longest).toBeLessThan(8 * 1024 * 1024)
      expect(longest).toBeGreaterThan(0)
      expect(log.lines.filter(({ message }) => message === 'WAL checkpoint failed')).toEqual([])
      expect(await raw('PRAGMA integrity_check')).toEqual([['ok']])
      expect(await raw('SELECT count(*) FROM counters')).toEqual([[ROUNDS * 100]])
    })
  }, 60_000)
} else {
  test('a store on PostgreSQL creates no SQLite file', async () => {
    await withStore(async (_, place) => {
      expect(await Bun.file(databaseFile(place.dataDir)).exists()).toBe(false)
    })
  })
}
