import { endpoint, platform } from '#http/endpoint.ts'

import { ExplainQuery, ExplainView } from './explain.model.ts'
import { explain } from './explain.service.ts'

export const explainEndpoints = [
  endpoint({
    id: 'access.explain',
    method: 'GET',
    path: '/api/rbac/explain',
    summary: 'Explain why a user holds a permission or not',
    description:
      'With `orgId`, the ORG domain of that organization is checked; without it, the APP and PLATFORM domains.',
    tag: 'Access control',
    access: platform('rbac_user_role:read'),
    query: ExplainQuery,
    data: ExplainView,
    refuses: { 404: 'The user or the organization does not exist.' },
    run: ({ ctx, query, caller }) => explain(ctx, query, caller.locale),
  }),
]
