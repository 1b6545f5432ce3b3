/**
 * Turns the input of a client into the shape that a schema declares, in one pass compiled for the schema: maps snake_case names to
 * camelCase, drops undeclared keys, trims texts and checks them for control characters, converts ISO 8601 times to milliseconds, and
 * fills in defaults. With `coerce` (query, path and forms, where every value is text) it also parses numbers, booleans, lists and JSON.
 * A value that does not fit is left unchanged: the validator, which runs next, reports it. Lists are an exception: one with too many
 * items is reported and replaced by an empty one, so that nothing looks at its items.
 */

import { Kind, OptionalKind, type TSchema } from '@sinclair/typebox'

import { dayNumberOf } from '#lib/days.ts'
import type { Localized } from '#lib/localized.ts'
import { excessOf, hasHiddenCharacters, isShorterThan } from '#lib/text.ts'

import { parseJson } from './body.ts'
import type { FieldProblem } from './errors.ts'
import { MAX_UNITS_PER_CHARACTER, type TextKind } from './schema.ts'

/** `problems` collects what this step finds. Once there are more than MAX_PROBLEMS, the rest of a list is left out. */
export type Normalize = (value: unknown, path: string, problems: FieldProblem[]) => unknown

/** The number of problems that an answer lists: more would not help the caller. */
export const MAX_PROBLEMS = 50

const keep: Normalize = (value) => value
const lowerCase: Normalize = (value) => (typeof value === 'string' ? value.toLowerCase() : value)

export function compileNormalizer(schema: TSchema, coerce: boolean): Normalize {
  switch (schema[Kind]) {
    case 'Object':
      return object(schema, coerce)
    case 'Array':
      return array(schema, coerce)
    case 'String':
      return text((schema['x-text'] as TextKind | undefined) ?? 'line', {
        max: schema['x-characters'] as number | undefined,
        min: (schema['minLength'] as number | undefined) ?? 0,
      })
    case 'Integer':
    case 'Number':
      return schema['x-time'] === true ? moment : coerce ? number : keep
    case 'Boolean':
      return coerce ? boolean : keep
    case 'Union':
      return union(schema, coerce)
    case 'StringEnum':
      return schema['x-any-case'] === true ? lowerCase : keep
    case 'Literal':
    case 'Null':
      return keep
    case 'Record':
      return coerce ? json : anything
    default:
      return schema['x-deferred'] === true ? keep : anything
  }
}

export const snake = (name: string): string => name.replace(/[A-Z]/g, (c) => `_${c.toLowerCase()}`)

/** Names of the fields of an object that are arrays, in both notations. */
export const listNames = (schema: TSchema): string[] =>
  Object.entries((schema['properties'] ?? {}) as Record<string, TSchema>).flatMap(([name, field]) =>
    field[Kind] === 'Array' ? [name, snake(name)] : [],
  )

function object(schema: TSchema, coerce: boolean): Normalize {
  const fields = Object.entries(schema['properties'] as Record<string, TSchema>).map(([name, field]) => ({
    name,
    alias: snake(name),
    optional: field[OptionalKind] === 'Optional',
    fallback: field['default'] as unknown,
    normalize: compileNormalizer(field, coerce),
  }))
  // A filter with a misspelt field would select everything.
  const known = schema['additionalProperties'] === false ? new Set(fields.flatMap((f) => [f.name, f.alias])) : undefined
  return (value, path, problems) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
    const source = value as Record<string, unknown>
    const unknown = known && Object.keys(source).find((name) => !known.has(name))
    if (unknown !== undefined) problems.push({ path: `${path}.${unknown.slice(0, 50)}`, text: UNKNOWN_FIELD })
    const result: Record<string, unknown> = {}
    for (const field of fields) {
      let given = Object.hasOwn(source, field.name) ? source[field.name] : undefined
      if (given === undefined && Object.hasOwn(source, field.alias)) given = source[field.alias]
      if (given === undefined) {
        if (field.fallback !== undefined) result[field.name] = field.fallback
      } else result[field.name] = field.normalize(given, `${path}.${field.name}`, problems)
    }
    return result
  }
}

function array(schema: TSchema, coerce: boolean): Normalize {
  if (schema['x-deferred'] === true) return list(schema, coerce, keep)
  return list(schema, coerce, compileNormalizer(schema['items'] as TSchema, coerce))
}

function list(schema: TSchema, coerce: boolean, item: Normalize): Normalize {
  const max = (schema['maxItems'] as number | undefined) ?? Infinity
  return (value, path, problems) => {
    const items = coerce && typeof value === 'string' ? value.split(',') : value
    if (!Array.isArray(items)) return items
    if (items.length > max) {
      problems.push({ path, text: tooMany(max) })
      return []
    }
    const result: unknown[] = []
    for (const [i, given] of items.entries()) {
      if (problems.length > MAX_PROBLEMS) break
      result.push(item(given, `${path}.${i}`, problems))
    }
    return result
  }
}

/** For `Nullable(x)`: null is kept, other values are normalized like `x`. */
function union(schema: TSchema, coerce: boolean): Normalize {
  const variants = (schema['anyOf'] as TSchema[]).filter((s) => s[Kind] !== 'Null')
  const only = variants.length === 1 ? compileNormalizer(variants[0]!, coerce) : anything
  return (value, path, problems) => (value === null ? null : only(value, path, problems))
}

// oxlint-disable-next-line no-control-regex -- these characters are refused
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/
// oxlint-disable-next-line no-control-regex -- the same without tab, LF and CR
const CONTROL_BUT_LINES = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/

/** `max` and `min` in characters as people see them. The validator checks the lengths in UTF-16 units, also that a text is not empty. */
function text(kind: TextKind, { max, min }: { max: number | undefined; min: number }): Normalize {
  if (kind === 'any') return keep
  return (value, path, problems) => {
    if (typeof value !== 'string') return value
    const result = kind === 'raw' ? value : value.trim()
    const problem =
      textProblem(result, kind, max) ?? (min > 1 && isShorterThan(result, min) ? tooShort(min) : undefined)
    if (problem) problems.push({ path, text: problem })
    return result
  }
}

/** The problem of a text that is already trimmed, if there is one. `max` in characters as people see them. */
export function textProblem(text: string, kind: Exclude<TextKind, 'any'>, max?: number): Localized | undefined {
  const excess = max === undefined ? undefined : excessOf(text, max, MAX_UNITS_PER_CHARACTER)
  if (excess !== undefined)
    return excess === 'characters' ? tooLong(max!) : tooManyUnits(max! * MAX_UNITS_PER_CHARACTER)
  if (!isStorable(text)) return BAD_TEXT
  if (kind === 'line' ? CONTROL.test(text) : kind === 'multiline' && CONTROL_BUT_LINES.test(text)) return BAD_TEXT
  return kind === 'line' && hasHiddenCharacters(text) ? HIDDEN_TEXT : undefined
}

const UNKNOWN_FIELD: Localized = { en: 'is not a known field', zh: '是未知字段' }
const BAD_TEXT: Localized = { en: 'contains characters that are not allowed', zh: '包含不允许的字符' }
const HIDDEN_TEXT: Localized = {
  en: 'contains invisible characters or characters that change the direction of the text',
  zh: '包含不可见字符或改变文字方向的字符',
}
export const tooLong = (max: number): Localized => ({
  en: `must have at most ${max} characters`,
  zh: `最多 ${max} 个字符`,
})
export const tooShort = (min: number): Localized => ({
  en: `must have at least ${min} characters`,
  zh: `至少 ${min} 个字符`,
})
/** For emoji and letters with marks, which are one character each and have many units. */
const tooManyUnits = (max: number): Localized => ({
  en: `must have at most ${max} UTF-16 units, of which an emoji or a letter with marks has several`,
  zh: `最多 ${max} 个 UTF-16 编码单元（一个表情或带附加符号的字母占多个）`,
})
export const tooMany = (max: number): Localized => ({ en: `must have at most ${max} items`, zh: `最多 ${max} 项` })

/** An object in a form is JSON text. The validator reports any other text. */
const json: Normalize = (value, path, problems) => {
  if (typeof value !== 'string') return value
  try {
    return anything(parseJson(value), path, problems)
  } catch {
    return value
  }
}

/** PostgreSQL cannot store NUL, and UTF-8 cannot encode a lone surrogate. */
const isStorable = (s: string): boolean => s.isWellFormed() && !s.includes('\0')

/** For JSON of any shape: only checks that every text in it can be stored. */
const anything: Normalize = (value, path, problems) => {
  if (typeof value === 'string') {
    if (!isStorable(value)) problems.push({ path, text: BAD_TEXT })
  } else if (Array.isArray(value)) value.forEach((v, i) => anything(v, `${path}.${i}`, problems))
  else if (typeof value === 'object' && value !== null)
    for (const [key, v] of Object.entries(value)) {
      if (!isStorable(key)) problems.push({ path, text: BAD_TEXT })
      anything(v, `${path}.${key}`, problems)
    }
  return value
}

// Ids have up to 16 digits: 9,007,199,254,740,991.
const NUMBER = /^-?\d{1,16}(\.\d{1,15})?$/
const number: Normalize = (value) => (typeof value === 'string' && NUMBER.test(value) ? Number(value) : value)

const boolean: Normalize = (value) =>
  value === 'true' || value === '1' ? true : value === 'false' || value === '0' ? false : value

const ISO = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?)?$/
/** Epoch milliseconds as a number or as digits, or ISO 8601, as milliseconds. Other values are returned unchanged. */
export const moment = (value: unknown): unknown => {
  if (typeof value !== 'string') return value
  if (/^\d{1,16}$/.test(value)) return Number(value)
  // `Date.parse` alone takes February 30 for March 1.
  const exists = ISO.test(value) && dayNumberOf(value.slice(0, 10)) !== undefined
  const ms = exists ? Date.parse(value) : Number.NaN
  return Number.isNaN(ms) ? value : ms
}
