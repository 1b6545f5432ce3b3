import { aliasedTable, and, eq, sql } from 'drizzle-orm'

import { type DataArea, tableArea } from '#db/data-areas.ts'
import { roles, userRoles } from '#db/schema/access.ts'
import { users } from '#db/schema/accounts.ts'
import { oidcMemberships } from '#db/schema/oidc.ts'
import { organizations, orgInvitations, orgJoinRequests, orgMembers } from '#db/schema/orgs.ts'

const ofInvitation = [{ table: organizations, on: eq(organizations.id, orgInvitations.orgId) }] as const
const invitee = aliasedTable(users, 'invitee')
const inviter = aliasedTable(users, 'inviter')

const invitationColumns = {
  id: orgInvitations.id,
  orgId: orgInvitations.orgId,
  orgName: organizations.name,
  status: orgInvitations.status,
  expiresAt: orgInvitations.expiresAt,
  respondedAt: orgInvitations.respondedAt,
  createdAt: orgInvitations.createdAt,
}

export const organizationAreas: readonly DataArea[] = [
  tableArea({
    name: 'memberships',
    title: { en: 'Organizations', zh: '组织' },
    forAdministrators: 'ROWS',
    from: orgMembers,
    joins: [{ table: organizations, on: eq(organizations.id, orgMembers.orgId) }],
    columns: {
      orgId: orgMembers.orgId,
      orgName: organizations.name,
      nickname: orgMembers.nickname,
      isFromProvider: sql<number>`exists (select 1 from ${oidcMemberships} where ${oidcMemberships.userId} = ${orgMembers.userId} and ${oidcMemberships.orgId} = ${orgMembers.orgId})`,
      joinedAt: orgMembers.joinedAt,
    },
    where: (userId) => eq(orgMembers.userId, userId),
    key: [orgMembers.joinedAt, orgMembers.orgId],
    show: (row) => ({ ...row, isFromProvider: Boolean(row['isFromProvider']) }),
  }),
  tableArea({
    name: 'roles',
    title: { en: 'Roles', zh: '角色' },
    forAdministrators: 'ROWS',
    from: userRoles,
    joins: [{ table: roles, on: eq(roles.id, userRoles.roleId) }],
    columns: {
      roleId: userRoles.roleId,
      domain: roles.domain,
      orgId: roles.scopeId,
      code: roles.code,
      name: roles.name,
      createdAt: userRoles.createdAt,
    },
    where: (userId) => eq(userRoles.userId, userId),
    key: [userRoles.roleId],
    show: (row) => ({ ...row, orgId: row['orgId'] || null }),
  }),
  tableArea({
    name: 'join-requests',
    title: { en: 'Requests to join organizations', zh: '加入组织的申请' },
    from: orgJoinRequests,
    joins: [{ table: organizations, on: eq(organizations.id, orgJoinRequests.orgId) }],
    columns: {
      id: orgJoinRequests.id,
      orgId: orgJoinRequests.orgId,
      orgName: organizations.name,
      message: orgJoinRequests.message,
      createdAt: orgJoinRequests.createdAt,
    },
    where: (userId) => eq(orgJoinRequests.userId, userId),
    key: [orgJoinRequests.id],
  }),
  tableArea({
    name: 'invitations-received',
    title: { en: 'Invitations to organizations', zh: '收到的组织邀请' },
    from: orgInvitations,
    joins: [...ofInvitation, { table: inviter, on: eq(inviter.id, orgInvitations.inviterId) }],
    columns: { ...invitationColumns, inviterId: orgInvitations.inviterId, inviterName: inviter.nickname },
    where: (userId) => eq(orgInvitations.inviteeId, userId),
    key: [orgInvitations.id],
  }),
  tableArea({
    name: 'invitations-sent',
    title: { en: 'Invitations that you sent', zh: '发出的组织邀请' },
    // Invitations are found by their organizations.
    from: orgMembers,
    joins: [
      {
        table: orgInvitations,
        on: and(eq(orgInvitations.orgId, orgMembers.orgId), eq(orgInvitations.inviterId, orgMembers.userId))!,
      },
      ...ofInvitation,
      { table: invitee, on: eq(invitee.id, orgInvitations.inviteeId) },
    ],
    // Without the address of an invitation by mail, which is another person's.
    columns: {
      ...invitationColumns,
      inviteeId: orgInvitations.inviteeId,
      inviteeName: invitee.nickname,
      message: orgInvitations.message,
      mailState: orgInvitations.mailState,
    },
    where: (userId) => and(eq(orgMembers.userId, userId), eq(orgInvitations.inviterId, userId)),
    key: [orgInvitations.id],
  }),
]
