/** Rules of short links, read out as sentences. */

import type { QrCodeLink } from '../../../api/types.ts'
import { dateTime, list, number } from '../../../i18n/format.ts'
import { currentLocale } from '../../../i18n/locale.ts'
import { texts } from '../../../i18n/words.ts'

export type Rule = QrCodeLink['rules'][number]
export type RuleDevice = NonNullable<Rule['devices']>[number]

export const deviceWords = texts({
  en: {
    IOS: 'iPhone or iPad',
    ANDROID: 'Android',
    WINDOWS: 'Windows',
    MACOS: 'Mac',
    LINUX: 'Linux',
    MOBILE: 'any phone',
    DESKTOP: 'any computer',
    OTHER: 'other devices',
  },
  zh: {
    IOS: 'iPhone 或 iPad',
    ANDROID: '安卓',
    WINDOWS: 'Windows',
    MACOS: 'Mac',
    LINUX: 'Linux',
    MOBILE: '任意手机',
    DESKTOP: '任意电脑',
    OTHER: '其他设备',
  },
})

const words = texts({
  en: {
    from: (time: string) => `from ${time} on`,
    to: (time: string) => `until ${time}`,
    between: (from: string, to: string) => `from ${from} until ${to}`,
    days: (days: string) => `on ${days}`,
    hours: (from: string, to: string) => `between ${from} and ${to}`,
    zone: (zone: string) => `(${zone})`,
    devices: (devices: string) => `with ${devices}`,
    languages: (languages: string) => `in ${languages}`,
    countries: (countries: string) => `in ${countries}`,
    first: (n: string) => `for the first ${n} scans`,
    leads: (conditions: string, target: string) => `Scans ${conditions} lead to ${target}.`,
    separator: ', ',
  },
  zh: {
    from: (time: string) => `自 ${time} 起`,
    to: (time: string) => `${time} 之前`,
    between: (from: string, to: string) => `${from} 至 ${to}`,
    days: (days: string) => days,
    hours: (from: string, to: string) => `${from} 至 ${to}`,
    zone: (zone: string) => `（${zone}）`,
    devices: (devices: string) => `使用 ${devices}`,
    languages: (languages: string) => `语言为 ${languages}`,
    countries: (countries: string) => `位于 ${countries}`,
    first: (n: string) => `前 ${n} 次扫码`,
    leads: (conditions: string, target: string) => `${conditions}：前往 ${target}。`,
    separator: '，',
  },
})

/** 1 is Monday, as in rules. 5 January 2026 was a Monday. */
export const weekdayName = (day: number): string =>
  new Intl.DateTimeFormat(currentLocale(), { weekday: 'long', timeZone: 'UTC' }).format(Date.UTC(2026, 0, 4 + day))

const nameOf = (code: string, type: 'language' | 'region'): string => {
  try {
    return new Intl.DisplayNames([currentLocale()], { type }).of(code) ?? code
  } catch {
    return code
  }
}

/** `Scans on Saturday, with iPhone or iPad, in Chinese lead to example.org.` */
export function sentenceOf(rule: Rule): string {
  const t = words[currentLocale()]
  const devices = deviceWords[currentLocale()]
  const { from, to, weekdays, hours, timeZone, languages, countries, firstScans } = rule
  const conditions = [
    firstScans !== null && t.first(number(firstScans)),
    from !== null && to !== null
      ? t.between(dateTime(from), dateTime(to))
      : from !== null
        ? t.from(dateTime(from))
        : to !== null && t.to(dateTime(to)),
    weekdays !== null && t.days(list(weekdays.toSorted((a, b) => a - b).map(weekdayName))),
    hours !== null && t.hours(hours.from, hours.to),
    (weekdays !== null || hours !== null) && timeZone !== null && t.zone(timeZone),
    rule.devices !== null && t.devices(list(rule.devices.map((one) => devices[one]))),
    languages !== null && t.languages(list(languages.map((one) => nameOf(one, 'language')))),
    countries !== null && t.countries(list(countries.map((one) => nameOf(one, 'region')))),
  ].filter((part) => part !== false)
  return t.leads(conditions.join(t.separator), rule.target)
}
