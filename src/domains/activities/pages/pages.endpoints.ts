import { endpoint, openToUsers } from '#http/endpoint.ts'
import { Line, Type } from '#http/schema.ts'

import { InviteCode } from '../visibility/visibility.model.ts'
import { visitedCalendar } from './pages.service.ts'

const ByActivity = Type.Object({ uuid: Line(64, 0, { examples: ['7f0c2d1e-4b5a-4c6d-8e9f-0a1b2c3d4e5f'] }) })

export const pageEndpoints = [
  endpoint({
    id: 'landing.calendar',
    method: 'GET',
    path: '/s/activity/:uuid/calendar.ics',
    secrets: ['uuid'],
    summary: 'Get the calendar file of the page of an activity',
    description:
      'The file of `GET /api/activities/{id}/calendar.ics`, for everyone who may see the page. It needs no token, and an INVITE_ONLY activity its `code`.',
    tag: 'Public pages',
    access: openToUsers,
    params: ByActivity,
    query: Type.Object({ code: Type.Optional(InviteCode) }),
    readsQuery: ['lang'],
    answers: 'text/calendar',
    refuses: { 403: 'The activity is INVITE_ONLY, and the code is missing or wrong.' },
    run: ({ ctx, actor, params, request, caller }) =>
      visitedCalendar(ctx, { id: params.uuid, userId: actor?.userId ?? 0, request, caller }),
  }),
]
