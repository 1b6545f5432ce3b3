/** Rows of a sheet as the readers return them, and the reasons for which a file cannot be read. */

/** `date` is `2026-03-08`, `2026-03-08 17:30:00` or `17:30:00`; `error` is a text such as `#N/A`. An empty cell is null. */
export type SheetCell = string | number | boolean | { readonly date: string } | { readonly error: string } | null

export interface SheetRow {
  /** As the spreadsheet program shows it, from 1. */
  readonly number: number
  /** From column A to the last cell that is not empty; at least one. */
  readonly cells: readonly SheetCell[]
}

/**
 * - `unknown`: neither a workbook nor a text.
 * - `old-excel`: an .xls workbook, or one with a password, which look alike.
 * - `binary-workbook`: .xlsb; `other-workbook`: .ods and other documents in a ZIP archive.
 * - `unknown-encoding`: a text that is neither UTF-8, UTF-16 nor GB 18030.
 * - `damaged`: incomplete, contradictory, or with declarations that no spreadsheet program writes.
 * - `too-large`: it would take more memory or time than any real table of the permitted size.
 */
export type UnreadableReason =
  | 'unknown'
  | 'old-excel'
  | 'binary-workbook'
  | 'other-workbook'
  | 'unknown-encoding'
  | 'damaged'
  | 'too-large'
  | 'too-many-rows'
  | 'too-many-columns'
  | 'no-such-sheet'

/** The file is the cause: it is refused again if it is sent again. */
export class UnreadableSheet extends Error {
  override readonly name = 'UnreadableSheet'
  constructor(
    readonly reason: UnreadableReason,
    detail = '',
  ) {
    super(`the spreadsheet cannot be read: ${reason}${detail === '' ? '' : ` (${detail})`}`)
  }
}

export interface ReadLimits {
  /** Rows with content, including the header. */
  readonly rows: number
  readonly columns: number
  /** Of all rows together, as JSON; by default what any real table needs. */
  readonly characters?: number
}

/** Characters of one cell. Excel allows 32,767, others more. */
export const MAX_CELL = 100_000
