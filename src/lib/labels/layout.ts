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
const SHRINK_STEP = 0.05
/** Lines of one text for which a code above gets smaller. */
const MOST_RESERVED = 3
/** Laying out a text takes time in proportion to its length, and no label has room for more. */
const MOST_CHARACTERS = 1000
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
  const bounded = { ...contents, texts: contents.texts.map(shortened) }
  const draw = (width: number, height: number) => {
    const drawn = new Label(profile, bounded, logo, metrics, symbols, size(width, height)).draw()
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
    // Long texts have lines at their smallest size before the code is as large as it can be.
    const largest = this.#mm(LARGEST_TEXT)
    const least = Math.max(this.metrics.leastSize, largest * SHRINKS_TO)
    const wrappedLines = texts.reduce(
      (sum, text) => sum + wrapped(measure(text, this.metrics), width / least, MOST_RESERVED).length,
      0,
    )
    const lines = Math.max(Math.max(1, texts.length) * largest, wrappedLines * least) * LINE + gap
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
    const fullSize = this.metrics.sizeOf(Math.max(leastSize, Math.min(largest, height / (count * LINE - LINE + 1))))
    if (this.#isTurned && fullSize < this.metrics.sizeOf(largest)) this.#isWhole = false
    const { size, rows, least } = this.#rows(texts.slice(0, count), fullSize, width, height)
    const step = size * LINE
    const top = isBelow ? y : y + Math.max(0, (height - (rows.length - 1) * step - size) / 2)
    return rows.map(({ text, isBold }, i) => {
      const fitted = this.#fitText(text, size, width, least)
      const left = isBelow ? x + Math.max(0, (width - fitted.width) / 2) : x
      // Smaller texts stand in the middle of their line.
      const at = top + i * step + (size - fitted.size) / 2
      return { ...fitted, x: this.#whole(left), y: this.#whole(at), isBold }
    })
  }

  /**
   * The lines of the texts. A text that does not even fit on its line at the smallest size takes the lines that are free. If there are too few, all
   * texts become smaller, which makes more. The rest is at the end of the last line of its text, where it is cut.
   */
  #rows(texts: readonly string[], fullSize: number, width: number, height: number) {
    const { metrics } = this
    const least = metrics.sizeOf(Math.min(fullSize, Math.max(metrics.leastSize, fullSize * SHRINKS_TO)))
    const most = (size: number): number =>
      Math.max(texts.length, Math.floor((height + size * (LINE - 1) + 1e-6) / (size * LINE)))
    const measured = texts.map((text) => measure(text, metrics))
    // A bitmap has whole dots.
    const room = (size: number): number => (width - (metrics.isDots ? 1 : 0)) / size
    const isWithin = (line: string, size: number): boolean => metrics.widthOf(line, size) <= width
    const laid = (size: number, lines: readonly string[][]) => ({
      size,
      least,
      rows: lines.flatMap((some, i) => some.map((text) => ({ text, isBold: i === 0 }))),
    })
    if (!this.#isTurned && !texts.every((text) => isWithin(text, fullSize))) this.#isWhole = false
    // Each becomes smaller by itself if that is enough.
    if (texts.every((text) => isWithin(text, least)))
      return laid(
        fullSize,
        texts.map((text) => [text]),
      )
    const sizes: number[] = []
    for (let part = 1; part > SHRINKS_TO + SHRINK_STEP / 2; part -= SHRINK_STEP)
      sizes.push(Math.max(least, metrics.sizeOf(fullSize * part)))
    // Words are broken only in texts with a word that is longer than a line of the smallest size.
    const breaksWords = measured.map(
      (text) => !wrapped(text, room(least), Infinity, false).every((line) => isWithin(line, least)),
    )
    for (const size of new Set([...sizes, least])) {
      const lines = measured.map((text, i) => wrapped(text, room(size), most(size) + 1, breaksWords[i]))
      const all = lines.flat()
      if (all.length <= most(size) && all.every((line) => isWithin(line, size))) return laid(size, lines)
    }
    if (this.#isTurned) this.#isWhole = false
    let free = most(least) - texts.length
    const lines: string[][] = measured.map((text) => wrapped(text, room(least), Infinity))
    // Those that need few lines first: a number stays whole below a long name.
    for (const i of lines
      .keys()
      .toArray()
      .toSorted((a, b) => lines[a]!.length - lines[b]!.length)) {
      lines[i] = wrapped(measured[i]!, room(least), free + 1)
      free -= lines[i].length - 1
    }
    return laid(least, lines)
  }

  /** Smaller, and then cut, as far as it has to be. */
  #fitText(text: string, size: number, width: number, least: number): Pick<PlacedText, 'text' | 'size' | 'width'> {
    const { metrics } = this
    const full = metrics.widthOf(text, size)
    if (full <= width) return { text, size, width: full }
    const small = Math.max(least, metrics.sizeOf((size * width) / full))
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

const shortened = (text: string): string =>
  text.length <= MOST_CHARACTERS ? text : `${text.slice(0, MOST_CHARACTERS).replace(/[\ud800-\udbff]$/, '')}…`

/** Chinese and Japanese, which are written without spaces. */
const IDEOGRAPH = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\u3000-\u303f\uff00-\uffef]/u
/** Not at the start of a line, and not at its end. */
const CLOSES = /[\p{Pe}\p{Pf}，。、；：！？…·～,.;:!?%％ー々]/u
const OPENS = /[\p{Ps}\p{Pi}]/u

function mayBreak(before: string, after: string): boolean {
  if (before === ' ' || after === ' ') return true
  if (CLOSES.test(after) || OPENS.test(before)) return false
  if (IDEOGRAPH.test(before) || IDEOGRAPH.test(after)) return true
  return /[-‐–—/\\_]/.test(before) && /\p{L}/u.test(after)
}

interface Measured {
  readonly characters: readonly string[]
  /** The width of the text before each character and of the whole, in parts of the size. */
  readonly starts: readonly number[]
}

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
/** At this size no width is rounded much. */
const LARGE = 10_000

function measure(text: string, metrics: Metrics): Measured {
  const characters = Array.from(graphemes.segment(text), ({ segment }) => segment)
  const starts = [0]
  for (const character of characters) starts.push(starts.at(-1)! + metrics.widthOf(character, LARGE) / LARGE)
  return { characters, starts }
}

/**
 * At most `most` lines, which are `room` wide, in parts of the size; the last one contains all that is left. A word that is longer than a
 * line is broken, or else has a line of its own that is too long.
 */
function wrapped({ characters, starts }: Measured, room: number, most: number, breaksWords = true): string[] {
  const lines: string[] = []
  const { length } = characters
  const isBreak = (at: number): boolean => at === length || mayBreak(characters[at - 1]!, characters[at]!)
  let from = 0
  while (lines.length + 1 < most && starts[length]! - starts[from]! > room) {
    let fits = from + 1
    while (starts[fits + 1]! - starts[from]! <= room) fits++
    // A space at the end of a line takes no place.
    let to = characters[fits] === ' ' ? fits + 1 : fits
    while (to > from && !isBreak(to)) to--
    if (to === from) {
      to = fits
      if (!breaksWords) while (!isBreak(to)) to++
    }
    lines.push(characters.slice(from, to).join('').trimEnd())
    from = characters[to] === ' ' ? to + 1 : to
  }
  const rest = characters.slice(from).join('')
  return rest === '' ? lines : [...lines, rest]
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
