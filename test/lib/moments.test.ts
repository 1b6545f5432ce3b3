import { describe, expect, test } from 'bun:test'

import { dayText, momentText, periodText, zonedMoment, zonedPeriod, zoneText } from '#lib/moments.ts'

const at = Date.parse

describe('moments in a time zone', () => {
  const afternoon = at('2026-11-28T06:00:00Z')

  test('are named with the zone in both languages', () => {
    expect(zonedMoment(afternoon, 'Asia/Shanghai', 'en')).toBe(
      'Saturday, November 28, 2026 at 2:00 PM (China Standard Time, UTC+8)',
    )
    expect(zonedMoment(afternoon, 'Asia/Shanghai', 'zh')).toBe('2026年11月28日星期六 14:00（中国标准时间，UTC+8）')
  })

  test('fall on the day of the zone', () => {
    expect(momentText(at('2026-11-28T20:00:00Z'), 'Pacific/Apia', 'en')).toStartWith('Sunday, November 29')
    expect(momentText(at('2026-11-28T02:00:00Z'), 'America/New_York', 'en')).toStartWith('Friday, November 27')
    // Five hours and three quarters ahead: 00:00 on the next day.
    expect(momentText(at('2026-11-28T18:15:00Z'), 'Asia/Kathmandu', 'zh')).toBe('2026年11月29日星期日 00:00')
    expect(zoneText(afternoon, 'Asia/Kathmandu', 'en')).toBe('Nepal Time, UTC+5:45')
    expect(zoneText(afternoon, 'Pacific/Apia', 'en')).toEndWith(', UTC+13')
  })

  test('have the offset alone where the zone has no name', () => {
    expect(zoneText(afternoon, '+08:00', 'en')).toBe('UTC+8')
    expect(zoneText(afternoon, 'Etc/GMT-8', 'zh')).toBe('UTC+8')
  })

  test('name a day once, and both days across midnight', () => {
    const end = at('2026-11-28T18:00:00Z')
    expect(periodText(afternoon, at('2026-11-28T09:00:00Z'), 'Asia/Shanghai', 'zh')).toBe(
      '2026年11月28日星期六 14:00–17:00',
    )
    expect(periodText(afternoon, end, 'Asia/Shanghai', 'en')).toMatch(
      /^Saturday, November 28, .* – Sunday, November 29, /,
    )
  })

  test('name both zones of a night in which clocks are changed', () => {
    // 01:00 EDT to 03:00 EST are three hours.
    const text = zonedPeriod(at('2026-11-01T05:00:00Z'), at('2026-11-01T08:00:00Z'), 'America/New_York', 'en')
    expect(text).toContain('1:00')
    expect(text).toContain('3:00')
    expect(text).toEndWith('(Eastern Daylight Time, UTC-4 / Eastern Standard Time, UTC-5)')
    expect(zonedPeriod(at('2026-11-28T05:00:00Z'), at('2026-11-28T08:00:00Z'), 'America/New_York', 'en')).toEndWith(
      '(Eastern Standard Time, UTC-5)',
    )
  })

  test('days have a year only if it is another one', () => {
    const now = at('2026-12-31T17:00:00Z')
    expect(dayText(afternoon, 'Asia/Shanghai', 'en', afternoon)).toBe('November 28')
    expect(dayText(afternoon, 'Asia/Shanghai', 'zh', afternoon)).toBe('11月28日')
    // In Shanghai the next year has begun.
    expect(dayText(afternoon, 'Asia/Shanghai', 'en', now)).toBe('November 28, 2026')
    expect(dayText(afternoon, 'America/New_York', 'en', now)).toBe('November 28')
  })
})
