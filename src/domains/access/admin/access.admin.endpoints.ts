import { endpoint, platform } from '#http/endpoint.ts'
import { ById } from '#http/schema.ts'

import {
  ByUser,
  ByUserRole,
  CreatePermission,
  CreateRole,
  GrantRole,
  PermissionPage,
  PermissionsQuery,
  PermissionView,
  RoleLocation,
  RolePage,
  RolesQuery,
  RoleView,
  UpdatePermission,
  UpdateRole,
  UserRolePage,
  UserRolesQuery,
  UserRoleView,
} from './access.admin.model.ts'
import {
  changePermission,
  changeRole,
  createCustomRole,
  createPermission,
  deleteRole,
  grantRole,
  listPermissions,
  listRoles,
  listUserRoles,
  revokeRole,
} from './access.admin.service.ts'

const tag = 'Access control'

export const adminEndpoints = [
  endpoint({
    id: 'access.listPermissions',
    method: 'GET',
    path: '/api/rbac/permissions',
    summary: 'List permission points',
    tag,
    access: platform('rbac_permission:read'),
    query: PermissionsQuery,
    data: PermissionPage,
    run: ({ ctx, query }) => listPermissions(ctx, query),
  }),
  endpoint({
    id: 'access.createPermission',
    method: 'POST',
    path: '/api/rbac/permissions',
    summary: 'Create a permission point',
    description:
      'The combination of domain, resource and action is unique. Points are never deleted, only disabled. ' +
      'Only SYSTEM_ADMIN can create points.',
    tag,
    access: platform('rbac_permission:create'),
    logs: 'PERMISSION_CREATE',
    body: CreatePermission,
    data: PermissionView,
    run: ({ actor, body }) => createPermission(actor, body),
  }),
  endpoint({
    id: 'access.changePermission',
    method: 'PUT',
    path: '/api/rbac/permissions/:id',
    summary: 'Change a permission point',
    description:
      'You can enable, disable and describe a point. A disabled point is denied to everyone, except that SYSTEM_ADMIN keeps ' +
      '`rbac_permission:read`, `rbac_permission:update` and `rbac_user_role:revoke`. Only SYSTEM_ADMIN can change points.',
    tag,
    access: platform('rbac_permission:update'),
    logs: 'PERMISSION_UPDATE',
    params: ById,
    body: UpdatePermission,
    data: PermissionView,
    run: ({ actor, params, body }) => changePermission(actor, params.id, body),
  }),
  endpoint({
    id: 'access.listRoles',
    method: 'GET',
    path: '/api/rbac/roles',
    summary: 'List roles with their permission points',
    description:
      'Names of system roles are in your language, unless an administrator has changed them. ' +
      'Without `scopeId`, the list contains the roles of all scopes. `domain` ORG with `scopeId` 0 lists the templates of new ' +
      'organizations.',
    tag,
    access: platform('rbac_role:read'),
    query: RolesQuery,
    data: RolePage,
    run: ({ ctx, query, caller }) => listRoles(ctx, query, caller.locale),
  }),
  endpoint({
    id: 'access.createRole',
    method: 'POST',
    path: '/api/rbac/roles',
    summary: 'Create a role',
    description:
      'Send `domain` and `scopeId` (default 0) in the query or in the body. You can only give the role points that you hold ' +
      'yourself.',
    tag,
    access: platform('rbac_role:create'),
    logs: 'ROLE_CREATE',
    query: RoleLocation,
    body: CreateRole,
    data: RoleView,
    run: ({ actor, query, body, caller }) => createCustomRole(actor, query, body, caller.locale),
  }),
  endpoint({
    id: 'access.changeRole',
    method: 'PUT',
    path: '/api/rbac/roles/:id',
    summary: 'Change the name and the points of a role',
    description:
      'The points you send replace all points of the role. The change takes effect immediately; a changed template affects only ' +
      'organizations founded later. OWNER and SYSTEM_ADMIN always hold every point: you can change only their name. System roles ' +
      'are changed by SYSTEM_ADMIN only, and so are the points of PLATFORM roles that somebody holds. You cannot change the points of ' +
      'a PLATFORM role or a role of an organization that you hold yourself.',
    tag,
    access: platform('rbac_role:update'),
    logs: 'ROLE_UPDATE',
    params: ById,
    body: UpdateRole,
    data: RoleView,
    run: ({ actor, params, body, caller }) => changeRole(actor, params.id, body, caller.locale),
  }),
  endpoint({
    id: 'access.deleteRole',
    method: 'DELETE',
    path: '/api/rbac/roles/:id',
    summary: 'Delete a custom role',
    description:
      'Users who hold the role lose it. System roles cannot be deleted, nor a role that you hold yourself. PLATFORM roles that somebody holds are deleted by SYSTEM_ADMIN only.',
    tag,
    access: platform('rbac_role:delete'),
    logs: 'ROLE_DELETE',
    params: ById,
    run: ({ actor, params }) => deleteRole(actor, params.id),
  }),
  endpoint({
    id: 'access.listUserRoles',
    method: 'GET',
    path: '/api/rbac/users/:userId/roles',
    summary: 'List a user’s roles in all domains and organizations',
    tag,
    access: platform('rbac_user_role:read'),
    params: ByUser,
    query: UserRolesQuery,
    data: UserRolePage,
    run: ({ ctx, params, query, caller }) => listUserRoles(ctx, params.userId, query, caller.locale),
  }),
  endpoint({
    id: 'access.grantRole',
    method: 'POST',
    path: '/api/rbac/users/:userId/roles',
    summary: 'Grant a role to a user',
    description:
      'A user’s permissions are the union of all their roles. You can only grant a role whose points you hold yourself. Roles of ' +
      'an organization can be granted to its members, except OWNER, which changes by transfer. Roles of the PLATFORM domain are ' +
      'granted and revoked by SYSTEM_ADMIN only, and refused with 400 for users whose password is too weak for an administrator, ' +
      'or who still have the password that an administrator without SYSTEM_ADMIN chose for them. You cannot grant yourself roles of these two domains.',
    tag,
    access: platform('rbac_user_role:grant'),
    logs: 'USER_ROLE_GRANT',
    params: ByUser,
    body: GrantRole,
    data: UserRoleView,
    run: ({ ctx, actor, params, body, caller }) => grantRole(ctx, actor, params.userId, body.roleId, caller.locale),
  }),
  endpoint({
    id: 'access.revokeRole',
    method: 'DELETE',
    path: '/api/rbac/users/:userId/roles/:roleId',
    summary: 'Revoke a role from a user',
    description:
      'The first administrator’s SYSTEM_ADMIN role and the OWNER role of an organization cannot be revoked. You cannot revoke your own PLATFORM roles, or your own roles in an organization.',
    tag,
    access: platform('rbac_user_role:revoke'),
    logs: 'USER_ROLE_REVOKE',
    params: ByUserRole,
    run: ({ ctx, actor, params }) => revokeRole(ctx, actor, params.userId, params.roleId),
  }),
]
