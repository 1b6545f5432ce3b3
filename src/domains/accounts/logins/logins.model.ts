import type { TSchema } from '@sinclair/typebox'

import { AnyOf, Documented, Line, Model, Nullable, OneOf, type Static, Type } from '#http/schema.ts'

import {
  CarrierToken,
  Code,
  Email,
  EMAIL_MAX,
  NewPassword,
  NICKNAME_MAX,
  Password,
  Phone,
  Username,
} from '../accounts.model.ts'
import { factorFields } from '../second-factor/second-factor.model.ts'
import { deviceFields } from '../sessions/sessions.model.ts'

const Maybe = <T extends TSchema>(schema: T) => Type.Optional(Nullable(schema))

const signInFields = { ...factorFields, ...deviceFields }

const Account = (description: string) => Maybe(Line(EMAIL_MAX, 0, { description, examples: ['lin.mei'] }))

export const PasswordLogin = OneOf('PasswordLogin', ['account', 'username', 'email'], {
  account: Account('Username or e-mail'),
  username: Account('Another name of `account`'),
  email: Account('Another name of `account`'),
  password: Password,
  ...signInFields,
})
export type PasswordLogin = Static<typeof PasswordLogin>

export const PhonePasswordLogin = Model('PhonePasswordLogin', { phone: Phone, password: Password, ...signInFields })
export type PhonePasswordLogin = Static<typeof PhonePasswordLogin>

export const PhoneLogin = Model('PhoneLogin', { phone: Phone, code: Code, ...signInFields })
export type PhoneLogin = Static<typeof PhoneLogin>

export const EmailLogin = Model('EmailLogin', { email: Email, code: Code, ...signInFields })
export type EmailLogin = Static<typeof EmailLogin>

export const DeviceSignIn = Model('DeviceSignIn', signInFields)
export type DeviceSignIn = Static<typeof DeviceSignIn>

export const OneClickLogin = Model('OneClickLogin', { token: CarrierToken, ...signInFields })
export type OneClickLogin = Static<typeof OneClickLogin>

export const Registration = AnyOf('Registration', ['username', 'email'], {
  username: Maybe(Username),
  email: Maybe(Documented(Line(EMAIL_MAX, 0, { examples: ['lin@example.org'] }), { format: 'email' })),
  code: Maybe(
    Line(20, 0, {
      description:
        'A sign-in code sent to `email`. It confirms the address. Needed if another account has typed the address without confirming it.',
      examples: ['204817'],
    }),
  ),
  invitationToken: Maybe(
    Line(100, 0, {
      description:
        'The token of an invitation by mail. You join its organization. Its address needs no code: it becomes yours if you give it, or no `email`.',
      examples: [''],
    }),
  ),
  password: NewPassword,
  nickname: Maybe(Line(NICKNAME_MAX, 0, { examples: ['Lin Mei'] })),
  ...deviceFields,
})
export type Registration = Static<typeof Registration>
