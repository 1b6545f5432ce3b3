import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { SqliteStore } from '#db/engine/sqlite.ts'
import { databaseFile } from '#db/migrate.ts'
import { counters } from '#db/schema/index.ts'

import { race } from '../harness/race.ts'
import { onSqlite, withPlace, withStore } from './fresh.ts'

if (onSqlite) {
  test("SQLite's write-ahead log stays short under steady writing, and no row is lost", async () => {
    await withPlace(async ({ dataDir, clock, log, open, raw }) => {
      await (await open()).close()
      const file = databaseFile(dataDir)
      const store = new SqliteStore({
        file,
        clock,
        log,
        logPages: { checkpoint: 100, restart: 800, fallback: 100_000 },
      })
      const text = 'x'.repeat(1000)
      const ROUNDS = 120
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
      // 12,000 rows of more than 2 KB (row and index) are at least 28 MB; 800 pages are 3.3 MB, and a busy machine delays checkpoints.
      expect(longest).toBeLessThan(16 * 1024 * 1024)
      expect(longest).toBeGreaterThan(0)
      expect(log.lines.filter(({ message }) => message === 'WAL checkpoint failed')).toEqual([])
      expect(await raw('PRAGMA integrity_check')).toEqual([['ok']])
      expect(await raw('SELECT count(*) FROM counters')).toEqual([[ROUNDS * 100]])
    })
  })

  test('the log file is enlarged ahead with zeros, and after a power cut every write before them is there', async () => {
    await withStore(async (store, { dataDir }) => {
      const WRITES = 40
      const file = databaseFile(dataDir)
      /** Bytes of the log after each write. */
      const written: number[] = []
      for (let i = 0; i < WRITES; i++) {
        const row = { key: `row ${String(i).padStart(2, '0')}`, count: i, windowStart: 0, expiresAt: 0 }
        await store.write('test', async (tx) => tx.insert(counters).values(row))
        written.push(readFileSync(`${file}-wal`).findLastIndex((byte) => byte !== 0) + 1)
      }
      const log = readFileSync(`${file}-wal`)
      expect(log.length - written.at(-1)!).toBeGreaterThan(100_000)

      // After a power cut the disk may hold the log up to any byte, and zeros where the file was only enlarged.
      const cuts = written.slice(1).flatMap((end, i) => [written[i]!, Math.floor((written[i]! + end) / 2), end])
      for (const [n, cut] of cuts.entries()) {
        const folder = join(dataDir, `cut-${n}`)
        mkdirSync(folder)
        copyFileSync(file, databaseFile(folder))
        writeFileSync(`${databaseFile(folder)}-wal`, Buffer.from(log).fill(0, cut))
        const database = new Database(databaseFile(folder))
        const keys = database.query('SELECT key FROM counters ORDER BY key').values().flat()
        expect(database.query('PRAGMA integrity_check').values()).toEqual([['ok']])
        database.close()
        const complete = written.filter((end) => end <= cut).length
        expect(keys).toEqual(Array.from({ length: complete }, (_, i) => `row ${String(i).padStart(2, '0')}`))
      }
    })
  })
} else {
  test('a store on PostgreSQL creates no SQLite file', async () => {
    await withStore(async (_, place) => {
      expect(await Bun.file(databaseFile(place.dataDir)).exists()).toBe(false)
    })
  })
}
