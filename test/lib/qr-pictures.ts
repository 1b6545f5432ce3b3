/** Reads pictures of QR codes without any code of src/lib/qr: PNG by its chunks, SVG by its path, both with two decoders. */

import { inflateSync } from 'node:zlib'

import decodeQR from 'qr/decode.js'
import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader'

/** A picture of two colours; `dark` has one byte per pixel, row by row. */
export interface Picture {
  size: number
  dark: Uint8Array
  fg: string
  bg: string
}

export interface Chunk {
  type: string
  data: Uint8Array
}

/** @throws Error on a wrong signature or checksum, or bytes after the last chunk */
export function chunksOf(png: Uint8Array): Chunk[] {
  const view = new DataView(png.buffer, png.byteOffset, png.byteLength)
  if (png.subarray(0, 8).toHex() !== '89504e470d0a1a0a') throw new Error('no PNG signature')
  const chunks: Chunk[] = []
  let at = 8
  while (at < png.length) {
    const length = view.getUint32(at)
    const body = png.subarray(at + 4, at + 8 + length)
    if (view.getUint32(at + 8 + length) !== Bun.hash.crc32(body)) throw new Error('wrong checksum')
    chunks.push({ type: new TextDecoder().decode(body.subarray(0, 4)), data: body.subarray(4) })
    at += 12 + length
  }
  if (at !== png.length) throw new Error('cut short')
  return chunks
}

/** @throws Error if the PNG is not of the kind that we write */
export function pictureOfPng(png: Uint8Array): Picture {
  const [header, palette, pixels, end, ...more] = chunksOf(png)
  if (
    header?.type !== 'IHDR' ||
    palette?.type !== 'PLTE' ||
    pixels?.type !== 'IDAT' ||
    end?.type !== 'IEND' ||
    more.length
  )
    throw new Error('other chunks')
  const view = new DataView(header.data.buffer, header.data.byteOffset)
  const size = view.getUint32(0)
  if (view.getUint32(4) !== size || header.data.subarray(8).toHex() !== '0103000000')
    throw new Error('another kind of picture')
  const raw = inflateSync(pixels.data)
  const line = 1 + Math.ceil(size / 8)
  if (raw.length !== line * size) throw new Error('wrong amount of pixels')
  const dark = new Uint8Array(size * size)
  for (let y = 0; y < size; y++) {
    if (raw[y * line] !== 0) throw new Error('a filter')
    for (let x = 0; x < size; x++) dark[y * size + x] = (raw[y * line + 1 + (x >> 3)]! >> (7 - (x & 7))) & 1
  }
  return { size, dark, bg: palette.data.subarray(0, 3).toHex(), fg: palette.data.subarray(3).toHex() }
}

const SVG =
  /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" width="(\d+)" height="\1" viewBox="0 0 (\d+) \2" shape-rendering="crispEdges"><path fill="#([\da-f]{6})" d="M0 0h\2v\2H0z"\/><path fill="#([\da-f]{6})" d="((?:M\d+ \d+h\d+v1h-\d+z)+)"\/><\/svg>$/

/** The SVG with `scale` pixels per unit. @throws Error if it is not of the form that we write, or a rectangle is not closed */
export function pictureOfSvg(svg: string, scale: number): Picture & { width: number; units: number } {
  const found = SVG.exec(svg)
  if (found === null) throw new Error('another form')
  const units = Number(found[2])
  const size = units * scale
  const dark = new Uint8Array(size * size)
  for (const [, x, y, right, left] of found[5]!.matchAll(/M(\d+) (\d+)h(\d+)v1h-(\d+)z/g)) {
    if (right !== left || Number(x) + Number(right) > units || Number(y) >= units) throw new Error('an odd rectangle')
    for (let row = 0; row < scale; row++) {
      const start = (Number(y) * scale + row) * size + Number(x) * scale
      dark.fill(1, start, start + Number(right) * scale)
    }
  }
  return { size, dark, bg: found[3]!, fg: found[4]!, width: Number(found[1]), units }
}

/** RGBA in the picture's colours with a light frame of `frame` pixels, like the surroundings that a camera sees. */
function rgba(
  { size, dark, fg, bg }: Picture,
  frame: number,
): { width: number; height: number; data: Uint8ClampedArray } {
  const side = size + 2 * frame
  const [on, off] = [fg, bg].map((hex) => Number.parseInt(hex, 16))
  const data = new Uint8ClampedArray(side * side * 4)
  for (let y = 0, at = 0; y < side; y++)
    for (let x = 0; x < side; x++, at += 4) {
      const inside = x >= frame && y >= frame && x < frame + size && y < frame + size
      const colour = inside && dark[(y - frame) * size + x - frame] === 1 ? on! : off!
      data[at] = colour >> 16
      data[at + 1] = (colour >> 8) & 255
      data[at + 2] = colour & 255
      data[at + 3] = 255
    }
  return { width: side, height: side, data }
}

/** Reads with the `qr` package. Undefined if it finds no code. */
export function readByQr(picture: Picture, frame = 0): string | undefined {
  try {
    return decodeQR(rgba(picture, frame))
  } catch {
    return undefined
  }
}

const wasm = Bun.file(Bun.resolveSync('zxing-wasm/reader/zxing_reader.wasm', import.meta.dir))
let ready: Promise<unknown> | undefined

export interface Read {
  text: string
  level: string
  /** Version of the symbol, 1–40. */
  version: number
  /** Whether the symbol declares UTF-8. */
  declared: boolean
}

/** Reads with ZXing-C++, from a PNG file (it has its own PNG reader) or from pixels. Undefined if it finds no code. */
export async function readByZxing(from: Uint8Array | Picture, frame = 0): Promise<Read | undefined> {
  ready ??= wasm
    .arrayBuffer()
    .then((wasmBinary) => prepareZXingModule({ overrides: { wasmBinary }, fireImmediately: true }))
  await ready
  // The parameter's type is the browser's ImageData; only width, height and data are read.
  const image = from instanceof Uint8Array ? from : (rgba(from, frame) as Parameters<typeof readBarcodes>[0])
  const [found, ...more] = await readBarcodes(image, { formats: ['QRCode'], tryHarder: true })
  if (found === undefined || !found.isValid) return undefined
  if (more.length > 0) throw new Error('more than one code')
  return { text: found.text, level: found.ecLevel, version: Number(found.version), declared: found.hasECI }
}
