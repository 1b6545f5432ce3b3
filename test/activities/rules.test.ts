/** Pure rules of activities. */

import { describe, expect, test } from 'bun:test'

import {
  checkInPolicy,
  fieldsOf,
  inviteCodeIn,
  NEW_ACTIVITY,
  qrContentOf,
} from '#domains/activities/register/register.rules.ts'
import { sightOf } from '#domains/activities/visibility/visibility.rules.ts'

const row = { id: 42, uuid: '7f0c2d1e-4b5a-4c6d-8e9f-0a1b2c3d4e5f' }
const PAGE = `https://qr.example.org/base/s/activity/${row.uuid}`

describe('inviteCodeIn', () => {
  test.each([
    ['KQ7MPX2WRT', 'KQ7MPX2WRT'],
    [' kq7mp-x2wrt ', 'KQ7MPX2WRT'],
    ['KQ7MPX2WR', undefined],
    ['KQ7MPX2WRTT', undefined],
    ['', undefined],
    ['activity:42:KQ7MPX2WRT', 'KQ7MPX2WRT'],
    ['ACTIVITY:42:kq7mpx2wrt', 'KQ7MPX2WRT'],
    ['activity:43:KQ7MPX2WRT', undefined],
    ['activity:42', undefined],
    [`${PAGE}?code=KQ7MPX2WRT`, 'KQ7MPX2WRT'],
    [`${PAGE}/?x=1&code=kq7mpx2wrt`, 'KQ7MPX2WRT'],
    [`HTTPS://QR.EXAMPLE.ORG/base/S/ACTIVITY/${row.uuid.toUpperCase()}?code=KQ7MPX2WRT`, 'KQ7MPX2WRT'],
    [PAGE, undefined],
    [`https://qr.example.org/base/s/activity/${row.uuid.replace('7', '8')}?code=KQ7MPX2WRT`, undefined],
    [`https://evil.example.org/base/s/activity/${row.uuid}?code=KQ7MPX2WRT`, undefined],
    [`https://qr.example.org/base/s/pass/${row.uuid}?code=KQ7MPX2WRT`, undefined],
  ])('of %p is %p', (content, code) => {
    expect(inviteCodeIn(content, row, ['https://qr.example.org/base'])).toBe(code)
  })
})

test('the content of the QR code has the invite code if there is one', () => {
  expect(qrContentOf({ id: 42, inviteCode: null })).toBe('activity:42')
  expect(qrContentOf({ id: 42, inviteCode: 'KQ7MPX2WRT' })).toBe('activity:42:KQ7MPX2WRT')
})

describe('checkInPolicy', () => {
  const policy = (input: object) =>
    checkInPolicy(fieldsOf({ name: 'x', startTime: 10, endTime: 20, ...input }, NEW_ACTIVITY))

  test('closes at the end of the activity and has no radius, unless the configuration says otherwise', () => {
    const off = { radius: null, shortCode: null, registeredOnly: false, rotatingSeconds: null }
    expect(policy({})).toEqual({ ...off, opensAt: null, closesAt: 20, maxPerUser: 1 })
    const set = { shortCode: 'Lake', registeredOnly: true, rotatingSeconds: 30 }
    const checkInConfig = { ...set, opensAt: 5, closesAt: 30, maxPerUser: 0 }
    expect(policy({ checkInConfig })).toEqual({ ...checkInConfig, radius: null })
  })

  test('the radius is around the position of the configuration, or else of the activity', () => {
    const place = { latitude: 1, longitude: 2 }
    const checkInConfig = { radiusMeters: 50 }
    expect(policy({ ...place, checkInConfig }).radius).toEqual({ meters: 50, ...place })
    const own = { latitude: 0, longitude: 0 }
    expect(policy({ ...place, checkInConfig: { ...checkInConfig, ...own } }).radius).toEqual({ meters: 50, ...own })
    expect(policy({ checkInConfig }).radius).toBeNull()
  })
})

test('only managers see drafts of any visibility', () => {
  for (const visibility of ['PUBLIC', 'RESTRICTED', 'INVITE_ONLY'] as const) {
    const draft = { status: 'DRAFT', visibility } as const
    expect(sightOf(draft, { isManager: true, isReader: false, hasCode: false })).toBe('seen')
    expect(sightOf(draft, { isManager: false, isReader: true, hasCode: true })).toBe('unknown')
  }
})
