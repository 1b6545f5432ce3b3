import { endpoint, type MemberAccess, platform, type RowOf } from '#http/endpoint.ts'

import { versionOfActivity } from '../activities.store.ts'
import {
  AdminActivityPage,
  AdminActivityView,
  AdminCreateActivity,
  AdminListQuery,
  AdminUpdateActivity,
  ByActivity,
} from './activities.admin.model.ts'
import * as service from './activities.admin.service.ts'

const tag = 'Activities'
const anyActivity: RowOf<MemberAccess, typeof ByActivity> = {
  version: versionOfActivity,
  view: AdminActivityView,
  show: ({ ctx, params }) => service.getAnyActivity(ctx, params.activityId),
}

export const activityAdminEndpoints = [
  endpoint({
    id: 'admin.activities.list',
    method: 'GET',
    path: '/api/admin/activities',
    summary: 'List the activities of all users and organizations',
    description: 'Newest first unless `sort` is given; `from` and `to` are about the time of creation.',
    tag,
    access: platform('activity:read'),
    query: AdminListQuery,
    data: AdminActivityPage,
    run: ({ ctx, actor, query }) => service.listAllActivities(ctx, actor, query),
  }),
  endpoint({
    id: 'admin.activities.create',
    method: 'POST',
    path: '/api/admin/activities',
    summary: 'Create an activity for a user or an organization',
    description:
      'It is a DRAFT of the owner, who publishes it. The quota of the owner does not count. `createdBy` is the user, or the owner of the ' +
      'organization.',
    tag,
    access: platform('activity:create'),
    logs: 'ACTIVITY_CREATE',
    body: AdminCreateActivity,
    data: AdminActivityView,
    refuses: { 403: 'The organization is disabled.' },
    run: ({ ctx, actor, body, caller }) => service.createAnyActivity(ctx, actor, body, caller.locale),
  }),
  endpoint({
    id: 'admin.activities.get',
    method: 'GET',
    path: '/api/admin/activities/:activityId',
    summary: 'Get any activity',
    description: 'Whatever its visibility and status, and without an invite code.',
    tag,
    access: platform('activity:read'),
    params: ByActivity,
    data: AdminActivityView,
    run: ({ ctx, params }) => service.getAnyActivity(ctx, params.activityId),
  }),
  endpoint({
    id: 'admin.activities.update',
    method: 'PUT',
    path: '/api/admin/activities/:activityId',
    summary: 'Update any activity',
    description:
      'Absent fields stay; null clears a field or sets its default. An activity that becomes INVITE_ONLY gets a new invite code.',
    tag,
    access: platform('activity:update'),
    logs: 'ACTIVITY_UPDATE',
    params: ByActivity,
    body: AdminUpdateActivity,
    data: AdminActivityView,
    refuses: {
      400: 'The activity is over, or passes are valid that it would no longer have.',
      403: 'The organization of the activity is disabled.',
    },
    row: anyActivity,
    run: ({ ctx, actor, params, body }) => service.updateAnyActivity(ctx, actor, params.activityId, body),
  }),
  endpoint({
    id: 'admin.activities.delete',
    method: 'DELETE',
    path: '/api/admin/activities/:activityId',
    summary: 'Delete any activity',
    description:
      'Whatever its status, with its check-ins, passes and registrations. It is gone for everybody at once; if it has thousands of rows, they ' +
      'are deleted within minutes.',
    tag,
    access: platform('activity:delete'),
    logs: 'ACTIVITY_DELETE',
    params: ByActivity,
    row: anyActivity,
    run: ({ ctx, actor, params }) => service.deleteAnyActivity(ctx, actor, params.activityId),
  }),
]
