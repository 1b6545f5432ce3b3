/** Server values: what administrators set in the browser about the server itself. Each part is one row of the table of settings. */

import { type Static, Type } from '@sinclair/typebox'

const Nullable = (maximum: number) => Type.Union([Type.Null(), Type.String({ maxLength: maximum })])
const Text = (maximum: number) => Type.String({ maxLength: maximum })

/** Fields that are absent have their defaults. */
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
}

export type Part = keyof typeof parts
export type PartValue<P extends Part> = Static<(typeof parts)[P]>
/** Absent parts have their defaults. */
export type ServerValues = { readonly [P in Part]?: PartValue<P> }
