/** CSV for spreadsheet programs (RFC 4180), without cells that they would run as formulas. */

/** The first character of a file: without the byte order mark Excel reads UTF-8 as the system's code page. */
export const CSV_START = '\uFEFF'

export type CsvValue = string | number | boolean | Temporal.PlainDate | Temporal.PlainDateTime | null

/**
 * Spreadsheet programs read such a cell as a formula; they skip a leading tab, LF or CR, and East Asian editions also accept signs of full width. A text that already has the apostrophe gets
 * another one, because csv-reader.ts takes one off.
 */
const FORMULA = /^'*[=+\-@＝＋－＠\t\r\n]/

/** Writes a cell. Numbers are not changed, times are `2026-03-08 17:30:00`; a text that would be a formula gets a leading apostrophe, which keeps it a text. */
export function csvCell(value: CsvValue): string {
  if (value === null) return ''
  if (value instanceof Temporal.PlainDate) return value.toString()
  if (typeof value === 'object') return value.toString({ smallestUnit: 'second' }).replace('T', ' ')
  if (typeof value !== 'string') return String(value)
  const text = FORMULA.test(value) ? `'${value}` : value
  return /[",;\t\r\n]|^ | $/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** Writes a row with its line end. */
export const csvRow = (values: readonly CsvValue[]): string => values.map(csvCell).join(',') + '\r\n'
