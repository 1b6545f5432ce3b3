/** Whether a server that speaks PostgreSQL's protocol has everything that Tessera relies on. */

import { connectPostgres, placeOf } from './engine/pg-connection.ts'
import { asStorageError } from './errors.ts'

const MIN_VERSION = 14

/** They lack some of it, or promise less under the same name. */
const REFUSED = ['CockroachDB', 'YugabyteDB', '-YB-'] as const

const TABLE = 'CREATE TABLE tessera_needs (id bigint PRIMARY KEY, gone bigint)'

/** Each runs in a transaction that is rolled back. */
const NEEDS: Readonly<Record<string, string>> = {
  'advisory locks': `SELECT pg_try_advisory_xact_lock(1), pg_try_advisory_xact_lock_shared(2), pg_try_advisory_lock(3), pg_advisory_unlock(3) FROM pg_locks`,
  'LISTEN and NOTIFY': `LISTEN tessera_needs; SELECT pg_notify('tessera_needs', '')`,
  pg_current_snapshot: 'SELECT pg_snapshot_xmax(pg_current_snapshot())',
  xid8: `SELECT '1'::xid8, pg_current_xact_id()::text::bigint`,
  SERIALIZABLE: 'SET TRANSACTION ISOLATION LEVEL SERIALIZABLE; SELECT 1',
  'partial indexes': `${TABLE}; CREATE UNIQUE INDEX tessera_needs_partial ON tessera_needs (id) WHERE gone IS NULL`,
  RETURNING: `${TABLE}; INSERT INTO tessera_needs (id) VALUES (1) ON CONFLICT (id) DO UPDATE SET gone = 1 RETURNING id`,
  'FOR UPDATE': `${TABLE}; SELECT id FROM tessera_needs FOR UPDATE`,
}

/** Classes of SQLSTATE: unknown syntax or function, and something that is not supported. 42501: this role may not do it. */
const isMissing = (state: string): boolean => /^(42|0A|XX)/.test(state) && state !== '42501'

export const versionProblem = (version: string, number: number): string | undefined => {
  const name = REFUSED.find((one) => version.includes(one))
  if (name !== undefined)
    return `is ${name === '-YB-' ? 'YugabyteDB' : name}, with which Tessera does not work: use PostgreSQL`
  if (number < MIN_VERSION * 10_000)
    return `has version ${number / 10_000}: PostgreSQL ${MIN_VERSION} or newer is needed`
  return undefined
}

/**
 * Why the server cannot be used, as a sentence; undefined if it can.
 * @throws StorageError
 */
export async function needsProblem(databaseUrl: string, needs = NEEDS): Promise<string | undefined> {
  const where = placeOf(databaseUrl)
  const sql = connectPostgres(databaseUrl, 1)
  try {
    const [row] = (await sql.unsafe(`SELECT version(), current_setting('server_version_num')::int`).values()) as [
      [string, number],
    ]
    const problem = versionProblem(...row)
    if (problem !== undefined) return `${where} ${problem}.`
    const missing: string[] = []
    for (const [name, statements] of Object.entries(needs)) {
      await sql.unsafe('BEGIN')
      try {
        await sql.unsafe(statements)
      } catch (error) {
        if (!isMissing(String((error as { errno?: unknown }).errno))) throw error
        missing.push(name)
      }
      await sql.unsafe('ROLLBACK')
    }
    return missing.length === 0
      ? undefined
      : `${where} lacks what Tessera needs: ${missing.join(', ')}. Use PostgreSQL ${MIN_VERSION} or newer.`
  } catch (error) {
    throw asStorageError(error, where)
  } finally {
    await sql.close()
  }
}
