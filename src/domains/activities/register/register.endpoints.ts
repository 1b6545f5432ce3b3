import { app, dual, type DualAccess, dualByRow, endpoint, type RowOf } from '#http/endpoint.ts'
import { ById, InOrg } from '#http/schema.ts'
import { MINUTE } from '#platform/clock.ts'

import { versionOfActivity } from '../activities.store.ts'
import { SeenQuery } from '../visibility/visibility.model.ts'
import { DescriptionPreview, RenderDescription } from './description.model.ts'
import { renderDescription } from './description.view.ts'
import {
  ActivityPage,
  ActivityView,
  CreateActivity,
  CREATION_BUDGET,
  ListQuery,
  SetStatus,
  UpdateActivity,
} from './register.model.ts'
import * as service from './register.service.ts'

const tag = 'Activities'
const activity: RowOf<DualAccess, typeof ById> = {
  version: versionOfActivity,
  view: ActivityView,
  show: ({ ctx, owner, params, caller }) => service.getActivity(ctx, params.id, { viewer: owner, caller }),
}

export const activityEndpoints = [
  endpoint({
    id: 'activities.list',
    method: 'GET',
    path: '/api/activities',
    summary: 'List activities',
    description:
      'Your personal activities, or those of the organization that `orgId`, or `ownerType` and `ownerId`, name. Its managers see all; ' +
      'other members see PUBLIC and RESTRICTED ones that are not DRAFTs, and those that they created. The latest start comes first ' +
      'unless `sort` is given. With `registered` the list has the activities for which you have registered.',
    tag,
    access: dual('activity:read'),
    query: ListQuery,
    data: ActivityPage,
    refuses: { 400: 'orgId and ownerId name different owners.', 403: 'You may not list the activities of this owner.' },
    run: ({ ctx, owner, query }) => service.listActivities(ctx, owner, query),
  }),
  endpoint({
    id: 'activities.create',
    method: 'POST',
    path: '/api/activities',
    summary: 'Create an activity',
    description:
      'It is a DRAFT, which only its managers see. Personal activities are PUBLIC or INVITE_ONLY; those of organizations also RESTRICTED.',
    tag,
    access: dual('activity:create'),
    query: InOrg,
    body: CreateActivity,
    data: ActivityView,
    budgets: [CREATION_BUDGET],
    refuses: { 403: 'You may not create activities for this owner.', 404: 'The organization does not exist.' },
    run: ({ ctx, owner, body, caller }) => service.createActivity(ctx, owner, body, caller.locale),
  }),
  endpoint({
    id: 'activities.renderDescription',
    method: 'POST',
    path: '/api/activities/render-description',
    summary: 'Preview the description of an activity',
    description: 'Renders Markdown as the field `descriptionHtml` of an activity shows it, and stores nothing.',
    tag,
    access: app('activity:update'),
    budgets: [
      { name: 'activities.previews', counts: { en: 'previews', zh: '预览' }, per: 'user', limit: 60, windowMs: MINUTE },
    ],
    body: RenderDescription,
    data: DescriptionPreview,
    ignoresKey: 'It changes nothing.',
    run: async ({ ctx, body }) => ({ descriptionHtml: (await renderDescription(ctx, body.content)).html }),
  }),
  endpoint({
    id: 'activities.get',
    method: 'GET',
    path: '/api/activities/:id',
    summary: 'Get an activity',
    description:
      'An INVITE_ONLY activity needs `code`, unless you manage it or have registered for it. The server does not remember the code.',
    tag,
    access: dualByRow('activity:read'),
    params: ById,
    query: SeenQuery,
    data: ActivityView,
    refuses: { 403: 'The activity is INVITE_ONLY, and the code is missing or wrong.' },
    run: ({ ctx, owner, params, query, caller }) =>
      service.getActivity(ctx, params.id, { viewer: owner, caller, code: query.code }),
  }),
  endpoint({
    id: 'activities.update',
    method: 'PUT',
    path: '/api/activities/:id',
    summary: 'Update an activity',
    description:
      'Absent fields stay; null clears a field or sets its default. An activity that becomes INVITE_ONLY gets a new invite code.',
    tag,
    access: dualByRow('activity:update'),
    params: ById,
    query: InOrg,
    body: UpdateActivity,
    data: ActivityView,
    refuses: {
      400: 'The activity is over, or passes are valid that it would no longer have.',
      403: 'You may see the activity, but not change it.',
    },
    row: activity,
    run: ({ ctx, owner, params, body, caller }) =>
      service.updateActivity(ctx, params.id, body, { viewer: owner, caller }),
  }),
  endpoint({
    id: 'activities.delete',
    method: 'DELETE',
    path: '/api/activities/:id',
    summary: 'Delete an activity',
    description: 'Its passes are no longer valid.',
    tag,
    access: dualByRow('activity:delete'),
    params: ById,
    query: InOrg,
    refuses: {
      400: 'The activity is ACTIVE: end or cancel it first.',
      403: 'You may see the activity, but not delete it.',
    },
    row: activity,
    run: ({ ctx, owner, params, caller }) => service.deleteActivity(ctx, params.id, { viewer: owner, caller }),
  }),
  endpoint({
    id: 'activities.setStatus',
    method: 'PATCH',
    path: '/api/activities/:id/status',
    summary: 'Publish, end or cancel an activity',
    description:
      'A DRAFT becomes ACTIVE, and an ACTIVE activity ENDED or CANCELLED, which is final. No activity ends by itself after its end time.',
    tag,
    access: dualByRow('activity:publish'),
    params: ById,
    query: InOrg,
    body: SetStatus,
    data: ActivityView,
    refuses: { 400: 'The activity cannot get this status.', 403: 'You may see the activity, but not publish it.' },
    row: activity,
    run: ({ ctx, owner, params, body, caller }) => service.setStatus(ctx, params.id, body, { viewer: owner, caller }),
  }),
  endpoint({
    id: 'activities.resetInviteCode',
    method: 'PATCH',
    path: '/api/activities/:id/invite-code',
    summary: 'Reset the invite code of an activity',
    description: 'The old code and QR codes with it stop working at once.',
    tag,
    access: dualByRow('activity:update'),
    params: ById,
    query: InOrg,
    data: ActivityView,
    refuses: { 400: 'The activity is not INVITE_ONLY.', 403: 'You may see the activity, but not change it.' },
    row: activity,
    run: ({ ctx, owner, params, caller }) => service.resetInviteCode(ctx, params.id, { viewer: owner, caller }),
  }),
]
