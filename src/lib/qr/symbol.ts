/** The layout of a symbol: function patterns, path of the codewords, masks (ISO/IEC 18004:2024 §6.3, §7.7, §7.8). */

import { alignmentCentres, sideOf } from './spec.ts'

/**
 * One bit per module, 1 = dark, in lines of `stride` 32-bit words with the first module in the lowest bit. Stored twice, by rows and
 * by columns, so that the same code computes the rules for rows and for columns, 32 lines at once.
 */
export interface Bits {
  rows: Int32Array
  columns: Int32Array
}

/** The parts that all symbols of a version have in common. */
export interface Frame {
  side: number
  stride: number
  /** Finder, alignment and timing patterns. The modules of format and version words are light. */
  patterns: Bits
  /** For each bit of the codewords, in order: word × 32 + bit in the rows, and in the columns. */
  rowPath: Uint16Array
  columnPath: Uint16Array
  /** The modules that each of the 8 masks inverts. */
  masks: Bits[]
  /** Modules (row × side + column) of both copies of the format word and of the version word (none below 7), lowest bit first. */
  format: Uint16Array
  version: Uint16Array
}

const frames: (Frame | undefined)[] = []

/** Built when first needed, in a few milliseconds, and kept: 2 KiB for version 1, 191 KiB for version 40, 2.9 MiB for all. */
export const frameOf = (version: number): Frame => (frames[version] ??= buildFrame(version))

/** Table 10: whether a mask inverts the module in `row` and `column`. */
const MASKS: readonly ((row: number, column: number) => boolean)[] = [
  (i, j) => (i + j) % 2 === 0,
  (i) => i % 2 === 0,
  (_, j) => j % 3 === 0,
  (i, j) => (i + j) % 3 === 0,
  (i, j) => (Math.floor(i / 2) + Math.floor(j / 3)) % 2 === 0,
  (i, j) => ((i * j) % 2) + ((i * j) % 3) === 0,
  (i, j) => (((i * j) % 2) + ((i * j) % 3)) % 2 === 0,
  (i, j) => (((i + j) % 2) + ((i * j) % 3)) % 2 === 0,
]

function buildFrame(version: number): Frame {
  const side = sideOf(version)
  const stride = (side + 31) >>> 5
  const blank = (): Bits => ({ rows: new Int32Array(stride * side), columns: new Int32Array(stride * side) })
  const patterns = blank()
  const taken = new Uint8Array(side * side)

  function darken(bits: Bits, row: number, column: number): void {
    bits.rows[row * stride + (column >>> 5)]! |= 1 << (column & 31)
    bits.columns[column * stride + (row >>> 5)]! |= 1 << (row & 31)
  }
  function take(row: number, column: number, dark: boolean): void {
    if (row < 0 || column < 0 || row >= side || column >= side || taken[row * side + column]) return
    taken[row * side + column] = 1
    if (dark) darken(patterns, row, column)
  }
  /** Concentric squares around a centre; `light` lists the light rings by their radius. */
  function square(row: number, column: number, radius: number, light: readonly number[]): void {
    for (let dy = -radius; dy <= radius; dy++)
      for (let dx = -radius; dx <= radius; dx++)
        take(row + dy, column + dx, !light.includes(Math.max(Math.abs(dy), Math.abs(dx))))
  }

  square(3, 3, 4, [2, 4])
  square(3, side - 4, 4, [2, 4])
  square(side - 4, 3, 4, [2, 4])
  const centres = alignmentCentres(version)
  for (const row of centres) for (const column of centres) if (!taken[row * side + column]) square(row, column, 2, [1])
  for (let i = 0; i < side; i++) {
    take(6, i, i % 2 === 0)
    take(i, 6, i % 2 === 0)
  }
  const format = formatPlaces(side)
  const versionWord = version < 7 ? [] : versionPlaces(side)
  for (const [row, column] of [...format, ...versionWord]) take(row, column, false)
  take(side - 8, 8, false)

  const masks = MASKS.map(blank)
  const rowPath = new Uint16Array(side * side)
  const columnPath = new Uint16Array(side * side)
  let length = 0
  zigzag(side, (row, column) => {
    if (taken[row * side + column]) return
    rowPath[length] = ((row * stride + (column >>> 5)) << 5) | (column & 31)
    columnPath[length++] = ((column * stride + (row >>> 5)) << 5) | (row & 31)
    for (let mask = 0; mask < MASKS.length; mask++) if (MASKS[mask]!(row, column)) darken(masks[mask]!, row, column)
  })
  return {
    side,
    stride,
    patterns,
    rowPath: rowPath.slice(0, length),
    columnPath: columnPath.slice(0, length),
    masks,
    format: Uint16Array.from(format, ([row, column]) => row * side + column),
    version: Uint16Array.from(versionWord, ([row, column]) => row * side + column),
  }
}

type Place = [row: number, column: number]

/** §7.7.3: two columns at a time from the right, alternately upwards and downwards, skipping the vertical timing pattern. */
function zigzag(side: number, visit: (row: number, column: number) => void): void {
  let up = true
  for (let right = side - 1; right > 0; right -= 2) {
    if (right === 6) right = 5
    for (let i = 0; i < side; i++) {
      const row = up ? side - 1 - i : i
      visit(row, right)
      visit(row, right - 1)
    }
    up = !up
  }
}

/** §7.9.1: around the upper left finder pattern; the second copy below the upper right and beside the lower left one. */
function formatPlaces(side: number): Place[] {
  const bits = Array.from({ length: 15 }, (_, bit) => bit)
  const first = bits.map((bit): Place => {
    if (bit < 8) return [bit < 6 ? bit : bit + 1, 8]
    return [8, bit === 8 ? 7 : 14 - bit]
  })
  return first.concat(bits.map((bit): Place => (bit < 8 ? [8, side - 1 - bit] : [side - 15 + bit, 8])))
}

/** §7.10: beside the upper right finder pattern; the second copy above the lower left one. */
function versionPlaces(side: number): Place[] {
  const upper = Array.from({ length: 18 }, (_, bit): Place => [Math.floor(bit / 3), side - 11 + (bit % 3)])
  return upper.concat(upper.map(([row, column]) => [column, row]))
}
