/** Times compared with each other in the same run, so that no result depends on the speed or the load of the machine. */

/** Times below this one, in milliseconds, are too short to compare. */
const NEGLIGIBLE_MS = 1
const MIN_ROUNDS = 2
/** On a busy machine a run may be interrupted again and again. */
const MAX_ROUNDS = 30

/**
 * Runs all of `runs` in turns and returns the fastest time of each in milliseconds, at least 1. Stops after two rounds in which
 * `isGood` accepts the times, or after 30.
 */
export function fastest(runs: readonly (() => unknown)[], isGood: (ms: readonly number[]) => boolean): number[] {
  let best = runs.map(() => Number.POSITIVE_INFINITY)
  for (let round = 1; ; round++) {
    best = best.map((ms, i) => {
      const started = performance.now()
      runs[i]!()
      return Math.min(ms, Math.max(NEGLIGIBLE_MS, performance.now() - started))
    })
    if (round >= (isGood(best) ? MIN_ROUNDS : MAX_ROUNDS)) return best
  }
}

/** How much more than a linear algorithm may seem to grow when the length is ten times as large. A quadratic one grows tenfold. */
export const MAX_GROWTH = 4

/** How many times as long `work(size)` takes as ten times `work(size / 10)`: about 1 if linear, 10 if quadratic. */
export function growth(work: (size: number) => unknown, size: number): number {
  const short = (): void => {
    for (let i = 0; i < 10; i++) work(size / 10)
  }
  const [long = 0, ten = 0] = fastest([() => work(size), short], ([a = 0, b = 0]) => a / b < MAX_GROWTH)
  return long / ten
}
