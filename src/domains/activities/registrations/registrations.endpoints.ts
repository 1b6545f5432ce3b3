import { dualByRow, endpoint } from '#http/endpoint.ts'
import { ById, Id, InOrg, Type } from '#http/schema.ts'

import { SeenQuery } from '../visibility/visibility.model.ts'
import { Register, REGISTRATION_CHANGES, RegistrationView } from './registrations.model.ts'
import * as service from './registrations.service.ts'

const tag = 'Registration'
const NOT_REGISTERED = 'You have not registered, or may not know of the activity.'

export const registrationEndpoints = [
  endpoint({
    id: 'registrations.register',
    method: 'POST',
    path: '/api/activities/:id/registration',
    summary: 'Register for an activity',
    description:
      'While the activity is ACTIVE and its registration is open. If all places are taken, you are put on the waiting list, or the ' +
      'answer is 400 if there is none. If you are registered already, the answer is your registration; `answers` then replace those ' +
      'you gave before, as long as registration is open. After a cancellation you are the last one in the waiting list again. With ' +
      '`registration.contact` EMAIL managers of the activity see your proved e-mail address of this moment.',
    tag,
    access: dualByRow('checkin:create'),
    budgets: [REGISTRATION_CHANGES],
    params: ById,
    query: InOrg,
    body: Register,
    data: RegistrationView,
    refuses: {
      400: 'You cannot register now, all places are taken, you have no proved e-mail address for `contact`, or the code of a personal invitation is wrong or used, or missing with `personalOnly`.',
      403: 'The activity is by invitation only, or its organization is disabled.',
    },
    run: ({ ctx, owner, caller, params, body }) =>
      service.register(ctx, params.id, body, { viewer: owner, caller, code: body.inviteCode ?? body.code }),
  }),
  endpoint({
    id: 'registrations.get',
    method: 'GET',
    path: '/api/activities/:id/registration',
    summary: 'Get your registration for an activity',
    tag,
    access: dualByRow('checkin:create'),
    params: ById,
    query: SeenQuery,
    data: RegistrationView,
    refuses: { 404: NOT_REGISTERED },
    run: ({ ctx, owner, caller, params, query }) =>
      service.showOwn(ctx, params.id, { viewer: owner, caller, code: query.code }),
  }),
  endpoint({
    id: 'registrations.cancel',
    method: 'DELETE',
    path: '/api/activities/:id/registration',
    summary: 'Cancel your registration for an activity',
    description:
      'While the activity is ACTIVE. The first user on the waiting list gets your place and is notified. A registration that you have ' +
      'cancelled already is answered unchanged.',
    tag,
    access: dualByRow('checkin:create'),
    budgets: [REGISTRATION_CHANGES],
    params: ById,
    query: SeenQuery,
    data: RegistrationView,
    refuses: { 400: 'The activity is not active.', 404: NOT_REGISTERED },
    run: ({ ctx, owner, caller, params, query }) =>
      service.cancel(ctx, params.id, { viewer: owner, caller, code: query.code }),
  }),
  endpoint({
    id: 'registrations.cancelOf',
    method: 'DELETE',
    path: '/api/activities/:id/registrations/:userId',
    summary: "Cancel a user's registration for an activity",
    description:
      'For managers of the activity with `activity:update`, while it is ACTIVE. The user is notified and can register again, as long as ' +
      'registration is open. The first user on the waiting list gets the place. A cancelled registration is answered unchanged.',
    tag,
    access: dualByRow('activity:update'),
    params: Type.Object({ id: Id, userId: Id }),
    query: InOrg,
    data: RegistrationView,
    refuses: {
      400: 'The activity is not active.',
      404: 'The user has not registered, or you may not know of the activity.',
    },
    run: ({ ctx, owner, caller, params }) => service.cancelOf(ctx, params.id, params.userId, { viewer: owner, caller }),
  }),
]
