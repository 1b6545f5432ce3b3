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
  for (const { paint, path } of scene.shapes) {
    const area = boundsOf(path, scale, width, height)
    blend({ width, height, rgba }, area, coverage(path, scale, area), colorsOf(paint, scale))
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

/** Whole pixels. `right` and `bottom` are outside. */
interface Area {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}

/** The pixels that a path may touch. */
function boundsOf(path: Path, scale: number, width: number, height: number): Area {
  let [left, top, right, bottom] = [Infinity, Infinity, 0, 0]
  for (const command of path)
    for (let i = 1; i + 1 < command.length; i += 2) {
      left = Math.min(left, command[i] as number)
      right = Math.max(right, command[i] as number)
      top = Math.min(top, command[i + 1] as number)
      bottom = Math.max(bottom, command[i + 1] as number)
    }
  return {
    left: Math.max(0, Math.floor(left * scale)),
    top: Math.max(0, Math.floor(top * scale)),
    right: Math.min(width, Math.ceil(right * scale)),
    bottom: Math.min(height, Math.ceil(bottom * scale)),
  }
}

/**
 * For each pixel of `area` the difference between its coverage and that of the pixel to its left. A row has two numbers more than pixels,
 * for edges at its right end.
 */
function coverage(path: Path, scale: number, { left, top, right, bottom }: Area): Float32Array {
  const [width, height] = [Math.max(0, right - left), Math.max(0, bottom - top)]
  const covered = new Float32Array((width + 2) * height)
  let [x, y, startX, startY] = [0, 0, 0, 0]
  const to = (nextX: number, nextY: number): void => {
    if (y !== nextY) edge(covered, width, height, x, y, nextX, nextY)
    x = nextX
    y = nextY
  }
  for (const command of path) {
    if (command[0] === 'Z') to(startX, startY)
    else if (command[0] === 'M') {
      x = startX = command[1] * scale - left
      y = startY = command[2] * scale - top
    } else if (command[0] === 'L') to(command[1] * scale - left, command[2] * scale - top)
    else {
      const [x0, y0] = [x, y]
      const [, x1, y1, x2, y2, x3, y3] = command as Curve
      for (let i = 1; i <= CURVE_LINES; i++) {
        const t = i / CURVE_LINES
        const s = 1 - t
        const a = s * s * s
        const b = 3 * s * s * t * scale
        const c = 3 * s * t * t * scale
        const d = t * t * t * scale
        to(a * x0 + b * x1 + c * x2 + d * x3 - (1 - a) * left, a * y0 + b * y1 + c * y2 + d * y3 - (1 - a) * top)
      }
    }
  }
  return covered
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
  const isDown = y0 < y1
  const sign = isDown ? -1 : 1
  const topX = isDown ? x0 : x1
  const topY = isDown ? y0 : y1
  const bottomY = isDown ? y1 : y0
  const slope = ((isDown ? x1 : x0) - topX) / (bottomY - topY)
  const lastRow = Math.min(height, Math.ceil(bottomY))
  for (let row = Math.max(0, Math.floor(topY)); row < lastRow; row++) {
    const from = Math.max(topY, row)
    const until = Math.min(bottomY, row + 1)
    const a = topX + (from - topY) * slope
    const b = topX + (until - topY) * slope
    crossing(covered, row * (width + 2), width, Math.min(a, b), Math.max(a, b), (until - from) * sign)
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
  const a = Math.min(Math.max(left, 0), width)
  const b = Math.min(Math.max(right, 0), width)
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
    const from = Math.max(a, pixel)
    const until = Math.min(b, pixel + 1)
    const area = (part * (from - a + (until - from) * (pixel + 1 - (from + until) / 2))) / (b - a)
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

function blend({ width, rgba }: Pixels, area: Area, covered: Float32Array, colors: Colors): void {
  const words = new Uint32Array(rgba.buffer)
  const { left, top, right, bottom } = area
  for (let y = top; y < bottom; y++) {
    let sum = 0
    let at = (y - top) * (right - left + 2)
    for (let x = left; x < right; x++) {
      sum += covered[at++]!
      // Sums of numbers that should be exactly 0 or 1 differ a little.
      if (sum < 0.002) continue
      const color = colors(x + 0.5, y + 0.5)
      if (sum > 0.998) words[y * width + x] = opaque(color)
      else mix(rgba, (y * width + x) * 4, color, sum)
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
