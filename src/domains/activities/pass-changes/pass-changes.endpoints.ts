import { dualByRow, endpoint } from '#http/endpoint.ts'
import { ById, InOrg } from '#http/schema.ts'

import { BatchResult, MAX_CHANGED } from '../batches/batches.model.ts'
import { ByPass, PassView } from '../passes/passes.model.ts'
import { ChangePasses, UpdatePass } from './pass-changes.model.ts'
import { changePasses, updatePass } from './pass-changes.service.ts'

export const passChangeEndpoints = [
  endpoint({
    id: 'passes.update',
    method: 'PATCH',
    path: '/api/passes/:passId',
    summary: 'Update a pass',
    description:
      'Codes that were printed before stay valid: gates go by these values, and those without a connection by `changed` of ' +
      '`GET /api/activities/{id}/pass/revocations`. The holder is notified of other times.',
    tag: 'Passes',
    access: dualByRow('pass:issue'),
    params: ByPass,
    query: InOrg,
    body: UpdatePass,
    data: PassView,
    refuses: {
      400: 'The input is not valid, the pass is revoked, or its holder has another live pass.',
      403: 'You hold the pass, but do not manage its activity.',
    },
    run: ({ ctx, owner, params, body, caller }) => updatePass(ctx, params.passId, body, { viewer: owner, caller }),
  }),
  endpoint({
    id: 'passes.batch',
    method: 'POST',
    path: '/api/activities/:id/pass/batch',
    summary: 'Update or revoke many passes',
    description:
      `Changes at most ${MAX_CHANGED.toLocaleString('en')} of the passes that the filter selects, the oldest first. Holders are not notified. One such ` +
      'request of an activity runs at a time; another one gets 429 with code 4022. After an interruption, the same request with the same ' +
      '`requestId` goes on. The creator of the activity may do this, and users with `pass:issue` or `pass:revoke` in the organization that owns it.',
    tag: 'Passes',
    access: dualByRow('pass:issue'),
    params: ById,
    query: InOrg,
    body: ChangePasses,
    data: BatchResult,
    // 5,000 ids.
    maxBody: 256 * 1024,
    refuses: {
      400: 'The input is not valid, or the `requestId` belongs to another request.',
      403: 'You may see the activity, but not change its passes.',
    },
    run: ({ ctx, owner, params, body, caller }) => changePasses(ctx, params.id, body, { viewer: owner, caller }),
  }),
]
