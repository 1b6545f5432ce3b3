/** Shapes of requests that add participants, and change many of them. */

import { Deferred, Enum, Id, Model, Nullable, OneOf, type Static, Type } from '#http/schema.ts'

import { RequestId } from '../batches/batches.model.ts'
import {
  GuestEmail,
  GuestLanguage,
  GuestName,
  ManagedRegistration,
  Note,
  Notify,
  OF_GUESTS,
  OverCapacity,
  Reason,
} from '../participants/participants.model.ts'
import { ParticipantFilter } from '../registrations/filters.model.ts'
import { AnswersInput } from '../registrations/registrations.model.ts'

/** Participants in one request. */
export const MAX_ITEMS = 1000

const optional = <T extends Parameters<typeof Nullable>[0]>(schema: T) => Type.Optional(Nullable(schema))

export const NewParticipant = OneOf('NewParticipant', ['userId', 'name'], {
  userId: optional({ ...Id, description: 'An active user' }),
  name: optional({ ...GuestName, description: 'Of a guest without an account. Not with `userId`' }),
  email: {
    ...optional({
      ...GuestEmail,
      description:
        'Of a guest. It is not confirmed, so that it gets no messages. Unless `notify` is false, it is invited by mail to confirm, where the server mails invitations',
    }),
    ...OF_GUESTS,
  },
  answers: optional({ ...AnswersInput, description: 'None is required from managers' }),
  note: optional(Note),
  status: optional(Enum(['CONFIRMED', 'WAITING'], { description: 'CONFIRMED by default', examples: ['CONFIRMED'] })),
  language: { ...optional(GuestLanguage), ...OF_GUESTS },
})
export type NewParticipant = Static<typeof NewParticipant>

export const AddRegistrations = Model('AddRegistrations', {
  items: Deferred(Type.Array(NewParticipant, { minItems: 1, maxItems: MAX_ITEMS })),
  overCapacity: optional(OverCapacity),
  notify: optional(Notify),
  requestId: optional(RequestId),
  orgId: optional(Id),
})
export type AddRegistrations = Static<typeof AddRegistrations>

export const AddedRegistrations = Model('AddedRegistrations', {
  items: Type.Array(ManagedRegistration, { description: 'In the order of the request' }),
})
export type AddedRegistrations = Static<typeof AddedRegistrations>

export const ChangeRegistrations = Model('ChangeRegistrations', {
  action: Enum(['CONFIRM', 'WAIT', 'REJECT', 'CANCEL'], {
    description: 'Those that cannot change in this way are left out',
    examples: ['CONFIRM'],
  }),
  filter: ParticipantFilter,
  reason: optional(Reason),
  notify: optional(Notify),
  overCapacity: optional(OverCapacity),
  dryRun: optional(Type.Boolean({ description: 'True: answers the numbers only and changes nothing' })),
  requestId: optional(RequestId),
  orgId: optional(Id),
})
export type ChangeRegistrations = Static<typeof ChangeRegistrations>

export const MoveRegistration = Model('MoveRegistration', {
  activityId: { ...Id, description: 'Another ACTIVE activity of the same owner' },
  overCapacity: optional(OverCapacity),
  notify: optional(Notify),
  orgId: optional(Id),
})
export type MoveRegistration = Static<typeof MoveRegistration>

export const CheckInByHand = Model('CheckInByHand', {
  undo: optional(Type.Boolean({ description: 'True: takes the latest check-in by hand back', examples: [false] })),
  orgId: optional(Id),
})
export type CheckInByHand = Static<typeof CheckInByHand>
