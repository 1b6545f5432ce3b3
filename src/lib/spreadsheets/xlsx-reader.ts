/**
 * Reads a sheet of an .xlsx workbook (ECMA-376, transitional and strict) row by row. Our own code because libraries keep the whole
 * workbook in memory: 50,000 rows of 20 columns take @e965/xlsx 750 MiB. Macros, formulas, links and pictures are not looked at; a
 * formula counts as its stored result.
 */

import { BadZip, EntryTooLarge, openZip, type ZipArchive } from '../unzip.ts'
import { dateOf, type NumberFormat, numberFormat } from './number-formats.ts'
import { SharedStrings } from './shared-strings.ts'
import { type ReadLimits, type SheetFacts, type SheetRow, UnreadableSheet } from './sheet.ts'
import { SheetHandler } from './xlsx-sheet.ts'
import { attributesOf, BadXml, type XmlHandler, XmlScanner } from './xml-scanner.ts'

/** Inflated bytes. 100,000 rows of 40 columns have 180 MB; scanning 400 MB takes about two seconds. */
const MAX_SHEET = 400_000_000
const MAX_STRINGS = 200_000_000
/** Workbooks that were edited for years have styles of some MB. */
const MAX_PART = 32_000_000
/** Of one kind in one part. Excel allows 65,490 styles. */
const MAX_RECORDS = 100_000

interface XlsxChoice {
  /** A name, or a number from 1; without it the first visible one is read. */
  readonly sheet: string | undefined
  /** See `SheetChoice`. */
  readonly marksFormulas: boolean
}

/** The rows with content of one sheet, in groups. @throws UnreadableSheet */
export async function* readXlsx(
  file: Blob,
  limits: ReadLimits,
  { sheet, marksFormulas }: XlsxChoice,
  facts: SheetFacts,
): AsyncGenerator<SheetRow[], void, undefined> {
  let isBehindRows = false
  try {
    const zip = await openZip(file)
    const book = await readWorkbook(zip)
    const path = pathOfSheet(book, sheet)
    const strings = new SharedStrings()
    if (book.stringsPath !== undefined) await scan(zip, book.stringsPath, MAX_STRINGS, strings)
    const formats = book.stylesPath === undefined ? [] : await readStyles(zip, book.stylesPath)
    const formulas = { marked: marksFormulas, zeroIsNone: book.recalculates }
    const handler = new SheetHandler(
      strings,
      (value, style) => shown(value, formats[style], book.is1904),
      limits,
      formulas,
    )
    facts.merges = handler.merges
    for await (const _ of scanning(zip, path, MAX_SHEET, handler)) {
      const rows = handler.takeRows()
      if (rows.length > 0) yield rows
      if (handler.isDone) return
      isBehindRows = handler.hasAllRows
    }
  } catch (error) {
    // The rest of the part says how the rows look. They are complete.
    if (isBehindRows) return
    if (error instanceof EntryTooLarge) throw new UnreadableSheet('too-large', error.message)
    if (error instanceof BadZip || error instanceof BadXml) throw new UnreadableSheet('damaged', error.message)
    throw error
  }
}

const shown = (value: number, format: NumberFormat, is1904: boolean) => {
  if (format === undefined) return value
  if (format !== 'date') return Number.isInteger(value) && value >= 0 ? String(value).padStart(format, '0') : value
  const date = dateOf(value, is1904)
  return date === undefined ? value : { date }
}

/** Feeds a part to the handler and yields after each piece. */
async function* scanning(zip: ZipArchive, path: string, maxBytes: number, handler: XmlHandler): AsyncGenerator<void> {
  const scanner = new XmlScanner(handler)
  let decoder: InstanceType<typeof TextDecoder> | undefined
  for await (const piece of zip.read(path, maxBytes)) {
    decoder ??= new TextDecoder(encodingOf(piece), { fatal: true })
    scanner.write(decode(decoder, piece))
    yield
  }
  scanner.write(decode(decoder ?? new TextDecoder()))
  scanner.end()
  yield
}

async function scan(zip: ZipArchive, path: string, maxBytes: number, handler: XmlHandler): Promise<void> {
  for await (const _ of scanning(zip, path, maxBytes, handler));
}

/** XML in an Office document is UTF-8 or UTF-16 (ECMA-376 part 2, §6.2.5), and UTF-16 begins with a byte order mark. */
function encodingOf([first, second]: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' {
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8'
}

function decode(decoder: InstanceType<typeof TextDecoder>, piece?: Uint8Array): string {
  try {
    return piece === undefined ? decoder.decode() : decoder.decode(piece, { stream: true })
  } catch {
    throw new BadXml('a part is not valid text')
  }
}

interface Sheet {
  readonly name: string
  readonly path: string
  readonly hidden: boolean
}

interface Workbook {
  readonly sheets: readonly Sheet[]
  readonly is1904: boolean
  /** Results of formulas were not computed by the program that wrote it. */
  readonly recalculates: boolean
  readonly stringsPath: string | undefined
  readonly stylesPath: string | undefined
}

interface Relation {
  readonly id: string
  /** The last part of the type's address, which is the same in the transitional and the strict form. */
  readonly kind: string
  /** Path in the archive. */
  readonly target: string
}

/** Collects the attributes of the elements with these names. */
async function elementsOf(zip: ZipArchive, path: string, names: readonly string[]) {
  const found: { name: string; parent: string; attributes: Map<string, string> }[] = []
  const parents: string[] = []
  await scan(zip, path, MAX_PART, {
    wantsText: false,
    open(name, attributes) {
      if (found.length > MAX_RECORDS) throw new UnreadableSheet('too-large', 'a part has too many records')
      if (names.includes(name)) found.push({ name, parent: parents.at(-1) ?? '', attributes: attributesOf(attributes) })
      parents.push(name)
    },
    close: () => void parents.pop(),
    text() {},
  })
  return found
}

async function relationsOf(zip: ZipArchive, path: string): Promise<Relation[]> {
  const folder = path.slice(0, path.lastIndexOf('/') + 1)
  const name = `${folder}_rels/${path.slice(folder.length)}.rels`
  if (!zip.has(name)) return []
  return (await elementsOf(zip, name, ['Relationship'])).flatMap(({ attributes }) => {
    const target = attributes.get('Target')
    if (target === undefined || attributes.get('TargetMode') === 'External') return []
    const kind = attributes.get('Type')?.split('/').at(-1) ?? ''
    return [{ id: attributes.get('Id') ?? '', kind, target: pathFrom(folder, target) }]
  })
}

/** Resolves a target, which is relative to the folder or begins with `/`. */
function pathFrom(folder: string, target: string): string {
  try {
    return decodeURI(new URL(target.replaceAll('\\', '/'), `zip://part/${folder}`).pathname.slice(1))
  } catch {
    throw new BadXml('a relation has no valid target')
  }
}

async function readWorkbook(zip: ZipArchive): Promise<Workbook> {
  if (!zip.has('[Content_Types].xml')) throw new UnreadableSheet('other-workbook')
  const path = (await relationsOf(zip, '')).find(({ kind }) => kind === 'officeDocument')?.target
  if (path === undefined) throw new UnreadableSheet('other-workbook')
  if (path.endsWith('.bin')) throw new UnreadableSheet('binary-workbook')
  const elements = await elementsOf(zip, path, ['workbook', 'sheet', 'workbookPr', 'calcPr'])
  if (elements[0]?.name !== 'workbook') throw new UnreadableSheet('other-workbook')
  const relations = await relationsOf(zip, path)
  const byId = new Map(relations.map((relation) => [relation.id, relation]))
  const sheets = elements.flatMap(({ name, parent, attributes }): Sheet[] => {
    const relation = byId.get(attributes.get('id') ?? '')
    // Sheets that consist of a chart or of macros have no cells.
    if (name !== 'sheet' || parent !== 'sheets' || relation?.kind !== 'worksheet') return []
    const hidden = (attributes.get('state') ?? 'visible') !== 'visible'
    return [{ name: attributes.get('name') ?? '', path: relation.target, hidden }]
  })
  const isOn = (element: string, attribute: string) =>
    /^(?:1|true|on)$/.test(elements.find(({ name }) => name === element)?.attributes.get(attribute) ?? '0')
  const pathOf = (kind: string) => relations.find((one) => one.kind === kind && zip.has(one.target))?.target
  return {
    sheets,
    is1904: isOn('workbookPr', 'date1904'),
    recalculates: isOn('calcPr', 'fullCalcOnLoad'),
    stringsPath: pathOf('sharedStrings'),
    stylesPath: pathOf('styles'),
  }
}

function pathOfSheet({ sheets }: Workbook, wanted: string | undefined): string {
  const byName = sheets.find(({ name }) => name.toLowerCase() === wanted?.trim().toLowerCase())
  const byNumber = wanted !== undefined && /^\s*\d+\s*$/.test(wanted) ? sheets[Number(wanted) - 1] : undefined
  const first = sheets.find(({ hidden }) => !hidden) ?? sheets[0]
  const found = wanted === undefined ? first : (byName ?? byNumber)
  if (found === undefined) throw new UnreadableSheet('no-such-sheet')
  return found.path
}

/** The number formats by cell style. */
async function readStyles(zip: ZipArchive, path: string): Promise<NumberFormat[]> {
  const elements = await elementsOf(zip, path, ['numFmt', 'xf'])
  const codes = new Map<number, string>()
  for (const { name, parent, attributes } of elements)
    if (name === 'numFmt' && parent === 'numFmts')
      codes.set(Number(attributes.get('numFmtId')), attributes.get('formatCode') ?? '')
  return elements
    .filter(({ name, parent }) => name === 'xf' && parent === 'cellXfs')
    .map(({ attributes }) => {
      const id = Number(attributes.get('numFmtId') ?? 0)
      return numberFormat(id, codes.get(id))
    })
}
