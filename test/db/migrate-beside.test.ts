/** Migrations of a PostgreSQL database that processes of the version before use. */

import { describe, expect, test } from 'bun:test'

import { SQL } from 'bun'

import { migrate } from '#db/migrate.ts'
import { type Applied, hashOf, type Kind, kindOf, releaseOf, stateOf } from '#db/schema-state.ts'
import type { Store } from '#db/store.ts'

import { type Migration, migrations as embedded } from '../../migrations/index.ts'
import { until } from '../harness/until.ts'
import { onSqlite, type Place, rejection, withTwo } from './fresh.ts'

const all = embedded.postgres
const NEXT = '0.2.0'

const migration = (kind: Kind, name: string, sql: string, release = NEXT): Migration => ({
  name,
  sql: `-- ${kind} ${release}\n\n${sql}`,
})
const addColumn = migration('EXPAND', '9000_added', 'ALTER TABLE counters ADD COLUMN added text;')
const addIndex = migration(
  'EXPAND',
  '9001_added_indexes',
  'CREATE INDEX CONCURRENTLY "counters_added" ON "counters" ("added");',
)
const dropColumn = migration('CONTRACT', '9002_granted_contract', 'ALTER TABLE counters DROP COLUMN granted;')

const run = ({ databaseUrl, dataDir, clock, log }: Place, migrations: readonly Migration[], leavesContracts = false) =>
  migrate({ databaseUrl, dataDir, clock, log, shared: true, migrations, leavesContracts })

const names = async (place: Place) =>
  (await place.raw('SELECT name FROM schema_migrations ORDER BY name')).flat().slice(all.length)

const COUNT = `INSERT INTO counters (key, count, window_start, expires_at) VALUES ('a', 1, 0, 0)
  ON CONFLICT (key) DO UPDATE SET count = counters.count + 1`

/** A place with the schema of this version, and stores that share it, as older processes do. */
const withOlder = (use: (place: Place, older: readonly Store[]) => Promise<void>): Promise<void> =>
  withTwo((a, b, place) => use(place, [a, b]))

/** The row of a process in the list. It is seen as long as `seenForMs`, from now on. */
const addProcess = (place: Place, schema: string, seenForMs = 3_600_000) =>
  place.raw(`INSERT INTO processes (id, backend, report, started_at, seen_at) VALUES ('${schema}', 0,
    '{"version":"0.1.0","host":"here","schema":"${schema}"}', 0,
    (extract(epoch FROM clock_timestamp()) * 1000)::bigint + ${seenForMs})`)

/** A transaction of another program, which has begun when this returns. */
async function begin(place: Place, statement: string) {
  const sql = new SQL({ url: place.databaseUrl, max: 1 })
  await sql.unsafe('BEGIN')
  await sql.unsafe(statement)
  return {
    async end() {
      await sql.unsafe('COMMIT')
      await sql.close()
    },
  }
}

const waitsFor = async (place: Place, event: string) => {
  const rows = await place.raw(
    `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%${event}%' AND pid <> pg_backend_pid()`,
  )
  return rows.length > 0
}

describe('stateOf', () => {
  const rows = (list: readonly Migration[]): Applied[] =>
    list.map((one) => ({
      name: one.name,
      sha256: hashOf(one),
      kind: kindOf(one) ?? null,
      release: releaseOf(one) ?? null,
    }))
  const next = [...all, addColumn, dropColumn]
  test.each([
    ['of the next version before its upgrade', next, all, NEXT, ['pending', 'pending'], true],
    ['while a removal waits', next, [...all, addColumn], NEXT, ['applied', 'waiting'], true],
    ['after the removal', next, next, NEXT, ['applied', 'applied'], false],
    ['of a later version without migrations', next, next, '0.3.0', ['applied', 'applied'], true],
    ['of the older version, after additions', all, [...all, addColumn], '0.1.0', ['applied'], true],
    ['of the first version', all, all, '0.1.0', [], false],
  ] as const)('%s names the states, and whether one can go back', (_, known, applied, version, states, canGoBack) => {
    const state = stateOf(known, rows(applied), 'here', version)
    expect(state.migrations.slice(all.length).map((one) => one.state)).toEqual([...states])
    expect(state.canGoBack).toBe(canGoBack)
  })
})

describe.if(!onSqlite)('beside processes of the version before', () => {
  test('a migration that adds runs, one that removes waits until the last older process has ended', async () => {
    await withOlder(async (place) => {
      await addProcess(place, all.at(-1)!.name)
      const next = [...all, addColumn, dropColumn, addIndex]
      const first = await run(place, next)
      expect(first).toMatchObject({ applied: [addColumn.name, addIndex.name], waiting: [dropColumn.name] })
      expect(first.older).toMatchObject([{ version: '0.1.0', host: 'here' }])
      await place.raw(`DELETE FROM processes`)
      await addProcess(place, dropColumn.name)
      expect(await run(place, next, true)).toMatchObject({ applied: [], waiting: [dropColumn.name], older: [] })
      expect(await run(place, next)).toMatchObject({ applied: [dropColumn.name], waiting: [] })
      expect(await names(place)).toEqual([addColumn.name, addIndex.name, dropColumn.name])
    })
  })

  test('an older version starts after those that add, and is refused after one that removes', async () => {
    await withOlder(async (place) => {
      await run(place, [...all, addColumn])
      expect(await run(place, all)).toEqual({ applied: [], waiting: [], older: [] })
      await run(place, [...all, addColumn, dropColumn])
      expect(await rejection(run(place, all))).toMatchObject({
        kind: 'schema',
        message: expect.stringContaining(`${dropColumn.name} is unknown`),
      })
    })
  })

  test('an older version is refused if the additions are of two versions', async () => {
    await withOlder(async (place) => {
      const after = migration('EXPAND', '9100_more', 'CREATE TABLE more (a integer);', '0.3.0')
      await run(place, [...all, addColumn])
      await run(place, [...all, addColumn, after])
      expect(await rejection(run(place, all))).toMatchObject({ kind: 'schema' })
      expect(await run(place, [...all, addColumn])).toMatchObject({ applied: [] })
    })
  })

  test('a version that needs the additions of two, or a migration without a kind, waits for no process to be alive', async () => {
    await withOlder(async (place, older) => {
      const after = migration('EXPAND', '9100_more', 'CREATE TABLE more (a integer);', '0.3.0')
      const plain = { name: '9000_plain', sql: 'CREATE TABLE plain (a integer);' }
      for (const next of [
        [...all, addColumn, after],
        [...all, plain],
      ])
        expect(await rejection(run(place, next))).toMatchObject({
          kind: 'busy',
          message: expect.stringContaining('stop all of them'),
        })
      expect(await names(place)).toEqual([])
      for (const store of older) await store.close()
      expect((await run(place, [...all, addColumn, after])).applied).toEqual([addColumn.name, after.name])
    })
  })

  test('additions do not skip a removal of the version before that still waits', async () => {
    await withOlder(async (place) => {
      await addProcess(place, all.at(-1)!.name)
      const after = migration('EXPAND', '9100_more', 'CREATE TABLE more (a integer);', '0.3.0')
      expect((await run(place, [...all, addColumn, dropColumn])).waiting).toEqual([dropColumn.name])
      expect(await rejection(run(place, [...all, addColumn, dropColumn, after]))).toMatchObject({ kind: 'busy' })
      await place.raw('DELETE FROM processes')
      expect((await run(place, [...all, addColumn, dropColumn, after])).applied).toEqual([dropColumn.name, after.name])
    })
  })

  test('of many processes that start at once, one applies each migration', async () => {
    await withOlder(async (place) => {
      const next = [...all, addColumn, addIndex]
      const results = await Promise.all(Array.from({ length: 8 }, () => run(place, next)))
      expect(results.flatMap(({ applied }) => applied)).toEqual([addColumn.name, addIndex.name])
    })
  })

  test('a table in use is written to while its migration waits for a long transaction', async () => {
    await withOlder(async (place) => {
      // The lock of a SELECT keeps an ALTER TABLE off, and a waiting ALTER TABLE keeps all others off.
      const reading = await begin(place, 'SELECT 1 FROM counters')
      let isDone = false
      const migrating = run(place, [...all, addColumn]).finally(() => (isDone = true))
      for (let i = 0; i < 3; i++) {
        await until(() => waitsFor(place, 'ALTER TABLE'))
        await place.raw(COUNT)
        expect(isDone).toBe(false)
      }
      await reading.end()
      expect((await migrating).applied).toEqual([addColumn.name])
      expect(await place.raw("SELECT count, added FROM counters WHERE key = 'a'")).toEqual([['3', null]])
    })
  })

  test('a migration that keeps its locks too long is undone, and succeeds when processes are stopped', async () => {
    await withOlder(async (place, older) => {
      const slow = migration('EXPAND', '9000_slow', 'CREATE TABLE slow (a integer); SELECT pg_sleep(1.2);')
      const refused = await rejection(run(place, [...all, slow]))
      expect(refused).toMatchObject({ kind: 'busy', message: expect.stringContaining('longer than a second') })
      expect(await place.raw("SELECT to_regclass('slow')")).toEqual([[null]])
      for (const store of older) await store.close()
      expect((await run(place, [...all, slow])).applied).toEqual([slow.name])
    })
  })

  test('an index whose creation was interrupted is created again, and a complete one is kept', async () => {
    await withOlder(async (place) => {
      await run(place, [...all, addColumn])
      // The migration waits for the end of this transaction.
      const writing = await begin(place, COUNT)
      const next = [...all, addColumn, addIndex]
      const interrupted = run(place, next)
      interrupted.catch(() => undefined)
      await until(() => waitsFor(place, 'CREATE INDEX'))
      await place.raw(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE datname = current_database() AND query LIKE 'CREATE INDEX%' AND pid <> pg_backend_pid()`)
      await rejection(interrupted)
      const validity = () =>
        place.raw("SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass('counters_added')")
      await writing.end()
      expect(await validity()).toEqual([[false]])
      expect(await names(place)).toEqual([addColumn.name])
      expect((await run(place, next)).applied).toEqual([addIndex.name])
      expect(await validity()).toEqual([[true]])

      // Killed after the index was complete, and before that was recorded.
      const oid = await place.raw("SELECT 'counters_added'::regclass::oid")
      await place.raw(`DELETE FROM schema_migrations WHERE name = '${addIndex.name}'`)
      expect((await run(place, next)).applied).toEqual([addIndex.name])
      expect(await place.raw("SELECT 'counters_added'::regclass::oid")).toEqual(oid)
    })
  })

  test('a unique index that the rows violate leaves no index behind, which would refuse rows', async () => {
    await withOlder(async (place) => {
      await place.raw(
        "INSERT INTO counters (key, count, window_start, expires_at) VALUES ('a', 1, 0, 0), ('b', 1, 0, 0)",
      )
      const sql = 'CREATE UNIQUE INDEX CONCURRENTLY "counters_once" ON "counters" ("count");'
      expect(await rejection(run(place, [...all, migration('EXPAND', '9000_once', sql)]))).toMatchObject({
        kind: 'schema',
        message: expect.stringContaining('9000_once failed'),
      })
      expect(await place.raw("SELECT to_regclass('counters_once')")).toEqual([[null]])
    })
  })

  test('a migration of indexes contains no other statement', async () => {
    await withOlder(async (place) => {
      const mixed = migration('EXPAND', '9000_mixed', `${addColumn.sql}\n${addIndex.sql}`)
      expect(await rejection(run(place, [...all, mixed]))).toMatchObject({ kind: 'schema' })
    })
  })
})
