/** How the connections of a process are shared out, and whether the server has as many. */

import { ALONE_CONNECTIONS, SHARED_CONNECTIONS } from '#config/config.ts'

import { asStorageError, StorageError } from '../errors.ts'
import { connectPostgres, placeOf } from './pg-connection.ts'

export interface PoolSizes {
  readonly readers: number
  readonly writers: number
  /** Searches of all users share them, so that they cannot take all connections of other reads. */
  readonly searchers: number
}

type Three = Readonly<Record<keyof PoolSizes, Bun.SQL>>

/** The pools, which can be replaced. */
export class Pools {
  #pools: Three
  constructor(readonly open: () => Three) {
    this.#pools = open()
  }
  get readers(): Bun.SQL {
    return this.#pools.readers
  }
  get writers(): Bun.SQL {
    return this.#pools.writers
  }
  get searchers(): Bun.SQL {
    return this.#pools.searchers
  }

  /** Replaces all connections, because the old ones may lead to another server. Statements that run on them fail. */
  renew(): void {
    const before = this.#pools
    this.#pools = this.open()
    for (const pool of Object.values(before)) pool.close({ timeout: 0 }).catch(() => undefined)
  }

  async close(): Promise<void> {
    await Promise.all(Object.values(this.#pools).map((pool) => pool.close()))
  }
}

/** Connections beside the pools: for locks, stamps and events. */
export const unpooled = (shared: boolean): number => (shared ? SHARED_CONNECTIONS : ALONE_CONNECTIONS)

/** The pools of a process with `total` connections. */
export function poolSizes(total: number, shared: boolean): PoolSizes {
  const pooled = total - unpooled(shared)
  const searchers = Math.ceil(pooled / 10)
  const writers = Math.max(1, Math.round(pooled * 0.4))
  return { readers: pooled - searchers - writers, writers, searchers }
}

/** Free connections of the server, of the database and of the role, this one included. The server keeps some for its administrators. */
const FREE = `SELECT 1 + least(
    current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
      - coalesce(current_setting('reserved_connections', true), '0')::int - (SELECT sum(numbackends) FROM pg_stat_database),
    (SELECT CASE WHEN datconnlimit >= 0 THEN datconnlimit - (SELECT numbackends FROM pg_stat_database WHERE datid = pg_database.oid) END
      FROM pg_database WHERE datname = current_database()),
    (SELECT CASE WHEN rolconnlimit >= 0 THEN rolconnlimit - (SELECT count(*) FROM pg_stat_activity WHERE usesysid = pg_roles.oid) END
      FROM pg_roles WHERE rolname = current_user)
  )`

/** PostgreSQL takes a moment to notice that connections were closed. */
const LOOKS = 5
const PAUSE_MS = 200

/**
 * To be called before the pools open any connection.
 * @throws StorageError of kind `unreachable` if the server has fewer than `total` free connections
 */
export async function checkConnections(databaseUrl: string, total: number): Promise<void> {
  const where = placeOf(databaseUrl)
  const sql = connectPostgres(databaseUrl, 1)
  try {
    let free = 0
    for (let nth = 1; nth <= LOOKS; nth++) {
      free = Number(((await sql.unsafe(FREE).values()) as unknown[][])[0]![0])
      if (free >= total) return
      await Bun.sleep(PAUSE_MS)
    }
    throw new StorageError(
      'unreachable',
      `${where} has ${Math.max(0, free)} free connections, and this process may open ${total}: raise the limit there, stop other programs, or lower TESSERA_DATABASE_CONNECTIONS.`,
    )
  } catch (error) {
    throw asStorageError(error, where)
  } finally {
    await sql.close()
  }
}
