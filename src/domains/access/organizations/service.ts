/** The roles of one organization: copies of the templates (scope 0), its own from the moment it is founded. */

import type { AppContext } from '#context'
import type { Db, Tx } from '#db/store.ts'

import { OWNER } from '../roles.ts'
import { rolesChanged } from '../service.ts'
import { insertRole } from '../store.ts'
import {
  copyRolePoints,
  deleteOrgRoles,
  holdersInOrg,
  type OrgRole,
  orgRolesOf,
  orgTemplates,
  pointIdsOfRole,
} from './store.ts'

/** Gives a new organization its roles: each template with its code, name and points. Later changes of a template do not follow. */
export async function copyOrgTemplates(tx: Tx, orgId: number): Promise<void> {
  for (const { id, code, name, isSystem } of await orgTemplates(tx)) {
    const roleId = await insertRole(tx, { domain: 'ORG', scopeId: orgId, code, name, isSystem })
    await copyRolePoints(tx, id, roleId)
  }
}

/** Removes the organization's roles and everybody's hold on them. */
export async function dropOrgRoles(ctx: AppContext, tx: Tx, orgId: number): Promise<void> {
  await deleteOrgRoles(tx, orgId)
  rolesChanged(ctx, tx)
}

/** Whether a user may do everything that `role` allows: OWNER may, others when their roles together hold all its points. */
export async function coversRole(db: Db | Tx, orgId: number, userId: number, role: OrgRole): Promise<boolean> {
  const held = await orgRolesOf(db, orgId, userId)
  if (held.some((one) => one.code === OWNER)) return true
  if (role.code === OWNER) return false
  const mine = new Set<number>()
  for (const { id } of held) for (const point of await pointIdsOfRole(db, id)) mine.add(point)
  return (await pointIdsOfRole(db, role.id)).every((point) => mine.has(point))
}

/** Who may do `point` (`resource:action`) in the organization, at most `limit`. */
export function orgHolders(db: Db | Tx, orgId: number, point: string, limit: number): Promise<number[]> {
  const [resource = '', action = ''] = point.split(':')
  return holdersInOrg(db, orgId, { resource, action }, limit)
}
