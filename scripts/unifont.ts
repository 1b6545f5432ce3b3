/**
 * Packs the glyphs of GNU Unifont that labels are drawn with. Run it again for another version of the font, and commit the result.
 *
 *   bun scripts/unifont.ts unifont.hex     writes src/lib/labels/unifont.br
 */

import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'

/** Scripts whose letters stand side by side from left to right, without marks of their own. Others would be unreadable. */
const RANGES: readonly (readonly [first: number, last: number])[] = [
  [0x20, 0x7e], // Latin
  [0xa1, 0x24f],
  [0x370, 0x482], // Greek, Cyrillic
  [0x48a, 0x52f],
  [0x1e00, 0x1fff],
  [0x2010, 0x2027], // Punctuation, signs, arrows
  [0x2030, 0x205e],
  [0x2070, 0x209f],
  [0x20a0, 0x20cf],
  [0x2100, 0x23ff],
  [0x2460, 0x26ff],
  [0x3001, 0x3029], // Punctuation of East Asia, kana, bopomofo
  [0x3030, 0x3030],
  [0x3041, 0x3096],
  [0x309b, 0x3129],
  [0x3131, 0x318e],
  [0x3200, 0x33ff],
  [0x4e00, 0x9fff], // Ideographs
  [0xac00, 0xd7a3], // Hangul
  [0xff01, 0xffee], // Wide forms
]

/** Bytes of a glyph that is 8 or 16 dots wide. All are 16 dots high. */
const SIZES = [16, 32] as const

const [file] = process.argv.slice(2)
if (file === undefined) throw new Error('name the .hex file of GNU Unifont')
const glyphs = readFileSync(file, 'utf8')
  .split('\n')
  .flatMap((line) => {
    const [code = '', hex = ''] = line.split(':')
    const point = Number.parseInt(code, 16)
    const isTaken = RANGES.some(([first, last]) => point >= first && point <= last)
    return isTaken ? [{ point, bytes: Buffer.from(hex, 'hex') }] : []
  })
const parts = SIZES.flatMap((size) => {
  const some = glyphs.filter(({ bytes }) => bytes.length === size)
  const head = Buffer.alloc(2 + 2 * some.length)
  head.writeUInt16LE(some.length)
  for (const [i, { point }] of some.entries()) head.writeUInt16LE(point, 2 + 2 * i)
  return [head, ...some.map(({ bytes }) => bytes)]
})
const plain = Buffer.concat(parts)
const packed = brotliCompressSync(plain, {
  params: { [constants.BROTLI_PARAM_SIZE_HINT]: plain.length, [constants.BROTLI_PARAM_LGWIN]: 24 },
})
writeFileSync(join(resolve(import.meta.dir, '..'), 'src/lib/labels/unifont.br'), packed)
console.info(`${glyphs.length} glyphs, ${plain.length} bytes, packed ${packed.length}`)
