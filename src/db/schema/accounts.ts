import { sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'

import type { Locale } from '#lib/localized.ts'

import { col, index, lowered, primaryKey, table, uniqueIndex } from '../dialect.ts'

export const USER_STATUSES = ['ACTIVE', 'DISABLED', 'DELETED'] as const
export type UserStatus = (typeof USER_STATUSES)[number]
export const PROVIDERS = ['PHONE', 'EMAIL', 'DEVICE', 'OIDC'] as const
export type Provider = (typeof PROVIDERS)[number]
/** Providers whose credentials can receive codes and messages. */
export type ContactProvider = Exclude<Provider, 'DEVICE' | 'OIDC'>
export const SESSION_STATUSES = ['ACTIVE', 'EXPIRED', 'REVOKED'] as const
export type SessionStatus = (typeof SESSION_STATUSES)[number]

const isNotDeleted = (status: SQLiteColumn) => sql`${status} <> 'DELETED'`
const isNotActive = (status: SQLiteColumn) => sql`${status} <> 'ACTIVE'`

export const users = table(
  'users',
  {
    id: col.id(),
    username: col.text('username'),
    /** `username` in lower case: usernames are unique ignoring case. */
    usernameKey: col.text('username_key'),
    nickname: col.text('nickname').notNull(),
    signature: col.text('signature'),
    /** The address of a picture: as the client gave it, or the path of an uploaded image. Shown by `avatarUrl` of the domain files. */
    avatar: col.text('avatar_url'),
    passwordHash: col.text('password_hash'),
    /** The password is known to meet the rules for administrators: a role of theirs cannot be granted otherwise. */
    passwordIsStrong: col.bool('password_is_strong').notNull().default(false),
    /** An administrator without SYSTEM_ADMIN chose the password. Until the user changes it, the user cannot become an administrator. */
    passwordIsForeign: col.bool('password_is_foreign').notNull().default(false),
    /** An administrator chose the password, or the server made it: its user has not replaced it yet. */
    passwordIsInitial: col.bool('password_is_initial').notNull().default(false),
    /** An administrator created the account, and so vouches for its user. */
    createdByAdmin: col.bool('created_by_admin').notNull().default(false),
    /** Incremented with each new password. Access tokens carry it, so older ones stop working. */
    tokenVersion: col.int('token_version').notNull().default(0),
    status: col.text('status').$type<UserStatus>().notNull().default('ACTIVE'),
    currentOrgId: col.int('current_org_id'),
    /** The newest successful sign-in; null before the first one. */
    lastLoginAt: col.time('last_login_at'),
    createdAt: col.time('created_at').notNull(),
    updatedAt: col.time('updated_at').notNull(),
  },
  (t) => [
    // Partial, because SQLite would look up users without a username in it rather than in `users_all_username`.
    uniqueIndex('users_username_key')
      .on(t.usernameKey)
      .where(sql`${t.usernameKey} is not null`),
    index('users_nickname').on(lowered(t.nickname)),
    // The orders of the console. Partial, because an index that begins with `status` would be taken for queries by ranges of ids. `status`
    // at the end saves SQLite to read the rows when it counts them.
    index('users_all_created').on(t.createdAt, t.id, t.status).where(isNotDeleted(t.status)),
    index('users_all_login').on(t.lastLoginAt, t.createdAt, t.id, t.status).where(isNotDeleted(t.status)),
    index('users_all_username').on(t.usernameKey, t.createdAt, t.id, t.status).where(isNotDeleted(t.status)),
    // The same orders of the few users with another status.
    index('users_inactive_created').on(t.status, t.createdAt, t.id).where(isNotActive(t.status)),
    index('users_inactive_login').on(t.status, t.lastLoginAt, t.createdAt, t.id).where(isNotActive(t.status)),
    index('users_inactive_username').on(t.status, t.usernameKey, t.createdAt, t.id).where(isNotActive(t.status)),
  ],
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
    /** Normalized: a phone in E.164, an e-mail in lower case; for DEVICE the hash of the device id, for OIDC that of issuer and subject. */
    credential: col.text('credential').notNull(),
    verified: col.bool('verified').notNull().default(false),
    /** Key of the device on which a signed-in user bound it; empty if it came with the account. */
    boundOn: col.text('bound_on').notNull().default(''),
    /** OIDC: who vouches for the user. The identity opens the account as long as a provider with this issuer is enabled. */
    issuer: col.text('issuer'),
    /** OIDC: the last sign-in with it. */
    lastUsedAt: col.time('last_used_at'),
    createdAt: col.time('created_at').notNull(),
  },
  (t) => [
    uniqueIndex('identities_provider_credential').on(t.provider, t.credential),
    index('identities_user').on(t.userId),
    index('identities_issuer')
      .on(t.issuer, t.userId)
      .where(sql`${t.issuer} is not null`),
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
    /** Hash of the device id. The id itself is a secret that can sign in, so it is never stored. */
    deviceKey: col.text('device_key').notNull(),
    deviceName: col.text('device_name').notNull().default(''),
    loginType: col.text('login_type').notNull(),
    ipAddress: col.text('ip_address').notNull().default(''),
    city: col.text('city').notNull().default(''),
    status: col.text('status').$type<SessionStatus>().notNull().default('ACTIVE'),
    /** End of the newest refresh token; each refresh moves it. */
    expiredAt: col.time('expired_at').notNull(),
    lastActiveAt: col.time('last_active_at').notNull(),
    /** The language of its requests at `lastActiveAt`, for mails to the user. Null for sessions of earlier versions that were not used since. */
    locale: col.text('locale').$type<Locale>(),
    /** Generation of the refresh tokens that may be used now; each use starts the next. Decides between parallel refreshes. */
    generation: col.int('generation').notNull().default(0),
    /** Start of the current generation. */
    rotatedAt: col.time('rotated_at').notNull(),
    /** The same for the refresh tokens that a session switch gave out: each chain can be used without ending the other. */
    switchGeneration: col.int('switch_generation').notNull().default(0),
    switchRotatedAt: col.time('switch_rotated_at').notNull().default(0),
    /** The user whose account link opened the session; null for a session that the user signed in to. */
    openedByUserId: col.int('opened_by_user_id'),
    /** When the user last proved who they are in this session, by signing in or by a confirmation; 0 if never. */
    confirmedAt: col.time('confirmed_at').notNull().default(0),
    createdAt: col.time('created_at').notNull(),
  },
  (t) => [
    uniqueIndex('sessions_user_device').on(t.userId, t.deviceKey),
    index('sessions_user_active').on(t.userId, t.status, t.lastActiveAt),
    index('sessions_expiry').on(t.status, t.expiredAt),
    index('sessions_opened_by').on(t.openedByUserId),
    // For the console.
    index('sessions_status').on(t.status, t.id),
  ],
)

/** Hashes of every refresh token that a session was given, so that a rotated one is recognized if it is used again. */
export const refreshTokens = table(
  'refresh_tokens',
  {
    hash: col.text('hash').primaryKey(),
    sessionId: col
      .int('session_id')
      .notNull()
      .references(() => sessions.id, { onDelete: 'cascade' }),
    /** Several tokens share a generation if an answer was lost and the exchange was repeated. */
    generation: col.int('generation').notNull(),
    /** Whether the generation is one of the session's `switchGeneration`. */
    bySwitch: col.bool('by_switch').notNull().default(false),
    expiresAt: col.time('expires_at').notNull(),
  },
  (t) => [index('refresh_tokens_session').on(t.sessionId), index('refresh_tokens_expiry').on(t.expiresAt)],
)

export const loginRecords = table(
  'login_records',
  {
    id: col.id(),
    /** 0 for an attempt to sign in to an account that does not exist. */
    userId: col.int('user_id').notNull(),
    deviceKey: col.text('device_key').notNull().default(''),
    deviceName: col.text('device_name').notNull().default(''),
    ipAddress: col.text('ip_address').notNull().default(''),
    city: col.text('city').notNull().default(''),
    loginType: col.text('login_type').notNull(),
    status: col.text('status').$type<'success' | 'failed'>().notNull(),
    failureReason: col.text('failure_reason'),
    /** Reported by a client: the server did not see the event. */
    isReported: col.bool('is_reported').notNull().default(false),
    /** For an account that does not exist: the widest network of `ipNetworks`, whose newest records are kept. */
    network: col.text('network').notNull().default(''),
    createdAt: col.time('created_at').notNull(),
  },
  (t) => [
    index('login_records_user').on(t.userId, t.id),
    index('login_records_network')
      .on(t.network, t.id)
      .where(sql`${t.userId} = 0`),
    index('login_records_type').on(t.loginType, t.id),
    index('login_records_created').on(t.createdAt),
  ],
)

/** The devices on which a user has signed in. A sign-in on any other device is reported to the user. */
export const knownDevices = table(
  'known_devices',
  {
    userId: col
      .int('user_id')
      .notNull()
      .references(() => users.id),
    deviceKey: col.text('device_key').notNull(),
    firstSeenAt: col.time('first_seen_at').notNull(),
    lastSeenAt: col.time('last_seen_at').notNull(),
    /** When the user removed the device. The row stays, because it shows that the account was used before. */
    removedAt: col.time('removed_at'),
  },
  (t) => [primaryKey({ columns: [t.userId, t.deviceKey] })],
)

/**
 * Attempts to sign in to an account, for the failure lock, and guesses at its second factor. Counted before the password or code is checked,
 * deleted after a success.
 */
export const passwordTries = table(
  'password_tries',
  {
    /** A hash, because people type passwords into the wrong field. */
    key: col.text('key').primaryKey(),
    /** Times of the latest attempts, oldest first; no more than the lock counts. */
    triedAt: col.json<number[]>('tried_at').notNull(),
    lockedUntil: col.time('locked_until').notNull(),
    /** Locks of a second factor since the last right code: each is twice as long as the one before. */
    locks: col.int('locks').notNull().default(0),
    /** When the row can be deleted. */
    expiresAt: col.time('expires_at').notNull(),
  },
  (t) => [index('password_tries_expiry').on(t.expiresAt)],
)

/** The action that a verification code confirms (conventions §4). */
export type CodePurpose = 'LOGIN' | 'BIND' | 'ACCOUNT_LINK' | 'RESET' | 'CHANGE'

/** Verification codes that were sent and not used yet: one for each credential, purpose and requesting user. */
export const verificationCodes = table(
  'verification_codes',
  {
    id: col.id(),
    purpose: col.text('purpose').$type<CodePurpose>().notNull(),
    /** The normalized e-mail or phone that it was sent to. */
    credential: col.text('credential').notNull(),
    /** The signed-in user who requested it and is the only one to use it; 0 for purposes that need no sign-in. */
    userId: col.int('user_id').notNull().default(0),
    /** Keyed, because a plain hash of six digits can be reversed by trying them all. */
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

export const RESET_CODE_KINDS = ['START', 'RESET'] as const
export type ResetCodeKind = (typeof RESET_CODE_KINDS)[number]

/** Codes on paper with which users set a password: those of an import (START), and those of an administrator or operator. One for each user. */
export const resetCodes = table(
  'reset_codes',
  {
    userId: col
      .int('user_id')
      .primaryKey()
      .references(() => users.id),
    kind: col.text('kind').$type<ResetCodeKind>().notNull(),
    /** Keyed hash of the code without hyphens. */
    hash: col.text('hash').notNull(),
    tries: col.int('tries').notNull().default(0),
    /** The administrator who made it; null for the operator. Without a reference, because the code outlives their account. */
    createdBy: col.int('created_by'),
    /** An administrator without SYSTEM_ADMIN has seen the code, so they may know the password that is set with it. */
    isForeign: col.bool('is_foreign').notNull(),
    expiresAt: col.time('expires_at').notNull(),
    createdAt: col.time('created_at').notNull(),
  },
  (t) => [index('reset_codes_expiry').on(t.expiresAt)],
)

export const LINK_STATUSES = ['PENDING', 'ACTIVE'] as const
export type LinkStatus = (typeof LINK_STATUSES)[number]

/** The owner may switch to the linked account without its password. */
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
    /** PENDING: an administrator has proposed the link, and the linked user has not accepted it. It allows no switching. */
    status: col.text('status').$type<LinkStatus>().notNull().default('ACTIVE'),
    createdAt: col.time('created_at').notNull(),
  },
  (t) => [
    uniqueIndex('account_links_pair').on(t.ownerUserId, t.linkedUserId),
    index('account_links_linked').on(t.linkedUserId),
  ],
)

/** Undo links that were mailed to e-mail addresses when these were replaced or unbound, and that were not used yet. */
export const emailUndos = table(
  'email_undos',
  {
    id: col.id(),
    userId: col
      .int('user_id')
      .notNull()
      .references(() => users.id),
    /** The address that the link binds again. */
    email: col.text('email').notNull(),
    /** `createdAt` and `boundOn` of the identity that was replaced or unbound. */
    boundAt: col.time('bound_at').notNull().default(0),
    boundOn: col.text('bound_on').notNull().default(''),
    /** SHA-256 of the token in the link. */
    tokenHash: col.text('token_hash').notNull(),
    /** When the address was replaced or unbound. */
    createdAt: col.time('created_at').notNull(),
    expiresAt: col.time('expires_at').notNull(),
  },
  (t) => [
    uniqueIndex('email_undos_token').on(t.tokenHash),
    index('email_undos_user').on(t.userId),
    index('email_undos_expiry').on(t.expiresAt),
  ],
)

/** The second factor of a user: the secret that they share with an authenticator app. */
export const totpSecrets = table('totp_secrets', {
  userId: col
    .int('user_id')
    .primaryKey()
    .references(() => users.id),
  /** Sealed, because anyone who can read it can compute the codes. */
  secret: col.text('secret').notNull(),
  /** When the user proved that the app knows the secret; null before: then it is not asked for. */
  confirmedAt: col.time('confirmed_at'),
  /** Time step of the code that was used last. Only codes of later steps are accepted. */
  lastStep: col.int('last_step').notNull().default(0),
  createdAt: col.time('created_at').notNull(),
})

/** Recovery codes that were not used yet. */
export const recoveryCodes = table(
  'recovery_codes',
  {
    userId: col
      .int('user_id')
      .notNull()
      .references(() => users.id),
    /** Keyed, because codes that people can type are too short for a plain hash. */
    hash: col.text('hash').notNull(),
  },
  (t) => [primaryKey({ columns: [t.userId, t.hash] })],
)

export type WordKind = 'ADJECTIVE' | 'NOUN'

/** Words from which nicknames are generated. */
export const nicknameWords = table(
  'nickname_words',
  {
    id: col.id(),
    locale: col.text('locale').$type<Locale>().notNull(),
    kind: col.text('kind').$type<WordKind>().notNull(),
    word: col.text('word').notNull(),
    createdAt: col.time('created_at').notNull(),
  },
  (t) => [uniqueIndex('nickname_words_word').on(t.locale, t.kind, lowered(t.word))],
)
