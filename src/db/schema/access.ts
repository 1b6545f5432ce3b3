import { sql } from 'drizzle-orm'

import { col, index, primaryKey, table, uniqueIndex } from '../dialect.ts'
import { users } from './accounts.ts'

export type PermissionDomain = 'PLATFORM' | 'APP' | 'ORG'
export type RolePreset = 'GATE' | 'KEEPER' | 'BORROWER' | 'ORGANIZER'

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
    /** Whether owners of organizations may give the point in roles that they make. In the ORG domain only. */
    delegable: col.bool('delegable').notNull().default(true),
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

/** The roles that the owner of an organization made: they grant delegable points only. */
export const ownRoles = table(
  'rbac_own_roles',
  {
    roleId: col
      .int('role_id')
      .notNull()
      .references(() => roles.id, { onDelete: 'cascade' }),
    orgId: col.int('org_id').notNull(),
    /** The name as it is compared (`nameKeyOf`). Null once the role is deleted. */
    nameKey: col.text('name_key'),
    description: col.text('description').notNull().default(''),
    /** The preset from which the role was made. */
    preset: col.text('preset').$type<RolePreset>(),
    /**
     * Id of the role that members get instead. Set once the role is deleted and has more members than one write changes: it then has the
     * points and the name of MEMBER, until a job has moved the others.
     */
    replaceWith: col.int('replace_with'),
  },
  (t) => [
    primaryKey({ columns: [t.roleId] }),
    uniqueIndex('rbac_own_roles_name').on(t.orgId, t.nameKey),
    index('rbac_own_roles_replaced').on(t.replaceWith).where(sql.raw('replace_with is not null')),
  ],
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
