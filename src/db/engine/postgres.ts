/**
 * The store on PostgreSQL. Reads have a pool of their own. Each write is a SERIALIZABLE transaction, run again when PostgreSQL
 * aborts it because of a conflict. A process uses a database alone or shares it with others (pg-sharing.ts).
 */

import type { SQL } from 'bun'

import type { Clock } from '#platform/clock.ts'
import type { Log } from '#platform/log.ts'

import { aroundWrites, withAround } from '../around-writes.ts'
import { asStorageError, isSerializationFailure, storageError } from '../errors.ts'
import type { Rows, Runner } from '../query/builders.ts'
import { StorageState } from '../storage-state.ts'
import type { Store, Tx, WriteOptions } from '../store.ts'
import type { BusTimes } from './pg-bus.ts'
import { connectPostgres, placeOf } from './pg-connection.ts'
import { type Begun, type Sharing, useAlone, useShared } from './pg-sharing.ts'
import { SEARCH_MS, searchQueue } from './search-queue.ts'
import { writeLimiter } from './write-limiter.ts'
import { ReadDb, refuseNested, runHooks, runWrite, WRITE_LIMITS, type WriteLimits, WriteTx } from './write.ts'

const READ_CONNECTIONS = 10
/** Searches of all users share them, so that they cannot take all connections of other reads. */
const SEARCH_CONNECTIONS = 2
/** More parallel writes would mostly cause more conflicts. */
const WRITE_CONNECTIONS = 8

/** Conflicts soon make writes run one by one (write-limiter.ts), and then none can conflict: after this many something is wrong. */
const ATTEMPTS = 40

/**
 * A server that loses its power or network in the middle of a write keeps its locks until PostgreSQL notices, after two hours by default.
 * No write waits this long between two statements, in milliseconds.
 */
const IDLE_MS = 10_000

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
  /** Whether other processes may use the database at the same time. */
  shared?: boolean
  /** For tests. */
  limits?: WriteLimits
  /** For tests. */
  searchMs?: number
  /** For tests. */
  busTimes?: BusTimes
}

/** @throws StorageError of kind `unreachable`, or `busy` when another process uses the database */
export async function openPostgres({
  databaseUrl,
  clock,
  log,
  shared = false,
  limits = WRITE_LIMITS,
  searchMs = SEARCH_MS,
  busTimes,
}: PostgresOptions): Promise<Store> {
  const where = placeOf(databaseUrl)
  const readers = connectPostgres(databaseUrl, READ_CONNECTIONS)
  const writers = connectPostgres(databaseUrl, WRITE_CONNECTIONS, {
    settings: { idle_in_transaction_session_timeout: String(IDLE_MS) },
  })
  const searchers = connectPostgres(databaseUrl, SEARCH_CONNECTIONS, {
    settings: { statement_timeout: String(searchMs) },
  })
  const closePools = () => Promise.all([readers.close(), searchers.close(), writers.close()])
  const reader = new PgRunner(readers, where)
  const read = new ReadDb(reader)
  const storage = new StorageState(log)
  let sharing: Sharing
  try {
    sharing = await (shared ? useShared : useAlone)({ databaseUrl, clock, log, storage, reader, busTimes })
  } catch (error) {
    await closePools()
    throw error
  }
  const { bus } = sharing

  /** Runs a write once. Resolves after the commit and the after-commit hooks. */
  async function attempt<T>(name: string, fn: (tx: Tx) => Promise<T>, options: WriteOptions): Promise<T> {
    const { maxMs: stuckMs = limits.stuckMs, inOrder } = options
    const client = await writers.reserve()
    const connection = new PgRunner(client, where)
    let begun: Begun | undefined
    try {
      begun = await sharing.begin(connection, inOrder)
      const tx = new WriteTx(connection, read, begun.nextStamp, bus)
      try {
        const value = await runWrite(tx, name, fn, log, { ...limits, stuckMs })
        await begun.commit(tx.events)
        runHooks(tx.hooks, log)
        return value
      } catch (error) {
        // `fn` may have replaced the error of a conflict with one of its own: it must be run again all the same.
        throw isSerializationFailure(tx.runner.failure) ? tx.runner.failure : error
      }
    } catch (error) {
      await connection.rows('ROLLBACK', []).catch(() => undefined)
      throw error
    } finally {
      begun?.end()
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

  const store: Store = {
    read,
    readInWorker: read,
    search: searchQueue(new PgRunner(searchers, where), searchMs),
    storage,
    bus,
    aroundWrites,
    settledStamp: sharing.settledStamp,
    async write<T>(name: string, fn: (tx: Tx) => Promise<T>, options: WriteOptions = {}): Promise<T> {
      refuseNested()
      if (closed) throw new Error('the store is closed')
      const around = withAround(name, fn)
      const writing = sharing.mayWrite
        ? inTurn(options.inOrder, () =>
            limiter.run(() => attempt(name, around, options), isSerializationFailure, ATTEMPTS),
          )
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
      await sharing.check()
      await storage.settle(store.write)
    },
    async close() {
      if (closed) return
      closed = true
      storage.stop()
      await Promise.allSettled(running)
      await sharing.close()
      await closePools()
    },
  }
  return store
}
