/** Decodes HEIC with libheif compiled to WebAssembly. Its memory never shrinks, so another process encodes the pixels. */

import { closeSync, openSync, writeFileSync } from 'node:fs'

import type { HeifImage } from 'libheif-js/wasm-bundle'

import { UnusableImage } from './port.ts'

/** BITMAPFILEHEADER and BITMAPV4HEADER. */
const HEADER = 14 + 108
const BI_BITFIELDS = 3

/** The boxes that describe the image come before its pixels. Bytes. */
const MAX_META = 256 * 1024

async function primaryImage(bytes: Uint8Array): Promise<HeifImage> {
  const { default: libheif } = await import('libheif-js/wasm-bundle')
  const images = new libheif.HeifDecoder().decode(bytes)
  const image = images.find((one) => one.is_primary()) ?? images[0]
  if (image === undefined) throw new UnusableImage('undecodable')
  return image
}

/** Without decoding, with the orientation applied. @throws UnusableImage */
export async function heicDimensions(bytes: Uint8Array): Promise<{ format: 'heic'; width: number; height: number }> {
  const image = await primaryImage(bytes)
  return { format: 'heic', width: image.get_width(), height: image.get_height() }
}

/**
 * Writes the pixels as a BMP file, the only uncompressed format that Bun.Image reads, with the orientation applied. They go from the
 * memory of WebAssembly straight to the file.
 * @throws UnusableImage
 */
export async function decodeHeic(bytes: Uint8Array, output: string): Promise<void> {
  const image = await primaryImage(bytes)
  const [width, height] = [image.get_width(), image.get_height()]
  const file = openSync(output, 'w', 0o600)
  try {
    writeFileSync(file, bmpHeader(width, height))
    let failure: unknown
    // libheif passes all rows at once, or one after the other. It does not catch errors.
    const set = (rows: Uint8Array): void => {
      try {
        writeFileSync(file, rows)
      } catch (error) {
        failure ??= error
      }
    }
    const decoded = await new Promise((done) =>
      image.display({ data: { set }, width, height }, (into) => done(into !== null)),
    )
    if (failure !== undefined) throw failure
    if (!decoded) throw new UnusableImage('undecodable')
  } finally {
    closeSync(file)
  }
}

/** Of an image whose pixels are red, green, blue and alpha, row by row. */
export function bmpHeader(width: number, height: number): Uint8Array {
  const header = new Uint8Array(HEADER)
  const view = new DataView(header.buffer)
  view.setUint16(0, 0x424d)
  view.setUint32(2, HEADER + width * height * 4, true)
  view.setUint32(10, HEADER, true)
  view.setUint32(14, HEADER - 14, true)
  view.setInt32(18, width, true)
  // Negative: the first row is the top one.
  view.setInt32(22, -height, true)
  view.setUint16(26, 1, true)
  view.setUint16(28, 32, true)
  view.setUint32(30, BI_BITFIELDS, true)
  for (const [i, mask] of [0xff, 0xff00, 0xff0000, 0xff000000].entries()) view.setUint32(54 + 4 * i, mask, true)
  return header
}

/** The ICC profile in the first `colr` box of the type `prof`; empty if there is none. */
export function heicProfile(bytes: Uint8Array): Uint8Array {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const at = file.subarray(0, MAX_META).indexOf('colrprof')
  return at < 4 ? new Uint8Array() : file.subarray(at + 8, at - 4 + file.readUInt32BE(at - 4))
}
