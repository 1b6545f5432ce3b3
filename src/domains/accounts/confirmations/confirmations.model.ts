import { Enum, Model, Nullable, OneOf, type Static, Type } from '#http/schema.ts'

import { Code, Password } from '../accounts.model.ts'
import { PasskeyAssertion } from '../assertions/assertions.model.ts'

const byPassword = { verifyType: ['PASSWORD'], password: true } as const
const byCode = { verifyType: ['PHONE_CODE', 'EMAIL_CODE'], code: true } as const
export const Confirmation = OneOf('Confirmation', [byPassword, byCode, { passkey: true }], {
  verifyType: Type.Optional(
    Enum(['PASSWORD', 'PHONE_CODE', 'EMAIL_CODE', 'PASSKEY'], {
      description: 'May be left out with `passkey`',
      examples: ['PASSWORD'],
    }),
  ),
  password: Type.Optional(Nullable(Password)),
  code: Type.Optional(Nullable(Code)),
  passkey: Type.Optional(Nullable(PasskeyAssertion)),
})
export type Confirmation = Static<typeof Confirmation>

export const Confirmed = Model('Confirmed', {
  confirmedUntil: Type.Integer({
    description: 'When the confirmation of this session ends, epoch milliseconds',
    minimum: 0,
  }),
})
export type Confirmed = Static<typeof Confirmed>
