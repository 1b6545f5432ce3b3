import { describe, expect, test } from 'bun:test'

import { FAILURE_WINDOW_MS, LOCK_MS, MAX_FAILURES } from '#domains/accounts/accounts.model.ts'
import { isUsername, normalizeEmail, parseAccount } from '#domains/accounts/accounts.rules.ts'
import { deviceKey, nameDevice } from '#domains/accounts/login-records/login-records.rules.ts'
import {
  ADMINISTRATORS,
  type Attempts,
  countAttempt,
  isCommon,
  passwordProblem,
  strictest,
  undoAttempt,
} from '#domains/accounts/passwords/passwords.rules.ts'
import { classifyRefresh } from '#domains/accounts/sessions/sessions.rules.ts'
import { sessionsToEnd } from '#domains/accounts/sessions/sessions.service.ts'
import { canStillSignIn } from '#domains/accounts/users/users.rules.ts'

describe('usernames', () => {
  for (const good of ['bob', 'Lin.Mei', 'a_b-c.d', 'a.b', 'x'.repeat(32), 'u23'])
    test(`“${good}” is a valid username`, () => expect(isUsername(good)).toBe(true))
  for (const bad of [
    '',
    'ab',
    'x'.repeat(33),
    '1abc',
    '13800138000',
    'a@b.org',
    'lin mei',
    'l\u0456n',
    '林美梅',
    '_abc',
    'abc\n',
    'abc.',
    'abc_',
    'ab--cd',
    'ab._cd',
  ])
    test(`${JSON.stringify(bad)} is not a valid username`, () => expect(isUsername(bad)).toBe(false))
})

describe('e-mails', () => {
  const cases: [string, string | undefined][] = [
    [' Lin@Example.ORG ', 'lin@example.org'],
    ['a+b@sub.example.co', 'a+b@sub.example.co'],
    ['李@例子.公司', '李@例子.公司'],
    ['nobody', undefined],
    ['a@b', undefined],
    ['a@@b.org', undefined],
    ['a b@c.org', undefined],
    ['<a@b.org>', undefined],
    ['a@b.org,c@d.org', undefined],
    [`${'a'.repeat(250)}@b.org`, undefined],
  ]
  for (const [given, stored] of cases)
    test(`the e-mail “${given.slice(0, 40)}” is normalized to ${stored ?? 'nothing, because it is not one'}`, () =>
      expect(normalizeEmail(given)).toBe(stored))

  test('an account with @ is an e-mail, any other one a username, and case is ignored in both', () => {
    expect(parseAccount(' Lin@Example.org ')).toEqual({ kind: 'email', key: 'lin@example.org' })
    expect(parseAccount('Lin.Mei')).toEqual({ kind: 'username', key: 'lin.mei' })
  })
})

describe('devices', () => {
  const id = 'a-device-id-of-a-phone'

  test('a device id in the header takes precedence over one in the body, and only its hash is kept', () => {
    const device = nameDevice(id, 'another-device-of-hers', 'Phone')
    expect(device).toEqual({ key: deviceKey(id), name: 'Phone' })
    expect(JSON.stringify(device)).not.toContain(id)
    expect(nameDevice(undefined, id, undefined).key).toBe(deviceKey(id))
  })

  test('without a device id the server generates an unguessable one', () => {
    const [a, b] = [nameDevice(undefined, undefined, undefined), nameDevice(undefined, undefined, undefined)]
    expect(a.newId!.length).toBeGreaterThanOrEqual(43)
    expect(a.newId).not.toBe(b.newId)
    expect(a.key).toBe(deviceKey(a.newId!))
  })

  const refused = [
    '',
    'short',
    id.slice(0, 15),
    id.repeat(6),
    'has a space in it',
    'ünïcödé-is-not-a-header',
    'a'.repeat(16),
    'abcdefg'.repeat(4),
  ]
  for (const bad of refused)
    test(`the device id ${JSON.stringify(bad.slice(0, 30))} of ${bad.length} characters is refused`, () =>
      expect(() => nameDevice(bad, undefined, undefined)).toThrow())

  test('a device id of 16 characters, 8 of them different, is accepted', () =>
    expect(nameDevice('abcdefgh'.repeat(2), undefined, undefined).key).toBe(deviceKey('abcdefgh'.repeat(2))))
})

describe('failure lock', () => {
  /** Counts attempts at the given times. Returns for each whether it was let through. */
  function attempts(...times: number[]): boolean[] {
    let state: Attempts | undefined
    return times.map((at) => {
      const counted = countAttempt(state, at)
      if ('refusedFor' in counted) return false
      state = counted.after
      return true
    })
  }
  const minute = 60_000
  const T = 1_700_000_000_000

  test('the fifth attempt is let through, the sixth is refused', () =>
    expect(attempts(T, T, T, T, T, T)).toEqual([true, true, true, true, true, false]))

  test('the lock ends 5 minutes after the fifth failure, and then 5 more attempts are let through', () => {
    const five = [T, T + 1, T + 2, T + 3, T + 4]
    expect(attempts(...five, T + 4 + LOCK_MS - 1).at(-1)).toBe(false)
    const after = T + 4 + LOCK_MS
    expect(attempts(...five, after, after, after, after, after, after).slice(5)).toEqual([
      true,
      true,
      true,
      true,
      true,
      false,
    ])
  })

  test('refused attempts do not extend the lock', () => {
    const five = [T, T, T, T, T]
    expect(attempts(...five, T + 4 * minute, T + LOCK_MS)).toEqual([true, true, true, true, true, false, true])
  })

  test('any 5 attempts within 5 minutes lock the account, even if an earlier window ended in between', () => {
    const late = T + 4 * minute + 50_000
    expect(attempts(T, late, late, late, T + FAILURE_WINDOW_MS + 1, T + FAILURE_WINDOW_MS + 2, late + minute)).toEqual([
      true,
      true,
      true,
      true,
      true,
      true,
      false,
    ])
  })

  test('fewer than 5 attempts in 5 minutes never lock the account', () => {
    const times = Array.from({ length: 40 }, (_, i) => T + i * 76_000)
    expect(attempts(...times)).not.toContain(false)
  })

  test('an undone attempt does not count, and opens the lock that it closed', () => {
    let state: Attempts | undefined
    for (let i = 0; i < MAX_FAILURES; i++) {
      const counted = countAttempt(state, T)
      if ('refusedFor' in counted) throw new Error('too early')
      state = counted.after
    }
    expect(state!.lockedUntil).toBe(T + LOCK_MS)
    state = undoAttempt(state!)
    expect(state).toEqual({ triedAt: [T, T, T, T], lockedUntil: 0, locks: 0 })
    expect('after' in countAttempt(state, T)).toBe(true)
  })

  test('a refusal says how long the lock still holds', () => {
    const state = { triedAt: [T, T, T, T, T], lockedUntil: T + LOCK_MS, locks: 0 }
    expect(countAttempt(state, T + minute)).toEqual({ refusedFor: 4 * minute })
  })
})

describe('passwords', () => {
  const everybody = { min: 6, refuseCommon: false }

  test('an administrator needs an uncommon password of at least 10 characters', () => {
    expect(passwordProblem('123456', everybody)).toBeUndefined()
    expect(passwordProblem('12345', everybody)).toBeDefined()
    for (const weak of ['123456789', 'qwertyuiop', 'Password123', '1234567890', 'aaaaaaaaaaaa'])
      expect(passwordProblem(weak, ADMINISTRATORS), weak).toBeDefined()
    expect(passwordProblem('correct horse battery', ADMINISTRATORS)).toBeUndefined()
  })

  test('a password is common if it is listed ignoring case, one repeated character, or the username', () => {
    expect(isCommon('LETMEIN')).toBe(true)
    expect(isCommon('zzzzzzzzzz')).toBe(true)
    expect(isCommon('Lin.Mei.2026', 'lin.mei.2026')).toBe(true)
    expect(isCommon('lin.mei.2027', 'lin.mei.2026')).toBe(false)
    // Comments of the list are not passwords.
    expect(isCommon('# "passwords" of zxcvbn 4.4.2')).toBe(false)
  })

  test('the stricter of two policies holds in each respect', () =>
    expect(strictest({ min: 12, refuseCommon: false }, ADMINISTRATORS)).toEqual({ min: 12, refuseCommon: true }))
})

describe('sessions', () => {
  const sessions = Array.from({ length: 12 }, (_, i) => ({ id: i + 1, lastActiveAt: 1000 + i }))

  test('up to ten sessions stay active', () => expect(sessionsToEnd(sessions.slice(0, 10), [1])).toEqual([]))
  test('the least recently used sessions end first', () => expect(sessionsToEnd(sessions, [12])).toEqual([1, 2]))
  test('spared sessions stay active, even if they are the least recently used', () =>
    expect(sessionsToEnd(sessions, [1, 12])).toEqual([2, 3]))
  test('of sessions that were last used at the same time the older one ends', () =>
    expect(sessionsToEnd(sessions.map((s) => ({ ...s, lastActiveAt: 5 })).toReversed(), [])).toEqual([1, 2]))
})

describe('refresh tokens', () => {
  const session = { generation: 3, rotatedAt: 1_000_000 }
  const cases: [generation: number, later: number, outcome: string][] = [
    [3, 0, 'rotate'],
    [3, 29 * 86_400_000, 'rotate'],
    [2, 0, 'repeat'],
    [2, 30_000, 'repeat'],
    [2, 30_001, 'stolen'],
    [1, 0, 'stolen'],
    [0, 10, 'stolen'],
  ]
  for (const [generation, later, outcome] of cases)
    test(`a refresh token of generation ${generation} of 3, ${later} ms after the last exchange, is classified as ${outcome}`, () =>
      expect(classifyRefresh(session, generation, session.rotatedAt + later)).toBe(outcome as 'rotate'))
})

describe('canStillSignIn without the device', () => {
  const device = { id: 1, provider: 'DEVICE', verified: true }
  const email = { id: 2, provider: 'EMAIL', verified: true }
  const claimed = { id: 2, provider: 'EMAIL', verified: false }
  const phone = { id: 4, provider: 'PHONE', verified: true }
  const noPassword = { username: null, passwordHash: null }
  const cases: [string, boolean, { username: string | null; passwordHash: string | null }, (typeof device)[]][] = [
    ['only the device', false, noPassword, [device]],
    ['a password without a name', false, { username: null, passwordHash: 'x' }, [device]],
    ['a username without a password', false, { username: 'bob', passwordHash: null }, [device]],
    ['a username and a password', true, { username: 'bob', passwordHash: 'x' }, [device]],
    ['a verified e-mail', true, noPassword, [device, email]],
    ['an unverified e-mail', false, noPassword, [device, claimed]],
    ['an unverified e-mail and a password', true, { username: null, passwordHash: 'x' }, [device, claimed]],
    ['a phone', true, noPassword, [device, phone]],
    ['another device', true, noPassword, [device, { ...device, id: 3 }]],
  ]
  for (const [name, result, user, identities] of cases)
    test(`a user with ${name} can${result ? '' : 'not'} sign in without the device`, () =>
      expect(canStillSignIn(user, identities, device.id)).toBe(result))
})
