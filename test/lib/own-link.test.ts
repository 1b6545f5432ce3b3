import { describe, expect, test } from 'bun:test'

import { ownLink } from '#lib/own-link.ts'

describe('ownLink', () => {
  const cases: [text: string, publicUrl: string, path: string | undefined][] = [
    ['https://qr.example.org/s/activity/7', 'https://qr.example.org', '/s/activity/7'],
    ['  HTTPS://QR.EXAMPLE.ORG/S/PASS/ABC ', 'https://qr.example.org', '/S/PASS/ABC'],
    ['https://example.org/qr/s/activity/7?code=A#x', 'https://example.org/qr', '/s/activity/7'],
    ['https://example.org/qr/s/activity/7', 'https://example.org/qr/', '/s/activity/7'],
    ['HTTPS://EXAMPLE.ORG/QR/S/PASS/ABC', 'https://example.org/qr', '/S/PASS/ABC'],
    ['https://example.org:443/s', 'https://example.org', '/s'],
    ['http://qr.example.org/s/activity/7', 'https://qr.example.org', undefined],
    ['https://qr.example.org:8443/s/activity/7', 'https://qr.example.org', undefined],
    ['https://qr.example.org.evil.example/s', 'https://qr.example.org', undefined],
    ['https://example.org/other/s', 'https://example.org/qr', undefined],
    ['https://example.org/s a', 'https://example.org', undefined],
    ['activity:7', 'https://qr.example.org', undefined],
    ['https://', 'https://qr.example.org', undefined],
    ['https://qr.example.org/s', '', undefined],
    ['', 'https://qr.example.org', undefined],
  ]
  for (const [text, publicUrl, path] of cases)
    test(`the path of ${JSON.stringify(text)} below ${JSON.stringify(publicUrl)} is ${path ?? 'unknown'}`, () => {
      expect(ownLink(text, publicUrl)?.path).toBe(path)
    })

  test('the query of a link is decoded', () => {
    expect(ownLink('https://example.org/s/activity/7?code=A%20B', 'https://example.org')?.query.get('code')).toBe('A B')
  })
})
