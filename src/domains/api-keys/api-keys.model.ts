import { MCP_USES } from '#db/schema/api-keys.ts'
import { OwnerView } from '#domains/admin/index.ts'
import { Enum, Id, Line, Model, Named, Nullable, PageOf, PageQuery, type Static, Time, Type } from '#http/schema.ts'
import { apiKeyOf } from '#lib/api-key.ts'

/** From less to more. */
export const MCP_ORDER: readonly string[] = MCP_USES

/** Characters of the key that are stored and shown. */
export const PREFIX_LENGTH = 12
export const MAX_KEYS_OF_USER = 20
export const MAX_KEYS_OF_ORG = 50
export const MAX_POINTS = 100
export const MAX_NETWORKS = 10
export const MAX_DAYS = 366
export const DEFAULT_DAYS = 90
/** Days before the end of a key at which its owner is notified. */
export const TOLD_DAYS = 7
/** Days for which keys that have ended stay in the lists. */
export const KEPT_DAYS = 30

const EXAMPLE = apiKeyOf('4kQ9sZr2TtB0xWc7LmN5vYpJ8hDfGeAuKi')

const KeyName = Line(50, 1, { examples: ['Home Assistant'] })
const Domain = Enum(['APP', 'ORG', 'PLATFORM'], {
  description:
    'APP: your own rows. ORG: rows of the organization `orgId`. PLATFORM: the console, for SYSTEM_ADMIN. By default ORG with `orgId`, ' +
    'otherwise APP',
  examples: ['APP'],
})
const Points = Type.Array(Line(100, 3, { pattern: '^[a-z_]+:[a-z_]+$', examples: ['asset:read'] }), {
  minItems: 1,
  maxItems: MAX_POINTS,
  uniqueItems: true,
  description:
    'Permission points of the domain that you hold. A request may use those that you hold at that moment. No points of chats; PLATFORM: ' +
    'only points that read, `notification:send`, `user:create` and `org_member:create`',
  examples: [['asset:read']],
})
const Networks = Type.Array(Line(50, 1, { examples: ['203.0.113.0/24'] }), {
  maxItems: MAX_NETWORKS,
  uniqueItems: true,
  description: 'Addresses (CIDR) from which the key is taken; empty: from all',
  examples: [['203.0.113.0/24']],
})
const Mcp = Named(
  'McpUse',
  Enum(MCP_USES, {
    description: 'Whether assistants may use the key at `/mcp`: not at all, to read, or also to change things',
    examples: ['OFF'],
  }),
)

/** The example has no time, because each would have passed one day. */
const inFuture = (description: string) => ({ ...Nullable({ ...Time, description }), examples: [null] })

export const ApiKeyView = Model('ApiKey', {
  id: Id,
  name: Type.String({ examples: ['Home Assistant'] }),
  prefix: Type.String({ description: 'The first characters of the key', examples: [EXAMPLE.slice(0, PREFIX_LENGTH)] }),
  domain: Enum(['APP', 'ORG', 'PLATFORM'], { examples: ['APP'] }),
  orgId: Nullable({ ...Id, examples: [7] }),
  points: Type.Array(Type.String(), { examples: [['asset:read']] }),
  networks: Type.Array(Type.String(), { examples: [['203.0.113.0/24']] }),
  mcp: Mcp,
  expiresAt: Time,
  lastUsedAt: Nullable({ ...Time, description: 'Exact to a minute' }),
  lastAddress: Nullable(Type.String({ description: 'From which it was last used', examples: ['203.0.113.7'] })),
  createdAt: Time,
  revokedAt: Nullable(Time),
})
export type ApiKeyView = Static<typeof ApiKeyView>
export const ApiKeyPage = PageOf(ApiKeyView)
export const KeysQuery = PageQuery({})

export const NewApiKey = Model('NewApiKey', {
  name: KeyName,
  domain: Type.Optional(Domain),
  orgId: Type.Optional(Nullable({ ...Id, examples: [7] })),
  points: Points,
  expiresAt: Type.Optional(inFuture(`At most ${MAX_DAYS} days from now; in ${DEFAULT_DAYS} days by default`)),
  networks: Type.Optional(Nullable(Networks)),
  mcp: Type.Optional(Nullable(Mcp)),
})
export type NewApiKey = Static<typeof NewApiKey>

export const CreatedApiKey = Model('CreatedApiKey', {
  ...ApiKeyView.properties,
  key: Type.String({ description: 'The key itself, which is shown this once', examples: [EXAMPLE] }),
})
export type CreatedApiKey = Static<typeof CreatedApiKey>

export const ChangedApiKey = Model('ChangedApiKey', {
  name: Type.Optional(Nullable(KeyName)),
  networks: Type.Optional(Nullable(Networks)),
  expiresAt: Type.Optional(inFuture('Only earlier than it is')),
  mcp: Type.Optional(Nullable(Documented(Mcp, 'Only less than it is'))),
})
export type ChangedApiKey = Static<typeof ChangedApiKey>

function Documented<T extends typeof Mcp>(schema: T, description: string): T {
  return { ...schema, description }
}

export const ByKey = Type.Object({ id: Id })
export const InOrg = Type.Object({ orgId: Id })
export const ByOrgKey = Type.Object({ orgId: Id, keyId: Id })

export const OrgApiKeyView = Model('OrgApiKey', { ...ApiKeyView.properties, owner: OwnerView })
export type OrgApiKeyView = Static<typeof OrgApiKeyView>
export const OrgApiKeyPage = PageOf(OrgApiKeyView)
