/** The passkeys of a user, and signing in with one. */

import type { AppContext } from '#context'
import type { Tx } from '#db/store.ts'
import type { Actor, Caller } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'

import {
  lastPasskey,
  noPasskeys,
  passkeyExists,
  passkeyNotKept,
  passkeyRefused,
  passkeySuspect,
  sessionEnded,
  tooManyPasskeys,
} from '../accounts.errors.ts'
import { ANONYMOUS_USER_ID } from '../accounts.model.ts'
import type { PasskeyCreationOptions } from '../assertions/assertions.model.ts'
import { relyingParty } from '../assertions/assertions.rules.ts'
import { creationOptions, useAssertion, verifyRegistration } from '../assertions/assertions.service.ts'
import {
  countUsable,
  deletePasskey,
  endRequirement,
  insertPasskey,
  isRequired,
  isUsablePasskey,
  type PasskeyRow,
  passkeysOf,
  renamePasskey,
  requirePasskeys,
  takeChallenge,
} from '../assertions/assertions.store.ts'
import { requireConfirmationOfAll } from '../confirmations/confirmations.service.ts'
import { endAccess, factorChanged } from '../credentials/credentials.service.ts'
import { makeRecoveryCodes } from '../enrolments/enrolments.service.ts'
import { loginEvent, ownEvent } from '../login-records/login-records.rules.ts'
import { notifyAccountHolder, recordLogin } from '../login-records/login-records.service.ts'
import type { LoginResponse } from '../sessions/sessions.model.ts'
import { loginResponse, signIn } from '../sessions/sessions.service.ts'
import { findOwn } from '../sessions/sessions.store.ts'
import { countRecoveryCodes } from '../totp/totp.store.ts'
import { userById } from '../users/users.store.ts'
import type { NewPasskey, PasskeyLogin, Passkeys, PasskeyView, RequiredPasskeys } from './passkeys.model.ts'

export const MAX_PASSKEYS = 20

const toView = (row: PasskeyRow): PasskeyView => ({
  id: row.id,
  name: row.name,
  createdAt: row.createdAt,
  lastUsedAt: row.lastUsedAt,
  backedUp: row.backedUp,
  userVerified: row.userVerified,
  transports: row.transports,
  suspect: row.suspect,
})

export async function listPasskeys(ctx: AppContext, { userId }: Pick<Actor, 'userId'>): Promise<Passkeys> {
  const party = relyingParty(ctx.config.publicUrl)
  const reason = typeof party === 'string' ? party : null
  const items = (await passkeysOf(ctx.db.read, userId)).map(toView)
  return { items, required: await isRequired(ctx.db.read, userId), available: reason === null, reason }
}

/** Of every user a recent proof: a thief of a session must not add a lasting way in. */
export async function startRegistration(ctx: AppContext, actor: Actor): Promise<PasskeyCreationOptions> {
  await requireConfirmationOfAll(ctx, actor)
  const user = await userById(ctx.db.read, actor.userId)
  if (user === undefined) throw sessionEnded()
  return creationOptions(ctx, actor, { name: user.username ?? user.nickname, displayName: user.nickname })
}

export async function addPasskey(
  ctx: AppContext,
  actor: Actor,
  { name, ...given }: NewPasskey,
  caller: Caller,
): Promise<PasskeyView> {
  // Sign-ins name no passkeys, so authenticators find only those that they keep themselves.
  if (given.credential.clientExtensionResults?.credProps?.rk === false) throw passkeyNotKept()
  const verified = await verifyRegistration(ctx, actor, given)
  if (verified === undefined) throw passkeyRefused()
  const { userId, deviceKey } = actor
  const event = ownEvent('passkey_add', actor, caller)
  const row = await ctx.db.write('accounts.addPasskey', async (tx) => {
    await requireSession(tx, actor)
    if (!(await takeChallenge(tx, verified.challenge))) throw passkeyRefused()
    if ((await passkeysOf(tx, userId)).length >= MAX_PASSKEYS) throw tooManyPasskeys(MAX_PASSKEYS)
    const inserted = await insertPasskey(tx, {
      ...verified.passkey,
      userId,
      name: name || event.device.name.slice(0, 50) || 'Passkey',
      createdOn: deviceKey,
      createdAt: ctx.clock.now(),
    })
    if (inserted === undefined) throw passkeyExists()
    await recordLogin(ctx, tx, userId, event)
    await notifyAccountHolder(ctx, tx, userId, event, { kind: 'PASSKEY_ADDED', about: { passkey: inserted.name } })
    return inserted
  })
  return toView(row)
}

/** It may have ended since the request was admitted. @throws AppError 401 */
async function requireSession(tx: Tx, { userId, sessionId }: Actor): Promise<void> {
  if ((await findOwn(tx, userId, sessionId))?.status !== 'ACTIVE') throw sessionEnded()
}

export async function changePasskey(
  ctx: AppContext,
  actor: Actor,
  id: number,
  name: string,
  caller: Caller,
): Promise<PasskeyView> {
  const { userId } = actor
  const event = ownEvent('passkey_rename', actor, caller)
  return ctx.db.write('accounts.renamePasskey', async (tx) => {
    const before = (await passkeysOf(tx, userId)).find((row) => row.id === id)
    if (before === undefined) throw notFound()
    if (before.suspect) throw passkeySuspect()
    if (before.name === name) return toView(before)
    const after = await renamePasskey(tx, userId, id, name)
    if (after === undefined) throw notFound()
    await recordLogin(ctx, tx, userId, event)
    await notifyAccountHolder(ctx, tx, userId, event, { kind: 'PASSKEY_RENAMED', about: { passkey: name } })
    return toView(after)
  })
}

/** @throws AppError 400 for the last usable one while every sign-in asks for a passkey */
export async function removePasskey(ctx: AppContext, actor: Actor, id: number, caller: Caller): Promise<void> {
  await requireConfirmationOfAll(ctx, actor)
  const { userId } = actor
  const event = ownEvent('passkey_remove', actor, caller)
  await ctx.db.write('accounts.removePasskey', async (tx) => {
    await requireSession(tx, actor)
    const removed = await deletePasskey(tx, userId, id)
    if (removed === undefined) throw notFound()
    if (!removed.suspect && (await isRequired(tx, userId)) && (await countUsable(tx, userId)) === 0) throw lastPasskey()
    await endAccess(ctx, tx, 'PASSKEY_REMOVED', actor)
    await recordLogin(ctx, tx, userId, event)
    await notifyAccountHolder(ctx, tx, userId, event, { kind: 'PASSKEY_REMOVED', about: { passkey: removed.name } })
  })
}

/** Makes passkeys a second factor, or no longer. Making them one ends the user's other sessions, which were opened without it. */
export async function setRequired(
  ctx: AppContext,
  actor: Actor,
  required: boolean,
  caller: Caller,
): Promise<RequiredPasskeys> {
  await requireConfirmationOfAll(ctx, actor)
  const { userId } = actor
  const event = ownEvent(required ? 'passkey_require' : 'passkey_optional', actor, caller)
  const codes = await ctx.db.write('accounts.requirePasskeys', async (tx) => {
    await requireSession(tx, actor)
    if (required && (await countUsable(tx, userId)) === 0) throw noPasskeys()
    const changed = required ? await requirePasskeys(tx, userId, ctx.clock.now()) : await endRequirement(tx, userId)
    if (!changed) return {}
    const isFirst = required && (await countRecoveryCodes(tx, userId)) === 0
    const kind = required ? 'PASSKEYS_REQUIRED' : 'PASSKEYS_OPTIONAL'
    const fresh = isFirst ? await makeRecoveryCodes(ctx, tx, userId) : {}
    await factorChanged(ctx, tx, kind, actor)
    await recordLogin(ctx, tx, userId, event)
    await notifyAccountHolder(ctx, tx, userId, event, { kind, about: {} })
    return fresh
  })
  return { ...(await listPasskeys(ctx, actor)), ...codes }
}

/** A passkey whose authenticator checked its user is both factors. */
export async function passkeyLogin(ctx: AppContext, body: PasskeyLogin, caller: Caller): Promise<LoginResponse> {
  const event = loginEvent('passkey_login', caller, body)
  const used = await useAssertion(ctx, body, { userVerification: true }, event)
  if (used === undefined) {
    await ctx.db.write('accounts.recordFailure', (tx) =>
      recordLogin(ctx, tx, ANONYMOUS_USER_ID, event, 'wrong passkey'),
    )
    throw passkeyRefused()
  }
  const grant = await ctx.db.write('accounts.passkeyLogin', async (tx) => {
    if (!(await isUsablePasskey(tx, used.userId, used.passkeyId))) throw passkeyRefused()
    return signIn(ctx, tx, used.userId, event, { factor: { kind: 'passkey', ...used } })
  })
  return loginResponse(ctx, grant, caller)
}
