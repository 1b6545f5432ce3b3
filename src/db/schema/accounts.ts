import type { Locale } from '#lib/localized.ts'

import { col, index, lowered, table, uniqueIndex } from '../dialect.ts'

export type UserStatus = 'ACTIVE' | 'DISABLED' | 'DELETED'
export type Provider = 'PHONE' | 'EMAIL' | 'DEVICE'
export type SessionStatus = 'ACTIVE' | 'EXPIRED' | 'REVOKED'

export const users = table(
  'users',
  {
    id: col.id(),
    username: col.text('username'),
    /** `username` lower-cased: names are unique without regard to case. */
    usernameKey: col.text('username_key'),
    nickname: col.text('nickname').notNull(),
    signature: col.text('signature'),
    avatarUrl: col.text('avatar_url'),
    passwordHash: col.text('password_hash'),
    /** Goes up when the password changes; access tokens carry it, so older ones stop working. */
    tokenVersion: col.int('token_version').notNull().default(0),
    status: col.text('status').$type<UserStatus>().notNull().default('ACTIVE'),
    currentOrgId: col.int('current_org_id'),
    createdAt: col.time('created_at').notNull(),
    updatedAt: col.time('updated_at').notNull(),
  },
  (t) => [uniqueIndex('users_username_key').on(t.usernameKey), index('users_nickname').on(lowered(t.nickname))],
)

export const identities = table(
  'identities',
  {
    id: col.id(),
    userId: col
      .int('user_id')
      .notNull()
      .references(() => users.id),
    provider: col.text('provider').$type<Provider>().notNull(),
    /** Normalized: E.164 phone, lower-cased e-mail; for DEVICE the hash of the device id. */
    credential: col.text('credential').notNull(),
    verified: col.bool('verified').notNull().default(false),
    createdAt: col.time('created_at').notNull(),
  },
  (t) => [
    uniqueIndex('identities_provider_credential').on(t.provider, t.credential),
    index('identities_user').on(t.userId),
  ],
)

export const sessions = table(
  'sessions',
  {
    id: col.id(),
    userId: col
      .int('user_id')
      .notNull()
      .references(() => users.id),
    /** Hash of the device id. The id itself can log in, so it is never stored. */
    deviceKey: col.text('device_key').notNull(),
    deviceName: col.text('device_name').notNull().default(''),
    loginType: col.text('login_type').notNull(),
    ipAddress: col.text('ip_address').notNull().default(''),
    city: col.text('city').notNull().default(''),
    status: col.text('status').$type<SessionStatus>().notNull().default('ACTIVE'),
    /** The life of the newest refresh token: it slides with each refresh. */
    expiredAt: col.time('expired_at').notNull(),
    lastActiveAt: col.time('last_active_at').notNull(),
    /** Generation of the refresh tokens that may be used now; each use begins the next. Decides between parallel refreshes. */
    generation: col.int('generation').notNull().default(0),
    /** When the current generation began. */
    rotatedAt: col.time('rotated_at').notNull(),
    createdAt: col.time('created_at').notNull(),
  },
  (t) => [
    uniqueIndex('sessions_user_device').on(t.userId, t.deviceKey),
    index('sessions_user_active').on(t.userId, t.status, t.lastActiveAt),
    index('sessions_expiry').on(t.status, t.expiredAt),
  ],
)

/** Every refresh token a session was ever given, so that the replay of a rotated one is recognized. Only hashes are kept. */
export const refreshTokens = table(
  'refresh_tokens',
  {
    hash: col.text('hash').primaryKey(),
    sessionId: col
      .int('session_id')
      .notNull()
      .references(() => sessions.id, { onDelete: 'cascade' }),
    /** Several tokens share one when an answer was lost and the exchange repeated. */
    generation: col.int('generation').notNull(),
    expiresAt: col.time('expires_at').notNull(),
  },
  (t) => [index('refresh_tokens_session').on(t.sessionId), index('refresh_tokens_expiry').on(t.expiresAt)],
)

export const loginRecords = table(
  'login_records',
  {
    id: col.id(),
    userId: col.int('user_id').notNull(),
    deviceKey: col.text('device_key').notNull().default(''),
    deviceName: col.text('device_name').notNull().default(''),
    ipAddress: col.text('ip_address').notNull().default(''),
    city: col.text('city').notNull().default(''),
    loginType: col.text('login_type').notNull(),
    status: col.text('status').$type<'success' | 'failed'>().notNull(),
    failureReason: col.text('failure_reason'),
    createdAt: col.time('created_at').notNull(),
  },
  (t) => [
    index('login_records_user').on(t.userId, t.id),
    index('login_records_type').on(t.loginType, t.id),
    index('login_records_created').on(t.createdAt),
  ],
)

/** Attempts at a credential, for the failure lock. Counted before a password is checked, gone after a success. */
export const passwordTries = table(
  'password_tries',
  {
    /** Hash of the normalized credential: people type passwords into the wrong field. */
    key: col.text('key').primaryKey(),
    /** When the latest attempts were made, oldest first; no more than the lock looks at. */
    triedAt: col.json<number[]>('tried_at').notNull(),
    lockedUntil: col.time('locked_until').notNull(),
    /** When the row says nothing any more and may be dropped. */
    expiresAt: col.time('expires_at').notNull(),
  },
  (t) => [index('password_tries_expiry').on(t.expiresAt)],
)

export type CodePurpose = 'LOGIN' | 'BIND' | 'ACCOUNT_LINK' | 'RESET' | 'CHANGE'

/** Verification codes that were sent and not used yet: one for each credential, purpose and asking user. */
export const verificationCodes = table(
  'verification_codes',
  {
    id: col.id(),
    purpose: col.text('purpose').$type<CodePurpose>().notNull(),
    /** Where it was sent: normalized e-mail or phone. */
    credential: col.text('credential').notNull(),
    /** Who asked for it while signed in, and alone may use it; 0 for the purposes of people who are not. */
    userId: col.int('user_id').notNull().default(0),
    /** Keyed hash: six digits could be found out from a plain one. */
    hash: col.text('hash').notNull(),
    tries: col.int('tries').notNull().default(0),
    expiresAt: col.time('expires_at').notNull(),
  },
  (t) => [
    uniqueIndex('verification_codes_key').on(t.credential, t.purpose, t.userId),
    index('verification_codes_user').on(t.userId),
    index('verification_codes_expiry').on(t.expiresAt),
  ],
)

/** Who may switch into which other account. */
export const accountLinks = table(
  'account_links',
  {
    id: col.id(),
    ownerUserId: col
      .int('owner_user_id')
      .notNull()
      .references(() => users.id),
    linkedUserId: col
      .int('linked_user_id')
      .notNull()
      .references(() => users.id),
    createdAt: col.time('created_at').notNull(),
  },
  (t) => [
    uniqueIndex('account_links_pair').on(t.ownerUserId, t.linkedUserId),
    index('account_links_linked').on(t.linkedUserId),
  ],
)

export type WordKind = 'ADJECTIVE' | 'NOUN'

/** What nicknames are made of. */
export const nicknameWords = table(
  'nickname_words',
  {
    id: col.id(),
    locale: col.text('locale').$type<Locale>().notNull(),
    kind: col.text('kind').$type<WordKind>().notNull(),
    word: col.text('word').notNull(),
    createdAt: col.time('created_at').notNull(),
  },
  (t) => [uniqueIndex('nickname_words_word').on(t.locale, t.kind, t.word)],
)
