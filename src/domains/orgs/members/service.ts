import type { AppContext } from '#context'
import type { Page } from '#db/paging.ts'
import type { Tx } from '#db/store.ts'
import * as access from '#domains/access/index.ts'
import type { Actor } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'

import {
  aboveYourself,
  mayNotAssign,
  noSuchRole,
  ownerByTransferOnly,
  ownerCannotLeave,
  ownerUntouchable,
} from '../errors.ts'
import { findOrg } from '../organizations/store.ts'
import { removeMember } from './membership.ts'
import type { ChangeMember, MembersQuery, MemberView } from './model.ts'
import { findMember, membersPage, setNickname } from './store.ts'
import { toMemberView } from './view.ts'

export async function listMembers(ctx: AppContext, orgId: number, query: MembersQuery): Promise<Page<MemberView>> {
  const { read, readInWorker } = ctx.db
  const org = await findOrg(read, orgId)
  if (org === undefined) throw notFound()
  const page = await membersPage(read, readInWorker, orgId, query)
  const userIds = page.items.map((member) => member.userId)
  const roles = Map.groupBy(await access.orgRolesOfMany(read, [orgId], userIds), (role) => role.userId)
  return {
    ...page,
    items: page.items.map((member) => toMemberView(member, roles.get(member.userId)?.[0], org.ownerId)),
  }
}

async function memberView(ctx: AppContext, orgId: number, userId: number): Promise<MemberView> {
  const [org, member] = [await findOrg(ctx.db.read, orgId), await findMember(ctx.db.read, orgId, userId)]
  if (org === undefined || member === undefined) throw notFound()
  const [role] = await access.orgRolesOf(ctx.db.read, orgId, userId)
  return toMemberView(member, role, org.ownerId)
}

/** Role, name, or both. */
export async function changeMember(
  ctx: AppContext,
  actor: Actor,
  orgId: number,
  userId: number,
  change: ChangeMember,
): Promise<MemberView> {
  const changesRole = change.roleId !== undefined || change.roleCode !== undefined
  if (changesRole && !(await access.can(ctx, actor.userId, 'ORG', orgId, 'member:assign_role'))) throw mayNotAssign()
  await ctx.db.write('orgs.changeMember', async (tx) => {
    await checkMayTouch(tx, actor, orgId, userId)
    if (changesRole) await assignRole(ctx, tx, actor, orgId, userId, change)
    if (change.nickname !== undefined) await setNickname(tx, orgId, userId, change.nickname || null)
  })
  return memberView(ctx, orgId, userId)
}

/** Nobody changes or removes the owner, but the owner may name themselves; nobody touches who may do more than they. */
async function checkMayTouch(tx: Tx, actor: Actor, orgId: number, userId: number): Promise<void> {
  const org = await findOrg(tx, orgId)
  if (org === undefined || (await findMember(tx, orgId, userId)) === undefined) throw notFound()
  if (userId === actor.userId) return
  if (org.ownerId === userId) throw ownerUntouchable()
  for (const role of await access.orgRolesOf(tx, orgId, userId))
    if (!(await access.coversRole(tx, orgId, actor.userId, role))) throw aboveYourself()
}

async function assignRole(
  ctx: AppContext,
  tx: Tx,
  actor: Actor,
  orgId: number,
  userId: number,
  { roleId, roleCode }: ChangeMember,
): Promise<void> {
  const role = await access.findOrgRole(tx, orgId, roleId === undefined ? { code: roleCode! } : { id: roleId })
  if (role === undefined || (roleCode !== undefined && role.code !== roleCode)) throw noSuchRole()
  if ((await findOrg(tx, orgId))?.ownerId === userId) throw ownerUntouchable()
  if (role.code === access.OWNER) throw ownerByTransferOnly()
  if (!(await access.coversRole(tx, orgId, actor.userId, role))) throw aboveYourself()
  await access.unbindRoles(ctx, tx, userId, 'ORG', orgId)
  await access.bindRole(ctx, tx, userId, 'ORG', orgId, role.code)
}

export async function expelMember(ctx: AppContext, actor: Actor, orgId: number, userId: number): Promise<void> {
  await ctx.db.write('orgs.expelMember', async (tx) => {
    await checkMayTouch(tx, actor, orgId, userId)
    await removeMember(ctx, tx, orgId, userId)
  })
}

export const leaveOrg = (ctx: AppContext, actor: Actor, orgId: number): Promise<void> =>
  ctx.db.write('orgs.leaveOrg', (tx) => removeMember(ctx, tx, orgId, actor.userId, ownerCannotLeave))
