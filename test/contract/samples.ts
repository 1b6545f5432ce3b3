/** Values for schemas: one that fits, and many that do not. */

import { Kind, OptionalKind, type TSchema } from '@sinclair/typebox'

/** The smallest value that fits: only required keys, the shortest texts, the lowest numbers. */
export function sample(schema: TSchema): unknown {
  if (schema['default'] !== undefined) return schema['default']
  switch (schema[Kind]) {
    case 'Object':
      return Object.fromEntries(
        Object.entries(schema['properties'] as Record<string, TSchema>)
          .filter(([, field]) => field[OptionalKind] !== 'Optional')
          .map(([name, field]) => [name, sample(field)]),
      )
    case 'Array':
      return Array.from({ length: (schema['minItems'] as number | undefined) ?? 0 }, () =>
        sample(schema['items'] as TSchema),
      )
    case 'String':
      return 'x'.repeat(Math.max(1, (schema['minLength'] as number | undefined) ?? 1))
    case 'StringEnum':
      return (schema['enum'] as string[])[0]
    case 'Integer':
    case 'Number':
      return Math.max(1, (schema['minimum'] as number | undefined) ?? 1)
    case 'Boolean':
      return true
    case 'Literal':
      return schema['const']
    case 'Union':
      return sample((schema['anyOf'] as TSchema[])[0]!)
    default:
      return {}
  }
}

/** Values that have broken servers. */
export const HOSTILE: readonly unknown[] = [
  null,
  true,
  -1,
  0,
  1.5,
  9_007_199_254_740_993,
  1e308,
  '',
  ' ',
  'x'.repeat(5000),
  'nul\0inside',
  'lone \ud800 surrogate',
  '\u202eright to left',
  "'; DROP TABLE users; --",
  '{{7*7}} ${7*7} <script>alert(1)</script>',
  '../../../../etc/passwd',
  'NaN',
  '0x10',
  '1e999',
  '%00',
  '😀'.repeat(200),
  [],
  [[[[]]]],
  [null],
  [{}],
  Array.from({ length: 600 }, (_, i) => i),
  {},
  { $gt: '' },
  { __proto__: null, constructor: { prototype: { polluted: true } } },
  { toString: 'x', valueOf: 1 },
]

/** For each field and hostile value one body that is otherwise valid; then each hostile value as the whole body. */
export function* brokenBodies(schema: TSchema): Generator<unknown> {
  const good = sample(schema)
  yield* HOSTILE
  if (schema[Kind] !== 'Object') return
  for (const name of Object.keys(schema['properties'] as object))
    for (const value of HOSTILE) yield { ...(good as object), [name]: value }
}

/** Bodies that are not JSON, or JSON of an unreasonable shape. */
export const RAW_BODIES: readonly string[] = [
  '{',
  'null',
  '"text"',
  '{"a":1,}',
  '['.repeat(100_000),
  `${'{"a":'.repeat(50)}1${'}'.repeat(50)}`,
  '{"__proto__":{"admin":true}}',
  '{"a":"\\ud800"}',
  '{"id":1,"id":2}',
]
