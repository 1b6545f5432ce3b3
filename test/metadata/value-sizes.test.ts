/** Bounds of the texts that one thing can have: lists answer all of them for a hundred things. */

import { expect, test } from 'bun:test'

import { MAX_TEXTS } from '#domains/metadata/values/values.model.ts'

import { createAsset } from '../assets/helpers.ts'
import { ok, useServer } from '../harness/index.ts'
import { createField, refusal } from './helpers.ts'
import { put } from './values-helpers.ts'

const { alice, bob, carol } = useServer({ people: ['alice', 'bob', 'carol'] })
const LONG = '汉'.repeat(10_000)

test('the texts of one thing are limited together, and can always become shorter', async () => {
  const count = MAX_TEXTS / LONG.length
  const ids: number[] = []
  for (let i = 0; i <= count; i++) ids.push((await createField(alice, { type: 'TEXTAREA' })).id)
  const values = ids.map((fieldId) => ({ fieldId, value: LONG }))
  const object = { object: 'asset' }
  const { id } = await createAsset(alice, { values: values.slice(0, count - 1) })
  expect(refusal(await put(alice, id, values.slice(count - 1), object))).toBe('400 body.values.0.value')
  ok(await put(alice, id, values.slice(count - 1, count), object))
  const [first, last] = [ids[0]!, ids.at(-1)!]
  expect(refusal(await put(alice, id, [{ fieldId: last, value: 'x' }], object))).toBe('400 body.values.0.value')
  ok(
    await put(
      alice,
      id,
      [
        { fieldId: first, value: 'short' },
        { fieldId: last, value: 'x' },
      ],
      object,
    ),
  )
  expect((await alice.call('assets.create', { body: { name: 'x', values } })).status).toBe(400)
})

test('options count as texts', async () => {
  const options = Array.from({ length: 200 }, (_, i) => ({ value: `${i}`.padEnd(100, 'x'), label: 'x' }))
  const values: { fieldId: number; value: string[] }[] = []
  for (let i = 0; i < 11; i++) {
    const { id } = await createField(bob, { type: 'MULTI_SELECT', config: { options } })
    values.push({ fieldId: id, value: options.map(({ value }) => value) })
  }
  const { id } = await createAsset(bob, { values: values.slice(0, 10) })
  expect((await put(bob, id, values.slice(10), { object: 'asset' })).status).toBe(400)
})

test('a computed text of more than 1000 characters is empty', async () => {
  await createField(carol, { key: 'long', type: 'TEXTAREA' })
  const repeated = await createField(carol, { type: 'COMPUTED', config: { formula: '{long}', resultType: 'TEXT' } })
  const valueOf = async (value: string) => {
    const { values } = await createAsset(carol, { values: [{ key: 'long', value }] })
    return values!.find(({ fieldId }) => fieldId === repeated.id)?.value
  }
  expect(await valueOf('x'.repeat(1000))).toBe('x'.repeat(1000))
  expect(await valueOf('x'.repeat(1001))).toBeUndefined()
})
