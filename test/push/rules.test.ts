import { expect, test } from 'bun:test'

import { excerptOf, isQuiet, outcomeOf, pauseAfter } from '#domains/push/push.rules.ts'

import { makeDevice } from './push-service.ts'

const at = (time: string) => Temporal.ZonedDateTime.from(time).epochMilliseconds
const night = { quietFrom: 22 * 60, quietTo: 7 * 60 }
const lunch = { quietFrom: 12 * 60, quietTo: 13 * 60 }

test.each([
  [night, '2026-01-15T21:59:59[Asia/Shanghai]', false],
  [night, '2026-01-15T22:00:00[Asia/Shanghai]', true],
  [night, '2026-01-16T00:00:00[Asia/Shanghai]', true],
  [night, '2026-01-16T06:59:59[Asia/Shanghai]', true],
  [night, '2026-01-16T07:00:00[Asia/Shanghai]', false],
  [lunch, '2026-01-15T11:59:00[Asia/Shanghai]', false],
  [lunch, '2026-01-15T12:00:00[Asia/Shanghai]', true],
  [lunch, '2026-01-15T13:00:00[Asia/Shanghai]', false],
  // The clocks go forward from 2:00 to 3:00.
  [{ quietFrom: 150, quietTo: 200 }, '2026-03-29T03:10:00[Europe/Berlin]', true],
  [{ quietFrom: null, quietTo: null }, '2026-01-15T22:00:00[Asia/Shanghai]', false],
])('%j is quiet at %s: %p', (hours, time, expected) => {
  const timeZone = /\[(.+)\]/.exec(time)![1]!
  expect(isQuiet({ ...hours, timeZone }, at(time))).toBe(expected)
})

test('Excerpts have one line and 100 characters, and no half of an emoji', () => {
  expect(excerptOf(' a\n b\t c ')).toBe('a b c')
  expect(excerptOf('🍜'.repeat(150))).toBe('🍜'.repeat(100))
  expect(excerptOf('')).toBe('')
})

test.each([
  [200, 'taken'],
  [201, 'taken'],
  [202, 'taken'],
  [307, 'refused'],
  [400, 'refused'],
  [403, 'refused'],
  [404, 'gone'],
  [410, 'gone'],
  [413, 'refused'],
  [429, 'retry'],
  [500, 'retry'],
  [503, 'retry'],
] as const)('The answer %d of a push service means %s', (status, outcome) => {
  expect(outcomeOf(status)).toBe(outcome)
})

test('Pauses grow with failed attempts, follow Retry-After, and end after an hour', () => {
  expect([1, 2, 3, 4, 20].map((failed) => pauseAfter(failed))).toEqual([1000, 5000, 25_000, 125_000, 3_600_000])
  expect(pauseAfter(1, 30)).toBe(30_000)
  expect(pauseAfter(1, 1e9)).toBe(3_600_000)
})

test('the device of the tests decrypts the example of RFC 8291, appendix A', () => {
  const device = makeDevice('q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94', 'BTBZMqHH6r4Tts7J_aSIgg')
  expect(device.keys.p256dh).toBe(
    'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
  )
  const body =
    'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_' +
    'yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN'
  expect(device.decrypt(Buffer.from(body, 'base64url'))).toBe('When I grow up, I want to be a watermelon')
})
