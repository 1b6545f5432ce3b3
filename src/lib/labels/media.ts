/** The labels that printers have: rolls, tapes, sheets. All lengths are in millimetres, with one decimal. */

export const MEDIA_TYPES = ['SHEET', 'ROLL', 'TAPE'] as const
export type MediaType = (typeof MEDIA_TYPES)[number]

/** Width and height. */
export const PAPERS = { A4: [210, 297], LETTER: [215.9, 279.4] } as const
export type Paper = keyof typeof PAPERS

export interface Media {
  readonly type: MediaType
  /** Of a built-in medium. */
  readonly key?: string | undefined
  /** Of a label. Those of a tape are both its width; the length is that of the contents. */
  readonly width: number
  readonly height: number
  /** Of sheets only, as all up to `gapY`. */
  readonly paper?: Paper | undefined
  readonly columns?: number | undefined
  readonly rows?: number | undefined
  readonly marginTop?: number | undefined
  readonly marginLeft?: number | undefined
  readonly gapX?: number | undefined
  readonly gapY?: number | undefined
  /** Of tapes only. */
  readonly minLength?: number | undefined
  readonly maxLength?: number | undefined
}

export interface BuiltInMedia extends Media {
  readonly key: string
  readonly name: string
}

const roll = (key: string, name: string, width: number, height: number): BuiltInMedia => ({
  key,
  name: `${name} ${width} × ${height} mm`,
  type: 'ROLL',
  width,
  height,
})

const tape = (key: string, name: string, width: number): BuiltInMedia => ({
  key: `${key}-${width}`,
  name: `${name} ${width} mm`,
  type: 'TAPE',
  width,
  height: width,
  minLength: key === 'dk' ? 25 : 15,
  maxLength: key === 'dk' ? 300 : 150,
})

type Grid = readonly [columns: number, rows: number]
type Pair = readonly [horizontal: number, vertical: number]

function sheet(key: string, name: string, paper: Paper, grid: Grid, size: Pair, gap: Pair, margin: Pair): BuiltInMedia {
  const [width, height] = size
  return {
    key,
    name: `${name} ${width} × ${height} mm`,
    type: 'SHEET',
    width,
    height,
    paper,
    columns: grid[0],
    rows: grid[1],
    marginTop: margin[1],
    marginLeft: margin[0],
    gapX: gap[0],
    gapY: gap[1],
  }
}

const tenth = (length: number): number => Math.floor(length * 10 + 1e-6) / 10

/** Plain paper, cut by hand: equal labels within a border. */
function grid(paper: Paper, columns: number, rows: number, border: Pair): BuiltInMedia {
  const [width, height] = PAPERS[paper]
  const size = [tenth((width - 2 * border[0]) / columns), tenth((height - 2 * border[1]) / rows)] as const
  const margin = [tenth((width - columns * size[0]) / 2), tenth((height - rows * size[1]) / 2)] as const
  const key = `grid-${columns}x${rows}${paper === 'A4' ? '' : '-letter'}`
  return sheet(
    key,
    `${paper === 'A4' ? 'A4' : 'Letter'} ${columns} × ${rows},`,
    paper,
    [columns, rows],
    size,
    [0, 0],
    margin,
  )
}

const GRIDS: readonly (readonly [columns: number, rows: number, border: Pair])[] = [
  [1, 1, [15, 15]],
  [2, 2, [10, 10]],
  [2, 4, [5, 13]],
  [3, 7, [7, 15]],
  [3, 8, [0, 0]],
  [4, 10, [8, 13]],
  [5, 13, [5, 11]],
]

export const BUILT_IN: readonly BuiltInMedia[] = [
  roll('roll-25x10', 'Roll', 25, 10),
  roll('roll-30x20', 'Roll', 30, 20),
  roll('roll-40x20', 'Roll', 40, 20),
  roll('roll-40x30', 'Roll', 40, 30),
  roll('roll-50x25', 'Roll', 50, 25),
  roll('roll-50x30', 'Roll', 50, 30),
  roll('roll-100x50', 'Roll', 100, 50),
  roll('roll-102x152', 'Roll', 102, 152),
  roll('dymo-11354', 'Dymo 11354,', 57, 32),
  roll('dymo-11352', 'Dymo 11352,', 54, 25),
  roll('dymo-99012', 'Dymo 99012,', 89, 36),
  roll('dk-62x29', 'Brother DK', 62, 29),
  roll('dk-90x29', 'Brother DK', 90, 29),
  roll('dk-54x17', 'Brother DK', 54, 17),
  roll('dk-62x100', 'Brother DK', 62, 100),
  roll('dk-23x23', 'Brother DK', 23, 23),
  ...[3.5, 6, 9, 12, 18, 24, 36].map((width) => tape('tze', 'Brother TZe', width)),
  ...[12, 29, 38, 50, 54, 62, 102].map((width) => tape('dk', 'Brother DK', width)),
  sheet('avery-l7160', 'Avery L7160,', 'A4', [3, 7], [63.5, 38.1], [2.5, 0], [7.2, 15.1]),
  sheet('avery-l7163', 'Avery L7163,', 'A4', [2, 7], [99.1, 38.1], [2.5, 0], [4.7, 15.1]),
  sheet('avery-l7651', 'Avery L7651,', 'A4', [5, 13], [38.1, 21.2], [2.5, 0], [4.7, 10.7]),
  sheet('avery-l4731', 'Avery L4731,', 'A4', [7, 27], [25.4, 10], [2.5, 0], [8.6, 13.5]),
  sheet('avery-5160', 'Avery 5160,', 'LETTER', [3, 10], [66.7, 25.4], [3.1, 0], [4.8, 12.7]),
  sheet('avery-5163', 'Avery 5163,', 'LETTER', [2, 5], [101.6, 50.8], [4.7, 0], [4, 12.7]),
  sheet('avery-22806', 'Avery 22806,', 'LETTER', [3, 4], [50.8, 50.8], [15.9, 14.8], [15.9, 15.9]),
  ...(['A4', 'LETTER'] as const).flatMap((paper) =>
    GRIDS.map(([columns, rows, border]) => grid(paper, columns, rows, border)),
  ),
]

/** Of one sheet; 1 for rolls and tapes. */
export const labelsPerSheet = ({ columns = 1, rows = 1 }: Media): number => columns * rows

/** The upper left corner of the label with this number on a sheet, the first is 0. */
export function placeOnSheet(media: Media, index: number): { readonly x: number; readonly y: number } {
  const { width, height, columns = 1, marginLeft = 0, marginTop = 0, gapX = 0, gapY = 0 } = media
  return {
    x: marginLeft + (index % columns) * (width + gapX),
    y: marginTop + Math.floor(index / columns) * (height + gapY),
  }
}

/** The right and the lower edge of the last label are further than this outside of the paper: they cannot be printed. */
const TOLERANCE = 0.15

/** Whether all labels of a sheet are on its paper. */
export function isOnPaper(media: Media): boolean {
  const { paper = 'A4', width, height } = media
  const last = placeOnSheet(media, labelsPerSheet(media) - 1)
  return last.x + width <= PAPERS[paper][0] + TOLERANCE && last.y + height <= PAPERS[paper][1] + TOLERANCE
}
