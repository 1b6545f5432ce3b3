/** Days on the clocks of a zone. Pure. */

import { momentOf, wallTime } from '../../../i18n/clocks.ts'

/** `2026-11-21` */
export const dayOf = (time: number, zone: string): string => wallTime(time, zone).slice(0, 10)

/** The moment at which a day begins. */
export const startOf = (day: string, zone: string): number => momentOf(`${day}T00:00`, zone)

/** The day that is `n` days later. */
export const dayAfter = (day: string, n = 1): string =>
  new Date(Date.parse(`${day}T00:00Z`) + n * 86_400_000).toISOString().slice(0, 10)

/** The Monday of its week. */
export const mondayOf = (day: string): string => dayAfter(day, -((new Date(`${day}T00:00Z`).getUTCDay() + 6) % 7))

/** The first days of its month and of the next one. */
export function monthOf(day: string): readonly [string, string] {
  const [year, month] = day.split('-').map(Number) as [number, number]
  const next = new Date(Date.UTC(year, month, 1)).toISOString().slice(0, 10)
  return [`${day.slice(0, 7)}-01`, next]
}
