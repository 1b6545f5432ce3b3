/** Filters, formulas, fixed columns and changes of type, by field type. */

import { describe, expect, test } from 'bun:test'

import type { FieldType } from '#db/schema/meta.ts'
import {
  checkConfig,
  columnParts,
  columnValue,
  compute,
  converted,
  fileProblem,
  filterOf,
  formulaOf,
  isProblem,
  isStoredAlike,
  matchesResult,
  operandOf,
  operandOfResult,
  orderOf,
  parseValue,
  type Part,
  resultOf,
  type TypedField,
  valueOf,
} from '#domains/metadata/types/types.rules.ts'
import type { Operand } from '#lib/formula/index.ts'

const field = (type: FieldType, config: object = {}): TypedField => ({ type, config: checkConfig(type, config) })
const computed = (config: object): TypedField => field('COMPUTED', { formula: '1', ...config })
const OPTIONS = { options: ['a', { value: 'b', label: 'Bee' }, 'a,b', 'c'] }

function parts(of: TypedField, value: unknown): readonly Part[] {
  const result = parseValue(of, value, [])
  if (isProblem(result)) throw new Error(result.en)
  return result
}

const NUMBER_PROBLEM = { en: 'must be a number' }
const TOO_PRECISE = { en: 'must have at most 15 significant digits and a magnitude that a computer can hold' }
const NOT_A_TIME = {
  en: 'must be a time between the years 1 and 9999, in epoch milliseconds or ISO 8601',
}
const NO_ORDER = { en: 'has no order: min and max cannot be used' }
const NOT_A_FLAG = { en: 'must be true or false' }

describe('filters', () => {
  test.each<[TypedField, object, object]>([
    [field('TEXT'), { equal: ' MeNÜ ' }, { kind: 'contains', text: 'MeNÜ' }],
    [field('TEXT'), { equal: 'a\0' }, { en: 'contains characters that are not allowed' }],
    [field('SELECT', OPTIONS), { equal: '\ud800' }, { en: 'contains characters that are not allowed' }],
    [field('TEXTAREA'), { equal: '%_' }, { kind: 'contains', text: '%_' }],
    [field('TEXT'), { min: 'a' }, NO_ORDER],
    [field('TEXTAREA'), { equal: 'a', max: 'b' }, NO_ORDER],
    [field('NUMBER'), { equal: '1.50' }, { kind: 'range', min: 1.5, max: 1.5 }],
    [field('NUMBER', { min: 10, precision: 0 }), { min: '-1.5', max: '2' }, { kind: 'range', min: -1.5, max: 2 }],
    [field('NUMBER'), { max: '2' }, { kind: 'range', min: undefined, max: 2 }],
    [field('NUMBER'), { equal: '5', min: '6', max: '' }, { kind: 'range', min: 6, max: 5 }],
    [field('NUMBER'), { equal: '5', min: '1', max: '9' }, { kind: 'range', min: 5, max: 5 }],
    [field('NUMBER'), { min: 'x' }, NUMBER_PROBLEM],
    [field('NUMBER'), { equal: '1e9999' }, TOO_PRECISE],
    [field('NUMBER'), {}, { en: 'is required' }],
    [field('NUMBER'), { equal: '' }, { en: 'is required' }],
    [field('DATE'), { min: '1970-01-01', max: '1970-02-01' }, { kind: 'range', min: 0, max: 31 }],
    [field('DATE'), { equal: '2024-02-30' }, { en: 'must be a date that exists, as YYYY-MM-DD' }],
    [field('DATETIME'), { min: '1970-01-01T00:00:01Z', max: '5000' }, { kind: 'range', min: 1000, max: 5000 }],
    [field('DATETIME'), { equal: 'now' }, NOT_A_TIME],
    [field('BOOLEAN'), { equal: 'true' }, { kind: 'range', min: 1, max: 1 }],
    [field('BOOLEAN'), { equal: 'false' }, { kind: 'range', min: 0, max: 0 }],
    [field('BOOLEAN'), { equal: 'yes' }, NOT_A_FLAG],
    [field('BOOLEAN'), { min: 'true' }, NO_ORDER],
    [field('SELECT', OPTIONS), { equal: 'a' }, { kind: 'options', keys: ['a'] }],
    [field('RADIO', OPTIONS), { equal: 'a, c' }, { kind: 'options', keys: ['a', 'c'] }],
    [field('CHECKBOX', OPTIONS), { equal: 'a,b' }, { kind: 'options', keys: ['a,b'] }],
    [field('CHECKBOX', OPTIONS), { equal: 'b,a,b,removed' }, { kind: 'options', keys: ['b', 'a,b', 'removed'] }],
    [field('SELECT', OPTIONS), { min: 'a' }, NO_ORDER],
    [field('MULTI_SELECT', OPTIONS), { max: 'a' }, NO_ORDER],
    [field('REF', { target: 'USER' }), { equal: '7' }, { kind: 'range', min: 7, max: 7 }],
    [field('REF', { target: 'USER' }), { equal: 'x' }, { en: 'must be an id: a positive integer' }],
    [field('REF', { target: 'USER' }), { min: '1' }, NO_ORDER],
    ...(['ATTACHMENT', 'PHOTO', 'GEO'] as const).flatMap((type): [TypedField, object, object][] => [
      [field(type), { equal: 'true' }, { kind: 'filled', is: true }],
      [field(type), { equal: 'false' }, { kind: 'filled', is: false }],
      [field(type), { equal: '1' }, NOT_A_FLAG],
      [field(type), { min: '1' }, NO_ORDER],
    ]),
    [computed({}), { min: '1', max: '2' }, { kind: 'range', min: 1, max: 2 }],
    [computed({}), { equal: 'x' }, NUMBER_PROBLEM],
    [computed({ resultType: 'DATE' }), { min: '1970-01-02' }, { kind: 'range', min: 1, max: undefined }],
    [computed({ resultType: 'TEXT' }), { equal: 'Menu' }, { kind: 'equals', text: 'Menu' }],
    [computed({ resultType: 'TEXT' }), { min: 'a' }, NO_ORDER],
    [computed({ resultType: 'BOOLEAN' }), { equal: 'false' }, { kind: 'equals', text: 'false' }],
    [computed({ resultType: 'BOOLEAN' }), { equal: '0' }, NOT_A_FLAG],
    [computed({ resultType: 'BOOLEAN' }), { max: 'true' }, NO_ORDER],
  ])('%j filtered by %j', (of, given, expected) => {
    expect(filterOf(of, given)).toMatchObject(expected)
  })

  test('a filter of many commas is bounded', () => {
    const condition = filterOf(field('CHECKBOX', OPTIONS), { equal: 'x,'.repeat(100_000) })
    expect(condition).toMatchObject({ kind: 'options', keys: { length: 1000 } })
  })

  test.each<[object, string | number | boolean | null, object, boolean]>([
    [{}, 5, { equal: '5' }, true],
    [{}, 5, { min: '5', max: '5' }, true],
    [{}, 4.9, { min: '5' }, false],
    [{}, null, { max: '5' }, false],
    [{ resultType: 'DATE' }, '2024-02-29', { min: '2024-02-29', max: '2024-03-01' }, true],
    [{ resultType: 'DATE' }, '2024-02-28', { min: '2024-02-29' }, false],
    [{ resultType: 'TEXT' }, 'Menu', { equal: 'Menu' }, true],
    [{ resultType: 'TEXT' }, 'Menu 2', { equal: 'Menu' }, false],
    [{ resultType: 'BOOLEAN' }, false, { equal: 'false' }, true],
    [{ resultType: 'BOOLEAN' }, null, { equal: 'false' }, false],
  ])('a COMPUTED field with %j and the result %j filtered by %j: %j', (config, result, given, expected) => {
    const condition = filterOf(computed(config), given)
    if (isProblem(condition)) throw new Error(condition.en)
    expect(matchesResult(condition, result)).toBe(expected)
  })

  test('only types with an order are sorted, by the column that they fill', () => {
    expect(
      ['TEXT', 'NUMBER', 'DATE', 'DATETIME', 'BOOLEAN', 'SELECT', 'REF'].map((type) => orderOf(type as FieldType)),
    ).toEqual(['key', 'number', 'number', 'number', 'number', 'key', 'number'])
    for (const type of ['MULTI_SELECT', 'CHECKBOX', 'ATTACHMENT', 'PHOTO', 'GEO', 'COMPUTED'] as const)
      expect(orderOf(type)).toBeUndefined()
  })
})

const day = (text: string) => Temporal.PlainDate.from(text)
/** Dates as texts, since two equal dates are different objects. */
const shown = (operand: Operand) => (operand instanceof Temporal.PlainDate ? `date ${operand}` : operand)

describe('formulas', () => {
  test.each<[TypedField, unknown, Operand | string]>([
    [field('TEXT'), 'a', 'a'],
    [field('TEXTAREA'), 'a\nb', 'a\nb'],
    [field('NUMBER'), 1.5, 1.5],
    [field('BOOLEAN'), false, false],
    [field('DATE'), '2024-02-29', 'date 2024-02-29'],
    [field('DATETIME'), '2024-02-29T23:30:00Z', 'date 2024-03-01'],
    [field('SELECT', OPTIONS), 'b', 'b'],
    [field('CHECKBOX', OPTIONS), ['c', 'a'], 'a; c'],
    [field('GEO'), { latitude: 1, longitude: 2 }, null],
    [field('REF', { target: 'USER' }), 5, null],
    [field('PHOTO'), [5], null],
    [field('NUMBER'), null, null],
  ])('%j with %j is the operand %j', (of, value, expected) => {
    expect(shown(operandOf(of, parts(of, value), 'Europe/Berlin'))).toBe(expected as never)
  })

  test.each<[object, Operand, string | number | boolean | null]>([
    [{}, 1.005, 1.005],
    [{ precision: 2 }, 1.005, 1.01],
    [{ precision: 2 }, -1.005, -1.01],
    [{ precision: 0 }, 2.5, 3],
    [{}, '5', null],
    [{}, true, null],
    [{}, day('2024-02-29'), null],
    [{}, null, null],
    [{ resultType: 'TEXT' }, 'a', 'a'],
    [{ resultType: 'TEXT' }, '', null],
    [{ resultType: 'TEXT' }, 1.5, '1.5'],
    [{ resultType: 'TEXT' }, true, 'true'],
    [{ resultType: 'TEXT' }, day('2024-02-29'), '2024-02-29'],
    [{ resultType: 'DATE' }, day('2024-02-29'), '2024-02-29'],
    [{ resultType: 'DATE' }, '2024-02-29', '2024-02-29'],
    [{ resultType: 'DATE' }, '2024-02-30', null],
    [{ resultType: 'DATE' }, 5, null],
    [{ resultType: 'BOOLEAN' }, false, false],
    [{ resultType: 'BOOLEAN' }, 1, null],
  ])('with %j the result %j is %j', (config, result, expected) => {
    expect(resultOf(computed(config).config, result)).toBe(expected)
  })

  test('a COMPUTED value is computed from other fields and can be an operand itself', () => {
    const total = computed({ formula: '{price} * {count} * 1.19', precision: 2 })
    const values: Record<string, Operand> = { price: 1.5, count: 3 }
    const result = compute(total.config, formulaOf(total.config), (key) => values[key] ?? null)
    expect(result).toBe(5.36)
    expect(operandOfResult(total.config, result)).toBe(5.36)
    const due = computed({ formula: '"2024-02-28" + ""', resultType: 'DATE' })
    const date = compute(due.config, formulaOf(due.config), () => null)
    expect(shown(operandOfResult(due.config, date))).toBe('date 2024-02-28')
    expect(operandOfResult(due.config, null)).toBeNull()
    expect(compute(total.config, formulaOf(total.config), () => null)).toBeNull()
  })
})

describe('fixed columns', () => {
  test.each<[TypedField, string | number, Partial<Part>]>([
    [field('TEXT', { pattern: 'x', required: true }), 'ACME', { text: 'ACME', key: 'acme' }],
    [field('TEXTAREA', { maxLength: 1 }), 'a\nb', { text: 'a\nb', key: 'a\nb' }],
    [field('DATE', { max: '2000-01-01' }), '2024-02-29', { number: 19_782 }],
    [field('NUMBER', { precision: 2, max: 1 }), 1999.9, { number: 1999.9 }],
  ])('%j reads and writes the column value %j whatever its configuration allows', (of, column, expected) => {
    const read = columnParts(of, column)
    expect(read).toEqual([{ text: null, key: null, number: null, ...expected }])
    expect(columnValue(of, read)).toBe(column)
  })

  test('an empty column is no value', () => {
    for (const of of [field('TEXT'), field('DATE'), field('NUMBER')]) {
      expect(columnParts(of, null)).toEqual([])
      expect(columnParts(of, '')).toEqual([])
      expect(columnValue(of, [])).toBeNull()
    }
  })
})

describe('changes of type', () => {
  test.each<[TypedField, unknown, TypedField, unknown]>([
    [field('TEXT'), '12.50', field('NUMBER'), 12.5],
    [field('TEXT'), 'twelve', field('NUMBER'), undefined],
    [field('TEXT'), '12.555', field('NUMBER', { precision: 2 }), undefined],
    [field('NUMBER'), 12.5, field('TEXT'), '12.5'],
    [field('TEXT'), '2024-02-29', field('DATE'), '2024-02-29'],
    [field('TEXT'), '2023-02-29', field('DATE'), undefined],
    [field('DATE'), '2024-02-29', field('TEXT'), '2024-02-29'],
    [field('TEXT'), '2024-02-29T00:00:00Z', field('DATETIME'), 1_709_164_800_000],
    [field('TEXT'), 'a', field('TEXTAREA'), 'a'],
    [field('TEXTAREA'), 'a', field('TEXT'), 'a'],
    [field('TEXTAREA'), 'a\nb', field('TEXT'), undefined],
    [field('TEXT'), 'a', field('SELECT', OPTIONS), 'a'],
    [field('TEXT'), 'x', field('SELECT', OPTIONS), undefined],
    [field('SELECT', OPTIONS), 'a', field('TEXT'), 'a'],
    [field('SELECT', OPTIONS), 'a', field('RADIO', OPTIONS), 'a'],
    [field('SELECT', OPTIONS), 'a', field('RADIO', { options: ['b'] }), undefined],
    [field('SELECT', OPTIONS), 'a', field('CHECKBOX', OPTIONS), ['a']],
    [field('CHECKBOX', OPTIONS), ['a'], field('SELECT', OPTIONS), 'a'],
    [field('CHECKBOX', OPTIONS), ['a', 'b'], field('SELECT', OPTIONS), undefined],
    [field('CHECKBOX', OPTIONS), ['a', 'b'], field('MULTI_SELECT', OPTIONS), ['a', 'b']],
    [field('PHOTO'), [1, 2], field('ATTACHMENT'), [1, 2]],
    [field('ATTACHMENT'), [1, 2], field('PHOTO'), undefined],
    [field('NUMBER'), 5, field('DATETIME'), undefined],
    [field('REF', { target: 'USER' }), 5, field('NUMBER'), undefined],
    [field('BOOLEAN'), true, field('NUMBER'), undefined],
    [field('NUMBER'), 5, computed({}), undefined],
    [field('NUMBER'), 5, field('ATTACHMENT'), undefined],
    [field('NUMBER'), 5, field('REF', { target: 'ASSET' }), undefined],
    [field('ATTACHMENT'), [5], field('REF', { target: 'ASSET' }), undefined],
    [field('SELECT', OPTIONS), 'a', field('TEXT', { maxLength: 1 }), 'a'],
    [field('NUMBER'), null, field('PHOTO'), null],
  ])('%j with %j changed to %j becomes %j', (from, value, to, expected) => {
    const result = converted(from, to, parts(from, value))
    expect(result && valueOf(to, result)).toEqual(expected as never)
  })

  test('a value with several parts is read in the order of its options', () => {
    const row = (key: string) => ({ id: 7, position: 3, text: null, key, number: null })
    const result = converted(field('CHECKBOX', OPTIONS), field('MULTI_SELECT', OPTIONS), [row('c'), row('a')])
    expect(result?.map(({ key }) => key)).toEqual(['a', 'c'])
  })

  test('only types that store values alike keep their rows', () => {
    expect(isStoredAlike('TEXT', 'TEXTAREA')).toBe(true)
    expect(isStoredAlike('SELECT', 'CHECKBOX')).toBe(true)
    expect(isStoredAlike('TEXT', 'NUMBER')).toBe(false)
    expect(isStoredAlike('SELECT', 'TEXT')).toBe(false)
  })
})

test.each<[TypedField, string, string, string | undefined]>([
  [field('ATTACHMENT'), 'a.exe', 'application/octet-stream', undefined],
  [field('ATTACHMENT', { accept: ['pdf'] }), 'A.PDF', 'text/plain', undefined],
  [field('ATTACHMENT', { accept: ['pdf'] }), 'a.docx', 'application/pdf', 'must contain only .pdf'],
  [field('ATTACHMENT', { accept: ['application/pdf', '.docx'] }), 'a', 'application/pdf', undefined],
  [field('ATTACHMENT', { accept: ['text/plain'] }), 'a.txt', 'text/plain; charset=utf-8', undefined],
  [field('ATTACHMENT', { accept: ['image/*'] }), 'a.png', 'image/png', undefined],
  [field('ATTACHMENT', { accept: ['image/*'] }), 'a.png', 'application/pdf', 'must contain only image/*'],
  [field('PHOTO'), 'a.png', 'image/png', undefined],
  [field('PHOTO'), 'a.png', 'application/pdf', 'must contain images only'],
  [field('PHOTO', { accept: ['image/png'] }), 'a.jpg', 'image/jpeg', 'must contain only image/png'],
])('%j with the file %s of type %s: %j', (of, name, mime, expected) => {
  expect(fileProblem(of, { name, mime })?.en).toBe(expected)
})
