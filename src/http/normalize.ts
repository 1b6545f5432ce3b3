/**
 * Turns the input of a client into the shape that a schema declares, in one pass compiled for the schema: maps snake_case names to
 * camelCase, drops undeclared keys, trims texts and checks them for control characters, converts ISO 8601 times to milliseconds, and
 * fills in defaults. With `coerce` (query and path, where every value is text) it also parses numbers, booleans and lists.
 * A value that does not fit is left unchanged: the validator, which runs next, reports it.
 */

import { Kind, OptionalKind, type TSchema } from '@sinclair/typebox'

import type { TextKind } from './schema.ts'

/** `badTexts` collects the paths of texts that contain forbidden characters. */
export type Normalize = (value: unknown, path: string, badTexts: string[]) => unknown

const keep: Normalize = (value) => value

export function compileNormalizer(schema: TSchema, coerce: boolean): Normalize {
  switch (schema[Kind]) {
    case 'Object':
      return object(schema, coerce)
    case 'Array':
      return array(schema, coerce)
    case 'String':
      return text((schema['x-text'] as TextKind | undefined) ?? 'line')
    case 'Integer':
    case 'Number':
      return schema['x-time'] === true ? moment : coerce ? number : keep
    case 'Boolean':
      return coerce ? boolean : keep
    case 'Union':
      return union(schema, coerce)
    case 'StringEnum':
    case 'Literal':
    case 'Null':
      return keep
    default:
      return anything
  }
}

const snake = (name: string): string => name.replace(/[A-Z]/g, (c) => `_${c.toLowerCase()}`)

function object(schema: TSchema, coerce: boolean): Normalize {
  const fields = Object.entries(schema['properties'] as Record<string, TSchema>).map(([name, field]) => ({
    name,
    alias: snake(name),
    optional: field[OptionalKind] === 'Optional',
    fallback: field['default'] as unknown,
    normalize: compileNormalizer(field, coerce),
  }))
  return (value, path, badTexts) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
    const source = value as Record<string, unknown>
    const result: Record<string, unknown> = {}
    for (const field of fields) {
      let given = Object.hasOwn(source, field.name) ? source[field.name] : undefined
      if (given === undefined && Object.hasOwn(source, field.alias)) given = source[field.alias]
      if (given === undefined) {
        if (field.fallback !== undefined) result[field.name] = field.fallback
      } else result[field.name] = field.normalize(given, `${path}.${field.name}`, badTexts)
    }
    return result
  }
}

function array(schema: TSchema, coerce: boolean): Normalize {
  const item = compileNormalizer(schema['items'] as TSchema, coerce)
  return (value, path, badTexts) => {
    const list = coerce && typeof value === 'string' ? value.split(',') : value
    return Array.isArray(list) ? list.map((v, i) => item(v, `${path}.${i}`, badTexts)) : list
  }
}

/** For `Nullable(x)`: null is kept, other values are normalized like `x`. */
function union(schema: TSchema, coerce: boolean): Normalize {
  const variants = (schema['anyOf'] as TSchema[]).filter((s) => s[Kind] !== 'Null')
  const only = variants.length === 1 ? compileNormalizer(variants[0]!, coerce) : anything
  return (value, path, badTexts) => (value === null ? null : only(value, path, badTexts))
}

// oxlint-disable-next-line no-control-regex -- these characters are refused
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/
// oxlint-disable-next-line no-control-regex -- the same without tab, LF and CR
const CONTROL_BUT_LINES = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/

function text(kind: TextKind): Normalize {
  return (value, path, badTexts) => {
    if (typeof value !== 'string') return value
    const result = kind === 'raw' ? value : value.trim()
    if (!isStorable(result)) badTexts.push(path)
    else if (kind !== 'raw' && (kind === 'line' ? CONTROL : CONTROL_BUT_LINES).test(result)) badTexts.push(path)
    return result
  }
}

/** PostgreSQL cannot store NUL, and UTF-8 cannot encode a lone surrogate. */
const isStorable = (s: string): boolean => s.isWellFormed() && !s.includes('\0')

/** For JSON of any shape: only checks that every text in it can be stored. */
const anything: Normalize = (value, path, badTexts) => {
  if (typeof value === 'string') {
    if (!isStorable(value)) badTexts.push(path)
  } else if (Array.isArray(value)) value.forEach((v, i) => anything(v, `${path}.${i}`, badTexts))
  else if (typeof value === 'object' && value !== null)
    for (const [key, v] of Object.entries(value)) {
      if (!isStorable(key)) badTexts.push(path)
      anything(v, `${path}.${key}`, badTexts)
    }
  return value
}

const NUMBER = /^-?\d{1,15}(\.\d{1,15})?$/
const number: Normalize = (value) => (typeof value === 'string' && NUMBER.test(value) ? Number(value) : value)

const boolean: Normalize = (value) =>
  value === 'true' || value === '1' ? true : value === 'false' || value === '0' ? false : value

const ISO = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?)?$/
const moment: Normalize = (value) => {
  if (typeof value !== 'string') return value
  if (/^\d{1,16}$/.test(value)) return Number(value)
  const ms = ISO.test(value) ? Date.parse(value) : Number.NaN
  return Number.isNaN(ms) ? value : ms
}
