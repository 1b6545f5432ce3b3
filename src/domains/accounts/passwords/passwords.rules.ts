/** Which passwords are accepted (conventions §4), and when failed attempts lock an account (spec §5.6). Pure. */

import type { AppError } from '#http/errors.ts'
import { invalid } from '#http/validate.ts'
import { isShorterThan } from '#lib/text.ts'

import { ADMIN_PASSWORD_MIN, FAILURE_WINDOW_MS, LOCK_MS, MAX_FAILURES, MAX_LOCK_MS } from '../accounts.model.ts'
import list from './common.txt' with { type: 'text' }

export interface PasswordPolicy {
  /** Characters as people see them. */
  readonly min: number
  readonly refuseCommon: boolean
}

/** For users with any PLATFORM role, independent of the settings. */
export const ADMINISTRATORS: PasswordPolicy = { min: ADMIN_PASSWORD_MIN, refuseCommon: true }

/** The stricter of two policies in each respect. */
export const strictest = (a: PasswordPolicy, b: PasswordPolicy): PasswordPolicy => ({
  min: Math.max(a.min, b.min),
  refuseCommon: a.refuseCommon || b.refuseCommon,
})

const common = new Set(list.split('\n').filter((line) => line !== '' && !line.startsWith('#')))

/** A listed password, one repeated character, or the user's own username; all ignoring case. */
export function isCommon(password: string, username?: string | null): boolean {
  const lower = password.toLowerCase()
  return common.has(lower) || new Set(lower).size === 1 || lower === username?.toLowerCase()
}

/** The 400 to answer, or undefined if the password is accepted. */
export function passwordProblem(
  password: string,
  policy: PasswordPolicy,
  username?: string | null,
  path = 'body.password',
): AppError | undefined {
  if (isShorterThan(password, policy.min))
    return invalid(path, `must have at least ${policy.min} characters`, `至少 ${policy.min} 个字符`)
  if (policy.refuseCommon && isCommon(password, username))
    return invalid(path, 'is too easy to guess', '过于常见，容易被猜到')
  return undefined
}

/** Whether an administrator may have this password. */
export const isStrong = (password: string, username: string | null): boolean =>
  passwordProblem(password, ADMINISTRATORS, username) === undefined

/** The state of a failure lock. */
export interface Attempts {
  /** Epoch milliseconds, oldest first, at most `MAX_FAILURES`. */
  readonly triedAt: readonly number[]
  readonly lockedUntil: number
  /** Only of second factors: locks since the last right code. */
  readonly locks: number
}

const NONE: Attempts = { triedAt: [], lockedUntil: 0, locks: 0 }

/**
 * The state after one more attempt at `now`, or for how long (milliseconds) it is refused. Attempts count as failures until they
 * succeed: the fifth one is still checked, but locks the account while the check runs.
 */
export function countAttempt(before: Attempts | undefined, now: number): { after: Attempts } | { refusedFor: number } {
  const { triedAt, lockedUntil } = before ?? NONE
  if (lockedUntil > now) return { refusedFor: lockedUntil - now }
  const recent = triedAt.filter((at) => at > now - FAILURE_WINDOW_MS)
  const attempts = [...recent, now]
  const isLocked = attempts.length >= MAX_FAILURES
  return { after: { triedAt: attempts, lockedUntil: isLocked ? now + LOCK_MS : 0, locks: 0 } }
}

/**
 * The same for a code of a second factor. Wrong codes count until a right one, however slowly they come: the person who sends them knows
 * the password, and a million codes are few.
 */
export function countGuess(before: Attempts | undefined, now: number): { after: Attempts } | { refusedFor: number } {
  const { triedAt, lockedUntil, locks } = before ?? NONE
  if (lockedUntil > now) return { refusedFor: lockedUntil - now }
  const guesses = [...triedAt, now]
  if (guesses.length < MAX_FAILURES) return { after: { triedAt: guesses, lockedUntil: 0, locks } }
  const lockMs = Math.min(LOCK_MS * 2 ** locks, MAX_LOCK_MS)
  return { after: { triedAt: [], lockedUntil: now + lockMs, locks: locks + 1 } }
}

/** Removes the latest attempt, because its password was never checked. */
export const undoAttempt = (attempts: Attempts): Attempts => ({
  triedAt: attempts.triedAt.slice(0, -1),
  lockedUntil: 0,
  locks: 0,
})

/** When the row of these attempts can be deleted, epoch milliseconds. */
export const expiresAt = (attempts: Attempts): number =>
  Math.max(attempts.lockedUntil, (attempts.triedAt.at(-1) ?? 0) + FAILURE_WINDOW_MS)
