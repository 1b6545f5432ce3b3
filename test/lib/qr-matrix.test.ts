/** Compares symbols with those of two other encoders, and tests the exact limits of each level. */

import { expect, test } from 'bun:test'

import { encodeQR } from 'qr'
import QRCode from 'qrcode'

import { encodeQr, type Level, LEVELS, type Matrix, QrTooLong } from '#lib/qr/index.ts'

const THEIR_NAMES = { L: 'low', M: 'medium', Q: 'quartile', H: 'high' } as const

/** The symbol of the `qr` package without its margin, one character per module. */
const byQrPackage = (content: string, level: Level): string =>
  encodeQR(content, 'raw', { ecc: THEIR_NAMES[level], border: 1 })
    .slice(1, -1)
    .map((row) => row.slice(1, -1).map(Number).join(''))
    .join('')

const text = (matrix: Matrix): string => matrix.modules.join('')

/** ISO/IEC 18004 table 7: the capacity of versions 1, 9, 10, 26, 27 and 40 in digits, alphanumeric characters and bytes. */
// prettier-ignore
const CAPACITY: Record<Level, Record<number, [digits: number, alphanumeric: number, bytes: number]>> = {
  L: { 1: [41, 25, 17], 9: [552, 335, 230], 10: [652, 395, 271], 26: [3283, 1990, 1367], 27: [3517, 2132, 1465], 40: [7089, 4296, 2953] },
  M: { 1: [34, 20, 14], 9: [432, 262, 180], 10: [513, 311, 213], 26: [2544, 1542, 1059], 27: [2701, 1637, 1125], 40: [5596, 3391, 2331] },
  Q: { 1: [27, 16, 11], 9: [312, 189, 130], 10: [364, 221, 151], 26: [1804, 1094, 751], 27: [1933, 1172, 805], 40: [3993, 2420, 1663] },
  H: { 1: [17, 10, 7], 9: [235, 143, 98], 10: [288, 174, 119], 26: [1425, 864, 593], 27: [1501, 910, 625], 40: [3057, 1852, 1273] },
}
const FILLERS = ['7', 'A', 'a']

for (const level of LEVELS) {
  for (const [version, counts] of Object.entries(CAPACITY[level])) {
    test(`version ${version}-${level} holds as much as the standard says, and one character more needs the next version`, () => {
      for (const [i, filler] of FILLERS.entries()) {
        const most = filler.repeat(counts[i]!)
        expect(encodeQr(most, level).version).toBe(Number(version))
        if (version === '40') expect(() => encodeQr(most + filler, level)).toThrow(QrTooLong)
        else expect(encodeQr(most + filler, level).version).toBe(Number(version) + 1)
      }
    })
  }

  test(`content that is too long for level ${level} is refused with an error that names the level`, () => {
    for (const content of ['a'.repeat(CAPACITY[level][40]![2] + 1), '字'.repeat(2500), '0'.repeat(1_000_000)])
      try {
        encodeQr(content, level)
        throw new Error('was accepted')
      } catch (error) {
        expect(error).toBeInstanceOf(QrTooLong)
        expect((error as QrTooLong).level).toBe(level)
      }
  })

  test(`every version of level ${level} equals the symbol of the qr package in every module`, () => {
    const versions = new Set<number>()
    const most = CAPACITY[level][40]![2]
    for (let n = 0; n <= most; n = Math.max(n + 1, Math.floor(n * 1.04)))
      for (const alphabet of ['0123456789', 'ABC12 $%*+-./:', 'abc{}~ ABC\n;12']) {
        const content = Array.from({ length: n }, (_, i) => alphabet[(i * i * 31 + i * 7 + n) % alphabet.length]).join(
          '',
        )
        const ours = encodeQr(content, level)
        versions.add(ours.version)
        if (text(ours) !== byQrPackage(content, level)) throw new Error(`${n} of ${alphabet} differ`)
      }
    expect(versions.size).toBe(40)
  })

  test(`level ${level} needs no larger version than qrcode`, () => {
    for (const content of [
      '1',
      '20241120',
      'HELLO WORLD',
      'hello world',
      'https://example.org/public/qr/7f0c2d1e',
      'x'.repeat(900),
    ]) {
      const theirs = QRCode.create(content, { errorCorrectionLevel: level })
      const ours = encodeQr(content, level)
      expect(ours.version).toBe(theirs.version)
      expect(ours.side).toBe(theirs.modules.size)
    }
  })
}

test('the mask equals that of the qr package even if only the share of dark modules decides', () => {
  for (const [content, level] of [
    ['\0'.repeat(25), 'L'],
    ['*', 'L'],
    ['0'.repeat(196), 'L'],
    ['UU', 'Q'],
    ['\0'.repeat(7), 'H'],
  ] as const)
    expect(text(encodeQr(content, level))).toBe(byQrPackage(content, level))
})

test('content outside ASCII is declared as UTF-8 unless it fits only without the declaration', () => {
  // Version 1-L holds 17 bytes, of which the declaration takes 12 bits.
  expect(encodeQr('é'.repeat(8), 'L').version).toBe(1)
  expect(encodeQr('é'.repeat(8) + 'a', 'L').version).toBe(2)
  const full = '字'.repeat(984) + 'a'
  expect(new TextEncoder().encode(full).length).toBe(2953)
  expect(text(encodeQr(full, 'L'))).toBe(byQrPackage(full, 'L'))
  expect(() => encodeQr(full + 'a', 'L')).toThrow(QrTooLong)
  const declared = '字'.repeat(983) + 'ab'
  expect(text(encodeQr(declared, 'L'))).not.toBe(byQrPackage(declared, 'L'))
})

test('the same content produces the same modules after other content was encoded', () => {
  const first = text(encodeQr('你好 😀', 'Q'))
  encodeQr('x'.repeat(2000), 'L')
  const other = encodeQr('你好 😁', 'Q')
  expect(text(encodeQr('你好 😀', 'Q'))).toBe(first)
  expect(text(other)).not.toBe(first)
})
