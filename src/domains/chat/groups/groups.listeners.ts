/** Groups of organizations follow their membership, and no group keeps a user whose account is deleted. */

import type { AppContext } from '#context'
import type { OwnerKey } from '#db/owner-key.ts'
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

/** The same for members whom an import made: as many as there is room for. */
export async function followImported(
  ctx: AppContext,
  tx: Tx,
  { orgId, userIds }: { readonly orgId: number; readonly userIds: readonly number[] },
): Promise<void> {
  for (const { id, followsOrg, memberCount } of await store.groupsOfOrg(tx, orgId)) {
    const some = userIds.slice(0, Math.max(0, MAX_MEMBERS - memberCount))
    if (followsOrg && some.length > 0) await join(ctx, tx, id, some)
  }
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

/** Ends the groups of an organization that was dissolved, or the memberships of a user in groups of contacts. A change of a group changes the rows of all members. */
export async function removeFromGroups(ctx: AppContext, tx: Tx, owner: OwnerKey, limit: number): Promise<number> {
  const left =
    owner > 0
      ? (await store.groupsOfOrg(tx, owner)).map((group) => ({ group, role: null }))
      : await store.groupsOf(tx, -owner)
  let rows = 0
  for (const { group, role } of left) {
    if (rows >= limit) return limit
    if (owner > 0) await endGroup(ctx, tx, group, 'GROUP_ENDED')
    else await endMembership(ctx, tx, group, -owner, role, 'MEMBER_LEFT')
    rows += Math.max(1, group.memberCount)
  }
  return Math.min(rows, limit)
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
