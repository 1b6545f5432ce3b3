/** Makes workbooks from their parts, and reads them with our reader and with SheetJS. */

import * as XLSX from '@e965/xlsx'

import { readSheet } from '#lib/spreadsheets/sheet-reader.ts'
import type { ReadLimits, SheetCell, SheetRow } from '#lib/spreadsheets/sheet.ts'
import { type ZipEntry, zipOf } from '#lib/zip.ts'

export const LIMITS: ReadLimits = { rows: 100_001, columns: 200 }

const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'

/** The parts of a workbook with one sheet, `A`. */
const FRAME = {
  '[Content_Types].xml':
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/></Types>',
  '_rels/.rels': `<Relationships><Relationship Id="r1" Type="${RELATIONS}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  'xl/workbook.xml': `<workbook xmlns="${MAIN}" xmlns:r="${RELATIONS}"><sheets><sheet name="A" sheetId="1" r:id="r1"/></sheets></workbook>`,
  'xl/_rels/workbook.xml.rels':
    `<Relationships><Relationship Id="r1" Type="${RELATIONS}/worksheet" Target="worksheets/sheet1.xml"/>` +
    `<Relationship Id="r2" Type="${RELATIONS}/sharedStrings" Target="sharedStrings.xml"/>` +
    `<Relationship Id="r3" Type="${RELATIONS}/styles" Target="styles.xml"/></Relationships>`,
}

export type Parts = Readonly<Record<string, string | Uint8Array | AsyncIterable<Uint8Array>>>

/** A workbook of these parts, and of those of FRAME that they do not replace. */
export const workbook = async (parts: Parts): Promise<Blob> => zipped({ ...FRAME, ...parts })

export async function zipped(parts: Parts): Promise<Blob> {
  const entries = Object.entries(parts).map(([name, part]): ZipEntry => {
    if (typeof part === 'string') return { name, data: new TextEncoder().encode(part), deflate: true }
    return part instanceof Uint8Array ? { name, data: part, deflate: true } : { name, pieces: part }
  })
  return new Blob(await Array.fromAsync(zipOf(entries, 0)))
}

/** A workbook whose sheet has this content of `sheetData`. */
export const sheetOf = (data: string, parts: Parts = {}): Promise<Blob> =>
  workbook({
    'xl/worksheets/sheet1.xml': `<worksheet xmlns="${MAIN}"><sheetData>${data}</sheetData></worksheet>`,
    ...parts,
  })

/** `unit`, repeated at least `times` times, in pieces of about 64 KB. */
export async function* repeated(head: string, unit: string, times: number, tail: string): AsyncGenerator<Uint8Array> {
  const utf8 = new TextEncoder()
  const count = Math.max(1, Math.floor(65_536 / unit.length))
  const block = utf8.encode(unit.repeat(count))
  yield utf8.encode(head)
  for (let i = 0; i < times; i += count) yield block
  yield utf8.encode(tail)
}

export async function read(file: Blob, sheet?: string, limits = LIMITS): Promise<SheetRow[]> {
  return (await Array.fromAsync(readSheet(file, limits, sheet === undefined ? {} : { sheet }))).flat()
}

/** The reason for which a file is refused. */
export async function refusal(file: Blob, sheet?: string, limits = LIMITS): Promise<string> {
  try {
    await read(file, sheet, limits)
  } catch (error) {
    return (error as { reason?: string }).reason ?? String(error)
  }
  return 'read'
}

/** The same rows as SheetJS reads them. */
export async function judged(file: Blob, sheet?: string | number): Promise<SheetRow[]> {
  const book = XLSX.read(await file.bytes(), { type: 'buffer', dense: true, cellNF: true, cellText: true })
  const name = typeof sheet === 'string' ? sheet : book.SheetNames[sheet ?? 0]!
  const is1904 = book.Workbook?.WBProps?.date1904 === true
  const data = (book.Sheets[name] as unknown as { '!data': (XLSX.CellObject | undefined)[][] })['!data']
  const rows: SheetRow[] = []
  for (const [i, row] of data.entries()) {
    const cells = Array.from(row ?? [], (cell) => (cell === undefined ? null : judgedCell(cell, is1904)))
    while (cells.length > 0 && cells.at(-1) === null) cells.pop()
    if (cells.length > 0) rows.push({ number: i + 1, cells })
  }
  return rows
}

function judgedCell(cell: XLSX.CellObject, is1904: boolean): SheetCell {
  const { t, v, w, z } = cell
  if (t === 'z' || v === undefined || v === '') return null
  if (t === 's') return v as string
  if (t === 'b') return v as boolean
  if (t === 'e') return { error: w! }
  const value = v as number
  if (typeof z === 'string' && /^0{2,}$/.test(z) && Number.isInteger(value) && value >= 0) return w!
  // SheetJS counts elapsed times as dates too.
  if (typeof z !== 'string' || !XLSX.SSF.is_date(z) || /\[[hms]+\]/i.test(z)) return value
  const date = XLSX.SSF.parse_date_code(value, { date1904: is1904 })
  if (date === null) return value
  const two = (part: number): string => String(part).padStart(2, '0')
  const clock = `${two(date.H)}:${two(date.M)}:${two(Math.floor(date.S))}`
  if (value < 1 && !is1904) return { date: clock }
  const day = `${date.y}-${two(date.m)}-${two(date.d)}`
  return { date: clock === '00:00:00' ? day : `${day} ${clock}` }
}
