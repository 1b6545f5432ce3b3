import { SESSION_STATUSES } from '#db/schema/accounts.ts'
import { Enum, Id, Model, Nullable, Raw, type Static, Text, Time, Type } from '#http/schema.ts'

import { DEVICE_ID_MAX } from '../accounts.model.ts'
import { DEVICE_KEY, deviceFields } from '../sessions/sessions.model.ts'

export const DeviceLogin = Model('DeviceLogin', deviceFields)
export type DeviceLogin = Static<typeof DeviceLogin>

const DeviceKey = Type.String({
  description: 'Opaque key of the device, not the device id it signs in with',
  examples: [DEVICE_KEY],
})

export const SessionView = Model('Session', {
  id: Id,
  deviceId: DeviceKey,
  deviceName: Text("Mei's phone"),
  isCurrent: Type.Boolean(),
  status: Enum(SESSION_STATUSES),
  expiredAt: Time,
  lastActiveTime: Time,
  createdAt: Time,
})
export type SessionView = Static<typeof SessionView>

export const LoggedOut = Model('LogoutResult', {
  logoutUrl: Nullable(
    Text('https://id.example.org/logout?client_id=tessera', {
      description: 'Open it in the browser to sign out at the OpenID provider, too; null: there is nothing to open',
    }),
  ),
})
export type LoggedOut = Static<typeof LoggedOut>

export const SessionSwitch = Model('SessionSwitch', {
  deviceId: Type.Optional(
    Nullable(
      Raw(DEVICE_ID_MAX, 0, {
        description: 'The device id of that session, unless it is the one of this request',
        examples: ['5f1d7c52b0e94c0aa0b1'],
      }),
    ),
  ),
})

export const DeviceRemoval = Model('DeviceRemoval', {
  hint: Nullable(
    Type.String({
      description: 'Advice, if the device can still sign in by itself because the account has no other way to sign in',
      examples: ['Bind an e-mail or phone, or set a username and password, and remove the device again'],
    }),
  ),
})
export type DeviceRemoval = Static<typeof DeviceRemoval>

export const BySession = Type.Object({ sessionId: Id })

export const ByDevice = Type.Object({
  deviceId: Raw(DEVICE_ID_MAX, 1, {
    description: 'The device’s key, as lists show it, or its raw device id',
    examples: [DEVICE_KEY],
  }),
})

export const DeviceView = Model('Device', {
  deviceId: DeviceKey,
  deviceName: Text("Mei's phone"),
  loginType: Type.String({ description: 'How the device signed in', examples: ['login'] }),
  ipAddress: Type.String({ description: 'Where it signed in from', examples: ['203.0.113.7'] }),
  city: Text('Hangzhou'),
  loginTime: Time,
  lastActiveTime: Time,
  isCurrent: Type.Boolean(),
  trustedUntil: Nullable({
    ...Time,
    description: 'Until when the device is spared the second factor; null: it is not trusted',
  }),
})
export type DeviceView = Static<typeof DeviceView>
