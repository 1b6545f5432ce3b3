/**
 * The store on SQLite: one connection reads committed rows, another one writes. Writes that are queued at the same time are
 * committed as a group: each runs in a SAVEPOINT of one transaction, they share its COMMIT and so its fsync, and none is answered
 * before it. See docs/adr/0003-group-commit.md.
 */

import { Database, type SQLQueryBindings, type Statement } from 'bun:sqlite'

import { type Bus, createBus } from '#platform/bus.ts'
import type { Clock } from '#platform/clock.ts'
import type { Log } from '#platform/log.ts'
import { createMetrics, type Metrics } from '#platform/metrics.ts'
import { type Attributes, startSpan, timed } from '#platform/spans.ts'

import { aroundWrites, outsideRequest, withAround } from '../around-writes.ts'
import { asStorageError, StorageError } from '../errors.ts'
import type { Rows, Runner } from '../query/builders.ts'
import { StorageState } from '../storage-state.ts'
import type { HeavyReads, Store, Tx, WriteOptions } from '../store.ts'
import { DatabaseFile } from './database-file.ts'
import { SEARCH_MS, searchQueue } from './search-queue.ts'
import { Checkpointer, LOG_PAGES, type LogPages } from './sqlite-checkpoint.ts'
import type { SqliteTask } from './sqlite.worker.ts'
import { GroupStamps, STAMP_MARK, Stamps } from './stamps.ts'
import { WorkerHost, workerUrl } from './worker-host.ts'
import { tracedBody, traceWrite, type WriteTrace } from './write-trace.ts'
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

/** A group is committed after this many writes, or after `WriteLimits.groupMs`. */
const GROUP_WRITES = 256

/** Longest time that closing the store waits for queries on the worker. */
const LAST_QUERIES_MS = 2000

/** Compiled statements kept per connection. Lists of changing length produce new statements all the time. */
const STATEMENTS = 500

/**
 * Bun's defaults are synchronous=FULL without WAL, no foreign keys and no waiting for locks. The timeout comes first, because the change of
 * the journal mode may have to wait too.
 */
export const PRAGMAS = `
  PRAGMA busy_timeout = 5000;
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  PRAGMA foreign_keys = ON;
  PRAGMA trusted_schema = OFF;
`

/**
 * In a savepoint, SQLite keeps a copy of each page as it was. Beyond 15 pages it would write them to a temporary file, and a new row of a table with
 * many indexes changes more: the file took a fifth of the CPU of such a write.
 */
const IN_MEMORY = 'PRAGMA temp_store = MEMORY;'

/** Texts, names, and placeholders. */
const TOKENS = /'[^']*'|"[^"]*"|`[^`]*`|\?/g

/**
 * SQLite compiles a query again at each execution, also with the same values, if its planner has looked at a bound parameter. It does
 * so for queries with several tables, a subquery or an order, and compiling takes most of their time: half of all our queries took
 * 11 µs, and take 2. It does not look behind a unary plus, which changes no value. So a partial index is only used if its condition is
 * in the query with a literal.
 */
export const withFixedPlan = (sql: string): string =>
  /^\s*(?:select|with)\b/i.test(sql) ? sql.replaceAll(TOKENS, (token) => (token === '?' ? '+?' : token)) : sql

class Connection implements Runner {
  readonly client: Database
  readonly #file: string
  readonly #spanned: Attributes
  readonly #statements = new Map<string, Statement>()

  constructor(file: string, pool: 'read' | 'write', pragmas: string) {
    this.#file = file
    this.#spanned = { pool }
    try {
      this.client = new Database(file, { create: true, readwrite: true, strict: true })
      this.client.run(PRAGMAS + pragmas)
    } catch (error) {
      throw asStorageError(error, file)
    }
  }

  rows(sql: string, params: unknown[]): Rows {
    const span = startSpan('statement', this.#spanned)
    try {
      // The driver checks the types of bindings itself.
      return this.#statement(sql).values(...(params as SQLQueryBindings[]))
    } catch (error) {
      if (span) span.hasFailed = true
      throw asStorageError(error, this.#file)
    } finally {
      span?.end()
    }
  }

  #statement(sql: string): Statement {
    let statement = this.#statements.get(sql)
    if (statement === undefined) {
      if (this.#statements.size >= STATEMENTS) {
        const [oldest, unused] = this.#statements.entries().next().value!
        this.#statements.delete(oldest)
        unused.finalize()
      }
      this.#statements.set(sql, (statement = this.client.prepare(withFixedPlan(sql))))
    }
    return statement
  }

  close(): void {
    for (const statement of this.#statements.values()) statement.finalize()
    this.client.close(true)
  }
}

/** Reads of one turn of the event loop share a snapshot: acquiring and releasing its file locks costs half of a small query. */
class Reader extends Connection {
  #open = false
  readonly #release = () => this.release()

  override rows(sql: string, params: unknown[]): Rows {
    if (!this.#open) {
      super.rows('BEGIN', [])
      this.#open = true
      setImmediate(this.#release)
    }
    return super.rows(sql, params)
  }

  /** The next read sees everything that was committed before it. */
  release(): void {
    if (!this.#open) return
    this.#open = false
    try {
      // After an I/O error or in a damaged file, SQLite may have ended the transaction itself.
      if (this.client.inTransaction) super.rows('COMMIT', [])
    } catch {
      // The read that met the trouble has failed with it. Nothing is lost with a transaction that only reads.
    }
  }
}

/** Runs queries on a worker with a connection of its own. Adds about 0.1 ms per query. */
class WorkerReader implements Runner {
  readonly #worker = new WorkerHost<SqliteTask, Rows>(workerUrl('db/engine/sqlite.worker.ts'))

  constructor(
    readonly file: string,
    readonly pool: 'worker' | 'search',
  ) {}

  async rows(sql: string, params: unknown[]): Promise<Rows> {
    try {
      const { file, pool } = this
      return await timed('statement', { pool }, () => this.#worker.run({ kind: 'query', file, sql, params }))
    } catch (error) {
      throw asStorageError(error, this.file)
    }
  }

  /** Queries that do not end in time reject. */
  async close(): Promise<void> {
    await this.#worker.finish({ kind: 'close' }, LAST_QUERIES_MS, new Error('the store is closed'))
  }
}

interface QueuedWrite {
  fn: (tx: Tx) => Promise<unknown>
  name: string
  /** A long write: others must not wait for its COMMIT. */
  maxMs: number | undefined
  sharesStamp: boolean
  trace: WriteTrace | undefined
  resolve(value: unknown): void
  reject(error: unknown): void
}

/** The end of a write's function. Its answer waits for the COMMIT of the group. */
interface Outcome {
  write: QueuedWrite
  ok: boolean
  /** The result of the write's function, or its error. */
  value: unknown
  hooks: readonly (() => void)[]
  applyListChanges(): void
}

export interface SqliteOptions {
  /** Absolute path of a migrated database. */
  file: string
  clock: Clock
  log: Log
  metrics?: Metrics
  /** For tests. */
  limits?: WriteLimits
  /** For tests. */
  logPages?: LogPages
  /** For tests. */
  searchMs?: number
  /** See ReadDb in write.ts. */
  checksPages?: boolean
}

export class SqliteStore implements Store {
  readonly read: ReadDb
  readonly readInWorker: ReadDb
  readonly search: Store['search']
  readonly storage: StorageState
  readonly bus: Bus
  readonly aroundWrites = aroundWrites
  readonly #log: Log
  readonly #limits: WriteLimits
  readonly #groupSize: (writes: number) => void
  readonly #writer: Connection
  readonly #reader: Reader
  readonly #workerReader: WorkerReader
  /** A worker of their own, because a worker runs one query at a time, and statistics should not wait for searches. */
  readonly #searchReader: WorkerReader
  readonly #files: DatabaseFile
  readonly #checkpointer: Checkpointer
  readonly #stamps: Stamps
  /** The last stamp when no group of writes was running. */
  #settledStamp: number
  readonly #queue: QueuedWrite[] = []
  readonly #commitQueued = () => this.#commitQueue()
  #committing: Promise<void> | undefined
  #closed = false

  /** @throws StorageError */
  constructor({
    file,
    clock,
    log,
    metrics = createMetrics(),
    limits = WRITE_LIMITS,
    logPages = LOG_PAGES,
    searchMs = SEARCH_MS,
    checksPages,
  }: SqliteOptions) {
    this.#log = log
    this.#limits = limits
    this.#groupSize = groupSize(metrics)
    this.#writer = new Connection(file, 'write', `PRAGMA wal_autocheckpoint = ${logPages.fallback}; ${IN_MEMORY}`)
    this.#reader = new Reader(file, 'read', 'PRAGMA query_only = ON; PRAGMA cache_size = -8000;')
    const [saved] = this.#reader.rows('SELECT value FROM server_state WHERE key = ?', [STAMP_MARK])
    this.#stamps = new Stamps(clock, Number(saved?.[0] ?? 0))
    this.#settledStamp = this.#stamps.last
    this.#workerReader = new WorkerReader(file, 'worker')
    this.#searchReader = new WorkerReader(file, 'search')
    this.#files = new DatabaseFile(file)
    this.storage = new StorageState(log)
    this.#checkpointer = new Checkpointer(this.#writer, this.#files, this.storage, log, logPages)
    this.read = new ReadDb(this.#reader, checksPages)
    this.readInWorker = new ReadDb(this.#workerReader)
    this.search = searchQueue(this.#searchReader, searchMs)
    this.bus = createBus(log)
  }

  async heavyReads(): Promise<HeavyReads> {
    return this
  }

  async settledStamp(): Promise<number> {
    return this.#settledStamp
  }

  async write<T>(name: string, fn: (tx: Tx) => Promise<T>, options: WriteOptions = {}): Promise<T> {
    refuseNested()
    if (this.#closed) throw new Error('the store is closed')
    const trace = traceWrite(name)
    const writing = new Promise<T>((resolve, reject) => {
      const { maxMs, sharesStamp = false } = options
      const write = { fn: tracedBody(trace, withAround(name, fn)), name, maxMs, sharesStamp, trace, reject }
      this.#queue.push({ ...write, resolve: resolve as (value: unknown) => void })
      this.#committing ??= outsideRequest(this.#commitQueued)
    })
    return trace === undefined ? writing : trace.answered(writing)
  }

  async #commitQueue(): Promise<void> {
    do {
      // First let the event loop handle all input that has arrived, so that requests that came together are committed together.
      await new Promise<void>((next) => setImmediate(next))
      await this.#commitGroup()
      this.#checkpointer.checkpointIfNeeded()
    } while (this.#queue.length > 0)
    this.#committing = undefined
  }

  async #commitGroup(): Promise<void> {
    const taken: QueuedWrite[] = []
    let outcomes: Outcome[]
    try {
      outcomes = await this.#runGroup(taken)
    } catch (error) {
      // BEGIN itself failed: reject every queued write instead of letting each one wait for the same failure.
      this.#lose(taken.length > 0 ? taken : this.#queue.splice(0), error)
      return
    } finally {
      this.#settledStamp = this.#stamps.last
    }
    // Of the whole group before any hook, because hooks may read lists and see the rows of the whole group.
    runHooks(
      outcomes.map((outcome) => outcome.applyListChanges),
      this.#log,
    )
    for (const { hooks } of outcomes) runHooks(hooks, this.#log)
    for (const { write, ok, value } of outcomes) {
      if (ok) write.resolve(value)
      else write.reject(value)
    }
  }

  /** Runs and commits the next writes of the queue, which it moves to `taken`. Throws if they are all lost. */
  async #runGroup(taken: QueuedWrite[]): Promise<Outcome[]> {
    const outcomes: Outcome[] = []
    this.#files.checkNowAndThen()
    this.#writer.rows('BEGIN IMMEDIATE', [])
    const mark = this.#stamps.markToSave()
    if (mark !== undefined) this.#saveMark(mark)
    const stamps = new GroupStamps(this.#stamps, mark)
    const endsAt = performance.now() + this.#limits.groupMs
    do {
      if (outcomes.length > 0 && this.#queue[0]?.maxMs !== undefined) break
      const write = this.#queue.shift()
      if (write === undefined) break
      taken.push(write)
      outcomes.push(await this.#runOne(write, stamps))
      if (write.maxMs !== undefined) break
    } while (outcomes.length < GROUP_WRITES && performance.now() < endsAt)
    this.#writer.rows('COMMIT', [])
    this.#groupSize(outcomes.length)
    this.#reader.release()
    if (mark !== undefined) this.#stamps.markSaved(mark)
    return outcomes
  }

  /** Runs one write of the group. Throws only if the whole group is lost. */
  async #runOne(write: QueuedWrite, stamps: GroupStamps): Promise<Outcome> {
    write.trace?.beginGroup()
    const tx = new WriteTx(this.#writer, this.read, () => stamps.next(write.sharesStamp), this.bus)
    // A long write has the group for itself: the pages that it changes, which may be many, need not be kept.
    const isAlone = write.maxMs !== undefined
    if (!isAlone) this.#writer.rows('SAVEPOINT w', [])
    try {
      const { maxMs = this.#limits.stuckMs } = write
      const value = await runWrite(tx, write.name, write.fn, this.#log, { ...this.#limits, stuckMs: maxMs })
      if (!isAlone) this.#writer.rows('RELEASE w', [])
      return { write, ok: true, value, hooks: tx.hooks, applyListChanges: () => tx.listChanges.apply(this.read) }
    } catch (error) {
      // After a full disk or an I/O error, SQLite has rolled back everything, including the earlier writes of the group.
      if (!this.#writer.client.inTransaction) throw error
      this.storage.refused(error)
      if (isAlone) this.#beginAgain(stamps.mark)
      else {
        this.#writer.rows('ROLLBACK TO w', [])
        this.#writer.rows('RELEASE w', [])
      }
      return { write, ok: false, value: error, hooks: [], applyListChanges() {} }
    }
  }

  /** Rolls back the only write of a group. The mark of stamps is committed all the same, since it must stay above the stamp that the write got. */
  #beginAgain(mark: number | undefined): void {
    this.#writer.rows('ROLLBACK', [])
    this.#writer.rows('BEGIN IMMEDIATE', [])
    if (mark !== undefined) this.#saveMark(mark)
  }

  /** Rolls back the transaction, if it has begun, and rejects its writes. */
  #lose(lost: readonly QueuedWrite[], error: unknown): void {
    try {
      if (this.#writer.client.inTransaction) this.#writer.client.run('ROLLBACK')
    } catch (cause) {
      this.#log.error('a failed group of writes could not be rolled back', { error: cause })
    }
    if (error instanceof StorageError) this.storage.refused(error, lost.length)
    else this.#log.error('writes were lost', { count: lost.length, error })
    for (const { reject } of lost) reject(error)
  }

  #saveMark(mark: number): void {
    this.#writer.rows(
      'INSERT INTO server_state (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
      [STAMP_MARK, String(mark)],
    )
  }

  async checkWritable(): Promise<void> {
    this.#files.check()
    await this.storage.settle(this)
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    await this.#committing
    await Promise.all([this.#workerReader.close(), this.#searchReader.close()])
    await this.#checkpointer.close()
    this.storage.stop()
    this.#reader.release()
    this.#tidyUp()
    this.#reader.close()
    this.#writer.close()
    const moved = this.#files.moveLogAway()
    if (moved !== undefined)
      this.#log.warn('the database file was replaced, so the log of the earlier one was moved away', { log: moved })
  }

  #tidyUp(): void {
    try {
      this.#files.check()
      this.#saveMark(this.#stamps.last)
      // No PRAGMA optimize: statistics of a day-old database mislead the planner for the database it becomes before the next stop
      // (measured: a page of members took 49 ms instead of 1). Without statistics it trusts the indexes, which fit the queries.
      this.#writer.client.run('PRAGMA wal_checkpoint(TRUNCATE)')
    } catch (error) {
      // Nothing is lost: the next start reads the log file and the mark that was saved ahead.
      this.#log.warn('the database could not be tidied up on closing', { error })
    }
  }
}
