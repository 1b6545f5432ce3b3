/** Reads the device and the language of a browser from its headers, in the few words that statistics and rules need. */

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

export const deviceOf = (userAgent: string): Device =>
  SYSTEMS.find(([, pattern]) => pattern.test(userAgent))?.[0] ?? 'OTHER'

/** Browsers that contain the names of others come first. */
const BROWSERS =
  /MicroMessenger|AlipayClient|DingTalk|QQBrowser|Weibo|FBAN|FBAV|Instagram|Line\/|TikTok|Edg|OPR|SamsungBrowser|HuaweiBrowser|MiuiBrowser|UCBrowser|YaBrowser|Vivaldi|DuckDuckGo|FxiOS|Firefox|CriOS|Chrome|Safari/

/** The family of the browser; empty for unknown ones. */
export function browserOf(userAgent: string): string {
  let family = ''
  let place = Infinity
  for (const [name] of userAgent.matchAll(ALL_BROWSERS)) {
    const at = ORDER.indexOf(name)
    if (at < place) [family, place] = [name, at]
  }
  return family
}

const ALL_BROWSERS = new RegExp(BROWSERS, 'g')
const ORDER = BROWSERS.source.replaceAll(String.raw`\/`, '/').split('|')

/** Languages of the header that are looked at. */
const MAX_LANGUAGES = 20
/** `zh-Hans;q=0.8`. */
const LANGUAGE = /^([a-z]{2,3}(?:-[a-z0-9]{1,8})*)(?:\s*;\s*q\s*=\s*([01](?:\.\d{0,3})?))?$/

/** The language of `Accept-Language` with the largest weight, the first of equals, in lower case; empty if there is none. */
export function firstLanguage(header: string | null): string {
  let best = ''
  let weight = 0
  for (const range of header?.split(',', MAX_LANGUAGES) ?? []) {
    const [, language = '', quality = '1'] = LANGUAGE.exec(range.trim().toLowerCase()) ?? []
    if (language !== '' && Number(quality) > weight) [best, weight] = [language, Number(quality)]
  }
  return best
}
