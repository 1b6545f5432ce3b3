import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { join } from 'node:path'

import { sqliteThread } from '#db/engine/sqlite-thread.ts'
import { openSqlite } from '#db/engine/sqlite.ts'
import { databaseFile } from '#db/migrate.ts'
import { counters } from '#db/schema/index.ts'

import { race } from '../harness/race.ts'
import { onSqlite, rejection, withPlace, withStore } from './fresh.ts'

if (onSqlite) {
  test('a copy made while the store writes is whole and sound', async () => {
    await withStore(async (store, place) => {
      const file = databaseFile(place.dataDir)
      const thread = sqliteThread(file)
      const copy = join(place.dataDir, 'copy.db')
      const pair = (i: number) =>
        store.write('test', async (tx) => {
          await tx.insert(counters).values({ key: `a ${i}`, count: 1, windowStart: 0, expiresAt: 0 })
          await tx.insert(counters).values({ key: `b ${i}`, count: 1, windowStart: 0, expiresAt: 0 })
        })
      await race(200, pair)
      const writing = (async () => {
        for (let i = 200; i < 400; i++) await pair(i)
      })()
      await thread.backupTo(copy)
      await writing
      expect(await thread.integrityCheck()).toEqual([])
      await thread.close()
      const db = new Database(copy, { readonly: true })
      const [[rows]] = db.query('SELECT count(*) FROM counters').values() as [[number]]
      db.close()
      expect(rows).toBeGreaterThanOrEqual(400)
      expect(rows % 2).toBe(0)
    })
  })

  test('what is wrong with a file is said; a missing file and a place that cannot be written reject', async () => {
    await withStore(async (store, place) => {
      await race(300, (i) =>
        store.write('test', async (tx) =>
          tx.insert(counters).values({ key: `key ${i} ${'x'.repeat(300)}`, count: 1, windowStart: 0, expiresAt: 0 }),
        ),
      )
      const copy = join(place.dataDir, 'copy.db')
      const thread = sqliteThread(databaseFile(place.dataDir))
      await thread.backupTo(copy)
      expect(await rejection(thread.backupTo(join(place.dataDir, 'no', 'copy.db')))).toMatchObject({
        kind: 'unopenable',
      })
      await thread.close()
      const bytes = await Bun.file(copy).bytes()
      // The middle of the file, away from the header and the schema.
      bytes.fill(0x5a, bytes.length >> 1, (bytes.length >> 1) + 8192)
      await Bun.write(copy, bytes)
      const damaged = sqliteThread(copy)
      const problems = await damaged.integrityCheck()
      expect(problems.length).toBeGreaterThan(0)
      await damaged.close()
      const missing = sqliteThread(join(place.dataDir, 'missing.db'))
      expect(await rejection(missing.integrityCheck())).toMatchObject({ name: 'StorageError', kind: 'unopenable' })
      await missing.close()
    })
  })

  test('the log does not grow without end under steady writing, and nothing of it is lost', async () => {
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
      // 6,000 rows of more than 2 KB (row and index) are 14 MB at least; 800 pages are 3.3 MB.
      expect(longest).toBeLessThan(8 * 1024 * 1024)
      expect(longest).toBeGreaterThan(0)
      expect(log.lines.filter(({ message }) => message.includes('could not be copied'))).toEqual([])
      expect(await raw('PRAGMA integrity_check')).toEqual([['ok']])
      expect(await raw('SELECT count(*) FROM counters')).toEqual([[ROUNDS * 100]])
    })
  }, 60_000)
} else {
  test('there is no thread for SQLite in a run on PostgreSQL', async () => {
    await withStore(async (_, place) => {
      expect(await Bun.file(databaseFile(place.dataDir)).exists()).toBe(false)
    })
  })
}
