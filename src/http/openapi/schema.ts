/** From the shapes that check requests to those of the document (JSON Schema 2020-12, which OpenAPI 3.1 uses as it is). */

import type { TSchema } from '@sinclair/typebox'

export type Json = Record<string, unknown>

/** Schemas with an `$id` stand once under `components/schemas` and are referred to by that name. */
export class Components {
  readonly schemas: Record<string, Json> = {}
  readonly #sources = new Map<string, string>()

  /** Throws when two different shapes claim one `$id`. */
  show(schema: TSchema): Json {
    if (schema.$id === undefined) return this.#plain(schema)
    const source = JSON.stringify(schema)
    const known = this.#sources.get(schema.$id)
    if (known === undefined) {
      this.#sources.set(schema.$id, source)
      this.schemas[schema.$id] = this.#plain(schema)
    } else if (known !== source) throw new Error(`two different schemas are called ${schema.$id}`)
    return { $ref: `#/components/schemas/${schema.$id}` }
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
