/** Builds images byte by byte, also ones that no encoder would write. */

import { crc32, deflateSync } from 'node:zlib'

/** One byte for each character. */
export const latin1 = (characters: string): Uint8Array => new Uint8Array(Buffer.from(characters, 'latin1'))
export const joined = (...parts: readonly Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(parts))

function number(value: number, size: 2 | 3 | 4, littleEndian: boolean): Uint8Array {
  const bytes = new Uint8Array(size)
  for (let i = 0; i < size; i++) bytes[littleEndian ? i : size - 1 - i] = (value / 256 ** i) & 0xff
  return bytes
}
export const u16be = (value: number): Uint8Array => number(value, 2, false)
export const u32be = (value: number): Uint8Array => number(value, 4, false)
const u16le = (value: number): Uint8Array => number(value, 2, true)
const u24le = (value: number): Uint8Array => number(value, 3, true)
const u32le = (value: number): Uint8Array => number(value, 4, true)

// PNG

export const PNG_SIGNATURE = latin1('\x89PNG\r\n\x1a\n')

export function pngChunk(type: string, data: Uint8Array): Uint8Array {
  const body = joined(latin1(type), data)
  return joined(u32be(data.length), body, u32be(crc32(body)))
}

export interface Png {
  readonly width: number
  readonly height: number
  readonly bitDepth?: 1 | 2 | 4 | 8 | 16
  /** 0 = grey, 2 = RGB, 3 = palette, 6 = RGBA. */
  readonly colorType?: 0 | 2 | 3 | 6
  /** The rows, each with its filter byte. Default: zeros. */
  readonly rows?: Uint8Array
  /** Chunks before the pixels. */
  readonly chunks?: readonly Uint8Array[]
}

const CHANNELS = { 0: 1, 2: 3, 3: 1, 6: 4 }

export const pngHeader = ({ width, height, bitDepth = 8, colorType = 0 }: Png): Uint8Array =>
  pngChunk('IHDR', joined(u32be(width), u32be(height), new Uint8Array([bitDepth, colorType, 0, 0, 0])))

export function png(image: Png): Uint8Array {
  const { width, height, bitDepth = 8, colorType = 0, rows, chunks = [] } = image
  const rowBytes = 1 + Math.ceil((width * CHANNELS[colorType] * bitDepth) / 8)
  const pixels = rows === undefined ? deflatedZeros(rowBytes * height) : deflateSync(rows)
  return joined(
    PNG_SIGNATURE,
    pngHeader(image),
    ...chunks,
    pngChunk('IDAT', pixels),
    pngChunk('IEND', new Uint8Array()),
  )
}

const MIB = 1024 * 1024

/** `length` zeros as a zlib stream, without having all of them in memory. */
function deflatedZeros(length: number): Uint8Array {
  if (length <= MIB) return deflateSync(new Uint8Array(length))
  // A block that ends on a byte boundary can be repeated.
  const block = new Uint8Array(deflateSync(new Uint8Array(MIB), { finishFlush: 3 })).subarray(2)
  const rest = new Uint8Array(deflateSync(new Uint8Array(length % MIB))).subarray(2, -4)
  const blocks = new Array<Uint8Array>(Math.floor(length / MIB)).fill(block)
  return joined(latin1('\x78\x9c'), ...blocks, rest, u32be((length % 65_521) * 65_536 + 1))
}

// GIF

export interface GifFrame {
  readonly left?: number
  readonly width: number
  readonly height: number
  /** Index of the colour of every pixel. */
  readonly color: 0 | 1 | 2 | 3
  /** Index of the transparent colour. */
  readonly transparent?: number
}

/** Red, green, blue, white. */
const PALETTE = latin1('\xff\0\0\0\xff\0\0\0\xff\xff\xff\xff')

/** `pixels` changes how many pixels the data of each frame contains. */
export function gif(width: number, height: number, frames: readonly GifFrame[], pixels?: number): Uint8Array {
  const parts = frames.map(({ left = 0, width, height, color, transparent }) =>
    joined(
      latin1('\x21\xf9\x04'),
      new Uint8Array([transparent === undefined ? 0 : 1, 10, 0, transparent ?? 0, 0]),
      latin1('\x2c'),
      u16le(left),
      u16le(0),
      u16le(width),
      u16le(height),
      latin1('\0\x02'),
      gifPixels(color, pixels ?? width * height),
    ),
  )
  return joined(latin1('GIF89a'), u16le(width), u16le(height), latin1('\x81\0\0'), PALETTE, ...parts, latin1('\x3b'))
}

/** LZW with a clear code before every two pixels, so that the code size stays three bits. */
function gifPixels(color: number, count: number): Uint8Array {
  const [CLEAR, END] = [4, 5]
  const bytes: number[] = []
  let [buffer, bits] = [0, 0]
  const write = (code: number): void => {
    buffer |= code << bits
    bits += 3
    for (; bits >= 8; bits -= 8, buffer >>= 8) bytes.push(buffer & 0xff)
  }
  for (let i = 0; i < count; i++) {
    if (i % 2 === 0) write(CLEAR)
    write(color)
  }
  write(END)
  bytes.push(buffer & 0xff)
  const blocks: Uint8Array[] = []
  for (let at = 0; at < bytes.length; at += 255) {
    const block = bytes.slice(at, at + 255)
    blocks.push(new Uint8Array([block.length, ...block]))
  }
  return joined(...blocks, latin1('\0'))
}

// WebP

export function riffChunk(type: string, data: Uint8Array): Uint8Array {
  return joined(latin1(type), u32le(data.length), data, new Uint8Array(data.length % 2))
}

export const webp = (...chunks: readonly Uint8Array[]): Uint8Array =>
  riffChunk('RIFF', joined(latin1('WEBP'), ...chunks))

export const vp8x = (flags: number, width: number, height: number): Uint8Array =>
  riffChunk('VP8X', joined(new Uint8Array([flags, 0, 0, 0]), u24le(width - 1), u24le(height - 1)))

/** The chunk with the pixels of a simple WebP. */
export const pixelsOf = (simple: Uint8Array): Uint8Array => simple.subarray(12)

/** The header of a lossless image with these dimensions (at most 16,384), and nothing else. */
export const vp8l = (width: number, height: number): Uint8Array =>
  riffChunk('VP8L', joined(latin1('\x2f'), u32le((width - 1) | ((height - 1) << 14)), new Uint8Array(64)))

// JPEG

export const jpegSegment = (marker: number, data: Uint8Array): Uint8Array =>
  joined(new Uint8Array([0xff, marker]), u16be(data.length + 2), data)

/** Inserts segments behind the first marker. */
export const withSegments = (jpeg: Uint8Array, ...segments: readonly Uint8Array[]): Uint8Array =>
  joined(jpeg.subarray(0, 2), ...segments, jpeg.subarray(2))

export const exifSegment = (tiff: Uint8Array): Uint8Array => jpegSegment(0xe1, joined(latin1('Exif\0\0'), tiff))

/** Changes the dimensions in the frame header of a baseline or progressive JPEG. */
export function withJpegSize(jpeg: Uint8Array, width: number, height: number): Uint8Array {
  const changed = jpeg.slice()
  const at = markerAt(jpeg, jpeg.includes(0xc2) && markerAt(jpeg, 0xc2) > 0 ? 0xc2 : 0xc0)
  changed.set(joined(u16be(height), u16be(width)), at + 5)
  return changed
}

/** Position of the first segment with this marker; -1 if there is none before the pixels. */
export function markerAt(jpeg: Uint8Array, marker: number): number {
  for (let at = 2; at < jpeg.length && jpeg[at] === 0xff; at += 2 + (jpeg[at + 2]! << 8) + jpeg[at + 3]!) {
    if (jpeg[at + 1] === marker) return at
    if (jpeg[at + 1] === 0xda) return -1
  }
  return -1
}

// EXIF

/** Type 2 = text, 3 = 16 bits, 4 = 32 bits, 5 = fraction. `value` is written as it is, behind the directory if longer than 4 bytes. */
export interface TiffEntry {
  readonly tag: number
  readonly type: number
  readonly count: number
  readonly value: Uint8Array
}

/** One directory at `at`, and its values behind it. `next` is the position of the next directory. */
function directory(at: number, entries: readonly TiffEntry[], next = 0): Uint8Array {
  let valuesAt = at + 2 + 12 * entries.length + 4
  const rows: Uint8Array[] = []
  const values: Uint8Array[] = []
  for (const { tag, type, count, value } of entries) {
    const head = joined(u16le(tag), u16le(type), u32le(count))
    if (value.length <= 4) rows.push(joined(head, value, new Uint8Array(4 - value.length)))
    else {
      rows.push(joined(head, u32le(valuesAt)))
      values.push(value)
      valuesAt += value.length
    }
  }
  return joined(u16le(entries.length), ...rows, u32le(next), ...values)
}

/** A TIFF with one directory. */
export const tiff = (entries: readonly TiffEntry[], next = 0): Uint8Array =>
  joined(latin1('II*\0'), u32le(8), directory(8, entries, next))

export const shortEntry = (tag: number, value: number): TiffEntry => ({ tag, type: 3, count: 1, value: u16le(value) })
export const longEntry = (tag: number, value: number): TiffEntry => ({ tag, type: 4, count: 1, value: u32le(value) })
export const textEntry = (tag: number, text: string): TiffEntry => ({
  tag,
  type: 2,
  count: text.length + 1,
  value: latin1(`${text}\0`),
})
const fractionEntry = (tag: number, values: readonly (readonly [number, number])[]): TiffEntry => ({
  tag,
  type: 5,
  count: values.length,
  value: joined(...values.flatMap(([top, bottom]) => [u32le(top), u32le(bottom)])),
})

export interface Exif {
  readonly orientation?: number
  /** `YYYY:MM:DD HH:MM:SS`. */
  readonly time?: string
  readonly offset?: string
  /** Whole degrees, minutes, seconds as fractions, and N, S, E or W. */
  readonly latitude?: readonly [degrees: readonly (readonly [number, number])[], direction: string]
  readonly longitude?: readonly [degrees: readonly (readonly [number, number])[], direction: string]
}

export function exif({ orientation, time, offset, latitude, longitude }: Exif): Uint8Array {
  const [EXIF_IFD, GPS_IFD] = [0x8769, 0x8825]
  const shot = [
    ...(time === undefined ? [] : [textEntry(0x9003, time)]),
    ...(offset === undefined ? [] : [textEntry(0x9011, offset)]),
  ]
  const gps = [
    ...(latitude ? [textEntry(1, latitude[1]), fractionEntry(2, latitude[0])] : []),
    ...(longitude ? [textEntry(3, longitude[1]), fractionEntry(4, longitude[0])] : []),
  ]
  const first = (shotAt: number, gpsAt: number): Uint8Array =>
    directory(8, [
      ...(orientation === undefined ? [] : [shortEntry(0x0112, orientation)]),
      longEntry(EXIF_IFD, shotAt),
      longEntry(GPS_IFD, gpsAt),
    ])
  const shotAt = 8 + first(0, 0).length
  const second = directory(shotAt, shot)
  const gpsAt = shotAt + second.length
  return joined(latin1('II*\0'), u32le(8), first(shotAt, gpsAt), second, directory(gpsAt, gps))
}

/** Sydney on 6 May 2024 in the morning. */
export const SYDNEY: Exif = {
  time: '2024:05:06 07:08:09',
  offset: '+10:00',
  latitude: [
    [
      [33, 1],
      [51, 1],
      [305, 10],
    ],
    'S',
  ],
  longitude: [
    [
      [151, 1],
      [12, 1],
      [36, 1],
    ],
    'E',
  ],
}
