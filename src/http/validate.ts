/** Normalizes one part of a request and checks it against its schema. Validators are compiled on first use to keep the start short. */

import { Kind, type Static, type TSchema, Type } from '@sinclair/typebox'
import { type TypeCheck, TypeCompiler } from '@sinclair/typebox/compiler'
import { type ValueError, ValueErrorType } from '@sinclair/typebox/errors'

import { timeZone } from '#lib/days.ts'
import type { Localized } from '#lib/localized.ts'
import { serverZone } from '#platform/clock.ts'

import { AppError, type FieldProblem } from './errors.ts'
import { compileNormalizer, MAX_PROBLEMS, type Normalize, tooLong, tooMany, tooShort } from './normalize.ts'

export interface Validator {
  /** Returns the normalized value, or throws an InvalidRequest with every problem. */
  parse(value: unknown): unknown
}

/** `where` is the first part of each problem's path. With `coerce`, every value is text: see normalize.ts. */
export function validator(
  schema: TSchema,
  where: 'body' | 'query' | 'path',
  { coerce }: { coerce: boolean } = { coerce: where !== 'body' },
): Validator {
  const parse = parser(schema, coerce)
  return {
    parse(value) {
      const problems: FieldProblem[] = []
      const result = parse(value, where, problems)
      if (problems.length > 0) throw new InvalidRequest(problems)
      return result
    },
  }
}

/** A `Deferred` value, or an item of such a list. `value` is undefined if there are problems. */
export interface CheckedItem<T> {
  readonly value: T | undefined
  /** The operation adds those that it finds itself. */
  readonly problems: FieldProblem[]
}

/** Checks each item of a `Deferred` list by the schema of its items. */
export function itemChecker<T extends TSchema>(item: T) {
  const check = valueChecker(item)
  return (items: readonly unknown[], path: string): CheckedItem<Static<T>>[] =>
    items.map((given, i) => check(given, `${path}.${i}`))
}

/** Checks a `Deferred` value by the schema that the operation chooses for it. */
export function valueChecker<T extends TSchema>(schema: T) {
  const parse = parser(schema, false)
  return (given: unknown, path: string): CheckedItem<Static<T>> => {
    const problems: FieldProblem[] = []
    const value = parse(given, path, problems)
    return { value: problems.length === 0 ? (value as Static<T>) : undefined, problems }
  }
}

/** Returns the normalized value, which fits the schema if it adds no problem. */
function parser(schema: TSchema, coerce: boolean): Normalize {
  let normalize: Normalize | undefined
  let check: TypeCheck<TSchema> | undefined
  return (value, path, problems) => {
    normalize ??= compileNormalizer(schema, coerce)
    check ??= TypeCompiler.Compile(withoutDeferred(schema))
    const result = normalize(value, path, problems)
    if (problems.length > 0 || !check.Check(result)) addErrors(problems, check, result, path)
    return result
  }
}

/** The schema without the items of `Deferred` lists among its fields. */
function withoutDeferred(schema: TSchema): TSchema {
  const fields = Object.entries((schema['properties'] ?? {}) as Record<string, TSchema>)
  if (!fields.some(([, field]) => field['x-deferred'] === true)) return schema
  const properties = fields.map(([name, field]) => [
    name,
    field['x-deferred'] === true ? { ...field, items: Type.Unknown() } : field,
  ])
  return { ...schema, properties: Object.fromEntries(properties) } as TSchema
}

/** Checks an answer in tests and development. Returns the first problem, if there is one. */
export function answerProblem(schema: TSchema, data: unknown): string | undefined {
  let check = compiledAnswers.get(schema)
  if (check === undefined) compiledAnswers.set(schema, (check = TypeCompiler.Compile(closed(schema))))
  if (check.Check(data)) return undefined
  const first = check.Errors(data).First()
  return first === undefined
    ? undefined
    : `${first.path || '/'}: ${first.message} (${JSON.stringify(first.value)?.slice(0, 80)})`
}

const compiledAnswers = new WeakMap<TSchema, TypeCheck<TSchema>>()

/** The same schema, but refusing unknown keys at every level. */
function closed(schema: TSchema): TSchema {
  const copy: Record<PropertyKey, unknown> = { ...schema }
  if (schema[Kind] === 'Object' && schema['additionalProperties'] === undefined) copy['additionalProperties'] = false
  if (schema['properties'])
    copy['properties'] = Object.fromEntries(
      Object.entries(schema['properties'] as Record<string, TSchema>).map(([name, field]) => [name, closed(field)]),
    )
  if (schema['items']) copy['items'] = closed(schema['items'] as TSchema)
  if (schema['anyOf']) copy['anyOf'] = (schema['anyOf'] as TSchema[]).map(closed)
  return copy as unknown as TSchema
}

const BAD_REQUEST: Localized = { en: 'The request is not valid', zh: '请求无效' }

/** Adds the errors of a normalized value, whose lists are short, at paths that have no problem yet. */
function addErrors(problems: FieldProblem[], check: TypeCheck<TSchema>, value: unknown, where: string): void {
  for (const error of innermost(check.Errors(value))) {
    if (problems.length > MAX_PROBLEMS) return
    const path = where + error.path.replaceAll('/', '.')
    if (!problems.some((problem) => problem.path === path)) problems.push({ path, text: explain(error) })
  }
}

/** Those of `Nullable(x)` are the errors of `x`, whose paths say where in an object they are. */
function* innermost(errors: Iterable<ValueError>): Iterable<ValueError> {
  for (const error of errors) {
    const inner = error.type === ValueErrorType.Union ? error.errors[0] : undefined
    if (inner === undefined) yield error
    else yield* innermost(inner)
  }
}

/** A 400 that lists the invalid fields: MAX_PROBLEMS of them, and in a last row how many more were found. */
export class InvalidRequest extends AppError {
  readonly problems: readonly FieldProblem[]
  constructor(problems: readonly FieldProblem[]) {
    super(400, 400, BAD_REQUEST)
    const more = problems.length - MAX_PROBLEMS
    this.problems =
      more <= 0 ? problems : [...problems.slice(0, MAX_PROBLEMS), { path: 'body', text: moreProblems(more) }]
  }
}

/** "At least", because the search for problems ends when there are too many to list. */
const moreProblems = (n: number): Localized => ({ en: `has at least ${n} more problems`, zh: `至少还有 ${n} 个问题` })

/** For services that find invalid fields: the same answer as the validator's. */
export const invalid = (path: string, en: string, zh: string): AppError => invalidAll([{ path, text: { en, zh } }])
export const invalidAll = (problems: readonly FieldProblem[]): AppError => new InvalidRequest(problems)

/** Refuses one coordinate without the other. The problem is at the missing one, in this part of the request. */
export function checkPosition(
  position: { latitude?: number | null | undefined; longitude?: number | null | undefined },
  part = 'body',
): void {
  const { latitude = null, longitude = null } = position
  if ((latitude === null) === (longitude === null)) return
  const missing = latitude === null ? 'latitude' : 'longitude'
  throw invalid(
    `${part}.${missing}`,
    'is required: give latitude and longitude together',
    '不能为空：经度与纬度须同时提供',
  )
}

/**
 * The time zone that a query asks for (`TimeZone` and `ExportZone` in schema.ts).
 * @throws AppError 400 for an unknown one
 */
export function zoneOf({ tz }: { readonly tz?: string | undefined }, otherwise = serverZone()): string {
  if (tz === undefined) return otherwise
  // A plus sign that was not encoded arrives as a space, which has been trimmed.
  const zone = timeZone(tz.replace(/^(?=\d)/, '+'))
  if (zone === undefined) throw invalid('query.tz', 'is not a time zone', '时区无效')
  return zone
}

const NOT_A_TIME: Localized = {
  en: 'must be a time: epoch milliseconds or ISO 8601',
  zh: '必须是时间：毫秒时间戳或 ISO 8601 格式',
}

function explain(error: ValueError): Localized {
  const s = error.schema
  switch (error.type) {
    case ValueErrorType.ObjectRequiredProperty:
      return { en: 'is required', zh: '不能为空' }
    case ValueErrorType.StringMaxLength:
      return tooLong(s['maxLength'] as number)
    case ValueErrorType.StringMinLength:
      return s['minLength'] === 1 ? { en: 'must not be empty', zh: '不能为空' } : tooShort(s['minLength'] as number)
    case ValueErrorType.StringPattern:
    case ValueErrorType.StringFormat:
      return { en: 'does not have the right format', zh: '格式不正确' }
    case ValueErrorType.String:
      return { en: 'must be a string', zh: '必须是文本' }
    case ValueErrorType.Integer:
      return s['x-time'] === true ? NOT_A_TIME : { en: 'must be an integer', zh: '必须是整数' }
    case ValueErrorType.Number:
      return { en: 'must be a number', zh: '必须是数字' }
    case ValueErrorType.Boolean:
      return { en: 'must be true or false', zh: '必须是 true 或 false' }
    case ValueErrorType.IntegerMinimum:
    case ValueErrorType.NumberMinimum:
      return { en: `must be at least ${s['minimum']}`, zh: `不能小于 ${s['minimum']}` }
    case ValueErrorType.IntegerMaximum:
    case ValueErrorType.NumberMaximum:
      return { en: `must be at most ${s['maximum']}`, zh: `不能大于 ${s['maximum']}` }
    case ValueErrorType.Array:
      return { en: 'must be an array', zh: '必须是列表' }
    case ValueErrorType.ArrayMaxItems:
      return tooMany(s['maxItems'] as number)
    case ValueErrorType.ArrayMinItems:
      return s['minItems'] === 1
        ? { en: 'must not be empty', zh: '不能为空' }
        : { en: `must have at least ${s['minItems']} items`, zh: `至少 ${s['minItems']} 项` }
    case ValueErrorType.ArrayUniqueItems:
      return { en: 'must not contain duplicates', zh: '不能有重复项' }
    case ValueErrorType.ObjectMaxProperties:
      return tooMany(s['maxProperties'] as number)
    case ValueErrorType.Object:
      return { en: 'must be an object', zh: '必须是对象' }
    default:
      return Array.isArray(s['enum'])
        ? { en: `must be one of ${s['enum'].join(', ')}`, zh: `必须是以下之一：${s['enum'].join('、')}` }
        : { en: 'is not valid', zh: '无效' }
  }
}
