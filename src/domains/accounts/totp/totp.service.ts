/** Codes of authenticator apps, and recovery codes. */

import type { AppContext } from '#context'
import type { Tx } from '#db/store.ts'
import { stepOfCode } from '#lib/totp.ts'

import { locked, wrongTotp } from '../accounts.errors.ts'
import { GUESSES_KEPT_MS, MAX_FAILURES } from '../accounts.model.ts'
import type { LoginEvent } from '../login-records/login-records.model.ts'
import { notifyAccountHolder } from '../login-records/login-records.service.ts'
import { factorLockOf } from '../passwords/failure-lock.ts'
import { countGuess } from '../passwords/passwords.rules.ts'
import { deleteAttempts, findAttempts, saveAttempts } from '../passwords/passwords.store.ts'
import { parseFactor } from './totp.rules.ts'
import {
  countRecoveryCodes,
  findTotp,
  hasRecoveryCode,
  takeRecoveryCode,
  takeStep,
  type TotpRow,
} from './totp.store.ts'

/** A right code that has not been used up yet. */
export type ProvenCode = { readonly userId: number } & (
  | { readonly kind: 'totp'; readonly secret: string; readonly step: number }
  | { readonly kind: 'recovery'; readonly hash: string }
)

/** The bytes of a sealed secret; empty, and then no code is right, if it was sealed with the key of another server. */
export const secretOf = (ctx: AppContext, { secret }: Pick<TotpRow, 'secret'>): Uint8Array =>
  Buffer.from(ctx.seal.open(secret) ?? '', 'base64url')

export const recoveryHash = (ctx: AppContext, userId: number, code: string): string =>
  ctx.seal.mac(JSON.stringify(['recovery', userId, code]))

/** The step of a right code for this secret. */
export function stepFor(ctx: AppContext, row: TotpRow, code: string): number | undefined {
  const secret = secretOf(ctx, row)
  return secret.length === 0 ? undefined : stepOfCode(secret, code, ctx.clock.now(), row.lastStep)
}

/**
 * Undefined for a wrong or used code. It is counted before it is compared, and forgotten by `useFactor`. The user is notified whenever wrong
 * codes lock the second factor, since the person who sends them knows the password or has a session.
 * @throws AppError 429 (code 4022) while the second factor is locked
 */
export async function guessFactor(
  ctx: AppContext,
  userId: number,
  given: string,
  event: LoginEvent,
): Promise<ProvenCode | undefined> {
  const lock = factorLockOf(userId)
  const now = ctx.clock.now()
  const { lockedUntil } = await ctx.db.write('accounts.countGuess', async (tx) => {
    const counted = countGuess(await findAttempts(tx, lock), now)
    if ('refusedFor' in counted) throw locked(Math.ceil(counted.refusedFor / 1000))
    await saveAttempts(tx, lock, counted.after, Math.max(now, counted.after.lockedUntil) + GUESSES_KEPT_MS)
    return counted.after
  })
  const factor = await findFactor(ctx, userId, given)
  if (factor === undefined && lockedUntil > now)
    await ctx.db.write('accounts.reportGuesses', (tx) =>
      notifyAccountHolder(ctx, tx, userId, event, { kind: 'TOTP_GUESSED', about: { wrong: MAX_FAILURES } }),
    )
  return factor
}

/** Undefined for a wrong or used code. */
export async function findFactor(ctx: AppContext, userId: number, given: string): Promise<ProvenCode | undefined> {
  const { kind, code } = parseFactor(given)
  if (kind === 'totp') {
    const row = await findTotp(ctx.db.read, userId)
    const step = row === undefined || row.confirmedAt === null ? undefined : stepFor(ctx, row, code)
    return step === undefined ? undefined : { kind, userId, secret: row!.secret, step }
  }
  const hash = recoveryHash(ctx, userId, code)
  return (await hasRecoveryCode(ctx.db.read, userId, hash)) ? { kind, userId, hash } : undefined
}

/** Inside the write that it permits: uses the code up. @throws AppError 400 (code 4033) if it was used meanwhile */
export async function takeCode(ctx: AppContext, tx: Tx, factor: ProvenCode, event: LoginEvent): Promise<void> {
  const { userId } = factor
  const taken =
    factor.kind === 'totp'
      ? await takeStep(tx, userId, factor.secret, factor.step)
      : await takeRecoveryCode(tx, userId, factor.hash)
  if (!taken) throw wrongTotp()
  await deleteAttempts(tx, factorLockOf(userId))
  if (factor.kind === 'totp') return
  const left = await countRecoveryCodes(tx, userId)
  await notifyAccountHolder(ctx, tx, userId, event, { kind: 'RECOVERY_CODE_USED', about: { left } })
}
