import { and, asc, eq, inArray, not, notExists, or, sql } from 'drizzle-orm'

import { prepared } from '#db/prepared.ts'
import { ownRoles, permissions, rolePermissions, roles, userRoles } from '#db/schema/access.ts'
import type { Db, Tx } from '#db/store.ts'

import { isInForce } from './access.store.ts'
import { MEMBER, OWNER } from './system-roles.ts'

/** A role of one organization. */
export interface OrgRole {
  readonly id: number
  readonly code: string
  readonly name: string
}

/** Whether the role was deleted, and has members who will get another one. */
export const isReplaced = sql<boolean>`exists (select 1 from ${ownRoles} as own
  where own.role_id = ${roles.id} and own.replace_with is not null)`
/** Until they do, they have the points and the name of MEMBER. */
const shownCode = sql<string>`case when ${isReplaced} then ${sql.raw(`'${MEMBER}'`)} else ${roles.code} end`
const columns = { id: roles.id, code: shownCode.as('code'), name: roles.name }
const inOrg = and(eq(roles.domain, 'ORG'), eq(roles.scopeId, sql.placeholder('orgId')))

const templates = prepared((db) =>
  db
    .select({ ...columns, isSystem: roles.isSystem })
    .from(roles)
    .where(and(eq(roles.domain, 'ORG'), eq(roles.scopeId, 0)))
    .orderBy(roles.id),
)

/** The roles that are copied into each new organization. */
export const orgTemplates = (db: Db | Tx) => templates(db)

const copyPoints = prepared((db) =>
  db.insert(rolePermissions).select(
    db
      .select({
        roleId: sql<number>`cast(${sql.placeholder('toRoleId')} as bigint)`.as('role_id'),
        permissionId: rolePermissions.permissionId,
      })
      .from(rolePermissions)
      .where(eq(rolePermissions.roleId, sql.placeholder('fromRoleId'))),
  ),
)

export async function copyRolePoints(tx: Tx, fromRoleId: number, toRoleId: number): Promise<void> {
  await copyPoints(tx, { fromRoleId, toRoleId })
}

/** `ON DELETE CASCADE` deletes the rows that bind these roles to points. Those that bind them to users remain, and grant nothing. */
export async function deleteOrgRoles(tx: Tx, orgId: number): Promise<void> {
  await tx.delete(roles).where(and(eq(roles.domain, 'ORG'), eq(roles.scopeId, orgId)))
}

/** Deletes the rows that bind these users to roles that were deleted. */
export async function deleteUnboundRoles(tx: Tx, userIds: readonly number[]): Promise<void> {
  const role = tx.select({ id: roles.id }).from(roles).where(eq(roles.id, userRoles.roleId))
  await tx.delete(userRoles).where(and(inArray(userRoles.userId, [...userIds]), notExists(role)))
}

const roleByIdOrCode = prepared((db) =>
  db
    .select({ id: roles.id, code: roles.code, name: roles.name })
    .from(roles)
    .where(
      and(inOrg, not(isReplaced), or(eq(roles.id, sql.placeholder('id')), eq(roles.code, sql.placeholder('code')))),
    ),
)

/** Finds a role of the organization by id or by code, unless it was deleted. */
export async function findOrgRole(db: Db | Tx, orgId: number, by: { id?: number; code?: string }) {
  return (await roleByIdOrCode(db, { orgId, id: by.id ?? 0, code: by.code ?? '' }))[0]
}

const heldByUser = prepared((db) =>
  db
    .select(columns)
    .from(userRoles)
    .innerJoin(roles, eq(roles.id, userRoles.roleId))
    .where(and(eq(userRoles.userId, sql.placeholder('userId')), inOrg))
    .orderBy(roles.id),
)

/** The user's roles in the organization, oldest role first: OWNER precedes all others. */
export const orgRolesOf = (db: Db | Tx, orgId: number, userId: number): Promise<OrgRole[]> =>
  heldByUser(db, { orgId, userId })

/** `orgRolesOf` for many users and organizations at once. */
export async function orgRolesOfMany(
  db: Db,
  orgIds: readonly number[],
  userIds: readonly number[],
): Promise<(OrgRole & { orgId: number; userId: number })[]> {
  if (orgIds.length === 0 || userIds.length === 0) return []
  return db
    .select({ ...columns, orgId: roles.scopeId, userId: userRoles.userId })
    .from(userRoles)
    .innerJoin(roles, eq(roles.id, userRoles.roleId))
    .where(and(inArray(userRoles.userId, [...userIds]), eq(roles.domain, 'ORG'), inArray(roles.scopeId, [...orgIds])))
    .orderBy(asc(roles.id))
}

const pointIdsByRole = prepared((db) =>
  db
    .select({ id: rolePermissions.permissionId })
    .from(rolePermissions)
    .where(eq(rolePermissions.roleId, sql.placeholder('roleId'))),
)

const pointIdsInForce = prepared((db) =>
  db
    .select({ id: rolePermissions.permissionId })
    .from(rolePermissions)
    .innerJoin(permissions, eq(permissions.id, rolePermissions.permissionId))
    .where(and(eq(rolePermissions.roleId, sql.placeholder('roleId')), isInForce)),
)

/** Ids of the points that a role lets its holders pass on. Includes disabled points, since they may be enabled again. */
export async function pointIdsToPassOn(db: Db | Tx, roleId: number): Promise<number[]> {
  return (await pointIdsInForce(db, { roleId })).map((row) => row.id)
}

/** Ids of the points bound to a role. Includes those that it does not grant at the moment. */
export async function pointIdsOfRole(db: Db | Tx, roleId: number): Promise<number[]> {
  return (await pointIdsByRole(db, { roleId })).map((row) => row.id)
}

const rolesWithPoint = prepared((db) =>
  db
    .selectDistinct({ id: roles.id })
    .from(roles)
    .leftJoin(rolePermissions, eq(rolePermissions.roleId, roles.id))
    .leftJoin(permissions, eq(permissions.id, rolePermissions.permissionId))
    .where(
      and(
        inOrg,
        or(
          eq(roles.code, OWNER),
          and(
            eq(permissions.resource, sql.placeholder('resource')),
            eq(permissions.action, sql.placeholder('action')),
            eq(permissions.enabled, true),
            isInForce,
          ),
        ),
      ),
    ),
)
const usersOfRole = prepared((db) =>
  db
    .select({ userId: userRoles.userId })
    .from(userRoles)
    .where(eq(userRoles.roleId, sql.placeholder('roleId')))
    .limit(sql.placeholder('limit')),
)

/** Whether one of the roles has the point in the organization, whatever the status of the organization is. */
export const hasPoint = async (
  db: Db | Tx,
  roleIds: readonly number[],
  orgId: number,
  point: { resource: string; action: string },
): Promise<boolean> => (await rolesWithPoint(db, { orgId, ...point })).some(({ id }) => roleIds.includes(id))

/**
 * Ids of at most `limit` users who hold the point in the organization; users of the oldest role first. Two queries, because an
 * organization has few roles, while a single join over all bindings would visit every member.
 */
export async function usersHoldingPoint(
  db: Db | Tx,
  orgId: number,
  point: { resource: string; action: string },
  limit: number,
): Promise<number[]> {
  const roleIds = (await rolesWithPoint(db, { orgId, ...point })).map((role) => role.id).toSorted((a, b) => a - b)
  const userIds = new Set<number>()
  for (const roleId of roleIds)
    if (userIds.size < limit)
      for (const { userId } of await usersOfRole(db, { roleId, limit: limit - userIds.size })) userIds.add(userId)
  return [...userIds]
}
