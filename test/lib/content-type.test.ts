import { expect, test } from 'bun:test'

import { CONTENT_TYPES, type ContentType, contentTypeOf } from '#lib/content-type.ts'

import { growth, MAX_GROWTH } from './fastest.ts'

const CASES: Record<ContentType, string[]> = {
  TEXT: [
    '',
    '   ',
    '你好，世界 😀',
    'Meeting at 10: bring https://example.com',
    'https://',
    'http:/example.com',
    'a b@example.com',
    'a@example',
    '13800138000',
    '4006-123-456',
    '+12',
    '+1234567890123456',
    'tel: ask at the desk',
    'geo: the study of earth',
    'Note: call me',
    'user: bob smith',
    'BEGIN:VCARDS',
    'wifi password is 12345',
  ],
  URL: [
    'https://example.com',
    'HTTP://EXAMPLE.COM/A?B=C#D',
    ' https://例子.测试/路径?查询=值\n',
    'http://localhost:8080/s/asset/1',
  ],
  WIFI: ['WIFI:T:WPA;S:咖啡馆;P:12345678;;', 'wifi:S:open;;'],
  VCARD: [
    'BEGIN:VCARD\nVERSION:3.0\nFN:王小明\nEND:VCARD',
    'begin:vcard\r\nEND:VCARD',
    'MECARD:N:Owen,Sean;TEL:+12125551212;;',
  ],
  EMAIL: [
    'mailto:someone@example.com?subject=Hi',
    'MATMSG:TO:a@example.com;SUB:Hi;BODY:There;;',
    'smtp:a@example.com:Hi:There',
    'someone@example.com',
    '小明@例子.中国',
  ],
  PHONE: ['tel:+8613800138000', 'TEL:10086', 'tel:*100#', '+86 138-0013-8000', '+1 (212) 555-1212'],
  SMS: ['sms:10086', 'SMSTO:+8613800138000:你好', 'mms:10086', 'mmsto:10086:hi'],
  GEO: ['geo:39.9042,116.4074', 'GEO:-33.86,151.2,20?q=Sydney', 'geo:0,0'],
  EVENT: ['BEGIN:VEVENT\nSUMMARY:Fair\nEND:VEVENT', 'BEGIN:VCALENDAR\nBEGIN:VEVENT\nEND:VEVENT\nEND:VCALENDAR'],
  OTHER: [
    'weixin://wxpay/bizpayurl?pr=1',
    'otpauth://totp/A?secret=B',
    'activity:42:ABCDEF',
    'org-join:ABCD2345',
    'user:x7f',
    'ftp://host/file',
    'https:///path',
    'urn:isbn:0451450523',
  ],
}

for (const type of CONTENT_TYPES)
  for (const content of CASES[type])
    test(`the content ${JSON.stringify(content.slice(0, 40))} is of type ${type}`, () =>
      expect(contentTypeOf(content)).toBe(type))

const HOSTILE: Record<string, (size: number) => string> = {
  ...Object.fromEntries(
    ['a@', 'a.', '+1 ', ' ', 'https://', '(', 'a:', '.@'].map((part) => [
      `only ${JSON.stringify(part)}`,
      (size: number) => part.repeat(size / part.length),
    ]),
  ),
  'an address with many dots and a second @': (size) => `a@${'a.'.repeat(size / 2)}@`,
  'a number with many blanks': (size) => `+${' 1'.repeat(size / 2)}`,
}

// Contents have at most 2,953 bytes; ten times as many show the growth.
test.each(Object.entries(HOSTILE))('the time for hostile content grows no faster than its length: %s', (_, content) => {
  expect(growth((size) => contentTypeOf(content(size)), 30_000)).toBeLessThan(MAX_GROWTH)
})
