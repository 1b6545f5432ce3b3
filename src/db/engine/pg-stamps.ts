/**
 * Stamps of processes that share a PostgreSQL database. They come from one row, which is updated in a transaction of its own after the write
 * has taken its snapshot: a write whose rows are in the snapshot had its stamp before, so it has a lower one.
 *
 * Example of a settled stamp. Process A knows the mark 100.
 *
 *     A: BEGIN, and a shared advisory lock on 100: every stamp that this transaction will get is above 100.
 *     A: takes the stamp 105 from the row.
 *     B: takes the stamp 106, commits.
 *     B: asks for the settled stamp. The mark is 106, but pg_locks contains 100: 100 is settled, 101 to 106 are not.
 *     A: commits, which releases the lock. Now 106 is settled.
 *
 * A write that is not in pg_locks yet takes its stamp later, so it gets one above the mark that was read before the locks.
 */

import type { Clock } from '#platform/clock.ts'

import type { TimedConnection } from './pg-connection.ts'
import { STAMP_MARK } from './stamps.ts'

/**
 * Keys of the advisory locks: this number, then the stamp in 44 bits (milliseconds until the year 2527). "TE" in ASCII.
 */
const NAMESPACE = 0x5445
const BITS = 44

/** $1: the key; $2: the stamp if there is no row yet; $3: how many stamps to take; $4: the lowest last stamp. Returns the last stamp. */
const TAKE = `INSERT INTO server_state (key, value) VALUES ($1, $2) ON CONFLICT (key)
  DO UPDATE SET value = greatest(server_state.value::bigint + $3::text::bigint, $4::text::bigint)::text RETURNING value`

/** The mark is of the snapshot of the statement, which is older than the locks. */
const SETTLED = `SELECT (SELECT value FROM server_state WHERE key = '${STAMP_MARK}'), (
    SELECT min((classid::bigint << 32 | objid::bigint) & ${2 ** BITS - 1}) FROM pg_locks
    WHERE locktype = 'advisory' AND objsubid = 1 AND (classid::bigint << 32 | objid::bigint) >> ${BITS} = ${NAMESPACE}
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
  )`

export class SharedStamps {
  /** The highest stamp that is known to have been given: later ones are above it. */
  #known = 0
  #settled = 0
  readonly #waiting: (PromiseWithResolvers<number> & { readonly count: number })[] = []
  #isTaking = false

  constructor(
    readonly connection: TimedConnection,
    readonly clock: Clock,
  ) {}

  /** The stamp mark was read from the database. */
  noteMark(mark: number): void {
    this.#known = Math.max(this.#known, mark)
  }

  /** SQL of the lock that a write takes before its stamp. */
  lock(): string {
    return `pg_advisory_xact_lock_shared(${(BigInt(NAMESPACE) << BigInt(BITS)) | BigInt(this.#known)})`
  }

  /** Takes `count` stamps from the database, after this call. Returns the first. Calls that wait at the same time share a round trip. */
  take(count: number): Promise<number> {
    const waiting = { ...Promise.withResolvers<number>(), count }
    this.#waiting.push(waiting)
    if (!this.#isTaking) void this.#takeAll()
    return waiting.promise
  }

  async #takeAll(): Promise<void> {
    this.#isTaking = true
    while (this.#waiting.length > 0) {
      const groups = this.#waiting.splice(0)
      const count = groups.reduce((sum, group) => sum + group.count, 0)
      const lowest = this.clock.now() + count - 1
      try {
        const rows = await this.connection.rows(TAKE, [STAMP_MARK, String(lowest), String(count), String(lowest)])
        const last = Number(rows[0]![0])
        this.noteMark(last)
        let first = last - count + 1
        for (const group of groups) {
          group.resolve(first)
          first += group.count
        }
      } catch (error) {
        for (const { reject } of groups) reject(error)
      }
    }
    this.#isTaking = false
  }

  /** See `Store.settledStamp`. */
  settled(waitMs?: number): Promise<number> {
    return settledWithin(waitMs, async () => {
      const [row] = await this.connection.rows(SETTLED)
      const [mark, lowest] = row!
      const given = Number(mark ?? 0)
      const settled = Math.min(given, lowest === null ? Number.POSITIVE_INFINITY : Number(lowest))
      // A settled stamp remains settled. A process that was idle may hold a lock on an old stamp.
      this.#settled = Math.max(this.#settled, settled)
      return { given, settled: this.#settled }
    })
  }
}

/** Calls `read` again, after pauses that double, until all stamps that it first found given are settled or `waitMs` have passed. */
export async function settledWithin(
  waitMs = 0,
  read: () => Promise<{ readonly given: number; readonly settled: number }>,
): Promise<number> {
  const { given, settled: first } = await read()
  let settled = first
  let waited = 0
  for (let pauseMs = 2; settled < given && waited < waitMs; pauseMs *= 2) {
    await Bun.sleep(pauseMs)
    waited += pauseMs
    settled = (await read()).settled
  }
  return settled
}
