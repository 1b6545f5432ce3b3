import { describe, expect, test } from 'bun:test'

import {
  isBlockedHost,
  locationOf,
  MAX_TARGET_BYTES,
  ownAddress,
  readTarget,
  targetProblem,
  webAddress,
} from '#lib/link-target.ts'

const rules = {
  blockedHosts: ['evil.example', 'xn--bse-sna.example', '192.0.2.7', '2001:db8::1'],
  ownAddresses: ['https://qr.example.org', 'http://192.168.1.5:8080', 'https://old.example.org/codes/'].map(ownAddress),
  shortAddress: ownAddress('https://go.example.org'),
}
const long = (bytes: number): string => 'https://example.com/'.padEnd(bytes, 'x')

describe('targetProblem', () => {
  const cases: [target: string, problem: ReturnType<typeof targetProblem>][] = [
    ['https://example.com', undefined],
    ['HTTP://EXAMPLE.COM:8080/a?b=c#d', undefined],
    ['https://müller.example/straße?ü=ß#ö', undefined],
    ['https://example.com/%0d%0aSet-Cookie:%20a=b', undefined],
    ['https://example.com/@name', undefined],
    ['https://example.com/?to=a@b', undefined],
    ['https://example.com\\@name', undefined],
    ['https://example.com/می‌خواهم', undefined],
    ['http://[2001:db8::2]/', undefined],
    [long(MAX_TARGET_BYTES), undefined],
    [long(MAX_TARGET_BYTES + 1), 'LENGTH'],
    [`https://example.com/${'ü'.repeat(1014)}`, undefined],
    [`https://example.com/${'ü'.repeat(1015)}`, 'LENGTH'],
    ['', 'FORM'],
    ['example.com', 'FORM'],
    ['//evil.example', 'FORM'],
    ['/q/abc', 'FORM'],
    ['https:/example.com', 'FORM'],
    ['https:example.com', 'FORM'],
    ['https:\\\\example.com', 'FORM'],
    ['https:///example.com', 'FORM'],
    ['https://\\example.com', 'FORM'],
    ['https://', 'FORM'],
    ['https://a b', 'FORM'],
    [' https://example.com', 'FORM'],
    ['https://exa<mple.com', 'FORM'],
    ['https://example.com:99999', 'FORM'],
    ['javascript:alert(1)', 'FORM'],
    ['JavaScript://example.com/%0aalert(1)', 'FORM'],
    ['data:text/html,x', 'FORM'],
    ['file:///etc/passwd', 'FORM'],
    ['intent://example.com#Intent;scheme=https;end', 'FORM'],
    ['blob:https://example.com/x', 'FORM'],
    ['ftp://example.com', 'FORM'],
    ['tel:+123', 'FORM'],
    ['https://user@example.com', 'USER'],
    ['https://user:secret@example.com', 'USER'],
    ['https://example.com@evil.example', 'USER'],
    ['https://@example.com', 'USER'],
    ['https://example.com/\r\nSet-Cookie: a=b', 'CHARACTERS'],
    ['java\tscript:alert(1)', 'CHARACTERS'],
    ['https://example.com/\u0000', 'CHARACTERS'],
    ['https://example.com/\u0085', 'CHARACTERS'],
    ['https://example.com/\u202Egnp.exe', 'CHARACTERS'],
    ['https://example.com/\u2066', 'CHARACTERS'],
    ['https://example.com/\u061C', 'CHARACTERS'],
    ['https://evil.example/', 'BLOCKED'],
    ['https://EVIL.example.:8443/', 'BLOCKED'],
    ['https://a.b.evil.example/', 'BLOCKED'],
    ['https://%65vil.example/', 'BLOCKED'],
    ['https://ｅvil.example/', 'BLOCKED'],
    ['https://böse.example/', 'BLOCKED'],
    ['https://192.0.2.7/', 'BLOCKED'],
    ['https://3221225991/', 'BLOCKED'],
    ['https://[2001:DB8:0::1]/', 'BLOCKED'],
    ['https://notevil.example/', undefined],
    ['https://evil.example.org/', undefined],
    ['https://qr.example.org/q/abc', 'LOOP'],
    ['https://QR.example.org./Q/ABC?x=1', 'LOOP'],
    ['http://qr.example.org:8080/q/abc', 'LOOP'],
    ['https://qr.example.org/%71/abc', 'LOOP'],
    ['https://qr.example.org/a/../q/abc', 'LOOP'],
    ['https://qr.example.org/q\\abc', 'LOOP'],
    ['http://192.168.1.5:8080/q/abc', 'LOOP'],
    ['https://old.example.org/codes/q/abc', 'LOOP'],
    ['https://qr.example.org/public/qr/7f0c2d1e-4b5a-4c6d-8e9f-0a1b2c3d4e5f', 'LOOP'],
    ['https://qr.example.org/q/abc?page', 'LOOP'],
    ['https://go.example.org/abc', 'LOOP'],
    ['https://go.example.org/', undefined],
    ['https://qr.example.org/public/qr/7f0c2d1e-4b5a-4c6d-8e9f-0a1b2c3d4e5f?page', undefined],
    ['https://qr.example.org/public/qr/7f0c2d1e-4b5a-4c6d-8e9f-0a1b2c3d4e5f/contact.vcf', undefined],
    ['https://qr.example.org/s/activity/7', undefined],
    ['https://qr.example.org/', undefined],
    ['https://old.example.org/q/abc', undefined],
    ['https://qr.example.org.evil.test/q/abc', undefined],
  ]
  for (const [target, problem] of cases)
    test(`${JSON.stringify(target).slice(0, 80)} has ${problem ?? 'no problem'}`, () => {
      expect(targetProblem(target, rules)).toBe(problem)
    })
})

describe('locationOf', () => {
  const cases: [target: string, location: string][] = [
    ['https://example.com', 'https://example.com/'],
    ['https://EXAMPLE.com/A?b=C&b=%41#d', 'https://example.com/A?b=C&b=%41#d'],
    ['https://müller.example/straße?ü=ß#ö', 'https://xn--mller-kva.example/stra%C3%9Fe?%C3%BC=%C3%9F#%C3%B6'],
    ['https://example.com/%0d%0aSet-Cookie:%20a=b', 'https://example.com/%0d%0aSet-Cookie:%20a=b'],
    ['https://example.com\\@evil.example/x', 'https://example.com/@evil.example/x'],
    ['https://example.com//evil.example', 'https://example.com//evil.example'],
    ['https://example.com/二维码', 'https://example.com/%E4%BA%8C%E7%BB%B4%E7%A0%81'],
    ['https://example.com/"<>', 'https://example.com/%22%3C%3E'],
    [long(MAX_TARGET_BYTES), long(MAX_TARGET_BYTES)],
  ]
  for (const [target, location] of cases)
    test(`of ${JSON.stringify(target).slice(0, 80)} is ${location.slice(0, 80)}`, () => {
      expect(locationOf(readTarget(target) as URL)).toBe(location)
    })

  const forwarded: [target: string, query: string, location: string][] = [
    ['https://example.com/a', 'utm=1&x=%20+%26', 'https://example.com/a?utm=1&x=%20%20%26'],
    ['https://example.com/?a=1', 'a=2&a=3&b=%C3%BC', 'https://example.com/?a=1&b=%C3%BC'],
    ['https://example.com/?%61=1', 'a=2', 'https://example.com/?%61=1'],
    ['https://example.com/?', 'a=2', 'https://example.com/?a=2'],
    ['https://example.com/?a=1&#part#two', 'b=%23x', 'https://example.com/?a=1&b=%23x#part#two'],
    ['https://example.com/', 'a=%0d%0aSet-Cookie:x', 'https://example.com/?a=%0D%0ASet-Cookie%3Ax'],
    ['https://example.com/', 'a=%ff', 'https://example.com/?a=%EF%BF%BD'],
    ['https://example.com/', '', 'https://example.com/'],
    ['https://example.com/', `a=${'x'.repeat(9000)}`, 'https://example.com/'],
  ]
  for (const [target, query, location] of forwarded)
    test(`of ${target} with ${query.slice(0, 40)} is ${location}`, () => {
      expect(locationOf(readTarget(target) as URL, new URLSearchParams(query))).toBe(location)
    })
})

test('the web address of a content is without white space around it', () => {
  expect(webAddress(' https://example.com/a\n')).toBe('https://example.com/a')
  for (const other of ['tel:+123', 'WIFI:S:a;;', 'https:///x', 'see https://example.com', 'https://a b', 'intent://x'])
    expect(webAddress(other)).toBeUndefined()
})

test('a host is blocked with its sub-domains', () => {
  expect(isBlockedHost('a.evil.example', ['evil.example'])).toBe(true)
  expect(isBlockedHost('evil.example', ['a.evil.example'])).toBe(false)
  expect(isBlockedHost('evil.example', [])).toBe(false)
})
