/** Connections to PostgreSQL, and the lock that keeps a second server off the same database. */

import { asStorageError, StorageError, storageError } from '../errors.ts'

/** Host, port and database, for messages: a URL may hold a password. */
export function placeOf(databaseUrl: string): string {
  const url = new URL(databaseUrl)
  return `PostgreSQL at ${url.host}${url.pathname}`
}

/** `max` connections, opened when first needed. What a commit answered is on disk, whatever the server's own default. */
// `Bun.SQL` and not an import of it: the import alone would load the client at each start on SQLite too (about 7 ms and 3 MiB).
export const connectPostgres = (databaseUrl: string, max: number, onclose?: (error: unknown) => void): Bun.SQL =>
  new Bun.SQL({
    url: databaseUrl,
    max,
    connectionTimeout: 10,
    connection: { application_name: 'tessera', synchronous_commit: 'on' },
    ...(onclose ? { onclose } : {}),
  })

/** "tessera" in ASCII as a number. Advisory locks belong to one database of the server. */
const LOCK_KEY = '32762643830108769'

export interface PgLock {
  /** False while the connection is down: another server may have taken the database. */
  readonly held: boolean
  release(): Promise<void>
}

/** How soon a lost lock is asked for again. */
const RETRY_MS = 1000
/** PostgreSQL takes a moment to notice that a killed server is gone: a restart waits so often, so long. */
const START_TRIES = 5
const START_PAUSE_MS = 200

/**
 * Takes the database for this process, or throws a StorageError: `busy` when another server has it. When the connection breaks,
 * the lock is taken again as soon as possible; until then `held` is false and nothing may be written.
 */
export async function lockPostgres(databaseUrl: string): Promise<PgLock> {
  const where = placeOf(databaseUrl)
  let held = false
  let released = false
  let timer: ReturnType<typeof setTimeout> | undefined
  const sql = connectPostgres(databaseUrl, 1, () => {
    held = false
    if (!released) timer = setTimeout(() => void retake(), RETRY_MS)
  })

  async function take(): Promise<void> {
    try {
      const [row] = (await sql.unsafe(`SELECT pg_try_advisory_lock(${LOCK_KEY}) AS held`)) as { held: boolean }[]
      if (!row!.held) throw storageError('busy', where)
      held = true
    } catch (error) {
      throw asStorageError(error, where)
    }
  }

  async function retake(): Promise<void> {
    if (released || held) return
    try {
      await take()
    } catch (error) {
      // A failed connection comes back through `onclose`; a refused lock does not.
      if (error instanceof StorageError && error.kind === 'busy') timer = setTimeout(() => void retake(), RETRY_MS)
    }
  }

  const release = async (): Promise<void> => {
    released = true
    clearTimeout(timer)
    // Closing alone would free it too, but only some time after we have returned.
    if (held) await sql.unsafe(`SELECT pg_advisory_unlock(${LOCK_KEY})`).catch(() => undefined)
    await sql.close()
  }
  for (let tries = 1; !held; tries++) {
    try {
      await take()
    } catch (error) {
      if (!(error instanceof StorageError) || error.kind !== 'busy' || tries === START_TRIES) {
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
