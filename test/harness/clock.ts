import type { Clock } from '#platform/clock.ts'

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
