/** Random histories of values, compared with a simple model. The values that were written last are read, found and filtered. */

import { beforeAll, describe, expect, test } from 'bun:test'

import { and, asc, eq, isNull } from 'drizzle-orm'

import { qrCodes } from '#db/schema/qr-codes.ts'
import type { FieldView } from '#domains/metadata/fields/fields.model.ts'
import { computedMatch, fieldFilters, whereFields } from '#domains/metadata/index.ts'

import { inProcess, ok, useServer } from '../harness/index.ts'
import { createCode } from '../qr-codes/helpers.ts'
import { createField, list, OPTIONS, put, search } from './values-helpers.ts'

const { server, alice, bob } = useServer({ people: ['alice', 'bob'] })

const SEED = Number(process.env['SEED'] ?? Math.floor(Math.random() * 1e9))
const STEPS = 150
const CODES = 6

/** A generator of the same numbers for the same seed (mulberry32). */
let state = SEED
function random(below: number): number {
  state = (state + 0x6d2b79f5) | 0
  let t = Math.imul(state ^ (state >>> 15), 1 | state)
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
  return ((t ^ (t >>> 14)) >>> 0) % below
}
const pick = <T>(items: readonly T[]): T => items[random(items.length)]!

type Kind = 'NUMBER' | 'TEXT' | 'DATE' | 'SELECT' | 'MULTI_SELECT' | 'BOOLEAN'
const KINDS: readonly Kind[] = ['NUMBER', 'TEXT', 'DATE', 'SELECT', 'MULTI_SELECT', 'BOOLEAN']
const WORDS = ['Apple', 'banana', 'Äpfel', '樱桃', 'a_b', '50%', "o'clock"]

const fields = {} as Record<Kind | 'double', FieldView>
const codes: number[] = []
/** Values by code and field; none is stored for null. */
const model = new Map<number, Map<number, unknown>>()

function randomValue(kind: Kind): unknown {
  if (random(4) === 0) return null
  switch (kind) {
    case 'NUMBER':
      return random(9) - 4
    case 'TEXT':
      return `${pick(WORDS)} ${pick(WORDS)}`
    case 'DATE':
      return `2026-0${1 + random(3)}-1${random(10)}`
    case 'SELECT':
      return pick(OPTIONS.options)
    case 'MULTI_SELECT': {
      const chosen = OPTIONS.options.filter(() => random(2) === 0)
      return chosen.length === 0 ? null : chosen
    }
    case 'BOOLEAN':
      return random(2) === 0
  }
}

const stored = (code: number, field: number): unknown => model.get(code)!.get(field) ?? null
const doubled = (code: number): number | null => {
  const number = stored(code, fields.NUMBER.id)
  return number === null ? null : (number as number) * 2
}
const expected = (code: number, field: number): unknown =>
  field === fields.double.id ? doubled(code) : stored(code, field)

interface Filter {
  readonly field: number
  readonly query: Record<string, string>
  matches(value: never): boolean
}

function randomFilter(): Filter {
  const kind = pick([...KINDS, 'double'] as const)
  const field = fields[kind].id
  switch (kind) {
    case 'NUMBER':
    case 'double': {
      const [min, max] = [random(9) - 4, random(9) - 4]
      return {
        field,
        query: { min: `${min}`, max: `${max}` },
        matches: (value: number) => value >= min && value <= max,
      }
    }
    case 'DATE': {
      const min = `2026-0${1 + random(3)}-15`
      return { field, query: { min }, matches: (value: string) => value >= min }
    }
    case 'TEXT': {
      // SQLite folds the case of ASCII letters only.
      const part = pick(['apple', 'AN', '樱', '_', '%', "'", 'fel'])
      return {
        field,
        query: { value: part },
        matches: (value: string) => value.toLowerCase().includes(part.toLowerCase()),
      }
    }
    case 'SELECT':
    case 'MULTI_SELECT': {
      const keys = OPTIONS.options.slice(0, 1 + random(2))
      return {
        field,
        query: { value: keys.join() },
        matches: (value: string | string[]) => [value].flat().some((key) => keys.includes(key)),
      }
    }
    case 'BOOLEAN': {
      const is = random(2) === 0
      return { field, query: { value: String(is) }, matches: (value: boolean) => value === is }
    }
  }
}

const matching = ({ field, matches }: Filter): number[] =>
  codes.filter((code) => {
    const value = expected(code, field)
    return value !== null && matches(value as never)
  })

async function searched({ field, query }: Filter): Promise<number[]> {
  const { items } = ok(await search(alice, { fieldId: field, ...query })).data
  for (const { entityId, value } of items) expect(value).toEqual(expected(entityId, field))
  return items.map(({ entityId }) => entityId)
}

/** The codes that a list with these filters shows, with the values looked up by index or row by row. */
async function listed(filters: readonly Filter[], isSearch: boolean): Promise<number[]> {
  const owner = { userId: alice.id, orgId: 0 }
  const query: Record<string, string> = {}
  for (const { field, query: given } of filters)
    for (const [name, value] of Object.entries(given))
      query[`field.${field}${name === 'value' ? '' : `.${name}`}`] = value
  const { ctx } = server
  const parsed = await fieldFilters(ctx, owner, 'qrCode', query)
  const columns = {} as Parameters<typeof whereFields>[1]['columns']
  const rows = await ctx.db.read
    .select({ id: qrCodes.id })
    .from(qrCodes)
    .where(
      and(
        eq(qrCodes.userId, alice.id),
        isNull(qrCodes.deletedAt),
        whereFields(parsed, { owner: -alice.id, entityId: qrCodes.id, columns, isSearch }),
      ),
    )
    .orderBy(asc(qrCodes.id))
  const ids = rows.map(({ id }) => id)
  const kept = await computedMatch(ctx, ctx.db.read, owner, 'qrCode', parsed, ids)
  return kept === undefined ? ids : ids.filter((id) => kept.has(id))
}

beforeAll(async () => {
  for (const kind of KINDS) {
    const config = kind.includes('SELECT') ? OPTIONS : {}
    fields[kind] = await createField(alice, kind, config, { key: kind.toLowerCase().replace('_', '') })
  }
  fields.double = await createField(alice, 'COMPUTED', { formula: '{number} * 2' })
  for (let i = 0; i < CODES; i++) codes.push((await createCode(alice)).id)
  for (const code of codes) model.set(code, new Map())
  // Values of another user, which nothing of alice may show or count.
  const other = await createCode(bob)
  const field = await createField(bob, 'NUMBER')
  ok(await put(bob, other.id, [{ fieldId: field.id, value: 1 }]))
})

describe('random histories of values', () => {
  test(`the values that were written last are read and found (SEED=${SEED})`, async () => {
    for (let step = 0; step < STEPS; step++) {
      const code = pick(codes)
      const kinds = KINDS.filter(() => random(3) === 0)
      const values = kinds.map((kind) => ({ fieldId: fields[kind].id, value: randomValue(kind) }))
      // An invalid value in between changes nothing.
      const isRefused = random(5) === 0
      const reply = await put(alice, code, isRefused ? [...values, { fieldId: fields.double.id, value: 1 }] : values)
      expect(reply.status).toBe(isRefused ? 400 : 200)
      if (!isRefused) for (const { fieldId, value } of values) model.get(code)!.set(fieldId, value)
      const { items } = await list(alice, code)
      for (const { fieldId, value } of items) expect(value).toEqual(expected(code, fieldId))
      const filter = randomFilter()
      expect((await searched(filter)).toSorted((a, b) => a - b)).toEqual(matching(filter))
      if (!inProcess) continue
      const filters = [filter, randomFilter()].filter(({ field }, i, all) => i === 0 || field !== all[0]!.field)
      const both = codes.filter((id) => filters.every((given) => matching(given).includes(id)))
      expect(await listed(filters, false)).toEqual(both)
      expect(await listed(filters, true)).toEqual(both)
    }
  })
})
