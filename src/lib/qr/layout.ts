import type { Matrix } from './encode.ts'

/** How a picture of a QR code looks. */
export interface Look {
  /** Width and height in pixels, 64–2048. */
  size: number
  /** Light modules around the code, 0–10; scanners want 4. */
  margin: number
  /** Colours of dark and light modules, six hex digits. */
  fg: string
  bg: string
}

/** A picture of `size` pixels has less than one pixel for each of the `modules` a side (margin included). */
export class QrTooSmall extends Error {
  override readonly name = 'QrTooSmall'
  constructor(
    readonly size: number,
    readonly modules: number,
  ) {
    super(`The QR code needs at least ${modules} pixels, ${size} are too few`)
  }
}

export interface Layout {
  /** Pixels a side of each module, at least 1. */
  scale: number
  /** Pixels left of and above the code; the margin and what whole modules leave over. */
  offset: number
}

/** Whole pixels a module, so that every edge is sharp; the code is centred and the background takes the rest. Throws QrTooSmall. */
export function layoutOf(matrix: Matrix, size: number, margin: number): Layout {
  const modules = matrix.side + 2 * margin
  const scale = Math.floor(size / modules)
  if (scale < 1) throw new QrTooSmall(size, modules)
  return { scale, offset: (size - scale * matrix.side) >> 1 }
}

/** 0xRRGGBB of six hex digits. */
export const colourOf = (hex: string): number => Number.parseInt(hex, 16)
