/** Members of all organizations, for administrators. */

import type { AppContext } from '#context'
import type { Page, PageInput } from '#db/paging.ts'
import type { Db, Tx } from '#db/store.ts'
import * as access from '#domains/access/index.ts'
import type { Events } from '#domains/events.ts'
import type { Actor, LogEntry, LoggedActor } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'
import { notForApiKeys } from '#http/key-access.ts'
import type { Locale } from '#lib/localized.ts'

import type { MemberView, RoleChoice } from '../members/members.model.ts'
import {
  addMember,
  endMembership,
  findChosenRole,
  getMember,
  MEMBER,
  replaceRoles,
} from '../members/members.service.ts'
import { findMember } from '../members/members.store.ts'
import { notifyAddedMember, notifyOwner, notifyRemovedMember } from '../notifications.ts'
import { ownerProtected, ownRole, roleRequired, userDisabled } from '../orgs.errors.ts'
import { findOrg, type OrgRow } from '../orgs.store.ts'
import type { MembershipView } from './memberships.model.ts'
import * as store from './memberships.store.ts'

export async function listMemberships(
  ctx: AppContext,
  userId: number,
  query: PageInput,
  locale: Locale,
): Promise<Page<MembershipView>> {
  const { read } = ctx.db
  if ((await store.findUser(read, userId)) === undefined) throw notFound()
  const page = await store.membershipsPage(read, userId, query)
  const orgIds = page.items.map(({ orgId }) => orgId)
  const roles = Map.groupBy(await access.orgRolesOfMany(read, orgIds, [userId]), ({ orgId }) => orgId)
  const items = page.items.map(({ orgId, orgName, ownerId, joinedAt }) => {
    const role = roles.get(orgId)?.[0]
    return {
      orgId,
      orgName,
      roleId: role?.id ?? null,
      roleName: access.orgRoleName(role, locale),
      isOwner: ownerId === userId,
      joinedAt,
    }
  })
  return { ...page, items }
}

/** A membership in the operation log, whose target is the user. One field, so that a changed role is logged with its organization. */
const logged = (org: OrgRow, roles: readonly access.OrgRole[]) => ({
  membership: { orgId: org.id, orgName: org.name, roles: roles.map(({ code }) => code) },
})

/** @throws AppError 404 if there is no such organization or user */
async function findBoth(tx: Tx, orgId: number, userId: number): Promise<{ org: OrgRow; user: store.UserRow }> {
  const [org, user] = [await findOrg(tx, orgId), await store.findUser(tx, userId)]
  if (org === undefined || user === undefined || user.status === 'DELETED') throw notFound()
  return { org, user }
}

/** Roles that open nothing which an organization keeps from strangers who have joined. */
const ORDINARY: ReadonlySet<string> = new Set([MEMBER, 'GUEST'])

/**
 * The same rule as for roles that are granted by their id: a role above MEMBER takes all of its points, or SYSTEM_ADMIN. Otherwise an
 * administrator of users could open any organization with an account that they have made.
 */
export async function requireMayGive(
  tx: Db | Tx,
  actor: Actor,
  orgId: number,
  { id, code }: Pick<access.OrgRole, 'id' | 'code'>,
): Promise<void> {
  if (ORDINARY.has(code)) return
  if (actor.key !== undefined) throw notForApiKeys
  await access.requireAuthorityOver(tx, actor, { id, domain: 'ORG', scopeId: orgId, code })
}

/**
 * The join policy does not count, the member limit does. Administrators who add themselves become an ordinary member: they cannot give
 * themselves a role.
 */
export async function addAnyMember(
  ctx: AppContext,
  actor: LoggedActor,
  orgId: number,
  { userId, ...choice }: RoleChoice & { userId: number },
  locale: Locale,
): Promise<MemberView> {
  await actor.write('orgs.addAnyMember', async (tx) => {
    const { org, user } = await findBoth(tx, orgId, userId)
    if (user.status === 'DISABLED') throw userDisabled()
    const role = await findChosenRole(tx, orgId, choice)
    if (userId === actor.userId && role.code !== MEMBER) throw ownRole()
    await requireMayGive(tx, actor, orgId, role)
    await addMember(ctx, tx, orgId, userId, { roleCode: role.code, byAdministrator: true })
    if (userId !== actor.userId) await notifyAddedMember(ctx, tx, org, userId)
    await notifyOwner(ctx, tx, org, actor, { userId, name: user.name, change: 'ADDED', role: role.code })
    return { result: undefined, logged: { targetId: userId, targetName: user.name, after: logged(org, [role]) } }
  })
  return getMember(ctx, orgId, userId, locale)
}

/** The role replaces all that the member holds in the organization. */
export async function changeAnyRole(
  ctx: AppContext,
  actor: LoggedActor,
  orgId: number,
  userId: number,
  choice: RoleChoice,
  locale: Locale,
): Promise<MemberView> {
  await actor.write('orgs.changeAnyRole', async (tx) => {
    const { org, user } = await findBoth(tx, orgId, userId)
    if ((await findMember(tx, orgId, userId)) === undefined) throw notFound()
    if (choice.roleId === undefined && choice.roleCode === undefined) throw roleRequired()
    if (org.ownerId === userId) throw ownerProtected()
    if (userId === actor.userId) throw ownRole()
    const role = await findChosenRole(tx, orgId, choice)
    const held = await access.orgRolesOf(tx, orgId, userId)
    if (held.length === 1 && held[0]!.id === role.id) return { result: undefined, logged: 'unchanged' }
    await requireMayGive(tx, actor, orgId, role)
    await replaceRoles(tx, orgId, userId, role)
    await notifyOwner(ctx, tx, org, actor, { userId, name: user.name, change: 'GIVEN', role: role.code })
    const [before, after] = [logged(org, held), logged(org, [role])]
    return { result: undefined, logged: { targetId: userId, targetName: user.name, before, after } }
  })
  return getMember(ctx, orgId, userId, locale)
}

export async function removeAnyMember(
  ctx: AppContext,
  actor: LoggedActor,
  orgId: number,
  userId: number,
): Promise<void> {
  await actor.write('orgs.removeAnyMember', async (tx) => {
    const { org, user } = await findBoth(tx, orgId, userId)
    const before = logged(org, await access.orgRolesOf(tx, orgId, userId))
    await endMembership(ctx, tx, orgId, userId)
    if (userId !== actor.userId) await notifyRemovedMember(ctx, tx, org, userId)
    await notifyOwner(ctx, tx, org, actor, { userId, name: user.name, change: 'REMOVED' })
    return { result: undefined, logged: { targetId: userId, targetName: user.name, before } }
  })
}

/** For roles that are granted and revoked by their id. */
export async function reportRoleChange(
  ctx: AppContext,
  tx: Tx,
  { orgId, userId, actorId, change, role }: Events['orgRole.changedByAdministrator'],
): Promise<void> {
  const { org, user } = await findBoth(tx, orgId, userId)
  await notifyOwner(ctx, tx, org, { userId: actorId }, { userId, name: user.name, change, role })
}

/** A membership that a sign-in provider wants for a user. `roleCode`: null to end it. */
export interface WantedMembership {
  readonly orgId: number
  readonly userId: number
  readonly roleCode: 'ADMIN' | 'MEMBER' | 'GUEST' | null
  /** The provider gave the membership, so its role may become a lower one. */
  readonly mayLower: boolean
}

interface ProvidedChange {
  readonly action: 'ORG_MEMBER_ADD' | 'ORG_MEMBER_ROLE' | 'ORG_MEMBER_REMOVE'
}

/** From the lowest role. Roles that organizations have made themselves have no place among them, so they are left as they are. */
const RANKS: readonly string[] = ['GUEST', MEMBER, 'ADMIN']

/** The necessary change, or why it is impossible. Undefined if there is none. The owner is never changed. */
export async function planProvidedMembership(
  db: Db | Tx,
  { orgId, userId, roleCode, mayLower }: WantedMembership,
): Promise<ProvidedChange | { readonly skipped: string } | undefined> {
  const org = await findOrg(db, orgId)
  if (org === undefined) return roleCode === null ? undefined : { skipped: 'there is no such organization' }
  const isMember = (await findMember(db, orgId, userId)) !== undefined
  if (org.ownerId === userId || (!isMember && roleCode === null)) return undefined
  const change = isMember ? await changeOf(db, orgId, userId, roleCode, mayLower) : 'ORG_MEMBER_ADD'
  if (change === undefined) return undefined
  if (org.status !== 'ACTIVE') return { skipped: 'the organization is disabled' }
  if (change === 'ORG_MEMBER_ADD' && org.memberCount >= org.memberLimit) return { skipped: 'the organization is full' }
  return { action: change }
}

async function changeOf(
  db: Db | Tx,
  orgId: number,
  userId: number,
  roleCode: WantedMembership['roleCode'],
  mayLower: boolean,
): Promise<ProvidedChange['action'] | undefined> {
  if (roleCode === null) return 'ORG_MEMBER_REMOVE'
  const held = await access.orgRolesOf(db, orgId, userId)
  if (held.some(({ code }) => !RANKS.includes(code))) return undefined
  const rank = Math.max(-1, ...held.map(({ code }) => RANKS.indexOf(code)))
  const wanted = RANKS.indexOf(roleCode)
  return wanted > rank || (mayLower && wanted < rank) ? 'ORG_MEMBER_ROLE' : undefined
}

/** Inside a write: makes the change, and returns what to log. Undefined if nothing has to change, or if it cannot. */
export async function provideMembership(
  ctx: AppContext,
  tx: Tx,
  wanted: WantedMembership,
): Promise<(ProvidedChange & { readonly entry: LogEntry }) | undefined> {
  const { orgId, userId, roleCode } = wanted
  const plan = await planProvidedMembership(tx, wanted)
  if (plan === undefined || 'skipped' in plan) return undefined
  const { org, user } = await findBoth(tx, orgId, userId)
  const held = await access.orgRolesOf(tx, orgId, userId)
  const target = { targetId: userId, targetName: user.name }
  if (roleCode === null) {
    await endMembership(ctx, tx, orgId, userId)
    await notifyRemovedMember(ctx, tx, org, userId)
    return { ...plan, entry: { ...target, before: logged(org, held) } }
  }
  const role = await findChosenRole(tx, orgId, { roleCode })
  if (plan.action === 'ORG_MEMBER_ADD') {
    await addMember(ctx, tx, orgId, userId, { roleCode })
    await notifyAddedMember(ctx, tx, org, userId)
    return { ...plan, entry: { ...target, after: logged(org, [role]) } }
  }
  await replaceRoles(tx, orgId, userId, role)
  return { ...plan, entry: { ...target, before: logged(org, held), after: logged(org, [role]) } }
}
