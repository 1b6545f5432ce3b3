import type { AppContext } from '#context'
import type { PermissionDomain } from '#db/schema/access.ts'
import type { Tx } from '#db/store.ts'
import type { Actor } from '#http/endpoint.ts'
import { pointName } from '#permission-points'

import { accessCache } from './cache.ts'
import type { MyPermissions } from './model.ts'
import { pointsIn, type UserAccess } from './rules.ts'
import {
  allPoints,
  currentOrgId,
  deleteUserRoles,
  findRoleId,
  grantToRole,
  insertRole,
  insertUserRole,
  type NewRole,
} from './store.ts'

type Maybe<T> = T | Promise<T>

function whenKnown<T>(ctx: AppContext, userId: number, look: (access: UserAccess) => T): Maybe<T> {
  const cache = accessCache(ctx)
  const access = cache.peek(userId)
  return access === undefined ? cache.load(userId).then(look) : look(access)
}

/**
 * Whether the user holds `point` (`resource:action`) in the domain. `scopeId` is the organization's id in the ORG domain, else 0.
 * Unknown and disabled points are held by nobody. Answers at once when the user's roles are cached.
 */
export function can(
  ctx: AppContext,
  userId: number,
  domain: PermissionDomain,
  scopeId: number,
  point: string,
): Maybe<boolean> {
  const cache = accessCache(ctx)
  const access = cache.peek(userId)
  // Not `whenKnown`: this stands before every request, and a closure would be its only allocation.
  return access === undefined
    ? cache.load(userId).then((loaded) => pointsIn(loaded, domain, scopeId).has(point))
    : pointsIn(access, domain, scopeId).has(point)
}

/** All points the user holds in the domain and scope. Shared by many: never change it. */
export const permissionSet = (
  ctx: AppContext,
  userId: number,
  domain: PermissionDomain,
  scopeId: number,
): Maybe<ReadonlySet<string>> => whenKnown(ctx, userId, (access) => pointsIn(access, domain, scopeId))

/** Holds any role in the PLATFORM domain: who may enter the console (spec §5.8). */
export const holdsAnyPlatformRole = (ctx: AppContext, userId: number): Maybe<boolean> =>
  whenKnown(ctx, userId, (access) => access.isAdministrator)

/** Display name, as stored, of the highest PLATFORM role, else of the APP role. */
export const roleNameOf = (ctx: AppContext, userId: number): Maybe<string> =>
  whenKnown(ctx, userId, (access) => access.roleName)

/** The points of the APP and PLATFORM domains together, sorted: `permissions` of a LoginResponse (spec §2.1). */
export const permissionsForLogin = (ctx: AppContext, userId: number): Maybe<string[]> =>
  whenKnown(ctx, userId, (access) => sorted(access.app, access.platform))

const sorted = (...sets: ReadonlySet<string>[]): string[] => [...new Set(sets.flatMap((set) => [...set]))].toSorted()

export async function myPermissions(ctx: AppContext, actor: Actor): Promise<MyPermissions> {
  const orgId = await currentOrgId(ctx.db.read, actor.userId)
  return whenKnown(ctx, actor.userId, (access) => {
    const org = orgId === null ? new Set<string>() : pointsIn(access, 'ORG', orgId)
    return {
      permissions: sorted(access.platform, access.app, org),
      platform: sorted(access.platform),
      app: sorted(access.app),
      org: sorted(org),
      orgId,
      roleName: access.roleName,
    }
  })
}

export interface BindOptions {
  /** The first administrator: this binding can never be revoked. */
  initial?: boolean
}

/**
 * Gives the user the role `code` of the domain and scope (the organization's id in ORG, else 0). Harmless when already held.
 * Throws when there is no such role.
 */
export async function bindRole(
  ctx: AppContext,
  tx: Tx,
  userId: number,
  domain: PermissionDomain,
  scopeId: number,
  code: string,
  options: BindOptions = {},
): Promise<void> {
  if (domain === 'ORG' && scopeId === 0) throw new Error('the template roles of organizations cannot be held')
  const roleId = await findRoleId(tx, { domain, scopeId, code })
  if (roleId === undefined) throw new Error(`there is no role ${domain}/${scopeId}/${code}`)
  await insertUserRole(tx, userId, roleId, options.initial === true)
  tx.afterCommit(() => accessCache(ctx).forgetUser(userId))
}

/** Takes all the user's roles of the domain and scope away, except the initial administrator's. */
export async function unbindRoles(
  ctx: AppContext,
  tx: Tx,
  userId: number,
  domain: PermissionDomain,
  scopeId: number,
): Promise<void> {
  await deleteUserRoles(tx, userId, domain, scopeId)
  tx.afterCommit(() => accessCache(ctx).forgetUser(userId))
}

/** Makes a role that holds `points` (`resource:action`, each of the role's domain). Throws when a point does not exist. */
export async function createRole(
  ctx: AppContext,
  tx: Tx,
  role: Omit<NewRole, 'isSystem'> & { isSystem?: boolean; points: readonly string[] },
): Promise<number> {
  const ids = new Map<string, number>()
  for (const row of await allPoints(tx)) if (row.domain === role.domain) ids.set(pointName(row), row.id)
  const permissionIds = role.points.map((name) => {
    const id = ids.get(name)
    if (id === undefined) throw new Error(`there is no permission point ${role.domain} ${name}`)
    return id
  })
  const roleId = await insertRole(tx, { ...role, isSystem: role.isSystem === true })
  await grantToRole(tx, roleId, permissionIds)
  rolesChanged(ctx, tx)
  return roleId
}

/** To be called in every write that changes a role, what it holds, or a permission point. */
export function rolesChanged(ctx: AppContext, tx: Tx): void {
  tx.afterCommit(() => accessCache(ctx).forgetEverything())
}
