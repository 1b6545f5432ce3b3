import { beforeAll, describe, expect, test } from 'bun:test'

import type { FieldView } from '#domains/metadata/fields/fields.model.ts'

import { ok, useServer } from '../harness/index.ts'
import { addMembers, createOrg, setRole } from '../orgs/helpers.ts'
import { createCode } from '../qr-codes/helpers.ts'
import { createField, createOrgCode, OPTIONS, pathsOf, put, search, set } from './values-helpers.ts'

const { alice, bob, owner, member } = useServer({ people: ['alice', 'bob', 'owner', 'member'] })

const ids: number[] = []
const field = {} as Record<'number' | 'text' | 'date' | 'select' | 'many' | 'flag' | 'twice' | 'place', FieldView>

beforeAll(async () => {
  field.number = await createField(alice, 'NUMBER', {}, { key: 'n' })
  field.text = await createField(alice, 'TEXT')
  field.date = await createField(alice, 'DATE')
  field.select = await createField(alice, 'SELECT', OPTIONS)
  field.many = await createField(alice, 'MULTI_SELECT', OPTIONS)
  field.flag = await createField(alice, 'BOOLEAN')
  field.place = await createField(alice, 'GEO')
  field.twice = await createField(alice, 'COMPUTED', { formula: '{n} * 2' })
  const rows = [
    [3, 'Cherry 樱桃', '2026-03-01', 'red', ['red', 'blue'], true],
    [1, 'apple', '2026-01-01', 'blue', ['green'], false],
    [2, 'Banana', '2026-02-01', 'red', ['blue'], true],
  ] as const
  for (const [number, text, date, select, many, flag] of rows) {
    const { id } = await createCode(alice)
    ids.push(id)
    ok(
      await put(alice, id, [
        { fieldId: field.number.id, value: number },
        { fieldId: field.text.id, value: text },
        { fieldId: field.date.id, value: date },
        { fieldId: field.select.id, value: select },
        { fieldId: field.many.id, value: many },
        { fieldId: field.flag.id, value: flag },
      ]),
    )
  }
  ids.push((await createCode(alice)).id)
  ok(await put(alice, ids[3]!, [{ fieldId: field.place.id, value: { latitude: 1, longitude: 2 } }]))
})

/** Places in `ids` of the items that are found. */
const found = async (fieldId: number, query: Record<string, string | number> = {}): Promise<number[]> => {
  const { data } = ok(await search(alice, { fieldId, ...query }))
  expect(data.total).toBe(data.items.length)
  return data.items.map(({ entityId }) => ids.indexOf(entityId))
}

describe('GET /api/meta/objects/:objectName/values', () => {
  test('answers the items with a value by value, and in reverse with sort=-value', async () => {
    expect(await found(field.number.id)).toEqual([1, 2, 0])
    expect(await found(field.number.id, { sort: '-value' })).toEqual([0, 2, 1])
    expect(await found(field.text.id)).toEqual([1, 2, 0])
    expect(await found(field.date.id)).toEqual([1, 2, 0])
    expect(await found(field.twice.id)).toEqual([1, 2, 0])
    expect(await found(field.twice.id, { sort: '-value' })).toEqual([0, 2, 1])
    const { items } = ok(await search(alice, { fieldId: field.date.id, size: 1 })).data
    expect(items).toEqual([{ entityId: ids[1]!, title: expect.stringContaining('code'), value: '2026-01-01' }])
  })

  test('filters by range and by equality', async () => {
    expect(await found(field.number.id, { min: 2 })).toEqual([2, 0])
    expect(await found(field.number.id, { min: 2, max: 2 })).toEqual([2])
    expect(await found(field.number.id, { value: 1 })).toEqual([1])
    expect(await found(field.date.id, { max: '2026-02-01' })).toEqual([1, 2])
    expect(await found(field.twice.id, { min: 3, max: 5 })).toEqual([2])
    expect(await found(field.twice.id, { value: 6 })).toEqual([0])
    expect(await found(field.flag.id, { value: 'true' })).toEqual([0, 2])
  })

  test('filters by a part of a text without case, and by any of several options', async () => {
    expect(await found(field.text.id, { value: 'AN' })).toEqual([2])
    expect(await found(field.text.id, { value: '樱' })).toEqual([0])
    expect(await found(field.text.id, { value: '%' })).toEqual([])
    expect(await found(field.select.id, { value: 'red' })).toEqual([0, 2])
    expect(await found(field.select.id, { value: 'red,blue' })).toEqual([1, 0, 2])
    expect(await found(field.many.id, { value: 'blue' })).toEqual([0, 2])
    expect(await found(field.many.id, { value: 'red,blue' })).toEqual([0, 2])
    expect((await found(field.many.id)).toSorted()).toEqual([0, 1, 2])
  })

  test('finds filled or missing values of types without order', async () => {
    expect(await found(field.place.id)).toEqual([3])
    expect(await found(field.place.id, { value: 'true' })).toEqual([3])
    expect(await found(field.place.id, { value: 'false' })).toEqual([0, 1, 2])
  })

  test('divides the result into pages that neither repeat nor skip an item', async () => {
    for (const { id } of [field.number, field.text, field.many, field.twice]) {
      const all: number[] = []
      for (let page = 1; page <= 3; page++) {
        const { data } = ok(await search(alice, { fieldId: id, page, size: 1 }))
        expect(data.total).toBe(3)
        all.push(...data.items.map((item) => item.entityId))
      }
      expect(new Set(all).size).toBe(3)
    }
  })

  test('refuses a missing, unknown or invisible field, and bounds for types without order', async () => {
    expect(pathsOf(await search(alice, {}))).toEqual(['query.fieldId'])
    expect(pathsOf(await search(alice, { fieldId: 999_999 }))).toEqual(['query.fieldId'])
    expect(pathsOf(await search(bob, { fieldId: field.number.id }))).toEqual(['query.fieldId'])
    expect(pathsOf(await search(alice, { fieldId: field.text.id, min: 1 }))).toEqual(['query.min'])
    expect(pathsOf(await search(alice, { fieldId: field.many.id, max: 1 }))).toEqual(['query.max'])
    expect(pathsOf(await search(alice, { fieldId: field.number.id, value: 'x' }))).toEqual(['query.value'])
    expect(pathsOf(await search(alice, { fieldId: field.date.id, min: '2026-02-30' }))).toEqual(['query.min'])
    expect(pathsOf(await search(alice, { fieldId: field.number.id, sort: 'name' }))).toEqual(['query.sort'])
    expect((await search(alice, { fieldId: field.number.id }, 'nothing')).status).toBe(404)
  })

  test('leaves out items in the trash', async () => {
    const { id } = await createCode(alice)
    const other = await createField(alice, 'NUMBER')
    await set(alice, id, other.id, 5)
    expect(ok(await search(alice, { fieldId: other.id })).data.total).toBe(1)
    ok(await alice.delete(`/api/qr-codes/${id}`))
    expect(ok(await search(alice, { fieldId: other.id })).data).toMatchObject({ items: [], total: 0 })
  })

  test('finds the items of an organization only for members who may see them', async () => {
    const org = await createOrg(owner)
    await addMembers(owner, org, member)
    const shared = await createField(owner, 'NUMBER', {}, { orgId: org.id })
    const half = await createField(owner, 'COMPUTED', { formula: `{${shared.key}} / 2` }, { orgId: org.id })
    const code = await createOrgCode(owner, org)
    await set(owner, code.id, shared.id, 4)
    for (const fieldId of [shared.id, half.id]) {
      const { items } = ok(await search(member, { fieldId, orgId: org.id })).data
      expect(items).toEqual([{ entityId: code.id, title: code.name, value: fieldId === half.id ? 2 : 4 }])
    }
    expect((await search(owner, { fieldId: shared.id })).status).toBe(400)
    expect((await search(bob, { fieldId: shared.id, orgId: org.id })).status).toBe(403)
    await setRole(owner, org, member, 'GUEST')
    expect((await search(member, { fieldId: shared.id, orgId: org.id })).status).toBe(403)
  })
})
