import type { AppContext } from '#context'
import { mapPage, type Page, type PageInput } from '#db/paging.ts'
import type { Tx } from '#db/store.ts'
import * as access from '#domains/access/index.ts'
import type { Actor } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'

import { invitationSettled, linkIsUseless, orgDisabled } from '../errors.ts'
import { addMember } from '../members/membership.ts'
import { findMember } from '../members/store.ts'
import { tellInvited, tellJoinLink } from '../notices.ts'
import { findOrg, type OrgRow } from '../organizations/store.ts'
import { toQrCode } from '../organizations/view.ts'
import { findTargets, type Target } from '../people/targets.ts'
import { admissionTo, INVITATION_MS, statusAt } from '../rules.ts'
import type { InvitationsQuery, InvitationView, Invited, LinkShared, Targets } from './model.ts'
import { findInvitation, insertInvitation, invitationsOfOrg, openInvitationsOf, rowOf, settle } from './store.ts'
import { toInvitationView } from './view.ts'

async function activeOrg(tx: Tx, orgId: number): Promise<OrgRow> {
  const org = await findOrg(tx, orgId)
  if (org === undefined) throw notFound()
  if (org.status !== 'ACTIVE') throw orgDisabled()
  return org
}

/** One answer for each target; those who can be invited are, and are told. */
export async function invite(ctx: AppContext, actor: Actor, orgId: number, named: Targets): Promise<Invited> {
  const targets = await findTargets(ctx, named, 1)
  const items = await ctx.db.write('orgs.invite', async (tx) => {
    const org = await activeOrg(tx, orgId)
    const answers: Invited['items'] = []
    for (const one of targets) answers.push(await inviteOne(ctx, tx, org, actor.userId, one))
    return answers
  })
  return { items }
}

async function inviteOne(
  ctx: AppContext,
  tx: Tx,
  org: OrgRow,
  inviterId: number,
  { target, userId }: Target,
): Promise<Invited['items'][number]> {
  if (userId === undefined) return { target, status: 'NOT_FOUND' }
  if (await findMember(tx, org.id, userId)) return { target, status: 'ALREADY_MEMBER' }
  const now = ctx.clock.now()
  const expiresAt = now + INVITATION_MS
  const invitationId = await insertInvitation(tx, { orgId: org.id, inviterId, inviteeId: userId, expiresAt }, now)
  if (invitationId === undefined) return { target, status: 'ALREADY_INVITED' }
  await tellInvited(ctx, tx, org, { inviteeId: userId, invitationId, inviterId, expiresAt })
  return { target, status: 'INVITED', invitationId }
}

/** The link itself, and, to those named who are no members yet, a notification with it. */
export async function shareJoinLink(ctx: AppContext, actor: Actor, orgId: number, named: Targets): Promise<LinkShared> {
  const targets = await findTargets(ctx, named, 0)
  return ctx.db.write('orgs.shareJoinLink', async (tx) => {
    const org = await activeOrg(tx, orgId)
    // The link would lead to a refusal.
    if (admissionTo(org) === 'by invitation only') throw linkIsUseless()
    const { content, publicUrl, imageUrl } = toQrCode(ctx, org)
    const items: LinkShared['items'] = []
    const userIds = new Set<number>()
    for (const { target, userId } of targets) {
      if (userId === undefined) items.push({ target, status: 'NOT_FOUND' })
      else if (await findMember(tx, orgId, userId)) items.push({ target, status: 'ALREADY_MEMBER' })
      else {
        items.push({ target, status: 'SENT' })
        userIds.add(userId)
      }
    }
    await tellJoinLink(ctx, tx, org, { userIds: [...userIds], content, inviterId: actor.userId })
    return { content, url: publicUrl, imageUrl, items }
  })
}

export async function listInvitations(
  ctx: AppContext,
  orgId: number,
  query: InvitationsQuery,
): Promise<Page<InvitationView>> {
  const now = ctx.clock.now()
  return mapPage(await invitationsOfOrg(ctx.db.read, orgId, query, now), (row) => toInvitationView(row, now))
}

export async function listMyInvitations(
  ctx: AppContext,
  actor: Actor,
  query: PageInput,
): Promise<Page<InvitationView>> {
  const now = ctx.clock.now()
  return mapPage(await openInvitationsOf(ctx.db.read, actor.userId, query, now), (row) => toInvitationView(row, now))
}

/** Who is invited sees it, and who may see the organization's invitations. */
export async function getInvitation(ctx: AppContext, actor: Actor, id: number): Promise<InvitationView> {
  const found = await findInvitation(ctx.db.read, id)
  if (found === undefined) throw notFound()
  const { inviteeId, orgId } = found.invitation
  if (inviteeId !== actor.userId && !(await access.can(ctx, actor.userId, 'ORG', orgId, 'invitation:read')))
    throw notFound()
  return toInvitationView(found, ctx.clock.now())
}

/** Withdraws an open invitation. */
export async function cancelInvitation(
  ctx: AppContext,
  actor: Actor,
  orgId: number,
  id: number,
): Promise<InvitationView> {
  await ctx.db.write('orgs.cancelInvitation', async (tx) => {
    const now = ctx.clock.now()
    if (await settle(tx, id, { orgId }, 'CANCELLED', now)) return
    const row = await rowOf(tx, id)
    if (row?.orgId !== orgId) throw notFound()
    throw invitationSettled(statusAt(row, now))
  })
  return getInvitation(ctx, actor, id)
}

/** The invitee's one answer. Accepting makes them a member, within the limit, or leaves the invitation open. */
export async function respond(ctx: AppContext, actor: Actor, id: number, accept: boolean): Promise<InvitationView> {
  const { userId } = actor
  await ctx.db.write('orgs.respond', async (tx) => {
    const now = ctx.clock.now()
    const row = await rowOf(tx, id)
    if (row?.inviteeId !== userId) throw notFound()
    if (!(await settle(tx, id, { inviteeId: userId }, accept ? 'ACCEPTED' : 'REJECTED', now)))
      throw invitationSettled(statusAt(row, now))
    if (accept) await addMember(ctx, tx, row.orgId, userId)
  })
  return getInvitation(ctx, actor, id)
}
