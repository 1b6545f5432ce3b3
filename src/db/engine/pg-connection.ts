/** Connections to PostgreSQL, and the lock that keeps a second Tessera process off the same database. */

import { asStorageError, StorageError, storageError } from '../errors.ts'

/** Host, port and database for messages; the URL itself may contain a password. */
export function placeOf(databaseUrl: string): string {
  const url = new URL(databaseUrl)
  return `PostgreSQL at ${url.host}${url.pathname}`
}

/**
 * A pool of up to `max` connections, opened when first needed. Commits wait for the disk, even if the server's default is not to.
 * `Bun.SQL` is not imported from 'bun': the import alone loads the client at each start on SQLite too (about 7 ms and 3 MiB).
 */
export const connectPostgres = (
  databaseUrl: string,
  max: number,
  { onclose, ...parameters }: { onclose?: (error: unknown) => void; statement_timeout?: string } = {},
): Bun.SQL =>
  new Bun.SQL({
    url: databaseUrl,
    max,
    connectionTimeout: 10,
    connection: { application_name: 'tessera', synchronous_commit: 'on', ...parameters },
    ...(onclose ? { onclose } : {}),
  })

/** "tessera" in ASCII as a number. Advisory locks are per database, so databases on one server do not share it. */
const LOCK_KEY = '32762643830108769'

export interface PgLock {
  /** False while the connection is down: another process may hold the lock then. */
  readonly held: boolean
  release(): Promise<void>
}

/** Pause before a lost lock is requested again, in milliseconds. */
const RETRY_MS = 1000
/** PostgreSQL takes a moment to notice that a killed process is gone, so that a restart tries several times. */
const START_ATTEMPTS = 5
const START_PAUSE_MS = 200

/**
 * Locks the database for this process. If the connection breaks, the lock is acquired again as soon as possible; until then
 * `held` is false and nothing may be written.
 * @throws StorageError of kind `busy` when another process holds the lock
 */
export async function lockPostgres(databaseUrl: string): Promise<PgLock> {
  const where = placeOf(databaseUrl)
  let held = false
  let released = false
  let timer: ReturnType<typeof setTimeout> | undefined
  const sql = connectPostgres(databaseUrl, 1, {
    onclose() {
      held = false
      if (!released) timer = setTimeout(() => void reacquire(), RETRY_MS)
    },
  })

  async function acquire(): Promise<void> {
    try {
      const [row] = (await sql.unsafe(`SELECT pg_try_advisory_lock(${LOCK_KEY}) AS held`)) as { held: boolean }[]
      if (!row!.held) throw storageError('busy', where)
      held = true
    } catch (error) {
      throw asStorageError(error, where)
    }
  }

  async function reacquire(): Promise<void> {
    if (released || held) return
    try {
      await acquire()
    } catch (error) {
      // A failed connection calls `onclose`, which retries; a refused lock does not.
      if (error instanceof StorageError && error.kind === 'busy') timer = setTimeout(() => void reacquire(), RETRY_MS)
    }
  }

  const release = async (): Promise<void> => {
    released = true
    clearTimeout(timer)
    // Closing the connection would release it too, but only some time after this function has returned.
    if (held) await sql.unsafe(`SELECT pg_advisory_unlock(${LOCK_KEY})`).catch(() => undefined)
    await sql.close()
  }
  for (let nth = 1; !held; nth++) {
    try {
      await acquire()
    } catch (error) {
      if (!(error instanceof StorageError) || error.kind !== 'busy' || nth === START_ATTEMPTS) {
        await release()
        throw error
      }
      await Bun.sleep(START_PAUSE_MS)
    }
  }
  return {
    get held() {
      return held
    },
    release,
  }
}
