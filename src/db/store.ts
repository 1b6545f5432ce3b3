/**
 * The only access to the data. `read` sees committed rows; `write` is the only way to change them. SQLite (engine/sqlite.ts) and
 * PostgreSQL (engine/postgres.ts) keep the same promises:
 *
 * - when `write` has resolved, its changes survive a power cut; when it has rejected, none of its changes remain, unless PostgreSQL did not
 *   answer the COMMIT (StorageError of kind `unreachable`): then it may have been committed, or be committed some seconds later;
 * - `write` calls appear to run one after the other;
 * - `afterCommit` functions run once, in order, after the commit and before the caller continues. They never run after a rollback or a COMMIT
 *   without an answer, so work that must not be lost needs a row or a job that finds it.
 */

import type { BaseSQLiteDatabase } from 'drizzle-orm/sqlite-core'

/** For interfaces between domains that contain parts of queries. */
export type { SQL } from 'drizzle-orm'
export type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'

import type { Bus, Topic } from '#platform/bus.ts'

import type { StorageError, StorageTrouble } from './errors.ts'
import type { OwnerKey } from './owner-key.ts'

// TypeScript sees one dialect: the builders used here work alike on both (see dialect.ts).
type Drizzle = BaseSQLiteDatabase<'async', unknown, Record<string, never>>

/**
 * Always await them; never call `.get()`, `.all()` or `.run()`. Only RETURNING shows what a write changed: no builder returns a
 * count of affected rows.
 */
export type Builders = Pick<Drizzle, 'select' | 'selectDistinct' | '$with' | 'with' | 'insert' | 'update' | 'delete'>

/**
 * Reads committed rows: every write of this process that has resolved, and everything else that was committed before the first
 * read in the current turn of the event loop.
 */
export type Db = Pick<Builders, 'select' | 'selectDistinct' | '$with' | 'with'> & { readonly kind: 'read' | 'write' }

/**
 * A running write. Using it after the function given to `write` has returned throws. Await nothing else in that function. After a
 * statement has failed, the write is rolled back even if the error was caught: decide by a condition or ON CONFLICT, not by trying.
 */
export type Tx = Builders & {
  readonly kind: 'write'
  /** Runs `fn` after the commit, in this process: mails, answers. It must not throw; errors are logged. */
  afterCommit(fn: () => void): void
  /** Runs `fn` when the function of the write has returned, as its last part: its changes are committed with the others, and an error of it rolls all of them back. */
  beforeCommit(fn: () => Promise<void>): void
  /** Calls the listeners of `of` (`Store.bus`) after the commit, in every process: caches and sockets. The payload is small: ids. */
  publish<Payload>(of: Topic<Payload>, payload: Payload): void
  /**
   * The time of this write for `updatedAt`, in epoch milliseconds: greater than that of every earlier write, also after a restart
   * and when the machine's clock goes back. Above 1,000 stamped writes a second it runs ahead of the clock. See also `sharesStamp`.
   */
  readonly stamp: number
  /**
   * Lets the requests that only read run. For writes of thousands of rows, every few milliseconds; other writes still wait on SQLite.
   */
  pause(): Promise<void>
}

export type WriteBody<T> = (tx: Tx) => Promise<T>
/** Returns the function that runs in place of `body` in the write `name`. On PostgreSQL it may run more than once. */
export type AroundWrites = <T>(name: string, body: WriteBody<T>) => WriteBody<T>

export interface WriteOptions {
  /** Milliseconds after which it is rolled back, instead of the usual 10 seconds. On SQLite it then shares no COMMIT with other writes. */
  readonly maxMs?: number
  /**
   * SQL name of a table. Writes with the same table run one after the other, also in several processes, and commit in that order: for
   * numbers that clients read as a cursor. On SQLite all writes do.
   */
  readonly inOrder?: string
  /**
   * The write reads and changes no rows but those of this owner, and those that no write changes. On PostgreSQL it may then run at the same time as
   * writes of other owners in one transaction, in which neither sees what the other does.
   */
  readonly rowsOf?: OwnerKey
  /**
   * The write consists of one statement, sent before `fn` awaits anything; afterwards `fn` neither uses `tx` nor refuses anything. On PostgreSQL it sees
   * all rows that are committed when the statement runs, and no conflict is noticed: a lock, a condition of the statement or a unique index must enforce each rule
   * (docs/adr/0003-group-commit.md). It must not give its stamp to rows that were there before.
   */
  readonly isOneStatement?: boolean
  /**
   * Whether the write may have the stamp of the one before it, if that one allows it too and both are in one COMMIT: for many small writes of
   * one request, which would make the stamps of all users run ahead of the clock. No cursor can be between the two.
   */
  readonly sharesStamp?: boolean
}

/** Trouble of the storage since the start (storage-state.ts). */
export interface StorageTroubles {
  /** Refused writes by cause. */
  readonly refusedWrites: ReadonlyMap<StorageTrouble, number>
  /** An operation has failed with this error. Keeps the log short while many do. */
  failed(error: StorageError): void
}

/** The parts of the store that read many rows. */
export type HeavyReads = Pick<Store, 'read' | 'readInWorker' | 'search'>

export interface Store {
  readonly read: Db
  /**
   * Reads the same rows, for queries that take more than a millisecond or two (filtering a long list, statistics). On SQLite they
   * run on a worker, so that the event loop is not blocked. Not for paged lists.
   */
  readonly readInWorker: Db
  /**
   * Runs `fn`, which searches lists (`searchPage` in search.ts) with the `db` that it gets. The searches of one user run one at a time.
   * @throws SearchRefused when it takes too long, or when newer searches of the user have replaced it
   */
  search<T>(userId: number, fn: (db: Db) => Promise<T>): Promise<T>
  /**
   * For statistics, exports and filtered lists of all owners: the same reads at a replica, if there is one and it has everything that had been
   * committed before this call. Otherwise those of this store. To be called for each answer.
   */
  heavyReads(): Promise<HeavyReads>
  /**
   * Runs `fn` in a transaction. `name` (`domain.useCase`) is the name of the write in the log. On PostgreSQL `fn` may run more than
   * once, so side effects belong in `afterCommit`.
   */
  write<T>(name: string, fn: (tx: Tx) => Promise<T>, options?: WriteOptions): Promise<T>
  /** Calls `run`, and `around` for every write that it starts: it returns the function that runs in place of the write's own. */
  aroundWrites<T>(around: AroundWrites, run: () => T): T
  /**
   * A stamp up to which everything is settled: each write with it or a lower one has been committed or rolled back, and each later write gets
   * a greater one. Clients that read changes by their stamps may continue from here. Get it before the rows, because on PostgreSQL a
   * write can be committed after one with a greater stamp. On PostgreSQL, a write that is running keeps back the later stamps: `waitMs` is how
   * long to wait for the writes that run when it is called. On SQLite, all answered writes are settled.
   */
  settledStamp(waitMs?: number): Promise<number>
  /**
   * Rejects with a StorageError while the storage accepts no writes. Costs a small write if one was refused before, otherwise
   * nearly nothing: health checks call it.
   */
  checkWritable(): Promise<void>
  readonly storage: StorageTroubles
  readonly bus: Bus
  /** Waits for running writes, checkpoints and closes. Later calls reject. */
  close(): Promise<void>
}
