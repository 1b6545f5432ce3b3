import { alias, endpoint, platform } from '#http/endpoint.ts'

import { ByMember, InOrg, MemberPage, MembersQuery, MemberView } from '../members/members.model.ts'
import { listMembers } from '../members/members.service.ts'
import { AddMember, ByUser, ChangeRole, JoinOrg, MembershipPage, MembershipsQuery } from './memberships.model.ts'
import * as service from './memberships.service.ts'

const tag = 'Organization members'
const ABOVE_MEMBER = 'A role above MEMBER takes SYSTEM_ADMIN or all points of that role.'

const removeMember = endpoint({
  id: 'admin.orgs.removeMember',
  method: 'DELETE',
  path: '/api/admin/orgs/:orgId/members/:userId',
  summary: 'Remove a member from any organization',
  description: 'The member and the owner of the organization are notified. You cannot remove the owner.',
  tag,
  access: platform('org_member:delete'),
  logs: 'ORG_MEMBER_REMOVE',
  params: ByMember,
  run: ({ ctx, actor, params }) => service.removeAnyMember(ctx, actor, params.orgId, params.userId),
})

export const membershipAdminEndpoints = [
  endpoint({
    id: 'admin.orgs.members',
    method: 'GET',
    path: '/api/admin/orgs/:orgId/members',
    summary: 'List the members of any organization',
    description: 'The earliest joined first.',
    tag,
    access: platform('org:read'),
    params: InOrg,
    query: MembersQuery,
    data: MemberPage,
    run: ({ ctx, actor, params, query, caller }) => listMembers(ctx, actor, params.orgId, query, caller.locale),
  }),
  endpoint({
    id: 'admin.orgs.addMember',
    method: 'POST',
    path: '/api/admin/orgs/:orgId/members',
    summary: 'Add a user to any organization',
    description:
      'The user and the owner of the organization are notified. The join policy does not count, the member limit does. The role is MEMBER unless you name another; if you add yourself, you cannot name another. ' +
      ABOVE_MEMBER,
    tag,
    access: platform('org_member:create'),
    logs: 'ORG_MEMBER_ADD',
    params: InOrg,
    body: AddMember,
    data: MemberView,
    refuses: { 404: 'There is no such organization or user.' },
    run: ({ ctx, actor, params, body, caller }) => service.addAnyMember(ctx, actor, params.orgId, body, caller.locale),
  }),
  endpoint({
    id: 'admin.orgs.changeRole',
    method: 'PUT',
    path: '/api/admin/orgs/:orgId/members/:userId/role',
    summary: 'Change the role of a member of any organization',
    description:
      'Give `roleId` or `roleCode`. You cannot change the role of the owner or your own, or give the role OWNER. The owner is notified. ' +
      ABOVE_MEMBER,
    tag,
    access: platform('org_member:update'),
    logs: 'ORG_MEMBER_ROLE',
    params: ByMember,
    body: ChangeRole,
    data: MemberView,
    run: ({ ctx, actor, params, body, caller }) =>
      service.changeAnyRole(ctx, actor, params.orgId, params.userId, body, caller.locale),
  }),
  removeMember,
  alias(removeMember, { id: 'admin.users.leave', path: '/api/admin/users/:userId/orgs/:orgId' }),
  endpoint({
    id: 'admin.users.memberships',
    method: 'GET',
    path: '/api/admin/users/:userId/memberships',
    summary: 'List the organizations of a user',
    description: 'The latest joined first.',
    tag,
    access: platform('user:read'),
    params: ByUser,
    query: MembershipsQuery,
    data: MembershipPage,
    run: ({ ctx, params, query, caller }) => service.listMemberships(ctx, params.userId, query, caller.locale),
  }),
  endpoint({
    id: 'admin.users.join',
    method: 'POST',
    path: '/api/admin/users/:userId/orgs/:orgId',
    summary: 'Add any user to an organization',
    description: 'The same as `POST /api/admin/orgs/{orgId}/members`.',
    tag,
    access: platform('org_member:create'),
    logs: 'ORG_MEMBER_ADD',
    params: ByMember,
    body: JoinOrg,
    data: MemberView,
    run: ({ ctx, actor, params: { orgId, userId }, body, caller }) =>
      service.addAnyMember(ctx, actor, orgId, { ...body, userId }, caller.locale),
  }),
]
