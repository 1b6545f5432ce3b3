import { expect, test } from 'bun:test'

import { parseDecimal, roundTo, significant } from '#lib/decimal.ts'

test.each([
  ['0', { value: 0, decimals: 0 }],
  ['-0', { value: 0, decimals: 0 }],
  ['12.50', { value: 12.5, decimals: 1 }],
  ['-1999.90', { value: -1999.9, decimals: 1 }],
  ['+7', { value: 7, decimals: 0 }],
  ['007.10', { value: 7.1, decimals: 1 }],
  ['1e3', { value: 1000, decimals: 0 }],
  ['1.25e-3', { value: 0.00125, decimals: 5 }],
  ['1e+21', { value: 1e21, decimals: 0 }],
  ['123456789012345', { value: 123_456_789_012_345, decimals: 0 }],
  ['0.123456789012345', { value: 0.123456789012345, decimals: 15 }],
  ['12345678901234500000', { value: 12_345_678_901_234_500_000, decimals: 0 }],
  ['1234567890123456', 'imprecise'],
  ['0.30000000000000004', 'imprecise'],
  ['1e301', 'imprecise'],
  ['1e-301', 'imprecise'],
  ['1e9999', 'imprecise'],
  ['', 'malformed'],
  ['.5', 'malformed'],
  ['5.', 'malformed'],
  ['1,000', 'malformed'],
  ['0x10', 'malformed'],
  ['Infinity', 'malformed'],
  ['NaN', 'malformed'],
  ['1 2', 'malformed'],
  ['１２', 'malformed'],
  ['9'.repeat(401), 'malformed'],
] as const)('parseDecimal parses %j, or says why not', (text, expected) => {
  expect(parseDecimal(text)).toEqual(expected)
})

test('parseDecimal returns every number of 15 digits as it was written', () => {
  for (let i = 0; i < 2000; i++) {
    const digits = String(Math.floor(Math.random() * 1e15)).padStart(15, '1')
    const point = Math.floor(Math.random() * 14) + 1
    const text = `${digits.slice(0, point)}.${digits.slice(point)}`
    const parsed = parseDecimal(text)
    expect(parsed).toMatchObject({ value: Number(text) })
    expect(BigInt((parsed as { value: number }).value.toFixed(15 - point).replace('.', ''))).toBe(BigInt(digits))
  }
})

test.each([
  [1.005, 2, 1.01],
  [-1.005, 2, -1.01],
  [2.5, 0, 3],
  [-2.5, 0, -3],
  [0.5, 0, 1],
  [-0.4, 0, 0],
  [1.0049999, 2, 1],
  [8.345, 2, 8.35],
  [1e21, 2, 1e21],
  [1.5e-7, 7, 2e-7],
  [4.5e-7, 6, 0],
  [1250, -2, 1300],
  [1249, -2, 1200],
  [123_456_789_012_345, 6, 123_456_789_012_345],
  [1e300, 15, 1e300],
])('roundTo(%d, %d) is %d', (value, places, expected) => {
  expect(roundTo(value, places)).toBe(expected)
})

test('roundTo rounds like integers do', () => {
  for (let i = 0; i < 5000; i++) {
    const places = i % 7
    const thousandths = Math.floor((Math.random() - 0.5) * 1e9)
    const sign = thousandths < 0 ? -1 : 1
    // The decimal number thousandths / 10^(places + 1), rounded by its last digit.
    const expected = sign * Math.floor((Math.abs(thousandths) + 5) / 10)
    const value = Number(`${thousandths}e-${places + 1}`)
    expect(roundTo(value, places)).toBe(Number(`${expected}e-${places}`) + 0)
  }
})

test('significant removes the noise of binary fractions', () => {
  expect(significant(0.1 + 0.2)).toBe(0.3)
  expect(significant(1.1 * 3)).toBe(3.3)
  expect(Object.is(significant(-0), 0)).toBe(true)
  expect(significant(9_007_199_254_740_993)).toBe(9_007_199_254_740_990)
})

test('significant rounds like toPrecision', () => {
  for (let i = 0; i < 50_000; i++) {
    const value = (Math.random() - 0.5) * 10 ** Math.floor(Math.random() * 40 - 20)
    for (const number of [value, Math.round(value), Math.round(value * 100) / 100])
      expect(significant(number)).toBe(Number(number.toPrecision(15)) + 0)
  }
})
