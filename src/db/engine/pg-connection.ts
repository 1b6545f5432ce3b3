/** Connections to PostgreSQL, and the lock that says which Tessera processes may use a database. */

import { asStorageError, isFromReadOnly, readOnly, StorageError, storageError } from '../errors.ts'
import type { PoolMeter } from './pg-metrics.ts'

/** Host, port and database for messages; the URL itself may contain a password. */
export function placeOf(databaseUrl: string): string {
  const url = new URL(databaseUrl)
  return `PostgreSQL at ${url.host}${url.pathname}`
}

interface ConnectOptions {
  readonly onclose?: (error: unknown) => void
  /** Settings of PostgreSQL for these connections. */
  readonly settings?: Readonly<Record<string, string>>
  /** A pooler may give each transaction another connection: it accepts no settings, and knows no prepared statements. */
  readonly pooled?: boolean
}

/** Of every connection, whatever the defaults of the server, the database or the role are. */
const SETTINGS = {
  synchronous_commit: 'on',
  default_transaction_isolation: 'read committed',
  statement_timeout: '0',
  lock_timeout: '0',
  // A backup keeps its transaction open for as long as pg_dump reads, and the connection of the lock is idle most of the time.
  idle_in_transaction_session_timeout: '0',
  idle_session_timeout: '0',
}

/**
 * Of connections for searches, which are few. With PostgreSQL's 4 MB of memory, the hash of a million users who match a keyword went to disk, which was
 * a third of the search. From the sixth search on, PostgreSQL would keep a plan that does not know where the rest of the list begins: it took the rest for
 * a third of a million sessions and read it by an index, for twice the CPU.
 */
export const searchSettings = (maxMs: number) => ({
  statement_timeout: String(maxMs),
  work_mem: '32MB',
  plan_cache_mode: 'force_custom_plan',
})

/**
 * A pool of up to `max` connections, opened when first needed. Commits wait for the disk, even if the server's default is not to.
 * `Bun.SQL` is not imported from 'bun': the import alone loads the client at each start on SQLite too (about 7 ms and 3 MiB).
 */
export const connectPostgres = (
  databaseUrl: string,
  max: number,
  { onclose, settings = {}, pooled = false }: ConnectOptions = {},
): Bun.SQL =>
  new Bun.SQL({
    url: databaseUrl,
    max,
    connectionTimeout: 10,
    connection: { application_name: 'tessera', ...(!pooled && { ...SETTINGS, ...settings }) },
    ...(pooled && { prepare: false }),
    ...(onclose ? { onclose } : {}),
  })

/** Longest time that a query of a `TimedConnection` may take, in milliseconds. All of them take less than one. */
const ANSWER_MS = 5000

/**
 * One connection for short queries. It is replaced when a query gets no answer, as after a network failure that nobody reported: the
 * operating system would notice after hours.
 */
export class TimedConnection {
  #sql: Bun.SQL
  #closed = false
  constructor(
    readonly databaseUrl: string,
    readonly settings: Readonly<Record<string, string>>,
    readonly meter?: PoolMeter,
  ) {
    this.#sql = this.#connect()
  }

  #connect(): Bun.SQL {
    return connectPostgres(this.databaseUrl, 1, { settings: this.settings })
  }

  #replace(sql: Bun.SQL): void {
    if (this.#sql === sql && !this.#closed) this.#sql = this.#connect()
    sql.close({ timeout: 0 }).catch(() => undefined)
  }

  /** The next statement gets a new connection, which may lead to another server. */
  renew(): void {
    this.#replace(this.#sql)
  }

  /** @throws StorageError */
  async rows(text: string, parameters: readonly (string | number)[] = []): Promise<unknown[][]> {
    const where = placeOf(this.databaseUrl)
    if (this.#closed) throw new Error('the store is closed')
    const sql = this.#sql
    let timer: ReturnType<typeof setTimeout> | undefined
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        this.#replace(sql)
        reject(storageError('unreachable', where))
      }, ANSWER_MS)
    })
    try {
      const answer = sql.unsafe(text, [...parameters]).values()
      return (await Promise.race([this.meter?.timed(answer) ?? answer, late])) as unknown[][]
    } catch (error) {
      if (isFromReadOnly(error)) this.#replace(sql)
      throw asStorageError(error, where)
    } finally {
      clearTimeout(timer)
    }
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.#sql.close()
  }
}

/** True at a standby too. */
export const IS_READ_ONLY = "current_setting('transaction_read_only')::boolean"

/** "tessera" in ASCII as a number. Advisory locks are per database, so databases on one server do not share it. */
export const LOCK_KEY = '32762643830108769'

/** `alone`: no other process may use the database. `shared`: only processes that share it may. */
export type LockMode = 'alone' | 'shared'

const REMEDY =
  'Several processes can use a database if all of them have their files in S3 (TESSERA_STORAGE_URL) or in a shared directory (TESSERA_SHARED_FILES).'

/** The lock was refused: another process holds it in the other mode. */
export const inUse = (where: string, mode: LockMode): StorageError =>
  new StorageError(
    'busy',
    mode === 'alone'
      ? `${where} is in use by another process. ${REMEDY}`
      : `${where} is in use by a process that does not share it. ${REMEDY}`,
  )

export interface PgLock {
  /** False while the connection is down: another process may hold the lock then. */
  readonly held: boolean
  release(): Promise<void>
}

/** The next connection may lead to another server. */
async function endConnection(sql: Bun.SQL, where: string): Promise<StorageError> {
  await sql.unsafe('SELECT pg_terminate_backend(pg_backend_pid())').catch(() => undefined)
  return readOnly(where)
}

/** Pause before a lost lock is requested again, in milliseconds. */
const RETRY_MS = 1000
/** The first pause of processes that share a database, which need not fear that another one takes their place. */
const SHARED_RETRY_MS = 20
/** PostgreSQL takes a moment to notice that a killed process is gone, so that a restart tries several times. */
const START_ATTEMPTS = 5
const START_PAUSE_MS = 200

/**
 * Locks the database for this process. If the connection breaks, the lock is acquired again as soon as possible; until then
 * `held` is false. `onRegained` is called then: other processes may have used the database meanwhile.
 * @throws StorageError of kind `busy` when another process holds the lock
 */
export async function lockPostgres(
  databaseUrl: string,
  mode: LockMode = 'alone',
  onRegained: () => void = () => undefined,
): Promise<PgLock> {
  const where = placeOf(databaseUrl)
  const suffix = mode === 'shared' ? '_shared' : ''
  let held = false
  let released = false
  let started = false
  let pause = RETRY_MS
  let timer: ReturnType<typeof setTimeout> | undefined

  function retryLater(): void {
    clearTimeout(timer)
    if (!released) timer = setTimeout(() => void reacquire(), pause)
    pause = Math.min(RETRY_MS, pause * 2)
  }

  const sql = connectPostgres(databaseUrl, 1, {
    onclose() {
      if (held && mode === 'shared') pause = SHARED_RETRY_MS
      held = false
      retryLater()
    },
  })

  async function acquire(): Promise<void> {
    try {
      const asked = `SELECT pg_try_advisory_lock${suffix}(${LOCK_KEY}) AS held, ${IS_READ_ONLY} AS "isReadOnly"`
      const [row] = (await sql.unsafe(asked)) as { held: boolean; isReadOnly: boolean }[]
      if (row!.isReadOnly) throw await endConnection(sql, where)
      if (!row!.held) throw inUse(where, mode)
      held = true
      if (started) onRegained()
      started = true
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
      if (error instanceof StorageError && error.kind === 'busy') retryLater()
    }
  }

  const release = async (): Promise<void> => {
    released = true
    clearTimeout(timer)
    // Closing the connection would release it too, but only some time after this function has returned.
    if (held) await sql.unsafe(`SELECT pg_advisory_unlock${suffix}(${LOCK_KEY})`).catch(() => undefined)
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
