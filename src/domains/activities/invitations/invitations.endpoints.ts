import { dualByRow, endpoint, platform } from '#http/endpoint.ts'
import { ById, Id, InOrg, Type } from '#http/schema.ts'

import {
  AnyInvitationsQuery,
  ByInvitation,
  InvitationList,
  InvitationPage,
  InvitationsQuery,
  InvitationView,
  MAX_OF_ACTIVITY,
  NewInvitations,
} from './invitations.model.ts'
import * as service from './invitations.service.ts'

const shared = { tag: 'Registration', access: dualByRow('activity:update') } as const
const SEES_ONLY = 'You may see the activity, but not change it.'

export const invitationEndpoints = [
  endpoint({
    ...shared,
    id: 'activityInvitations.create',
    method: 'POST',
    path: '/api/activities/:id/invitations',
    summary: 'Invite people to an activity, each with a code of their own',
    description:
      'All or none: if fewer mails are left today than the request needs, the answer is 429. Each code admits to the activity and is used by one registration. Those with an address get a mail unless `send` is ' +
      'false; `mail` says which ones do not, for example because the owner of the address wants no invitations. An activity has at most ' +
      `${MAX_OF_ACTIVITY.toLocaleString('en')} invitations.`,
    params: ById,
    query: InOrg,
    body: NewInvitations,
    data: InvitationList,
    refuses: {
      400: 'The activity is RESTRICTED or over, or its invitations cannot be mailed: try again with `send: false`.',
      403: SEES_ONLY,
    },
    run: ({ ctx, owner, params, body, caller }) =>
      service.createInvitations(ctx, params.id, body, { viewer: owner, caller }),
  }),
  endpoint({
    ...shared,
    id: 'activityInvitations.list',
    method: 'GET',
    path: '/api/activities/:id/invitations',
    summary: 'List the invitations to an activity, newest first',
    params: ById,
    query: InvitationsQuery,
    data: InvitationPage,
    refuses: { 403: SEES_ONLY },
    run: ({ ctx, owner, params, query, caller }) =>
      service.listInvitations(ctx, params.id, query, { viewer: owner, caller }),
  }),
  endpoint({
    ...shared,
    id: 'activityInvitations.send',
    method: 'POST',
    path: '/api/activities/:id/invitations/:invitationId/send',
    summary: 'Send an invitation to an activity by mail, perhaps again',
    description:
      'One whose mail waits to be sent stays as it is. 429 if the address has been invited often enough today, or if no mails are left.',
    params: ByInvitation,
    query: InOrg,
    data: InvitationView,
    ignoresKey: 'While its mail waits, it sends no second one.',
    refuses: {
      400: 'The invitation is not OPEN, has no address, or cannot be mailed.',
      403: SEES_ONLY,
    },
    run: ({ ctx, owner, params, caller }) => service.sendInvitation(ctx, params, { viewer: owner, caller }),
  }),
  endpoint({
    ...shared,
    id: 'activityInvitations.revoke',
    method: 'DELETE',
    path: '/api/activities/:id/invitations/:invitationId',
    summary: 'Revoke an invitation to an activity',
    description: 'Its code is a wrong one from then on. A revoked invitation stays as it is.',
    params: ByInvitation,
    query: InOrg,
    refuses: { 400: 'It was used.', 403: SEES_ONLY },
    run: ({ ctx, owner, params, caller }) => service.revokeInvitation(ctx, params, { viewer: owner, caller }),
  }),
]

export const invitationAdminEndpoints = [
  endpoint({
    id: 'admin.activityInvitations.list',
    method: 'GET',
    path: '/api/admin/activities/:activityId/invitations',
    summary: 'List the invitations to any activity',
    tag: 'Activities',
    access: platform('activity:read'),
    params: Type.Object({ activityId: Id }),
    query: AnyInvitationsQuery,
    data: InvitationPage,
    run: ({ ctx, actor, params, query }) => service.listAnyInvitations(ctx, params.activityId, query, actor.userId),
  }),
  endpoint({
    id: 'admin.activityInvitations.revoke',
    method: 'DELETE',
    path: '/api/admin/activities/:activityId/invitations/:invitationId',
    summary: 'Revoke an invitation to any activity',
    tag: 'Activities',
    access: platform('activity:update'),
    logs: 'INVITATION_REVOKE',
    params: Type.Object({ activityId: Id, invitationId: Id }),
    refuses: { 400: 'It was used.' },
    run: ({ actor, params }) =>
      service.revokeAnyInvitation(actor, { id: params.activityId, invitationId: params.invitationId }),
  }),
]
