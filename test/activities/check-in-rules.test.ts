/** The decision about a check-in, distances, scanned codes and the hours of statistics, as tables. */

import { describe, expect, test } from 'bun:test'

import { ACTIVITY_STATUSES } from '#db/schema/activities.ts'
import { checkInRefused } from '#domains/activities/check-ins/check-ins.errors.ts'
import {
  type Attempt,
  comparedShortCode,
  decide,
  distanceBetween,
  type Reason,
  scannedCode,
  slotOf,
} from '#domains/activities/check-ins/check-ins.rules.ts'

const QUARTER = 900_000

describe('distances', () => {
  const HALF_EARTH = Math.PI * 6_371_008.8
  const cases: [name: string, from: [number, number], to: [number, number], metres: number][] = [
    ['one place', [30.2426, 120.1494], [30.2426, 120.1494], 0],
    ['a degree of latitude', [0, 0], [1, 0], HALF_EARTH / 180],
    ['a degree of longitude at the equator', [0, 0], [0, 1], HALF_EARTH / 180],
    ['a degree of longitude at 60 degrees north', [60, 0], [60, 1], 55_597.01],
    ['across the antimeridian', [0, 179.5], [0, -179.5], HALF_EARTH / 180],
    ['180 degrees east and west', [12, 180], [12, -180], 0],
    ['the pole from any longitude', [90, 0], [90, 137], 0],
    ['across the North Pole', [89.5, 0], [89.5, 180], HALF_EARTH / 180],
    ['across the South Pole', [-89.5, -90], [-89.5, 90], HALF_EARTH / 180],
    ['from pole to pole', [90, 0], [-90, 77], HALF_EARTH],
    ['opposite sides of the Earth', [0.1, 20], [-0.1, -160], HALF_EARTH],
  ]
  for (const [name, [latA, lonA], [latB, lonB], metres] of cases)
    test(`the distance for ${name} is ${Math.round(metres)} m, in both directions`, () => {
      const [a, b] = [
        { latitude: latA, longitude: lonA },
        { latitude: latB, longitude: lonB },
      ]
      expect(Math.abs(distanceBetween(a, b) - metres)).toBeLessThan(0.1)
      expect(distanceBetween(b, a)).toBe(distanceBetween(a, b))
    })

  test('distances equal those by the angle between the vectors of the two places', () => {
    const vector = ({ latitude, longitude }: { latitude: number; longitude: number }) => {
      const [up, around] = [(latitude * Math.PI) / 180, (longitude * Math.PI) / 180]
      return [Math.cos(up) * Math.cos(around), Math.cos(up) * Math.sin(around), Math.sin(up)] as const
    }
    for (let i = 0; i < 1000; i++) {
      const a = { latitude: ((i * 7919) % 181) - 90, longitude: ((i * 104_729) % 361) - 180 }
      const b = { latitude: ((i * 1_299_709) % 179) - 89, longitude: ((i * 15_485_863) % 359) - 179 }
      const [u, v] = [vector(a), vector(b)]
      const cross = Math.hypot(u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0])
      const angle = Math.atan2(cross, u[0] * v[0] + u[1] * v[1] + u[2] * v[2])
      expect(Math.abs(distanceBetween(a, b) - angle * 6_371_008.8)).toBeLessThan(0.1)
    }
  })

  test('distances of a metre are exact to a millimetre', () => {
    const metre = 180 / HALF_EARTH
    for (const latitude of [-89, -45, 0, 30, 60, 89.9])
      expect(distanceBetween({ latitude, longitude: 9 }, { latitude: latitude + metre, longitude: 9 })).toBeCloseTo(
        1,
        3,
      )
  })
})

const HERE = { latitude: 30, longitude: 120 }
/** This many metres north of it. */
const away = (metres: number, accuracy = 0) => ({
  ...HERE,
  latitude: 30 + (metres * 180) / (Math.PI * 6_371_008.8),
  accuracy,
})

const OPEN: Attempt = {
  now: 5000,
  hasCheckIn: true,
  status: 'ACTIVE',
  policy: {
    opensAt: null,
    closesAt: 9000,
    radius: null,
    maxPerUser: 1,
    shortCode: null,
    registeredOnly: false,
    rotatingSeconds: null,
  },
  isRegistered: false,
  isCurrent: false,
  scanned: null,
  position: null,
  shortCode: null,
  earlier: 0,
}
const RADIUS = { ...HERE, meters: 100 }
const attempt = ({ policy, ...rest }: Partial<Omit<Attempt, 'policy'>> & { policy?: Partial<Attempt['policy']> }) =>
  decide({ ...OPEN, ...rest, policy: { ...OPEN.policy, ...policy } })

describe('decisions', () => {
  test('an activity without rules accepts everyone by QR', () => {
    expect(attempt({})).toEqual({ method: 'QR', distance: null })
    expect(attempt({ scanned: 'activity', position: away(9), shortCode: 'x' })).toEqual({
      method: 'QR',
      distance: null,
    })
  })

  const everythingWrong: Parameters<typeof attempt>[0] = {
    hasCheckIn: false,
    status: 'ENDED',
    now: 100,
    policy: { opensAt: 1000, closesAt: 50, radius: RADIUS, maxPerUser: 1, shortCode: '4711', registeredOnly: true },
    scanned: 'foreign',
    position: null,
    shortCode: null,
    earlier: 1,
  }
  // Each step repairs the reason that was named before.
  const repairs: [Reason, Parameters<typeof attempt>[0]][] = [
    ['no check-in', {}],
    ['ended', { hasCheckIn: true }],
    ['cancelled', { status: 'CANCELLED' }],
    ['draft', { status: 'DRAFT' }],
    ['too early', { status: 'ACTIVE' }],
    ['too late', { now: 9001, policy: { ...everythingWrong.policy, closesAt: 9000 } }],
    ['foreign code', { now: 5000 }],
    ['not registered', { scanned: 'activity' }],
    ['over the limit', { isRegistered: true }],
    ['no position', { earlier: 0 }],
    ['outside', { position: away(151) }],
    ['no short code', { position: away(150, 50) }],
    ['wrong short code', { shortCode: '4712' }],
    ['expired code', { policy: { ...everythingWrong.policy, closesAt: 9000, rotatingSeconds: 30 }, shortCode: '4711' }],
  ]
  test('a refusal names the first of all reasons', () => {
    const now = { ...everythingWrong }
    for (const [reason, repair] of repairs) {
      Object.assign(now, repair)
      expect(attempt(now)).toMatchObject({ reason })
    }
    expect(attempt({ ...now, isCurrent: true })).toEqual({ method: 'GPS', distance: 150 })
    const policy = { ...now.policy, rotatingSeconds: null }
    expect(attempt({ ...now, policy })).toEqual({ method: 'CODE', distance: 150 })
  })

  test('every reason has a sentence of its own in English and Chinese', () => {
    const errors = repairs.map(([reason]) =>
      checkInRefused({ reason, distance: reason === 'outside' ? 340 : null }, { ...OPEN.policy, radius: RADIUS }),
    )
    expect(errors.every(({ status }) => status === 400)).toBe(true)
    for (const locale of ['en', 'zh'] as const)
      expect(new Set(errors.map(({ text }) => text[locale])).size).toBe(repairs.length)
    expect(errors.find(({ text }) => text.en.includes('340 m'))?.text).toEqual({
      en: 'You are 340 m away: you can check in within 100 m of the activity',
      zh: '你距离活动地点 340 米，须在 100 米范围内签到',
    })
    expect(
      checkInRefused({ reason: 'over the limit', distance: null }, { ...OPEN.policy, maxPerUser: 3 }).message,
    ).toBe('You have already checked in 3 times, which is the limit')
  })

  const times: [name: string, now: number, opensAt: number | null, reason: Reason | undefined][] = [
    ['a millisecond before it opens', 999, 1000, 'too early'],
    ['when it opens', 1000, 1000, undefined],
    ['without an opening time', 0, null, undefined],
    ['when it closes', 9000, 1000, undefined],
    ['a millisecond after it has closed', 9001, 1000, 'too late'],
  ]
  for (const [name, now, opensAt, reason] of times)
    test(`a check-in ${name} is ${reason ?? 'accepted'}`, () => {
      const decision = attempt({ now, policy: { opensAt } })
      expect('reason' in decision ? decision.reason : undefined).toBe(reason)
    })

  for (const status of ACTIVITY_STATUSES)
    test(`a check-in to an activity that is ${status} is ${status === 'ACTIVE' ? 'accepted' : 'refused'}`, () => {
      expect('reason' in attempt({ status })).toBe(status !== 'ACTIVE')
    })

  const places: [metres: number, accuracy: number, isAccepted: boolean][] = [
    [0, 0, true],
    [100, 0, true],
    [101, 0, false],
    [120, 20, true],
    [120, 19, false],
    [150, 50, true],
    [151, 50, false],
    [150, 10_000_000, true],
    [151, 10_000_000, false],
    [20_000_000, 10_000_000, false],
  ]
  for (const [metres, accuracy, isAccepted] of places)
    test(`${metres} m from a radius of 100 m with an accuracy of ${accuracy} m is ${isAccepted ? 'accepted' : 'outside'}`, () => {
      const decision = attempt({ position: away(metres, accuracy), policy: { radius: RADIUS } })
      expect('method' in decision).toBe(isAccepted)
      if (isAccepted) expect(decision).toEqual({ method: 'GPS', distance: metres })
      else expect(decision).toMatchObject({ reason: 'outside', distance: expect.any(Number) })
    })

  const limits: [maxPerUser: number, earlier: number, isAccepted: boolean][] = [
    [1, 0, true],
    [1, 1, false],
    [3, 2, true],
    [3, 3, false],
    [0, 1_000_000, true],
  ]
  for (const [maxPerUser, earlier, isAccepted] of limits)
    test(`a limit of ${maxPerUser} ${isAccepted ? 'allows' : 'refuses'} another check-in after ${earlier}`, () => {
      expect('method' in attempt({ earlier, policy: { maxPerUser } })).toBe(isAccepted)
    })

  for (const typed of ['AbC123', 'abc123', ' ABC123 ', 'ＡＢＣ１２３'])
    test(`the short code AbC123 is right as ${JSON.stringify(typed)}`, () => {
      expect(attempt({ shortCode: typed, policy: { shortCode: 'AbC123' } })).toMatchObject({ method: 'CODE' })
    })
  for (const typed of ['ABC12', 'ABC1234', 'ABC 123', '', '%'])
    test(`the short code AbC123 is wrong as ${JSON.stringify(typed)}`, () => {
      expect(attempt({ shortCode: typed, policy: { shortCode: 'AbC123' } })).toMatchObject({
        reason: 'wrong short code',
      })
    })

  test('the code of the check-in page replaces the short code, and only that', () => {
    const policy = { shortCode: '4711', radius: RADIUS }
    const scanned = 'check-in'
    expect(attempt({ scanned, policy: { shortCode: '4711' } })).toEqual({ method: 'QR', distance: null })
    expect(attempt({ scanned, shortCode: 'wrong', position: away(7), policy })).toEqual({ method: 'GPS', distance: 7 })
    expect(attempt({ scanned, policy })).toMatchObject({ reason: 'no position' })
    expect(attempt({ scanned, position: away(101), policy })).toMatchObject({ reason: 'outside' })
    expect(attempt({ scanned: 'activity', position: away(7), policy })).toMatchObject({ reason: 'no short code' })
  })

  test('only a short code that was compared counts as a guess', () => {
    const guess = { shortCode: '4712', policy: { shortCode: '4711' } }
    expect(comparedShortCode(attempt(guess))).toBe(true)
    expect(comparedShortCode(attempt({ ...guess, shortCode: '4711' }))).toBe(true)
    expect(comparedShortCode(attempt({ ...guess, shortCode: null }))).toBe(false)
    expect(comparedShortCode(attempt({ ...guess, scanned: 'check-in' }))).toBe(false)
    expect(comparedShortCode(attempt({ ...guess, earlier: 1 }))).toBe(false)
    expect(comparedShortCode(attempt({ ...guess, policy: {} }))).toBe(false)
    expect(comparedShortCode(attempt({ ...guess, policy: { shortCode: '4711', radius: RADIUS } }))).toBe(false)
  })
})

describe('scanned codes', () => {
  const uuid = '0190a7c4-0000-7000-8000-00000000000a'
  const checkInUuid = '0190a7c4-0000-7000-8000-00000000000c'
  const activity = { id: 42, uuid, checkInUuid, inviteCode: 'K7PQ2MX4RD' }
  const other = '0190a7c4-0000-7000-8000-0000000000ff'
  const cases: [content: string, expected: string][] = [
    ['activity:42', 'activity'],
    ['activity:42:K7PQ2MX4RD', 'activity'],
    [' Activity:42:old-code ', 'activity'],
    ['K7PQ2MX4RD', 'activity'],
    ['k7pq2-mx4rd', 'activity'],
    [`https://qr.example.org/s/activity/${uuid}`, 'activity'],
    [`https://qr.example.org/s/activity/${uuid}?code=K7PQ2MX4RD`, 'activity'],
    [`HTTPS://QR.EXAMPLE.ORG/S/ACTIVITY/${uuid.toUpperCase()}`, 'activity'],
    [`https://qr.example.org/s/check-in/${checkInUuid}`, 'check-in'],
    [`HTTPS://QR.EXAMPLE.ORG/S/CHECK-IN/${checkInUuid.toUpperCase()}/`, 'check-in'],
    // The two uuids do not stand for each other.
    [`https://qr.example.org/s/check-in/${uuid}`, 'foreign'],
    [`https://qr.example.org/s/activity/${checkInUuid}`, 'foreign'],
    [checkInUuid, 'foreign'],
    ['activity:43', 'foreign'],
    ['activity:421', 'foreign'],
    ['activity:43:K7PQ2MX4RD', 'foreign'],
    ['activity:4.2e1', 'foreign'],
    [`https://qr.example.org/s/activity/${other}?code=K7PQ2MX4RD`, 'foreign'],
    [`https://qr.example.org/s/check-in/${other}`, 'foreign'],
    [`https://other.example.org/s/check-in/${checkInUuid}`, 'foreign'],
    [`https://qr.example.org/s/pass/${uuid}`, 'foreign'],
    [`https://qr.example.org/s/check-in/${checkInUuid}/more`, 'foreign'],
    ['https://example.com', 'foreign'],
    ['AAAAAAAAAA', 'foreign'],
    ['4711', 'foreign'],
  ]
  for (const [content, expected] of cases)
    test(`${JSON.stringify(content)} is a code of: ${expected}`, () => {
      expect(scannedCode(content, activity, ['https://qr.example.org'])).toBe(expected as 'activity')
    })

  test('an activity without an invite code has no bare code', () => {
    for (const content of ['K7PQ2MX4RD', 'null', '-'])
      expect(scannedCode(content, { ...activity, inviteCode: null }, ['https://qr.example.org'])).toBe('foreign')
  })
})

test('a slot begins at a quarter of an hour', () => {
  const noon = Date.parse('2026-03-08T12:00:00Z')
  for (const [at, slot] of [
    [noon, noon],
    [noon + QUARTER - 1, noon],
    [noon + QUARTER, noon + QUARTER],
    [noon - 1, noon - QUARTER],
  ] as const)
    expect(slotOf(at)).toBe(slot)
})
