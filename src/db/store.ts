/**
 * The only way to the data. `read` sees committed rows; `write` is the only way to change them. SQLite and PostgreSQL
 * implement the same promise, in `sqlite.ts` and `postgres.ts`:
 *
 * - what `write` resolved with survives a power cut; what it rejected with left nothing;
 * - `write` calls appear to run one after the other;
 * - `afterCommit` functions run once, in order, after the commit and before the caller goes on, never after a rollback.
 */

import type { BaseSQLiteDatabase } from 'drizzle-orm/sqlite-core'

// TypeScript sees one dialect: the builders used here answer alike on both (see dialect.ts).
type Drizzle = BaseSQLiteDatabase<'async', unknown, Record<string, never>>

/** Always awaited; never call `.get() .all() .run()` on them. What a write did is known from RETURNING only. */
export type Builders = Pick<Drizzle, 'select' | 'selectDistinct' | '$with' | 'with' | 'insert' | 'update' | 'delete'>

/** Reads committed rows: all that was committed when the current turn of the event loop first read, and every write of this process. */
export type Db = Pick<Builders, 'select' | 'selectDistinct' | '$with' | 'with'> & { readonly kind: 'read' | 'write' }

/**
 * A running write. Dead once the function given to `write` has returned: any later use throws. Await nothing but it. A statement
 * that fails dooms the write, even when its error is caught: decide by a condition or ON CONFLICT, not by trying.
 */
export type Tx = Builders & {
  readonly kind: 'write'
  /** Runs after the commit: notifications, sockets, mails, cache invalidation. Must not throw; errors are logged. */
  afterCommit(fn: () => void): void
  /**
   * The moment of this write for `updatedAt`, epoch milliseconds: greater than that of every earlier write, also across
   * restarts and when the machine's clock goes back. Above 1,000 stamped writes a second it runs ahead of the clock.
   */
  readonly stamp: number
}

export interface Store {
  readonly read: Db
  /**
   * The same rows for queries that take more than a millisecond or two (searching a long list, statistics): on SQLite they run on
   * a thread of their own, so that the event loop goes on. Not for paged lists.
   */
  readonly readInWorker: Db
  /** `name` (`domain.useCase`) names the write in the log. `fn` may run more than once on PostgreSQL: side effects belong in
   * `afterCommit`. */
  write<T>(name: string, fn: (tx: Tx) => Promise<T>): Promise<T>
  /** Waits for writes under way, checkpoints, closes. Later calls reject. */
  close(): Promise<void>
}
