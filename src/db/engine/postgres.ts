/**
 * The store on PostgreSQL. Reads have a pool of their own. Writes that wait share a transaction (write-groups.ts), SERIALIZABLE unless each is one
 * statement, and are run again when PostgreSQL aborts it because of a conflict. A process uses a database alone or shares it with others (pg-sharing.ts).
 */

import type { SQL } from 'bun'

import { defaultConfig } from '#config/config.ts'
import type { Bus } from '#platform/bus.ts'
import type { Clock } from '#platform/clock.ts'
import type { Log } from '#platform/log.ts'
import { createMetrics, type Metrics } from '#platform/metrics.ts'

import { aroundWrites, outsideRequest, withAround } from '../around-writes.ts'
import {
  asStorageError,
  isFromReadOnly,
  isLockTimeout,
  isSerializationFailure,
  readOnly,
  storageError,
} from '../errors.ts'
import type { Rows, Runner } from '../query/builders.ts'
import { StorageState } from '../storage-state.ts'
import type { HeavyReads, Store, Tx, WriteOptions } from '../store.ts'
import type { BusTimes } from './pg-bus.ts'
import { connectPostgres, placeOf, searchSettings } from './pg-connection.ts'
import { conflictCounter, PoolMeter, showWaiting } from './pg-metrics.ts'
import { checkConnections, Pools, type PoolSizes, poolSizes, unpooled } from './pg-pools.ts'
import { Replica, type ReplicaTimes } from './pg-replica.ts'
import { type Begun, type Sharing, useAlone, useShared } from './pg-sharing.ts'
import { type Search, SEARCH_MS, searchQueue } from './search-queue.ts'
import { type Ended, WriteGroups } from './write-groups.ts'
import { tracedBody, tracedGroup, traceWrite, type WriteTrace } from './write-trace.ts'
import {
  groupSize,
  ReadDb,
  refuseNested,
  runHooks,
  runWrite,
  WRITE_LIMITS,
  type WriteLimits,
  WriteTx,
} from './write.ts'

/** Groups of writes that run at the same time. */
const LANES = 3

/** Conflicts soon make writes run in one lane (write-groups.ts), and then none can conflict: after this many something is wrong. */
const ATTEMPTS = 40
/** After this many transactions that were rolled back, a write runs alone. */
const GROUP_ATTEMPTS = 2

/**
 * A server that loses its power or network in the middle of a write keeps its locks until PostgreSQL notices, after two hours by default.
 * No write waits this long between two statements, in milliseconds.
 */
const IDLE_TIMEOUT = { idle_in_transaction_session_timeout: '10000' }
const STATEMENT_TIMEOUT = 'statement_timeout'

/** Through a pooler, settings hold for one transaction only. */
const SET_FOR_WRITE = Object.entries({ synchronous_commit: 'on', [STATEMENT_TIMEOUT]: '0', ...IDLE_TIMEOUT })
  .map(([name, value]) => `SET LOCAL ${name} TO ${value}; `)
  .join('')

/** `Bun.SQL` prepares templates, but no text without parameters. It sends only prepared statements behind others that have no answer yet. */
const asTemplate = (sql: string): TemplateStringsArray =>
  Object.defineProperty([sql] as unknown as { raw: readonly string[] } & string[], 'raw', { value: [sql] })

/** Runs statements on a pool or on a reserved connection. */
class PgRunner implements Runner {
  constructor(
    readonly client: () => SQL,
    readonly where: string,
    readonly meter: PoolMeter,
  ) {}
  rows(sql: string, params: unknown[]): Promise<Rows> {
    return this.#answer(this.client().unsafe(sql, params).values())
  }
  command(sql: string): Promise<Rows> {
    return this.#answer(this.client()(asTemplate(sql)).values())
  }
  async #answer(statement: Promise<Rows>): Promise<Rows> {
    try {
      return await this.meter.timed(statement)
    } catch (error) {
      throw asStorageError(error, this.where)
    }
  }
}

/** Runs each statement in a transaction that limits its time. */
class PooledSearcher implements Runner {
  constructor(
    readonly pool: () => SQL,
    readonly where: string,
    readonly meter: PoolMeter,
    readonly maxMs: number,
  ) {}
  async rows(sql: string, params: unknown[]): Promise<Rows> {
    try {
      return (await this.pool().begin(async (tx) => {
        await tx.unsafe(`SET LOCAL ${STATEMENT_TIMEOUT} TO ${this.maxMs}`)
        return this.meter.timed(tx.unsafe(sql, params).values())
      })) as Rows
    } catch (error) {
      throw asStorageError(error, this.where)
    }
  }
}

/** Runs the statements of one write of a group. */
class WriteRunner extends PgRunner {
  /** Whether a statement was sent that does more than read. */
  hasChanged = false
  /** Statements that were sent and have not been answered. */
  unanswered = 0
  override rows(sql: string, params: unknown[]): Promise<Rows> {
    if (!/^select/i.test(sql)) this.hasChanged = true
    this.unanswered++
    return super.rows(sql, params).finally(() => this.unanswered--)
  }
}

interface PgWrite {
  readonly name: string
  readonly fn: (tx: Tx) => Promise<unknown>
  readonly maxMs: number | undefined
  readonly inOrder: string | undefined
  readonly rowsOf: number | undefined
  readonly isOneStatement: boolean
  readonly trace: WriteTrace | undefined
  isAlone: boolean
  /** Transactions with it that were rolled back. */
  attempts: number
  resolve(value: unknown): void
  reject(error: unknown): void
}

/** The end of a write's function. It is final when the group has been committed. */
interface Outcome {
  readonly write: PgWrite
  readonly tx: WriteTx
  readonly ok: boolean
  /** The result of the write's function, or its error. */
  readonly value: unknown
  /** Whether the transaction can be committed without this write. */
  readonly isClean: boolean
}

/** Writes of a group have failed after they had changed rows. */
class FailedInGroup extends Error {
  constructor(readonly failed: readonly Outcome[]) {
    super('writes of a group failed')
  }
}

const DONE = { again: [], isConflict: false }

const isConflict = (error: unknown): boolean => isSerializationFailure(error) || isLockTimeout(error)

/** The writes that run next, at the same time: one, or writes of different owners. */
function nextStep(group: readonly PgWrite[], from: number): PgWrite[] {
  const owners = new Set<number | undefined>()
  const end = group.findIndex(({ rowsOf }, i) => {
    if (i < from) return false
    if (owners.has(rowsOf) || (rowsOf === undefined && owners.size > 0) || owners.has(undefined)) return true
    owners.add(rowsOf)
    return false
  })
  // In one order, so that two groups do not wait for each other's locks.
  return group.slice(from, end < 0 ? group.length : end).toSorted((a, b) => (a.rowsOf ?? 0) - (b.rowsOf ?? 0))
}

export interface PostgresOptions {
  databaseUrl: string
  /** A pooler for the pools, which leads to the same database; empty: none. */
  poolerUrl?: string
  /** A replica for reads of many rows; empty: none. */
  readUrl?: string
  clock: Clock
  log: Log
  metrics?: Metrics
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
  /** For tests. */
  replicaTimes?: ReplicaTimes
}

/** @throws StorageError of kind `unreachable`, also for too few connections, or `busy` when another process uses the database */
export async function openPostgres(options: PostgresOptions): Promise<Store> {
  const { databaseUrl, clock, log, shared = false, limits = WRITE_LIMITS, searchMs = SEARCH_MS, busTimes } = options
  const { poolerUrl = '', readUrl = '' } = options
  const pooled = poolerUrl !== ''
  const { connections = defaultConfig.databaseConnections, metrics = createMetrics() } = options
  const where = placeOf(databaseUrl)
  const sizes = poolSizes(connections, shared)
  // The pooler keeps connections for its clients, and says itself if they are too many.
  await checkConnections(databaseUrl, pooled ? unpooled(shared) : connections)
  const pool = (max: number, settings = {}) => connectPostgres(poolerUrl || databaseUrl, max, { settings, pooled })
  const pools = new Pools(() => ({
    readers: pool(sizes.readers),
    writers: pool(sizes.writers, IDLE_TIMEOUT),
    searchers: pool(sizes.searchers, searchSettings(searchMs)),
  }))
  const meters = {
    read: new PoolMeter(metrics, 'read'),
    write: new PoolMeter(metrics, 'write'),
    search: new PoolMeter(metrics, 'search'),
  }
  const reader = new PgRunner(() => pools.readers, where, meters.read)
  const storage = new StorageState(log)
  try {
    const sharing = await (shared ? useShared : useAlone)({
      databaseUrl,
      clock,
      log,
      metrics,
      storage,
      reader,
      busTimes,
      onOtherServer: () => pools.renew(),
      ...(pooled && { setForWrite: SET_FOR_WRITE }),
    })
    const search = searchQueue(
      pooled
        ? new PooledSearcher(() => pools.searchers, where, meters.search, searchMs)
        : new PgRunner(() => pools.searchers, where, meters.search),
      searchMs,
    )
    const times = options.replicaTimes
    const replica = readUrl && new Replica({ readUrl, searchMs, primary: reader, log, metrics, times })
    const own = { where, log, metrics, meter: meters.write, limits }
    const parts = { ...own, pools, sizes, reader, storage, sharing, search, replica: replica || undefined }
    const store = new PostgresStore(parts)
    showWaiting(metrics, meters, sizes, () => store.writes)
    return store
  } catch (error) {
    await pools.close()
    throw error
  }
}

interface Parts {
  /** The place of the database for error messages. */
  readonly where: string
  readonly log: Log
  readonly metrics: Metrics
  /** Of writes. */
  readonly meter: PoolMeter
  readonly limits: WriteLimits
  readonly pools: Pools
  readonly sizes: PoolSizes
  readonly reader: PgRunner
  readonly storage: StorageState
  readonly sharing: Sharing
  readonly search: Search
  readonly replica: Replica | undefined
}

class PostgresStore implements Store {
  readonly read: ReadDb
  readonly readInWorker: ReadDb
  readonly search: Search
  readonly storage: StorageState
  readonly bus: Bus
  readonly aroundWrites = aroundWrites
  readonly #where: string
  readonly #log: Log
  readonly #meter: PoolMeter
  readonly #groupSize: (writes: number) => void
  readonly #countConflict: () => void
  readonly #limits: WriteLimits
  readonly #pools: Pools
  readonly #sharing: Sharing
  readonly #replica: Replica | undefined
  readonly #groups: WriteGroups<PgWrite>
  readonly #running = new Set<Promise<unknown>>()
  #closed = false

  constructor({ where, log, metrics, meter, limits, pools, sizes, reader, storage, sharing, search, replica }: Parts) {
    this.read = this.readInWorker = new ReadDb(reader)
    this.search = search
    this.storage = storage
    this.bus = sharing.bus
    this.#where = where
    this.#log = log
    this.#meter = meter
    this.#groupSize = groupSize(metrics)
    this.#countConflict = conflictCounter(metrics)
    this.#limits = limits
    this.#pools = pools
    this.#groups = new WriteGroups(sizes.writers, Math.min(LANES, sizes.writers), (group) =>
      tracedGroup(group, () => this.#runGroup(group)),
    )
    this.#sharing = sharing
    this.#replica = replica
  }

  /** How many run or wait. */
  get writes(): number {
    return this.#running.size
  }

  async heavyReads(): Promise<HeavyReads> {
    const runnerOf = await this.#replica?.caughtUp()
    if (runnerOf === undefined) return this
    const searcher = runnerOf('searchers')
    const read = new ReadDb(runnerOf('readers'))
    return {
      read,
      readInWorker: read,
      search: (userId, fn) => this.search(userId, fn, searcher),
    }
  }

  settledStamp(waitMs?: number): Promise<number> {
    return this.#sharing.settledStamp(waitMs)
  }

  async write<T>(name: string, fn: (tx: Tx) => Promise<T>, options: WriteOptions = {}): Promise<T> {
    refuseNested()
    if (this.#closed) throw new Error('the store is closed')
    const trace = traceWrite(name)
    const around = tracedBody(trace, withAround(name, fn))
    const writing = new Promise<T>((resolve, reject) => {
      if (!this.#sharing.mayWrite) throw storageError('unreachable', this.#where)
      const { maxMs, inOrder, rowsOf, isOneStatement = false } = options
      const isAlone = maxMs !== undefined
      const write = { name, fn: around, maxMs, inOrder, rowsOf, isOneStatement, trace, isAlone, attempts: 0, reject }
      outsideRequest(() => this.#groups.add({ ...write, resolve: resolve as (value: unknown) => void }))
    })
    this.#running.add(writing)
    try {
      return await (trace === undefined ? writing : trace.answered(writing))
    } catch (error) {
      const trouble = asStorageError(error, this.#where)
      this.storage.refused(trouble)
      throw trouble
    } finally {
      this.#running.delete(writing)
    }
  }

  /** Runs and commits writes in one transaction, and answers those that are final. */
  async #runGroup(group: readonly PgWrite[]): Promise<Ended<PgWrite>> {
    const client = await this.#pools.writers.reserve().catch((error: unknown) => {
      for (const { reject } of group) reject(error)
    })
    if (!client) return DONE
    const connection = new PgRunner(() => client, this.#where, this.#meter)
    let begun: Begun | undefined
    try {
      const { inOrder, isOneStatement } = group[0]!
      begun = await this.#sharing.begin(connection, { inOrder, isOneStatement, writes: group.length })
      const outcomes =
        isOneStatement && group.length === 1
          ? await this.#runAtOnce(group[0]!, client, begun)
          : await this.#runAll(group, client, begun)
      const done = outcomes.filter((outcome) => outcome.ok)
      this.#groupSize(done.length)
      for (const { tx } of done) runHooks(tx.hooks, this.#log)
      for (const { write, ok, value } of outcomes) {
        if (ok) write.resolve(value)
        else write.reject(value)
      }
      return { again: group.slice(outcomes.length), isConflict: false }
    } catch (error) {
      if (isConflict(error)) this.#countConflict()
      await connection.rows('ROLLBACK', []).catch(() => undefined)
      const isAway = isFromReadOnly(error)
      if (isAway) this.#pools.renew()
      return this.#afterRollback(group, isAway ? readOnly(this.#where, error) : error)
    } finally {
      begun?.end()
      client.release()
    }
  }

  /**
   * Runs the writes of a group, until all have run or `groupMs` have passed. Those of different owners run at the same time, which sends their
   * statements together; all others one after the other. Then commits. Throws if the transaction must be rolled back.
   */
  async #runAll(group: readonly PgWrite[], client: SQL, begun: Begun): Promise<Outcome[]> {
    const outcomes: Outcome[] = []
    const endsAt = performance.now() + this.#limits.groupMs
    while (outcomes.length < group.length && (outcomes.length === 0 || performance.now() < endsAt)) {
      const step = nextStep(group, outcomes.length)
      const ended = await Promise.all(step.map((write) => this.#runOne(write, this.#txOn(client, begun))))
      const failed = ended.filter(({ ok }) => !ok)
      // `fn` may have replaced the error of a conflict with one of its own: it must be run again all the same.
      const failures = failed.map(({ tx, value }) => tx.runner.failure ?? value)
      const conflict = failures.find(isConflict)
      if (conflict !== undefined) throw conflict
      const unclean = failed.filter(({ isClean }) => group.length === 1 || !isClean)
      if (unclean.length > 0) throw new FailedInGroup(unclean)
      outcomes.push(...ended)
    }
    await begun.commit(outcomes.flatMap(({ ok, tx }) => (ok ? tx.events : [])))
    return outcomes
  }

  /** Sends the COMMIT behind the statement of the write, without waiting for its answer. */
  async #runAtOnce(write: PgWrite, client: SQL, begun: Begun): Promise<Outcome[]> {
    const tx = this.#txOn(client, begun)
    const running = this.#runOne(write, tx)
    if (tx.runner.connection.unanswered !== 1) throw new Error(`write ${write.name} did not send one statement`)
    tx.runner.alive = false
    // PostgreSQL rolls back if the statement has failed.
    const [outcome] = await Promise.all([running, begun.commit([])])
    if (outcome.ok) return [outcome]
    const { failure } = tx.runner
    if (failure === undefined) throw storageError('unreachable', this.#where, outcome.value)
    throw isConflict(failure) ? failure : new FailedInGroup([outcome])
  }

  #txOn(client: SQL, begun: Begun): WriteTx<WriteRunner> {
    return new WriteTx(new WriteRunner(() => client, this.#where, this.#meter), this.read, begun.nextStamp, this.bus)
  }

  async #runOne(write: PgWrite, tx: WriteTx<WriteRunner>): Promise<Outcome> {
    const { maxMs: stuckMs = this.#limits.stuckMs } = write
    try {
      const value = await runWrite(tx, write.name, write.fn, this.#log, { ...this.#limits, stuckMs })
      return { write, tx, ok: true, value, isClean: true }
    } catch (value) {
      const { hasChanged, unanswered } = tx.runner.connection
      const isClean = !hasChanged && unanswered === 0 && tx.runner.failure === undefined
      return { write, tx, ok: false, value, isClean }
    }
  }

  /** Nothing of the group has been committed, unless its COMMIT got no answer. Answers the writes that are not run again. */
  #afterRollback(group: readonly PgWrite[], error: unknown): Ended<PgWrite> {
    const failed = error instanceof FailedInGroup ? error.failed : undefined
    if (failed === undefined && !isConflict(error)) {
      for (const { reject } of group) reject(error)
      return DONE
    }
    const answered = new Set<PgWrite>()
    const answer = (write: PgWrite, reason: unknown) => {
      answered.add(write)
      write.reject(reason)
    }
    for (const write of group) {
      write.attempts++
      write.isAlone ||= write.attempts >= GROUP_ATTEMPTS || isLockTimeout(error)
      if (failed === undefined && write.attempts >= ATTEMPTS) answer(write, error)
    }
    for (const { write, value } of failed ?? []) {
      // In a group, it may have failed because of the writes before it, which have not been committed, or have waited for those beside it.
      write.isAlone = true
      if (group.length === 1) answer(write, value)
    }
    return { again: group.filter((write) => !answered.has(write)), isConflict: failed === undefined }
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
    await this.#replica?.close()
    await this.#sharing.close()
    await this.#pools.close()
  }
}
