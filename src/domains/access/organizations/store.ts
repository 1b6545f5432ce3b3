import { and, asc, eq, inArray, or, sql } from 'drizzle-orm'

import { prepared } from '#db/prepared.ts'
import { permissions, rolePermissions, roles, userRoles } from '#db/schema/access.ts'
import type { Db, Tx } from '#db/store.ts'

import { OWNER } from '../roles.ts'

/** A role of one organization. */
export interface OrgRole {
  readonly id: number
  readonly code: string
  readonly name: string
}

const p = sql.placeholder
const shown = { id: roles.id, code: roles.code, name: roles.name }
const ofOrg = and(eq(roles.domain, 'ORG'), eq(roles.scopeId, p('orgId')))

const templates = prepared((db) =>
  db
    .select({ ...shown, isSystem: roles.isSystem })
    .from(roles)
    .where(and(eq(roles.domain, 'ORG'), eq(roles.scopeId, 0)))
    .orderBy(roles.id),
)

/** The roles that each new organization gets a copy of. */
export const orgTemplates = (db: Db | Tx) => templates(db)

const copyPoints = prepared((db) =>
  db.insert(rolePermissions).select(
    db
      .select({
        roleId: sql<number>`cast(${p('toRoleId')} as bigint)`.as('role_id'),
        permissionId: rolePermissions.permissionId,
      })
      .from(rolePermissions)
      .where(eq(rolePermissions.roleId, p('fromRoleId'))),
  ),
)

export async function copyRolePoints(tx: Tx, fromRoleId: number, toRoleId: number): Promise<void> {
  await copyPoints(tx, { fromRoleId, toRoleId })
}

/** With what they hold and who holds them. */
export async function deleteOrgRoles(tx: Tx, orgId: number): Promise<void> {
  await tx.delete(roles).where(and(eq(roles.domain, 'ORG'), eq(roles.scopeId, orgId)))
}

const roleByIdOrCode = prepared((db) =>
  db
    .select(shown)
    .from(roles)
    .where(and(ofOrg, or(eq(roles.id, p('id')), eq(roles.code, p('code'))))),
)

/** A role of the organization by its id or its code. */
export async function findOrgRole(db: Db | Tx, orgId: number, by: { id?: number; code?: string }) {
  return (await roleByIdOrCode(db, { orgId, id: by.id ?? 0, code: by.code ?? '' }))[0]
}

const heldByUser = prepared((db) =>
  db
    .select(shown)
    .from(userRoles)
    .innerJoin(roles, eq(roles.id, userRoles.roleId))
    .where(and(eq(userRoles.userId, p('userId')), ofOrg))
    .orderBy(roles.id),
)

/** The roles a user holds in the organization, the earliest made first: OWNER comes before all others. */
export const orgRolesOf = (db: Db | Tx, orgId: number, userId: number): Promise<OrgRole[]> =>
  heldByUser(db, { orgId, userId })

/** The same for many users or many organizations of one user. */
export async function orgRolesOfMany(
  db: Db,
  orgIds: readonly number[],
  userIds: readonly number[],
): Promise<(OrgRole & { orgId: number; userId: number })[]> {
  if (orgIds.length === 0 || userIds.length === 0) return []
  return db
    .select({ ...shown, orgId: roles.scopeId, userId: userRoles.userId })
    .from(userRoles)
    .innerJoin(roles, eq(roles.id, userRoles.roleId))
    .where(and(inArray(userRoles.userId, [...userIds]), eq(roles.domain, 'ORG'), inArray(roles.scopeId, [...orgIds])))
    .orderBy(asc(roles.id))
}

const pointIdsByRole = prepared((db) =>
  db
    .select({ id: rolePermissions.permissionId })
    .from(rolePermissions)
    .where(eq(rolePermissions.roleId, p('roleId'))),
)

/** Ids of the points bound to a role, disabled ones too: a point that is off today may be on tomorrow. */
export async function pointIdsOfRole(db: Db | Tx, roleId: number): Promise<number[]> {
  return (await pointIdsByRole(db, { roleId })).map((row) => row.id)
}

const rolesHolding = prepared((db) =>
  db
    .selectDistinct({ id: roles.id })
    .from(roles)
    .leftJoin(rolePermissions, eq(rolePermissions.roleId, roles.id))
    .leftJoin(permissions, eq(permissions.id, rolePermissions.permissionId))
    .where(
      and(
        ofOrg,
        or(
          eq(roles.code, OWNER),
          and(
            eq(permissions.resource, p('resource')),
            eq(permissions.action, p('action')),
            eq(permissions.enabled, true),
          ),
        ),
      ),
    ),
)
const holdersOfRole = prepared((db) =>
  db
    .select({ userId: userRoles.userId })
    .from(userRoles)
    .where(eq(userRoles.roleId, p('roleId')))
    .limit(p('limit')),
)

/**
 * Who may do `resource:action` in the organization, at most `limit`, from the earliest role on. In two steps: the roles are few, and a
 * join over all who hold any would look at every member.
 */
export async function holdersInOrg(
  db: Db | Tx,
  orgId: number,
  point: { resource: string; action: string },
  limit: number,
): Promise<number[]> {
  const holding = (await rolesHolding(db, { orgId, ...point })).map((role) => role.id).toSorted((a, b) => a - b)
  const found = new Set<number>()
  for (const roleId of holding)
    if (found.size < limit)
      for (const { userId } of await holdersOfRole(db, { roleId, limit: limit - found.size })) found.add(userId)
  return [...found]
}
