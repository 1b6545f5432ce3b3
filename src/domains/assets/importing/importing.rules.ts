/** The mapping of an import. Pure. */

import type { Localized } from '#lib/localized.ts'
import { wordKey } from '#lib/spreadsheets/cells.ts'

import type { SheetColumn } from '../sheets.rules.ts'

/** Columns of files that decide a column of assets without being one. */
export type OptionKey = 'warrantyMonths' | 'quantity'
interface OptionColumn {
  readonly key: OptionKey
  readonly field?: undefined
}
export type ImportColumn = SheetColumn | OptionColumn
export const OPTION_COLUMNS: readonly OptionColumn[] = [{ key: 'warrantyMonths' }, { key: 'quantity' }]

/** A column of the file. */
export interface FileColumn {
  readonly header: string
  /** The column of assets that it fills; undefined for a column that is ignored. */
  readonly column: ImportColumn | undefined
  /** Of its times, if the header names one. */
  readonly zone?: string
  /** A column of assets with nearly the same name. */
  readonly suggestion?: string
}

export type Mapping = ReadonlyMap<string, string | null>

/** The text of a `mapping` field; a problem if it is not an object of texts and nulls, or names an unknown column. */
export function parseMapping(text: string, known: ReadonlyMap<string, ImportColumn>): Mapping | Localized {
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

/** The headings of a file as those of saved mappings are compared: without their order, case, spaces, punctuation and width. */
export const headingsText = (headings: readonly string[]): string =>
  headings
    .map(wordKey)
    .filter((key) => key !== '')
    .toSorted()
    .join('\n')
