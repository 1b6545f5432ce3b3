import { expect, test } from 'bun:test'

import { localeOf } from '#http/caller.ts'

test.each([
  [undefined, 'en'],
  ['', 'en'],
  ['zh', 'zh'],
  ['zh-CN', 'zh'],
  ['ZH-Hans-CN', 'zh'],
  ['en', 'en'],
  ['fr', 'en'],
  ['zh;q=0.1,en', 'en'],
  ['zh;q=0.1, en;q=0.2', 'en'],
  ['en;q=0.5, zh-TW;q=0.9', 'zh'],
  ['zh,en', 'zh'],
  ['en,zh', 'en'],
  ['zh;q=0.8,en;q=0.8', 'zh'],
  ['fr,zh;q=0.5', 'zh'],
  ['fr-CH, fr;q=0.9, *;q=0.5', 'en'],
  ['zh;q=0', 'en'],
  ['zh ; q = 1.0', 'zh'],
  ['zh;q=high', 'en'],
  ['zhang', 'en'],
  [`${'fr,'.repeat(1000)}zh`, 'en'],
] as const)('Accept-Language %p selects %p', (header, locale) => {
  const headers = header === undefined ? undefined : { 'accept-language': header }
  expect(localeOf(new Request('http://x/', { headers }), 'en')).toBe(locale)
})

test.each([
  [undefined, 'zh'],
  ['fr-CH, *;q=0.5', 'zh'],
  ['fr, en;q=0.1', 'en'],
  ['zh;q=0.2, en;q=0.2', 'zh'],
] as const)('on a server whose language is Chinese, Accept-Language %p selects %p', (header, locale) => {
  const headers = header === undefined ? undefined : { 'accept-language': header }
  expect(localeOf(new Request('http://x/', { headers }), 'zh')).toBe(locale)
  expect(localeOf(new Request('http://x/?lang=en', { headers }), 'zh')).toBe('en')
})
