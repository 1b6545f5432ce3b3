/** Tables of the rules of the field types: configurations, values, and how values are stored. */

import { describe, expect, test } from 'bun:test'

import type { FieldType } from '#db/schema/meta.ts'
import {
  checkConfig,
  isProblem,
  parseValue,
  type Part,
  type Problem,
  type TypedField,
  valueOf,
} from '#domains/metadata/types/types.rules.ts'
import { InvalidRequest } from '#http/validate.ts'

const field = (type: FieldType, config: object = {}): TypedField => ({ type, config: checkConfig(type, config) })

/** The problems of a configuration, by path. */
function problems(type: FieldType, config: unknown): Record<string, string> {
  try {
    checkConfig(type, config)
    return {}
  } catch (error) {
    if (!(error instanceof InvalidRequest)) throw error
    expect(error.status).toBe(400)
    for (const { text } of error.problems) expect(text.zh).not.toBe('')
    return Object.fromEntries(error.problems.map(({ path, text }) => [path, text.en]))
  }
}

/** The value as it is read again after it was stored, or the problem in English. */
function stored(of: TypedField, value: unknown, before: readonly Part[] = []): unknown {
  const parts = parseValue(of, value, before)
  if (!isProblem(parts)) return valueOf(of, parts)
  expect((parts as Problem).zh).not.toBe('')
  return `! ${(parts as Problem).en}`
}

const OPTIONS = { options: ['a', { value: 'b', label: 'Bee' }, { value: 'c', label: 'Sea', disabled: true }] }

describe('configurations', () => {
  test.each<[FieldType, object, object]>([
    ['TEXT', {}, {}],
    [
      'TEXT',
      { required: true, placeholder: ' hint ', help: 'Help', group: 'G' },
      { required: true, placeholder: 'hint', help: 'Help', group: 'G' },
    ],
    [
      'TEXT',
      { minLength: 1, maxLength: 5, pattern: '[a-z]+', unit: 'kg', precision: 9, options: [] },
      { minLength: 1, maxLength: 5, pattern: '[a-z]+', unit: 'kg' },
    ],
    ['TEXT', { required: null, pattern: '', unit: ' ', default: '', constructor: 1 }, {}],
    ['TEXT', { default: ' abc ' }, { default: 'abc' }],
    ['TEXTAREA', { maxLength: 10_000, pattern: '(', unit: 1 }, { maxLength: 10_000 }],
    [
      'NUMBER',
      { min: '-1.5', max: 1e3, precision: 2, unit: '元', default: '10.50' },
      { min: -1.5, max: 1000, precision: 2, unit: '元', default: 10.5 },
    ],
    [
      'BOOLEAN',
      { trueLabel: 'On', falseLabel: 'Off', default: false },
      { trueLabel: 'On', falseLabel: 'Off', default: false },
    ],
    [
      'DATE',
      { min: '2024-02-29', max: '2024-02-29', default: '2024-02-29' },
      { min: '2024-02-29', max: '2024-02-29', default: '2024-02-29' },
    ],
    [
      'DATETIME',
      { min: '2024-01-01T00:00:00Z', max: 1_704_067_200_001 },
      { min: 1_704_067_200_000, max: 1_704_067_200_001 },
    ],
    [
      'SELECT',
      { options: ['a', { value: ' b ', label: '', color: '#FF00aa', disabled: false, extra: 1 }], default: 'b' },
      {
        options: [
          { value: 'a', label: 'a' },
          { value: 'b', label: 'b', color: '#ff00aa' },
        ],
        default: 'b',
      },
    ],
    [
      'CHECKBOX',
      { options: ['a', 'b'], min: 1, max: 2, default: ['b', 'a'] },
      {
        options: [
          { value: 'a', label: 'a' },
          { value: 'b', label: 'b' },
        ],
        min: 1,
        max: 2,
        default: ['a', 'b'],
      },
    ],
    [
      'ATTACHMENT',
      { max: 20, accept: ['PDF', '.docx', 'image/*', 'Application/Pdf', '.pdf'] },
      { max: 20, accept: ['.pdf', '.docx', 'image/*', 'application/pdf'] },
    ],
    ['PHOTO', { max: 1, accept: [] }, { max: 1 }],
    ['GEO', { min: 1 }, {}],
    ['REF', { target: 'USER', default: 7 }, { target: 'USER', default: 7 }],
    [
      'COMPUTED',
      { formula: ' {a} + 1 ', resultType: 'NUMBER', precision: 0, unit: 'd', default: 5 },
      { formula: '{a} + 1', resultType: 'NUMBER', precision: 0, unit: 'd' },
    ],
  ])('%s accepts %j', (type, config, expected) => {
    expect(checkConfig(type, config)).toEqual(expected as never)
    expect(checkConfig(type, checkConfig(type, config))).toEqual(expected as never)
  })

  test.each<[FieldType, unknown, string, string]>([
    ['TEXT', [], '', 'must be an object'],
    ['TEXT', 'x', '', 'must be an object'],
    ['TEXT', { required: 'yes' }, 'required', 'must be true or false'],
    ['TEXT', { placeholder: 5 }, 'placeholder', 'must be a string'],
    ['TEXT', { placeholder: 'x'.repeat(101) }, 'placeholder', 'must have at most 100 characters'],
    ['TEXT', { group: 'a\nb' }, 'group', 'contains characters that are not allowed'],
    ['TEXT', { minLength: -1 }, 'minLength', 'must be at least 0'],
    ['TEXT', { minLength: 1.5 }, 'minLength', 'must be an integer'],
    ['TEXT', { maxLength: '5' }, 'maxLength', 'must be an integer'],
    ['TEXT', { maxLength: 1001 }, 'maxLength', 'must be at most 1000'],
    ['TEXT', { minLength: 6, maxLength: 5 }, 'minLength', 'must not be greater than maxLength'],
    ['TEXT', { pattern: '(' }, 'pattern', 'is not a pattern in RE2 syntax: missing closing ): `(`'],
    ['TEXT', { pattern: 5 }, 'pattern', 'must be a string'],
    ['TEXT', { pattern: '[a-z]+', default: 'ABC' }, 'default', 'does not have the form that the field requires'],
    ['TEXTAREA', { maxLength: 10_001 }, 'maxLength', 'must be at most 10000'],
    ['NUMBER', { min: 'x' }, 'min', 'must be a number'],
    ['NUMBER', { min: 2, max: 1 }, 'min', 'must not be greater than max'],
    ['NUMBER', { precision: 7 }, 'precision', 'must be at most 6'],
    ['NUMBER', { precision: 1, default: 1.25 }, 'default', 'must have at most 1 decimals'],
    ['BOOLEAN', { default: 'true' }, 'default', 'must be true or false'],
    ['DATE', { min: '2023-02-29' }, 'min', 'must be a date that exists, as YYYY-MM-DD'],
    ['DATE', { min: '2024-01-02', max: '2024-01-01' }, 'min', 'must not be greater than max'],
    [
      'DATETIME',
      { max: 'tomorrow' },
      'max',
      'must be a time between the years 1 and 9999, in epoch milliseconds or ISO 8601',
    ],
    ['SELECT', {}, 'options', 'is required'],
    ['SELECT', { options: [] }, 'options', 'must not be empty'],
    ['SELECT', { options: 'a,b' }, 'options', 'must be an array'],
    ['SELECT', { options: ['a', 'a'] }, 'options', 'must not contain a value twice'],
    ['SELECT', { options: ['a', { value: ' a', label: 'A' }] }, 'options', 'must not contain a value twice'],
    ['SELECT', { options: [''] }, 'options', 'has an option without a value'],
    ['SELECT', { options: [5] }, 'options', 'has an option that must be a string'],
    ['SELECT', { options: [null] }, 'options', 'has an option that must be a string'],
    ['SELECT', { options: ['x'.repeat(101)] }, 'options', 'has an option that must have at most 100 characters'],
    ['SELECT', { options: [{ value: 'a', color: 'red' }] }, 'options', 'must have colors of the form #rrggbb'],
    ['SELECT', { options: [{ value: 'a', disabled: 1 }] }, 'options', 'has an option that must be true or false'],
    ['RADIO', { options: Array.from({ length: 201 }, (_, i) => `o${i}`) }, 'options', 'must have at most 200 items'],
    ['RADIO', { options: ['a'], default: 'b' }, 'default', 'is not an option of the field: b'],
    ['CHECKBOX', { options: ['a'], min: 2, max: 1 }, 'min', 'must not be greater than max'],
    ['MULTI_SELECT', { options: ['a', 'b'], max: 1, default: ['a', 'b'] }, 'default', 'must have at most 1 items'],
    ['ATTACHMENT', { max: 21 }, 'max', 'must be at most 20'],
    ['ATTACHMENT', { max: 0 }, 'max', 'must be at least 1'],
    ['ATTACHMENT', { accept: 'pdf' }, 'accept', 'must be an array'],
    [
      'PHOTO',
      { accept: ['*/*'] },
      'accept',
      'must be an array of MIME types (image/png, image/*) and extensions (.pdf)',
    ],
    ['PHOTO', { accept: [5] }, 'accept', 'must be a string'],
    ['GEO', { default: { latitude: 91, longitude: 0 } }, 'default', 'must have a latitude between -90 and 90'],
    ['REF', {}, 'target', 'is required'],
    ['REF', { target: 'QR_CODE' }, 'target', 'must be one of ASSET, USER, LOCATION, ACTIVITY'],
    ['REF', { target: 'asset' }, 'target', 'must be one of ASSET, USER, LOCATION, ACTIVITY'],
    ['COMPUTED', {}, 'formula', 'is required'],
    ['COMPUTED', { formula: '1 +' }, 'formula', 'is not complete'],
    ['COMPUTED', { formula: 5 }, 'formula', 'must be a string'],
    ['COMPUTED', { formula: '1', resultType: 'GEO' }, 'resultType', 'must be one of NUMBER, TEXT, DATE, BOOLEAN'],
    ['COMPUTED', { formula: '1', precision: 7 }, 'precision', 'must be at most 6'],
  ])('%s refuses %j', (type, config, key, message) => {
    expect(problems(type, config)).toEqual({ [key === '' ? 'body.config' : `body.config.${key}`]: message })
  })

  test('checkConfig reports every wrong key at once, below the given path', () => {
    expect(problems('NUMBER', { min: 'a', precision: 9, required: 1 })).toEqual({
      'body.config.min': 'must be a number',
      'body.config.precision': 'must be at most 6',
      'body.config.required': 'must be true or false',
    })
    expect(() => checkConfig('NUMBER', { min: 'a' }, 'body.items.3.config')).toThrow(
      expect.objectContaining({ problems: [expect.objectContaining({ path: 'body.items.3.config.min' })] }) as never,
    )
    expect(checkConfig('NUMBER', null)).toEqual({})
    expect(checkConfig('NUMBER', undefined)).toEqual({})
  })
})

/** One character of four UTF-16 units. */
const thumb = '👍🏽'

describe('values', () => {
  test.each<[TypedField, unknown, unknown]>([
    [field('TEXT'), '  Menu ', 'Menu'],
    [field('TEXT'), '', null],
    [field('TEXT'), '   ', null],
    [field('TEXT'), null, null],
    [field('TEXT'), undefined, null],
    [field('TEXT'), 5, '! must be a string'],
    [field('TEXT'), ['a'], '! must be a string'],
    [field('TEXT'), 'a\nb', '! contains characters that are not allowed'],
    [field('TEXT'), 'a\u0000b', '! contains characters that are not allowed'],
    [field('TEXT'), 'a\ud800', '! contains characters that are not allowed'],
    [field('TEXT'), 'x'.repeat(1000), 'x'.repeat(1000)],
    [field('TEXT'), 'x'.repeat(1001), '! must have at most 1000 characters'],
    [field('TEXT', { maxLength: 2 }), thumb + thumb, thumb + thumb],
    [field('TEXT', { maxLength: 2 }), `${thumb}ab`, '! must have at most 2 characters'],
    [field('TEXT', { minLength: 3 }), `${thumb}a`, '! must have at least 3 characters'],
    [field('TEXT', { minLength: 2 }), `e${'\u0301'.repeat(20)}`, '! must have at least 2 characters'],
    [field('TEXT', { minLength: 2 }), `${thumb}a`, `${thumb}a`],
    [field('TEXT', { pattern: 'a|ab' }), 'ab', 'ab'],
    [field('TEXT', { pattern: 'b' }), 'abc', '! does not have the form that the field requires'],
    [field('TEXT', { required: true }), '', '! is required'],
    [field('TEXT', { required: true }), null, '! is required'],
    [field('TEXTAREA'), ' a\r\nb\tc ', 'a\r\nb\tc'],
    [field('TEXTAREA'), 'a\u0007', '! contains characters that are not allowed'],
    [field('TEXTAREA'), 'x'.repeat(10_001), '! must have at most 10000 characters'],
    [field('NUMBER'), 12.5, 12.5],
    [field('NUMBER'), '12.50', 12.5],
    [field('NUMBER'), ' -7 ', -7],
    [field('NUMBER'), 0, 0],
    [field('NUMBER'), '', null],
    [field('NUMBER'), -0, 0],
    [field('NUMBER'), 123_456_789_012_345, 123_456_789_012_345],
    [field('NUMBER'), 0.1 + 0.2, '! must have at most 15 significant digits and a magnitude that a computer can hold'],
    [
      field('NUMBER'),
      '1234567890.1234567',
      '! must have at most 15 significant digits and a magnitude that a computer can hold',
    ],
    [field('NUMBER'), Number.NaN, '! must be a number'],
    [field('NUMBER'), Number.POSITIVE_INFINITY, '! must be a number'],
    [field('NUMBER'), '12,5', '! must be a number'],
    [field('NUMBER'), true, '! must be a number'],
    [field('NUMBER'), [1], '! must be a number'],
    [field('NUMBER', { precision: 2 }), 1.25, 1.25],
    [field('NUMBER', { precision: 2 }), '1.250', 1.25],
    [field('NUMBER', { precision: 2 }), 1.255, '! must have at most 2 decimals'],
    [field('NUMBER', { precision: 0 }), 1.5, '! must be a whole number'],
    [field('NUMBER', { precision: 6 }), 1e-7, '! must have at most 6 decimals'],
    [field('NUMBER', { min: 1, max: 2 }), 0.99, '! must be at least 1'],
    [field('NUMBER', { min: 1, max: 2 }), 2.01, '! must be at most 2'],
    [field('NUMBER', { min: 1, max: 2 }), 2, 2],
    [field('BOOLEAN'), true, true],
    [field('BOOLEAN'), false, false],
    [field('BOOLEAN'), 'true', '! must be true or false'],
    [field('BOOLEAN'), 1, '! must be true or false'],
    [field('DATE'), '2024-02-29', '2024-02-29'],
    [field('DATE'), '0001-01-01', '0001-01-01'],
    [field('DATE'), '9999-12-31', '9999-12-31'],
    [field('DATE'), '1969-12-31', '1969-12-31'],
    ...[
      '2023-02-29',
      '2024-04-31',
      '2024-13-01',
      '2024-00-10',
      '0000-01-01',
      '2024-1-1',
      '20240101',
      '2024-01-01T00:00:00Z',
      1_704_067_200_000,
      true,
    ].map((bad): [TypedField, unknown, unknown] => [field('DATE'), bad, '! must be a date that exists, as YYYY-MM-DD']),
    [field('DATE', { min: '2024-01-02' }), '2024-01-01', '! must be at least 2024-01-02'],
    [field('DATE', { max: '2024-01-02' }), '2024-01-03', '! must be at most 2024-01-02'],
    [field('DATETIME'), 1_704_067_200_123, 1_704_067_200_123],
    [field('DATETIME'), '2024-01-01T08:00:00+08:00', 1_704_067_200_000],
    [field('DATETIME'), -1, -1],
    [field('DATETIME'), 0, 0],
    ...[1.5, '2024-02-30T00:00:00Z', 'now', 8.64e15, true, {}].map((bad): [TypedField, unknown, unknown] => [
      field('DATETIME'),
      bad,
      '! must be a time between the years 1 and 9999, in epoch milliseconds or ISO 8601',
    ]),
    [field('DATETIME', { min: 1000 }), 999, '! must be at least 1970-01-01T00:00:01.000Z'],
    [field('DATETIME', { max: 1000 }), 1001, '! must be at most 1970-01-01T00:00:01.000Z'],
    [field('SELECT', OPTIONS), 'a', 'a'],
    [field('RADIO', OPTIONS), 'b', 'b'],
    [field('SELECT', OPTIONS), 'Bee', '! is not an option of the field: Bee'],
    [field('SELECT', OPTIONS), 'c', '! can no longer be chosen: c'],
    [field('SELECT', OPTIONS), ['a'], '! must be a string'],
    [field('SELECT', OPTIONS), '', null],
    [field('MULTI_SELECT', OPTIONS), ['b', 'a'], ['a', 'b']],
    [field('MULTI_SELECT', OPTIONS), [], null],
    [field('CHECKBOX', OPTIONS), 'a', '! must be an array'],
    [field('CHECKBOX', OPTIONS), ['a', 'a'], '! must not contain duplicates'],
    [field('CHECKBOX', OPTIONS), ['a', 5], '! must be an array of strings'],
    [field('CHECKBOX', OPTIONS), ['x'], '! is not an option of the field: x'],
    [field('CHECKBOX', { ...OPTIONS, min: 2 }), ['a'], '! must have at least 2 items'],
    [field('CHECKBOX', { ...OPTIONS, min: 2 }), [], null],
    [field('CHECKBOX', { ...OPTIONS, max: 1 }), ['a', 'b'], '! must have at most 1 items'],
    [field('CHECKBOX', { ...OPTIONS, required: true }), [], '! is required'],
    [field('ATTACHMENT'), [3, 1], [3, 1]],
    [field('ATTACHMENT'), [{ fileId: 3, name: 'x' }], [3]],
    [field('ATTACHMENT'), 3, '! must be an array of file ids'],
    [field('ATTACHMENT'), ['3'], '! must be an array of file ids'],
    [field('ATTACHMENT'), [0], '! must be an array of file ids'],
    [field('ATTACHMENT'), [1.5], '! must be an array of file ids'],
    [field('ATTACHMENT'), [3, 3], '! must not contain duplicates'],
    [field('ATTACHMENT'), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11], '! must have at most 10 files'],
    [field('PHOTO'), [1, 2, 3, 4, 5, 6], '! must have at most 5 files'],
    [field('PHOTO', { max: 6 }), [1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 5, 6]],
    [field('PHOTO'), [], null],
    [field('GEO'), { latitude: 30.5, longitude: -120 }, { latitude: 30.5, longitude: -120 }],
    [
      field('GEO'),
      { longitude: 180, latitude: -90, address: ' Road 1 ', accuracy: 5, other: 1 },
      { latitude: -90, longitude: 180, address: 'Road 1', accuracy: 5 },
    ],
    [field('GEO'), { latitude: 1, longitude: 2, address: null, accuracy: null }, { latitude: 1, longitude: 2 }],
    [field('GEO'), { latitude: 90.1, longitude: 0 }, '! must have a latitude between -90 and 90'],
    [field('GEO'), { latitude: 0, longitude: -180.1 }, '! must have a longitude between -180 and 180'],
    [field('GEO'), { latitude: '1', longitude: 0 }, '! must have a latitude between -90 and 90'],
    [field('GEO'), { latitude: Number.NaN, longitude: 0 }, '! must have a latitude between -90 and 90'],
    [field('GEO'), { latitude: 1 }, '! must be an object with latitude and longitude'],
    [field('GEO'), { latitude: 1, longitude: 2, accuracy: -1 }, '! must have an accuracy in metres, from 0'],
    [field('GEO'), { latitude: 1, longitude: 2, address: 5 }, '! has an address that must be a string'],
    [field('GEO'), '1, 2', '! must be an object with latitude and longitude'],
    [field('GEO'), [1, 2], '! must be an object with latitude and longitude'],
    [field('REF', { target: 'ASSET' }), 7, 7],
    [field('REF', { target: 'ASSET' }), { id: 7, title: 'Desk' }, 7],
    [field('REF', { target: 'ASSET' }), '7', '! must be an id: a positive integer'],
    [field('REF', { target: 'ASSET' }), 0, '! must be an id: a positive integer'],
    [field('REF', { target: 'ASSET' }), [7], '! must be an id: a positive integer'],
    [field('COMPUTED', { formula: '1' }), 1, '! is computed and cannot be written'],
    [field('COMPUTED', { formula: '1' }), null, '! is computed and cannot be written'],
  ])('%j with %j becomes %j', (of, value, expected) => {
    expect(stored(of, value)).toEqual(expected)
  })

  test.each<[TypedField, unknown, Partial<Part>[]]>([
    [field('TEXT'), 'Ärger ÉTÉ', [{ text: 'Ärger ÉTÉ', key: 'ärger été' }]],
    [field('TEXT'), '😀'.repeat(120), [{ text: '😀'.repeat(120), key: '😀'.repeat(100) }]],
    [field('TEXTAREA'), 'A\nB', [{ text: 'A\nB', key: 'a\nb' }]],
    [field('NUMBER'), '1.5', [{ number: 1.5 }]],
    [field('DATETIME'), 5, [{ number: 5 }]],
    [field('DATE'), '1970-01-02', [{ number: 1 }]],
    [field('DATE'), '1969-12-31', [{ number: -1 }]],
    [field('BOOLEAN'), true, [{ number: 1 }]],
    [field('BOOLEAN'), false, [{ number: 0 }]],
    [field('SELECT', OPTIONS), 'a', [{ key: 'a' }]],
    [field('CHECKBOX', OPTIONS), ['b', 'a'], [{ key: 'a' }, { key: 'b' }]],
    [field('REF', { target: 'USER' }), 9, [{ number: 9 }]],
    [field('PHOTO'), [9, 8], [{ number: 9 }, { number: 8 }]],
    [field('GEO'), { longitude: 2, latitude: 1 }, [{ text: '{"latitude":1,"longitude":2}' }]],
    [field('TEXT'), null, []],
  ])('%j stores %j as %j', (of, value, expected) => {
    const empty = { text: null, key: null, number: null }
    expect(parseValue(of, value, [])).toEqual(expected.map((columns) => ({ ...empty, ...columns })))
  })

  test('a removed or disabled option stays readable and may stay, but cannot be chosen again', () => {
    const before = parseValue(field('CHECKBOX', { options: ['x', 'c', 'a'] }), ['a', 'c', 'x'], []) as readonly Part[]
    const now = field('CHECKBOX', OPTIONS)
    expect(valueOf(now, before)).toEqual(['a', 'c', 'x'])
    expect(stored(now, ['x', 'b', 'c'], before)).toEqual(['b', 'c', 'x'])
    expect(stored(now, ['x'], [])).toBe('! is not an option of the field: x')
    const one = [{ text: null, key: 'x', number: null }]
    expect(valueOf(field('SELECT', OPTIONS), one)).toBe('x')
    expect(stored(field('SELECT', OPTIONS), 'x', one)).toBe('x')
    expect(stored(field('SELECT', OPTIONS), 'y', one)).toBe('! is not an option of the field: y')
  })

  test('values of several options follow the present order of the options', () => {
    const parts = parseValue(field('CHECKBOX', { options: ['a', 'b'] }), ['a', 'b'], []) as readonly Part[]
    expect(valueOf(field('CHECKBOX', { options: ['b', 'a'] }), parts)).toEqual(['b', 'a'])
  })
})
