/** Pictures as cameras see them: small, blurred, turned, pale and noisy. The same input gives the same pixels. */

import type { Look } from './look.ts'
import { type Pictures, type Pixels, rasterOf } from './raster.ts'
import { sceneOf } from './scene.ts'
import type { DesignSymbol } from './symbol.ts'

/** A byte for each pixel, row by row; 0 is black. */
export interface Grey {
  readonly width: number
  readonly height: number
  readonly values: Uint8Array
}

/** In the order in which they are tried. */
export const CONDITIONS = ['MEDIUM', 'SMALL', 'BLURRED', 'TURNED', 'PALE', 'NOISY', 'LARGE'] as const
export type Condition = (typeof CONDITIONS)[number]

/** Pixels of a module. */
const SCALES = { LARGE: 8, MEDIUM: 4, SMALL: 2.5 } as const
/**
 * Standard deviation of the blur, in modules: the half-width of a point is then 0.94 modules. At 0.6, ZXing does not read a plain black
 * code either.
 */
const BLUR = 0.4
const DEGREES = 15
/** Part of the pixels. */
const NOISE = 0.05

/**
 * Modules by which a code is moved on the pixels. Near its limits, a reader finds a code or not by the pixels that the edges of modules meet:
 * a camera sees them a little aside in its next picture, so each condition has three pictures.
 */
export const SHIFTS = [0, 0.6, 0.1] as const

/** The pictures of a symbol under each condition, at one place on the pixels. */
export function viewsOf(
  symbol: DesignSymbol,
  look: Look,
  pictures: Pictures,
  shift: (typeof SHIFTS)[number] = 0,
): (condition: Condition) => Grey {
  const scene = lazy(() => sceneOf(symbol, look, { shift }))
  const at = (scale: number): Grey => greyOf(rasterOf(scene(), scale, pictures))
  const medium = lazy(() => at(SCALES.MEDIUM))
  const views: Readonly<Record<Condition, () => Grey>> = {
    LARGE: () => at(SCALES.LARGE),
    MEDIUM: medium,
    SMALL: () => at(SCALES.SMALL),
    BLURRED: () => blurred(medium(), BLUR * SCALES.MEDIUM),
    TURNED: () => turned(medium(), DEGREES),
    PALE: () => paler(medium()),
    NOISY: () => withoutSpecks(noisy(medium(), NOISE)),
  }
  return (condition) => views[condition]()
}

function lazy<T extends object>(make: () => T): () => T {
  let made: T | undefined
  return () => (made ??= make())
}

/** With the weights of ZXing. */
export function greyOf({ width, height, rgba }: Pixels): Grey {
  const values = new Uint8Array(width * height)
  for (let i = 0, at = 0; i < values.length; i++, at += 4)
    values[i] = (306 * rgba[at]! + 601 * rgba[at + 1]! + 117 * rgba[at + 2]! + 512) >> 10
  return { width, height, values }
}

/** Gaussian blur. `sigma` in pixels. */
export function blurred({ width, height, values }: Grey, sigma: number): Grey {
  const reach = Math.ceil(sigma * 3)
  const weights = Float32Array.from({ length: 2 * reach + 1 }, (_, i) =>
    Math.exp(-((i - reach) ** 2) / (2 * sigma * sigma)),
  )
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  const pass = (from: Uint8Array, count: number, length: number, next: number, line: number): Uint8Array => {
    const to = new Uint8Array(from.length)
    for (let i = 0; i < count; i++)
      for (let j = 0; j < length; j++) {
        let sum = 0
        for (let k = -reach; k <= reach; k++)
          sum += from[i * line + Math.min(length - 1, Math.max(0, j + k)) * next]! * weights[k + reach]!
        to[i * line + j * next] = Math.round(sum / total)
      }
    return to
  }
  const across = pass(values, height, width, 1, width)
  return { width, height, values: pass(across, width, height, width, 1) }
}

/** Turned clockwise around the centre, on white. */
export function turned({ width, height, values }: Grey, degrees: number): Grey {
  const [sin, cos] = [Math.sin((degrees / 180) * Math.PI), Math.cos((degrees / 180) * Math.PI)]
  const w = Math.ceil(width * Math.abs(cos) + height * Math.abs(sin))
  const h = Math.ceil(width * Math.abs(sin) + height * Math.abs(cos))
  const to = new Uint8Array(w * h).fill(255)
  for (let y = 0; y < h; y++)
    for (let x = 0; x < w; x++) {
      const [dx, dy] = [x + 0.5 - w / 2, y + 0.5 - h / 2]
      const sx = dx * cos + dy * sin + width / 2 - 0.5
      const sy = dy * cos - dx * sin + height / 2 - 0.5
      if (sx < 0 || sy < 0 || sx >= width - 1 || sy >= height - 1) continue
      const [left, top] = [Math.floor(sx), Math.floor(sy)]
      const [right, down] = [sx - left, sy - top]
      const at = top * width + left
      const upper = values[at]! * (1 - right) + values[at + 1]! * right
      const lower = values[at + width]! * (1 - right) + values[at + width + 1]! * right
      to[y * w + x] = Math.round(upper * (1 - down) + lower * down)
    }
  return { width: w, height: h, values: to }
}

const MIDDLE = 128

/** All values half as far from the middle. */
const paler = ({ width, height, values }: Grey): Grey => ({
  width,
  height,
  values: values.map((value) => (value + MIDDLE) >> 1),
})

/** Black or white in a `share` of the pixels. */
export function noisy({ width, height, values }: Grey, share: number): Grey {
  const to = values.slice()
  // Xorshift: noise that is the same each time.
  let state = 0x9e3779b9
  const random = (): number => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 2 ** 32
  }
  for (let at = 0; at < to.length; at++) if (random() < share) to[at] = random() < 0.5 ? 0 : 255
  return { width, height, values: to }
}

/** The median of each pixel and its neighbours, as cameras remove noise. ZXing itself does not read a plain black code with it. */
function withoutSpecks({ width, height, values }: Grey): Grey {
  const to = values.slice()
  const near = new Uint8Array(9)
  for (let y = 1; y < height - 1; y++)
    for (let x = 1; x < width - 1; x++) {
      const at = y * width + x
      for (let row = -1, i = 0; row <= 1; row++)
        for (let column = -1; column <= 1; column++) near[i++] = values[at + row * width + column]!
      to[at] = near.sort()[4]!
    }
  return { width, height, values: to }
}
