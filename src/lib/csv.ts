/** CSV as spreadsheets read it (RFC 4180), with nothing in it that they would compute. */

/** Begins a file: without the byte order mark Excel takes UTF-8 for the system's code page. */
export const CSV_START = '\uFEFF'

export type CsvValue = string | number | boolean | null

/** Spreadsheets take a cell that begins so for a formula; after tab, LF or CR they look at what follows. */
const FORMULA = /^[=+\-@\t\r\n]/

/** A cell. Numbers stand as they are; a text that would be a formula gets an apostrophe in front, which makes it a text again. */
export function csvCell(value: CsvValue): string {
  if (value === null) return ''
  if (typeof value !== 'string') return String(value)
  const text = FORMULA.test(value) ? `'${value}` : value
  return /[",;\t\r\n]|^ | $/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** A row with its line end. */
export const csvRow = (values: readonly CsvValue[]): string => values.map(csvCell).join(',') + '\r\n'
