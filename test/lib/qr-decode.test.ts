/** Two decoders read the pictures: ZXing-C++ and that of the `qr` package. */

import { describe, expect, test } from 'bun:test'

import { encodeQr, type Level, LEVELS, type Look, QrTooLong, QrTooSmall, toSvg } from '#lib/qr/index.ts'
import { toPng } from '#lib/qr/png.ts'

import { pictureOfPng, pictureOfSvg, readByQr, readByZxing } from './qr-pictures.ts'

const VCARD = [
  'BEGIN:VCARD',
  'VERSION:3.0',
  'N:王;小明',
  'FN:王小明',
  'ORG:示例有限公司',
  'TEL;TYPE=CELL:+8613800138000',
  'EMAIL:xiaoming@example.cn',
  'END:VCARD',
].join('\r\n')

const CONTENTS: Record<string, string> = {
  'one character': 'a',
  Latin: 'The quick brown fox – naïve café, Straße, mañana',
  'short Latin with an accent': 'é',
  Chinese: '固定资产编号：A-0001（北京）',
  'two Chinese characters': '你好',
  'Chinese that looks like Shift JIS': '麻杏石甘口服液',
  emoji: '😀👍🏽🇨🇳👩‍👩‍👧',
  numeric: '20241120083000123456789',
  alphanumeric: 'TESSERA-001 $%*+-./:',
  URL: 'https://qr.example.org/public/qr/7f0c2d1e-4b5a-4c6d-8e9f-0a1b2c3d4e5f?a=1&b=二',
  WIFI: 'WIFI:T:WPA;S:咖啡馆;P:p\\;ss"word;;',
  vCard: VCARD,
  'Greek, Cyrillic, Arabic, Thai, Korean': 'Ελληνικά Привет المحتوى ไทย 한국어 𠮷',
  'text between blanks and line breaks': ' \n padded \t\n',
  '700 Chinese characters': '资产管理平台测'.repeat(100),
  '1,273 bytes': 'x'.repeat(1200) + 'é'.repeat(36) + 'y',
  '2,953 bytes': Array.from({ length: 2953 }, (_, i) => String.fromCharCode(33 + ((i * i * 7) % 94))).join(''),
}
const BYTES = { L: 2953, M: 2331, Q: 1663, H: 1273 }
const SIZES = [64, 177, 300, 1024, 2048]
const MARGINS = [0, 4, 10]
const look = (size: number, margin: number): Look => ({ size, margin, fg: '000000', bg: 'ffffff' })

for (const [name, content] of Object.entries(CONTENTS))
  describe(name, () => {
    const bytes = new TextEncoder().encode(content).length
    for (const level of LEVELS) {
      if (bytes > BYTES[level]) {
        test(`${name} (${bytes} bytes) is too long for level ${level}`, () =>
          expect(() => encodeQr(content, level)).toThrow(QrTooLong))
        continue
      }
      test(`${name} is read from every picture at level ${level}`, async () => {
        const matrix = encodeQr(content, level)
        const read = {
          text: content,
          level,
          version: matrix.version,
          declared: bytes > content.length && bytes < BYTES[level],
        }
        for (const size of SIZES)
          for (const margin of size > 1024 ? [4] : MARGINS) {
            if (matrix.side + 2 * margin > size) {
              expect(() => toPng(matrix, look(size, margin))).toThrow(QrTooSmall)
              continue
            }
            const png = toPng(matrix, look(size, margin))
            expect(await readByZxing(png)).toEqual(read)
            // The other decoder needs a margin and two pixels per module, and is slow with large pictures.
            if (size === 300 && margin === 4 && matrix.side + 2 * margin <= size / 2)
              expect(readByQr(pictureOfPng(png))).toBe(content)
          }
        for (const margin of MARGINS) {
          const picture = pictureOfSvg(toSvg(matrix, look(300, margin)), 3)
          expect(await readByZxing(picture)).toEqual(read)
          if (margin >= 4) expect(readByQr(picture)).toBe(content)
        }
      })
    }
  })

test('coloured codes can be read', async () => {
  for (const [fg, bg] of [
    ['1a237e', 'fff3e0'],
    ['B71C1C', 'FFFFFF'],
    ['004d40', 'ffeb3b'],
  ] as const) {
    const matrix = encodeQr('颜色 colours', 'M')
    const coloured = { size: 300, margin: 4, fg, bg }
    expect((await readByZxing(toPng(matrix, coloured)))?.text).toBe('颜色 colours')
    expect((await readByZxing(pictureOfSvg(toSvg(matrix, coloured), 6)))?.text).toBe('颜色 colours')
  }
})

test('a damaged code can be read at levels Q and H and not at L and M', async () => {
  const torn: Record<Level, boolean> = { L: false, M: false, Q: true, H: true }
  for (const level of LEVELS) {
    const matrix = encodeQr('https://example.org/products/0000004711', level)
    const picture = pictureOfSvg(toSvg(matrix, look(300, 4)), 4)
    // A light patch outside the finder patterns covers a seventh of the code.
    const { size } = picture
    for (let y = Math.floor(size * 0.45); y < size * 0.8; y++)
      for (let x = Math.floor(size * 0.4); x < size * 0.65; x++) picture.dark[y * size + x] = 0
    expect([level, (await readByZxing(picture)) !== undefined]).toEqual([level, torn[level]])
  }
})
