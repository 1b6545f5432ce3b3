/** Turns the elements of a worksheet into rows of cells. */

import type { SharedStrings } from './shared-strings.ts'
import {
  MAX_CELL,
  type Merge,
  NO_RESULT,
  type ReadLimits,
  type SheetCell,
  type SheetRow,
  UnreadableSheet,
} from './sheet.ts'
import { unescapeCharacters } from './xlsx-text.ts'
import { eachAttribute, type XmlHandler } from './xml-scanner.ts'

/** The limits of a sheet in Excel. */
const LAST_ROW = 1_048_576
const LAST_COLUMN = 16_384
/**
 * Rows and cells without content, which can have styles, and elements that are unknown here. Ten million take 1.5 s. A row with content
 * brings a few of its own.
 */
const MAX_EMPTY = 10_000_000

/** The cell of a number with a style (an index of `cellXfs`). */
type NumberCell = (value: number, style: number) => SheetCell

/** Rows whose merged cells are of interest: the headers. */
const MERGED_ROWS = 130
const MAX_MERGES = 10_000
/** Elements that follow the merged cells, also if there are none. */
const BEHIND_MERGES: ReadonlySet<string> = new Set([
  'phoneticPr',
  'conditionalFormatting',
  'dataValidations',
  'hyperlinks',
  'printOptions',
  'pageMargins',
  'pageSetup',
  'headerFooter',
  'extLst',
])

/** `zeroIsNone`: the result 0 was not computed. XlsxWriter stores it for all formulas, with the mark that they have to be computed. */
interface FormulaChoice {
  readonly marked: boolean
  readonly zeroIsNone: boolean
}

export class SheetHandler implements XmlHandler {
  wantsText = false
  /** All rows and merged cells were read; the rest of the part says how they look. */
  isDone = false
  hasAllRows = false
  readonly merges: Merge[] = []
  #rows: SheetRow[] = []
  #rowCount = 0
  /** Elements that were opened, without those of cells with content. */
  #empty = 0
  #inData = false
  #row = 0
  #cells: SheetCell[] = []
  /** Column from 0. */
  #column = -1
  #type = ''
  #style = 0
  #text = ''
  #inPhonetic = false
  #hasFormula = false
  #hasValue = false

  constructor(
    readonly strings: SharedStrings,
    readonly numberCell: NumberCell,
    readonly limits: ReadLimits,
    readonly formulas: FormulaChoice = { marked: false, zeroIsNone: false },
  ) {}

  takeRows(): SheetRow[] {
    const rows = this.#rows
    this.#rows = []
    return rows
  }

  open(name: string, attributes: string): void {
    if (++this.#empty > MAX_EMPTY) throw new UnreadableSheet('too-large', 'the sheet is nearly empty')
    if (!this.#inData) {
      if (name === 'sheetData' && !this.hasAllRows) this.#inData = true
      else if (name === 'mergeCell' && this.hasAllRows) this.#takeMerge(attributes)
      else if (this.hasAllRows && BEHIND_MERGES.has(name)) this.isDone = true
    } else if (name === 'c') this.#openCell(attributes)
    else if (name === 'v' || name === 't') {
      this.wantsText = !this.#inPhonetic
      this.#hasValue = true
    } else if (name === 'f') this.#hasFormula = true
    else if (name === 'row') this.#openRow(attributes)
    else if (name === 'rPh') this.#inPhonetic = true
  }

  close(name: string): void {
    if (!this.#inData) {
      if (name === 'mergeCells') this.isDone = true
      return
    }
    if (name === 'v' || name === 't') this.wantsText = false
    else if (name === 'c') this.#closeCell()
    else if (name === 'row') this.#closeRow()
    else if (name === 'rPh') this.#inPhonetic = false
    else if (name === 'sheetData') {
      this.#inData = false
      this.hasAllRows = true
    }
  }

  #takeMerge(attributes: string): void {
    eachAttribute(attributes, (name, value) => {
      const [, left, top, right, bottom] = /^\$?([A-Z]{1,3})\$?(\d{1,7}):\$?([A-Z]{1,3})\$?(\d{1,7})$/.exec(value) ?? []
      if (name !== 'ref' || left === undefined || Number(top) > MERGED_ROWS || this.merges.length >= MAX_MERGES) return
      this.merges.push([Number(top), columnIndex(left) + 1, Number(bottom), columnIndex(right!) + 1])
    })
  }

  text(text: string): void {
    this.#text = this.#text === '' ? text : this.#text + text
    if (this.#text.length > MAX_CELL) throw new UnreadableSheet('too-large', 'a cell has too many characters')
  }

  #openRow(attributes: string): void {
    let row = this.#row + 1
    if (attributes !== '')
      eachAttribute(attributes, (name, value) => {
        if (name === 'r') row = Number(value)
      })
    if (!(row > this.#row && row <= LAST_ROW)) throw new UnreadableSheet('damaged', 'rows are not in order')
    this.#row = row
    this.#column = -1
  }

  #openCell(attributes: string): void {
    this.#column += 1
    this.#type = 'n'
    this.#style = 0
    this.#text = ''
    this.#hasFormula = this.#hasValue = false
    eachAttribute(attributes, this.#cellAttribute)
    if (this.#column >= LAST_COLUMN || this.#row === 0)
      throw new UnreadableSheet('damaged', 'a cell is outside the sheet')
  }

  readonly #cellAttribute = (name: string, value: string): void => {
    if (name === 'r') this.#column = columnIndex(value)
    else if (name === 't') this.#type = value
    else if (name === 's') this.#style = Number(value)
  }

  #closeCell(): void {
    const cell = this.#isWithoutResult() ? { error: NO_RESULT } : this.#cell()
    if (cell === null || cell === '') return
    if (this.#column >= this.limits.columns) throw new UnreadableSheet('too-many-columns')
    while (this.#cells.length < this.#column) this.#cells.push(null)
    this.#cells[this.#column] = cell
    // The elements `c` and `v`.
    this.#empty -= 2
  }

  /** An empty text can be a result, which has an element of its own. */
  #isWithoutResult(): boolean {
    if (!this.formulas.marked || !this.#hasFormula) return false
    const text = this.#text.trim()
    if (text === '') return this.#type !== 'str' || !this.#hasValue
    return this.formulas.zeroIsNone && this.#type === 'n' && text === '0'
  }

  #cell(): SheetCell {
    const text = this.#text
    switch (this.#type) {
      case 's': {
        if (text === '') return null
        const shared = this.strings.get(Number(text))
        if (shared === undefined) throw new UnreadableSheet('damaged', 'a cell refers to a text that does not exist')
        return shared
      }
      case 'str':
      case 'inlineStr':
        return unescapeCharacters(text)
      case 'b':
        return text === '' ? null : text.trim() === '1' || text.trim() === 'true'
      case 'e':
        return text === '' ? null : { error: text }
      case 'd':
        return text === '' ? null : { date: isoDate(text.trim()) }
      default: {
        if (text.trim() === '') return null
        const value = Number(text)
        return Number.isFinite(value) ? this.numberCell(value, this.#style) : text
      }
    }
  }

  #closeRow(): void {
    if (this.#cells.length === 0) return
    if (++this.#rowCount > this.limits.rows) throw new UnreadableSheet('too-many-rows')
    this.#rows.push({ number: this.#row, cells: this.#cells })
    this.#cells = []
  }
}

/** `A1` is 0, `AB7` is 27. @throws UnreadableSheet */
function columnIndex(reference: string): number {
  let index = 0
  let at = 0
  for (; at < reference.length && at < 4; at++) {
    const letter = (reference.charCodeAt(at) | 0x20) - 0x60
    if (letter < 1 || letter > 26) break
    index = index * 26 + letter
  }
  if (at === 0 || index > LAST_COLUMN) throw new UnreadableSheet('damaged', 'a cell is outside the sheet')
  return index - 1
}

/** Without a zone, and without a time of midnight. */
const isoDate = (text: string): string =>
  text
    .replace('T', ' ')
    .replace(/(\d\d:\d\d:\d\d)(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?$/, '$1')
    .replace(/ 00:00:00$/, '')
