/** Replacing passwords that are known or forgotten. */

import type { AppContext } from '#context'
import type { ContactProvider } from '#db/schema/accounts.ts'
import type { Tx } from '#db/store.ts'
import type { Actor, Caller } from '#http/endpoint.ts'
import { invalid } from '#http/validate.ts'

import {
  noPasswordSet,
  notBound,
  notRegistered,
  sessionEnded,
  wrongCode,
  wrongOldPassword,
} from '../accounts.errors.ts'
import { ANONYMOUS_USER_ID } from '../accounts.model.ts'
import { credentialOf, providerOf } from '../accounts.rules.ts'
import type { CodeSent } from '../codes/codes.model.ts'
import { checkCode, consumeCode, issueCode } from '../codes/codes.service.ts'
import { installPassword, proveIdentity } from '../credentials/credentials.service.ts'
import { loginEvent, ownEvent } from '../login-records/login-records.rules.ts'
import { firstSeenAt } from '../login-records/login-records.store.ts'
import { guarded, lockOf } from '../passwords/failure-lock.ts'
import { passwordProblem } from '../passwords/passwords.rules.ts'
import { hashPassword, policyFor, refuseSamePassword, verifyPasswordOf } from '../passwords/passwords.service.ts'
import { deleteUndosOfOthers } from '../undos/undos.store.ts'
import { findOwnCredential, requireLocalSignIn } from '../users/users.service.ts'
import { holderForCodeSignIn, identitiesOf, userById, type UserRow } from '../users/users.store.ts'
import type { PasswordChange, PasswordReset } from './password-changes.model.ts'

/** Sends a code to the caller's own phone or e-mail. */
export async function sendChangeCode(
  ctx: AppContext,
  actor: Actor,
  provider: ContactProvider,
  caller: Caller,
): Promise<CodeSent> {
  const credential = await findOwnCredential(ctx, actor, provider)
  return issueCode(ctx, { purpose: 'CHANGE', credential, userId: actor.userId }, caller)
}

/** Replaces the password of a signed-in user. Every session of theirs ends, the caller's too. */
export async function changePassword(
  ctx: AppContext,
  actor: Actor,
  body: PasswordChange,
  caller: Caller,
): Promise<void> {
  const user = await userById(ctx.db.read, actor.userId)
  if (user === undefined) throw sessionEnded()
  const problem = passwordProblem(body.newPassword, await policyFor(ctx, user.id), user.username, 'body.newPassword')
  if (problem) throw problem
  const event = ownEvent('password_change', actor, caller)
  const write: WriteChange = async (useProof) => {
    await refuseSamePassword(ctx, user, body.newPassword, 'body.newPassword')
    const password = await hashPassword(ctx, body.newPassword, user.username, ctx.passwords.ofUser(user.id))
    await ctx.db.write('accounts.changePassword', async (tx) => {
      const now = await userById(tx, actor.userId)
      if (now?.status !== 'ACTIVE') throw sessionEnded()
      await useProof(tx, now)
      // A code proves less: a thief may have bound the address that it was sent to.
      if (body.verifyType === 'OLD_PASSWORD') await endForeignUndos(tx, actor)
      const { deviceKey } = actor
      await installPassword(ctx, tx, actor.userId, password, {
        change: 'PASSWORD_CHANGED',
        deviceKey,
        keepsPasskeys: body.keepPasskeys === true,
        keepsApiKeys: body.keepApiKeys === true,
        event,
      })
    })
  }
  if (body.verifyType === 'OLD_PASSWORD') await changeByOldPassword(ctx, user, body.oldPassword, write)
  else await changeByCode(ctx, actor, body.verifyType === 'PHONE_CODE' ? 'PHONE' : 'EMAIL', body.code, write)
}

/**
 * Ends the undo links to addresses that were bound on other devices, as their sessions end too. Only on a device that the account knew
 * before: otherwise a thief of the password could end the link to the owner's address from a device of their own.
 */
async function endForeignUndos(tx: Tx, { userId, deviceKey }: Actor): Promise<void> {
  const since = await firstSeenAt(tx, userId, deviceKey)
  if (since !== undefined) await deleteUndosOfOthers(tx, userId, deviceKey, since)
}

/** Changes a password in one write. `useProof` runs inside it, and throws if the earlier proof is no longer valid. */
type WriteChange = (useProof: (tx: Tx, now: UserRow) => Promise<void>) => Promise<void>

async function changeByOldPassword(
  ctx: AppContext,
  user: UserRow,
  oldPassword: string | null | undefined,
  write: WriteChange,
): Promise<void> {
  if (user.passwordHash === null) throw noPasswordSet()
  if (!oldPassword) throw invalid('body.oldPassword', 'is required', '不能为空')
  const changed = await guarded(
    ctx,
    lockOf(user, ''),
    () => verifyPasswordOf(ctx, user.id, oldPassword),
    async (hash, forget) => {
      await write(async (tx, now) => {
        if (now.passwordHash !== hash) throw wrongOldPassword()
        await forget(tx)
      })
      return true
    },
  )
  if (!changed) throw wrongOldPassword()
}

async function changeByCode(
  ctx: AppContext,
  actor: Actor,
  provider: ContactProvider,
  code: string | null | undefined,
  write: WriteChange,
): Promise<void> {
  const credential = await findOwnCredential(ctx, actor, provider)
  if (!code) throw invalid('body.code', 'is required', '不能为空')
  const proof = await checkCode(ctx, { purpose: 'CHANGE', credential, userId: actor.userId }, code)
  await write(async (tx) => {
    await consumeCode(ctx, tx, proof)
    const identities = await identitiesOf(tx, actor.userId)
    if (!identities.some((i) => i.provider === provider && i.credential === credential)) throw notBound(provider)
  })
}

/**
 * Sends a code for a forgotten password. @throws AppError 400 for a credential that opens no account (spec §4.1); such a call
 * counts in the limits and costs the same.
 */
export async function sendForgotCode(ctx: AppContext, given: string, caller: Caller): Promise<CodeSent> {
  const credential = await credentialOf(given)
  return issueCode(ctx, { purpose: 'RESET', credential, userId: ANONYMOUS_USER_ID }, caller, async (tx) => {
    const owner = await holderForCodeSignIn(tx, providerOf(credential), credential)
    return owner?.user.status === 'ACTIVE' ? undefined : notRegistered()
  })
}

/** Replaces a forgotten password and ends every session of the user. An e-mail that was unverified is verified by the code. */
export async function resetForgottenPassword(ctx: AppContext, body: PasswordReset, caller: Caller): Promise<void> {
  const credential = await credentialOf(body.credential)
  const provider = providerOf(credential)
  const proof = await checkCode(ctx, { purpose: 'RESET', credential, userId: ANONYMOUS_USER_ID }, body.code)
  const user = (await holderForCodeSignIn(ctx.db.read, provider, credential))?.user
  if (user === undefined) throw wrongCode()
  const problem = passwordProblem(body.newPassword, await policyFor(ctx, user.id), user.username, 'body.newPassword')
  if (problem) throw problem
  await refuseSamePassword(ctx, user, body.newPassword, 'body.newPassword')
  const password = await hashPassword(ctx, body.newPassword, user.username)
  const event = loginEvent('password_change', caller, {})
  await ctx.db.write('accounts.resetForgottenPassword', async (tx) => {
    await consumeCode(ctx, tx, proof)
    const now = await holderForCodeSignIn(tx, provider, credential)
    if (now?.user.id !== user.id || now.user.status !== 'ACTIVE') throw wrongCode()
    await requireLocalSignIn(ctx, tx, user.id)
    if (!now.identity.verified) await proveIdentity(ctx, tx, now.identity)
    // The record names no device: the request proves a code, not that it comes from a device of the user.
    const { name, key: deviceKey } = event.device
    const recorded = { ...event, device: { key: '', name } }
    await installPassword(ctx, tx, user.id, password, { change: 'PASSWORD_RESET', deviceKey, event: recorded })
  })
}
