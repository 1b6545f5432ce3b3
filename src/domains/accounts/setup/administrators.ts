/** Administrators as the command line and the first start make them: nobody is signed in yet. */

import type { AppContext } from '#context'
import type { Db, Tx } from '#db/store.ts'
import { bindRole, platformBindings, SYSTEM_ADMIN } from '#domains/access/index.ts'
import { badRequest } from '#http/errors.ts'
import { InvalidRequest } from '#http/validate.ts'

import { badUsername, isUsername } from '../credentials.ts'
import { usernameTaken } from '../errors.ts'
import { ADMINISTRATORS, passwordProblem } from '../passwords/policy.ts'
import { installPassword } from '../passwords/replace.ts'
import { policyOf } from '../passwords/service.ts'
import { createUser } from '../users/create.ts'
import { userByUsername, type UserRow } from '../users/store.ts'
import { deleteSetupLink, usersById } from './store.ts'

export interface Credentials {
  readonly username: string
  readonly password: string
}

export interface Administrator {
  readonly id: number
  readonly username: string | null
  readonly nickname: string
  readonly status: 'ACTIVE' | 'DISABLED' | 'DELETED'
  /** Codes of the PLATFORM roles held. */
  readonly roles: readonly string[]
  /** Holds the SYSTEM_ADMIN role that nobody can take away. */
  readonly isInitial: boolean
  readonly createdAt: number
}

/** Somebody holds SYSTEM_ADMIN: the server is set up. */
export async function hasAdministrator(db: Db | Tx): Promise<boolean> {
  return (await platformBindings(db)).some((binding) => binding.code === SYSTEM_ADMIN)
}

/** Everybody who holds a PLATFORM role. */
export async function listAdministrators(ctx: AppContext): Promise<Administrator[]> {
  const bindings = await platformBindings(ctx.db.read)
  const found = await usersById(ctx.db.read, [...new Set(bindings.map((b) => b.userId))])
  return found.map((user) => {
    const held = bindings.filter((b) => b.userId === user.id)
    return { ...user, roles: held.map((b) => b.code), isInitial: held.some((b) => b.isInitial) }
  })
}

/** Throws the 400 to show, with `body.username` or `body.password` in its details. */
export function checkCredentials({ username, password }: Credentials): void {
  if (!isUsername(username)) throw badUsername()
  const problem = passwordProblem(password, ADMINISTRATORS, username)
  if (problem) throw problem
}

/** Inside a write: a user with SYSTEM_ADMIN. The first one's role can never be revoked, and ends the setup link. */
export async function insertAdministrator(
  ctx: AppContext,
  tx: Tx,
  username: string,
  passwordHash: string,
): Promise<UserRow> {
  const initial = !(await hasAdministrator(tx))
  const user = await createUser(ctx, tx, { username, passwordHash, nickname: username })
  if (user === undefined) throw usernameTaken()
  await bindRole(ctx, tx, user.id, 'PLATFORM', 0, SYSTEM_ADMIN, { initial })
  await deleteSetupLink(tx)
  return user
}

const FIELDS = { username: { en: 'The username', zh: '用户名' }, password: { en: 'The password', zh: '密码' } } as const

/** Where there is no form to mark a field in, the problem of a field becomes a sentence. */
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

/** Makes a user who holds SYSTEM_ADMIN. Throws an AppError 400 for a bad or taken username, or a weak password. */
export const createAdministrator = (ctx: AppContext, credentials: Credentials): Promise<{ id: number }> =>
  inSentences(async () => {
    checkCredentials(credentials)
    const passwordHash = await ctx.passwords.hash(credentials.password)
    const user = await ctx.db.write('accounts.createAdministrator', (tx) =>
      insertAdministrator(ctx, tx, credentials.username, passwordHash),
    )
    return { id: user.id }
  })

/**
 * The administrator that the configuration names, when there is none yet. Several nodes may start at once. Throws an AppError 400
 * when the name or password will not do.
 */
export async function ensureConfiguredAdministrator(ctx: AppContext): Promise<void> {
  const { adminUsername: username, adminPassword: password } = ctx.config
  if (username === '' || (await hasAdministrator(ctx.db.read))) return
  await inSentences(async () => {
    checkCredentials({ username, password })
    const passwordHash = await ctx.passwords.hash(password)
    await ctx.db.write('accounts.ensureConfiguredAdministrator', async (tx) => {
      if (!(await hasAdministrator(tx))) await insertAdministrator(ctx, tx, username, passwordHash)
    })
  })
}

/**
 * A new password for anybody, from the command line: every session of theirs ends, and a lock with it. Throws an AppError 400 when
 * there is no such user or the password is too weak for what they may do.
 */
export async function resetPassword(ctx: AppContext, username: string, password: string): Promise<void> {
  const user = await userByUsername(ctx.db.read, username)
  if (user === undefined) throw badRequest(`There is no user "${username}"`, `用户“${username}”不存在`)
  await inSentences(async () => {
    const problem = passwordProblem(password, await policyOf(ctx, user.id), user.username)
    if (problem) throw problem
  })
  const passwordHash = await ctx.passwords.hash(password)
  await ctx.db.write('accounts.resetPassword', async (tx) => {
    const by = { device: { key: '', name: 'command line' }, ip: '', locale: 'en' } as const
    await installPassword(ctx, tx, user.id, passwordHash, by)
  })
}
