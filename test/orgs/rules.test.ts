import { describe, expect, test } from 'bun:test'

import {
  admissionTo,
  CODE_ALPHABET,
  codeInContent,
  INVITATION_MS,
  normalizeCode,
  policyFor,
  statusAt,
} from '#domains/orgs/rules.ts'

describe('codes', () => {
  test('the alphabet has 32 characters that do not look alike', () => {
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
  for (const [text, code] of cases) test(JSON.stringify(text), () => expect(normalizeCode(text)).toBe(code))
})

describe('contents', () => {
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
  for (const [text, code] of cases) test(JSON.stringify(text), () => expect(codeInContent(text, url)).toBe(code))
})

test('admission by status, visibility and policy', () => {
  for (const visibility of ['PUBLIC', 'INTERNAL'] as const)
    for (const [joinPolicy, admission] of [
      ['FREE', 'join'],
      ['APPROVAL', 'ask'],
      ['INVITE', 'by invitation only'],
    ] as const) {
      expect(admissionTo({ status: 'DISABLED', visibility, joinPolicy })).toBe('closed')
      const expected = visibility === 'INTERNAL' ? 'by invitation only' : admission
      expect(admissionTo({ status: 'ACTIVE', visibility, joinPolicy })).toBe(expected)
      expect(policyFor(visibility, joinPolicy)).toBe(visibility === 'INTERNAL' ? 'INVITE' : joinPolicy)
    }
})

test('an open invitation ends at its last moment; a settled one stays what it is', () => {
  const expiresAt = INVITATION_MS
  expect(INVITATION_MS).toBe(7 * 24 * 60 * 60 * 1000)
  expect(statusAt({ status: 'PENDING', expiresAt }, expiresAt - 1)).toBe('PENDING')
  expect(statusAt({ status: 'PENDING', expiresAt }, expiresAt)).toBe('EXPIRED')
  for (const status of ['ACCEPTED', 'REJECTED', 'CANCELLED', 'EXPIRED'] as const)
    expect(statusAt({ status, expiresAt }, expiresAt + 1)).toBe(status)
})
