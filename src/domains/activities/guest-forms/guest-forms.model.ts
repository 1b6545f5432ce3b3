/** Shapes and limits of the form with which people register without an account. */

import { Enum, Line, Model, Multiline, Nullable, Raw, type Static, Text, Time, Type } from '#http/schema.ts'
import { DAY, HOUR, MINUTE, SECOND } from '#platform/clock.ts'

import { InviteCode } from '../visibility/visibility.model.ts'

/** No person has read the form and filled it in sooner. */
export const READING_MS = 2 * SECOND
export const TOKEN_MS = 2 * HOUR
/** Forms that may be sent with one token: people correct their input. */
export const USES_OF_TOKEN = 5

/** Guests who have not confirmed, of an activity with and without a capacity. */
const MIN_PENDING = 200
const PENDING_PER_PLACE = 3
const MAX_PENDING = 5000
export const pendingBound = (capacity: number): number =>
  capacity === 0 ? MAX_PENDING : Math.max(MIN_PENDING, PENDING_PER_PLACE * capacity)

/** How long a guest can confirm. */
export const PENDING_MS = DAY
/** When there are too many of them, those that are older give way. */
export const PROTECTED_MS = HOUR

export const FORMS_WINDOW_MS = MINUTE
export const FORMS_OF_ADDRESS = 200
export const FORMS_OF_ACTIVITY = 1000
/** The organizer is notified when this part of a limit is used. */
export const WARN_AT = 0.8

const MAX_ANSWERS = 100
const answers = {
  answers: Type.Optional(
    Nullable(
      Type.Record(Type.String(), Type.String(), {
        maxProperties: MAX_ANSWERS,
        examples: [{ tshirt: 'M' }],
        description: 'Answers by the keys of the questions',
      }),
    ),
  ),
  answer: Type.Optional(
    Type.Record(Type.String(), Type.String(), {
      maxProperties: MAX_ANSWERS,
      examples: [{ tshirt: 'M' }],
      description: 'The same as `answers`: fields `answer.<key>` of a form',
    }),
  ),
}
export const ANSWER_FIELDS = answers

export const GuestEmail = Line(254, 1, { examples: ['lin@example.org'] })

export const NewGuest = Model('NewGuest', {
  name: Line(100, 1, { examples: ['Lin Mei'] }),
  email: GuestEmail,
  ...answers,
  code: Type.Optional(Nullable(InviteCode)),
  language: Type.Optional(
    Nullable(
      Enum(['en', 'zh'], { description: 'Of the mails and the page of the guest; that of the request by default' }),
    ),
  ),
  formToken: Raw(500, 1, { examples: ['kV7n0dB1Yx2m5GqT'] }),
  website: Type.Optional(
    Nullable(
      Multiline(1000, 0, { examples: [''], description: 'People leave it empty: a form that fills it in is ignored' }),
    ),
  ),
})
export type NewGuest = Static<typeof NewGuest>

export const AskForLink = Model('AskForGuestLink', { email: GuestEmail })

export const CheckMail = Model('GuestCheckMail', {
  state: Type.Literal('CHECK_MAIL', {
    description: 'Always the same: nobody learns whether the address is registered',
    examples: ['CHECK_MAIL'],
  }),
})
export type CheckMail = Static<typeof CheckMail>

export const GuestQuestions = Type.Array(
  Model('GuestQuestion', { key: Text('tshirt'), label: Text('Size of the T-shirt'), required: Type.Boolean() }),
)

export const GuestForm = Model('GuestForm', {
  formToken: Text('kV7n0dB1Yx2m5GqT', {
    description: 'For `POST /public/activities/{uuid}/guests`: up to 5 times, from 2 seconds to 2 hours from now',
  }),
  questions: GuestQuestions,
  placesLeft: Enum(['MANY', 'FEW', 'NONE'], { examples: ['MANY'] }),
  closesAt: { ...Time, description: 'When registration closes' },
})
export type GuestForm = Static<typeof GuestForm>
