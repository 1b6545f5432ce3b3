import { Enum, Line, Model, Nullable, OneOf, type Static, Type } from '#http/schema.ts'

import { Code, EMAIL_MAX, NewPassword, Password } from '../accounts.model.ts'

const Credential = Line(EMAIL_MAX, 1, {
  description: 'An e-mail if it contains @, otherwise a phone',
  examples: ['lin@example.org'],
})

export const ForgotCode = Model('ForgotCode', { credential: Credential })

export const PasswordReset = Model('PasswordReset', { credential: Credential, code: Code, newPassword: NewPassword })
export type PasswordReset = Static<typeof PasswordReset>

export const CodeRedemption = Model('CodeRedemption', {
  account: Line(EMAIL_MAX, 1, { description: 'Username or e-mail', examples: ['lin.mei'] }),
  code: Line(100, 1, {
    description: 'A start code or reset code; case, spaces and hyphens do not count',
    examples: ['K7WP-Q2MX-9DRT-4HNB'],
  }),
  newPassword: NewPassword,
})
export type CodeRedemption = Static<typeof CodeRedemption>

export const ChangeCode = Model('ChangeCode', { channel: Enum(['PHONE', 'EMAIL']) })

const byOldPassword = { verifyType: ['OLD_PASSWORD'], oldPassword: true } as const
const byCode = { verifyType: ['PHONE_CODE', 'EMAIL_CODE'], code: true } as const
export const PasswordChange = OneOf('PasswordChange', [byOldPassword, byCode], {
  verifyType: Enum(['OLD_PASSWORD', 'PHONE_CODE', 'EMAIL_CODE']),
  oldPassword: Type.Optional(Nullable(Password)),
  code: Type.Optional(Nullable(Code)),
  newPassword: NewPassword,
  keepPasskeys: Type.Optional(
    Nullable(
      Type.Boolean({
        description: 'Keeps the passkeys that you made on other devices, which end otherwise',
        examples: [false],
      }),
    ),
  ),
  keepApiKeys: Type.Optional(
    Nullable(Type.Boolean({ description: 'Your API keys stay; otherwise they end too', examples: [false] })),
  ),
})
export type PasswordChange = Static<typeof PasswordChange>
