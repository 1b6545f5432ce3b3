import { describe, expect, test } from 'bun:test'

import { cleanStyle, cleanTags, contentProblem, levelFor } from '#domains/qr-codes/codes/rules.ts'
import { renderPath } from '#domains/qr-codes/render/model.ts'
import { targetOf } from '#domains/qr-codes/scans/rules.ts'
import { encodeQr, QrTooLong } from '#lib/qr/index.ts'

describe('what fits a code', () => {
  /** The capacity that the content exceeds, if it does. */
  const exceeded = (content: string, level: 'L' | 'M' | 'Q' | 'H' | undefined): number | undefined => {
    const problem = contentProblem(content, level, 'body.content')
    return problem && Number(/at most (\d+)$/.exec(problem.text.en)![1])
  }
  const a = (bytes: number) => 'a'.repeat(bytes)
  const cases: [name: string, content: string, level: 'L' | 'M' | 'Q' | 'H' | undefined, max: number | undefined][] = [
    ['M by default', a(2331), undefined, undefined],
    ['L where M is too small', a(2953), undefined, undefined],
    ['too long for any', a(2954), undefined, 2953],
    ['L full', a(2953), 'L', undefined],
    ['M full', a(2331), 'M', undefined],
    ['M over', a(2332), 'M', 2331],
    ['Q full', a(1663), 'Q', undefined],
    ['Q over', a(1664), 'Q', 1663],
    ['H full', a(1273), 'H', undefined],
    ['H over', a(1274), 'H', 1273],
    ['bytes count, not characters', '汉'.repeat(984), 'L', undefined],
    ['985 Chinese characters are 2,955 bytes', '汉'.repeat(985), 'L', 2953],
    ['emoji take four bytes', '😀'.repeat(319), 'H', 1273],
  ]
  for (const [name, content, level, max] of cases)
    test(name, () => expect(exceeded(content, level)).toBe(max as number))

  test('whatever is let in can be drawn', () => {
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

  test('the level asked for is kept', () => {
    expect(levelFor('x', 'H')).toBe('H')
    expect(levelFor('x', undefined)).toBe('M')
    expect(levelFor('a'.repeat(2332), undefined)).toBe('L')
  })
})

test('a style keeps what was asked for and nothing else', () => {
  expect(cleanStyle({ fg: 'AABBCC', level: null, margin: 0 })).toEqual({ fg: 'aabbcc', margin: 0 })
  expect(cleanStyle(null)).toEqual({})
})

test('tags are kept once, in order', () => expect(cleanTags(['b', 'a', 'b'])).toEqual(['b', 'a']))

test('a picture’s path carries the content and only what differs from the defaults', () => {
  expect(renderPath('a b&c=汉', {})).toBe('/api/qrcode/render?content=a%20b%26c%3D%E6%B1%89')
  expect(renderPath('x', { level: 'H', margin: 0, fg: '112233', bg: 'ffffff' })).toBe(
    '/api/qrcode/render?content=x&level=H&margin=0&fg=112233&bg=ffffff',
  )
})

describe('what a scanned content points to', () => {
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
    test(`${JSON.stringify(content)} → ${kind}`, () => {
      const target = targetOf(content, here)
      expect(target).toEqual((found === undefined ? { kind } : { kind, uuid: found }) as typeof target)
    })

  test('a server that stands below a path knows its own links only there', () => {
    const base = 'https://example.org/codes'
    expect(targetOf(`${base}/public/qr/${uuid}`, base)).toEqual({ kind: 'QR_CODE', uuid })
    expect(targetOf(`https://example.org/public/qr/${uuid}`, base)).toEqual({ kind: 'URL' })
  })
})
