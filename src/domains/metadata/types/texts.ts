/** TEXT and TEXTAREA. */

import { textProblem, tooLong, tooShort } from '#http/normalize.ts'
import { matchesPattern, patternProblem } from '#lib/linear-pattern.ts'
import { isLongerThan, isShorterThan } from '#lib/text.ts'

import { type Check, integer, line, mustBeString, noOrder, part, type Problem, type TypeRules } from './types.model.ts'

interface TextConfig {
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
}

/** UTF-16 units for each character as people see it, like MAX_UNITS_PER_CHARACTER of request schemas. */
const UNITS = 8
/** Characters of a text by which values are sorted. */
const KEY_LENGTH = 100

const wrongForm: Problem = { en: 'does not have the form that the field requires', zh: '不符合字段要求的格式' }
const tooLongForPattern: Problem = { en: 'is too long for the pattern of the field', zh: '对该字段的格式而言过长' }

const pattern: Check = (given) => (typeof given === 'string' ? (patternProblem(given) ?? given) : mustBeString)

/** `limit`: the greatest length of any value, in characters. */
function text(kind: 'line' | 'multiline', limit: number, config: Readonly<Record<string, Check>>): TypeRules {
  return {
    config: { minLength: integer(0, limit), maxLength: integer(1, limit), ...config },
    ranges: [['minLength', 'maxLength']],
    stores: 'text',
    parse(config, value) {
      const { minLength = 0, maxLength = limit, pattern } = config as TextConfig
      if (typeof value !== 'string') return mustBeString
      const text = value.trim()
      const problem = textProblem(text, kind, limit)
      if (problem !== undefined) return problem
      if (isShorterThan(text, minLength)) return tooShort(minLength)
      if (isLongerThan(text, maxLength, UNITS)) return tooLong(maxLength)
      const isMatch = pattern === undefined || matchesPattern(pattern, text)
      if (isMatch !== true) return isMatch === undefined ? tooLongForPattern : wrongForm
      return [part({ text, key: sortKey(text) })]
    },
    value: (_, [stored]) => stored!.text,
    toText: (_, value) => value as string,
    fromText: (_, cell) => String(cell),
    filter: (_, { equal = '', min, max }) => (min || max ? noOrder : { kind: 'contains', text: equal.trim() }),
    order: 'key',
    operand: (_, [stored]) => stored!.text,
    convertsFrom: ['TEXT', 'TEXTAREA', 'NUMBER', 'DATE', 'SELECT', 'RADIO'],
  }
}

/** The beginning of the text in lower case, without half a character at its end. */
const sortKey = (text: string): string =>
  [...text.slice(0, 2 * KEY_LENGTH).toLowerCase()].slice(0, KEY_LENGTH).join('').toWellFormed()

export const TEXTS = {
  TEXT: text('line', 1000, { pattern, unit: line(20) }),
  TEXTAREA: text('multiline', 10_000, {}),
}
