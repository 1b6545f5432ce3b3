/** Random designs, and readers that are not the one of the server. */

import { scanRGBABuffer } from '@undecaf/zbar-wasm'
import jsQR from 'jsqr'

import type { Look } from '#lib/qr/design/index.ts'
import type { Pixels } from '#lib/qr/design/raster.ts'

export interface Design {
  readonly look: Look
  readonly content: string
  readonly logo: Pixels | undefined
}

/** Mulberry32. The same seed gives the same numbers, from 0 to below 1. */
export function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Designs as users may make them, good ones and bad ones. Contents have 20 to 1,000 bytes. */
export function randomDesign(random: () => number): Design {
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)]!
  const upTo = (most: number): number => Math.floor(random() * (most + 1))
  const color = (from: number, to: number): string =>
    [0, 0, 0].map(() => (from + upTo(to - from)).toString(16).padStart(2, '0')).join('')
  const dark = (): string => (random() < 0.85 ? color(0, 110) : color(0, 255))
  const hasLogo = random() < 0.5
  const aspect = pick([1, 1, 2, 0.5, 3])
  const words = 'https://example.org/äöü/Menü/二维码/' + 'abcDEF012-_'.repeat(100)
  const look: Look = {
    fg: dark(),
    bg: random() < 0.8 ? color(215, 255) : color(120, 255),
    margin: pick([2, 3, 4, 4, 6, 10]),
    level: pick([null, null, null, 'Q', 'H', 'M']),
    modules: pick(['SQUARE', 'ROUNDED', 'DOTS']),
    eyes: pick(['SQUARE', 'ROUNDED', 'CIRCLE']),
    eyeColor: random() < 0.3 ? dark() : null,
    gradient: random() < 0.4 ? { type: pick(['LINEAR', 'RADIAL']), to: dark(), angle: upTo(359) } : null,
    logo: hasLogo ? { size: 10 + upTo(15), plate: pick(['NONE', 'SQUARE', 'CIRCLE']), aspect } : null,
    frame:
      random() < 0.3
        ? {
            position: pick(['BELOW', 'ABOVE']),
            text: 'Scan',
            color: random() < 0.5 ? color(0, 255) : null,
            strip: null,
          }
        : null,
  }
  const bytes = Math.round(20 * 50 ** random())
  let content = words.slice(0, bytes)
  while (Buffer.byteLength(content) > bytes) content = content.slice(0, -1)
  return { look, content, logo: hasLogo ? logoOf(random, aspect) : undefined }
}

/** Noise of any colours, which is harder than any logo; a part of it transparent. */
function logoOf(random: () => number, aspect: number): Pixels {
  const [width, height] = [Math.round(60 * Math.sqrt(aspect)), Math.round(60 / Math.sqrt(aspect))]
  const rgba = new Uint8Array(width * height * 4)
  const isSolid = random() < 0.5
  for (let i = 0; i < rgba.length; i++) rgba[i] = Math.floor(random() * 256)
  for (let at = 3; at < rgba.length; at += 4) rgba[at] = isSolid || random() < 0.5 ? 255 : 0
  return { width, height, rgba }
}

/** In both orders of brightness, as jsQR does by default. Undefined if it finds no code. */
export function readByJsQr({ width, height, rgba }: Pixels): string | undefined {
  return jsQR(new Uint8ClampedArray(rgba), width, height)?.data
}

export async function readByZbar({ width, height, rgba }: Pixels): Promise<string | undefined> {
  const [found] = await scanRGBABuffer(rgba.slice().buffer, width, height)
  return found?.decode()
}
