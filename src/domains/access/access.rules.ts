/** Decides which points a set of roles adds up to, who may pass them on, and what seeding has to add. Pure. */

import type { PermissionDomain } from '#db/schema/access.ts'
import type { OrgStatus } from '#db/schema/orgs.ts'
import { type PermissionPoint, pointName } from '#permission-points'

import { holdsEverything, PLATFORM_RANK, type SystemRole } from './system-roles.ts'

export interface Role {
  readonly id: number
  readonly domain: PermissionDomain
  readonly scopeId: number
  readonly code: string
  readonly name: string
  /** Enabled points only; in a DISABLED organization only those that read. */
  readonly points: ReadonlySet<string>
  /** Null outside an organization. */
  readonly orgStatus: OrgStatus | null
  /** Whether the organization requires a second factor of its members; null outside an organization. */
  readonly requiresFactor: boolean | null
}

/** Everything one user may do, in all domains and scopes. */
export interface UserAccess {
  readonly platform: ReadonlySet<string>
  readonly app: ReadonlySet<string>
  /** By organization id. */
  readonly orgs: ReadonlyMap<number, ReadonlySet<string>>
  /** Ids of those organizations that are DISABLED. */
  readonly disabledOrgs: readonly number[]
  /** Ids of organizations of the user that require a second factor, which the user does not have. They are not among `orgs`. */
  readonly lockedOrgs: readonly number[]
  /** Holds any PLATFORM role, even one without points. */
  readonly isAdministrator: boolean
  /** The highest PLATFORM role, or else the APP role, whose name the user is shown with. */
  readonly highestRole: Role | undefined
}

const NO_POINTS: ReadonlySet<string> = new Set<string>()
const NO_ORGS: ReadonlyMap<number, ReadonlySet<string>> = new Map<number, ReadonlySet<string>>()

/** Users who hold a single role share that role's set: on most servers nearly all users share one. */
function union(roles: readonly Role[]): ReadonlySet<string> {
  if (roles.length === 0) return NO_POINTS
  return roles.length === 1 ? roles[0]!.points : new Set(roles.flatMap((role) => [...role.points]))
}

const rankOf = (role: { readonly code: string }): number => {
  const rank = PLATFORM_RANK.indexOf(role.code)
  return rank < 0 ? PLATFORM_RANK.length : rank
}

/** The role whose name the user is shown with. */
export function highestOf<R extends Pick<Role, 'id' | 'code'>>(
  platform: readonly R[],
  app: readonly R[],
): R | undefined {
  const highest = platform.toSorted((a, b) => rankOf(a) - rankOf(b) || a.id - b.id)[0]
  return highest ?? app.toSorted((a, b) => a.id - b.id)[0]
}

/** Whether it matters if the holder of these roles has a second factor. */
export const asksForFactor = (roles: readonly Role[]): boolean => roles.some((role) => role.requiresFactor === true)

/** `hasFactor`: whether the user has a second factor, if `asksForFactor`. */
export function accessOf(held: readonly Role[], hasFactor = true): UserAccess {
  const isLocked = (role: Role) => !hasFactor && role.requiresFactor === true
  const roles = held.filter((role) => !isLocked(role))
  // PLATFORM and APP have no scopes. In ORG, scope 0 contains the templates, which grant nothing.
  const platform = roles.filter((role) => role.domain === 'PLATFORM' && role.scopeId === 0)
  const app = roles.filter((role) => role.domain === 'APP' && role.scopeId === 0)
  const byOrg = Map.groupBy(
    roles.filter((role) => role.domain === 'ORG' && role.scopeId > 0),
    (role) => role.scopeId,
  )
  return {
    platform: union(platform),
    app: union(app),
    orgs: byOrg.size === 0 ? NO_ORGS : new Map([...byOrg].map(([orgId, held]) => [orgId, union(held)])),
    disabledOrgs: [...byOrg].filter(([, held]) => held[0]!.orgStatus === 'DISABLED').map(([orgId]) => orgId),
    lockedOrgs: [...new Set(held.filter(isLocked).map((role) => role.scopeId))],
    isAdministrator: platform.length > 0,
    highestRole: highestOf(platform, app),
  }
}

/** The points held in a domain and scope. */
export function pointsIn(access: UserAccess, domain: PermissionDomain, scopeId: number): ReadonlySet<string> {
  if (domain === 'ORG') return access.orgs.get(scopeId) ?? NO_POINTS
  if (scopeId !== 0) return NO_POINTS
  return domain === 'APP' ? access.app : access.platform
}

const within = (held: ReadonlySet<string>, points: ReadonlySet<string>): ReadonlySet<string> =>
  new Set([...points].filter((point) => held.has(point)))

/** The part of a user's access that an API key of theirs allows: one domain and scope, and of its points those of the key. */
export function limitedTo(
  access: UserAccess,
  key: { domain: PermissionDomain; orgId: number; points: ReadonlySet<string> },
): UserAccess {
  const { domain, orgId, points } = key
  const held = access.orgs.get(orgId)
  return {
    platform: domain === 'PLATFORM' ? within(access.platform, points) : NO_POINTS,
    app: domain === 'APP' ? within(access.app, points) : NO_POINTS,
    orgs: domain === 'ORG' && held !== undefined ? new Map([[orgId, within(held, points)]]) : NO_ORGS,
    disabledOrgs: domain === 'ORG' ? access.disabledOrgs.filter((id) => id === orgId) : [],
    lockedOrgs: domain === 'ORG' ? access.lockedOrgs.filter((id) => id === orgId) : [],
    isAdministrator: domain === 'PLATFORM' && access.isAdministrator,
    highestRole: access.highestRole,
  }
}

const READING_ACTIONS = new Set(['read', 'export'])

/**
 * Whether the point (`resource:action`) allows no changes. Only such points count in a DISABLED organization: it is read-only for its
 * members, including the owner.
 */
export const isReading = (point: string): boolean => READING_ACTIONS.has(point.slice(point.indexOf(':') + 1))

/**
 * Disabling a point takes it from everyone, including SYSTEM_ADMIN and OWNER. These points are the exception: SYSTEM_ADMIN keeps
 * them, to enable a point that was disabled by mistake, and to take a role away from a user who abuses it.
 */
export const NEVER_OFF: readonly string[] = ['rbac_permission:read', 'rbac_permission:update', 'rbac_user_role:revoke']

/**
 * Ids of the points a caller may pass on in a domain and scope. Disabled points count: a point that is disabled now may be enabled
 * again.
 */
export type Authority = 'everything' | ReadonlySet<number>

/** Whether the caller holds every point of the role, so that passing it on gives nobody more than the caller has. */
export function covers(
  authority: Authority,
  role: { domain: PermissionDomain; code: string; pointIds: readonly number[] },
): boolean {
  if (authority === 'everything') return true
  return !holdsEverything(role.domain, role.code) && role.pointIds.every((id) => authority.has(id))
}

export interface SeedPlan {
  readonly newPoints: readonly PermissionPoint[]
  readonly newRoles: readonly SystemRole[]
  /** Points to bind to each system role: all of its points if the role is new, otherwise only the new ones among them. */
  readonly grants: readonly { readonly role: SystemRole; readonly points: readonly string[] }[]
}

export const pointKey = (point: { domain: PermissionDomain; resource: string; action: string }): string =>
  `${point.domain} ${pointName(point)}`
export const roleKey = (role: { domain: PermissionDomain; code: string }): string => `${role.domain} ${role.code}`

/** Compares the tables of this version with the `points` (by `pointKey`) and template roles (by `roleKey`) of the database. */
export function planSeed(
  wanted: { points: readonly PermissionPoint[]; roles: readonly SystemRole[] },
  existing: { points: ReadonlySet<string>; roles: ReadonlySet<string> },
): SeedPlan {
  const newPoints = wanted.points.filter((point) => !existing.points.has(pointKey(point)))
  const isNew = new Set(newPoints.map(pointKey))
  return {
    newPoints,
    newRoles: wanted.roles.filter((role) => !existing.roles.has(roleKey(role))),
    grants: wanted.roles.flatMap((role) => {
      if (role.points === 'everything') return []
      const granted = existing.roles.has(roleKey(role))
        ? role.points.filter((name) => isNew.has(`${role.domain} ${name}`))
        : role.points
      return granted.length === 0 ? [] : [{ role, points: granted }]
    }),
  }
}
