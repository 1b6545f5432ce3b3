import { dualByRow, endpoint } from '#http/endpoint.ts'
import { EXPORT_LIMITS } from '#http/exports.ts'
import { ById as ByActivity, InOrg } from '#http/schema.ts'
import { TABLE_TYPES } from '#http/tables.ts'

import { cancelRegistration, updateRegistration } from './changes.service.ts'
import { exportParticipants } from './export.service.ts'
import { getRegistration, listRegistrations } from './listing.service.ts'
import {
  ById,
  CancelQuery,
  ListQuery,
  ManagedRegistration,
  RegistrationDetails,
  RegistrationPage,
  UpdateRegistration,
} from './participants.model.ts'

const tag = 'Registration'
const OWN = 'The registration is yours, but you do not manage its activity.'

export const participantEndpoints = [
  endpoint({
    id: 'registrations.list',
    method: 'GET',
    path: '/api/activities/:id/registrations',
    summary: 'List the registrations for an activity',
    description:
      'The newest first, for managers of the activity with `checkin:read`. `format=xlsx` or `csv` answers with a table of all pages: a row ' +
      `for each registration, with its pass, first check-in and answers. ${EXPORT_LIMITS}`,
    tag,
    access: dualByRow('checkin:read'),
    params: ByActivity,
    query: ListQuery,
    data: RegistrationPage,
    answers: TABLE_TYPES,
    run: ({ ctx, owner, caller, params, query: { format = 'json', ...query } }) => {
      const asking = { viewer: owner, caller }
      if (format === 'json') return listRegistrations(ctx, params.id, query, asking)
      return exportParticipants(ctx, params.id, { ...query, format }, asking, caller)
    },
  }),
  endpoint({
    id: 'registrations.getAny',
    method: 'GET',
    path: '/api/registrations/:registrationId',
    summary: 'Get a registration for an activity that you manage',
    description:
      'With what was sent to the person. Needs `checkin:read`; the note is for managers with `activity:update` only.',
    tag,
    access: dualByRow('checkin:read'),
    params: ById,
    query: InOrg,
    data: RegistrationDetails,
    refuses: { 403: OWN },
    run: ({ ctx, owner, caller, params }) => getRegistration(ctx, params.registrationId, { viewer: owner, caller }),
  }),
  endpoint({
    id: 'registrations.update',
    method: 'PATCH',
    path: '/api/registrations/:registrationId',
    summary: 'Change a registration for an activity that you manage',
    description:
      'Another status needs an ACTIVE activity. The person is notified, unless `notify` is false. If a place becomes free, the first one on the ' +
      'waiting list gets it. People whom you put on the list yourself wait for at least a minute.',
    tag,
    access: dualByRow('activity:update'),
    params: ById,
    query: InOrg,
    body: UpdateRegistration,
    data: ManagedRegistration,
    refuses: {
      400: 'The input is not valid, the status cannot follow the present one, or all places are taken.',
      403: OWN,
    },
    run: ({ ctx, owner, caller, params, body }) =>
      updateRegistration(ctx, params.registrationId, body, { viewer: owner, caller }),
  }),
  endpoint({
    id: 'registrations.cancelAny',
    method: 'DELETE',
    path: '/api/registrations/:registrationId',
    summary: 'Cancel a registration for an activity that you manage',
    description:
      'While the activity is ACTIVE. The person is notified, unless `notify` is false. The first one on the waiting list gets the place. A ' +
      'registration that has ended already is answered unchanged. `erase` deletes the data of a guest, also when the activity is over; its numbers stay.',
    tag,
    access: dualByRow('activity:update'),
    params: ById,
    query: CancelQuery,
    data: ManagedRegistration,
    refuses: { 400: 'The activity is not active, or `erase` names the registration of a user.', 403: OWN },
    run: ({ ctx, owner, caller, params, query }) =>
      cancelRegistration(ctx, params.registrationId, query, { viewer: owner, caller }),
  }),
]
