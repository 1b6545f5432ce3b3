/**
 * The system roles and the points each has when it is created (spec §5.9, §4.8). Administrators can rename all of them and change
 * the points of all except SYSTEM_ADMIN and OWNER; `seed.ts` never reverts such a change. ORG roles are the templates (scopeId 0)
 * that are copied into each new organization.
 */

import type { PermissionDomain } from '#db/schema/access.ts'
import type { Locale, Localized } from '#lib/localized.ts'
import { type AppPoint, type OrgPoint, type PlatformPoint, pointName, pointsOf } from '#permission-points'

export interface SystemRole {
  readonly domain: PermissionDomain
  readonly code: string
  /** Display name. The English one is stored, and shown in both languages unless an administrator has changed it. */
  readonly name: Localized
  /** `everything`: every enabled point of the domain, including future ones, without `rbac_role_permissions` rows. */
  readonly points: 'everything' | readonly string[]
}

/** OWNER and SYSTEM_ADMIN hold every enabled point of their domain (and scope) without `rbac_role_permissions` rows. */
export const OWNER = 'OWNER'
export const SYSTEM_ADMIN = 'SYSTEM_ADMIN'
/** The ORG role of new members. */
export const MEMBER = 'MEMBER'
/** The role that `PATCH /api/admin/users/{userId}/role` grants (spec §4.7). */
export const USER_ADMIN = 'USER_ADMIN'
/** The APP role of every new user. */
export const USER = 'USER'

export const holdsEverything = (domain: PermissionDomain, code: string): boolean =>
  (domain === 'PLATFORM' && code === SYSTEM_ADMIN) || (domain === 'ORG' && code === OWNER)

/** PLATFORM roles, highest first. A user's role name is that of the highest role they hold. Custom roles rank below these. */
export const PLATFORM_RANK: readonly string[] = [SYSTEM_ADMIN, USER_ADMIN, 'BUSINESS_ADMIN', 'OPERATION_ADMIN']

const everyAdministrator: PlatformPoint[] = ['statistics:read', 'system:read', 'markdown:render']

const userAdmin: PlatformPoint[] = [
  ...everyAdministrator,
  'user:read',
  'user:create',
  'user:update',
  'org:read',
  'org:create',
  'org:update',
  'org:delete',
  'org:transfer',
  'org_member:create',
  'org_member:update',
  'org_member:delete',
  'login_record:read',
  'session:read',
  'session:revoke',
  'account_link:read',
  'account_link:create',
  'account_link:delete',
  'share:read',
  'share:delete',
  'qr_code:read',
  'qr_code:delete',
  'asset:read',
  'asset:scrap',
  'asset:delete',
]

const businessAdmin: PlatformPoint[] = [
  ...everyAdministrator,
  'qr_code:read',
  'qr_code:delete',
  'asset:read',
  'asset:scrap',
  'asset:delete',
  'category:read',
  'category:delete',
  'album:read',
  'album:delete',
  'file:read',
  'file:delete',
  'meta_object:read',
  'meta_field:read',
  'meta_field:create',
  'meta_field:update',
  'meta_field:delete',
  'meta_template:read',
  'meta_template:create',
  'meta_template:update',
  'meta_template:delete',
]

const operationAdmin: PlatformPoint[] = [
  ...everyAdministrator,
  'activity:read',
  'activity:create',
  'activity:update',
  'activity:delete',
  'checkin:read',
  'checkin:delete',
  'pass:read',
  'pass:revoke',
  'pass:delete',
  'notification:read',
  'notification:send',
  'notification:delete',
  'share:read',
  'share:delete',
  'scan_record:read',
]

/** All APP points are actions of ordinary users. */
const user = pointsOf('APP') as AppPoint[]

const onlyOwner: OrgPoint[] = ['org:delete', 'org:transfer']
const orgAdmin = (pointsOf('ORG') as OrgPoint[]).filter((point) => !onlyOwner.includes(point))

/** Members read the organization's data and take part in it, but do not change shared data. */
const member: OrgPoint[] = [
  'org:read',
  'member:read',
  'location:read',
  'share:read',
  'share:create',
  'qr_code:read',
  'qr_code:export',
  'album:read',
  'album:create',
  'asset:read',
  'inventory:scan',
  'activity:read',
  'checkin:create',
  'meta_field:read',
  'meta_template:read',
  'meta_value:read',
]

const guest: OrgPoint[] = ['org:read', 'location:read', 'qr_code:read', 'activity:read', 'checkin:create']

export const systemRoles: readonly SystemRole[] = [
  {
    domain: 'PLATFORM',
    code: SYSTEM_ADMIN,
    name: { en: 'System administrator', zh: '系统管理员' },
    points: 'everything',
  },
  { domain: 'PLATFORM', code: USER_ADMIN, name: { en: 'User administrator', zh: '用户管理员' }, points: userAdmin },
  {
    domain: 'PLATFORM',
    code: 'BUSINESS_ADMIN',
    name: { en: 'Business administrator', zh: '业务管理员' },
    points: businessAdmin,
  },
  {
    domain: 'PLATFORM',
    code: 'OPERATION_ADMIN',
    name: { en: 'Operation administrator', zh: '运营管理员' },
    points: operationAdmin,
  },
  { domain: 'APP', code: USER, name: { en: 'User', zh: '用户' }, points: user },
  { domain: 'ORG', code: OWNER, name: { en: 'Owner', zh: '所有者' }, points: 'everything' },
  { domain: 'ORG', code: 'ADMIN', name: { en: 'Administrator', zh: '管理员' }, points: orgAdmin },
  { domain: 'ORG', code: 'MEMBER', name: { en: 'Member', zh: '成员' }, points: member },
  { domain: 'ORG', code: 'GUEST', name: { en: 'Guest', zh: '访客' }, points: guest },
]

/** Owners cannot give these in roles that they make, unless SYSTEM_ADMIN allows it: they guard the organization and its roles. */
const GUARDED: ReadonlySet<string> = new Set([
  'org:update',
  'org:delete',
  'org:transfer',
  'member:assign_role',
] satisfies OrgPoint[])

/** Whether a new point may be given in the roles that owners of organizations make. */
export const isDelegableAtFirst = (point: { domain: PermissionDomain; resource: string; action: string }): boolean =>
  point.domain === 'ORG' && !GUARDED.has(pointName(point))

const defaultNames = new Map(systemRoles.map(({ domain, code, name }) => [`${domain} ${code}`, name]))

/** A role whose name is to be shown or stored. */
export interface NamedRole {
  readonly domain: PermissionDomain
  readonly code: string
  readonly name: string
}

/** The name to show: in the caller's language for a system role, unless an administrator has changed its name. */
export function shownName({ domain, code, name }: NamedRole, locale: Locale): string {
  const initial = defaultNames.get(`${domain} ${code}`)
  return initial?.en === name ? initial[locale] : name
}

/** The name to store: a client that sends back the name it was shown does not change it. */
export function storedName({ domain, code, name }: NamedRole): string {
  const initial = defaultNames.get(`${domain} ${code}`)
  return initial && Object.values(initial).includes(name) ? initial.en : name
}
