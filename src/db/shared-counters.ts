/**
 * Limits that hold exactly for all processes on a PostgreSQL database. A process counts the calls of one turn of the event loop by one statement,
 * which takes as much of each limit as is left and needs no transaction.
 */

import { sharedRuns } from '#lib/shared-runs.ts'
import type { Clock } from '#platform/clock.ts'
import { type ExactLimiter, isOver, type Refusal, type Use } from '#platform/limiter.ts'

/** A row of `COUNT`: the key takes `take`, but not beyond `most`, and gives back `back` that it took in the window of `since`. */
interface Asked {
  readonly key: string
  most: number
  readonly lasts: number
  take: number
  readonly back: number
  readonly since: number
}

/**
 * $1: JSON of `Asked`; $2: now. All processes lock the rows in the order of the keys. The commit need not wait for the disk: the log of
 * PostgreSQL is sequential, so a later durable write makes this one durable.
 */
const COUNT = `WITH asked AS MATERIALIZED (
    SELECT * FROM json_to_recordset($1::text::json)
      AS a(key text, most bigint, lasts bigint, take bigint, back bigint, since bigint)
  )
  INSERT INTO counters AS c (key, count, granted, window_start, expires_at)
  SELECT key, least(take, most), least(take, most), $2::text::bigint, $2::text::bigint + lasts
  FROM asked, set_config('synchronous_commit', 'off', true) ORDER BY key
  ON CONFLICT (key) DO UPDATE SET (count, granted, window_start, expires_at) = (
    SELECT used + given, given,
      CASE WHEN is_current THEN c.window_start ELSE excluded.window_start END,
      CASE WHEN is_current THEN c.expires_at ELSE excluded.expires_at END
    FROM asked AS a,
      LATERAL (SELECT c.expires_at > excluded.window_start AS is_current) AS w,
      LATERAL (SELECT CASE WHEN NOT is_current THEN 0 WHEN c.window_start = a.since THEN greatest(c.count - a.back, 0) ELSE c.count END AS used) AS u,
      LATERAL (SELECT least(a.take, greatest(a.most - used, 0)) AS given) AS g
    WHERE a.key = excluded.key
  )
  RETURNING key, count, granted, window_start, expires_at`

/** Rows of one statement, which looks through all of them for each that exists already. */
const MAX_KEYS = 256
/**
 * In milliseconds. The database is not asked about a refused key for this time. The whole window would be too long, because another process may
 * give uses back.
 */
const CLOSED_MS = 1000
const MAX_CLOSED = 10_000

interface Waiting {
  readonly uses: readonly Use[]
  refusal: Refusal | undefined
}

/** Removes as many calls as fit into one statement. */
function takeBatch(calls: Waiting[]): Waiting[] {
  const keys = new Set<string>()
  const end = calls.findIndex(({ uses }) => {
    for (const { key } of uses) keys.add(key)
    return keys.size >= MAX_KEYS
  })
  return calls.splice(0, end < 0 ? calls.length : end + 1)
}

/** Runs one statement. */
type Query = (sql: string, params: readonly string[]) => Promise<unknown[][]>

export class SharedCounters implements ExactLimiter {
  #waiting: Waiting[] = []
  /** Uses that a statement took for calls that were then refused, by key. */
  readonly #surplus = new Map<string, { readonly back: number; readonly since: number }>()
  readonly #closed = new Map<string, { readonly until: number; readonly endsAt: number }>()
  readonly #count: () => Promise<void>

  constructor(
    readonly query: Query,
    readonly clock: Clock,
  ) {
    this.#count = sharedRuns(() => this.#countWaiting())
  }

  async takeAll<U extends Use>(uses: readonly U[]): Promise<Refusal<U> | undefined> {
    if (uses.length === 0) return undefined
    const mine: Waiting = { uses, refusal: undefined }
    this.#waiting.push(mine)
    await this.#count()
    // It is one of `uses`.
    return mine.refusal as Refusal<U> | undefined
  }

  spent(key: string): number {
    const now = this.clock.now()
    const window = this.#closed.get(key)
    return window === undefined || window.until <= now ? 0 : Math.max(1, Math.ceil((window.endsAt - now) / 1000))
  }

  async #countWaiting(): Promise<void> {
    const calls = this.#waiting
    this.#waiting = []
    do {
      const batch = takeBatch(calls)
      const now = this.clock.now()
      const rows = await this.query(COUNT, [JSON.stringify(this.#askedBy(batch)), String(now)])
      this.#decide(batch, rows, now)
    } while (calls.length > 0)
    // Nobody waits for it.
    if (this.#surplus.size > 0) this.#count().catch(() => undefined)
  }

  #askedBy(batch: readonly Waiting[]): Asked[] {
    const asked = new Map<string, Asked>()
    for (const { uses } of batch)
      for (const { key, limit, windowMs, cost = 1 } of uses) {
        const row = asked.get(key)
        if (row === undefined) {
          const { back, since } = this.#surplus.get(key) ?? { back: 0, since: 0 }
          asked.set(key, { key, most: limit, lasts: windowMs, take: cost, back, since })
        } else {
          row.take += cost
          row.most = Math.max(row.most, limit)
        }
      }
    for (const [key, { back, since }] of this.#surplus)
      if (!asked.has(key)) asked.set(key, { key, most: 0, lasts: 0, take: 0, back, since })
    this.#surplus.clear()
    return [...asked.values()]
  }

  /** Decides the calls in their order, as if each had been counted alone. */
  #decide(batch: readonly Waiting[], rows: readonly unknown[][], now: number): void {
    const windows = new Map(
      rows.map(([key, count, granted, start, end]) => [
        String(key),
        { used: Number(count) - Number(granted), taken: Number(count), since: Number(start), endsAt: Number(end) },
      ]),
    )
    for (const one of batch) {
      for (const use of one.uses) {
        const { used, endsAt } = windows.get(use.key)!
        if (!isOver(used, use)) continue
        if (used >= use.limit) this.#close(use.key, now, endsAt)
        const refusedFor = endsAt - now
        if (one.refusal === undefined || refusedFor > one.refusal.refusedFor) one.refusal = { use, refusedFor }
      }
      if (one.refusal === undefined) for (const { key, cost = 1 } of one.uses) windows.get(key)!.used += cost
    }
    for (const [key, { used, taken, since }] of windows)
      if (taken > used) this.#surplus.set(key, { back: taken - used, since })
  }

  #close(key: string, now: number, endsAt: number): void {
    if (this.#closed.size >= MAX_CLOSED) this.#closed.clear()
    this.#closed.set(key, { until: Math.min(now + CLOSED_MS, endsAt), endsAt })
  }
}
