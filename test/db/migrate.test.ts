import { describe, expect, test } from 'bun:test'
import { existsSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'

import { dialect } from '#db/dialect.ts'
import { StorageError } from '#db/errors.ts'
import { migrate } from '#db/migrate.ts'

import { type Migration, migrations as embedded } from '../../migrations/index.ts'
import { onSqlite, type Place, withPlace } from './fresh.ts'

const all = embedded[dialect]

const run = ({ databaseUrl, dataDir, clock, log }: Place, migrations?: readonly Migration[]) =>
  migrate({ databaseUrl, dataDir, clock, log, ...(migrations ? { migrations } : {}) })

/** Everything that a migration can make, in words. */
async function schemaOf(place: Place): Promise<unknown> {
  if (onSqlite)
    return place.raw(
      "SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' ORDER BY type, name",
    )
  return {
    columns: await place.raw(
      "SELECT table_name, column_name, data_type, is_nullable, column_default, is_identity FROM information_schema.columns WHERE table_schema = 'public' ORDER BY 1, 2",
    ),
    indexes: await place.raw(
      "SELECT tablename, indexname, indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1, 2",
    ),
    constraints: await place.raw(
      "SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint WHERE connamespace = 'public'::regnamespace ORDER BY 1, 2",
    ),
  }
}

async function refusal(place: Place, migrations?: readonly Migration[]): Promise<StorageError> {
  try {
    await run(place, migrations)
  } catch (error) {
    expect(error).toBeInstanceOf(StorageError)
    const refused = error as StorageError
    // One clear sentence.
    expect(refused.message).toMatch(/^[^\n]+\.$/)
    return refused
  }
  throw new Error('it was not refused')
}

const extra: Migration = {
  name: '9000_extra',
  sql: 'CREATE TABLE extra (a integer);\nCREATE INDEX extra_a ON extra (a);',
}
const applied = (place: Place) => place.raw('SELECT name FROM schema_migrations ORDER BY name')

describe('migrations', () => {
  test('give the same schema step by step as all at once', async () => {
    await withPlace(async (fresh) => {
      await run(fresh, [...all, extra])
      await withPlace(async (upgraded) => {
        for (let i = 1; i <= all.length; i++) await run(upgraded, all.slice(0, i))
        await run(upgraded, [...all, extra])
        expect(await schemaOf(upgraded)).toEqual(await schemaOf(fresh))
        expect(await applied(upgraded)).toEqual(await applied(fresh))
      })
    })
  })

  test('are applied once', async () => {
    await withPlace(async (place) => {
      expect((await run(place)).applied).toEqual(all.map(({ name }) => name))
      expect(await run(place)).toEqual({ applied: [] })
    })
  })

  test('of a newer version are refused, and nothing is changed', async () => {
    await withPlace(async (place) => {
      await run(place, [...all, extra])
      const before = await schemaOf(place)
      expect(await refusal(place)).toMatchObject({
        kind: 'schema',
        message: expect.stringContaining('newer or different'),
      })
      expect(await schemaOf(place)).toEqual(before)
    })
  })

  test('that were altered after they ran are refused, and nothing is changed', async () => {
    await withPlace(async (place) => {
      await run(place)
      const altered = all.map((migration, i) =>
        i === 0 ? { ...migration, sql: `${migration.sql}\n-- a comment` } : migration,
      )
      const refused = await refusal(place, [...altered, extra])
      expect(refused).toMatchObject({ kind: 'schema', message: expect.stringContaining(all[0]!.name) })
      expect(await applied(place)).toEqual(all.map(({ name }) => [name]))
    })
  })

  test('that fail half-way leave nothing of themselves', async () => {
    await withPlace(async (place) => {
      await run(place)
      const before = await schemaOf(place)
      const broken = {
        name: '9000_broken',
        sql: 'CREATE TABLE half (a integer);\nINSERT INTO no_such_table VALUES (1);',
      }
      const refused = await refusal(place, [...all, broken])
      expect(refused).toMatchObject({ kind: 'schema', message: expect.stringContaining('9000_broken failed') })
      expect(await schemaOf(place)).toEqual(before)
      // And do not stand in the way of a right one.
      expect((await run(place, [...all, extra])).applied).toEqual(['9000_extra'])
    })
  })
})

if (onSqlite) {
  test('a database with data is copied before anything changes; a new one and one that is up to date are not', async () => {
    await withPlace(async (place) => {
      const folder = join(place.dataDir, 'backups')
      expect(await run(place)).not.toHaveProperty('backup')
      await run(place)
      expect(existsSync(folder)).toBe(false)
      await place.raw("INSERT INTO counters VALUES ('kept', 7, 0, 0)")
      const { backup } = await run(place, [...all, extra])
      expect(readdirSync(folder).map((name) => join(folder, name))).toEqual([backup!])
      await withPlace(async (other) => {
        await Bun.write(join(other.dataDir, 'tessera.db'), Bun.file(backup!))
        expect(await other.raw('SELECT key, count FROM counters')).toEqual([['kept', 7]])
        expect(await applied(other)).toEqual(all.map(({ name }) => [name]))
      })
    })
  })

  test('a migration that would leave rows pointing nowhere is undone', async () => {
    await withPlace(async (place) => {
      await run(place)
      await place.raw("INSERT INTO users (id, nickname, created_at, updated_at) VALUES (1, 'a', 1, 1)")
      await place.raw("INSERT INTO identities (user_id, provider, credential, created_at) VALUES (1, 'EMAIL', 'a', 1)")
      const refused = await refusal(place, [...all, { name: '9000_orphans', sql: 'DELETE FROM users;' }])
      expect(refused.message).toContain('rows that do not exist')
      expect(await place.raw('SELECT count(*) FROM users')).toEqual([[1]])
    })
  })

  test.each([
    ['not a database', 'corrupt', 'damaged'],
    ['', 'unopenable', 'cannot be opened'],
  ] as const)('a file that is no database is refused in one sentence (%p)', async (content, kind, words) => {
    await withPlace(async (place) => {
      if (content === '') {
        const missing = { ...place, dataDir: join(place.dataDir, 'missing') }
        expect(await refusal(missing)).toMatchObject({ kind, message: expect.stringContaining(words) })
        return
      }
      await Bun.write(join(place.dataDir, 'tessera.db'), content.repeat(500))
      expect(await refusal(place)).toMatchObject({ kind, message: expect.stringContaining(words) })
    })
  })
}

test('a process killed in the middle of a migration leaves the old schema or the new one', async () => {
  await withPlace(async (place) => {
    await run(place)
    await place.raw("INSERT INTO counters VALUES ('kept', 7, 0, 0)")
    const old = await schemaOf(place)
    const script = resolve(import.meta.dir, 'migrate-slowly.ts')
    let killed = 0
    let delay = 5
    for (let i = 0; i < 12; i++) {
      const child = Bun.spawn([process.execPath, script, place.dataDir, place.databaseUrl], {
        env: { ...process.env, TESSERA_DATABASE_URL: place.databaseUrl },
        stdout: 'pipe',
        stderr: 'inherit',
      })
      // It says when it begins; from then on it is killed a little later each time, until it gets to the end.
      const reader = child.stdout.getReader()
      await reader.read()
      await Bun.sleep(delay)
      child.kill('SIGKILL')
      await child.exited
      delay = Math.ceil(delay * 1.7)
      const names = (await applied(place)).flat()
      const now = await schemaOf(place)
      if (names.includes('9000_slow')) {
        const [[rows]] = (await place.raw('SELECT count(*) FROM slow')) as [[number | string]]
        expect(Number(rows)).toBe(30_000)
        break
      }
      killed++
      expect(now).toEqual(old)
      if (onSqlite) expect(await place.raw('PRAGMA integrity_check')).toEqual([['ok']])
    }
    expect(killed).toBeGreaterThan(0)
    expect(await place.raw("SELECT count FROM counters WHERE key = 'kept'")).toEqual([[onSqlite ? 7 : '7']])
  })
}, 120_000)

test('the migrations make what the schema files say', async () => {
  const script = resolve(import.meta.dir, '../../scripts/migrate-new.ts')
  const child = Bun.spawn([process.execPath, script, '--check'], { stdout: 'ignore', stderr: 'pipe' })
  const said = await new Response(child.stderr).text()
  expect([await child.exited, said]).toEqual([0, ''])
}, 60_000)
