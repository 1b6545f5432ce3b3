import { Id, Line, Model, Nullable, type Static, Text, Time, Type } from '#http/schema.ts'

export const LinkedIdentity = Model('LinkedIdentity', {
  id: Id,
  provider: Text('school', { description: 'The key of the provider' }),
  name: Text('School account'),
  createdAt: Time,
  lastUsedAt: Nullable(Time),
})
export type LinkedIdentity = Static<typeof LinkedIdentity>

export const LinkedIdentities = Model('LinkedIdentities', { items: Type.Array(LinkedIdentity) })
export type LinkedIdentities = Static<typeof LinkedIdentities>

export const Redirect = Line(500, 0, {
  description:
    'A page of the web application, `/console/` by default, or an address of an app that administrators have allowed',
  examples: ['/console/account/security'],
})
export const CodeChallenge = Type.String({
  pattern: '^[A-Za-z0-9_-]{43}$',
  description:
    'S256 hash of the verifier that comes with the ticket (RFC 7636). Required if `redirect` is an address of an app',
  examples: ['E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'],
})
