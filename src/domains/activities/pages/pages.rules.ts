/** Texts of landing pages: times in a time zone, and paragraphs. Pure. */

import type { Locale } from '#lib/localized.ts'

const TAGS = { en: 'en', zh: 'zh-CN' } as const satisfies Record<Locale, string>

/** A day and time of a page: `Saturday, November 28, 2026 at 2:00 PM`. */
export const momentText = (at: number, zone: string, locale: Locale): string =>
  new Intl.DateTimeFormat(TAGS[locale], { dateStyle: 'full', timeStyle: 'short', timeZone: zone }).format(at)

/** A period of a page. Names the day once if both ends are on the same day. */
export const periodText = (from: number, to: number, zone: string, locale: Locale): string =>
  new Intl.DateTimeFormat(TAGS[locale], { dateStyle: 'full', timeStyle: 'short', timeZone: zone }).formatRange(from, to)

/** The time zone as people know it, at a moment: `China Standard Time, UTC+8`. */
export function zoneText(at: number, zone: string, locale: Locale): string {
  const name = (timeZoneName: 'long' | 'shortOffset') =>
    new Intl.DateTimeFormat(TAGS[locale], { timeZone: zone, timeZoneName })
      .formatToParts(at)
      .find((part) => part.type === 'timeZoneName')?.value ?? zone
  const offset = name('shortOffset').replace('GMT', 'UTC')
  const long = name('long')
  return long.startsWith('GMT') ? offset : `${long}${locale === 'zh' ? '，' : ', '}${offset}`
}

/** The paragraphs of a plain text, which blank lines separate. */
export const paragraphsOf = (text: string): string[] =>
  text
    .split(/\n[^\S\n]*\n\s*/)
    .map((paragraph) => paragraph.trim())
    .filter((paragraph) => paragraph !== '')
