/** Colours as `#rrggbb`, and the contrast between them (WCAG 2.2). */

export const COLOR = /^#[0-9a-f]{6}$/i

/** WCAG 1.4.3, for text. */
const LOWEST_CONTRAST = 4.5

const channels = (color: string): number[] => [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16))

function luminance(color: string): number {
  const [r, g, b] = channels(color).map((channel) => {
    const share = channel / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!
}

/** From 1 to 21. */
export function contrast(a: string, b: string): number {
  const [dark, light] = [luminance(a), luminance(b)].toSorted((x, y) => x - y)
  return (light! + 0.05) / (dark! + 0.05)
}

/** The colour, or the one that is nearest to it on the way to black or white whose contrast with all `grounds` is enough for text. */
export function readableOn(color: string, grounds: readonly string[]): string {
  const isEnough = (candidate: string): boolean =>
    grounds.every((ground) => contrast(candidate, ground) >= LOWEST_CONTRAST)
  const end = grounds.some((ground) => luminance(ground) > 0.18) ? 0 : 255
  const given = channels(color)
  for (let step = 0; step < 256; step++) {
    const mixed = given.map((channel) => Math.round(channel + ((end - channel) * step) / 255))
    const candidate = `#${mixed.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`
    if (isEnough(candidate)) return candidate
  }
  return end === 0 ? '#000000' : '#ffffff'
}

/** Of two colours, the one with more contrast to `ground`. */
export const clearer = (a: string, b: string, ground: string): string =>
  contrast(a, ground) >= contrast(b, ground) ? a : b
