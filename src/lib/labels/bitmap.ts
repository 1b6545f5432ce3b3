/** Pictures of one bit per dot, as PNG and as ZPL. Loads zlib, so it is imported on first use. */

import { crc32, deflateSync } from 'node:zlib'

import type { Pixels } from '../qr/design/raster.ts'
import { type BitmapFont, glyphsIn } from './bitmap-font.ts'
import type { Metrics, PlacedText, Rectangle, Scene } from './layout.ts'

const MM_PER_INCH = 25.4
export const dotsOf = (mm: number, dpi: number): number => Math.round((mm / MM_PER_INCH) * dpi)

/** Of a module: a phone reads no smaller ones. */
const LEAST_DOTS = 2
const LEAST_MODULE_MM = 0.165
const LEAST_TEXT_MM = 1.5

/** Letters are clearest if each dot of the font is a whole number of dots. */
function sizeOf(size: number, height: number): number {
  const clear = Math.floor(size / height) * height
  return clear >= size * 0.75 ? clear : Math.floor(size)
}

export const bitmapMetrics = (dpi: number, font: BitmapFont): Metrics => {
  const perMm = dpi / MM_PER_INCH
  return {
    perMm,
    isDots: true,
    leastModule: Math.max(LEAST_DOTS, Math.ceil(LEAST_MODULE_MM * perMm)),
    leastSize: Math.max(font.height, Math.ceil(LEAST_TEXT_MM * perMm)),
    sizeOf: (size) => sizeOf(size, font.height),
    widthOf(text, size) {
      let columns = 0
      for (const { width } of glyphsIn(font, text)) columns += width
      return Math.ceil((columns * size) / font.height)
    },
  }
}

export class Bitmap {
  /** Bytes of a row; the first dot is the highest bit. */
  readonly stride: number
  readonly bits: Uint8Array

  constructor(
    readonly width: number,
    readonly height: number,
  ) {
    this.stride = (width + 7) >> 3
    this.bits = new Uint8Array(this.stride * height)
  }

  /** Parts outside of the picture are left out. */
  darken({ x, y, width, height }: Rectangle): void {
    const [left, right] = [Math.max(0, x), Math.min(this.width, x + width)]
    if (left >= right) return
    const [first, last] = [left >> 3, right >> 3]
    const [head, tail] = [0xff >> (left & 7), (0xff00 >> (right & 7)) & 0xff]
    for (let row = Math.max(0, y); row < Math.min(this.height, y + height); row++) {
      const start = row * this.stride
      if (first === last) this.bits[start + first]! |= head & tail
      else {
        this.bits[start + first]! |= head
        this.bits.fill(0xff, start + first + 1, start + last)
        if (tail !== 0) this.bits[start + last]! |= tail
      }
    }
  }

  isDark(x: number, y: number): boolean {
    return ((this.bits[y * this.stride + (x >> 3)]! >> (7 - (x & 7))) & 1) === 1
  }

  /** Draws a scene whose upper left corner is at this dot. */
  draw({ code, texts, lines, logo }: Scene, x: number, y: number, font: BitmapFont, picture?: Pixels): void {
    const at = (area: Rectangle): Rectangle => ({ ...area, x: area.x + x, y: area.y + y })
    for (const line of lines) this.darken(at(line))
    if (code !== undefined) this.#code(at(code), code.symbol)
    if (logo !== undefined && picture !== undefined) this.#picture(at(logo), picture)
    for (const text of texts) this.#text({ ...text, x: text.x + x, y: text.y + y }, font)
  }

  #code({ x, y, width, height }: Rectangle, { columns, rows, dark }: NonNullable<Scene['code']>['symbol']): void {
    const [across, down] = [width / columns, height / rows]
    for (let row = 0; row < rows; row++)
      for (let column = 0; column < columns; column++) {
        if (dark[row * columns + column] === 0) continue
        const from = column
        while (column + 1 < columns && dark[row * columns + column + 1] === 1) column++
        this.darken({ x: x + from * across, y: y + row * down, width: (column + 1 - from) * across, height: down })
      }
  }

  #text({ text, x, y, size, isBold }: PlacedText, font: BitmapFont): void {
    const scale = size / font.height
    const bold = isBold ? Math.max(1, Math.round(scale / 2)) : 0
    let column = 0
    for (const { rows, width } of glyphsIn(font, text)) {
      for (const [row, bits] of rows.entries()) {
        const [top, bottom] = [Math.round(row * scale), Math.round((row + 1) * scale)]
        for (let i = 0; i < width; i++) {
          if (((bits >> (width - 1 - i)) & 1) === 0) continue
          const [left, right] = [Math.round((column + i) * scale), Math.round((column + i + 1) * scale)]
          this.darken({ x: x + left, y: y + top, width: right - left + bold, height: bottom - top })
        }
      }
      column += width
    }
  }

  /** Shades become patterns of dots (ordered dithering), which printers show better than scattered ones. */
  #picture({ x, y, width, height }: Rectangle, { width: columns, height: rows, rgba }: Pixels): void {
    const scale = Math.min(width / columns, height / rows)
    const [across, down] = [Math.floor(columns * scale), Math.floor(rows * scale)]
    const [left, top] = [x + ((width - across) >> 1), y + ((height - down) >> 1)]
    for (let row = 0; row < down; row++)
      for (let column = 0; column < across; column++) {
        const at = (Math.floor(row / scale) * columns + Math.floor(column / scale)) * 4
        const [red, green, blue, alpha] = [rgba[at]!, rgba[at + 1]!, rgba[at + 2]!, rgba[at + 3]! / 255]
        const light = (0.299 * red + 0.587 * green + 0.114 * blue) * alpha + 255 * (1 - alpha)
        if (light <= ((BAYER[(row & 3) * 4 + (column & 3)]! + 0.5) * 255) / 16)
          this.darken({ x: left + column, y: top + row, width: 1, height: 1 })
      }
  }

  /** Parts outside of this picture are left out. */
  drawBitmap(other: Bitmap, x: number, y: number): void {
    for (let row = 0; row < other.height; row++)
      for (let column = 0; column < other.width; column++)
        if (other.isDark(column, row)) this.darken({ x: x + column, y: y + row, width: 1, height: 1 })
  }

  /** Turned clockwise. */
  turned(): Bitmap {
    const turned = new Bitmap(this.height, this.width)
    for (let y = 0; y < this.height; y++)
      for (let x = 0; x < this.width; x++) {
        if (!this.isDark(x, y)) continue
        const column = this.height - 1 - y
        turned.bits[x * turned.stride + (column >> 3)]! |= 0x80 >> (column & 7)
      }
    return turned
  }

  /** The same bitmap and resolution give the same bytes. */
  toPng(dpi: number): Uint8Array<ArrayBuffer> {
    const header = Buffer.alloc(13)
    header.writeUInt32BE(this.width, 0)
    header.writeUInt32BE(this.height, 4)
    // One bit a dot, grey; compression, filter and interlace methods are 0.
    header[8] = 1
    const resolution = Buffer.alloc(9)
    const perMetre = Math.round((dpi / MM_PER_INCH) * 1000)
    resolution.writeUInt32BE(perMetre, 0)
    resolution.writeUInt32BE(perMetre, 4)
    resolution[8] = 1
    const line = 1 + this.stride
    const rows = new Uint8Array(line * this.height)
    for (let y = 0; y < this.height; y++)
      for (let i = 0; i < this.stride; i++) rows[y * line + 1 + i] = ~this.bits[y * this.stride + i]! & 0xff
    const parts = [chunk('IHDR', header), chunk('pHYs', resolution), chunk('IDAT', deflateSync(rows, { level: 4 }))]
    return new Uint8Array(Buffer.concat([SIGNATURE, ...parts, chunk('IEND', Buffer.alloc(0))]))
  }

  /** A label for Zebra printers and those that understand them, `copies` times. It contains digits only, so no text can be a command. */
  toZpl(copies: number): string {
    const { length } = this.bits
    const graphic = `^GFA,${length},${length},${this.stride},${Buffer.from(this.bits).toString('hex').toUpperCase()}`
    return `^XA\n^PW${this.width}\n^LL${this.height}\n^LH0,0\n^FO0,0${graphic}^FS\n^PQ${copies}\n^XZ\n`
  }
}

const SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
/** Thresholds of a pattern of 4 × 4 dots. */
const BAYER = [0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5]

function chunk(type: string, data: Uint8Array): Uint8Array {
  const [head, tail] = [Buffer.alloc(8), Buffer.alloc(4)]
  head.writeUInt32BE(data.length)
  head.write(type, 4, 'latin1')
  tail.writeUInt32BE(crc32(data, crc32(head.subarray(4))))
  return Buffer.concat([head, data, tail])
}
