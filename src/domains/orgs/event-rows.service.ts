/** Organizations, members and who wants to be one as webhooks tell of them: without the code to join. */

import * as access from '#domains/access/index.ts'
import type { EventRows } from '#domains/contributions.ts'
import { avatarUrl } from '#domains/files/index.ts'
import { Id, Model } from '#http/schema.ts'

import { InvitationView } from './invitations/invitations.model.ts'
import { toView as toInvitationView } from './invitations/invitations.service.ts'
import { findInvitation } from './invitations/invitations.store.ts'
import { PendingView } from './joining/joining.model.ts'
import { requestsByIds } from './joining/joining.store.ts'
import { MemberView } from './members/members.model.ts'
import { toView as toMemberView } from './members/members.service.ts'
import { findMember } from './members/members.store.ts'
import { OrgView, publicFields } from './organizations/organizations.model.ts'
import { toOrgView } from './organizations/organizations.view.ts'
import { findOrg } from './orgs.store.ts'

/** Of `roleName`. */
const LOCALE = 'en'

const { code: _code, ...fields } = publicFields
const { status, memberLimit, timeZone, ownerId } = OrgView.properties

const organizations: EventRows = {
  schema: Model('OrganizationEvent', { ...fields, status, memberLimit, timeZone, ownerId }),
  name: 'name',
  async rows(ctx, tx, owner) {
    const org = await findOrg(tx, owner)
    if (org === undefined) return []
    const view = toOrgView(ctx, org, undefined)
    const {
      code: _1,
      isOwner: _2,
      permissions: _3,
      roleName: _4,
      requestedAt: _5,
      pendingTransfer: _6,
      ...shown
    } = view
    return [{ ...shown, ownerId: org.ownerId }]
  },
}

/** The id of a member is that of the user. */
const members: EventRows = {
  schema: Model('MemberEvent', { id: Id, ...MemberView.properties }),
  name: 'nickname',
  async rows(ctx, tx, orgId, userIds) {
    const org = await findOrg(tx, orgId)
    if (org === undefined) return []
    const roles = Map.groupBy(await access.orgRolesOfMany(tx, [orgId], [...userIds]), (role) => role.userId)
    const views = []
    for (const id of userIds) {
      const member = await findMember(tx, orgId, id)
      if (member !== undefined)
        views.push({ id, ...toMemberView(ctx, member, roles.get(id)?.[0], org.ownerId, LOCALE) })
    }
    return views
  },
}

const joinRequests: EventRows = {
  schema: Model('JoinRequestEvent', { id: Id, ...PendingView.properties }),
  name: 'nickname',
  rows: async (ctx, tx, _owner, ids) =>
    (await requestsByIds(tx, ids)).map(({ avatar, ...row }) => ({ ...row, avatarUrl: avatarUrl(ctx, avatar) })),
}

const invitations: EventRows = {
  schema: InvitationView,
  name: 'inviteeNickname',
  async rows(ctx, tx, _owner, ids) {
    const views = []
    for (const id of ids) {
      const row = await findInvitation(tx, id)
      if (row !== undefined) views.push(toInvitationView(ctx, row, ctx.clock.now(), LOCALE))
    }
    return views
  },
}

export const eventRows = { org: organizations, member: members, join_request: joinRequests, invitation: invitations }
