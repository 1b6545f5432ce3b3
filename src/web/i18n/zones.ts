/** Names of time zones in the language of the user. */

import { currentLocale } from './locale.ts'

const nameIn = (time: number, zone: string, timeZoneName: 'long' | 'shortOffset'): string =>
  new Intl.DateTimeFormat(currentLocale() === 'zh' ? 'zh-CN' : 'en', { timeZone: zone, timeZoneName })
    .formatToParts(time)
    .find(({ type }) => type === 'timeZoneName')?.value ?? zone

/** `UTC+8` */
export const zoneOffset = (time: number, zone: string): string =>
  nameIn(time, zone, 'shortOffset').replace('GMT', 'UTC')

/** `China Standard Time, UTC+8` */
export function zoneName(time: number, zone: string): string {
  const name = nameIn(time, zone, 'long')
  const offset = zoneOffset(time, zone)
  return name.startsWith('GMT') ? offset : `${name}${currentLocale() === 'zh' ? '，' : ', '}${offset}`
}
