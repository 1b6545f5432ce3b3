/**
 * The types of fields: what a configuration may contain, which values fit it, how they are stored, written into spreadsheets, filtered
 * and used in formulas. Each type is one record (TypeRules), in the file of its group. Pure.
 */

import type { FieldConfig, FieldType } from '#db/schema/meta.ts'
import type { FieldProblem } from '#http/errors.ts'
import { textProblem } from '#http/normalize.ts'
import { invalid, invalidAll } from '#http/validate.ts'
import type { Operand } from '#lib/formula/index.ts'
import { patternSteps } from '#lib/linear-pattern.ts'
import type { Locale } from '#lib/localized.ts'

import { COMPUTED } from './computed.ts'
import { DATES } from './dates.ts'
import { GEO } from './geo.ts'
import { NUMBERS } from './numbers.ts'
import { OPTIONS } from './options.ts'
import { REFERENCES } from './references.ts'
import { TEXTS } from './texts.ts'
import {
  type Cell,
  type Check,
  type Condition,
  flag,
  type GivenFilter,
  isProblem,
  line,
  type Part,
  type Problem,
  type ReadCell,
  required,
  type TypedField,
  type TypeRules,
} from './types.model.ts'

export { compute, formulaOf, matchesResult, operandOfResult, resultOf } from './computed.ts'
export { fileProblem } from './references.ts'
export { isProblem }
export type { Cell, Condition, GivenFilter, Part, Problem, ReadCell, TypedField }

const RULES: Readonly<Record<FieldType, TypeRules>> = {
  ...TEXTS,
  ...NUMBERS,
  ...DATES,
  ...OPTIONS,
  ...REFERENCES,
  GEO,
  COMPUTED,
}

/** The keys of all types; `default` is checked as a value. */
const COMMON: Readonly<Record<string, Check>> = {
  required: flag,
  placeholder: line(100),
  help: line(500),
  group: line(100),
}

/**
 * The configuration with the keys of the type only, normalized. The keys that a formula names are not checked here.
 * @throws AppError 400 with `<path>.<key>` for each wrong key.
 */
export function checkConfig(type: FieldType, config: unknown, path = 'body.config'): FieldConfig {
  const given = config ?? {}
  if (typeof given !== 'object' || Array.isArray(given)) throw invalid(path, 'must be an object', '必须是对象')
  const rules = RULES[type]
  const checked: Record<string, unknown> = {}
  const problems: FieldProblem[] = []
  const refuse = (key: string, text: Problem): void => void problems.push({ path: `${path}.${key}`, text })
  for (const [key, check] of Object.entries({ ...COMMON, ...rules.config })) {
    const value = own(given, key)
    if (isEmpty(value) && !Array.isArray(value)) {
      if (rules.requires?.includes(key)) refuse(key, required)
      continue
    }
    const result = check(value)
    if (isProblem(result)) refuse(key, result)
    else if (result !== undefined && result !== '') checked[key] = result
  }
  for (const [min, max] of rules.ranges ?? [])
    if (isGreater(checked[min], checked[max]))
      refuse(min, { en: `must not be greater than ${max}`, zh: `不能大于 ${max}` })
  const initial = own(given, 'default')
  if (problems.length === 0 && !isEmpty(initial) && type !== 'COMPUTED') {
    const parts = rules.parse(checked, initial, [])
    if (isProblem(parts)) refuse('default', parts)
    else checked['default'] = rules.value(checked, parts)
  }
  if (problems.length > 0) throw invalidAll(problems)
  return checked
}

const own = (object: object, key: string): unknown =>
  Object.hasOwn(object, key) ? (object as Record<string, unknown>)[key] : undefined

const isEmpty = (value: unknown): boolean =>
  value == null || (typeof value === 'string' ? value.trim() === '' : Array.isArray(value) && value.length === 0)

const isGreater = (a: unknown, b: unknown): boolean =>
  (typeof a === 'number' && typeof b === 'number') || (typeof a === 'string' && typeof b === 'string') ? a > b : false

/**
 * The parts that store a value, or why the field refuses it; none for null, an empty text and an empty array. `before` are the present
 * parts, whose options may stay even if they were removed. References and files are ids that the caller still has to look up.
 */
export function parseValue(field: TypedField, value: unknown, before: readonly Part[]): readonly Part[] | Problem {
  if (field.type !== 'COMPUTED' && isEmpty(value)) return field.config['required'] === true ? required : []
  return RULES[field.type].parse(field.config, value, before)
}

/** The most steps that the pattern of the field takes for a value, for callers that check many; 0 without a pattern. */
export const patternStepsOf = ({ config }: TypedField, value: unknown): number =>
  typeof config['pattern'] === 'string' && typeof value === 'string' ? patternSteps(config['pattern'], value) : 0

/** The value as JSON: ids for references and files. Null if there are no parts, and for COMPUTED. */
export const valueOf = (field: TypedField, parts: readonly Part[]): unknown =>
  parts.length === 0 ? null : RULES[field.type].value(field.config, parts)

/**
 * The parts of a value after its field changed from one type to another; undefined if the value does not fit. Only types whose values
 * mean the same can follow each other: a text can become a number, but a number cannot become the id of a file, since ids of files
 * are checked only when they are written.
 */
export function converted(from: TypedField, to: TypedField, parts: readonly Part[]): readonly Part[] | undefined {
  const rules = RULES[to.type]
  if (parts.length === 0) return parts
  if (!canFollow(from.type, to.type)) return undefined
  let value = valueOf(from, parts)
  if (RULES[from.type].isList === true && rules.isList !== true) {
    if ((value as unknown[]).length > 1) return undefined
    ;[value] = value as unknown[]
  } else if (rules.isList === true && !Array.isArray(value)) value = [value]
  if (rules.stores === 'text') value = String(value)
  const result = rules.parse(to.config, value, [])
  return isProblem(result) ? undefined : result
}

/** Whether values of one type can become values of the other at all. */
export const canFollow = (from: FieldType, to: FieldType): boolean => RULES[to].convertsFrom?.includes(from) === true

/** Whether the rows of values have to be written again when the type changes. */
export const isStoredAlike = (from: FieldType, to: FieldType): boolean => RULES[from].stores === RULES[to].stores

/** The column that values of the type are sorted and compared by; undefined for a type without order. */
export const orderOf = (type: FieldType): 'number' | 'key' | undefined => RULES[type].order

/** The condition that a filter means, or why it is refused. At least one of `given` is present. */
export function filterOf(field: TypedField, given: GivenFilter): Condition | Problem {
  const texts = [given.equal, given.min, given.max].filter((text) => text)
  if (texts.length === 0) return required
  for (const text of texts) {
    const problem = textProblem(text!, 'raw')
    if (problem !== undefined) return problem
  }
  return RULES[field.type].filter(field.config, given)
}

/**
 * The value for a cell of a spreadsheet. A reference is given as the text of its target, files as their names, a COMPUTED value as its
 * result. Times are shown in `zone` (an IANA name). `fromText` reads each text back as the same value, except the address and the
 * accuracy of GEO.
 */
export const toText = (field: TypedField, value: unknown, locale: Locale, zone: string): Cell =>
  isEmpty(value) ? null : RULES[field.type].toText(field.config, value, { locale, zone })

/**
 * A value for `parseValue`, which reports cells that mean nothing. The text of a reference is returned as it is, for the caller to look
 * up. `current` is the present value: a cell that shows it, in either language, means it unchanged.
 */
export function fromText(field: TypedField, cell: ReadCell, zone: string, current?: unknown): unknown {
  const text = typeof cell === 'string' ? cell.trim() : cell
  if (text === '') return null
  if (!isEmpty(current) && LOCALES.some((locale) => toText(field, current, locale, zone) === text)) return current
  return RULES[field.type].fromText(field.config, text, zone)
}
const LOCALES = ['en', 'zh'] as const

/** The value in formulas. `zone` decides on which day a time is. Null for types that formulas cannot use, and for COMPUTED. */
export const operandOf = (field: TypedField, parts: readonly Part[], zone: string): Operand =>
  parts.length === 0 ? null : (RULES[field.type].operand?.(field.config, parts, zone) ?? null)

/** The parts of a value that a fixed column of the entity holds: a text, a day as `YYYY-MM-DD` or a number. */
export function columnParts(field: TypedField, column: string | number | null): readonly Part[] {
  if (column === null || column === '') return []
  // The limits of the column hold, not those of the field.
  const parts = RULES[field.type].parse({}, column, [])
  return isProblem(parts) ? [] : parts
}

/** The parts as a fixed column holds them; the inverse of `columnParts`. */
export const columnValue = (field: TypedField, parts: readonly Part[]): string | number | null =>
  valueOf(field, parts) as string | number | null
