import type { TSchema } from '@sinclair/typebox'

import {
  AnyOf,
  Documented,
  Enum,
  Id,
  Line,
  Model,
  Nullable,
  OneOf,
  Raw,
  type Static,
  Time,
  Type,
} from '#http/schema.ts'

import { Code, Email, Phone } from '../codes/model.ts'
import {
  DEVICE_ID_MAX,
  DEVICE_ID_MIN,
  DEVICE_NAME_MAX,
  EMAIL_MAX,
  NICKNAME_MAX,
  ONECLICK_TOKEN_MAX,
  PASSWORD_MAX,
  PASSWORD_MIN,
} from '../limits.ts'
import { UserView } from '../users/model.ts'

export const LoginResponse = Model('LoginResponse', {
  accessToken: Type.String({
    description: 'For `Authorization: Bearer`, valid for 7 days, only together with X-Device-Id',
    examples: ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI0MiJ9.c2lnbmF0dXJl'],
  }),
  refreshToken: Type.String({
    description: 'For one exchange at /api/auth/refresh, within 30 days',
    examples: ['Zk3q0sJ9xW7vT2bN5yLrAeHc8uGdPmKf4iOa1nQwXEo'],
  }),
  tokenType: Enum(['Bearer']),
  expiresAt: Time,
  sessionId: Id,
  deviceId: Type.String({
    description:
      'The device id to send as X-Device-Id, when the login named none and the server made one: keep it like a password. ' +
      'Otherwise the opaque key under which lists show the device; the id that was sent is never sent back.',
    examples: ['9b1c6e0f2d7a4385a1be'],
  }),
  isNewUser: Type.Boolean(),
  user: UserView,
  permissions: Type.Array(Type.String({ examples: ['qr_code:create'] }), {
    description: 'Points of the APP and PLATFORM domains',
  }),
  roleName: Type.String({ examples: ['User'] }),
})
export type LoginResponse = Static<typeof LoginResponse>

/** A password as it is typed to sign in: any that may ever have been accepted. */
export const Password = Raw(PASSWORD_MAX, 1, { examples: ['correct horse battery'] })
export const NewPassword = Raw(PASSWORD_MAX, PASSWORD_MIN, { examples: ['correct horse battery'] })

const Maybe = <T extends TSchema>(schema: T) => Type.Optional(Nullable(schema))

const device = {
  deviceId: Maybe(
    Documented(
      Raw(DEVICE_ID_MAX, 0, {
        description: 'Used when there is no X-Device-Id header; at least 16 characters',
        examples: ['5f1d7c52b0e94c0aa0b1'],
      }),
      {
        minLength: DEVICE_ID_MIN,
      },
    ),
  ),
  deviceName: Maybe(
    Line(DEVICE_NAME_MAX, 0, { description: 'Used when there is no X-Device-Name header', examples: ["Mei's phone"] }),
  ),
}

/** Also of `POST /api/auth/sessions`. */
export const DeviceLogin = Model('DeviceLogin', device)
export type DeviceLogin = Static<typeof DeviceLogin>

const Account = (description: string) => Maybe(Line(EMAIL_MAX, 0, { description, examples: ['lin.mei'] }))

export const PasswordLogin = OneOf('PasswordLogin', ['account', 'username', 'email'], {
  account: Account('Username or e-mail'),
  username: Account('Another name of `account`'),
  email: Account('Another name of `account`'),
  password: Password,
  ...device,
})
export type PasswordLogin = Static<typeof PasswordLogin>

export const PhonePasswordLogin = Model('PhonePasswordLogin', { phone: Phone, password: Password, ...device })
export type PhonePasswordLogin = Static<typeof PhonePasswordLogin>

export const PhoneLogin = Model('PhoneLogin', { phone: Phone, code: Code, ...device })
export type PhoneLogin = Static<typeof PhoneLogin>

export const EmailLogin = Model('EmailLogin', { email: Email, code: Code, ...device })
export type EmailLogin = Static<typeof EmailLogin>

export const CarrierToken = Raw(ONECLICK_TOKEN_MAX, 1, {
  description: 'From the carrier’s SDK in the app',
  examples: ['eyJ0eXAiOiJKV1QifQ.c2lnbmF0dXJl'],
})
export const OneClickLogin = Model('OneClickLogin', { token: CarrierToken, ...device })
export type OneClickLogin = Static<typeof OneClickLogin>

export const Registration = AnyOf('Registration', ['username', 'email'], {
  username: Maybe(
    Line(32, 0, { description: '3 to 32 letters, digits, _ . -, beginning with a letter', examples: ['lin.mei'] }),
  ),
  email: Maybe(Line(EMAIL_MAX, 0, { examples: ['lin@example.org'] })),
  password: NewPassword,
  nickname: Maybe(Line(NICKNAME_MAX, 0, { examples: ['Lin Mei'] })),
  ...device,
})
export type Registration = Static<typeof Registration>

export const Refresh = Model('RefreshRequest', {
  refreshToken: Raw(200, 1, { examples: ['Zk3q0sJ9xW7vT2bN5yLrAeHc8uGdPmKf4iOa1nQwXEo'] }),
})
