/** The decision of a gate about a pass, as a table. */

import { describe, expect, test } from 'bun:test'

import type { ActivityStatus } from '#db/schema/activities.ts'
import type { Direction } from '#db/schema/passes.ts'
import { claimedUuid, claimIn, judge, judgeLater, strangerReason } from '#domains/activities/gates/gates.rules.ts'
import { encodeToken } from '#domains/activities/pass-keys/pass-keys.rules.ts'

const NOW = 1_000_000
const UUID = '7f0c2d1e-4b5a-4c6d-8e9f-0a1b2c3d4e5f'
const fresh = {
  revokedAt: null,
  expiredAt: null,
  validFrom: null,
  validTo: null,
  maxUses: 1,
  usedCount: 0,
  isInside: false,
  templateId: null,
}
type Pass = { -readonly [K in keyof typeof fresh]: (typeof fresh)[K] extends null ? number | null : (typeof fresh)[K] }

const inside = { usedCount: 1, isInside: true }
const outside = { usedCount: 1, isInside: false }
const revoked = { revokedAt: NOW - 5 }
const expired = { validTo: NOW - 1 }
const early = { validFrom: NOW + 1 }

describe('a pass at a gate with a connection', () => {
  const cases: [what: string, pass: Partial<Pass>, direction: Direction, status: ActivityStatus, expected: string][] = [
    ['a new pass takes a use', {}, 'ENTRY', 'ACTIVE', 'USE'],
    ['a pass without a limit takes a use', { maxUses: 0, ...inside, usedCount: 9 }, 'ENTRY', 'ACTIVE', 'USE'],
    ['a pass with a use left takes it, also inside', { maxUses: 2, ...inside }, 'ENTRY', 'ACTIVE', 'USE'],
    ['a pass without a use is refused', inside, 'ENTRY', 'ACTIVE', 'USED'],
    ['an entry after an exit is free', outside, 'ENTRY', 'ACTIVE', 'RETURN'],
    ['an entry after an exit is free, even with uses left', { maxUses: 5, ...outside }, 'ENTRY', 'ACTIVE', 'RETURN'],
    ['an exit from inside is accepted', inside, 'EXIT', 'ACTIVE', 'EXIT'],
    ['an exit before the first entry is refused', {}, 'EXIT', 'ACTIVE', 'NOT_YET_VALID'],
    ['a second exit is refused', outside, 'EXIT', 'ACTIVE', 'USED'],
    ['the first millisecond is valid', { validFrom: NOW }, 'ENTRY', 'ACTIVE', 'USE'],
    ['the last millisecond is valid', { validTo: NOW }, 'ENTRY', 'ACTIVE', 'USE'],
    ['the millisecond before is too early', early, 'ENTRY', 'ACTIVE', 'NOT_YET_VALID'],
    ['the millisecond after is too late', expired, 'ENTRY', 'ACTIVE', 'EXPIRED'],
    ['a pass that the job has ended is expired', { expiredAt: NOW }, 'ENTRY', 'ACTIVE', 'EXPIRED'],
    ['a stamp ahead of the clock revokes too', { revokedAt: NOW + 3 }, 'ENTRY', 'ACTIVE', 'REVOKED'],
    ['a revoked holder cannot leave by scan', { ...inside, ...revoked }, 'EXIT', 'ACTIVE', 'REVOKED'],
    ...(['DRAFT', 'ENDED', 'CANCELLED'] as const).map(
      (status) => [`a ${status} activity admits nobody`, {}, 'ENTRY', status, 'ACTIVITY_NOT_ACTIVE'] as never,
    ),
    ['REVOKED precedes EXPIRED', { ...revoked, ...expired }, 'ENTRY', 'ACTIVE', 'REVOKED'],
    ['EXPIRED precedes USED', { ...expired, ...inside }, 'ENTRY', 'ACTIVE', 'EXPIRED'],
    ['USED precedes the state of the activity', inside, 'ENTRY', 'ENDED', 'USED'],
    ['the state of the activity precedes the beginning', early, 'ENTRY', 'DRAFT', 'ACTIVITY_NOT_ACTIVE'],
  ]
  test.each(cases)('%s', (_, pass, direction, status, expected) => {
    const verdict = judge({ ...fresh, ...pass }, { status, endedAt: NOW }, direction, NOW)
    expect('passage' in verdict ? verdict.passage : verdict.reason).toBe(expected as never)
  })
})

describe('a pass that an offline gate let through earlier', () => {
  const AT = NOW - 100
  type Around = readonly [before: Direction | undefined, after: Direction | undefined]
  const none: Around = [undefined, undefined]
  const cases: [what: string, pass: Partial<Pass>, direction: Direction, around: Around, expected: string][] = [
    ['a new pass takes a use', {}, 'ENTRY', none, 'USE'],
    ['a later revocation does not matter', { revokedAt: AT + 1 }, 'ENTRY', none, 'USE'],
    ['a revocation at that time refuses', { revokedAt: AT }, 'ENTRY', none, 'REVOKED'],
    ['a later expiry does not matter', { validTo: AT, expiredAt: AT + 50 }, 'ENTRY', none, 'USE'],
    ['an expiry before that time refuses', { validTo: AT - 1 }, 'ENTRY', none, 'EXPIRED'],
    ['a pass that was not valid yet is refused', { validFrom: AT + 1 }, 'ENTRY', none, 'NOT_YET_VALID'],
    ['a second entry without a use is a double use', inside, 'ENTRY', ['ENTRY', undefined], 'USED'],
    ['an entry before another one is a double use', inside, 'ENTRY', [undefined, 'ENTRY'], 'USED'],
    ['a second entry takes a use that is left', { maxUses: 2, ...inside }, 'ENTRY', ['ENTRY', undefined], 'USE'],
    ['an entry after an exit is free', outside, 'ENTRY', ['EXIT', undefined], 'RETURN'],
    ['an entry between entry and exit is a double use', outside, 'ENTRY', ['ENTRY', 'EXIT'], 'USED'],
    ['one exit allows one free entry', inside, 'ENTRY', ['EXIT', 'ENTRY'], 'USED'],
    ['an exit after an entry is accepted', inside, 'EXIT', ['ENTRY', undefined], 'EXIT'],
    [
      'an exit between two entries is accepted',
      { maxUses: 2, ...inside, usedCount: 2 },
      'EXIT',
      ['ENTRY', 'ENTRY'],
      'EXIT',
    ],
    ['an exit before another exit is refused', outside, 'EXIT', ['ENTRY', 'EXIT'], 'USED'],
    ['an exit before any entry is refused', inside, 'EXIT', [undefined, 'ENTRY'], 'NOT_YET_VALID'],
  ]
  test.each(cases)('%s', (_, pass, direction, [before, after], expected) => {
    const verdict = judgeLater({ ...fresh, ...pass }, { status: 'ACTIVE', endedAt: null }, direction, AT, {
      before,
      after,
    })
    expect('passage' in verdict ? verdict.passage : verdict.reason).toBe(expected as never)
  })

  test.each([
    ['ENDED', AT + 1, undefined],
    ['ENDED', AT, 'ACTIVITY_NOT_ACTIVE'],
    ['CANCELLED', AT + 1, undefined],
    ['CANCELLED', AT - 1, 'ACTIVITY_NOT_ACTIVE'],
    ['DRAFT', null, 'ACTIVITY_NOT_ACTIVE'],
  ] as const)('an activity that is %s counts as active before it ended', (status, endedAt, reason) => {
    const verdict = judgeLater(fresh, { status, endedAt }, 'ENTRY', AT, { before: undefined, after: undefined })
    expect('reason' in verdict ? verdict.reason : undefined).toBe(reason)
  })
})

describe('the claim in a scanned content', () => {
  const token = encodeToken(
    { keyId: 1, uuid: UUID, activityId: 7, validFrom: null, validTo: null },
    () => new Uint8Array(64),
  )

  test.each([
    ['the signed link in upper case', `HTTPS://QR.EXAMPLE.ORG/S/PASS/${token}`, 'token'],
    ['the bare token', token, 'token'],
    ['the bare token in lower case', token.toLowerCase(), 'token'],
    ['the link of the page', `https://qr.example.org/s/pass/${UUID}`, 'uuid'],
    ['the link of another page', `https://qr.example.org/s/asset/${UUID}`, 'malformed'],
    ['a token that lacks a character', token.slice(1), 'malformed'],
    ['another text', 'WIFI:S:guest;;', 'malformed'],
    ['an empty text', '', 'malformed'],
  ])('%s is read', (_, content, kind) => {
    const claim = claimIn({ content })
    expect<string>(claim.kind).toBe(kind)
    expect(claimedUuid(claim)).toBe(kind === 'malformed' ? null : UUID)
  })

  test('a uuid is read, and any other text in its place is malformed', () => {
    expect(claimIn({ passUuid: UUID.toUpperCase() })).toEqual({ kind: 'uuid', uuid: UUID })
    expect(claimIn({ passUuid: token })).toEqual({ kind: 'malformed' })
  })

  const signed = claimIn({ content: token })
  const looked = claimIn({ passUuid: UUID })
  test.each([
    ['malformed content is MALFORMED', claimIn({ content: 'x' }), false, undefined, 'MALFORMED'],
    ['a forged token is FORGED, even of a pass that exists', signed, false, { activityId: 7 }, 'FORGED'],
    ['a forged token of another activity is FORGED', claimIn({ content: token }), false, undefined, 'FORGED'],
    ['a genuine token without a pass is UNKNOWN', signed, true, undefined, 'UNKNOWN'],
    ['a genuine token is accepted', signed, true, { activityId: 7 }, undefined],
    ['an unknown uuid is UNKNOWN', looked, false, undefined, 'UNKNOWN'],
    [
      'the uuid of a pass of another activity is refused with WRONG_ACTIVITY',
      looked,
      false,
      { activityId: 8 },
      'WRONG_ACTIVITY',
    ],
    ['the uuid of a pass is accepted', looked, false, { activityId: 7 }, undefined],
  ] as const)('%s', (_, claim, isGenuine, pass, reason) => {
    expect(strangerReason(claim, isGenuine, pass, 7)).toBe(reason)
  })

  test('a genuine token of another activity is refused before its pass is looked at', () => {
    expect(strangerReason(signed, true, undefined, 8)).toBe('WRONG_ACTIVITY')
  })
})
