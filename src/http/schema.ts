/** The vocabulary of request and answer schemas. The limits are those of the interface (conventions, section "Values"). */

import {
  Kind,
  type Static,
  type TInteger,
  type TObject,
  type TProperties,
  type TSchema,
  type TUnsafe,
  Type,
  TypeRegistry,
} from '@sinclair/typebox'

export { type Static, type TObject, type TProperties, type TSchema, Type }

/** A named schema's own annotations: a copy with another description is still the same component. */
export const Annotations = Symbol('annotations of a named schema')
export const ANNOTATIONS = ['description', 'default', 'examples'] as const

/**
 * Becomes `components/schemas/<name>` of the API document; every use refers to it. The name is the schema's `$id`. Building
 * the document fails if two different schemas have one name.
 */
export const Named = <T extends TSchema>(name: string, schema: T): T => ({
  ...schema,
  $id: name,
  [Annotations]: Object.fromEntries(ANNOTATIONS.filter((key) => key in schema).map((key) => [key, schema[key]])),
})

/** A named object. `keywords` are further ones of JSON Schema: a description, examples, `dependentRequired`, `not`. */
export function Model<T extends TProperties>(name: string, fields: T): TObject<T>
export function Model<T extends TProperties>(name: string, keywords: object, fields: T): TObject<T>
export function Model<T extends TProperties>(name: string, first: object, second?: T): TObject<T> {
  return Named(name, second === undefined ? Type.Object(first as T) : Type.Object(second, first))
}

/** The fields that one alternative requires: the name of a field, or several names, each with `true` or with the values it may have. */
export type Alternative<K extends string = string> = K | { readonly [P in K]?: true | readonly (string | boolean)[] }

/**
 * A named object with alternatives, each with the fields that it requires. The validator does not see them: the service refuses wrong
 * combinations, and its message names the missing field.
 */
export const OneOf = <T extends TProperties>(name: string, options: Alternative<keyof T & string>[], fields: T) =>
  Model(name, { 'x-alternatives': { keyword: 'oneOf', options } }, fields)
/** The same where several alternatives may be given at once. */
export const AnyOf = <T extends TProperties>(name: string, options: Alternative<keyof T & string>[], fields: T) =>
  Model(name, { 'x-alternatives': { keyword: 'anyOf', options } }, fields)

/** The document shows another schema: for input of which the validator checks a part only, and the operation the rest. */
export const ShownAs = <T extends TSchema>(schema: T, shown: TSchema): T => ({ ...schema, 'x-shown-as': shown })

/** The document shows no type: for values of several types, since generators make an empty class of a union of them. */
export const Untyped = <T extends TSchema>(schema: T, annotations: object): T =>
  ShownAs({ ...schema, ...annotations }, Type.Unknown(annotations))

/**
 * One of several shapes. The document shows one object with the fields of all of them, since generators for Kotlin and Swift make a class
 * of a union that requires the fields of all. Throws if two shapes have different fields of one name.
 */
export function Merged<T extends TObject[]>(name: string, keywords: object, shapes: [...T]) {
  const fields: TProperties = {}
  for (const [field, schema] of shapes.flatMap((shape) => Object.entries(shape.properties)))
    if (!isSame((fields[field] ??= schema), schema)) throw new Error(`the shapes of ${name} disagree about ${field}`)
  const required = shapes.map((shape) => new Set(shape.required))
  const common = new Set(Object.keys(fields).filter((field) => required.every((names) => names.has(field))))
  const merged = Object.entries(fields).map(([field, schema]) => [
    field,
    common.has(field) ? schema : Type.Optional(schema),
  ])
  const options = required.map((names) => Object.fromEntries([...names.difference(common)].map((n) => [n, true])))
  const isChoice = options.every((option) => Object.keys(option).length > 0)
  const more = { ...keywords, ...(isChoice && { 'x-alternatives': { keyword: 'anyOf', options } }) }
  return ShownAs(Type.Union(shapes), Model(name, more, Object.fromEntries(merged) as TProperties))
}

const isSame = (a: TSchema, b: TSchema): boolean => {
  const [left, right] = [a, b].map((schema) =>
    JSON.stringify({ ...schema, description: undefined, examples: undefined }),
  )
  return left === right
}

/** Keywords for the document only: limits and formats that the service checks, with a message of its own. */
export const Documented = <T extends TSchema>(schema: T, keywords: object): T => ({
  ...schema,
  'x-documented': { ...(schema['x-documented'] as object | undefined), ...keywords },
})

/**
 * A list whose items the operation checks itself (`itemChecker` in validate.ts), so that it can report all bad items together, or a
 * `Type.Unknown()` that it checks by a schema of its own choice (`valueChecker`).
 */
export const Deferred = <T extends TSchema>(schema: T): T => ({ ...schema, 'x-deferred': true })

/** A named node whose `children` are nodes of the same kind, to any depth. */
export const Tree = <T extends TProperties>(name: string, fields: T) =>
  Type.Recursive((Node) => Model(name, { ...fields, children: Type.Array(Node) }), { $id: name })

/** How `normalize.ts` cleans a text before it is checked. */
export type TextKind = 'line' | 'multiline' | 'raw' | 'any'

const text = (kind: TextKind, maxLength: number, minLength: number, more: object = {}) =>
  Type.String({ ...more, maxLength, ...(minLength > 0 && { minLength }), 'x-text': kind })

/**
 * UTF-16 units that a text of one line may have for each character that it may have. An emoji with a skin tone has 4, a family 11. At
 * this limit a name of 100 characters still fits into an SQL index of PostgreSQL (2,704 bytes).
 */
export const MAX_UNITS_PER_CHARACTER = 8

/**
 * One line: trimmed; control characters refused, and invisible ones, with which one name could pass for another. `max` in characters
 * as people see them (grapheme clusters).
 */
export const Line = (max: number, min = 0, more?: object) =>
  Documented(text('line', max * MAX_UNITS_PER_CHARACTER, min, { ...more, 'x-characters': max }), { maxLength: max })
/** Several lines: trimmed; tab, CR and LF allowed. `max` in UTF-16 units. */
export const Multiline = (max: number, min = 0, more?: object) => text('multiline', max, min, more)
/** Not changed (passwords, QR content); only NUL and lone surrogates are refused. */
export const Raw = (max: number, min = 0, more?: object) => text('raw', max, min, more)

/** Any text, also with NUL and lone surrogates, which no database stores: the operation has to clean it. */
export const AnyText = (max: number, more?: object) => text('any', max, 0, more)

export const Name = Line(100, 1, { examples: ['Spring menu'] })
export const Description = Multiline(2000, 0, { examples: ['Shown at every table from March to May'] })

/** A text of an answer, with an example. */
export const Text = (example: string, more?: object) => Type.String({ ...more, examples: [example] })

/** The id of a row: a positive integer. */
export const Id = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, 'x-id': true, examples: [42] })
/** A time: epoch milliseconds; requests may contain ISO 8601 instead. The bounds are those of `Date`. */
export const Time = Type.Integer({
  minimum: 0,
  maximum: 8_640_000_000_000_000,
  'x-time': true,
  examples: [1_767_225_600_000],
})
/** The version of a row, which rises with each change. The answer has it as `ETag` too, for `If-Match` (preconditions.ts). */
export const RowVersion = Type.Integer({
  minimum: 1,
  'x-version': true,
  description: 'Rises with each change; also the `ETag` of the answer, for `If-Match`',
  examples: [3],
})
/** `zoneOf` (validate.ts) checks it. */
export const TimeZone = Documented(
  Line(64, 1, {
    default: 'UTC',
    description: 'Time zone: an IANA name or ±HH:MM (a plus sign must be sent as %2B)',
    examples: ['Asia/Shanghai'],
  }),
  { pattern: '^([A-Za-z][A-Za-z0-9_+/-]*|(UTC|GMT)?[+-][0-9]{2}:?[0-9]{2})$' },
)
const { default: _, ...zoneWithoutDefault } = TimeZone
const exportZone = (otherwise: string) =>
  Type.Optional({
    ...zoneWithoutDefault,
    description: `${TimeZone.description}, of the times in the file. Default: that of the ${otherwise}`,
  })
/** Of the times in the file of an export; without it those of the server. */
export const ExportZone = exportZone('server')
export const ActivityExportZone = exportZone('activity')
export const Latitude = Type.Number({ minimum: -90, maximum: 90, examples: [30.2426] })
export const Longitude = Type.Number({ minimum: -180, maximum: 180, examples: [120.1494] })

export const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])

// TypeBox's own enum is a union of constants, which reads badly in the API document and in error messages.
TypeRegistry.Set<{ enum: string[] }>(
  'StringEnum',
  (schema, value) => typeof value === 'string' && schema.enum.includes(value),
)
export const Enum = <const T extends readonly string[]>(values: T, more?: object) =>
  Type.Unsafe<T[number]>({ ...more, [Kind]: 'StringEnum', type: 'string', enum: [...values] } as never) as TUnsafe<
    T[number]
  >

TypeRegistry.Set<{ enum: number[] }>(
  'NumberEnum',
  (schema, value) => typeof value === 'number' && schema.enum.includes(value),
)
/** One of some whole numbers, which are given in ascending order. The description has to name them: the API document shows their range only. */
export const NumberEnum = <const T extends readonly number[]>(
  values: T,
  more: { readonly description: string; readonly [name: string]: unknown },
) =>
  Type.Unsafe<T[number]>({
    ...more,
    [Kind]: 'NumberEnum',
    type: 'integer',
    minimum: values[0],
    maximum: values.at(-1),
    enum: [...values],
  } as never) as TUnsafe<T[number]>

/** An enum of lower-case values, which requests may write in any case. */
export const AnyCaseEnum = <const T extends readonly string[]>(values: T, more?: object) =>
  Enum(values, { ...more, 'x-any-case': true })

/** The place of an item that its owner arranges: lower numbers come first. */
export const SortOrder = Type.Integer({ minimum: -2_147_483_648, maximum: 2_147_483_647, examples: [10] })
export const SortItem = Model('SortItem', { id: Id, sortOrder: SortOrder })
/** Body of an operation that pins one row or ends that. */
export const Pin = Model('Pin', { pinned: Type.Boolean() })
export const Count = Model('Count', { count: Type.Integer({ minimum: 0 }) })

export const ById = Type.Object({ id: Id })
/** A query that names the organization of the request. Without it, the request is about the caller's own rows. */
export const InOrg = Type.Object({ orgId: Type.Optional(Id) })

const PAGE = { minimum: 1, maximum: 10_000_000 }
const SIZE = { minimum: 1, maximum: 100 }

/** Query of a list: `page` from 1, `size` at most 100 (conventions §3), and the list's own filters. */
export const PageQuery = <T extends TProperties>(filters: T) =>
  Type.Object({
    page: Type.Integer({ ...PAGE, default: 1 }),
    size: Type.Integer({ ...SIZE, default: 20 }),
    ...filters,
  })

/**
 * `sort=field` ascending or `sort=-field` descending, out of `fields`. The names are for generated clients: a constant `name` or `value` clashes with
 * a property of enums in Kotlin, and `-name` without its sign with `name`.
 */
export const Sort = <const T extends readonly string[]>(fields: T) =>
  Type.Optional(
    Enum(fields.flatMap((f) => [f, `-${f}`]) as (T[number] | `-${T[number]}`)[], {
      'x-enum-varnames': fields.flatMap((f) => [constantOf(f), `${constantOf(f)}_DESCENDING`]),
    }),
  )

/** `createdAt` → `CREATED_AT`. */
const constantOf = (name: string): string => name.replaceAll(/[A-Z]/g, '_$&').toUpperCase()

/** A page of a list. Pages of a named item are named too: `QrCode` gives `QrCodePage`. */
export const PageOf = <T extends TSchema>(
  item: T,
): TObject<{
  items: ReturnType<typeof Type.Array<T>>
  total: TInteger
  page: TInteger
  size: TInteger
}> => {
  const page = Type.Object({
    items: Type.Array(item),
    total: Type.Integer({ minimum: 0, examples: [1] }),
    page: Type.Integer({ ...PAGE, examples: [1] }),
    size: Type.Integer({ ...SIZE, examples: [20] }),
  })
  return item.$id === undefined ? page : Named(`${item.$id}Page`, page)
}
