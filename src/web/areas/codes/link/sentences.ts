/** Rules of short links, read out as sentences. */

import type { QrCodeLink } from '../../../api/types.ts'
import { anyOf, dateTime, number } from '../../../i18n/format.ts'
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
    inZone: (time: string, zone: string) => `${time} (${zone})`,
    devices: (devices: string) => `with ${devices}`,
    languages: (languages: string) => `in ${languages}`,
    countries: (countries: string) => `in ${countries}`,
    /** `first`: how many scans lead there, if not all. */
    leads: (first: string | null, conditions: readonly string[], target: string) =>
      [first === null ? 'Scans' : `The first ${first} scans`, conditions.join(', '), `lead to ${target}.`]
        .filter((part) => part !== '')
        .join(' '),
  },
  zh: {
    from: (time: string) => `自 ${time} 起`,
    to: (time: string) => `${time} 之前`,
    between: (from: string, to: string) => `${from} 至 ${to}`,
    days: (days: string) => days,
    hours: (from: string, to: string) => `${from} 至 ${to}`,
    inZone: (time: string, zone: string) => `${time}（${zone}）`,
    devices: (devices: string) => `使用 ${devices}`,
    languages: (languages: string) => `语言为 ${languages}`,
    countries: (countries: string) => `位于 ${countries}`,
    leads: (first: string | null, conditions: readonly string[], target: string) =>
      `${[...conditions, ...(first === null ? [] : [`前 ${first} 次扫码`])].join('，')}：前往 ${target}。`,
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

/** `The first 100 scans on Saturday or Sunday (Asia/Shanghai), with iPhone or iPad, in Chinese lead to example.org.` */
export function sentenceOf(rule: Rule): string {
  const t = words[currentLocale()]
  const devices = deviceWords[currentLocale()]
  const { from, to, weekdays, hours, timeZone, languages, countries, firstScans } = rule
  const times = [
    ...(weekdays === null ? [] : [t.days(anyOf(weekdays.toSorted((a, b) => a - b).map(weekdayName)))]),
    ...(hours === null ? [] : [t.hours(hours.from, hours.to)]),
  ]
  const last = times.pop()
  const conditions = [
    from !== null && to !== null
      ? t.between(dateTime(from), dateTime(to))
      : from !== null
        ? t.from(dateTime(from))
        : to !== null && t.to(dateTime(to)),
    ...times,
    last !== undefined && (timeZone === null ? last : t.inZone(last, timeZone)),
    rule.devices !== null && t.devices(anyOf(rule.devices.map((one) => devices[one]))),
    languages !== null && t.languages(anyOf(languages.map((one) => nameOf(one, 'language')))),
    countries !== null && t.countries(anyOf(countries.map((one) => nameOf(one, 'region')))),
  ].filter((part) => part !== false)
  return t.leads(firstScans === null ? null : number(firstScans), conditions, rule.target)
}
