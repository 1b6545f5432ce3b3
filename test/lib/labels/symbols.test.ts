import { describe, expect, test } from 'bun:test'

import { code128 } from '#lib/labels/code-128.ts'
import { dataMatrices } from '#lib/labels/data-matrix.ts'

import { codesIn } from './labels.ts'

/** A picture of a code with four dots for each module; bars are 20 modules high. */
function picture(rows: number, columns: number, dark: Uint8Array, quiet: number) {
  const [scale, high] = [4, rows === 1 ? 20 : 1]
  const [width, height] = [(columns + 2 * quiet) * scale, (rows * high + 2 * quiet) * scale]
  const data = new Uint8ClampedArray(width * height * 4).fill(255)
  for (let y = 0; y < rows * high * scale; y++)
    for (let x = 0; x < columns * scale; x++)
      if (dark[Math.floor(y / scale / high) * columns + Math.floor(x / scale)] === 1) {
        const at = ((y + quiet * scale) * width + x + quiet * scale) * 4
        data.fill(0, at, at + 3)
      }
  return { width, height, data }
}

describe('Code 128', () => {
  test.each([
    'A',
    '0',
    '99',
    '12345',
    '123456',
    '1234567',
    'A1234',
    '12A34',
    'a123456',
    'ab1234cd',
    'A-2026-00042',
    'x'.repeat(64),
    Array.from({ length: 94 }, (_, i) => String.fromCharCode(33 + i)).join(''),
  ])('%s is read as it was written', async (text) => {
    const dark = code128(text)!
    expect(await codesIn(picture(1, dark.length, dark, 20))).toEqual([text])
  })

  test('has two digits in a character where that is shorter', () => {
    // Start, three pairs, checksum and stop.
    expect(code128('123456')).toHaveLength(11 * 5 + 13)
    expect(code128('1A2')).toHaveLength(11 * 5 + 13)
  })

  test.each(['', '资产-1', 'é', 'a\nb'])('cannot hold %j', (text) => {
    expect(code128(text)).toBeUndefined()
  })
})

describe('Data Matrix', () => {
  test('squares and rectangles of all sizes are read as they were written', async () => {
    const sizes = new Set<string>()
    const texts = Array.from({ length: 45 }, (_, i) => 'aB3-'.repeat(90).slice(0, 1 + i * 8))
    for (const text of [...texts, '资产-1', 'Ä-1', '资'.repeat(30), '资'.repeat(100)])
      for (const { rows, columns, dark } of dataMatrices(text)) {
        sizes.add(`${rows} × ${columns}`)
        expect(await codesIn(picture(rows, columns, dark, 4))).toEqual([text])
      }
    expect(sizes.size).toBeGreaterThan(18)
  })

  test('there is none for texts that are too long', () => {
    expect(dataMatrices('x'.repeat(369))).toEqual([])
  })
})
