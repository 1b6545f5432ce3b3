/** Which passwords a user may choose, and replacing passwords that are known, forgotten or no longer trusted. */

import type { AppContext } from '#context'
import type { ContactProvider, Provider } from '#db/schema/accounts.ts'
import type { Tx } from '#db/store.ts'
import { holdsAnyPlatformRole } from '#domains/access/index.ts'
import { getSetting } from '#domains/settings/index.ts'
import type { Actor, Caller } from '#http/endpoint.ts'
import { invalid } from '#http/validate.ts'
import type { Hashing } from '#platform/passwords.ts'

import {
  noPasswordSet,
  notBound,
  notRegistered,
  notVerified,
  sessionEnded,
  wrongCode,
  wrongOldPassword,
} from '../accounts.errors.ts'
import { ANONYMOUS_USER_ID } from '../accounts.model.ts'
import { credentialOf, loginEvent, ownEvent, providerOf } from '../accounts.rules.ts'
import type { CodeSent } from '../codes/codes.model.ts'
import { checkCode, consumeCode, issueCode } from '../codes/codes.service.ts'
import type { CredentialChange } from '../credentials.rules.ts'
import { endAccess } from '../credentials.service.ts'
import type { LoginEvent } from '../login-records/login-records.model.ts'
import { notifyAccountHolder, recordLogin } from '../login-records/login-records.service.ts'
import { firstSeenAt } from '../login-records/login-records.store.ts'
import { deleteUndosOfOthers } from '../undos/undos.store.ts'
import { holderForCodeSignIn, identitiesOf, userById, type UserRow, verifyIdentity } from '../users/users.store.ts'
import { guarded, lockOf } from './failure-lock.ts'
import type { PasswordChange, PasswordReset } from './passwords.model.ts'
import {
  ADMINISTRATORS,
  isStrong,
  type PasswordPolicy,
  passwordProblem,
  type StoredPassword,
  strictest,
} from './passwords.rules.ts'
import { replacePassword } from './passwords.store.ts'

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

/** How a new password replaced the one before. */
export interface Replacement {
  readonly change: CredentialChange & `PASSWORD_${string}`
  /** Key of the device that asked for it. Its DEVICE identity stays. */
  readonly deviceKey: string
  /** How the change is recorded. */
  readonly event: LoginEvent
}

/**
 * Inside a write: replaces the password, ends what the old one gave access to, records it and notifies the user. The caller of the
 * operation has to sign in again.
 */
export async function installPassword(
  ctx: AppContext,
  tx: Tx,
  userId: number,
  password: StoredPassword,
  { change, deviceKey, event }: Replacement,
): Promise<void> {
  await replacePassword(tx, userId, { ...password, isForeign: await staysForeign(tx, userId) })
  await endAccess(ctx, tx, change, { userId, deviceKey })
  await recordLogin(ctx, tx, userId, event)
  await notifyAccountHolder(ctx, tx, userId, event, { kind: 'PASSWORD_CHANGED', about: {} })
}

/**
 * Whether an administrator may still get into the account after its password is replaced: with the password that they chose, they may
 * have bound an e-mail or phone of their own, which can reset every later password.
 */
async function staysForeign(tx: Tx, userId: number): Promise<boolean> {
  const user = await userById(tx, userId)
  if (user?.passwordIsForeign !== true) return false
  return (await identitiesOf(tx, userId)).some((identity) => identity.verified && identity.provider !== 'DEVICE')
}

/**
 * Call it only after a proof, because the answer shows whether `password` is the current one. @throws AppError 400 if it is the password
 * that an administrator chose
 */
async function refuseForeignPassword(ctx: AppContext, user: UserRow, password: string, path: string): Promise<void> {
  if (user.passwordIsForeign && (await verifyPasswordOf(ctx, user.id, password)) !== undefined)
    throw invalid(path, 'must not be the password that an administrator chose', '不能与管理员设置的密码相同')
}

/**
 * Inside a write: removes the password of an account whose unverified e-mail or phone was just proved. Anyone who registered
 * with this address without owning it, and an administrator who created the account, lose their password and sessions.
 */
export async function removeClaimantsPassword(
  ctx: AppContext,
  tx: Tx,
  userId: number,
  proved: Provider,
  event: LoginEvent,
): Promise<void> {
  await replacePassword(tx, userId, null)
  await endAccess(ctx, tx, 'CLAIM_PROVED', { userId, deviceKey: event.device.key })
  await notifyAccountHolder(ctx, tx, userId, event, {
    kind: 'PASSWORD_CHANGED',
    about: {},
    line:
      proved === 'EMAIL'
        ? {
            en: 'Your e-mail address was verified by a code. The password given at registration was removed: set a new one.',
            zh: '邮箱已通过验证码确认。注册时设置的密码已失效，请设置新密码。',
          }
        : {
            en: 'Your phone number was verified. The password that the account had before was removed: set a new one.',
            zh: '手机号已确认。此前为账号设置的密码已失效，请设置新密码。',
          },
  })
}

/** Inside a write: removes the password of an account that had nothing but a claim, which another user's proof has ended. */
export async function removePassword(ctx: AppContext, tx: Tx, userId: number): Promise<void> {
  await replacePassword(tx, userId, null)
  await endAccess(ctx, tx, 'CLAIM_LOST', { userId, deviceKey: '' })
}

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

/** @throws AppError 400 unless the credential is bound and verified. */
export async function findOwnCredential(ctx: AppContext, actor: Actor, provider: ContactProvider): Promise<string> {
  const identity = (await identitiesOf(ctx.db.read, actor.userId)).find((i) => i.provider === provider)
  if (identity === undefined) throw notBound(provider)
  if (!identity.verified) throw notVerified(provider)
  return identity.credential
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
    await refuseForeignPassword(ctx, user, body.newPassword, 'body.newPassword')
    const password = await hashPassword(ctx, body.newPassword, user.username, ctx.passwords.ofUser(user.id))
    await ctx.db.write('accounts.changePassword', async (tx) => {
      const now = await userById(tx, actor.userId)
      if (now?.status !== 'ACTIVE') throw sessionEnded()
      await useProof(tx, now)
      // A code proves less: a thief may have bound the address that it was sent to.
      if (body.verifyType === 'OLD_PASSWORD') await endForeignUndos(tx, actor)
      const { deviceKey } = actor
      await installPassword(ctx, tx, actor.userId, password, { change: 'PASSWORD_CHANGED', deviceKey, event })
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
    await consumeCode(tx, proof)
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
  await refuseForeignPassword(ctx, user, body.newPassword, 'body.newPassword')
  const password = await hashPassword(ctx, body.newPassword, user.username)
  const event = loginEvent('password_change', caller, {})
  await ctx.db.write('accounts.resetForgottenPassword', async (tx) => {
    await consumeCode(tx, proof)
    const now = await holderForCodeSignIn(tx, provider, credential)
    if (now?.user.id !== user.id || now.user.status !== 'ACTIVE') throw wrongCode()
    if (!now.identity.verified) await verifyIdentity(tx, user.id, now.identity.id)
    // The record names no device: the request proves a code, not that it comes from a device of the user.
    const { name, key: deviceKey } = event.device
    const recorded = { ...event, device: { key: '', name } }
    await installPassword(ctx, tx, user.id, password, { change: 'PASSWORD_RESET', deviceKey, event: recorded })
  })
}
