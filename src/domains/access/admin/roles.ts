/** Roles as administrators see and change them: of the console, of the application, of one organization, and the templates. */

import type { AppContext } from '#context'
import { type Page } from '#db/paging.ts'
import type { PermissionDomain } from '#db/schema/access.ts'
import type { Db, Tx } from '#db/store.ts'
import type { Actor } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'
import { pointName } from '#permission-points'

import { holdsEverything } from '../roles.ts'
import { rolesChanged } from '../service.ts'
import { allPoints } from '../store.ts'
import { checkCovers, checkCoversRole } from './authority.ts'
import {
  codeTaken,
  holdsAllAnyway,
  noDomain,
  noScopeHere,
  noSuchOrg,
  pointsTwice,
  systemRoleStays,
  twoAnswers,
  unknownPoint,
} from './errors.ts'
import type { CreateRole, RolesQuery, RoleView, RoleWhere, UpdateRole } from './model.ts'
import * as store from './store.ts'
import { toRoleView } from './view.ts'

export async function listRoles(ctx: AppContext, query: RolesQuery): Promise<Page<RoleView>> {
  const page = await store.rolesPage(ctx.db.read, query)
  return { ...page, items: await views(ctx.db.read, page.items) }
}

async function views(db: Db | Tx, rows: readonly store.RoleRow[]): Promise<RoleView[]> {
  const ids = rows.map((row) => row.id)
  const points = Map.groupBy(await store.pointsOfRoles(db, ids), (point) => point.roleId)
  return rows.map((row) => toRoleView(row, points.get(row.id) ?? []))
}

const viewOf = async (tx: Tx, row: store.RoleRow): Promise<RoleView> => (await views(tx, [row]))[0]!

/** Nobody holds it yet. A template (ORG, scope 0) goes into organizations founded from now on. */
export async function createCustomRole(
  ctx: AppContext,
  actor: Actor,
  where: RoleWhere,
  input: CreateRole,
): Promise<RoleView> {
  const place = placeOf(where, input)
  return ctx.db.write('rbac.createRole', async (tx) => {
    if (place.scopeId > 0 && !(await store.orgExists(tx, place.scopeId))) throw noSuchOrg()
    const pointIds = (await pointIdsOf(tx, place.domain, input)) ?? []
    const role = { ...place, code: input.code.toUpperCase(), name: input.name }
    await checkCovers(tx, actor, role, pointIds)
    const row = await store.insertCustomRole(tx, role)
    if (row === undefined) throw codeTaken()
    await store.replacePoints(tx, row.id, pointIds)
    return viewOf(tx, row)
  })
}

function placeOf(where: RoleWhere, input: CreateRole): { domain: PermissionDomain; scopeId: number } {
  const domain = where.domain ?? input.domain
  if (domain === undefined) throw noDomain()
  if (input.domain !== undefined && input.domain !== domain) throw twoAnswers('domain')
  const scopeId = where.scopeId ?? input.scopeId ?? 0
  if (input.scopeId !== undefined && input.scopeId !== scopeId) throw twoAnswers('scopeId')
  if (domain !== 'ORG' && scopeId !== 0) throw noScopeHere()
  return { domain, scopeId }
}

/** What the request says the role is to hold; undefined when it says nothing about it. */
async function pointIdsOf(tx: Tx, domain: PermissionDomain, input: UpdateRole): Promise<number[] | undefined> {
  const { permissionIds, permissions } = input
  if (permissionIds !== undefined && permissions !== undefined) throw pointsTwice()
  if (permissionIds === undefined && permissions === undefined) return undefined
  const points = (await allPoints(tx)).filter((point) => point.domain === domain)
  if (permissionIds !== undefined) {
    const known = new Set(points.map((point) => point.id))
    const unknown = permissionIds.find((id) => !known.has(id))
    if (unknown !== undefined) throw unknownPoint('body.permissionIds', String(unknown))
    return [...new Set(permissionIds)]
  }
  const ids = new Map(points.map((point) => [pointName(point), point.id]))
  return [...new Set(permissions)].map((name) => {
    const id = ids.get(name)
    if (id === undefined) throw unknownPoint('body.permissions', name)
    return id
  })
}

/** What is named is replaced whole. Counts at once for all who hold the role. */
export async function changeRole(ctx: AppContext, actor: Actor, id: number, input: UpdateRole): Promise<RoleView> {
  return ctx.db.write('rbac.changeRole', async (tx) => {
    const role = await store.findRoleRow(tx, id)
    if (role === undefined) throw notFound()
    const pointIds = await pointIdsOf(tx, role.domain, input)
    if (holdsEverything(role.domain, role.code) && pointIds !== undefined && pointIds.length > 0)
      throw holdsAllAnyway(role.code)
    // Neither what it was nor what it becomes may be above who changes it.
    await checkCoversRole(tx, actor, role)
    if (pointIds !== undefined) {
      await checkCovers(tx, actor, role, pointIds)
      await store.replacePoints(tx, id, pointIds)
    }
    const row = await store.updateRoleRow(tx, id, input.name === undefined ? {} : { name: input.name })
    rolesChanged(ctx, tx)
    return viewOf(tx, row)
  })
}

/** Who held it holds it no longer. Copies of a template stay with their organizations. */
export async function deleteRole(ctx: AppContext, actor: Actor, id: number): Promise<void> {
  await ctx.db.write('rbac.deleteRole', async (tx) => {
    const role = await store.findRoleRow(tx, id)
    if (role === undefined) throw notFound()
    if (role.isSystem) throw systemRoleStays()
    await checkCoversRole(tx, actor, role)
    await store.deleteRoleRow(tx, id)
    rolesChanged(ctx, tx)
  })
}
