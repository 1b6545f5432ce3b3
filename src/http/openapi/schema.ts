/** From the shapes that check requests to those of the document (JSON Schema 2020-12, which OpenAPI 3.1 uses as it is). */

import { Kind, type TSchema } from '@sinclair/typebox'

import { ANNOTATIONS, Annotations } from '../schema.ts'

export type Json = Record<string, unknown>

const reference = (name: string): Json => ({ $ref: `#/components/schemas/${name}` })

function without<T extends object>(object: T, keys: readonly string[]): T {
  const copy = { ...object }
  for (const key of keys) delete (copy as Record<string, unknown>)[key]
  return copy
}

/** Collects the named schemas under `components/schemas` and replaces each use of them by a reference. */
export class Components {
  readonly schemas: Record<string, Json> = {}
  readonly #sources = new Map<string, string>()

  /** Throws if another schema has the same name. */
  show(schema: TSchema): Json {
    if (schema[Kind] === 'This') return reference(schema.$ref as string)
    if (schema.$id === undefined) return this.#plain(schema)
    const own = (schema as { [Annotations]?: Json })[Annotations] ?? {}
    const original = { ...without(schema, ANNOTATIONS), ...own } as TSchema
    const source = JSON.stringify(original)
    const known = this.#sources.get(schema.$id)
    if (known === undefined) {
      this.#sources.set(schema.$id, source)
      this.schemas[schema.$id] = this.#plain(original)
    } else if (known !== source) throw new Error(`two different schemas are called ${schema.$id}`)
    const changed = ANNOTATIONS.filter((key) => schema[key] !== undefined && schema[key] !== own[key])
    return { ...reference(schema.$id), ...Object.fromEntries(changed.map((key) => [key, schema[key]])) }
  }

  #plain(schema: TSchema): Json {
    const nullable = this.#nullable(schema)
    if (nullable) return nullable
    const shown: Json = {}
    for (const [key, value] of Object.entries(schema)) {
      if (key === '$id' || key === 'x-text' || key === 'x-time') continue
      else if (key === 'properties' || key === 'patternProperties')
        shown[key] = Object.fromEntries(
          Object.entries(value as Record<string, TSchema>).map(([name, s]) => [name, this.show(s)]),
        )
      else if (key === 'anyOf' || key === 'allOf' || key === 'oneOf')
        shown[key] = (value as TSchema[]).map((s) => this.show(s))
      else if ((key === 'items' || key === 'additionalProperties' || key === 'not') && typeof value === 'object')
        shown[key] = Array.isArray(value) ? value.map((s) => this.show(s as TSchema)) : this.show(value as TSchema)
      else shown[key] = value
    }
    // The server fills defaults in, so nobody has to send them.
    if (Array.isArray(schema['required']))
      shown['required'] = schema['required'].filter((name: string) => schema['properties'][name]?.default === undefined)
    if (schema['x-time'] === true) {
      shown['format'] = 'int64'
      shown['description'] ??= 'Epoch milliseconds. Requests may also give ISO 8601.'
    }
    return shown
  }

  /** `X or null` reads better as one type of two than as a choice between two schemas. */
  #nullable(schema: TSchema): Json | undefined {
    const variants = schema['anyOf'] as TSchema[] | undefined
    if (variants?.length !== 2) return undefined
    const [value] = variants.filter((s) => s['type'] !== 'null')
    if (value === undefined || value.$id !== undefined || typeof value['type'] !== 'string' || 'const' in value)
      return undefined
    const { anyOf: _, ...rest } = schema
    const shown = this.#plain(value)
    if (Array.isArray(shown['enum'])) shown['enum'] = [...shown['enum'], null]
    return { ...shown, ...rest, type: [value['type'], 'null'] }
  }
}
