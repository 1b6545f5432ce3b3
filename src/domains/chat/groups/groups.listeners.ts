/** Groups of organizations follow their membership, and no group keeps a user whose account is deleted. */

import type { AppContext } from '#context'
import type { Tx } from '#db/store.ts'
import type { LostFiles } from '#domains/events.ts'

import { announce } from '../conversations/conversations.view.ts'
import { MAX_MEMBERS } from './groups.rules.ts'
import { endGroup, endMembership, join } from './groups.service.ts'
import * as store from './groups.store.ts'

/** A new member of an organization joins the groups that follow it and have room. */
export async function followJoined(
  ctx: AppContext,
  tx: Tx,
  { orgId, userId }: { readonly orgId: number; readonly userId: number },
): Promise<void> {
  for (const { id, followsOrg, memberCount } of await store.groupsOfOrg(tx, orgId))
    if (followsOrg && memberCount < MAX_MEMBERS) await join(ctx, tx, id, [userId])
}

/** A former member of an organization leaves all of its groups. Their place goes to the earliest member who found a group full. */
export async function followLeft(
  ctx: AppContext,
  tx: Tx,
  { orgId, userId }: { readonly orgId: number; readonly userId: number },
): Promise<void> {
  for (const { group, role } of await store.groupsOf(tx, userId, orgId)) {
    await endMembership(ctx, tx, group, userId, role, 'MEMBER_LEFT')
    if (!group.followsOrg || group.memberCount < MAX_MEMBERS) continue
    const next = await store.orgMembersOutside(tx, orgId, group.id, 1)
    if (next.length > 0) await join(ctx, tx, group.id, next)
  }
}

export async function endGroupsOfOrg(ctx: AppContext, tx: Tx, orgId: number): Promise<void> {
  for (const group of await store.groupsOfOrg(tx, orgId)) {
    await endGroup(ctx, tx, group, 'GROUP_ENDED')
    await tx.pause()
  }
}

/** The groups of contacts; those of organizations were left with the organizations. */
export async function leaveAllGroups(ctx: AppContext, tx: Tx, userId: number): Promise<void> {
  for (const { group, role } of await store.groupsOf(tx, userId)) {
    await endMembership(ctx, tx, group, userId, role, 'MEMBER_LEFT')
    await tx.pause()
  }
}

/** Groups of up to 500 members that are announced before other requests run. */
const GROUPS_PER_TURN = 10

/** Takes deleted files away from the groups whose pictures they were. */
export async function clearAvatars(tx: Tx, { fileIds, entityIds }: LostFiles): Promise<void> {
  for (const [i, id] of (await store.clearAvatars(tx, entityIds, fileIds)).entries()) {
    announce(tx, id, await store.memberIds(tx, id))
    if (i % GROUPS_PER_TURN === GROUPS_PER_TURN - 1) await tx.pause()
  }
}
