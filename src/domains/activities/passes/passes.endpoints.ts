import { dualByRow, endpoint } from '#http/endpoint.ts'
import { EXPORT_LIMITS } from '#http/exports.ts'
import { ById, InOrg } from '#http/schema.ts'

import { exportPasses } from './export.service.ts'
import {
  ByPass,
  PASS_FORMAT_TYPES,
  PassesQuery,
  PassPage,
  PassView,
  PassWithLists,
  RevokePass,
} from './passes.model.ts'
import * as service from './passes.service.ts'

const tag = 'Passes'

export const passEndpoints = [
  endpoint({
    id: 'passes.list',
    method: 'GET',
    path: '/api/activities/:id/pass/passes',
    summary: 'List the passes of an activity',
    description:
      'All of them if you manage the activity (`pass:read`), otherwise your own. Newest first. With `format`, a file of all that the ' +
      `filters select, oldest first. ${EXPORT_LIMITS}`,
    tag,
    access: dualByRow('pass:read'),
    params: ById,
    query: PassesQuery,
    data: PassPage,
    answers: PASS_FORMAT_TYPES,
    refuses: { 403: 'The invite code is missing or wrong, or you may not export the passes.' },
    run: ({ ctx, owner, params, query, caller }) => {
      const asking = { viewer: owner, caller, code: query.code }
      if (query.format === undefined) return service.listPasses(ctx, params.id, query, asking)
      return exportPasses(ctx, params.id, { ...query, format: query.format }, asking, caller)
    },
  }),
  endpoint({
    id: 'passes.get',
    method: 'GET',
    path: '/api/passes/:passId',
    summary: 'Get a pass',
    description: 'For its holder, and for users who may read the passes of its activity (`pass:read`).',
    tag: 'Passes',
    access: dualByRow('pass:read'),
    params: ByPass,
    query: InOrg,
    data: PassWithLists,
    run: ({ ctx, owner, params, caller }) => service.getPass(ctx, params.passId, { viewer: owner, caller }),
  }),
  endpoint({
    id: 'passes.revoke',
    method: 'PUT',
    path: '/api/passes/:passId/revoke',
    summary: 'Revoke a pass',
    description: 'Final, from any state, and effective at once. Revoking it again changes nothing.',
    tag,
    access: dualByRow('pass:revoke'),
    params: ByPass,
    query: InOrg,
    body: RevokePass,
    data: PassView,
    refuses: { 403: 'You hold the pass, but do not manage its activity.' },
    run: ({ ctx, owner, params, body, caller }) =>
      service.revokePass(ctx, params.passId, body.reason, { viewer: owner, caller }),
  }),
]
