/**
 * Permission points, roles and role bindings, as administrators see and change them.
 *
 * Privilege escalation: the caller may only create, change, delete, grant or revoke roles whose points they all hold. SYSTEM_ADMIN
 * holds every point in every domain and organization. Permission points, system roles, PLATFORM roles that somebody holds and their
 * bindings are changed by SYSTEM_ADMIN only, whatever points the caller holds. Nobody changes their own roles in the PLATFORM domain or in
 * an organization: SYSTEM_ADMIN could otherwise become an administrator of any organization that they have joined.
 */

import type { AppContext } from '#context'
import { note } from '#db/notes.ts'
import { mapPage, type Page } from '#db/paging.ts'
import type { PermissionDomain } from '#db/schema/access.ts'
import type { Db, Tx } from '#db/store.ts'
import { emit } from '#domains/domain.ts'
import type { Actor, LoggedActor } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'
import type { Locale } from '#lib/localized.ts'
import { pointName } from '#permission-points'

import { bindingsChanged, rolesChanged } from '../access.cache.ts'
import * as errors from '../access.errors.ts'
import { type Authority, covers } from '../access.rules.ts'
import {
  allPoints,
  deleteRoleRow,
  insertCustomRole,
  insertUserRole,
  replacePoints,
  type RoleRow,
  updateRoleRow,
} from '../access.store.ts'
import { requireMayChangeUser, requirePasswordOfAdministrator, requireSystemAdmin } from '../administrators.service.ts'
import { nameKeyOf } from '../own-roles.rules.ts'
import { isOwnRole, orgPoints, refuseTakenName, updateOwnRole } from '../own-roles.store.ts'
import { holdsEverything, isDelegableAtFirst, OWNER, storedName } from '../system-roles.ts'
import type {
  CreatePermission,
  CreateRole,
  PermissionsQuery,
  PermissionView,
  RoleLocation,
  RolesQuery,
  RoleView,
  UpdatePermission,
  UpdateRole,
  UserRolesQuery,
  UserRoleView,
} from './access.admin.model.ts'
import * as store from './access.admin.store.ts'
import { toPermissionView, toRoleView, toUserRoleView } from './access.admin.view.ts'

export const listPermissions = async (ctx: AppContext, query: PermissionsQuery): Promise<Page<PermissionView>> =>
  mapPage(await store.permissionsPage(ctx.db.read, query), toPermissionView)

/** SYSTEM_ADMIN or OWNER, depending on the domain, hold the new point at once; other roles have to be given it. */
export async function createPermission(actor: LoggedActor, input: CreatePermission): Promise<PermissionView> {
  const { domain, resource, action } = input
  return actor.write('access.createPermission', async (tx) => {
    await requireSystemAdmin(tx, actor)
    const point = { domain, resource, action }
    const row = await store.insertPermission(tx, {
      ...point,
      description: input.description ?? '',
      delegable: isDelegableAtFirst(point),
    })
    if (row === undefined) throw errors.pointAlreadyExists()
    rolesChanged(tx)
    const { id, description, enabled } = row
    return {
      result: toPermissionView(row),
      logged: { targetId: id, targetName: pointName(row), after: { domain, description, enabled } },
    }
  })
}

export async function changePermission(
  actor: LoggedActor,
  id: number,
  input: UpdatePermission,
): Promise<PermissionView> {
  return actor.write('access.changePermission', async (tx) => {
    await requireSystemAdmin(tx, actor)
    const row = await store.findPermission(tx, id)
    if (row === undefined) throw notFound()
    if (input.delegable === true && row.domain !== 'ORG') throw errors.onlyOrgDelegable()
    const before = { enabled: row.enabled, description: row.description, delegable: row.delegable }
    const after = {
      enabled: input.enabled ?? before.enabled,
      description: input.description === undefined ? before.description : (input.description ?? ''),
      delegable: input.delegable ?? before.delegable,
    }
    await store.updatePermission(tx, id, after)
    if (after.enabled !== before.enabled || after.delegable !== before.delegable) rolesChanged(tx)
    return {
      result: toPermissionView({ ...row, ...after }),
      logged: { targetId: id, targetName: pointName(row), before, after },
    }
  })
}

export async function listRoles(ctx: AppContext, query: RolesQuery, locale: Locale): Promise<Page<RoleView>> {
  const page = await store.rolesPage(ctx.db.read, query)
  return { ...page, items: await roleViews(ctx.db.read, page.items, locale) }
}

async function roleViews(db: Db | Tx, rows: readonly RoleRow[], locale: Locale): Promise<RoleView[]> {
  const ids = rows.map((row) => row.id)
  const points = Map.groupBy(await store.pointsOfRoles(db, ids), (point) => point.roleId)
  return rows.map((row) => toRoleView(row, points.get(row.id) ?? [], locale))
}

const roleView = async (tx: Tx, row: RoleRow, locale: Locale): Promise<RoleView> =>
  (await roleViews(tx, [row], locale))[0]!

/** The parts of a role that can be changed, for the operation log. */
const contentsOf = ({ name }: RoleRow, { permissions }: RoleView) => ({ name, permissions })

/** Creates a custom role. A template (ORG, scope 0) is copied only into organizations founded later. */
export async function createCustomRole(
  actor: LoggedActor,
  query: RoleLocation,
  input: CreateRole,
  locale: Locale,
): Promise<RoleView> {
  const location = locationOf(query, input)
  return actor.write('access.createRole', async (tx) => {
    if (location.scopeId > 0 && (await store.orgStatus(tx, location.scopeId)) === undefined) throw errors.unknownOrg()
    const pointIds = (await pointIdsOf(tx, location.domain, input)) ?? []
    const role = { ...location, code: input.code.toUpperCase(), name: input.name }
    await requireAuthority(tx, actor, role, pointIds)
    const row = await insertCustomRole(tx, role)
    if (row === undefined) throw errors.roleCodeTaken()
    await replacePoints(tx, row.id, pointIds)
    const result = await roleView(tx, row, locale)
    const after = { ...location, ...contentsOf(row, result) }
    return { result, logged: { targetId: row.id, targetName: row.code, after } }
  })
}

/** Clients may send `domain` and `scopeId` in the query or in the body; if they send both, the values must be equal. */
function locationOf(query: RoleLocation, input: CreateRole): { domain: PermissionDomain; scopeId: number } {
  const domain = query.domain ?? input.domain
  if (domain === undefined) throw errors.domainRequired()
  if (input.domain !== undefined && input.domain !== domain) throw errors.contradictsQuery('domain')
  const scopeId = query.scopeId ?? input.scopeId ?? 0
  if (input.scopeId !== undefined && input.scopeId !== scopeId) throw errors.contradictsQuery('scopeId')
  if (domain !== 'ORG' && scopeId !== 0) throw errors.scopeOutsideOrg()
  return { domain, scopeId }
}

/** Ids of the points in the request body; undefined if the body has neither `permissionIds` nor `permissions`. */
async function pointIdsOf(tx: Tx, domain: PermissionDomain, input: UpdateRole): Promise<number[] | undefined> {
  const { permissionIds, permissions } = input
  if (permissionIds !== undefined && permissions !== undefined) throw errors.bothPointLists()
  if (permissionIds === undefined && permissions === undefined) return undefined
  const points = (await allPoints(tx)).filter((point) => point.domain === domain)
  if (permissionIds !== undefined) {
    const known = new Set(points.map((point) => point.id))
    const unknown = permissionIds.find((id) => !known.has(id))
    if (unknown !== undefined) throw errors.unknownPoint('body.permissionIds', String(unknown))
    return [...new Set(permissionIds)]
  }
  const ids = new Map(points.map((point) => [pointName(point), point.id]))
  return [...new Set(permissions)].map((name) => {
    const id = ids.get(name)
    if (id === undefined) throw errors.unknownPoint('body.permissions', name)
    return id
  })
}

/** Replaces the name, the points, or both. Takes effect immediately for everyone who holds the role. */
export async function changeRole(actor: LoggedActor, id: number, input: UpdateRole, locale: Locale): Promise<RoleView> {
  const change = async (tx: Tx) => {
    const role = await store.findRoleRow(tx, id)
    if (role === undefined) throw notFound()
    if (role.isSystem) await requireSystemAdmin(tx, actor)
    const pointIds = await pointIdsOf(tx, role.domain, input)
    if (holdsEverything(role.domain, role.code) && pointIds !== undefined && pointIds.length > 0)
      throw errors.holdsEveryPoint(role.code)
    // The caller needs all points the role has now and all it will have.
    await requireAuthorityOver(tx, actor, role)
    const before = await roleView(tx, role, locale)
    if (pointIds !== undefined) await requireAuthority(tx, actor, role, pointIds)
    const name = input.name === undefined ? role.name : storedName({ ...role, name: input.name })
    const changesPoints =
      pointIds !== undefined && new Set(pointIds).symmetricDifference(new Set(before.permissionIds)).size > 0
    if (!changesPoints && name === role.name) return { result: before, logged: 'unchanged' as const }
    if (changesPoints) await requireMayChangeHolders(tx, actor, role)
    const added = new Set(pointIds).difference(new Set(before.permissionIds))
    await requireRulesOfOwnRoles(tx, role, name, added)
    if (changesPoints) await replacePoints(tx, id, pointIds)
    const changed = await updateRoleRow(tx, id, { name })
    const result = await roleView(tx, changed, locale)
    rolesChanged(tx)
    return {
      result,
      logged: {
        targetId: id,
        targetName: role.code,
        before: contentsOf(role, before),
        after: contentsOf(changed, result),
      },
    }
  }
  return actor.write('access.changeRole', change).catch(refuseTakenName)
}

/** A role that an organization made keeps a name of its own in it, and has delegable points only. */
async function requireRulesOfOwnRoles(tx: Tx, role: RoleRow, name: string, added: ReadonlySet<number>): Promise<void> {
  if (!(await isOwnRole(tx, role.id))) return
  const refused = (await orgPoints(tx)).find((point) => !point.delegable && added.has(point.id))
  if (refused !== undefined) throw errors.notDelegable('body.permissions', refused.name)
  await updateOwnRole(tx, role.id, { nameKey: nameKeyOf(name) })
}

/** Deletes the role and all its bindings. Organizations keep their copies of a deleted template. */
export async function deleteRole(actor: LoggedActor, id: number): Promise<void> {
  await actor.write('access.deleteRole', async (tx) => {
    const role = await store.findRoleRow(tx, id)
    if (role === undefined) throw notFound()
    if (role.isSystem) throw errors.systemRoleUndeletable()
    await requireAuthorityOver(tx, actor, role)
    await requireMayChangeHolders(tx, actor, role)
    const { domain, scopeId } = role
    const before = { domain, scopeId, ...contentsOf(role, await roleView(tx, role, 'en')) }
    await deleteRoleRow(tx, id)
    rolesChanged(tx)
    return { result: undefined, logged: { targetId: id, targetName: role.code, before } }
  })
}

export async function listUserRoles(
  ctx: AppContext,
  userId: number,
  query: UserRolesQuery,
  locale: Locale,
): Promise<Page<UserRoleView>> {
  if ((await store.findUser(ctx.db.read, userId)) === undefined) throw notFound()
  return mapPage(await store.userRolesPage(ctx.db.read, userId, query), (row) => toUserRoleView(row, locale))
}

/** A role that a user gets or loses, for the operation log. */
const bindingOf = ({ roleId, domain, scopeId, code }: store.UserRoleRow) => ({ roleId, domain, scopeId, code })

/** Succeeds without a change if the user already holds the role. */
export async function grantRole(
  ctx: AppContext,
  actor: LoggedActor,
  userId: number,
  roleId: number,
  locale: Locale,
): Promise<UserRoleView> {
  return actor.write('access.grantRole', async (tx) => {
    const user = await store.findUser(tx, userId)
    if (user === undefined || user.status === 'DELETED') throw notFound()
    const role = await store.findRoleRow(tx, roleId)
    if (role === undefined) throw errors.unknownRole()
    await requireGrantable(tx, role, userId)
    await requireMayPassOn(tx, actor, role)
    await requireMayChangeUser(tx, actor, userId)
    const held = await store.findUserRole(tx, userId, roleId)
    if (held !== undefined) return { result: toUserRoleView(held, locale), logged: 'unchanged' }
    refuseOwn(actor, userId, role.domain)
    if (role.domain === 'PLATFORM') await requirePasswordOfAdministrator(tx, userId)
    await insertUserRole(tx, userId, roleId, false)
    bindingsChanged(tx, userId)
    if (role.domain === 'PLATFORM') await emit(ctx, tx, 'platformRole.granted', { userId })
    await announce(ctx, tx, actor, userId, role, 'GIVEN')
    const binding = (await store.findUserRole(tx, userId, roleId))!
    return {
      result: toUserRoleView(binding, locale),
      logged: { targetId: userId, targetName: user.name, after: bindingOf(binding) },
    }
  })
}

async function requireGrantable(tx: Tx, role: RoleRow, userId: number): Promise<void> {
  if (role.domain !== 'ORG') return
  if (role.scopeId === 0) throw errors.templateNotGrantable()
  if (role.code === OWNER) throw errors.ownerByTransferOnly()
  if (!(await store.isMember(tx, role.scopeId, userId))) throw errors.notAMember()
}

/** The owner of an organization hears of it. */
async function announce(
  ctx: AppContext,
  tx: Tx,
  { userId: actorId }: Actor,
  userId: number,
  { domain, scopeId: orgId, code: role }: { domain: PermissionDomain; scopeId: number; code: string },
  change: 'GIVEN' | 'TAKEN',
): Promise<void> {
  if (domain !== 'ORG') return
  note(tx, { type: 'member.role_changed', owner: orgId, id: userId })
  await emit(ctx, tx, 'orgRole.changedByAdministrator', { orgId, userId, actorId, change, role })
}

export async function revokeRole(ctx: AppContext, actor: LoggedActor, userId: number, roleId: number): Promise<void> {
  await actor.write('access.revokeRole', async (tx) => {
    const binding = await store.findUserRole(tx, userId, roleId)
    if (binding === undefined) throw notFound()
    if (binding.isInitial) throw errors.initialBindingIrrevocable()
    if (binding.domain === 'ORG' && binding.code === OWNER) throw errors.ownerByTransferOnly()
    await requireMayPassOn(tx, actor, { ...binding, id: roleId })
    await requireMayChangeUser(tx, actor, userId)
    refuseOwn(actor, userId, binding.domain)
    if (!(await store.deleteUserRole(tx, userId, roleId))) throw notFound()
    bindingsChanged(tx, userId)
    await announce(ctx, tx, actor, userId, binding, 'TAKEN')
    const targetName = (await store.findUser(tx, userId))?.name ?? null
    return { result: undefined, logged: { targetId: userId, targetName, before: bindingOf(binding) } }
  })
}

/**
 * Throws 403 unless the caller may grant and revoke the role. Any PLATFORM role opens the console, even one without points, so these
 * are up to SYSTEM_ADMIN.
 */
async function requireMayPassOn(
  tx: Tx,
  actor: Actor,
  role: { id: number; domain: PermissionDomain; scopeId: number; code: string },
): Promise<void> {
  if (role.domain === 'PLATFORM') await requireSystemAdmin(tx, actor)
  else await requireAuthorityOver(tx, actor, role)
}

/** APP roles are the same for all users. @throws AppError 400 if the role is or would be the caller's own */
function refuseOwn(actor: Actor, userId: number, domain: PermissionDomain): void {
  if (userId === actor.userId && domain !== 'APP') throw errors.ownRole()
}

/**
 * Other points of a role, or its end, change what its holders may do. @throws AppError 400 if the caller holds the role, 403 if
 * another administrator does and the caller is not SYSTEM_ADMIN
 */
async function requireMayChangeHolders(tx: Tx, actor: Actor, role: RoleRow): Promise<void> {
  if ((await store.findUserRole(tx, actor.userId, role.id)) !== undefined) refuseOwn(actor, actor.userId, role.domain)
  if (role.domain === 'PLATFORM' && (await store.isHeld(tx, role.id))) await requireSystemAdmin(tx, actor)
}

/** Read from the database, not from the cache: of two concurrent writes, the second must see what the first committed. */
async function authorityOf(tx: Db | Tx, actor: Actor, domain: PermissionDomain, scopeId: number): Promise<Authority> {
  const held = await store.rolesCountingIn(tx, actor.userId, domain, scopeId)
  if (held.some((role) => holdsEverything(role.domain, role.code))) return 'everything'
  const ids = held.map((role) => role.id)
  return new Set((await store.pointsOfRoles(tx, ids)).filter((point) => point.isInForce).map((point) => point.id))
}

/** Throws 403 unless the caller holds all of `pointIds`, the points that the role is to have. */
async function requireAuthority(
  tx: Db | Tx,
  actor: Actor,
  role: { domain: PermissionDomain; scopeId: number; code: string },
  pointIds: readonly number[],
): Promise<void> {
  const authority = await authorityOf(tx, actor, role.domain, role.scopeId)
  if (!covers(authority, { domain: role.domain, code: role.code, pointIds })) throw errors.exceedsCaller()
}

/** Throws 403 unless the caller holds all points that the role has now. */
export async function requireAuthorityOver(
  tx: Db | Tx,
  actor: Actor,
  role: { id: number; domain: PermissionDomain; scopeId: number; code: string },
): Promise<void> {
  const points = await store.pointsOfRoles(tx, [role.id])
  const pointIds = points.map((point) => point.id)
  await requireAuthority(tx, actor, role, pointIds)
}
