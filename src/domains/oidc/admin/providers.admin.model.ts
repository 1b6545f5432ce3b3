import { LOGOUTS, MAPPED_ROLES, ROLE_MODES } from '#db/schema/oidc.ts'
import { Enum, Id, Line, Model, Nullable, Raw, type Static, Text, Time, Type } from '#http/schema.ts'

const KEY = '^[a-z0-9-]{2,30}$'
const SCOPES = '^[!#-\\[\\]-~]+( [!#-\\[\\]-~]+)*$'

export const RoleLineView = Model('OidcRoleLine', {
  group: Line(255, 1, { description: 'As the claim of groups names it', examples: ['teachers'] }),
  orgId: Id,
  roleCode: Enum(MAPPED_ROLES, { examples: ['MEMBER'] }),
})

const flags = {
  enabled: Type.Boolean(),
  createAccounts: Type.Boolean({
    description: 'People who are unknown here get an account, even while registration is closed',
  }),
  linkByEmail: Type.Boolean({
    description:
      'A person whose address the provider has verified gets the account of the user who has confirmed this address here. Only for providers whose addresses you control',
  }),
  trustMfa: Type.Boolean({
    description: 'Users who used a second factor there are not asked for theirs here, unless they hold a PLATFORM role',
  }),
}
const roleMode = Enum(ROLE_MODES, {
  description:
    '`ADD` gives and raises roles at each sign-in. `SYNC` also lowers and ends memberships that this provider gave',
})
const logout = Enum(LOGOUTS, {
  description: '`PROVIDER`: users who sign out here are sent to the provider to sign out there',
})

export const ProviderView = Model('OidcProvider', {
  id: Id,
  key: Text('school'),
  name: Text('School account'),
  issuer: Text('https://id.example.org/realms/school'),
  clientId: Text('tessera'),
  hasSecret: Type.Boolean(),
  scopes: Text('openid email profile'),
  ...flags,
  groupsClaim: Text('groups'),
  roleMap: Type.Array(RoleLineView),
  roleMode,
  logout,
  redirectUri: Text('https://example.org/api/auth/oidc/school/callback', {
    description: 'The provider must know this address',
  }),
  backchannelUri: Text('https://example.org/api/auth/oidc/school/backchannel-logout'),
  lastError: Nullable(Text('id.example.org cannot be reached: ECONNREFUSED')),
  createdAt: Time,
  updatedAt: Time,
})
export type ProviderView = Static<typeof ProviderView>
export const ProviderList = Model('OidcProviders', { items: Type.Array(ProviderView) })
export type ProviderList = Static<typeof ProviderList>

const stranded = Type.Integer({
  minimum: 0,
  description: 'Users who can no longer sign in, because they had no other way',
  examples: [0],
})
export const ChangedProvider = Model('ChangedOidcProvider', { ...ProviderView.properties, stranded })
export type ChangedProvider = Static<typeof ChangedProvider>
export const DeletedProvider = Model('DeletedOidcProvider', { stranded })
export type DeletedProvider = Static<typeof DeletedProvider>

const inputs = {
  key: Type.String({ pattern: KEY, description: 'In addresses', examples: ['school'] }),
  name: Line(60, 1, { examples: ['School account'] }),
  issuer: Raw(500, 1, { pattern: '^https?://[^\\s?#]+$', examples: ['https://id.example.org/realms/school'] }),
  clientId: Raw(255, 1, { examples: ['tessera'] }),
}
const optional = {
  clientSecret: Type.Optional(
    Nullable(
      Raw(1000, 0, {
        description: 'Never shown. null or an empty one: the client is public',
        examples: ['Zk3q0sJ9xW7vT2bN5y'],
      }),
    ),
  ),
  scopes: Type.Optional(Type.String({ pattern: SCOPES, maxLength: 500, examples: ['openid email profile'] })),
  enabled: Type.Optional(flags.enabled),
  createAccounts: Type.Optional(flags.createAccounts),
  linkByEmail: Type.Optional(flags.linkByEmail),
  trustMfa: Type.Optional(flags.trustMfa),
  groupsClaim: Type.Optional(Line(100, 1, { examples: ['groups'] })),
  roleMap: Type.Optional(Type.Array(RoleLineView, { maxItems: 200 })),
  roleMode: Type.Optional(roleMode),
  logout: Type.Optional(logout),
}
export const NewProvider = Model('NewOidcProvider', { ...inputs, ...optional })
export type NewProvider = Static<typeof NewProvider>
export const ProviderChange = Model('OidcProviderChange', {
  key: Type.Optional(inputs.key),
  name: Type.Optional(inputs.name),
  issuer: Type.Optional(inputs.issuer),
  clientId: Type.Optional(inputs.clientId),
  ...optional,
})
export type ProviderChange = Static<typeof ProviderChange>

export const Force = Type.Object({
  force: Type.Optional(Type.Boolean({ description: 'Even if users are left without a way to sign in' })),
})

export const CheckResult = Model('OidcCheck', {
  ok: Type.Boolean(),
  problems: Type.Array(Text('The provider refuses the client id or its secret')),
})
export type CheckResult = Static<typeof CheckResult>
