/** Shapes of the registrations of guests, which their secret link opens. */

import { Enum, Line, Model, Nullable, type Static, Text, Type } from '#http/schema.ts'

import { PublicActivity } from '../discovery/discovery.model.ts'
import { ANSWER_FIELDS, GuestQuestions } from '../guest-forms/guest-forms.model.ts'
import { Status as PassStatus } from '../passes/passes.model.ts'
import { RegistrationStatus } from '../registrations/registrations.model.ts'
import { InviteCode } from '../visibility/visibility.model.ts'

export const ByActivity = Type.Object({ uuid: Line(64, 0, { examples: ['7f0c2d1e-4b5a-4c6d-8e9f-0a1b2c3d4e5f'] }) })
export const FormQuery = Type.Object({ code: Type.Optional(InviteCode) })

const SECRET = '3q2-7wAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'
/** Whatever somebody made of the link is the same 404. */
const Secret = Line(200, 1, { examples: [SECRET] })
export const BySecret = Type.Object({ secret: Secret })
export const ClaimGuest = Model('ClaimGuestRegistration', {
  secret: { ...Secret, description: 'The last part of the address of the guest’s page' },
})

export const GUEST_ACTIONS = ['confirm', 'cancel', 'answers', 'resend-pass'] as const
export const GuestAction = Model('GuestAction', {
  action: Enum(GUEST_ACTIONS, { examples: ['confirm'] }),
  ...ANSWER_FIELDS,
})
export type GuestAction = Static<typeof GuestAction>

export const GuestPage = Model('GuestRegistration', {
  activity: PublicActivity,
  name: Text('Lin Mei'),
  status: RegistrationStatus,
  position: Nullable(
    Type.Integer({ minimum: 1, examples: [1], description: 'Place in the waiting list; null unless WAITING' }),
  ),
  reason: Text('All places were taken', { description: 'Why it was rejected or ended. Empty if there is no reason' }),
  answers: Type.Record(Type.String(), Type.String(), { examples: [{ tshirt: 'M' }] }),
  questions: GuestQuestions,
  pass: Nullable(
    Model('GuestPass', {
      publicUrl: Text('https://qr.example.org/s/pass/5b1f0c9e-2f5e-4d8e-9a7a-3d1f0c9e2f5e'),
      status: PassStatus,
    }),
  ),
  canConfirm: Type.Boolean({ description: 'Whether the guest must still confirm the address' }),
  canCancel: Type.Boolean(),
  canChange: Type.Boolean({ description: 'Whether the answers can be changed: while registration is open' }),
})
export type GuestPage = Static<typeof GuestPage>
