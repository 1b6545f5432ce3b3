/**
 * The store on PostgreSQL. Reads have a pool of their own. Each write is a SERIALIZABLE transaction, run again when PostgreSQL
 * aborts it because of a conflict. A process uses a database alone or shares it with others (pg-sharing.ts).
 */

import type { SQL } from 'bun'

import { defaultConfig } from '#config/config.ts'
import type { Bus } from '#platform/bus.ts'
import type { Clock } from '#platform/clock.ts'
import type { Log } from '#platform/log.ts'

import { aroundWrites, withAround } from '../around-writes.ts'
import { asStorageError, isSerializationFailure, storageError } from '../errors.ts'
import type { Rows, Runner } from '../query/builders.ts'
import { StorageState } from '../storage-state.ts'
import type { Store, Tx, WriteOptions } from '../store.ts'
import type { BusTimes } from './pg-bus.ts'
import { connectPostgres, placeOf } from './pg-connection.ts'
import { checkConnections, type PoolSizes, poolSizes } from './pg-pools.ts'
import { type Begun, type Sharing, useAlone, useShared } from './pg-sharing.ts'
import { SEARCH_MS, searchQueue } from './search-queue.ts'
import { type WriteLimiter, writeLimiter } from './write-limiter.ts'
import { ReadDb, refuseNested, runHooks, runWrite, WRITE_LIMITS, type WriteLimits, WriteTx } from './write.ts'

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
  /** The most connections that this process opens. */
  connections?: number
  /** For tests. */
  limits?: WriteLimits
  /** For tests. */
  searchMs?: number
  /** For tests. */
  busTimes?: BusTimes
}

/** @throws StorageError of kind `unreachable`, also for too few connections, or `busy` when another process uses the database */
export async function openPostgres(options: PostgresOptions): Promise<Store> {
  const { databaseUrl, clock, log, shared = false, limits = WRITE_LIMITS, searchMs = SEARCH_MS, busTimes } = options
  const { connections = defaultConfig.databaseConnections } = options
  const where = placeOf(databaseUrl)
  await checkConnections(databaseUrl, connections)
  const sizes = poolSizes(connections, shared)
  const pools: Pools = {
    readers: connectPostgres(databaseUrl, sizes.readers),
    writers: connectPostgres(databaseUrl, sizes.writers, {
      settings: { idle_in_transaction_session_timeout: String(IDLE_MS) },
    }),
    searchers: connectPostgres(databaseUrl, sizes.searchers, {
      settings: { statement_timeout: String(searchMs) },
    }),
  }
  const reader = new PgRunner(pools.readers, where)
  const storage = new StorageState(log)
  try {
    const sharing = await (shared ? useShared : useAlone)({ databaseUrl, clock, log, storage, reader, busTimes })
    const search = searchQueue(new PgRunner(pools.searchers, where), searchMs)
    return new PostgresStore({ where, log, limits, pools, sizes, reader, storage, sharing, search })
  } catch (error) {
    await closePools(pools)
    throw error
  }
}

interface Pools {
  readonly readers: SQL
  readonly writers: SQL
  readonly searchers: SQL
}

const closePools = ({ readers, writers, searchers }: Pools) =>
  Promise.all([readers.close(), searchers.close(), writers.close()])

interface Parts {
  /** The place of the database for error messages. */
  readonly where: string
  readonly log: Log
  readonly limits: WriteLimits
  readonly pools: Pools
  readonly sizes: PoolSizes
  readonly reader: PgRunner
  readonly storage: StorageState
  readonly sharing: Sharing
  readonly search: Store['search']
}

class PostgresStore implements Store {
  readonly read: ReadDb
  readonly readInWorker: ReadDb
  readonly search: Store['search']
  readonly storage: StorageState
  readonly bus: Bus
  readonly aroundWrites = aroundWrites
  readonly #where: string
  readonly #log: Log
  readonly #limits: WriteLimits
  readonly #pools: Pools
  readonly #sharing: Sharing
  readonly #limiter: WriteLimiter
  readonly #lastInOrder = new Map<string, Promise<unknown>>()
  readonly #running = new Set<Promise<unknown>>()
  #closed = false

  constructor({ where, log, limits, pools, sizes, reader, storage, sharing, search }: Parts) {
    this.read = this.readInWorker = new ReadDb(reader)
    this.search = search
    this.storage = storage
    this.bus = sharing.bus
    this.#where = where
    this.#log = log
    this.#limits = limits
    this.#pools = pools
    this.#limiter = writeLimiter(sizes.writers)
    this.#sharing = sharing
  }

  settledStamp(waitMs?: number): Promise<number> {
    return this.#sharing.settledStamp(waitMs)
  }

  async write<T>(name: string, fn: (tx: Tx) => Promise<T>, options: WriteOptions = {}): Promise<T> {
    refuseNested()
    if (this.#closed) throw new Error('the store is closed')
    const around = withAround(name, fn)
    const writing = this.#sharing.mayWrite
      ? this.#inTurn(options.inOrder, () =>
          this.#limiter.run(() => this.#attempt(name, around, options), isSerializationFailure, ATTEMPTS),
        )
      : Promise.reject<T>(storageError('unreachable', this.#where))
    this.#running.add(writing)
    try {
      return await writing
    } catch (error) {
      const trouble = asStorageError(error, this.#where)
      this.storage.refused(trouble)
      throw trouble
    } finally {
      this.#running.delete(writing)
    }
  }

  /** One of the writes of a table waits for the lock in the database; the others wait here, so that they take no connections. */
  #inTurn<T>(inOrder: string | undefined, run: () => Promise<T>): Promise<T> {
    if (inOrder === undefined) return run()
    const turn = (this.#lastInOrder.get(inOrder) ?? Promise.resolve()).then(run)
    this.#lastInOrder.set(
      inOrder,
      turn.catch(() => undefined),
    )
    return turn
  }

  /** Runs a write once. Resolves after the commit and the after-commit hooks. */
  async #attempt<T>(name: string, fn: (tx: Tx) => Promise<T>, options: WriteOptions): Promise<T> {
    const { maxMs: stuckMs = this.#limits.stuckMs, inOrder } = options
    const client = await this.#pools.writers.reserve()
    const connection = new PgRunner(client, this.#where)
    let begun: Begun | undefined
    try {
      begun = await this.#sharing.begin(connection, inOrder)
      const tx = new WriteTx(connection, this.read, begun.nextStamp, this.bus)
      try {
        const value = await runWrite(tx, name, fn, this.#log, { ...this.#limits, stuckMs })
        await begun.commit(tx.events)
        runHooks(tx.hooks, this.#log)
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

  async checkWritable(): Promise<void> {
    await this.#sharing.check()
    await this.storage.settle(this)
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    this.storage.stop()
    await Promise.allSettled(this.#running)
    await this.#sharing.close()
    await closePools(this.#pools)
  }
}
