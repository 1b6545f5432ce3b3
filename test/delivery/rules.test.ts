import { describe, expect, test } from 'bun:test'

import { minutesLeft, nextAttempt } from '#domains/delivery/delivery.rules.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND

/** Seconds from the start to each attempt, if every attempt fails immediately. */
function attemptTimes(lifetime: number, random: number): number[] {
  const at: number[] = []
  let now: number | undefined = 0
  for (let attempts = 1; now !== undefined; attempts++) {
    at.push(now / SECOND)
    now = nextAttempt({ attempts, createdAt: 0, expiresAt: lifetime }, now, random)
  }
  return at
}

describe('nextAttempt', () => {
  test('retries a code of 5 minutes after growing pauses of at most half a minute until it expires', () => {
    expect(attemptTimes(5 * MINUTE, 0.5)).toEqual([0, 2, 6, 14, 30, 60, 90, 120, 150, 180, 210, 240, 270])
  })

  test('retries a notice for a day, with pauses that grow to 2.4 hours', () => {
    const at = attemptTimes(24 * 60 * MINUTE, 0.5)
    expect(at.length).toBeGreaterThan(15)
    expect(at.length).toBeLessThan(30)
    expect(at.at(-1)! - at.at(-2)!).toBe(2.4 * 3600)
  })

  test('varies the pause by up to 20 % in both directions', () => {
    const next = (random: number) => nextAttempt({ attempts: 3, createdAt: 0, expiresAt: 5 * MINUTE }, 0, random)
    expect(next(0)).toBe(6400)
    expect(next(0.999999)).toBe(9600)
  })

  test('never returns a time at or after the expiry', () => {
    for (const random of [0, 0.5, 0.999])
      for (let now = 0; now < 5 * MINUTE; now += 777) {
        const next = nextAttempt({ attempts: 6, createdAt: 0, expiresAt: 5 * MINUTE }, now, random)
        if (next !== undefined) expect(next).toBeLessThan(5 * MINUTE)
        else expect(now).toBeGreaterThan(5 * MINUTE - 36 * SECOND)
      }
  })

  test('returns the longest pause after a thousand failures', () => {
    expect(nextAttempt({ attempts: 1000, createdAt: 0, expiresAt: 5 * MINUTE }, 0, 0.5)).toBe(30 * SECOND)
  })
})

test.each([
  [5 * MINUTE, 0, 5],
  [5 * MINUTE, 1, 5],
  [5 * MINUTE, MINUTE, 4],
  [5 * MINUTE, 5 * MINUTE - 1, 1],
  [5 * MINUTE, 6 * MINUTE, 1],
])('minutesLeft of a code that expires at %d ms is, at %d ms, %d', (end, now, minutes) => {
  expect(minutesLeft(end, now)).toBe(minutes)
})
