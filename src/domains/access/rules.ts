/** What a set of roles amounts to, and what seeding has to add. Pure. */

import type { PermissionDomain } from '#db/schema/access.ts'
import { type PermissionPoint, pointName } from '#permission-points'

import { PLATFORM_RANK, type SystemRole } from './roles.ts'

export interface Role {
  readonly id: number
  readonly domain: PermissionDomain
  readonly scopeId: number
  readonly code: string
  readonly name: string
  /** Enabled points only. */
  readonly points: ReadonlySet<string>
}

/** Everything one user may do, in all domains and scopes. */
export interface UserAccess {
  readonly platform: ReadonlySet<string>
  readonly app: ReadonlySet<string>
  /** By organization id. */
  readonly orgs: ReadonlyMap<number, ReadonlySet<string>>
  /** Holds any PLATFORM role, even one without points. */
  readonly isAdministrator: boolean
  /** Display name of the highest PLATFORM role, else of the APP role; empty without either. */
  readonly roleName: string
}

const NOTHING: ReadonlySet<string> = new Set<string>()
const NO_ORGS: ReadonlyMap<number, ReadonlySet<string>> = new Map<number, ReadonlySet<string>>()

/** One role's set is shared by all who hold only that role: most users of a server share a single set. */
function union(roles: readonly Role[]): ReadonlySet<string> {
  if (roles.length === 0) return NOTHING
  return roles.length === 1 ? roles[0]!.points : new Set(roles.flatMap((role) => [...role.points]))
}

const rankOf = (role: Role): number => {
  const rank = PLATFORM_RANK.indexOf(role.code)
  return rank < 0 ? PLATFORM_RANK.length : rank
}

function displayName(platform: readonly Role[], app: readonly Role[]): string {
  const highest = platform.toSorted((a, b) => rankOf(a) - rankOf(b) || a.id - b.id)[0]
  return (highest ?? app.toSorted((a, b) => a.id - b.id)[0])?.name ?? ''
}

export function accessOf(roles: readonly Role[]): UserAccess {
  // PLATFORM and APP have no scopes; in ORG, scope 0 holds templates, which give nobody anything.
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
    isAdministrator: platform.length > 0,
    roleName: displayName(platform, app),
  }
}

/** The points held in a domain and scope. */
export function pointsIn(access: UserAccess, domain: PermissionDomain, scopeId: number): ReadonlySet<string> {
  if (domain === 'ORG') return access.orgs.get(scopeId) ?? NOTHING
  if (scopeId !== 0) return NOTHING
  return domain === 'APP' ? access.app : access.platform
}

/**
 * A disabled point is off for everybody, SYSTEM_ADMIN and OWNER too. These two stay on for SYSTEM_ADMIN: they are the way back
 * for who disabled one point too many.
 */
export const NEVER_OFF: readonly string[] = ['rbac_permission:read', 'rbac_permission:update']

export interface SeedPlan {
  readonly newPoints: readonly PermissionPoint[]
  readonly newRoles: readonly SystemRole[]
  /** Points to give to a system role: all of its own when it is new, else only those that are new. */
  readonly grants: readonly { readonly role: SystemRole; readonly points: readonly string[] }[]
}

export const pointKey = (point: { domain: PermissionDomain; resource: string; action: string }): string =>
  `${point.domain} ${pointName(point)}`
export const roleKey = (role: { domain: PermissionDomain; code: string }): string => `${role.domain} ${role.code}`

/** What a database that already has `points` (by `pointKey`) and template roles (by `roleKey`) lacks. */
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
      const given = existing.roles.has(roleKey(role))
        ? role.points.filter((name) => isNew.has(`${role.domain} ${name}`))
        : role.points
      return given.length === 0 ? [] : [{ role, points: given }]
    }),
  }
}
