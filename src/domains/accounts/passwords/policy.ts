/** Which passwords are accepted (conventions §4). Pure. */

import type { AppError } from '#http/errors.ts'
import { invalid } from '#http/validate.ts'

import { ADMIN_PASSWORD_MIN } from '../limits.ts'
import list from './common.txt' with { type: 'text' }

export interface PasswordPolicy {
  /** Characters. */
  readonly min: number
  readonly refuseCommon: boolean
}

/** For anyone who holds a PLATFORM role, whatever the settings say. */
export const ADMINISTRATORS: PasswordPolicy = { min: ADMIN_PASSWORD_MIN, refuseCommon: true }

/** The stricter of two. */
export const strictest = (a: PasswordPolicy, b: PasswordPolicy): PasswordPolicy => ({
  min: Math.max(a.min, b.min),
  refuseCommon: a.refuseCommon || b.refuseCommon,
})

const common = new Set(list.split('\n').filter((line) => line !== '' && !line.startsWith('#')))

/** Listed, one character repeated, or the person's own username. */
export function isCommon(password: string, username?: string | null): boolean {
  const lower = password.toLowerCase()
  return common.has(lower) || new Set(lower).size === 1 || lower === username?.toLowerCase()
}

/** The 400 to answer, or undefined when the password will do. */
export function passwordProblem(
  password: string,
  policy: PasswordPolicy,
  username?: string | null,
  path = 'body.password',
): AppError | undefined {
  if (password.length < policy.min)
    return invalid(path, `must have at least ${policy.min} characters`, `至少 ${policy.min} 个字符`)
  if (policy.refuseCommon && isCommon(password, username))
    return invalid(path, 'is too easy to guess', '过于常见，容易被猜到')
  return undefined
}
