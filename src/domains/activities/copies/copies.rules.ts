/** The fields of copies of activities, and the dates of series, by the clocks of the activity's time zone. Pure. */

import type { ActivityFields } from '../register/register.rules.ts'
import { NEW_ACTIVITY, zoneOf } from '../register/register.rules.ts'
import { type CopiedPart, MAX_SERIES, type Repetition } from './copies.model.ts'

const DAY = 86_400_000
/** The last moment of JavaScript's dates, less what time zones can add to it. */
const LAST = 8_640_000_000_000_000 - 2 * DAY

const clocksAt = (at: number, zone: string): Temporal.PlainDateTime =>
  Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone).toPlainDateTime()

/** A time that clocks skip is as much later. Of a time that they show twice, this is the first. */
const momentOf = (clocks: Temporal.PlainDateTime, zone: string): number =>
  clocks.toZonedDateTime(zone).epochMilliseconds

/**
 * Moves times with the start of an activity, so that clocks show the same distance: 10:00 stays 10:00 when summer time begins in between. Where
 * a change of the clocks would turn the order of the time and the start around, the distance stays the same in hours instead. Undefined for
 * results outside the range of dates.
 */
export function mover(from: number, to: number, zone: string): (at: number) => number | undefined {
  const [clocksFrom, clocksTo] = [clocksAt(from, zone), clocksAt(to, zone)]
  return (at) => {
    const sameHours = to + at - from
    if (sameHours < 0 || sameHours > LAST) return undefined
    const moved = momentOf(clocksTo.add(clocksFrom.until(clocksAt(at, zone), { largestUnit: 'day' })), zone)
    return Math.sign(moved - to) === Math.sign(at - from) ? moved : sameHours
  }
}

/** The fields of a copy that starts at `startTime`; undefined if another time would be out of range. The cover and the template are not copied here. */
export function copyOf(
  row: ActivityFields,
  { startTime, name, parts }: { startTime: number; name: string; parts: ReadonlySet<CopiedPart> },
): ActivityFields | undefined {
  let isInRange = startTime <= LAST
  const move = isInRange ? mover(row.startTime, startTime, zoneOf(row)) : () => undefined
  const moved = (at: number): number => {
    const result = move(at)
    if (result === undefined) isInRange = false
    return result ?? 0
  }
  const moveAll = <T extends object, K extends keyof T>(config: T, ...names: readonly K[]): T => ({
    ...config,
    ...Object.fromEntries(names.map((key) => [key, config[key] === null ? null : moved(config[key] as number)])),
  })
  const columns = Object.keys(NEW_ACTIVITY) as (keyof ActivityFields)[]
  const fields = Object.fromEntries(columns.map((key) => [key, row[key]])) as unknown as ActivityFields
  const { registration } = row
  const without = <K extends keyof ActivityFields>(part: CopiedPart, ...names: readonly K[]) =>
    parts.has(part) ? {} : Object.fromEntries(names.map((key) => [key, NEW_ACTIVITY[key]]))
  const copy: ActivityFields = {
    ...fields,
    name,
    startTime,
    endTime: moved(row.endTime),
    coverFileId: null,
    passTemplateId: null,
    registration: registration && {
      ...moveAll(registration, 'opensAt', 'closesAt'),
      questions: parts.has('QUESTIONS') ? registration.questions : [],
    },
    checkInConfig: moveAll(row.checkInConfig, 'opensAt', 'closesAt'),
    passConfig: moveAll(row.passConfig, 'validFrom', 'validTo'),
    ...without('CHECK_IN', 'hasCheckIn', 'checkInConfig'),
    ...without('PASS_CONFIG', 'hasPass', 'passConfig', 'autoIssue'),
    ...without('TEXT', 'description', 'descriptionFormat'),
  }
  return isInRange ? copy : undefined
}

/** A day of a series; `name` of one that no calendar has, with the day before it. */
interface Day {
  readonly date: Temporal.PlainDate
  readonly missing?: string
}

function* daysAfter(first: Temporal.PlainDate, { every, interval = 1, weekdays }: Repetition): Generator<Day> {
  if (every === 'DAY') for (let n = interval; ; n += interval) yield { date: first.add({ days: n }) }
  if (every === 'WEEK') {
    const monday = first.subtract({ days: first.dayOfWeek - 1 })
    const days = (weekdays ?? [first.dayOfWeek]).toSorted((a, b) => a - b)
    for (let n = 0; ; n += interval)
      for (const day of days) {
        const date = monday.add({ days: 7 * n + day - 1 })
        if (Temporal.PlainDate.compare(date, first) > 0) yield { date }
      }
  }
  for (let n = interval; ; n += interval) {
    const month = first.toPlainYearMonth().add({ months: n })
    const hasDay = first.day <= month.daysInMonth
    const date = month.toPlainDate({ day: hasDay ? first.day : month.daysInMonth })
    yield hasDay ? { date } : { date, missing: `${month.toString()}-${first.day}` }
  }
}

export interface SeriesDates {
  readonly starts: readonly number[]
  /** Days that do not exist, as `YYYY-MM-DD`. */
  readonly skipped: readonly string[]
}

/** No series reaches this year. */
const LAST_YEAR = 9999

/**
 * The starts of a series after an activity that starts at `start`, at the same time of day, by `every`. At most one more than a series can have.
 * Skipped are the 31st of a month without one, and days that a time zone left out when it moved over the date line.
 */
export function seriesDates(start: number, zone: string, series: Repetition): SeriesDates {
  const { count = MAX_SERIES + 1, until = Infinity } = series
  const clocks = clocksAt(start, zone)
  const starts: number[] = []
  const skipped: string[] = []
  for (const { date, missing } of daysAfter(clocks.toPlainDate(), series)) {
    if (starts.length >= count || date.year > LAST_YEAR) break
    const at = momentOf(date.toPlainDateTime(clocks.toPlainTime()), zone)
    if (at > until) break
    if (missing !== undefined) skipped.push(missing)
    else if (clocksAt(at, zone).toPlainDate().equals(date)) starts.push(at)
    else skipped.push(date.toString())
  }
  return { starts, skipped }
}
