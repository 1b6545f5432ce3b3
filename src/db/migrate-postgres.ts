/**
 * Upgrades a PostgreSQL database, alone or beside processes that use it (docs/adr/0025-several-processes.md). Beside them, no lock that stops
 * their statements is waited for or held longer than a second.
 */

import { topic } from '#platform/bus.ts'
import type { Clock } from '#platform/clock.ts'
import type { Log } from '#platform/log.ts'

import { type Migration, migrations as embedded } from '../../migrations/index.ts'
import { INSERT_EVENTS } from './engine/pg-bus.ts'
import { connectPostgres, LOCK_KEY, lockPostgres, placeOf } from './engine/pg-connection.ts'
import {
  asStorageError,
  isLockTimeout,
  isSerializationFailure,
  isStatementTimeout,
  isUniqueViolation,
  StorageError,
} from './errors.ts'
import { type ListedProcess, listProcesses } from './process-list.ts'
import { type Applied, canRunBeside, hashOf, kindOf, pending, releaseOf } from './schema-state.ts'

export interface MigrateOptions {
  /** Empty: SQLite at `<dataDir>/tessera.db`. */
  databaseUrl: string
  dataDir: string
  clock: Clock
  log: Log
  /** On PostgreSQL: whether other processes may use the database at the same time. */
  shared?: boolean
  /** Leave migrations that remove something while the database is in use, even if no older process uses it. */
  leavesContracts?: boolean
  /** Replaces the embedded migrations. For tests. */
  migrations?: readonly Migration[]
}

export interface MigrateResult {
  /** Names in order; empty if the schema was up to date. */
  readonly applied: readonly string[]
  /** Names of migrations that remove something, and wait until no older process is alive. */
  readonly waiting: readonly string[]
  /** The processes for which they wait. */
  readonly older: readonly ListedProcess[]
  /** Path of the copy made before the first migration. Only for SQLite databases that had a schema before. */
  readonly backup?: string
}

export const NOTHING: MigrateResult = { applied: [], waiting: [], older: [] }

/** A migration has removed something: older processes must end. */
export const CONTRACTED = topic<null>('schema.contracted')

export const CREATE_TABLE = `CREATE TABLE IF NOT EXISTS schema_migrations (
  name text PRIMARY KEY NOT NULL,
  sha256 text NOT NULL,
  applied_at bigint NOT NULL
)`
/** Versions without rolling upgrades have created the table without these columns. A dump that runs would hold a needless ALTER up. */
const ADD_COLUMNS = `DO $$ BEGIN
  IF NOT EXISTS (SELECT FROM pg_attribute WHERE attrelid = 'schema_migrations'::regclass AND attname = 'kind') THEN
    ALTER TABLE schema_migrations ADD COLUMN kind text, ADD COLUMN release text;
  END IF;
END $$`
const LIST_APPLIED = `SELECT name, sha256, to_json(list)->>'kind' AS kind, to_json(list)->>'release' AS release
  FROM schema_migrations AS list ORDER BY name`
const RECORD = 'INSERT INTO schema_migrations (name, sha256, applied_at, kind, release) VALUES ($1, $2, $3, $4, $5)'

export async function readApplied(sql: Bun.SQL): Promise<Applied[]> {
  const [row] = (await sql`SELECT to_regclass('schema_migrations') IS NOT NULL AS known`) as { known: boolean }[]
  return row!.known ? ((await sql.unsafe(LIST_APPLIED)) as Applied[]) : []
}

export const failed = (name: string, where: string, error: unknown): StorageError =>
  new StorageError(
    'schema',
    `Migration ${name} failed on ${where} and was rolled back: ${error instanceof Error ? error.message : String(error)}.`,
    error,
  )

const outdated = (where: string): StorageError =>
  new StorageError(
    'busy',
    `${where} must be upgraded, which is not possible while processes of the earlier version use it: stop all of them.`,
  )

const tooBusy = (name: string, where: string, error: unknown): StorageError =>
  new StorageError(
    'busy',
    `Migration ${name} needs a lock on ${where} for longer than a second: try again when less is written, or stop all processes and then start one.`,
    error,
  )

/** Processes that share a new database start together, and one of them migrates it: the others wait, in milliseconds. */
const WAIT_MS = 60_000

/** "Tmig" in ASCII. Beside running processes, the one that holds this advisory lock migrates. */
const MIGRATE_LOCK = 0x54_6d_69_67
const POLL_MS = 200

/** Statements that stop others wait this long for their lock, because those behind them wait too, */
const LOCK_MS = 500
/** and their transaction ends after this time. */
const HOLD_MS = 1000
/** Attempts until it is given up because the locks are not free, with pauses up to `HOLD_MS` in which others get on, */
const LOCK_ATTEMPTS = 60
/** or because it keeps them too long. */
const HOLD_ATTEMPTS = 5

export async function migratePostgres(options: MigrateOptions): Promise<MigrateResult> {
  const { databaseUrl, shared = false, migrations = embedded.postgres } = options
  const where = placeOf(databaseUrl)
  const sql = connectPostgres(databaseUrl, 1)
  const findTodo = async () => pending(migrations, await readApplied(sql), where)
  const isFree = async (mode: '' | '_shared') => {
    const [row] = await sql.unsafe(`SELECT pg_try_advisory_xact_lock${mode}(${LOCK_KEY}) AS free`)
    return (row as { free: boolean }).free
  }
  const endsAt = performance.now() + WAIT_MS
  try {
    for (;;) {
      const todo = shared ? await findTodo() : undefined
      if (todo?.length === 0) return NOTHING
      if (todo !== undefined && canRunBeside(todo) && (await isFree('_shared')) && !(await isFree('')))
        return await migrateBeside(sql, findTodo, where, options)
      try {
        // The same lock as the server's: the schema never changes while a server runs, and only one process migrates.
        const lock = await lockPostgres(databaseUrl)
        try {
          await sql.unsafe(`${CREATE_TABLE}; ${ADD_COLUMNS}`)
          const missing = await findTodo()
          for (const migration of missing) await apply(sql, migration, where, options)
          return { ...NOTHING, applied: missing.map(({ name }) => name) }
        } finally {
          await lock.release()
        }
      } catch (error) {
        const isBusy = error instanceof StorageError && error.kind === 'busy'
        if (!isBusy || !shared || performance.now() > endsAt) throw error
        // No process migrates it, and still it is in use.
        if ((await isFree('_shared')) && !canRunBeside(await findTodo())) throw outdated(where)
      }
    }
  } catch (error) {
    throw asStorageError(error, where)
  } finally {
    await sql.close()
  }
}

/** Waits while another process migrates, however long an index takes. */
async function takeTurn(sql: Bun.SQL, log: Log): Promise<void> {
  for (let nth = 0; ; nth++) {
    // A statement that waits would have a snapshot, for whose end the other process waits when it creates an index.
    const [row] = await sql.unsafe(`SELECT pg_try_advisory_lock(${MIGRATE_LOCK}, 0) AS held`)
    if ((row as { held: boolean }).held) return
    if (nth === 0) log.info('another process migrates the database: waiting')
    await Bun.sleep(POLL_MS)
  }
}

async function migrateBeside(
  sql: Bun.SQL,
  findTodo: () => Promise<readonly Migration[]>,
  where: string,
  options: MigrateOptions,
): Promise<MigrateResult> {
  const { databaseUrl, log, leavesContracts = false } = options
  // Keeps processes off that use the database alone.
  const lock = await lockPostgres(databaseUrl, 'shared')
  const canceller = connectPostgres(databaseUrl, 1)
  try {
    await takeTurn(sql, log)
    await sql.unsafe(ADD_COLUMNS)
    const applied: string[] = []
    const waiting: Migration[] = []
    let older: readonly ListedProcess[] = []
    for (const migration of await findTodo()) {
      if (kindOf(migration) === 'CONTRACT') {
        older = await olderThan(sql, migration.name)
        if (older.length > 0 || leavesContracts) {
          waiting.push(migration)
          continue
        }
      } else if (waiting.some((earlier) => releaseOf(earlier) !== releaseOf(migration))) throw outdated(where)
      await patiently(migration.name, where, () => apply(sql, migration, where, options, canceller))
      applied.push(migration.name)
    }
    return { applied, waiting: waiting.map(({ name }) => name), older }
  } finally {
    await sql.unsafe(`SELECT pg_advisory_unlock(${MIGRATE_LOCK}, 0)`).catch(() => undefined)
    await Promise.all([canceller.close(), lock.release()])
  }
}

/** The processes that live and do not know the migration. */
async function olderThan(sql: Bun.SQL, name: string): Promise<ListedProcess[]> {
  const rows = async (text: string) => (await sql.unsafe(text).values()) as unknown[][]
  return (await listProcesses({ rows })).filter(({ isLost, schema = '' }) => !isLost && schema < name)
}

/** Runs `attempt` again while it gets no lock, or is ended because it has kept one too long. */
async function patiently(name: string, where: string, attempt: () => Promise<void>): Promise<void> {
  for (let nth = 1; ; nth++) {
    try {
      return await attempt()
    } catch (error) {
      const cause = error instanceof StorageError ? error.cause : error
      const isLate = isStatementTimeout(cause)
      if (!isLate && !isLockTimeout(cause) && !isSerializationFailure(cause)) throw error
      if (nth >= (isLate ? HOLD_ATTEMPTS : LOCK_ATTEMPTS)) throw tooBusy(name, where, error)
      await Bun.sleep(Math.min(HOLD_MS, nth * 50))
    }
  }
}

/** With a `canceller`, the migration is ended after `HOLD_MS`. */
async function apply(
  sql: Bun.SQL,
  migration: Migration,
  where: string,
  { clock, log }: MigrateOptions,
  canceller?: Bun.SQL,
): Promise<void> {
  try {
    const indexes = indexStatements(migration)
    for (const statement of indexes) await changeIndex(sql, statement)
    if (indexes.length > 0) await sql.begin((tx) => record(tx, migration, clock))
    else if (canceller === undefined || isUnlimited(migration))
      await sql.begin(async (tx) => {
        await tx.unsafe(migration.sql)
        await record(tx, migration, clock)
      })
    else await applyBriefly(sql, migration, clock, canceller)
  } catch (error) {
    const trouble = asStorageError(error, where)
    throw trouble instanceof StorageError ? trouble : failed(migration.name, where, error)
  }
  log.info('migration applied', { migration: migration.name })
}

async function applyBriefly(sql: Bun.SQL, migration: Migration, clock: Clock, canceller: Bun.SQL): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  try {
    await sql.begin(async (tx) => {
      const settings = {
        lock_timeout: LOCK_MS,
        statement_timeout: HOLD_MS,
        idle_in_transaction_session_timeout: HOLD_MS,
      }
      const names = Object.entries(settings).map(([name, ms]) => `SET LOCAL ${name} = ${ms}; `)
      const results = await tx.unsafe(`${names.join('')}SELECT pg_backend_pid() AS pid`)
      const { pid } = (results as { pid: number }[][]).at(-1)![0]!
      // The settings limit each statement, this all of them.
      timer = setTimeout(() => void canceller`SELECT pg_cancel_backend(${pid})`.catch(() => undefined), HOLD_MS)
      await tx.unsafe(migration.sql)
      await record(tx, migration, clock)
    })
  } finally {
    clearTimeout(timer)
  }
}

async function record(tx: Bun.SQL, migration: Migration, clock: Clock): Promise<void> {
  const kind = kindOf(migration) ?? null
  await tx.unsafe(RECORD, [migration.name, hashOf(migration), clock.now(), kind, releaseOf(migration) ?? null])
  if (kind !== 'CONTRACT') return
  // A process that was taken for dead hears of it before it answers a request.
  await tx.unsafe(INSERT_EVENTS, ['', JSON.stringify([{ topic: CONTRACTED.name, payload: 'null' }])])
}

/** It only adds rows that nobody else changes, so it may take as long as it needs. */
const isUnlimited = ({ sql }: Migration): boolean => /^-- Without a limit of time\b/m.test(sql)

const INDEX_STATEMENT = /^(?:CREATE (?:UNIQUE )?INDEX CONCURRENTLY|DROP INDEX CONCURRENTLY IF EXISTS) "?(\w+)"?/

/**
 * The statements of a migration that changes indexes without stopping writes, which PostgreSQL does outside of transactions only.
 * Empty for other migrations.
 */
function indexStatements({ name, sql }: Migration): readonly string[] {
  if (!/\bCONCURRENTLY\b/.test(sql)) return []
  const statements = sql
    .replace(/^--.*\n/gm, '')
    .split(';')
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '')
  if (!statements.every((statement) => INDEX_STATEMENT.test(statement)))
    throw new Error(`migration ${name} has CONCURRENTLY and other statements`)
  return statements
}

/** May be repeated after it was interrupted: PostgreSQL leaves an index that is not valid then, and a complete one is kept. */
async function changeIndex(sql: Bun.SQL, statement: string): Promise<void> {
  const name = INDEX_STATEMENT.exec(statement)![1]!
  // Writes go on meanwhile, so it may take and wait as long as it needs.
  await sql.unsafe('SET lock_timeout = 0; SET statement_timeout = 0')
  const drop = () => sql.unsafe(`DROP INDEX CONCURRENTLY IF EXISTS "${name}"`)
  const [found] = await sql`SELECT indisvalid AS "isValid" FROM pg_index WHERE indexrelid = to_regclass(${`"${name}"`})`
  if (found?.isValid === false) await drop()
  if (found?.isValid === true && statement.startsWith('CREATE')) return
  try {
    await sql.unsafe(statement)
  } catch (error) {
    // The index that is not valid refuses rows already.
    if (isUniqueViolation(error)) await drop()
    throw error
  }
}
