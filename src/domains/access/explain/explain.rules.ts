/** Names the reason why a permission check grants or denies. Pure. */

import type { PermissionDomain } from '#db/schema/access.ts'
import type { Localized } from '#lib/localized.ts'

import { isReading, NEVER_OFF } from '../access.rules.ts'
import { holdsEverything } from '../system-roles.ts'
import type { Reason } from './explain.model.ts'

export interface Case {
  domain: PermissionDomain
  /** `resource:action` */
  permission: string
  /** Undefined if the domain has no such point. */
  enabled: boolean | undefined
  /** Roles held in the domain and scope. */
  roles: readonly { code: string; hasPoint: boolean }[]
  /** Of the organization, in the ORG domain. */
  isMember: boolean
  /** A role that the organization made has the point, which organizations cannot give. */
  isHeldBack: boolean
  /** The organization is DISABLED. */
  orgDisabled: boolean
}

/** Makes the same decision as `pointsIn`, step by step. */
export function reasonFor({ domain, permission, enabled, roles, isMember, isHeldBack, orgDisabled }: Case): Reason {
  if (enabled === undefined) return 'UNKNOWN_POINT'
  const hasAll = roles.some((role) => holdsEverything(domain, role.code))
  if (!enabled) return hasAll && domain === 'PLATFORM' && NEVER_OFF.includes(permission) ? 'NEVER_OFF' : 'DISABLED'
  const hasPoint = roles.some((role) => role.hasPoint)
  if ((hasAll || hasPoint) && orgDisabled && !isReading(permission)) return 'ORG_DISABLED'
  if (hasAll) return 'SHORT_CIRCUIT'
  if (hasPoint) return 'GRANTED_BY_ROLE'
  if (isHeldBack) return 'NOT_DELEGABLE'
  if (roles.length > 0) return 'NOT_IN_ROLES'
  return domain === 'ORG' && !isMember ? 'NOT_A_MEMBER' : 'NO_ROLE'
}

export const isGranted = (reason: Reason): boolean =>
  reason === 'GRANTED_BY_ROLE' || reason === 'SHORT_CIRCUIT' || reason === 'NEVER_OFF'

/** `names`: display names of the roles that the reason refers to. */
export function sentenceFor(reason: Reason, domain: PermissionDomain, names: readonly string[]): Localized {
  const [en, zh] = [names.join(', '), names.join('、')]
  switch (reason) {
    case 'GRANTED_BY_ROLE':
      return { en: `Granted by: ${en}.`, zh: `由以下角色授予：${zh}。` }
    case 'SHORT_CIRCUIT':
      return { en: `${en} holds every enabled point.`, zh: `${zh} 拥有全部已启用的权限点。` }
    case 'NEVER_OFF':
      return {
        en: `${en} keeps this disabled point, so that points can be enabled again.`,
        zh: `该权限点已停用，但对 ${zh} 始终有效，以便重新启用权限点。`,
      }
    case 'UNKNOWN_POINT':
      return { en: `The domain ${domain} has no such point.`, zh: `${domain} 域没有此权限点。` }
    case 'DISABLED':
      return { en: 'The point is disabled for everyone.', zh: '该权限点已对所有人停用。' }
    case 'ORG_DISABLED':
      return { en: 'The organization is disabled, so its members can only read.', zh: '该组织已停用，成员只能查看。' }
    case 'NOT_A_MEMBER':
      return { en: 'The user is not a member of the organization.', zh: '该用户不是该组织成员。' }
    case 'NO_ROLE':
      return { en: `The user holds no role in the domain ${domain}.`, zh: `该用户在 ${domain} 域没有角色。` }
    case 'NOT_DELEGABLE':
      return {
        en: 'A role that the organization made has this point, but organizations cannot give it.',
        zh: '该组织自建的角色含有此权限点，但此权限点不能由组织授予。',
      }
    case 'NOT_IN_ROLES':
      return { en: `None of the user’s roles has this point: ${en}.`, zh: `所持角色均不含该权限点：${zh}。` }
  }
}
