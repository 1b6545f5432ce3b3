/** The mapping of an import, and the amounts in its cells. Pure. */

import type { Localized } from '#lib/localized.ts'
import { textOf, wordKey } from '#lib/spreadsheets/cells.ts'
import type { SheetCell } from '#lib/spreadsheets/sheet.ts'

import type { SheetColumn } from '../sheets.rules.ts'

/** A column of the file. */
export interface FileColumn {
  readonly header: string
  /** The column of assets that it fills; undefined for a column that is ignored. */
  readonly column: SheetColumn | undefined
  /** Of its times, if the header names one. */
  readonly zone?: string
  /** A column of assets with nearly the same name. */
  readonly suggestion?: string
}

export type Mapping = ReadonlyMap<string, string | null>

/** The text of a `mapping` field; a problem if it is not an object of texts and nulls, or names an unknown column. */
export function parseMapping(text: string, known: ReadonlyMap<string, SheetColumn>): Mapping | Localized {
  let given: unknown
  try {
    given = JSON.parse(text)
  } catch {
    return { en: 'must be a JSON object', zh: '必须是 JSON 对象' }
  }
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    return { en: 'must be a JSON object', zh: '必须是 JSON 对象' }
  const mapping = new Map<string, string | null>()
  for (const [header, key] of Object.entries(given)) {
    if (key !== null && (typeof key !== 'string' || !known.has(key)))
      return {
        en: `names the unknown column ${JSON.stringify(key)?.slice(0, 50)}`,
        zh: `包含未知的列 ${JSON.stringify(key)?.slice(0, 50)}`,
      }
    mapping.set(wordKey(header), key)
  }
  return mapping
}

const GROUPED = /^[¥￥$€£]?\s*(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)$/

/** An amount for a price: numbers of formulas lose the noise beyond 15 digits, texts their currency and separators. */
export const amountIn = (cell: SheetCell): string | number => {
  if (typeof cell === 'number') return Number(cell.toPrecision(15))
  const text = textOf(cell)
  const [, amount] = GROUPED.exec(text) ?? []
  return amount === undefined ? text : amount.replaceAll(',', '')
}
