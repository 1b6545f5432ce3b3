/**
 * Examples for the API document: the schema's own (`examples`, `const`, `default`), otherwise a plain value within its bounds.
 * The same schema always has the same example.
 */

import { Kind, OptionalKind, type TSchema } from '@sinclair/typebox'

import type { Alternative } from '../schema.ts'
import { fieldsOf, type Json, nullable, type Side } from './schema.ts'

export function exampleOf(schema: TSchema, side: Side): unknown {
  const [own] = (schema['examples'] as unknown[] | undefined) ?? []
  if (own !== undefined) return own
  if ('const' in schema) return schema['const']
  if ('default' in schema && schema['default'] !== null) return schema['default']
  return Array.isArray(schema['enum']) ? schema['enum'][0] : byKind(schema, side)
}

function byKind(schema: TSchema, side: Side): unknown {
  switch (schema[Kind]) {
    case 'Object':
      return object(schema, side)
    case 'Array':
      return list(schema, side)
    case 'Union': {
      const variants = schema['anyOf'] as TSchema[]
      return exampleOf(variants.find((variant) => variant[Kind] !== 'Null') ?? variants[0]!, side)
    }
    case 'Integer':
      return within(schema, 3)
    case 'Number':
      return within(schema, 1.5)
    case 'Boolean':
      return true
    case 'String':
      return text(schema)
    case 'Null':
      return null
    default:
      return {}
  }
}

/** Of several alternatives the first. */
function object(schema: TSchema, side: Side): Json {
  const options = (schema['x-alternatives'] as { options: Alternative[] } | undefined)?.options.map(fieldsOf) ?? [{}]
  const [first, ...others] = options
  // A field that is null counts as given.
  const notTogether = (schema['not'] as { required?: string[] } | undefined)?.required ?? []
  const example: Json = {}
  for (const [name, field] of Object.entries(schema['properties'] as Record<string, TSchema>)) {
    const chosen = first![name]
    if (chosen !== undefined) example[name] = Array.isArray(chosen) ? chosen[0] : exampleOf(field, side)
    else if (field[OptionalKind] === 'Optional' && others.some((other) => name in other)) continue
    // Requests are sent as they are from /docs, where the row 42 does not exist: optional ids are null or left out.
    else if (side === 'request' && field[OptionalKind] === 'Optional' && isId(nullable(field) ?? field)) {
      if (nullable(field) !== undefined && !notTogether.includes(name)) example[name] = null
    } else example[name] = exampleOf(field, side)
  }
  return example
}

const isId = (schema: TSchema): boolean =>
  schema['x-id'] === true || (schema[Kind] === 'Array' && isId(schema['items']))

/** One entry, or as many as the schema requires; ids are counted up, because they must differ. A tree ends after its first node. */
function list(schema: TSchema, side: Side): unknown[] {
  const item = schema['items'] as TSchema
  if (item[Kind] === 'This') return []
  const example = exampleOf(item, side)
  const length = Math.max(1, (schema['minItems'] as number | undefined) ?? 1)
  return Array.from({ length }, (_, i) => (typeof example === 'number' ? example + i : example))
}

const within = (schema: TSchema, value: number): number =>
  Math.min(
    Math.max(value, (schema['minimum'] as number | undefined) ?? value),
    (schema['maximum'] as number | undefined) ?? value,
  )

function text(schema: TSchema): string {
  const filler = 'Example text '.repeat(Math.ceil(((schema['minLength'] as number | undefined) ?? 1) / 13) || 1).trim()
  return filler.slice(0, ((schema['x-characters'] ?? schema['maxLength']) as number | undefined) ?? filler.length)
}
