import { dualByRow, endpoint } from '#http/endpoint.ts'
import { ById, InOrg } from '#http/schema.ts'

import { ActivityView, CREATION_BUDGET } from '../register/register.model.ts'
import { CopyActivity, CreateSeries, SeriesView } from './copies.model.ts'
import * as service from './copies.service.ts'

const tag = 'Activities'

export const copyEndpoints = [
  endpoint({
    id: 'activities.copy',
    method: 'POST',
    path: '/api/activities/:id/copy',
    summary: 'Copy an activity',
    description:
      'The copy is a DRAFT. Nothing of participants is copied, and no passes, codes or links. The cover is a file of its own, which counts in ' +
      'the storage of the owner. Another owner gets cover and pass template only if you may read them.',
    tag,
    access: dualByRow('activity:create'),
    params: ById,
    query: InOrg,
    body: CopyActivity,
    data: ActivityView,
    budgets: [CREATION_BUDGET],
    refuses: {
      400: 'A time of the copy would be out of range, or the new owner has too many pass templates.',
      403: 'You may see the activity, but not create activities for its owner or for the new one.',
    },
    run: ({ ctx, owner, params, body, caller }) =>
      service.copyActivity(ctx, params.id, body, { viewer: owner, caller }),
  }),
  endpoint({
    id: 'activities.createSeries',
    method: 'POST',
    path: '/api/activities/:id/series',
    summary: 'Add a series of copies of an activity',
    description:
      'Adds copies with a common `seriesId`, all or none, each at the same time of day in the time zone of the activity. They are DRAFTs, and ' +
      'independent of each other afterwards. The 31st is skipped in months without one.',
    tag,
    access: dualByRow('activity:create'),
    params: ById,
    query: InOrg,
    body: CreateSeries,
    data: SeriesView,
    budgets: [{ ...CREATION_BUDGET, countedByRun: true }],
    refuses: {
      400: 'The dates are given in two ways or in none, are none or too many, or a time of an activity would be out of range.',
      403: 'You may see the activity, but not create activities for its owner.',
    },
    run: ({ ctx, owner, params, body, caller }) =>
      service.createSeries(ctx, params.id, body, { viewer: owner, caller }),
  }),
]
