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

/** Everything that a migration can create: tables, columns, indexes and constraints. */
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
    // The message is one sentence.
    expect(refused.message).toMatch(/^[^\n]+\.$/)
    return refused
  }
  throw new Error('the migration was not refused')
}

const extra: Migration = {
  name: '9000_extra',
  sql: 'CREATE TABLE extra (a integer);\nCREATE INDEX extra_a ON extra (a);',
}
const applied = (place: Place) => place.raw('SELECT name FROM schema_migrations ORDER BY name')

describe('migrate', () => {
  test('migrating step by step gives the same schema as migrating all at once', async () => {
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

  test('users without a nickname get one, and other nicknames stay', async () => {
    await withPlace(async (place) => {
      const before = all.findIndex(({ name }) => name.endsWith('notices_nicknames'))
      await run(place, all.slice(0, before))
      await place.raw(
        "INSERT INTO users (id, nickname, created_at, updated_at) VALUES (7, '', 1, 1), (8, 'Lin', 1, 1), (9, '0', 1, 1)",
      )
      await run(place)
      const rows = await place.raw('SELECT id, nickname FROM users ORDER BY id')
      expect(rows.map((row) => [Number(row[0]), row[1]])).toEqual([
        [7, 'User7'],
        [8, 'Lin'],
        [9, '0'],
      ])
    })
  })

  test('a second migrate of the same database applies nothing', async () => {
    await withPlace(async (place) => {
      expect((await run(place)).applied).toEqual(all.map(({ name }) => name))
      expect((await run(place)).applied).toEqual([])
    })
  })

  test('a database with migrations of a newer version is refused and left unchanged', async () => {
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

  test('a database is refused and left unchanged if an applied migration was altered', async () => {
    await withPlace(async (place) => {
      await run(place)
      const altered = all.map((migration, i) =>
        i === 0 ? { ...migration, sql: `${migration.sql}\n-- a comment` } : migration,
      )
      const refused = await refusal(place, [...altered, extra])
      expect(refused).toMatchObject({
        kind: 'schema',
        message: expect.stringMatching(new RegExp(`${all[0]!.name} .*: use the version that created`)),
      })
      expect(await applied(place)).toEqual(all.map(({ name }) => [name]))
    })
  })

  test('a migration that fails half-way leaves nothing behind', async () => {
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
      // A corrected version can be applied afterwards.
      expect((await run(place, [...all, extra])).applied).toEqual(['9000_extra'])
    })
  })
})

if (onSqlite) {
  test('a SQLite database is backed up before it is migrated, unless it is new or up to date', async () => {
    await withPlace(async (place) => {
      const folder = join(place.dataDir, 'backups')
      expect(await run(place)).not.toHaveProperty('backup')
      await run(place)
      expect(existsSync(folder)).toBe(false)
      await place.raw("INSERT INTO counters (key, count, window_start, expires_at) VALUES ('kept', 7, 0, 0)")
      const { backup } = await run(place, [...all, extra])
      expect(readdirSync(folder).map((name) => join(folder, name))).toEqual([backup!])
      await withPlace(async (other) => {
        await Bun.write(join(other.dataDir, 'tessera.db'), Bun.file(backup!))
        expect(await other.raw('SELECT key, count FROM counters')).toEqual([['kept', 7]])
        expect(await applied(other)).toEqual(all.map(({ name }) => [name]))
      })
    })
  })

  test('a migration that would leave dangling references is rolled back', async () => {
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
  ] as const)(
    'opening a file that is not a database is refused in one sentence (content %p)',
    async (content, kind, words) => {
      await withPlace(async (place) => {
        if (content === '') {
          const missing = { ...place, dataDir: join(place.dataDir, 'missing') }
          expect(await refusal(missing)).toMatchObject({ kind, message: expect.stringContaining(words) })
          return
        }
        await Bun.write(join(place.dataDir, 'tessera.db'), content.repeat(500))
        expect(await refusal(place)).toMatchObject({ kind, message: expect.stringContaining(words) })
      })
    },
  )
}

/** Starts a process that applies one more migration, see migrate-slowly.ts. Resolves when it is about to begin. */
async function startMigration(place: Place, kind: 'endless' | 'slow'): Promise<Bun.Subprocess> {
  const script = resolve(import.meta.dir, 'migrate-slowly.ts')
  const child = Bun.spawn([process.execPath, script, kind, place.dataDir, place.databaseUrl], {
    env: { ...process.env, TESSERA_DATABASE_URL: place.databaseUrl },
    stdout: 'pipe',
    stderr: 'inherit',
  })
  await child.stdout.getReader().read()
  return child
}

/** The endless migration has inserted its rows and runs its last statement, which does not end. */
async function isInTheMiddle(place: Place): Promise<boolean> {
  // 30,000 rows do not fit into SQLite's cache, so that some of them are written to the log before the commit.
  if (onSqlite) return Bun.file(join(place.dataDir, 'tessera.db-wal')).size > 1_000_000
  const [[sleeping]] = (await place.raw(
    "SELECT count(*)::int FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'",
  )) as [[number]]
  return sleeping > 0
}

async function kill(place: Place, child: Bun.Subprocess): Promise<void> {
  child.kill('SIGKILL')
  await child.exited
  if (onSqlite) return
  // PostgreSQL ends the running statement before it notices that its client is gone.
  const backends = "FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'tessera'"
  await place.raw(`SELECT pg_terminate_backend(pid) ${backends}`)
  while ((await place.raw(`SELECT pid ${backends}`)).length > 0) await Bun.sleep(5)
}

describe('a process that is killed while it migrates', () => {
  test('leaves the old schema and all rows if it is killed in the middle of a migration', async () => {
    await withPlace(async (place) => {
      await run(place)
      await place.raw("INSERT INTO counters (key, count, window_start, expires_at) VALUES ('kept', 7, 0, 0)")
      const before = await schemaOf(place)
      const child = await startMigration(place, 'endless')
      while (!(await isInTheMiddle(place))) {
        expect(child.exitCode).toBeNull()
        await Bun.sleep(5)
      }
      await kill(place, child)
      expect(await schemaOf(place)).toEqual(before)
      if (onSqlite) expect(await place.raw('PRAGMA integrity_check')).toEqual([['ok']])
      expect(await place.raw("SELECT count FROM counters WHERE key = 'kept'")).toEqual([[onSqlite ? 7 : '7']])
      expect((await run(place, [...all, extra])).applied).toEqual(['9000_extra'])
    })
  })

  test('leaves either the old schema or the new one, whenever it is killed', async () => {
    await withPlace(async (place) => {
      await run(place)
      await place.raw("INSERT INTO counters (key, count, window_start, expires_at) VALUES ('kept', 7, 0, 0)")
      const before = await schemaOf(place)
      // A little later each time, until a migration comes to its end. Any delay may hit any moment of it.
      for (let delay = 5, i = 0; i < 12; delay = Math.ceil(delay * 1.7), i++) {
        const child = await startMigration(place, 'slow')
        await Bun.sleep(delay)
        await kill(place, child)
        if (onSqlite) expect(await place.raw('PRAGMA integrity_check')).toEqual([['ok']])
        if ((await applied(place)).flat().includes('9000_slow')) {
          const [[rows]] = (await place.raw('SELECT count(*) FROM slow')) as [[number | string]]
          expect(Number(rows)).toBe(30_000)
          break
        }
        expect(await schemaOf(place)).toEqual(before)
      }
      expect(await place.raw("SELECT count FROM counters WHERE key = 'kept'")).toEqual([[onSqlite ? 7 : '7']])
    })
  })
})

test('the migrations create exactly the schema in src/db/schema', async () => {
  const script = resolve(import.meta.dir, '../../scripts/migrate-new.ts')
  const child = Bun.spawn([process.execPath, script, '--check'], { stdout: 'ignore', stderr: 'pipe' })
  const stderr = await new Response(child.stderr).text()
  expect([await child.exited, stderr]).toEqual([0, ''])
})

test('the migration to known devices trusts sessions, and keeps devices of login records as removed', async () => {
  await withPlace(async (place) => {
    const at = all.findIndex(({ name }) => name.endsWith('operation_log_known_devices'))
    await run(place, all.slice(0, at))
    const insert = async (table: string, values: Record<string, string | number>) => {
      const list = Object.values(values).map((value) => (typeof value === 'string' ? `'${value}'` : value))
      await place.raw(`INSERT INTO ${table} (${Object.keys(values).join(', ')}) VALUES (${list.join(', ')})`)
    }
    for (const id of [1, 2]) await insert('users', { id, nickname: `user ${id}`, created_at: 1, updated_at: 1 })
    const session = (user_id: number, device_key: string, login_type: string) =>
      insert('sessions', {
        user_id,
        device_key,
        login_type,
        expired_at: 90,
        last_active_at: 20,
        rotated_at: 10,
        created_at: 10,
      })
    await session(1, 'phone', 'login')
    await session(1, 'opened by a session', 'register_device')
    const record = (user_id: number, device_key: string, status: string, created_at: number) =>
      insert('login_records', { user_id, device_key, status, login_type: 'login', created_at })
    await record(1, 'phone', 'success', 5)
    await record(1, 'invented', 'success', 6)
    await record(2, 'old', 'success', 7)
    await record(2, 'old', 'success', 8)
    await record(2, 'attacker', 'failed', 9)
    await record(0, 'nobody', 'success', 9)
    await run(place)
    const rows = await place.raw(
      'SELECT user_id, device_key, first_seen_at, last_seen_at, removed_at FROM known_devices ORDER BY 1, 2',
    )
    expect(rows.map((row) => row.map((value) => (/^\d+$/.test(String(value)) ? Number(value) : value)))).toEqual([
      [1, 'invented', 6, 6, 6],
      [1, 'phone', 10, 20, null],
      [2, 'old', 7, 8, 8],
    ])
  })
})

test('the migration to counts of files counts those that exist, and unfinished uploads', async () => {
  await withPlace(async (place) => {
    const at = all.findIndex(({ name }) => name.endsWith('file_counts'))
    await run(place, all.slice(0, at))
    const insert = (table: string, columns: string, ...rows: readonly string[]) =>
      place.raw(`INSERT INTO ${table} (${columns}) VALUES ${rows.map((row) => `(${row})`).join(', ')}`)
    await insert('users', 'id, nickname, created_at, updated_at', "1, 'ann', 1, 1", "2, 'ben', 1, 1")
    await insert('blobs', 'id, sha256, key, size, refs, created_at', "1, 'a', 'a', 5, 4, 1")
    const file = (uploader: number, org: number) => `${uploader}, ${org}, 'asset', 'a', 'text/plain', 5, 1, 1`
    const columns = 'uploader_id, org_id, type, name, mime, size, blob_id, created_at'
    await insert('files', columns, file(1, 0), file(1, 0), file(1, 9), file(2, 9))
    const upload = (id: string, org: number, size: number, fileId: string) =>
      `'${id}', 1, ${org}, 'asset', 'a', ${size}, 1, 99, ${fileId}`
    await insert(
      'file_uploads',
      'id, user_id, org_id, type, name, size, created_at, expires_at, file_id',
      upload('open', 0, 5, 'NULL'),
      upload('open for the organization', 9, 5, 'NULL'),
      upload('expired', 0, 0, 'NULL'),
      upload('finished', 0, 5, '1'),
    )
    await insert('storage_usage', 'user_id, org_id, bytes', '1, 0, 15', '0, 9, 15', '2, 0, 0')
    await run(place)
    const rows = await place.raw('SELECT user_id, org_id, bytes, files FROM storage_usage ORDER BY 1, 2')
    expect(rows.map((row) => row.map(Number))).toEqual([
      [0, 9, 15, 3],
      [1, 0, 15, 3],
      [2, 0, 0, 0],
    ])
  })
})
