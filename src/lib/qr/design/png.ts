/** Writes PNG files of any colours. Loads zlib, so it is imported on first use. */

import { crc32, deflateSync } from 'node:zlib'

import type { Pixels } from './raster.ts'

const SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
const RGB = 2
const RGBA = 6
const FILTER_UP = 2
const MM_PER_METRE = 1000

/**
 * Eight bits a channel, with an alpha channel if a pixel is not opaque. `widthMm`: the width on paper, which goes into the file as its
 * resolution. The same input produces the same bytes.
 */
export function pixelsToPng(pixels: Pixels, widthMm?: number): Uint8Array<ArrayBuffer> {
  const { width, height, rgba } = pixels
  const channels = isOpaque(rgba) ? 3 : 4
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, channels === 3 ? RGB : RGBA], 8)
  const parts = [SIGNATURE, ...chunk('IHDR', header)]
  if (widthMm !== undefined) {
    const resolution = Buffer.alloc(9)
    const perMetre = Math.round((width / widthMm) * MM_PER_METRE)
    resolution.writeUInt32BE(perMetre, 0)
    resolution.writeUInt32BE(perMetre, 4)
    resolution[8] = 1
    parts.push(...chunk('pHYs', resolution))
  }
  parts.push(...chunk('IDAT', deflateSync(rowsOf(pixels, channels), { level: 6 })), ...chunk('IEND', Buffer.alloc(0)))
  return new Uint8Array(Buffer.concat(parts))
}

/** The address of a picture that is part of an SVG. */
export const pngDataUri = (pixels: Pixels | undefined): string | undefined =>
  pixels && `data:image/png;base64,${pixelsToPng(pixels).toBase64()}`

function isOpaque(rgba: Uint8Array): boolean {
  for (let at = 3; at < rgba.length; at += 4) if (rgba[at] !== 255) return false
  return true
}

/** Each row as its difference to the row above, which is zero within modules. */
function rowsOf({ width, height, rgba }: Pixels, channels: 3 | 4): Uint8Array {
  const line = 1 + width * channels
  const rows = new Uint8Array(line * height)
  for (let y = 0; y < height; y++) {
    let to = y * line
    rows[to++] = FILTER_UP
    for (let x = 0; x < width; x++) {
      const from = (y * width + x) * 4
      for (let i = 0; i < channels; i++) rows[to++] = rgba[from + i]! - (y === 0 ? 0 : rgba[from + i - width * 4]!)
    }
  }
  return rows
}

function chunk(type: string, data: Uint8Array): Uint8Array[] {
  const [head, tail] = [Buffer.alloc(8), Buffer.alloc(4)]
  head.writeUInt32BE(data.length)
  head.write(type, 4, 'latin1')
  tail.writeUInt32BE(crc32(data, crc32(head.subarray(4))))
  return [head, data, tail]
}
