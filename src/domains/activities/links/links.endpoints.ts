import { dualByRow, endpoint } from '#http/endpoint.ts'
import { ById } from '#http/schema.ts'

import { SeenQuery } from '../visibility/visibility.model.ts'
import { ActivityQrCodes } from './links.model.ts'
import { calendarFile, listQrCodes } from './links.service.ts'

const tag = 'Activities'
const refuses = { 403: 'The activity is INVITE_ONLY, and the code is missing or wrong.' }

export const linkEndpoints = [
  endpoint({
    id: 'activities.qrCodes',
    method: 'GET',
    path: '/api/activities/:id/qr-code',
    summary: 'List the QR codes of an activity',
    description:
      'ACTIVITY leads to the activity (of INVITE_ONLY ones with the invite code, for managers only). CHECK_IN is the code to post at the ' +
      'place, for managers only. PASS are your own passes.',
    tag,
    access: dualByRow('activity:read'),
    params: ById,
    query: SeenQuery,
    data: ActivityQrCodes,
    refuses,
    run: ({ ctx, owner, params, query, caller }) =>
      listQrCodes(ctx, params.id, { viewer: owner, caller, code: query.code }, caller.locale),
  }),
  endpoint({
    id: 'activities.calendar',
    method: 'GET',
    path: '/api/activities/:id/calendar.ics',
    summary: 'Get an activity as a calendar file',
    description: 'An iCalendar file (RFC 5545) with one event.',
    tag,
    access: dualByRow('activity:read'),
    params: ById,
    query: SeenQuery,
    answers: 'text/calendar',
    refuses,
    run: ({ ctx, owner, params, query, caller }) =>
      calendarFile(ctx, params.id, { viewer: owner, caller, code: query.code }, caller.locale),
  }),
]
