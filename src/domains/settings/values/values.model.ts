/** Server values: what administrators set in the browser about the server itself. Each part is one row of the table of settings. */

import { type Static, Type } from '@sinclair/typebox'

const Nullable = (maximum: number) => Type.Union([Type.Null(), Type.String({ maxLength: maximum })])
const Port = Type.Integer({ minimum: 1, maximum: 65_535 })
const Text = (maximum: number) => Type.String({ maxLength: maximum })

/** Fields that are absent have their defaults. */
/** Earlier public addresses that are remembered. */
export const MAX_ALIASES = 20

export const parts = {
  identity: Type.Object({
    name: Type.Optional(Text(200)),
    shortName: Type.Optional(Text(50)),
    description: Type.Optional(Text(500)),
    primary: Type.Optional(Text(7)),
    primaryDark: Type.Optional(Text(7)),
    operator: Type.Optional(Nullable(200)),
    email: Type.Optional(Nullable(500)),
    phone: Type.Optional(Nullable(200)),
    url: Type.Optional(Nullable(500)),
    imprintUrl: Type.Optional(Nullable(500)),
    privacyUrl: Type.Optional(Nullable(500)),
  }),
  /** The row of the setting `server.language`. It is a part too because answers need it without waiting. */
  language: Type.Union([Type.Literal('en'), Type.Literal('zh')]),
  /** How far the administrators are in the setup. */
  setup: Type.Object({
    /** Stays true when a later change adds a step. */
    done: Type.Boolean(),
    marks: Type.Record(
      Type.String({ maxLength: 50 }),
      Type.Object({ status: Type.Union([Type.Literal('DONE'), Type.Literal('SKIPPED')]), at: Type.Integer() }),
    ),
  }),
  /** Part of the addresses of its pictures, which are rows of their own (`server_pictures`). */
  logo: Type.Object({ key: Text(50) }),
  mail: Type.Object({
    host: Text(300),
    port: Type.Integer({ minimum: 1, maximum: 65_535 }),
    security: Type.Union([Type.Literal('TLS'), Type.Literal('STARTTLS'), Type.Literal('NONE')]),
    user: Text(500),
    /** Sealed; empty if there is none. */
    password: Text(8_000),
    from: Text(500),
    replyTo: Nullable(500),
    caPem: Nullable(100_000),
  }),
  reach: Type.Object({
    mode: Type.Union([Type.Literal('LOCAL'), Type.Literal('NETWORK'), Type.Literal('DOMAIN'), Type.Literal('PROXY')]),
    /** Lower case, in punycode. */
    names: Type.Array(Text(253)),
    /** Null: it follows from the names and ports. */
    publicUrl: Nullable(300),
    host: Nullable(253),
    httpsPort: Type.Union([Type.Null(), Port]),
    httpPort: Type.Union([Type.Null(), Port]),
    /** Whether plain HTTP on the loopback address stays open. */
    loopback: Type.Boolean(),
  }),
  /** Earlier public addresses. */
  aliases: Type.Array(
    Type.Object({
      origin: Text(300),
      since: Type.Integer(),
      /** Its name is not part of the certificate, because the authority could not validate it. */
      isLeftOut: Type.Optional(Type.Literal(true)),
    }),
  ),
  certificate: Type.Object({
    kind: Type.Union([Type.Literal('NONE'), Type.Literal('ACME'), Type.Literal('FILES'), Type.Literal('LOCAL_CA')]),
    /** For LOCAL_CA and ACME; empty: those of `reach`. */
    names: Type.Array(Text(253)),
    email: Nullable(300),
    directory: Nullable(1_000),
    /** The directory to whose terms an administrator has agreed. */
    agreedTo: Nullable(1_000),
    challenge: Type.Union([Type.Literal('HTTP_01'), Type.Literal('DNS_01')]),
    /** Secrets are sealed. */
    dns: Type.Union([
      Type.Null(),
      Type.Object({
        kind: Type.Literal('ACMEDNS'),
        url: Text(500),
        username: Text(200),
        password: Text(2_000),
        subdomain: Text(200),
      }),
      Type.Object({ kind: Type.Literal('CLOUDFLARE'), token: Text(2_000), zoneId: Text(100) }),
    ]),
    /** PEM, for FILES. The key is sealed. */
    chain: Nullable(100_000),
    key: Nullable(100_000),
  }),
}

export type Part = keyof typeof parts
export type PartValue<P extends Part> = Static<(typeof parts)[P]>
/** Absent parts have their defaults. */
export type ServerValues = { readonly [P in Part]?: PartValue<P> }
