import { dualByRow, endpoint } from '#http/endpoint.ts'
import { ById, InOrg } from '#http/schema.ts'

import { redemptions } from './gates.service.ts'
import { RedemptionResults, Revocations, RevocationsQuery, UploadRedemptions } from './offline.model.ts'
import { listRevocations, uploadRedemptions } from './offline.service.ts'

export const offlineGateEndpoints = [
  endpoint({
    id: 'passes.revocations',
    method: 'GET',
    path: '/api/activities/:id/pass/revocations',
    summary: 'List the revoked passes of an activity',
    description: 'For gates that will check passes without a connection. The list is signed.',
    tag: 'Passes',
    access: dualByRow('pass:verify'),
    params: ById,
    query: RevocationsQuery,
    data: Revocations,
    run: ({ ctx, owner, caller, params, query }) => listRevocations(ctx, params.id, query, { viewer: owner, caller }),
  }),
  endpoint({
    id: 'passes.uploadRedemptions',
    method: 'POST',
    path: '/api/activities/:id/pass/redemptions',
    summary: 'Upload redemptions of an offline gate',
    description:
      'Each pass is judged as of `usedAt`: a later revocation, expiry or end of the activity does not matter. Uses beyond the limit of a pass ' +
      'are reported as `DOUBLE_USE`. You can upload a batch again after an interruption, because an item with a known nonce changes nothing.',
    tag: 'Passes',
    access: dualByRow('pass:verify'),
    params: ById,
    query: InOrg,
    body: UploadRedemptions,
    data: RedemptionResults,
    maxBody: 4 * 1024 * 1024,
    budgets: [{ ...redemptions, cost: ({ body }) => body.items.length }],
    run: ({ ctx, owner, caller, params, body }) =>
      uploadRedemptions(ctx, params.id, body.items, { viewer: owner, caller }),
  }),
]
