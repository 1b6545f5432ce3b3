/**
 * Inside the write that changes a credential: ends what the table of credentials.rules.ts says, replaces passwords, and gives a proved
 * credential to its user.
 */

import type { AppContext } from '#context'
import type { Provider } from '#db/schema/accounts.ts'
import type { Tx } from '#db/store.ts'
import { bindingsChanged } from '#domains/access/index.ts'
import { emit } from '#domains/domain.ts'
import type { Locale } from '#lib/localized.ts'

import { deletePasskeysOf } from '../assertions/assertions.store.ts'
import { deleteCodes } from '../codes/codes.store.ts'
import type { LoginEvent } from '../login-records/login-records.model.ts'
import { notifyAccountHolder, recordLogin } from '../login-records/login-records.service.ts'
import { deleteDevicesOf, forgetDevice } from '../login-records/login-records.store.ts'
import { unlock } from '../passwords/failure-lock.ts'
import { replacePassword } from '../passwords/passwords.store.ts'
import { deleteResetCode } from '../reset-codes/reset-codes.store.ts'
import { endTrust } from '../second-factor/second-factor.store.ts'
import { endSessions } from '../sessions/sessions.service.ts'
import { deleteRecoveryCodes } from '../totp/totp.store.ts'
import { canStillSignIn, isContact } from '../users/users.rules.ts'
import {
  deleteClaim,
  deleteIdentity,
  hasSecondFactor,
  identitiesOf,
  type IdentityRow,
  insertIdentity,
  type NewIdentity,
  type OwnIdentity,
  type StoredPassword,
  userById,
  verifyIdentity,
} from '../users/users.store.ts'
import { type CredentialChange, ENDED, type Ended } from './credentials.rules.ts'
import { deleteLinks } from './credentials.store.ts'

/** Whose access ends, and what the row of the table needs to know. */
export interface Subject {
  readonly userId: number
  /** Of the device that asked for the change, or that is removed; empty for none of the user's. */
  readonly deviceKey: string
  /** The user has asked to keep the API keys that the change would end. */
  readonly keepsApiKeys?: boolean
  /** For a removed link: the account it led to. */
  readonly linkedUserId?: number
  /** The user has looked at their passkeys and keeps all of them. */
  readonly keepsPasskeys?: boolean
}

export interface Outcome {
  /** Whether a session of the account was active and ended. */
  readonly endedSessions: boolean
  /** Whether DEVICE identities stayed, because they are the only way to sign in. */
  readonly keptDeviceIdentities: boolean
}

/** Call it after the credential has changed, as it asks how the user can still sign in. */
export async function endAccess(ctx: AppContext, tx: Tx, change: CredentialChange, subject: Subject): Promise<Outcome> {
  const { userId, deviceKey } = subject
  const row: Ended = ENDED[change]
  const endedSessions = await endSessionsOf(ctx, tx, row, subject)
  if (row.links !== 'none') await deleteLinks(tx, userId, row.links)
  if (row.knownDevices === 'all') await deleteDevicesOf(tx, userId)
  if (row.knownDevices === 'device') await forgetDevice(tx, userId, deviceKey, ctx.clock.now())
  if (row.passkeys !== 'none' && !subject.keepsPasskeys)
    await deletePasskeysOf(tx, userId, row.passkeys === 'others' ? { exceptDevice: deviceKey } : {})
  if (row.trust !== 'none') await endTrust(tx, userId, row.trust === 'device' ? [deviceKey] : undefined)
  if (row.secretLinks) await emit(ctx, tx, 'user.secretLinksEnded', { userId })
  if (row.apiKeys !== 'none' && !(row.apiKeys === 'revoked' && subject.keepsApiKeys === true))
    await emit(ctx, tx, 'user.apiKeysEnding', { userId, how: row.apiKeys })
  await deleteLinkedIdentities(tx, row, subject)
  const identities = await identitiesOf(tx, userId)
  if (row.codes) {
    const contacts = identities.filter(isContact).map((i) => i.credential)
    await deleteCodes(tx, userId, contacts)
    await deleteResetCode(tx, userId)
  }
  if (row.lock) await unlock(tx, userId)
  return { endedSessions, keptDeviceIdentities: await deleteDeviceIdentities(tx, row, subject, identities) }
}

/**
 * `endAccess` for a change of the second factor. Recovery codes end with the last one. Organizations that require a second factor see the
 * change at once.
 */
export async function factorChanged(
  ctx: AppContext,
  tx: Tx,
  change: CredentialChange,
  subject: Subject,
): Promise<void> {
  const { userId } = subject
  if (!(await hasSecondFactor(tx, userId))) await deleteRecoveryCodes(tx, userId)
  bindingsChanged(tx, userId)
  await endAccess(ctx, tx, change, subject)
}

/** Returns whether a session of the account was active. */
async function endSessionsOf(
  ctx: AppContext,
  tx: Tx,
  { sessions, opened, reason }: Ended,
  { userId, deviceKey, linkedUserId }: Subject,
): Promise<boolean> {
  if (opened === 'link' && linkedUserId === undefined)
    throw new Error('the linked account of a removed link is missing')
  const which = {
    all: {},
    others: { exceptDevice: deviceKey },
    device: { device: deviceKey },
    linked: { isLinked: true },
    link: { userId: linkedUserId },
  }
  const ended = sessions !== 'none' && (await endSessions(ctx, tx, { userId, ...which[sessions] }, reason))
  if (opened !== 'none') await endSessions(ctx, tx, { openedBy: userId, ...which[opened] })
  return ended
}

/** Returns whether identities stayed that should have been deleted. */
async function deleteDeviceIdentities(
  tx: Tx,
  { deviceIdentities: which }: Ended,
  { userId, deviceKey }: Subject,
  identities: readonly OwnIdentity[],
): Promise<boolean> {
  if (which === 'none') return false
  const ending = identities.filter(
    ({ provider, credential }) =>
      provider === 'DEVICE' && (which === 'all' || (credential === deviceKey) === (which === 'device')),
  )
  if (ending.length === 0) return false
  if (which !== 'all') {
    const user = await userById(tx, userId)
    const rest = identities.filter((identity) => !ending.includes(identity))
    if (user === undefined || !canStillSignIn(user, rest)) return true
  }
  for (const { id } of ending) await deleteIdentity(tx, userId, id)
  return false
}

async function deleteLinkedIdentities(
  tx: Tx,
  { linkedIdentities: which }: Ended,
  { userId, deviceKey }: Subject,
): Promise<void> {
  if (which === 'none') return
  const identities = await identitiesOf(tx, userId)
  const ending = identities.filter(
    ({ provider, boundOn }) => provider === 'OIDC' && boundOn !== '' && (which === 'all' || boundOn !== deviceKey),
  )
  if (ending.length === 0) return
  const user = await userById(tx, userId)
  const rest = identities.filter((identity) => !ending.includes(identity))
  if (which === 'others' && (user === undefined || !canStillSignIn(user, rest))) return
  for (const { id } of ending) await deleteIdentity(tx, userId, id)
}

/** How a new password replaced the one before. */
export interface Replacement {
  readonly change: CredentialChange & `PASSWORD_${string}`
  /** Key of the device that asked for it. Its DEVICE identity stays. */
  readonly deviceKey: string
  readonly keepsPasskeys?: boolean
  readonly keepsApiKeys?: boolean
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
  { change, event, ...subject }: Replacement,
): Promise<void> {
  const isForeign = password.isForeign === true || (await staysForeign(tx, userId))
  await replacePassword(tx, userId, { ...password, isForeign })
  await endAccess(ctx, tx, change, { userId, ...subject })
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

/**
 * Inside a write: gives the user a credential that they have just proved. A claim of another account ends. Returns false if another
 * account proved the credential before.
 */
export async function insertProved(
  ctx: AppContext,
  tx: Tx,
  identity: Omit<NewIdentity, 'verified'>,
  locale: Locale,
): Promise<boolean> {
  await endClaim(ctx, tx, identity.provider, identity.credential, locale)
  if (!(await insertIdentity(tx, { ...identity, verified: true }))) return false
  await announceProved(ctx, tx, identity)
  return true
}

/** Inside a write: the user has proved a credential that is theirs already. */
export async function proveIdentity(
  ctx: AppContext,
  tx: Tx,
  identity: Pick<IdentityRow, 'id' | 'userId' | 'provider' | 'credential'>,
): Promise<void> {
  await verifyIdentity(tx, identity.userId, identity.id)
  await announceProved(ctx, tx, identity)
}

async function announceProved(
  ctx: AppContext,
  tx: Tx,
  { userId, provider, credential }: Pick<NewIdentity, 'userId' | 'provider' | 'credential'>,
): Promise<void> {
  // A user who can receive codes needs none on paper.
  if (provider !== 'DEVICE') await deleteResetCode(tx, userId)
  if (provider === 'EMAIL') await emit(ctx, tx, 'address.proved', { userId, email: credential })
}

/**
 * Inside a write: ends the claim of a credential that another user has just proved. If the account can then no longer be signed in
 * to, it was perhaps prepared for that user's address: its sessions and links end too. The notification does not say where the
 * proof came from, because that is the other user's address and device.
 */
async function endClaim(
  ctx: AppContext,
  tx: Tx,
  provider: Provider,
  credential: string,
  locale: Locale,
): Promise<void> {
  const claim = await deleteClaim(tx, provider, credential)
  if (claim === undefined) return
  const { userId } = claim
  const loginType = provider === 'PHONE' ? 'phone_unbind' : 'email_unbind'
  const event: LoginEvent = { loginType, device: { key: '', name: '' }, ip: '', locale }
  await recordLogin(ctx, tx, userId, event)
  await notifyAccountHolder(ctx, tx, userId, event, {
    kind: 'IDENTITY_UNBOUND',
    about: { identity: credential },
    line: {
      en: `Another user confirmed ${credential} with a code. It was removed from your account, where it was unconfirmed.`,
      zh: `其他用户已通过验证码确认 ${credential}。该联系方式在你的账号中未经确认，已被移除。`,
    },
  })
  const user = await userById(tx, userId)
  if (user === undefined || canStillSignIn(user, await identitiesOf(tx, userId), claim.id)) return
  await replacePassword(tx, userId, null)
  await endAccess(ctx, tx, 'CLAIM_LOST', { userId, deviceKey: '' })
}
