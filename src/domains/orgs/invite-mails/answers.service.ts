/** Answers to invitations by mail. Anyone who has the link may give them. */

import type { AppContext } from '#context'
import type { Tx } from '#db/store.ts'
import * as access from '#domains/access/index.ts'
import type { FindMailInvitation } from '#domains/contributions.ts'
import { avatarUrl } from '#domains/files/index.ts'
import { getSetting } from '#domains/settings/index.ts'
import { findBySecret } from '#http/admission.ts'
import type { Actor, Caller } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'
import { shortenAddress } from '#lib/text.ts'
import { sha256 } from '#platform/ids.ts'

import type { MemberView } from '../members/members.model.ts'
import { addMember, getMember, MEMBER } from '../members/members.service.ts'
import { findMember, nicknameOf } from '../members/members.store.ts'
import { notifyInviter } from '../notifications.ts'
import type { MailInvitationView } from './invite-mails.model.ts'
import * as store from './invite-mails.store.ts'

const isOpen = ({ invitation }: store.OpenInvitation, now: number): boolean =>
  invitation.status === 'PENDING' && invitation.expiresAt > now

/** @throws AppError 404 for a wrong token and an invitation that is not open, 429 after too many */
export async function showMailInvitation(ctx: AppContext, token: string, caller: Caller): Promise<MailInvitationView> {
  const { invitation, org, inviter } = await findOpen(ctx, token, caller)
  const [isEnabled, byInvitation] = [
    await getSetting(ctx, 'registration.enabled'),
    await getSetting(ctx, 'registration.byInvitation'),
  ]
  return {
    org: {
      name: org.name,
      avatarUrl: avatarUrl(ctx, org.avatar),
      memberCount: org.visibility === 'PUBLIC' ? org.memberCount : null,
    },
    inviter,
    email: shortenAddress(invitation.email ?? ''),
    expiresAt: invitation.expiresAt,
    registrationOpen: isEnabled || byInvitation,
  }
}

async function findOpen(ctx: AppContext, token: string, caller: Caller): Promise<store.OpenInvitation> {
  const found = await findBySecret(ctx, caller, async () => {
    const row = await store.findByToken(ctx.db.read, sha256(token))
    return row !== undefined && isOpen(row, ctx.clock.now()) ? row : undefined
  })
  if (found === undefined) throw notFound()
  return found
}

/** If the user cannot become a member (limit reached, disabled), the invitation stays open. */
export async function acceptByMail(
  ctx: AppContext,
  { userId }: Actor,
  token: string,
  caller: Caller,
): Promise<MemberView> {
  const found = await findBySecret(ctx, caller, () => store.findByToken(ctx.db.read, sha256(token)))
  if (found === undefined) throw notFound()
  const { orgId } = found.invitation
  await ctx.db.write('orgs.acceptByMail', async (tx) => {
    const now = await store.findById(tx, found.invitation.id)
    const isRepeated = now?.status === 'ACCEPTED' && now.inviteeId === userId
    if (isRepeated && (await findMember(tx, orgId, userId)) !== undefined) return
    await accept(ctx, tx, found, userId)
  })
  return getMember(ctx, orgId, userId, caller.locale)
}

async function accept(
  ctx: AppContext,
  tx: Tx,
  { invitation, org }: store.OpenInvitation,
  userId: number,
): Promise<void> {
  const { id, orgId, inviterId, roleId } = invitation
  if (!(await store.closeByMail(tx, id, { status: 'ACCEPTED', inviteeId: userId }, ctx.clock.now()))) throw notFound()
  const role = roleId === null ? undefined : await access.findOrgRole(tx, orgId, { id: roleId })
  await addMember(ctx, tx, orgId, userId, { roleCode: role?.code ?? MEMBER })
  // Who has left the organization learns nothing about its members.
  if ((await findMember(tx, orgId, inviterId)) === undefined) return
  const nickname = await nicknameOf(tx, userId)
  await notifyInviter(ctx, tx, org, { inviterId, invitationId: id, userId, nickname, accept: true })
}

export async function declineByMail(ctx: AppContext, token: string, caller: Caller): Promise<void> {
  const { invitation, org } = await findOpen(ctx, token, caller)
  await ctx.db.write('orgs.declineByMail', async (tx) => {
    const { id, orgId, inviterId, email } = invitation
    if (!(await store.closeByMail(tx, id, { status: 'REJECTED' }, ctx.clock.now()))) throw notFound()
    if ((await findMember(tx, orgId, inviterId)) === undefined) return
    const nickname = shortenAddress(email ?? '')
    await notifyInviter(ctx, tx, org, { inviterId, invitationId: id, nickname, accept: false })
  })
}

/** For registration. */
export const findMailInvitation: FindMailInvitation = async (ctx, token) => {
  const found = await store.findByToken(ctx.db.read, sha256(token))
  if (found === undefined || !isOpen(found, ctx.clock.now()) || found.invitation.email === null) return undefined
  return { email: found.invitation.email, accept: (tx, userId) => accept(ctx, tx, found, userId) }
}
