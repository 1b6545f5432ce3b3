/** Translates the schemas of requests and answers into those of the document (JSON Schema 2020-12, the dialect of OpenAPI 3.1). */

import { Kind, OptionalKind, type TSchema } from '@sinclair/typebox'

import { type Alternative, ANNOTATIONS, Annotations } from '../schema.ts'

export type Json = Record<string, unknown>

/** The descriptions of times differ, because requests may contain them as text: a component with times cannot be used on both sides. */
export type Side = 'request' | 'answer'

/** Keys that only our validators understand. */
const INTERNAL = new Set([
  '$id',
  'x-text',
  'x-characters',
  'x-time',
  'x-id',
  'x-version',
  'x-alternatives',
  'x-deferred',
  'x-any-case',
  'x-documented',
])

/** Collects the named schemas under `components/schemas` and replaces each use of them by a reference. */
export class Components {
  readonly schemas: Record<string, Json> = {}

  /** The schema as the document shows it; a reference if it is named. */
  show(schema: TSchema, side: Side): Json {
    if (schema['x-shown-as'] !== undefined) return this.show(schema['x-shown-as'] as TSchema, side)
    if (schema[Kind] === 'This') return reference(schema.$ref as string)
    if (schema.$id === undefined) return this.#plain(schema, side)
    const own = (schema as { [Annotations]?: Json })[Annotations] ?? {}
    const shown = this.#plain({ ...omit(schema, ANNOTATIONS), ...own } as TSchema, side)
    const named = this.add(schema.$id, shown)
    const changed = ANNOTATIONS.filter((key) => schema[key] !== undefined && schema[key] !== own[key])
    return { ...named, ...Object.fromEntries(changed.map((key) => [key, schema[key]])) }
  }

  /** Adds a component and returns a reference to it. Throws if a different one has the same name. */
  add(name: string, shown: Json): Json {
    const known = (this.schemas[name] ??= shown)
    if (JSON.stringify(known) !== JSON.stringify(shown)) throw new Error(`two different schemas are called ${name}`)
    return reference(name)
  }

  #plain(schema: TSchema, side: Side): Json {
    const shown = this.#shown(schema, side)
    return Object.assign(shown, schema['x-documented'])
  }

  #shown(schema: TSchema, side: Side): Json {
    if (schema['x-alternatives'] !== undefined) return this.#alternatives(schema, side)
    if (schema['x-time'] === true) return time(schema, side)
    const value = nullable(schema)
    if (value !== undefined) return orNull(this.show(value, side), omit(schema, ['anyOf', ...INTERNAL]))
    const shown: Json = {}
    for (const [key, part] of Object.entries(schema)) {
      if (INTERNAL.has(key)) continue
      // A record: generators understand `additionalProperties` only.
      else if (key === 'patternProperties')
        shown['additionalProperties'] = this.show(Object.values(part as object)[0], side)
      else if (key === 'properties')
        shown[key] = Object.fromEntries(
          Object.entries(part as Record<string, TSchema>).map(([name, s]) => [name, this.show(s, side)]),
        )
      else if (key === 'anyOf' || key === 'allOf' || key === 'oneOf')
        shown[key] = (part as TSchema[]).map((s) => this.show(s, side))
      else if ((key === 'items' || key === 'additionalProperties') && typeof part === 'object')
        shown[key] = Array.isArray(part) ? part.map((s) => this.show(s as TSchema, side)) : this.show(part, side)
      else shown[key] = part
    }
    if (shown['type'] === 'integer' && !fitsInt32(schema)) shown['format'] = 'int64'
    // Kotlin makes an enum of a constant, and reads texts only into enums.
    if (typeof shown['const'] !== 'string') delete shown['const']
    if (shown['type'] === 'integer') delete shown['enum']
    // The server fills in defaults, so clients need not send them.
    if (Array.isArray(schema['required']))
      shown['required'] = schema['required'].filter((name: string) => schema['properties'][name]?.default === undefined)
    return shown
  }

  /**
   * One object with the fields of all alternatives, and beside them which ones are required together. Components for the alternatives would
   * say the same, but generators for Kotlin and Swift merge those into one class that requires the fields of all.
   */
  #alternatives(schema: TSchema, side: Side): Json {
    const { keyword, options } = schema['x-alternatives'] as { keyword: 'oneOf' | 'anyOf'; options: Alternative[] }
    const groups = options.map(fieldsOf)
    const given = schema['properties'] as Record<string, TSchema>
    const narrow = (name: string) => side === 'request' && groups.some((group) => name in group)
    const properties = Object.fromEntries(
      Object.entries(given).map(([name, field]) => [name, narrow(name) ? narrowed(field, groups, name) : field]),
    )
    const words = `${keyword === 'oneOf' ? 'Exactly' : 'At least'} one of: ${groups.map(inWords).join('; ')}.`
    const description = schema.description === undefined ? words : `${schema.description}. ${words}`
    return {
      ...this.#shown({ ...omit(schema, ['x-alternatives']), properties } as unknown as TSchema, side),
      ...(side === 'request' && { description }),
      allOf: [{ [keyword]: groups.map((group) => alternative(group, properties)) }],
    }
  }
}

/**
 * An optional field of a request that alternatives name: if it is given, it is not null, and a boolean has their value. The alternatives themselves do not
 * say so, because generators take a property of an alternative that it requires for one that all require.
 */
function narrowed(field: TSchema, groups: readonly Group[], name: string): TSchema {
  if (field[OptionalKind] !== 'Optional') return field
  const values = groups.flatMap((group) => (Array.isArray(group[name]) ? (group[name] as unknown[]) : []))
  const value = nullable(field) ?? field
  const { description = value.description } = field
  return {
    ...value,
    ...(description !== undefined && { description }),
    // `const: true` says the same, but becomes an enum of texts in Kotlin.
    ...(value.type === 'boolean' && values.length === 1 && { not: { const: !values[0] } }),
    [OptionalKind]: 'Optional',
  } as unknown as TSchema
}

/** The names of the fields that it requires, and the values of those that all alternatives have. */
function alternative(group: Group, properties: Readonly<Record<string, TSchema>>): Json {
  const choices = Object.entries(group).filter(
    ([name, values]) => values !== true && properties[name]![OptionalKind] !== 'Optional',
  )
  const hasDefault = (name: string, values: Group[string]) =>
    values !== true && values.includes(properties[name]!['default'] as string)
  return {
    required: Object.entries(group).flatMap(([name, values]) => (hasDefault(name, values) ? [] : [name])),
    ...(choices.length > 0 && {
      properties: Object.fromEntries(choices.map(([name, values]) => [name, { enum: values }])),
    }),
  }
}

const reference = (name: string): Json => ({ $ref: `#/components/schemas/${name}` })

/** The fields that an alternative requires, each with `true` or with the values that it may have. */
type Group = Readonly<Record<string, true | readonly (string | boolean)[]>>

export const fieldsOf = (option: Alternative): Group =>
  typeof option === 'string' ? { [option]: true } : (option as Group)

/** `ids`; `kind` PASSWORD with `password`. */
const inWords = (group: Group): string =>
  Object.entries(group)
    .map(([name, values]) => (values === true ? `\`${name}\`` : `\`${name}\` ${values.join(' or ')}`))
    .join(' with ')

/** The other variant of a union with null. */
export function nullable(schema: TSchema): TSchema | undefined {
  const variants = schema['anyOf'] as TSchema[] | undefined
  const [value, second] = variants?.filter((s) => s['type'] !== 'null') ?? []
  return variants?.length === 2 && second === undefined ? value : undefined
}

/** One type of two reads better than a choice between two schemas. A schema without a type allows null already. */
function orNull(shown: Json, more: Json): Json {
  if (!['type', '$ref', 'anyOf'].some((key) => key in shown)) return { ...shown, ...more }
  if (Array.isArray(shown['anyOf'])) return { ...shown, ...more, anyOf: [...shown['anyOf'], { type: 'null' }] }
  if (typeof shown['type'] !== 'string' || 'const' in shown) return { ...more, anyOf: [shown, { type: 'null' }] }
  return {
    ...shown,
    ...more,
    type: [shown['type'], 'null'],
    ...(Array.isArray(shown['enum']) && { enum: [...shown['enum'], null] }),
  }
}

/** Without a format, Kotlin and Java take integers for 32 bits. Ids, counts of bytes and integers without a maximum may be larger. */
const fitsInt32 = ({ minimum = 0, maximum }: TSchema): boolean =>
  typeof maximum === 'number' && maximum < 2 ** 31 && (minimum as number) >= -(2 ** 31)

/** A union of integer and text would say more, but many generators make an empty class of it, with which no time can be sent. */
function time(schema: TSchema, side: Side): Json {
  const { description, ...more } = omit(schema, [...INTERNAL])
  const text =
    side === 'answer' ? 'Epoch milliseconds.' : 'Epoch milliseconds; ISO 8601 with a time zone is accepted too.'
  return {
    ...more,
    format: 'int64',
    description: description === undefined ? text : `${description as string}. ${text}`,
  }
}

function omit(object: object, keys: readonly string[]): Json {
  const copy: Json = { ...object }
  for (const key of keys) delete copy[key]
  return copy
}
