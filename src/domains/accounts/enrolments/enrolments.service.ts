/** Enabling and disabling the second factor, and its recovery codes. */

import type { AppContext } from '#context'
import type { Db, Tx } from '#db/store.ts'
import type { Actor, Caller } from '#http/endpoint.ts'
import { siteOf } from '#http/site.ts'
import { encodeQr, toSvg } from '#lib/qr/index.ts'
import { base32 } from '#lib/totp.ts'
import { bytes, randomCode } from '#platform/ids.ts'

import { enrolmentExpired, sessionEnded, totpEnabled, totpNotEnabled, wrongTotp } from '../accounts.errors.ts'
import { ENROLMENT_MS, RECOVERY_CODES } from '../accounts.model.ts'
import { requireConfirmationOfAll } from '../confirmations/confirmations.service.ts'
import { factorChanged } from '../credentials/credentials.service.ts'
import type { LoginEvent } from '../login-records/login-records.model.ts'
import { ownEvent } from '../login-records/login-records.rules.ts'
import { notifyAccountHolder, recordLogin } from '../login-records/login-records.service.ts'
import { guarded, lockOf } from '../passwords/failure-lock.ts'
import { findOwn } from '../sessions/sessions.store.ts'
import { parseFactor, RECOVERY_ALPHABET, RECOVERY_LENGTH, shownRecoveryCode } from '../totp/totp.rules.ts'
import { guessFactor, type ProvenCode, recoveryHash, stepFor, takeCode } from '../totp/totp.service.ts'
import {
  confirmTotp,
  countRecoveryCodes,
  deleteTotp,
  findTotp,
  hasTotp,
  replaceRecoveryCodes,
  saveUnconfirmed,
} from '../totp/totp.store.ts'
import { hasSecondFactor, userById } from '../users/users.store.ts'
import type { NewTotp, RecoveryCodes, TotpState } from './enrolments.model.ts'

/** The length that RFC 4226 recommends. */
const SECRET_BYTES = 20
/** With the quiet zone of four modules that readers expect. */
const PICTURE = { size: 240, margin: 4, fg: '000000', bg: 'ffffff' }

export async function getState(ctx: AppContext, { userId }: Actor): Promise<TotpState> {
  const enabled = await hasTotp(ctx.db.read, userId)
  return { enabled, recoveryCodesLeft: await countRecoveryCodes(ctx.db.read, userId) }
}

/** A secret for the authenticator app. It is asked for at sign-ins only after `confirmEnrolment`. */
export async function startEnrolment(ctx: AppContext, actor: Actor): Promise<NewTotp> {
  const { userId } = actor
  // Of every user: with a stolen session anyone could lock the owner out.
  await requireConfirmationOfAll(ctx, actor)
  const user = await userById(ctx.db.read, userId)
  if (user === undefined) throw sessionEnded()
  const raw = bytes(SECRET_BYTES)
  const sealed = ctx.seal.seal(Buffer.from(raw).toString('base64url'))
  const createdAt = ctx.clock.now()
  await ctx.db.write('accounts.startEnrolment', async (tx) => {
    if (!(await saveUnconfirmed(tx, { userId, secret: sealed, createdAt }))) throw totpEnabled()
  })
  const secret = base32(raw)
  const label = encodeURIComponent(user.username ?? user.nickname)
  const issuer = encodeURIComponent(siteOf(ctx).name)
  const uri = `otpauth://totp/${issuer}:${label}?secret=${secret}&issuer=${issuer}`
  const imageUrl = `data:image/svg+xml;base64,${Buffer.from(toSvg(encodeQr(uri, 'M'), PICTURE)).toString('base64')}`
  return { secret, uri, imageUrl, expiresAt: createdAt + ENROLMENT_MS }
}

/** Enables the second factor with the first code of the app. The user's other sessions end. */
export async function confirmEnrolment(
  ctx: AppContext,
  actor: Actor,
  given: string,
  caller: Caller,
): Promise<RecoveryCodes> {
  const { userId } = actor
  const event = ownEvent('totp_enable', actor, caller)
  const row = await findTotp(ctx.db.read, userId)
  if (row !== undefined && row.confirmedAt !== null) throw totpEnabled()
  if (row === undefined || ctx.clock.now() > row.createdAt + ENROLMENT_MS) throw enrolmentExpired()
  const check = async () => stepFor(ctx, row, parseFactor(given).code)
  const codes = await guarded(
    ctx,
    lockOf({ id: userId }, ''),
    check,
    (step) =>
      ctx.db.write('accounts.confirmEnrolment', async (tx) => {
        if ((await findOwn(tx, userId, actor.sessionId))?.status !== 'ACTIVE') throw sessionEnded()
        if (!(await confirmTotp(tx, row, step, ctx.clock.now()))) throw enrolmentExpired()
        const fresh = await makeRecoveryCodes(ctx, tx, userId)
        await factorChanged(ctx, tx, 'TOTP_ENABLED', actor)
        await recordLogin(ctx, tx, userId, event)
        await notifyAccountHolder(ctx, tx, userId, event, { kind: 'TOTP_ENABLED', about: {} })
        return fresh
      }),
    'undo',
  )
  if (codes === undefined) throw wrongTotp()
  return codes
}

export async function makeRecoveryCodes(ctx: AppContext, tx: Tx, userId: number): Promise<RecoveryCodes> {
  const codes = Array.from({ length: RECOVERY_CODES }, () => randomCode(RECOVERY_ALPHABET, RECOVERY_LENGTH))
  await replaceRecoveryCodes(
    tx,
    userId,
    codes.map((code) => recoveryHash(ctx, userId, code)),
  )
  return { recoveryCodes: codes.map(shownRecoveryCode) }
}

export const disable = (ctx: AppContext, actor: Actor, given: string, caller: Caller): Promise<void> => {
  const event = ownEvent('totp_disable', actor, caller)
  return withCode(ctx, actor, given, event, hasTotp, async (factor) =>
    ctx.db.write('accounts.disableTotp', async (tx) => {
      const { userId } = actor
      await takeCode(ctx, tx, factor, event)
      if (!(await deleteTotp(tx, userId))) throw totpNotEnabled()
      await factorChanged(ctx, tx, 'TOTP_DISABLED', actor)
      await recordLogin(ctx, tx, userId, event)
      await notifyAccountHolder(ctx, tx, userId, event, { kind: 'TOTP_DISABLED', about: {} })
    }),
  )
}

/** New recovery codes; the earlier ones no longer work. */
export const replaceCodes = (ctx: AppContext, actor: Actor, given: string, caller: Caller): Promise<RecoveryCodes> => {
  const event = ownEvent('recovery_codes', actor, caller)
  return withCode(ctx, actor, given, event, hasSecondFactor, async (factor) =>
    ctx.db.write('accounts.replaceRecoveryCodes', async (tx) => {
      const { userId } = actor
      if (!(await hasSecondFactor(tx, userId))) throw totpNotEnabled()
      await takeCode(ctx, tx, factor, event)
      const codes = await makeRecoveryCodes(ctx, tx, userId)
      await recordLogin(ctx, tx, userId, event)
      await notifyAccountHolder(ctx, tx, userId, event, { kind: 'RECOVERY_CODES_REPLACED', about: {} })
      return codes
    }),
  )
}

/** Runs `use` if the code is right. Wrong ones count in the failure lock. A right one forgives no wrong password. `isOn`: what the code is for. */
async function withCode<T>(
  ctx: AppContext,
  { userId }: Actor,
  given: string,
  event: LoginEvent,
  isOn: (db: Db | Tx, userId: number) => Promise<boolean>,
  use: (factor: ProvenCode) => Promise<T>,
): Promise<T> {
  if (!(await isOn(ctx.db.read, userId))) throw totpNotEnabled()
  const check = () => guessFactor(ctx, userId, given, event)
  // An object, because `guarded` takes undefined for a wrong code.
  const used = await guarded(ctx, lockOf({ id: userId }, ''), check, async (f) => ({ result: await use(f) }), 'undo')
  if (used === undefined) throw wrongTotp()
  return used.result
}
