import { Line, Model, Nullable, OneOf, type Static, Time, Type } from '#http/schema.ts'

import { EMAIL_MAX, PHONE_MAX } from '../limits.ts'

export const CodeSent = Model('CodeSent', {
  expiresAt: Time,
  resendAt: Type.Integer({ description: 'When the next may be asked for, epoch milliseconds', minimum: 0 }),
})
export type CodeSent = Static<typeof CodeSent>

export const Phone = Line(PHONE_MAX, 1, {
  description: '11 digits of the mainland, or + and the country',
  examples: ['13800138000'],
})
export const Email = Line(EMAIL_MAX, 1, { examples: ['lin@example.org'] })
/** Anything else is answered like a wrong one. */
export const Code = Line(20, 1, { examples: ['204817'] })

const Alias = Type.Optional(
  Nullable(Line(EMAIL_MAX, 0, { description: 'Another name of the field before', examples: ['lin@example.org'] })),
)

export const ToPhone = OneOf('PhoneRecipient', ['phone', 'credential'], {
  phone: Type.Optional(Nullable(Phone)),
  credential: Alias,
})
export const ToEmail = OneOf('EmailRecipient', ['email', 'credential'], {
  email: Type.Optional(Nullable(Email)),
  credential: Alias,
})
export type ToPhone = Static<typeof ToPhone>
export type ToEmail = Static<typeof ToEmail>
