import { describe, expect, test } from 'bun:test'

import {
  addDays,
  addMonths,
  byDay,
  dayAt,
  dayName,
  dayNumber,
  dayNumberOf,
  lastDays,
  timeZone,
  wholeMonths,
} from '#lib/days.ts'

const HOUR = 3_600_000
const at = Date.parse

/** The day of a moment according to Intl. */
const formats = new Map<string, Intl.DateTimeFormat>()
function dayIn(zone: string, moment: number): string {
  let format = formats.get(zone)
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-CA', { timeZone: zone, year: 'numeric', month: '2-digit', day: '2-digit' })
    formats.set(zone, format)
  }
  return format.format(moment)
}

describe('timeZone', () => {
  const cases: [zone: string, moment: string, hours: number][] = [
    ['UTC', '2026-07-01T00:00:00Z', 0],
    ['Asia/Shanghai', '2026-07-01T00:00:00Z', 8],
    ['Asia/Kathmandu', '2026-07-01T00:00:00Z', 5.75],
    ['America/New_York', '2026-03-08T06:59:59Z', -5],
    ['America/New_York', '2026-03-08T07:00:00Z', -4],
    ['Australia/Lord_Howe', '2026-01-01T00:00:00Z', 11],
    ['Etc/GMT+8', '2026-01-01T00:00:00Z', -8],
    ['+05:45', '2026-01-01T00:00:00Z', 5.75],
    ['-0330', '2026-01-01T00:00:00Z', -3.5],
    ['UTC+08:00', '2026-01-01T00:00:00Z', 8],
  ]
  for (const [zone, moment, hours] of cases)
    test(`the offset of ${zone} at ${moment} is ${hours} hours`, () => {
      const { spans } = lastDays(at(moment), 1, timeZone(zone)!)
      expect(spans.find(({ from, to }) => from <= at(moment) && at(moment) < to)?.offset).toBe(hours * HOUR)
    })

  for (const zone of ['', 'Mars/Olympus', '+25:00', '+14:30', '+08:75', '8', '../etc/passwd', 'a'.repeat(100), 'UTC\n'])
    test(`${JSON.stringify(zone.slice(0, 20))} is not a zone`, () => expect(timeZone(zone)).toBeUndefined())
})

describe('lastDays', () => {
  const zones = [
    'UTC',
    'Asia/Shanghai',
    'America/New_York',
    'Europe/London',
    'Australia/Lord_Howe',
    'Pacific/Apia',
    'Asia/Kathmandu',
    // Until 2011 its clocks went back from 0:01 to 23:01 of the day before.
    'America/St_Johns',
  ]
  const moments = [
    '2026-03-08T12:00:00Z',
    '2026-11-01T05:30:00Z',
    '2026-01-01T00:00:00Z',
    '2011-12-31T15:00:00Z',
    '2010-11-07T12:00:00Z',
  ]

  for (const zone of zones)
    for (const moment of moments)
      test(`every half hour of the year before ${moment} in ${zone} falls on the day of the calendar`, () => {
        const range = lastDays(at(moment), 366, timeZone(zone)!)
        expect(dayName(range.lastDay)).toBe(dayIn(zone, at(moment)))
        expect(range.lastDay - range.firstDay).toBe(365)
        let hits = 0
        for (let t = at(moment) - 368 * 24 * HOUR; t <= at(moment) + 48 * HOUR; t += HOUR / 2) {
          const spans = range.spans.filter((span) => span.from <= t && t < span.to)
          const day = dayIn(zone, t)
          const isInRange = day >= dayName(range.firstDay) && day <= dayName(range.lastDay)
          const found = spans.map((span) => dayName(dayNumber(t, span.offset)))
          if (found.join() !== (isInRange ? day : ''))
            throw new Error(`${new Date(t).toISOString()} is ${day}, not ${found}`)
          if (isInRange) hits++
        }
        expect(hits).toBeGreaterThan(365 * 47)
      })

  test('lastDays in a zone without changes is one span of whole days', () => {
    const range = lastDays(at('2026-05-05T20:00:00Z'), 2, timeZone('+08:00')!)
    expect(range.spans).toEqual([
      { from: at('2026-05-04T16:00:00Z'), to: at('2026-05-06T16:00:00Z'), offset: 8 * HOUR },
    ])
    expect(dayName(range.lastDay)).toBe('2026-05-06')
  })
})

test('byDay lists every day of the range, including days without a count', () => {
  const range = lastDays(at('2026-03-02T12:00:00Z'), 3, timeZone('UTC')!)
  expect(byDay(range, new Map([[dayNumber(at('2026-03-01T00:00:00Z'), 0), 7]]))).toEqual([
    { date: '2026-02-28', count: 0 },
    { date: '2026-03-01', count: 7 },
    { date: '2026-03-02', count: 0 },
  ])
})

test('dayNumberOf is the inverse of dayName, for the years 1 to 9999', () => {
  const [first, last] = [dayNumberOf('0001-01-01')!, dayNumberOf('9999-12-31')!]
  expect([first, dayNumberOf('1970-01-01'), last]).toEqual([-719_162, 0, 2_932_896])
  for (let day = first; day <= last; day += 499) expect(dayNumberOf(dayName(day))).toBe(day)
})

test.each([
  '2023-02-29',
  '1900-02-29',
  '2024-04-31',
  '2024-13-01',
  '2024-00-01',
  '2024-01-00',
  '0000-12-31',
  '2024-1-1',
  ' 2024-01-01',
  '2024-01-01T00:00:00Z',
  '+02024-01-01',
  '',
])('dayNumberOf(%j) is undefined', (text) => {
  expect(dayNumberOf(text)).toBeUndefined()
})

test.each([
  ['2026-01-31', 1, undefined, '2026-02-28'],
  ['2024-01-31', 1, undefined, '2024-02-29'],
  ['2026-02-28', 1, 31, '2026-03-31'],
  ['2024-02-29', 12, undefined, '2025-02-28'],
  ['2025-02-28', 36, 29, '2028-02-29'],
  ['2026-11-30', 3, undefined, '2027-02-28'],
  ['9999-12-01', 1, undefined, '9999-12-31'],
])('addMonths(%j, %j, %j) is %j', (day, months, dayOfMonth, expected) => {
  expect(addMonths(day, months, dayOfMonth)).toBe(expected)
})

test('addDays crosses months, leap days and the last year', () => {
  expect(addDays('2024-02-28', 2)).toBe('2024-03-01')
  expect(addDays('2026-01-10', -14)).toBe('2025-12-27')
  expect(addDays('9999-12-30', 14)).toBe('9999-12-31')
})

test.each([
  ['2026-01-15', '2026-02-14', 0],
  ['2026-01-15', '2026-02-15', 1],
  ['2026-01-31', '2026-02-28', 0],
  ['2026-01-31', '2026-03-01', 1],
  ['2024-02-29', '2025-02-28', 11],
  ['2024-02-29', '2025-03-01', 12],
  ['2024-02-29', '2028-02-29', 48],
  ['2026-05-05', '2026-05-04', 0],
])('wholeMonths(%j, %j) is %j', (from, to, months) => {
  expect(wholeMonths(from, to)).toBe(months)
})

test('dayAt is the day on the clocks of the zone', () => {
  const moment = Date.parse('2026-03-08T23:30:00Z')
  expect([dayAt(moment, 'UTC'), dayAt(moment, 'Asia/Shanghai'), dayAt(moment, 'America/New_York')]).toEqual([
    '2026-03-08',
    '2026-03-09',
    '2026-03-08',
  ])
})
