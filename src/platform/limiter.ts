/** Limits the rate of events per key in fixed time windows, counted in this process. */

import type { Clock } from './clock.ts'

export interface Limiter {
  /**
   * Counts one use of `key` (a session id, or a text that names the event). Returns 0 within `limit`, otherwise the seconds until
   * the window ends (at least 1).
   */
  take(key: string | number, limit: number, windowMs: number): number
  /** Seconds until `key` may be used again, 0 if it may be used now. Counts nothing; for uses that count only when they fail. */
  spent(key: string | number, limit: number): number
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
  return {
    take(key, limit, windowMs) {
      const now = clock.now()
      const window = windows.get(key)
      if (window === undefined || window.endsAt <= now) {
        if (windows.size >= sweepAt) sweep(now)
        windows.set(key, { count: 1, endsAt: now + windowMs })
        return 0
      }
      window.count += 1
      return window.count <= limit ? 0 : secondsLeft(window, now)
    },
    spent(key, limit) {
      const now = clock.now()
      const window = windows.get(key)
      return window === undefined || window.endsAt <= now || window.count < limit ? 0 : secondsLeft(window, now)
    },
  }
}
