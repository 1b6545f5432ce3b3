/** Values as cells of spreadsheets, and back. */

import { describe, expect, test } from 'bun:test'

import type { FieldType } from '#db/schema/meta.ts'
import {
  checkConfig,
  fromText,
  isProblem,
  parseValue,
  type Part,
  type ReadCell,
  toText,
  type TypedField,
  valueOf,
} from '#domains/metadata/types/types.rules.ts'
import type { Locale } from '#lib/localized.ts'

const field = (type: FieldType, config: object = {}): TypedField => ({ type, config: checkConfig(type, config) })
const BERLIN = 'Europe/Berlin'

const OPTIONS = { options: ['a', { value: 'b', label: 'Bee' }, { value: 'c', label: 'Sea' }] }
/** Labels and values that could be taken for each other. */
const CONFUSING = {
  options: [
    { value: '1', label: '2' },
    { value: '2', label: '1' },
    { value: 'x', label: 'Same' },
    { value: 'y', label: 'Same' },
    { value: 'x; y', label: 'Both' },
    { value: 'B', label: 'b' },
    { value: 'b', label: 'B' },
    { value: '; ', label: ';;' },
    { value: '["x"]', label: '[' },
  ],
}

test.each<[TypedField, unknown, Locale, string | number | null]>([
  [field('TEXT'), '=1+1', 'en', '=1+1'],
  [field('TEXTAREA'), 'a\nb', 'en', 'a\nb'],
  [field('NUMBER', { unit: 'kg' }), 1.5, 'en', 1.5],
  [field('BOOLEAN'), true, 'en', 'Yes'],
  [field('BOOLEAN'), false, 'en', 'No'],
  [field('BOOLEAN'), true, 'zh', '是'],
  [field('BOOLEAN'), false, 'zh', '否'],
  [field('BOOLEAN', { trueLabel: 'On', falseLabel: 'Off' }), false, 'zh', 'Off'],
  [field('BOOLEAN', { trueLabel: 'On' }), false, 'zh', '否'],
  [field('BOOLEAN', { trueLabel: 'No' }), true, 'en', 'Yes'],
  [field('DATE'), '2024-02-29', 'en', '2024-02-29'],
  [field('DATETIME'), Date.UTC(2024, 0, 1, 12), 'en', '2024-01-01 13:00:00'],
  [field('DATETIME'), Date.UTC(2024, 6, 1, 12, 0, 0, 7), 'en', '2024-07-01 14:00:00.007'],
  [field('SELECT', OPTIONS), 'b', 'en', 'Bee'],
  [field('RADIO', OPTIONS), 'removed', 'en', 'removed'],
  [field('SELECT', CONFUSING), '1', 'en', '1'],
  [field('SELECT', CONFUSING), 'y', 'en', 'y'],
  [field('CHECKBOX', OPTIONS), ['a', 'b'], 'en', 'a; Bee'],
  [field('CHECKBOX', CONFUSING), ['x', 'y'], 'en', 'Same; y'],
  [field('CHECKBOX', { options: ['x', 'y', 'x; y'] }), ['x', 'y'], 'en', '["x","y"]'],
  [field('GEO'), { latitude: 30.5, longitude: -120.25, address: 'Road 1' }, 'en', '30.5, -120.25'],
  [field('REF', { target: 'LOCATION' }), 'Berlin / Store', 'en', 'Berlin / Store'],
  [field('PHOTO'), ['a.png', 'b.png'], 'en', 'a.png; b.png'],
  [field('COMPUTED', { formula: '1', resultType: 'BOOLEAN' }), true, 'zh', '是'],
  [field('COMPUTED', { formula: '1' }), 1.5, 'zh', 1.5],
  [field('TEXT'), null, 'en', null],
  [field('CHECKBOX', OPTIONS), [], 'en', null],
])('%j with %j is written in %s as %j', (of, value, locale, expected) => {
  expect(toText(of, value, locale, BERLIN)).toEqual(expected)
})

/** The value that a cell means, or `!` if the field refuses it. */
function read(of: TypedField, cell: ReadCell, current?: unknown): unknown {
  const parts = parseValue(of, fromText(of, cell, BERLIN, current), [])
  return isProblem(parts) ? '!' : valueOf(of, parts)
}

test.each<[TypedField, ReadCell, unknown]>([
  [field('TEXT'), ' a ', 'a'],
  [field('TEXT'), 5, '5'],
  [field('TEXT'), '', null],
  [field('NUMBER'), 0.1 + 0.2, 0.3],
  [field('NUMBER'), '12.50', 12.5],
  [field('NUMBER'), 'twelve', '!'],
  [field('NUMBER'), true, '!'],
  ...['yes', 'YES', 'true', '是', '1', 'On'].map((cell): [TypedField, ReadCell, unknown] => [
    field('BOOLEAN', { trueLabel: 'On', falseLabel: 'Off' }),
    cell,
    true,
  ]),
  ...['no', 'false', '否', '0', 'OFF'].map((cell): [TypedField, ReadCell, unknown] => [
    field('BOOLEAN', { trueLabel: 'On', falseLabel: 'Off' }),
    cell,
    false,
  ]),
  [field('BOOLEAN'), true, true],
  [field('BOOLEAN'), 0, false],
  [field('BOOLEAN'), 'maybe', '!'],
  [field('BOOLEAN', { trueLabel: 'No', falseLabel: 'Yes' }), 'No', true],
  [field('DATE'), '2024-2-9', '2024-02-09'],
  [field('DATE'), '2024/02/29', '2024-02-29'],
  [field('DATE'), '2024.2.29', '2024-02-29'],
  [field('DATE'), '2024年2月29日', '2024-02-29'],
  [field('DATE'), '2024-02/29', '!'],
  [field('DATE'), '2023-02-29', '!'],
  [field('DATE'), '2024-02-29 00:00:00', '2024-02-29'],
  [field('DATE'), '2024-02-29T00:00', '2024-02-29'],
  [field('DATE'), '2024-02-29 10:00:00', '!'],
  [field('DATE'), 45_351, '!'],
  [field('DATETIME'), '2024-01-01 13:00', Date.UTC(2024, 0, 1, 12)],
  [field('DATETIME'), '2024/7/1 9:05:06', Date.UTC(2024, 6, 1, 7, 5, 6)],
  [field('DATETIME'), '2024-07-01T14:00:00.5', Date.UTC(2024, 6, 1, 12, 0, 0, 500)],
  [field('DATETIME'), '2024-07-01T12:00:00Z', Date.UTC(2024, 6, 1, 12)],
  [field('DATETIME'), '2024-07-01', Date.UTC(2024, 5, 30, 22)],
  [field('DATETIME'), '2024-07-01 25:00', '!'],
  [field('DATETIME'), '2024-07-01 10:61', '!'],
  [field('SELECT', OPTIONS), 'b', 'b'],
  [field('SELECT', OPTIONS), 'bee', 'b'],
  [field('SELECT', OPTIONS), 'Wasp', '!'],
  [field('SELECT', { options: ['1'] }), 1, '1'],
  [field('CHECKBOX', OPTIONS), 'Sea;a', ['a', 'c']],
  [field('CHECKBOX', OPTIONS), 'Bee；a', ['a', 'b']],
  [field('CHECKBOX', OPTIONS), 'a; ; b', ['a', 'b']],
  [field('CHECKBOX', OPTIONS), 'a; Wasp', '!'],
  [field('CHECKBOX', CONFUSING), 'x; y', ['x; y']],
  [field('CHECKBOX', CONFUSING), '["x","y"]', ['x', 'y']],
  [field('CHECKBOX', OPTIONS), '[', '!'],
  [field('GEO'), '30.5, -120.25', { latitude: 30.5, longitude: -120.25 }],
  [field('GEO'), '30.5，120', { latitude: 30.5, longitude: 120 }],
  [field('GEO'), '30.5', '!'],
  [field('GEO'), '91, 0', '!'],
  [field('GEO'), 5, '!'],
  [field('ATTACHMENT'), 'a.pdf', '!'],
  [field('COMPUTED', { formula: '1' }), 1, '!'],
])('%j reads the cell %j as %j', (of, cell, expected) => {
  expect(read(of, cell)).toEqual(expected)
})

test('the cell of a reference stays a text that the caller looks up', () => {
  expect(fromText(field('REF', { target: 'ASSET' }), ' 0042 ', BERLIN)).toBe('0042')
  expect(fromText(field('REF', { target: 'ASSET' }), 42, BERLIN)).toBe('42')
})

test('a cell that shows the present value keeps its details', () => {
  const place = { latitude: 30.5, longitude: -120.25, address: 'Road 1', accuracy: 5 }
  expect(read(field('GEO'), '30.5, -120.25', place)).toEqual(place)
  expect(read(field('GEO'), '30.5, -120', place)).toEqual({ latitude: 30.5, longitude: -120 })
  expect(fromText(field('BOOLEAN'), '是', BERLIN, true)).toBe(true)
})

// Every value that a field can have is written as a text that means the same value.

const random = (n: number): number => Math.floor(Math.random() * n)
const pick = <T>(list: readonly T[]): T => list[random(list.length)]!
const CHARACTERS = [...'ab1; ,[]"\\\'=+-@\t漢😀é是Yes']
const word = (max: number): string => Array.from({ length: random(max) + 1 }, () => pick(CHARACTERS)).join('')
const ZONES = ['UTC', 'Europe/Berlin', 'Asia/Shanghai', 'America/St_Johns', 'Pacific/Apia', 'Australia/Lord_Howe']

interface Sample {
  readonly of: TypedField
  readonly value: unknown
}

function randomOptions(): object {
  const options = new Map<string, object>()
  for (let i = 0; i < 1 + random(6); i++) {
    const value = word(3).replaceAll('\t', '').trim()
    const label = Math.random() < 0.5 ? word(3).replaceAll('\t', '').trim() : value
    if (value !== '') options.set(value, { value, label })
  }
  options.set('a', { value: 'a', label: 'a' })
  return { options: [...options.values()] }
}

/** Times near changes of the UTC offset, where local times are ambiguous or missing. */
function randomTime(zone: string): number {
  const near = Temporal.Instant.fromEpochMilliseconds(random(2e12))
    .toZonedDateTimeISO(zone)
    .getTimeZoneTransition('next')
  if (near === null || Math.random() < 0.5) return random(4e12) - 1e12
  return near.epochMilliseconds + random(4 * 3_600_000) - 2 * 3_600_000
}

const SAMPLES: Readonly<Partial<Record<FieldType, (zone: string) => Sample>>> = {
  TEXT: () => ({ of: field('TEXT'), value: word(20).replaceAll('\t', ' ') }),
  TEXTAREA: () => ({ of: field('TEXTAREA'), value: `${word(10)}\n${word(10)}` }),
  NUMBER: () => ({
    of: field('NUMBER'),
    value: Number(((Math.random() - 0.5) * 10 ** random(12)).toPrecision(1 + random(15))),
  }),
  DATE: () => ({ of: field('DATE'), value: new Date(random(2.5e14) - 6e13).toISOString().slice(0, 10) }),
  DATETIME: (zone) => ({ of: field('DATETIME'), value: randomTime(zone) }),
  BOOLEAN: () => ({
    of: field(
      'BOOLEAN',
      pick([
        {},
        { trueLabel: 'No', falseLabel: 'Yes' },
        { trueLabel: '否' },
        { trueLabel: 'No' },
        { trueLabel: '0' },
        { falseLabel: 'true' },
        { trueLabel: 'A', falseLabel: 'a' },
      ]),
    ),
    value: Math.random() < 0.5,
  }),
  SELECT: () => oneOption('SELECT'),
  RADIO: () => oneOption('RADIO'),
  MULTI_SELECT: () => someOptions('MULTI_SELECT'),
  CHECKBOX: () => someOptions('CHECKBOX'),
  GEO: () => ({
    of: field('GEO'),
    value: { latitude: (Math.random() - 0.5) * pick([180, 1e-5]), longitude: (Math.random() - 0.5) * 360 },
  }),
}

const valuesOf = (of: TypedField): string[] => (of.config['options'] as { value: string }[]).map(({ value }) => value)

function oneOption(type: FieldType): Sample {
  const of = field(type, randomOptions())
  return { of, value: pick(valuesOf(of)) }
}
function someOptions(type: FieldType): Sample {
  const of = field(type, randomOptions())
  return { of, value: valuesOf(of).filter(() => Math.random() < 0.6) }
}

describe('export and import', () => {
  test.each(Object.entries(SAMPLES))('%s: the text of a value means the same value', (_, sample) => {
    let compared = 0
    for (let i = 0; i < 2000; i++) {
      const zone = pick(ZONES)
      const { of, value } = sample(zone)
      const parts = parseValue(of, value, []) as readonly Part[]
      if (isProblem(parts)) throw new Error(`${JSON.stringify(value)} ${parts.en}`)
      const stored = valueOf(of, parts)
      for (const locale of ['en', 'zh'] as const) {
        const cell = toText(of, stored, locale, zone)
        const again = cell === null ? null : fromText(of, cell, zone)
        expect({ config: of.config, zone, cell, parts: parseValue(of, again, []) }).toEqual({
          config: of.config,
          zone,
          cell,
          parts,
        })
        compared++
      }
    }
    expect(compared).toBe(4000)
  })
})
