/** Finds dates, and codes with leading zeros, by the number formats of cells (ECMA-376 part 1, §18.8.30). */

/** `date`: shown as a date or a time of day. A number: shown with at least so many digits, such as 5 for `00042`. */
export type NumberFormat = 'date' | number | undefined

/** Formats without a code in the file. Those from 27 on belong to East Asian languages, those from 71 on to Thai. */
const isBuiltInDate = (id: number): boolean =>
  (id >= 14 && id <= 22) ||
  (id >= 27 && id <= 36) ||
  (id >= 45 && id <= 47 && id !== 46) ||
  (id >= 50 && id <= 58) ||
  (id >= 71 && id <= 81)

/** Texts in quotes, escaped characters, fillers (`*x`), gaps (`_x`), and colours, languages and conditions in brackets. */
const NOT_A_PLACEHOLDER = /"[^"]*"|\\.|[*_].|\[(?!h+\]|m+\]|s+\])[^\]]*\]/gi
const ELAPSED = /\[(?:h+|m+|s+)\]/i

export function numberFormat(id: number, code: string | undefined): NumberFormat {
  if (code === undefined) return isBuiltInDate(id) ? 'date' : undefined
  if (/^0{2,30}$/.test(code)) return code.length
  const placeholders = code.replace(NOT_A_PLACEHOLDER, '').split(';')[0]!
  // Elapsed times such as 36:00 are durations.
  if (ELAPSED.test(placeholders) || /general/i.test(placeholders)) return undefined
  return /[ymdhs]/i.test(placeholders) ? 'date' : undefined
}

const DAY = 86_400_000
/** 31 December 9999. */
const LAST_SERIAL = 2_958_465
/** From the epoch of the date system 1904 to that of 1900. */
const DAYS_TO_1904 = 1462

/**
 * The day or time that a number with a date format means (ECMA-376 part 1, §18.17.4): `2026-03-08`, `2026-03-08 17:30:00`, or
 * `17:30:00` for a number below 1. Undefined for other numbers.
 */
export function dateOf(value: number, is1904: boolean): string | undefined {
  const milliseconds = Math.round((value * DAY) / 1000) * 1000
  const time = milliseconds % DAY
  const clock = new Date(time).toISOString().slice(11, 19)
  if (value >= 0 && milliseconds < DAY && !is1904) return clock
  const serial = (milliseconds - time) / DAY + (is1904 ? DAYS_TO_1904 : 0)
  if (value < 0 || serial > LAST_SERIAL) return undefined
  const day = dayOf(serial)
  return time === 0 ? day : `${day} ${clock}`
}

/** Excel believes that 1900 was a leap year: its day 60 never was. */
function dayOf(serial: number): string {
  if (serial === 60) return '1900-02-29'
  const sinceEpoch = serial - (serial < 60 ? 25_568 : 25_569)
  return new Date(sinceEpoch * DAY).toISOString().slice(0, 10)
}
