import { describe, expect, test } from 'bun:test'

import { matchingRule, type RuleConditions, type RuleVisitor } from '#lib/link-rules.ts'
import { deviceOf, firstLanguage } from '#lib/visitor.ts'

const VISITOR: RuleVisitor = { at: Date.UTC(2026, 0, 5, 12), device: 'OTHER', language: '', country: null }
const fits = (rule: RuleConditions, visitor: Partial<RuleVisitor>): boolean =>
  matchingRule([rule], { ...VISITOR, ...visitor }, { left: [null], isRobot: false }) === 0
const at = (time: string): { at: number } => ({ at: Date.parse(time) })

describe('a period', () => {
  const rule = { from: Date.UTC(2026, 2, 1), to: Date.UTC(2026, 2, 2) }
  test('begins at `from` and ends before `to`', () => {
    expect(fits(rule, { at: rule.from - 1 })).toBe(false)
    expect(fits(rule, { at: rule.from })).toBe(true)
    expect(fits(rule, { at: rule.to - 1 })).toBe(true)
    expect(fits(rule, { at: rule.to })).toBe(false)
  })
})

describe('hours', () => {
  const cases: [name: string, rule: RuleConditions, time: string, result: boolean][] = [
    ['before the begin', { hours: { from: '09:00', to: '17:30' } }, '2026-01-05T08:59:59+08:00', false],
    ['at the begin', { hours: { from: '09:00', to: '17:30' } }, '2026-01-05T09:00:00+08:00', true],
    ['before the end', { hours: { from: '09:00', to: '17:30' } }, '2026-01-05T17:29:59+08:00', true],
    ['at the end', { hours: { from: '09:00', to: '17:30' } }, '2026-01-05T17:30:00+08:00', false],
    ['a whole day', { hours: { from: '00:00', to: '00:00' } }, '2026-01-05T00:00:00+08:00', true],
    ['until midnight', { hours: { from: '22:00', to: '00:00' } }, '2026-01-05T23:59:59+08:00', true],
    ['after midnight', { hours: { from: '22:00', to: '00:00' } }, '2026-01-06T00:00:00+08:00', false],
    // 2026-01-05 is a Monday.
    ['Monday at midnight', { weekdays: [1] }, '2026-01-05T00:00:00+08:00', true],
    ['Sunday before midnight', { weekdays: [1] }, '2026-01-04T23:59:59+08:00', false],
    ['Sunday night', { weekdays: [7], hours: { from: '22:00', to: '02:00' } }, '2026-01-04T22:00:00+08:00', true],
    ['the rest of it', { weekdays: [7], hours: { from: '22:00', to: '02:00' } }, '2026-01-05T01:59:59+08:00', true],
    ['its end', { weekdays: [7], hours: { from: '22:00', to: '02:00' } }, '2026-01-05T02:00:00+08:00', false],
    ['Sunday early', { weekdays: [7], hours: { from: '22:00', to: '02:00' } }, '2026-01-04T01:00:00+08:00', false],
    ['Monday night', { weekdays: [7], hours: { from: '22:00', to: '02:00' } }, '2026-01-05T22:00:00+08:00', false],
    [
      'a whole Sunday from six',
      { weekdays: [7], hours: { from: '06:00', to: '06:00' } },
      '2026-01-05T05:59:00+08:00',
      true,
    ],
    ['and no longer', { weekdays: [7], hours: { from: '06:00', to: '06:00' } }, '2026-01-05T06:00:00+08:00', false],
  ]
  for (const [name, rule, time, result] of cases)
    test(`in Asia/Shanghai: ${name}`, () => {
      expect(fits({ ...rule, timeZone: 'Asia/Shanghai' }, at(time))).toBe(result)
    })

  // Clocks go from 02:00 CET to 03:00 CEST on Sunday, 2026-03-29, and from 03:00 CEST to 02:00 CET on Sunday, 2026-10-25.
  const night = { hours: { from: '22:00', to: '02:30' }, weekdays: [6], timeZone: 'Europe/Berlin' }
  const changes: [name: string, rule: RuleConditions, utc: string, result: boolean][] = [
    ['spring: 21:59 on Saturday', night, '2026-03-28T20:59:00Z', false],
    ['spring: 22:00 on Saturday', night, '2026-03-28T21:00:00Z', true],
    ['spring: 01:59 on Sunday, before the change', night, '2026-03-29T00:59:59Z', true],
    ['spring: 03:00 on Sunday, after it', night, '2026-03-29T01:00:00Z', false],
    ['autumn: 02:29 on Sunday, the first time', night, '2026-10-25T00:29:59Z', true],
    ['autumn: 02:30 on Sunday, the first time', night, '2026-10-25T00:30:00Z', false],
    ['autumn: 02:00 on Sunday, the second time', night, '2026-10-25T01:00:00Z', true],
    ['autumn: 02:29 on Sunday, the second time', night, '2026-10-25T01:29:59Z', true],
    ['autumn: 02:30 on Sunday, the second time', night, '2026-10-25T01:30:00Z', false],
    ['autumn: 22:00 on Sunday', night, '2026-10-25T21:00:00Z', false],
  ]
  for (const [name, rule, utc, result] of changes)
    test(`when the clocks change in Europe/Berlin, ${name}`, () => {
      expect(fits(rule, at(utc))).toBe(result)
    })
})

describe('devices', () => {
  const cases: [userAgent: string, devices: string[], result: boolean][] = [
    ['Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X)', ['IOS'], true],
    ['Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X)', ['MACOS', 'DESKTOP', 'ANDROID'], false],
    ['Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X)', ['MOBILE'], true],
    ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) Safari/605', ['MACOS'], true],
    ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) Safari/605', ['IOS', 'MOBILE'], false],
    ['Mozilla/5.0 (Linux; Android 14; Pixel 8)', ['ANDROID'], true],
    ['Mozilla/5.0 (Linux; Android 14; Pixel 8)', ['LINUX', 'DESKTOP'], false],
    ['Mozilla/5.0 (X11; Linux x86_64)', ['DESKTOP'], true],
    ['Mozilla/5.0 (Windows NT 10.0; Win64; x64)', ['IOS', 'WINDOWS'], true],
    ['curl/8', ['OTHER'], true],
    ['curl/8', ['MOBILE', 'DESKTOP'], false],
  ]
  for (const [userAgent, devices, result] of cases)
    test(`${devices.join(', ')} ${result ? 'include' : 'exclude'} ${userAgent}`, () => {
      expect(fits({ devices }, { device: deviceOf(userAgent) })).toBe(result)
    })
})

describe('languages', () => {
  const cases: [header: string | null, languages: string[], result: boolean][] = [
    ['de, zh;q=0.3', ['zh'], false],
    ['de;q=0.2, zh;q=0.3', ['zh'], true],
    ['zh-Hans-CN', ['zh'], true],
    ['zh-Hans-CN', ['zh-hans'], true],
    ['zh', ['zh-Hans'], false],
    ['ZH-cn,en', ['Zh-CN'], true],
    ['zhx', ['zh'], false],
    ['*', ['zh'], false],
    ['zh;q=0', ['zh'], false],
    [null, ['zh'], false],
  ]
  for (const [header, languages, result] of cases)
    test(`${languages} ${result ? 'is' : 'is not'} the first choice of ${header}`, () => {
      expect(fits({ languages }, { language: firstLanguage(header) })).toBe(result)
    })
})

test('countries hold for visitors whose country is known', () => {
  expect(fits({ countries: ['DE', 'CN'] }, { country: 'CN' })).toBe(true)
  expect(fits({ countries: ['DE', 'CN'] }, { country: 'FR' })).toBe(false)
  expect(fits({ countries: ['DE', 'CN'] }, { country: null })).toBe(false)
})

test('all conditions of a rule must hold, and the first rule that holds is taken', () => {
  const rules = [{ devices: ['IOS'], languages: ['zh'] }, { devices: ['IOS'] }, { languages: ['zh'] }]
  const match = (visitor: Partial<RuleVisitor>) =>
    matchingRule(rules, { ...VISITOR, ...visitor }, { left: [null, null, null], isRobot: false })
  expect(match({ device: 'IOS', language: 'zh' })).toBe(0)
  expect(match({ device: 'IOS', language: 'de' })).toBe(1)
  expect(match({ device: 'ANDROID', language: 'zh' })).toBe(2)
  expect(match({})).toBe(-1)
})

test('a rule for the first scans holds while some are left, and never for robots', () => {
  const rules = [{ firstScans: 5 }, { devices: ['OTHER'] }]
  expect(matchingRule(rules, VISITOR, { left: [1, null], isRobot: false })).toBe(0)
  expect(matchingRule(rules, VISITOR, { left: [0, null], isRobot: false })).toBe(1)
  expect(matchingRule(rules, VISITOR, { left: [1, null], isRobot: true })).toBe(1)
})
