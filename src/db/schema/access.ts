import { col, index, primaryKey, table, uniqueIndex } from '../dialect.ts'
import { users } from './accounts.ts'

export type PermissionDomain = 'PLATFORM' | 'APP' | 'ORG'

/** Permission points. Seeded from `permission-points.ts`. Rows are never deleted, only disabled. */
export const permissions = table(
  'rbac_permissions',
  {
    id: col.id(),
    domain: col.text('domain').$type<PermissionDomain>().notNull(),
    resource: col.text('resource').notNull(),
    action: col.text('action').notNull(),
    description: col.text('description').notNull().default(''),
    enabled: col.bool('enabled').notNull().default(true),
  },
  (t) => [uniqueIndex('rbac_permissions_point').on(t.domain, t.resource, t.action)],
)

/**
 * `scopeId` is the organization's id for its own roles; 0 for PLATFORM and APP roles and for the ORG templates that are copied into
 * each new organization.
 */
export const roles = table(
  'rbac_roles',
  {
    id: col.id(),
    domain: col.text('domain').$type<PermissionDomain>().notNull(),
    scopeId: col.int('scope_id').notNull().default(0),
    code: col.text('code').notNull(),
    name: col.text('name').notNull(),
    isSystem: col.bool('is_system').notNull().default(false),
    createdAt: col.time('created_at').notNull(),
    updatedAt: col.time('updated_at').notNull(),
  },
  (t) => [uniqueIndex('rbac_roles_code').on(t.domain, t.scopeId, t.code)],
)

export const rolePermissions = table(
  'rbac_role_permissions',
  {
    roleId: col
      .int('role_id')
      .notNull()
      .references(() => roles.id, { onDelete: 'cascade' }),
    permissionId: col
      .int('permission_id')
      .notNull()
      .references(() => permissions.id),
  },
  (t) => [primaryKey({ columns: [t.roleId, t.permissionId] })],
)

export const userRoles = table(
  'rbac_user_roles',
  {
    userId: col
      .int('user_id')
      .notNull()
      .references(() => users.id),
    /** Without a reference: bindings of the roles of a dissolved organization are deleted after them (domains/removals). Those without a role grant nothing. */
    roleId: col.int('role_id').notNull(),
    /** The first administrator's SYSTEM_ADMIN binding, which cannot be revoked. */
    isInitial: col.bool('is_initial').notNull().default(false),
    createdAt: col.time('created_at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.userId, t.roleId] }), index('rbac_user_roles_role').on(t.roleId)],
)
