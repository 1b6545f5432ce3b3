import type { Clock } from '#platform/clock.ts'

/**
 * Waits until the clock has passed a stamp, and returns the time. Stamps run ahead of the clock after many writes, so an edit made at once
 * can be older than a write that was answered before it.
 */
export async function passed(stamp: number): Promise<number> {
  while (Date.now() <= stamp + 1) await Bun.sleep(1)
  return Date.now()
}

/** Real time plus the time that a test added. */
export class TestClock implements Clock {
  #ahead = 0
  now(): number {
    return Date.now() + this.#ahead
  }
  advance(ms: number): void {
    this.#ahead += ms
  }
}
