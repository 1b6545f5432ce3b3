/** The business settings: the schema of each value, and its default until an administrator changes it. */

import { type Static, type TSchema, Type } from '@sinclair/typebox'

const setting = <S extends TSchema>(schema: S, initial: Static<S>) => ({ schema, initial })

const MIB = 1024 * 1024
/** The largest value of `upload.maxBytes`. */
export const LARGEST_UPLOAD = 1024 * MIB
const size = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
const flag = Type.Integer({ minimum: 0, maximum: 1 })
/** A limit against abuse. 0 = none. */
const limit = (initial: number) => setting(size, initial)
const mediaType = Type.String({ pattern: '^[a-z]+/[a-z0-9.+-]+$', maxLength: 100 })

/** Of text without braces and control characters, and placeholders. `{seq:10}` takes 2 characters more than its pattern. */
const PART = String.raw`(?:[^{}\u0000-\u001f\u007f-\u009f\u2028\u2029]|\{yyyy\}|\{mm\}|\{dd\})*`
const NUMBER_PATTERN = String.raw`^${PART}\{seq(?::(?:[1-9]|10))?\}${PART}$`

export const definitions = {
  /** Whether users can register without an administrator. */
  'registration.enabled': setting(Type.Boolean(), true),
  /** Bytes that each user and each organization may store; 0 = unlimited. */
  'quota.storage': setting(size, 1024 * MIB),
  /** Files that each user and each organization may have; 0 = unlimited. */
  'quota.files': setting(size, 100_000),
  /** QR codes that each user and each organization may have; 0 = unlimited. */
  'quota.qrCodes': setting(size, 10_000),
  /** Organizations that a user may own; 0 = unlimited. */
  'quota.organizations': setting(size, 20),
  /** Assets that each user and each organization may have; 0 = unlimited. */
  'quota.assets': setting(size, 100_000),
  /** Activities that each user and each organization may have; 0 = unlimited. */
  'quota.activities': setting(size, 10_000),
  /** Pattern of generated asset numbers: text with `{yyyy}`, `{mm}`, `{dd}` and exactly one `{seq}` or `{seq:N}` (N digits, 1 to 10). */
  'assets.numberPattern': setting(Type.String({ pattern: NUMBER_PATTERN, maxLength: 60 }), 'A-{yyyy}-{seq:5}'),
  /** Longest text message, in characters. */
  'chat.textMaxLength': setting(Type.Integer({ minimum: 1, maximum: 20_000 }), 5000),
  /** Largest file of a message, in bytes. */
  'chat.mediaMaxBytes': setting(Type.Integer({ minimum: 1, maximum: LARGEST_UPLOAD }), 20 * MIB),
  /** Contacts that a user can have. */
  'chat.maxContacts': setting(Type.Integer({ minimum: 1, maximum: 10_000 }), 500),
  /** Contact requests that a user can send a day; 0 = unlimited. */
  'chat.requestsPerDay': setting(Type.Integer({ minimum: 0, maximum: 1000 }), 20),
  'chat.requestExpiryDays': setting(Type.Integer({ minimum: 1, maximum: 365 }), 30),
  /** For so long after sending a message can be recalled. */
  'chat.recallSeconds': setting(Type.Integer({ minimum: 0, maximum: 86_400 }), 120),
  /** Messages that a user can send a minute; 0 = unlimited. */
  'chat.messagesPerMinute': setting(Type.Integer({ minimum: 0, maximum: 6000 }), 60),
  /** Longest draft, in characters. */
  'chat.draftMaxLength': setting(Type.Integer({ minimum: 0, maximum: 10_000 }), 1000),
  /** Messages are deleted after so many days; 0 = never. */
  'chat.retentionDays': setting(Type.Integer({ minimum: 0, maximum: 3650 }), 0),
  /** Accounts that one IP address may create a day. */
  'budget.accountsPerAddress': limit(20),
  /** E-mail addresses and phone numbers that a user, and all users at an IP address, may look up a day. */
  'budget.contactsPerUser': limit(50),
  'budget.contactsPerAddress': limit(200),
  /** Invitations and join links that a user may send a day. */
  'budget.invitationsPerUser': limit(200),
  /** Records that the devices of a user may push a day. */
  'budget.pushedRecordsPerUser': limit(100_000),
  /** SMS that the server sends a day. */
  'budget.smsPerDay': limit(1000),
  /** Maximum size of an upload in bytes. */
  'upload.maxBytes': setting(Type.Integer({ minimum: 1, maximum: LARGEST_UPLOAD }), 20 * MIB),
  /** Allowed media types of uploads, of those that lib/file-type.ts detects from the bytes. HEIC is allowed by `upload.heic`. */
  'upload.types': setting(Type.Array(mediaType, { maxItems: 100, uniqueItems: true }), [
    'image/jpeg',
    'image/png',
    'image/gif',
    'image/webp',
    'application/pdf',
    'application/zip',
    'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    'text/csv',
    'text/plain',
    'audio/mpeg',
    'audio/mp4',
    'video/mp4',
  ]),
  /** Whether photos of phones in HEIC are accepted and converted to JPEG. Decoding takes up to 470 MB for a moment. */
  'upload.heic': setting(Type.Boolean(), true),
  /** Maximum size of an app package in bytes. */
  'app.maxPackageBytes': setting(Type.Integer({ minimum: 1, maximum: 4096 * MIB }), 500 * MIB),
  /** The latest published app version (spec §2.7). Each publication writes these settings; the flags are 0 or 1. */
  'app.latest_version_code': setting(Type.Integer({ minimum: 0, maximum: 2_147_483_647 }), 0),
  'app.latest_version_name': setting(Type.String({ maxLength: 400 }), ''),
  'app.download_url': setting(Type.String({ maxLength: 2000 }), ''),
  'app.file_size': setting(size, 0),
  'app.release_notes': setting(Type.String({ maxLength: 100_000 }), ''),
  'app.is_major': setting(flag, 0),
  'app.force_update': setting(flag, 0),
  /** Minimum length of a new password, 6 to 64. Administrators have a higher minimum (conventions §4). */
  'password.minLength': setting(Type.Integer({ minimum: 6, maximum: 64 }), 6),
  /** Whether common passwords are refused. */
  'password.refuseCommon': setting(Type.Boolean(), true),
  /**
   * Whether every user has to confirm who they are before they change a bound phone or e-mail, set a password or delete the account.
   * Administrators always have to.
   */
  'security.stepUp': setting(Type.Boolean(), false),
  /** Whether administrators can use the console only with a second factor. */
  'security.requireTotp': setting(Type.Boolean(), false),
  /** Rows of the operation log are deleted after so many days; 0 = never. At least a month, so that nobody deletes fresh rows with it. */
  'log.retentionDays': setting(Type.Union([Type.Literal(0), Type.Integer({ minimum: 30, maximum: 36_500 })]), 0),
} as const

type Definitions = typeof definitions
export type SettingKey = keyof Definitions
export type SettingValue<K extends SettingKey> = Static<Definitions[K]['schema']>
export type BudgetKey = Extract<SettingKey, `budget.${string}`>
export type Settings = { readonly [K in SettingKey]: SettingValue<K> }
