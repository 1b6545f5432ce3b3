/** DATE and DATETIME. A DATE is a day of the calendar without a time zone; a DATETIME is a moment. */

import { moment } from '#http/normalize.ts'
import { dayName, dayNumberOf, localTime } from '#lib/days.ts'

import {
  atLeast,
  atMost,
  isProblem,
  part,
  type Problem,
  rangeFilter,
  type ReadCell,
  type TypeRules,
} from './types.model.ts'

const notADate: Problem = { en: 'must be a date that exists, as YYYY-MM-DD', zh: '必须是存在的日期，格式为 YYYY-MM-DD' }
const notATime: Problem = {
  en: 'must be a time between the years 1 and 9999, in epoch milliseconds or ISO 8601',
  zh: '必须是公元 1 年至 9999 年间的时间，以毫秒时间戳或 ISO 8601 表示',
}

export const readDay = (value: unknown): number | Problem =>
  (typeof value === 'string' ? dayNumberOf(value.trim()) : undefined) ?? notADate

const FIRST_TIME = Date.parse('0001-01-01T00:00:00Z')
const LAST_TIME = Date.parse('9999-12-31T23:59:59.999Z')

function readTime(value: unknown): number | Problem {
  const time = typeof value === 'string' ? moment(value.trim()) : value
  return Number.isInteger(time) && (time as number) >= FIRST_TIME && (time as number) <= LAST_TIME
    ? (time as number)
    : notATime
}

interface RangeConfig<T> {
  readonly min?: T
  readonly max?: T
}

const DATE: TypeRules = {
  config: {
    min: (given) => day(readDay(given)),
    max: (given) => day(readDay(given)),
  },
  ranges: [['min', 'max']],
  stores: 'number',
  parse(config, value) {
    const { min, max } = config as RangeConfig<string>
    const number = readDay(value)
    if (isProblem(number)) return number
    if (min !== undefined && number < dayNumberOf(min)!) return atLeast(min)
    if (max !== undefined && number > dayNumberOf(max)!) return atMost(max)
    return [part({ number })]
  },
  value: (_, [stored]) => dayName(stored!.number!),
  toText: (_, value) => value as string,
  fromText(_, cell) {
    const local = localTimeOf(cell)
    // Some programs write days as times.
    return local?.toPlainTime().equals(MIDNIGHT) ? local.toPlainDate().toString() : cell
  },
  filter: (_, given) => rangeFilter(given, readDay),
  order: 'number',
  operand: (_, [stored]) => Temporal.PlainDate.from(dayName(stored!.number!)),
  convertsFrom: ['TEXT', 'TEXTAREA'],
}

const day = (number: number | Problem): string | Problem => (isProblem(number) ? number : dayName(number))
const MIDNIGHT = new Temporal.PlainTime()

const DATETIME: TypeRules = {
  config: { min: readTime, max: readTime },
  ranges: [['min', 'max']],
  stores: 'number',
  parse(config, value) {
    const { min, max } = config as RangeConfig<number>
    const number = readTime(value)
    if (isProblem(number)) return number
    if (min !== undefined && number < min) return atLeast(new Date(min).toISOString())
    if (max !== undefined && number > max) return atMost(new Date(max).toISOString())
    return [part({ number })]
  },
  value: (_, [stored]) => stored!.number,
  toText: (_, value, { zone }) => timeText(value as number, zone),
  fromText: (_, cell, zone) => timeIn(cell, zone) ?? cell,
  filter: (_, given) => rangeFilter(given, readTime),
  order: 'number',
  operand: (_, [stored], zone) => localTime(stored!.number!, zone).toPlainDate(),
  convertsFrom: ['TEXT', 'TEXTAREA'],
}

/**
 * `YYYY-MM-DD HH:mm:ss` in the zone, with milliseconds if there are any. ISO 8601 in UTC for an hour that clocks show twice, because
 * reading the text must give the same time.
 */
function timeText(at: number, zone: string): string {
  const local = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone).toPlainDateTime()
  const text = local.toString({ smallestUnit: at % 1000 === 0 ? 'second' : 'millisecond' }).replace('T', ' ')
  return timeIn(text, zone) === at ? text : new Date(at).toISOString()
}

const LOCAL_TIME =
  /^(\d{4})(?:([-/.])(\d{1,2})\2(\d{1,2})|年(\d{1,2})月(\d{1,2})日)(?:[T ]\s*(\d{1,2}):(\d{2})(?::(\d{2})(?:\.(\d{1,3}))?)?)?$/

/**
 * The time that clocks show in a text that begins with the year, such as `2026-03-08 17:30:00`, `2026/3/8`, `2026.3.8` or `2026年3月8日`.
 * Midnight if it is only a day.
 */
function localTimeOf(cell: ReadCell): Temporal.PlainDateTime | undefined {
  const match = typeof cell === 'string' ? LOCAL_TIME.exec(cell) : null
  if (match === null) return undefined
  const [, year, , month = match[5]!, day = match[6]!, , , hour = '0', minute = '0', second = '0', fraction = ''] =
    match
  const name = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  if (dayNumberOf(name) === undefined || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59)
    return undefined
  return Temporal.PlainDate.from(name).toPlainDateTime({
    hour: Number(hour),
    minute: Number(minute),
    second: Number(second),
    millisecond: Number(fraction.padEnd(3, '0')),
  })
}

/** Epoch milliseconds of a local time in the zone; the earlier ones of an hour that clocks show twice. */
const timeIn = (cell: ReadCell, zone: string): number | undefined =>
  localTimeOf(cell)?.toZonedDateTime(zone).epochMilliseconds

export const DATES = { DATE, DATETIME }
