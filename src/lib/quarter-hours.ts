/**
 * Numbers by quarter-hour of UTC, which add up to the days of any time zone: the offsets of all zones are multiples of 15 minutes. One
 * computation therefore serves administrators in all zones. With a fixed offset that is not such a multiple (`+00:07`), a quarter-hour counts for
 * the day in which it begins.
 */

import { dayNumber, type DayRange } from './days.ts'

/** Milliseconds. */
export const QUARTER_HOUR = 900_000

/** The quarter-hours of a range of days, and for each of them the number of its day, from 0. */
export function quartersOf({ spans, firstDay }: DayRange): { readonly first: number; readonly days: Int16Array } {
  const begin = (at: number): number => Math.ceil(at / QUARTER_HOUR)
  const first = begin(spans[0]!.from)
  const days = new Int16Array(begin(spans.at(-1)!.to) - first)
  for (const { from, to, offset } of spans)
    for (let quarter = begin(from); quarter < begin(to); quarter++)
      days[quarter - first] = dayNumber(quarter * QUARTER_HOUR, offset) - firstDay
  return { first, days }
}

/** Numbers by quarter-hour, counted from 1970. */
export class QuarterHours {
  readonly #numbers = new Map<number, number>()

  add(quarter: number, n: number): void {
    this.#numbers.set(quarter, (this.#numbers.get(quarter) ?? 0) + n)
  }

  /** One sum for each day of the range. */
  byDay(range: DayRange): number[] {
    const { first, days } = quartersOf(range)
    const sums = Array.from({ length: range.lastDay - range.firstDay + 1 }, () => 0)
    for (const [i, day] of days.entries()) sums[day]! += this.#numbers.get(first + i) ?? 0
    return sums
  }

  /** The sum of the quarter-hours that begin in the range or later. */
  since({ spans }: DayRange): number {
    const first = Math.ceil(spans[0]!.from / QUARTER_HOUR)
    return [...this.#numbers].reduce((sum, [quarter, n]) => (quarter < first ? sum : sum + n), 0)
  }
}
