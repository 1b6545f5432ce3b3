/** The values that texts of foreign lists mean: amounts, days, statuses, and maps of words. Pure. */

import type { AssetStatus } from '#db/schema/assets.ts'
import type { Localized } from '#lib/localized.ts'
import { type DateOrder, dayIn, textOf, wordKey } from '#lib/spreadsheets/cells.ts'
import type { SheetCell } from '#lib/spreadsheets/sheet.ts'

import { statusOf } from '../sheets.rules.ts'
import { statusParts } from './foreign.rules.ts'

export type Decimal = 'POINT' | 'COMMA'

/** Longer texts are no numbers. */
const MAX_NUMBER = 60
/** With a currency before or behind it, such as `¥`, `CA$` and `CHF`. */
const NUMBER = /^(?:[A-Z]{0,2}\p{Sc}|[A-Z]{3}\s)?\s*([-+]?\d[\d.,'’\s]*|[-+]?\d)(?:\p{Sc}|元|[A-Z]{3})?$/u

/** The digits and separators of a number, without currency, spaces and apostrophes; undefined for other texts. */
function numberBody(text: string): string | undefined {
  if (text.length > MAX_NUMBER) return undefined
  return NUMBER.exec(text.normalize('NFKC').trim())?.[1]?.replace(/['’\s]/g, '')
}

const GROUPED = {
  POINT: /^[-+]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?$/,
  COMMA: /^[-+]?(?:\d{1,3}(?:\.\d{3})+|\d+)(?:,\d+)?$/,
} as const

/** The number that a text means, as `1849.78`; undefined for other texts. */
export function numberIn(text: string, decimal: Decimal): string | undefined {
  const body = numberBody(text)
  if (body === undefined || !GROUPED[decimal].test(body)) return undefined
  return decimal === 'POINT' ? body.replaceAll(',', '') : body.replaceAll('.', '').replace(',', '.')
}

/** The decimal separator that a text proves: its last one if there are two kinds, or if exactly two digits follow it. */
export function decimalIn(text: string): Decimal | undefined {
  const body = numberBody(text)
  if (body === undefined) return undefined
  const last = Math.max(body.lastIndexOf(','), body.lastIndexOf('.'))
  if (last < 0) return undefined
  const isProof = (body.includes(',') && body.includes('.')) || body.length - last === 3
  return isProof ? (body[last] === ',' ? 'COMMA' : 'POINT') : undefined
}

/** An amount for a price: numbers of formulas lose the noise beyond 15 digits, texts their currency and separators. */
export function amountIn(cell: SheetCell, decimal: Decimal, rounds: boolean): string | number {
  const given = typeof cell === 'number' ? String(Number(cell.toPrecision(15))) : numberIn(textOf(cell), decimal)
  if (given === undefined) return textOf(cell)
  return rounds ? rounded(given) : typeof cell === 'number' ? Number(given) : given
}

/** To two decimals, half up, without arithmetic of fractions. */
function rounded(text: string): string {
  const [, whole, decimals = ''] = /^\+?(\d{1,20})(?:\.(\d+))?$/.exec(text) ?? []
  if (whole === undefined || decimals.length <= 2) return text
  const cents = BigInt(whole + decimals.slice(0, 2)) + (decimals[2]! >= '5' ? 1n : 0n)
  const digits = String(cents).padStart(3, '0')
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`
}

const AMBIGUOUS = /^(\d{1,2})\s*[-/.]\s*(\d{1,2})\s*[-/.]\s*(?:\d{4}|\d{2})(?!\d)/

/** The orders that the dates of a column prove, and whether some are ambiguous. */
export class DateOrders {
  #day = false
  #month = false
  #ambiguous = false

  take(cell: SheetCell): void {
    const [, first, second] = typeof cell === 'string' ? (AMBIGUOUS.exec(cell.trim()) ?? []) : []
    if (first === undefined) return
    if (Number(first) > 12) this.#day = true
    else if (Number(second) > 12) this.#month = true
    else this.#ambiguous = true
  }

  get proved(): 'DMY' | 'MDY' | undefined {
    return this.#day === this.#month ? undefined : this.#day ? 'DMY' : 'MDY'
  }

  /** Whether days can be read only when their order is chosen. */
  get areAmbiguous(): boolean {
    return this.#ambiguous && this.proved === undefined
  }
}

/** The day in a cell; `UNKNOWN` is the order of a column whose dates do not prove one. */
export function dayOf(cell: SheetCell, order: DateOrder | 'UNKNOWN'): string | undefined {
  if (order !== 'UNKNOWN') return dayIn(cell, order)
  const [, first, second] = typeof cell === 'string' ? (AMBIGUOUS.exec(cell.trim()) ?? []) : []
  if (first !== undefined && Number(first) <= 12 && Number(second) <= 12) return undefined
  return dayIn(cell, first !== undefined && Number(first) > 12 ? 'DMY' : 'MDY')
}

/** Words of other registers. */
const STATUS_WORDS: Readonly<Record<AssetStatus, string>> = {
  IDLE: 'Ready to Deploy, Available, In stock, Spare, 库存, 备用, 空闲',
  IN_USE: 'Deployed, In service, Active, Assigned, In custody, Checked out, 使用中, 领用',
  REPAIR: 'Out for Repair, Out for Diagnostics, Pending Diagnostics, Broken, Maintenance, 待修, 送修, 损坏',
  LOST: 'Lost/Stolen, Missing, 遗失, 盘亏',
  SCRAPPED: 'Archived, Disposed, Retired, Sold, 已报废, 注销, 出售',
}
const statuses = new Map(
  Object.entries(STATUS_WORDS).flatMap(([status, words]) =>
    words.split(', ').map((word) => [wordKey(word), status as AssetStatus] as const),
  ),
)
/** Of kinds of statuses (`statusParts`) that decide without the name. */
const STATUS_KINDS: Readonly<Record<string, AssetStatus>> = { deployable: 'IDLE', archived: 'SCRAPPED' }
export function statusIn(text: string): AssetStatus | undefined {
  const known = statusOf(text) ?? statuses.get(wordKey(text))
  const parts = known === undefined ? statusParts(text) : undefined
  if (parts === undefined) return known
  return parts.kind === 'deployed' ? 'IN_USE' : (statusIn(parts.name) ?? STATUS_KINDS[parts.kind])
}

/** The words that `statusIn` knows, for suggestions. */
export const knownStatusWords = (): ReadonlyMap<string, AssetStatus> => statuses

// Pandas writes whole numbers of columns with empty cells as 36.0.
const MONTHS = /^(\d{1,4})(?:\.0)?\s*(?:months?|mos?\.?|个?月)?$/i
const MAX_MONTHS = 1200

/** The months of a warranty: `36`, `36.0`, `36 months`, `36个月`. */
export function monthsIn(cell: SheetCell): number | undefined {
  const text = textOf(cell)
  const months = text.length > MAX_NUMBER ? NaN : Number(MONTHS.exec(text)?.[1])
  return months >= 1 && months <= MAX_MONTHS ? months : undefined
}

/** Assets that one row can become. */
export const MAX_PIECES = 1000

/** The number of pieces in a cell, which is not empty and can have a unit; undefined for other texts, for none, and for too many. */
export function piecesIn(cell: SheetCell, decimal: Decimal): number | undefined {
  const [, count] = /^(\d{1,10}) \D{1,40}$/.exec(textOf(cell)) ?? []
  const pieces = Number(typeof cell === 'number' ? cell : (count ?? numberIn(textOf(cell), decimal)))
  return Number.isInteger(pieces) && pieces >= 1 && pieces <= MAX_PIECES ? pieces : undefined
}

/** The last day of a warranty; undefined if the day of the purchase does not exist. */
export function warrantyEnd(purchased: string, months: number): string | undefined {
  try {
    return Temporal.PlainDate.from(purchased).add({ months }).toString()
  } catch {
    return undefined
  }
}

/** A text as maps compare it: without case, spaces and width. */
export const mapKey = (text: string): string => text.normalize('NFKC').toLowerCase().replace(/\s/g, '')

export const MAX_MAP = 1000
/** The meanings of texts of the file. Null is an empty cell. */
export type WordMap<T> = ReadonlyMap<string, T | null>

const notAMap = (): Localized => ({
  en: 'must be a JSON object of texts and nulls',
  zh: '必须是由文本和 null 组成的 JSON 对象',
})

/** The text of a map; a problem if it is none, or has a value that `read` does not know. */
export function parseMap<T>(text: string, read: (value: unknown) => T | undefined): WordMap<T> | Localized {
  let given: unknown
  try {
    given = JSON.parse(text)
  } catch {
    return notAMap()
  }
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return notAMap()
  const entries = Object.entries(given)
  if (entries.length > MAX_MAP) return { en: `has more than ${MAX_MAP} entries`, zh: `超过 ${MAX_MAP} 项` }
  const map = new Map<string, T | null>()
  for (const [word, value] of entries) {
    const meant = value === null ? null : read(value)
    if (meant === undefined) {
      const shown = JSON.stringify(value)?.slice(0, 50)
      return { en: `has the unknown value ${shown}`, zh: `包含未知的值 ${shown}` }
    }
    map.set(mapKey(word), meant)
  }
  return map
}

export const readStatus = (value: unknown): AssetStatus | undefined =>
  typeof value === 'string' && Object.hasOwn(STATUS_WORDS, value) ? (value as AssetStatus) : undefined
/** Ids are texts or numbers. */
export const readId = (value: unknown): number | undefined =>
  /^[1-9]\d{0,14}$/.test(typeof value === 'string' || typeof value === 'number' ? String(value) : '')
    ? Number(value)
    : undefined
