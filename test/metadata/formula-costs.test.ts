/** The cost of COMPUTED values, which are computed for every answer that contains them. */

import { expect, test } from 'bun:test'

import { MAX_FORMULAS } from '#domains/metadata/fields/fields.model.ts'
import { computeValues, fieldSet, visibleFields } from '#domains/metadata/index.ts'

import { addMany } from '../assets/helpers.ts'
import { inProcess, ok, useServer } from '../harness/index.ts'
import { createField, refusal } from './helpers.ts'

const { server, alice, bob, carol } = useServer({ people: ['alice', 'bob', 'carol'] })

/** A formula of about 1000 characters. */
const LONG = `1${'+1'.repeat(480)}`
const PER_FORMULA = JSON.stringify({ formula: LONG }).length

test('the formulas of a user are limited together, also when a field is changed', async () => {
  const create = (formula: string) =>
    bob.call('metadata.createField', {
      params: { objectName: 'asset' },
      body: { name: 'sum', type: 'COMPUTED', config: { formula } },
    })
  for (let i = 0; i < Math.floor(MAX_FORMULAS / PER_FORMULA); i++) ok(await create(LONG))
  expect(refusal(await create(LONG))).toBe('400 body.config.formula')
  const small = ok(await create('1 + 1')).data
  const text = await createField(bob, { type: 'TEXT' })
  const put = (id: number, body: object) => bob.put(`/api/meta/objects/asset/fields/${id}`, body)
  expect(refusal(await put(small.id, { config: { formula: LONG } }))).toBe('400 body.config.formula')
  expect(refusal(await put(text.id, { type: 'COMPUTED', config: { formula: LONG } }))).toBe('400 body.config.formula')
  ok(await put(small.id, { config: { formula: '1 + 2' } }))
})

test('a formula can be the last of a chain of 199 others', async () => {
  await createField(carol, { key: 'k0', type: 'NUMBER' })
  for (let i = 1; i < 200; i++)
    await createField(carol, { key: `k${i}`, type: 'COMPUTED', config: { formula: `{k${i - 1}}+1` } })
  const body = { name: 'chain', values: [{ key: 'k0', value: 1 }] }
  const { id } = ok(await carol.post('/api/assets', body)).data
  const { items } = ok(await carol.get('/api/assets', { include: 'values' })).data
  expect(items[0].id).toBe(id)
  expect(items[0].values.find(({ key }: { key: string }) => key === 'k199').value).toBe(200)
})

test.if(inProcess)('other requests run while the formulas of many assets are computed', async () => {
  for (let i = 0; i < 20; i++)
    await createField(alice, { type: 'COMPUTED', config: { formula: `{purchasePrice}${'+1'.repeat(400)}` } })
  const viewer = { userId: alice.id, orgId: 0 }
  const ids = await addMany(
    server,
    viewer,
    Array.from({ length: 100 }, () => ({ purchasePrice: 200 })),
  )
  const db = server.ctx.db.read
  const fields = await fieldSet(db, await visibleFields(db, 'asset', viewer))
  const entities = ids.map((id) => ({
    id,
    owner: -alice.id,
    title: '',
    templateIds: [],
    columns: { purchasePrice: 2 },
  }))
  let turns = 0
  let ended = false
  const count = () => {
    turns += 1
    if (!ended) setImmediate(count)
  }
  setImmediate(count)
  const values = await computeValues(db, 'asset', fields, entities)
  ended = true
  const last = fields.fields.at(-1)!
  expect(values.map((of) => of.get(last))).toEqual(ids.map(() => 402))
  // 1.6 million characters of formulas.
  expect(turns).toBeGreaterThan(50)
})
