import { dual, dualByRow, endpoint } from '#http/endpoint.ts'
import { ById, InOrg } from '#http/schema.ts'

import { ByTemplate } from '../pass-templates/pass-templates.model.ts'
import { organizationOfTemplate } from '../pass-templates/pass-templates.store.ts'
import {
  IssueByTemplate,
  ISSUED_PASSES,
  IssuedPasses,
  IssuePasses,
  MAX_HOLDERS,
  PASSES_FOR_STRANGERS,
  REPEATED_PASSES,
} from './pass-issues.model.ts'
import * as service from './pass-issues.service.ts'

const description =
  `At most ${MAX_HOLDERS} at once, all or none: the details of the error 400 list every holder who cannot get one. A user has at most one ` +
  'live pass for an activity. Holders with accounts get a notification.'

const shared = {
  method: 'POST',
  tag: 'Passes',
  query: InOrg,
  data: IssuedPasses,
  // 5,000 holders with ten fields each.
  maxBody: 32 * 1024 * 1024,
  budgets: [ISSUED_PASSES, REPEATED_PASSES, PASSES_FOR_STRANGERS],
} as const

export const passIssueEndpoints = [
  endpoint({
    ...shared,
    id: 'passes.issue',
    path: '/api/activities/:id/pass/issue',
    summary: 'Issue passes',
    description,
    access: dualByRow('pass:issue'),
    params: ById,
    body: IssuePasses,
    refuses: {
      403: 'You may see the activity, but not issue its passes.',
      404: 'The activity is unknown, or `templateId` belongs to another owner.',
    },
    run: ({ ctx, owner, params, body, caller }) => service.issuePasses(ctx, params.id, body, { viewer: owner, caller }),
  }),
  endpoint({
    ...shared,
    id: 'passes.issueByTemplate',
    path: '/api/pass/templates/:templateId/issue',
    summary: 'Issue passes by a template',
    description,
    access: dual('pass:issue', organizationOfTemplate),
    params: ByTemplate,
    body: IssueByTemplate,
    refuses: {
      403: 'You may see the activity, but not issue its passes.',
      404: 'The template or the activity is unknown, or they have different owners.',
    },
    run: ({ ctx, owner, params, body, caller }) =>
      service.issueByTemplate(ctx, params.templateId, body, { viewer: owner, caller }),
  }),
]
