import { dualByRow, endpoint, openToUsers } from '#http/endpoint.ts'
import { ById, InOrg } from '#http/schema.ts'

import { ByPass } from '../passes/passes.model.ts'
import {
  ByUse,
  PassUsePage,
  PassUseView,
  UndoUse,
  UsesOfPassQuery,
  UsesQuery,
  Verification,
  VerifyPass,
} from './gates.model.ts'
import { redemptions, refusedChecks, refusedChecksOfDay, verifyPass } from './gates.service.ts'
import { undoUse } from './undo.service.ts'
import { listUses, listUsesOfPass } from './uses.service.ts'

export const gateEndpoints = [
  endpoint({
    id: 'passes.verify',
    method: 'POST',
    path: '/api/activities/:id/pass/verify',
    summary: 'Verify or redeem a pass',
    description:
      'Without `redeem`, anyone may ask whether a pass is valid, and sees only its state and the first character of the name. With `redeem`, ' +
      'an entry takes a use. This needs a token of the creator of a personal activity, or of a user with the point `pass:verify` in the ' +
      'organization that owns the activity. A pass that is refused is answered with 200, `valid: false` and a reason.',
    tag: 'Passes',
    access: openToUsers,
    params: ById,
    query: InOrg,
    body: VerifyPass,
    data: Verification,
    budgets: [
      refusedChecks,
      refusedChecksOfDay,
      { ...redemptions, cost: ({ body }) => (body.redeem === true ? 1 : 0) },
    ],
    refuses: {
      400: 'The input is not valid, or the nonce was used for another pass.',
      403: 'The caller may not redeem passes of the activity, or its organization is disabled.',
    },
    run: ({ ctx, caller, actor, params, query, body }) =>
      verifyPass(ctx, caller, actor, params.id, { ...body, orgId: query.orgId ?? body.orgId ?? null }),
  }),
  endpoint({
    id: 'passes.activityRecords',
    method: 'GET',
    path: '/api/activities/:id/pass/records',
    summary: 'List the uses of the passes of an activity',
    description:
      'Every redemption and every refused pass, the newest first. Managers of the activity (`pass:read`) get all of them, other users those ' +
      'of their own passes, for which holders need no invite code.',
    tag: 'Passes',
    access: dualByRow('pass:read'),
    params: ById,
    query: UsesQuery,
    data: PassUsePage,
    run: ({ ctx, owner, caller, params, query }) =>
      listUses(ctx, params.id, query, { viewer: owner, caller, code: query.code }),
  }),
  endpoint({
    id: 'passes.undo',
    method: 'POST',
    path: '/api/activities/:id/pass/records/:recordId/undo',
    summary: 'Undo the latest use of a pass',
    description:
      'Takes back an accepted entry or exit, for example of the wrong person: the uses of the pass, its last use and whether its holder is ' +
      'inside are as before. The record stays, and its nonce stays spent. A use that was undone already is answered unchanged.',
    tag: 'Passes',
    access: dualByRow('pass:verify'),
    params: ByUse,
    query: InOrg,
    body: UndoUse,
    data: PassUseView,
    refuses: {
      400: 'The pass was refused, or has a later accepted use, which the error names.',
      404: 'The activity has no such record, or the pass was deleted.',
    },
    run: ({ ctx, owner, caller, params, body }) =>
      undoUse(ctx, params.id, params.recordId, body.reason, { viewer: owner, caller }),
  }),
  endpoint({
    id: 'passes.records',
    method: 'GET',
    path: '/api/passes/:passId/records',
    summary: 'List the uses of a pass',
    description: 'For managers of the activity and for the holder. The newest first.',
    tag: 'Passes',
    access: dualByRow('pass:read'),
    params: ByPass,
    query: UsesOfPassQuery,
    data: PassUsePage,
    run: ({ ctx, owner, params, query }) => listUsesOfPass(ctx, owner, params.passId, query),
  }),
]
