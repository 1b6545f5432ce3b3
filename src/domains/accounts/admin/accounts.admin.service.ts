/** Users, for administrators. No operation lets an administrator into the account of another user. */

import type { AppContext } from '#context'
import type { Page } from '#db/paging.ts'
import * as access from '#domains/access/index.ts'
import { adminPage } from '#domains/admin/index.ts'
import { changeAvatar } from '#domains/files/index.ts'
import type { Actor, LoggedActor } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'
import { notForApiKeys } from '#http/key-access.ts'
import { siteOf } from '#http/site.ts'
import type { Locale } from '#lib/localized.ts'
import { secret } from '#platform/ids.ts'

import {
  accountOfAdministrator,
  badUsername,
  credentialTaken,
  initialAdministratorStaysActive,
  ownAccount,
  ownStatus,
  userDeleted,
  userDisabled,
  usernameTaken,
  userNotDisabled,
} from '../accounts.errors.ts'
import { INITIAL_PASSWORD_LENGTH } from '../accounts.model.ts'
import { emailOf, isUsername, normalizeEmail, normalizePhone, phoneOf, providerOf } from '../accounts.rules.ts'
import { requireConfirmationOfAll } from '../confirmations/confirmations.service.ts'
import { endAccess } from '../credentials/credentials.service.ts'
import { generateNickname } from '../nicknames/nicknames.service.ts'
import { passwordProblem } from '../passwords/passwords.rules.ts'
import { basePolicy, hashPassword } from '../passwords/passwords.service.ts'
import { endAccount } from '../profile/profile.service.ts'
import { createUser } from '../users/users.service.ts'
import { insertIdentity, updateProfile, userById, type UserRow } from '../users/users.store.ts'
import type {
  ChangeUser,
  ChangeUserStatus,
  CreatedUser,
  CreateUser,
  DeleteUser,
  UserAdminView,
  UsersQuery,
} from './accounts.admin.model.ts'
import * as store from './accounts.admin.store.ts'
import { toUserAdminViews } from './accounts.admin.view.ts'

export async function listUsers(
  ctx: AppContext,
  { userId }: Actor,
  query: UsersQuery,
  locale: Locale,
): Promise<Page<UserAdminView>> {
  const keyword = query.keyword ? await readKeyword(ctx, query.keyword) : undefined
  const hasMany = query.orgId !== undefined && (await store.hasManyMembers(ctx.db.read, query.orgId))
  const list = store.userList(ctx.db.read, query, keyword, hasMany)
  const { items, ...page } = await adminPage(ctx, userId, list, query)
  return { ...page, items: await toUserAdminViews(ctx, items, locale) }
}

async function readKeyword(ctx: AppContext, text: string): Promise<store.Keyword> {
  const contacts = [normalizeEmail(text), await normalizePhone(text)].filter((contact) => contact !== undefined)
  const ids = /^[1-9]\d{0,14}$/.test(text) ? [Number(text)] : []
  return { text, userIds: [...ids, ...(await store.usersByContacts(ctx.db.read, contacts))] }
}

export async function showUser(ctx: AppContext, userId: number, locale: Locale): Promise<UserAdminView> {
  const user = await userById(ctx.db.read, userId)
  if (user === undefined) throw notFound()
  return (await toUserAdminViews(ctx, [user], locale))[0]!
}

/**
 * The user can sign in at once, whether or not registration is open. E-mail and phone are claims: they serve as names for the password,
 * and belong to the person who proves them.
 */
export async function addUser(
  ctx: AppContext,
  actor: LoggedActor,
  body: CreateUser,
  locale: Locale,
): Promise<CreatedUser> {
  const { username } = body
  if (!isUsername(username)) throw badUsername()
  const contacts = [
    ...(body.email ? [emailOf(body.email)] : []),
    ...(body.phone ? [await phoneOf(body.phone)] : []),
  ].map((credential) => ({ provider: providerOf(credential), credential }))
  // No key makes a password: an account that a program adds gets its first one by a code.
  const isByKey = actor.key !== undefined
  if (isByKey && body.password != null) throw notForApiKeys
  const password = body.password ?? secret().slice(0, INITIAL_PASSWORD_LENGTH)
  const problem = body.password == null ? undefined : passwordProblem(password, await basePolicy(ctx), username)
  if (problem) throw problem
  const hashed = await hashPassword(ctx, password, username, ctx.passwords.ofUser(actor.userId))
  const nickname = body.nickname || (await generateNickname(ctx, locale))
  const created = await actor.write('accounts.addUser', async (tx) => {
    // SYSTEM_ADMIN has all permissions that the user can ever get.
    const isForeign = !(await access.isSystemAdmin(tx, actor))
    const user = await createUser(tx, {
      username,
      nickname,
      password: isByKey ? null : { ...hashed, isForeign, isInitial: true },
      createdByAdmin: true,
    })
    if (user === undefined) throw usernameTaken()
    for (const contact of contacts)
      if (!(await insertIdentity(tx, { userId: user.id, ...contact, verified: false })))
        throw credentialTaken(contact.provider)
    const after = { username, nickname, identityTypes: contacts.map(({ provider }) => provider) }
    // A repeat of the request has made another password, and returns this one.
    const result = { id: user.id, initialPassword: body.password == null && !isByKey ? password : null }
    return { result, logged: { targetId: user.id, targetName: username, after } }
  })
  const view = await showUser(ctx, created.id, locale)
  return created.initialPassword === null ? view : { ...view, initialPassword: created.initialPassword }
}

const nameOf = (user: UserRow): string => user.username ?? user.nickname

/** Nickname and signature: as users change their own (`changeProfile`). */
export async function changeUser(
  ctx: AppContext,
  actor: LoggedActor,
  userId: number,
  body: ChangeUser,
  locale: Locale,
): Promise<UserAdminView> {
  const { signature, avatarUrl } = body
  const nickname = body.nickname === '' ? await generateNickname(ctx, locale) : body.nickname
  await actor.write('accounts.changeUser', async (tx) => {
    const before = await userById(tx, userId)
    if (before === undefined) throw notFound()
    await access.requireMayChangeUser(tx, actor, userId)
    if (before.status === 'DELETED') throw userDeleted()
    const owner = { userId, orgId: 0 }
    const picture = { type: 'avatar', entityType: 'USER', entityId: userId } as const
    const avatar = await changeAvatar(
      ctx,
      tx,
      owner,
      before.avatar,
      avatarUrl === undefined ? {} : { avatarUrl },
      picture,
    )
    const after = await updateProfile(tx, userId, {
      ...(typeof nickname === 'string' && { nickname }),
      ...(typeof signature === 'string' && { signature: signature || null }),
      ...(avatar !== undefined && { avatar }),
    })
    const logged = { targetId: userId, targetName: nameOf(before), before: profileOf(before), after: profileOf(after!) }
    return { result: undefined, logged }
  })
  return showUser(ctx, userId, locale)
}

const profileOf = ({ nickname, signature, avatar }: UserRow) => ({ nickname, signature, avatarUrl: avatar })

/** ADMIN grants USER_ADMIN to a user without PLATFORM roles; USER revokes all PLATFORM roles (spec §4.7). */
export async function changeRole(
  ctx: AppContext,
  actor: LoggedActor,
  userId: number,
  role: 'ADMIN' | 'USER',
  locale: Locale,
): Promise<UserAdminView> {
  await actor.write('accounts.changeRole', async (tx) => {
    const user = await userById(tx, userId)
    if (user === undefined) throw notFound()
    const { before, after } = await access.setAdministrator(ctx, tx, actor, userId, role === 'ADMIN')
    if (user.status === 'DELETED') throw userDeleted()
    if (role === 'ADMIN' && user.status === 'DISABLED') throw userDisabled()
    const logged = { targetId: userId, targetName: nameOf(user), before: { roles: before }, after: { roles: after } }
    return { result: undefined, logged }
  })
  return showUser(ctx, userId, locale)
}

/**
 * Deletes the account of another user, who is disabled, so that nobody loses the account while they use it. The operation log gets the id and not the name.
 * @throws AppError 400, 403, or 404
 */
export async function deleteUser(
  ctx: AppContext,
  actor: LoggedActor,
  userId: number,
  { content = 'KEEP', reason }: DeleteUser,
): Promise<void> {
  await access.requireSystemAdmin(ctx.db.read, actor)
  await requireConfirmationOfAll(ctx, actor)
  const { locale } = siteOf(ctx)
  await actor.write('accounts.deleteUser', async (tx) => {
    await access.requireSystemAdmin(tx, actor)
    const user = await userById(tx, userId)
    if (user === undefined) throw notFound()
    if (userId === actor.userId) throw ownAccount()
    if (user.status === 'DELETED') throw userDeleted()
    if ((await access.platformBindings(tx)).some((binding) => binding.userId === userId)) throw accountOfAdministrator()
    if (user.status !== 'DISABLED') throw userNotDisabled()
    await endAccount(ctx, tx, { userId, deviceKey: '' }, { ...ENDED_BY_ADMINISTRATOR, locale }, content)
    const [before, after] = [{ status: user.status }, { status: 'DELETED', content, reason }]
    return { result: undefined, logged: { targetId: userId, targetName: null, before, after } }
  })
}

/** Nothing in records and mails says who or where the administrator is. */
const ENDED_BY_ADMINISTRATOR = {
  loginType: 'account_delete',
  device: { key: '', name: 'administrator' },
  ip: '',
} as const

/** DISABLED ends all sessions of the user at once, and those that the user opened by account links. */
export async function changeStatus(
  ctx: AppContext,
  actor: LoggedActor,
  userId: number,
  { status, reason }: ChangeUserStatus,
  locale: Locale,
): Promise<UserAdminView> {
  await actor.write('accounts.changeStatus', async (tx) => {
    const user = await userById(tx, userId)
    if (user === undefined) throw notFound()
    if (userId === actor.userId) throw ownStatus()
    await access.requireMayChangeUser(tx, actor, userId)
    if (user.status === 'DELETED') throw userDeleted()
    if (status === user.status) return { result: undefined, logged: 'unchanged' }
    if (await access.isInitialAdministrator(tx, userId)) throw initialAdministratorStaysActive()
    await store.setStatus(tx, userId, status)
    if (status === 'DISABLED') await endAccess(ctx, tx, 'ACCOUNT_DISABLED', { userId, deviceKey: '' })
    const before = { status: user.status }
    const after = { status, ...(reason && { reason }) }
    return { result: undefined, logged: { targetId: userId, targetName: nameOf(user), before, after } }
  })
  return showUser(ctx, userId, locale)
}
