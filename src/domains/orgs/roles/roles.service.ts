/**
 * Roles that the owner of an organization makes for its members. Which of their points are granted is decided when they are used
 * (domains/access): points that are disabled or that organizations can no longer give end at once.
 */

import type { AppContext } from '#context'
import { spend } from '#db/counters.ts'
import type { Db, Tx } from '#db/store.ts'
import * as access from '#domains/access/index.ts'
import { budgetUsedUp, usesOf } from '#http/budget.ts'
import type { Actor, LoggedActor } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'
import type { Locale } from '#lib/localized.ts'
import { readPointOf } from '#permission-points'

import { MEMBER } from '../members/members.service.ts'
import { notifyOfReplacedRole } from '../notifications.ts'
import { countByRole } from '../organizations/organizations.store.ts'
import {
  notReplaceable,
  ownerOnly,
  pointRefused,
  roleOfAdministrator,
  systemRoleFixed,
  tooManyRoles,
} from '../orgs.errors.ts'
import { findOrg, type OrgRow } from '../orgs.store.ts'
import {
  type CreateOrgRole,
  type OrgRoleView,
  ROLE_CHANGES,
  type RolePoints,
  type UpdateOrgRole,
} from './roles.model.ts'

export async function listRoles(
  ctx: AppContext,
  actor: Actor,
  orgId: number,
  locale: Locale,
): Promise<{ items: OrgRoleView[] }> {
  const { read } = ctx.db
  const counts = new Map((await countByRole(ctx.db.readInWorker, orgId)).map((row) => [row.roleId, row.memberCount]))
  return { items: await viewsOf(read, actor, orgId, await access.rolesOfOrg(read, orgId), counts, locale) }
}

async function viewsOf(
  db: Db | Tx,
  { userId }: Actor,
  orgId: number,
  roles: readonly access.ListedRole[],
  counts: ReadonlyMap<number, number>,
  locale: Locale,
): Promise<OrgRoleView[]> {
  const org = await findOrg(db, orgId)
  const points = Map.groupBy(
    await access.boundPoints(
      db,
      roles.map(({ id }) => id),
    ),
    ({ roleId }) => roleId,
  )
  const ofOwner = (await access.orgPoints(db)).map(({ name, enabled }) => ({ name, active: enabled }))
  const mayAssign = await access.roleHasPoint(db, userId, orgId, 'member:assign_role')
  const isEnabled = org?.status === 'ACTIVE'
  const covered = mayAssign && isEnabled ? await access.coveredRoles(db, orgId, userId, roles) : new Set<number>()
  return roles.map((role) => ({
    id: role.id,
    code: role.code,
    name: access.orgRoleName(role, locale),
    description: role.description,
    isSystem: role.isSystem,
    preset: role.preset,
    permissions:
      role.code === access.OWNER
        ? ofOwner
        : (points.get(role.id) ?? []).map(({ name, isInForce }) => ({ name, active: isInForce })),
    memberCount: counts.get(role.id) ?? 0,
    canEdit: role.isOwn && isEnabled && org.ownerId === userId,
    canAssign: role.code !== access.OWNER && covered.has(role.id),
  }))
}

export async function listPoints(ctx: AppContext, actor: Actor, orgId: number, locale: Locale): Promise<RolePoints> {
  const points = await access.orgPoints(ctx.db.read)
  const held = await access.permissionSet(ctx, actor.userId, 'ORG', orgId)
  const given = new Set(points.filter(isGivable).map(({ name }) => name))
  return {
    items: points.map(({ name, description, delegable }) => ({
      name,
      group: readPointOf(name as Parameters<typeof readPointOf>[0]).split(':')[0]!,
      description,
      delegable,
      held: held.has(name),
    })),
    presets: access.PRESETS.map((preset) => ({
      key: preset.key,
      name: preset.name[locale],
      permissions: preset.points.filter((point) => given.has(point)),
    })),
  }
}

/** The owner holds every enabled point. */
const isGivable = (point: { enabled: boolean; delegable: boolean }): boolean => point.enabled && point.delegable

/** Inside the write: the organization may have got another owner. @throws AppError 403 */
async function findOwned(tx: Tx, actor: Actor, orgId: number): Promise<OrgRow> {
  const org = await findOrg(tx, orgId)
  if (org === undefined) throw notFound()
  if (org.ownerId !== actor.userId) throw ownerOnly()
  return org
}

/** @throws AppError 404 for a role of another organization, 403 unless the caller is the owner, 400 for a role that the organization did not make */
async function findOwnRole(tx: Tx, actor: Actor, orgId: number, roleId: number) {
  const [role] = await access.rolesOfOrg(tx, orgId, roleId)
  if (role === undefined) throw notFound()
  const org = await findOwned(tx, actor, orgId)
  if (role.isSystem) throw systemRoleFixed()
  if (!role.isOwn) throw roleOfAdministrator()
  return { org, role }
}

/** Counts a change of the roles of the organization. @throws AppError 429 */
async function countChange(ctx: AppContext, tx: Tx, actor: Actor, orgId: number): Promise<void> {
  const uses = await usesOf(ctx, ROLE_CHANGES, { actor, caller: { ip: '' }, orgId })
  const refusal = await spend(tx, uses, ctx.clock.now())
  if (refusal) throw budgetUsedUp(refusal)
}

/** Ids of points that the owner may give. @throws AppError 400 for others */
async function idsOf(tx: Tx, names: readonly string[]): Promise<number[]> {
  const byName = new Map((await access.orgPoints(tx)).map((point) => [point.name, point]))
  return [
    ...new Set(
      names.map((name, i) => {
        const point = byName.get(name)
        if (point === undefined || !isGivable(point)) throw pointRefused(i, name)
        return point.id
      }),
    ),
  ]
}

/** @throws AppError 400 if another role of the organization, or a system role, has the name */
async function requireFreeName(tx: Tx, orgId: number, name: string, roleId?: number): Promise<string> {
  const nameKey = access.nameKeyOf(name)
  const others = (await access.rolesOfOrg(tx, orgId)).filter(({ id }) => id !== roleId)
  if (access.isSystemName(nameKey) || others.some((role) => access.nameKeyOf(role.name) === nameKey))
    throw access.roleNameTaken()
  return nameKey
}

async function viewOf(tx: Tx, actor: Actor, orgId: number, roleId: number, locale: Locale) {
  const counts = new Map([[roleId, await access.countHolders(tx, roleId)]])
  return (await viewsOf(tx, actor, orgId, await access.rolesOfOrg(tx, orgId, roleId), counts, locale))[0]!
}

/** The parts of a role that can be changed, for the operation log. */
const contentsOf = ({ name, description, permissions }: OrgRoleView) => ({
  name,
  description,
  permissions: permissions.map((point) => point.name),
})

export async function createRole(
  ctx: AppContext,
  actor: LoggedActor,
  orgId: number,
  input: CreateOrgRole,
  locale: Locale,
): Promise<OrgRoleView> {
  const { name, description, preset } = input
  const create = async (tx: Tx) => {
    await findOwned(tx, actor, orgId)
    if ((await access.countOwnRoles(tx, orgId)) >= access.MAX_OWN_ROLES) throw tooManyRoles(access.MAX_OWN_ROLES)
    const nameKey = await requireFreeName(tx, orgId, name)
    const pointIds = await idsOf(tx, input.permissions ?? (await pointsOfPreset(tx, preset)))
    const roleId = await insertRole(tx, orgId, name)
    await access.insertOwnRole(tx, {
      roleId,
      orgId,
      nameKey,
      description: description ?? '',
      preset: preset ?? null,
    })
    await access.replacePoints(tx, roleId, pointIds)
    await countChange(ctx, tx, actor, orgId)
    const result = await viewOf(tx, actor, orgId, roleId, locale)
    return { result, logged: { targetId: roleId, targetName: name, after: { orgId, ...contentsOf(result) } } }
  }
  return actor.write('orgs.createRole', create).catch(access.refuseTakenName)
}

/** Without the points of it that organizations cannot give at the moment. */
async function pointsOfPreset(tx: Tx, key: CreateOrgRole['preset']): Promise<readonly string[]> {
  const points: readonly string[] = access.PRESETS.find((preset) => preset.key === key)?.points ?? []
  const given = new Set((await access.orgPoints(tx)).filter(isGivable).map((point) => point.name))
  return points.filter((point) => given.has(point))
}

async function insertRole(tx: Tx, orgId: number, name: string): Promise<number> {
  for (const code of access.codesFor(name)) {
    const role = await access.insertCustomRole(tx, { domain: 'ORG', scopeId: orgId, code, name })
    if (role !== undefined) return role.id
  }
  throw new Error('there are no codes left')
}

/** Takes effect at once for everybody who holds the role. Of two changes at the same time, the later one counts as a whole. */
export async function updateRole(
  ctx: AppContext,
  actor: LoggedActor,
  { orgId, roleId }: { orgId: number; roleId: number },
  input: UpdateOrgRole,
  locale: Locale,
): Promise<OrgRoleView> {
  const update = async (tx: Tx) => {
    await findOwnRole(tx, actor, orgId, roleId)
    const before = await viewOf(tx, actor, orgId, roleId, locale)
    const { name = before.name } = input
    const description = input.description === undefined ? before.description : (input.description ?? '')
    const names = contentsOf(before).permissions
    const nameKey = await requireFreeName(tx, orgId, name, roleId)
    const pointIds = input.permissions && (await idsOf(tx, input.permissions))
    const isChanged =
      name !== before.name ||
      description !== before.description ||
      new Set(input.permissions ?? names).symmetricDifference(new Set(names)).size > 0
    if (!isChanged) return { result: before, logged: 'unchanged' as const }
    if (pointIds !== undefined) await access.replacePoints(tx, roleId, pointIds)
    await access.updateOwnRole(tx, roleId, { nameKey, description })
    await access.updateRoleRow(tx, roleId, { name })
    await countChange(ctx, tx, actor, orgId)
    access.rolesChanged(tx)
    const result = await viewOf(tx, actor, orgId, roleId, locale)
    return {
      result,
      logged: { targetId: roleId, targetName: name, before: contentsOf(before), after: contentsOf(result) },
    }
  }
  return actor.write('orgs.updateRole', update).catch(access.refuseTakenName)
}

/** Members who get another role in the write that deletes theirs. A job moves the others. */
export const MOVED_AT_ONCE = 200

/** Returns whether members are left whom `moveMembers` has to give the other role. */
export async function deleteRole(
  ctx: AppContext,
  actor: LoggedActor,
  { orgId, roleId }: { orgId: number; roleId: number },
  replaceWith: number | undefined,
  locale: Locale,
): Promise<boolean> {
  return actor.write('orgs.deleteRole', async (tx) => {
    const { org, role } = await findOwnRole(tx, actor, orgId, roleId)
    const member = (await access.findOrgRole(tx, orgId, { code: MEMBER }))!
    const next = replaceWith === undefined ? member : await access.findOrgRole(tx, orgId, { id: replaceWith })
    if (next === undefined || next.id === roleId || next.code === access.OWNER) throw notReplaceable()
    const before = await viewOf(tx, actor, orgId, roleId, locale)
    await countChange(ctx, tx, actor, orgId)
    const moved = await moveSome(ctx, tx, org, { from: roleId, to: next }, MOVED_AT_ONCE)
    await access.redirectReplaced(tx, roleId, next.id)
    const isLeft = moved === MOVED_AT_ONCE
    if (isLeft) await standIn(tx, roleId, member, next.id)
    else await access.deleteRoleRow(tx, roleId)
    access.rolesChanged(tx)
    const logged = { orgId, ...contentsOf(before), members: before.memberCount, replaceWith: next.code }
    return { result: isLeft, logged: { targetId: roleId, targetName: role.name, before: logged } }
  })
}

/** Until its members are moved, a deleted role has the name and the points of MEMBER, and its own name and code are free. */
async function standIn(tx: Tx, roleId: number, member: access.OrgRole, replaceWith: number): Promise<void> {
  await access.markReplaced(tx, roleId, replaceWith)
  await access.replacePoints(tx, roleId, [])
  await access.copyRolePoints(tx, member.id, roleId)
  await access.updateRoleRow(tx, roleId, { name: member.name, code: `${MEMBER}:${roleId}` })
}

/** Each member is notified in the write that gives them the other role, and so exactly once. Returns how many they are. */
export async function moveSome(
  ctx: AppContext,
  tx: Tx,
  org: OrgRow,
  { from, to }: { from: number; to: access.OrgRole },
  limit: number,
): Promise<number> {
  const userIds = await access.moveHolders(tx, from, to.id, limit)
  access.bindingsChanged(tx, ...userIds)
  await notifyOfReplacedRole(ctx, tx, org, userIds, {
    en: access.orgRoleName(to, 'en'),
    zh: access.orgRoleName(to, 'zh'),
  })
  return userIds.length
}
