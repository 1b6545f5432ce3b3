/** Values of assets, some of which are fixed columns. */

import { beforeAll, describe, expect, test } from 'bun:test'

import type { AssetView } from '#domains/assets/register/register.model.ts'

import { png, uploaded } from '../files/helpers.ts'
import { ok, type Person, race, useServer } from '../harness/index.ts'
import { addMembers, createOrg } from '../orgs/helpers.ts'
import { createField, itemOf, list, OPTIONS, pathsOf, pathTo, put, search } from './values-helpers.ts'

const { admin, alice, owner, member, mallory } = useServer({ people: ['alice', 'owner', 'member', 'mallory'] })

const object = 'asset'
const asset = async (person: Person, fields: object = {}): Promise<AssetView> =>
  ok(await person.post('/api/assets', { name: 'Projector', ...fields })).data
const current = async (person: Person, { id }: AssetView): Promise<AssetView> =>
  ok(await person.get(`/api/assets/${id}`)).data

/** Ids of the GLOBAL fields for the fixed columns. */
const column: Record<string, number> = {}

beforeAll(async () => {
  const { items } = ok(await alice.get('/api/meta/objects/asset/fields', { size: 100 })).data
  for (const { id, entityColumn } of items) if (entityColumn !== null) column[entityColumn] = id
})

describe('values of assets', () => {
  test('in fixed columns are read from the asset and change it, once for each request that changes anything', async () => {
    const before = await asset(alice, { brand: 'Epson', purchasePrice: '1999.90' })
    const shown = await list(alice, before.id, {}, object)
    expect(itemOf(shown, column['brand']!)).toMatchObject({ value: 'Epson', entityColumn: 'brand', scope: 'GLOBAL' })
    expect(itemOf(shown, column['purchasePrice']!).value).toBe(1999.9)
    expect(itemOf(shown, column['purchaseDate']!).value).toBeNull()
    // The default template has the fixed columns.
    expect(itemOf(shown, column['brand']!).templateId).not.toBeNull()
    const values = [
      { fieldId: column['brand']!, value: 'Sony' },
      { fieldId: column['purchaseDate']!, value: '2026-01-31' },
      { fieldId: column['purchasePrice']!, value: null },
    ]
    ok(await put(alice, before.id, values, { object }))
    const after = await current(alice, before)
    expect(after).toMatchObject({ brand: 'Sony', purchaseDate: '2026-01-31', purchasePrice: null, version: 2 })
    ok(await put(alice, before.id, values, { object }))
    expect(await current(alice, before)).toEqual(after)
  })

  test('raise the version of the asset too if they are in other fields', async () => {
    const before = await asset(alice)
    const field = await createField(alice, 'TEXT', {}, { object })
    for (const [value, version] of [
      ['a', 2],
      ['a', 2],
      ['b', 3],
      [null, 4],
      [null, 4],
    ] as const) {
      ok(await put(alice, before.id, [{ fieldId: field.id, value }], { object }))
      expect((await current(alice, before)).version).toBe(version)
    }
  })

  test('are reported at the value if a column refuses them, and nothing is written', async () => {
    const before = await asset(alice)
    const field = await createField(alice, 'TEXT', {}, { object })
    const reply = await put(
      alice,
      before.id,
      [
        { fieldId: field.id, value: 'x' },
        { fieldId: column['brand']!, value: 'x'.repeat(101) },
        { fieldId: column['purchaseDate']!, value: '2026-02-30' },
        { fieldId: column['purchasePrice']!, value: 1.234 },
      ],
      { object },
    )
    expect(reply.status).toBe(400)
    expect(pathsOf(reply).toSorted()).toEqual([1, 2, 3].map((i) => `body.values.${i}.value`))
    expect(await current(alice, before)).toEqual(before)
    expect(itemOf(await list(alice, before.id, {}, object), field.id).value).toBeNull()
  })

  test('in fixed columns are operands of formulas, and are found by searches', async () => {
    const item = await asset(alice, { brand: 'Zeiss', purchasePrice: '300.00', warrantyExpiry: '2026-12-31' })
    const key = itemOf(await list(alice, item.id, {}, object), column['purchasePrice']!).key
    const net = await createField(alice, 'COMPUTED', { formula: `{${key}} / 1.2`, precision: 2 }, { object })
    expect(itemOf(await list(alice, item.id, {}, object), net.id).value).toBe(250)
    const queries: Record<string, string | number>[] = [
      { fieldId: net.id, min: 249, max: 251 },
      { fieldId: column['purchasePrice']!, value: '300' },
      { fieldId: column['brand']!, value: 'zei' },
      { fieldId: column['warrantyExpiry']!, min: '2026-12-31', max: '2026-12-31' },
    ]
    for (const query of queries)
      expect(ok(await search(alice, query, object)).data.items.map(({ entityId }) => entityId)).toEqual([item.id])
  })

  test('can refer to assets of the same owner only, and a deleted target has no title', async () => {
    const [item, cable] = [await asset(alice), await asset(alice, { name: 'Cable' })]
    const others = await asset(mallory)
    const field = await createField(alice, 'REF', { target: 'ASSET' }, { object })
    const write = (value: unknown) => put(alice, item.id, [{ fieldId: field.id, value }], { object })
    expect(itemOf(ok(await write(cable.id)).data, field.id).value).toEqual({ id: cable.id, title: 'Cable' })
    expect((await write(others.id)).status).toBe(400)
    ok(await alice.delete(`/api/assets/${cable.id}`))
    expect(itemOf(await list(alice, item.id, {}, object), field.id).value).toEqual({ id: cable.id, title: null })
    expect((await alice.get(pathTo(cable.id, object))).status).toBe(404)
  })
})

describe('GET /api/admin/assets/:id/fields', () => {
  test('answers the values that the owner of the asset sees, to administrators only', async () => {
    const item = await asset(alice, { brand: 'Epson' })
    const own = await createField(alice, 'TEXT', {}, { object })
    const self = await createField(alice, 'REF', { target: 'USER' }, { object })
    const values = [
      { fieldId: own.id, value: 'hall' },
      { fieldId: self.id, value: alice.id },
    ]
    const seen = ok(await put(alice, item.id, values, { object })).data
    const answer = ok(await admin.call('metadata.assetFields', { params: { id: item.id } })).data
    expect(answer).toEqual({ ...seen, items: seen.items.map((value) => ({ ...value, writable: false })) })
    expect((await alice.get(`/api/admin/assets/${item.id}/fields`)).status).toBe(403)
    expect((await admin.get('/api/admin/assets/999999999/fields')).status).toBe(404)
  })

  test('leaves out the fields of members of the organization', async () => {
    const org = await createOrg(owner)
    await addMembers(owner, org, member)
    const item = await asset(owner, { orgId: org.id })
    const shared = await createField(owner, 'TEXT', {}, { object, orgId: org.id })
    const own = await createField(owner, 'TEXT', {}, { object })
    for (const { id } of [shared, own]) ok(await put(owner, item.id, [{ fieldId: id, value: 'x' }], { object }))
    const { items } = ok(await admin.call('metadata.assetFields', { params: { id: item.id } })).data
    const ids = items.map(({ fieldId }) => fieldId)
    expect(ids).toContain(shared.id)
    expect(ids).not.toContain(own.id)
  })
})

describe('concurrent writes', () => {
  test('50 writes of one value at once all succeed, one of them stays, and the version rises once for each change', async () => {
    const item = await asset(alice)
    const field = await createField(alice, 'MULTI_SELECT', OPTIONS, { object })
    const values = [['red'], ['green', 'blue'], ['red', 'green', 'blue'], ['blue']]
    const replies = await race(50, (i) =>
      put(alice, item.id, [{ fieldId: field.id, value: values[i % values.length] }], { object }),
    )
    for (const reply of replies) ok(reply)
    expect(values).toContainEqual(itemOf(await list(alice, item.id, {}, object), field.id).value as string[])
    const { version } = await current(alice, item)
    expect(version).toBeGreaterThan(1)
    expect(version).toBeLessThanOrEqual(51)
  })

  test('of 50 values that want one file at once, one gets it', async () => {
    const field = await createField(alice, 'ATTACHMENT', {}, { object })
    const items = await Promise.all(Array.from({ length: 50 }, () => asset(alice)))
    const file = await uploaded(alice, png(), { type: 'asset', name: 'a.png' })
    const replies = await race(50, (i) =>
      put(alice, items[i]!.id, [{ fieldId: field.id, value: [file.id] }], { object }),
    )
    expect(replies.map((reply) => reply.status).toSorted()).toEqual([200, ...Array.from({ length: 49 }, () => 400)])
    expect(ok(await search(alice, { fieldId: field.id }, object)).data.total).toBe(1)
  })
})
