/** Rotating codes of check-in. */

import { describe, expect, test } from 'bun:test'

import { isGoodAt, rotatingCode } from '#domains/activities/check-ins/rotating.rules.ts'
import { NEW_ACTIVITY } from '#domains/activities/register/register.rules.ts'
import { createSeal } from '#platform/seal.ts'

const SECOND = 1000
const seal = createSeal(new Uint8Array(32).fill(7))
const rotatingEvery = (rotatingSeconds: number | null, checkInUuid = 'a') => ({
  ...NEW_ACTIVITY,
  checkInUuid,
  checkInConfig: { ...NEW_ACTIVITY.checkInConfig, rotatingSeconds },
})
const row = rotatingEvery(30)
/** The beginning of a step. */
const START = 1_800_000_000_000
const codeAt = (now: number, of = row, by = seal) => rotatingCode(by, of, now)!.code

describe('a rotating code', () => {
  test('has 8 letters and digits, and lasts until its step ends', () => {
    expect(rotatingCode(seal, row, START)).toEqual({
      code: expect.stringMatching(/^[A-HJ-NP-Z2-9]{8}$/),
      until: START + 30 * SECOND,
    })
    expect(codeAt(START + 30 * SECOND - 1)).toBe(codeAt(START))
    expect(codeAt(START + 30 * SECOND)).not.toBe(codeAt(START))
  })

  test('depends on the key of the server, the activity and the length of a step', () => {
    const codes = [
      codeAt(START),
      codeAt(START, row, createSeal(new Uint8Array(32).fill(8))),
      codeAt(START, rotatingEvery(30, 'b')),
      codeAt(START, rotatingEvery(15)),
    ]
    expect(new Set(codes).size).toBe(codes.length)
  })

  test('is the same on every process of a server', () => {
    expect(codeAt(START, row, createSeal(new Uint8Array(32).fill(7)))).toBe(codeAt(START))
  })

  test('is good in its step and the next one, in any case', () => {
    const code = codeAt(START)
    for (const after of [0, 29.999, 30, 59.999]) expect(isGoodAt(seal, row, code, START + after * SECOND)).toBe(true)
    expect(isGoodAt(seal, row, code.toLowerCase(), START)).toBe(true)
    for (const after of [60, 90, 3600]) expect(isGoodAt(seal, row, code, START + after * SECOND)).toBe(false)
  })

  test('is good for a process whose clock is a little behind that of the screen', () => {
    expect(isGoodAt(seal, row, codeAt(START), START - SECOND)).toBe(true)
    expect(isGoodAt(seal, row, codeAt(START), START - 31 * SECOND)).toBe(false)
  })

  test('is neither that of another activity nor any other text', () => {
    for (const code of [codeAt(START, rotatingEvery(30, 'b')), '', 'AAAAAAAA', codeAt(START).slice(0, 7)])
      expect(isGoodAt(seal, row, code, START)).toBe(false)
  })

  test('does not exist unless the activity rotates its code', () => {
    expect(rotatingCode(seal, rotatingEvery(null), START)).toBeUndefined()
    expect(isGoodAt(seal, rotatingEvery(null), codeAt(START), START)).toBe(false)
  })
})
