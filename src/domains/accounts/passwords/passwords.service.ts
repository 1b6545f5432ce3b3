/** Which passwords a user may choose, and checking them. */

import type { AppContext } from '#context'
import { holdsAnyPlatformRole } from '#domains/access/index.ts'
import { getSetting } from '#domains/settings/index.ts'
import type { Hashing } from '#platform/passwords.ts'

import { type StoredPassword, userById } from '../users/users.store.ts'
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
