import { REGISTRATION_SOURCES, REGISTRATION_STATUSES } from '#db/schema/activities.ts'
import type { Budget } from '#http/budget.ts'
import { Enum, Id, Model, Named, Nullable, type Static, Text, Time, Type } from '#http/schema.ts'
import { HOUR } from '#platform/clock.ts'

import { InviteCode } from '../visibility/visibility.model.ts'
import { MAX_ANSWER } from './registrations.rules.ts'

/** A cancellation can notify another user. */
const CHANGES_AN_HOUR = 60
export const REGISTRATION_CHANGES: Budget = {
  name: 'registrations',
  counts: { en: 'registrations and cancellations', zh: '报名和取消次数' },
  per: 'user',
  limit: CHANGES_AN_HOUR,
  windowMs: HOUR,
}

/** Users on one waiting list. Their positions are counted. */
export const MAX_WAITING = 100_000

/** An activity has at most 20 questions. The limit keeps a request from sending thousands of answers, each of which is checked. */
const MAX_ANSWERS = 100

const Answers = Type.Record(Type.String(), Type.String(), { examples: [{ size: 'M' }] })

export const AnswersInput = {
  ...Answers,
  maxProperties: MAX_ANSWERS,
  description: `Answers by the keys of the questions of the activity, each of at most ${MAX_ANSWER} characters`,
}

export const Register = Model('RegisterForActivity', {
  answers: Type.Optional(Nullable(AnswersInput)),
  inviteCode: Type.Optional(Nullable(InviteCode)),
  code: Type.Optional(Nullable({ ...InviteCode, description: 'The same as `inviteCode`' })),
  orgId: Type.Optional(Nullable(Id)),
})
export type Register = Static<typeof Register>

export const RegistrationStatus = Named('RegistrationStatus', Enum(REGISTRATION_STATUSES, { examples: ['CONFIRMED'] }))
const Guest = Model('RegisteredGuest', {
  name: Text('Lin Mei'),
  email: Nullable(Text('lin@example.org')),
  language: Nullable(Enum(['en', 'zh'])),
  confirmedAt: Nullable({ ...Time, description: 'When the guest proved the address' }),
})

export const registrationFields = {
  id: Id,
  userId: Nullable({ ...Id, description: 'Null for a guest without an account' }),
  status: RegistrationStatus,
  position: Nullable(
    Type.Integer({ minimum: 1, examples: [1], description: 'Place in the waiting list; null unless WAITING' }),
  ),
  answers: Answers,
  createdAt: { ...Time, description: 'When the person registered, or registered again after a cancellation' },
  reason: Nullable(Text('The workshop is for beginners', { description: 'Why it was rejected or cancelled' })),
  source: Enum(REGISTRATION_SOURCES, {
    description: 'ACCOUNT and GUEST registered themselves; MANUAL and IMPORT were entered by a manager',
  }),
  guest: Nullable(Guest),
}
export const RegistrationView = Model('UserRegistration', registrationFields)
export type RegistrationView = Static<typeof RegistrationView>
