/** The web application checks the values of forms by the limits of the endpoint records. */

import { expect, test } from 'bun:test'

import { limitsOf, problemWith } from '../../src/web/ui/limits.ts'

test('the limits of an operation are found by the paths of its fields', () => {
  const limits = limitsOf('activities.create')
  expect(limits['name']).toEqual({ required: true, length: 100 })
  expect(limits['region.city']).toEqual({ required: false, length: 50 })
  expect(limits['checkInConfig.radiusMeters']).toEqual({ required: false, min: 10, max: 100_000, isWhole: true })
  expect(limits['visibility']?.choices).toEqual(['PUBLIC', 'RESTRICTED', 'INVITE_ONLY'])
})

test('a text that may not be empty is required where a row is changed', () => {
  expect(limitsOf('categories.create')['name']?.required).toBe(true)
  expect(limitsOf('categories.update')['name']?.required).toBe(true)
  expect(limitsOf('profile.update')['nickname']?.required).toBe(false)
})

test('a text is too long by its characters, as the server counts them', () => {
  expect(problemWith('👨‍👩‍👧'.repeat(100), { length: 100 })).toBeUndefined()
  expect(problemWith(` ${'a'.repeat(100)} `, { length: 100 })).toBeUndefined()
  expect(problemWith('a'.repeat(101), { length: 100 })).toEqual(['long', 100])
})

test('a number must be one, be whole where that is asked for, and be within its limits', () => {
  const limits = { min: 10, max: 100, isWhole: true }
  expect([Number.NaN, 10.5, 9, 101, 10, 100, null].map((value) => problemWith(value, limits))).toEqual([
    'number',
    'whole',
    ['least', 10],
    ['most', 100],
    undefined,
    undefined,
    undefined,
  ])
  expect(problemWith(1e9, undefined)).toBeUndefined()
})
