/** Images that attack decoders. Each is small; some claim or contain far more. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { deflateSync } from 'node:zlib'

import {
  exif,
  exifSegment,
  gif,
  joined,
  jpegSegment,
  latin1,
  longEntry,
  markerAt,
  png,
  PNG_SIGNATURE,
  pngChunk,
  pngHeader,
  riffChunk,
  shortEntry,
  textEntry,
  tiff,
  u32be,
  vp8l,
  vp8x,
  webp,
  withJpegSize,
  withSegments,
} from './build-images.ts'
import type { HostileFile } from './hostile.ts'

const fixture = (name: string): Uint8Array => new Uint8Array(readFileSync(join(import.meta.dir, '../fixtures', name)))

/** A harmless JPEG of 48×32 pixels. */
export const photo = (): Uint8Array => fixture('photo.jpg')
const heic = (): Uint8Array => fixture('photo.heic')

type Row = readonly [name: string, bytes: () => Uint8Array, expected: HostileFile['expected'], why: string]

const zlibBomb = (): Uint8Array => deflateSync(new Uint8Array(50_000_000))
const [END, NONE] = [pngChunk('IEND', new Uint8Array()), new Uint8Array()]
/** A PNG of 4×4 grey pixels with other data. */
const pngOf = (...chunks: readonly Uint8Array[]): Uint8Array =>
  joined(PNG_SIGNATURE, pngHeader({ width: 4, height: 4 }), ...chunks, END)
const FOUR_ROWS = new Uint8Array(20)

const PNGS: readonly Row[] = [
  [
    'a PNG of 30,000×30,000 pixels',
    () => png({ width: 30_000, height: 30_000, bitDepth: 1 }),
    'refused',
    '900 megapixels in 110 KB',
  ],
  ['a PNG of 40.1 megapixels', () => png({ width: 8000, height: 5013, bitDepth: 1 }), 'refused', 'over the limit'],
  [
    'a PNG of 39.9 megapixels',
    () => png({ width: 8000, height: 4987, bitDepth: 1 }),
    'stored as image',
    'within the limit',
  ],
  [
    'a PNG with the largest dimensions',
    () => png({ width: 0x7fffffff, height: 0x7fffffff, rows: FOUR_ROWS }),
    'refused',
    'their product overflows',
  ],
  ['a PNG without width', () => png({ width: 0, height: 4, rows: FOUR_ROWS }), 'refused', 'has no pixels'],
  [
    'a PNG with a width of 40,000,001',
    () => png({ width: 40_000_001, height: 1, rows: FOUR_ROWS }),
    'refused',
    'over the limit',
  ],
  [
    'a PNG whose pixels are a bomb',
    () => pngOf(pngChunk('IDAT', zlibBomb())),
    'stored as image',
    'more rows than its header says are ignored',
  ],
  [
    'a PNG whose profile is a bomb',
    () => png({ width: 4, height: 4, chunks: [pngChunk('iCCP', joined(latin1('a\0\0'), zlibBomb()))] }),
    'stored as image',
    'the profile is removed',
  ],
  [
    'a PNG whose text is a bomb',
    () => png({ width: 4, height: 4, chunks: [pngChunk('zTXt', joined(latin1('a\0\0'), zlibBomb()))] }),
    'stored as image',
    'texts are not read',
  ],
  [
    'a PNG with 50,000 chunks',
    () => png({ width: 4, height: 4, chunks: new Array<Uint8Array>(50_000).fill(pngChunk('abCd', NONE)) }),
    'stored as image',
    'they are ignored',
  ],
  [
    'a PNG with too few rows',
    () => pngOf(pngChunk('IDAT', deflateSync(new Uint8Array(9)))),
    'refused',
    'is incomplete',
  ],
  ['a PNG without pixels', () => pngOf(), 'refused', 'is incomplete'],
  ['a PNG whose pixels are not compressed', () => pngOf(pngChunk('IDAT', FOUR_ROWS)), 'refused', 'is damaged'],
  [
    'a PNG with a wrong checksum',
    () =>
      pngOf(pngChunk('IDAT', deflateSync(FOUR_ROWS)).map((byte, i, all) => (i === all.length - 1 ? byte ^ 1 : byte))),
    'stored as image',
    'its pixels can be decoded',
  ],
  [
    'a PNG with a chunk that never ends',
    () => joined(PNG_SIGNATURE, pngHeader({ width: 4, height: 4 }), u32be(0x7fffffff), latin1('IDAT')),
    'refused',
    'is damaged',
  ],
  [
    'a PNG with a palette colour that does not exist',
    () =>
      png({
        width: 4,
        height: 4,
        colorType: 3,
        chunks: [pngChunk('PLTE', latin1('\0\0\0'))],
        rows: new Uint8Array(20).fill(9).map((byte, i) => (i % 5 === 0 ? 0 : byte)),
      }),
    'stored as image',
    'must not read outside of the palette',
  ],
  ['a PNG without its palette', () => png({ width: 4, height: 4, colorType: 3 }), 'refused', 'is damaged'],
  [
    'a PNG with an unknown filter',
    () => png({ width: 4, height: 4, rows: new Uint8Array(20).fill(9) }),
    'refused',
    'is damaged',
  ],
]

const frame = (width: number, height: number) => ({ width, height, color: 1 as const })

const GIFS: readonly Row[] = [
  [
    'a GIF whose screen is larger than 40 megapixels',
    () => gif(65_535, 65_535, [frame(1, 1)]),
    'stored as image',
    'only its frame of one pixel is decoded',
  ],
  [
    'a GIF whose frame is larger than 40 megapixels',
    () => gif(1, 1, [frame(65_535, 65_535)], 100),
    'refused',
    '4,295 megapixels in 100 bytes',
  ],
  [
    'a GIF whose frame is larger than its screen',
    () => gif(4, 4, [frame(2000, 2000)], 4_000_000),
    'stored as image',
    'must not write outside of the screen',
  ],
  [
    'a GIF with its frame beside the screen',
    () => gif(4, 4, [{ ...frame(4, 4), left: 65_000 }]),
    'stored as image',
    'only its frame is decoded',
  ],
  [
    'a GIF with more pixels than its frame',
    () => gif(4, 4, [frame(4, 4)], 100_000),
    'stored as image',
    'must not write outside of the frame',
  ],
  [
    'a GIF with fewer pixels than its frame',
    () => gif(100, 100, [frame(100, 100)], 10),
    'stored as image',
    'the rest is empty',
  ],
  [
    'a GIF with 10,000 frames',
    () => gif(4, 4, new Array<ReturnType<typeof frame>>(10_000).fill(frame(4, 4))),
    'stored as image',
    'only the first is decoded',
  ],
  ['a GIF without frames', () => gif(4, 4, []), 'refused', 'has no pixels'],
  ['GIF89a and HTML', () => latin1('GIF89a<html><script>alert(1)</script>'), 'refused', 'cannot be decoded'],
]

const WEBPS: readonly Row[] = [
  ['a WebP of 16,384×16,384 pixels', () => webp(vp8l(16_384, 16_384)), 'refused', '268 megapixels in 90 bytes'],
  [
    'a WebP whose canvas is larger than 40 megapixels',
    () => webp(vp8x(0, 16_384, 16_384), vp8l(4, 4)),
    'refused',
    'its parts disagree',
  ],
  ['a WebP without pixels', () => webp(vp8x(0, 4, 4)), 'refused', 'has no pixels'],
  [
    'an animated WebP without frames',
    () => webp(vp8x(2, 4, 4), riffChunk('ANIM', new Uint8Array(6))),
    'refused',
    'has no pixels',
  ],
  [
    'an animated WebP with a frame of 16,384×16,384 pixels',
    () =>
      webp(
        vp8x(2, 4, 4),
        riffChunk(
          'ANMF',
          joined(new Uint8Array(6), latin1('\xff\x3f\0\xff\x3f\0'), new Uint8Array(4), vp8l(16_384, 16_384)),
        ),
      ),
    'refused',
    'over the limit',
  ],
  [
    'an animated WebP with an empty frame',
    () => webp(vp8x(2, 4, 4), riffChunk('ANMF', new Uint8Array(16))),
    'refused',
    'has no pixels',
  ],
  [
    'a WebP with a chunk that never ends',
    () => webp(vp8x(2, 4, 4), latin1('ANMF\xff\xff\xff\xff')),
    'refused',
    'is damaged',
  ],
  ['RIFF, WEBP and HTML', () => latin1('RIFF\x40\0\0\0WEBP<script>alert(1)</script>'), 'refused', 'cannot be decoded'],
]

/** The start of the last scan of a progressive JPEG. */
function lastScan(jpeg: Uint8Array): number {
  let last = 0
  for (let at = 0; (at = Buffer.from(jpeg).indexOf(latin1('\xff\xda'), at + 1)) > 0;) last = at
  return last
}

/** A progressive JPEG with `count` more scans, which have no data. */
function withScans(count: number): Uint8Array {
  const jpeg = fixture('progressive.jpg')
  const last = lastScan(jpeg)
  const header = jpeg.subarray(last, last + 2 + (jpeg[last + 2]! << 8) + jpeg[last + 3]!)
  return joined(jpeg.subarray(0, last), ...new Array<Uint8Array>(count).fill(header), jpeg.subarray(last))
}

const withExif = (data: Uint8Array): Uint8Array => withSegments(photo(), exifSegment(data))
const icc = (data: Uint8Array, part = 1, parts = 1): Uint8Array =>
  jpegSegment(0xe2, joined(latin1('ICC_PROFILE\0'), new Uint8Array([part, parts]), data))
/** Half of the entries are texts as long as the block, the others point to the same directory. */
const exifOfEntries = (): Uint8Array =>
  tiff(
    Array.from({ length: 4000 }, (_, i) =>
      i % 2 === 0 ? { tag: 0x010f, type: 2, count: 60_000, value: latin1('\x08\0\0\0') } : longEntry(0x8769, 8),
    ),
    8,
  )

const JPEGS: readonly Row[] = [
  [
    'a JPEG that claims 65,500×65,500 pixels',
    () => withJpegSize(photo(), 65_500, 65_500),
    'refused',
    '4,290 megapixels in 700 bytes',
  ],
  ['a JPEG that claims 40.1 megapixels', () => withJpegSize(photo(), 8000, 5013), 'refused', 'over the limit'],
  [
    'a JPEG that claims 39.9 megapixels',
    () => withJpegSize(photo(), 8000, 4987),
    'stored as image',
    'the missing pixels are grey',
  ],
  ['a JPEG without height', () => withJpegSize(photo(), 48, 0), 'refused', 'has no pixels'],
  [
    'a JPEG of 39.9 megapixels with 1,000 scans',
    () => withJpegSize(withScans(1000), 8000, 4987),
    'refused',
    'each scan passes over the image',
  ],
  ['a JPEG with 80 scans', () => withScans(80), 'stored as image', 'is unusual and allowed'],
  [
    'a JPEG without a scan',
    () => joined(photo().subarray(0, markerAt(photo(), 0xda)), latin1('\xff\xd9')),
    'refused',
    'has no pixels',
  ],
  [
    'a JPEG with a segment of length 0',
    () => joined(latin1('\xff\xd8\xff\xfe\0\0'), photo().subarray(2)),
    'stored as image',
    'libjpeg skips it',
  ],
  ['a JPEG without its end marker', () => photo().subarray(0, -2), 'refused', 'is incomplete'],
  [
    'a JPEG of fill bytes',
    () => joined(latin1('\xff\xd8'), new Uint8Array(1_000_000).fill(0xff)),
    'refused',
    'has no pixels',
  ],
  [
    'a JPEG signature and HTML',
    () => latin1('\xff\xd8\xff\xe0<script>alert(1)</script>'),
    'refused',
    'cannot be decoded',
  ],
  [
    'a JPEG with EXIF directories in a loop',
    () => withExif(tiff([longEntry(0x8769, 8), longEntry(0x8825, 8)], 8)),
    'stored as image',
    'damaged EXIF data is ignored',
  ],
  [
    'a JPEG with 4,000 long EXIF entries',
    () => withExif(exifOfEntries()),
    'stored as image',
    '120 MB of texts in 48 KB',
  ],
  [
    'a JPEG with an EXIF count of 4 billion',
    () => withExif(tiff([{ tag: 0x9003, type: 2, count: 0xffffffff, value: latin1('\x08\0\0\0') }])),
    'stored as image',
    'damaged EXIF data is ignored',
  ],
  [
    'a JPEG with an EXIF orientation of 65,535',
    () => withExif(tiff([shortEntry(0x0112, 65_535)])),
    'stored as image',
    'is ignored',
  ],
  [
    'a JPEG with a latitude of infinity',
    () => withExif(exif({ latitude: [[[1, 0]], 'N'], longitude: [[[1, 0]], 'E'] })),
    'stored as image',
    'is ignored',
  ],
  [
    'a JPEG with HTML in its EXIF data',
    () => withExif(tiff([textEntry(0x010f, '<script>alert(1)</script>')])),
    'stored as image',
    'is removed by re-encoding',
  ],
  [
    'a JPEG with a colour profile of garbage',
    () => withSegments(photo(), icc(new Uint8Array(500).fill(0xaa))),
    'stored as image',
    'viewers ignore it',
  ],
  [
    'a JPEG with parts of a profile missing',
    () => withSegments(photo(), icc(new Uint8Array(60_000), 255, 255)),
    'stored as image',
    'is ignored',
  ],
  [
    'a JPEG with 300 segments of 64 KB',
    () => withSegments(photo(), ...new Array<Uint8Array>(300).fill(jpegSegment(0xe5, new Uint8Array(65_000)))),
    'stored as image',
    'they are removed',
  ],
]

const HEICS: readonly Row[] = [
  ['the start of a HEIC', () => heic().subarray(0, 32), 'refused', 'is incomplete'],
  ['a HEIC without its pixels', () => heic().subarray(0, heic().length >> 1), 'refused', 'is incomplete'],
  [
    'a HEIC whose pixels are garbage',
    () => heic().map((byte, i) => (i > heic().length - 300 ? i & 0xff : byte)),
    'stored as image',
    'decodes to other pixels',
  ],
  ['a HEIC that claims 65,535×65,535 pixels', () => withHeicSize(65_535, 65_535), 'refused', 'over the limit'],
  [
    'a HEIC that claims 4 billion pixels a side',
    () => withHeicSize(0xffffffff, 0xffffffff),
    'refused',
    'over the limit',
  ],
  ['a HEIC that claims 30 megapixels', () => withHeicSize(6000, 5000), 'refused', 'its pixels are 64×48'],
  [
    'a HEIC with a box that contains itself',
    () => joined(heic().subarray(0, 40), latin1('\0\0\0\0meta\0\0\0\0'), heic().subarray(40)),
    'refused',
    'is damaged',
  ],
]

/** Changes the dimensions in the box `ispe`. */
function withHeicSize(width: number, height: number): Uint8Array {
  const bytes = heic()
  bytes.set(joined(u32be(width), u32be(height)), Buffer.from(bytes).indexOf('ispe') + 8)
  return bytes
}

/** Cut at twelve positions, as by an interrupted upload. */
const truncated = (name: string, whole: () => Uint8Array): Row[] =>
  Array.from({ length: 12 }, (_, i): Row => {
    const part = (i + 1) / 13
    const cut = (): Uint8Array => whole().subarray(0, Math.max(12, Math.floor(whole().length * part)))
    return [`the first ${Math.round(part * 100)} % of a ${name}`, cut, 'refused', 'is incomplete']
  })

const noise = (): Uint8Array => {
  // The same on each run: a linear congruential generator.
  let state = 1
  const rows = new Uint8Array(64 * 193)
  for (let i = 0; i < rows.length; i++) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    rows[i] = i % 193 === 0 ? 0 : state >> 16
  }
  return png({ width: 64, height: 64, colorType: 2, rows })
}

const EXTENSIONS: Readonly<Record<string, string>> = { PNG: 'png', GIF: 'gif', WebP: 'webp', HEIC: 'heic' }

export const hostileImages: readonly HostileFile[] = [
  ...PNGS,
  ...GIFS,
  ...WEBPS,
  ...JPEGS,
  ...HEICS,
  ...truncated('JPEG', photo),
  ...truncated('progressive JPEG', () => fixture('progressive.jpg')),
  ...truncated('PNG', noise),
  ...truncated('WebP', () => fixture('photo.webp')),
].map(([name, bytes, expected, why]) => {
  const format = Object.keys(EXTENSIONS).find((known) => name.includes(known))
  return { name, fileName: `image.${format === undefined ? 'jpg' : EXTENSIONS[format]}`, bytes, expected, why }
})
