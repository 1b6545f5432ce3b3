/** Reads CSV row by row, with the encoding and the separator decided from the content. All cells are texts. */

import { checkChosen, decoderFor, encodingOf, hasMissing } from './encodings.ts'
import {
  type Encoding,
  MAX_CELL,
  NOT_DECODED,
  type ReadLimits,
  type SheetCell,
  type SheetFacts,
  type SheetRow,
  UnreadableSheet,
} from './sheet.ts'

const SEPARATORS = [',', ';', '\t'] as const
/** Characters that decide about the separator. */
const SAMPLE = 64 * 1024

/**
 * The rows with content, in groups. In an `encoding` that was chosen, cells with bytes that it does not have are errors.
 * @throws UnreadableSheet
 */
export async function* readCsv(
  file: Blob,
  limits: ReadLimits,
  encoding?: Encoding,
  facts: SheetFacts = {},
): AsyncGenerator<SheetRow[], void, undefined> {
  facts.encoding = encoding === undefined ? await encodingOf(file) : await checkChosen(file, encoding)
  const decoder = decoderFor(facts.encoding.used)
  let parser: CsvParser | undefined
  let start = ''
  const begin = (): string => {
    const text = withoutSeparatorLine(start)
    parser = new CsvParser(text.separator ?? separatorOf(text.rest), limits, encoding !== undefined)
    return text.rest
  }
  for await (const chunk of file.stream()) {
    let text = decoder.decode(chunk, { stream: true })
    if (parser === undefined) {
      start += text
      if (start.length < SAMPLE) continue
      text = begin()
    }
    const rows = parser!.write(text)
    if (rows.length > 0) yield rows
  }
  const rest = decoder.decode()
  start += rest
  const text = parser === undefined ? begin() : rest
  yield [...parser!.write(text), ...parser!.end()]
}

/** Excel takes a first line such as `sep=;` as an instruction and does not show it. */
function withoutSeparatorLine(text: string): { separator?: string; rest: string } {
  const line = /^sep=(.)\r?\n/i.exec(text)
  return line === null ? { rest: text } : { separator: line[1]!, rest: text.slice(line[0].length) }
}

/** The separator that divides the first rows into the most equal numbers of cells; a comma if there is none. */
function separatorOf(sample: string): string {
  const widths = SEPARATORS.map((separator) => {
    const parser = new CsvParser(separator, { rows: Infinity, columns: Infinity })
    const rows = parser.write(sample.slice(0, SAMPLE)).slice(0, 50)
    if (sample.length < SAMPLE) rows.push(...parser.tail())
    return { separator, widths: rows.map(({ cells }) => cells.length) }
  })
  // If none of them divides the first row, it is a title.
  const isTitle = widths.every(({ widths: [first = 0] }) => first < 2)
  let best = { separator: ',', score: 0 }
  for (const { separator, widths: all } of widths) {
    const header = isTitle ? mostFrequent(all.filter((width) => width >= 2)) : all[0]
    if (header === undefined || header < 2) continue
    const equal = all.slice(1).filter((count) => count === header).length
    // Trailing empty cells are not counted, so equality is a hint and the header decides.
    const score = header * (1 + equal / all.length)
    if (score > best.score) best = { separator, score }
  }
  return best.separator
}

function mostFrequent(widths: readonly number[]): number | undefined {
  const all = [...Map.groupBy(widths, (width) => width)]
  return all.toSorted(([, a], [, b]) => b.length - a.length)[0]?.[0]
}

/** A text that a spreadsheet program would run as a formula is written with an apostrophe in front (csv-writer.ts). */
const PROTECTED = /^'+[=+\-@＝＋－＠\t\r\n]/

const QUOTE = 0x22

/** The form of RFC 4180, with any separator and line end. */
export class CsvParser {
  readonly #separator: number
  #row = 0
  #rowCount = 0
  #cells: SheetCell[] = []
  #column = 0
  #cell = ''
  /** In quotes; `closing` behind a quote that ended them or is the first of two. */
  #quoted: 'no' | 'yes' | 'closing' = 'no'
  #afterCr = false

  constructor(
    separator: string,
    readonly limits: ReadLimits,
    /** Cells with characters that stand for undecodable bytes are errors. */
    readonly marksMissing = false,
  ) {
    this.#separator = separator.charCodeAt(0)
  }

  /** Returns the rows that have ended. @throws UnreadableSheet */
  write(text: string): SheetRow[] {
    const rows: SheetRow[] = []
    let start = 0
    for (let i = 0; i < text.length; i++) {
      const c = text.charCodeAt(i)
      if (this.#quoted === 'yes') {
        const end = text.indexOf('"', i)
        this.#append(text.slice(i, end < 0 ? text.length : end))
        if (end < 0) return rows
        this.#quoted = 'closing'
        ;[i, start] = [end, end + 1]
      } else if (c === QUOTE && this.#quoted === 'closing') {
        this.#append('"')
        this.#quoted = 'yes'
        start = i + 1
      } else if (c === QUOTE && start === i && this.#cell === '') {
        this.#quoted = 'yes'
        start = i + 1
      } else if (c === this.#separator) {
        this.#append(text.slice(start, i))
        this.#endCell()
        start = i + 1
      } else if (c === 0x0a || c === 0x0d) {
        if (!(c === 0x0a && this.#afterCr)) {
          this.#append(text.slice(start, i))
          this.#endRow(rows)
        }
        start = i + 1
      } else if (this.#quoted === 'closing') this.#quoted = 'no'
      this.#afterCr = c === 0x0d && this.#quoted === 'no'
    }
    this.#append(text.slice(start))
    return rows
  }

  /** The last row, if it has no line end. @throws UnreadableSheet if it ends in quotes */
  end(): SheetRow[] {
    if (this.#quoted === 'yes') throw new UnreadableSheet('damaged', 'a quote is not closed')
    return this.tail()
  }

  tail(): SheetRow[] {
    const rows: SheetRow[] = []
    this.#endRow(rows)
    return rows
  }

  #append(text: string): void {
    if (text === '') return
    this.#cell = this.#cell === '' ? text : this.#cell + text
    if (this.#cell.length > MAX_CELL) throw new UnreadableSheet('too-large', 'a cell has too many characters')
  }

  #endCell(): void {
    const cell = PROTECTED.test(this.#cell) ? this.#cell.slice(1) : this.#cell
    if (cell !== '') {
      if (this.#column >= this.limits.columns) throw new UnreadableSheet('too-many-columns')
      while (this.#cells.length < this.#column) this.#cells.push(null)
      this.#cells.push(this.marksMissing && hasMissing(cell) ? { error: NOT_DECODED } : cell)
    }
    this.#column += 1
    this.#cell = ''
    this.#quoted = 'no'
  }

  #endRow(rows: SheetRow[]): void {
    this.#endCell()
    this.#row += 1
    this.#column = 0
    if (this.#cells.length === 0) return
    if (++this.#rowCount > this.limits.rows) throw new UnreadableSheet('too-many-rows')
    rows.push({ number: this.#row, cells: this.#cells })
    this.#cells = []
  }
}
