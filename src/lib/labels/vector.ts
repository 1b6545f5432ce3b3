/** Labels as vectors: the operators of a page of PDF, and SVG. Lengths are in millimetres. */

import { glyphsOf } from '../pdf/fonts.ts'
import { MM, Page } from '../pdf/page.ts'
import { escapeHtml } from '../text.ts'
import type { Metrics, Rectangle, Scene } from './layout.ts'

const THOUSAND = 1000
/** Phones read codes with larger modules only. */
const LEAST_MODULE_MM = 0.33
const LEAST_TEXT_MM = 1.5

const vectorMetrics = (widthOf: Metrics['widthOf']): Metrics => ({
  perMm: 1,
  isDots: false,
  leastModule: LEAST_MODULE_MM,
  leastSize: LEAST_TEXT_MM,
  sizeOf: (size) => size,
  widthOf,
})

export const pdfMetrics: Metrics = vectorMetrics((text, size) => {
  let width = 0
  for (const glyph of glyphsOf(text)) width += glyph.width
  return (width * size) / THOUSAND
})

const UNKNOWN = '?'
/** The font is one of the viewer's system: characters that Helvetica lacks are taken to be as wide as high, as emoji are. */
export const svgMetrics: Metrics = vectorMetrics((text, size) => {
  let width = 0
  for (const character of text)
    for (const glyph of glyphsOf(character))
      width += glyph.hex === QUESTION && character !== UNKNOWN ? THOUSAND : glyph.width
  return (width * size) / THOUSAND
})
const QUESTION = UNKNOWN.charCodeAt(0).toString(16)

/** A label on a page, by its upper left corner. */
export interface PlacedScene {
  readonly scene: Scene
  readonly x: number
  readonly y: number
  /** Whether it is turned by 90 degrees, clockwise. */
  readonly isTurned: boolean
}

/** Part of the size of a text that is above its baseline. */
const ASCENT = 0.8

/** The content of a page. Pictures are the first one of the file. */
export function pdfContent(pageHeight: number, labels: readonly PlacedScene[]): string {
  const page = new Page()
  for (const { scene, x, y, isTurned } of labels) {
    const { height } = scene
    const matrix = isTurned
      ? ([0, -1, 1, 0, x * MM, (pageHeight - y) * MM] as const)
      : ([1, 0, 0, 1, x * MM, (pageHeight - y - height) * MM] as const)
    page.within(matrix, () => draw(page, scene))
  }
  return page.content
}

function draw(page: Page, { height, lines, code, texts, logo }: Scene): void {
  const area = (given: Rectangle) => ({
    x: given.x * MM,
    y: (height - given.y - given.height) * MM,
    width: given.width * MM,
    height: given.height * MM,
  })
  for (const line of lines) page.rectangle(area(line), '000000')
  if (code !== undefined) page.symbol(code.symbol, area(code))
  if (logo !== undefined) page.picture(0, area(logo))
  for (const { text, x, y, size, isBold } of texts)
    page.lines([[...glyphsOf(text)]], x * MM, (height - y - size * ASCENT) * MM, { size: size * MM, isBold })
}

const FONTS = "Helvetica, Arial, 'Noto Sans', 'Noto Sans SC', 'PingFang SC', 'Microsoft YaHei', sans-serif"

const n = (length: number): string => String(Math.round(length * THOUSAND) / THOUSAND)

/** `logo`: address of the picture. The same input gives the same text. */
export function svgOf(
  { width, height }: { readonly width: number; readonly height: number },
  { scene, x, y, isTurned }: PlacedScene,
  title: string,
  logo: string | undefined,
): string {
  const move = isTurned ? `translate(${n(x + scene.height)} ${n(y)}) rotate(90)` : `translate(${n(x)} ${n(y)})`
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${n(width)}mm" height="${n(height)}mm" viewBox="0 0 ${n(width)} ${n(height)}" role="img">` +
    `<title>${escaped(title)}</title><path fill="#fff" d="M0 0h${n(width)}v${n(height)}H0z"/>` +
    `<g transform="${move}">${svgBody(scene, logo)}</g></svg>`
  )
}

function svgBody({ lines, code, texts, logo }: Scene, href: string | undefined): string {
  const frame = lines
    .map(({ x, y, width, height }) => `M${n(x)} ${n(y)}h${n(width)}v${n(height)}h${n(-width)}z`)
    .join('')
  const picture =
    logo === undefined || href === undefined
      ? ''
      : `<image x="${n(logo.x)}" y="${n(logo.y)}" width="${n(logo.width)}" height="${n(logo.height)}" href="${href}"/>`
  const written = texts.map(({ text, x, y, size, width, isBold }) => {
    const weight = isBold ? ' font-weight="bold"' : ''
    // The font of the viewer may be wider.
    const length = ` textLength="${n(width)}" lengthAdjust="spacingAndGlyphs"`
    return `<text x="${n(x)}" y="${n(y + size * ASCENT)}" font-size="${n(size)}"${weight}${length}>${escaped(text)}</text>`
  })
  return (
    (frame === '' ? '' : `<path d="${frame}"/>`) +
    (code === undefined ? '' : svgCode(code)) +
    picture +
    (written.length === 0 ? '' : `<g font-family="${FONTS}">${written.join('')}</g>`)
  )
}

/** All modules are one path, so that no viewer shows gaps between them. */
function svgCode({ symbol, x, y, width, height }: NonNullable<Scene['code']>): string {
  const { columns, rows, dark } = symbol
  let path = ''
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++) {
      if (dark[row * columns + column] === 0) continue
      const from = column
      while (column + 1 < columns && dark[row * columns + column + 1] === 1) column++
      path += `M${from} ${row}h${column + 1 - from}v1h${from - column - 1}z`
    }
  const [across, down] = [width / columns, height / rows].map((unit) => String(Number(unit.toFixed(5))))
  return `<path transform="translate(${n(x)} ${n(y)}) scale(${across} ${down})" d="${path}"/>`
}

/** Control characters and U+FFFE, U+FFFF are not allowed in XML. */
const escaped = (text: string): string =>
  escapeHtml(text.toWellFormed().replaceAll(/[^\P{Cc}\t\n\r]|[\ufffe\uffff]/gu, ''))
