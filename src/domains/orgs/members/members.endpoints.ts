import { endpoint, org, signedIn } from '#http/endpoint.ts'
import { ById } from '#http/schema.ts'

import { ByMember, InOrg, MemberPage, MembersQuery, MemberView, UpdateMember } from './members.model.ts'
import * as service from './members.service.ts'

const tag = 'Organization members'

export const memberEndpoints = [
  endpoint({
    id: 'orgs.members',
    method: 'GET',
    path: '/api/orgs/:orgId/members',
    summary: 'List the members of an organization',
    description: 'The earliest joined first.',
    tag,
    access: org('member:read'),
    params: InOrg,
    query: MembersQuery,
    data: MemberPage,
    run: ({ ctx, actor, params, query, caller }) => service.listMembers(ctx, actor, params.orgId, query, caller.locale),
  }),
  endpoint({
    id: 'orgs.changeMember',
    method: 'PUT',
    path: '/api/orgs/:orgId/members/:userId',
    summary: 'Change the role or the nickname of a member',
    description:
      'To change the role you also need `member:assign_role`, and the new role must not have permissions that you do not have. The OWNER role changes by a transfer only.',
    tag,
    access: org('member:update'),
    params: ByMember,
    body: UpdateMember,
    data: MemberView,
    run: ({ ctx, actor, params, body, caller }) =>
      service.updateMember(ctx, actor, params.orgId, params.userId, body, caller.locale),
  }),
  endpoint({
    id: 'orgs.removeMember',
    method: 'DELETE',
    path: '/api/orgs/:orgId/members/:userId',
    summary: 'Remove a member',
    description: 'You cannot remove the owner, or a member with permissions that you do not have.',
    tag,
    access: org('member:delete'),
    params: ByMember,
    run: ({ ctx, actor, params }) => service.removeMember(ctx, actor, params.orgId, params.userId),
  }),
  endpoint({
    id: 'orgs.leave',
    method: 'POST',
    path: '/api/orgs/:id/leave',
    summary: 'Leave an organization',
    description: 'The owner cannot leave and has to transfer or dissolve the organization first.',
    tag,
    access: signedIn,
    params: ById,
    run: ({ ctx, actor, params }) => service.leaveOrg(ctx, actor, params.id),
  }),
]
