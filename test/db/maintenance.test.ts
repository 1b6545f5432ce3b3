import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { join, resolve } from 'node:path'

import { checkSqlite, copySqlite } from '#db/maintenance.ts'
import { databaseFile } from '#db/migrate.ts'
import { counters } from '#db/schema/index.ts'

import { race } from '../harness/race.ts'
import { onSqlite, withPlace, withStore } from './fresh.ts'

const counter = (key: string) => ({ key, count: 1, windowStart: 0, expiresAt: 0 })

if (onSqlite) {
  test('a copy of the database made while a server writes is complete and consistent', async () => {
    await withStore(async (store, place) => {
      const file = databaseFile(place.dataDir)
      const copy = join(place.dataDir, 'copy.db')
      const writePair = (i: number) =>
        store.write('test', async (tx) => {
          await tx.insert(counters).values(counter(`a ${i}`))
          await tx.insert(counters).values(counter(`b ${i}`))
        })
      await race(200, writePair)
      const child = Bun.spawn([process.execPath, resolve(import.meta.dir, 'copy-sqlite.ts'), file, copy], {
        stdio: ['ignore', 'inherit', 'inherit'],
      })
      for (let i = 200; child.exitCode === null; i++) await writePair(i)
      expect(child.exitCode).toBe(0)
      checkSqlite(copy)
      const db = new Database(copy, { readonly: true })
      const [[rows]] = db.query('SELECT count(*) FROM counters').values() as [[number]]
      db.close()
      expect(rows).toBeGreaterThanOrEqual(400)
      expect(rows % 2).toBe(0)
    })
  })

  test('checkSqlite finds a damaged page, and a missing file or folder is reported as unopenable', async () => {
    await withStore(async (store, place) => {
      await race(300, (i) =>
        store.write('test', async (tx) => tx.insert(counters).values(counter(`key ${i} ${'x'.repeat(300)}`))),
      )
      const file = databaseFile(place.dataDir)
      const copy = join(place.dataDir, 'copy.db')
      copySqlite(file, copy)
      checkSqlite(copy)
      expect(() => copySqlite(file, join(place.dataDir, 'no', 'copy.db'))).toThrow(
        expect.objectContaining({ name: 'StorageError', kind: 'unopenable' }),
      )
      const bytes = await Bun.file(copy).bytes()
      // The middle of the file, away from the header and the schema.
      bytes.fill(0x5a, bytes.length >> 1, (bytes.length >> 1) + 8192)
      await Bun.write(copy, bytes)
      expect(() => checkSqlite(copy)).toThrow(expect.objectContaining({ name: 'StorageError', kind: 'corrupt' }))
      expect(() => checkSqlite(join(place.dataDir, 'missing.db'))).toThrow(
        expect.objectContaining({ name: 'StorageError', kind: 'unopenable' }),
      )
    })
  })

  test('a start waits while another process has the database for itself, as after a crash', async () => {
    await withPlace(async (place) => {
      await (await place.open()).close()
      // The backup process of a killed server does this while it recovers the write-ahead log.
      const script = `
        const { Database } = require('bun:sqlite')
        const db = new Database(process.argv[1])
        db.run('PRAGMA locking_mode = EXCLUSIVE')
        db.run('BEGIN IMMEDIATE')
        console.log('locked')
        setTimeout(() => db.close(), 500)`
      const holder = Bun.spawn([process.execPath, '-e', script, databaseFile(place.dataDir)], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      await holder.stdout.getReader().read()
      expect(holder.exitCode).toBeNull()
      await place.open()
      expect(await holder.exited).toBe(0)
    })
  })
}
