/** Which passwords a user may choose, and checking them. */

import type { AppContext } from '#context'
import { holdsAnyPlatformRole } from '#domains/access/index.ts'
import { getSetting } from '#domains/settings/index.ts'
import type { AppError } from '#http/errors.ts'
import { invalid } from '#http/validate.ts'
import type { MaybePromise } from '#lib/maybe-promise.ts'
import type { Hashing } from '#platform/passwords.ts'

import { initialPassword } from '../accounts.errors.ts'
import { type StoredPassword, userById, type UserRow } from '../users/users.store.ts'
import { ADMINISTRATORS, isStrong, type PasswordPolicy, strictest } from './passwords.rules.ts'

/** The policy of the settings, for users without PLATFORM roles. */
export async function basePolicy(ctx: AppContext): Promise<PasswordPolicy> {
  return {
    min: await getSetting(ctx, 'password.minLength'),
    refuseCommon: await getSetting(ctx, 'password.refuseCommon'),
  }
}

export async function policyFor(ctx: AppContext, userId: number): Promise<PasswordPolicy> {
  const base = await basePolicy(ctx)
  return (await holdsAnyPlatformRole(ctx, userId)) ? strictest(base, ADMINISTRATORS) : base
}

/** `hashing`: whose part of the queue the hash takes, by default that of sign-ins. */
export const hashPassword = async (
  ctx: AppContext,
  password: string,
  username: string | null,
  hashing: Hashing = ctx.passwords,
): Promise<StoredPassword> => ({ hash: await hashing.hash(password), isStrong: isStrong(password, username) })

/**
 * For use in `guarded`: the stored hash of `userId` if the password matches it, otherwise undefined. Takes the same time in both cases.
 * `askedBy`: the signed-in user who sent the password.
 */
export async function verifyPasswordOf(
  ctx: AppContext,
  userId: number,
  password: string,
  askedBy = userId,
): Promise<string | undefined> {
  const hash = (await userById(ctx.db.read, userId))?.passwordHash ?? null
  return (await ctx.passwords.ofUser(askedBy).verify(password, hash)) ? (hash ?? undefined) : undefined
}

/** Whether the user has to change the password before anything else. */
export const mustChangePassword = async (
  ctx: AppContext,
  { passwordIsInitial }: Pick<UserRow, 'passwordIsInitial'>,
): Promise<boolean> => passwordIsInitial && (await getSetting(ctx, 'password.changeInitial'))

/** The 403 (code 4038) for a user with an initial password, if the settings say that it must be changed. Asked at each request, so that it holds at once. */
export function initialPasswordRefusal(ctx: AppContext): MaybePromise<AppError | undefined> {
  const must = getSetting(ctx, 'password.changeInitial')
  return must instanceof Promise ? must.then(refuseIf) : refuseIf(must)
}
const refuseIf = (must: boolean): AppError | undefined => (must ? initialPassword() : undefined)

/**
 * Call it only after a proof, because the answer shows whether `password` is the current one. @throws AppError 400 if it is the password
 * that an administrator chose
 */
export async function refuseSamePassword(
  ctx: AppContext,
  user: UserRow,
  password: string,
  path: string,
): Promise<void> {
  const mustChange = user.passwordIsForeign || (await mustChangePassword(ctx, user))
  if (mustChange && (await verifyPasswordOf(ctx, user.id, password)) !== undefined)
    throw invalid(path, 'must not be the password that an administrator chose', '不能与管理员设置的密码相同')
}
