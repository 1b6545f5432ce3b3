/** The tables of ISO/IEC 18004:2024 that an encoder needs. Versions are 1..40; a version's side is 17 + 4 × version modules. */

/** Error correction levels: about 7, 15, 25 and 30 % of the symbol may be unreadable. */
export type Level = 'L' | 'M' | 'Q' | 'H'

export const LEVELS: readonly Level[] = ['L', 'M', 'Q', 'H']

export const MAX_VERSION = 40

export const sideOf = (version: number): number => 17 + 4 * version

/** Table 9: error correction codewords per block, by version. */
// prettier-ignore
const PARITY: Record<Level, readonly number[]> = {
  L: [7, 10, 15, 20, 26, 18, 20, 24, 30, 18, 20, 24, 26, 30, 22, 24, 28, 30, 28, 28, 28, 28, 30, 30, 26, 28, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30],
  M: [10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26, 26, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28],
  Q: [13, 22, 18, 26, 18, 24, 18, 22, 20, 24, 28, 26, 24, 20, 30, 24, 28, 28, 26, 30, 28, 30, 30, 30, 30, 28, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30],
  H: [17, 28, 22, 16, 22, 28, 26, 26, 24, 28, 24, 28, 22, 24, 24, 30, 28, 28, 26, 28, 30, 24, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30],
}

/** Table 9: number of blocks, by version. */
// prettier-ignore
const BLOCKS: Record<Level, readonly number[]> = {
  L: [1, 1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 4, 6, 6, 6, 6, 7, 8, 8, 9, 9, 10, 12, 12, 12, 13, 14, 15, 16, 17, 18, 19, 19, 20, 21, 22, 24, 25],
  M: [1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16, 17, 17, 18, 20, 21, 23, 25, 26, 28, 29, 31, 33, 35, 37, 38, 40, 43, 45, 47, 49],
  Q: [1, 1, 2, 2, 4, 4, 6, 6, 8, 8, 8, 10, 12, 16, 12, 17, 16, 18, 21, 20, 23, 23, 25, 27, 29, 34, 34, 35, 38, 40, 43, 45, 48, 51, 53, 56, 59, 62, 65, 68],
  H: [1, 1, 2, 4, 4, 4, 5, 6, 8, 8, 11, 11, 16, 16, 18, 16, 19, 21, 25, 25, 25, 34, 30, 32, 35, 37, 40, 42, 45, 48, 51, 54, 57, 60, 63, 66, 70, 74, 77, 81],
}

/** The codewords (bytes) of a symbol and their division into blocks. */
export interface Capacity {
  /** Codewords that carry content. */
  data: number
  blocks: number
  /** Error correction codewords of each block. */
  parity: number
  /** Content codewords of the first `shortBlocks` blocks; the others have one more. */
  shortLength: number
  shortBlocks: number
}

/** Table 1: the codewords of a version. They fill the modules outside function patterns, format word and version word. */
function totalCodewords(version: number): number {
  let modules = (16 * version + 128) * version + 64
  if (version >= 2) {
    const perSide = Math.floor(version / 7) + 2
    modules -= (25 * perSide - 10) * perSide - 55
    if (version >= 7) modules -= 36
  }
  return modules >>> 3
}

export function capacityOf(version: number, level: Level): Capacity {
  const total = totalCodewords(version)
  const parity = PARITY[level][version - 1]!
  const blocks = BLOCKS[level][version - 1]!
  const shortBlocks = blocks - (total % blocks)
  const shortLength = Math.floor(total / blocks) - parity
  return { data: total - parity * blocks, blocks, parity, shortLength, shortBlocks }
}

/** Annex E: coordinates of the centres of alignment patterns on both axes. Pairs that meet a finder pattern do not count. */
export function alignmentCentres(version: number): number[] {
  if (version === 1) return []
  const last = sideOf(version) - 7
  const gaps = Math.floor(version / 7) + 1
  // Version 32 is the only exception to the rule.
  const step = version === 32 ? 26 : Math.ceil((last - 6) / gaps / 2) * 2
  const centres = [6]
  for (let i = gaps - 1; i >= 0; i--) centres.push(last - i * step)
  return centres
}

/** §7.9.1, table 12: the bits of a level. */
const LEVEL_BITS: Record<Level, number> = { L: 1, M: 0, Q: 3, H: 2 }

/** §7.9.1 and annex C: level and mask as a masked word of 15 bits with BCH check bits. */
export function formatWord(level: Level, mask: number): number {
  const data = (LEVEL_BITS[level] << 3) | mask
  let check = data
  for (let i = 0; i < 10; i++) check = (check << 1) ^ ((check >>> 9) * 0x537)
  return ((data << 10) | check) ^ 0x5412
}

/** §7.10 and annex D: a version from 7 as a word of 18 bits with Golay check bits. */
export function versionWord(version: number): number {
  let check = version
  for (let i = 0; i < 12; i++) check = (check << 1) ^ ((check >>> 11) * 0x1f25)
  return (version << 12) | check
}
