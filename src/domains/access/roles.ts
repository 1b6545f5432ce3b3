/**
 * The system roles and what each holds when it is created (spec §5.9, §4.8). Administrators may edit all but OWNER afterwards;
 * `seed.ts` never takes such an edit back. ORG roles are the templates (scopeId 0) that each new organization gets a copy of.
 */

import type { PermissionDomain } from '#db/schema/access.ts'
import { type AppPoint, type OrgPoint, type PlatformPoint, pointsOf } from '#permission-points'

export interface SystemRole {
  readonly domain: PermissionDomain
  readonly code: string
  /** Shown to people; administrators can change the stored one. */
  readonly name: string
  /** `everything`: every enabled point of the domain, now and later; such a role has no rows of its own. */
  readonly points: 'everything' | readonly string[]
}

/** Roles that hold every enabled point of their domain (and scope) without a row saying so. */
export const OWNER = 'OWNER'
export const SYSTEM_ADMIN = 'SYSTEM_ADMIN'
/** The APP role of every new user. */
export const USER = 'USER'

export const holdsEverything = (domain: PermissionDomain, code: string): boolean =>
  (domain === 'PLATFORM' && code === SYSTEM_ADMIN) || (domain === 'ORG' && code === OWNER)

/** PLATFORM roles from the highest: the name of the first one held is shown as a person's role. Custom roles come after these. */
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

/** Every point of the APP domain is something that an end user does. */
const user = pointsOf('APP') as AppPoint[]

const onlyOwner: OrgPoint[] = ['org:delete', 'org:transfer']
const orgAdmin = (pointsOf('ORG') as OrgPoint[]).filter((point) => !onlyOwner.includes(point))

/** Sees the organization's things and takes part; changes nothing that belongs to all. */
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
