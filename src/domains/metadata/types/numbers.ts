/** NUMBER and BOOLEAN. */

import { significant } from '#lib/decimal.ts'

import {
  atLeast,
  atMost,
  decimalOf,
  flag,
  integer,
  isProblem,
  line,
  noOrder,
  number,
  part,
  type Problem,
  rangeFilter,
  type TypeRules,
} from './types.model.ts'

interface NumberConfig {
  readonly min?: number
  readonly max?: number
  readonly precision?: number
}

export const MAX_PRECISION = 6

const tooManyDecimals = (max: number): Problem =>
  max === 0
    ? { en: 'must be a whole number', zh: '必须是整数' }
    : { en: `must have at most ${max} decimals`, zh: `最多 ${max} 位小数` }

export const readNumber = (text: string): number | Problem => number(text) as number | Problem

const NUMBER: TypeRules = {
  config: { min: number, max: number, precision: integer(0, MAX_PRECISION), unit: line(20) },
  stores: 'number',
  ranges: [['min', 'max']],
  parse(config, value) {
    const { min, max, precision } = config as NumberConfig
    const decimal = decimalOf(value)
    if (isProblem(decimal)) return decimal
    if (precision !== undefined && decimal.decimals > precision) return tooManyDecimals(precision)
    if (min !== undefined && decimal.value < min) return atLeast(min)
    if (max !== undefined && decimal.value > max) return atMost(max)
    return [part({ number: decimal.value })]
  },
  value: (_, [stored]) => stored!.number,
  toText: (_, value) => value as number,
  // A spreadsheet computes with doubles and shows 15 digits of them.
  fromText: (_, cell) => (typeof cell === 'number' && Number.isFinite(cell) ? significant(cell) : cell),
  filter: (_, given) => rangeFilter(given, readNumber),
  order: 'number',
  operand: (_, [stored]) => stored!.number,
  convertsFrom: ['TEXT', 'TEXTAREA', 'SELECT', 'RADIO'],
}

interface BooleanConfig {
  readonly trueLabel?: string
  readonly falseLabel?: string
}

export const YES_NO = { en: ['Yes', 'No'], zh: ['是', '否'] } as const

/** Read in every spreadsheet, besides the labels of the field. */
const WORDS: readonly (readonly [string, string])[] = [YES_NO.en, YES_NO.zh, ['true', 'false'], ['1', '0']]

/**
 * The labels of the field, those of the language where they are missing. Labels that could be taken for each other are ignored: equal ones,
 * and a single one that is a word of its own, such as `No` for true.
 */
function labels({ trueLabel, falseLabel }: BooleanConfig, words: readonly [string, string]): readonly [string, string] {
  const [yes, no] = [trueLabel ?? words[0], falseLabel ?? words[1]]
  const only = trueLabel === undefined ? falseLabel : falseLabel === undefined ? trueLabel : undefined
  return isSame(yes, no) || (only !== undefined && WORDS.flat().some((word) => isSame(word, only))) ? words : [yes, no]
}

const isSame = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()

const BOOLEAN: TypeRules = {
  config: { trueLabel: line(100), falseLabel: line(100) },
  stores: 'number',
  parse: (_, value) => {
    const checked = flag(value)
    return isProblem(checked) ? checked : [part({ number: Number(checked) })]
  },
  value: (_, [stored]) => stored!.number === 1,
  toText: (config, value, { locale }) => labels(config, YES_NO[locale])[value === true ? 0 : 1],
  fromText(config, cell) {
    const text = String(cell).trim()
    for (const words of [labels(config, YES_NO.en), labels(config, YES_NO.zh), ...WORDS]) {
      const found = words.findIndex((word) => isSame(word, text))
      if (found >= 0) return found === 0
    }
    return cell
  },
  filter(_, { equal, min, max }) {
    if (min || max) return noOrder
    if (equal !== 'true' && equal !== 'false') return flag(undefined) as Problem
    const number = Number(equal === 'true')
    return { kind: 'range', min: number, max: number }
  },
  order: 'number',
  operand: (_, [stored]) => stored!.number === 1,
}

export const NUMBERS = { NUMBER, BOOLEAN }
