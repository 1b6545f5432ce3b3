/**
 * The second factor at sign-ins. Rule: every session of a user who has one was opened with it, directly or by another session of
 * theirs, or on a device that they trust. `signIn` asks for it, and enabling it ends the sessions that are older. So no request has to
 * check it again.
 */

import type { AppContext } from '#context'
import type { Db, Tx } from '#db/store.ts'
import { getSetting } from '#domains/settings/index.ts'
import { DAY } from '#platform/clock.ts'

import { factorNeeded, type FactorWay, wrongPasskeyFactor, wrongTotp } from '../accounts.errors.ts'
import { useAssertion } from '../assertions/assertions.service.ts'
import { countUsable, isUsablePasskey } from '../assertions/assertions.store.ts'
import type { LoginEvent } from '../login-records/login-records.model.ts'
import { recordLogin } from '../login-records/login-records.service.ts'
import { guarded, lockOf } from '../passwords/failure-lock.ts'
import { guessFactor, type ProvenCode, takeCode } from '../totp/totp.service.ts'
import { countRecoveryCodes, hasTotp } from '../totp/totp.store.ts'
import { hasSecondFactor, holdsPlatformRole } from '../users/users.store.ts'
import type { GivenFactor } from './second-factor.model.ts'
import { isTrustedDevice, trustDevice } from './second-factor.store.ts'

const TRUST_MS = 30 * DAY

/** A right second factor. A code has not been used up yet; a challenge has. */
export type Factor = (
  | ProvenCode
  | { readonly kind: 'passkey'; readonly userId: number; readonly passkeyId: number }
  | { readonly kind: 'trusted'; readonly userId: number }
) & {
  /** Whether the user wants to trust the device, and may. */
  readonly trusts?: boolean
}

/**
 * For use in `guarded`, after the first factor was right. Undefined for users without a second factor.
 * @throws AppError 403 (code 4032) if it is missing, 400 (code 4033) if it is wrong; the failure is recorded.
 */
export async function proveFactor(
  ctx: AppContext,
  userId: number,
  given: GivenFactor,
  event: LoginEvent,
): Promise<Factor | undefined> {
  if (!(await hasSecondFactor(ctx.db.read, userId))) return undefined
  const mayTrust = await getSetting(ctx, 'security.trustedDevices')
  if (!given.passkey && !given.totp) {
    if (mayTrust && (await isSpared(ctx, ctx.db.read, userId, event))) return { kind: 'trusted', userId }
    throw factorNeeded(await waysOf(ctx.db.read, userId))
  }
  const factor = given.passkey
    ? await provePasskey(ctx, userId, given.passkey, event)
    : await guessFactor(ctx, userId, given.totp!, event)
  if (factor !== undefined) return { ...factor, trusts: mayTrust && given.trustDevice === true }
  await ctx.db.write('accounts.recordFailure', (tx) => recordLogin(ctx, tx, userId, event, 'wrong second factor'))
  throw given.passkey ? wrongPasskeyFactor() : wrongTotp()
}

async function provePasskey(
  ctx: AppContext,
  userId: number,
  given: NonNullable<GivenFactor['passkey']>,
  event: LoginEvent,
): Promise<Factor | undefined> {
  const used = await useAssertion(ctx, given, { userId, userVerification: false }, event)
  return used && { kind: 'passkey', ...used }
}

/** The ways to pass the second factor that this user has. */
async function waysOf(db: Db | Tx, userId: number): Promise<FactorWay[]> {
  const ways: [FactorWay, boolean][] = [
    ['TOTP', await hasTotp(db, userId)],
    ['RECOVERY_CODE', (await countRecoveryCodes(db, userId)) > 0],
    ['PASSKEY', (await countUsable(db, userId)) > 0],
  ]
  return ways.flatMap(([way, isPossible]) => (isPossible ? [way] : []))
}

/** Whether the user trusts the device. A device that is the first factor cannot be the second one too, and administrators trust none. */
const isSpared = async (ctx: AppContext, db: Db | Tx, userId: number, { loginType, device }: LoginEvent) =>
  loginType !== 'device_login' &&
  (await isTrustedDevice(db, userId, device.key, ctx.clock.now())) &&
  !(await holdsPlatformRole(db, userId))

/** The second factor of a sign-in whose first one is not a password. `userId`: undefined for a new account. */
export async function proveFactorAlone(
  ctx: AppContext,
  userId: number | undefined,
  given: GivenFactor,
  event: LoginEvent,
): Promise<Factor | undefined> {
  if (userId === undefined || !(await hasSecondFactor(ctx.db.read, userId))) return undefined
  const prove = () => proveFactor(ctx, userId, given, event)
  if (!given.totp && !given.passkey) return prove()
  return guarded(ctx, lockOf({ id: userId }, ''), prove, async (factor) => factor)
}

/**
 * Inside the write that it permits: uses the factor up, and trusts the device if the user wants it. Of several callers with one code, one
 * succeeds.
 * @throws AppError 403 (code 4032) if the user has a second factor and none was proved, 400 (code 4033) if it was used or removed meanwhile
 */
export async function useFactor(
  ctx: AppContext,
  tx: Tx,
  userId: number,
  factor: Factor | undefined,
  event: LoginEvent,
): Promise<void> {
  if (!(await hasSecondFactor(tx, userId))) return
  if (factor === undefined || factor.userId !== userId) throw factorNeeded(await waysOf(tx, userId))
  switch (factor.kind) {
    case 'trusted':
      if (!(await isSpared(ctx, tx, userId, event))) throw factorNeeded(await waysOf(tx, userId))
      return
    case 'passkey':
      if (!(await isUsablePasskey(tx, userId, factor.passkeyId))) throw wrongPasskeyFactor()
      break
    default:
      await takeCode(ctx, tx, factor, event)
  }
  if (factor.trusts && !(await holdsPlatformRole(tx, userId)))
    await trustDevice(tx, userId, event.device.key, ctx.clock.now() + TRUST_MS)
}
