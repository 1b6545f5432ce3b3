/** Changing the type of a field that has values. */

import { describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import type { FieldType } from '#db/schema/meta.ts'
import { metaValues } from '#db/schema/meta.ts'
import type { FieldView } from '#domains/metadata/fields/fields.model.ts'
import { isProblem, parseValue, type Part, valueOf } from '#domains/metadata/types/types.rules.ts'

import { inProcess, ok, useServer } from '../harness/index.ts'
import { createField, refusal } from './helpers.ts'

const { server, alice } = useServer({ people: ['alice'] })

const OPTIONS = { options: ['a', 'b', '7'] }

const create = (type: FieldType, config: object = {}): Promise<FieldView> =>
  createField(alice, { type, config: { ...config } }, { objectName: 'qrCode' })

/** Stores a value for each of as many things. */
async function store(field: FieldView, values: readonly unknown[]): Promise<void> {
  const rows = values.flatMap((value, i) => {
    const parts = parseValue(field, value, [])
    if (isProblem(parts)) throw new Error(parts.en)
    const ids = { objectName: 'qrCode', entityId: i + 1, fieldId: field.id, owner: -alice.id }
    return parts.map((part, position) => ({ ...ids, ...part, position }))
  })
  await server.ctx.db.write('test.values', async (tx) => {
    for (let i = 0; i < rows.length; i += 1000) await tx.insert(metaValues).values(rows.slice(i, i + 1000))
  })
}

async function stored(field: FieldView): Promise<unknown[]> {
  const rows = await server.ctx.db.read
    .select()
    .from(metaValues)
    .where(eq(metaValues.fieldId, field.id))
    .orderBy(metaValues.entityId, metaValues.position)
  const values = Map.groupBy(rows, ({ entityId }) => entityId).values()
  return [...values].map((parts: readonly Part[]) => valueOf(field, parts))
}

const change = (field: FieldView, type: FieldType, config: object = {}) =>
  alice.put(`/api/meta/objects/qrCode/fields/${field.id}`, { type, config })

describe.if(inProcess)('changing the type of a field', () => {
  test.each<[FieldType, object, unknown[], FieldType, object, unknown[]]>([
    ['TEXT', {}, ['12.50', '-7'], 'NUMBER', { precision: 2 }, [12.5, -7]],
    ['NUMBER', {}, [12.5, 1e21], 'TEXT', {}, ['12.5', '1e+21']],
    ['TEXT', {}, ['2024-02-29'], 'DATE', {}, ['2024-02-29']],
    ['DATE', {}, ['2024-02-29'], 'TEXT', {}, ['2024-02-29']],
    ['TEXT', {}, ['a', 'b'], 'SELECT', OPTIONS, ['a', 'b']],
    ['SELECT', OPTIONS, ['7'], 'NUMBER', {}, [7]],
    ['RADIO', OPTIONS, ['a', 'b'], 'CHECKBOX', OPTIONS, [['a'], ['b']]],
    ['CHECKBOX', OPTIONS, [['a'], ['b']], 'RADIO', OPTIONS, ['a', 'b']],
    ['CHECKBOX', OPTIONS, [['a', 'b']], 'MULTI_SELECT', OPTIONS, [['a', 'b']]],
    ['TEXT', {}, ['A'], 'TEXTAREA', {}, ['A']],
  ])('%s with %j and the values %j becomes %s with %j: %j', async (from, config, values, to, wanted, expected) => {
    const field = await create(from, config)
    await store(field, values)
    const changed = ok(await change(field, to, wanted)).data
    expect(changed.type).toBe(to)
    expect(await stored(changed)).toEqual(expected)
  })

  test.each<[FieldType, object, unknown[], FieldType, object, number]>([
    ['TEXT', {}, ['12', 'twelve', '13th'], 'NUMBER', {}, 2],
    ['TEXT', {}, ['1.555', '1.5'], 'NUMBER', { precision: 2 }, 1],
    ['TEXTAREA', {}, ['a\nb', 'a'], 'TEXT', {}, 1],
    ['CHECKBOX', OPTIONS, [['a', 'b'], ['a'], ['a', '7']], 'SELECT', OPTIONS, 2],
    ['SELECT', OPTIONS, ['a', 'b'], 'RADIO', { options: ['a'] }, 1],
    ['NUMBER', {}, [1, 2, 3], 'DATETIME', {}, 3],
    ['NUMBER', {}, [1, 2, 3], 'COMPUTED', { formula: '1' }, 3],
    ['TEXT', {}, ['{"latitude":1,"longitude":2}'], 'GEO', {}, 1],
  ])(
    '%s with %j and the values %j cannot become %s with %j: %d do not fit',
    async (from, config, values, to, wanted, count) => {
      const field = await create(from, config)
      await store(field, values)
      const reply = await change(field, to, wanted)
      expect(refusal(reply)).toBe('400 body.type')
      expect(reply.details[0]!.message).toBe(`cannot be changed: ${count} values do not fit the new type`)
      expect(await stored(field)).toEqual(values)
    },
  )

  test('numbers never become ids of files or of other things, which are only checked when they are written', async () => {
    for (const [type, config] of [
      ['ATTACHMENT', {}],
      ['PHOTO', {}],
      ['REF', { target: 'USER' }],
    ] as const) {
      const field = await create('NUMBER')
      await store(field, [1])
      expect(refusal(await change(field, type, config))).toBe('400 body.type')
    }
  })

  test('as many values as one write can convert are converted, and more are refused', async () => {
    const field = await create('TEXT')
    const numbers = Array.from({ length: 10_001 }, (_, i) => i)
    await store(
      field,
      numbers.map((i) => String(i)),
    )
    expect((await change(field, 'NUMBER')).details[0]!.message).toContain('too many values to convert')
    // The same representation needs no conversion.
    expect(ok(await change(field, 'TEXTAREA')).data.type).toBe('TEXTAREA')
    await server.ctx.db.write('test.delete', (tx) => tx.delete(metaValues).where(eq(metaValues.entityId, 10_001)))
    const changed = ok(await change(field, 'NUMBER')).data
    expect(await stored(changed)).toEqual(numbers.slice(0, 10_000))
  })
})
