import type { AppContext } from '#context'
import { note } from '#db/notes.ts'
import type { Tx } from '#db/store.ts'
import * as access from '#domains/access/index.ts'
import { getSetting } from '#domains/settings/index.ts'
import type { Actor } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'
import { organizationDisabled } from '#http/permissions.ts'
import type { Locale } from '#lib/localized.ts'

import { findMember, isActiveUser } from '../members/members.store.ts'
import { notifyOfTransfer } from '../notifications.ts'
import type { OrgView } from '../organizations/organizations.model.ts'
import { checkMayOwnMore, getOrg } from '../organizations/organizations.service.ts'
import { setOwner } from '../organizations/organizations.store.ts'
import { alreadyOwner, notMember, offerExpired, otherOfferOpen, ownerOnly } from '../orgs.errors.ts'
import { TRANSFER_MS } from '../orgs.rules.ts'
import { findOrg, type OrgRow } from '../orgs.store.ts'
import * as store from './transfers.store.ts'

async function findOwnedOrg(tx: Tx, orgId: number, userId: number): Promise<OrgRow> {
  const org = await findOrg(tx, orgId)
  if (org?.ownerId !== userId) throw ownerOnly()
  return org
}

async function checkCandidate(tx: Tx, org: OrgRow, userId: number): Promise<void> {
  if (org.ownerId === userId) throw alreadyOwner()
  if ((await findMember(tx, org.id, userId)) === undefined || !(await isActiveUser(tx, userId))) throw notMember()
}

/**
 * Offers the organization to a member, who becomes the owner by accepting: an owner cannot delete the account, so nobody becomes one
 * unasked. Repeating the open offer changes nothing.
 */
export async function offerTransfer(
  ctx: AppContext,
  actor: Actor,
  orgId: number,
  userId: number,
  locale: Locale,
): Promise<OrgView> {
  await ctx.db.write('orgs.offerTransfer', async (tx) => {
    const org = await findOwnedOrg(tx, orgId, actor.userId)
    await checkCandidate(tx, org, userId)
    const now = ctx.clock.now()
    const expiresAt = now + TRANSFER_MS
    if (await store.insertOffer(tx, { orgId, candidateId: userId, expiresAt }, now))
      await notifyOfTransfer(ctx, tx, org, { event: 'OFFERED', to: userId, userId, expiresAt })
    else if ((await store.findOffer(tx, orgId))?.candidateId !== userId) throw otherOfferOpen()
  })
  return getOrg(ctx, actor, orgId, locale)
}

export async function withdrawTransfer(ctx: AppContext, actor: Actor, orgId: number): Promise<void> {
  await ctx.db.write('orgs.withdrawTransfer', async (tx) => {
    const org = await findOwnedOrg(tx, orgId, actor.userId)
    const offer = await store.findOffer(tx, orgId)
    if (offer === undefined || !(await store.deleteOffer(tx, orgId)) || offer.expiresAt <= ctx.clock.now())
      throw notFound()
    await notifyOfWithdrawal(ctx, tx, org, offer.candidateId)
  })
}

const notifyOfWithdrawal = (ctx: AppContext, tx: Tx, org: OrgRow, candidateId: number): Promise<void> =>
  notifyOfTransfer(ctx, tx, org, { event: 'WITHDRAWN', to: candidateId, userId: candidateId })

/** Accepts or declines an offer to the caller. Of several answers, and of an answer and a withdrawal, the first counts. */
export async function answerTransfer(
  ctx: AppContext,
  actor: Actor,
  orgId: number,
  accept: boolean,
  locale: Locale,
): Promise<OrgView> {
  const { userId } = actor
  const quota = await getSetting(ctx, 'quota.organizations')
  await ctx.db.write('orgs.answerTransfer', async (tx) => {
    const offer = await store.findOffer(tx, orgId)
    const org = await findOrg(tx, orgId)
    if (org === undefined || offer?.candidateId !== userId) throw notFound()
    if (offer.expiresAt <= ctx.clock.now()) throw offerExpired()
    if (accept && org.status !== 'ACTIVE') throw organizationDisabled
    if (accept) await checkMayOwnMore(tx, userId, quota)
    if (!(await store.deleteOffer(tx, orgId, userId))) throw notFound()
    if (accept) await transferOwnership(ctx, tx, org, userId)
    else await notifyOfTransfer(ctx, tx, org, { event: 'DECLINED', to: org.ownerId, userId })
  })
  return getOrg(ctx, actor, orgId, locale)
}

/**
 * Makes a member the owner at once, and notifies both. The former owner gets the role ADMIN. An open offer ends, and a candidate who did not
 * become the owner is notified. @throws AppError 400 if the user is not a member, or is the owner already
 */
export async function transferOwnership(ctx: AppContext, tx: Tx, org: OrgRow, to: number): Promise<void> {
  const { id: orgId, ownerId: from } = org
  await checkCandidate(tx, org, to)
  if (!(await setOwner(tx, orgId, from, to))) throw ownerOnly()
  const offer = await store.findOffer(tx, orgId)
  await store.deleteOffer(tx, orgId)
  if (offer !== undefined && offer.candidateId !== to && offer.expiresAt > ctx.clock.now())
    await notifyOfWithdrawal(ctx, tx, org, offer.candidateId)
  await access.unbindRoles(tx, from, 'ORG', orgId)
  await access.unbindRoles(tx, to, 'ORG', orgId)
  await access.bindRole(tx, from, 'ORG', orgId, 'ADMIN')
  await access.bindRole(tx, to, 'ORG', orgId, access.OWNER)
  for (const id of [from, to]) note(tx, { type: 'member.role_changed', owner: orgId, id })
  for (const userId of [from, to]) await notifyOfTransfer(ctx, tx, org, { event: 'DONE', to: userId, userId: to })
}
