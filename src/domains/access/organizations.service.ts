/** The roles of one organization: copies of the templates (scope 0), independent of them from its foundation on. */

import type { Db, Tx } from '#db/store.ts'
import { keyScopeOf } from '#http/key-scope.ts'
import type { Locale } from '#lib/localized.ts'

import { rolesChanged } from './access.cache.ts'
import { type Authority, covers } from './access.rules.ts'
import { insertRole, roleIdsOf } from './access.store.ts'
import * as store from './organizations.store.ts'
import { OWNER, shownName } from './system-roles.ts'

/**
 * Creates a new organization's roles by copying each template's code, name and points. Later changes to a template do not affect
 * the copy.
 */
export async function copyOrgTemplates(tx: Tx, orgId: number): Promise<void> {
  for (const { id, code, name, isSystem } of await store.orgTemplates(tx)) {
    const roleId = await insertRole(tx, { domain: 'ORG', scopeId: orgId, code, name, isSystem })
    await store.copyRolePoints(tx, id, roleId)
  }
}

/** Deletes the organization's roles. Their bindings remain, see `deleteUnboundRoles`. */
export async function deleteOrgRoles(tx: Tx, orgId: number): Promise<void> {
  await store.deleteOrgRoles(tx, orgId)
  rolesChanged(tx)
}

/** The display name of a role of an organization; empty for a member without a role. */
export const orgRoleName = (role: { code: string; name: string } | undefined, locale: Locale): string =>
  role === undefined ? '' : shownName({ ...role, domain: 'ORG' }, locale)

/** Whether the user's roles in the organization together include all points of `role`. OWNER includes everything. */
export async function coversRole(db: Db | Tx, orgId: number, userId: number, role: store.OrgRole): Promise<boolean> {
  const authority = await authorityIn(db, orgId, userId)
  return covers(authority, { domain: 'ORG', code: role.code, pointIds: await store.pointIdsOfRole(db, role.id) })
}

/** The points that the user may pass on in the organization. */
async function authorityIn(db: Db | Tx, orgId: number, userId: number): Promise<Authority> {
  const held = await store.orgRolesOf(db, orgId, userId)
  if (held.some(({ code }) => code === OWNER)) return 'everything'
  const points = new Set<number>()
  for (const { id } of held) for (const point of await store.pointIdsToPassOn(db, id)) points.add(point)
  return points
}

/** Which of some roles of the organization the user may give: `coversRole` for many. */
export async function coveredRoles(
  db: Db | Tx,
  orgId: number,
  userId: number,
  roles: readonly store.OrgRole[],
): Promise<Set<number>> {
  const authority = await authorityIn(db, orgId, userId)
  const covered = new Set<number>()
  for (const { id, code } of roles)
    if (covers(authority, { domain: 'ORG', code, pointIds: await store.pointIdsOfRole(db, id) })) covered.add(id)
  return covered
}

/** Ids of at most `limit` users who hold `point` (`resource:action`) in the organization. */
export function usersHoldingPoint(db: Db | Tx, orgId: number, point: string, limit: number): Promise<number[]> {
  const [resource = '', action = ''] = point.split(':')
  return store.usersHoldingPoint(db, orgId, { resource, action }, limit)
}

/**
 * Whether the user's role has `point` (`resource:action`) in an organization that may be DISABLED, in which roles grant only the points
 * that read. For the views of users; not cached.
 */
export async function roleHasPoint(db: Db | Tx, userId: number, orgId: number, point: string): Promise<boolean> {
  const key = keyScopeOf(userId)
  // No key gives roles, whatever its owner may do.
  if (key && (key.orgId !== orgId || !key.points.has(point) || point === 'member:assign_role')) return false
  const [resource = '', action = ''] = point.split(':')
  return store.hasPoint(db, await roleIdsOf(db, userId), orgId, { resource, action })
}
