/** Reads CSV row by row, with the encoding and the separator decided from the content. All cells are texts. */

import { MAX_CELL, type ReadLimits, type SheetRow, UnreadableSheet } from './sheet.ts'

type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'gb18030'
const SEPARATORS = [',', ';', '\t'] as const
/** Characters that decide about the separator. */
const SAMPLE = 64 * 1024

/** The rows with content, in groups. @throws UnreadableSheet */
export async function* readCsv(file: Blob, limits: ReadLimits): AsyncGenerator<SheetRow[], void, undefined> {
  const decoder = new TextDecoder(await encodingOf(file))
  let parser: CsvParser | undefined
  let start = ''
  const begin = (): string => {
    const text = withoutSeparatorLine(start)
    parser = new CsvParser(text.separator ?? separatorOf(text.rest), limits)
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
  let best = { separator: ',', score: 0 }
  for (const separator of SEPARATORS) {
    const parser = new CsvParser(separator, { rows: Infinity, columns: Infinity })
    const rows = parser.write(sample.slice(0, SAMPLE)).slice(0, 50)
    if (sample.length < SAMPLE) rows.push(...parser.tail())
    const [header, ...others] = rows.map(({ cells }) => cells.length)
    if (header === undefined || header < 2) continue
    const equal = others.filter((count) => count === header).length
    // Trailing empty cells are not counted, so equality is a hint and the header decides.
    const score = header * (1 + equal / (others.length + 1))
    if (score > best.score) best = { separator, score }
  }
  return best.separator
}

// oxlint-disable-next-line no-control-regex -- these characters do not occur in texts
const CONTROL = /[\u0000-\u0008\u000e-\u0019\u001b-\u001f]/

/** @throws UnreadableSheet for files other than texts, and for encodings that cannot be recognized */
async function encodingOf(file: Blob): Promise<Encoding> {
  const head = await file.slice(0, 4096).bytes()
  if (head.length === 0) throw new UnreadableSheet('damaged', 'the file is empty')
  if (head[0] === 0xff && head[1] === 0xfe) return checked(file, 'utf-16le')
  if (head[0] === 0xfe && head[1] === 0xff) return checked(file, 'utf-16be')
  const utf16 = zeroBytes(head)
  if (utf16 !== undefined) return checked(file, utf16)
  if (CONTROL.test(Buffer.from(head).toString('latin1')) || isMarkup(head)) throw new UnreadableSheet('unknown')
  if (await decodes(file, 'utf-8')) return 'utf-8'
  if ((await decodes(file, 'gb18030')) && (await looksChinese(file))) return 'gb18030'
  throw new UnreadableSheet('unknown-encoding')
}

/** UTF-16 without a byte order mark: in tables, which contain ASCII, every second byte is often 0. */
function zeroBytes(head: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  const zeros = [0, 0]
  for (let i = 0; i < head.length; i++) if (head[i] === 0) zeros[i % 2]! += 1
  const most = Math.max(...zeros)
  if (most < head.length / 10 || Math.min(...zeros) > most / 20) return undefined
  return zeros[1] === most ? 'utf-16le' : 'utf-16be'
}

/** HTML and XML are texts too, and some programs save HTML under the name of a workbook. */
const isMarkup = (head: Uint8Array): boolean =>
  /^\uFEFF?\s*<[a-z!?]/i.test(new TextDecoder().decode(head.subarray(0, 200)))

async function checked(file: Blob, encoding: Encoding): Promise<Encoding> {
  if (!(await decodes(file, encoding))) throw new UnreadableSheet('unknown')
  return encoding
}

/** Whether the whole file is valid in this encoding, and a text. */
async function decodes(file: Blob, encoding: Encoding): Promise<boolean> {
  const decoder = new TextDecoder(encoding, { fatal: true })
  try {
    for await (const chunk of file.stream()) if (CONTROL.test(decoder.decode(chunk, { stream: true }))) return false
    return !CONTROL.test(decoder.decode())
  } catch {
    return false
  }
}

/**
 * Nearly every text in a Western encoding is valid GB 18030 too, as rare characters. In Chinese texts most characters are of the level
 * GB 2312, whose two bytes both have the high bit.
 */
async function looksChinese(file: Blob): Promise<boolean> {
  let [common, rare] = [0, 0]
  for await (const chunk of file.stream())
    for (let i = 0; i + 1 < chunk.length; i++) {
      if (chunk[i]! < 0x81) continue
      if (chunk[++i]! >= 0xa1) common += 1
      else rare += 1
    }
  return common >= rare
}

/** A text that a spreadsheet program would run as a formula is written with an apostrophe in front (csv-writer.ts). */
const PROTECTED = /^'+[=+\-@＝＋－＠\t\r\n]/

const QUOTE = 0x22

/** The form of RFC 4180, with any separator and line end. */
export class CsvParser {
  readonly #separator: number
  #row = 0
  #rowCount = 0
  #cells: (string | null)[] = []
  #column = 0
  #cell = ''
  /** In quotes; `closing` behind a quote that ended them or is the first of two. */
  #quoted: 'no' | 'yes' | 'closing' = 'no'
  #afterCr = false

  constructor(
    separator: string,
    readonly limits: ReadLimits,
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
      this.#cells.push(cell)
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
