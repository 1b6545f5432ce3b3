/** Texts of landing pages: times in a time zone, and links to maps. Pure. */

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
  return long.startsWith('GMT') ? offset : `${long}, ${offset}`
}

interface Place {
  readonly name: string
  readonly address: string
  readonly latitude: number | null
  readonly longitude: number | null
}

/** A map on the web: of a service that works in China for Chinese, otherwise OpenStreetMap. Undefined without a place. */
export function mapLink({ name, address, latitude, longitude }: Place, locale: Locale): string | undefined {
  const text = encodeURIComponent(address)
  if (latitude !== null && longitude !== null)
    return locale === 'zh'
      ? `https://uri.amap.com/marker?position=${longitude},${latitude}&name=${encodeURIComponent(name)}&coordinate=wgs84`
      : `https://www.openstreetmap.org/?mlat=${latitude}&mlon=${longitude}#map=17/${latitude}/${longitude}`
  if (address === '') return undefined
  return locale === 'zh'
    ? `https://uri.amap.com/search?keyword=${text}`
    : `https://www.openstreetmap.org/search?query=${text}`
}

/** The parts of an address in the order in which the language writes them. */
export const addressText = (
  { province, city, district, location }: Readonly<Record<'province' | 'city' | 'district' | 'location', string>>,
  locale: Locale,
): string => {
  const parts = [province, city, district, location].filter((part) => part !== '')
  return locale === 'zh' ? parts.join(' ') : parts.toReversed().join(', ')
}

/** The paragraphs of a plain text, which blank lines separate. */
export const paragraphsOf = (text: string): string[] =>
  text
    .split(/\n[^\S\n]*\n\s*/)
    .map((paragraph) => paragraph.trim())
    .filter((paragraph) => paragraph !== '')
