/**
 * Upgrades a database to the schema of this executable. Migrations are append-only SQL files, embedded in the executable. Each runs
 * in a transaction of its own and is recorded with its SHA-256, so a killed process leaves the old schema or the new one.
 */

import { Database } from 'bun:sqlite'
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

import { type Migration, migrations as embedded } from '../../migrations/index.ts'
import { copyDatabase } from './copy.ts'
import { PRAGMAS } from './engine/sqlite.ts'
import { asStorageError, StorageError } from './errors.ts'
import {
  CREATE_TABLE,
  failed,
  type MigrateOptions,
  migratePostgres,
  type MigrateResult,
  NOTHING,
} from './migrate-postgres.ts'
import { type Applied, hashOf, pending } from './schema-state.ts'

export const databaseFile = (dataDir: string): string => join(dataDir, 'tessera.db')

export const LIST_APPLIED = 'SELECT name, sha256 FROM schema_migrations ORDER BY name'

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
    if (todo.length === 0) return NOTHING
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
    return { ...NOTHING, applied: todo.map(({ name }) => name), ...(backup === undefined ? {} : { backup }) }
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
    copyDatabase(db, temporary)
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
