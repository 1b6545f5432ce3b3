import type { AppContext } from '#context'
import { mapPage, type Page, type PageInput } from '#db/paging.ts'
import type { Tx } from '#db/store.ts'
import * as access from '#domains/access/index.ts'
import type { Actor, Caller } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'

import { alreadyMember, byInvitationOnly, orgDisabled } from '../errors.ts'
import { lookUpCode } from '../guesses.ts'
import { addMember } from '../members/membership.ts'
import { findMember } from '../members/store.ts'
import { tellApplicant, tellApprovers } from '../notices.ts'
import { findOrg, findOrgByCode, type OrgRow } from '../organizations/store.ts'
import { admissionTo, codeInContent, normalizeCode } from '../rules.ts'
import type { Approve, Joined, PendingView } from './model.ts'
import { insertRequest, nicknameOf, requestsPage, takeRequest } from './store.ts'

/** Those told of a request; in a larger group the first of them. */
const MAX_APPROVERS = 100

/** As the organization's policy says: at once, or after approval; not at all where one has to be invited. */
async function enter(ctx: AppContext, tx: Tx, org: OrgRow, userId: number, message: string): Promise<Joined> {
  if (await findMember(tx, org.id, userId)) throw alreadyMember()
  switch (admissionTo(org)) {
    case 'closed':
      throw orgDisabled()
    case 'by invitation only':
      throw byInvitationOnly()
    case 'join':
      await addMember(ctx, tx, org.id, userId)
      return { status: 'JOINED', orgId: org.id, orgName: org.name }
    case 'ask':
      // Asking again changes nothing and bothers nobody.
      if (await insertRequest(tx, org.id, userId, message)) {
        const userIds = await access.orgHolders(tx, org.id, 'join_request:approve', MAX_APPROVERS)
        await tellApprovers(ctx, tx, org, { userIds, userId, nickname: await nicknameOf(tx, userId), message })
      }
      return { status: 'PENDING', orgId: org.id, orgName: org.name }
  }
}

async function joinCode(ctx: AppContext, actor: Actor, caller: Caller, code: string | undefined): Promise<Joined> {
  const found = await lookUpCode(ctx, caller, async () =>
    code === undefined ? undefined : findOrgByCode(ctx.db.read, code),
  )
  return ctx.db.write('orgs.join', async (tx) => {
    // Read again: policy and code may have changed since.
    const org = await findOrg(tx, found.id)
    if (org === undefined || org.code !== code) throw notFound()
    return enter(ctx, tx, org, actor.userId, '')
  })
}

export const joinByCode = (ctx: AppContext, actor: Actor, caller: Caller, code: string): Promise<Joined> =>
  joinCode(ctx, actor, caller, normalizeCode(code))

export const joinByQrCode = (ctx: AppContext, actor: Actor, caller: Caller, content: string): Promise<Joined> =>
  joinCode(ctx, actor, caller, codeInContent(content, ctx.config.publicUrl))

/** To an organization found by its id: an INTERNAL one and one by invitation are 403 (spec §4.4). */
export const apply = (ctx: AppContext, actor: Actor, orgId: number, message: string): Promise<Joined> =>
  ctx.db.write('orgs.apply', async (tx) => {
    const org = await findOrg(tx, orgId)
    if (org === undefined) throw notFound()
    return enter(ctx, tx, org, actor.userId, message)
  })

export async function listPending(ctx: AppContext, orgId: number, query: PageInput): Promise<Page<PendingView>> {
  return mapPage(await requestsPage(ctx.db.read, orgId, query), (row) => ({
    userId: row.userId,
    nickname: row.nickname,
    avatarUrl: row.avatarUrl,
    message: row.message,
    createdAt: row.createdAt,
  }))
}

/** One decision for a request: the second of two finds nothing. Approving makes a member, within the limit. */
export async function decide(ctx: AppContext, orgId: number, { userId, approve, reason }: Approve): Promise<void> {
  await ctx.db.write('orgs.approve', async (tx) => {
    const org = await findOrg(tx, orgId)
    if (org === undefined || !(await takeRequest(tx, orgId, userId))) throw notFound()
    if (approve) await addMember(ctx, tx, orgId, userId)
    await tellApplicant(ctx, tx, org, { userId, approve, reason: reason ?? '' })
  })
}
