/** Times in a time zone, and its calendar days for statistics by day, exact across changes of its UTC offset. */

const DAY = 86_400_000
const NANOSECONDS_PER_MS = 1e6

/** A span of time with one UTC offset. A moment `t` in it falls on day number `floor((t + offset) / DAY)`. */
export interface OffsetSpan {
  /** Epoch milliseconds, inclusive. */
  from: number
  /** Epoch milliseconds, exclusive. */
  to: number
  /** Milliseconds to add to UTC. */
  offset: number
}

export interface DayRange {
  spans: OffsetSpan[]
  /** Day numbers (days since 1970-01-01 in the zone) of the first and the last day, inclusive. */
  firstDay: number
  lastDay: number
}

const NAME = /^[A-Za-z][\w+/-]{0,63}$/
const FIXED = /^(?:UTC|GMT)?([+-]\d{2}):?(\d{2})$/
const MAX_OFFSET_MINUTES = 14 * 60

/**
 * The time zone that `text` names, for the functions below and Temporal: an IANA name (`Asia/Shanghai`, `UTC`) or a fixed offset as in
 * ISO 8601 (`+08:00`, at most 14 hours). Undefined for other texts.
 */
export function timeZone(text: string): string | undefined {
  const fixed = FIXED.exec(text)
  const isAccepted = fixed ? Math.abs(Number(fixed[1])) * 60 + Number(fixed[2]) <= MAX_OFFSET_MINUTES : NAME.test(text)
  if (!isAccepted) return undefined
  const zone = fixed ? `${fixed[1]}:${fixed[2]}` : text
  try {
    inZone(0, zone)
    return zone
  } catch {
    return undefined
  }
}

/** Whether `text` is an IANA name that clocks can follow: no fixed offset. */
export const isZoneName = (text: string): boolean => /^[A-Za-z]/.test(text) && timeZone(text) === text

const inZone = (at: number, zone: string): Temporal.ZonedDateTime =>
  Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone)

/** The date and time that clocks in the zone show, in whole seconds. `zone` as returned by `timeZone`. */
export const localTime = (at: number, zone: string): Temporal.PlainDateTime =>
  inZone(at, zone).toPlainDateTime().round({ smallestUnit: 'second', roundingMode: 'trunc' })

const offsetOf = (time: Temporal.ZonedDateTime): number => time.offsetNanoseconds / NANOSECONDS_PER_MS

/** The last `days` calendar days, including the day of `now`. `zone` as returned by `timeZone`. */
export function lastDays(now: number, days: number, zone: string): DayRange {
  const lastDay = dayNumber(now, offsetOf(inZone(now, zone)))
  return rangeOf(lastDay - days + 1, lastDay, zone)
}

/** The calendar days that a period touches. `to` is exclusive and after `from`; `zone` as returned by `timeZone`. */
export const daysBetween = (from: number, to: number, zone: string): DayRange =>
  rangeOf(dayNumber(from, offsetOf(inZone(from, zone))), dayNumber(to - 1, offsetOf(inZone(to - 1, zone))), zone)

function rangeOf(firstDay: number, lastDay: number, zone: string): DayRange {
  // Offsets are between -12 and +14 hours, so a day more on each side covers every moment.
  const spans = spansBetween((firstDay - 1) * DAY, (lastDay + 2) * DAY, zone)
  return { spans: spans.flatMap((span) => clip(span, firstDay, lastDay)), firstDay, lastDay }
}

/** Splits a period where the UTC offset of the zone changes. `zone` as returned by `timeZone`. */
export function spansBetween(from: number, to: number, zone: string): OffsetSpan[] {
  const spans: OffsetSpan[] = []
  let start: Temporal.ZonedDateTime | null = inZone(from, zone)
  while (start !== null && start.epochMilliseconds < to) {
    const next: Temporal.ZonedDateTime | null = start.getTimeZoneTransition('next')
    const end = Math.min(to, next?.epochMilliseconds ?? to)
    spans.push({ from: start.epochMilliseconds, to: end, offset: offsetOf(start) })
    start = next
  }
  return spans
}

/** The part of a span whose moments fall on the requested days. */
function clip({ from, to, offset }: OffsetSpan, firstDay: number, lastDay: number): OffsetSpan[] {
  const start = Math.max(from, firstDay * DAY - offset)
  const end = Math.min(to, (lastDay + 1) * DAY - offset)
  return start < end ? [{ from: start, to: end, offset }] : []
}

export const dayNumber = (at: number, offset: number): number => Math.floor((at + offset) / DAY)

/** The date of a day number: `2026-03-08`. */
export const dayName = (day: number): string => new Date(day * DAY).toISOString().slice(0, 10)

/** One entry for each day of the range, including days without any. `counts` maps day numbers to counts. */
export function byDay(range: DayRange, counts: ReadonlyMap<number, number>): { date: string; count: number }[] {
  return Array.from({ length: range.lastDay - range.firstDay + 1 }, (_, i) => {
    const day = range.firstDay + i
    return { date: dayName(day), count: counts.get(day) ?? 0 }
  })
}

/**
 * The day number of a date such as `2026-03-08`, the inverse of `dayName`. Undefined for other texts, for days that do not exist, and
 * outside the years 1 to 9999.
 */
export function dayNumberOf(name: string): number | undefined {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(name) || name.startsWith('0000')) return undefined
  const day = Date.parse(`${name}T00:00:00Z`) / DAY
  // Some engines accept 2026-02-31 and count on.
  return Number.isInteger(day) && dayName(day) === name ? day : undefined
}

/** The day of a moment in a zone: `2026-03-08`. */
export const dayAt = (at: number, zone: string): string => localTime(at, zone).toPlainDate().toString()

/** Years of four digits, so that days compare as texts. */
const LAST_DAY = '9999-12-31'

/** `days` may be negative. Not after the year 9999. */
export function addDays(day: string, days: number): string {
  const sum = Temporal.PlainDate.from(day).add({ days })
  return sum.year > 9999 ? LAST_DAY : sum.toString()
}

/** The same day of a later month, or the last one of that month if it is shorter. `dayOfMonth`: if another one is meant. */
export function addMonths(day: string, months: number, dayOfMonth?: number): string {
  const { year, month, day: own } = Temporal.PlainDate.from(day)
  const { year: toYear, month: toMonth } = Temporal.PlainYearMonth.from({ year, month }).add({ months })
  if (toYear > 9999) return LAST_DAY
  return Temporal.PlainDate.from({ year: toYear, month: toMonth, day: dayOfMonth ?? own }).toString()
}

/** Whole months from one day to another: the same day of the month completes one. 0 if `to` is earlier. */
export function wholeMonths(from: string, to: string): number {
  const [a, b] = [Temporal.PlainDate.from(from), Temporal.PlainDate.from(to)]
  return Math.max(0, (b.year - a.year) * 12 + b.month - a.month - (b.day < a.day ? 1 : 0))
}
