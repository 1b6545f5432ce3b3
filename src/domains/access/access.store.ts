import { and, eq, inArray, type SQL, sql } from 'drizzle-orm'

import { insertFrom, jsonRows } from '#db/json-rows.ts'
import { prepared } from '#db/prepared.ts'
import { ownRoles, type PermissionDomain, permissions, rolePermissions, roles, userRoles } from '#db/schema/access.ts'
import { users } from '#db/schema/accounts.ts'
import { organizations } from '#db/schema/orgs.ts'
import { serverState } from '#db/schema/settings.ts'
import type { Db, Tx } from '#db/store.ts'
import type { PermissionPoint } from '#permission-points'

import { isDelegableAtFirst } from './system-roles.ts'

const point = { resource: permissions.resource, action: permissions.action }

const roleIdsByUser = prepared((db) =>
  db
    .select({ roleId: userRoles.roleId })
    .from(userRoles)
    .where(eq(userRoles.userId, sql.placeholder('userId'))),
)

const roleById = prepared((db) =>
  db
    .select({
      id: roles.id,
      domain: roles.domain,
      scopeId: roles.scopeId,
      code: roles.code,
      name: roles.name,
      orgStatus: organizations.status,
      requiresFactor: organizations.requireSecondFactor,
    })
    .from(roles)
    .leftJoin(organizations, and(eq(roles.domain, 'ORG'), eq(organizations.id, roles.scopeId)))
    .where(eq(roles.id, sql.placeholder('roleId'))),
)

/**
 * Whether a role may have a point that is bound to it, apart from `enabled`: a role that its organization made has delegable points only, whatever
 * it got when they were. For queries of `rolePermissions` with `permissions`.
 */
export const isInForce: SQL = sql`(${permissions.delegable} or not exists (select 1 from ${ownRoles} as own
  where own.role_id = ${rolePermissions.roleId} and own.replace_with is null))`

const pointsByRole = prepared((db) =>
  db
    .select(point)
    .from(rolePermissions)
    .innerJoin(permissions, eq(permissions.id, rolePermissions.permissionId))
    .where(and(eq(rolePermissions.roleId, sql.placeholder('roleId')), eq(permissions.enabled, true), isInForce)),
)

const pointsByDomain = prepared((db) =>
  db
    .select(point)
    .from(permissions)
    .where(and(eq(permissions.domain, sql.placeholder('domain')), eq(permissions.enabled, true))),
)

const currentOrgByUser = prepared((db) =>
  db
    .select({ orgId: organizations.id })
    .from(users)
    .innerJoin(organizations, eq(organizations.id, users.currentOrgId))
    .where(eq(users.id, sql.placeholder('userId'))),
)

export async function roleIdsOf(db: Db | Tx, userId: number): Promise<number[]> {
  return (await roleIdsByUser(db, { userId })).map((row) => row.roleId)
}

/** `orgStatus` is null for roles outside an organization. */
export async function findRole(db: Db, roleId: number) {
  return (await roleById(db, { roleId }))[0]
}

/** The points that the role grants now. */
export const enabledPointsOfRole = (db: Db, roleId: number) => pointsByRole(db, { roleId })

export const enabledPointsOfDomain = (db: Db, domain: PermissionDomain) => pointsByDomain(db, { domain })

/** Null if the user has not chosen an organization. */
export async function currentOrgId(db: Db, userId: number): Promise<number | null> {
  return (await currentOrgByUser(db, { userId }))[0]?.orgId ?? null
}

export interface RoleKey {
  domain: PermissionDomain
  scopeId: number
  code: string
}

const roleIdByCode = prepared((db) =>
  db
    .select({ id: roles.id })
    .from(roles)
    .where(
      and(
        eq(roles.domain, sql.placeholder('domain')),
        eq(roles.scopeId, sql.placeholder('scopeId')),
        eq(roles.code, sql.placeholder('code')),
      ),
    ),
)

export async function findRoleId(tx: Tx, role: RoleKey): Promise<number | undefined> {
  return (await roleIdByCode(tx, { ...role }))[0]?.id
}

const insertBinding = prepared((db) =>
  db
    .insert(userRoles)
    .values({
      userId: sql.placeholder('userId'),
      roleId: sql.placeholder('roleId'),
      isInitial: false,
      createdAt: sql.placeholder('createdAt'),
    })
    .onConflictDoNothing(),
)

const binding = jsonRows('given', { userId: 'int', roleId: 'int', isInitial: 'bool', createdAt: 'int' })
const insertBindings = prepared((db) =>
  insertFrom(db, userRoles, {
    rows: binding.rows,
    userId: binding.userId,
    roleId: binding.roleId,
    isInitial: binding.isInitial,
    createdAt: binding.createdAt,
  }).onConflictDoNothing(),
)

/** Some hundred users. Idempotent. */
export async function insertUserRoles(tx: Tx, userIds: readonly number[], roleId: number): Promise<void> {
  const rows = userIds.map((userId) => ({ userId, roleId, isInitial: false, createdAt: tx.stamp }))
  await insertBindings(tx, binding.values(rows))
}

/** Idempotent. An existing binding can become initial, and an initial one stays initial. */
export async function insertUserRole(tx: Tx, userId: number, roleId: number, isInitial: boolean): Promise<void> {
  if (!isInitial) {
    await insertBinding(tx, { userId, roleId, createdAt: tx.stamp })
    return
  }
  await tx
    .insert(userRoles)
    .values({ userId, roleId, isInitial, createdAt: tx.stamp })
    .onConflictDoUpdate({ target: [userRoles.userId, userRoles.roleId], set: { isInitial } })
}

/** Keeps the initial administrator's binding, which cannot be revoked. */
export async function deleteUserRoles(
  tx: Tx,
  userId: number,
  domain: PermissionDomain,
  scopeId: number,
): Promise<void> {
  const inScope = tx
    .select({ id: roles.id })
    .from(roles)
    .where(and(eq(roles.domain, domain), eq(roles.scopeId, scopeId)))
  await tx
    .delete(userRoles)
    .where(and(eq(userRoles.userId, userId), eq(userRoles.isInitial, false), inArray(userRoles.roleId, inScope)))
}

export type RoleRow = typeof roles.$inferSelect
export interface NewRole extends RoleKey {
  name: string
  isSystem: boolean
}

/** Inserts a role that is not a system role. Undefined if the code is taken in this domain and scope. */
export async function insertCustomRole(tx: Tx, role: Omit<NewRole, 'isSystem'>): Promise<RoleRow | undefined> {
  const rows = await tx
    .insert(roles)
    .values({ ...role, isSystem: false, createdAt: tx.stamp, updatedAt: tx.stamp })
    .onConflictDoNothing({ target: [roles.domain, roles.scopeId, roles.code] })
    .returning()
  return rows[0]
}

export async function updateRoleRow(
  tx: Tx,
  id: number,
  change: Partial<Pick<RoleRow, 'name' | 'code'>>,
): Promise<RoleRow> {
  const rows = await tx
    .update(roles)
    .set({ ...change, updatedAt: tx.stamp })
    .where(eq(roles.id, id))
    .returning()
  return rows[0]!
}

/** Does nothing for system roles. Rows that bind the role to points are deleted by `ON DELETE CASCADE`; nobody holds it. */
export async function deleteRoleRow(tx: Tx, id: number): Promise<void> {
  await tx.delete(roles).where(and(eq(roles.id, id), eq(roles.isSystem, false)))
}

export async function replacePoints(tx: Tx, roleId: number, permissionIds: readonly number[]): Promise<void> {
  await tx.delete(rolePermissions).where(eq(rolePermissions.roleId, roleId))
  if (permissionIds.length === 0) return
  await tx.insert(rolePermissions).select(
    tx
      .select({ roleId: sql<number>`cast(${roleId} as bigint)`.as('role_id'), permissionId: permissions.id })
      .from(permissions)
      .where(inArray(permissions.id, [...permissionIds])),
  )
}

export async function insertRole(tx: Tx, role: NewRole): Promise<number> {
  const { domain, scopeId, code, name, isSystem } = role
  const rows = await tx
    .insert(roles)
    .values({ domain, scopeId, code, name, isSystem, createdAt: tx.stamp, updatedAt: tx.stamp })
    .returning({ id: roles.id })
  return rows[0]!.id
}

/** All points, including disabled ones. */
export const allPoints = (db: Db | Tx) =>
  db.select({ id: permissions.id, domain: permissions.domain, ...point }).from(permissions)

/** The roles of scope 0: PLATFORM, APP and the ORG templates. */
export const templateRoles = (db: Db | Tx) =>
  db.select({ domain: roles.domain, code: roles.code }).from(roles).where(eq(roles.scopeId, 0))

const insertPoint = prepared((db) =>
  db.insert(permissions).values({
    domain: sql.placeholder('domain'),
    resource: sql.placeholder('resource'),
    action: sql.placeholder('action'),
    description: sql.placeholder('description'),
    delegable: sql.placeholder('delegable'),
  }),
)

/** Runs one prepared statement per point: drizzle takes 10 ms to build a single insert of all 212. */
export async function insertPoints(tx: Tx, rows: readonly PermissionPoint[]): Promise<void> {
  for (const point of rows) {
    const { domain, resource, action, description } = point
    await insertPoint(tx, { domain, resource, action, description, delegable: isDelegableAtFirst(point) })
  }
}

export async function grantToRole(tx: Tx, roleId: number, permissionIds: readonly number[]): Promise<void> {
  if (permissionIds.length === 0) return
  await tx.insert(rolePermissions).values(permissionIds.map((permissionId) => ({ roleId, permissionId })))
}

/** Binds points to a system role in every scope: to the template and to its copy in every organization. */
export async function grantToSystemRole(
  tx: Tx,
  role: { domain: PermissionDomain; code: string },
  permissionIds: readonly number[],
): Promise<void> {
  await tx
    .insert(rolePermissions)
    .select(
      tx
        .select({ roleId: roles.id, permissionId: permissions.id })
        .from(roles)
        .innerJoin(permissions, inArray(permissions.id, [...permissionIds]))
        .where(and(eq(roles.domain, role.domain), eq(roles.code, role.code), eq(roles.isSystem, true))),
    )
    .onConflictDoNothing()
}

const SEED_KEY = 'access.seed'

/** Fingerprint of the tables with which this database was last seeded. */
export async function seededFrom(db: Db): Promise<string | undefined> {
  const rows = await db.select({ value: serverState.value }).from(serverState).where(eq(serverState.key, SEED_KEY))
  return rows[0]?.value
}

export async function recordSeed(tx: Tx, fingerprint: string): Promise<void> {
  await tx
    .insert(serverState)
    .values({ key: SEED_KEY, value: fingerprint })
    .onConflictDoUpdate({ target: serverState.key, set: { value: fingerprint } })
}

/** All bindings of PLATFORM roles, oldest first. With a `Tx` the result includes changes made by that write. */
export const platformBindings = (db: Db | Tx) =>
  db
    .select({
      userId: userRoles.userId,
      code: roles.code,
      name: roles.name,
      isInitial: userRoles.isInitial,
      grantedAt: userRoles.createdAt,
    })
    .from(userRoles)
    .innerJoin(roles, eq(roles.id, userRoles.roleId))
    .where(eq(roles.domain, 'PLATFORM'))
    .orderBy(userRoles.createdAt, userRoles.userId)
