import { Documented, Enum, Id, Line, Model, Nullable, Raw, type Static, Time, Type } from '#http/schema.ts'

import { DEVICE_ID_MAX, DEVICE_ID_MIN, DEVICE_NAME_MAX } from '../accounts.model.ts'
import { UserView } from '../users/users.model.ts'

const REFRESH_TOKEN = 'Zk3q0sJ9xW7vT2bN5yLrAeHc8uGdPmKf4iOa1nQwXEo'
export const DEVICE_KEY = '9b1c6e0f2d7a4385a1be'

export const LoginResponse = Model('LoginResponse', {
  accessToken: Type.String({
    description: 'For `Authorization: Bearer`, valid for 7 days, only together with X-Device-Id',
    examples: ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI0MiJ9.c2lnbmF0dXJl'],
  }),
  refreshToken: Nullable(
    Type.String({
      description:
        'For one exchange at /api/auth/refresh, within 30 days. Null only if the request had the header `X-Refresh-Token: cookie`.',
      examples: [REFRESH_TOKEN],
    }),
  ),
  tokenType: Enum(['Bearer']),
  expiresAt: Time,
  sessionId: Id,
  deviceId: Type.String({
    description:
      'If the login named no device: the device id that the server generated. Send it as X-Device-Id and keep it like a password. ' +
      'Otherwise, and with `X-Refresh-Token: cookie`, the opaque key under which lists show the device; the device id you sent is never sent back.',
    examples: [DEVICE_KEY],
  }),
  isNewUser: Type.Boolean(),
  mustChangePassword: Type.Boolean({
    description:
      'An administrator chose the password, and you must change it first: other operations answer 403 with code 4038',
  }),
  user: UserView,
  permissions: Type.Array(Type.String({ examples: ['qr_code:create'] }), {
    description: 'Permission points of the APP and PLATFORM domains',
  }),
  roleName: Type.String({ examples: ['User'] }),
})
export type LoginResponse = Static<typeof LoginResponse>

/** Body fields that name the device of a login. */
export const deviceFields = {
  deviceId: Type.Optional(
    Nullable(
      Documented(
        Raw(DEVICE_ID_MAX, 0, {
          description:
            'Used if there is no X-Device-Id header; 128 random bits, in at least 16 visible ASCII characters',
          examples: ['5f1d7c52b0e94c0aa0b1'],
        }),
        { minLength: DEVICE_ID_MIN, pattern: '^[!-~]+$' },
      ),
    ),
  ),
  deviceName: Type.Optional(
    Nullable(
      Line(DEVICE_NAME_MAX, 0, { description: 'Used if there is no X-Device-Name header', examples: ["Mei's phone"] }),
    ),
  ),
}
export const Refresh = Model('RefreshRequest', {
  refreshToken: Type.Optional(
    Nullable(
      Raw(200, 1, {
        description: 'Required, unless the header `X-Refresh-Token: cookie` says that it is a cookie',
        examples: [REFRESH_TOKEN],
      }),
    ),
  ),
})
export type Refresh = Static<typeof Refresh>
