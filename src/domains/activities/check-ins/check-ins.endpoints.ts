import { dualByRow, endpoint } from '#http/endpoint.ts'
import { EXPORT_LIMITS } from '#http/exports.ts'
import { ById, InOrg } from '#http/schema.ts'

import { CheckInPage, CheckInStats, CheckInView, CreateCheckIn, RecordsQuery, StatsQuery } from './check-ins.model.ts'
import { CHECK_IN_BUDGET } from './check-ins.rules.ts'
import * as service from './check-ins.service.ts'
import { exportRecords } from './export.service.ts'

const tag = 'Check-in'

export const checkInEndpoints = [
  endpoint({
    id: 'activities.checkIn',
    method: 'POST',
    path: '/api/activities/:id/check-in',
    summary: 'Check in to an activity',
    description:
      'Everyone who may see the activity can check in while it is ACTIVE and check-in is open, as often as it allows. All of its rules ' +
      'must hold: near its place if it has a radius (your `accuracy` is forgiven up to 50 m), and with its short code, which the scanned ' +
      'code of its check-in page replaces. `method` is CODE if a short code counted, else GPS if a radius counted, else QR. A refusal ' +
      'gives the first reason, in this order: no check-in, status, opening times, a code of another activity, no registration, the limit ' +
      'per user, the place, the short code or the code of the kiosk. After 20 wrong short codes in a minute from an IP address, further ones get 429.',
    tag,
    access: dualByRow('checkin:create'),
    params: ById,
    query: InOrg,
    body: CreateCheckIn,
    data: CheckInView,
    budgets: [CHECK_IN_BUDGET],
    refuses: {
      403: 'The activity is INVITE_ONLY and there is no right invite code, or its organization is disabled.',
      404: 'The activity does not exist, or you may not know of it.',
    },
    run: ({ ctx, owner, caller, params, body }) => service.checkIn(ctx, params.id, body, { viewer: owner, caller }),
  }),
  endpoint({
    id: 'activities.checkInRecords',
    method: 'GET',
    path: '/api/activities/:id/check-in/records',
    summary: 'List the check-ins of an activity',
    description:
      'Newest first. Managers of the activity (`checkin:read`) get all check-ins, other users their own. `format=xlsx` answers with a ' +
      `workbook of all pages, in the language of \`Accept-Language\`. ${EXPORT_LIMITS}`,
    tag,
    access: dualByRow('checkin:read'),
    params: ById,
    query: RecordsQuery,
    data: CheckInPage,
    answers: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    refuses: {
      403: 'The activity is INVITE_ONLY and there is no right invite code.',
      404: 'The activity does not exist, or you may not know of it.',
    },
    run: ({ ctx, owner, caller, params, query }) => {
      const asking = { viewer: owner, caller, code: query.code }
      if (query.format === 'xlsx') return exportRecords(ctx, params.id, query, asking, caller)
      return service.listRecords(ctx, params.id, query, asking)
    },
  }),
  endpoint({
    id: 'activities.checkInStats',
    method: 'GET',
    path: '/api/activities/:id/check-in/stats',
    summary: 'Count the check-ins of an activity by hour and method',
    description: 'For managers of the activity (`checkin:read`). Counts by hour add up the days of the activity.',
    tag,
    access: dualByRow('checkin:read'),
    params: ById,
    query: StatsQuery,
    data: CheckInStats,
    refuses: {
      403: 'You do not manage the activity.',
      404: 'The activity does not exist, or you may not know of it.',
    },
    run: ({ ctx, owner, caller, params, query }) =>
      service.checkInStats(ctx, params.id, query, { viewer: owner, caller, code: query.code }),
  }),
]
