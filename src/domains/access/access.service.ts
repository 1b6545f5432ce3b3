/** Permission checks, and the bindings that other domains create and delete. */

import type { AppContext } from '#context'
import type { PermissionDomain } from '#db/schema/access.ts'
import type { Tx } from '#db/store.ts'
import { emit } from '#domains/domain.ts'
import type { Actor, Caller } from '#http/endpoint.ts'
import type { AppError } from '#http/errors.ts'
import { type KeyScope, keyScopeOf } from '#http/key-scope.ts'
import { noPermission, organizationDisabled, secondFactorRequired } from '#http/permissions.ts'
import type { Party } from '#http/places.ts'
import type { Locale } from '#lib/localized.ts'
import type { MaybePromise } from '#lib/maybe-promise.ts'
import { pointName } from '#permission-points'

import { accessCache, bindingsChanged, rolesChanged } from './access.cache.ts'
import type { MyPermissions } from './access.model.ts'
import { isReading, limitedTo, pointsIn, type UserAccess } from './access.rules.ts'
import {
  allPoints,
  currentOrgId,
  deleteUserRoles,
  findRoleId,
  grantToRole,
  insertRole,
  insertUserRole,
  insertUserRoles,
  type NewRole,
  type RoleKey,
} from './access.store.ts'
import { shownName } from './system-roles.ts'

/** The last limited access of each key, which is computed again when that of its owner has changed. */
const limited = new WeakMap<KeyScope, { readonly of: UserAccess; readonly access: UserAccess }>()

/** The access of the user in this request: with an API key only as much of it as the key allows. */
function inRequest(userId: number, access: UserAccess): UserAccess {
  const key = keyScopeOf(userId)
  if (key === undefined) return access
  const known = limited.get(key)
  if (known?.of === access) return known.access
  const fresh = { of: access, access: limitedTo(access, key) }
  limited.set(key, fresh)
  return fresh.access
}

/** Synchronous if the user is cached. */
function withAccess<T>(ctx: AppContext, userId: number, select: (access: UserAccess) => T): MaybePromise<T> {
  const cache = accessCache(ctx)
  const access = cache.peek(userId)
  return access === undefined
    ? cache.load(userId).then((loaded) => select(inRequest(userId, loaded)))
    : select(inRequest(userId, access))
}

/**
 * Whether the user holds `point` (`resource:action`) in the domain. `scopeId` is the organization's id in the ORG domain, otherwise
 * 0. False for unknown and disabled points. Synchronous if the user is cached.
 */
export function can(
  ctx: AppContext,
  userId: number,
  domain: PermissionDomain,
  scopeId: number,
  point: string,
): MaybePromise<boolean> {
  const cache = accessCache(ctx)
  const access = cache.peek(userId)
  // Does not use `withAccess`: this runs on every request, and the closure would be its only allocation.
  return access === undefined
    ? cache.load(userId).then((loaded) => pointsIn(inRequest(userId, loaded), domain, scopeId).has(point))
    : pointsIn(inRequest(userId, access), domain, scopeId).has(point)
}

/** Why a user who lacks the point in the organization is refused. Only members learn that it is DISABLED or requires a second factor. */
export const refusalIn = (ctx: AppContext, userId: number, orgId: number, point: string): MaybePromise<AppError> =>
  withAccess(ctx, userId, ({ disabledOrgs, lockedOrgs }) => {
    if (lockedOrgs.includes(orgId)) return secondFactorRequired
    return disabledOrgs.includes(orgId) && !isReading(point) ? organizationDisabled : noPermission
  })

/** @throws AppError 403 unless the user holds the point in the organization */
export async function requirePoint(ctx: AppContext, userId: number, orgId: number, point: string): Promise<void> {
  if (!(await can(ctx, userId, 'ORG', orgId, point))) throw await refusalIn(ctx, userId, orgId, point)
}

/** All points the user holds in the domain and scope. Other users share the set: do not modify it. */
export const permissionSet = (
  ctx: AppContext,
  userId: number,
  domain: PermissionDomain,
  scopeId: number,
): MaybePromise<ReadonlySet<string>> => withAccess(ctx, userId, (access) => pointsIn(access, domain, scopeId))

/** Users with any PLATFORM role may use the console (spec §5.8). */
export const holdsAnyPlatformRole = (ctx: AppContext, userId: number): MaybePromise<boolean> =>
  withAccess(ctx, userId, (access) => access.isAdministrator)

/** The user as one who asks for a place for large work. */
export const partyOf = async (ctx: AppContext, userId: number, { signal }: Pick<Caller, 'signal'>): Promise<Party> => ({
  userId,
  isAdministrator: await holdsAnyPlatformRole(ctx, userId),
  signal,
})

/** Whether the user holds a role in any organization. */
export const holdsAnyOrgRole = (ctx: AppContext, userId: number): MaybePromise<boolean> =>
  withAccess(ctx, userId, (access) => access.orgs.size + access.lockedOrgs.length > 0)

/** Every member of an organization holds a role in it. False for members without the second factor that it requires. */
export const isMemberOf = (ctx: AppContext, userId: number, orgId: number): MaybePromise<boolean> =>
  withAccess(ctx, userId, (access) => access.orgs.has(orgId))

/** Whether the user is a member without the second factor that the organization requires. */
export const isLockedOut = (ctx: AppContext, userId: number, orgId: number): MaybePromise<boolean> =>
  withAccess(ctx, userId, (access) => access.lockedOrgs.includes(orgId))

/** Ids of the organizations in which the user holds `point`. */
export const organizationsWith = (ctx: AppContext, userId: number, point: string): MaybePromise<number[]> =>
  withAccess(ctx, userId, ({ orgs }) => [...orgs].filter(([, points]) => points.has(point)).map(([orgId]) => orgId))

const nameIn = ({ highestRole }: UserAccess, locale: Locale): string =>
  highestRole === undefined ? '' : shownName(highestRole, locale)

/** Display name of the highest PLATFORM role, or else of the APP role; empty if the user has neither. */
export const roleNameOf = (ctx: AppContext, userId: number, locale: Locale): MaybePromise<string> =>
  withAccess(ctx, userId, (access) => nameIn(access, locale))

/** The union of the APP and PLATFORM points, sorted: `permissions` of a LoginResponse (spec §2.1). */
export const permissionsForLogin = (ctx: AppContext, userId: number): MaybePromise<string[]> =>
  withAccess(ctx, userId, (access) => sorted(access.app, access.platform))

const sorted = (...sets: ReadonlySet<string>[]): string[] => [...new Set(sets.flatMap((set) => [...set]))].toSorted()

export async function myPermissions(ctx: AppContext, actor: Actor, locale: Locale): Promise<MyPermissions> {
  const orgId = await currentOrgId(ctx.db.read, actor.userId)
  return withAccess(ctx, actor.userId, (access) => {
    const org = orgId === null ? new Set<string>() : pointsIn(access, 'ORG', orgId)
    return {
      permissions: sorted(access.platform, access.app, org),
      platform: sorted(access.platform),
      app: sorted(access.app),
      org: sorted(org),
      orgId,
      roleName: nameIn(access, locale),
    }
  })
}

export interface BindOptions {
  /** Marks the first administrator's binding, which can never be revoked. */
  initial?: boolean
}

/**
 * Binds the role `code` of an APP or ORG scope (the organization's id in ORG, otherwise 0) to the user. Does nothing if the user
 * already holds it. Throws if the role does not exist.
 */
export async function bindRole(
  tx: Tx,
  userId: number,
  domain: Exclude<PermissionDomain, 'PLATFORM'>,
  scopeId: number,
  code: string,
): Promise<void> {
  if (domain === 'ORG' && scopeId === 0) throw new Error('template roles of organizations cannot be bound to users')
  await insertUserRole(tx, userId, await roleIdOf(tx, { domain, scopeId, code }), false)
  bindingsChanged(tx, userId)
}

/** `bindRole` for some hundred users. */
export async function bindRoleToAll(
  tx: Tx,
  userIds: readonly number[],
  domain: Exclude<PermissionDomain, 'PLATFORM'>,
  scopeId: number,
  code: string,
): Promise<void> {
  if (domain === 'ORG' && scopeId === 0) throw new Error('template roles of organizations cannot be bound to users')
  await insertUserRoles(tx, userIds, await roleIdOf(tx, { domain, scopeId, code }))
  bindingsChanged(tx, ...userIds)
}

/** Binds a PLATFORM role to the user, and ends what administrators must not have. Throws if the role does not exist. */
export async function bindPlatformRole(
  ctx: AppContext,
  tx: Tx,
  userId: number,
  code: string,
  options: BindOptions = {},
): Promise<void> {
  const roleId = await roleIdOf(tx, { domain: 'PLATFORM', scopeId: 0, code })
  await insertUserRole(tx, userId, roleId, options.initial === true)
  bindingsChanged(tx, userId)
  await emit(ctx, tx, 'platformRole.granted', { userId })
}

async function roleIdOf(tx: Tx, role: RoleKey): Promise<number> {
  const roleId = await findRoleId(tx, role)
  if (roleId === undefined) throw new Error(`role ${role.domain}/${role.scopeId}/${role.code} does not exist`)
  return roleId
}

/** Deletes the user's bindings in the domain and scope, except the initial administrator's. */
export async function unbindRoles(tx: Tx, userId: number, domain: PermissionDomain, scopeId: number): Promise<void> {
  await deleteUserRoles(tx, userId, domain, scopeId)
  bindingsChanged(tx, userId)
}

/** Creates a role with `points` (`resource:action`, all in the role's domain). Throws if a point does not exist. */
export async function createRole(
  tx: Tx,
  role: Omit<NewRole, 'isSystem'> & { isSystem?: boolean; points: readonly string[] },
): Promise<number> {
  const ids = new Map<string, number>()
  for (const row of await allPoints(tx)) if (row.domain === role.domain) ids.set(pointName(row), row.id)
  const permissionIds = role.points.map((name) => {
    const id = ids.get(name)
    if (id === undefined) throw new Error(`permission point ${role.domain} ${name} does not exist`)
    return id
  })
  const roleId = await insertRole(tx, { ...role, isSystem: role.isSystem === true })
  await grantToRole(tx, roleId, permissionIds)
  rolesChanged(tx)
  return roleId
}
