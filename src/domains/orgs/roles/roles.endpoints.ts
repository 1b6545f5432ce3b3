import { endpoint, org } from '#http/endpoint.ts'

import { InOrg } from '../members/members.model.ts'
import { moveMembersSoon } from './roles.jobs.ts'
import {
  ByRole,
  CreateOrgRole,
  DeleteOrgRole,
  MAX_OWN_ROLES,
  OrgRoles,
  OrgRoleView,
  ROLE_CHANGES,
  RolePoints,
  UpdateOrgRole,
} from './roles.model.ts'
import * as service from './roles.service.ts'

const tag = 'Organization members'
const budgets = [ROLE_CHANGES]

export const roleEndpoints = [
  endpoint({
    id: 'orgs.roles',
    method: 'GET',
    path: '/api/orgs/:orgId/roles',
    summary: 'List the roles of an organization',
    description: 'The oldest first, with their permission points. Names of system roles are in your language.',
    tag,
    access: org('member:read'),
    params: InOrg,
    data: OrgRoles,
    run: ({ ctx, actor, params, caller }) => service.listRoles(ctx, actor, params.orgId, caller.locale),
  }),
  endpoint({
    id: 'orgs.rolePoints',
    method: 'GET',
    path: '/api/orgs/:orgId/roles/points',
    summary: 'List the permission points that roles of an organization can have',
    description: 'With the presets that a new role can start from.',
    tag,
    access: org('member:assign_role'),
    params: InOrg,
    data: RolePoints,
    run: ({ ctx, actor, params, caller }) => service.listPoints(ctx, actor, params.orgId, caller.locale),
  }),
  endpoint({
    id: 'orgs.createRole',
    method: 'POST',
    path: '/api/orgs/:orgId/roles',
    summary: 'Create a role for members of an organization',
    description:
      `Only for the owner; at most ${MAX_OWN_ROLES} roles. The points are those of \`permissions\`, or else of \`preset\`. A role can have ` +
      'points that are enabled and that organizations can give (`delegable`). A point that loses one of both ends at once.',
    tag,
    access: org('member:assign_role'),
    logs: 'ORG_ROLE_CREATE',
    budgets,
    params: InOrg,
    body: CreateOrgRole,
    data: OrgRoleView,
    refuses: { 403: 'You are not the owner.' },
    run: ({ ctx, actor, params, body, caller }) => service.createRole(ctx, actor, params.orgId, body, caller.locale),
  }),
  endpoint({
    id: 'orgs.updateRole',
    method: 'PUT',
    path: '/api/orgs/:orgId/roles/:roleId',
    summary: 'Change a role that the organization made',
    description:
      'Only for the owner. `permissions` replace all points of the role, at once for everybody who holds it.',
    tag,
    access: org('member:assign_role'),
    logs: 'ORG_ROLE_UPDATE',
    budgets,
    params: ByRole,
    body: UpdateOrgRole,
    data: OrgRoleView,
    refuses: { 400: 'The organization did not make this role.', 403: 'You are not the owner.' },
    run: ({ ctx, actor, params, body, caller }) => service.updateRole(ctx, actor, params, body, caller.locale),
  }),
  endpoint({
    id: 'orgs.deleteRole',
    method: 'DELETE',
    path: '/api/orgs/:orgId/roles/:roleId',
    summary: 'Delete a role that the organization made',
    description:
      'Only for the owner. Its members get the role `replaceWith` and are notified: up to 200 of them at once, the others within a minute, until ' +
      'which they have the permissions of MEMBER.',
    tag,
    access: org('member:assign_role'),
    logs: 'ORG_ROLE_DELETE',
    budgets,
    params: ByRole,
    query: DeleteOrgRole,
    refuses: { 400: 'The organization did not make this role.', 403: 'You are not the owner.' },
    async run({ ctx, actor, params, query, caller }) {
      if (await service.deleteRole(ctx, actor, params, query.replaceWith, caller.locale)) moveMembersSoon(ctx)
    },
  }),
]
