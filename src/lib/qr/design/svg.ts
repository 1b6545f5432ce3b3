import type { Path } from './outline.ts'
import type { Paint, Place, Scene } from './scene.ts'

export interface SvgOptions {
  /** Outer width. In pixels unless `widthMm` is given. */
  readonly size: number
  /** Outer width in millimetres. */
  readonly widthMm?: number | undefined
  /** A description for those who cannot see the picture. */
  readonly title: string
  /** Addresses of the pictures, as a rule `data:`. Those without an address are left out. */
  readonly logo?: string | undefined
  readonly strip?: string | undefined
}

/** An SVG whose unit is one module. The same input produces the same text. */
export function sceneToSvg(scene: Scene, { size, widthMm, title, logo, strip }: SvgOptions): string {
  const { width, height } = scene
  const high = (length: number): string => short((length * height) / width)
  const outer =
    widthMm === undefined
      ? `width="${short(size)}" height="${high(size)}"`
      : `width="${short(widthMm)}mm" height="${high(widthMm)}mm"`
  const gradients: string[] = []
  const body = scene.shapes.map(({ paint, path }) => `<path fill="${fill(paint, gradients)}" d="${pathData(path)}"/>`)
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" ${outer} viewBox="0 0 ${short(width)} ${short(height)}" role="img">` +
    `<title>${escaped(title)}</title>` +
    (gradients.length > 0 ? `<defs>${gradients.join('')}</defs>` : '') +
    `<path fill="#${scene.bg.toLowerCase()}" d="M0 0h${short(width)}v${short(height)}H0z"/>${body.join('')}` +
    `${image(scene.logo, logo)}${image(scene.strip, strip)}</svg>`
  )
}

/** Thousandths of a module are far below what can be seen. */
export const short = (value: number): string => String(Math.round(value * 1000) / 1000)

export const pathData = (path: Path): string =>
  path.map(([letter, ...numbers]) => letter + (numbers as number[]).map(short).join(' ')).join('')

/** Returns the colour, or the reference of a gradient, which it adds to `gradients` unless it is there. */
function fill(paint: Paint, gradients: string[]): string {
  if (paint.kind === 'plain') return `#${paint.color.toLowerCase()}`
  const stops = `<stop stop-color="#${paint.color.toLowerCase()}"/><stop offset="1" stop-color="#${paint.to.toLowerCase()}"/>`
  const element =
    paint.kind === 'LINEAR'
      ? `<linearGradient id="g" gradientUnits="userSpaceOnUse" x1="${short(paint.x1)}" y1="${short(paint.y1)}" ` +
        `x2="${short(paint.x2)}" y2="${short(paint.y2)}">${stops}</linearGradient>`
      : `<radialGradient id="g" gradientUnits="userSpaceOnUse" cx="${short(paint.x)}" cy="${short(paint.y)}" ` +
        `r="${short(paint.radius)}">${stops}</radialGradient>`
  // A scene has one gradient at most, which modules and eyes share.
  if (gradients.length === 0) gradients.push(element)
  return 'url(#g)'
}

const image = (place: Place | null, href: string | undefined): string =>
  place === null || href === undefined
    ? ''
    : `<image x="${short(place.x)}" y="${short(place.y)}" width="${short(place.width)}" height="${short(place.height)}" ` +
      `preserveAspectRatio="none" href="${escaped(href)}"/>`

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
/** Control characters are not allowed in XML. */
const escaped = (text: string): string =>
  text.replaceAll(/[&<>"]/g, (character) => ESCAPES[character]!).replaceAll(/[^\P{Cc}\t\n\r]/gu, '')
