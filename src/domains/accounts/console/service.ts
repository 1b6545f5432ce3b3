/** Whether administrators can use the console without a second factor. */

import type { AppContext } from '#context'
import { getSetting } from '#domains/settings/index.ts'
import type { AppError } from '#http/errors.ts'
import type { MaybePromise } from '#lib/maybe-promise.ts'

import { totpRequired } from '../errors.ts'
import { hasTotp } from '../totp/store.ts'

/**
 * The 403 (code 4034) for an administrator who has no second factor, if the settings require one: they can sign in and enable it. Asked
 * at each request of the console, so that it holds at once, and synchronous if the settings require nothing.
 */
export function consoleRefusal(ctx: AppContext, userId: number): MaybePromise<AppError | undefined> {
  const required = getSetting(ctx, 'security.requireTotp')
  return required === false ? undefined : refuseWithoutTotp(ctx, userId, required)
}

async function refuseWithoutTotp(
  ctx: AppContext,
  userId: number,
  required: MaybePromise<boolean>,
): Promise<AppError | undefined> {
  return (await required) && !(await hasTotp(ctx.db.read, userId)) ? totpRequired() : undefined
}
