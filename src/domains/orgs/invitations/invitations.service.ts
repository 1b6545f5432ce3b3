import type { AppContext } from '#context'
import { mapPage, type Page, type PageInput } from '#db/paging.ts'
import type { Tx } from '#db/store.ts'
import * as access from '#domains/access/index.ts'
import { normalizeEmail, normalizePhone, userIdsByProvedContact } from '#domains/accounts/index.ts'
import { avatarUrl } from '#domains/files/index.ts'
import type { Actor } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'
import { organizationDisabled } from '#http/permissions.ts'
import type { Locale } from '#lib/localized.ts'
import { shortenAddress } from '#lib/text.ts'

import { addMember, findRoleToGive, MEMBER } from '../members/members.service.ts'
import { findMember, nicknameOf } from '../members/members.store.ts'
import { notifyInvitee, notifyInviter, notifyOfJoinLink } from '../notifications.ts'
import { toQrCode } from '../organizations/organizations.view.ts'
import { invitationClosed, joinLinkRefused, noTargets, tooManyTargets } from '../orgs.errors.ts'
import { admissionTo, INVITATION_MS, invitationStatusAt } from '../orgs.rules.ts'
import { findOrg, type OrgRow } from '../orgs.store.ts'
import {
  type FoundUsers,
  type InvitationsQuery,
  type InvitationView,
  type Invite,
  type Invited,
  type LinkShared,
  MAX_TARGETS,
  type Targets,
} from './invitations.model.ts'
import * as store from './invitations.store.ts'

const MAX_FOUND_USERS = 20

interface Target {
  /** The user id, e-mail address or phone number as it was given. */
  readonly target: number | string
  /** Undefined if no active user has it, or if the contact is not proved. */
  readonly userId: number | undefined
}

/** Never includes the caller. */
export async function searchUsers(ctx: AppContext, actor: Actor, q: string): Promise<FoundUsers> {
  const { read } = ctx.db
  const email = normalizeEmail(q)
  const contactOf = email === undefined ? undefined : (await userIdsByProvedContact(read, 'EMAIL', [email])).get(email)
  const found = await store.searchUsers(read, actor.userId, { q, contactOf, limit: MAX_FOUND_USERS })
  return { items: found.map(({ id, nickname, avatar }) => ({ id, nickname, avatarUrl: avatarUrl(ctx, avatar) })) }
}

/** In the order user ids, e-mail addresses, phone numbers. */
async function findTargets(ctx: AppContext, input: Targets): Promise<Target[]> {
  const { userIds = [], emails = [], phones = [] } = input
  if (userIds.length + emails.length + phones.length > MAX_TARGETS) throw tooManyTargets(MAX_TARGETS)
  const { read } = ctx.db
  const active = await store.activeUserIds(read, userIds)
  const addresses = emails.map((email) => normalizeEmail(email) ?? '')
  const byEmail = await userIdsByProvedContact(read, 'EMAIL', addresses)
  const numbers = await Promise.all(phones.map(async (phone) => (await normalizePhone(phone)) ?? ''))
  const byPhone = await userIdsByProvedContact(read, 'PHONE', numbers)
  return [
    ...userIds.map((id) => ({ target: id, userId: active.has(id) ? id : undefined })),
    ...emails.map((email, i) => ({ target: email, userId: byEmail.get(addresses[i]!) })),
    ...phones.map((phone, i) => ({ target: phone, userId: byPhone.get(numbers[i]!) })),
  ]
}

/** `target` as items of answers have it. */
const named = (target: number | string) =>
  typeof target === 'number' ? { target, userId: target, contact: null } : { target, userId: null, contact: target }

async function findActiveOrg(tx: Tx, orgId: number): Promise<OrgRow> {
  const org = await findOrg(tx, orgId)
  if (org === undefined) throw notFound()
  if (org.status !== 'ACTIVE') throw organizationDisabled
  return org
}

/** Invites and notifies every target that can be invited. The result has an item for each target. */
export async function invite(ctx: AppContext, actor: Actor, orgId: number, input: Invite): Promise<Invited> {
  const targets = await findTargets(ctx, input)
  if (targets.length === 0) throw noTargets()
  const items = await ctx.db.write('orgs.invite', async (tx) => {
    const org = await findActiveOrg(tx, orgId)
    const role = await findRoleToGive(tx, actor, orgId, input.roleId)
    const by = { inviterId: actor.userId, roleId: role?.id ?? null }
    const results: Invited['items'] = []
    for (const target of targets) results.push(await inviteOne(ctx, tx, org, by, target))
    return results
  })
  return { items }
}

async function inviteOne(
  ctx: AppContext,
  tx: Tx,
  org: OrgRow,
  { inviterId, roleId }: { inviterId: number; roleId: number | null },
  { target, userId }: Target,
): Promise<Invited['items'][number]> {
  if (userId === undefined) return { ...named(target), status: 'NOT_FOUND' }
  if (await findMember(tx, org.id, userId)) return { ...named(target), status: 'ALREADY_MEMBER' }
  const now = ctx.clock.now()
  const expiresAt = now + INVITATION_MS
  const invitation = { orgId: org.id, inviterId, inviteeId: userId, expiresAt, roleId }
  const invitationId = await store.insertInvitation(tx, invitation, now)
  if (invitationId === undefined) return { ...named(target), status: 'ALREADY_INVITED' }
  await notifyInvitee(ctx, tx, org, { inviteeId: userId, invitationId, inviterId, expiresAt })
  return { ...named(target), status: 'INVITED', invitationId }
}

/** Returns the link to join, and sends it in a notification to the targets that are not members. */
export async function shareJoinLink(ctx: AppContext, actor: Actor, orgId: number, input: Targets): Promise<LinkShared> {
  const targets = await findTargets(ctx, input)
  return ctx.db.write('orgs.shareJoinLink', async (tx) => {
    const org = await findActiveOrg(tx, orgId)
    if (admissionTo(org) === 'by invitation only') throw joinLinkRefused()
    const { content, publicUrl, imageUrl } = toQrCode(ctx, org)
    const items: LinkShared['items'] = []
    const userIds = new Set<number>()
    for (const { target, userId } of targets) {
      if (userId === undefined) items.push({ ...named(target), status: 'NOT_FOUND' })
      else if (await findMember(tx, orgId, userId)) items.push({ ...named(target), status: 'ALREADY_MEMBER' })
      else {
        items.push({ ...named(target), status: 'SENT' })
        userIds.add(userId)
      }
    }
    await notifyOfJoinLink(ctx, tx, org, { userIds: [...userIds], content, inviterId: actor.userId })
    return { content, url: publicUrl, imageUrl, items }
  })
}

export async function listInvitations(
  ctx: AppContext,
  orgId: number,
  query: InvitationsQuery,
  locale: Locale,
): Promise<Page<InvitationView>> {
  const now = ctx.clock.now()
  return mapPage(await store.invitationsOfOrg(ctx.db.read, orgId, query, now), (row) => toView(ctx, row, now, locale))
}

export async function listMyInvitations(
  ctx: AppContext,
  actor: Actor,
  query: PageInput,
  locale: Locale,
): Promise<Page<InvitationView>> {
  const now = ctx.clock.now()
  return mapPage(await store.openInvitationsOfUser(ctx.db.read, actor.userId, query, now), (row) =>
    toView(ctx, row, now, locale),
  )
}

/** Visible to the invitee and to users with `invitation:read` in the organization; 404 for all others. */
export async function getInvitation(
  ctx: AppContext,
  actor: Actor,
  id: number,
  locale: Locale,
): Promise<InvitationView> {
  const row = await store.findInvitation(ctx.db.read, id)
  if (row === undefined) throw notFound()
  const { inviteeId, orgId } = row.invitation
  if (inviteeId !== actor.userId && !(await access.can(ctx, actor.userId, 'ORG', orgId, 'invitation:read')))
    throw notFound()
  return toView(ctx, row, ctx.clock.now(), locale)
}

export async function cancelInvitation(
  ctx: AppContext,
  actor: Actor,
  orgId: number,
  id: number,
  locale: Locale,
): Promise<InvitationView> {
  await ctx.db.write('orgs.cancelInvitation', async (tx) => {
    const now = ctx.clock.now()
    if (await store.closeInvitation(tx, id, { orgId }, 'CANCELLED', now)) return
    const row = await store.findInvitationRow(tx, id)
    if (row?.orgId !== orgId) throw notFound()
    throw invitationClosed(invitationStatusAt(row, now))
  })
  return getInvitation(ctx, actor, id, locale)
}

/**
 * Code of the role that an invitation gives: the chosen one, if it exists and the inviter may still give it. Undefined for MEMBER.
 */
async function roleFrom(tx: Tx, { orgId, inviterId, roleId }: store.InvitationRow): Promise<string | undefined> {
  const role = roleId === null ? undefined : await access.findOrgRole(tx, orgId, { id: roleId })
  if (role === undefined) return undefined
  const mayGive =
    (await access.roleHasPoint(tx, inviterId, orgId, 'member:assign_role')) &&
    (await access.coversRole(tx, orgId, inviterId, role))
  return mayGive && role.code !== access.OWNER ? role.code : undefined
}

/** If the invitee cannot become a member (limit reached, disabled), the invitation stays open. */
export async function respondToInvitation(
  ctx: AppContext,
  actor: Actor,
  id: number,
  accept: boolean,
  locale: Locale,
): Promise<InvitationView> {
  const { userId } = actor
  await ctx.db.write('orgs.respondToInvitation', async (tx) => {
    const now = ctx.clock.now()
    const row = await store.findInvitationRow(tx, id)
    if (row?.inviteeId !== userId) throw notFound()
    if (!(await store.closeInvitation(tx, id, { inviteeId: userId }, accept ? 'ACCEPTED' : 'REJECTED', now)))
      throw invitationClosed(invitationStatusAt(row, now))
    if (accept) await addMember(ctx, tx, row.orgId, userId, { roleCode: await roleFrom(tx, row) })
    const { orgId, inviterId } = row
    const org = await findOrg(tx, orgId)
    // Who has left the organization learns nothing about its members.
    if (org === undefined || (await findMember(tx, orgId, inviterId)) === undefined) return
    const nickname = await nicknameOf(tx, userId)
    await notifyInviter(ctx, tx, org, { inviterId, invitationId: id, userId, nickname, accept })
  })
  return getInvitation(ctx, actor, id, locale)
}

/** `now` (epoch milliseconds) decides whether a pending invitation has expired. */
export const toView = (
  ctx: AppContext,
  row: store.InvitationWithNames,
  now: number,
  locale: Locale,
): InvitationView => ({
  id: row.invitation.id,
  orgId: row.invitation.orgId,
  orgName: row.orgName,
  orgAvatarUrl: avatarUrl(ctx, row.orgAvatar),
  inviterId: row.invitation.inviterId,
  inviterNickname: row.inviterNickname,
  inviteeId: row.invitation.inviteeId,
  inviteeNickname: row.inviteeNickname,
  target: row.invitation.email && shortenAddress(row.invitation.email),
  roleId: row.roleCode === null ? null : row.invitation.roleId,
  roleName: access.orgRoleName({ code: row.roleCode ?? MEMBER, name: row.roleName ?? 'Member' }, locale),
  status: invitationStatusAt(row.invitation, now),
  expiresAt: row.invitation.expiresAt,
  respondedAt: row.invitation.respondedAt,
  createdAt: row.invitation.createdAt,
})
