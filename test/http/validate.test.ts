/** How much work the validator does for a bad request, and which texts it refuses. */

import { describe, expect, test } from 'bun:test'

import { Kind, type TSchema } from '@sinclair/typebox'

import { allEndpoints } from '#app'
import { readBody } from '#http/body.ts'
import { Line, Model, Multiline, Nullable, Raw, Type } from '#http/schema.ts'
import { InvalidRequest, itemChecker, validator } from '#http/validate.ts'

const refusalOf = (fn: () => unknown): InvalidRequest => {
  try {
    fn()
  } catch (error) {
    if (error instanceof InvalidRequest) return error
    throw error
  }
  throw new Error('expected a refusal')
}
const problemsOf = (schema: TSchema, value: unknown) =>
  refusalOf(() => validator(schema, 'body').parse(value)).problems.map(({ path, text }) => `${path} ${text.en}`)

/** A list that counts how many of its items are read. */
function countedList(length: number, item: unknown) {
  const counter = { reads: 0 }
  const list = new Proxy(new Array<unknown>(length).fill(item), {
    get(target, key) {
      if (typeof key === 'string' && /^\d+$/.test(key)) counter.reads++
      return Reflect.get(target, key) as unknown
    },
  })
  return { list, counter }
}

describe('lists', () => {
  const Ids = Model('TestIds', { ids: Type.Array(Type.Integer(), { maxItems: 100, minItems: 1, uniqueItems: true }) })

  test('a list with more than maxItems is refused with one problem, and none of its items is read', () => {
    const { list, counter } = countedList(500_000, 'bad')
    expect(problemsOf(Ids, { ids: list })).toEqual(['body.ids must have at most 100 items'])
    expect(counter.reads).toBe(0)
  })

  test('reading a list ends when there are more problems than an answer lists', () => {
    const Names = Model('TestNames', { names: Type.Array(Line(10), { maxItems: 10_000 }) })
    const { list, counter } = countedList(10_000, 'a\0b')
    const problems = problemsOf(Names, { names: list })
    expect(problems).toHaveLength(51)
    expect(problems.at(-1)).toBe('body has at least 1 more problems')
    expect(counter.reads).toBeLessThan(60)
  })

  test('a list of the right length is examined: each bad item is named, and duplicates are refused', () => {
    expect(problemsOf(Ids, { ids: [1, 'x', 3, null] })).toEqual([
      'body.ids.1 must be an integer',
      'body.ids.3 must be an integer',
    ])
    expect(problemsOf(Ids, { ids: [1, 1] })).toEqual(['body.ids must not contain duplicates'])
    expect(validator(Ids, 'body').parse({ ids: [3, 1] })).toEqual({ ids: [3, 1] })
  })

  test('an object reads only the keys that the schema declares', () => {
    let reads = 0
    const body = new Proxy(Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`key${i}`, i])), {
      get(target, key) {
        reads++
        return Reflect.get(target, key) as unknown
      },
    })
    expect(problemsOf(Ids, body)).toEqual(['body.ids is required'])
    expect(reads).toBeLessThan(5)
  })

  test('a deferred list is not examined before the operation does it', () => {
    const check = itemChecker(Type.Object({ name: Line(3, 1) }))
    expect(check([{ name: 'abc' }, { name: '' }, 7], 'body.items')).toMatchObject([
      { value: { name: 'abc' }, problems: [] },
      { value: undefined, problems: [{ path: 'body.items.1.name' }] },
      { value: undefined, problems: [{ path: 'body.items.2' }] },
    ])
  })

  test('every list of a request has a limit', () => {
    const unlimited: string[] = []
    function look(schema: TSchema, path: string): void {
      if (schema[Kind] === 'Array') {
        if (schema['maxItems'] === undefined) unlimited.push(path)
        look(schema['items'] as TSchema, `${path}[]`)
      }
      for (const [name, field] of Object.entries((schema['properties'] ?? {}) as Record<string, TSchema>))
        look(field, `${path}.${name}`)
      for (const variant of (schema['anyOf'] ?? []) as TSchema[]) look(variant, path)
    }
    for (const { id, body, query, params } of allEndpoints)
      for (const schema of [body, query, params]) if (schema) look(schema, id)
    expect(unlimited).toEqual([])
  })
})

describe('bodies', () => {
  const read = (body: string) =>
    readBody(
      new Request('http://x/', { method: 'POST', body, headers: { 'content-type': 'application/json' } }),
      4_000_000,
      false,
    )

  test('a body of more than 100,000 values is refused before it is parsed', async () => {
    // It is not valid JSON, which only the parser would find out.
    await expect(read(`[${'{},'.repeat(60_000)}`)).rejects.toThrow('The body contains too many values')
    await expect(read(`[${'{},'.repeat(40_000)}`)).rejects.toThrow('The body is not valid JSON')
    expect(await read(`{"text":"${',[{'.repeat(100_000)}"}`)).toEqual({ text: ',[{'.repeat(100_000) })
  })
})

describe('texts of one line', () => {
  const refuses = (schema: TSchema, text: string) => {
    try {
      validator(Model('Test', { name: schema }), 'body').parse({ name: text })
      return false
    } catch {
      return true
    }
  }

  test.each([
    ['a right-to-left override', '\u202enimda'],
    ['a zero-width space', 'ad\u200bmin'],
    ['a direction mark', 'admin\u200f.'],
    ['an isolate', '\u2066admin\u2069'],
    ['a byte order mark', 'ad\ufeffmin'],
    ['a zero-width joiner between letters', 'ad\u200dmin'],
    ['a zero-width joiner after an emoji', 'a👩\u200db'],
  ])('%s is refused in a name, and accepted in texts of several lines and in raw ones', (_, text) => {
    expect(refuses(Line(50), text)).toBe(true)
    expect(refuses(Nullable(Line(50)), text)).toBe(true)
    expect(refuses(Multiline(50), text)).toBe(false)
    expect(refuses(Raw(50), text)).toBe(false)
  })

  test.each(['👨‍👩‍👧‍👦', '👩🏽‍🚀', '❤️‍🔥', '🏳️‍🌈', 'مرحبا', 'שלום', 'हिन्दी', '王小明'])('“%s” is accepted in a name', (text) => {
    expect(refuses(Line(50), text)).toBe(false)
  })

  test.each([
    ['50 emoji', '😀'.repeat(50), true],
    ['51 emoji', '😀'.repeat(51), false],
    ['30 emoji of five code points', '👩🏽‍❤️'.repeat(30), true],
    ['50 letters with a combining mark', 'e\u0301'.repeat(50), true],
    ['51 letters with a combining mark', 'e\u0301'.repeat(51), false],
    ['51 letters', 'x'.repeat(51), false],
    ['one letter with 10,000 combining marks', `e${'\u0301'.repeat(10_000)}`, false],
  ])('%s fit into 50 characters: %p', (_, text, fits) => {
    expect(refuses(Line(50), text)).toBe(!fits)
  })

  test('a text that is too long is refused with the limit in characters', () => {
    const Named = Model('Test', { name: Line(3) })
    for (const text of ['abcd', '😀'.repeat(4), 'x'.repeat(1000)])
      expect(problemsOf(Named, { name: text })).toEqual(['body.name must have at most 3 characters'])
  })

  test('a text of few characters with too many UTF-16 units is refused with the limit in units', () => {
    const Named = Model('Test', { name: Line(3) })
    for (const text of ['👨‍👩‍👧‍👦'.repeat(3), `e${'\u0301'.repeat(100)}`])
      expect(problemsOf(Named, { name: text })).toEqual([
        'body.name must have at most 24 UTF-16 units, of which an emoji or a letter with marks has several',
      ])
    expect(refuses(Line(3), '👨‍👩‍👧‍👦'.repeat(2))).toBe(false)
  })

  test.each([
    ['one emoji', '🦄', true],
    ['an emoji of seven code points', '👨‍👩‍👧‍👦', true],
    ['a letter with combining marks', 'e\u0301\u0302\u0303', true],
    ['two emoji', '🦄🐙', false],
    ['two letters', 'ab', false],
  ])('%s has fewer than two characters in a text of any kind: %p', (_, text, isTooShort) => {
    for (const field of [Line(50, 2), Multiline(50, 2), Raw(50, 2), Type.String({ minLength: 2 })]) {
      expect(refuses(field, text)).toBe(isTooShort)
      if (isTooShort)
        expect(problemsOf(Model('Test', { name: field }), { name: text })).toEqual([
          'body.name must have at least 2 characters',
        ])
    }
  })
})

test('a problem inside an object that can be null is reported at the path of the field', () => {
  const Outer = Model('TestOuter', { inner: Nullable(Model('TestInner', { n: Type.Integer({ minimum: 10 }) })) })
  expect(problemsOf(Outer, { inner: { n: 9 } })).toEqual(['body.inner.n must be at least 10'])
  expect(problemsOf(Outer, { inner: {} })).toEqual(['body.inner.n is required'])
  expect(problemsOf(Outer, { inner: 9 })).toEqual(['body.inner must be an object'])
  expect(validator(Outer, 'body').parse({ inner: null })).toEqual({ inner: null })
})

test('integers of 16 digits are parsed in paths and queries, and larger ones than 2^53 - 1 are refused', () => {
  const ById = Type.Object({ id: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }) })
  expect(validator(ById, 'path').parse({ id: '9007199254740991' })).toEqual({ id: 9_007_199_254_740_991 })
  for (const id of ['9007199254740992', '9999999999999999', '99999999999999999'])
    expect(() => validator(ById, 'path').parse({ id })).toThrow(InvalidRequest)
})
