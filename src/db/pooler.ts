/**
 * Poolers such as PgBouncer. In transaction mode, each transaction may get another connection of PostgreSQL, so that locks of sessions, LISTEN, SET
 * and prepared statements are lost or reach others. The pools can work through it; everything else needs the way past it.
 */

import { connectPostgres, placeOf } from './engine/pg-connection.ts'
import { asStorageError } from './errors.ts'

const PID = 'SELECT pg_backend_pid()'
/** The same for two ways to one database. */
const IDENTITY = `SELECT concat_ws(' ', pg_postmaster_start_time(), oid) FROM pg_database WHERE datname = current_database()`

const valueOf = async (sql: Bun.SQL, text: string): Promise<string> =>
  String(((await sql.unsafe(text).values()) as unknown[][])[0]![0])

async function withConnections<T>(
  databaseUrls: readonly string[],
  work: (connections: readonly Bun.SQL[]) => Promise<T>,
): Promise<T> {
  const connections = databaseUrls.map((url) => connectPostgres(url, 1, { pooled: true }))
  try {
    return await work(connections)
  } catch (error) {
    throw asStorageError(error, placeOf(databaseUrls[0]!))
  } finally {
    await Promise.all(connections.map((sql) => sql.close()))
  }
}

/**
 * Whether a pooler in transaction mode is in between: then the connection of PostgreSQL that has answered one client takes the transaction
 * of the next, or the first client gets another one while it is taken.
 * @throws StorageError
 */
export const poolsTransactions = (databaseUrl: string): Promise<boolean> =>
  withConnections([databaseUrl, databaseUrl], async ([one, other]) => {
    const before = await valueOf(one!, PID)
    return other!.begin(
      async (tx) => (await valueOf(tx, PID)) === before || (await valueOf(one!, PID)) !== before,
    ) as Promise<boolean>
  })

/** PgBouncer refuses connections with settings that it does not know. */
async function refusesSettings(databaseUrl: string): Promise<boolean> {
  const sql = connectPostgres(databaseUrl, 1)
  try {
    await valueOf(sql, PID)
    return false
  } catch (error) {
    return /startup parameter/.test((error as Error).message)
  } finally {
    await sql.close()
  }
}

/** @throws StorageError */
export const isSameDatabase = (a: string, b: string): Promise<boolean> =>
  withConnections([a, b], async (both) => {
    const [one, other] = await Promise.all(both.map((sql) => valueOf(sql, IDENTITY)))
    return one === other
  })

/**
 * Why the server cannot use these addresses, as a sentence; undefined if it can.
 * @throws StorageError
 */
export async function poolerProblem(databaseUrl: string, poolerUrl: string): Promise<string | undefined> {
  const where = placeOf(databaseUrl)
  if (await poolsTransactions(databaseUrl))
    return poolerUrl === ''
      ? `${where} is a pooler in transaction mode, in which locks and notifications get lost: set TESSERA_DATABASE_DIRECT_URL to an address that leads past it.`
      : `${where} is a pooler in transaction mode too: TESSERA_DATABASE_DIRECT_URL must lead past it.`
  if (await refusesSettings(databaseUrl))
    return `${where} is a pooler that refuses settings of connections: set TESSERA_DATABASE_DIRECT_URL to an address that leads past it.`
  return poolerUrl === '' || (await isSameDatabase(databaseUrl, poolerUrl))
    ? undefined
    : `TESSERA_DATABASE_URL and TESSERA_DATABASE_DIRECT_URL lead to different databases: ${placeOf(poolerUrl)}, and ${where}.`
}
