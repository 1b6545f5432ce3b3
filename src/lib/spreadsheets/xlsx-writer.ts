/**
 * Writes workbooks for Excel and similar programs (ECMA-376) while they are sent: one sheet of plain cells. Our own code because SheetJS
 * takes 26 MB and 70 ms for a first workbook of 500 rows, keeps all of it in memory, and changes texts such as `_x0041_`.
 */

import { type ZipEntry, zipOf } from '../zip.ts'
import { escapeXml } from './xlsx-text.ts'

/** Numbers must be finite. A time has no zone, like the times of spreadsheets. */
export type Cell = string | number | boolean | Temporal.PlainDateTime | null
type Rows = Iterable<readonly Cell[]> | AsyncIterable<readonly Cell[]>

export interface Sheet {
  /** Changed where Excel does not allow it. */
  readonly name: string
  /** The first row, in bold. `width` in characters. */
  readonly columns?: readonly { readonly title: string; readonly width: number }[]
  readonly rows: Rows
}

/** The data exceeds the limits of a sheet: 1,048,576 rows, 16,384 columns, 32,767 characters in a cell. */
export class SheetTooLarge extends Error {
  override readonly name = 'SheetTooLarge'
}

const MAX_ROWS = 1_048_576
const MAX_COLUMNS = 16_384
const MAX_CHARACTERS = 32_767

/**
 * The pieces of a workbook. Texts stay texts even if they look like numbers or formulas, and even after a user edits them. Rows are
 * requested as the reader takes the pieces, so a sheet of any length takes little memory. @throws SheetTooLarge, while it is written
 */
export async function* toXlsx(
  sheet: Sheet,
  modifiedAt: number,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
  const parts = Object.entries({ ...FRAME, 'xl/workbook.xml': workbook(nameOf(sheet.name)) })
  const entries = parts.map(([name, xml]): ZipEntry => ({ name, data: utf8.encode(HEAD + xml), deflate: true }))
  yield* zipOf([...entries, { name: 'xl/worksheets/sheet1.xml', pieces: sheetPieces(sheet) }], modifiedAt)
}

const utf8 = new TextEncoder()
const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006'
const TYPES = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

/** Cell styles, by their place in `cellXfs`. Texts have number format 49, "text": an edited `=1+1` stays a text. */
const STYLES = { text: 1, title: 2, time: 3 } as const

/** The parts that are the same in every workbook. */
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
    `<styleSheet xmlns="${MAIN}"><numFmts count="1"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/></numFmts>` +
    '<fonts count="2"><font><sz val="11"/><name val="Calibri"/></font>' +
    '<font><b/><sz val="11"/><name val="Calibri"/></font></fonts>' +
    '<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>' +
    '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>' +
    '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>' +
    '<cellXfs count="4"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>' +
    '<xf numFmtId="49" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>' +
    '<xf numFmtId="49" fontId="1" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" applyFont="1"/>' +
    '<xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/></cellXfs>' +
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

/** Characters of XML that are compressed together. */
const PIECE = 65_536

async function* sheetPieces({ columns = [], rows }: Sheet): AsyncGenerator<Uint8Array> {
  let xml = `${HEAD}<worksheet xmlns="${MAIN}">${widths(columns)}<sheetData>`
  let count = 0
  function rowXml(cells: readonly Cell[], textStyle: number): string {
    if (++count > MAX_ROWS) throw new SheetTooLarge(`A sheet has at most ${MAX_ROWS} rows`)
    if (cells.length > MAX_COLUMNS) throw new SheetTooLarge(`A sheet has at most ${MAX_COLUMNS} columns`)
    return `<row r="${count}">${cells.map((cell, i) => cellXml(cell, columnName(i) + count, textStyle)).join('')}</row>`
  }
  if (columns.length > 0) {
    const titles = columns.map(({ title }) => title)
    xml += rowXml(titles, STYLES.title)
  }
  for await (const cells of rows) {
    xml += rowXml(cells, STYLES.text)
    if (xml.length < PIECE) continue
    yield utf8.encode(xml)
    xml = ''
  }
  yield utf8.encode(xml + '</sheetData></worksheet>')
}

function widths(columns: NonNullable<Sheet['columns']>): string {
  if (columns.length === 0) return ''
  const list = columns.map(({ width }, i) => `<col min="${i + 1}" max="${i + 1}" width="${width}" customWidth="1"/>`)
  return `<cols>${list.join('')}</cols>`
}

function cellXml(value: Cell, place: string, textStyle: number): string {
  if (value === null || value === '') return ''
  if (typeof value === 'number') return `<c r="${place}"><v>${value}</v></c>`
  if (typeof value === 'boolean') return `<c r="${place}" t="b"><v>${Number(value)}</v></c>`
  if (typeof value !== 'string') return `<c r="${place}" s="${STYLES.time}"><v>${serialOf(value)}</v></c>`
  if (value.length > MAX_CHARACTERS) throw new SheetTooLarge(`A cell has at most ${MAX_CHARACTERS} characters`)
  return `<c r="${place}" t="inlineStr" s="${textStyle}"><is><t xml:space="preserve">${escapeXml(value)}</t></is></c>`
}

/** Times are days since 30 December 1899 (ECMA-376 part 1, §18.17.4). */
const serialOf = (time: Temporal.PlainDateTime): number =>
  time.toZonedDateTime('UTC').epochMilliseconds / 86_400_000 + 25_569

/** A, B … Z, AA, AB … */
function columnName(index: number): string {
  const letter = String.fromCharCode(65 + (index % 26))
  return index < 26 ? letter : columnName(Math.floor(index / 26) - 1) + letter
}
