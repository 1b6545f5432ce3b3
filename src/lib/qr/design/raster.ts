/** Draws a scene as pixels. Edges are exact: a pixel has as much of a shape's colour as the shape covers of it. */

import { colourOf } from '../layout.ts'
import type { Command, Path } from './outline.ts'
import type { Paint, Place, Scene } from './scene.ts'

/** Four bytes for each pixel, row by row: red, green, blue, alpha. */
export interface Pixels {
  readonly width: number
  readonly height: number
  readonly rgba: Uint8Array
}

export interface Pictures {
  readonly logo?: Pixels | undefined
  readonly strip?: Pixels | undefined
}

/** `scale`: pixels of a module. The places of absent pictures stay empty. The result is opaque. */
export function rasterOf(scene: Scene, scale: number, pictures: Pictures = {}): Pixels {
  const width = Math.round(scene.width * scale)
  const height = Math.round(scene.height * scale)
  const rgba = new Uint8Array(width * height * 4)
  new Uint32Array(rgba.buffer).fill(opaque(colourOf(scene.bg)))
  // A row ends with two numbers that are not pixels, for edges at the right border.
  const covered = new Float32Array((width + 2) * height)
  for (const { paint, path } of scene.shapes) {
    covered.fill(0)
    cover(covered, width, height, path, scale)
    blend({ width, height, rgba }, covered, colorsOf(paint, scale))
  }
  if (scene.logo && pictures.logo) place({ width, height, rgba }, pictures.logo, scene.logo, scale)
  if (scene.strip && pictures.strip) place({ width, height, rgba }, pictures.strip, scene.strip, scale)
  return { width, height, rgba }
}

/** As a word of four bytes, the lowest first. */
const opaque = (color: number): number => (0xff000000 | ((color & 255) << 16) | (color & 0xff00) | (color >> 16)) >>> 0

/** Lines that replace a curve. A corner has a radius of half a module as a rule, of a few pixels. */
const CURVE_LINES = 6

type Curve = Extract<Command, readonly ['C', ...number[]]>

/** Adds the change of the coverage from each pixel to the next one in its row. */
function cover(covered: Float32Array, width: number, height: number, path: Path, scale: number): void {
  let [x, y, startX, startY] = [0, 0, 0, 0]
  const to = (nextX: number, nextY: number): void => {
    if (y !== nextY) edge(covered, width, height, x, y, nextX, nextY)
    x = nextX
    y = nextY
  }
  for (const command of path) {
    if (command[0] === 'Z') to(startX, startY)
    else if (command[0] === 'M') {
      x = startX = command[1] * scale
      y = startY = command[2] * scale
    } else if (command[0] === 'L') to(command[1] * scale, command[2] * scale)
    else {
      const [x0, y0] = [x, y]
      const [, x1, y1, x2, y2, x3, y3] = command as Curve
      for (let i = 1; i <= CURVE_LINES; i++) {
        const t = i / CURVE_LINES
        const s = 1 - t
        const [a, b, c, d] = [s * s * s, 3 * s * s * t, 3 * s * t * t, t * t * t]
        to(a * x0 + (b * x1 + c * x2 + d * x3) * scale, a * y0 + (b * y1 + c * y2 + d * y3) * scale)
      }
    }
  }
}

/** One edge: in each row it crosses, the pixels right of it are covered by the part of the row's height that it crosses. */
function edge(
  covered: Float32Array,
  width: number,
  height: number,
  x0: number,
  y0: number,
  x1: number,
  y1: number,
): void {
  const sign = y0 < y1 ? -1 : 1
  const [topX, topY, bottomX, bottomY] = y0 < y1 ? [x0, y0, x1, y1] : [x1, y1, x0, y0]
  const slope = (bottomX - topX) / (bottomY - topY)
  const lastRow = Math.min(height, Math.ceil(bottomY))
  for (let row = Math.max(0, Math.floor(topY)); row < lastRow; row++) {
    const from = Math.max(topY, row)
    const until = Math.min(bottomY, row + 1)
    const part = (until - from) * sign
    const a = topX + (from - topY) * slope
    const b = topX + (until - topY) * slope
    crossing(covered, row * (width + 2), width, Math.min(a, b), Math.max(a, b), part)
  }
}

function crossing(
  covered: Float32Array,
  start: number,
  width: number,
  left: number,
  right: number,
  part: number,
): void {
  const [a, b] = [Math.min(Math.max(left, 0), width), Math.min(Math.max(right, 0), width)]
  const first = Math.floor(a)
  const last = Math.ceil(b)
  if (last <= first + 1) {
    // Within one pixel: of that, the part right of the middle of the edge.
    const middle = (a + b) / 2 - first
    covered[start + first]! += part * (1 - middle)
    covered[start + first + 1]! += part * middle
    return
  }
  let before = 0
  for (let pixel = first; pixel < last; pixel++) {
    // The area right of the edge within the pixel, of a row that the edge crosses from `a` to `b`.
    const [from, until] = [Math.max(a, pixel), Math.min(b, pixel + 1)]
    const passed = (from - a) / (b - a)
    const here = (until - from) / (b - a)
    const area = part * (passed + here * (pixel + 1 - (from + until) / 2))
    covered[start + pixel]! += area - before
    before = area
  }
  covered[start + last]! += part - before
}

type Colors = (x: number, y: number) => number

function colorsOf(paint: Paint, scale: number): Colors {
  const first = colourOf(paint.color)
  if (paint.kind === 'plain') return () => first
  const last = colourOf(paint.to)
  if (paint.kind === 'RADIAL') {
    const [cx, cy, radius] = [paint.x * scale, paint.y * scale, paint.radius * scale]
    return (x, y) => mixed(first, last, Math.min(1, Math.hypot(x - cx, y - cy) / radius))
  }
  const [dx, dy] = [paint.x2 - paint.x1, paint.y2 - paint.y1]
  const length = (dx * dx + dy * dy) * scale
  return (x, y) => {
    const t = ((x - paint.x1 * scale) * dx + (y - paint.y1 * scale) * dy) / length
    return mixed(first, last, Math.min(1, Math.max(0, t)))
  }
}

function mixed(a: number, b: number, share: number): number {
  const channel = (shift: number): number => {
    const from = (a >> shift) & 255
    return Math.round(from + (((b >> shift) & 255) - from) * share) << shift
  }
  return channel(16) | channel(8) | channel(0)
}

function blend({ width, height, rgba }: Pixels, covered: Float32Array, colors: Colors): void {
  for (let y = 0, at = 0; y < height; y++) {
    let sum = 0
    const start = y * (width + 2)
    for (let x = 0; x < width; x++, at++) {
      sum += covered[start + x]!
      // Below, differences of numbers that should be equal.
      if (sum < 0.002) continue
      mix(rgba, at * 4, colors(x + 0.5, y + 0.5), sum > 0.998 ? 1 : sum)
    }
  }
}

function mix(rgba: Uint8Array, at: number, color: number, share: number): void {
  for (let i = 0; i < 3; i++) {
    const under = rgba[at + i]!
    rgba[at + i] = Math.round(under + (((color >> (16 - 8 * i)) & 255) - under) * share)
  }
}

/** Draws all of a picture into `target`. A pixel has the mean colour of the part of the picture that falls on it. */
function place({ width, height, rgba }: Pixels, picture: Pixels, target: Place, scale: number): void {
  const left = target.x * scale
  const top = target.y * scale
  const [stepX, stepY] = [picture.width / (target.width * scale), picture.height / (target.height * scale)]
  const end = (start: number, length: number, limit: number): number =>
    Math.min(limit, Math.round(start + length * scale))
  for (let y = Math.max(0, Math.round(top)); y < end(top, target.height, height); y++)
    for (let x = Math.max(0, Math.round(left)); x < end(left, target.width, width); x++) {
      const [from, until] = span((x - left) * stepX, stepX, picture.width)
      const [first, last] = span((y - top) * stepY, stepY, picture.height)
      let [red, green, blue, alpha] = [0, 0, 0, 0]
      for (let row = first; row < last; row++)
        for (let column = from; column < until; column++) {
          const at = (row * picture.width + column) * 4
          const opacity = picture.rgba[at + 3]!
          red += picture.rgba[at]! * opacity
          green += picture.rgba[at + 1]! * opacity
          blue += picture.rgba[at + 2]! * opacity
          alpha += opacity
        }
      if (alpha === 0) continue
      const color = (Math.round(red / alpha) << 16) | (Math.round(green / alpha) << 8) | Math.round(blue / alpha)
      mix(rgba, (y * width + x) * 4, color, alpha / (255 * (until - from) * (last - first)))
    }
}

/** The pixels of a picture from `start` on, one at least. */
function span(start: number, length: number, limit: number): [from: number, until: number] {
  const from = Math.min(limit - 1, Math.max(0, Math.floor(start)))
  return [from, Math.min(limit, Math.max(from + 1, Math.round(start + length)))]
}
