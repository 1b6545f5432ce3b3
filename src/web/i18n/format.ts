/** Dates, numbers and sizes as people of the chosen language write them. */

import { serverTime } from '../browser/server-time.ts'
import { isSameClock, wallTime } from './clocks.ts'
import { currentLocale } from './locale.ts'
import { zoneOffset } from './zones.ts'

const tag = () => (currentLocale() === 'zh' ? 'zh-CN' : 'en-GB')

/** A format of dates that none of the functions below has. */
export const dateFormat = (options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat(tag(), options)

/** `21 Nov 2026, 14:05`; an empty string for null. */
export const dateTime = (time: number | null | undefined): string =>
  time === null || time === undefined ? '' : dateFormat({ dateStyle: 'medium', timeStyle: 'short' }).format(time)

/**
 * `21 Nov 2026, 14:05` on the clocks of the zone, and ` (UTC+8)` where they show something else than those of the browser. Without a zone as
 * `dateTime`.
 */
export function timeIn(time: number, zone: string | undefined): string {
  if (zone === undefined) return dateTime(time)
  const text = dateFormat({ dateStyle: 'medium', timeStyle: 'short', timeZone: zone }).format(time)
  return text + offsetIfOther(time, zone)
}

/** ` (UTC+8)`, or nothing if clocks in the zone show the same as those of the browser. */
export function offsetIfOther(time: number, zone: string): string {
  if (isSameClock(time, zone, timeZone())) return ''
  const offset = zoneOffset(time, zone)
  return currentLocale() === 'zh' ? `（${offset}）` : ` (${offset})`
}

/** `Seat: 12`, or `座位：12` */
export const labelled = (label: string, value: string): string =>
  label + (currentLocale() === 'zh' ? '：' : ': ') + value

/** `Screen (expired)`, or `屏幕（已过期）`; the text alone if there is no note. */
export const withNote = (text: string, note: string | false): string =>
  note === false ? text : currentLocale() === 'zh' ? `${text}（${note}）` : `${text} (${note})`

/** `21 Nov 2026` */
export const date = (time: number | null | undefined): string =>
  time === null || time === undefined ? '' : dateFormat({ dateStyle: 'medium' }).format(time)

/** `14:05` */
export const clockTime = (time: number): string => dateFormat({ timeStyle: 'short' }).format(time)

const UNITS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_536_000_000],
  ['month', 2_592_000_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
]

/** `3 hours ago`, `in 2 days`. Future times are rounded: an invitation for 7 days does not say 6 a moment later. */
export function relativeTime(time: number, now = serverTime()): string {
  const format = new Intl.RelativeTimeFormat(tag(), { numeric: 'auto' })
  for (const [unit, length] of UNITS) {
    const amount = (time - now) / length
    if (Math.abs(amount) >= 1) return format.format(amount > 0 ? Math.round(amount) : Math.trunc(amount), unit)
  }
  return format.format(0, 'second')
}

/** `A, B, C` */
export const list = (items: readonly string[]): string => items.join(currentLocale() === 'zh' ? '、' : ', ')

/** `A, B or C` */
export const anyOf = (items: readonly string[]): string =>
  new Intl.ListFormat(tag(), { type: 'disjunction' }).format(items)

export const number = (value: number): string => new Intl.NumberFormat(tag()).format(value)

/** `1.4 MB`. A KB has 1024 bytes: the limits of the server are round numbers then. */
export function bytes(size: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB']
  const power = size < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(size) / 10))
  const value = size / 1024 ** power
  return `${new Intl.NumberFormat(tag(), { maximumFractionDigits: value < 10 && power > 0 ? 1 : 0 }).format(value)} ${units[power]}`
}

/** `2026-11-23T14:05` in the zone, by default that of the browser, for an input of the type `datetime-local`; empty for null. */
export const inputTime = (time: number | null | undefined, zone = timeZone()): string =>
  time === null || time === undefined ? '' : wallTime(time, zone)

/** `21 Nov 2026` for `2026-11-21`, a day without a time zone. Other texts stay as they are. */
export const day = (text: string | null): string =>
  text === null || !/^\d{4}-\d\d-\d\d$/.test(text) ? (text ?? '') : date(Date.parse(`${text}T12:00`))

/** The IANA name of the browser's time zone, for `tz` of queries. */
export const timeZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone

/** A date and time that are written without a zone, or a day; `time` is the same date and time in UTC. */
export const momentText = (time: number, isDay: boolean): string =>
  dateFormat({
    dateStyle: 'medium',
    ...(!isDay && { timeStyle: 'short' }),
    timeZone: 'UTC',
  }).format(time)
