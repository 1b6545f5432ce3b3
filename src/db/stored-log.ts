/** The operation log as it is stored, for the commands that verify it. Values are not converted, so that edited ones are found. */

import { Database } from 'bun:sqlite'
import { dirname } from 'node:path'

import { refuseReplaced } from '#platform/lock.ts'

import { connectPostgres, placeOf } from './engine/pg-connection.ts'
import { asStorageError } from './errors.ts'
import type { Place } from './maintenance.ts'
import { databaseFile } from './migrate.ts'

/** By the column names of the database. */
type Row = Record<string, unknown>

const BATCH = 5000

/**
 * Calls `work` with the rows of the three tables, all of one moment, while a server may be writing. The schema must be up to date.
 * @throws StorageError
 */
export async function withStoredLog<T>(
  { databaseUrl, dataDir }: Place,
  work: (log: {
    readonly heads: readonly Row[]
    readonly checkpoints: readonly Row[]
    readonly rowCount: number
    readonly batches: AsyncIterable<readonly Row[]>
  }) => Promise<T>,
): Promise<T> {
  const read = async (query: (sql: string) => Promise<Row[]>): Promise<T> => {
    const [count] = await query('SELECT count(*) AS n FROM admin_logs')
    return work({
      heads: await query('SELECT * FROM admin_log_head ORDER BY id LIMIT 2'),
      checkpoints: await query('SELECT * FROM admin_log_checkpoints ORDER BY id'),
      rowCount: Number(count!['n']),
      batches: batchesOf(query),
    })
  }
  if (databaseUrl === '') return inSqlite(databaseFile(dataDir), read)
  const sql = connectPostgres(databaseUrl, 1)
  try {
    return await sql.begin('ISOLATION LEVEL REPEATABLE READ READ ONLY', (tx) =>
      read(async (text) => (await tx.unsafe(text)) as Row[]),
    )
  } catch (error) {
    throw asStorageError(error, placeOf(databaseUrl))
  } finally {
    await sql.close()
  }
}

async function inSqlite<T>(file: string, read: (query: (sql: string) => Promise<Row[]>) => Promise<T>): Promise<T> {
  refuseReplaced(dirname(file))
  try {
    // Not read-only: after a crash SQLite must recover the write-ahead log first, which writes.
    const db = new Database(file, { create: false, readwrite: true })
    try {
      db.run('PRAGMA busy_timeout = 5000')
      db.run('BEGIN')
      return await read(async (text) => db.query(text).all() as Row[])
    } finally {
      db.close()
    }
  } catch (error) {
    throw asStorageError(error, file)
  }
}

async function* batchesOf(query: (sql: string) => Promise<Row[]>): AsyncGenerator<Row[]> {
  let after = ''
  for (;;) {
    const rows = await query(`SELECT * FROM admin_logs ${after} ORDER BY id LIMIT ${BATCH}`)
    yield rows
    if (rows.length < BATCH) return
    // The caller has checked that the ids of the batch are integers.
    after = `WHERE id > ${String(rows.at(-1)!['id'])}`
  }
}
