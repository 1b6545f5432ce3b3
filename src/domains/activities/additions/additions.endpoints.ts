import { dualByRow, endpoint } from '#http/endpoint.ts'
import { ById as ByActivity, InOrg } from '#http/schema.ts'

import { BatchResult, MAX_CHANGED } from '../batches/batches.model.ts'
import { CheckInView } from '../check-ins/check-ins.model.ts'
import { ById, ManagedRegistration } from '../participants/participants.model.ts'
import { PASSES_FOR_STRANGERS } from '../pass-issues/pass-issues.model.ts'
import {
  AddedRegistrations,
  AddRegistrations,
  ChangeRegistrations,
  CheckInByHand,
  MAX_ITEMS,
  MoveRegistration,
} from './additions.model.ts'
import { addRegistrations, moveRegistration } from './additions.service.ts'
import { changeRegistrations } from './batch.service.ts'
import { checkInByHand } from './check-in.service.ts'

const tag = 'Registration'
const OWN = 'The registration is yours, but you do not manage its activity.'
const NOT_MANAGED = 'You may see the activity, but not change its registrations.'

export const additionEndpoints = [
  endpoint({
    id: 'registrations.add',
    method: 'POST',
    path: '/api/activities/:id/registrations',
    summary: 'Add participants to an activity',
    description:
      `All or none, at most ${MAX_ITEMS.toLocaleString('en')}, while the activity is ACTIVE and has registration. Users are notified and can cancel. Users who are neither ` +
      'members of the organization nor your contacts, and have never registered with this owner, count in the same budget as for passes. ' +
      'Somebody whose registration has ended gets it again. A repeated `requestId` answers the first result for 7 days.',
    tag,
    access: dualByRow('activity:update'),
    budgets: [PASSES_FOR_STRANGERS],
    params: ByActivity,
    query: InOrg,
    body: AddRegistrations,
    data: AddedRegistrations,
    // 1,000 people with answers and notes.
    maxBody: 4 * 1024 * 1024,
    refuses: {
      400: 'The input is not valid, somebody has registered already, or there are not enough places.',
      403: NOT_MANAGED,
    },
    run: ({ ctx, owner, params, body, caller }) => addRegistrations(ctx, params.id, body, { viewer: owner, caller }),
  }),
  endpoint({
    id: 'registrations.batch',
    method: 'POST',
    path: '/api/activities/:id/registrations/batch',
    summary: 'Change many registrations of an activity',
    description:
      `Changes at most ${MAX_CHANGED.toLocaleString('en')} of the registrations that the filter selects, the oldest first, and confirms no more than there are places. One ` +
      'such request of an activity runs at a time; another one gets 429 with code 4022. After an interruption, the same request with the same ' +
      '`requestId` goes on. People on the waiting list get the places that are free at its end.',
    tag,
    access: dualByRow('activity:update'),
    params: ByActivity,
    query: InOrg,
    body: ChangeRegistrations,
    data: BatchResult,
    // 5,000 ids.
    maxBody: 256 * 1024,
    refuses: { 400: 'The input is not valid, or the activity is not active.', 403: NOT_MANAGED },
    run: ({ ctx, owner, params, body, caller }) => changeRegistrations(ctx, params.id, body, { viewer: owner, caller }),
  }),
  endpoint({
    id: 'registrations.move',
    method: 'POST',
    path: '/api/registrations/:registrationId/move',
    summary: 'Move a participant to another activity of the same owner',
    description:
      'The registration is cancelled, and the person gets a place in the other activity, with the answers to questions of the same keys. Both or ' +
      'neither happens.',
    tag,
    access: dualByRow('activity:update'),
    params: ById,
    query: InOrg,
    body: MoveRegistration,
    data: ManagedRegistration,
    refuses: { 400: 'The other activity is full or not active, or the person has registered for it.', 403: OWN },
    run: ({ ctx, owner, params, body, caller }) =>
      moveRegistration(ctx, params.registrationId, body, { viewer: owner, caller }),
  }),
  endpoint({
    id: 'registrations.checkIn',
    method: 'POST',
    path: '/api/registrations/:registrationId/check-in',
    summary: 'Check a participant in by hand',
    description:
      'Somebody who has checked in already keeps that check-in, which is answered. With `undo`, the latest check-in by hand is deleted and answered.',
    tag,
    access: dualByRow('activity:update'),
    params: ById,
    query: InOrg,
    body: CheckInByHand,
    data: CheckInView,
    refuses: { 400: 'The activity has no check-in or is not active, or the person has no place.', 403: OWN },
    run: ({ ctx, owner, params, body, caller }) =>
      checkInByHand(ctx, params.registrationId, body, { viewer: owner, caller }),
  }),
]
