/** Names moments and periods in a time zone, for pages and mails in both languages. Pure; `zone` as returned by `timeZone` of `days.ts`. */

import type { Locale } from './localized.ts'

const TAGS = { en: 'en', zh: 'zh-CN' } as const satisfies Record<Locale, string>

const format = (zone: string, locale: Locale): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat(TAGS[locale], { dateStyle: 'full', timeStyle: 'short', timeZone: zone })

/** A day and time: `Saturday, November 28, 2026 at 2:00 PM`. */
export const momentText = (at: number, zone: string, locale: Locale): string => format(zone, locale).format(at)

/** A period. Names the day once if both ends are on the same day in the zone. */
export const periodText = (from: number, to: number, zone: string, locale: Locale): string =>
  format(zone, locale).formatRange(from, to)

/** A day without a time: `November 28`, with the year if `at` and `now` are in different years of the zone. */
export function dayText(at: number, zone: string, locale: Locale, now: number): string {
  const year = (time: number) => Temporal.Instant.fromEpochMilliseconds(time).toZonedDateTimeISO(zone).year
  return new Intl.DateTimeFormat(TAGS[locale], {
    ...(year(at) !== year(now) && { year: 'numeric' }),
    month: 'long',
    day: 'numeric',
    timeZone: zone,
  }).format(at)
}

/** The day as a sheet of a calendar shows it: `Nov`, `28`, `Sat`. */
export function monthDay(at: number, zone: string, locale: Locale) {
  const part = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(TAGS[locale], { ...options, timeZone: zone }).format(at)
  const { day } = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone)
  return { month: part({ month: 'short' }), day, weekday: part({ weekday: 'short' }) }
}

/** The time zone as people know it, at a moment: `China Standard Time, UTC+8`. Zones without a name have their offset only. */
export function zoneText(at: number, zone: string, locale: Locale): string {
  const name = (timeZoneName: 'long' | 'shortOffset') =>
    new Intl.DateTimeFormat(TAGS[locale], { timeZone: zone, timeZoneName })
      .formatToParts(at)
      .find((part) => part.type === 'timeZoneName')?.value ?? zone
  const offset = name('shortOffset').replace('GMT', 'UTC')
  const long = name('long')
  return long.startsWith('GMT') ? offset : `${long}${COMMA[locale]}${offset}`
}

const COMMA = { en: ', ', zh: '，' } as const satisfies Record<Locale, string>

/** The time zone of a period: two names if clocks are changed in it, `Eastern Daylight Time, UTC-4 / Eastern Standard Time, UTC-5`. */
export const zoneOfPeriod = (from: number, to: number, zone: string, locale: Locale): string =>
  [...new Set([zoneText(from, zone, locale), zoneText(to, zone, locale)])].join(' / ')

/** A day and time with its zone: `Saturday, November 28, 2026 at 2:00 PM (China Standard Time, UTC+8)`. */
export const zonedMoment = (at: number, zone: string, locale: Locale): string =>
  momentText(at, zone, locale) + bracketed(zoneText(at, zone, locale), locale)

/** A period with its zone: `Saturday, November 28, 2026, 2:00 – 5:00 PM (China Standard Time, UTC+8)`. */
export const zonedPeriod = (from: number, to: number, zone: string, locale: Locale): string =>
  periodText(from, to, zone, locale) + bracketed(zoneOfPeriod(from, to, zone, locale), locale)

const bracketed = (text: string, locale: Locale): string => (locale === 'zh' ? `（${text}）` : ` (${text})`)
