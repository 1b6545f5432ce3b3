import { Enum, Model, Nullable, OneOf, type Static, Type } from '#http/schema.ts'

import { Code, Password } from '../accounts.model.ts'

const byPassword = { verifyType: ['PASSWORD'], password: true } as const
const byCode = { verifyType: ['PHONE_CODE', 'EMAIL_CODE'], code: true } as const
export const Confirmation = OneOf('Confirmation', [byPassword, byCode], {
  verifyType: Enum(['PASSWORD', 'PHONE_CODE', 'EMAIL_CODE']),
  password: Type.Optional(Nullable(Password)),
  code: Type.Optional(Nullable(Code)),
})
export type Confirmation = Static<typeof Confirmation>

export const Confirmed = Model('Confirmed', {
  confirmedUntil: Type.Integer({
    description: 'When the confirmation of this session ends, epoch milliseconds',
    minimum: 0,
  }),
})
export type Confirmed = Static<typeof Confirmed>
