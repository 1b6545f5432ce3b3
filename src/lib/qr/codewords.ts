/** Turns content into codewords: mode, bit stream, padding, error correction, interleaving (ISO/IEC 18004:2024 §7.4–7.6). */

import { parityOf } from './reed-solomon.ts'
import { type Capacity, capacityOf, type Level, MAX_VERSION } from './spec.ts'

const utf8 = new TextEncoder()

/** The digits of a full version 40-L code. Longer content, in UTF-16 units, fits in no mode. */
const MAX_CHARACTERS = 7089

/** Table 2: mode indicators. */
const NUMERIC = 1
const ALPHANUMERIC = 2
const BYTE = 4
type Mode = typeof NUMERIC | typeof ALPHANUMERIC | typeof BYTE

/** Table 3: bits of the character count for versions 1–9, 10–26 and 27–40. */
const COUNT_BITS: Record<Mode, readonly [number, number, number]> = {
  [NUMERIC]: [10, 12, 14],
  [ALPHANUMERIC]: [9, 11, 13],
  [BYTE]: [8, 16, 16],
}

/**
 * ECI: mode 0111 and assignment number 26 declare UTF-8. Without it byte mode means ISO 8859-1, and readers that guess mistake
 * short Chinese text for Shift JIS (ZBar 0.23 misread 30 of 66 such contents). ASCII does not need it.
 */
const ECI_UTF8 = (0b0111 << 8) | 26
const ECI_BITS = 12

/** Table 5: value of each ASCII character in alphanumeric mode, 255 for characters outside it. Digits are 0–9. */
const VALUES = new Uint8Array(128).fill(255)
for (const [value, character] of [...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:'].entries())
  VALUES[character.charCodeAt(0)] = value

/** The content as one segment. */
interface Segment {
  mode: Mode
  /** The content in UTF-8. */
  bytes: Uint8Array
  ascii: boolean
  /** Bits that follow the character count. */
  bits: number
}

function segmentOf(content: string): Segment {
  const bytes = utf8.encode(content)
  let top = 0
  let ascii = true
  for (const byte of bytes) {
    if (byte > 127) {
      ascii = false
      top = 255
      break
    }
    if (VALUES[byte]! > top) top = VALUES[byte]!
  }
  const n = bytes.length
  if (top < 10) return { mode: NUMERIC, bytes, ascii, bits: Math.floor(n / 3) * 10 + [0, 4, 7][n % 3]! }
  if (top < 45) return { mode: ALPHANUMERIC, bytes, ascii, bits: (n >> 1) * 11 + (n & 1) * 6 }
  return { mode: BYTE, bytes, ascii, bits: n * 8 }
}

const countBits = (mode: Mode, version: number): number => COUNT_BITS[mode][version < 10 ? 0 : version < 27 ? 1 : 2]

/** The smallest version that can hold the segment, or 0. */
function smallestVersion(segment: Segment, eciBits: number, level: Level): number {
  const needed = eciBits + 4 + segment.bits
  for (let version = 1; version <= MAX_VERSION; version++)
    if (needed + countBits(segment.mode, version) <= capacityOf(version, level).data * 8) return version
  return 0
}

export interface Codewords {
  version: number
  /** In the order of their placement. */
  words: Uint8Array
}

/** Null if no version can hold the content at this level. Empty content is valid. */
export function codewordsOf(content: string, level: Level): Codewords | null {
  if (content.length > MAX_CHARACTERS) return null
  const segment = segmentOf(content)
  let eciBits = segment.ascii ? 0 : ECI_BITS
  let version = smallestVersion(segment, eciBits, level)
  if (version === 0 && eciBits > 0) {
    // The text fits a version 40 code only without the declaration. Readers guess the encoding of so long a text correctly.
    eciBits = 0
    version = smallestVersion(segment, eciBits, level)
  }
  if (version === 0) return null
  const capacity = capacityOf(version, level)
  return { version, words: interleave(dataOf(segment, eciBits > 0, version, capacity.data), capacity) }
}

function dataOf(segment: Segment, eci: boolean, version: number, length: number): Uint8Array {
  const { mode, bytes } = segment
  const data = new Uint8Array(length)
  let at = 0
  let pending = 0
  let pendingBits = 0
  /** At most 16 bits at once, so that `pending` stays within 31. */
  function push(value: number, bits: number): void {
    pending = (pending << bits) | value
    pendingBits += bits
    while (pendingBits >= 8) {
      pendingBits -= 8
      data[at++] = pending >>> pendingBits
    }
    pending &= (1 << pendingBits) - 1
  }
  if (eci) push(ECI_UTF8, ECI_BITS)
  push(mode, 4)
  push(bytes.length, countBits(mode, version))
  const n = bytes.length
  const value = (i: number): number => VALUES[bytes[i]!]!
  if (mode === BYTE) for (let i = 0; i < n; i++) push(bytes[i]!, 8)
  else if (mode === ALPHANUMERIC) {
    for (let i = 0; i + 1 < n; i += 2) push(value(i) * 45 + value(i + 1), 11)
    if (n & 1) push(value(n - 1), 6)
  } else {
    for (let i = 0; i + 2 < n; i += 3) push(value(i) * 100 + value(i + 1) * 10 + value(i + 2), 10)
    if (n % 3 === 1) push(value(n - 1), 4)
    if (n % 3 === 2) push(value(n - 2) * 10 + value(n - 1), 7)
  }
  // Up to four zero bits terminate the data; zeros fill the byte, and two alternating pad codewords fill the rest.
  const left = length * 8 - (at * 8 + pendingBits)
  push(0, Math.min(4, left))
  if (pendingBits > 0) push(0, 8 - pendingBits)
  for (let pad = 0xec; at < length; pad ^= 0xec ^ 0x11) data[at++] = pad
  return data
}

/** §7.6: the first codeword of every block, then the second of every block, and so on; then the parity in the same way. */
function interleave(data: Uint8Array, capacity: Capacity): Uint8Array {
  const { blocks, parity, shortLength, shortBlocks } = capacity
  const words = new Uint8Array(data.length + parity * blocks)
  const evenly = shortLength * blocks
  for (let block = 0, start = 0; block < blocks; block++) {
    const length = shortLength + (block < shortBlocks ? 0 : 1)
    const part = data.subarray(start, start + length)
    for (let i = 0; i < shortLength; i++) words[i * blocks + block] = part[i]!
    if (length > shortLength) words[evenly + block - shortBlocks] = part[shortLength]!
    const check = parityOf(part, parity)
    for (let i = 0; i < parity; i++) words[data.length + i * blocks + block] = check[i]!
    start += length
  }
  return words
}
