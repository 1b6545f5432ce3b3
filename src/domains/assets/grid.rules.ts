/**
 * The grid of the asset map. Pure.
 *
 * Level L divides all longitudes and all latitudes into 2^L equal parts. The number of a cell interleaves the bits of its column and row
 * (Morton order), so that a cell contains the cells `4n` to `4n + 3` of the next level, and a range of numbers at every deeper level.
 *
 * Columns and rows of a coordinate are computed by functions that never decrease. So whatever was rounded, a position in a cell between the
 * cells of two edges is between the edges.
 */

/** The deepest level: cells of 4.8 m by 2.4 m at the equator. 46 bits, which a JavaScript number holds. */
export const DEEPEST = 23
/** The levels of which counts are kept: 11 rows for an asset that is alone. Levels between them are sums of at most four cells. */
export const LEVELS: readonly number[] = [3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23]

/** Degrees. `west` is at most `east`. */
export interface Box {
  readonly west: number
  readonly south: number
  readonly east: number
  readonly north: number
}

const SIDE = 2 ** DEEPEST
/** A number from 0 to 1 as a column or row of the deepest level. */
const part = (share: number): number => Math.min(SIDE - 1, Math.max(0, Math.floor(share * SIDE)))
const columnOf = (longitude: number): number => part((longitude + 180) / 360)
const rowOf = (latitude: number): number => part((latitude + 90) / 180)

/** The 12 lowest bits of `n` at every second place. */
function spread(n: number): number {
  let bits = n & 0xfff
  bits = (bits | (bits << 8)) & 0x00ff00ff
  bits = (bits | (bits << 4)) & 0x0f0f0f0f
  bits = (bits | (bits << 2)) & 0x33333333
  return (bits | (bits << 1)) & 0x55555555
}
function gather(n: number): number {
  let bits = n & 0x55555555
  bits = (bits | (bits >>> 1)) & 0x33333333
  bits = (bits | (bits >>> 2)) & 0x0f0f0f0f
  bits = (bits | (bits >>> 4)) & 0x00ff00ff
  return (bits | (bits >>> 8)) & 0xfff
}
/** Bit operations have 32 bits, so the number is put together from two halves. */
const HALF = 2 ** 24
const interleave = (column: number, row: number): number =>
  (spread(column >>> 12) + 2 * spread(row >>> 12)) * HALF + spread(column) + 2 * spread(row)
const columnIn = (cell: number): number => gather(Math.floor(cell / HALF)) * 4096 + gather(cell % HALF)
const rowIn = (cell: number): number => gather(Math.floor(cell / HALF) >>> 1) * 4096 + gather((cell % HALF) >>> 1)

/** The cell of a position at the deepest level. */
export const cellOf = (latitude: number, longitude: number): number => interleave(columnOf(longitude), rowOf(latitude))

/** The cell of a lower level that contains a cell. */
export const cellAt = (level: number, cell: number, of = DEEPEST): number => Math.floor(cell / 4 ** (of - level))

/** First and last of the cells at `deeper` that a cell contains. */
export function cellsWithin(level: number, cell: number, deeper: number): [first: number, last: number] {
  const factor = 4 ** (deeper - level)
  return [cell * factor, (cell + 1) * factor - 1]
}

export interface Grid {
  readonly columns: readonly [first: number, last: number]
  readonly rows: readonly [first: number, last: number]
}

/** The cells of a level that a box touches. Those at the four sides may lie partly outside. */
export function gridOf({ west, south, east, north }: Box, level: number): Grid {
  const shift = DEEPEST - level
  return {
    columns: [columnOf(west) >>> shift, columnOf(east) >>> shift],
    rows: [rowOf(south) >>> shift, rowOf(north) >>> shift],
  }
}

const sizeOf = ({ columns, rows }: Grid): number => (columns[1] - columns[0] + 1) * (rows[1] - rows[0] + 1)

/** Whether a cell is inside a box, partly inside or outside. */
export function placeOf(cell: number, { columns, rows }: Grid): 'inside' | 'partly' | 'outside' {
  const [column, row] = [columnIn(cell), rowIn(cell)]
  if (column < columns[0] || column > columns[1] || row < rows[0] || row > rows[1]) return 'outside'
  const isInside = column > columns[0] && column < columns[1] && row > rows[0] && row < rows[1]
  return isInside ? 'inside' : 'partly'
}

/** All cells of a grid. */
export function cellsOf({ columns, rows }: Grid): number[] {
  const cells: number[] = []
  for (let column = columns[0]; column <= columns[1]; column++)
    for (let row = rows[0]; row <= rows[1]; row++) cells.push(interleave(column, row))
  return cells
}

export const isIn = ({ west, south, east, north }: Box, latitude: number, longitude: number): boolean =>
  longitude >= west && longitude <= east && latitude >= south && latitude <= north

/**
 * The greatest number that is in a lower column or row than `index`, and the smallest one that is not. `edge` is the limit between them
 * but for rounding. The two are found by the same arithmetic that assigns numbers to columns and rows.
 */
function sidesOf(index: number, of: (n: number) => number, edge: number): [below: number, from: number] {
  let [low, high] = [edge - 1e-9, edge + 1e-9]
  for (;;) {
    const middle = (low + high) / 2
    if (middle <= low || middle >= high) return [low, high]
    if (of(middle) < index) low = middle
    else high = middle
  }
}

/** The positions of a cell, so that each belongs to one cell only: the box ends just before the next cell begins. */
export function boxOf(level: number, cell: number): Box {
  const shift = 2 ** (DEEPEST - level)
  const side = (index: number, of: (n: number) => number, half: number): readonly [from: number, to: number] => {
    const [first, next] = [index * shift, (index + 1) * shift]
    const edge = (i: number) => (i / SIDE) * 2 * half - half
    return [
      first === 0 ? -half : sidesOf(first, of, edge(first))[1],
      next === SIDE ? half : sidesOf(next, of, edge(next))[0],
    ]
  }
  const [west, east] = side(columnIn(cell), columnOf, 180)
  const [south, north] = side(rowIn(cell), rowOf, 90)
  return { west, south, east, north }
}

export const intersection = (a: Box, b: Box): Box => ({
  west: Math.max(a.west, b.west),
  south: Math.max(a.south, b.south),
  east: Math.min(a.east, b.east),
  north: Math.min(a.north, b.north),
})

/** Entries of one answer: items and clusters together. */
export const MAX_ENTRIES = 500
/** So many assets in view are shown one by one at any zoom; from the zoom of single buildings on, as many as an answer can hold. */
export const MAX_ITEMS = 100
export const ITEMS_FROM_ZOOM = 18
export const maxItems = (zoom: number): number => (zoom >= ITEMS_FROM_ZOOM ? MAX_ENTRIES : MAX_ITEMS)

/** Cells in view; each is a cluster at most. */
const MAX_CELLS = 400

/** A cell is a fourth of a map tile of 256 pixels wide, unless the view would have too many. */
export function levelFor(boxes: readonly Box[], zoom: number): number {
  let level = Math.min(zoom + 2, DEEPEST)
  while (level > 0 && boxes.reduce((sum, box) => sum + sizeOf(gridOf(box, level)), 0) > MAX_CELLS) level -= 1
  return level
}

/** The level of kept counts at which the search of a box begins: the deepest one with at most 16 cells in it, or the first. */
export const firstLevel = (box: Box): number =>
  LEVELS.findLast((level) => sizeOf(gridOf(box, level)) <= 16) ?? LEVELS[0]!

/** `west,south,east,north` as one box, or as two if it crosses the date line. Undefined if it is malformed. */
export function parseBoxes(bbox: string): Box[] | undefined {
  const parts = bbox.split(',')
  if (parts.length !== 4 || parts.some((text) => !/^\s*[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?\s*$/i.test(text)))
    return undefined
  const [west, south, east, north] = parts.map(Number) as [number, number, number, number]
  if (Math.max(Math.abs(west), Math.abs(east)) > 180 || Math.max(Math.abs(south), Math.abs(north)) > 90)
    return undefined
  if (south > north) return undefined
  if (west <= east) return [{ west, south, east, north }]
  return [
    { west, south, east: 180, north },
    { west: -180, south, east, north },
  ]
}

export const WORLD: Box = { west: -180, south: -90, east: 180, north: 90 }

/** Assets counted together: their number and the sums of their coordinates in degrees. */
export interface Sum {
  count: number
  latitudes: number
  longitudes: number
}

export interface Cluster {
  readonly latitude: number
  readonly longitude: number
  readonly count: number
  readonly bbox: [west: number, south: number, east: number, north: number]
}

const between = (n: number, low: number, high: number): number => Math.min(high, Math.max(low, n))

/** Ten centimetres, the precision of the sums. */
const inMillionths = (degrees: number): number => Math.round(degrees * 1e6) / 1e6

/** `box`: the part of the cell that is in view. */
export const clusterOf = ({ count, latitudes, longitudes }: Sum, { west, south, east, north }: Box): Cluster => ({
  latitude: between(inMillionths(latitudes / count), south, north),
  longitude: between(inMillionths(longitudes / count), west, east),
  count,
  bbox: [west, south, east, north],
})
