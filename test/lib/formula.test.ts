import { describe, expect, spyOn, test } from 'bun:test'

import { evaluate, FormulaError, MAX_FORMULA, type Operand, parseFormula } from '#lib/formula/index.ts'

const day = (text: string) => Temporal.PlainDate.from(text)
const VALUES: Readonly<Record<string, Operand>> = {
  price: 1999.9,
  count: 3,
  zero: 0,
  title: 'Menu',
  bought: day('2024-02-28'),
  expires: day('2026-03-01'),
  early: day('0099-01-01'),
  // A time of the last hours of 9999 can be on this day in the zone of the server.
  far: day('+010000-01-01'),
  yes: true,
  no: false,
}

/** Dates as texts, since two equal dates are different objects. */
function result(source: string): string | number | boolean | null {
  const formula = parseFormula(source)
  if (formula instanceof FormulaError) throw formula
  const value = evaluate(formula, (key) => VALUES[key] ?? null)
  return value instanceof Temporal.PlainDate ? value.toString() : value
}

function problem(source: string): string {
  const formula = parseFormula(source)
  expect(formula).toBeInstanceOf(FormulaError)
  const error = formula as FormulaError
  expect(error.text.zh).not.toBe('')
  expect(error.position).toBeGreaterThanOrEqual(0)
  return error.text.en
}

describe('formulas', () => {
  test.each<[string, string | number | boolean | null]>([
    // Precedence and association.
    ['1 + 2 * 3', 7],
    ['(1 + 2) * 3', 9],
    ['10 - 4 - 3', 3],
    ['24 / 4 / 2', 3],
    ['2 * 6 / 4', 3],
    ['-2 * -3', 6],
    ['- - 5', 5],
    ['1 - -1', 2],
    ['+5', 5],
    ['1 + 2 < 4', true],
    ['not {no} and {yes}', true],
    ['not ({no} and {yes})', true],
    ['{yes} or {no} and {no}', true],
    ['({yes} or {no}) and {no}', false],
    ['1 < 2 and 2 < 3', true],
    ['not 1 = 2', true],
    // Numbers have no noise of binary fractions.
    ['0.1 + 0.2', 0.3],
    ['0.1 + 0.2 = 0.3', true],
    ['0.3 - 0.1 - 0.2', 0],
    ['1.1 * 3', 3.3],
    ['1 / 3 * 3', 1],
    ['2 / 3', 0.666666666666667],
    ['1999.90 * 0.9', 1799.91],
    ['0 - 0', 0],
    ['{price} * {count}', 5999.7],
    // Texts.
    ['"a" + "b"', 'ab'],
    [String.raw`"say \"hi\"\\ \n\t"`, 'say "hi"\\ \n\t'],
    ['"漢字 😀"', '漢字 😀'],
    ['{title} + " " + {count}', 'Menu 3'],
    ['1 + "1"', '11'],
    ['"" + {bought}', '2024-02-28'],
    ['"is " + {yes}', 'is true'],
    ['"a" < "b"', true],
    ['"a" = "A"', false],
    // Dates.
    ['days({bought}, {expires})', 732],
    ['days({expires}, {bought})', -732],
    ['days("2024-02-28", "2024-03-01")', 2],
    ['days({bought}, "2024-02-28")', 0],
    ['days({early}, "0099-12-31")', 364],
    ['{early} + 0', '0099-01-01'],
    ['{expires} - {bought}', 732],
    ['{bought} + 2', '2024-03-01'],
    ['2 + {bought}', '2024-03-01'],
    ['{bought} - 28', '2024-01-31'],
    ['{bought} < {expires}', true],
    ['{bought} = "2024-02-28"', true],
    ['"2024-02-28" >= {bought}', true],
    ['max({bought}, {expires})', '2026-03-01'],
    ['days("2026-02-30", {bought})', null],
    ['{bought} + 99999999', null],
    ['{bought} + 1.9', '2024-02-29'],
    ['{bought} - 1.9', '2024-02-27'],
    ['{far} - {bought}', null],
    ['{far} + 0', null],
    ['{far} > {bought}', null],
    ['days({bought}, {far})', null],
    // Functions.
    ['if({count} > 2, "many", "few")', 'many'],
    ['if({count} > 5, "many", "few")', 'few'],
    ['IF(Not {no}, 1, 2)', 1],
    ['min(3, 1, 2)', 1],
    ['max(3, {count}, -2)', 3],
    ['min(5)', 5],
    ['round(1.005, 2)', 1.01],
    ['round(-1.005, 2)', -1.01],
    ['round(2.5)', 3],
    ['round(1234, -2)', 1200],
    ['round(1.5, 0.5)', null],
    ['round(1.5, 99)', null],
    // A missing operand or a divisor of 0.
    ['{missing}', null],
    ['{missing} + 1', null],
    ['{missing} = {missing}', null],
    ['1 / 0', null],
    ['{count} / {zero}', null],
    ['1 / (0.3 - 0.1 - 0.2)', null],
    ['min(1, {missing})', null],
    ['"a" + {missing}', null],
    ['-{missing}', null],
    ['not {missing}', null],
    ['if({missing}, 1, 2)', null],
    ['if({yes}, 1, {missing})', 1],
    ['if({count} = 0, 0, 6 / {count})', 2],
    ['if({zero} = 0, 0, 6 / {zero})', 0],
    // SQL: null only where the result depends on the missing operand.
    ['{missing} and {no}', false],
    ['{no} and {missing}', false],
    ['{missing} and {yes}', null],
    ['{missing} or {yes}', true],
    ['{yes} or {missing}', true],
    ['{missing} or {no}', null],
    // Wrong types.
    ['"a" * 2', null],
    ['{yes} + 1', null],
    ['{bought} * 2', null],
    ['{bought} + {expires}', null],
    ['"a" < 1', null],
    ['{yes} = 1', null],
    ['{bought} = "soon"', null],
    ['not 1', null],
    ['1 and {yes}', null],
    ['1 or {yes}', true],
    ['if(1, 2, 3)', null],
    ['min("a", "b")', null],
    ['max({bought}, 1)', null],
    ['round("1.5")', null],
    ['days(1, 2)', null],
    ['-"a"', null],
    ['-{bought}', null],
  ])('%s gives %j', (source, expected) => {
    expect(result(source)).toBe(expected)
  })

  test.each([
    ['', 'is not complete'],
    ['1 +', 'is not complete'],
    ['1 2', 'has an unexpected “2” at character 3'],
    ['1 + * 2', 'has an unexpected “*” at character 5'],
    ['(1', 'needs ) at the end'],
    ['(1 2)', 'needs ) at character 4'],
    ['1)', 'has an unexpected “)” at character 2'],
    ['1 < 2 < 3', 'compares more than two values at once: join comparisons by “and”'],
    ['foo(1)', 'contains an unknown function: foo'],
    ['constructor(1)', 'contains an unknown function: constructor'],
    ['price * 2', 'contains an unknown function: price'],
    ['if', 'needs ( at the end'],
    ['if(1, 2)', 'gives if a wrong number of arguments: it takes 3'],
    ['round()', 'gives round a wrong number of arguments: it takes 1 to 2'],
    ['days({a})', 'gives days a wrong number of arguments: it takes 2'],
    ['min()', 'gives min a wrong number of arguments: it takes 1 to 50'],
    ['{a', 'contains a malformed key: write {key}'],
    ['{}', 'contains a malformed key: write {key}'],
    ['{A}', 'contains a malformed key: write {key}'],
    ['{a b}', 'contains a malformed key: write {key}'],
    ['"a', 'contains a text whose end is missing, or an escape other than \\" \\\\ \\n \\t'],
    ['"\\x41"', 'contains a text whose end is missing, or an escape other than \\" \\\\ \\n \\t'],
    ['1 ; 2', 'contains an unexpected character: ;'],
    ['a.b', 'contains an unexpected character: .'],
    ['1 == 1', 'has an unexpected “=” at character 4'],
    ['`x`', 'contains an unexpected character: `'],
  ])('%j is refused', (source, expected) => {
    expect(problem(source)).toBe(expected)
  })

  test('a formula names its keys once, in the order in which they appear', () => {
    const formula = parseFormula('{b} + {a} * { b } + if({c} > 1, {a}, 0)')
    expect(formula).toMatchObject({ keys: ['b', 'a', 'c'] })
  })

  test('evaluate reads each key once, and none of a branch that is not chosen', () => {
    const read: string[] = []
    const formula = parseFormula('if({a} > 1, {a} + {a}, {b})')
    if (formula instanceof FormulaError) throw formula
    const value = evaluate(formula, (key) => (read.push(key), 5))
    expect(value).toBe(10)
    expect(read).toEqual(['a'])
  })

  test('arithmetic with dates does not make a Temporal date in each step, which takes microseconds', () => {
    const made = spyOn(Temporal.PlainDate, 'from')
    try {
      expect(result(`{bought}${'+1'.repeat(490)}`)).toBe('2025-07-02')
      expect(made.mock.calls.length).toBe(1)
    } finally {
      made.mockRestore()
    }
  })

  test('formulas are bounded in length and depth', () => {
    const ones = `1${'+1'.repeat((MAX_FORMULA - 1) / 2)}`
    expect(result(ones)).toBe(Math.ceil(MAX_FORMULA / 2))
    expect(problem(`${ones}+1`)).toBe('must have at most 1000 characters')
    expect(result(`${'('.repeat(50)}1${')'.repeat(50)}`)).toBe(1)
    for (const nested of [
      '('.repeat(51),
      '-'.repeat(999),
      'not '.repeat(200),
      'min('.repeat(200),
      'if(1,2,'.repeat(100),
    ])
      expect(problem(nested)).toBe('is nested too deeply')
  })

  test('texts and numbers that grow too large become null', () => {
    const formula = parseFormula(`{t}${'+{t}'.repeat(9)}`)
    if (formula instanceof FormulaError) throw formula
    expect(evaluate(formula, () => 'x'.repeat(1000))).toBe('x'.repeat(10_000))
    expect(evaluate(formula, () => 'x'.repeat(1001))).toBeNull()
    expect(result(`1${'0'.repeat(299)} * 1${'0'.repeat(299)}`)).toBeNull()
    expect(result(`1${'0'.repeat(299)} / 0.${'0'.repeat(200)}1`)).toBeNull()
  })
})
