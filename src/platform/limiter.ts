/**
 * Counts uses per key in windows that start with the first use. `Limiter` counts in this process, `db/shared-counters.ts` for all processes
 * together, and `db/counters.ts` durably.
 */

import type { MaybePromise } from '#lib/maybe-promise.ts'

import type { Clock } from './clock.ts'

/** Something to count: at most `limit` in a window. */
export interface Use {
  readonly key: string
  readonly limit: number
  readonly windowMs: number
  /** How much of the limit this use takes; 1 by default. 0 takes nothing, and is refused if the limit is used up. */
  readonly cost?: number
}

/** Whether a use of this cost exceeds the limit. */
export const isOver = (count: number, { limit, cost = 1 }: Pick<Use, 'limit' | 'cost'>): boolean =>
  count + Math.max(cost, 1) > limit

export interface Counted {
  readonly count: number
  /** Epoch milliseconds. */
  readonly windowStart: number
}

/** The count after one more use at `now`, or for how long (milliseconds) it is refused. */
export function countUse(
  before: Counted | undefined,
  use: Use,
  now: number,
): { after: Counted } | { refusedFor: number } {
  const { windowMs, cost = 1 } = use
  const isCurrent = before !== undefined && before.windowStart + windowMs > now
  const { count, windowStart } = isCurrent ? before : { count: 0, windowStart: now }
  return isOver(count, use)
    ? { refusedFor: windowStart + windowMs - now }
    : { after: { count: count + cost, windowStart } }
}

export interface Refusal<U extends Use = Use> {
  readonly use: U
  /** Milliseconds until the window of `use` ends. */
  readonly refusedFor: number
}

/** The refusal that lasts longest, or the counts after all uses: a call counts in all of its budgets or in none. */
export function countAll<U extends Use>(
  uses: readonly U[],
  counted: (key: string) => Counted | undefined,
  now: number,
): Refusal<U> | readonly { use: U; after: Counted }[] {
  let refusal: Refusal<U> | undefined
  const counts: { use: U; after: Counted }[] = []
  for (const use of uses) {
    const result = countUse(counted(use.key), use, now)
    if ('after' in result) counts.push({ use, after: result.after })
    else if (refusal === undefined || result.refusedFor > refusal.refusedFor) refusal = { use, ...result }
  }
  return refusal ?? counts
}

/** Limits that protect secrets, and budgets. They hold exactly, for all processes together. */
export interface ExactLimiter {
  /** Counts all uses, or none if one of them is refused: then returns the refusal that lasts longest. @throws StorageError */
  takeAll<U extends Use>(uses: readonly U[]): MaybePromise<Refusal<U> | undefined>
  /** Seconds until `key` may be used again, 0 if it may be used now as far as this process knows. Counts nothing. */
  spent(key: string, limit: number): number
}

export interface Limiter extends ExactLimiter {
  /**
   * Counts one use of `key` (a session id, or a text that names the event). Returns 0 within `limit`, otherwise the seconds until
   * the window ends (at least 1).
   */
  take(key: string | number, limit: number, windowMs: number): number
  takeAll<U extends Use>(uses: readonly U[]): Refusal<U> | undefined
  /** How many things of this process `limit` allows by itself: fewer while it does not hear of those of the other processes. */
  share(limit: number): number
  /** Adds uses that another process has counted, in a window until `endsAt` (epoch milliseconds) unless one is running. */
  add(key: string | number, count: number, endsAt: number): void
}

interface Window {
  count: number
  endsAt: number
}

const secondsLeft = (window: Window, now: number): number => Math.max(1, Math.ceil((window.endsAt - now) / 1000))

/** Number of keys at which ended windows are removed, so that a flood of addresses cannot grow the map without limit. */
const SWEEP_AT = 10_000

export function createLimiter(clock: Clock): Limiter {
  const windows = new Map<string | number, Window>()
  let sweepAt = SWEEP_AT
  function sweep(now: number): void {
    for (const [key, window] of windows) if (window.endsAt <= now) windows.delete(key)
    sweepAt = Math.max(SWEEP_AT, windows.size * 2)
  }
  function save(key: string | number, window: Window, now: number): void {
    if (windows.size >= sweepAt) sweep(now)
    windows.set(key, window)
  }
  return {
    share: (limit) => limit,
    take(key, limit, windowMs) {
      const now = clock.now()
      const window = windows.get(key)
      if (window === undefined || window.endsAt <= now) {
        save(key, { count: 1, endsAt: now + windowMs }, now)
        return 0
      }
      window.count += 1
      return window.count <= limit ? 0 : secondsLeft(window, now)
    },
    takeAll(uses) {
      const now = clock.now()
      const windowOf = new Map(uses.map(({ key, windowMs }) => [key, windowMs]))
      const result = countAll(
        uses,
        (key) => {
          const window = windows.get(key)
          return window && { count: window.count, windowStart: window.endsAt - windowOf.get(key)! }
        },
        now,
      )
      if ('refusedFor' in result) return result
      for (const { use, after } of result)
        save(use.key, { count: after.count, endsAt: after.windowStart + use.windowMs }, now)
      return undefined
    },
    add(key, count, endsAt) {
      const now = clock.now()
      const window = windows.get(key)
      if (window !== undefined && window.endsAt > now) window.count += count
      else if (endsAt > now) save(key, { count, endsAt }, now)
    },
    spent(key, limit) {
      const now = clock.now()
      const window = windows.get(key)
      return window === undefined || window.endsAt <= now || window.count < limit ? 0 : secondsLeft(window, now)
    },
  }
}
