/**
 * Limits how many writes run at the same time on PostgreSQL. Each serialization conflict halves the limit, each success raises it a
 * little (additive increase, multiplicative decrease): independent writes run in parallel, conflicting ones soon one by one.
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

export function writeLimiter(max: number): WriteLimiter {
  /** A fraction between 1 and `max`; its whole part counts. */
  let limit = max
  let running = 0
  const waiting: (() => void)[] = []

  function startWaiting(): void {
    while (running < Math.floor(limit) && waiting.length > 0) {
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

  return {
    async run(attempt, isConflict, attempts) {
      for (let nth = 1; ; nth++) {
        await enter(nth > 1)
        try {
          const value = await attempt()
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
