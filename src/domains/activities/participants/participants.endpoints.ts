import { dualByRow, endpoint } from '#http/endpoint.ts'
import { EXPORT_LIMITS } from '#http/exports.ts'
import { ById } from '#http/schema.ts'
import { TABLE_TYPES } from '#http/tables.ts'

import { ListQuery, RegistrationPage } from '../registrations/registrations.model.ts'
import { listRegistrations } from '../registrations/registrations.service.ts'
import { exportParticipants } from './export.service.ts'

export const participantEndpoints = [
  endpoint({
    id: 'registrations.list',
    method: 'GET',
    path: '/api/activities/:id/registrations',
    summary: 'List the registrations for an activity',
    description:
      'The newest first, for managers of the activity with `checkin:read`. `format=xlsx` or `csv` answers with a table of all pages: a row ' +
      `for each registration, with its pass, first check-in and answers. ${EXPORT_LIMITS}`,
    tag: 'Registration',
    access: dualByRow('checkin:read'),
    params: ById,
    query: ListQuery,
    data: RegistrationPage,
    answers: TABLE_TYPES,
    run: ({ ctx, owner, caller, params, query: { format = 'json', ...query } }) => {
      const asking = { viewer: owner, caller }
      if (format === 'json') return listRegistrations(ctx, params.id, query, asking)
      return exportParticipants(ctx, params.id, { ...query, format }, asking, caller)
    },
  }),
]
