import { dualByRow, endpoint } from '#http/endpoint.ts'
import { ById, InOrg } from '#http/schema.ts'

import { Overview } from './overview.model.ts'
import { getOverview } from './overview.service.ts'

export const overviewEndpoints = [
  endpoint({
    id: 'activities.overview',
    method: 'GET',
    path: '/api/activities/:id/overview',
    summary: 'Get the numbers of an activity for its managers',
    description:
      'For pages that ask every few seconds: send the `ETag` of the last answer as `If-None-Match`, and get 304 if nothing has changed. It costs the ' +
      'same at any number of participants.',
    tag: 'Activities',
    access: dualByRow('checkin:read'),
    isPolled: true,
    params: ById,
    query: InOrg,
    data: Overview,
    refuses: { 403: 'You may see the activity, but not its numbers.' },
    run: ({ ctx, owner, params, caller }) => getOverview(ctx, params.id, { viewer: owner, caller }),
  }),
]
