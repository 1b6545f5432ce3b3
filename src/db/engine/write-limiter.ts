/**
 * Limits how many writes run at the same time on PostgreSQL. Each serialization conflict halves the limit, each success raises it a
 * little (additive increase, multiplicative decrease): independent writes run in parallel, conflicting ones soon one by one. A write
 * that takes long, such as one that waits for a lock, does not count towards the limit, so that it cannot stop all the others.
 */

export interface WriteLimiter {
  /**
   * Runs `attempt` as soon as the limit allows. If it rejects with an error for which `isConflict` is true, it is run again, up to
   * `attempts` times in total.
   */
  run<T>(attempt: () => Promise<T>, isConflict: (error: unknown) => boolean, attempts: number): Promise<T>
}

/** This many successes raise the limit by one. */
const SUCCESSES_PER_STEP = 20

/**
 * In milliseconds. PostgreSQL finds a deadlock after a second (`deadlock_timeout`): if conflicting writes stopped counting while they wait
 * in one, those that start meanwhile would make the next.
 */
const LONG_MS = 1500

/** Never more than `max` attempts run at once, long ones included: each has a connection. `longMs` is another value in tests. */
export function writeLimiter(max: number, longMs = LONG_MS): WriteLimiter {
  /** A fraction between 1 and `max`; its whole part counts. */
  let limit = max
  let running = 0
  /** Attempts among the running ones that have taken `longMs`. */
  let long = 0
  const waiting: (() => void)[] = []

  function startWaiting(): void {
    while (running < max && running - long < Math.floor(limit) && waiting.length > 0) {
      running++
      waiting.shift()!()
    }
  }

  /** Retries go to the front of the queue so that they cannot starve. */
  function enter(isRetry: boolean): Promise<void> {
    return new Promise<void>((start) => {
      if (isRetry) waiting.unshift(start)
      else waiting.push(start)
      startWaiting()
    })
  }

  /** Runs `attempt`, and counts it among the long ones from `longMs` on. */
  async function timed<T>(attempt: () => Promise<T>): Promise<T> {
    let isLong = false
    const timer = setTimeout(() => {
      isLong = true
      long++
      startWaiting()
    }, longMs)
    try {
      return await attempt()
    } finally {
      clearTimeout(timer)
      if (isLong) long--
    }
  }

  return {
    async run(attempt, isConflict, attempts) {
      for (let nth = 1; ; nth++) {
        await enter(nth > 1)
        try {
          const value = await timed(attempt)
          limit = Math.min(max, limit + 1 / SUCCESSES_PER_STEP)
          return value
        } catch (error) {
          if (!isConflict(error)) throw error
          limit = Math.max(1, limit / 2)
          if (nth === attempts) throw error
        } finally {
          running--
          startWaiting()
        }
      }
    },
  }
}
