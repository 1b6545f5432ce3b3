/** Reads a spreadsheet that was uploaded. Its content decides whether it is a workbook, CSV or JSON; the name of the file does not matter. */

import { readCsv } from './csv-reader.ts'
import { looksLikeJson, readJson } from './json-reader.ts'
import { type Encoding, type ReadLimits, type SheetFacts, type SheetRow, UnreadableSheet } from './sheet.ts'
import { readXlsx } from './xlsx-reader.ts'

/** The container of .xls workbooks, and of workbooks with a password. */
const OLE = Buffer.from('d0cf11e0a1b11ae1', 'hex')
const ZIP = Buffer.from('PK')

export interface SheetChoice {
  readonly sheet?: string
  readonly acceptsJson?: boolean
  /** Of CSV; found if it is absent. */
  readonly encoding?: Encoding
  /** Formulas without a stored result are errors (`NO_RESULT`), which are empty cells otherwise. */
  readonly marksFormulas?: boolean
}

/**
 * The rows with content, in groups. `sheet` is the name or the number (from 1) of a sheet and does not count for CSV. After the last group,
 * `facts` is complete.
 * @throws UnreadableSheet
 */
export async function* readSheet(
  file: Blob,
  limits: ReadLimits,
  { sheet, acceptsJson = false, encoding, marksFormulas = false }: SheetChoice = {},
  facts: SheetFacts = {},
): AsyncGenerator<SheetRow[], void, undefined> {
  const head = Buffer.from(await file.slice(0, OLE.length).bytes())
  if (head.equals(OLE)) throw new UnreadableSheet('old-excel')
  if (head.subarray(0, ZIP.length).equals(ZIP)) yield* readXlsx(file, limits, { sheet, marksFormulas }, facts)
  else if (acceptsJson && looksLikeJson(await file.slice(0, 100).text())) yield await readJson(file, limits)
  else yield* readCsv(file, limits, encoding, facts)
}
