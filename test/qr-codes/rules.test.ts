import { describe, expect, test } from 'bun:test'

import { cleanStyle, cleanTags, contentProblem, levelFor } from '#domains/qr-codes/codes/codes.rules.ts'
import { renderPath } from '#domains/qr-codes/codes/codes.view.ts'
import { targetOf } from '#domains/qr-codes/scans/scans.rules.ts'
import { encodeQr, QrTooLong } from '#lib/qr/index.ts'

describe('contents', () => {
  /** The capacity that the content exceeds, if it does. */
  const exceeded = (content: string, level: 'L' | 'M' | 'Q' | 'H' | undefined): number | undefined => {
    const problem = contentProblem(content, level, 'body.content')
    return problem && Number(/at most (\d+)$/.exec(problem.text.en)![1])
  }
  const a = (bytes: number) => 'a'.repeat(bytes)
  const cases: [name: string, content: string, level: 'L' | 'M' | 'Q' | 'H' | undefined, max: number | undefined][] = [
    ['accepts 2,331 bytes without a level', a(2331), undefined, undefined],
    ['accepts 2,953 bytes without a level, at level L', a(2953), undefined, undefined],
    ['refuses 2,954 bytes', a(2954), undefined, 2953],
    ['accepts 2,953 bytes at level L', a(2953), 'L', undefined],
    ['accepts 2,331 bytes at level M', a(2331), 'M', undefined],
    ['refuses 2,332 bytes at level M', a(2332), 'M', 2331],
    ['accepts 1,663 bytes at level Q', a(1663), 'Q', undefined],
    ['refuses 1,664 bytes at level Q', a(1664), 'Q', 1663],
    ['accepts 1,273 bytes at level H', a(1273), 'H', undefined],
    ['refuses 1,274 bytes at level H', a(1274), 'H', 1273],
    ['accepts 984 Chinese characters, which are 2,952 bytes', '汉'.repeat(984), 'L', undefined],
    ['refuses 985 Chinese characters, which are 2,955 bytes', '汉'.repeat(985), 'L', 2953],
    ['refuses 319 emoji at level H, which are 1,276 bytes', '😀'.repeat(319), 'H', 1273],
  ]
  for (const [name, content, level, max] of cases)
    test(`contentProblem ${name}`, () => expect(exceeded(content, level)).toBe(max as number))

  test('contentProblem accepts only contents that can be encoded, up to the last byte', () => {
    for (const level of ['L', 'M', 'Q', 'H'] as const)
      for (const unit of ['a', '汉', '😀', '7', 'A']) {
        const bytes = Buffer.byteLength(unit)
        for (let n = 1; ; n = Math.ceil(n * 1.7)) {
          const content = unit.repeat(n)
          if (exceeded(content, level) !== undefined) break
          expect(() => encodeQr(content, level)).not.toThrow()
        }
        const most = unit.repeat(Math.floor({ L: 2953, M: 2331, Q: 1663, H: 1273 }[level] / bytes))
        expect(exceeded(most, level)).toBeUndefined()
        expect(() => encodeQr(most, level)).not.toThrow()
        expect(exceeded(most + unit, level)).toBeGreaterThan(0)
      }
    expect(() => encodeQr('a'.repeat(2954), 'L')).toThrow(QrTooLong)
  })

  test('levelFor keeps the requested level, otherwise uses M, or L if M is too small', () => {
    expect(levelFor('x', 'H')).toBe('H')
    expect(levelFor('x', undefined)).toBe('M')
    expect(levelFor('a'.repeat(2332), undefined)).toBe('L')
  })
})

test('cleanStyle keeps only the requested properties, with colours in lower case', () => {
  expect(cleanStyle({ fg: 'AABBCC', level: null, margin: 0 })).toEqual({ fg: 'aabbcc', margin: 0 })
  expect(cleanStyle(null)).toEqual({})
})

test('cleanTags removes duplicates and keeps the order', () => expect(cleanTags(['b', 'a', 'b'])).toEqual(['b', 'a']))

test('renderPath contains the content and the properties that the style sets', () => {
  expect(renderPath('a b&c=汉', {})).toBe('/api/qrcode/render?content=a%20b%26c%3D%E6%B1%89')
  expect(renderPath('x', { level: 'H', margin: 0, fg: '112233', bg: 'ffffff' })).toBe(
    '/api/qrcode/render?content=x&level=H&margin=0&fg=112233&bg=ffffff',
  )
})

describe('scan targets', () => {
  const uuid = '7f0c2d1e-4b5a-4c6d-8e9f-0a1b2c3d4e5f'
  const here = 'https://qr.example.org'
  const cases: [content: string, kind: string, uuid?: string][] = [
    [`${here}/public/qr/${uuid}`, 'QR_CODE', uuid],
    [`${here}/public/qr/${uuid.toUpperCase()}/`, 'QR_CODE', uuid],
    [`${here}/public/qr/${uuid}?utm=poster#top`, 'QR_CODE', uuid],
    [`  ${here}/api/qr-codes/public/${uuid}\n`, 'QR_CODE', uuid],
    [`https://elsewhere.org/public/qr/${uuid}`, 'URL'],
    [`http://qr.example.org/public/qr/${uuid}`, 'URL'],
    [`${here}.evil.org/public/qr/${uuid}`, 'URL'],
    [`https://user@elsewhere.org/public/qr/${uuid}`, 'URL'],
    [`${here}/public/qr/${uuid}0`, 'URL'],
    [`${here}/public/qr/1`, 'URL'],
    [`${here}/s/activity/${uuid}`, 'ACTIVITY'],
    [`${here}/s/activity/${uuid}?code=ABC`, 'ACTIVITY'],
    [`${here}/s/check-in/${uuid}`, 'CHECK_IN'],
    [`${here}/s/pass/${uuid}`, 'PASS'],
    [`${here}/s/asset/${uuid}`, 'ASSET'],
    [`${here}/S/PASS/${'A2'.repeat(77)}`.toUpperCase(), 'PASS'],
    [`${here}/s/pass/${'A2'.repeat(77)}`, 'PASS'],
    [`${here}/s/pass/${'A2'.repeat(101)}`, 'URL'],
    [`${here}/S/PASS/${'A2'.repeat(77)}/x`, 'URL'],
    [`${here}/s/constructor/${uuid}`, 'URL'],
    [`https://elsewhere.org/s/asset/${uuid}`, 'URL'],
    ['activity:42', 'ACTIVITY'],
    ['activity:42:AB23-CD', 'ACTIVITY'],
    ['activity:', 'TEXT'],
    ['activity:forty-two', 'TEXT'],
    ['org-join:AB23CD45', 'ORG_JOIN'],
    ['org-join:', 'TEXT'],
    ['user:x9', 'USER'],
    ['user: somebody', 'TEXT'],
    ['https://example.com/', 'URL'],
    ['HTTP://EXAMPLE.COM', 'URL'],
    ['https://', 'TEXT'],
    ['https://example.com and more', 'TEXT'],
    ['javascript:alert(1)', 'TEXT'],
    ['ftp://example.com', 'TEXT'],
    ['hello', 'TEXT'],
    ['汉字', 'TEXT'],
  ]
  for (const [content, kind, found] of cases)
    test(`targetOf takes ${JSON.stringify(content)} for ${kind}`, () => {
      const target = targetOf(content, [here])
      expect(target).toEqual((found === undefined ? { kind } : { kind, uuid: found }) as typeof target)
    })

  test('targetOf recognizes the links of a server below a path only below that path', () => {
    const base = 'https://example.org/codes'
    expect(targetOf(`${base}/public/qr/${uuid}`, [base])).toEqual({ kind: 'QR_CODE', uuid })
    expect(targetOf(`https://example.org/public/qr/${uuid}`, [base])).toEqual({ kind: 'URL' })
    expect(targetOf(`${base}/S/PASS/${uuid}`.toUpperCase(), [base])).toEqual({ kind: 'PASS' })
    expect(targetOf(`HTTPS://EXAMPLE.ORG/S/PASS/${uuid}`, [base])).toEqual({ kind: 'URL' })
  })
})
