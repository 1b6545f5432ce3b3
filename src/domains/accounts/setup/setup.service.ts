/** Administrators created at the first start and on the command line, where no user is signed in. */

import type { AppContext } from '#context'
import type { Db, Tx } from '#db/store.ts'
import { bindPlatformRole, platformBindings, SYSTEM_ADMIN } from '#domains/access/index.ts'
import type { Caller } from '#http/endpoint.ts'
import { badRequest } from '#http/errors.ts'
import { siteOf } from '#http/site.ts'
import { InvalidRequest } from '#http/validate.ts'
import { secret, sha256 } from '#platform/ids.ts'

import { badUsername, setupLinkInvalid, totpNotEnabled, usernameTaken } from '../accounts.errors.ts'
import { SETUP_LINK_MS } from '../accounts.model.ts'
import { isUsername } from '../accounts.rules.ts'
import { endRequirement, passkeysOf } from '../assertions/assertions.store.ts'
import { factorChanged, installPassword } from '../credentials/credentials.service.ts'
import type { LoginEvent } from '../login-records/login-records.model.ts'
import { loginEvent } from '../login-records/login-records.rules.ts'
import { notifyAccountHolder, recordLogin } from '../login-records/login-records.service.ts'
import { factorLockOf } from '../passwords/failure-lock.ts'
import { ADMINISTRATORS, passwordProblem } from '../passwords/passwords.rules.ts'
import { hashPassword, policyFor } from '../passwords/passwords.service.ts'
import { deleteAttempts } from '../passwords/passwords.store.ts'
import { type Grant, signIn } from '../sessions/sessions.service.ts'
import { deleteTotp } from '../totp/totp.store.ts'
import { createUser } from '../users/users.service.ts'
import { type StoredPassword, userById, userByUsername, type UserRow, usersById } from '../users/users.store.ts'
import { deleteSetupLink, findSetupLink, saveSetupLink, type SetupLink, takeSetupLink } from './setup.store.ts'

export interface Credentials {
  readonly username: string
  readonly password: string
}

export interface Administrator {
  readonly id: number
  readonly username: string | null
  readonly nickname: string
  readonly status: 'ACTIVE' | 'DISABLED' | 'DELETED'
  /** Codes of the user's PLATFORM roles. */
  readonly roles: readonly string[]
  /** Has the SYSTEM_ADMIN role that cannot be revoked. */
  readonly isInitial: boolean
  readonly createdAt: number
}

/** Whether any user has SYSTEM_ADMIN: then the server is set up. */
export async function hasAdministrator(db: Db | Tx): Promise<boolean> {
  return (await platformBindings(db)).some((binding) => binding.code === SYSTEM_ADMIN)
}

/** All users with a PLATFORM role. */
export async function listAdministrators(ctx: AppContext): Promise<Administrator[]> {
  const bindings = await platformBindings(ctx.db.read)
  const found = await usersById(ctx.db.read, [...new Set(bindings.map((b) => b.userId))])
  return found.map((user) => {
    const own = bindings.filter((b) => b.userId === user.id)
    return { ...user, roles: own.map((b) => b.code), isInitial: own.some((b) => b.isInitial) }
  })
}

/** Creates a user with SYSTEM_ADMIN. @throws AppError 400 for a bad or taken username or a weak password. */
export const createAdministrator = (ctx: AppContext, credentials: Credentials): Promise<{ id: number }> =>
  inSentences(async () => {
    checkCredentials(credentials)
    const password = await hashPassword(ctx, credentials.password, credentials.username)
    const user = await ctx.db.write('accounts.createAdministrator', (tx) =>
      insertAdministrator(ctx, tx, credentials.username, password),
    )
    return { id: user.id }
  })

/**
 * Creates the administrator named in the configuration if there is no administrator yet. Several processes may start at the same
 * time. @throws AppError 400 for a bad or taken username or a weak password.
 */
export async function ensureConfiguredAdministrator(ctx: AppContext): Promise<void> {
  const { adminUsername: username, adminPassword: password } = ctx.config
  if (username === '' || (await hasAdministrator(ctx.db.read))) return
  await inSentences(async () => {
    checkCredentials({ username, password })
    const stored = await hashPassword(ctx, password, username)
    await ctx.db.write('accounts.ensureConfiguredAdministrator', async (tx) => {
      if (!(await hasAdministrator(tx))) await insertAdministrator(ctx, tx, username, stored)
    })
  })
}

/** @throws AppError 400 with `body.username` or `body.password` in its details. */
function checkCredentials({ username, password }: Credentials): void {
  if (!isUsername(username)) throw badUsername()
  const problem = passwordProblem(password, ADMINISTRATORS, username)
  if (problem) throw problem
}

/**
 * Inside a write: inserts a user with SYSTEM_ADMIN and deletes the setup link. The role of the first administrator can never be
 * revoked.
 */
async function insertAdministrator(
  ctx: AppContext,
  tx: Tx,
  username: string,
  password: StoredPassword,
): Promise<UserRow> {
  const initial = !(await hasAdministrator(tx))
  const user = await createUser(tx, { username, password, nickname: username })
  if (user === undefined) throw usernameTaken()
  await bindPlatformRole(ctx, tx, user.id, SYSTEM_ADMIN, { initial })
  await deleteSetupLink(tx)
  return user
}

const FIELDS = { username: { en: 'The username', zh: '用户名' }, password: { en: 'The password', zh: '密码' } } as const

/** Turns the problem of a field into a sentence, for callers without a form that could mark the field. */
async function inSentences<T>(task: () => Promise<T>): Promise<T> {
  try {
    return await task()
  } catch (error) {
    const problem = error instanceof InvalidRequest ? error.problems[0] : undefined
    if (problem === undefined) throw error
    const field = problem.path.endsWith('username') ? FIELDS.username : FIELDS.password
    throw badRequest(`${field.en} ${problem.text.en}.`, `${field.zh}${problem.text.zh}。`)
  }
}

const unknownUser = (name: string) => badRequest(`There is no user "${name}"`, `用户“${name}”不存在`)

/**
 * Sets any user's password from the command line. Ends all their sessions and the failure lock. @throws AppError 400 if there is no
 * such user or the password is too weak for their roles.
 */
export async function resetPassword(ctx: AppContext, username: string, password: string): Promise<void> {
  const user = await userByUsername(ctx.db.read, username)
  if (user === undefined) throw unknownUser(username)
  await inSentences(async () => {
    const problem = passwordProblem(password, await policyFor(ctx, user.id), user.username)
    if (problem) throw problem
  })
  const stored = await hashPassword(ctx, password, user.username)
  const device = { key: '', name: 'command line' }
  const event: LoginEvent = { loginType: 'password_change', device, ip: '', locale: siteOf(ctx).locale }
  const replacement = { change: 'PASSWORD_REPLACED_BY_OPERATOR', deviceKey: device.key, event } as const
  await ctx.db.write('accounts.resetPassword', (tx) =>
    installPassword(ctx, tx, user.id, { ...stored, isInitial: true }, replacement),
  )
}

/**
 * Removes a user's second factor and passkeys from the command line and ends all their sessions. `user`: username, or id for users without one.
 * @throws AppError 400 if there is no such user or no second factor
 */
export async function disableTotp(ctx: AppContext, user: string): Promise<void> {
  const found = /^\d{1,15}$/.test(user)
    ? await userById(ctx.db.read, Number(user))
    : await userByUsername(ctx.db.read, user)
  if (found === undefined) throw unknownUser(user)
  const device = { key: '', name: 'command line' }
  const event: LoginEvent = { loginType: 'totp_disable', device, ip: '', locale: siteOf(ctx).locale }
  await ctx.db.write('accounts.disableTotp', async (tx) => {
    const had = [await deleteTotp(tx, found.id), await endRequirement(tx, found.id)]
    if (!had.includes(true) && (await passkeysOf(tx, found.id)).length === 0) throw totpNotEnabled()
    await deleteAttempts(tx, factorLockOf(found.id))
    await factorChanged(ctx, tx, 'TOTP_REMOVED_BY_OPERATOR', { userId: found.id, deviceKey: device.key })
    await recordLogin(ctx, tx, found.id, event)
    await notifyAccountHolder(ctx, tx, found.id, event, { kind: 'TOTP_DISABLED', about: {} })
  })
}

/**
 * Creates a link for setting up the first administrator and returns its path; null if there is an administrator. It works once,
 * within 24 hours, and replaces earlier links. The token is in the query, which is never logged.
 */
export async function createSetupLink(ctx: AppContext): Promise<string | null> {
  const token = secret()
  const created = await ctx.db.write('accounts.createSetupLink', async (tx) => {
    if (await hasAdministrator(tx)) {
      await deleteSetupLink(tx)
      return false
    }
    await saveSetupLink(tx, { hash: sha256(token), expiresAt: ctx.clock.now() + SETUP_LINK_MS })
    return true
  })
  return created ? `/setup?token=${token}` : null
}

/** The setup link of this token. @throws AppError 403 if it was used or replaced, has expired or never existed. */
export async function checkSetupLink(ctx: AppContext, token: string): Promise<SetupLink> {
  const link = await findSetupLink(ctx.db.read)
  if (link === undefined || link.expiresAt <= ctx.clock.now() || link.hash !== sha256(token)) throw setupLinkInvalid()
  return link
}

/** Creates the first administrator and opens a session for them. Of several callers with one link, one succeeds. */
export async function completeSetup(
  ctx: AppContext,
  token: string,
  credentials: Credentials,
  caller: Caller,
): Promise<Grant> {
  const link = await checkSetupLink(ctx, token)
  checkCredentials(credentials)
  const password = await hashPassword(ctx, credentials.password, credentials.username)
  const event = loginEvent('login', caller, {})
  return await ctx.db.write('accounts.completeSetup', async (tx) => {
    if (!(await takeSetupLink(tx, link))) throw setupLinkInvalid()
    const user = await insertAdministrator(ctx, tx, credentials.username, password)
    return await signIn(ctx, tx, user.id, event, { factor: undefined })
  })
}
