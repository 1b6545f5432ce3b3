/** Creates users, and answers questions about them that several topics ask. */

import type { AppContext } from '#context'
import type { ContactProvider } from '#db/schema/accounts.ts'
import type { Db, Tx } from '#db/store.ts'
import { bindRole, USER } from '#domains/access/index.ts'
import { getSetting } from '#domains/settings/index.ts'
import type { Actor } from '#http/endpoint.ts'
import type { AppError } from '#http/errors.ts'
import type { MaybePromise } from '#lib/maybe-promise.ts'

import { localSignInOff, notBound, notVerified, totpRequired } from '../accounts.errors.ts'
import { usernameKey } from '../accounts.rules.ts'
import { isHeld } from './held-names.store.ts'
import {
  hasSecondFactor,
  holdsPlatformRole,
  identitiesOf,
  insertUser,
  type NewUser,
  userById,
  userByUsername,
  type UserRow,
} from './users.store.ts'

/** Inside a write: inserts a user with the APP role that every user has. Undefined if the username is taken. */
export async function createUser(tx: Tx, user: NewUser): Promise<UserRow | undefined> {
  const row = await insertUser(tx, user)
  if (row !== undefined) await bindRole(tx, row.id, 'APP', 0, USER)
  return row
}

/** Inside a write: `createUser` with this name then makes a user. */
export const isUsernameFree = async (tx: Tx, username: string): Promise<boolean> =>
  (await userByUsername(tx, username)) === undefined && !(await isHeld(tx, 'USERNAME', usernameKey(username)))

/** Whether nothing but devices opens the account: no password, phone or e-mail. */
export async function isDeviceOnly(db: Db | Tx, userId: number): Promise<boolean> {
  const user = await userById(db, userId)
  return user?.passwordHash === null && (await identitiesOf(db, userId)).every(({ provider }) => provider === 'DEVICE')
}

/**
 * The 403 (code 4034) for an administrator who has no second factor, if the settings require one: they can sign in and enable it. Asked
 * at each request of the console, so that it holds at once, and synchronous if the settings require nothing.
 */
export function consoleRefusal(ctx: AppContext, userId: number): MaybePromise<AppError | undefined> {
  const required = getSetting(ctx, 'security.requireTotp')
  return required === false ? undefined : refuseWithoutTotp(ctx, userId, required)
}

async function refuseWithoutTotp(
  ctx: AppContext,
  userId: number,
  required: MaybePromise<boolean>,
): Promise<AppError | undefined> {
  return (await required) && !(await hasSecondFactor(ctx.db.read, userId)) ? totpRequired() : undefined
}

/** Whether the user cannot sign in without an OpenID provider: settings may leave the other ways to administrators only. */
export async function isLocalSignInOff(ctx: AppContext, db: Db | Tx, userId: number): Promise<boolean> {
  return (await getSetting(ctx, 'security.localSignIn')) === 'ADMINS' && !(await holdsPlatformRole(db, userId))
}

/** @throws AppError 403 (code 4036) */
export async function requireLocalSignIn(ctx: AppContext, db: Db | Tx, userId: number): Promise<void> {
  if (await isLocalSignInOff(ctx, db, userId)) throw localSignInOff()
}

/** @throws AppError 400 unless the credential is bound and verified. */
export async function findOwnCredential(ctx: AppContext, actor: Actor, provider: ContactProvider): Promise<string> {
  const identity = (await identitiesOf(ctx.db.read, actor.userId)).find((i) => i.provider === provider)
  if (identity === undefined) throw notBound(provider)
  if (!identity.verified) throw notVerified(provider)
  return identity.credential
}
