import type { AppContext } from '#context'
import { mapPage, type Page, type PageInput } from '#db/paging.ts'
import type { Tx } from '#db/store.ts'
import * as access from '#domains/access/index.ts'
import { avatarUrl } from '#domains/files/index.ts'
import { ownAddresses } from '#http/addresses.ts'
import type { Actor, Caller } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'
import { organizationDisabled } from '#http/permissions.ts'

import { addMember, findRoleToGive } from '../members/members.service.ts'
import { findMember, nicknameOf } from '../members/members.store.ts'
import { notifyApplicant, notifyApprovers, notifyOwnerOfJoin } from '../notifications.ts'
import { alreadyMember, invitationOnly } from '../orgs.errors.ts'
import { admissionTo, codeInContent, normalizeCode } from '../orgs.rules.ts'
import { findOrg, type OrgRow } from '../orgs.store.ts'
import { findOrgByTypedCode } from '../public/public.service.ts'
import type { Approve, Joined, MyRequestView, PendingView } from './joining.model.ts'
import * as store from './joining.store.ts'

/** At most this many members are notified of a join request. */
const MAX_APPROVERS = 100

/** Makes the user a member or records a join request, as the join policy of the organization says. */
async function joinOrRequest(ctx: AppContext, tx: Tx, org: OrgRow, userId: number, message: string): Promise<Joined> {
  if (await findMember(tx, org.id, userId)) throw alreadyMember()
  switch (admissionTo(org)) {
    case 'disabled':
      throw organizationDisabled
    case 'by invitation only':
      throw invitationOnly()
    case 'member at once':
      await addMember(ctx, tx, org.id, userId)
      await notifyOwnerOfJoin(ctx, tx, org, { userId, nickname: await nicknameOf(tx, userId) })
      return { status: 'JOINED', orgId: org.id, orgName: org.name }
    case 'request':
      // A second request changes nothing, and the approvers are not notified again.
      if (await store.insertRequest(tx, org.id, userId, message)) {
        const userIds = await access.usersHoldingPoint(tx, org.id, 'join_request:approve', MAX_APPROVERS)
        const nickname = await nicknameOf(tx, userId)
        await notifyApprovers(ctx, tx, org, { userIds, userId, nickname, message })
      }
      return { status: 'PENDING', orgId: org.id, orgName: org.name }
  }
}

async function join(ctx: AppContext, actor: Actor, caller: Caller, code: string | undefined): Promise<Joined> {
  const { id } = await findOrgByTypedCode(ctx, caller, code)
  return ctx.db.write('orgs.join', async (tx) => {
    // Read again: the join policy or the code may have changed meanwhile.
    const org = await findOrg(tx, id)
    if (org === undefined || org.code !== code) throw notFound()
    return joinOrRequest(ctx, tx, org, actor.userId, '')
  })
}

export const joinByCode = (ctx: AppContext, actor: Actor, caller: Caller, code: string): Promise<Joined> =>
  join(ctx, actor, caller, normalizeCode(code))

export const joinByQrCode = (ctx: AppContext, actor: Actor, caller: Caller, content: string): Promise<Joined> =>
  join(ctx, actor, caller, codeInContent(content, ownAddresses(ctx)))

/** Joins an organization by its id. 403 if it is INTERNAL or accepts members by invitation only (spec §4.4). */
export const apply = (ctx: AppContext, actor: Actor, orgId: number, message: string): Promise<Joined> =>
  ctx.db.write('orgs.apply', async (tx) => {
    const org = await findOrg(tx, orgId)
    if (org === undefined) throw notFound()
    return joinOrRequest(ctx, tx, org, actor.userId, message)
  })

export async function listRequests(ctx: AppContext, orgId: number, query: PageInput): Promise<Page<PendingView>> {
  return mapPage(await store.requestsPage(ctx.db.read, orgId, query), (row) => ({
    userId: row.userId,
    nickname: row.nickname,
    avatarUrl: avatarUrl(ctx, row.avatar),
    message: row.message,
    createdAt: row.createdAt,
  }))
}

export async function listMyRequests(ctx: AppContext, actor: Actor, query: PageInput): Promise<Page<MyRequestView>> {
  return mapPage(await store.requestsOfUser(ctx.db.read, actor.userId, query), (row) => ({
    orgId: row.orgId,
    orgName: row.orgName,
    orgAvatarUrl: avatarUrl(ctx, row.orgAvatar),
    message: row.message,
    createdAt: row.createdAt,
  }))
}

export const withdrawRequest = (ctx: AppContext, actor: Actor, orgId: number): Promise<void> =>
  ctx.db.write('orgs.withdrawRequest', async (tx) => {
    if (!(await store.deleteRequest(tx, orgId, actor.userId))) throw notFound()
  })

/** Approves or rejects a join request. Of several decisions on one request, all but the first get a 404. */
export async function decideRequest(
  ctx: AppContext,
  actor: Actor,
  orgId: number,
  { userId, approve, reason, roleId }: Approve,
): Promise<void> {
  await ctx.db.write('orgs.decideRequest', async (tx) => {
    const org = await findOrg(tx, orgId)
    if (org === undefined || !(await store.deleteRequest(tx, orgId, userId))) throw notFound()
    const role = await findRoleToGive(tx, actor, orgId, roleId)
    if (approve) await addMember(ctx, tx, orgId, userId, { roleCode: role?.code })
    await notifyApplicant(ctx, tx, org, { userId, approve, reason: reason ?? '' })
  })
}
