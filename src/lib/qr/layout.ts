import type { Matrix } from './encode.ts'

/** The appearance of a picture. */
export interface Look {
  /** Width and height in pixels, 64–2048. */
  size: number
  /** Light modules around the code, 0–10; the standard asks for 4. */
  margin: number
  /** Colours of dark and light modules, six hex digits. */
  fg: string
  bg: string
}

/** `size` pixels are fewer than the `modules` per side, margin included. */
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
  /** Pixels per side of a module, at least 1. */
  scale: number
  /** Pixels to the left of and above the code: the margin and the remainder of the division into whole modules. */
  offset: number
}

/** A module has a whole number of pixels, so that edges are sharp. The code is centred on the background. @throws QrTooSmall */
export function layoutOf(matrix: Matrix, size: number, margin: number): Layout {
  const modules = matrix.side + 2 * margin
  const scale = Math.floor(size / modules)
  if (scale < 1) throw new QrTooSmall(size, modules)
  return { scale, offset: (size - scale * matrix.side) >> 1 }
}

/** Parses six hex digits as 0xRRGGBB. */
export const colourOf = (hex: string): number => Number.parseInt(hex, 16)
