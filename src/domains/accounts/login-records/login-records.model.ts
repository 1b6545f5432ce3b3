import { keywordFilter, timeFilters } from '#domains/admin/index.ts'
import {
  Enum,
  Id,
  Line,
  Model,
  Named,
  Nullable,
  PageQuery,
  Raw,
  Sort,
  type Static,
  Text,
  Time,
  Type,
} from '#http/schema.ts'
import type { Locale } from '#lib/localized.ts'

import { DEVICE_ID_MAX, DEVICE_NAME_MAX } from '../accounts.model.ts'

/** The events that only clients know of, and report. */
export const REPORTED_TYPES = ['password', 'device', 'qrcode', 'oauth'] as const

/** The events that login records list (spec §2.2). Refreshing tokens leaves no record: it would push all others out of the list. */
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
  'account_unlink',
  'email_restore',
  'data_export',
  'totp_enable',
  'totp_disable',
  'recovery_codes',
  'passkey_login',
  'passkey_add',
  'passkey_rename',
  'passkey_remove',
  'passkey_require',
  'passkey_optional',
  'trust_end',
  'api_key_create',
  'api_key_revoke',
  'oidc',
  'oidc_link',
  'oidc_unlink',
  'token_refresh',
  ...REPORTED_TYPES,
] as const
export const LoginType = Named(
  'LoginType',
  Enum(LOGIN_TYPES, { description: 'The kind of event', examples: ['login'] }),
)
export type LoginType = Static<typeof LoginType>

export interface Device {
  /** Hash of the device id: stored, compared, and shown as `deviceId`. */
  readonly key: string
  /** The device id itself, only if the server generated it: the client must learn it. */
  readonly newId?: string
  readonly name: string
}

/** A login, or another event that login records list: on which device, from where, and the language to answer in. */
export interface LoginEvent {
  readonly loginType: LoginType
  readonly device: Device
  readonly ip: string
  readonly locale: Locale
}

export const LoginStatus = Named('LoginStatus', Enum(['success', 'failed']))

export const LoginRecordView = Model('LoginRecord', {
  id: Id,
  userId: Nullable(Type.Integer({ minimum: 1, description: 'null: there is no such account' })),
  deviceId: Type.String({
    description: 'Opaque key of the device, not the device id it signs in with',
    examples: ['9b1c6e0f2d7a4385a1be'],
  }),
  deviceName: Text("Mei's phone"),
  ipAddress: Type.String({ examples: ['203.0.113.7'] }),
  city: Text('Hangzhou'),
  loginType: LoginType,
  status: LoginStatus,
  failureReason: Nullable(Text('wrong password')),
  reportedByClient: Type.Boolean({
    description: 'A client reported the event. The server knows only its time, IP address and user',
  }),
  createdAt: Time,
})
export type LoginRecordView = Static<typeof LoginRecordView>

export const NewLoginRecord = Model('NewLoginRecord', {
  loginType: Enum(REPORTED_TYPES, { description: 'The kind of event', examples: ['qrcode'] }),
  status: Type.Optional(Enum(['success', 'failed'], { default: 'success' })),
  deviceId: Type.Optional(
    Raw(DEVICE_ID_MAX, 0, {
      description: 'Raw device id; by default the device of the session',
      examples: ['5f1d7c52b0e94c0aa0b1'],
    }),
  ),
  deviceName: Type.Optional(Line(DEVICE_NAME_MAX, 0, { examples: ["Mei's phone"] })),
  city: Type.Optional(Line(100, 0, { examples: ['Hangzhou'] })),
  failureReason: Type.Optional({ ...Nullable(Line(200)), examples: [null] }),
})
export type NewLoginRecord = Static<typeof NewLoginRecord>

const hours = { minimum: 1, maximum: 8784 }
/** Hours back from now, at most a year. */
export const Hours = Type.Integer({ ...hours, default: 24 })

export const AdminRecordsQuery = PageQuery({
  userId: Type.Optional(Id),
  loginType: Type.Optional(LoginType),
  status: Type.Optional(LoginStatus),
  hours: Type.Optional(Type.Integer({ ...hours, description: 'Of the last hours', examples: [24] })),
  ...timeFilters,
  ...keywordFilter('IP address, city and device name'),
  sort: Sort(['createdAt']),
})
export type AdminRecordsQuery = Static<typeof AdminRecordsQuery>

export const AdminLoginRecordView = Model('AdminLoginRecord', {
  ...LoginRecordView.properties,
  username: Nullable(Text('anna')),
  nickname: Nullable(Type.String({ description: 'null: there is no such account', examples: ['Anna'] })),
})
export type AdminLoginRecordView = Static<typeof AdminLoginRecordView>
