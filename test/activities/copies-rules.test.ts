/** Times of copies and dates of series, by the clocks of a time zone. */

import { describe, expect, test } from 'bun:test'

import { ALL_PARTS, type Repetition } from '#domains/activities/copies/copies.model.ts'
import { copyOf, mover, seriesDates } from '#domains/activities/copies/copies.rules.ts'
import { NEW_ACTIVITY } from '#domains/activities/register/register.rules.ts'

const BERLIN = 'Europe/Berlin'
const at = (clocks: string, zone: string): number => Temporal.ZonedDateTime.from(`${clocks}[${zone}]`).epochMilliseconds
const clocks = (time: number, zone: string): string =>
  Temporal.Instant.fromEpochMilliseconds(time)
    .toZonedDateTimeISO(zone)
    .toPlainDateTime()
    .toString({ smallestUnit: 'minute' })

describe('a time that moves with the start', () => {
  // Each: the zone, the start, a time of the activity, the new start, and what clocks show at the moved time.
  test.each([
    [BERLIN, '2026-03-22T10:00', '2026-03-22T12:00', '2026-03-29T10:00', '2026-03-29T12:00'],
    // Check-in opens the evening before, on the other side of the change.
    [BERLIN, '2026-03-22T10:00', '2026-03-21T18:00', '2026-03-29T10:00', '2026-03-28T18:00'],
    [BERLIN, '2026-10-18T01:00', '2026-10-18T05:00', '2026-10-25T01:00', '2026-10-25T05:00'],
    // 02:30 does not exist on this day.
    [BERLIN, '2026-03-22T01:00', '2026-03-22T02:30', '2026-03-29T01:00', '2026-03-29T03:30'],
    ['America/New_York', '2026-03-07T09:00', '2026-03-07T17:00', '2026-03-08T09:00', '2026-03-08T17:00'],
    ['America/New_York', '2026-10-31T22:00', '2026-11-01T00:30', '2026-11-01T22:00', '2026-11-02T00:30'],
    ['Asia/Kathmandu', '2026-11-28T10:15', '2026-11-28T18:45', '2027-01-31T10:15', '2027-01-31T18:45'],
    ['Asia/Kathmandu', '1985-12-31T10:00', '1985-12-31T12:00', '1986-01-01T10:00', '1986-01-01T12:00'],
    ['Pacific/Apia', '2011-12-28T22:00', '2011-12-29T02:00', '2011-12-31T22:00', '2012-01-01T02:00'],
  ])('in %s from %s and %s to %s is %s', (zone, start, time, newStart, expected) => {
    const move = mover(at(start, zone), at(newStart, zone), zone)
    expect(clocks(move(at(time, zone))!, zone)).toBe(expected)
    expect(move(at(start, zone))).toBe(at(newStart, zone))
  })

  test('stays after the start in the hour that clocks show twice', () => {
    const second = at('2026-10-25T02:30+01:00', BERLIN)
    const start = at('2026-10-18T02:30', BERLIN)
    const move = mover(start, second, BERLIN)
    expect(move(start + 15 * 60_000)).toBe(second + 15 * 60_000)
    expect(move(start)).toBe(second)
    expect(move(start - 15 * 60_000)!).toBeLessThan(second)
  })

  test('is undefined outside the range of dates', () => {
    expect(mover(1000, 0, 'UTC')(0)).toBeUndefined()
    expect(mover(0, 8_600_000_000_000_000, 'UTC')(8_600_000_000_000_000)).toBeUndefined()
  })
})

describe('a copy', () => {
  const zone = 'Europe/Berlin'
  const [startTime, endTime] = [at('2026-03-22T10:00', zone), at('2026-03-22T12:00', zone)]
  const row = {
    ...NEW_ACTIVITY,
    name: 'Class',
    description: 'Bring a mat',
    timeZone: zone,
    startTime,
    endTime,
    coverFileId: 7,
    passTemplateId: 8,
    hasCheckIn: true,
    hasPass: true,
    capacity: 20,
    checkInConfig: { ...NEW_ACTIVITY.checkInConfig, shortCode: 'MAT1', opensAt: at('2026-03-22T09:30', zone) },
    passConfig: { validFrom: at('2026-03-21T00:00', zone), validTo: null, maxUses: 2 },
    registration: {
      waitlist: true,
      opensAt: at('2026-03-15T08:00', zone),
      closesAt: null,
      questions: [{ key: 'q1', label: 'Size', required: true }],
    },
  }
  const to = { startTime: at('2026-03-29T10:00', zone), name: 'Class 2' }

  test('moves every time by the clocks and keeps the rest', () => {
    const copy = copyOf(row, { ...to, parts: ALL_PARTS })!
    expect(copy).toEqual({
      ...row,
      ...to,
      endTime: at('2026-03-29T12:00', zone),
      coverFileId: null,
      passTemplateId: null,
      checkInConfig: { ...row.checkInConfig, opensAt: at('2026-03-29T09:30', zone) },
      passConfig: { ...row.passConfig, validFrom: at('2026-03-28T00:00', zone) },
      registration: { ...row.registration, opensAt: at('2026-03-22T08:00', zone) },
    })
  })

  test('leaves out the parts that are not wanted', () => {
    const copy = copyOf(row, { ...to, parts: new Set() })!
    const { description, hasCheckIn, checkInConfig, hasPass, passConfig } = NEW_ACTIVITY
    expect(copy).toMatchObject({ description, hasCheckIn, checkInConfig, hasPass, passConfig, capacity: 20 })
    expect(copy.registration).toMatchObject({ waitlist: true, questions: [] })
  })

  test('does not exist if one of its times would be out of range', () => {
    expect(copyOf(row, { ...to, startTime: 0, parts: ALL_PARTS })).toBeUndefined()
    expect(copyOf(row, { ...to, startTime: 8_640_000_000_000_000, parts: ALL_PARTS })).toBeUndefined()
  })
})

describe('a series', () => {
  const shown = (zone: string, start: string, series: Repetition) => {
    const { starts, skipped } = seriesDates(at(start, zone), zone, series)
    return { starts: starts.map((time) => clocks(time, zone)), skipped }
  }

  test('by month from the 31st skips months without one, which do not count', () => {
    expect(shown(BERLIN, '2026-01-31T10:00', { every: 'MONTH', count: 4 })).toEqual({
      starts: ['2026-03-31T10:00', '2026-05-31T10:00', '2026-07-31T10:00', '2026-08-31T10:00'],
      skipped: ['2026-02-31', '2026-04-31', '2026-06-31'],
    })
  })

  test('by month until a day names only the months before it', () => {
    expect(shown(BERLIN, '2026-01-31T10:00', { every: 'MONTH', until: at('2026-04-30T09:59', BERLIN) })).toEqual({
      starts: ['2026-03-31T10:00'],
      skipped: ['2026-02-31'],
    })
  })

  test.each([
    [BERLIN, '2026-03-15T10:00', ['2026-03-22T10:00', '2026-03-29T10:00', '2026-04-05T10:00']],
    [BERLIN, '2026-10-11T10:00', ['2026-10-18T10:00', '2026-10-25T10:00', '2026-11-01T10:00']],
    ['America/New_York', '2026-03-01T19:30', ['2026-03-08T19:30', '2026-03-15T19:30', '2026-03-22T19:30']],
    ['America/New_York', '2026-10-25T19:30', ['2026-11-01T19:30', '2026-11-08T19:30', '2026-11-15T19:30']],
    ['Asia/Kathmandu', '2026-11-28T06:45', ['2026-12-05T06:45', '2026-12-12T06:45', '2026-12-19T06:45']],
  ])('by week in %s from %s keeps the time of day', (zone, start, starts) => {
    expect(shown(zone, start, { every: 'WEEK', count: 3 })).toEqual({ starts, skipped: [] })
  })

  test('over a change of summer time has weeks of 167 and 169 hours', () => {
    const hours = (start: string) => {
      const [first, second] = seriesDates(at(start, BERLIN), BERLIN, { every: 'WEEK', count: 2 }).starts
      return (second! - first!) / 3_600_000
    }
    expect([hours('2026-03-15T10:00'), hours('2026-10-11T10:00')]).toEqual([167, 169])
  })

  test('skips the day that Samoa left out when it moved over the date line', () => {
    expect(shown('Pacific/Apia', '2011-12-28T10:00', { every: 'DAY', count: 3 })).toEqual({
      starts: ['2011-12-29T10:00', '2011-12-31T10:00', '2012-01-01T10:00'],
      skipped: ['2011-12-30'],
    })
  })

  test('begins later on a day without its time of day', () => {
    expect(shown(BERLIN, '2026-03-28T02:30', { every: 'DAY', count: 2 }).starts).toEqual([
      '2026-03-29T03:30',
      '2026-03-30T02:30',
    ])
  })

  test('on weekdays begins after the activity, in the same week, and leaves out weeks by its interval', () => {
    // 28 October 2026 is a Wednesday.
    const series = { every: 'WEEK', interval: 2, weekdays: [5, 1, 3], count: 5 } as const
    expect(shown(BERLIN, '2026-10-28T18:00', { ...series, weekdays: [...series.weekdays] }).starts).toEqual([
      '2026-10-30T18:00',
      '2026-11-09T18:00',
      '2026-11-11T18:00',
      '2026-11-13T18:00',
      '2026-11-23T18:00',
    ])
  })

  test('includes a start at the moment until, and stops one after the most that a series has', () => {
    const start = at('2026-01-01T10:00', BERLIN)
    const until = at('2026-01-04T10:00', BERLIN)
    expect(seriesDates(start, BERLIN, { every: 'DAY', until }).starts.length).toBe(3)
    expect(seriesDates(start, BERLIN, { every: 'DAY', until: until - 1 }).starts.length).toBe(2)
    expect(seriesDates(start, BERLIN, { every: 'DAY', until: at('2030-01-01T10:00', BERLIN) }).starts.length).toBe(53)
  })

  test('of 29 February by twelve months has leap years only', () => {
    const { starts, skipped } = shown('UTC', '2024-02-29T10:00', { every: 'MONTH', interval: 12, count: 2 })
    expect(starts).toEqual(['2028-02-29T10:00', '2032-02-29T10:00'])
    expect(skipped.length).toBe(6)
  })

  test('reaches no year that calendars do not show', () => {
    const { starts } = seriesDates(at('9999-11-30T10:00', 'UTC'), 'UTC', { every: 'MONTH', count: 5 })
    expect(starts.length).toBe(1)
  })
})
