/**
 * Upgrades a database to the schema of this executable. Migrations are append-only SQL files, embedded in the executable. Each runs
 * in a transaction of its own and is recorded with its SHA-256, so a killed process leaves the old schema or the new one.
 */

import { Database } from 'bun:sqlite'
import { createHash } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statfsSync,
} from 'node:fs'
import { join } from 'node:path'

import type { Clock } from '#platform/clock.ts'
import { uuid } from '#platform/ids.ts'
import type { Log } from '#platform/log.ts'

import { type Migration, migrations as embedded } from '../../migrations/index.ts'
import { connectPostgres, LOCK_KEY, lockPostgres, placeOf } from './engine/pg-connection.ts'
import { PRAGMAS } from './engine/sqlite.ts'
import { asStorageError, StorageError } from './errors.ts'

export interface MigrateOptions {
  /** Empty: SQLite at `<dataDir>/tessera.db`. */
  databaseUrl: string
  dataDir: string
  clock: Clock
  log: Log
  /** On PostgreSQL: whether other processes may use the database at the same time. They must stop before a migration. */
  shared?: boolean
  /** Replaces the embedded migrations. For tests. */
  migrations?: readonly Migration[]
}

export interface MigrateResult {
  /** Names in order; empty if the schema was up to date. */
  applied: string[]
  /** Path of the copy made before the first migration. Only for SQLite databases that had a schema before. */
  backup?: string
}

/** A row of `schema_migrations`. */
export interface Applied {
  name: string
  sha256: string
}

export const databaseFile = (dataDir: string): string => join(dataDir, 'tessera.db')
const hashOf = ({ sql }: Migration): string => createHash('sha256').update(sql).digest('hex')

const CREATE_TABLE = `CREATE TABLE IF NOT EXISTS schema_migrations (
  name text PRIMARY KEY NOT NULL,
  sha256 text NOT NULL,
  applied_at bigint NOT NULL
)`
export const LIST_APPLIED = 'SELECT name, sha256 FROM schema_migrations ORDER BY name'

/**
 * Returns the migrations that have not been applied.
 * @throws StorageError of kind `schema` if an applied one is unknown or was changed
 */
export function pending(all: readonly Migration[], applied: readonly Applied[], where: string): Migration[] {
  for (const [i, { name, sha256 }] of applied.entries()) {
    const known = all[i]
    if (known === undefined || known.name !== name)
      throw new StorageError(
        'schema',
        `${where} was created by a newer or different version (migration ${name} is unknown): use that version, or restore an older backup.`,
      )
    if (hashOf(known) !== sha256)
      throw new StorageError(
        'schema',
        `Migration ${name} differs from the one that was applied to ${where}: use the version that created the database, or restore a backup that a released version has written.`,
      )
  }
  return all.slice(applied.length)
}

const failed = (name: string, where: string, error: unknown): StorageError =>
  new StorageError(
    'schema',
    `Migration ${name} failed on ${where} and was rolled back: ${error instanceof Error ? error.message : String(error)}.`,
    error,
  )

/** @throws StorageError with one sentence for the operator */
export function migrate(options: MigrateOptions): Promise<MigrateResult> {
  return options.databaseUrl === '' ? migrateSqlite(options) : migratePostgres(options)
}

async function migrateSqlite({
  dataDir,
  clock,
  log,
  migrations = embedded.sqlite,
}: MigrateOptions): Promise<MigrateResult> {
  const file = databaseFile(dataDir)
  let db: Database | undefined
  removeUnfinished(dataDir)
  try {
    db = new Database(file, { create: true, strict: true })
    // Off because migrations rebuild tables, and it cannot be switched inside a transaction. All keys are checked before each commit.
    db.run(`${PRAGMAS} PRAGMA foreign_keys = OFF;`)
    const known = db.query("SELECT 1 FROM sqlite_schema WHERE name = 'schema_migrations'").get() !== null
    const applied = known ? (db.query(LIST_APPLIED).all() as Applied[]) : []
    const todo = pending(migrations, applied, file)
    if (todo.length === 0) return { applied: [] }
    const backup = applied.length > 0 ? backupBefore(db, dataDir, todo[0]!.name, clock) : undefined
    for (const migration of todo) {
      try {
        applySqlite(db, file, migration, clock)
      } catch (error) {
        // The copy equals the database. A supervisor that starts the server again and again would fill the disk with such copies.
        if (backup !== undefined && migration === todo[0]) rmSync(backup)
        throw error
      }
      log.info('migration applied', { migration: migration.name })
    }
    return { applied: todo.map(({ name }) => name), ...(backup === undefined ? {} : { backup }) }
  } catch (error) {
    throw asStorageError(error, file)
  } finally {
    db?.close()
  }
}

function applySqlite(db: Database, file: string, migration: Migration, clock: Clock): void {
  db.run('BEGIN IMMEDIATE')
  try {
    db.run(CREATE_TABLE)
    db.run(migration.sql)
    const broken = db.query('PRAGMA foreign_key_check').all().length
    if (broken > 0) throw new Error(`${broken} rows would refer to rows that do not exist`)
    db.run('INSERT INTO schema_migrations VALUES (?, ?, ?)', [migration.name, hashOf(migration), clock.now()])
    db.run('COMMIT')
  } catch (error) {
    if (db.inTransaction) db.run('ROLLBACK')
    const trouble = asStorageError(error, file)
    throw trouble instanceof StorageError ? trouble : failed(migration.name, file, error)
  }
}

/** Files with this prefix are copies that are not complete. */
const UNFINISHED = '.before-'

/**
 * Copies the database to `backups/` and returns the path. The copy gets its name when it is complete and on disk: a killed process
 * leaves a hidden file, which the next start deletes.
 * @throws StorageError of kind `full` that says how much space is needed
 */
function backupBefore(db: Database, dataDir: string, name: string, clock: Clock): string {
  const folder = join(dataDir, 'backups')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const needed = sizeOf(db)
  const { bavail, bsize } = statfsSync(folder)
  if (bavail * bsize < needed) throw noRoom(folder, needed)
  const temporary = join(folder, `${UNFINISHED}${uuid()}.db`)
  try {
    db.run('VACUUM INTO ?', [temporary])
    sync(temporary)
    const time = new Date(clock.now()).toISOString().replace(/\D/g, '').slice(0, 14)
    let path = join(folder, `before-${name}-${time}.db`)
    for (let i = 2; existsSync(path); i++) path = join(folder, `before-${name}-${time}-${i}.db`)
    renameSync(temporary, path)
    sync(folder)
    return path
  } catch (error) {
    removeUnfinished(dataDir)
    throw (error as { code?: unknown }).code === 'SQLITE_FULL' ? noRoom(folder, needed, error) : error
  }
}

/** The caller has locked the data directory, so no other process writes such a copy. */
function removeUnfinished(dataDir: string): void {
  const folder = join(dataDir, 'backups')
  if (!existsSync(folder)) return
  for (const name of readdirSync(folder)) if (name.startsWith(UNFINISHED)) rmSync(join(folder, name), { force: true })
}

/** Bytes of a copy, which contains no free pages. */
function sizeOf(db: Database): number {
  const value = (pragma: string): number => Number(db.query(`PRAGMA ${pragma}`).values()[0]![0])
  return (value('page_count') - value('freelist_count')) * value('page_size')
}

const noRoom = (folder: string, bytes: number, cause?: unknown): StorageError =>
  new StorageError(
    'full',
    `The copy of the database that is made before a migration needs ${Math.ceil(bytes / 1e6)} MB in ${folder}: free some space and try again. The database is unchanged.`,
    cause,
  )

function sync(path: string): void {
  const fd = openSync(path, 'r')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

const outdated = (where: string): StorageError =>
  new StorageError(
    'busy',
    `${where} must be upgraded, which is not possible while processes of the earlier version use it: stop all of them.`,
  )

/** Processes that share a new database start together, and one of them migrates it: the others wait, in milliseconds. */
const WAIT_MS = 60_000

async function migratePostgres(options: MigrateOptions): Promise<MigrateResult> {
  const { databaseUrl, shared = false, migrations = embedded.postgres } = options
  const where = placeOf(databaseUrl)
  const sql = connectPostgres(databaseUrl, 1)
  const findPending = async () => {
    const [row] = (await sql`SELECT to_regclass('schema_migrations') IS NOT NULL AS known`) as { known: boolean }[]
    return pending(migrations, row!.known ? ((await sql.unsafe(LIST_APPLIED)) as Applied[]) : [], where)
  }
  const endsAt = performance.now() + WAIT_MS
  try {
    for (;;) {
      if (shared && (await findPending()).length === 0) return { applied: [] }
      try {
        // The same lock as the server's: the schema never changes while a server runs, and only one process migrates.
        const lock = await lockPostgres(databaseUrl)
        try {
          await sql.unsafe(CREATE_TABLE)
          return await applyPostgres(sql, await findPending(), where, options)
        } finally {
          await lock.release()
        }
      } catch (error) {
        const isBusy = error instanceof StorageError && error.kind === 'busy'
        if (!isBusy || !shared || performance.now() > endsAt) throw error
        const [row] = (await sql.unsafe(`SELECT pg_try_advisory_xact_lock_shared(${LOCK_KEY}) AS free`)) as {
          free: boolean
        }[]
        // No process migrates it, and still it is in use.
        if (row!.free && (await findPending()).length > 0) throw outdated(where)
      }
    }
  } catch (error) {
    throw asStorageError(error, where)
  } finally {
    await sql.close()
  }
}

async function applyPostgres(
  sql: Bun.SQL,
  todo: readonly Migration[],
  where: string,
  { clock, log }: MigrateOptions,
): Promise<MigrateResult> {
  for (const migration of todo) {
    try {
      await sql.begin(async (tx) => {
        await tx.unsafe(migration.sql)
        await tx.unsafe('INSERT INTO schema_migrations VALUES ($1, $2, $3)', [
          migration.name,
          hashOf(migration),
          clock.now(),
        ])
      })
    } catch (error) {
      const trouble = asStorageError(error, where)
      throw trouble instanceof StorageError ? trouble : failed(migration.name, where, error)
    }
    log.info('migration applied', { migration: migration.name })
  }
  return { applied: todo.map(({ name }) => name) }
}
