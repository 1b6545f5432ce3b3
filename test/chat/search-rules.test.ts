import { describe, expect, test } from 'bun:test'

import { textOf } from '#domains/chat/messages/messages.rules.ts'
import { matches, MAX_TERMS, runsOf, termsOf } from '#domains/chat/search/search.rules.ts'

const finds = (query: string, text: string) => matches(runsOf(query), runsOf(text))

describe('the terms of a text', () => {
  const CASES: readonly (readonly [text: string, terms: readonly string[]])[] = [
    ['', []],
    ['See you at Nine', ['see', 'you', 'at', 'nine']],
    ['明天开会', ['明天', '天开', '开会']],
    ['Meet 在北京 at 9点', ['meet', '在北', '北京', 'at', '9']],
    ['ＡＢＣ ｱｲｳ', ['abc', 'アイ', 'イウ']],
    ['Café NAÏVE', ['café', 'naïve']],
    ['don’t_stop', ['don', 't', 'stop']],
    ['我', []],
    ['哈哈哈哈', ['哈哈']],
    ['👍 ok', ['ok']],
    ['한국어 ไทย', ['한국', '국어', 'ไท', 'ทย']],
    ['𠮷野家', ['𠮷野', '野家']],
  ]
  for (const [text, terms] of CASES)
    test(`are ${JSON.stringify(terms)} for ${JSON.stringify(text)}`, () =>
      expect(termsOf(runsOf(text))).toEqual([...terms]))

  test('are limited to 1,000 different ones', () => {
    const words = Array.from({ length: 3000 }, (_, i) => `word${i}`).join(' ')
    const pairs = Array.from({ length: 3000 }, (_, i) => String.fromCodePoint(0x4e00 + i)).join('')
    for (const text of [words, pairs]) expect(termsOf(runsOf(text))).toHaveLength(MAX_TERMS)
  })

  test('contain only the first 32 characters of a long word', () => {
    expect(termsOf(runsOf('a'.repeat(5000)))).toEqual(['a'.repeat(32)])
  })
})

describe('a query', () => {
  const CASES: readonly (readonly [query: string, text: string, isFound: boolean])[] = [
    ['会议', '明天的会议改到三点', true],
    ['北京大学', '北京大学图书馆', true],
    // All pairs of the query are in the text, but not next to each other.
    ['北京大学', '北京的京大和大学', false],
    ['NINE', 'see you at nine', true],
    ['nin', 'see you at nine', false],
    ['nine see', 'see you at nine', true],
    ['nine 会议', '会议 at nine', true],
    ['nine 会议', '会议 at ten', false],
    ['我 会议', '我去会议', true],
    ['我 会议', '他去会议', false],
    ['%_', 'anything', true],
    [`${'a'.repeat(40)}`, `${'a'.repeat(41)}`, false],
  ]
  for (const [query, text, isFound] of CASES)
    test(`${JSON.stringify(query)} ${isFound ? 'matches' : 'does not match'} ${JSON.stringify(text)}`, () =>
      expect(finds(query, text)).toBe(isFound))
})

test('the searched text of a message has its texts and names, and is empty for system and recalled messages', () => {
  expect(textOf({ type: 'TEXT', content: { text: 'hello', mentions: [7] } })).toBe('hello')
  expect(textOf({ type: 'LOCATION', content: { name: 'Hall B', address: '1 Lake Road', latitude: 1 } })).toBe(
    'Hall B\n1 Lake Road',
  )
  expect(textOf({ type: 'SYSTEM', content: { text: 'A member joined the group' } })).toBe('')
  expect(textOf({ type: 'TEXT', content: {} })).toBe('')
})

test('a text that normalization makes longer is read up to a limit', () => {
  const read = runsOf('\ufdfa'.repeat(20_000)).reduce((sum, { text }) => sum + text.length, 0)
  expect(read).toBeGreaterThan(10_000)
  expect(read).toBeLessThanOrEqual(20_000)
})
