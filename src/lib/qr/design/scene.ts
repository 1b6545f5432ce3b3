/** All parts of a picture, in the unit of a module. SVG, PDF and pixels are made from the same scene, so they show the same. */

import { alignmentCentres } from '../spec.ts'
import type { Look } from './look.ts'
import { outline, type Path, roundedBox, roundedSquare } from './outline.ts'
import type { DesignSymbol } from './symbol.ts'

/** Colours are six hex digits. Coordinates are those of the scene. */
export type Paint =
  | { readonly kind: 'plain'; readonly color: string }
  | {
      readonly kind: 'LINEAR'
      readonly color: string
      readonly to: string
      readonly x1: number
      readonly y1: number
      readonly x2: number
      readonly y2: number
    }
  | {
      readonly kind: 'RADIAL'
      readonly color: string
      readonly to: string
      readonly x: number
      readonly y: number
      readonly radius: number
    }

export interface Shape {
  readonly paint: Paint
  readonly path: Path
}

/** Where a picture is drawn, all of it. */
export interface Place {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

export interface Scene {
  readonly width: number
  readonly height: number
  readonly bg: string
  /** From the bottom to the top. They lie above the background, and the pictures above them. */
  readonly shapes: readonly Shape[]
  readonly logo: Place | null
  readonly strip: Place | null
}

export interface SceneOptions {
  /** Without the frame. */
  readonly frameless?: boolean
  /**
   * Pixels of the width. Modules then have a whole number of pixels, so that their edges are sharp, and the margin has the rest.
   * `fitPixels` says how many.
   */
  readonly pixels?: number
  /** Modules by which the margin is wider to the left and above, without `pixels`. 0 by default. */
  readonly shift?: number
}

/** Of the scene's width: the height of a frame without a strip, and the limits of that with one. */
const BAR = 0.16
const BAR_LIMITS = [0.1, 0.3] as const
/** Room around the strip, of the scene's width. */
const BAR_PADDING = 0.02
const EYE = 7
/** Dots nearly touch, because readers look for dark in the middle and need some around it. */
const DOT_RADIUS = 0.46
const ROUND = 0.5
/** Radii of the ring, the hole and the core of an eye. */
const EYE_RADII = { SQUARE: [0, 0, 0], ROUNDED: [2.2, 1.4, 1], CIRCLE: [3.5, 2.5, 1.5] } as const

/** Pixels of a module, and of the margin to the left of and above the code. Zero pixels if the picture is too small. */
export function fitPixels(side: number, margin: number, pixels: number): { scale: number; offset: number } {
  const scale = Math.floor(pixels / (side + 2 * margin))
  return { scale, offset: (pixels - scale * side) >> 1 }
}

export function sceneOf(
  symbol: DesignSymbol,
  look: Look,
  { frameless = false, pixels, shift = 0 }: SceneOptions = {},
): Scene {
  const { side } = symbol.matrix
  let [unit, width, left] = [0, side + 2 * look.margin + shift, look.margin + shift]
  if (pixels !== undefined) {
    const { scale, offset } = fitPixels(side, look.margin, pixels)
    ;[unit, width, left] = [scale, pixels / scale, offset / scale]
  }
  const bar = look.frame === null || frameless ? 0 : barHeight(look.frame.strip, width, unit)
  const isAbove = look.frame?.position === 'ABOVE'
  const top = left + (isAbove ? bar : 0)
  const shapes = codeShapes(symbol, look, left, top)
  const barTop = isAbove ? 0 : width
  if (bar > 0)
    shapes.push({
      paint: { kind: 'plain', color: look.frame!.color ?? look.fg },
      path: roundedBox(0, barTop, width, bar, 0),
    })
  return {
    width,
    height: width + bar,
    bg: look.bg,
    shapes,
    logo: symbol.logo && { ...symbol.logo, x: symbol.logo.x + left, y: symbol.logo.y + top },
    strip: bar > 0 && look.frame!.strip ? stripPlace(look.frame!.strip, width, barTop, bar) : null,
  }
}

type Size = { readonly width: number; readonly height: number }

function barHeight(strip: Size | null, width: number, unit: number): number {
  const wished = strip === null ? BAR : (strip.height / strip.width) * (1 - 2 * BAR_PADDING) + 2 * BAR_PADDING
  const height = Math.min(Math.max(wished, BAR_LIMITS[0]), BAR_LIMITS[1]) * width
  return unit === 0 ? height : Math.round(height * unit) / unit
}

function stripPlace(strip: Size, width: number, top: number, bar: number): Place {
  const padding = BAR_PADDING * width
  const scale = Math.min((width - 2 * padding) / strip.width, (bar - 2 * padding) / strip.height)
  const [w, h] = [strip.width * scale, strip.height * scale]
  return { x: (width - w) / 2, y: top + (bar - h) / 2, width: w, height: h }
}

function codeShapes({ matrix, cleared }: DesignSymbol, look: Look, left: number, top: number): Shape[] {
  const { side, version } = matrix
  const dark = matrix.modules.map((module, i) => (cleared[i] === 1 ? 0 : module))
  const eyes: Path[] = []
  for (const [x, y] of [
    [0, 0],
    [side - EYE, 0],
    [0, side - EYE],
  ] as const) {
    eyes.push(eye(left + x, top + y, look.eyes))
    for (let row = y; row < y + EYE; row++) dark.fill(0, row * side + x, row * side + x + EYE)
  }
  const paint = modulePaint(look, side, left, top)
  const shape =
    look.modules === 'DOTS' ? dots(dark, side, version) : outline(dark, side, look.modules === 'ROUNDED' ? ROUND : 0)
  const modules = moved(shape, left, top)
  if (look.eyeColor === null) return [{ paint, path: [...modules, ...eyes.flat()] }]
  const color = look.eyeColor
  return [{ paint, path: modules }, ...eyes.map((path): Shape => ({ paint: { kind: 'plain', color }, path }))]
}

const moved = (path: Path, dx: number, dy: number): Path =>
  path.map((command) =>
    command.map((value, i) => (typeof value === 'string' ? value : value + (i % 2 === 1 ? dx : dy))),
  ) as unknown as Path

function eye(x: number, y: number, shape: Look['eyes']): Path {
  const [ring, hole, core] = EYE_RADII[shape]
  return [
    ...roundedSquare(x, y, EYE, ring),
    ...roundedSquare(x + 1, y + 1, EYE - 2, hole, true),
    ...roundedSquare(x + 2, y + 2, EYE - 4, core),
  ]
}

/** Alignment patterns stay in one piece: readers follow their rings. */
function dots(dark: Uint8Array, side: number, version: number): Path {
  const solid = new Uint8Array(dark.length)
  const centres = alignmentCentres(version)
  for (const cy of centres)
    for (const cx of centres)
      // Those in the corners would meet an eye and do not exist.
      if (Math.max(cx, cy) > 6 && cx + cy !== 6 + centres.at(-1)!)
        for (let y = cy - 2; y <= cy + 2; y++) for (let x = cx - 2; x <= cx + 2; x++) solid[y * side + x] = 1
  const path = outline(
    dark.map((module, i) => module & solid[i]!),
    side,
    ROUND,
  )
  for (let y = 0; y < side; y++)
    for (let x = 0; x < side; x++)
      if (dark[y * side + x] === 1 && solid[y * side + x] === 0)
        path.push(...roundedSquare(x + 0.5 - DOT_RADIUS, y + 0.5 - DOT_RADIUS, 2 * DOT_RADIUS, DOT_RADIUS))
  return path
}

function modulePaint({ fg, gradient }: Look, side: number, left: number, top: number): Paint {
  if (gradient === null) return { kind: 'plain', color: fg }
  const [x, y] = [left + side / 2, top + side / 2]
  const { to } = gradient
  if (gradient.type === 'RADIAL') return { kind: 'RADIAL', color: fg, to, x, y, radius: side * Math.SQRT1_2 }
  const angle = (gradient.angle / 180) * Math.PI
  // From edge to edge, so that both colours are reached in the corners.
  const half = (side / 2) * (Math.abs(Math.cos(angle)) + Math.abs(Math.sin(angle)))
  const [dx, dy] = [Math.cos(angle) * half, Math.sin(angle) * half]
  return { kind: 'LINEAR', color: fg, to, x1: x - dx, y1: y - dy, x2: x + dx, y2: y + dy }
}
