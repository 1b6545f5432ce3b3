import { endpoint, org, signedIn } from '#http/endpoint.ts'
import { ById } from '#http/schema.ts'

import { ByMember, ChangeMember, InOrg, MemberPage, MembersQuery, MemberView } from './model.ts'
import * as service from './service.ts'

const tag = 'Organization members'

export const memberEndpoints = [
  endpoint({
    id: 'orgs.members',
    method: 'GET',
    path: '/api/orgs/:orgId/members',
    summary: 'List the members, the earliest joined first',
    tag,
    access: org('member:read'),
    params: InOrg,
    query: MembersQuery,
    data: MemberPage,
    run: ({ ctx, params, query }) => service.listMembers(ctx, params.orgId, query),
  }),
  endpoint({
    id: 'orgs.changeMember',
    method: 'PUT',
    path: '/api/orgs/:orgId/members/:userId',
    summary: 'Change the role or the name of a member',
    description:
      'A role takes `member:assign_role` too, and may not allow more than the caller’s own; the owner’s role changes hands by transfer only.',
    tag,
    access: org('member:update'),
    params: ByMember,
    body: ChangeMember,
    data: MemberView,
    run: ({ ctx, actor, params, body }) => service.changeMember(ctx, actor, params.orgId, params.userId, body),
  }),
  endpoint({
    id: 'orgs.removeMember',
    method: 'DELETE',
    path: '/api/orgs/:orgId/members/:userId',
    summary: 'Remove a member',
    description: 'Never the owner, and nobody who may do more than the caller.',
    tag,
    access: org('member:delete'),
    params: ByMember,
    run: ({ ctx, actor, params }) => service.expelMember(ctx, actor, params.orgId, params.userId),
  }),
  endpoint({
    id: 'orgs.leave',
    method: 'POST',
    path: '/api/orgs/:id/leave',
    summary: 'Leave an organization',
    description: 'Not the owner, who has to hand it over or dissolve it.',
    tag,
    access: signedIn,
    params: ById,
    run: ({ ctx, actor, params }) => service.leaveOrg(ctx, actor, params.id),
  }),
]
