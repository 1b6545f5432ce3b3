/** The mapping of an import. Pure. */

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

/** The headings of a file as those of saved mappings are compared: without their order, case, spaces, punctuation and width. */
export const headingsText = (headings: readonly string[]): string =>
  headings
    .map(wordKey)
    .filter((key) => key !== '')
    .toSorted()
    .join('\n')
