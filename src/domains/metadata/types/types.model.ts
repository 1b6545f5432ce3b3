/** Shapes that the rules of the types share, and the checks of a configuration's keys. */

import type { FieldConfig, FieldType } from '#db/schema/meta.ts'
import { textProblem } from '#http/normalize.ts'
import { parseDecimal } from '#lib/decimal.ts'
import type { Operand } from '#lib/formula/index.ts'
import type { Locale, Localized } from '#lib/localized.ts'

export interface TypedField {
  readonly type: FieldType
  readonly config: FieldConfig
}

/** A row of `meta_values` without its ids. */
export interface Part {
  readonly text: string | null
  readonly key: string | null
  readonly number: number | null
}

/**
 * Steps of patterns (lib/linear-pattern.ts) for the values of one entity, and for all values that are checked at once, such as the rows of
 * an import. A step takes about 15 ns: one text takes up to 40 ms, and 600 fields with such patterns would take 24 s.
 */
export const MAX_PATTERN_STEPS = 10_000_000
export const MAX_PATTERN_STEPS_AT_ONCE = 100_000_000

/** Continues a sentence that begins with the field: `must be a number`. */
export type Problem = Localized

export const isProblem = (result: unknown): result is Problem =>
  typeof result === 'object' && result !== null && 'en' in result && 'zh' in result

/** The query parameters `field.<id>`, `field.<id>.min` and `field.<id>.max`. */
export interface GivenFilter {
  readonly equal?: string | undefined
  readonly min?: string | undefined
  readonly max?: string | undefined
}

/** A filter by the columns of the parts (`Part`). A missing value matches only `filled: false`. */
export type Condition =
  /** `number` in the inclusive range. */
  | { readonly kind: 'range'; readonly min: number | undefined; readonly max: number | undefined }
  /** `key` of any part is one of these. */
  | { readonly kind: 'options'; readonly keys: readonly string[] }
  /** `text` contains it, ignoring case. */
  | { readonly kind: 'contains'; readonly text: string }
  /** The value as a text, exactly. Only for COMPUTED. */
  | { readonly kind: 'equals'; readonly text: string }
  | { readonly kind: 'filled'; readonly is: boolean }

/** A cell of a spreadsheet as it is written. */
export type Cell = string | number | null
/** A cell of a spreadsheet as it is read, dates and times as `2026-03-08` and `2026-03-08 17:30:00`. */
export type ReadCell = string | number | boolean

/** The language of words such as Yes, and the time zone of times. */
export interface Surroundings {
  readonly locale: Locale
  readonly zone: string
}

/** Everything that depends on a field's type. Values that are empty (null, `""`, `[]`) are handled before these functions are called. */
export interface TypeRules {
  /** The keys of the configuration besides those of all types. */
  readonly config: Readonly<Record<string, Check>>
  /** Keys that must be present. */
  readonly requires?: readonly string[]
  /** Pairs of keys of which the first must not be greater than the second. */
  readonly ranges?: readonly (readonly [min: string, max: string])[]
  /** A problem that keeps the value from being stored, or its parts. `before`: the present parts. */
  parse(config: FieldConfig, value: unknown, before: readonly Part[]): readonly Part[] | Problem
  /** The value as JSON. */
  value(config: FieldConfig, parts: readonly Part[]): unknown
  toText(config: FieldConfig, value: unknown, surroundings: Surroundings): Cell
  /** A value for `parse`, which reports cells that mean nothing. */
  fromText(config: FieldConfig, cell: ReadCell, zone: string): unknown
  filter(config: FieldConfig, given: GivenFilter): Condition | Problem
  /** The column that every part fills. Absent: values are not stored. */
  readonly stores?: 'text' | 'number' | 'key'
  /** The value is an array. */
  readonly isList?: true
  /** The column that values are sorted by. Absent: the type has no order. */
  readonly order?: 'number' | 'key'
  /** The value in formulas. Absent: always null. */
  operand?(config: FieldConfig, parts: readonly Part[], zone: string): Operand
  /** Other types whose values can become values of this type. */
  readonly convertsFrom?: readonly FieldType[]
}

export const part = (columns: Partial<Part>): Part => ({ text: null, key: null, number: null, ...columns })

/** Checks one key of a configuration. Returns its normalized value or the problem. */
export type Check = (given: unknown) => unknown

export const required: Problem = { en: 'is required', zh: '不能为空' }
export const mustBeString: Problem = { en: 'must be a string', zh: '必须是文本' }
export const mustBeArray: Problem = { en: 'must be an array', zh: '必须是列表' }
export const mustBeNumber: Problem = { en: 'must be a number', zh: '必须是数字' }
export const tooPrecise: Problem = {
  en: 'must have at most 15 significant digits and a magnitude that a computer can hold',
  zh: '最多 15 位有效数字，且不能过大或过小',
}
export const atLeast = (min: unknown): Problem => ({ en: `must be at least ${min}`, zh: `不能小于 ${min}` })
export const atMost = (max: unknown): Problem => ({ en: `must be at most ${max}`, zh: `不能大于 ${max}` })
export const noOrder: Problem = {
  en: 'has no order: min and max cannot be used',
  zh: '没有大小顺序，不能使用 min 和 max',
}

export const line =
  (max: number): Check =>
  (given) => {
    if (typeof given !== 'string') return mustBeString
    const text = given.trim()
    return textProblem(text, 'line', max) ?? text
  }

export const flag: Check = (given) =>
  typeof given === 'boolean' ? given : { en: 'must be true or false', zh: '必须是 true 或 false' }

export const integer =
  (min: number, max: number): Check =>
  (given) => {
    if (typeof given !== 'number' || !Number.isInteger(given)) return { en: 'must be an integer', zh: '必须是整数' }
    return given < min ? atLeast(min) : given > max ? atMost(max) : given
  }

export const oneOf =
  (values: readonly string[]): Check =>
  (given) =>
    typeof given === 'string' && values.includes(given)
      ? given
      : { en: `must be one of ${values.join(', ')}`, zh: `必须是以下之一：${values.join('、')}` }

/** A number or a decimal text, and how many decimals it has. */
export function decimalOf(given: unknown): { value: number; decimals: number } | Problem {
  if (typeof given !== 'number' && typeof given !== 'string') return mustBeNumber
  const decimal = parseDecimal(typeof given === 'string' ? given.trim() : String(given))
  return decimal === 'malformed' ? mustBeNumber : decimal === 'imprecise' ? tooPrecise : decimal
}

export const number: Check = (given) => {
  const decimal = decimalOf(given)
  return isProblem(decimal) ? decimal : decimal.value
}

/** A filter by `number`: equal, or in the inclusive range; `read` converts the texts of the query. */
export function rangeFilter(given: GivenFilter, read: (text: string) => number | Problem): Condition | Problem {
  const bounds: { min: number | undefined; max: number | undefined } = { min: undefined, max: undefined }
  for (const [key, text] of Object.entries(given)) {
    if (!text) continue
    const bound = read(text)
    if (isProblem(bound)) return bound
    if (key !== 'max') bounds.min = Math.max(bounds.min ?? bound, bound)
    if (key !== 'min') bounds.max = Math.min(bounds.max ?? bound, bound)
  }
  return { kind: 'range', ...bounds }
}

/** A filter whether there is a value at all. */
export function filledFilter({ equal, min, max }: GivenFilter): Condition | Problem {
  if (min || max) return noOrder
  if (equal !== 'true' && equal !== 'false') return { en: 'must be true or false', zh: '必须是 true 或 false' }
  return { kind: 'filled', is: equal === 'true' }
}
