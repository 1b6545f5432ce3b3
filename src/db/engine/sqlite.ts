/**
 * The store on SQLite: one connection that reads committed rows, one that writes. Writers that wait together form a group: each
 * runs in a SAVEPOINT of one transaction, all share its COMMIT and so its fsync, and none is answered before it.
 */

import { Database, type SQLQueryBindings, type Statement } from 'bun:sqlite'

import type { Clock } from '#platform/clock.ts'
import type { Log } from '#platform/log.ts'

import { asStorageError } from '../errors.ts'
import type { Rows, Runner } from '../query/builders.ts'
import type { Store, Tx } from '../store.ts'
import { AsideThread } from './aside.ts'
import { sqliteThread } from './sqlite-thread.ts'
import { STAMP_MARK, Stamps } from './stamps.ts'
import { ReadDb, refuseNested, runHooks, runWrite, WriteTx } from './write.ts'

/** A group ends after so many writers or so long, so that the first of it is not answered much later than it could be. */
const GROUP_WRITERS = 256
const GROUP_MS = 4

/**
 * When SQLite's log is copied into the database file, in pages of 4 KB. From `checkpoint` on a thread of its own does it, which here
 * would stop everything for 5 to 20 ms. Under steady writing that thread never catches up with the last page: from `restart` on the
 * writer copies the rest itself, so that the log starts over. `fallback`: the thread does not work, SQLite goes its own way.
 * (Measured at 64 writers: 39,000 writes/s and p99 3 ms against 27,000 and 14 ms for SQLite's own way every 1,000 pages.)
 */
const LOG_PAGES = { checkpoint: 2000, restart: 16_000, fallback: 32_000 }

/** Statements kept compiled a connection; lists of changing length make new ones all the time. */
const STATEMENTS = 500

/** Design §4. Bun's own defaults are synchronous=FULL without WAL, foreign keys off, no waiting. */
export const PRAGMAS = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  PRAGMA foreign_keys = ON;
  PRAGMA busy_timeout = 5000;
  PRAGMA trusted_schema = OFF;
`

class Connection implements Runner {
  readonly client: Database
  readonly #file: string
  readonly #statements = new Map<string, Statement>()

  constructor(file: string, pragmas = '') {
    this.#file = file
    try {
      this.client = new Database(file, { create: true, readwrite: true, strict: true })
      this.client.run(PRAGMAS + pragmas)
    } catch (error) {
      throw asStorageError(error, file)
    }
  }

  rows(sql: string, params: unknown[]): Rows {
    try {
      // The driver checks the types of bindings itself.
      return this.#statement(sql).values(...(params as SQLQueryBindings[]))
    } catch (error) {
      throw asStorageError(error, this.#file)
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
      this.#statements.set(sql, (statement = this.client.prepare(sql)))
    }
    return statement
  }

  close(): void {
    for (const statement of this.#statements.values()) statement.finalize()
    this.client.close(true)
  }
}

/** Reads of one turn of the event loop share a snapshot: taking and giving up its file locks costs half of a small query. */
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

  /** What is read next sees everything committed until now. */
  release(): void {
    if (!this.#open) return
    this.#open = false
    super.rows('COMMIT', [])
  }
}

interface Job {
  fn: (tx: Tx) => Promise<unknown>
  name: string
  resolve(value: unknown): void
  reject(error: unknown): void
}

/** A writer whose turn in the group is over. */
interface Outcome {
  job: Job
  ok: boolean
  value: unknown
  hooks: readonly (() => void)[]
  applyListChanges(): void
}

export interface SqliteOptions {
  /** Absolute path of a migrated database. */
  file: string
  clock: Clock
  log: Log
  /** See write.ts (tests). */
  stuckMs?: number
  logPages?: typeof LOG_PAGES
  /** See write.ts. */
  checksPages?: boolean
}

export function openSqlite({ file, clock, log, stuckMs, logPages = LOG_PAGES, checksPages }: SqliteOptions): Store {
  const writer = new Connection(file, `PRAGMA wal_autocheckpoint = ${logPages.fallback};`)
  const reader = new Reader(file, 'PRAGMA query_only = ON; PRAGMA cache_size = -8000;')
  const stamps = new Stamps(
    clock,
    Number(reader.rows('SELECT value FROM server_state WHERE key = ?', [STAMP_MARK])[0]?.[0] ?? 0),
  )

  const read = new ReadDb(reader, checksPages)
  const thread = sqliteThread(file)
  const asideThread = new AsideThread(file)
  const queue: Job[] = []
  let pumping: Promise<void> | undefined
  let closed = false

  const setMark = (mark: number) =>
    writer.rows(
      'INSERT INTO server_state (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
      [STAMP_MARK, String(mark)],
    )

  /** One writer's turn. Throws only when the whole group is lost. */
  async function turn(job: Job, mark: number | undefined): Promise<Outcome> {
    const tx = new WriteTx(writer, read, () => stamps.next(mark))
    writer.rows('SAVEPOINT w', [])
    try {
      const value = await runWrite(tx, job.name, job.fn, log, stuckMs)
      writer.rows('RELEASE w', [])
      return { job, ok: true, value, hooks: tx.hooks, applyListChanges: () => tx.listChanges.apply(read) }
    } catch (error) {
      // A full disk or an I/O error makes SQLite roll back everything by itself: then earlier writers of the group are lost too.
      if (!writer.client.inTransaction) throw error
      writer.rows('ROLLBACK TO w', [])
      writer.rows('RELEASE w', [])
      return { job, ok: false, value: error, hooks: [], applyListChanges() {} }
    }
  }

  async function commitGroup(): Promise<void> {
    const outcomes: Outcome[] = []
    let job: Job | undefined
    try {
      writer.rows('BEGIN IMMEDIATE', [])
      const mark = stamps.due()
      if (mark !== undefined) setMark(mark)
      const endsAt = performance.now() + GROUP_MS
      do {
        job = queue.shift()
        if (job === undefined) break
        outcomes.push(await turn(job, mark))
        job = undefined
      } while (outcomes.length < GROUP_WRITERS && performance.now() < endsAt)
      writer.rows('COMMIT', [])
      reader.release()
      if (mark !== undefined) stamps.keep(mark)
    } catch (error) {
      try {
        if (writer.client.inTransaction) writer.client.run('ROLLBACK')
      } catch (cause) {
        log.error('a failed group of writes could not be rolled back', { error: cause })
      }
      const lost = outcomes.map((outcome) => outcome.job)
      if (job !== undefined) lost.push(job)
      // BEGIN itself failed: whoever waits gets the reason rather than the same wait again.
      if (lost.length === 0) lost.push(...queue.splice(0))
      log.error('writes were lost', { count: lost.length, error })
      for (const { reject } of lost) reject(error)
      return
    }
    // Of the whole group before any hook, because hooks may read lists and see the rows of the whole group.
    runHooks(
      outcomes.map((outcome) => outcome.applyListChanges),
      log,
    )
    for (const { hooks } of outcomes) runHooks(hooks, log)
    for (const { job, ok, value } of outcomes) {
      if (ok) job.resolve(value)
      else job.reject(value)
    }
  }

  let copying = false
  let copied = false
  function keepLogShort(): void {
    if (copying) return
    const [, pages, done] = writer.rows('PRAGMA wal_checkpoint(NOOP)', [])[0] as [number, number, number]
    if (copied && pages >= logPages.restart) {
      // The thread has just done nearly all of it.
      writer.rows('PRAGMA wal_checkpoint(PASSIVE)', [])
      copied = false
    } else if (pages - done >= logPages.checkpoint) {
      copying = true
      copied = false
      thread
        .checkpoint()
        .then(() => (copied = true))
        .catch((error: unknown) => log.warn('the database log could not be copied', { error }))
        .finally(() => (copying = false))
    }
  }

  async function pump(): Promise<void> {
    // After the input that is there has been handled: requests that came together commit together.
    do {
      await new Promise<void>((next) => setImmediate(next))
      await commitGroup()
      try {
        keepLogShort()
      } catch (error) {
        log.warn('the database log could not be copied', { error })
      }
    } while (queue.length > 0)
    pumping = undefined
  }

  return {
    read,
    readInWorker: new ReadDb(asideThread),
    async write<T>(name: string, fn: (tx: Tx) => Promise<T>): Promise<T> {
      refuseNested()
      if (closed) throw new Error('the store is closed')
      return new Promise<T>((resolve, reject) => {
        queue.push({ fn, name, resolve: resolve as (value: unknown) => void, reject })
        pumping ??= pump()
      })
    },
    async close() {
      if (closed) return
      closed = true
      await pumping
      asideThread.stop()
      await thread.close()
      reader.release()
      try {
        setMark(stamps.last)
        // No PRAGMA optimize: the figures of a day-old database plan badly for what it grows into before the next stop (measured: a page
        // of members 49 ms instead of 1). Without figures the planner trusts the indexes, which are made for the queries.
        writer.client.run('PRAGMA wal_checkpoint(TRUNCATE)')
      } catch (error) {
        // Nothing is lost: the next start reads the log file and the mark set ahead.
        log.warn('the database could not be tidied up on closing', { error })
      }
      reader.close()
      writer.close()
    },
  }
}
