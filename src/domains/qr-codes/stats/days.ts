/** What statistics by day take and give, the same for codes and scans. */

import type { TProperties } from '@sinclair/typebox'

import { Line, Type } from '#http/schema.ts'
import { invalid } from '#http/validate.ts'
import { type DayRange, lastDays, timeZone } from '#lib/days.ts'

export const MAX_DAYS = 366

export const DaysQuery = <T extends TProperties>(more: T) =>
  Type.Object({
    ...more,
    days: Type.Integer({
      minimum: 1,
      maximum: MAX_DAYS,
      default: 30,
      description: 'The last so many days, today included',
    }),
    tz: Line(64, 1, {
      default: 'UTC',
      description: 'Where days begin and end: an IANA name or ±HH:MM (a plus sign must be sent as %2B)',
      examples: ['Asia/Shanghai'],
    }),
  })

export const ByDay = Type.Array(Type.Object({ date: Type.String({ examples: ['2026-03-08'] }), count: Type.Integer() }))

/** The range that a query asks for. Throws a 400 for a zone nobody knows. */
export function daysOf(query: { days: number; tz: string }, now: number): DayRange {
  // A plus sign that was not encoded arrives as a space, which was trimmed.
  const zone = timeZone(query.tz.replace(/^(?=\d)/, '+'))
  if (zone === undefined) throw invalid('query.tz', 'is not a time zone', '时区无效')
  return lastDays(now, query.days, zone)
}
