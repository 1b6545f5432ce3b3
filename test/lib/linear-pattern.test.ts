import { describe, expect, test } from 'bun:test'

import { RE2JS } from 're2js'

import {
  compilePattern,
  matchesPattern,
  MAX_INSTRUCTIONS,
  MAX_PATTERN,
  patternProblem,
  sizeBound,
} from '#lib/linear-pattern.ts'

describe('patterns', () => {
  test.each<[string, string, boolean]>([
    ['a', 'a', true],
    ['a', 'ab', false],
    ['a', 'ba', false],
    ['^a$', 'a', true],
    ['a|ab', 'ab', true],
    ['', '', true],
    ['', 'a', false],
    [String.raw`\d{4}-\d{2}`, '2024-02', true],
    [String.raw`\d{4}-\d{2}`, '2024-021', false],
    ['(?i)menu', 'MENU', true],
    ['(?P<year>[0-9]+)', '2024', true],
    [String.raw`\p{Han}+`, '资产', true],
    [String.raw`\p{Han}+`, 'abc', false],
    [String.raw`\pL+`, 'Ärger', true],
    [String.raw`[\p{Greek}]`, 'λ', true],
    ['.', '😀', true],
    ['.', '\n', false],
    [String.raw`\Qa.b\E`, 'a.b', true],
    [String.raw`\Qa.b\E`, 'axb', false],
    [String.raw`\x{1F600}`, '😀', true],
    ['[[:alpha:]]+', 'abc', true],
    ['[]a]+', ']a', true],
    ['[^]]', 'a', true],
    ['a{2}', 'aa', true],
    ['a{,2}', 'a{,2}', true],
    ['.{1,1000}', '漢'.repeat(1000), true],
    ['.{1,1000}', '漢'.repeat(1001), false],
    [String.raw`(?:[A-Z]{2,4}-)?\d{1,9}(?:/\d{1,3}){0,5}`, 'IT-4711/1/22', true],
  ])('%j for %j: %j', (pattern, text, expected) => {
    expect(patternProblem(pattern)).toBeUndefined()
    expect(matchesPattern(pattern, text)).toBe(expected)
  })

  test.each([
    ['(?=a)', 'must not contain look-around: (?= (?! (?<= (?<!'],
    ['a(?!b)', 'must not contain look-around: (?= (?! (?<= (?<!'],
    ['(?<=a)b', 'must not contain look-around: (?= (?! (?<= (?<!'],
    ['(?<!a)b', 'must not contain look-around: (?= (?! (?<= (?<!'],
    [String.raw`(a)\1`, 'must not contain back references'],
    [String.raw`(?<n>a)\k<n>`, 'must not contain back references'],
    ['(?P<n>a)(?P=n)', 'must not contain back references'],
    ['(', 'is not a pattern in RE2 syntax: missing closing ): `(`'],
    [')', 'is not a pattern in RE2 syntax: unexpected ): `)`'],
    ['[', 'is not a pattern in RE2 syntax: missing closing ]: `[`'],
    ['[b-a]', 'is not a pattern in RE2 syntax: invalid character class range: `b-a`'],
    ['*', 'is not a pattern in RE2 syntax: missing argument to repetition operator: `*`'],
    ['a**', 'is not a pattern in RE2 syntax: invalid nested repetition operator: `**`'],
    ['(?>a)', 'is not a pattern in RE2 syntax: invalid or unsupported Perl syntax: `(?>`'],
    [
      String.raw`\p{Klingon}`,
      String.raw`is not a pattern in RE2 syntax: invalid character class range: \`\p{Klingon}\``.replaceAll('\\`', '`'),
    ],
    ['\\', 'is not a pattern in RE2 syntax: trailing backslash at end of expression'],
    ['a{1001}', 'is not a pattern in RE2 syntax: invalid repeat count: `{1001}`'],
    ['a{2,1}', 'is not a pattern in RE2 syntax: invalid repeat count: `{2,1}`'],
    ['a'.repeat(MAX_PATTERN + 1), 'must have at most 500 characters'],
  ])('%j is refused', (pattern, message) => {
    expect(patternProblem(pattern)).toMatchObject({ en: message, zh: expect.any(String) })
    expect(matchesPattern(pattern, 'a')).toBeUndefined()
  })

  test('escapes and classes are not taken for look-around or back references', () => {
    for (const pattern of [
      String.raw`\(?=a`,
      String.raw`[(?=a]`,
      String.raw`[\\1]`,
      String.raw`\\1`,
      String.raw`\Q(?=\1\E`,
      '(?:a)=',
      '(a)?=b',
    ])
      expect(patternProblem(pattern)).toBeUndefined()
  })
})

/** Instructions that the engine looks at while it matches. */
function steps(pattern: string, text: string): number {
  const compiled = compilePattern(pattern)
  if ('en' in compiled) throw new Error(compiled.en)
  const program = compiled.re2().prog as unknown as { inst: object[] }
  const instructions = program.inst
  let count = 0
  program.inst = new Proxy(instructions, {
    get(target, key) {
      count++
      return Reflect.get(target, key)
    },
  })
  try {
    compiled.testExact(text)
  } finally {
    program.inst = instructions
  }
  return count
}

/** Of the engine for each instruction and character: it follows branches, compares characters and builds tables. */
const STEPS_EACH = 8

const HOSTILE: readonly (readonly [pattern: string, text: string])[] = [
  ['(a+)+b', 'a'.repeat(1000)],
  ['(a*)*b', 'a'.repeat(1000)],
  ['(?:a|a)*b', 'a'.repeat(1000)],
  ['(a|aa)+b', 'a'.repeat(1000)],
  ['(x+x+)+y', 'x'.repeat(1000)],
  ['((a*)*)*b', 'a'.repeat(1000)],
  ['(?:(?:(?:a+)+)+)+b', 'a'.repeat(1000)],
  ['(?:.*a){20}b', 'a'.repeat(1000)],
  ['(?:a?){500}(?:a){500}', 'a'.repeat(999)],
  ['(a|b)*a(?:a|b){400}', 'ab'.repeat(500)],
  ['(?:a|b)*a[ab]{800}c', 'ab'.repeat(500)],
  [String.raw`[\pL\pN\pP]*a[\pL\pN\pP]{900}z`, 'aéßΩ漢'.repeat(200)],
  [String.raw`(?i)\pL*k\pL{300}s`, 'KkſS'.repeat(250)],
  [`(?i)(?:${'k?s?'.repeat(100)})*x`, 'ksKS'.repeat(250)],
  ['(?:.?.?.?.?.?){0,200}.*b', 'ab'.repeat(500)],
  ['(?:.{0,30}){0,30}b', 'ab'.repeat(500)],
  [`${'.*'.repeat(240)}x`, 'ab'.repeat(500)],
  [String.raw`(?:\b\w*\b\W*)*!`, 'ab '.repeat(333)],
  [`${'(?:'.repeat(80)}a${')*'.repeat(80)}b`, 'a'.repeat(1000)],
  [`(?:${'a|'.repeat(240)}b)*c`, 'ab'.repeat(500)],
  ['(.*)(.*)(.*)(.*)(.*)(.*)(.*)(.*)(.*)[^a]', 'a'.repeat(1000)],
  [String.raw`(?:[^\n]*,){11}P`, '1,'.repeat(500)],
]

describe('hostile patterns', () => {
  test.each(HOSTILE)('%s takes steps in proportion to the text', (pattern, text) => {
    expect(patternProblem(pattern)).toBeUndefined()
    const compiled = compilePattern(pattern) as RE2JS
    expect(compiled.programSize()).toBeLessThanOrEqual(MAX_INSTRUCTIONS)
    const taken = steps(pattern, text)
    expect(taken).toBeGreaterThan(0)
    expect(taken).toBeLessThan(STEPS_EACH * compiled.programSize() * (text.length + 1))
    expect(matchesPattern(pattern, text)).toBe(compiled.testExact(text))
  })

  test.each([
    ['((a{100}){100}){100}'],
    ['((((((((a{9}){9}){9}){9}){9}){9}){9}){9})'],
    ['(?:(?:(?:a*){1000}){1000}){1000}'],
    [`(?:${'ab'.repeat(240)}){1000}`],
    ['(?:.{1,50}){1,50}'],
    ['(?:a?){1000}(?:a){1000}'],
    ['a{1000}b{1000}c{1000}'],
    [`(?:${'[a-z]'.repeat(90)}){100}`],
    [String.raw`(?:\pL{9}\pN{9}){1000}`],
    [String.raw`(?:\Q${'x'.repeat(400)}\E){100}`],
    [`(?i)[${'B-\u{1E000}'.repeat(120)}]`],
    [`(?i)${'[^B-\u{1E000}]'.repeat(60)}`],
    [String.raw`(?i)[${String.raw`\x{42}-\x{1E000}`.repeat(30)}]`],
    ['(?:a{0,}){1000}(?:b{0,}){1000}'],
    ['('.repeat(100) + 'a{30}'.repeat(20) + ')'.repeat(100) + '{30}'],
  ])('%s is refused before it is compiled', (pattern) => {
    expect(patternProblem(pattern)?.en).toStartWith('is too large')
  })

  test('a text that is too long for its pattern is not matched', () => {
    expect(matchesPattern('(?:a?){1000}', 'a'.repeat(1000))).toBe(true)
    expect(matchesPattern('(?:a?){1000}', 'a'.repeat(2000))).toBeUndefined()
    expect(matchesPattern('a*', 'a'.repeat(100_000))).toBe(true)
  })

  test('sizeBound is never below the size of the compiled program', () => {
    let compiled = 0
    for (let i = 0; i < 20_000; i++) {
      const pattern = randomPattern()
      let size: number
      try {
        size = RE2JS.compile(pattern).programSize()
      } catch {
        continue
      }
      compiled++
      if (sizeBound(pattern).instructions < size) expect(pattern).toBe(`has ${size} instructions`)
    }
    expect(compiled).toBeGreaterThan(2000)
  })
})

const PIECES = [
  ...'abc.^$|*+?()[]{}\\-,:=!<>P1iQE漢😀',
  '(',
  ')',
  '(?:',
  '(?i)',
  '(?i:',
  '(?P<n>',
  '(?<m>',
  '{2}',
  '{3,}',
  '{0,4}',
  '{2,3}',
  '{',
  '}',
  '{,2}',
  '{0}',
  '[abc]',
  '[^a-c]',
  '[]a]',
  '[^]a]',
  '[a-',
  '[[:alpha:]]',
  '[[:^digit:]x]',
  '[\\]]',
  '[\\d{3}]',
  '[(]',
  '[{2}]',
  '\\d',
  '\\pL',
  '\\p{Han}',
  '\\P{Greek}',
  '\\x41',
  '\\x{1F600}',
  '\\Qa{9}(\\E',
  '\\Q',
  '\\E',
  '\\b',
  '\\A',
  '\\z',
  '\\.',
  '\\(',
  '\\[',
  'a|b',
  'ab',
  '(a)',
  '(?:b)',
  'a*',
  '(?:ab|cd)',
  '(a|b){2}',
]

function randomPattern(): string {
  const length = 1 + Math.floor(Math.random() * 12)
  return Array.from({ length }, () => PIECES[Math.floor(Math.random() * PIECES.length)]).join('')
}
