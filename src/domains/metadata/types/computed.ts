/** COMPUTED: the result of a formula over other fields of the same entity. It is computed when it is read, never stored. */

import type { FieldConfig } from '#db/schema/meta.ts'
import { dayNumberOf } from '#lib/days.ts'
import { roundTo } from '#lib/decimal.ts'
import { evaluate, type Formula, FormulaError, type Operand, parseFormula } from '#lib/formula/index.ts'

import { readDay } from './dates.ts'
import { MAX_PRECISION, readNumber, YES_NO } from './numbers.ts'
import {
  type Check,
  type Condition,
  type GivenFilter,
  integer,
  line,
  mustBeString,
  noOrder,
  oneOf,
  type Problem,
  rangeFilter,
  type TypeRules,
} from './types.model.ts'

const RESULT_TYPES = ['NUMBER', 'TEXT', 'DATE', 'BOOLEAN'] as const
export type ResultType = (typeof RESULT_TYPES)[number]

/** As of a TEXT field. Longer ones are null: hundreds of formulas could repeat one long text in every answer. */
const MAX_TEXT = 1000

interface ComputedConfig {
  readonly formula: string
  readonly resultType?: ResultType
  readonly precision?: number
}

const formula: Check = (given) => {
  if (typeof given !== 'string') return mustBeString
  const parsed = parseFormula(given.trim())
  return parsed instanceof FormulaError ? parsed.text : given.trim()
}

const notWritable: Problem = { en: 'is computed and cannot be written', zh: '由公式计算，不能写入' }

const resultType = (config: FieldConfig): ResultType => (config as unknown as ComputedConfig).resultType ?? 'NUMBER'

/** The result of a formula as the type that the field declares; null for results of other types. */
export function resultOf(config: FieldConfig, result: Operand): string | number | boolean | null {
  const { precision } = config as unknown as ComputedConfig
  switch (resultType(config)) {
    case 'NUMBER':
      if (typeof result !== 'number') return null
      return precision === undefined ? result : roundTo(result, precision)
    case 'TEXT':
      return result === null || result === '' || String(result).length > MAX_TEXT ? null : String(result)
    case 'DATE':
      return result !== null && dayNumberOf(String(result)) !== undefined ? String(result) : null
    case 'BOOLEAN':
      return typeof result === 'boolean' ? result : null
  }
}

/** A result as an operand of another formula. */
export const operandOfResult = (config: FieldConfig, result: string | number | boolean | null): Operand =>
  resultType(config) === 'DATE' && result !== null ? Temporal.PlainDate.from(String(result)) : result

/** The formula of a field, parsed. A configuration is stored only if its formula can be parsed. */
export function formulaOf(config: FieldConfig): Formula {
  const parsed = parseFormula((config as unknown as ComputedConfig).formula)
  if (parsed instanceof FormulaError) throw parsed
  return parsed
}

export const compute = (config: FieldConfig, formula: Formula, read: (key: string) => Operand) =>
  resultOf(config, evaluate(formula, read))

function filter(config: FieldConfig, given: GivenFilter): Condition | Problem {
  switch (resultType(config)) {
    case 'NUMBER':
      return rangeFilter(given, readNumber)
    case 'DATE':
      return rangeFilter(given, readDay)
    case 'TEXT':
      return given.min || given.max ? noOrder : { kind: 'equals', text: given.equal ?? '' }
    case 'BOOLEAN':
      if (given.min || given.max) return noOrder
      return given.equal === 'true' || given.equal === 'false'
        ? { kind: 'equals', text: given.equal }
        : { en: 'must be true or false', zh: '必须是 true 或 false' }
  }
}

/** Whether a result passes a filter of its field. */
export function matchesResult(condition: Condition, result: string | number | boolean | null): boolean {
  if (condition.kind === 'filled') return condition.is === (result !== null)
  if (result === null) return false
  if (condition.kind === 'equals') return String(result) === condition.text
  if (condition.kind !== 'range') return false
  const number = typeof result === 'string' ? dayNumberOf(result) : Number(result)
  if (number === undefined) return false
  return number >= (condition.min ?? -Infinity) && number <= (condition.max ?? Infinity)
}

export const COMPUTED: TypeRules = {
  config: { formula, resultType: oneOf(RESULT_TYPES), precision: integer(0, MAX_PRECISION), unit: line(20) },
  requires: ['formula'],
  parse: () => notWritable,
  value: () => null,
  toText(_, value, { locale }) {
    if (typeof value === 'boolean') return YES_NO[locale][value ? 0 : 1]
    return value as string | number
  },
  fromText: (_, cell) => cell,
  filter,
}
