import { and, asc, count, eq, inArray, not, or, sql } from 'drizzle-orm'

import { contains } from '#db/contains.ts'
import { orgExists } from '#db/org-exists.ts'
import { type Page, pageOf, pageOfQuery } from '#db/paging.ts'
import { type PermissionDomain, permissions, rolePermissions, roles, userRoles } from '#db/schema/access.ts'
import { users } from '#db/schema/accounts.ts'
import { organizations, orgMembers, type OrgStatus } from '#db/schema/orgs.ts'
import type { Db, Tx } from '#db/store.ts'

import { isInForce, type RoleRow } from '../access.store.ts'
import { isReplaced } from '../organizations.store.ts'
import { SYSTEM_ADMIN } from '../system-roles.ts'
import type { PermissionsQuery, RolesQuery, UserRolesQuery } from './access.admin.model.ts'

export type PermissionRow = typeof permissions.$inferSelect

export function permissionsPage(db: Db, query: PermissionsQuery): Promise<Page<PermissionRow>> {
  const { domain, enabled, keyword } = query
  const where = and(
    domain === undefined ? undefined : eq(permissions.domain, domain),
    enabled === undefined ? undefined : eq(permissions.enabled, enabled),
    keyword
      ? or(
          ...[permissions.resource, permissions.action, permissions.description].map((column) =>
            contains(column, keyword),
          ),
        )
      : undefined,
  )
  const orderBy = [asc(permissions.domain), asc(permissions.resource), asc(permissions.action)]
  return pageOf(db, permissions, { where, orderBy, page: query })
}

/** Undefined if a point with this domain, resource and action exists. */
export async function insertPermission(
  tx: Tx,
  point: Pick<PermissionRow, 'domain' | 'resource' | 'action' | 'description' | 'delegable'>,
): Promise<PermissionRow | undefined> {
  const rows = await tx
    .insert(permissions)
    .values(point)
    .onConflictDoNothing({ target: [permissions.domain, permissions.resource, permissions.action] })
    .returning()
  return rows[0]
}

export async function findPermission(db: Db | Tx, id: number): Promise<PermissionRow | undefined> {
  return (await db.select().from(permissions).where(eq(permissions.id, id)))[0]
}

export async function updatePermission(
  tx: Tx,
  id: number,
  change: Partial<Pick<PermissionRow, 'enabled' | 'description' | 'delegable'>>,
): Promise<void> {
  await tx.update(permissions).set(change).where(eq(permissions.id, id))
}

/** Undefined if the domain has no such point. */
export async function findPoint(
  db: Db,
  point: { domain: PermissionDomain; resource: string; action: string },
): Promise<PermissionRow | undefined> {
  const rows = await db
    .select()
    .from(permissions)
    .where(
      and(
        eq(permissions.domain, point.domain),
        eq(permissions.resource, point.resource),
        eq(permissions.action, point.action),
      ),
    )
  return rows[0]
}

export function rolesPage(db: Db, query: RolesQuery): Promise<Page<RoleRow>> {
  const where = and(
    not(isReplaced),
    query.domain === undefined ? undefined : eq(roles.domain, query.domain),
    query.scopeId === undefined ? undefined : eq(roles.scopeId, query.scopeId),
  )
  return pageOf(db, roles, { where, orderBy: [asc(roles.id)], page: query })
}

export async function findRoleRow(db: Db | Tx, id: number): Promise<RoleRow | undefined> {
  return (
    await db
      .select()
      .from(roles)
      .where(and(eq(roles.id, id), not(isReplaced)))
  )[0]
}

/** The points bound to each of the roles, including disabled ones. `isInForce`: see access.store.ts. */
export async function pointsOfRoles(db: Db | Tx, roleIds: readonly number[]) {
  if (roleIds.length === 0) return []
  return db
    .select({
      roleId: rolePermissions.roleId,
      id: permissions.id,
      resource: permissions.resource,
      action: permissions.action,
      isInForce: sql<boolean>`${isInForce}`.mapWith(Boolean),
    })
    .from(rolePermissions)
    .innerJoin(permissions, eq(permissions.id, rolePermissions.permissionId))
    .where(inArray(rolePermissions.roleId, [...roleIds]))
    .orderBy(asc(permissions.resource), asc(permissions.action))
}

/** Whether any user holds the role. */
export async function isHeld(tx: Tx, roleId: number): Promise<boolean> {
  const rows = await tx
    .select({ userId: userRoles.userId })
    .from(userRoles)
    .where(eq(userRoles.roleId, roleId))
    .limit(1)
  return rows.length > 0
}

/** The user's roles that count in a domain and scope: those held there, and SYSTEM_ADMIN, which counts everywhere. */
export const rolesCountingIn = (db: Db | Tx, userId: number, domain: PermissionDomain, scopeId: number) =>
  db
    .select({ id: roles.id, domain: roles.domain, code: roles.code, name: roles.name })
    .from(userRoles)
    .innerJoin(roles, eq(roles.id, userRoles.roleId))
    .where(
      and(
        eq(userRoles.userId, userId),
        or(
          and(eq(roles.domain, domain), eq(roles.scopeId, scopeId)),
          and(eq(roles.domain, 'PLATFORM'), eq(roles.scopeId, 0), eq(roles.code, SYSTEM_ADMIN)),
        ),
      ),
    )
    .orderBy(asc(roles.id))

const userRoleColumns = {
  userId: userRoles.userId,
  roleId: roles.id,
  domain: roles.domain,
  scopeId: roles.scopeId,
  code: roles.code,
  name: roles.name,
  isSystem: roles.isSystem,
  isInitial: userRoles.isInitial,
  grantedAt: userRoles.createdAt,
}
export type UserRoleRow = Pick<RoleRow, 'domain' | 'scopeId' | 'code' | 'name' | 'isSystem'> & {
  userId: number
  roleId: number
  isInitial: boolean
  grantedAt: number
}

export function userRolesPage(db: Db, userId: number, query: UserRolesQuery): Promise<Page<UserRoleRow>> {
  const where = and(
    eq(userRoles.userId, userId),
    query.domain === undefined ? undefined : eq(roles.domain, query.domain),
    query.scopeId === undefined ? undefined : eq(roles.scopeId, query.scopeId),
  )
  const ofRole = eq(roles.id, userRoles.roleId)
  return pageOfQuery(
    query,
    db.select(userRoleColumns).from(userRoles).innerJoin(roles, ofRole).where(where).orderBy(asc(roles.id)),
    db.select({ n: count() }).from(userRoles).innerJoin(roles, ofRole).where(where),
  )
}

export async function findUserRole(db: Db | Tx, userId: number, roleId: number): Promise<UserRoleRow | undefined> {
  const rows = await db
    .select(userRoleColumns)
    .from(userRoles)
    .innerJoin(roles, eq(roles.id, userRoles.roleId))
    .where(and(eq(userRoles.userId, userId), eq(userRoles.roleId, roleId)))
  return rows[0]
}

/** False if the user does not hold the role or if the binding is the initial administrator's. */
export async function deleteUserRole(tx: Tx, userId: number, roleId: number): Promise<boolean> {
  const rows = await tx
    .delete(userRoles)
    .where(and(eq(userRoles.userId, userId), eq(userRoles.roleId, roleId), eq(userRoles.isInitial, false)))
    .returning({ roleId: userRoles.roleId })
  return rows.length > 0
}

/** Undefined if the user does not exist. `name`: the username, or else the nickname. */
export async function findUser(db: Db | Tx, userId: number) {
  const { status, username, nickname } = users
  const [user] = await db.select({ status, username, nickname }).from(users).where(eq(users.id, userId))
  return user && { status: user.status, name: user.username ?? user.nickname }
}

/** Undefined if the organization does not exist. */
export async function orgStatus(db: Db | Tx, orgId: number): Promise<OrgStatus | undefined> {
  const rows = await db.select({ status: organizations.status }).from(organizations).where(eq(organizations.id, orgId))
  return rows[0]?.status
}

export async function isMember(db: Db | Tx, orgId: number, userId: number): Promise<boolean> {
  const rows = await db
    .select({ userId: orgMembers.userId })
    .from(orgMembers)
    .where(and(eq(orgMembers.orgId, orgId), eq(orgMembers.userId, userId), orgExists(orgMembers.orgId)))
  return rows.length > 0
}
