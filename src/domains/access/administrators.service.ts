/**
 * The PLATFORM roles of users: which rules they must meet, and who may change administrators. Read from the database, not from the cache: of two concurrent writes, the second
 * must see what the first committed.
 */

import type { AppContext } from '#context'
import type { Db, Tx } from '#db/store.ts'
import type { Actor } from '#http/endpoint.ts'
import type { Locale } from '#lib/localized.ts'

import * as errors from './access.errors.ts'
import { highestOf } from './access.rules.ts'
import { bindPlatformRole, unbindRoles } from './access.service.ts'
import { findPasswordState, personalRolesOf } from './administrators.store.ts'
import { shownName, SYSTEM_ADMIN, USER_ADMIN } from './system-roles.ts'

const platformRolesOf = async (db: Db | Tx, userId: number) =>
  (await personalRolesOf(db, [userId])).filter((role) => role.domain === 'PLATFORM')

export const isSystemAdmin = async (db: Db | Tx, { userId }: Actor): Promise<boolean> =>
  (await platformRolesOf(db, userId)).some((role) => role.code === SYSTEM_ADMIN)

/** @throws AppError 403 unless the caller holds SYSTEM_ADMIN. */
export async function requireSystemAdmin(tx: Db | Tx, actor: Actor): Promise<void> {
  if (!(await isSystemAdmin(tx, actor))) throw errors.systemAdminOnly()
}

/**
 * The rule of rank: only SYSTEM_ADMIN changes a user with a PLATFORM role, or their sessions and links. Call it in every write of the
 * console that is about one user. @throws AppError 403
 */
export async function requireMayChangeUser(tx: Tx, actor: Actor, userId: number): Promise<void> {
  if ((await platformRolesOf(tx, userId)).length > 0) await requireSystemAdmin(tx, actor)
}

/**
 * A person who knows the password of an administrator has all their permissions. @throws AppError 400 if another person may know the
 * password of the user, or if it is not known to be strong
 */
export async function requirePasswordOfAdministrator(tx: Tx, userId: number): Promise<void> {
  const password = await findPasswordState(tx, userId)
  if (password?.hasPassword !== true) return
  if (password.isForeign) throw errors.foreignPassword()
  if (!password.isStrong) throw errors.weakPassword()
}

export const isInitialAdministrator = async (tx: Tx, userId: number): Promise<boolean> =>
  (await platformRolesOf(tx, userId)).some((role) => role.isInitial)

/**
 * Grants USER_ADMIN to a user who holds no PLATFORM role, or revokes all PLATFORM roles of the user. Returns the codes of these roles
 * before and after. @throws AppError 403 unless the caller holds SYSTEM_ADMIN, 400 for the callers themselves, for the initial
 * administrator, and for a user whose password does not allow it
 */
export async function setAdministrator(
  ctx: AppContext,
  tx: Tx,
  actor: Actor,
  userId: number,
  isAdministrator: boolean,
): Promise<{ before: readonly string[]; after: readonly string[] }> {
  await requireSystemAdmin(tx, actor)
  if (userId === actor.userId) throw errors.ownRole()
  const held = await platformRolesOf(tx, userId)
  const before = held.map((role) => role.code)
  if (isAdministrator === held.length > 0) return { before, after: before }
  if (isAdministrator) {
    await requirePasswordOfAdministrator(tx, userId)
    await bindPlatformRole(ctx, tx, userId, USER_ADMIN)
    return { before, after: [USER_ADMIN] }
  }
  if (held.some((role) => role.isInitial)) throw errors.initialBindingIrrevocable()
  await unbindRoles(tx, userId, 'PLATFORM', 0)
  return { before, after: [] }
}

export interface PersonalRoles {
  /** The PLATFORM roles. */
  readonly platform: readonly { readonly id: number; readonly code: string; readonly name: string }[]
  /** Display name of the highest PLATFORM role, or else of the APP role; empty if the user has neither. */
  readonly roleName: string
}

/** The roles of the users of a page, in one query. */
export async function personalRoles(
  db: Db,
  userIds: readonly number[],
  locale: Locale,
): Promise<(userId: number) => PersonalRoles> {
  const byUser = Map.groupBy(await personalRolesOf(db, userIds), (role) => role.userId)
  return (userId) => {
    const held = byUser.get(userId) ?? []
    const platform = held.filter((role) => role.domain === 'PLATFORM')
    const highest = highestOf(
      platform,
      held.filter((role) => role.domain === 'APP'),
    )
    return {
      platform: platform.map((role) => ({ id: role.id, code: role.code, name: shownName(role, locale) })),
      roleName: highest === undefined ? '' : shownName(highest, locale),
    }
  }
}
