/**
 * Writes workbooks for Excel and similar programs (ECMA-376): one sheet of plain cells. Our own code because SheetJS takes 26 MB
 * and 70 ms for a first workbook of 500 rows, keeps all of it in memory, and changes texts such as `_x0041_`.
 */

import { type ZipEntry, zipOf } from './zip.ts'

/** Numbers must be finite. */
export type Cell = string | number | null

/** The data exceeds the limits of a sheet: 1,048,576 rows, 16,384 columns, 32,767 characters in a cell. */
export class SheetTooLarge extends Error {
  override readonly name = 'SheetTooLarge'
}

const MAX_ROWS = 1_048_576
const MAX_COLUMNS = 16_384
const MAX_CHARACTERS = 32_767

/**
 * The pieces of a workbook. Texts stay texts even if they look like numbers or formulas, and even after a user edits them.
 * `sheetName` is changed where Excel does not allow it. @throws SheetTooLarge
 */
export async function* toXlsx(
  rows: Iterable<readonly Cell[]> | AsyncIterable<readonly Cell[]>,
  sheetName: string,
  modifiedAt: number,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
  const entries = {
    ...FRAME,
    'xl/workbook.xml': workbook(nameOf(sheetName)),
    'xl/worksheets/sheet1.xml': await sheet(rows),
  }
  yield* zipOf(
    Object.entries(entries).map(([name, xml]): ZipEntry => ({ name, data: utf8.encode(HEAD + xml), deflate: true })),
    modifiedAt,
  )
}

const utf8 = new TextEncoder()
const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006'
const TYPES = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

/** The parts that are the same in every workbook. Cell style 1 has number format 49, "text": an edited `=1+1` stays a text. */
const FRAME = {
  '[Content_Types].xml':
    `<Types xmlns="${PACKAGE}/content-types">` +
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>' +
    `<Override PartName="/xl/workbook.xml" ContentType="${TYPES}.sheet.main+xml"/>` +
    `<Override PartName="/xl/worksheets/sheet1.xml" ContentType="${TYPES}.worksheet+xml"/>` +
    `<Override PartName="/xl/styles.xml" ContentType="${TYPES}.styles+xml"/></Types>`,
  '_rels/.rels':
    `<Relationships xmlns="${PACKAGE}/relationships">` +
    `<Relationship Id="rId1" Type="${RELATIONS}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  'xl/_rels/workbook.xml.rels':
    `<Relationships xmlns="${PACKAGE}/relationships">` +
    `<Relationship Id="rId1" Type="${RELATIONS}/worksheet" Target="worksheets/sheet1.xml"/>` +
    `<Relationship Id="rId2" Type="${RELATIONS}/styles" Target="styles.xml"/></Relationships>`,
  'xl/styles.xml':
    `<styleSheet xmlns="${MAIN}"><fonts count="1"><font><sz val="11"/><name val="Calibri"/></font></fonts>` +
    '<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>' +
    '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>' +
    '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>' +
    '<cellXfs count="2"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>' +
    '<xf numFmtId="49" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/></cellXfs>' +
    '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>',
}

const workbook = (name: string): string =>
  `<workbook xmlns="${MAIN}" xmlns:r="${RELATIONS}"><sheets><sheet name="${escapeXml(name)}" sheetId="1" r:id="rId1"/></sheets></workbook>`

/** Excel allows at most 31 characters, none of []:*?/\ and no apostrophe at either end. */
const nameOf = (name: string): string =>
  name
    .replace(/[[\]:*?/\\]/g, ' ')
    .slice(0, 31)
    .replace(/^['\s]+|['\s]+$/g, '') || 'Sheet1'

async function sheet(rows: Iterable<readonly Cell[]> | AsyncIterable<readonly Cell[]>): Promise<string> {
  let xml = `<worksheet xmlns="${MAIN}"><sheetData>`
  let count = 0
  for await (const cells of rows) {
    if (++count > MAX_ROWS) throw new SheetTooLarge(`A sheet has at most ${MAX_ROWS} rows`)
    if (cells.length > MAX_COLUMNS) throw new SheetTooLarge(`A sheet has at most ${MAX_COLUMNS} columns`)
    const row = count
    xml += `<row r="${row}">${cells.map((cell, i) => cellXml(cell, columnName(i) + row)).join('')}</row>`
  }
  return xml + '</sheetData></worksheet>'
}

function cellXml(value: Cell, place: string): string {
  if (value === null || value === '') return ''
  if (typeof value === 'number') return `<c r="${place}"><v>${value}</v></c>`
  if (value.length > MAX_CHARACTERS) throw new SheetTooLarge(`A cell has at most ${MAX_CHARACTERS} characters`)
  return `<c r="${place}" t="inlineStr" s="1"><is><t xml:space="preserve">${escapeXml(value)}</t></is></c>`
}

/** A, B … Z, AA, AB … */
function columnName(index: number): string {
  const letter = String.fromCharCode(65 + (index % 26))
  return index < 26 ? letter : columnName(Math.floor(index / 26) - 1) + letter
}

/** ECMA-376 part 1, §22.9.2.19: characters that XML cannot contain are written as _xHHHH_, as is an underscore that begins such a text. */
function escapeXml(text: string): string {
  return text
    .toWellFormed()
    .replace(/_(?=x[\da-fA-F]{4}_)/g, '_x005F_')
    .replace(SPECIAL, (c) => NAMED[c] ?? `_x${c.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`)
}
// oxlint-disable-next-line no-control-regex -- these characters are replaced
const SPECIAL = /[&<>"\u0000-\u0008\u000b-\u001f\ufffe\uffff]/g
const NAMED: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
