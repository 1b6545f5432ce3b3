/** Decisions on roles and points that need nothing looked up. */

import type { PermissionDomain } from '#db/schema/access.ts'
import type { Localized } from '#lib/localized.ts'

import { holdsEverything } from '../roles.ts'
import { NEVER_OFF } from '../rules.ts'
import type { REASONS } from './model.ts'

/** Ids of the points somebody may hand on in a domain and scope. Disabled ones count: what is off today may be on tomorrow. */
export type Reach = 'everything' | ReadonlySet<number>

/** Whether a role that holds these points is not above somebody. */
export function covers(
  reach: Reach,
  role: { domain: PermissionDomain; code: string; pointIds: readonly number[] },
): boolean {
  if (reach === 'everything') return true
  return !holdsEverything(role.domain, role.code) && role.pointIds.every((id) => reach.has(id))
}

export type Reason = (typeof REASONS)[number]

export interface Case {
  domain: PermissionDomain
  /** `resource:action` */
  permission: string
  /** Undefined when the domain has no such point. */
  enabled: boolean | undefined
  /** Roles held in the domain and scope. */
  roles: readonly { code: string; hasPoint: boolean }[]
  /** Of the organization, in the ORG domain. */
  isMember: boolean
}

/** Why a check of the point answers as it does; the same decision as `pointsIn`, taken step by step. */
export function reasonFor({ domain, permission, enabled, roles, isMember }: Case): Reason {
  if (enabled === undefined) return 'UNKNOWN_POINT'
  const hasAll = roles.some((role) => holdsEverything(domain, role.code))
  if (!enabled) return hasAll && domain === 'PLATFORM' && NEVER_OFF.includes(permission) ? 'NEVER_OFF' : 'DISABLED'
  if (hasAll) return 'SHORT_CIRCUIT'
  if (roles.some((role) => role.hasPoint)) return 'GRANTED_BY_ROLE'
  if (roles.length > 0) return 'NOT_IN_ROLES'
  return domain === 'ORG' && !isMember ? 'NOT_A_MEMBER' : 'NO_ROLE'
}

export const isGranted = (reason: Reason): boolean =>
  reason === 'GRANTED_BY_ROLE' || reason === 'SHORT_CIRCUIT' || reason === 'NEVER_OFF'

/** `names`: display names of the roles that the reason is about. */
export function sentenceFor(reason: Reason, domain: PermissionDomain, names: readonly string[]): Localized {
  const [en, zh] = [names.join(', '), names.join('、')]
  switch (reason) {
    case 'GRANTED_BY_ROLE':
      return { en: `Granted by: ${en}.`, zh: `由以下角色授予：${zh}。` }
    case 'SHORT_CIRCUIT':
      return { en: `${en} holds every enabled point.`, zh: `${zh} 拥有全部已启用的权限点。` }
    case 'NEVER_OFF':
      return {
        en: `The point is disabled, but stays on for ${en} as the way to enable points again.`,
        zh: `该权限点已停用，但对 ${zh} 始终有效，以便重新启用权限点。`,
      }
    case 'UNKNOWN_POINT':
      return { en: `The domain ${domain} has no such point.`, zh: `${domain} 域没有此权限点。` }
    case 'DISABLED':
      return { en: 'The point is disabled for everybody.', zh: '该权限点已对所有人停用。' }
    case 'NOT_A_MEMBER':
      return { en: 'The user is not a member of the organization.', zh: '该用户不是该组织成员。' }
    case 'NO_ROLE':
      return { en: `The user holds no role in the domain ${domain}.`, zh: `该用户在 ${domain} 域没有角色。` }
    case 'NOT_IN_ROLES':
      return { en: `None of the roles held has the point: ${en}.`, zh: `所持角色均不含该权限点：${zh}。` }
  }
}
