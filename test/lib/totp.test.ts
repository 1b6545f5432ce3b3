import { describe, expect, test } from 'bun:test'

import { base32, stepAt, stepOfCode, totp } from '#lib/totp.ts'

const SECRET = new TextEncoder().encode('12345678901234567890')

describe('time-based one-time passwords', () => {
  // RFC 6238, appendix B, SHA-1: the last six of the eight digits.
  const vectors: [seconds: number, code: string][] = [
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_111_111_111, '050471'],
    [1_234_567_890, '005924'],
    [2_000_000_000, '279037'],
    [20_000_000_000, '353130'],
  ]
  for (const [seconds, code] of vectors)
    test(`the code at ${seconds} seconds is the one of RFC 6238`, () =>
      expect(totp(SECRET, stepAt(seconds * 1000))).toBe(code))

  test('codes of the current step and its neighbours are accepted, and no others', () => {
    const now = 1_700_000_000_000
    const step = stepAt(now)
    const found = [-2, -1, 0, 1, 2].map((offset) => stepOfCode(SECRET, totp(SECRET, step + offset), now, 0))
    expect(found).toEqual([undefined, step - 1, step, step + 1, undefined])
  })

  test('a code of the step that was used last, or of an earlier one, is refused', () => {
    const now = 1_700_000_000_000
    const step = stepAt(now)
    const after = (lastStep: number) =>
      [-1, 0, 1].filter((o) => stepOfCode(SECRET, totp(SECRET, step + o), now, lastStep) !== undefined)
    expect([after(step - 1), after(step), after(step + 1)]).toEqual([[0, 1], [1], []])
  })
})

describe('base32', () => {
  // RFC 4648, section 10, without the padding.
  const vectors: [string, string][] = [
    ['', ''],
    ['f', 'MY'],
    ['fo', 'MZXQ'],
    ['foo', 'MZXW6'],
    ['foob', 'MZXW6YQ'],
    ['fooba', 'MZXW6YTB'],
    ['foobar', 'MZXW6YTBOI'],
  ]
  for (const [text, encoded] of vectors)
    test(`“${text}” is encoded as “${encoded}”`, () => expect(base32(new TextEncoder().encode(text))).toBe(encoded))
})
