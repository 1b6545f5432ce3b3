import { endpoint, platform } from '#http/endpoint.ts'

import { Dissolve } from '../organizations/organizations.model.ts'
import {
  AnyOrgDetail,
  AnyOrgPage,
  AnyOrgsQuery,
  ByOrg,
  CreateAnyOrg,
  TransferAnyOrg,
  UpdateAnyOrg,
} from './orgs.admin.model.ts'
import * as service from './orgs.admin.service.ts'

const tag = 'Organizations'

export const organizationAdminEndpoints = [
  endpoint({
    id: 'admin.orgs.list',
    method: 'GET',
    path: '/api/admin/orgs',
    summary: 'List all organizations',
    description: 'Newest first unless `sort` is given.',
    tag,
    access: platform('org:read'),
    query: AnyOrgsQuery,
    data: AnyOrgPage,
    run: ({ ctx, actor, query }) => service.listAnyOrgs(ctx, actor, query),
  }),
  endpoint({
    id: 'admin.orgs.create',
    method: 'POST',
    path: '/api/admin/orgs',
    summary: 'Create an organization for a user',
    description:
      'The user becomes the owner at once; the number of organizations that the user may own does not count. INTERNAL organizations always have the join policy INVITE. The file of `avatarFileId` must be your own.',
    tag,
    access: platform('org:create'),
    logs: 'ORG_CREATE',
    body: CreateAnyOrg,
    data: AnyOrgDetail,
    run: ({ ctx, actor, body }) => service.createAnyOrg(ctx, actor, body),
  }),
  endpoint({
    id: 'admin.orgs.get',
    method: 'GET',
    path: '/api/admin/orgs/:orgId',
    summary: 'Get any organization',
    tag,
    access: platform('org:read'),
    params: ByOrg,
    data: AnyOrgDetail,
    run: ({ ctx, params }) => service.getAnyOrg(ctx, params.orgId),
  }),
  endpoint({
    id: 'admin.orgs.update',
    method: 'PUT',
    path: '/api/admin/orgs/:orgId',
    summary: 'Update, disable or enable any organization',
    description:
      'Only the fields present change; null clears description and avatar. While an organization is DISABLED, its members can read and cannot change anything. INTERNAL sets the join policy to INVITE. The file of `avatarFileId` must be your own.',
    tag,
    access: platform('org:update'),
    logs: 'ORG_UPDATE',
    params: ByOrg,
    body: UpdateAnyOrg,
    data: AnyOrgDetail,
    run: ({ ctx, actor, params, body }) => service.updateAnyOrg(ctx, actor, params.orgId, body),
  }),
  endpoint({
    id: 'admin.orgs.dissolve',
    method: 'DELETE',
    path: '/api/admin/orgs/:orgId',
    summary: 'Dissolve any organization',
    description:
      '400 while the organization owns anything and, without `force=true`, while it has members besides the owner. `details` counts both, with paths such as `resources.QR codes` and `members`. The owner and the members are notified.',
    tag,
    access: platform('org:delete'),
    logs: 'ORG_DELETE',
    params: ByOrg,
    query: Dissolve,
    run: ({ ctx, actor, params, query }) => service.dissolveAnyOrg(ctx, actor, params.orgId, query.force === true),
  }),
  endpoint({
    id: 'admin.orgs.transfer',
    method: 'POST',
    path: '/api/admin/orgs/:orgId/transfer-ownership',
    summary: 'Transfer any organization to one of its members',
    description:
      'At once: the member does not have to accept. The former owner stays a member with the role ADMIN, and an open offer of ownership ends. 400 if the user is not a member or is the owner, and for yourself. It takes SYSTEM_ADMIN or all points of the role OWNER.',
    tag,
    access: platform('org:transfer'),
    logs: 'ORG_TRANSFER',
    params: ByOrg,
    body: TransferAnyOrg,
    data: AnyOrgDetail,
    run: ({ ctx, actor, params, body }) => service.transferAnyOrg(ctx, actor, params.orgId, body.userId),
  }),
]
