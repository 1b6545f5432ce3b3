import { col, index, primaryKey, table, uniqueIndex } from '../dialect.ts'
import { sessions } from './accounts.ts'

export const MAPPED_ROLES = ['ADMIN', 'MEMBER', 'GUEST'] as const
export type MappedRole = (typeof MAPPED_ROLES)[number]
export const ROLE_MODES = ['ADD', 'SYNC'] as const
export type RoleMode = (typeof ROLE_MODES)[number]
export const LOGOUTS = ['NONE', 'PROVIDER'] as const
export type Logout = (typeof LOGOUTS)[number]

/** Members of `group` at the provider get the role in the organization. */
export interface RoleLine {
  readonly group: string
  readonly orgId: number
  readonly roleCode: MappedRole
}

/** OpenID providers with which users sign in; at most 20. */
export const oidcProviders = table(
  'oidc_providers',
  {
    id: col.id(),
    /** In addresses. */
    key: col.text('key').notNull(),
    name: col.text('name').notNull(),
    issuer: col.text('issuer').notNull(),
    clientId: col.text('client_id').notNull(),
    /** Sealed; null for a public client. */
    clientSecret: col.text('client_secret'),
    scopes: col.text('scopes').notNull(),
    enabled: col.bool('enabled').notNull(),
    createAccounts: col.bool('create_accounts').notNull(),
    linkByEmail: col.bool('link_by_email').notNull(),
    trustMfa: col.bool('trust_mfa').notNull(),
    groupsClaim: col.text('groups_claim').notNull(),
    roleMap: col.json<readonly RoleLine[]>('role_map').notNull(),
    roleMode: col.text('role_mode').$type<RoleMode>().notNull(),
    logout: col.text('logout').$type<Logout>().notNull(),
    /** Why it did not work the last time; null if it did. */
    lastError: col.text('last_error'),
    /** The last check without a problem since the provider was changed. */
    checkedAt: col.time('checked_at'),
    createdAt: col.time('created_at').notNull(),
    updatedAt: col.time('updated_at').notNull(),
  },
  (t) => [uniqueIndex('oidc_providers_key').on(t.key), index('oidc_providers_issuer').on(t.issuer)],
)

/** Sign-ins that are at the provider. Each is used once. */
export const oidcStates = table(
  'oidc_states',
  {
    /** Of the parameter `state`. */
    hash: col.text('hash').primaryKey(),
    providerId: col.int('provider_id').notNull(),
    /** Of the cookie of the browser that started it. */
    browserHash: col.text('browser_hash').notNull(),
    /** Sealed JSON: the nonce and the PKCE verifier. */
    secrets: col.text('secrets').notNull(),
    /** Where the browser goes afterwards. */
    redirect: col.text('redirect').notNull(),
    /** Of the app that will use the ticket. */
    codeChallenge: col.text('code_challenge'),
    /** The signed-in user who links an identity, and their session; null for a sign-in. */
    userId: col.int('user_id'),
    sessionId: col.int('session_id'),
    expiresAt: col.time('expires_at').notNull(),
  },
  (t) => [index('oidc_states_expiry').on(t.expiresAt)],
)

/** Users whom a provider has vouched for and who have no session yet. A ticket opens one session. */
export const oidcTickets = table(
  'oidc_tickets',
  {
    hash: col.text('hash').primaryKey(),
    providerId: col.int('provider_id').notNull(),
    userId: col.int('user_id').notNull(),
    /** Of the identity. */
    credential: col.text('credential').notNull(),
    /** One of both is set: the browser's cookie or the app's verifier must come with the ticket. */
    browserHash: col.text('browser_hash'),
    codeChallenge: col.text('code_challenge'),
    /** The provider says that a second factor was used. */
    hasFactor: col.bool('has_factor').notNull(),
    /** Sealed JSON: what the provider said, for the session and for roles. */
    claims: col.text('claims').notNull(),
    isNewUser: col.bool('is_new_user').notNull(),
    /** Codes of the second factor that were tried with it. */
    tries: col.int('tries').notNull().default(0),
    createdAt: col.time('created_at').notNull(),
    expiresAt: col.time('expires_at').notNull(),
  },
  (t) => [index('oidc_tickets_expiry').on(t.expiresAt), index('oidc_tickets_user').on(t.userId)],
)

/** Sessions that a provider opened, so that it can end them. */
export const oidcSessions = table(
  'oidc_sessions',
  {
    sessionId: col
      .int('session_id')
      .primaryKey()
      .references(() => sessions.id, { onDelete: 'cascade' }),
    providerId: col.int('provider_id').notNull(),
    /** Of the identity. */
    credential: col.text('credential').notNull(),
    /** Hash of the provider's id of its session. */
    sid: col.text('sid'),
    /** Sealed; the provider wants it when the user signs out. */
    idToken: col.text('id_token'),
  },
  (t) => [index('oidc_sessions_provider').on(t.providerId, t.sid), index('oidc_sessions_credential').on(t.credential)],
)

/** Memberships of organizations that a provider gave. */
export const oidcMemberships = table(
  'oidc_memberships',
  {
    userId: col.int('user_id').notNull(),
    orgId: col.int('org_id').notNull(),
    providerId: col.int('provider_id').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.userId, t.orgId, t.providerId] }),
    index('oidc_memberships_org').on(t.orgId),
    index('oidc_memberships_provider').on(t.providerId),
  ],
)

/** Logout tokens that were used, until they are too old to be used again. */
export const oidcLogoutTokens = table(
  'oidc_logout_tokens',
  {
    /** Of provider and `jti`. */
    hash: col.text('hash').primaryKey(),
    expiresAt: col.time('expires_at').notNull(),
  },
  (t) => [index('oidc_logout_tokens_expiry').on(t.expiresAt)],
)
