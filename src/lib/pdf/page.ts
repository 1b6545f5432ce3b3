/** Draws one page: texts, areas, dashed lines, pictures and codes. All lengths are in points (1/72 inch), from the lower left corner of the page. */

import type { Matrix } from '../qr/encode.ts'
import { ELLIPSIS, type Glyph, glyphsOf } from './fonts.ts'

/** A4, in points. */
export const PAPER = { width: 595.28, height: 841.89 } as const

/** Points in a millimetre. */
export const MM = 72 / 25.4

export interface TextStyle {
  readonly size: number
  readonly isBold?: boolean
  /** Six hex digits; black by default. */
  readonly color?: string
}

export interface Area {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** A code, row by row, 1 = dark. */
export interface Modules {
  readonly columns: number
  readonly rows: number
  readonly dark: Uint8Array
}

export type Line = readonly Glyph[]

const widthOf = (line: Line): number => line.reduce((sum, { width }) => sum + width, 0)

/** Breaks a text into at most `most` lines that fit into `width` points. If it does not fit, the last line ends with an ellipsis. */
export function linesOf(text: string, { size }: TextStyle, width: number, most: number): Line[] {
  const limit = (width / size) * 1000
  const lines: Line[] = []
  let line: Glyph[] = []
  let used = 0
  /** Glyphs of the line before the last place where it can be broken. */
  let end = 0
  for (const glyph of glyphsOf(text.trim())) {
    if (glyph.font !== 'Latin') end = line.length
    if (used + glyph.width > limit && !glyph.isSpace && line.length > 0) {
      if (lines.length + 1 >= most) return [...lines, shortened(line, limit)]
      const rest = end > 0 ? line.splice(end) : []
      lines.push(line)
      line = rest
      used = widthOf(line)
      end = 0
    }
    // A line does not begin with a space, and of several in a row one is drawn.
    if (glyph.isSpace && (line.length === 0 || line.at(-1)!.isSpace)) continue
    line.push(glyph)
    used += glyph.width
    if (glyph.isSpace || glyph.font !== 'Latin') end = line.length
  }
  return line.length > 0 ? [...lines, line] : lines
}

function shortened(line: readonly Glyph[], limit: number): Line {
  const kept = [...line]
  while (kept.length > 0 && (kept.at(-1)!.isSpace || widthOf(kept) + ELLIPSIS.width > limit)) kept.pop()
  return [...kept, ELLIPSIS]
}

const DECIMALS = 100
const n = (value: number): string => String(Math.round(value * DECIMALS) / DECIMALS)
/** Two decimals are not enough for 256 shades. */
const colour = (hex: string): string =>
  [0, 2, 4].map((at) => String(Math.round((Number.parseInt(hex.slice(at, at + 2), 16) / 255) * 1000) / 1000)).join(' ')

export class Page {
  readonly #operators: string[] = []

  /** The content of the page in the operators of PDF, of ASCII characters. */
  get content(): string {
    return this.#operators.join('\n')
  }

  /** `x` and `y`: where the first line begins. The others are below it, at a distance of `leading`. */
  lines(lines: readonly Line[], x: number, y: number, style: TextStyle, leading = style.size * 1.2): void {
    for (const [i, line] of lines.entries()) this.#line(line, x, y - i * leading, style)
  }

  /** One line in the middle of `width`, cut if it is too long. */
  centred(text: string, x: number, y: number, width: number, style: TextStyle): void {
    const [line = []] = linesOf(text, style, width, 1)
    this.#line(line, x + (width - (widthOf(line) * style.size) / 1000) / 2, y, style)
  }

  /** One line in the middle of `width`, as large as fits into it and at most `size` points. */
  fitted(text: string, x: number, y: number, width: number, size: number, color?: string): void {
    const line = [...glyphsOf(text)]
    const fitting = Math.min(size, (width / widthOf(line)) * 1000)
    this.#line(line, x + (width - (widthOf(line) * fitting) / 1000) / 2, y, { size: fitting, ...(color && { color }) })
  }

  #line(line: Line, x: number, y: number, { size, isBold = false, color = '000000' }: TextStyle): void {
    // Bold is an outline of the letters in addition to their area, so that it also works for fonts of the viewer.
    const weight = isBold ? `2 Tr ${n(size / 40)} w ${colour(color)} RG` : '0 Tr'
    let operators = `BT ${colour(color)} rg ${weight} ${n(x)} ${n(y)} Td`
    for (let from = 0; from < line.length;) {
      const { font } = line[from]!
      let to = from + 1
      while (to < line.length && line[to]!.font === font) to++
      const hex = line.slice(from, to).map((glyph) => glyph.hex)
      operators += ` /${font} ${n(size)} Tf <${hex.join('')}> Tj`
      from = to
    }
    this.#operators.push(`${operators} ET`)
  }

  /** `color`: six hex digits. */
  rectangle({ x, y, width, height }: Area, color: string): void {
    this.#operators.push(`${colour(color)} rg ${n(x)} ${n(y)} ${n(width)} ${n(height)} re f`)
  }

  /** A thin, grey, dashed line. */
  cutLine(x1: number, y1: number, x2: number, y2: number): void {
    this.#operators.push(`q 0.6 G 0.4 w [3 3] 0 d ${n(x1)} ${n(y1)} m ${n(x2)} ${n(y2)} l S Q`)
  }

  /** Draws with other coordinates: a point (x, y) is at (a x + c y + e, b x + d y + f). */
  within([a, b, c, d, e, f]: readonly [number, number, number, number, number, number], draw: () => void): void {
    this.#operators.push(`q ${a} ${b} ${c} ${d} ${n(e)} ${n(f)} cm`)
    draw()
    this.#operators.push('Q')
  }

  /** A picture of the file, in the middle of an area that has its proportions as a rule. */
  picture(index: number, { x, y, width, height }: Area): void {
    this.#operators.push(`q ${n(width)} 0 0 ${n(height)} ${n(x)} ${n(y)} cm /I${index} Do Q`)
  }

  /** A QR code in a square of `side` points, which includes its margin of four modules. */
  qr({ side: modules, modules: dark }: Matrix, x: number, y: number, side: number): void {
    const unit = side / (modules + 8)
    const inner = modules * unit
    this.symbol(
      { columns: modules, rows: modules, dark },
      { x: x + 4 * unit, y: y + 4 * unit, width: inner, height: inner },
    )
  }

  /** A code of black modules, without its margin. All runs of dark modules are one path, so that no viewer shows gaps between them. */
  symbol({ columns, rows, dark }: Modules, { x, y, width, height }: Area): void {
    let path = ''
    for (let row = 0; row < rows; row++)
      for (let column = 0; column < columns; column++) {
        if (dark[row * columns + column] === 0) continue
        const from = column
        while (column + 1 < columns && dark[row * columns + column + 1] === 1) column++
        path += `${from} ${rows - 1 - row} ${column + 1 - from} 1 re\n`
      }
    const [across, down] = [(width / columns).toFixed(5), (height / rows).toFixed(5)]
    this.#operators.push(`q 0 g ${across} 0 0 ${down} ${n(x)} ${n(y)} cm\n${path}f Q`)
  }
}
