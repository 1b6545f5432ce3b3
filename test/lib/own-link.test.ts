import { describe, expect, test } from 'bun:test'

import { normalAddress, ownLink } from '#lib/own-link.ts'

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
    ['https://example.org/qrs/activity/7', 'https://example.org/qr', undefined],
    ['https://qr.example.org./s/activity/7', 'https://qr.example.org', '/s/activity/7'],
    ['https://qr.example.org.:8443/s/x', 'https://qr.example.org:8443', '/s/x'],
    ['http://[FD00:0::5]:8080/s/x', 'http://[fd00::5]:8080', '/s/x'],
    ['https://example.org/s a', 'https://example.org', undefined],
    ['activity:7', 'https://qr.example.org', undefined],
    ['https://', 'https://qr.example.org', undefined],
    ['https://qr.example.org/s', '', undefined],
    ['', 'https://qr.example.org', undefined],
  ]
  for (const [text, publicUrl, path] of cases)
    test(`the path of ${JSON.stringify(text)} below ${JSON.stringify(publicUrl)} is ${path ?? 'unknown'}`, () => {
      expect(ownLink(text, [publicUrl])?.path).toBe(path)
    })

  test('the query of a link is decoded', () => {
    expect(ownLink('https://example.org/s/activity/7?code=A%20B', ['https://example.org'])?.query.get('code')).toBe(
      'A B',
    )
  })

  test('a link below any of the addresses is found', () => {
    const addresses = ['https://new.example.org', 'http://192.168.1.5:8080', 'https://old.example.org/qr']
    for (const address of addresses) expect(ownLink(`${address}/s/pass/1`, addresses)?.path).toBe('/s/pass/1')
    expect(ownLink('https://old.example.org/s/pass/1', addresses)).toBeUndefined()
    expect(ownLink('https://new.example.org/s/pass/1', [])).toBeUndefined()
  })
})

describe('normalAddress', () => {
  const cases: [text: string, normal: string | undefined][] = [
    ['https://qr.example.org', 'https://qr.example.org'],
    ['HTTPS://QR.Example.ORG.:443/', 'https://qr.example.org'],
    ['qr.example.org', 'https://qr.example.org'],
    ['qr.example.org:8443', 'https://qr.example.org:8443'],
    ['http://[FD00:0:0::5]:80/Base/', 'http://[fd00::5]/Base'],
    ['ftp://qr.example.org', undefined],
    ['https://', undefined],
    ['a b', undefined],
    ['', undefined],
  ]
  for (const [text, normal] of cases)
    test(`writes ${JSON.stringify(text)} as ${normal ?? 'nothing'}`, () => expect(normalAddress(text)).toBe(normal!))
})
