/**
 * Places a code, texts and a picture on a label. Lengths are in units of the target: millimetres for vectors, dots for bitmaps. y grows
 * downwards.
 */

import type { LabelContents, LabelProfile } from './profile.ts'
import { type CodeSymbol, isLinear, symbolsOf } from './symbols.ts'

/** How a target measures. */
export interface Metrics {
  /** Units in a millimetre. */
  readonly perMm: number
  /** Whether a unit is a dot, which has one colour. */
  readonly isDots: boolean
  /** Of a module. */
  readonly leastModule: number
  /** Of a text. */
  readonly leastSize: number
  /** The size at which a text of at most `size` is drawn. */
  sizeOf(size: number): number
  widthOf(text: string, size: number): number
}

export interface Rectangle {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

export interface PlacedText {
  readonly text: string
  readonly x: number
  /** Upper edge of its line, which is `size` high. */
  readonly y: number
  readonly size: number
  readonly width: number
  readonly isBold: boolean
}

/** The parts of a label or a page, which are black. */
export interface Scene {
  readonly width: number
  readonly height: number
  /** Without the quiet zone. */
  readonly code?: (Rectangle & { readonly symbol: CodeSymbol }) | undefined
  readonly texts: readonly PlacedText[]
  readonly lines: readonly Rectangle[]
  /** Where the picture is. */
  readonly logo?: Rectangle | undefined
}

/** A code does not fit. The size is that of the smallest label on which it would, in millimetres; absent if no code can hold the content. */
export class LabelTooSmall extends Error {
  override readonly name = 'LabelTooSmall'
  constructor(readonly needs?: { readonly width: number; readonly height: number }) {
    super('The code does not fit on the label')
  }
}

/** Millimetres. */
const PADDING = 1
/** Of the shorter side, if that is less. */
const PADDING_PART = 0.04
const GAP = 1
const LARGEST_MODULE = 1.2
const LARGEST_BAR_MODULE = 0.5
const LEAST_BARS = 3
const MOST_BARS = 20
const LARGEST_TEXT = 4.5
const LARGEST_LOGO = 15
const LEAST_LOGO = 3
/** Narrower places have no text. */
const LEAST_TEXT_WIDTH = 4
/** Parts of the height of the text. */
const LINE = 1.2
const SHRINKS_TO = 0.7
const BORDER_MM = 0.25
const TAPE_STEP_MM = 0.5

interface Placed {
  readonly symbol: CodeSymbol
  readonly module: number
  readonly quiet: number
  /** With the quiet zone. */
  readonly width: number
  readonly height: number
}

export type LayoutProfile = Pick<LabelProfile, 'media' | 'symbology' | 'level' | 'placement' | 'border' | 'rotate'>

export interface Laid {
  /** Before it is turned, and after the scale. */
  readonly scene: Scene
  /** Of the label on paper, in millimetres. */
  readonly width: number
  readonly height: number
}

/** Of a picture, in pixels. */
export interface PictureSize {
  readonly width: number
  readonly height: number
}

/**
 * The scene of a label before it is turned: `width` is along the texts. `logo`: of the picture beside the code.
 * @throws LabelTooSmall
 */
export function layoutLabel(
  profile: LayoutProfile,
  contents: LabelContents,
  logo: PictureSize | undefined,
  metrics: Metrics,
  scale: { readonly x: number; readonly y: number } = { x: 1, y: 1 },
): Laid {
  const symbols = symbolsOf(contents.content, profile)
  const { media, rotate } = profile
  const size = (width: number, height: number) => {
    const [x, y] = [width * metrics.perMm * scale.x, height * metrics.perMm * scale.y]
    const [w, h] = rotate === 90 ? [y, x] : [x, y]
    return metrics.isDots ? { width: Math.round(w), height: Math.round(h) } : { width: w, height: h }
  }
  const draw = (width: number, height: number) => {
    const drawn = new Label(profile, contents, logo, metrics, symbols, size(width, height)).draw()
    return { ...drawn, width, height }
  }
  if (media.type !== 'TAPE') return draw(media.width, media.height)
  // The shortest length at which nothing is cut or smaller than it could be.
  const { minLength = 5, maxLength = 300 } = media
  let [low, high] = [0, Math.ceil((maxLength - minLength) / TAPE_STEP_MM)]
  const lengthAt = (step: number): number => Math.min(maxLength, minLength + step * TAPE_STEP_MM)
  while (low < high) {
    const middle = (low + high) >> 1
    if (isWhole(() => draw(lengthAt(middle), media.width))) high = middle
    else low = middle + 1
  }
  return draw(lengthAt(low), media.width)
}

function isWhole(draw: () => { readonly isWhole: boolean }): boolean {
  try {
    return draw().isWhole
  } catch (error) {
    if (error instanceof LabelTooSmall) return false
    throw error
  }
}

class Label {
  readonly #padding: number
  readonly #inner: Rectangle
  /** Whether nothing would be larger or longer on a longer tape. */
  #isWhole = true

  constructor(
    readonly profile: LayoutProfile,
    readonly contents: LabelContents,
    readonly logo: PictureSize | undefined,
    readonly metrics: Metrics,
    readonly symbols: readonly CodeSymbol[],
    readonly size: { readonly width: number; readonly height: number },
  ) {
    const { width, height } = size
    const free = Math.min(this.#mm(PADDING), Math.min(width, height) * PADDING_PART)
    this.#padding = this.#whole(profile.border ? Math.max(free, this.#mm(2 * BORDER_MM)) : free)
    const padding = this.#padding
    this.#inner = { x: padding, y: padding, width: width - 2 * padding, height: height - 2 * padding }
  }

  draw(): { readonly scene: Scene; readonly isWhole: boolean } {
    const { placement } = this.profile
    const texts = placement === 'ONLY' ? [] : this.contents.texts
    const isAlone = placement === 'ONLY' || (texts.length === 0 && this.logo === undefined)
    const parts = isAlone ? this.#alone() : this.#withTexts(texts)
    const lines = this.profile.border ? frame(this.size, this.#whole(this.#mm(BORDER_MM))) : []
    return { scene: { ...this.size, lines, ...parts }, isWhole: this.#isWhole }
  }

  #alone() {
    const { x, y, width, height } = this.#inner
    const code = this.#fit(width, height)
    return {
      code: this.#place(code, x + (width - code.width) / 2, y + (height - code.height) / 2),
      texts: [],
    }
  }

  #withTexts(texts: readonly string[]) {
    const isBeside = this.profile.placement === 'LEFT' && this.profile.symbology !== 'CODE_128'
    const { x, y, width, height } = this.#inner
    const gap = this.#whole(this.#mm(GAP))
    if (isBeside) {
      const code = this.#fit(width, height, width / 2, height)
      const at = x + code.width + gap
      const area = { x: at, y, width: x + width - at, height }
      return { code: this.#place(code, x, y + (height - code.height) / 2), ...this.#texts(area, texts, false) }
    }
    const lines = Math.max(1, texts.length) * this.#mm(LARGEST_TEXT) * LINE + gap
    const code = this.#fit(width, height, width, Math.max(height * 0.4, height - lines))
    // Where the texts have to be smaller, the code is at the upper edge.
    const at = y + code.height + gap
    const area = { x, y: at, width, height: y + height - at }
    return { code: this.#place(code, x + (width - code.width) / 2, y), ...this.#texts(area, texts, true) }
  }

  get #isTurned(): boolean {
    return this.profile.rotate === 90
  }

  /** A frame near the code disturbs readers. */
  #leastQuiet({ quiet, leastQuiet }: CodeSymbol): number {
    return this.profile.border ? quiet : leastQuiet
  }

  #mm(length: number): number {
    return length * this.metrics.perMm
  }

  #whole(length: number): number {
    return this.metrics.isDots ? Math.round(length) : length
  }

  /** The largest code within the preferred size; if there is none, the smallest within the possible one. @throws LabelTooSmall */
  #fit(width: number, height: number, preferredWidth = width, preferredHeight = height): Placed {
    const preferred = this.#largest(preferredWidth, preferredHeight)
    const ideal = this.#isTurned ? this.#largest(preferredWidth, Infinity) : this.#largest(Infinity, preferredHeight)
    if (preferred === undefined || preferred.module < ideal!.module) this.#isWhole = false
    const found = preferred ?? this.#smallest(width, height)
    if (found === undefined) throw new LabelTooSmall(this.#needs())
    return found
  }

  #largest(width: number, height: number): Placed | undefined {
    return this.#best(width, height, (room) => {
      const module = this.metrics.isDots ? Math.floor(room + 1e-6) : room
      return module < this.metrics.leastModule - 1e-6 ? undefined : module
    })
  }

  #smallest(width: number, height: number): Placed | undefined {
    const least = this.metrics.leastModule
    return this.#best(width, height, (room) => (room < least - 1e-6 ? undefined : least))
  }

  #best(width: number, height: number, moduleIn: (room: number) => number | undefined): Placed | undefined {
    let best: Placed | undefined
    for (const symbol of this.symbols)
      for (const quiet of new Set([symbol.quiet, this.#leastQuiet(symbol)])) {
        const isBars = isLinear(symbol)
        const [columns, rows] = [symbol.columns + 2 * quiet, symbol.rows + 2 * quiet]
        if (isBars && height < this.#mm(LEAST_BARS)) continue
        const most = this.#mm(isBars ? LARGEST_BAR_MODULE : LARGEST_MODULE)
        const room = Math.min(most, width / columns, isBars ? Infinity : height / rows)
        const module = moduleIn(room)
        if (module === undefined || (best !== undefined && module <= best.module)) continue
        const high = isBars ? this.#whole(Math.min(height, this.#mm(MOST_BARS))) : rows * module
        best = { symbol, module, quiet, width: columns * module, height: high }
      }
    return best
  }

  /** In tenths of a millimetre, rounded up. */
  #needs(): { readonly width: number; readonly height: number } | undefined {
    const sizes = this.symbols.map((symbol) => {
      const quiet = this.#leastQuiet(symbol)
      const least = this.metrics.leastModule / this.metrics.perMm
      const width = (symbol.columns + 2 * quiet) * least
      const height = isLinear(symbol) ? LEAST_BARS : (symbol.rows + 2 * quiet) * least
      const free = Math.min(PADDING, (Math.min(width, height) * PADDING_PART) / (1 - 2 * PADDING_PART))
      const padding = this.profile.border ? Math.max(free, 2 * BORDER_MM) : free
      const up = (length: number): number => Math.ceil((length + 2 * padding) * 10) / 10
      return this.#isTurned ? { width: up(height), height: up(width) } : { width: up(width), height: up(height) }
    })
    return sizes.toSorted((a, b) => a.width - b.width)[0]
  }

  #place({ symbol, module, quiet, height }: Placed, x: number, y: number): NonNullable<Scene['code']> {
    const isBars = isLinear(symbol)
    return {
      symbol,
      x: this.#whole(x) + quiet * module,
      y: this.#whole(y) + (isBars ? 0 : quiet * module),
      width: symbol.columns * module,
      height: isBars ? height : symbol.rows * module,
    }
  }

  /** The texts from the top of the area if it is below the code, otherwise in its middle. The picture is beside them. */
  #texts(area: Rectangle, texts: readonly string[], isBelow: boolean): Pick<Scene, 'texts' | 'logo'> {
    const gap = this.#whole(this.#mm(GAP))
    const high = Math.min(this.#mm(LARGEST_LOGO), area.height * (isBelow ? 1 : 0.5))
    const side = this.#whole(Math.min(high, area.width * 0.35))
    if (this.logo === undefined) return { texts: this.#lines(area, texts, isBelow) }
    if (side < Math.floor(high)) this.#isWhole = false
    if (side < this.#mm(LEAST_LOGO)) return { texts: this.#lines(area, texts, isBelow) }
    const scale = side / Math.max(this.logo.width, this.logo.height)
    const size = { width: this.#whole(this.logo.width * scale), height: this.#whole(this.logo.height * scale) }
    const logo = { x: this.#whole(area.x + area.width - size.width), y: this.#whole(area.y), ...size }
    return { texts: this.#lines({ ...area, width: area.width - size.width - gap }, texts, isBelow), logo }
  }

  #lines({ x, y, width, height }: Rectangle, texts: readonly string[], isBelow: boolean): PlacedText[] {
    const { leastSize } = this.metrics
    const count = Math.min(texts.length, Math.floor((height + leastSize * (LINE - 1) + 1e-6) / (leastSize * LINE)))
    if (count < texts.length && this.#isTurned) this.#isWhole = false
    if (width < this.#mm(LEAST_TEXT_WIDTH)) this.#isWhole = false
    if (count === 0 || width < this.#mm(LEAST_TEXT_WIDTH)) return []
    const largest = Math.max(this.#mm(LARGEST_TEXT), Math.min(this.size.width, this.size.height) * 0.07)
    const size = this.metrics.sizeOf(Math.max(leastSize, Math.min(largest, height / (count * LINE - LINE + 1))))
    if (this.#isTurned && size < this.metrics.sizeOf(largest)) this.#isWhole = false
    const step = size * LINE
    const top = isBelow ? y : y + Math.max(0, (height - (count - 1) * step - size) / 2)
    return texts.slice(0, count).map((text, i) => {
      const fitted = this.#fitText(text, size, width)
      const left = isBelow ? x + Math.max(0, (width - fitted.width) / 2) : x
      // Smaller texts stand in the middle of their line.
      const at = top + i * step + (size - fitted.size) / 2
      return { ...fitted, x: this.#whole(left), y: this.#whole(at), isBold: i === 0 }
    })
  }

  /** Smaller, and then cut, as far as it has to be. */
  #fitText(text: string, size: number, width: number): Pick<PlacedText, 'text' | 'size' | 'width'> {
    const { metrics } = this
    const full = metrics.widthOf(text, size)
    if (full <= width) return { text, size, width: full }
    if (!this.#isTurned) this.#isWhole = false
    const least = Math.min(size, Math.max(metrics.leastSize, size * SHRINKS_TO))
    const small = metrics.sizeOf(Math.max(least, (size * width) / full))
    const used = metrics.widthOf(text, small)
    if (used <= width) return { text, size: small, width: used }
    const characters = Array.from(text)
    let [low, high] = [0, characters.length]
    const cut = (length: number): string => `${characters.slice(0, length).join('').trimEnd()}…`
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (metrics.widthOf(cut(middle), small) <= width) low = middle
      else high = middle - 1
    }
    return { text: cut(low), size: small, width: metrics.widthOf(cut(low), small) }
  }
}

/** Four lines along the edges. */
export const frame = (
  { width, height }: { readonly width: number; readonly height: number },
  line: number,
): Rectangle[] => [
  { x: 0, y: 0, width, height: line },
  { x: 0, y: height - line, width, height: line },
  { x: 0, y: 0, width: line, height },
  { x: width - line, y: 0, width: line, height },
]
