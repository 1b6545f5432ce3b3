/**
 * Arithmetic, comparison and functions of formulas. As in SQL, an operand that is missing gives null, except where the result does not
 * depend on it (`false and …`, `true or …`). Operands of wrong types give null too: the types of fields are not known when a formula is
 * written, and a list must not fail because of one value.
 */

import { dayName, dayNumberOf } from '../days.ts'
import { roundTo, significant } from '../decimal.ts'

/** A date while a formula is computed: Temporal needs a hundred times as long for each operation. */
export class Day {
  /** Days since 1970-01-01. */
  constructor(readonly number: number) {}
  toString(): string {
    return dayName(this.number)
  }
}

/** Null: missing. */
export type Operand = number | string | boolean | Day | null

/** Longer texts become null. */
export const MAX_TEXT = 10_000
/** Of `round(x, n)`. */
const MAX_PLACES = 15

const isDate = (value: Operand): value is Day => value instanceof Day

const finite = (value: number): number | null => (Number.isFinite(value) ? value : null)
const exact = (value: number): number | null => (Number.isFinite(value) ? significant(value) : null)
const textOf = (value: NonNullable<Operand>): string => String(value)

/** The day number (days since 1970-01-01) of a date, or of a text such as `2026-03-08`. Undefined for others. */
const dayOf = (value: Operand): number | undefined =>
  typeof value === 'string' ? dayNumberOf(value) : isDate(value) ? value.number : undefined

const FIRST_DAY = dayNumberOf('0001-01-01')!
const LAST_DAY = dayNumberOf('9999-12-31')!

/** The date with this number. Null outside the years 1 to 9999. */
export const dayAt = (number: number): Day | null =>
  number >= FIRST_DAY && number <= LAST_DAY ? new Day(number) : null

/** The date that many whole days later. */
const moved = (date: Day, days: number): Day | null => dayAt(date.number + Math.trunc(days))

const bounded = (text: string): string | null => (text.length > MAX_TEXT ? null : text)

type Binary = (a: NonNullable<Operand>, b: NonNullable<Operand>) => Operand

const numeric =
  (calculate: (a: number, b: number) => number | null): Binary =>
  (a, b) =>
    typeof a === 'number' && typeof b === 'number' ? calculate(a, b) : null

/** Adds numbers or days to a date; joins texts. */
function add(a: NonNullable<Operand>, b: NonNullable<Operand>): Operand {
  if (typeof a === 'string' || typeof b === 'string') return bounded(textOf(a) + textOf(b))
  if (typeof a === 'number' && typeof b === 'number') return exact(a + b)
  if (isDate(a) && typeof b === 'number') return moved(a, b)
  if (isDate(b) && typeof a === 'number') return moved(b, a)
  return null
}

/** Of two dates the days between them. */
function subtract(a: NonNullable<Operand>, b: NonNullable<Operand>): Operand {
  if (isDate(a) && isDate(b)) return days(b, a)
  if (isDate(a) && typeof b === 'number') return moved(a, -b)
  return numeric((x, y) => exact(x - y))(a, b)
}

/** Negative, 0 or positive; undefined for values that cannot be compared. */
function compare(a: NonNullable<Operand>, b: NonNullable<Operand>): number | undefined {
  if (typeof a === 'number' && typeof b === 'number') return significant(a) - significant(b)
  if (typeof a === 'string' && typeof b === 'string') return a === b ? 0 : a < b ? -1 : 1
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b)
  if (!isDate(a) && !isDate(b)) return undefined
  const [x, y] = [dayOf(a), dayOf(b)]
  return x === undefined || y === undefined ? undefined : x - y
}

const comparison =
  (holds: (order: number) => boolean): Binary =>
  (a, b) => {
    const order = compare(a, b)
    return order === undefined ? null : holds(order)
  }

/** A quotient keeps all its digits, so that 1 / 3 * 3 is 1; the result of the formula is rounded. */
export const BINARY: Readonly<Record<string, Binary>> = {
  '+': add,
  '-': subtract,
  '*': numeric((a, b) => exact(a * b)),
  '/': numeric((a, b) => (b === 0 ? null : finite(a / b))),
  '=': comparison((order) => order === 0),
  '!=': comparison((order) => order !== 0),
  '<': comparison((order) => order < 0),
  '<=': comparison((order) => order <= 0),
  '>': comparison((order) => order > 0),
  '>=': comparison((order) => order >= 0),
}

/** The smallest or greatest of numbers or of dates. */
const extreme =
  (isBetter: (order: number) => boolean) =>
  (...operands: NonNullable<Operand>[]): Operand => {
    let best: NonNullable<Operand> | undefined
    for (const operand of operands) {
      if (typeof operand !== 'number' && !isDate(operand)) return null
      const order: number | undefined = best === undefined ? undefined : compare(operand, best)
      if (best !== undefined && order === undefined) return null
      if (best === undefined || isBetter(order!)) best = operand
    }
    return best ?? null
  }

function round(value: NonNullable<Operand>, places: NonNullable<Operand>): Operand {
  if (typeof value !== 'number' || typeof places !== 'number') return null
  return Number.isInteger(places) && Math.abs(places) <= MAX_PLACES ? roundTo(significant(value), places) : null
}

function days(from: NonNullable<Operand>, to: NonNullable<Operand>): Operand {
  const [a, b] = [dayOf(from), dayOf(to)]
  return a === undefined || b === undefined ? null : b - a
}

interface FormulaFunction {
  /** The least and the greatest number of arguments. */
  readonly takes: readonly [number, number]
  /** Not called with null. */
  readonly call: (...operands: NonNullable<Operand>[]) => Operand
}

/** `if`, whose branches are evaluated only when chosen, is in the parser. */
export const FUNCTIONS: Readonly<Record<string, FormulaFunction>> = {
  min: { takes: [1, 50], call: extreme((order) => order < 0) },
  max: { takes: [1, 50], call: extreme((order) => order > 0) },
  round: { takes: [1, 2], call: (value, places = 0) => round(value, places) },
  days: { takes: [2, 2], call: (from, to) => days(from!, to!) },
}
