/** Changes of a field that show in assets with a value in it, for clients that synchronize. */

import { describe, expect, test } from 'bun:test'

import { eq, inArray } from 'drizzle-orm'

import { assets } from '#db/schema/assets.ts'
import { metaFieldChanges, metaValues } from '#db/schema/meta.ts'
import { raiseRemainingVersions } from '#domains/metadata/fields/changes.service.ts'

import { addMany, createAsset } from '../assets/helpers.ts'
import { inProcess, ok, useServer } from '../harness/index.ts'
import { createField } from './helpers.ts'

const { server, alice } = useServer({ people: ['alice'] })

const versionOf = async (id: number) => ok(await alice.call('assets.get', { params: { id } })).data.version
const change = (id: number, body: object) => alice.put(`/api/meta/objects/asset/fields/${id}`, body)
const remove = (id: number) => alice.delete(`/api/meta/objects/asset/fields/${id}`)

test('another type of a field raises the version of assets with a value in it only', async () => {
  const field = await createField(alice, { type: 'TEXT' })
  const filled = await createAsset(alice, { values: [{ fieldId: field.id, value: '7' }] })
  const empty = await createAsset(alice)
  ok(await change(field.id, { type: 'NUMBER' }))
  const after = ok(await alice.call('assets.get', { params: { id: filled.id } })).data
  expect(after).toMatchObject({ version: 2, values: [{ type: 'NUMBER', value: 7 }] })
  expect(after.updatedAt).toBeGreaterThan(filled.updatedAt)
  expect(await versionOf(empty.id)).toBe(1)
  ok(await change(field.id, { type: 'NUMBER' }))
  ok(await change(field.id, { name: 'Weight', config: { min: 1 } }))
  expect(await versionOf(filled.id)).toBe(2)
})

test('a type that does not fit raises no version', async () => {
  const field = await createField(alice, { type: 'TEXT' })
  const asset = await createAsset(alice, { values: [{ fieldId: field.id, value: 'seven' }] })
  expect((await change(field.id, { type: 'NUMBER' })).status).toBe(400)
  expect(await versionOf(asset.id)).toBe(1)
})

test('the deletion of a field raises the version of assets that lose a value', async () => {
  const field = await createField(alice)
  const filled = await createAsset(alice, { values: [{ fieldId: field.id, value: 'x' }] })
  const empty = await createAsset(alice)
  ok(await remove(field.id))
  const after = ok(await alice.call('assets.get', { params: { id: filled.id } })).data
  expect(after).toMatchObject({ version: 2, values: [] })
  expect(await versionOf(empty.id)).toBe(1)
})

test('another order of options raises the version of assets with several of them, a new option does not', async () => {
  const options = ['a', 'b']
  const field = await createField(alice, { type: 'MULTI_SELECT', config: { options } })
  const asset = await createAsset(alice, { values: [{ fieldId: field.id, value: ['a', 'b'] }] })
  ok(await change(field.id, { config: { options: ['a', 'c', 'b'] } }))
  expect(await versionOf(asset.id)).toBe(1)
  ok(await change(field.id, { config: { options: ['b', 'a', 'c'] } }))
  const after = ok(await alice.call('assets.get', { params: { id: asset.id } })).data
  expect(after).toMatchObject({ version: 2, values: [{ value: ['b', 'a'] }] })
})

describe.if(inProcess)('a field of many assets', () => {
  const COUNT = 450

  const fill = async (fieldId: number, number: (i: number) => number | null): Promise<number[]> => {
    const ids = await addMany(
      server,
      { userId: alice.id, orgId: 0 },
      Array.from({ length: COUNT }, () => ({})),
    )
    const row = (entityId: number, i: number) => ({
      objectName: 'asset',
      entityId,
      fieldId,
      owner: -alice.id,
      number: number(i),
      text: 'x',
      key: 'x',
    })
    await server.ctx.db.write('test.values', (tx) => tx.insert(metaValues).values(ids.map(row)))
    return ids
  }
  const raised = async (ids: readonly number[]) => {
    const rows = await server.ctx.db.read
      .select()
      .from(assets)
      .where(inArray(assets.id, [...ids]))
    return rows.map(({ version }) => version).filter((version) => version > 1)
  }

  test.each([
    ['texts', () => null],
    ['numbers, many of which are equal', (i: number) => i % 3],
  ])('of %s: the write raises the first versions, and the job all others once', async (_, number) => {
    const field = await createField(alice, { type: number(0) === null ? 'TEXT' : 'NUMBER' })
    const ids = await fill(field.id, number)
    ok(await remove(field.id))
    expect((await raised(ids)).length).toBe(200)
    await raiseRemainingVersions(server.ctx)
    expect(await raised(ids)).toEqual(ids.map(() => 2))
    expect(
      await server.ctx.db.read.select().from(metaFieldChanges).where(eq(metaFieldChanges.fieldId, field.id)),
    ).toEqual([])
  })

  test('a second change begins with the first asset again', async () => {
    const field = await createField(alice)
    const ids = await fill(field.id, () => null)
    ok(await change(field.id, { type: 'TEXTAREA' }))
    ok(await remove(field.id))
    await raiseRemainingVersions(server.ctx)
    const versions = await raised(ids)
    expect(versions.filter((version) => version === 3).length).toBe(200)
    expect(versions.length).toBe(COUNT)
  })
})
