/**
 * The system roles and the points each has when it is created (spec §5.9, §4.8). Administrators can rename all of them and change
 * the points of all except SYSTEM_ADMIN and OWNER; `seed.ts` never reverts such a change. ORG roles are the templates (scopeId 0)
 * that are copied into each new organization.
 */

import type { PermissionDomain } from '#db/schema/access.ts'
import { type AppPoint, type OrgPoint, type PlatformPoint, pointsOf } from '#permission-points'

export interface SystemRole {
  readonly domain: PermissionDomain
  readonly code: string
  /** Initial display name; administrators can change the stored name. */
  readonly name: string
  /** `everything`: every enabled point of the domain, including future ones, without `rbac_role_permissions` rows. */
  readonly points: 'everything' | readonly string[]
}

/** OWNER and SYSTEM_ADMIN hold every enabled point of their domain (and scope) without `rbac_role_permissions` rows. */
export const OWNER = 'OWNER'
export const SYSTEM_ADMIN = 'SYSTEM_ADMIN'
/** The APP role of every new user. */
export const USER = 'USER'

export const holdsEverything = (domain: PermissionDomain, code: string): boolean =>
  (domain === 'PLATFORM' && code === SYSTEM_ADMIN) || (domain === 'ORG' && code === OWNER)

/** PLATFORM roles, highest first. A user's role name is that of the highest role they hold. Custom roles rank below these. */
export const PLATFORM_RANK: readonly string[] = [SYSTEM_ADMIN, 'USER_ADMIN', 'BUSINESS_ADMIN', 'OPERATION_ADMIN']

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
  { domain: 'PLATFORM', code: SYSTEM_ADMIN, name: 'System administrator', points: 'everything' },
  { domain: 'PLATFORM', code: 'USER_ADMIN', name: 'User administrator', points: userAdmin },
  { domain: 'PLATFORM', code: 'BUSINESS_ADMIN', name: 'Business administrator', points: businessAdmin },
  { domain: 'PLATFORM', code: 'OPERATION_ADMIN', name: 'Operation administrator', points: operationAdmin },
  { domain: 'APP', code: USER, name: 'User', points: user },
  { domain: 'ORG', code: OWNER, name: 'Owner', points: 'everything' },
  { domain: 'ORG', code: 'ADMIN', name: 'Administrator', points: orgAdmin },
  { domain: 'ORG', code: 'MEMBER', name: 'Member', points: member },
  { domain: 'ORG', code: 'GUEST', name: 'Guest', points: guest },
]
