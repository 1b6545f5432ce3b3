import { describe, expect, test } from 'bun:test'

import { minutesLeft, nextAttempt } from '#domains/delivery/rules.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND

/** When all gateways fail at once: the moments of the tries, seconds after the start. */
function tries(lifetime: number, random: number): number[] {
  const at: number[] = []
  let now: number | undefined = 0
  for (let attempts = 1; now !== undefined; attempts++) {
    at.push(now / SECOND)
    now = nextAttempt({ attempts, createdAt: 0, expiresAt: lifetime }, now, random)
  }
  return at
}

describe('when to try again', () => {
  test('a code of 5 minutes: soon at first, then every half minute, while it is good', () => {
    expect(tries(5 * MINUTE, 0.5)).toEqual([0, 2, 6, 14, 30, 60, 90, 120, 150, 180, 210, 240, 270])
  })

  test('a notice of a day: with pauses that grow to 2.4 hours', () => {
    const at = tries(24 * 60 * MINUTE, 0.5)
    expect(at.length).toBeGreaterThan(15)
    expect(at.length).toBeLessThan(30)
    expect(at.at(-1)! - at.at(-2)!).toBe(2.4 * 3600)
  })

  test('messages that failed together spread by a fifth', () => {
    const next = (random: number) => nextAttempt({ attempts: 3, createdAt: 0, expiresAt: 5 * MINUTE }, 0, random)
    expect(next(0)).toBe(6400)
    expect(next(0.999999)).toBe(9600)
  })

  test('never at or after the end', () => {
    for (const random of [0, 0.5, 0.999])
      for (let now = 0; now < 5 * MINUTE; now += 777) {
        const next = nextAttempt({ attempts: 6, createdAt: 0, expiresAt: 5 * MINUTE }, now, random)
        if (next !== undefined) expect(next).toBeLessThan(5 * MINUTE)
        else expect(now).toBeGreaterThan(5 * MINUTE - 36 * SECOND)
      }
  })

  test('a thousand failures overflow nothing', () => {
    expect(nextAttempt({ attempts: 1000, createdAt: 0, expiresAt: 5 * MINUTE }, 0, 0.5)).toBe(30 * SECOND)
  })
})

test.each([
  [5 * MINUTE, 0, 5],
  [5 * MINUTE, 1, 5],
  [5 * MINUTE, MINUTE, 4],
  [5 * MINUTE, 5 * MINUTE - 1, 1],
  [5 * MINUTE, 6 * MINUTE, 1],
])('a code that ends at %d is good for minutes at %d: %d', (end, now, minutes) => {
  expect(minutesLeft(end, now)).toBe(minutes)
})
