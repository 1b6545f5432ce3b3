/** Reads the pixels of images, to compare them in tests. */

import { inflateSync } from 'node:zlib'

export type Color = 'red' | 'green' | 'blue' | 'white' | 'black' | 'another'

export interface Pixels {
  readonly width: number
  readonly height: number
  /** Red, green, blue and alpha. */
  at(x: number, y: number): number[]
}

/** Any format that Bun.Image decodes, as a path or bytes. */
export async function pixelsOfImage(source: string | Uint8Array): Promise<Pixels> {
  // Without compression, Bun.Image writes RGBA rows without a filter.
  const image = new Bun.Image(source, { autoOrient: false }).png({ compressionLevel: 0 })
  const png = Buffer.from(await image.bytes())
  const rows = inflateSync(Buffer.concat([...dataOf(png)]))
  const { width, height } = image
  const stride = 1 + width * 4
  if (rows.length !== stride * height || rows.some((byte, at) => at % stride === 0 && byte !== 0))
    throw new Error('Bun.Image wrote the PNG in another form than RGBA without filters')
  return {
    width,
    height,
    at(x, y) {
      const at = y * stride + 1 + x * 4
      return [...rows.subarray(at, at + 4)]
    },
  }
}

/** The contents of the chunks of pixels. */
function* dataOf(png: Buffer): Generator<Buffer> {
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at))
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT') yield png.subarray(at + 8, at + 8 + png.readUInt32BE(at))
}

const COLORS: Readonly<Record<string, Color>> = {
  '1,0,0': 'red',
  '0,1,0': 'green',
  '0,0,1': 'blue',
  '1,1,1': 'white',
  '0,0,0': 'black',
}

export function colorOf(rgba: readonly number[]): Color {
  const bits = rgba.slice(0, 3).map((part) => (part < 64 ? 0 : part > 191 ? 1 : 2))
  return COLORS[bits.join()] ?? 'another'
}

/** The colours near the corners: top left, top right, bottom left, bottom right. */
export async function corners(source: string | Uint8Array): Promise<Color[]> {
  const { width, height, at } = await pixelsOfImage(source)
  const [right, bottom] = [width - 3, height - 3]
  return [at(2, 2), at(right, 2), at(2, bottom), at(right, bottom)].map(colorOf)
}
