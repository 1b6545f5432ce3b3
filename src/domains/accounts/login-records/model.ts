import { Enum, Id, Line, Model, Named, Nullable, Raw, type Static, Text, Time, Type } from '#http/schema.ts'

import { DEVICE_ID_MAX, DEVICE_NAME_MAX } from '../limits.ts'

/** What leaves a login record (spec §2.2); the last four are what clients report by themselves. */
export const LOGIN_TYPES = [
  'register',
  'login',
  'admin_login',
  'device_login',
  'device_auto_register',
  'register_device',
  'remove_device',
  'logout',
  'logout_unbind_device',
  'session_switch',
  'username_set',
  'password_set',
  'password_change',
  'phone',
  'email',
  'one_click_login',
  'account_switch',
  'account_delete',
  'phone_bind',
  'email_bind',
  'phone_unbind',
  'email_unbind',
  'account_link',
  'password',
  'device',
  'qrcode',
  'oauth',
] as const
export const LoginType = Named('LoginType', Enum(LOGIN_TYPES, { description: 'What happened', examples: ['login'] }))
export type LoginType = Static<typeof LoginType>

export const LoginStatus = Named('LoginStatus', Enum(['success', 'failed']))

export const LoginRecordView = Model('LoginRecord', {
  id: Id,
  userId: Nullable(Type.Integer({ minimum: 1, description: 'null: no account has the name that was tried' })),
  deviceId: Type.String({
    description: 'Opaque key of the device, not the id it signs in with',
    examples: ['9b1c6e0f2d7a4385a1be'],
  }),
  deviceName: Text("Mei's phone"),
  ipAddress: Type.String({ examples: ['203.0.113.7'] }),
  city: Text('Hangzhou'),
  loginType: LoginType,
  status: LoginStatus,
  failureReason: Nullable(Text('wrong password')),
  createdAt: Time,
})
export type LoginRecordView = Static<typeof LoginRecordView>

export const NewLoginRecord = Model('NewLoginRecord', {
  loginType: LoginType,
  status: Type.Optional(Enum(['success', 'failed'], { default: 'success' })),
  deviceId: Type.Optional(
    Raw(DEVICE_ID_MAX, 0, {
      description: 'Raw device id; the session’s device unless given',
      examples: ['5f1d7c52b0e94c0aa0b1'],
    }),
  ),
  deviceName: Type.Optional(Line(DEVICE_NAME_MAX, 0, { examples: ["Mei's phone"] })),
  city: Type.Optional(Line(100, 0, { examples: ['Hangzhou'] })),
  failureReason: Type.Optional({ ...Nullable(Line(200)), examples: [null] }),
})
export type NewLoginRecord = Static<typeof NewLoginRecord>

/** Hours back from now: at most a year. */
export const Hours = Type.Integer({ minimum: 1, maximum: 8784, default: 24 })
