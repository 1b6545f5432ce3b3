import { describe, expect, test } from 'bun:test'

import {
  admissionTo,
  codeInContent,
  effectiveJoinPolicy,
  INVITATION_MS,
  invitationStatusAt,
  normalizeCode,
} from '#domains/orgs/orgs.rules.ts'
import { CODE_ALPHABET } from '#platform/ids.ts'

describe('organization codes', () => {
  test('the alphabet of organization codes has 32 characters and none that look alike', () => {
    expect(new Set(CODE_ALPHABET).size).toBe(32)
    expect(CODE_ALPHABET).not.toMatch(/[01IOa-z]/)
  })
  const cases: [string, string | undefined][] = [
    ['K7WPQ2MX', 'K7WPQ2MX'],
    [' k7wp-q2mx ', 'K7WPQ2MX'],
    ['K7WP Q2MX', 'K7WPQ2MX'],
    ['K7WPQ2M', undefined],
    ['K7WPQ2MXX', undefined],
    ['K7WPQ2M0', undefined],
    ['K7WPQ2MI', undefined],
    ['', undefined],
    ['ＫWPQ2MXA', undefined],
  ]
  for (const [text, code] of cases)
    test(`normalizeCode reads ${JSON.stringify(text)} as ${code ?? 'no code'}`, () =>
      expect(normalizeCode(text)).toBe(code))
})

describe('scanned contents', () => {
  const url = 'https://qr.example.org/base'
  const cases: [string, string | undefined][] = [
    ['org-join:K7WPQ2MX', 'K7WPQ2MX'],
    [' ORG-JOIN:k7wpq2mx\n', 'K7WPQ2MX'],
    [`${url}/public/orgs/K7WPQ2MX`, 'K7WPQ2MX'],
    ['https://evil.example/public/orgs/K7WPQ2MX', undefined],
    [`${url}/public/orgs/K7WPQ2MX/more`, undefined],
    ['K7WPQ2MX', undefined],
    ['org-join:', undefined],
    ['user:K7WPQ2MX', undefined],
  ]
  for (const [text, code] of cases)
    test(`codeInContent finds ${code ?? 'no code'} in ${JSON.stringify(text)}`, () =>
      expect(codeInContent(text, [url])).toBe(code))
})

test('admissionTo follows the status, then the visibility, then the join policy', () => {
  for (const visibility of ['PUBLIC', 'INTERNAL'] as const)
    for (const [joinPolicy, admission] of [
      ['FREE', 'member at once'],
      ['APPROVAL', 'request'],
      ['INVITE', 'by invitation only'],
    ] as const) {
      expect(admissionTo({ status: 'DISABLED', visibility, joinPolicy })).toBe('disabled')
      const expected = visibility === 'INTERNAL' ? 'by invitation only' : admission
      expect(admissionTo({ status: 'ACTIVE', visibility, joinPolicy })).toBe(expected)
      expect(effectiveJoinPolicy(visibility, joinPolicy)).toBe(visibility === 'INTERNAL' ? 'INVITE' : joinPolicy)
    }
})

test('a pending invitation is EXPIRED from its expiry time on, and any other keeps its status', () => {
  const expiresAt = INVITATION_MS
  expect(INVITATION_MS).toBe(7 * 24 * 60 * 60 * 1000)
  expect(invitationStatusAt({ status: 'PENDING', expiresAt }, expiresAt - 1)).toBe('PENDING')
  expect(invitationStatusAt({ status: 'PENDING', expiresAt }, expiresAt)).toBe('EXPIRED')
  for (const status of ['ACCEPTED', 'REJECTED', 'CANCELLED', 'EXPIRED'] as const)
    expect(invitationStatusAt({ status, expiresAt }, expiresAt + 1)).toBe(status)
})
