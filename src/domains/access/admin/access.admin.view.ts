import type { Locale } from '#lib/localized.ts'
import { pointName } from '#permission-points'

import type { RoleRow } from '../access.store.ts'
import { holdsEverything, shownName } from '../system-roles.ts'
import type { PermissionView, RoleView, UserRoleView } from './access.admin.model.ts'
import type { PermissionRow, UserRoleRow } from './access.admin.store.ts'

export const toPermissionView = (row: PermissionRow): PermissionView => ({
  id: row.id,
  domain: row.domain,
  resource: row.resource,
  action: row.action,
  name: pointName(row),
  description: row.description,
  enabled: row.enabled,
  delegable: row.domain === 'ORG' && row.delegable,
})

export const toRoleView = (
  role: RoleRow,
  points: readonly { id: number; resource: string; action: string }[],
  locale: Locale,
): RoleView => ({
  id: role.id,
  domain: role.domain,
  scopeId: role.scopeId,
  code: role.code,
  name: shownName(role, locale),
  isSystem: role.isSystem,
  holdsEverything: holdsEverything(role.domain, role.code),
  permissionIds: points.map((point) => point.id),
  permissions: points.map(pointName),
  createdAt: role.createdAt,
  updatedAt: role.updatedAt,
})

export const toUserRoleView = (row: UserRoleRow, locale: Locale): UserRoleView => ({
  userId: row.userId,
  roleId: row.roleId,
  domain: row.domain,
  scopeId: row.scopeId,
  code: row.code,
  name: shownName(row, locale),
  isSystem: row.isSystem,
  isInitial: row.isInitial,
  grantedAt: row.grantedAt,
})
