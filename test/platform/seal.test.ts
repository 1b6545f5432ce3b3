import { expect, test } from 'bun:test'

import { deriveKey } from '#platform/keys.ts'
import { createSeal } from '#platform/seal.ts'

const key = new Uint8Array(32).fill(1)
const seal = createSeal(key)

test.each(['', 'code 123456', '验证码 😀', 'x'.repeat(100_000)])(
  'a sealed text can be opened again (case %#)',
  (text) => {
    expect(seal.open(seal.seal(text))).toBe(text)
  },
)

test('a sealed text does not show its content and differs each time', () => {
  const [a, b] = [seal.seal('123456'), seal.seal('123456')]
  expect(a).not.toBe(b)
  for (const sealed of [a, b]) {
    expect(sealed).not.toContain('123456')
    expect(Buffer.from(sealed, 'base64url').includes('123456')).toBe(false)
  }
})

test('another key does not open a sealed text', () => {
  expect(createSeal(new Uint8Array(32).fill(2)).open(seal.seal('x'))).toBeUndefined()
})

test('a changed or truncated sealed text does not open', () => {
  const bytes = Buffer.from(seal.seal('123456'), 'base64url')
  for (let i = 0; i < bytes.length; i++) {
    const changed = Buffer.from(bytes)
    changed[i]! ^= 1
    expect(seal.open(changed.toString('base64url'))).toBeUndefined()
    expect(seal.open(bytes.subarray(0, i).toString('base64url'))).toBeUndefined()
  }
  expect(seal.open('no base64 !')).toBeUndefined()
})

test('derived keys differ by purpose and are the same each time', () => {
  const [a, again, b] = [deriveKey(key, 'a'), deriveKey(key, 'a'), deriveKey(key, 'b')]
  expect(a).toEqual(again)
  expect(a).not.toEqual(b)
  expect(a).not.toEqual(key)
  expect(a).toHaveLength(32)
})
