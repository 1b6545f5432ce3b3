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
} from './model.ts'

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
  convertsFrom: ['TEXT', 'TEXTAREA', 'NUMBER', 'SELECT', 'RADIO'],
}

interface BooleanConfig {
  readonly trueLabel?: string
  readonly falseLabel?: string
}

export const YES_NO = { en: ['Yes', 'No'], zh: ['是', '否'] } as const

/** The labels of the field; those of the language where one is missing or both would be equal. */
function labels({ trueLabel, falseLabel }: BooleanConfig, words: readonly [string, string]): readonly [string, string] {
  const [yes, no] = [trueLabel ?? words[0], falseLabel ?? words[1]]
  return yes.toLowerCase() === no.toLowerCase() ? words : [yes, no]
}

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
    const text = String(cell).trim().toLowerCase()
    for (const words of [
      labels(config, YES_NO.en),
      labels(config, YES_NO.zh),
      YES_NO.en,
      YES_NO.zh,
      ['true', 'false'],
      ['1', '0'],
    ])
      for (const [i, word] of words.entries()) if (text === word.toLowerCase()) return i === 0
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
