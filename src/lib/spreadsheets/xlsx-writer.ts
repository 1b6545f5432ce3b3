/**
 * Writes workbooks for Excel and similar programs (ECMA-376) while they are sent: one sheet of plain cells, and the choices of its
 * columns on a hidden one. Our own code because SheetJS
 * takes 26 MB and 70 ms for a first workbook of 500 rows, keeps all of it in memory, and changes texts such as `_x0041_`.
 */

import { type ZipEntry, zipOf } from '../zip.ts'
import { escapeXml } from './xlsx-text.ts'

/** Numbers must be finite. Days and times have no zone, like those of spreadsheets. */
export type Cell = string | number | boolean | Temporal.PlainDate | Temporal.PlainDateTime | null
type Rows = Iterable<readonly Cell[]> | AsyncIterable<readonly Cell[]>

export interface Column {
  readonly title: string
  /** Characters. */
  readonly width: number
  /** The format of its empty cells, for tables to fill in. */
  readonly format?: 'text' | 'day' | 'time'
  /** Offered in each cell as a list. `only`: the program refuses other values. */
  readonly choices?: { readonly values: readonly string[]; readonly only: boolean }
}

export interface Sheet {
  /** Changed where Excel does not allow it. */
  readonly name: string
  /** The first row, in bold. */
  readonly columns?: readonly Column[]
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
  const lists = (sheet.columns ?? []).flatMap(({ choices }) => (choices?.values.length ? [choices.values] : []))
  const parts = Object.entries({
    ...frame(lists.length > 0),
    'xl/workbook.xml': workbook(nameOf(sheet.name), lists.length > 0),
  })
  const entries = parts.map(([name, xml]): ZipEntry => ({ name, data: utf8.encode(HEAD + xml), deflate: true }))
  const sheets: ZipEntry[] = [{ name: 'xl/worksheets/sheet1.xml', pieces: sheetPieces(sheet) }]
  if (lists.length > 0)
    sheets.push({ name: 'xl/worksheets/sheet2.xml', pieces: sheetPieces({ name: LISTS, rows: side(lists) }) })
  yield* zipOf([...entries, ...sheets], modifiedAt)
}

const utf8 = new TextEncoder()
const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006'
const TYPES = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

/** Cell styles, by their place in `cellXfs`. Texts have number format 49, "text": an edited `=1+1` stays a text. */
const STYLES = { text: 1, title: 2, time: 3, day: 4 } as const

/** The hidden sheet with the choices. A list inside a cell's rule could have 255 characters only. */
const LISTS = 'Lists'

/** Lists beside each other, as columns. */
function* side(lists: readonly (readonly string[])[]): Generator<Cell[]> {
  const longest = Math.max(...lists.map((list) => list.length))
  for (let row = 0; row < longest; row++) yield lists.map((list) => list[row] ?? null)
}

/** The parts that are the same in every workbook with or without lists. */
const frame = (hasLists: boolean) => ({
  '[Content_Types].xml':
    `<Types xmlns="${PACKAGE}/content-types">` +
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>' +
    `<Override PartName="/xl/workbook.xml" ContentType="${TYPES}.sheet.main+xml"/>` +
    `<Override PartName="/xl/worksheets/sheet1.xml" ContentType="${TYPES}.worksheet+xml"/>` +
    (hasLists ? `<Override PartName="/xl/worksheets/sheet2.xml" ContentType="${TYPES}.worksheet+xml"/>` : '') +
    `<Override PartName="/xl/styles.xml" ContentType="${TYPES}.styles+xml"/></Types>`,
  '_rels/.rels':
    `<Relationships xmlns="${PACKAGE}/relationships">` +
    `<Relationship Id="rId1" Type="${RELATIONS}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  'xl/_rels/workbook.xml.rels':
    `<Relationships xmlns="${PACKAGE}/relationships">` +
    `<Relationship Id="rId1" Type="${RELATIONS}/worksheet" Target="worksheets/sheet1.xml"/>` +
    (hasLists ? `<Relationship Id="rId3" Type="${RELATIONS}/worksheet" Target="worksheets/sheet2.xml"/>` : '') +
    `<Relationship Id="rId2" Type="${RELATIONS}/styles" Target="styles.xml"/></Relationships>`,
  'xl/styles.xml':
    `<styleSheet xmlns="${MAIN}"><numFmts count="2"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/>` +
    '<numFmt numFmtId="165" formatCode="yyyy\\-mm\\-dd"/></numFmts>' +
    '<fonts count="2"><font><sz val="11"/><name val="Calibri"/></font>' +
    '<font><b/><sz val="11"/><name val="Calibri"/></font></fonts>' +
    '<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>' +
    '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>' +
    '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>' +
    '<cellXfs count="5"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>' +
    '<xf numFmtId="49" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>' +
    '<xf numFmtId="49" fontId="1" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" applyFont="1"/>' +
    '<xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>' +
    '<xf numFmtId="165" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/></cellXfs>' +
    '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>',
})

const workbook = (name: string, hasLists: boolean): string =>
  `<workbook xmlns="${MAIN}" xmlns:r="${RELATIONS}"><sheets><sheet name="${escapeXml(name)}" sheetId="1" r:id="rId1"/>` +
  `${hasLists ? `<sheet name="${LISTS}" sheetId="2" state="hidden" r:id="rId3"/>` : ''}</sheets></workbook>`

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
  yield utf8.encode(`${xml}</sheetData>${choiceRules(columns)}</worksheet>`)
}

/** Rules that offer the choices of a column in all its cells below the title. */
function choiceRules(columns: readonly Column[]): string {
  let list = 0
  const rules = columns.flatMap(({ choices }, i) => {
    if (!choices?.values.length) return []
    const [cells, source] = [columnName(i), columnName(list++)]
    return (
      `<dataValidation type="list" allowBlank="1" showErrorMessage="${Number(choices.only)}" sqref="${cells}2:${cells}${MAX_ROWS}">` +
      `<formula1>${LISTS}!$${source}$1:$${source}$${choices.values.length}</formula1></dataValidation>`
    )
  })
  return rules.length === 0 ? '' : `<dataValidations count="${rules.length}">${rules.join('')}</dataValidations>`
}

function widths(columns: readonly Column[]): string {
  if (columns.length === 0) return ''
  const list = columns.map(({ width, format }, i) => {
    const style = format === undefined ? '' : ` style="${STYLES[format]}"`
    return `<col min="${i + 1}" max="${i + 1}" width="${width}"${style} customWidth="1"/>`
  })
  return `<cols>${list.join('')}</cols>`
}

function cellXml(value: Cell, place: string, textStyle: number): string {
  if (value === null || value === '') return ''
  if (typeof value === 'number') return `<c r="${place}"><v>${value}</v></c>`
  if (typeof value === 'boolean') return `<c r="${place}" t="b"><v>${Number(value)}</v></c>`
  if (typeof value !== 'string') {
    const serial = serialOf(value)
    // Excel shows earlier days as the day before, or not at all.
    if (serial < FIRST_SERIAL) return cellXml(value.toString().replace('T', ' '), place, textStyle)
    const style = value instanceof Temporal.PlainDate ? STYLES.day : STYLES.time
    return `<c r="${place}" s="${style}"><v>${serial}</v></c>`
  }
  if (value.length > MAX_CHARACTERS) throw new SheetTooLarge(`A cell has at most ${MAX_CHARACTERS} characters`)
  return `<c r="${place}" t="inlineStr" s="${textStyle}"><is><t xml:space="preserve">${escapeXml(value)}</t></is></c>`
}

/** 1 March 1900: Excel believes that there was a 29 February. */
const FIRST_SERIAL = 61

/** Times are days since 30 December 1899 (ECMA-376 part 1, §18.17.4). */
const serialOf = (time: Temporal.PlainDate | Temporal.PlainDateTime): number =>
  time.toZonedDateTime('UTC').epochMilliseconds / 86_400_000 + 25_569

/** A, B … Z, AA, AB … */
function columnName(index: number): string {
  const letter = String.fromCharCode(65 + (index % 26))
  return index < 26 ? letter : columnName(Math.floor(index / 26) - 1) + letter
}
