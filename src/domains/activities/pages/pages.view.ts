/** Parts that several landing pages show. */

import type { Page } from '#http/pages.ts'
import { type Html, html } from '#lib/html.ts'
import type { Locale } from '#lib/localized.ts'
import { periodText, zoneOfPeriod } from '#lib/moments.ts'

import { picturePath } from '../links/links.view.ts'

const WORDS = {
  en: { zone: (zone: string) => `Times are in ${zone}.`, local: '{time} in your time ({place})' },
  zh: { zone: (zone: string) => `以上为${zone}。`, local: '你的当地时间：{time}（{place}）' },
} as const satisfies Record<Locale, object>

/** Sharp on phones with three device pixels per CSS pixel, and on posters. */
const PICTURE_PIXELS = 1024
export const pictureOf = (content: string): string => `${picturePath(content)}&size=${PICTURE_PIXELS}`

/** A period with the name of its zone. `localTimes` adds the visitor's time to it. */
export const whenHtml = (from: number, to: number, zone: string, locale: Locale): Html =>
  html`<div data-from="${from}" data-to="${to}" data-zone="${zone}">
    ${periodText(from, to, zone, locale)}
    <p class="hint">${WORDS[locale].zone(zoneOfPeriod(from, to, zone, locale))}</p>
  </div>`

/** The script of pages with `whenHtml`. */
export const localTimes = (locale: Locale): NonNullable<Page['script']> => ({
  src: '/local-time.js',
  data: { text: WORDS[locale].local, locale: locale === 'zh' ? 'zh-CN' : 'en' },
  asks: [],
})
