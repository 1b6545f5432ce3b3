import { Line, Model, Nullable, OneOf, type Static, Time, Type } from '#http/schema.ts'

import { Email, EMAIL_MAX, Phone } from '../accounts.model.ts'

export const CodeSent = Model('CodeSent', {
  expiresAt: Time,
  resendAt: Type.Integer({ description: 'When the next code may be requested, epoch milliseconds', minimum: 0 }),
})
export type CodeSent = Static<typeof CodeSent>

const aliasOf = (name: string, example: string) =>
  Type.Optional(Nullable(Line(EMAIL_MAX, 0, { description: `Another name of \`${name}\``, examples: [example] })))

export const ToPhone = OneOf('PhoneRecipient', ['phone', 'credential'], {
  phone: Type.Optional(Nullable(Phone)),
  credential: aliasOf('phone', '13800138000'),
})
export const ToEmail = OneOf('EmailRecipient', ['email', 'credential'], {
  email: Type.Optional(Nullable(Email)),
  credential: aliasOf('email', 'lin@example.org'),
})
export type ToPhone = Static<typeof ToPhone>
export type ToEmail = Static<typeof ToEmail>
