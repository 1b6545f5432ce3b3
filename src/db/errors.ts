/** Errors of the database: a violated unique index or a conflict, a failure of the storage itself, and a refused search. */

import { is, SQL } from 'drizzle-orm'
import { getTableConfig as pgTableConfig, PgTable } from 'drizzle-orm/pg-core'
import { getTableConfig as liteTableConfig, SQLiteTable } from 'drizzle-orm/sqlite-core'

import { hasNoInodes, noInodes } from '#platform/disk-trouble.ts'

import * as schema from './schema/index.ts'

/**
 * - `full`: no space left. Nothing of the rejected write remains, and the store works again as soon as there is space.
 * - `readonly`: the file, directory or server accepts no writes.
 * - `corrupt`: damaged, or not a database.
 * - `busy`: locked by another process.
 * - `unopenable`: missing, a directory, or no permission.
 * - `unreachable`: the database server does not answer, or refuses the connection.
 * - `gone`: the database file was deleted or replaced while it was open.
 * - `io`: reading or writing failed for another reason.
 * - `schema`: created by a newer executable, an applied migration was changed, or a migration failed.
 */
export type StorageTrouble =
  'full' | 'readonly' | 'corrupt' | 'busy' | 'unopenable' | 'unreachable' | 'gone' | 'io' | 'schema'

/** The storage failed. `message` is one sentence for the operator, without secrets. */
export class StorageError extends Error {
  override name = 'StorageError'
  constructor(
    readonly kind: StorageTrouble,
    message: string,
    cause?: unknown,
  ) {
    super(message, { cause })
  }
}

const SENTENCE: Record<Exclude<StorageTrouble, 'schema'>, (where: string) => string> = {
  full: (where) => `No space is left on the disk of ${where}.`,
  readonly: (where) => `${where} cannot be written to: it is read-only.`,
  corrupt: (where) => `${where} is damaged or is not a Tessera database: restore a backup.`,
  busy: (where) => `${where} is in use by another process.`,
  unopenable: (where) => `${where} cannot be opened: check that it exists and that this user may write to it.`,
  unreachable: (where) => `${where} cannot be reached.`,
  gone: (where) =>
    `${where} was deleted or replaced while the server was running: stop the server, then put the file back or restore a backup.`,
  io: (where) => `${where} cannot be read or written: check the disk.`,
}

export const storageError = (kind: keyof typeof SENTENCE, where: string, cause?: unknown): StorageError =>
  new StorageError(kind, SENTENCE[kind](where), cause)

/** A PostgreSQL server that accepts no writes counts as away: after a failover, its address may lead to a standby for some seconds. */
export const readOnly = (where: string, cause?: unknown): StorageError =>
  new StorageError('unreachable', `${where} accepts no writes: it is a standby, or was made read-only.`, cause)

/** A search was refused because it took too long, or because newer searches of the same user came while it waited. */
export class SearchRefused extends Error {
  override name = 'SearchRefused'
  constructor(readonly reason: 'timeout' | 'replaced') {
    super(`search refused: ${reason}`)
  }
}

/** Fields of the errors of bun:sqlite and Bun.SQL. Bun.SQL has the SQLSTATE in `errno`. */
interface Raw {
  code?: unknown
  errno?: unknown
  message?: unknown
  constraint?: unknown
}

const SQLITE: [prefix: string, kind: keyof typeof SENTENCE][] = [
  ['SQLITE_FULL', 'full'],
  ['SQLITE_READONLY_DBMOVED', 'gone'],
  ['SQLITE_READONLY', 'readonly'],
  ['SQLITE_CORRUPT', 'corrupt'],
  ['SQLITE_NOTADB', 'corrupt'],
  ['SQLITE_BUSY', 'busy'],
  ['SQLITE_LOCKED', 'busy'],
  ['SQLITE_CANTOPEN', 'unopenable'],
  ['SQLITE_PERM', 'unopenable'],
  ['SQLITE_IOERR', 'io'],
]

const TOO_MANY = '53300'
const READ_ONLY = '25006'

/** SQLSTATEs and their classes, PostgreSQL manual appendix A. */
const SQLSTATE: [prefix: string, kind: keyof typeof SENTENCE][] = [
  ['53100', 'full'],
  ['XX001', 'corrupt'],
  ['XX002', 'corrupt'],
  ['58030', 'io'],
  ['08', 'unreachable'],
  ['28', 'unreachable'],
  ['3D000', 'unreachable'],
  [TOO_MANY, 'unreachable'],
  // idle_in_transaction_session_timeout ended the connection.
  ['25P03', 'unreachable'],
  ['57P', 'unreachable'],
]

/** Errors of Bun.SQL about the connection, not about the statement. */
const PG_CONNECTION = /^ERR_POSTGRES_(CONNECTION|IDLE|LIFETIME|TLS|AUTHENTICATION|UNEXPECTED)/

/** Converts errors of the storage to StorageErrors and returns all others unchanged. `where`: the file, or the server without its password. */
export function asStorageError(error: unknown, where: string): unknown {
  if (!(error instanceof Error) || error instanceof StorageError) return error
  const { code, errno } = error as Raw
  if (typeof code !== 'string') return error
  const [table, key] = code.startsWith('SQLITE_') ? [SQLITE, code] : [SQLSTATE, String(errno)]
  const found = table.find(([prefix]) => key.startsWith(prefix))
  if (key === TOO_MANY)
    return new StorageError(
      'unreachable',
      `${where} has no free connection: raise max_connections there, or stop other programs.`,
      error,
    )
  if (key === READ_ONLY) return readOnly(where, error)
  // SQLite creates files beside the database when it opens it.
  if (found?.[1] === 'unopenable' && hasNoInodes(error, where)) return new StorageError('full', noInodes(where), error)
  if (found) return storageError(found[1], where, error)
  return PG_CONNECTION.test(code) ? storageError('unreachable', where, error) : error
}

/** Whether it is a serialization failure or a deadlock: the same write may succeed when it is run again. */
export function isSerializationFailure(error: unknown): boolean {
  const state = (error as Raw | undefined)?.errno
  return state === '40001' || state === '40P01'
}

/** Whether a statement that writes was sent to a server that accepts no writes. A standby refuses even to begin a SERIALIZABLE transaction (0A000). */
export const isFromReadOnly = (error: unknown): boolean => {
  const state = ((error as Error | undefined)?.cause as Raw | undefined)?.errno ?? (error as Raw | undefined)?.errno
  return state === READ_ONLY || state === '0A000'
}

/** Whether the statement has waited longer for a lock than `lock_timeout`. */
export const isLockTimeout = (error: unknown): boolean => (error as Raw | undefined)?.errno === '55P03'

/** Whether PostgreSQL ended the statement because it ran longer than `statement_timeout`. */
export const isStatementTimeout = (error: unknown): boolean => (error as Raw | undefined)?.errno === '57014'

/** By index name. SQLite reports the columns of a violated unique index (`users.a, users.b`), not its name. */
let columnsOfIndex: Map<string, string> | undefined

function uniqueColumns(indexName: string): string {
  if (columnsOfIndex === undefined) {
    columnsOfIndex = new Map()
    for (const value of Object.values(schema) as unknown[]) {
      // Both functions return the same shape for indexes; TypeScript sees SQLite's.
      const config = is(value, SQLiteTable)
        ? liteTableConfig(value)
        : is(value, PgTable)
          ? pgTableConfig(value)
          : undefined
      for (const { config: index } of config?.indexes ?? []) {
        if (!index.unique || index.columns.some((column) => is(column, SQL))) continue
        const columns = index.columns.map((column) => `${config!.name}.${(column as { name: string }).name}`)
        columnsOfIndex.set(index.name!, columns.join(', '))
      }
    }
  }
  const columns = columnsOfIndex.get(indexName)
  if (columns === undefined) throw new Error(`there is no unique index "${indexName}" in the schema`)
  return columns
}

/**
 * Whether a write violated a primary key or a unique index (the one named `indexName`, if given). To be used on the error that
 * `write` rejected with, not inside the write: after a failed statement it is rolled back anyway.
 */
export function isUniqueViolation(error: unknown, indexName?: string): boolean {
  if (!(error instanceof Error)) return false
  const { code, errno, constraint, message } = error as Raw
  if (errno === '23505') return indexName === undefined || (uniqueColumns(indexName) !== '' && constraint === indexName)
  if (code !== 'SQLITE_CONSTRAINT_UNIQUE' && code !== 'SQLITE_CONSTRAINT_PRIMARYKEY') return false
  return indexName === undefined || message === `UNIQUE constraint failed: ${uniqueColumns(indexName)}`
}

/** A write took longer than it may, and was rolled back: most often because the machine is too busy. */
export class StuckWrite extends Error {
  override name = 'StuckWrite'
}
