/** Chooses the mask whose symbol is easiest to read: the one with the lowest penalty (ISO/IEC 18004:2024 §7.8.3). */

import { MAX_VERSION, sideOf } from './spec.ts'
import type { Bits, Frame } from './symbol.ts'

/** Table 11: points for 2 × 2 blocks, for finder-like patterns, and for each 5 % by which the share of dark modules differs from half. */
const BLOCK = 3
const FINDER = 40
const SHARE = 10

/** The mask with the lowest score, the first of equal ones. */
export function bestMask(frame: Frame, unmasked: Bits): number {
  let best = 0
  let lowest = Infinity
  for (let mask = 0; mask < 8; mask++) {
    const score = penalty(frame, unmasked, frame.masks[mask]!, lowest)
    if (score >= lowest) continue
    lowest = score
    best = mask
  }
  return best
}

/** The exact score if it is below `limit`, otherwise any number that is not. */
function penalty({ side, stride }: Frame, unmasked: Bits, mask: Bits, limit: number): number {
  const rows = linePenalty(unmasked.rows, mask.rows, side, stride)
  if (rows >= limit) return rows
  const lines = rows + linePenalty(unmasked.columns, mask.columns, side, stride)
  if (lines >= limit) return lines
  return lines + areaPenalty(unmasked.rows, mask.rows, side, stride)
}

/** Dark lines around the symbol, so that its outside does not count as the light margin of a finder-like pattern. */
const EDGE = 4
const strip = new Int32Array(sideOf(MAX_VERSION) + 2 * EDGE)

/**
 * Runs and finder-like patterns along one axis, 32 lines at once. A run of n ≥ 5 equal modules costs n - 2: one point for each
 * window of five in it and two more for the first window. 1011101 costs 40 for each side that 0000 adjoins.
 */
function linePenalty(plain: Int32Array, mask: Int32Array, side: number, stride: number): number {
  let score = 0
  for (let word = 0; word < stride; word++) {
    const valid = word === stride - 1 ? (1 << (side & 31)) - 1 : -1
    for (let i = 0, at = word; i < side; i++, at += stride) strip[EDGE + i] = plain[at]! ^ mask[at]!
    strip.fill(-1, EDGE + side, EDGE + side + EDGE)
    strip.fill(-1, 0, EDGE)

    let m0 = strip[EDGE]!
    let m1 = strip[EDGE + 1]!
    let m2 = strip[EDGE + 2]!
    let m3 = strip[EDGE + 3]!
    let m4 = strip[EDGE + 4]!
    let m5 = strip[EDGE + 5]!
    let previous = 0
    for (let i = EDGE, end = EDGE + side - 4; i < end; i++) {
      const m6 = strip[i + 6]!
      const alike = ~((m0 ^ m1) | (m1 ^ m2) | (m2 ^ m3) | (m3 ^ m4)) & valid
      if (alike !== 0) score += onesAndTwice(alike, alike & ~previous)
      previous = alike
      const core = m0 & ~m1 & m2 & m3 & m4 & ~m5 & m6 & valid
      if (core !== 0 && i < end - 2) {
        const before = core & ~(strip[i - 4]! | strip[i - 3]! | strip[i - 2]! | strip[i - 1]!)
        const after = core & ~(strip[i + 7]! | strip[i + 8]! | strip[i + 9]! | strip[i + 10]!)
        if ((before | after) !== 0) score += FINDER * (ones(before) + ones(after))
      }
      m0 = m1
      m1 = m2
      m2 = m3
      m3 = m4
      m4 = m5
      m5 = m6
    }
  }
  return score
}

/** Blocks of 2 × 2 equal modules, and the share of dark modules. */
function areaPenalty(plain: Int32Array, mask: Int32Array, side: number, stride: number): number {
  let blocks = 0
  let dark = 0
  for (let word = 0; word < stride; word++) {
    const last = word === stride - 1
    const valid = last ? (1 << ((side - 1) & 31)) - 1 : -1
    let above = 0
    let pairsAbove = 0
    for (let i = 0, at = word; i < side; i++, at += stride) {
      const modules = plain[at]! ^ mask[at]!
      const right = last ? 0 : plain[at + 1]! ^ mask[at + 1]!
      const pairs = ~(modules ^ ((modules >>> 1) | (right << 31))) & valid
      blocks += ones(pairs & pairsAbove & ~(modules ^ above))
      dark += ones(modules)
      above = modules
      pairsAbove = pairs
    }
  }
  const all = side * side
  const steps = Math.ceil(Math.max(0, Math.abs(dark * 20 - all * 10) - all) / all)
  return BLOCK * blocks + SHARE * steps
}

function ones(word: number): number {
  let sums = word - ((word >>> 1) & 0x55555555)
  sums = (sums & 0x33333333) + ((sums >>> 2) & 0x33333333)
  return Math.imul((sums + (sums >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}

/** ones(a) + 2 × ones(b), at the cost of one and a half calls. */
function onesAndTwice(a: number, b: number): number {
  let once = a - ((a >>> 1) & 0x55555555)
  once = (once & 0x33333333) + ((once >>> 2) & 0x33333333)
  let twice = b - ((b >>> 1) & 0x55555555)
  twice = (twice & 0x33333333) + ((twice >>> 2) & 0x33333333)
  const sums = once + 2 * twice
  return Math.imul((sums & 0x0f0f0f0f) + ((sums >>> 4) & 0x0f0f0f0f), 0x01010101) >>> 24
}
