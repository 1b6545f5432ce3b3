/** Data Matrix with error correction ECC 200 (ISO/IEC 16022). */

interface Size {
  readonly rows: number
  readonly columns: number
  /** Codewords. */
  readonly data: number
  readonly parity: number
  readonly blocks: number
  /** Regions below and beside each other, each with a frame of its own. */
  readonly down: number
  readonly across: number
}

const size = (rows: number, columns: number, data: number, parity: number, down = 1, across = 1, blocks = 1): Size => ({
  rows,
  columns,
  data,
  parity,
  blocks,
  down,
  across,
})

/** Table 7, up to what fits on a label: the squares, and the rectangles, which fit on narrow tapes. */
const SQUARES: readonly Size[] = [
  size(10, 10, 3, 5),
  size(12, 12, 5, 7),
  size(14, 14, 8, 10),
  size(16, 16, 12, 12),
  size(18, 18, 18, 14),
  size(20, 20, 22, 18),
  size(22, 22, 30, 20),
  size(24, 24, 36, 24),
  size(26, 26, 44, 28),
  size(32, 32, 62, 36, 2, 2),
  size(36, 36, 86, 42, 2, 2),
  size(40, 40, 114, 48, 2, 2),
  size(44, 44, 144, 56, 2, 2),
  size(48, 48, 174, 68, 2, 2),
  size(52, 52, 204, 84, 2, 2, 2),
  size(64, 64, 280, 112, 4, 4, 2),
  size(72, 72, 368, 144, 4, 4, 4),
]
const RECTANGLES: readonly Size[] = [
  size(8, 18, 5, 7),
  size(8, 32, 10, 11, 1, 2),
  size(12, 26, 16, 14),
  size(12, 36, 22, 18, 1, 2),
  size(16, 36, 32, 24, 1, 2),
  size(16, 48, 49, 28, 1, 2),
]

export interface DataMatrix {
  readonly rows: number
  readonly columns: number
  /** Row by row, 1 = dark. */
  readonly dark: Uint8Array
}

/** The smallest square and the smallest rectangle that hold the text, as far as there are any. Texts outside of ASCII are UTF-8 (ECI 26). */
export function dataMatrices(text: string): DataMatrix[] {
  const words = codewordsOf(text)
  return [SQUARES, RECTANGLES].flatMap((sizes) => {
    const fitting = sizes.find(({ data }) => data >= words.length)
    return fitting === undefined ? [] : [drawn(fitting, withParity(padded(words, fitting.data), fitting))]
  })
}

const [PAD, DIGITS, BASE_256, ECI, UTF_8] = [129, 130, 231, 241, 26]

/** ASCII encodation, with two digits in a codeword; Base 256 for other texts. */
function codewordsOf(text: string): number[] {
  if (/^[\0-\x7f]*$/.test(text))
    return Array.from(text.matchAll(/\d\d|[^]/g), ([part]) =>
      part.length === 2 ? DIGITS + Number(part) : part.charCodeAt(0) + 1,
    )
  const bytes = new TextEncoder().encode(text)
  const length = bytes.length < 250 ? [bytes.length] : [Math.floor(bytes.length / 250) + 249, bytes.length % 250]
  const words = [ECI, UTF_8 + 1, BASE_256]
  // §5.2.9.2: a codeword is mixed with a pseudo-random number of its position.
  for (const value of [...length, ...bytes]) words.push((value + ((149 * (words.length + 1)) % 255) + 1) % 256)
  return words
}

function padded(words: readonly number[], length: number): number[] {
  const all = [...words]
  if (all.length < length) all.push(PAD)
  while (all.length < length) {
    const mixed = PAD + ((149 * (all.length + 1)) % 253) + 1
    all.push(mixed > 254 ? mixed - 254 : mixed)
  }
  return all
}

/** GF(256) with the polynomial 0x12d. That of QR codes is another one. */
const EXP = new Uint8Array(510)
const LOG = new Uint8Array(256)
for (let i = 0, x = 1; i < 255; i++) {
  EXP[i] = EXP[i + 255] = x
  LOG[x] = i
  x <<= 1
  if (x > 255) x ^= 0x12d
}
const multiply = (a: number, b: number): number => (a === 0 || b === 0 ? 0 : EXP[LOG[a]! + LOG[b]!]!)

/** The remainder by the polynomial with the roots 2^1 to 2^parity. */
function parityOf(data: readonly number[], parity: number): Uint8Array {
  const generator = new Uint8Array(parity)
  generator[parity - 1] = 1
  for (let i = 1; i <= parity; i++)
    for (let j = 0; j < parity; j++) generator[j] = multiply(generator[j]!, EXP[i]!) ^ (generator[j + 1] ?? 0)
  const rest = new Uint8Array(parity)
  for (const word of data) {
    const factor = word ^ rest[0]!
    for (let j = 0; j < parity; j++) rest[j] = (rest[j + 1] ?? 0) ^ multiply(generator[j]!, factor)
  }
  return rest
}

/** The words of the blocks take turns. */
function withParity(data: readonly number[], { parity, blocks }: Size): number[] {
  const all = [...data]
  for (let block = 0; block < blocks; block++) {
    const rest = parityOf(
      data.filter((_, i) => i % blocks === block),
      parity / blocks,
    )
    for (const [i, word] of rest.entries()) all[data.length + i * blocks + block] = word
  }
  return all
}

function drawn({ rows, columns, down, across }: Size, words: readonly number[]): DataMatrix {
  const [height, width] = [rows / down - 2, columns / across - 2]
  const bits = placed(height * down, width * across, words)
  const dark = new Uint8Array(rows * columns)
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++) {
      const [y, x] = [row % (height + 2), column % (width + 2)]
      let isDark: boolean
      // The frame of a region: solid on the left and below, dotted above and on the right.
      if (x === 0 || y === height + 1) isDark = true
      else if (y === 0) isDark = x % 2 === 0
      else if (x === width + 1) isDark = y % 2 === 1
      else {
        const inRow = Math.floor(row / (height + 2)) * height + y - 1
        isDark = bits[inRow * width * across + Math.floor(column / (width + 2)) * width + x - 1] === 1
      }
      dark[row * columns + column] = isDark ? 1 : 0
    }
  return { rows, columns, dark }
}

type Place = readonly [row: number, column: number]

/** Annex F: the modules of the codewords without the frames, along diagonals from the lower left and the upper right. */
function placed(rows: number, columns: number, words: readonly number[]): Uint8Array {
  const EMPTY = 2
  const bits = new Uint8Array(rows * columns).fill(EMPTY)
  let next = 0
  const put = (places: readonly Place[]): void => {
    const word = words[next++] ?? 0
    for (const [i, [givenRow, givenColumn]] of places.entries()) {
      let [row, column] = [givenRow, givenColumn]
      if (row < 0) {
        row += rows
        column += 4 - ((rows + 4) % 8)
      }
      if (column < 0) {
        column += columns
        row += 4 - ((columns + 4) % 8)
      }
      bits[row * columns + column] = (word >> (7 - i)) & 1
    }
  }
  const isFree = (row: number, column: number): boolean =>
    row >= 0 && row < rows && column >= 0 && column < columns && bits[row * columns + column] === EMPTY
  const shape = (row: number, column: number): void => {
    if (isFree(row, column)) put(SHAPE.map(([y, x]): Place => [row + y, column + x]))
  }
  const corner = (places: readonly Place[]): void =>
    put(places.map(([y, x]): Place => [y < 0 ? rows + y : y, x < 0 ? columns + x : x]))
  let [row, column] = [4, 0]
  do {
    if (row === rows && column === 0) corner(CORNERS[0]!)
    if (row === rows - 2 && column === 0 && columns % 4 !== 0) corner(CORNERS[1]!)
    if (row === rows - 2 && column === 0 && columns % 8 === 4) corner(CORNERS[2]!)
    if (row === rows + 4 && column === 2 && columns % 8 === 0) corner(CORNERS[3]!)
    for (; row >= 0 && column < columns; row -= 2, column += 2) shape(row, column)
    row += 1
    column += 3
    for (; row < rows && column >= 0; row += 2, column -= 2) shape(row, column)
    row += 3
    column += 1
  } while (row < rows || column < columns)
  // The last corner of some sizes holds no codeword.
  if (bits.at(-1) === EMPTY) {
    bits[rows * columns - 1] = bits[rows * columns - columns - 2] = 1
    bits[rows * columns - 2] = bits[rows * columns - columns - 1] = 0
  }
  return bits
}

/** The modules of a codeword from the highest bit, by their distance from the one of the lowest bit. */
const SHAPE: readonly Place[] = [
  [-2, -2],
  [-2, -1],
  [-1, -2],
  [-1, -1],
  [-1, 0],
  [0, -2],
  [0, -1],
  [0, 0],
]
/** Codewords in the corners; negative numbers count from the end. */
const CORNERS: readonly (readonly Place[])[] = [
  [
    [-1, 0],
    [-1, 1],
    [-1, 2],
    [0, -2],
    [0, -1],
    [1, -1],
    [2, -1],
    [3, -1],
  ],
  [
    [-3, 0],
    [-2, 0],
    [-1, 0],
    [0, -4],
    [0, -3],
    [0, -2],
    [0, -1],
    [1, -1],
  ],
  [
    [-3, 0],
    [-2, 0],
    [-1, 0],
    [0, -2],
    [0, -1],
    [1, -1],
    [2, -1],
    [3, -1],
  ],
  [
    [-1, 0],
    [-1, -1],
    [0, -3],
    [0, -2],
    [0, -1],
    [1, -3],
    [1, -2],
    [1, -1],
  ],
]
