import { pointName } from '#permission-points'

import { holdsEverything } from '../system-roles.ts'
import type { PermissionView, RoleView, UserRoleView } from './model.ts'
import type { PermissionRow, RoleRow, UserRoleRow } from './store.ts'

export const toPermissionView = (row: PermissionRow): PermissionView => ({
  id: row.id,
  domain: row.domain,
  resource: row.resource,
  action: row.action,
  name: pointName(row),
  description: row.description,
  enabled: row.enabled,
})

export const toRoleView = (
  role: RoleRow,
  points: readonly { id: number; resource: string; action: string }[],
): RoleView => ({
  id: role.id,
  domain: role.domain,
  scopeId: role.scopeId,
  code: role.code,
  name: role.name,
  isSystem: role.isSystem,
  holdsEverything: holdsEverything(role.domain, role.code),
  permissionIds: points.map((point) => point.id),
  permissions: points.map(pointName),
  createdAt: role.createdAt,
  updatedAt: role.updatedAt,
})

export const toUserRoleView = (row: UserRoleRow): UserRoleView => ({
  userId: row.userId,
  roleId: row.roleId,
  domain: row.domain,
  scopeId: row.scopeId,
  code: row.code,
  name: row.name,
  isSystem: row.isSystem,
  isInitial: row.isInitial,
  grantedAt: row.grantedAt,
})
