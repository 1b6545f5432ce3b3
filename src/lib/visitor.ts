/** Reads the device and the language of a browser from its headers, in the few words that statistics and rules need. */

import { LRUCache } from 'lru-cache'

export const DEVICES = ['IOS', 'ANDROID', 'WINDOWS', 'MACOS', 'LINUX', 'OTHER'] as const
export type Device = (typeof DEVICES)[number]

/** The first that matches. An iPad that asks for the desktop version of pages calls itself a Mac. */
const SYSTEMS: readonly (readonly [Device, RegExp])[] = [
  ['OTHER', /Windows Phone|Xbox|PlayStation|Nintendo|SMART-TV|Tizen|Web0S/i],
  ['IOS', /\b(?:iPhone|iPad|iPod)\b/],
  ['ANDROID', /\b(?:Android|OpenHarmony|HarmonyOS)\b/],
  ['WINDOWS', /\bWindows\b/],
  ['MACOS', /\b(?:Macintosh|Mac OS X)\b/],
  ['LINUX', /\b(?:Linux|X11|CrOS)\b/],
]

export const deviceOf = remembered(
  (userAgent): Device => SYSTEMS.find(([, pattern]) => pattern.test(userAgent))?.[0] ?? 'OTHER',
)

/** Browsers that contain the names of others come first. */
const BROWSERS =
  /MicroMessenger|AlipayClient|DingTalk|QQBrowser|Weibo|FBAN|FBAV|Instagram|Line\/|TikTok|Edg|OPR|SamsungBrowser|HuaweiBrowser|MiuiBrowser|UCBrowser|YaBrowser|Vivaldi|DuckDuckGo|FxiOS|Firefox|CriOS|Chrome|Safari/

const ALL_BROWSERS = new RegExp(BROWSERS, 'g')
const ORDER = BROWSERS.source.replaceAll(String.raw`\/`, '/').split('|')

/** The family of the browser; empty for unknown ones. */
export const browserOf = remembered((userAgent): string => {
  let family = ''
  let place = Infinity
  for (const [name] of userAgent.matchAll(ALL_BROWSERS)) {
    const at = ORDER.indexOf(name)
    if (at < place) [family, place] = [name, at]
  }
  return family
})

/** Languages of the header that are looked at. */
const MAX_LANGUAGES = 20
/** `zh-Hans;q=0.8`. */
const LANGUAGE = /^([a-z]{2,3}(?:-[a-z0-9]{1,8})*)(?:\s*;\s*q\s*=\s*([01](?:\.\d{0,3})?))?$/

/** The language of `Accept-Language` with the largest weight, the first of equals, in lower case; empty if there is none. */
export const firstLanguage = (header: string | null): string => (header === null ? '' : languageOf(header))

const languageOf = remembered((header): string => {
  let best = ''
  let weight = 0
  for (const range of header.split(',', MAX_LANGUAGES)) {
    const [, language = '', quality = '1'] = LANGUAGE.exec(range.trim().toLowerCase()) ?? []
    if (language !== '' && Number(quality) > weight) [best, weight] = [language, Number(quality)]
  }
  return best
})

/** Most visitors send one of a few hundred texts. Longer ones are read again, so that they do not fill the memory. */
function remembered<T extends string>(read: (text: string) => T): (text: string) => T {
  const known = new LRUCache<string, T>({ max: 1000 })
  return (text) => {
    let value = known.get(text)
    if (value === undefined) {
      value = read(text)
      if (text.length <= 300) known.set(text, value)
    }
    return value
  }
}
