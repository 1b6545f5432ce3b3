/** Database work of the commands backup, restore, migrate and doctor, with or without a running server. SQLite functions block. */

import { Database } from 'bun:sqlite'
import { rmSync } from 'node:fs'
import { dirname } from 'node:path'

import { escapeControlCharacters } from '#lib/text.ts'
import { type NewRestoreNote, RESTORE_NOTE, type RestoreNote } from '#platform/backup/restore-note.ts'
import { systemClock } from '#platform/clock.ts'
import { refuseReplaced } from '#platform/lock.ts'
import { version } from '#platform/version.ts'

import { migrations as embedded } from '../../migrations/index.ts'
import { copyDatabase, NOT_BACKED_UP } from './copy.ts'
import { connectPostgres, placeOf } from './engine/pg-connection.ts'
import { HAS_REPLAYED, type Position, Unusable } from './engine/pg-replica.ts'
import { RESTORED_AT, STAMP_MARK } from './engine/stamps.ts'
import { asStorageError, StorageError, storageError } from './errors.ts'
import { INSTALLATION } from './installation.ts'
import { readApplied } from './migrate-postgres.ts'
import { databaseFile, LIST_APPLIED } from './migrate.ts'
import { currentReplica } from './replica.ts'
import { type Applied, type SchemaState, stateOf } from './schema-state.ts'

export { databaseFile }
export { placeOf } from './engine/pg-connection.ts'
export { StorageError } from './errors.ts'

/** Number of rows by table name. */
export type RowCounts = Record<string, number>

function openFile(file: string): Database {
  refuseReplaced(dirname(file))
  // Not read-only: after a crash SQLite must recover the write-ahead log first, which writes.
  const db = new Database(file, { create: false, readwrite: true })
  db.run('PRAGMA busy_timeout = 5000')
  return db
}

function withFile<T>(file: string, work: (db: Database) => T): T {
  try {
    const db = openFile(file)
    try {
      return work(db)
    } finally {
      db.close()
    }
  } catch (error) {
    throw asStorageError(error, file)
  }
}

/** Copies the SQLite database to `target`, as `copyDatabase` does. */
export function copySqlite(file: string, target: string): void {
  withFile(file, (db) => copyDatabase(db, target))
}

/**
 * Reads every page and index, and checks all foreign keys.
 * @throws StorageError of kind `corrupt`
 */
export function checkSqlite(file: string): void {
  withFile(file, (db) => {
    const [problem] = db.query('PRAGMA integrity_check(1)').values().flat()
    if (problem !== 'ok') throw storageError('corrupt', file, new Error(String(problem)))
    if (db.query('PRAGMA foreign_key_check').all().length > 0)
      throw storageError('corrupt', file, new Error('dangling references'))
  })
}

export const countSqlite = (file: string): RowCounts =>
  withFile(file, (db) => {
    const names = db
      .query("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name")
      .values()
    return Object.fromEntries(
      names.map(([name]) => [name, db.query(`SELECT count(*) FROM "${String(name)}"`).values()[0]![0] as number]),
    )
  })

/** @throws StorageError of kind `schema` if the database was created by a newer or different version */
export const sqliteSchema = (file: string): SchemaState =>
  withFile(file, (db) => {
    const known = db.query("SELECT 1 FROM sqlite_schema WHERE name = 'schema_migrations'").get() !== null
    return stateOf(embedded.sqlite, known ? (db.query(LIST_APPLIED).all() as Applied[]) : [], file, version)
  })

/** How a SQLite database with these migrations compares with this version. */
export function compareSchema(applied: readonly Applied[]): 'SAME' | 'OLDER' | 'NEWER' {
  try {
    return stateOf(embedded.sqlite, applied, '', version).pending.length > 0 ? 'OLDER' : 'SAME'
  } catch (error) {
    if (error instanceof StorageError && error.kind === 'schema') return 'NEWER'
    throw error
  }
}

const READ_MARK = `SELECT value FROM server_state WHERE key = '${STAMP_MARK}'`
const markOf = (rows: unknown[][]): number | undefined => (rows.length === 0 ? undefined : Number(rows[0]![0]))

/** The stamp mark (engine/stamps.ts); undefined in a database without one. */
export const stampMarkSqlite = (file: string): number | undefined =>
  withFile(file, (db) => {
    const known = db.query("SELECT 1 FROM sqlite_schema WHERE name = 'server_state'").get() !== null
    return known ? markOf(db.query(READ_MARK).values()) : undefined
  })

export const stampMarkPostgres = (databaseUrl: string): Promise<number | undefined> =>
  withServer(databaseUrl, async (sql) => {
    const [row] = (await sql`SELECT to_regclass('server_state') IS NOT NULL AS known`) as { known: boolean }[]
    return row!.known ? markOf((await sql.unsafe(READ_MARK).values()) as unknown[][]) : undefined
  })

const READ_SETTING = 'SELECT value FROM settings WHERE key ='
const settingOf = (rows: unknown[][]): unknown => (rows.length === 0 ? undefined : JSON.parse(String(rows[0]![0])))

/** The stored value of a business setting; undefined if it has its default. */
export const settingSqlite = (file: string, key: string): unknown =>
  withFile(file, (db) => {
    const known = db.query("SELECT 1 FROM sqlite_schema WHERE name = 'settings'").get() !== null
    return known ? settingOf(db.query(`${READ_SETTING} ?`).values(key)) : undefined
  })

export const settingPostgres = (databaseUrl: string, key: string): Promise<unknown> =>
  withServer(databaseUrl, async (sql) => {
    const [row] = (await sql`SELECT to_regclass('settings') IS NOT NULL AS known`) as { known: boolean }[]
    return row!.known ? settingOf((await sql.unsafe(`${READ_SETTING} $1`, [key]).values()) as unknown[][]) : undefined
  })

/**
 * The time of the restore. Devices that synchronize may have newer rows and stamps than the backup, so they must pull everything again. An
 * upsert, because a restore that was interrupted is repeated.
 */
const NOTE_RESTORE = (now: number): string =>
  `INSERT INTO server_state (key, value) VALUES ('${RESTORED_AT}', '${now}')
    ON CONFLICT (key) DO UPDATE SET value = excluded.value`

/** The restored database is a copy. The files that are restored with it have no id, those in a bucket have that of the original. */
const FORGET_INSTALLATION = `DELETE FROM server_state WHERE key = '${INSTALLATION}'`

/**
 * Ends all sessions of a restored database. The version of access tokens becomes the time, which is above every earlier one: a number
 * that the replaced data had already given out would make tokens of that time valid again.
 */
const END_SESSIONS = (now: number): readonly string[] => [
  "UPDATE sessions SET status = 'REVOKED' WHERE status = 'ACTIVE'",
  `UPDATE users SET token_version = ${now}`,
]

/** A copy must not write to real systems until somebody says so, and what waited is old. By the table that a database must have for it. */
const END_WEBHOOKS: Readonly<Record<string, readonly string[]>> = {
  webhooks: [
    "UPDATE webhooks SET enabled = FALSE, disabled_reason = 'OWNER' WHERE enabled",
    'UPDATE webhooks SET pending = 0, due_at = NULL',
    "DELETE FROM webhook_deliveries WHERE status = 'PENDING'",
    'DELETE FROM webhook_scans',
  ],
  webhook_outbox: ['DELETE FROM webhook_outbox'],
}
const TABLES_OF_WEBHOOKS = Object.keys(END_WEBHOOKS)

/** `tables`: those of `TABLES_OF_WEBHOOKS` that the database has. Databases of older versions have fewer. */
const afterRestore = (now: number, keepSessions: boolean, tables: readonly string[]): readonly string[] => [
  NOTE_RESTORE(now),
  FORGET_INSTALLATION,
  ...(keepSessions ? [] : END_SESSIONS(now)),
  ...tables.flatMap((table) => END_WEBHOOKS[table]!),
]

/** Changes a restored database as its users need it. */
export const finishRestoreSqlite = (file: string, keepSessions: boolean, note?: NewRestoreNote): void =>
  withFile(file, (db) => {
    db.transaction(() => {
      const isThere = db.query('SELECT 1 FROM sqlite_schema WHERE name = ?')
      const tables = TABLES_OF_WEBHOOKS.filter((table) => isThere.get(table) !== null)
      for (const statement of afterRestore(systemClock.now(), keepSessions, tables)) db.run(statement)
      if (note !== undefined) leaveNote(db, note)
    })()
  })

/** The same for data that a restore has put aside and that comes back with its own files. No log is left beside the database. */
export const finishUndoSqlite = (file: string, keepSessions: boolean, note: NewRestoreNote): void =>
  withFile(file, (db) => {
    const now = systemClock.now()
    db.transaction(() => {
      for (const statement of [NOTE_RESTORE(now), ...(keepSessions ? [] : END_SESSIONS(now))]) db.run(statement)
      leaveNote(db, note)
    })()
    db.run('PRAGMA wal_checkpoint(TRUNCATE)')
  })

function leaveNote(db: Database, note: NewRestoreNote): void {
  const left: RestoreNote = { ...note, logAfter: headOf(db).log ?? null, isLogged: false }
  db.run('INSERT OR REPLACE INTO server_state (key, value) VALUES (?, ?)', [RESTORE_NOTE, JSON.stringify(left)])
}

/** The same; may be called again. */
export const finishRestorePostgres = (databaseUrl: string, keepSessions: boolean): Promise<void> =>
  withServer(databaseUrl, (sql) =>
    sql.begin(async (tx) => {
      const tables: string[] = []
      for (const table of TABLES_OF_WEBHOOKS) {
        const [row] = (await tx`SELECT to_regclass(${table}) IS NOT NULL AS known`) as { known: boolean }[]
        if (row!.known) tables.push(table)
      }
      for (const statement of afterRestore(systemClock.now(), keepSessions, tables)) await tx.unsafe(statement)
    }),
  )

/** `since`: a position of the primary, which `databaseUrl`, a replica, must have reached. */
async function withServer<T>(databaseUrl: string, work: (sql: Bun.SQL) => Promise<T>, since?: Position): Promise<T> {
  const sql = connectPostgres(databaseUrl, 1)
  try {
    if (since !== undefined) await requireReplayed(sql, since)
    return await work(sql)
  } catch (error) {
    throw asStorageError(error, placeOf(databaseUrl))
  } finally {
    await sql.close()
  }
}

/** Asked again on the connection that reads, because an address can lead to several replicas. */
async function requireReplayed(sql: Bun.SQL, { identity, bytes }: Position): Promise<void> {
  const [row] = (await sql.unsafe(HAS_REPLAYED, [identity, String(bytes)]).values()) as [[boolean]]
  if (!row[0]) throw new Unusable('it is behind', false)
}

export const postgresSchema = (databaseUrl: string): Promise<SchemaState> =>
  withServer(databaseUrl, async (sql) =>
    stateOf(embedded.postgres, await readApplied(sql), placeOf(databaseUrl), version),
  )

/** The database that a configuration names. */
export interface Place {
  /** Empty: SQLite in the data directory. */
  readonly databaseUrl: string
  readonly dataDir: string
}

/** Runs a statement; its parameters are called `$1`, `$2`. PostgreSQL's driver returns bigint columns as strings. */
export type Query = (sql: string, parameters?: (string | number)[]) => Promise<Record<string, unknown>[]>

const queryOn =
  (sql: Bun.SQL): Query =>
  async (text, parameters) =>
    (await sql.unsafe(text, parameters)) as Record<string, unknown>[]

/** Opens the database for several queries. A server may be writing meanwhile. */
export async function withDatabase<T>({ databaseUrl, dataDir }: Place, work: (query: Query) => Promise<T>): Promise<T> {
  if (databaseUrl !== '') return withServer(databaseUrl, (sql) => work(queryOn(sql)))
  const file = databaseFile(dataDir)
  const db = openFile(file)
  try {
    return await work(async (text, parameters = []) => {
      try {
        return db.query(text).all(...parameters) as Record<string, unknown>[]
      } catch (error) {
        throw asStorageError(error, file)
      }
    })
  } finally {
    db.close()
  }
}

/** A place with a replica (replica.ts). */
export interface ReadPlace extends Place {
  readonly databaseReadUrl: string
}

/** `withDatabase` for reads of many rows: `query` runs at the replica, if there is one and it is up to date, and `primary` never does. */
export const withHeavyReads = <T>(place: ReadPlace, work: (query: Query, primary: Query) => Promise<T>): Promise<T> =>
  withDatabase(place, async (primary) => {
    const since = await currentReplica(place)
    if (since === undefined) return work(primary, primary)
    return withServer(place.databaseReadUrl, async (sql) => {
      const query: Query = async (text, parameters) => {
        const atReplica = async () => (await requireReplayed(sql, since), queryOn(sql)(text, parameters))
        return atReplica().catch(() => primary(text, parameters))
      }
      return work(query, primary)
    })
  })

async function countRows(sql: Bun.SQL): Promise<RowCounts> {
  const tables =
    (await sql`SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema() ORDER BY 1`) as {
      name: string
    }[]
  const counts: RowCounts = {}
  for (const { name } of tables) {
    const [row] = (await sql.unsafe(`SELECT count(*)::float8 AS n FROM "${name}"`)) as { n: number }[]
    counts[name] = row!.n
  }
  return counts
}

export const countPostgres = (databaseUrl: string): Promise<RowCounts> => withServer(databaseUrl, countRows)

/**
 * Dumps the PostgreSQL database into `target` with `pg_dump`, from its replica if that is up to date and does not fail. The counts and the head of the
 * log are from the same snapshot.
 */
export async function dumpPostgres(
  place: Omit<ReadPlace, 'dataDir'>,
  target: string,
  signal?: AbortSignal,
): Promise<{ tables: RowCounts; log?: LogHead }> {
  const since = await currentReplica(place)
  if (since !== undefined) {
    try {
      return await dumpFrom(place.databaseReadUrl, target, signal, since)
    } catch {
      // A replica ends long reads that delay its replay.
      signal?.throwIfAborted()
      rmSync(target, { force: true })
    }
  }
  return dumpFrom(place.databaseUrl, target, signal)
}

const dumpFrom = (
  databaseUrl: string,
  target: string,
  signal: AbortSignal | undefined,
  since?: Position,
): Promise<{ tables: RowCounts; log?: LogHead }> =>
  withServer(
    databaseUrl,
    (sql) =>
      sql.begin('ISOLATION LEVEL REPEATABLE READ READ ONLY', async (tx) => {
        const [row] = (await tx`SELECT pg_export_snapshot() AS snapshot`) as { snapshot: string }[]
        const tables = await countRows(tx)
        const log = 'admin_log_head' in tables ? logHeadOf((await tx.unsafe(READ_LOG_HEAD)) as StoredHead[]) : {}
        const left = NOT_BACKED_UP.filter((name) => name in tables)
        for (const name of left) tables[name] = 0
        const exclude = left.map((name) => `--exclude-table-data=${name}`)
        const options = ['--format=custom', `--snapshot=${row!.snapshot}`, `--file=${target}`, ...exclude]
        await runTool(databaseUrl, 'pg_dump', options, signal)
        return { tables, ...log }
      }),
    since,
  )

/** The newest row of the operation log. */
export interface LogHead {
  readonly id: number
  readonly hash: string
}

type StoredHead = { readonly id: number | string; readonly hash: string }
const READ_LOG_HEAD = 'SELECT row_id AS id, hash FROM admin_log_head WHERE row_id > 0'

const logHeadOf = ([head]: readonly StoredHead[]): { log?: LogHead } =>
  head === undefined ? {} : { log: { id: Number(head.id), hash: head.hash } }

/** Nothing if the log is empty, or the database is of a version without heads. */
export const logHeadSqlite = (file: string): { log?: LogHead } => withFile(file, headOf)

function headOf(db: Database): { log?: LogHead } {
  const known = db.query("SELECT 1 FROM sqlite_schema WHERE name = 'admin_log_head'").get() !== null
  return known ? logHeadOf(db.query(READ_LOG_HEAD).all() as StoredHead[]) : {}
}

/** Restores a dump into an empty database, in one transaction. */
export const loadPostgres = (databaseUrl: string, dump: string): Promise<void> =>
  runTool(databaseUrl, 'pg_restore', ['--single-transaction', '--exit-on-error', dump])

async function runTool(
  databaseUrl: string,
  name: 'pg_dump' | 'pg_restore',
  args: string[],
  signal?: AbortSignal,
): Promise<void> {
  const path = Bun.which(name)
  if (path === null)
    throw new StorageError(
      'unopenable',
      `${name} was not found: install PostgreSQL's client tools on this machine, in the server's version or newer.`,
    )
  // Arguments are visible to every user of the machine, so the password is passed in the environment.
  const url = new URL(databaseUrl)
  const password = decodeURIComponent(url.password)
  url.password = ''
  const child = Bun.spawn([path, '--no-owner', '--no-privileges', `--dbname=${url.href}`, ...args], {
    env: { PATH: '/usr/bin:/bin', LC_ALL: 'C', ...(password === '' ? {} : { PGPASSWORD: password }) },
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
    ...(signal && { signal }),
  })
  const stderr = await new Response(child.stderr).text()
  if ((await child.exited) !== 0) {
    const reason = escapeControlCharacters(stderr.trim().split('\n')[0] ?? '')
    throw new StorageError('io', `${name} failed: ${reason}`)
  }
}
