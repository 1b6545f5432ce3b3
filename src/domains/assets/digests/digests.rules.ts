/** When a user gets the digest. Pure. */

import { HOUR } from '#platform/clock.ts'

/** A digest that could not be sent when its time had come is sent so much later at most, or later on the same day. */
const LATE_MS = 12 * HOUR

/** When clocks in the zone show the full hour on that day. If they skip it, when they show the next one; if they show it twice, the first time. */
export const digestMoment = (day: Temporal.PlainDate, hour: number, zone: string): number =>
  day.toPlainDateTime({ hour }).toZonedDateTime(zone, { disambiguation: 'compatible' }).epochMilliseconds

/** The day of the digest whose time came after `from`, at `now` or before. Undefined if there is none, or if it is too late for it. */
export function dueDigest(
  { hour, zone }: { readonly hour: number; readonly zone: string },
  from: number,
  now: number,
): string | undefined {
  const today = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(zone).toPlainDate()
  for (const day of [today, today.subtract({ days: 1 })]) {
    const moment = digestMoment(day, hour, zone)
    if (moment > now) continue
    const isInTime = day === today || now - moment < LATE_MS
    return moment > from && isInTime ? day.toString() : undefined
  }
  return undefined
}
