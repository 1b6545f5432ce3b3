/** Problems of a spreadsheet's rows, and its cells as answers show them. */

import type { Locale, Localized } from '../localized.ts'
import { textOf } from './cells.ts'
import type { SheetCell, SheetRow } from './sheet.ts'

/** An error or a warning. */
export interface RowProblem<Key extends string = string> {
  /** As the spreadsheet program shows it, from 1. */
  readonly row: number
  /** Of its column; null if it concerns the whole row. */
  readonly key: Key | null
  readonly text: Localized
}

/** Characters. */
const MAX_SHOWN = 200

export const shownCell = (cell: SheetCell | undefined): string => textOf(cell ?? null).slice(0, MAX_SHOWN)

/** Shows a problem with the header and the cell of its column. `columns`: of the file, in their order. */
export function shownProblem(
  { row, key, text }: RowProblem,
  columns: readonly { readonly header: string; readonly key?: string | null }[],
  rows: ReadonlyMap<number, SheetRow>,
  locale: Locale,
) {
  const at = key === null ? -1 : columns.findIndex((column) => column.key === key)
  const cell = at < 0 ? null : (rows.get(row)?.cells[at] ?? null)
  return {
    row,
    column: at < 0 ? null : columns[at]!.header,
    value: cell === null ? null : shownCell(cell),
    message: text[locale],
  }
}

/** The place of a problem in the rows of a request, for the details of a refusal. */
export const placedProblem = ({ row, key, text }: RowProblem) => ({
  path: `rows.${row}${key === null ? '' : `.${key}`}`,
  text,
})
