import { describe, expect, test } from 'bun:test'

import { dayName, lastDays, timeZone } from '#lib/days.ts'
import { QUARTER_HOUR, QuarterHours } from '#lib/quarter-hours.ts'

const at = Date.parse
const DAY = 86_400_000

describe('quarter-hours', () => {
  // Each period contains a change of the offset in the first four zones.
  const now = at('2026-04-20T03:20:00Z')
  const zones = ['America/New_York', 'Europe/London', 'Australia/Lord_Howe', 'America/St_Johns']
  const others = [
    'UTC',
    'Asia/Kathmandu',
    'Pacific/Kiritimati',
    'Pacific/Pago_Pago',
    'Asia/Shanghai',
    '+05:45',
    '-0330',
  ]
  test.each([...zones, ...others])('add up to the days that a calendar of %s shows', (name) => {
    const zone = timeZone(name)!
    const calendar = (moment: number) =>
      Temporal.Instant.fromEpochMilliseconds(moment).toZonedDateTimeISO(zone).toPlainDate().toString()
    const quarters = new QuarterHours()
    const expected = new Map<string, number>()
    // A prime step meets every part of the hour.
    for (let moment = now - 93 * DAY, n = 1; moment <= now; moment += 457_003, n = (n % 7) + 1) {
      quarters.add(Math.floor(moment / QUARTER_HOUR), n)
      expected.set(calendar(moment), (expected.get(calendar(moment)) ?? 0) + n)
    }
    for (const days of [7, 30, 90]) {
      const range = lastDays(now, days, zone)
      const sums = quarters.byDay(range)
      const dates = Array.from({ length: days }, (_, i) => dayName(range.firstDay + i))
      expect(dates.at(-1)).toBe(calendar(now))
      expect(sums).toEqual(dates.map((date) => expected.get(date)!))
      expect(quarters.since(range)).toBe(sums.reduce((sum, n) => sum + n, 0))
    }
  })

  test('of an offset that is not a multiple of 15 minutes count for the day in which they begin', () => {
    const quarters = new QuarterHours()
    const begin = at('2026-04-20T00:00:00Z')
    for (const [i, n] of [1, 10, 100].entries()) quarters.add(begin / QUARTER_HOUR - 1 + i, n)
    // The day begins at 23:53 UTC.
    expect(quarters.byDay(lastDays(now, 2, '+00:07'))).toEqual([1, 110])
  })
})
