/** Groups: conversations of up to 500 members with roles. A SYSTEM message reports every change of the members. */

import type { AppContext } from '#context'
import type { Page, PageInput } from '#db/paging.ts'
import type { GroupRole } from '#db/schema/chat.ts'
import type { Tx } from '#db/store.ts'
import { can } from '#domains/access/index.ts'
import { areContacts, isBlocked, mayKnow, personsByIds } from '#domains/contacts/index.ts'
import { attachFile, releaseFile } from '#domains/files/index.ts'
import type { Actor } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'
import { organizationDisabled } from '#http/permissions.ts'

import { notInConversation } from '../chat.errors.ts'
import type { Conversation } from '../conversations/conversations.model.ts'
import { announce, toConversations } from '../conversations/conversations.view.ts'
import { findMember } from '../members.store.ts'
import { sendSystem } from '../messages/posting.service.ts'
import { IN_ORDER } from '../numbers.ts'
import * as errors from './groups.errors.ts'
import type { CreateGroup, GroupMember, UpdateGroup } from './groups.model.ts'
import {
  type GroupEvent,
  MAX_FOLLOWING,
  MAX_GROUPS,
  MAX_GROUPS_OF_ORG,
  MAX_MEMBERS,
  MAX_OWNED,
  mayManage,
  mayRemove,
  textOf,
} from './groups.rules.ts'
import * as store from './groups.store.ts'

/** The caller becomes the owner. */
export async function createGroup(ctx: AppContext, actor: Actor, input: CreateGroup): Promise<Conversation> {
  const { userId } = actor
  const { name, followsOrg = false } = input
  const orgId = input.orgId ?? 0
  const named = (input.userIds ?? []).filter((id) => id !== userId)
  if (followsOrg && orgId === 0) throw errors.followsNothing()
  if (followsOrg && named.length > 0) throw errors.namesNobody()
  const mayFollow = !followsOrg || (await can(ctx, userId, 'ORG', orgId, 'org:update'))
  const now = ctx.clock.now()
  const id = await ctx.db.write(
    'chat.createGroup',
    async (tx) => {
      if (orgId !== 0) await checkMayCreateIn(tx, orgId, userId, followsOrg, mayFollow)
      if ((await store.countOwned(tx, userId)) >= MAX_OWNED) throw errors.tooManyOwned()
      if ((await store.inManyGroups(tx, [userId, ...named], MAX_GROUPS)).length > 0) throw errors.tooManyGroups()
      await checkMayAdd(ctx, tx, orgId, userId, named)
      const group = await store.insertGroup(tx, { name, orgId, followsOrg }, now)
      await store.addMembers(tx, group.id, [userId], 'OWNER', now)
      const others = followsOrg ? await store.orgMembersOutside(tx, orgId, group.id, MAX_MEMBERS) : named
      if ((await store.addMembers(tx, group.id, others, 'MEMBER', now)) === false) throw errors.groupFull()
      await tell(ctx, tx, group.id, 'GROUP_CREATED', [userId], { name })
      return group.id
    },
    IN_ORDER,
  )
  return view(ctx, actor, id)
}

async function checkMayCreateIn(
  tx: Tx,
  orgId: number,
  userId: number,
  followsOrg: boolean,
  mayFollow: boolean,
): Promise<void> {
  const org = await store.findOrgOfMember(tx, orgId, userId)
  if (org === undefined) throw notFound()
  if (org.status === 'DISABLED') throw organizationDisabled
  if (!mayFollow) throw errors.cannotFollow()
  if (followsOrg && org.memberCount > MAX_MEMBERS) throw errors.orgTooLarge()
  const { groups, following } = await store.countOfOrg(tx, orgId)
  if (groups >= MAX_GROUPS_OF_ORG || (followsOrg && following >= MAX_FOLLOWING)) throw errors.tooManyGroupsOfOrg()
}

/**
 * Members of an organization can be added to its groups by each other, others by their contacts only. Users who have blocked the caller
 * or were blocked are answered like unknown ones.
 */
async function checkMayAdd(
  ctx: AppContext,
  tx: Tx,
  orgId: number,
  userId: number,
  named: readonly number[],
): Promise<void> {
  if (named.length === 0) return
  const colleagues = orgId === 0 ? undefined : await store.membersOfOrg(tx, orgId, named)
  for (const id of named) {
    if (colleagues === undefined ? !(await mayKnow(ctx, tx, userId, id)) : !colleagues.has(id)) throw notFound()
    if (await isBlocked(tx, userId, id)) throw notFound()
    if (colleagues === undefined && !(await areContacts(tx, userId, id))) throw errors.contactsOnly()
  }
}

/** @throws AppError 404 for users who were never in the group, 4015 for former members */
async function findOwn(tx: Tx, id: number, userId: number): Promise<store.Membership & { readonly role: GroupRole }> {
  const found = await store.findMembership(tx, id, userId)
  if (found === undefined) throw notFound()
  const { group, role, orgStatus } = found
  if (role === null) throw notInConversation()
  return { group, role, orgStatus }
}

/** The same, for writes: the groups of a disabled organization can only be read. */
async function findWritable(tx: Tx, id: number, userId: number) {
  const found = await findOwn(tx, id, userId)
  if (found.orgStatus === 'DISABLED') throw organizationDisabled
  return found
}

export async function listMembers(
  ctx: AppContext,
  actor: Actor,
  id: number,
  page: PageInput,
): Promise<Page<GroupMember>> {
  const { read } = ctx.db
  const found = await store.findMembership(read, id, actor.userId)
  if (found === undefined) throw notFound()
  if (found.role === null) throw notInConversation()
  const rows = await store.membersPage(read, id, page)
  return { ...rows, items: await toMembers(ctx, rows.items) }
}

async function toMembers(ctx: AppContext, rows: readonly store.GroupMemberRow[]): Promise<GroupMember[]> {
  const ids = rows.map((row) => row.userId)
  const persons = await personsByIds(ctx, ctx.db.read, ids)
  return rows.map(({ userId, role, joinedAt }) => {
    const person = persons.get(userId)
    return { userId, nickname: person?.nickname ?? '', avatarUrl: person?.avatarUrl ?? null, role: role!, joinedAt }
  })
}

/** Users who are members already stay as they are. Adds all of the others or nobody. */
export async function addMembers(
  ctx: AppContext,
  actor: Actor,
  id: number,
  userIds: readonly number[],
): Promise<Conversation> {
  await ctx.db.write(
    'chat.addGroupMembers',
    async (tx) => {
      const { group } = await findWritable(tx, id, actor.userId)
      if (group.followsOrg) throw errors.followsOrganization()
      const members = new Set(await store.memberIds(tx, id))
      const named = userIds.filter((userId) => !members.has(userId))
      if (named.length === 0) return
      await checkMayAdd(ctx, tx, group.orgId, actor.userId, named)
      if ((await store.inManyGroups(tx, named, MAX_GROUPS)).length > 0) throw errors.tooManyGroups()
      await join(ctx, tx, id, named)
    },
    IN_ORDER,
  )
  return view(ctx, actor, id)
}

/** Makes users members of a group, whatever lets them in. @throws AppError 400 if it has too many members then */
export async function join(ctx: AppContext, tx: Tx, id: number, userIds: readonly number[]): Promise<void> {
  const added = await store.addMembers(tx, id, userIds, 'MEMBER', ctx.clock.now())
  if (added === false) throw errors.groupFull()
  if (added.length > 0) await tell(ctx, tx, id, 'MEMBER_JOINED', added, { count: added.length })
}

export async function removeMember(ctx: AppContext, actor: Actor, id: number, userId: number): Promise<void> {
  await ctx.db.write(
    'chat.removeGroupMember',
    async (tx) => {
      const { group, role } = await findWritable(tx, id, actor.userId)
      if (userId === actor.userId) throw errors.removesOneself()
      const target = await store.roleOf(tx, id, userId)
      if (target === null) throw notFound()
      if (!mayRemove(role, target)) throw errors.cannotRemove()
      if (group.followsOrg) throw errors.followsOrganization()
      await endMembership(ctx, tx, group, userId, target, 'MEMBER_REMOVED')
    },
    IN_ORDER,
  )
}

export async function leaveGroup(ctx: AppContext, actor: Actor, id: number): Promise<void> {
  await ctx.db.write(
    'chat.leaveGroup',
    async (tx) => {
      const { group, role } = await findOwn(tx, id, actor.userId)
      if (group.followsOrg) throw errors.followsOrganization()
      await endMembership(ctx, tx, group, actor.userId, role, 'MEMBER_LEFT')
    },
    IN_ORDER,
  )
}

/**
 * Ends a membership. The user sees the message about it as the last one. An owner is succeeded by the longest-serving administrator, or
 * else by the longest-serving member; without members the group has ended.
 */
export async function endMembership(
  ctx: AppContext,
  tx: Tx,
  group: store.GroupRow,
  userId: number,
  role: GroupRole | null,
  event: 'MEMBER_LEFT' | 'MEMBER_REMOVED',
): Promise<void> {
  const { id } = group
  await tell(ctx, tx, id, event, [userId])
  await store.endMemberships(tx, id, [userId])
  if (role !== 'OWNER') return
  const heir = await store.findHeir(tx, id)
  if (heir === undefined) return release(ctx, tx, group)
  await store.setRole(tx, id, heir, 'OWNER')
  await tell(ctx, tx, id, 'OWNER_CHANGED', [heir])
}

/** Ends the memberships of all. The history stays with them. */
export async function endGroup(ctx: AppContext, tx: Tx, group: store.GroupRow, event: 'GROUP_ENDED'): Promise<void> {
  await tell(ctx, tx, group.id, event, [])
  await store.endMemberships(tx, group.id)
  await release(ctx, tx, group)
}

/** Frees what a group without members holds. */
async function release(ctx: AppContext, tx: Tx, group: store.GroupRow): Promise<void> {
  await store.updateGroup(tx, group.id, { orgId: 0, followsOrg: false, avatarFileId: null })
  if (group.avatarFileId !== null) await releaseFile(ctx, tx, group.avatarFileId)
}

export async function updateGroup(
  ctx: AppContext,
  actor: Actor,
  id: number,
  input: UpdateGroup,
): Promise<Conversation> {
  await ctx.db.write(
    'chat.updateGroup',
    async (tx) => {
      const { group, role } = await findWritable(tx, id, actor.userId)
      if (!mayManage(role)) throw errors.managersOnly()
      const {
        name = group.name,
        avatarFileId = group.avatarFileId,
        membersMentionAll = group.membersMentionAll,
        membersPin = group.membersPin,
      } = input
      if (avatarFileId !== null && avatarFileId !== group.avatarFileId) {
        const to = {
          type: 'avatar',
          entityType: 'GROUP',
          entityId: id,
          isPublic: true,
          path: 'body.avatarFileId',
        } as const
        await attachFile(tx, { userId: actor.userId, orgId: 0 }, avatarFileId, to)
      }
      const updated = await store.updateGroup(tx, id, { name, avatarFileId, membersMentionAll, membersPin })
      if (group.avatarFileId !== null && group.avatarFileId !== avatarFileId)
        await releaseFile(ctx, tx, group.avatarFileId)
      if (name !== group.name) await tell(ctx, tx, id, 'GROUP_RENAMED', [actor.userId], { name })
      else if (updated.updatedAt !== group.updatedAt) announce(tx, id, await store.memberIds(tx, id))
    },
    IN_ORDER,
  )
  return view(ctx, actor, id)
}

export async function changeRole(
  ctx: AppContext,
  actor: Actor,
  id: number,
  userId: number,
  role: 'ADMIN' | 'MEMBER',
): Promise<GroupMember> {
  await ctx.db.write('chat.changeGroupRole', async (tx) => {
    const { role: own } = await findWritable(tx, id, actor.userId)
    if (own !== 'OWNER') throw errors.ownerOnly()
    const before = await store.roleOf(tx, id, userId)
    if (before === null) throw notFound()
    if (before === 'OWNER') throw errors.ownerRoleByTransfer()
    if (before === role) return
    await store.setRole(tx, id, userId, role)
    announce(tx, id, [userId])
  })
  const row = await store.findGroupMember(ctx.db.read, id, userId)
  if (row === undefined) throw notFound()
  return (await toMembers(ctx, [row]))[0]!
}

/** The former owner stays as an administrator. */
export async function transferGroup(ctx: AppContext, actor: Actor, id: number, userId: number): Promise<Conversation> {
  await ctx.db.write(
    'chat.transferGroup',
    async (tx) => {
      const { role } = await findWritable(tx, id, actor.userId)
      if (role !== 'OWNER') throw errors.ownerOnly()
      if (userId === actor.userId) return
      if ((await store.roleOf(tx, id, userId)) === null) throw notFound()
      if ((await store.countOwned(tx, userId)) >= MAX_OWNED) throw errors.tooManyOwned()
      await store.setRole(tx, id, actor.userId, 'ADMIN')
      await store.setRole(tx, id, userId, 'OWNER')
      await tell(ctx, tx, id, 'OWNER_CHANGED', [userId])
    },
    IN_ORDER,
  )
  return view(ctx, actor, id)
}

/** Sends a SYSTEM message, and has the members load the group again. */
async function tell(
  ctx: AppContext,
  tx: Tx,
  id: number,
  event: GroupEvent,
  userIds: readonly number[],
  facts?: { count?: number; name?: string },
): Promise<void> {
  await sendSystem(ctx, tx, id, { event, userIds, text: textOf(event, facts) })
  announce(tx, id, await store.memberIds(tx, id))
}

async function view(ctx: AppContext, actor: Actor, id: number): Promise<Conversation> {
  const row = await findMember(ctx.db.read, id, actor.userId)
  if (row === undefined) throw notFound()
  return (await toConversations(ctx, actor.userId, [row]))[0]!
}
