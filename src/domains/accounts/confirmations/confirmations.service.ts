/**
 * Confirmations: a stolen session alone must not be enough to take an account over. Changes of the ways to sign in need a recent proof,
 * by a sign-in or by a confirmation, of administrators and users with a second factor always, and of everyone if the settings say so.
 */

import type { AppContext } from '#context'
import type { Tx } from '#db/store.ts'
import { holdsAnyPlatformRole } from '#domains/access/index.ts'
import { getSetting } from '#domains/settings/index.ts'
import type { Actor, Caller } from '#http/endpoint.ts'
import { invalid } from '#http/validate.ts'

import {
  confirmFirst,
  noPasswordSet,
  notBound,
  passkeyRefused,
  sessionEnded,
  wrongPassword,
} from '../accounts.errors.ts'
import { CONFIRMATION_MS } from '../accounts.model.ts'
import { useAssertion } from '../assertions/assertions.service.ts'
import { isUsablePasskey } from '../assertions/assertions.store.ts'
import { checkCode, consumeCode } from '../codes/codes.service.ts'
import { ownEvent } from '../login-records/login-records.rules.ts'
import { guarded, lockOf } from '../passwords/failure-lock.ts'
import { verifyPasswordOf } from '../passwords/passwords.service.ts'
import { waysToConfirm } from '../sessions/sessions.service.ts'
import { findOwn, markConfirmed } from '../sessions/sessions.store.ts'
import { findOwnCredential } from '../users/users.service.ts'
import { hasSecondFactor, identitiesOf, userById } from '../users/users.store.ts'
import type { Confirmation, Confirmed } from './confirmations.model.ts'

/** @throws AppError 403 (code 4031) if a recent proof is needed and the caller's session has none. */
export async function requireConfirmation(ctx: AppContext, actor: Actor): Promise<void> {
  const { userId } = actor
  const isNeeded =
    (await getSetting(ctx, 'security.stepUp')) ||
    (await holdsAnyPlatformRole(ctx, userId)) ||
    (await hasSecondFactor(ctx.db.read, userId))
  if (isNeeded) await requireConfirmationOfAll(ctx, actor)
}

/** For changes that need a recent proof of every user. @throws AppError 403 (code 4031) */
export async function requireConfirmationOfAll(ctx: AppContext, { userId, sessionId }: Actor): Promise<void> {
  const session = await findOwn(ctx.db.read, userId, sessionId)
  if (session !== undefined && ctx.clock.now() - session.confirmedAt <= CONFIRMATION_MS) return
  const user = await userById(ctx.db.read, userId)
  if (user === undefined) throw sessionEnded()
  throw confirmFirst(await waysToConfirm(ctx.db.read, user))
}

/** Confirms the caller's session by the password, by a code that was sent to their phone or e-mail, or by a passkey. */
export async function confirm(
  ctx: AppContext,
  actor: Actor,
  { verifyType, password, code, passkey }: Confirmation,
  caller: Caller,
): Promise<Confirmed> {
  switch (verifyType ?? (passkey ? 'PASSKEY' : undefined)) {
    case 'PASSWORD':
      return confirmByPassword(ctx, actor, password)
    case 'PHONE_CODE':
      return confirmByCode(ctx, actor, 'PHONE', code)
    case 'EMAIL_CODE':
      return confirmByCode(ctx, actor, 'EMAIL', code)
    case 'PASSKEY':
      return confirmByPasskey(ctx, actor, passkey, caller)
    case undefined:
      throw invalid('body.verifyType', 'is required', '不能为空')
  }
}

async function confirmByPassword(
  ctx: AppContext,
  actor: Actor,
  password: string | null | undefined,
): Promise<Confirmed> {
  const { userId } = actor
  if (!password) throw invalid('body.password', 'is required', '不能为空')
  if ((await userById(ctx.db.read, userId))?.passwordHash === null) throw noPasswordSet()
  const confirmed = await guarded(
    ctx,
    lockOf({ id: userId }, ''),
    () => verifyPasswordOf(ctx, userId, password),
    (hash, forget) =>
      ctx.db.write('accounts.confirm', async (tx) => {
        await forget(tx)
        if ((await userById(tx, userId))?.passwordHash !== hash) throw wrongPassword()
        return mark(ctx, tx, actor)
      }),
  )
  if (confirmed === undefined) throw wrongPassword()
  return confirmed
}

async function confirmByCode(
  ctx: AppContext,
  actor: Actor,
  provider: 'PHONE' | 'EMAIL',
  code: string | null | undefined,
): Promise<Confirmed> {
  const { userId } = actor
  if (!code) throw invalid('body.code', 'is required', '不能为空')
  const credential = await findOwnCredential(ctx, actor, provider)
  const proof = await checkCode(ctx, { purpose: 'CHANGE', credential, userId }, code)
  return ctx.db.write('accounts.confirm', async (tx) => {
    await consumeCode(ctx, tx, proof)
    const bound = await identitiesOf(tx, userId)
    if (!bound.some((i) => i.provider === provider && i.credential === credential)) throw notBound(provider)
    return mark(ctx, tx, actor)
  })
}

async function confirmByPasskey(
  ctx: AppContext,
  actor: Actor,
  passkey: Confirmation['passkey'],
  caller: Caller,
): Promise<Confirmed> {
  const { userId } = actor
  if (!passkey) throw invalid('body.passkey', 'is required', '不能为空')
  const event = ownEvent('passkey_login', actor, caller)
  const used = await useAssertion(ctx, passkey, { userId, userVerification: false }, event)
  if (used === undefined) throw passkeyRefused()
  return ctx.db.write('accounts.confirm', async (tx) => {
    if (!(await isUsablePasskey(tx, userId, used.passkeyId))) throw passkeyRefused()
    return mark(ctx, tx, actor)
  })
}

async function mark(ctx: AppContext, tx: Tx, { userId, sessionId }: Actor): Promise<Confirmed> {
  const now = ctx.clock.now()
  if (!(await markConfirmed(tx, userId, sessionId, now))) throw sessionEnded()
  return { confirmedUntil: now + CONFIRMATION_MS }
}
