import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { copyFileSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'

import { StorageError, storageError } from '#db/errors.ts'
import { databaseFile } from '#db/migrate.ts'
import { counters } from '#db/schema/index.ts'
import { StorageState } from '#db/storage-state.ts'
import type { Store } from '#db/store.ts'

import { race } from '../harness/race.ts'
import { memoryLog, onSqlite, rejection, withPlace, withStore } from './fresh.ts'

const insert = (store: Store, key: string): Promise<void> =>
  store.write('test', async (tx) => {
    await tx.insert(counters).values({ key, count: 0, windowStart: 0, expiresAt: 0 })
  })

describe('the log of an outage', () => {
  test('has one line when it begins, one for each report, and one when it has ended', () => {
    const log = memoryLog()
    const state = new StorageState(log)
    for (let i = 0; i < 500; i++) state.refused(storageError('full', 'the disk'))
    for (let i = 0; i < 500; i++) state.failed(storageError('full', 'the disk'))
    expect(log.lines).toEqual([
      {
        level: 'error',
        message: 'the storage fails',
        fields: { kind: 'full', reason: 'No space is left on the disk of the disk.', cause: undefined },
      },
    ])
    state.report()
    expect(log.lines[1]).toMatchObject({
      level: 'error',
      message: 'the storage still fails',
      fields: { failures: 999 },
    })
    state.report()
    expect(log.lines[2]).toMatchObject({ level: 'info', fields: { failures: 1000 } })
    expect(log.lines).toHaveLength(3)
    // The next outage is reported again.
    state.failed(storageError('full', 'the disk'))
    expect(log.lines).toHaveLength(4)
    state.stop()
    expect(state.refusedWrites).toEqual(new Map([['full', 500]]))
  })

  test('names each cause once, and counts a write and its request as one failure', () => {
    const log = memoryLog()
    const state = new StorageState(log)
    for (const kind of ['full', 'io', 'full', 'io'] as const) {
      const error = storageError(kind, 'x')
      state.refused(error)
      state.failed(error)
    }
    expect(log.lines.map(({ fields }) => fields['kind'])).toEqual(['full', 'io'])
    state.report()
    expect(log.lines.at(-1)?.fields['failures']).toBe(2)
    state.stop()
  })

  test('an error that is not of the storage causes no doubt', () => {
    const state = new StorageState(memoryLog())
    state.refused(new Error('a rule'))
    expect(state.inDoubt).toBe(false)
    expect(state.refusedWrites.size).toBe(0)
  })
})

describe('checkWritable', () => {
  test('writes nothing as long as no write was refused', async () => {
    await withStore(async (store, { raw }) => {
      await insert(store, 'a')
      await store.checkWritable()
      expect(await raw("SELECT 1 FROM server_state WHERE key = 'storage.probe'")).toEqual([])
    })
  })

  test('after a refused write it writes once for all callers, and rejects until that succeeds', async () => {
    const state = new StorageState(memoryLog())
    const trouble = storageError('readonly', 'x')
    let attempts = 0
    let works = false
    const write = (async () => {
      attempts++
      await Bun.sleep(1)
      if (!works) throw trouble
    }) as unknown as Store['write']
    await state.settle({ write })
    expect(attempts).toBe(0)
    state.refused(trouble)
    const outcomes = await Promise.allSettled([
      state.settle({ write }),
      state.settle({ write }),
      state.settle({ write }),
    ])
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
    expect(attempts).toBe(1)
    works = true
    await state.settle({ write })
    await state.settle({ write })
    expect(attempts).toBe(2)
    state.stop()
  })
})

if (onSqlite) {
  describe('a database file under a running server', () => {
    const FILES = ['', '-wal', '-shm']

    async function refusesWrites(store: Store, log: ReturnType<typeof memoryLog>): Promise<void> {
      expect(await rejection(store.checkWritable())).toMatchObject({ name: 'StorageError', kind: 'gone' })
      const outcomes = await race(20, (i) => rejection(insert(store, `after${i}`)))
      for (const error of outcomes) expect(error).toMatchObject({ name: 'StorageError', kind: 'gone' })
      expect(log.lines.filter(({ level }) => level === 'error')).toHaveLength(1)
    }

    test.each([
      ['the database and its log', FILES],
      ['the database only', ['']],
      ['the log only', ['-wal']],
    ] as const)('no write is confirmed once the server has noticed that %s was deleted', async (_, suffixes) => {
      await withPlace(async (place) => {
        const store = await place.open()
        await insert(store, 'before')
        for (const suffix of suffixes) rmSync(databaseFile(place.dataDir) + suffix)
        await refusesWrites(store, place.log)
        await store.close()
      })
    })

    test('writes are soon refused after it was deleted, although nothing asks for its health', async () => {
      await withPlace(async (place) => {
        const store = await place.open()
        await insert(store, 'before')
        for (const suffix of FILES) rmSync(databaseFile(place.dataDir) + suffix)
        let refusal: unknown
        for (let i = 0; refusal === undefined; i++)
          refusal = await insert(store, `after${i}`).then(
            () => undefined,
            (error: unknown) => error,
          )
        expect(refusal).toMatchObject({ name: 'StorageError', kind: 'gone' })
        await store.close()
      })
    })

    test('no write is confirmed once the server has noticed that it was replaced, and the new files are not touched', async () => {
      await withPlace(async (place) => {
        const store = await place.open()
        await insert(store, 'before')
        const file = databaseFile(place.dataDir)
        // A copy with a log of its own, as a running program or a crash leaves it.
        for (const suffix of FILES) copyFileSync(file + suffix, `${file}.copy${suffix}`)
        const copies = FILES.map((suffix) => readFileSync(`${file}.copy${suffix}`))
        for (const suffix of FILES) renameSync(`${file}.copy${suffix}`, file + suffix)
        await refusesWrites(store, place.log)
        await store.close()
        expect(FILES.map((suffix) => readFileSync(file + suffix))).toEqual(copies)
        const again = await place.open()
        expect(await again.read.select({ key: counters.key }).from(counters)).toEqual([{ key: 'before' }])
        await insert(again, 'after')
      })
    })

    test('writes succeed again when the file is moved back', async () => {
      await withPlace(async (place) => {
        const store = await place.open()
        await insert(store, 'before')
        const file = databaseFile(place.dataDir)
        renameSync(file, `${file}.away`)
        await refusesWrites(store, place.log)
        expect(existsSync(file)).toBe(false)
        renameSync(`${file}.away`, file)
        await store.checkWritable()
        await insert(store, 'after')
        expect(await place.raw("SELECT count(*) FROM counters WHERE key IN ('before', 'after')")).toEqual([[2]])
      })
    })
  })

  test('reads of a damaged table fail with a StorageError, and nothing fails outside of them', async () => {
    await withPlace(async (place) => {
      const first = await place.open()
      await race(50, (i) => insert(first, `${i} ${'x'.repeat(1000)}`))
      await first.close()
      const file = databaseFile(place.dataDir)
      const db = new Database(file, { readonly: true })
      const [[root]] = db.query("SELECT rootpage FROM sqlite_schema WHERE name = 'counters'").values() as [[number]]
      const [[pageSize]] = db.query('PRAGMA page_size').values() as [[number]]
      db.close()
      const bytes = readFileSync(file)
      bytes.fill(0xee, (root - 1) * pageSize, root * pageSize)
      writeFileSync(file, bytes)

      const uncaught: unknown[] = []
      const note = (error: unknown): void => void uncaught.push(error)
      process.on('uncaughtException', note)
      try {
        const store = await place.open()
        for (let i = 0; i < 20; i++) {
          const error = await rejection(Promise.resolve(store.read.select().from(counters)))
          expect(error).toBeInstanceOf(StorageError)
          expect(error).toMatchObject({ kind: 'corrupt' })
          // The transaction of the reads ends in a turn of its own.
          await new Promise<void>((next) => setImmediate(next))
        }
      } finally {
        process.off('uncaughtException', note)
      }
      expect(uncaught).toEqual([])
    })
  })
}
