/** Uploaded images are re-encoded without metadata, upright and with a thumbnail, by processes outside of the server. */

import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deflateSync } from 'node:zlib'

import { BlobError } from '#platform/blobs/port.ts'
import { createImages, ImageQueueFull, type Images, type Processed, UnusableImage } from '#platform/images/index.ts'

import {
  exif,
  exifSegment,
  gif,
  joined,
  jpegSegment,
  latin1,
  pixelsOf,
  png,
  pngChunk,
  riffChunk,
  SYDNEY,
  u32be,
  vp8x,
  webp,
  withSegments,
} from '../files/build-images.ts'
import { type Color, colorOf, corners, pixelsOfImage } from '../files/pixels.ts'

const folder = mkdtempSync(join(tmpdir(), 'tessera-images-'))
const images = createImages({ heic: () => true })
afterAll(async () => {
  await images.stop()
  rmSync(folder, { recursive: true, force: true })
})

const [output, thumbnailOutput] = [join(folder, 'output'), join(folder, 'thumbnail')]

async function processed(bytes: Uint8Array, mime: string, by: Images = images): Promise<Processed> {
  for (const path of [output, thumbnailOutput]) rmSync(path, { force: true })
  await Bun.write(join(folder, 'input'), bytes)
  return by.process(join(folder, 'input'), mime, output, thumbnailOutput, 1)
}

async function refusal(bytes: Uint8Array, mime: string, by: Images = images): Promise<unknown> {
  const error = await processed(bytes, mime, by).catch((caught: unknown) => caught)
  expect(error).toBeInstanceOf(UnusableImage)
  expect(await Bun.file(output).exists()).toBe(false)
  expect(await Bun.file(thumbnailOutput).exists()).toBe(false)
  return (error as UnusableImage).reason
}

const stored = (): Promise<Uint8Array> => Bun.file(output).bytes()
const fixture = (name: string): Promise<Uint8Array> => Bun.file(join(import.meta.dir, '../fixtures', name)).bytes()
const photo = await fixture('photo.jpg')
const heic = await fixture('photo.heic')
const transparent = png({ width: 2, height: 1, colorType: 6, rows: latin1('\0\xff\0\0\x80\0\0\xff\0') })

const UPRIGHT = ['red', 'green', 'blue', 'white'] as const
/** The corners of the photo as they are stored, if the camera was held as the orientation says. */
const CORNERS: Readonly<Record<number, readonly Color[]>> = {
  1: UPRIGHT,
  2: ['green', 'red', 'white', 'blue'],
  3: ['white', 'blue', 'green', 'red'],
  4: ['blue', 'white', 'red', 'green'],
  5: ['red', 'blue', 'green', 'white'],
  6: ['blue', 'red', 'white', 'green'],
  7: ['white', 'green', 'blue', 'red'],
  8: ['green', 'white', 'red', 'blue'],
}

describe('an image', () => {
  const cases = [1, 2, 3, 4, 5, 6, 7, 8].flatMap((orientation) =>
    ['jpeg', 'png', 'webp'].map((format) => [format, orientation] as const),
  )
  test.each(cases)(
    'in %s with EXIF orientation %d is stored upright, and so is its thumbnail',
    async (format, value) => {
      const data = exif({ orientation: value })
      const pixels = new Bun.Image(photo)
      const bytes =
        format === 'jpeg'
          ? withSegments(photo, exifSegment(data))
          : format === 'png'
            ? withPngChunk(await pixels.png().bytes(), pngChunk('eXIf', data))
            : webp(vp8x(8, 48, 32), pixelsOf(await pixels.webp().bytes()), riffChunk('EXIF', data))
      expect(await corners(bytes)).toEqual([...UPRIGHT])
      const { image, thumbnail } = await processed(bytes, `image/${format}`)
      const [width, height] = value < 5 ? [48, 32] : [32, 48]
      expect(image).toEqual({ mime: `image/${format}` as never, width, height })
      expect(thumbnail).toMatchObject({ width, height })
      expect(await corners(output)).toEqual([...CORNERS[value]!])
      expect(await corners(thumbnailOutput)).toEqual([...CORNERS[value]!])
    },
  )

  /** Inserts a chunk behind the header. */
  function withPngChunk(bytes: Uint8Array, chunk: Uint8Array): Uint8Array {
    return joined(bytes.subarray(0, 33), chunk, bytes.subarray(33))
  }

  test('in HEIC becomes a JPEG with a WebP thumbnail, and its EXIF time and position are returned', async () => {
    const { image, thumbnail, capture, size, sha256 } = await processed(heic, 'image/heic')
    expect(image).toEqual({ mime: 'image/jpeg', width: 64, height: 48 })
    expect(thumbnail).toMatchObject({ width: 64, height: 48 })
    expect(capture?.takenAt).toBe(Date.parse('2024-05-06T07:08:09+08:00'))
    expect(capture?.latitude).toBeCloseTo(-33.858472, 5)
    expect(capture?.longitude).toBeCloseTo(151.21, 5)
    expect(size).toBe((await stored()).length)
    expect(sha256).toBe(new Bun.CryptoHasher('sha256').update(await stored()).digest('hex'))
    expect(await new Bun.Image(await stored()).metadata()).toEqual({ format: 'jpeg', width: 64, height: 48 })
    expect(await new Bun.Image(thumbnailOutput).metadata()).toEqual({ format: 'webp', width: 64, height: 48 })
    expect(thumbnail.size).toBe(Bun.file(thumbnailOutput).size)
  })

  test('in HEIC that the camera turned is stored upright', async () => {
    const { image, thumbnail } = await processed(await fixture('turned.heic'), 'image/heic')
    expect(image).toEqual({ mime: 'image/jpeg', width: 32, height: 48 })
    expect(thumbnail).toMatchObject({ width: 32, height: 48 })
    expect(await corners(output)).toEqual([...CORNERS[6]!])
    expect(await corners(thumbnailOutput)).toEqual([...CORNERS[6]!])
  })

  test.each(['photo.jpg', 'progressive.jpg', 'cmyk.jpg'])('stays the JPEG %s, with the same colours', async (name) => {
    const { image } = await processed(await fixture(name), 'image/jpeg')
    expect(image).toEqual({ mime: 'image/jpeg', width: 48, height: 32 })
    expect(await corners(output)).toEqual([...UPRIGHT])
    expect(await corners(thumbnailOutput)).toEqual([...UPRIGHT])
  })

  test('becomes the PNG of its first frame if it is an animated GIF', async () => {
    const frames = ([0, 1] as const).map((color) => ({ width: 20, height: 10, color }))
    const { image } = await processed(gif(20, 10, frames), 'image/gif')
    expect(image).toEqual({ mime: 'image/png', width: 20, height: 10 })
    expect(await new Bun.Image(output).metadata()).toEqual({ format: 'png', width: 20, height: 10 })
    expect(await corners(output)).toEqual(['red', 'red', 'red', 'red'])
  })

  test('becomes a still WebP of its first frame if it is an animated WebP', async () => {
    const { image } = await processed(await fixture('animated.webp'), 'image/webp')
    expect(image).toEqual({ mime: 'image/webp', width: 48, height: 32 })
    expect(await corners(output)).toEqual([...UPRIGHT])
    expect(Buffer.from(await stored()).includes('ANMF')).toBe(false)
  })

  test('keeps its transparency as PNG, as WebP and from GIF, also in the thumbnail', async () => {
    const lossless = await new Bun.Image(transparent).webp({ lossless: true }).bytes()
    const sources = {
      png: transparent,
      webp: lossless,
      gif: gif(2, 1, [{ width: 2, height: 1, color: 0, transparent: 0 }]),
    }
    for (const [format, bytes] of Object.entries(sources)) {
      await processed(bytes, `image/${format}`)
      for (const path of [output, thumbnailOutput]) {
        const alpha = (await pixelsOfImage(path)).at(0, 0)[3]!
        expect(alpha).toBeLessThan(format === 'gif' ? 1 : 140)
        if (format !== 'gif') expect(alpha).toBeGreaterThan(110)
      }
    }
  })

  test('in PNG with 16 bits, with a palette, in grey and interlaced is stored as PNG', async () => {
    const red = latin1('\xff\xff\0\0\0\0')
    await processed(
      png({ width: 1, height: 1, bitDepth: 16, colorType: 2, rows: joined(latin1('\0'), red) }),
      'image/png',
    )
    expect(colorOf((await pixelsOfImage(output)).at(0, 0))).toBe('red')
    const chunks = [pngChunk('PLTE', latin1('\0\xff\0\0\0\xff'))]
    await processed(
      png({ width: 2, height: 1, bitDepth: 1, colorType: 3, rows: latin1('\0\x40'), chunks }),
      'image/png',
    )
    expect(colorOf((await pixelsOfImage(output)).at(0, 0))).toBe('green')
    expect(colorOf((await pixelsOfImage(output)).at(1, 0))).toBe('blue')
    const { image } = await processed(png({ width: 3, height: 2, bitDepth: 4 }), 'image/png')
    expect(image).toEqual({ mime: 'image/png', width: 3, height: 2 })
    expect(colorOf((await pixelsOfImage(output)).at(0, 0))).toBe('black')
    // With one pixel, only the header of an interlaced image differs.
    const interlaced = png({ width: 1, height: 1, colorType: 2, rows: latin1('\0\xff\0\0') })
    const header = joined(interlaced.subarray(16, 28), new Uint8Array([1]))
    await processed(joined(interlaced.subarray(0, 8), pngChunk('IHDR', header), interlaced.subarray(33)), 'image/png')
    expect(colorOf((await pixelsOfImage(output)).at(0, 0))).toBe('red')
  })

  const RGB = { colorType: 2, bytes: 3 } as const
  test.each([
    ['1 bit of grey', { colorType: 0, bitDepth: 1, bytes: 1 / 8 }, ''],
    ['8 bits of grey and a transparent one', { colorType: 0, bytes: 1 }, 'tRNS'],
    ['8 bits for each colour', RGB, ''],
    ['8 bits for each colour and a transparent one', RGB, 'tRNS'],
    ['16 bits for each colour', { colorType: 2, bitDepth: 16, bytes: 6 }, ''],
    ['8 bits for each colour and transparency', { colorType: 6, bytes: 4 }, ''],
    ['a palette of 16 colours with transparency', { colorType: 3, bitDepth: 4, bytes: 1 / 2 }, 'PLTE tRNS'],
  ] as const)('keeps its depth and all pixels as PNG with %s, and loses everything else', async (_, kind, kept) => {
    const [width, height] = [37, 23]
    const rows = crypto.getRandomValues(new Uint8Array((1 + Math.ceil(width * kind.bytes)) * height))
    // Every filter; the other bytes are random.
    for (let row = 0; row < height; row++) rows[row * (rows.length / height)] = row % 5
    const transparent = { 0: [0, 200], 2: [0, 1, 0, 2, 0, 3], 3: [0, 128], 6: [] }[kind.colorType]
    const all = {
      PLTE: pngChunk('PLTE', crypto.getRandomValues(new Uint8Array(3 * 16))),
      tRNS: pngChunk('tRNS', new Uint8Array(transparent)),
    }
    const chunks = [
      pngChunk('tEXt', latin1('Author\0somebody')),
      ...(['PLTE', 'tRNS'] as const).flatMap((name) => (kept.includes(name) ? [all[name]] : [])),
      pngChunk('prVt', latin1('private')),
    ]
    const source = joined(png({ width, height, ...kind, rows, chunks }), latin1('appended'))
    await processed(source, 'image/png')
    const [before, after] = [await pixelsOfImage(source), await pixelsOfImage(output)]
    for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) expect(after.at(x, y)).toEqual(before.at(x, y))
    const bytes = await stored()
    expect(bytes.subarray(0, 33)).toEqual(source.subarray(0, 33))
    expect(pngChunks(bytes)).toBe(['IHDR', ...kept.split(' ').filter(Boolean), 'IDAT', 'IEND'].join(' '))
  })

  /** Their names in order. */
  function pngChunks(bytes: Uint8Array): string {
    const file = Buffer.from(bytes)
    const names: string[] = []
    for (let at = 8; at < file.length; at += 12 + file.readUInt32BE(at))
      names.push(file.toString('latin1', at + 4, at + 8))
    return names.join(' ')
  }
})

describe('the thumbnail', () => {
  test.each([
    [400, 400, 400, 400],
    [401, 100, 400, 100],
    [100, 4000, 10, 400],
    [1, 1, 1, 1],
    [5000, 1, 400, 1],
  ])('of an image of %d×%d pixels has %d×%d pixels', async (width, height, thumbnailWidth, thumbnailHeight) => {
    const { image, thumbnail } = await processed(png({ width, height }), 'image/png')
    expect(image).toMatchObject({ width, height })
    expect(thumbnail).toMatchObject({ width: thumbnailWidth, height: thumbnailHeight })
    const found = await new Bun.Image(thumbnailOutput).metadata()
    expect(found).toEqual({ format: 'webp', width: thumbnailWidth, height: thumbnailHeight })
  })
})

describe('metadata', () => {
  const secret = latin1('a secret of the photographer')
  const gps = joined(exif(SYDNEY), secret)
  const sources: Readonly<Record<string, () => Promise<Uint8Array>>> = {
    jpeg: async () =>
      joined(
        withSegments(photo, exifSegment(gps), jpegSegment(0xfe, secret), jpegSegment(0xed, secret)),
        latin1('appended: '),
        secret,
      ),
    png: async () =>
      png({
        width: 4,
        height: 4,
        chunks: [pngChunk('eXIf', gps), pngChunk('tEXt', joined(latin1('Author\0'), secret))],
      }),
    webp: async () => {
      const pixels = pixelsOf(await new Bun.Image(photo).webp().bytes())
      return webp(
        vp8x(12, 48, 32),
        pixels,
        riffChunk('EXIF', gps),
        riffChunk('XMP ', secret),
        riffChunk('abcd', secret),
      )
    },
    heic: async () => heic,
  }
  test.each(Object.keys(sources))('of %s is not in the bytes that are stored', async (format) => {
    const bytes = await sources[format]!()
    const { capture } = await processed(bytes, `image/${format}`)
    expect(capture?.latitude).toBeCloseTo(-33.8584722, 5)
    for (const path of [output, thumbnailOutput]) {
      const text = Buffer.from(await Bun.file(path).bytes()).toString('latin1')
      for (const trace of ['Exif', 'eXIf', 'EXIF', 'II*\0', 'MM\0*', '2024:05', 'XMP ', 'tEXt', secret])
        expect(text).not.toContain(typeof trace === 'string' ? trace : Buffer.from(trace).toString('latin1'))
    }
  })
})

describe('a colour profile', () => {
  /** The smallest profile with a valid header. */
  const profile = new Uint8Array(132)
  profile.set(joined(u32be(132), latin1('appl')))
  profile.set(latin1('acsp'), 36)
  const garbage = new Uint8Array(132).fill(0x61)

  const withProfile: Readonly<Record<string, (data: Uint8Array) => Promise<Uint8Array>>> = {
    jpeg: async (data) => withSegments(photo, jpegSegment(0xe2, joined(latin1('ICC_PROFILE\0\x01\x01'), data))),
    png: async (data) =>
      png({ width: 4, height: 4, chunks: [pngChunk('iCCP', joined(latin1('a\0\0'), deflateSync(data)))] }),
    webp: async (data) =>
      webp(vp8x(0x20, 48, 32), riffChunk('ICCP', data), pixelsOf(await new Bun.Image(photo).webp().bytes())),
  }
  const mark: Readonly<Record<string, string>> = { jpeg: 'ICC_PROFILE', png: 'iCCP', webp: 'ICCP' }

  test.each(Object.keys(mark))(
    'of %s is kept if it is plausible, and removed if it is garbage or a bomb',
    async (format) => {
      await processed(await withProfile[format]!(profile), `image/${format}`)
      expect(Buffer.from(await stored()).includes(mark[format]!)).toBe(true)
      await processed(await withProfile[format]!(garbage), `image/${format}`)
      expect(Buffer.from(await stored()).includes(mark[format]!)).toBe(false)
      const bomb =
        format === 'jpeg' ? joined(profile, new Uint8Array(60_000)) : joined(profile, new Uint8Array(2_000_000))
      await processed(await withProfile[format]!(bomb), `image/${format}`)
      expect(Buffer.from(await stored()).includes(mark[format]!)).toBe(false)
    },
  )

  test('of HEIC is kept in the JPEG and its thumbnail', async () => {
    await processed(heic, 'image/heic')
    expect(Buffer.from(await stored()).includes('acsp')).toBe(true)
    expect(Buffer.from(await Bun.file(thumbnailOutput).bytes()).includes('acsp')).toBe(true)
    expect((await new Bun.Image(output).metadata()).format).toBe('jpeg')
  })
})

describe('the time and position of a photo', () => {
  const captureOf = async (data: Uint8Array) =>
    (await processed(withSegments(photo, exifSegment(data)), 'image/jpeg')).capture

  test('are read from its EXIF data', async () => {
    const capture = await captureOf(exif(SYDNEY))
    expect(capture?.takenAt).toBe(Date.parse('2024-05-06T07:08:09+10:00'))
    expect(capture?.latitude).toBeCloseTo(-33.858472, 5)
    expect(capture?.longitude).toBeCloseTo(151.21, 5)
  })

  test('are null without EXIF data', async () => {
    expect((await processed(photo, 'image/jpeg')).capture).toBeNull()
    expect(await captureOf(exif({ orientation: 1 }))).toBeNull()
  })

  test('are read as UTC if the time has no offset', async () => {
    const capture = await captureOf(exif({ time: '2024:05:06 07:08:09' }))
    expect(capture).toEqual({ takenAt: Date.parse('2024-05-06T07:08:09Z'), latitude: null, longitude: null })
  })

  const { latitude, longitude } = SYDNEY as Required<typeof SYDNEY>
  test.each([
    ['a position without longitude', exif({ latitude })],
    ['a latitude beyond the pole', exif({ latitude: [[[91, 1]], 'N'], longitude })],
    ['a division by zero', exif({ latitude: [[[0, 0]], 'N'], longitude })],
    ['a time that does not exist', exif({ time: '2024:13:06 07:08:09' })],
    ['an empty time', exif({ time: '    :  :     :  :  ' })],
    ['a time before 1970', exif({ time: '0000:00:00 00:00:00' })],
    ['bytes other than a TIFF', latin1('anything')],
  ])('are null for %s, and the photo is stored', async (_, data) => {
    expect(await captureOf(data)).toBeNull()
  })
})

describe('images', () => {
  test('in HEIC are refused with their own reason while the administrators have switched it off', async () => {
    const off = createImages({ heic: () => false })
    expect(await refusal(heic, 'image/heic', off)).toBe('heic-off')
    expect((await processed(photo, 'image/jpeg', off)).image.mime).toBe('image/jpeg')
    await off.stop()
  })

  test.each(['image/png', 'image/webp', 'image/gif', 'image/heic', 'image/svg+xml', 'text/html'])(
    'in JPEG that are given as %s are refused',
    async (mime) => expect(await refusal(photo, mime)).toBe('undecodable'),
  )

  test('are refused if they outlast the time limit, each time by a new process', async () => {
    // Thirty megapixels take far longer than a millisecond.
    const hurried = createImages({ heic: () => true, timeLimitMs: 1 })
    for (let i = 0; i < 3; i++)
      expect(await refusal(png({ width: 6000, height: 5000 }), 'image/png', hurried)).toBe('undecodable')
    await hurried.stop()
  })

  const processFor = (party: number, name: string): Promise<Processed> =>
    images.process(
      join(folder, 'input'),
      'image/jpeg',
      join(folder, `many-${name}`),
      join(folder, `small-${name}`),
      party,
    )

  test('of one user do not wait for all images of another one', async () => {
    await Bun.write(join(folder, 'input'), photo)
    const done: number[] = []
    const start = (party: number, name: string) => processFor(party, name).then(() => done.push(party))
    const many = Array.from({ length: 30 }, (_, i) => start(1, `fair-${i}`))
    await start(2, 'fair')
    // Two images of the other user were in progress, and one of them is replaced by another one.
    expect(done.length).toBeLessThan(6)
    await Promise.all(many)
  })

  test('find a place in a full queue if their user has few, at the cost of the user with the most', async () => {
    await Bun.write(join(folder, 'input'), photo)
    const many = Array.from({ length: 102 }, (_, i) => processFor(1, `full-${i}`))
    const settled = Promise.allSettled(many)
    const others = [2, 3, 2].map((party, i) => processFor(party, `other-${i}`))
    for (const one of others) expect((await one).image.mime).toBe('image/jpeg')
    const refused = (await settled).flatMap((one, i) => (one.status === 'rejected' ? [[i, one.reason as unknown]] : []))
    expect(refused.map(([i]) => i)).toEqual([99, 100, 101])
    for (const [, reason] of refused) expect(reason).toBeInstanceOf(ImageQueueFull)
  })

  test('of 50 uploads at once are all processed, and beyond 102 they are refused as too many', async () => {
    await Bun.write(join(folder, 'input'), photo)
    const all = await Promise.allSettled(Array.from({ length: 110 }, (_, i) => processFor(1, `${i}`)))
    const refused = all.filter((one) => one.status === 'rejected')
    expect(refused.length).toBe(8)
    for (const { reason } of refused) expect(reason).toBeInstanceOf(ImageQueueFull)
    for (let i = 0; i < 102; i++) expect(await Bun.file(join(folder, `many-${i}`)).exists()).toBe(true)
  })

  test('cause an error of the disk, and not of the image, if they cannot be written', async () => {
    const missing = join(folder, 'missing', 'output')
    await Bun.write(join(folder, 'missing'), 'a file, not a folder')
    for (const [mime, bytes] of Object.entries({ 'image/jpeg': photo, 'image/heic': heic }))
      for (const [main, thumbnail] of [
        [missing, thumbnailOutput],
        [output, missing],
      ] as const) {
        await Bun.write(join(folder, 'input'), bytes)
        const error = await images
          .process(join(folder, 'input'), mime, main, thumbnail, 1)
          .catch((caught: unknown) => caught)
        expect(error).toBeInstanceOf(BlobError)
        for (const path of [output, thumbnailOutput]) expect(await Bun.file(path).exists()).toBe(false)
      }
  })

  test('reject after the stop', async () => {
    const stopped = createImages({ heic: () => true })
    await stopped.stop()
    const error = await processed(photo, 'image/jpeg', stopped).catch((caught: unknown) => caught)
    expect(error).toBeInstanceOf(Error)
    expect(error).not.toBeInstanceOf(UnusableImage)
  })
})
