/** Profiles and quotas of users, and deleting their accounts. */

import type { AppContext } from '#context'
import { isUniqueViolation } from '#db/errors.ts'
import { note } from '#db/notes.ts'
import { deleteRepeatKeysOf } from '#db/repeat-keys.ts'
import type { Db, Tx } from '#db/store.ts'
import { isLockedOut, isMemberOf, platformBindings, unbindRoles } from '#domains/access/index.ts'
import type { PendingAgreement, QuotaName } from '#domains/contributions.ts'
import { cityOf, hasMailServer, sendLastNotice } from '#domains/delivery/index.ts'
import { contributions, emit } from '#domains/domain.ts'
import { changeAvatar } from '#domains/files/index.ts'
import { removeRemains } from '#domains/removals/index.ts'
import { getSetting } from '#domains/settings/index.ts'
import type { Actor, Caller, Owner } from '#http/endpoint.ts'
import { AppError, notFound } from '#http/errors.ts'
import { secondFactorRequired } from '#http/permissions.ts'
import { siteOf } from '#http/site.ts'
import type { Locale } from '#lib/localized.ts'
import { pause } from '#lib/pause.ts'

import {
  administratorCannotDelete,
  badUsername,
  notMember,
  passwordAlreadySet,
  sessionEnded,
  usernameAlreadySet,
  usernameTaken,
} from '../accounts.errors.ts'
import { UNUSED_ACCOUNT_MS } from '../accounts.model.ts'
import { isUsername, usernameKey } from '../accounts.rules.ts'
import { endRequirement } from '../assertions/assertions.store.ts'
import { requireConfirmation } from '../confirmations/confirmations.service.ts'
import { endAccess } from '../credentials/credentials.service.ts'
import type { LoginEvent } from '../login-records/login-records.model.ts'
import { ownEvent } from '../login-records/login-records.rules.ts'
import { notifyAccountHolder, provedEmails, recordLogin } from '../login-records/login-records.service.ts'
import { generateNickname } from '../nicknames/nicknames.service.ts'
import { passwordProblem } from '../passwords/passwords.rules.ts'
import { hashPassword, policyFor } from '../passwords/passwords.service.ts'
import { setPasswordOnce } from '../passwords/passwords.store.ts'
import { deleteRecoveryCodes, deleteTotp } from '../totp/totp.store.ts'
import { deleteUndosSince } from '../undos/undos.store.ts'
import { isHeld } from '../users/held-names.store.ts'
import type { UserView } from '../users/users.model.ts'
import {
  anonymizeUser,
  findUnusedDeviceUsers,
  identitiesOf,
  largestUserId,
  setUsernameOnce,
  updateProfile,
  userById,
  type UserRow,
} from '../users/users.store.ts'
import { toUserView } from '../users/users.view.ts'
import type { CurrentUser, DeleteAccount, ProfileChange, Quotas } from './profile.model.ts'

async function findActor(ctx: AppContext, actor: Actor): Promise<UserRow> {
  const user = await userById(ctx.db.read, actor.userId)
  if (user === undefined) throw notFound()
  return user
}

async function getProfile(ctx: AppContext, actor: Actor): Promise<UserView> {
  return toUserView(ctx, await findActor(ctx, actor), await identitiesOf(ctx.db.read, actor.userId))
}

/** The profile, and the agreements that the user has to accept. */
export async function getCurrentUser(ctx: AppContext, actor: Actor): Promise<CurrentUser> {
  const profile = await getProfile(ctx, actor)
  const pendingAgreements: PendingAgreement[] = []
  for (const find of contributions(ctx, 'pendingAgreements')) {
    const found = find(ctx, actor.userId)
    pendingAgreements.push(...(found instanceof Promise ? await found : found))
  }
  return { ...profile, pendingAgreements, mailAvailable: hasMailServer(ctx) }
}

/**
 * Nickname and signature: null leaves them unchanged, an empty string clears them (spec §2.1). A cleared nickname is replaced by a
 * generated one, because others see the user by that name: members of organizations, users who search, readers of notifications.
 */
export async function changeProfile(
  ctx: AppContext,
  actor: Actor,
  change: ProfileChange,
  locale: Locale,
): Promise<UserView> {
  const { signature } = change
  const nickname = change.nickname === '' ? await generateNickname(ctx, locale) : change.nickname
  const { userId } = actor
  await ctx.db.write('accounts.changeProfile', async (tx) => {
    const user = await userById(tx, userId)
    if (user?.status !== 'ACTIVE') throw sessionEnded()
    await updateProfile(tx, userId, {
      ...(typeof nickname === 'string' && { nickname }),
      ...(typeof signature === 'string' && { signature: signature || null }),
      avatar: await changeAvatar(ctx, tx, { userId, orgId: 0 }, user.avatar, change, {
        type: 'avatar',
        entityType: 'USER',
        entityId: userId,
      }),
    })
  })
  return getProfile(ctx, actor)
}

export async function setUsername(ctx: AppContext, actor: Actor, given: string, caller: Caller): Promise<UserView> {
  const username = given.trim()
  if ((await findActor(ctx, actor)).username !== null) throw usernameAlreadySet()
  if (!isUsername(username)) throw badUsername()
  const event = ownEvent('username_set', actor, caller)
  try {
    await ctx.db.write('accounts.setUsername', async (tx) => {
      if (await isHeld(tx, 'USERNAME', usernameKey(username))) throw usernameTaken()
      if (!(await setUsernameOnce(tx, actor.userId, username))) throw usernameAlreadySet()
      await recordLogin(ctx, tx, actor.userId, event)
      await notifyAccountHolder(ctx, tx, actor.userId, event, { kind: 'USERNAME_CHANGED', about: { username } })
    })
  } catch (error) {
    if (isUniqueViolation(error, 'users_username_key')) throw usernameTaken()
    throw error
  }
  return getProfile(ctx, actor)
}

/** For accounts without a password. Sessions stay active. */
export async function setPassword(ctx: AppContext, actor: Actor, password: string, caller: Caller): Promise<void> {
  const user = await findActor(ctx, actor)
  if (user.passwordHash !== null) throw passwordAlreadySet()
  await requireConfirmation(ctx, actor)
  const problem = passwordProblem(password, await policyFor(ctx, actor.userId), user.username)
  if (problem) throw problem
  const stored = await hashPassword(ctx, password, user.username, ctx.passwords.ofUser(user.id))
  const event = ownEvent('password_set', actor, caller)
  await ctx.db.write('accounts.setPassword', async (tx) => {
    if (!(await setPasswordOnce(tx, actor.userId, stored))) throw passwordAlreadySet()
    await endAccess(ctx, tx, 'PASSWORD_SET', actor)
    await recordLogin(ctx, tx, actor.userId, event)
    await notifyAccountHolder(ctx, tx, actor.userId, event, { kind: 'PASSWORD_SET', about: {} })
  })
}

async function usage(ctx: AppContext, owner: Owner, quota: QuotaName): Promise<number> {
  const counts = contributions(ctx, 'quotaUsage').flatMap((counters) => counters[quota] ?? [])
  const used = await Promise.all(counts.map((count) => count(ctx, owner)))
  return used.reduce((sum, n) => sum + n, 0)
}

/** `orgId`: an organization of the user. @throws AppError 403 for others */
export async function getQuotas(ctx: AppContext, actor: Actor, orgId = 0): Promise<Quotas> {
  const { userId } = actor
  if (orgId !== 0 && !(await isMemberOf(ctx, userId, orgId)))
    throw (await isLockedOut(ctx, userId, orgId)) ? secondFactorRequired : notMember()
  const owner = { userId, orgId }
  return {
    storage: { used: await usage(ctx, owner, 'storage'), limit: await getSetting(ctx, 'quota.storage') },
    files: { used: await usage(ctx, owner, 'files'), limit: await getSetting(ctx, 'quota.files') },
    qrCodes: { used: await usage(ctx, owner, 'qrCodes'), limit: await getSetting(ctx, 'quota.qrCodes') },
    assets: { used: await usage(ctx, owner, 'assets'), limit: await getSetting(ctx, 'quota.assets') },
    activities: { used: await usage(ctx, owner, 'activities'), limit: await getSetting(ctx, 'quota.activities') },
    organizations: {
      used: await usage(ctx, owner, 'organizations'),
      limit: await getSetting(ctx, 'quota.organizations'),
    },
    uploadMaxBytes: await getSetting(ctx, 'upload.maxBytes'),
    uploadTypes: [...(await getSetting(ctx, 'upload.types'))],
    backupDays: await backupDays(ctx),
  }
}

/** How long a backup by schedule is kept: so many are, each a day or a week after the one before. Null without a schedule. */
async function backupDays(ctx: AppContext): Promise<number | null> {
  const days = { OFF: 0, DAILY: 1, WEEKLY: 7 }[await getSetting(ctx, 'backup.schedule')]
  return days === 0 ? null : days * (await getSetting(ctx, 'backup.keep'))
}

/** Shown to others in place of the user's name. */
const DELETED_NICKNAME = { en: 'Deleted user', zh: '已注销用户' }

/** @throws AppError 400 for a user with a PLATFORM role, and for the only owner of an organization. */
export async function deleteAccount(
  ctx: AppContext,
  actor: Actor,
  { content = 'KEEP' }: DeleteAccount,
  caller: Caller,
): Promise<void> {
  await requireConfirmation(ctx, actor)
  const { userId } = actor
  const event = ownEvent('account_delete', actor, caller)
  await ctx.db.write('accounts.deleteAccount', async (tx) => {
    const user = await userById(tx, userId)
    if (user?.status !== 'ACTIVE') throw sessionEnded()
    if ((await platformBindings(tx)).some((binding) => binding.userId === userId)) throw administratorCannotDelete()
    await endAccount(ctx, tx, actor, event, content)
  })
}

/** Inside a write: deletes the account of a user without PLATFORM roles. Listeners of `user.deleting` may refuse. */
export async function endAccount(
  ctx: AppContext,
  tx: Tx,
  subject: { readonly userId: number; readonly deviceKey: string },
  event: LoginEvent,
  content: 'KEEP' | 'DELETE',
): Promise<void> {
  const { userId } = subject
  const { device, ip, locale } = event
  const nickname = DELETED_NICKNAME[locale]
  const name = (await userById(tx, userId))?.username ?? null
  note(tx, { type: 'user.deleted', id: userId, data: { id: userId, name } })
  await emit(ctx, tx, 'user.deleting', { userId, nickname, content })
  const bound = (await identitiesOf(tx, userId)).filter((i) => i.provider !== 'DEVICE')
  await recordLogin(ctx, tx, userId, event)
  await endAccess(ctx, tx, 'ACCOUNT_DELETED', subject)
  await deleteUndosSince(tx, userId, 0)
  await deleteTotp(tx, userId)
  await endRequirement(tx, userId)
  await deleteRecoveryCodes(tx, userId)
  await deleteRepeatKeysOf(tx, userId)
  await unbindRoles(tx, userId, 'APP', 0)
  await anonymizeUser(tx, userId, nickname)
  await removeRemains(ctx, tx, -userId)
  const data = { at: ctx.clock.now(), device: device.name, ip, city: cityOf(ctx, ip) }
  for (const to of provedEmails(bound)) await sendLastNotice(ctx, tx, { to, kind: 'ACCOUNT_DELETED', locale, data })
}

/** Ids that the job looks at in one step, which takes some milliseconds. */
const IDS_PER_STEP = 500

const ENDED_BY_SERVER = {
  loginType: 'account_delete',
  device: { key: '', name: 'unused for 30 days' },
  ip: '',
} as const

/**
 * Ends accounts that a device opened without any proof, and that nobody used: no name, password or other identity was added, nothing was
 * made, and no session is active after 30 days. Strangers can open such accounts in any number.
 */
export async function endUnusedAccounts(ctx: AppContext): Promise<void> {
  const last = await largestUserId(ctx.db.read)
  for (let after = 0; after < last; after += IDS_PER_STEP) {
    for (const userId of await candidates(ctx, ctx.db.read, after, after + IDS_PER_STEP)) {
      if (!(await hasContent(ctx, ctx.db.read, userId))) await endUnused(ctx, userId)
      // On SQLite, nothing else lets other requests run.
      await pause()
    }
    await pause()
  }
}

async function endUnused(ctx: AppContext, userId: number): Promise<void> {
  try {
    await ctx.db.write('accounts.endUnused', async (tx) => {
      // Asked again, because the device may have signed in meanwhile.
      if ((await candidates(ctx, tx, userId - 1, userId)).length > 0 && !(await hasContent(ctx, tx, userId)))
        await endAccount(ctx, tx, { userId, deviceKey: '' }, { ...ENDED_BY_SERVER, locale: siteOf(ctx).locale }, 'KEEP')
    })
  } catch (error) {
    // A domain that still needs the account must not keep the others from ending.
    if (!(error instanceof AppError)) throw error
    ctx.log.info('an unused account is kept', { userId, reason: error.message })
  }
}

/** Users among the ids greater than `after`, up to `upTo`, who are unused unless they have content. */
async function candidates(ctx: AppContext, db: Db | Tx, after: number, upTo: number): Promise<number[]> {
  const now = ctx.clock.now()
  const found = await findUnusedDeviceUsers(db, { after, upTo, before: now - UNUSED_ACCOUNT_MS, now })
  if (found.length === 0) return []
  const kept = new Set((await platformBindings(db)).map((binding) => binding.userId))
  return found.filter((userId) => !kept.has(userId))
}

async function hasContent(ctx: AppContext, db: Db | Tx, userId: number): Promise<boolean> {
  for (const isAny of contributions(ctx, 'userContent')) if (await isAny(db, userId)) return true
  return false
}
