import { Enum, Named, type Static, Type } from '#http/schema.ts'

/** Where a value comes from. The last three are read when the program starts, and are not changed in the browser. */
export const SOURCES = ['DEFAULT', 'DATABASE', 'FILE', 'ENVIRONMENT', 'FLAG'] as const
export const Source = Enum(SOURCES, {
  description: 'FILE is `tessera.toml`. Only values with DEFAULT and DATABASE can be changed in the browser.',
})
export type Source = Static<typeof Source>

export const Sources = Named(
  'ServerSources',
  Type.Record(Type.String(), Source, {
    description: 'Where each field comes from',
    examples: [{ name: 'DATABASE' }],
  }),
)

export const ServerVersion = Type.Integer({
  minimum: 1,
  'x-version': true,
  description: 'Rises with each change of any of these values; also the `ETag` of the answer, for `If-Match`',
  examples: [1_767_225_600_000],
})
