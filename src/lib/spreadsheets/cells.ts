/** The meaning of headers and cells of a spreadsheet. */

import { timeZone } from '../days.ts'
import type { SheetCell } from './sheet.ts'

/** A header or word as it is compared: without case, spaces, punctuation and width. */
export const wordKey = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\p{P}\p{S}\p{Z}\p{C}]/gu, '')

/** The parts of a header that names a time zone; `zone` as `timeZone` returns it. */
export function zoneIn(header: string): { readonly name: string; readonly zone: string } | undefined {
  const end = /[(（]([^()（）]{1,70})[)）]\s*$/.exec(header)
  const zone = end === null ? undefined : timeZone(end[1]!)
  return end === null || zone === undefined ? undefined : { name: header.slice(0, end.index), zone }
}

/** The text of a cell as the spreadsheet shows it, without its number format. Numbers are never in scientific notation. */
export function textOf(cell: SheetCell): string {
  if (cell === null) return ''
  if (typeof cell === 'string') return cell.trim()
  if (typeof cell === 'number') return plainNumber(cell)
  if (typeof cell === 'boolean') return cell ? 'TRUE' : 'FALSE'
  return 'date' in cell ? cell.date : cell.error
}

const plainNumber = (value: number): string => {
  const text = String(value)
  return text.includes('e') ? value.toLocaleString('en-US', { useGrouping: false, maximumFractionDigits: 20 }) : text
}

export type DateOrder = 'YMD' | 'DMY' | 'MDY'

const YEAR_FIRST =
  /^(\d{4})\s*[-/.年]\s*(\d{1,2})\s*[-/.月]\s*(\d{1,2})\s*[日.]?(?:[T ]+(\d{1,2}:\d{2}(?::\d{2})?).*)?$/
const COMPACT = /^(\d{4})(\d{2})(\d{2})$/
const PARTS = /^(\d{1,4})\s*[-/.]\s*(\d{1,2})\s*[-/.]\s*(\d{1,4})(?:[T ]+(\d{1,2}:\d{2}(?::\d{2})?))?$/

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const CHINESE_MONTHS = ['一', '二', '三', '四', '五', '六', '七', '八', '九', '十', '十一', '十二']
/** Longer texts are no days. */
const MAX_NAMED = 40
const NAMED = [
  { pattern: /^(\d{1,2})(?:st|nd|rd|th)?[\s.,/-]+([a-z]{3,9})[\s.,/-]+(\d{4}|\d{2})$/, day: 1, month: 2, year: 3 },
  { pattern: /^([a-z]{3,9})[\s.,/-]+(\d{1,2})(?:st|nd|rd|th)?[\s.,/-]+(\d{4})$/, day: 2, month: 1, year: 3 },
  { pattern: /^(\d{4})[\s.,/-]+([a-z]{3,9})[\s.,/-]+(\d{1,2})$/, day: 3, month: 2, year: 1 },
] as const
const FULL_MONTHS =
  /^(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)$/

const WEEKDAY = /^(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6}[\s.,]+(?=[\da-z])/i

/** A day whose month is a word, with its number: `8 March 2026` as `2026-03-08`. Other texts stay. */
function withoutMonthName(given: string): string {
  const text = given.length > MAX_NAMED ? given : given.replace(WEEKDAY, '')
  if (text.length > MAX_NAMED || !/[a-z一-十]/i.test(text)) return text
  const chinese = text.replace(/([一二三四五六七八九十]{1,2})月/, (month, name: string) => {
    const at = CHINESE_MONTHS.indexOf(name)
    return at < 0 ? month : `${at + 1}月`
  })
  const [, day, month, full] = /^(\d{1,2})日?\s*(\d{1,2})月[\s,]*(\d{4})年?$/.exec(chinese) ?? []
  if (full !== undefined) return `${full}-${month}-${day}`
  for (const { pattern, ...at } of NAMED) {
    const found = pattern.exec(text.toLowerCase())
    if (found !== null && FULL_MONTHS.test(found[at.month]!)) {
      const number = MONTHS.indexOf(found[at.month]!.slice(0, 3)) + 1
      return dayText(found[at.year]!, String(number), found[at.day]!, undefined)
    }
  }
  return chinese
}

/**
 * The day, with the time if there is one, that a cell means: `2026-03-08` or `2026-03-08 17:30:00`. Undefined for other texts, and for
 * those whose order of day and month is unknown. The caller checks that the day exists.
 */
export function dayIn(cell: SheetCell, order: DateOrder): string | undefined {
  if (cell === null || typeof cell === 'boolean') return undefined
  if (typeof cell === 'object') return 'date' in cell && cell.date.length >= 10 ? cell.date : undefined
  const text = withoutMonthName(textOf(cell))
  const yearFirst = YEAR_FIRST.exec(text) ?? COMPACT.exec(text)
  if (yearFirst !== null) return dayText(yearFirst[1]!, yearFirst[2]!, yearFirst[3]!, yearFirst[4])
  const [, first, second, third, clock] = PARTS.exec(text) ?? []
  if (first === undefined) return undefined
  if (order === 'YMD' && first.length <= 2 && third!.length <= 2) return dayText(first, second!, third!, clock)
  if (third!.length === 3 || first.length > 2) return undefined
  const isDayFirst =
    Number(first) > 12 ? true : Number(second) > 12 ? false : order === 'YMD' ? undefined : order === 'DMY'
  if (isDayFirst === undefined) return undefined
  return isDayFirst ? dayText(third!, second!, first, clock) : dayText(third!, first, second!, clock)
}

/** Years of two digits up to 68 are those of this century, as in Excel and POSIX. */
function dayText(year: string, month: string, day: string, clock: string | undefined): string {
  const full = year.length > 2 ? year : String(Number(year) + (Number(year) <= 68 ? 2000 : 1900))
  const two = (part: string) => part.padStart(2, '0')
  const date = `${full}-${two(month)}-${two(day)}`
  if (clock === undefined) return date
  const [hour, minute, second = '00'] = clock.split(':')
  return `${date} ${two(hour!)}:${minute}:${second}`
}
