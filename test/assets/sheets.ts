/** Sends spreadsheets of assets, and reads them. */

import * as XLSX from '@e965/xlsx'

import type { ImportJob, ImportResult } from '#domains/assets/importing/importing.model.ts'
import { csvRow } from '#lib/spreadsheets/csv-writer.ts'

import { ok, type Person } from '../harness/index.ts'

export type Cells = (string | number | boolean | Date | null)[]

export const csv = (rows: Cells[]): Uint8Array<ArrayBuffer> =>
  new TextEncoder().encode(
    rows.map((row) => csvRow(row.map((cell) => (cell instanceof Date ? cell.toISOString() : cell)))).join(''),
  )

/** A workbook of SheetJS; `sheets` in their order. */
export function xlsx(sheets: Record<string, Cells[]>): Uint8Array<ArrayBuffer> {
  const book = XLSX.utils.book_new()
  for (const [name, rows] of Object.entries(sheets))
    XLSX.utils.book_append_sheet(book, XLSX.utils.aoa_to_sheet(rows, { UTC: true } as XLSX.AOA2SheetOpts), name)
  return new Uint8Array(XLSX.write(book, { type: 'buffer', bookType: 'xlsx' }) as Uint8Array)
}

/** Sends an import. The file is CSV of the rows, or the given bytes. */
export function sendImport(person: Person, file: Cells[] | Uint8Array<ArrayBuffer>, fields: object = {}) {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.set(name, String(value))
  form.set('file', new File([Array.isArray(file) ? csv(file) : file], 'assets'))
  return person.send('POST', '/api/assets/import', { body: form })
}

export const imported = async (...input: Parameters<typeof sendImport>): Promise<ImportResult> =>
  ok(await sendImport(...input)).data as ImportResult

export const dryRun = (person: Person, file: Cells[] | Uint8Array<ArrayBuffer>, fields: object = {}) =>
  imported(person, file, { ...fields, dryRun: true })

/** Waits for the end of a job. */
export async function finished(person: Person, jobId: string): Promise<ImportJob> {
  for (;;) {
    const { data } = ok(await person.call('assets.importJob', { params: { jobId } }))
    if (data.state === 'DONE' || data.state === 'FAILED') return data as ImportJob
    await Bun.sleep(20)
  }
}
