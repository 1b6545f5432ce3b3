/** The symbol of a design: its level, the modules that make room for the logo, and the rest of the error correction. */

import { encodeQr, type Matrix, QrTooLong } from '../encode.ts'
import { alignmentCentres, type Capacity, capacityOf } from '../spec.ts'
import { type Frame, frameOf } from '../symbol.ts'
import type { LogoLook, Look } from './look.ts'

/** A rectangle in modules, from the upper left corner of the code without its margin. */
export interface Box {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

export interface DesignSymbol {
  readonly matrix: Matrix
  /** side × side bytes, row by row; 1 = made light for the logo. */
  readonly cleared: Uint8Array
  /** Where the logo is drawn. */
  readonly logo: Box | null
  /** Percent of the error correction that remains in the block that lost most of it. */
  readonly spare: number
}

/**
 * H with a logo, which covers a part of the code; otherwise M, or L if M cannot hold the content.
 * @throws QrTooLong
 */
export function designSymbol(content: string, look: Pick<Look, 'level' | 'logo'>): DesignSymbol {
  const matrix = encodeFor(content, look)
  const cleared = new Uint8Array(matrix.side * matrix.side)
  if (look.logo === null) return { matrix, cleared, logo: null, spare: 100 }
  const frame = frameOf(matrix.version)
  const logo = makeRoom(look.logo, frame, keptModules(frame, matrix.version), cleared)
  return { matrix, cleared, logo, spare: spareOf(matrix, frame, cleared) }
}

function encodeFor(content: string, { level, logo }: Pick<Look, 'level' | 'logo'>): Matrix {
  if (level !== null) return encodeQr(content, level)
  if (logo !== null) return encodeQr(content, 'H')
  try {
    return encodeQr(content, 'M')
  } catch (error) {
    if (error instanceof QrTooLong) return encodeQr(content, 'L')
    throw error
  }
}

/** The module of a bit of the codewords: row × side + column. */
const moduleAt = ({ side, stride }: Frame, place: number): number =>
  Math.floor((place >>> 5) / stride) * side + ((place >>> 5) % stride) * 32 + (place & 31)

/** 1 for modules that a logo must not touch: all that carry no content, except the alignment pattern in the middle. */
function keptModules(frame: Frame, version: number): Uint8Array {
  const { side, rowPath } = frame
  const kept = new Uint8Array(side * side).fill(1)
  for (const place of rowPath) kept[moduleAt(frame, place)] = 0
  const centres = alignmentCentres(version)
  if (centres.length < 3 || centres.length % 2 === 0) return kept
  const middle = centres[(centres.length - 1) / 2]!
  for (let row = middle - 2; row <= middle + 2; row++) kept.fill(0, row * side + middle - 2, row * side + middle + 3)
  return kept
}

/** Steps by which a logo becomes smaller until it fits, in modules. */
const STEP = 0.25
/** Light ground around the logo on a square or a circle, in modules. */
const PADDING = 0.5

/** Fills `cleared`. A logo that would touch a kept module becomes smaller. */
function makeRoom(look: LogoLook, { side }: Frame, kept: Uint8Array, cleared: Uint8Array): Box {
  const wished = (side * look.size) / 100
  for (let size = wished; ; size -= STEP) {
    const plate = plateOf(look, size)
    const first = Math.floor((side - size) / 2)
    let isFree = true
    cleared.fill(0)
    for (let row = first; row < side - first && isFree; row++)
      for (let column = first; column < side - first; column++) {
        // The nearest point of the module, from the centre of the code.
        const x = Math.max(0, Math.abs(column + 0.5 - side / 2) - 0.5)
        const y = Math.max(0, Math.abs(row + 0.5 - side / 2) - 0.5)
        if (!plate.covers(x, y)) continue
        const module = row * side + column
        if (kept[module] === 1) isFree = false
        cleared[module] = 1
      }
    if (!isFree) continue
    const { width, height } = plate
    return { x: (side - width) / 2, y: (side - height) / 2, width, height }
  }
}

/** The size of the logo within `size`, and the points of its ground by their distance from the centre. */
function plateOf({ plate, aspect }: LogoLook, size: number) {
  const within = (side: number) => ({ width: side * Math.min(1, aspect), height: side * Math.min(1, 1 / aspect) })
  if (plate === 'CIRCLE') {
    // All of the logo is inside of the circle.
    const height = (size - 2 * PADDING) / Math.hypot(aspect, 1)
    return { width: height * aspect, height, covers: (x: number, y: number) => Math.hypot(x, y) < size / 2 }
  }
  if (plate === 'SQUARE')
    return { ...within(size - 2 * PADDING), covers: (x: number, y: number) => x < size / 2 && y < size / 2 }
  const { width, height } = within(size)
  return { width, height, covers: (x: number, y: number) => x < width / 2 && y < height / 2 }
}

/** A codeword with a module beneath the logo counts as lost, whatever the module was. */
function spareOf({ version, level }: Matrix, frame: Frame, cleared: Uint8Array): number {
  const capacity = capacityOf(version, level)
  const correctable = capacity.parity >> 1
  const lost = new Uint16Array(capacity.blocks)
  const words = capacity.data + capacity.parity * capacity.blocks
  for (let word = 0; word < words; word++)
    for (let bit = word * 8; bit < word * 8 + 8; bit++)
      if (cleared[moduleAt(frame, frame.rowPath[bit]!)] === 1) {
        lost[blockOf(word, capacity)]! += 1
        break
      }
  return Math.max(0, Math.floor((1 - Math.max(...lost) / correctable) * 100))
}

/** The block of a codeword, by its place in the interleaved codewords (§7.6). */
function blockOf(word: number, { data, blocks, shortLength, shortBlocks }: Capacity): number {
  if (word >= data) return (word - data) % blocks
  const evenly = shortLength * blocks
  return word < evenly ? word % blocks : word - evenly + shortBlocks
}
