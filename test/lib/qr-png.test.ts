/** Tests the bytes of a PNG and the geometry of both formats. */

import { expect, test } from 'bun:test'

import { encodeQr, type Look, type Matrix, QrTooSmall, toSvg } from '#lib/qr/index.ts'
import { toPng } from '#lib/qr/png.ts'

import { chunksOf, type Picture, pictureOfPng, pictureOfSvg } from './qr-pictures.ts'

const BLACK: Pick<Look, 'fg' | 'bg'> = { fg: '000000', bg: 'ffffff' }
const matrix = encodeQr('https://example.org/', 'M')

/** Compares every pixel: `scale` pixels per module starting at `offset`, light elsewhere. */
function expectGeometry(picture: Picture, of: Matrix, scale: number, offset: number): void {
  for (let y = 0; y < picture.size; y++)
    for (let x = 0; x < picture.size; x++) {
      const row = Math.floor((y - offset) / scale)
      const column = Math.floor((x - offset) / scale)
      const inside = row >= 0 && column >= 0 && row < of.side && column < of.side
      const dark = inside ? of.modules[row * of.side + column]! : 0
      if (picture.dark[y * picture.size + x] !== dark) throw new Error(`wrong at ${x},${y} of ${picture.size}`)
    }
}

test('a PNG has four chunks with correct checksums and one bit per pixel', () => {
  const png = toPng(matrix, { size: 300, margin: 4, ...BLACK })
  expect(chunksOf(png).map((chunk) => chunk.type)).toEqual(['IHDR', 'PLTE', 'IDAT', 'IEND'])
  expect(pictureOfPng(png)).toMatchObject({ size: 300, fg: '000000', bg: 'ffffff' })
  expect(png.byteOffset).toBe(0)
  expect(png.buffer.byteLength).toBe(png.length)
})

test('the PNG reader of these tests detects a changed byte', () => {
  const png = toPng(matrix, { size: 64, margin: 0, ...BLACK })
  png[60]! ^= 1
  expect(() => chunksOf(png)).toThrow('checksum')
})

test('a picture has exactly the requested size, and its modules are whole pixels and centred', () => {
  expect(matrix.side).toBe(25)
  for (const [size, margin, scale, offset] of [
    [64, 0, 2, 7],
    [64, 4, 1, 19],
    [65, 4, 1, 20],
    [100, 0, 4, 0],
    [300, 4, 9, 37],
    [301, 10, 6, 75],
    [2048, 4, 62, 249],
  ] as const)
    expectGeometry(pictureOfPng(toPng(matrix, { size, margin, ...BLACK })), matrix, scale, offset)
})

test('the largest code has its modules in the right places at every width around a byte boundary', () => {
  const full = encodeQr('x'.repeat(2953), 'L')
  expect(full.side).toBe(177)
  for (let size = 177; size < 195; size++)
    expectGeometry(pictureOfPng(toPng(full, { size, margin: 0, ...BLACK })), full, 1, (size - 177) >> 1)
  expectGeometry(pictureOfPng(toPng(full, { size: 1777, margin: 0, ...BLACK })), full, 10, 3)
})

test('a PNG with less than one pixel per module is refused with the number needed; an SVG is not', () => {
  const full = encodeQr('x'.repeat(2953), 'L')
  for (const margin of [0, 4, 10]) {
    const needed = 177 + 2 * margin
    expect(pictureOfPng(toPng(full, { size: needed, margin, ...BLACK })).size).toBe(needed)
    try {
      toPng(full, { size: needed - 1, margin, ...BLACK })
      throw new Error('was accepted')
    } catch (error) {
      expect(error).toBeInstanceOf(QrTooSmall)
      expect(error).toMatchObject({ size: needed - 1, modules: needed })
    }
    expect(pictureOfSvg(toSvg(full, { size: 64, margin, ...BLACK }), 1).size).toBe(needed)
  }
})

test('an SVG uses modules as units and draws exactly the dark ones', () => {
  for (const margin of [0, 4, 10]) {
    const picture = pictureOfSvg(toSvg(matrix, { size: 300, margin, ...BLACK }), 2)
    expect(picture).toMatchObject({ width: 300, units: 25 + 2 * margin, fg: '000000', bg: 'ffffff' })
    expectGeometry(picture, matrix, 2, 2 * margin)
  }
})

test('colours are accepted with upper and lower case digits', () => {
  for (const [fg, bg] of [
    ['1A2b3C', 'FfeeDD'],
    ['000001', '0000ff'],
    ['ffffff', '000000'],
  ] as const) {
    const wanted = { fg: fg.toLowerCase(), bg: bg.toLowerCase() }
    expect(pictureOfPng(toPng(matrix, { size: 100, margin: 4, fg, bg }))).toMatchObject(wanted)
    expect(pictureOfSvg(toSvg(matrix, { size: 100, margin: 4, fg, bg }), 1)).toMatchObject(wanted)
  }
})

test('the same code drawn again has the same bytes, after other codes were drawn', () => {
  const looks: Look[] = [
    { size: 300, margin: 4, ...BLACK },
    { size: 333, margin: 1, fg: 'ff0000', bg: '00ff00' },
  ]
  const draw = (): string[] => {
    const fresh = encodeQr('https://example.org/', 'M')
    return looks.flatMap((l) => [toPng(fresh, l).toHex(), toSvg(fresh, l)])
  }
  const first = draw()
  expect(new Set(first).size).toBe(4)
  toPng(encodeQr('other', 'H'), { size: 2048, margin: 0, ...BLACK })
  expect(draw()).toEqual(first)
})

test('a PNG of a link has at most 700, 1,500 and 8,500 bytes at 300, 1,024 and 2,048 pixels', () => {
  for (const [size, most] of [
    [300, 700],
    [1024, 1500],
    [2048, 8500],
  ] as const)
    expect(
      toPng(encodeQr('https://example.org/products/0000004711?ref=qr', 'M'), { size, margin: 4, ...BLACK }).length,
    ).toBeLessThan(most)
})
