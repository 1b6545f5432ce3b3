import type { AppContext } from '#context'
import { note } from '#db/notes.ts'
import type { OwnerKey } from '#db/owner-key.ts'
import type { Page } from '#db/paging.ts'
import type { Db, Tx } from '#db/store.ts'
import * as access from '#domains/access/index.ts'
import { userIdsByProvedContact, withSecondFactor } from '#domains/accounts/index.ts'
import type { RefSource } from '#domains/contributions.ts'
import { emit } from '#domains/domain.ts'
import { avatarUrl } from '#domains/files/index.ts'
import { addRecipients, startMemberSend } from '#domains/notifications/index.ts'
import type { Actor } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'
import { notForApiKeys } from '#http/key-access.ts'
import { organizationDisabled } from '#http/permissions.ts'
import type { Locale } from '#lib/localized.ts'

import { notifyRemovedMember } from '../notifications.ts'
import {
  alreadyMember,
  cannotAssignRoles,
  orgFull,
  ownerCannotDeleteAccount,
  ownerCannotLeave,
  ownerProtected,
  ownerRoleByTransferOnly,
  roleExceedsYours,
  roleNotFound,
  userIsMember,
} from '../orgs.errors.ts'
import { deleteRestOfOrg, findOrg, ownsAny } from '../orgs.store.ts'
import type { MembersQuery, MemberView, RoleChoice, UpdateMember } from './members.model.ts'
import * as store from './members.store.ts'

export const { MEMBER } = access

export async function listMembers(
  ctx: AppContext,
  actor: Actor,
  orgId: number,
  { keyword, ...query }: MembersQuery,
  locale: Locale,
): Promise<Page<MemberView>> {
  const { read } = ctx.db
  const org = await findOrg(read, orgId)
  if (org === undefined) throw notFound()
  const page = keyword
    ? await ctx.db.search(actor.userId, (db) => store.searchMembers(db, orgId, query, keyword))
    : await store.membersPage(read, orgId, query)
  const userIds = page.items.map((member) => member.userId)
  const roles = Map.groupBy(await access.orgRolesOfMany(read, [orgId], userIds), (role) => role.userId)
  const maySee = await access.can(ctx, actor.userId, 'ORG', orgId, 'member:update')
  const factors = maySee ? await withSecondFactor(read, userIds) : undefined
  return {
    ...page,
    items: page.items.map((member) => ({
      ...toView(ctx, member, roles.get(member.userId)?.[0], org.ownerId, locale),
      ...(factors && { secondFactor: factors.has(member.userId) }),
    })),
  }
}

export async function getMember(ctx: AppContext, orgId: number, userId: number, locale: Locale): Promise<MemberView> {
  const [org, member] = [await findOrg(ctx.db.read, orgId), await store.findMember(ctx.db.read, orgId, userId)]
  if (org === undefined || member === undefined) throw notFound()
  const [role] = await access.orgRolesOf(ctx.db.read, orgId, userId)
  return toView(ctx, member, role, org.ownerId, locale)
}

export const toView = (
  ctx: AppContext,
  member: store.MemberRow,
  role: access.OrgRole | undefined,
  ownerId: number,
  locale: Locale,
): MemberView => ({
  userId: member.userId,
  nickname: member.nickname,
  avatarUrl: avatarUrl(ctx, member.avatar),
  roleId: role?.id ?? null,
  roleCode: role?.code ?? null,
  roleName: access.orgRoleName(role, locale),
  isOwner: member.userId === ownerId,
  joinedAt: member.joinedAt,
})

/** Changes the role, the nickname, or both. */
export async function updateMember(
  ctx: AppContext,
  actor: Actor,
  orgId: number,
  userId: number,
  input: UpdateMember,
  locale: Locale,
): Promise<MemberView> {
  const changesRole = input.roleId !== undefined || input.roleCode !== undefined
  if (changesRole && actor.key !== undefined) throw notForApiKeys
  if (changesRole && !(await access.can(ctx, actor.userId, 'ORG', orgId, 'member:assign_role')))
    throw cannotAssignRoles()
  await ctx.db.write('orgs.updateMember', async (tx) => {
    await checkMayManage(tx, actor, orgId, userId)
    if (changesRole) await assignRole(tx, actor, orgId, userId, input)
    if (input.nickname !== undefined) await store.setNickname(tx, orgId, userId, input.nickname || null)
  })
  return getMember(ctx, orgId, userId, locale)
}

/** Refuses to manage the owner, or a member with permissions that the caller does not have. Everyone may manage themselves. */
async function checkMayManage(tx: Tx, actor: Actor, orgId: number, userId: number): Promise<void> {
  const org = await findOrg(tx, orgId)
  if (org === undefined || (await store.findMember(tx, orgId, userId)) === undefined) throw notFound()
  if (userId === actor.userId) return
  if (org.ownerId === userId) throw ownerProtected()
  for (const role of await access.orgRolesOf(tx, orgId, userId))
    if (!(await access.coversRole(tx, orgId, actor.userId, role))) throw roleExceedsYours()
}

/**
 * The role that the caller gives to a new member; undefined if they name none, for MEMBER. To name one takes the same permissions as to change the role of a
 * member. @throws AppError 400, 403
 */
export async function findRoleToGive(
  tx: Tx,
  actor: Actor,
  orgId: number,
  roleId: number | undefined,
): Promise<access.OrgRole | undefined> {
  if (roleId === undefined) return undefined
  if (!(await access.roleHasPoint(tx, actor.userId, orgId, 'member:assign_role'))) throw cannotAssignRoles()
  const role = await findChosenRole(tx, orgId, { roleId })
  if (!(await access.coversRole(tx, orgId, actor.userId, role))) throw roleExceedsYours()
  return role
}

async function assignRole(tx: Tx, actor: Actor, orgId: number, userId: number, choice: RoleChoice): Promise<void> {
  if ((await findOrg(tx, orgId))?.ownerId === userId) throw ownerProtected()
  const role = await findChosenRole(tx, orgId, choice)
  if (!(await access.coversRole(tx, orgId, actor.userId, role))) throw roleExceedsYours()
  await replaceRoles(tx, orgId, userId, role)
}

/** The role that a request names by id, by code, or by both; MEMBER if by neither. @throws AppError 400, also for OWNER, which only a transfer gives */
export async function findChosenRole(tx: Tx, orgId: number, { roleId, roleCode }: RoleChoice): Promise<access.OrgRole> {
  const role = await access.findOrgRole(tx, orgId, roleId === undefined ? { code: roleCode ?? MEMBER } : { id: roleId })
  if (role === undefined || (roleCode !== undefined && role.code !== roleCode)) throw roleNotFound()
  if (role.code === access.OWNER) throw ownerRoleByTransferOnly()
  return role
}

/** Gives a member this role instead of all that they hold in the organization. */
export async function replaceRoles(tx: Tx, orgId: number, userId: number, role: access.OrgRole): Promise<void> {
  const held = await access.orgRolesOf(tx, orgId, userId)
  await access.unbindRoles(tx, userId, 'ORG', orgId)
  await access.bindRole(tx, userId, 'ORG', orgId, role.code)
  if (held.length !== 1 || held[0]!.id !== role.id) note(tx, { type: 'member.role_changed', owner: orgId, id: userId })
}

export async function removeMember(ctx: AppContext, actor: Actor, orgId: number, userId: number): Promise<void> {
  await ctx.db.write('orgs.removeMember', async (tx) => {
    await checkMayManage(tx, actor, orgId, userId)
    await endMembership(ctx, tx, orgId, userId)
    const org = await findOrg(tx, orgId)
    if (userId !== actor.userId && org !== undefined) await notifyRemovedMember(ctx, tx, org, userId)
  })
}

export const leaveOrg = (ctx: AppContext, actor: Actor, orgId: number): Promise<void> =>
  ctx.db.write('orgs.leaveOrg', (tx) => endMembership(ctx, tx, orgId, actor.userId, ownerCannotLeave))

/**
 * Makes the user a member with the role `roleCode`, within the member limit. Every way into an organization calls this. The user's
 * join request and open invitation are closed with it. A disabled organization accepts nobody, unless an administrator adds them.
 */
export async function addMember(
  ctx: AppContext,
  tx: Tx,
  orgId: number,
  userId: number,
  { roleCode = MEMBER, byAdministrator = false }: { roleCode?: string | undefined; byAdministrator?: boolean } = {},
): Promise<void> {
  if (!(await store.isActiveUser(tx, userId))) throw notFound()
  if (!(await store.insertMember(tx, orgId, userId))) {
    if ((await findOrg(tx, orgId)) === undefined) throw notFound()
    throw byAdministrator ? userIsMember() : alreadyMember()
  }
  if (!(await store.incrementMemberCount(tx, orgId, byAdministrator))) {
    const org = await findOrg(tx, orgId)
    if (org === undefined) throw notFound()
    throw org.status === 'ACTIVE' || byAdministrator ? orgFull() : organizationDisabled
  }
  await access.bindRole(tx, userId, 'ORG', orgId, roleCode)
  await store.closePending(tx, orgId, userId, ctx.clock.now())
  note(tx, { type: 'member.joined', owner: orgId, id: userId })
  await emit(ctx, tx, 'member.joined', { orgId, userId })
}

/** Ends a membership with its roles and, by the event, an offer of ownership. Throws a 404 if there is none, and `refusal` for the owner. */
export async function endMembership(
  ctx: AppContext,
  tx: Tx,
  orgId: number,
  userId: number,
  refusal: () => Error = ownerProtected,
): Promise<void> {
  const before = await store.findMember(tx, orgId, userId)
  if (!(await store.deleteMember(tx, orgId, userId))) throw notFound()
  if (!(await store.decrementMemberCount(tx, orgId, userId))) throw refusal()
  await access.unbindRoles(tx, userId, 'ORG', orgId)
  const data = { id: userId, userId, orgId, nickname: before?.nickname ?? '', name: before?.nickname ?? null }
  note(tx, { type: 'member.left', owner: orgId, id: userId, data })
  await emit(ctx, tx, 'member.left', { orgId, userId })
}

/** Memberships that are deleted by one statement. */
const MEMBERS_AT_ONCE = 500

/** Deletes members, requests, invitations and shares of an organization that was dissolved. Returns how many. */
export async function removeRest(ctx: AppContext, tx: Tx, owner: OwnerKey, limit: number): Promise<number> {
  if (owner < 0) return 0
  let rows = 0
  while (rows < limit) {
    const most = Math.min(limit - rows, MEMBERS_AT_ONCE)
    const userIds = await store.deleteSomeMembers(tx, owner, most)
    if (userIds.length > 0) {
      await access.deleteUnboundRoles(tx, userIds)
      await addRecipients(tx, owner, userIds)
      await emit(ctx, tx, 'org.membersRemoved', { orgId: owner, userIds })
    }
    rows += userIds.length
    if (userIds.length < most) {
      await startMemberSend(ctx, tx, owner)
      break
    }
  }
  return rows < limit ? rows + (await deleteRestOfOrg(tx, owner, limit - rows)) : rows
}

/**
 * Ends all memberships, requests and invitations of a user whose account is being deleted. Throws 400 if the user owns an
 * organization: the account must then stay (spec §5.12).
 */
export async function endMemberships(ctx: AppContext, tx: Tx, userId: number): Promise<void> {
  if (await ownsAny(tx, userId)) throw ownerCannotDeleteAccount()
  for (const orgId of await store.orgIdsOf(tx, userId)) await endMembership(ctx, tx, orgId, userId)
  await store.cancelAllPending(tx, userId, ctx.clock.now())
}

/** Users as targets of metadata values: the owner, or a member of the organization. In texts: a username, an e-mail or a unique nickname. */
export const userTarget: RefSource = {
  readPoint: 'member:read',
  titles: async (db, owner, ids) =>
    new Map((await store.peopleByIds(db, owner, ids)).map(({ id, nickname }) => [id, nickname])),
  async byTexts(db, owner, texts) {
    const found = new Map<string, number>()
    for (let i = 0; i < texts.length; i += TEXTS_PER_QUERY)
      for (const [text, id] of await peopleByTexts(db, owner, texts.slice(i, i + TEXTS_PER_QUERY))) found.set(text, id)
    return found
  },
}

const TEXTS_PER_QUERY = 500

async function peopleByTexts(db: Db | Tx, owner: OwnerKey, texts: readonly string[]): Promise<[string, number][]> {
  const usernameKeys = [...new Set(texts.map((text) => text.toLowerCase()))]
  const byEmail = await userIdsByProvedContact(db, 'EMAIL', usernameKeys)
  const found = await store.peopleByNames(db, owner, { ids: [...byEmail.values()], usernameKeys, nicknames: texts })
  const ids = new Set(found.map((person) => person.id))
  const byUsername = new Map(found.map((person) => [person.usernameKey, person.id]))
  return texts.flatMap((text): [string, number][] => {
    const username = byUsername.get(text.toLowerCase())
    if (username !== undefined) return [[text, username]]
    const email = byEmail.get(text.toLowerCase())
    if (email !== undefined && ids.has(email)) return [[text, email]]
    const [namesake, ...others] = found.filter((person) => person.nickname === text)
    return namesake === undefined || others.length > 0 ? [] : [[text, namesake.id]]
  })
}
