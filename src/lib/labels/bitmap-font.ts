/** GNU Unifont, with which bitmaps are written: each glyph is 8 or 16 dots wide and 16 high. `scripts/unifont.ts` packed the file. */

import { promisify } from 'node:util'
import { brotliDecompress } from 'node:zlib'

import file from './unifont.br' with { type: 'file' }

export interface BitmapGlyph {
  /** Dots. */
  readonly width: number
  /** From the top; the lowest bit is the last dot. */
  readonly rows: readonly number[]
}

export interface BitmapFont {
  /** Dots. */
  readonly height: number
  readonly glyphOf: (character: string) => BitmapGlyph | undefined
}

const HEIGHT = 16

let font: Promise<BitmapFont> | undefined

/** Read on first use, in some 10 ms. It takes 1.2 MB. */
export const loadBitmapFont = (): Promise<BitmapFont> => (font ??= readFont())

async function readFont(): Promise<BitmapFont> {
  const bytes = await promisify(brotliDecompress)(await Bun.file(file).bytes())
  /** Of each character: where its glyph begins, times two, plus 1 if it is wide. */
  const places = new Int32Array(0x10000)
  let at = 0
  for (const isWide of [0, 1]) {
    const count = bytes.readUInt16LE(at)
    const glyphs = at + 2 + 2 * count
    for (let i = 0; i < count; i++) {
      const size = HEIGHT * (isWide + 1)
      places[bytes.readUInt16LE(at + 2 + 2 * i)] = (glyphs + i * size) * 2 + isWide
    }
    at = glyphs + count * HEIGHT * (isWide + 1)
  }
  return {
    height: HEIGHT,
    glyphOf(character) {
      const place = places[character.codePointAt(0)!] ?? 0
      if (place === 0) return undefined
      const [from, isWide] = [place >> 1, (place & 1) === 1]
      const rows = Array.from({ length: HEIGHT }, (_, row) =>
        isWide ? bytes.readUInt16BE(from + row * 2) : bytes[from + row]!,
      )
      return { width: isWide ? 16 : 8, rows }
    },
  }
}

const MISSING = '□'
/** Marks of the letter before, controls of the reading direction, joiners, and skin tones of emoji. */
const WITHOUT_WIDTH = /[\p{M}\p{Cf}\p{Emoji_Modifier}]/u
const BLANK = /[\p{Cc}\p{Z}]/u

/** The glyphs of a text, one after the other. A character that the font lacks becomes a square. */
export function* glyphsIn({ glyphOf }: BitmapFont, text: string): Generator<BitmapGlyph, void, undefined> {
  for (const character of text.normalize('NFC')) {
    const glyph = glyphOf(character)
    if (glyph !== undefined) yield glyph
    else if (BLANK.test(character)) yield glyphOf(' ')!
    else if (!WITHOUT_WIDTH.test(character)) yield glyphOf(MISSING)!
  }
}
