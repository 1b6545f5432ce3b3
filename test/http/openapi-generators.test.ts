/**
 * Rules for the API document beyond its validity, without which generated clients do not compile or cannot send. They were found by
 * `bun test/generated-clients/run.ts`, which generates, compiles and runs clients in Kotlin and TypeScript.
 */

import { expect, test } from 'bun:test'

import { allEndpoints } from '#app'
import { openApiDocument } from '#http/openapi/document.ts'

// oxlint-disable-next-line typescript/no-explicit-any -- a document is walked as the JSON it is
type Json = any

const endpoints = allEndpoints.filter((e) => !e.id.startsWith('docs.'))
const document: Json = JSON.parse(JSON.stringify(openApiDocument(endpoints, { version: '1.2.3', publicUrl: '' })))

/** The places of the document, such as `/components/schemas/Error`, at which `isWrong` holds. */
function places(isWrong: (value: Json, key: string, parent: Json) => boolean): string[] {
  const found: string[] = []
  const walk = (value: Json, at: string, key: string, parent: Json): void => {
    if (typeof value !== 'object' || value === null) return
    if (isWrong(value, key, parent)) found.push(at)
    for (const [name, part] of Object.entries<Json>(value))
      // Examples are no schemas. Beside the properties of an object, `allOf` says which of them are required together.
      if (!['example', 'examples', 'allOf'].includes(name)) walk(part, `${at}/${name}`, name, value)
  }
  walk(document, '', '', undefined)
  return found
}

test('no schema is a union that generated clients cannot read: besides null it has one variant', () => {
  const variants = ({ anyOf, oneOf }: Json): Json[] => anyOf ?? oneOf ?? []
  expect(places((schema) => variants(schema).filter(({ type }) => type !== 'null').length > 1)).toEqual([])
})

test('no value of the document is always null: generators refer to a class Null that they do not write', () => {
  const isVariant = (parent: Json) => Array.isArray(parent)
  expect(places((schema, _, parent) => schema.type === 'null' && !isVariant(parent))).toEqual([])
})

test('no component has the name of a type of Java, Kotlin or Swift that generators put in its place', () => {
  const taken = 'Any Array Boolean Data Date Double File Float Int List Long Map Object Set String UUID URI URL'
  expect(taken.split(' ').filter((name) => name in document.components.schemas)).toEqual([])
})

test('no operation has bodies of different shapes: generators make one type of them that cannot be sent', () => {
  const shapes = (content: Json) => new Set(Object.values<Json>(content).map(({ schema }) => JSON.stringify(schema)))
  expect(places((value, key, parent) => key === 'content' && 'required' in parent && shapes(value).size > 1)).toEqual(
    [],
  )
})

test('the values of an enum have different names in generated clients, other than those of properties of enums in Kotlin', () => {
  const taken = ['name', 'ordinal', 'value', 'entries']
  const plain = (value: unknown) =>
    String(value)
      .replaceAll(/[^A-Za-z0-9]/g, '')
      .toLowerCase()
  const isWrong = (schema: Json) => {
    const values: Json[] = schema.enum.filter((value: unknown) => value !== null)
    const names: string[] = schema['x-enum-varnames'] ?? values.map(plain)
    const isName = (name: string) => /^[A-Za-z0-9]\w*$/.test(name)
    return (
      names.length !== values.length ||
      new Set(names).size < names.length ||
      names.some((name) => taken.includes(name) || !isName(name))
    )
  }
  expect(places((schema) => Array.isArray(schema.enum) && isWrong(schema))).toEqual([])
})

test('no constant and no enum has values other than texts: Kotlin makes enums of them, and reads texts only into enums', () => {
  const values = ({ const: value, enum: all = [] }: Json): unknown[] => (value === undefined ? all : [value])
  const isWrong = (schema: Json) => values(schema).some((value) => value !== null && typeof value !== 'string')
  // Schemas below `not` have no type of their own.
  expect(places((schema, key) => key !== 'not' && key !== 'properties' && isWrong(schema))).toEqual([])
})
