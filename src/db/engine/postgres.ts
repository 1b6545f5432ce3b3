/**
 * The store on PostgreSQL. Reads have a pool of their own. Each write is a SERIALIZABLE transaction, run again when PostgreSQL
 * aborts it because of a conflict. Only one process may use a database at a time, because caches and stamps are kept in memory and
 * would not notice the writes of another process. An advisory lock ensures it (pg-connection.ts).
 */

import type { SQL } from 'bun'

import { createBus } from '#platform/bus.ts'
import type { Clock } from '#platform/clock.ts'
import type { Log } from '#platform/log.ts'

import { asStorageError, isSerializationFailure, storageError } from '../errors.ts'
import type { Rows, Runner } from '../query/builders.ts'
import { StorageState } from '../storage-state.ts'
import type { Store, Tx, WriteOptions } from '../store.ts'
import { connectPostgres, lockPostgres, placeOf } from './pg-connection.ts'
import { SEARCH_MS, searchQueue } from './search-queue.ts'
import { STAMP_MARK, Stamps } from './stamps.ts'
import { writeLimiter } from './write-limiter.ts'
import { ReadDb, refuseNested, runHooks, runWrite, WRITE_LIMITS, type WriteLimits, WriteTx } from './write.ts'

const READ_CONNECTIONS = 10
/** Searches of all users share them, so that they cannot take all connections of other reads. */
const SEARCH_CONNECTIONS = 2
/** More parallel writes would mostly cause more conflicts. */
const WRITE_CONNECTIONS = 8

/** Conflicts soon make writes run one by one (write-limiter.ts), and then none can conflict: after this many something is wrong. */
const ATTEMPTS = 40

const READ_MARK = 'SELECT value FROM server_state WHERE key = $1'
const SAVE_MARK =
  'INSERT INTO server_state (key, value) VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET value = excluded.value'

/** Runs statements on a pool or on a reserved connection. */
class PgRunner implements Runner {
  constructor(
    readonly client: Pick<SQL, 'unsafe'>,
    readonly where: string,
  ) {}
  async rows(sql: string, params: unknown[]): Promise<Rows> {
    try {
      return await this.client.unsafe(sql, params).values()
    } catch (error) {
      throw asStorageError(error, this.where)
    }
  }
}

export interface PostgresOptions {
  databaseUrl: string
  clock: Clock
  log: Log
  /** For tests. */
  limits?: WriteLimits
  /** For tests. */
  searchMs?: number
}

/** @throws StorageError of kind `unreachable`, or `busy` when another process uses the database */
export async function openPostgres({
  databaseUrl,
  clock,
  log,
  limits = WRITE_LIMITS,
  searchMs = SEARCH_MS,
}: PostgresOptions): Promise<Store> {
  const where = placeOf(databaseUrl)
  const lock = await lockPostgres(databaseUrl)
  const readers = connectPostgres(databaseUrl, READ_CONNECTIONS)
  const writers = connectPostgres(databaseUrl, WRITE_CONNECTIONS)
  const searchers = connectPostgres(databaseUrl, SEARCH_CONNECTIONS, { statement_timeout: String(searchMs) })
  const reader = new PgRunner(readers, where)
  const read = new ReadDb(reader)
  let stamps: Stamps
  try {
    stamps = new Stamps(clock, Number((await reader.rows(READ_MARK, [STAMP_MARK]))[0]?.[0] ?? 0))
  } catch (error) {
    await Promise.all([readers.close(), searchers.close(), writers.close(), lock.release()])
    throw error
  }

  let saving: Promise<void> | undefined
  /** Saves the mark before a stamp above it is given. Done outside the writes, which would all conflict on its row. */
  async function reserveStamps(connection: Runner): Promise<void> {
    const mark = stamps.markToSave()
    if (mark === undefined) return
    saving ??= (async () => {
      await connection.rows(SAVE_MARK, [STAMP_MARK, String(mark)])
      stamps.markSaved(mark)
    })().finally(() => (saving = undefined))
    await saving
  }

  /** Of running writes. */
  const unsettled = new Set<number>()

  /** Runs a write once. Resolves after the commit and the after-commit hooks. */
  async function attempt<T>(name: string, fn: (tx: Tx) => Promise<T>, options: WriteOptions): Promise<T> {
    const { maxMs: stuckMs = limits.stuckMs, inOrder } = options
    const client = await writers.reserve()
    const connection = new PgRunner(client, where)
    let stamp = 0
    try {
      await reserveStamps(connection)
      await connection.rows('BEGIN ISOLATION LEVEL SERIALIZABLE', [])
      // Before the first query, so that the snapshot contains the writes that the lock has waited for.
      if (inOrder !== undefined) await connection.rows(`LOCK TABLE "${inOrder}" IN EXCLUSIVE MODE`, [])
      const nextStamp = () => {
        stamp = stamps.next()
        unsettled.add(stamp)
        return stamp
      }
      const tx = new WriteTx(connection, read, nextStamp, bus)
      try {
        const value = await runWrite(tx, name, fn, log, { ...limits, stuckMs })
        if (!lock.held) throw storageError('unreachable', where)
        await connection.rows('COMMIT', [])
        runHooks(tx.hooks, log)
        return value
      } catch (error) {
        await connection.rows('ROLLBACK', []).catch(() => undefined)
        // `fn` may have replaced the error of a conflict with one of its own: it must be run again all the same.
        throw isSerializationFailure(tx.runner.failure) ? tx.runner.failure : error
      }
    } finally {
      unsettled.delete(stamp)
      client.release()
    }
  }

  const limiter = writeLimiter(WRITE_CONNECTIONS)
  const lastInOrder = new Map<string, Promise<unknown>>()

  /** One of the writes of a table waits for the lock in the database; the others wait here, so that they take no connections. */
  function inTurn<T>(inOrder: string | undefined, run: () => Promise<T>): Promise<T> {
    if (inOrder === undefined) return run()
    const turn = (lastInOrder.get(inOrder) ?? Promise.resolve()).then(run)
    lastInOrder.set(
      inOrder,
      turn.catch(() => undefined),
    )
    return turn
  }

  const running = new Set<Promise<unknown>>()
  let closed = false

  const storage = new StorageState(log)
  const bus = createBus(log)
  const store: Store = {
    read,
    readInWorker: read,
    search: searchQueue(new PgRunner(searchers, where), searchMs),
    storage,
    bus,
    get settledStamp() {
      return Math.min(stamps.last, ...[...unsettled].map((stamp) => stamp - 1))
    },
    async write<T>(name: string, fn: (tx: Tx) => Promise<T>, options: WriteOptions = {}): Promise<T> {
      refuseNested()
      if (closed) throw new Error('the store is closed')
      const writing = lock.held
        ? inTurn(options.inOrder, () => limiter.run(() => attempt(name, fn, options), isSerializationFailure, ATTEMPTS))
        : Promise.reject<T>(storageError('unreachable', where))
      running.add(writing)
      try {
        return await writing
      } catch (error) {
        const trouble = asStorageError(error, where)
        storage.refused(trouble)
        throw trouble
      } finally {
        running.delete(writing)
      }
    },
    async checkWritable() {
      if (!lock.held) throw storageError('unreachable', where)
      await storage.settle(store.write)
    },
    async close() {
      if (closed) return
      closed = true
      storage.stop()
      await Promise.allSettled(running)
      await reader.rows(SAVE_MARK, [STAMP_MARK, String(stamps.last)]).catch((error: unknown) => {
        log.warn('the stamp mark could not be saved on closing', { error })
      })
      await Promise.all([readers.close(), searchers.close(), writers.close(), lock.release()])
    },
  }
  return store
}
