/** Rows of a sheet as the readers return them, and the reasons for which a file cannot be read. */

/** `date` is `2026-03-08`, `2026-03-08 17:30:00` or `17:30:00`; `error` is a text such as `#N/A`. An empty cell is null. */
export type SheetCell = string | number | boolean | { readonly date: string } | { readonly error: string } | null

/** Errors that no spreadsheet program writes: a formula without a stored result, and bytes that the chosen encoding does not have. */
export const NO_RESULT = '#FORMULA!'
export const NOT_DECODED = '#ENCODING!'

export const ENCODINGS = [
  'utf-8',
  'utf-16le',
  'utf-16be',
  'gb18030',
  'big5',
  'shift_jis',
  'euc-kr',
  'windows-1250',
  'windows-1251',
  'windows-1252',
  'macintosh',
] as const
export type Encoding = (typeof ENCODINGS)[number]

export interface FoundEncoding {
  readonly used: Encoding
  /** False if another one is plausible too. */
  readonly certain: boolean
  /** The other one. */
  readonly other: Encoding | null
}

/** Cells of the first rows that are one, as row and column numbers from 1 of the first and the last. */
export type Merge = readonly [top: number, left: number, bottom: number, right: number]

/** Facts about a file besides its rows. */
export interface SheetFacts {
  /** Of CSV. */
  encoding?: FoundEncoding
  /** Of a workbook. */
  merges?: Merge[]
}

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
 * - `unknown-encoding`: a text in none of the encodings that are recognized (encodings.ts).
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
