import type { AppContext } from '#context'
import { holdsAnyPlatformRole } from '#domains/access/index.ts'
import { getSetting } from '#domains/settings/index.ts'

import { ADMINISTRATORS, type PasswordPolicy, strictest } from './policy.ts'

/** What the settings ask of every password. */
export async function policyOfEverybody(ctx: AppContext): Promise<PasswordPolicy> {
  return {
    min: await getSetting(ctx, 'password.minLength'),
    refuseCommon: await getSetting(ctx, 'password.refuseCommon'),
  }
}

/** What is asked of this user's passwords. */
export async function policyOf(ctx: AppContext, userId: number): Promise<PasswordPolicy> {
  const everybody = await policyOfEverybody(ctx)
  return (await holdsAnyPlatformRole(ctx, userId)) ? strictest(everybody, ADMINISTRATORS) : everybody
}
