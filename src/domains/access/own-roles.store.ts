import { and, asc, count, eq, inArray, isNotNull, isNull, sql } from 'drizzle-orm'

import { isUniqueViolation } from '#db/errors.ts'
import { ownRoles, permissions, rolePermissions, type RolePreset, roles, userRoles } from '#db/schema/access.ts'
import { isAmongFirst } from '#db/slices.ts'
import type { Db, Tx } from '#db/store.ts'
import { pointName } from '#permission-points'

import { roleNameTaken } from './access.errors.ts'
import { isInForce } from './access.store.ts'
import type { BoundPoint } from './own-roles.rules.ts'

/** A role of an organization, with the description and preset of one that it made itself. */
export interface ListedRole {
  readonly id: number
  readonly code: string
  readonly name: string
  readonly isSystem: boolean
  readonly isOwn: boolean
  readonly description: string
  readonly preset: RolePreset | null
}

const listedColumns = {
  id: roles.id,
  code: roles.code,
  name: roles.name,
  isSystem: roles.isSystem,
  ownId: ownRoles.roleId,
  description: ownRoles.description,
  preset: ownRoles.preset,
}
/** Administrators can make any number of roles. */
const MAX_LISTED = 200

/** The roles of an organization without those that were deleted, the oldest first; only the one with the id, if it is given. */
export async function rolesOfOrg(db: Db | Tx, orgId: number, roleId?: number): Promise<ListedRole[]> {
  const rows = await db
    .select(listedColumns)
    .from(roles)
    .leftJoin(ownRoles, eq(ownRoles.roleId, roles.id))
    .where(
      and(
        eq(roles.domain, 'ORG'),
        eq(roles.scopeId, orgId),
        isNull(ownRoles.replaceWith),
        roleId === undefined ? undefined : eq(roles.id, roleId),
      ),
    )
    .orderBy(asc(roles.id))
    .limit(MAX_LISTED)
  return rows.map(({ ownId, description, ...role }) => ({
    ...role,
    isOwn: ownId !== null,
    description: description ?? '',
  }))
}

/** The points of each of the roles, by name. */
export async function boundPoints(db: Db | Tx, roleIds: readonly number[]): Promise<BoundPoint[]> {
  const { resource, action, enabled } = permissions
  const rows = await db
    .select({ roleId: rolePermissions.roleId, resource, action, enabled, isInForce: sql<boolean>`${isInForce}` })
    .from(rolePermissions)
    .innerJoin(permissions, eq(permissions.id, rolePermissions.permissionId))
    .where(inArray(rolePermissions.roleId, [...roleIds]))
    .orderBy(asc(resource), asc(action))
  return rows.map((row) => ({
    roleId: row.roleId,
    name: pointName(row),
    isInForce: row.enabled && Boolean(row.isInForce),
  }))
}

/** The points of the ORG domain. */
export async function orgPoints(db: Db | Tx) {
  const rows = await db
    .select()
    .from(permissions)
    .where(eq(permissions.domain, 'ORG'))
    .orderBy(asc(permissions.resource), asc(permissions.action))
  return rows.map((row) => ({ ...row, name: pointName(row) }))
}

export const countHolders = async (db: Db | Tx, roleId: number): Promise<number> =>
  (await db.select({ n: count() }).from(userRoles).where(eq(userRoles.roleId, roleId)))[0]!.n

export async function countOwnRoles(tx: Tx, orgId: number): Promise<number> {
  const isKept = and(eq(ownRoles.orgId, orgId), isNull(ownRoles.replaceWith))
  return (await tx.select({ n: count() }).from(ownRoles).where(isKept))[0]!.n
}

/** For errors of writes that name a role. @throws AppError 400 if another role of the organization has the name, otherwise the error */
export function refuseTakenName(error: unknown): never {
  throw isUniqueViolation(error, 'rbac_own_roles_name') ? roleNameTaken() : error
}

/** Violates the index `rbac_own_roles_name` if another role of the organization has the name. */
export async function insertOwnRole(
  tx: Tx,
  role: { roleId: number; orgId: number; nameKey: string; description: string; preset: RolePreset | null },
): Promise<void> {
  await tx.insert(ownRoles).values(role)
}

/** Violates the index `rbac_own_roles_name` like `insertOwnRole`. False for a role that the organization did not make. */
export async function updateOwnRole(
  tx: Tx,
  roleId: number,
  change: { nameKey: string; description?: string },
): Promise<boolean> {
  const rows = await tx
    .update(ownRoles)
    .set(change)
    .where(and(eq(ownRoles.roleId, roleId), isNull(ownRoles.replaceWith)))
    .returning({ id: ownRoles.roleId })
  return rows.length > 0
}

export const isOwnRole = async (tx: Tx, roleId: number): Promise<boolean> =>
  (await tx.select({ id: ownRoles.roleId }).from(ownRoles).where(eq(ownRoles.roleId, roleId))).length > 0

/** Marks a role as deleted: members whom the write has not moved are given `replaceWith` later. */
export async function markReplaced(tx: Tx, roleId: number, replaceWith: number): Promise<void> {
  await tx.update(ownRoles).set({ nameKey: null, replaceWith }).where(eq(ownRoles.roleId, roleId))
}

/** Members who wait for a role that is deleted now get another one. */
export async function redirectReplaced(tx: Tx, from: number, to: number): Promise<void> {
  await tx.update(ownRoles).set({ replaceWith: to }).where(eq(ownRoles.replaceWith, from))
}

/** Id of a deleted role whose members have to be moved. */
export async function firstReplaced(db: Db): Promise<number | undefined> {
  const { roleId, replaceWith } = ownRoles
  return (await db.select({ roleId }).from(ownRoles).where(isNotNull(replaceWith)).limit(1))[0]?.roleId
}

/** The organization of a deleted role, and the role that its members get. */
export async function findReplaced(tx: Tx, id: number): Promise<{ orgId: number; replaceWith: number } | undefined> {
  const { roleId, orgId, replaceWith } = ownRoles
  const [row] = await tx.select({ orgId, replaceWith }).from(ownRoles).where(eq(roleId, id))
  return row && row.replaceWith !== null ? { orgId: row.orgId, replaceWith: row.replaceWith } : undefined
}

/** Gives the role `to` to at most `limit` of the users who hold `from`, instead of it. Returns them. */
export async function moveHolders(tx: Tx, from: number, to: number, limit: number): Promise<number[]> {
  const rows = await tx
    .delete(userRoles)
    .where(isAmongFirst(tx, userRoles, { where: eq(userRoles.roleId, from), limit }))
    .returning({ userId: userRoles.userId })
  const userIds = rows.map(({ userId }) => userId)
  if (userIds.length > 0)
    await tx
      .insert(userRoles)
      .values(userIds.map((userId) => ({ userId, roleId: to, isInitial: false, createdAt: tx.stamp })))
      .onConflictDoNothing()
  return userIds
}
