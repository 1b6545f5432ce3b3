import { codewordsOf } from './codewords.ts'
import { bestMask } from './penalty.ts'
import { formatWord, type Level, versionWord } from './spec.ts'
import { type Bits, type Frame, frameOf } from './symbol.ts'

/** A QR code without its margin. */
export interface Matrix {
  version: number
  level: Level
  /** Modules per side, 21–177. */
  side: number
  /** side × side bytes, row by row; 1 = dark. */
  modules: Uint8Array
}

/** No version can hold the content at this level. The limits of L, M, Q and H are 2,953, 2,331, 1,663 and 1,273 bytes of UTF-8. */
export class QrTooLong extends Error {
  override readonly name = 'QrTooLong'
  constructor(readonly level: Level) {
    super(`The content is too long for a QR code of level ${level}`)
  }
}

/**
 * The smallest symbol that holds `content` at `level`: digits in numeric mode, `0-9 A-Z $%*+-./:` and space in alphanumeric mode,
 * other content as UTF-8, which is declared (ECI 26) unless it is ASCII. The same arguments produce the same symbol.
 * @throws QrTooLong
 */
export function encodeQr(content: string, level: Level): Matrix {
  const codewords = codewordsOf(content, level)
  if (codewords === null) throw new QrTooLong(level)
  const { version, words } = codewords
  const frame = frameOf(version)
  const unmasked = place(frame, words)
  const mask = bestMask(frame, unmasked)
  const modules = unpack(frame, unmasked.rows, frame.masks[mask]!.rows)
  write(modules, frame.format, formatWord(level, mask), 15)
  write(modules, frame.version, versionWord(version), 18)
  modules[(frame.side - 8) * frame.side + 8] = 1
  return { version, level, side: frame.side, modules }
}

/** The function patterns and the codewords along their path. Bits of the path without a codeword are light. */
function place({ patterns, rowPath, columnPath }: Frame, words: Uint8Array): Bits {
  const rows = patterns.rows.slice()
  const columns = patterns.columns.slice()
  for (let i = 0, at = 0; i < words.length; i++) {
    const word = words[i]!
    for (let bit = 7; bit >= 0; bit--, at++) {
      const dark = (word >>> bit) & 1
      const row = rowPath[at]!
      const column = columnPath[at]!
      rows[row >>> 5]! |= dark << (row & 31)
      columns[column >>> 5]! |= dark << (column & 31)
    }
  }
  return { rows, columns }
}

function unpack({ side, stride }: Frame, plain: Int32Array, mask: Int32Array): Uint8Array {
  const modules = new Uint8Array(side * side)
  for (let row = 0, at = 0; row < side; row++) {
    for (let column = 0; column < side; column += 32) {
      let word = plain[row * stride + (column >>> 5)]! ^ mask[row * stride + (column >>> 5)]!
      for (const end = at + Math.min(32, side - column); at < end; word >>>= 1) modules[at++] = word & 1
    }
  }
  return modules
}

/** Writes a word of `bits` bits, lowest first, and repeats it until all places are filled. */
function write(modules: Uint8Array, places: Uint16Array, word: number, bits: number): void {
  for (let i = 0; i < places.length; i++) modules[places[i]!] = (word >>> (i % bits)) & 1
}
