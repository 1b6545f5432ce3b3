import { app, endpoint, org } from '#http/endpoint.ts'
import { ById } from '#http/schema.ts'

import { Apply, Approve, JoinByCode, JoinByQrCode, Joined, PendingPage, PendingQuery } from './model.ts'
import * as service from './service.ts'

const tag = 'Joining organizations'
const byPolicy =
  'You become a member at once or after approval, as the join policy says. 403 if the organization accepts members by invitation only.'
const wrongCodes = '4022 after 20 wrong codes in a minute from one IP address.'

export const joiningEndpoints = [
  endpoint({
    id: 'orgs.apply',
    method: 'POST',
    path: '/api/orgs/:id/apply',
    summary: 'Ask to join a public organization',
    description: byPolicy,
    tag,
    access: app('org:join'),
    params: ById,
    body: Apply,
    data: Joined,
    run: ({ ctx, actor, params, body }) => service.apply(ctx, actor, params.id, body.message ?? ''),
  }),
  endpoint({
    id: 'orgs.joinByCode',
    method: 'POST',
    path: '/api/orgs/join-by-code',
    summary: 'Join an organization by its code',
    description: `${byPolicy} ${wrongCodes}`,
    tag,
    access: app('org:join'),
    body: JoinByCode,
    data: Joined,
    refuses: { 404: 'No organization has this code.' },
    run: ({ ctx, actor, caller, body }) => service.joinByCode(ctx, actor, caller, body.code),
  }),
  endpoint({
    id: 'orgs.joinByQrCode',
    method: 'POST',
    path: '/api/orgs/join-by-qrcode',
    summary: 'Join an organization by its QR code',
    description: `${byPolicy} ${wrongCodes}`,
    tag,
    access: app('org:join'),
    body: JoinByQrCode,
    data: Joined,
    refuses: { 404: 'The content does not lead to an organization.' },
    run: ({ ctx, actor, caller, body }) => service.joinByQrCode(ctx, actor, caller, body.content),
  }),
  endpoint({
    id: 'orgs.pending',
    method: 'GET',
    path: '/api/orgs/:id/pending',
    summary: 'List the join requests of an organization',
    description: 'The oldest first.',
    tag,
    access: org('join_request:read'),
    params: ById,
    query: PendingQuery,
    data: PendingPage,
    run: ({ ctx, params, query }) => service.listRequests(ctx, params.id, query),
  }),
  endpoint({
    id: 'orgs.approve',
    method: 'POST',
    path: '/api/orgs/:id/approve',
    summary: 'Approve or reject a join request',
    description: '404 if the user has no open request. The applicant is notified.',
    tag,
    access: org('join_request:approve'),
    params: ById,
    body: Approve,
    run: ({ ctx, params, body }) => service.decideRequest(ctx, params.id, body),
  }),
]
