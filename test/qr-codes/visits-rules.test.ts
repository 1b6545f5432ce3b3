import { describe, expect, test } from 'bun:test'

import {
  addVisit,
  breakdown,
  type Details,
  DIMENSIONS,
  isOptedOut,
  mergeDetails,
  monthOf,
  newCounts,
  referrerOf,
  utcDay,
  type Visit,
  visitorOf,
} from '#domains/qr-codes/visits/visits.rules.ts'
import { browserOf, deviceOf, firstLanguage } from '#lib/visitor.ts'

/** Agents of browsers of 2024 to 2026, with their device and family. */
const BROWSERS = [
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
    'IOS',
    'Safari',
  ],
  [
    'Mozilla/5.0 (iPad; CPU OS 17_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/131.0.6778.73 Mobile/15E148 Safari/604.1',
    'IOS',
    'CriOS',
  ],
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.3 Safari/605.1.15',
    'MACOS',
    'Safari',
  ],
  [
    'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Mobile Safari/537.36',
    'ANDROID',
    'Chrome',
  ],
  [
    'Mozilla/5.0 (Linux; Android 14; SM-S921B) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/26.0 Chrome/122.0.0.0 Mobile Safari/537.36',
    'ANDROID',
    'SamsungBrowser',
  ],
  [
    'Mozilla/5.0 (Linux; Android 14; 23127PN0CC Build/UKQ1; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/116.0.0.0 Mobile Safari/537.36 XWEB/1160065 MMWEBSDK/20231202 MicroMessenger/8.0.47.2560 WeChat/arm64 Weixin NetType/WIFI Language/zh_CN',
    'ANDROID',
    'MicroMessenger',
  ],
  [
    'Mozilla/5.0 (Phone; OpenHarmony 5.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/114.0.0.0 Safari/537.36 ArkWeb/4.1.6.1 Mobile HuaweiBrowser/5.1.1.300',
    'ANDROID',
    'HuaweiBrowser',
  ],
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36 Edg/131.0.0.0',
    'WINDOWS',
    'Edg',
  ],
  ['Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:133.0) Gecko/20100101 Firefox/133.0', 'WINDOWS', 'Firefox'],
  ['Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0', 'LINUX', 'Firefox'],
  [
    'Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36',
    'LINUX',
    'Chrome',
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 Instagram 350.0.0.20.90 (iPhone14,5; iOS 17_6)',
    'IOS',
    'Instagram',
  ],
  ['QRScanner/1.0', 'OTHER', ''],
] as const

test('the device and the browser family of an agent are recognized', () => {
  for (const [agent, device, family] of BROWSERS)
    expect({ agent, device: deviceOf(agent), family: browserOf(agent) }).toEqual({ agent, device, family })
})

test('the first choice of Accept-Language is the one with the largest weight', () => {
  const cases = [
    ['de, zh;q=0.3', 'de'],
    ['zh;q=0.3, de', 'de'],
    ['fr-CA, fr;q=0.9', 'fr-ca'],
    ['zh-Hans-CN;q=0.8,en;q=0.8', 'zh-hans-cn'],
    ['*', ''],
    ['', ''],
    ['en;q=0', ''],
    ['<script>', ''],
  ] as const
  for (const [header, language] of cases) expect([header, firstLanguage(header)]).toEqual([header, language])
  expect(firstLanguage(null)).toBe('')
})

test('of a referrer only the host is kept, in lower case and without user and port', () => {
  const own = (host: string) => host === 'qr.example.org'
  const cases = [
    [null, 'direct'],
    ['', 'direct'],
    ['https://QR.example.org/console/', 'direct'],
    ['https://Weibo.com/u/1?token=secret#x', 'weibo.com'],
    ['http://user:password@shop.example:8443/cart', 'shop.example'],
    ['android-app://com.slack/', 'com.slack'],
    ['http://[2001:db8::1]:80/', '[2001:db8::1]'],
    [`https://${'a'.repeat(101)}/`, 'other'],
    ['javascript:alert(1)', 'other'],
    ['https://host name/', 'other'],
    ['about:blank', 'other'],
  ] as const
  for (const [header, host] of cases) expect([header, referrerOf(header, own)]).toEqual([header, host])
})

test('DNT and Sec-GPC opt out only with the value 1', () => {
  for (const name of ['dnt', 'sec-gpc']) {
    expect(isOptedOut(new Headers({ [name]: '1' }))).toBe(true)
    expect(isOptedOut(new Headers({ [name]: '0' }))).toBe(false)
  }
  expect(isOptedOut(new Headers())).toBe(false)
})

const visit = (fields: Partial<Visit> = {}): Visit => ({
  isRobot: false,
  isOptedOut: false,
  ip: '203.0.113.9',
  userAgent: BROWSERS[0][0],
  device: 'IOS',
  language: 'de-at',
  country: null,
  referrer: 'direct',
  rule: null,
  ...fields,
})

test('two addresses of one IPv6 network are one visitor, and of two networks, devices or browsers two', () => {
  const one = visitorOf(visit({ ip: '2001:db8:1:2::1' }))
  expect(visitorOf(visit({ ip: '2001:db8:1:2:aaaa::7' }))).toBe(one)
  expect(visitorOf(visit({ ip: '2001:db8:1:3::1' }))).not.toBe(one)
  expect(visitorOf(visit({ ip: '::ffff:203.0.113.9' }))).toBe(visitorOf(visit()))
  expect(visitorOf(visit({ ip: '203.0.113.10' }))).not.toBe(visitorOf(visit()))
  expect(visitorOf(visit({ device: 'ANDROID' }))).not.toBe(visitorOf(visit()))
  expect(visitorOf(visit({ userAgent: BROWSERS[8][0] }))).not.toBe(visitorOf(visit()))
})

const sum = (counts: Record<string, number> = {}) => Object.values(counts).reduce((a, b) => a + b, 0)

describe('the breakdown of a day', () => {
  test('has one value of each dimension for each scan', () => {
    const counts = newCounts()
    addVisit(counts, visit())
    addVisit(counts, visit({ language: '', country: 'AT', rule: 2, referrer: 'a.example' }))
    expect(mergeDetails({}, counts)).toEqual({
      device: { IOS: 2 },
      language: { de: 1, und: 1 },
      country: { '': 1, AT: 1 },
      referrer: { direct: 1, 'a.example': 1 },
      rule: { default: 1, '2': 1 },
    })
  })

  test('counts invented languages and countries as others', () => {
    const counts = newCounts()
    for (const language of ['qq', 'zzzz', 'x1', '../..']) addVisit(counts, visit({ language, country: 'Atlantis' }))
    expect(mergeDetails({}, counts)).toMatchObject({ language: { other: 4 }, country: { '': 4 } })
  })

  test('stays within 4 KB and keeps its sum and its frequent values, whatever visitors send', () => {
    let details: Details = {}
    let scans = 0
    for (let round = 0; round < 30; round++) {
      const counts = newCounts()
      for (let i = 0; i < 700; i++) {
        const referrer = `${String(round * 700 + i).padStart(8, '0')}.${'x'.repeat(91)}`
        addVisit(counts, visit({ referrer: i % 3 === 0 ? 'real.example' : referrer, rule: i % 20 }))
        scans++
      }
      details = mergeDetails(details, counts)
      expect(Buffer.byteLength(JSON.stringify(details))).toBeLessThanOrEqual(4096)
      for (const dimension of DIMENSIONS) expect(sum(details[dimension])).toBe(scans)
    }
    expect(details.referrer!['real.example']).toBe(30 * 234)
    expect(details.rule).toEqual(Object.fromEntries(Array.from({ length: 20 }, (_, i) => [String(i), 1050])))
  })

  test('lets a value in that becomes frequent late in the day', () => {
    const first = newCounts()
    for (let i = 0; i < 60; i++) addVisit(first, visit({ referrer: `noise${i}.example` }))
    let details = mergeDetails({}, first)
    for (let i = 0; i < 5; i++) {
      const counts = newCounts()
      addVisit(counts, visit({ referrer: 'late.example' }))
      details = mergeDetails(details, counts)
    }
    expect(details.referrer!['late.example']).toBe(5)
    expect(sum(details.referrer)).toBe(65)
  })
})

test('a breakdown of several days has at most 50 rows, the most frequent first and then by value', () => {
  const days: Details[] = [
    { referrer: Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`a${i}.example`, i + 1])) },
    { referrer: { ...Object.fromEntries(Array.from({ length: 49 }, (_, i) => [`b${i}.example`, i + 1])), other: 7 } },
  ]
  const rows = breakdown(days, 'referrer')
  expect(rows).toHaveLength(50)
  expect(rows.reduce((n, row) => n + row.count, 0)).toBe(1275 + 1225 + 7)
  expect(rows.filter(({ value }) => value === 'other')).toHaveLength(1)
  const sorted = rows.toSorted((a, b) => b.count - a.count || (a.value! < b.value! ? -1 : 1))
  expect(rows).toEqual(sorted)
  expect(breakdown([{ country: { '': 2, CN: 2 } }], 'country')).toEqual([
    { value: null, count: 2 },
    { value: 'CN', count: 2 },
  ])
})

test('the first day of a month is found in leap years and at the ends of months', () => {
  for (const [day, first] of [
    ['2024-02-29', '2024-02-01'],
    ['2025-12-31', '2025-12-01'],
    ['2026-03-01', '2026-03-01'],
  ] as const)
    expect(monthOf(utcDay(Date.parse(day)))).toBe(utcDay(Date.parse(first)))
})
