/** Values of metadata in the answers, the writes and the filters of assets. */

import { beforeAll, describe, expect, test } from 'bun:test'

import { and, eq } from 'drizzle-orm'

import {
  type EntityColumn,
  type FieldType,
  metaFields,
  metaFormulaUses,
  metaObjects,
  metaValues,
} from '#db/schema/meta.ts'

import { inProcess, ok, type Person, useServer } from '../harness/index.ts'
import { addMembers, createOrg, type Org, setRole } from '../orgs/helpers.ts'
import { createAsset, getAsset, transfer, updateAsset } from './helpers.ts'

describe.if(inProcess)('values of assets', () => {
  const { server, alice, bob, owner, member } = useServer({
    people: ['alice', 'bob', 'owner', 'member'],
    noAdmin: true,
  })
  let org: Org
  let color: number
  let weight: number
  let total: number
  let own: number
  let ofOrg: number
  let price: number

  /** A field, for everyone (0), an organization, or a user (negated). */
  const field = (
    name: string,
    type: FieldType,
    scope = 0,
    more: { config?: object; entityColumn?: EntityColumn } = {},
  ): Promise<number> =>
    server.ctx.db.write('test.field', async (tx) => {
      await tx.insert(metaObjects).values({ name: 'asset', label: 'Asset', createdAt: tx.stamp }).onConflictDoNothing()
      const column = more.entityColumn
      if (column) {
        const present = await tx.select().from(metaFields).where(eq(metaFields.entityColumn, column))
        if (present[0]) return present[0].id
      }
      const [row] = await tx
        .insert(metaFields)
        .values({
          objectName: 'asset',
          owner: scope,
          key: name,
          name,
          type,
          entityColumn: column ?? null,
          config: (more.config ?? {}) as never,
          createdAt: tx.stamp,
          updatedAt: tx.stamp,
        })
        .returning({ id: metaFields.id })
      return row!.id
    })

  beforeAll(async () => {
    org = await createOrg(owner)
    await addMembers(owner, org, member)
    await setRole(owner, org, member, 'ADMIN')
    color = await field('testColor', 'TEXT')
    weight = await field('testWeight', 'NUMBER')
    total = await field('testTotal', 'COMPUTED', 0, { config: { formula: '{testWeight} * 2' } })
    await server.ctx.db.write('test.uses', async (tx) => {
      await tx.insert(metaFormulaUses).values({ fieldId: total, usesId: weight })
    })
    own = await field('testOwn', 'TEXT', -alice.id)
    ofOrg = await field('testOfOrg', 'TEXT', org.id)
    price = await field('testPrice', 'NUMBER', 0, { entityColumn: 'purchasePrice', config: { precision: 2 } })
  })

  const list = async (user: Person, query: Record<string, string | number>) =>
    ok(await user.get('/api/assets', { size: 100, ...query })).data
  const idsOf = async (user: Person, query: Record<string, string | number>) =>
    (await list(user, query)).items.map((row: { id: number }) => row.id)
  const shown = (asset: { values?: readonly { fieldId: number; value: unknown }[] | undefined }) =>
    Object.fromEntries((asset.values ?? []).map(({ fieldId, value }) => [fieldId, value]))

  test('POST and PUT write values in the same transaction, and all answers about one asset show them', async () => {
    const asset = await createAsset(alice, {
      values: [
        { fieldId: color, value: 'red' },
        { fieldId: weight, value: 2.5 },
        { fieldId: price, value: 19.99 },
      ],
    })
    expect(shown(asset)).toEqual({ [color]: 'red', [weight]: 2.5, [total]: 5, [price]: 19.99 })
    expect(asset.purchasePrice).toBe('19.99')
    const changed = ok(
      await updateAsset(alice, asset.id, { name: 'new', values: [{ fieldId: color, value: null }] }),
    ).data
    expect(shown(changed)).toEqual({ [weight]: 2.5, [total]: 5, [price]: 19.99 })
    expect(changed.version).toBe(2)
    expect(ok(await getAsset(alice, asset.id)).data).toEqual(changed)
  })

  test('PUT with a new value alone raises the version, with the present value it does not', async () => {
    const asset = await createAsset(alice, { values: [{ fieldId: color, value: 'red' }] })
    expect(ok(await updateAsset(alice, asset.id, { values: [{ fieldId: color, value: 'red' }] })).data).toEqual(asset)
    expect(ok(await updateAsset(alice, asset.id, { values: [{ fieldId: color, value: 'blue' }] })).data.version).toBe(2)
  })

  test('a bad value is 400 at its place, and nothing is written', async () => {
    const asset = await createAsset(alice, { purchasePrice: '1.00' })
    for (const [fieldId, value] of [
      [weight, 'heavy'],
      [total, 3],
      [999_999, 'x'],
      [ofOrg, 'x'],
      [price, 1e14],
      [price, -1],
    ]) {
      const values = [
        { fieldId: color, value: 'red' },
        { fieldId, value },
      ]
      for (const reply of [
        await updateAsset(alice, asset.id, { name: 'changed', values }),
        await alice.post('/api/assets', { name: 'a', assetNo: 'refused', values }),
      ])
        expect([reply.status, reply.details[0]?.path], `${fieldId}`).toEqual([400, 'body.values.1.value'])
    }
    expect(ok(await getAsset(alice, asset.id)).data).toEqual(asset)
    expect((await list(alice, { keyword: 'refused' })).total).toBe(0)
  })

  test('the list shows values with include=values only, in a bounded number of queries', async () => {
    const user = await server.person()
    for (let i = 0; i < 5; i++) await createAsset(user, { values: [{ fieldId: weight, value: i }] })
    const plain = await list(user, {})
    expect(plain.items.every((row: object) => !('values' in row))).toBe(true)
    const full = await list(user, { include: 'values', sort: 'createdAt' })
    expect(full.items.map((row: never) => shown(row)[weight])).toEqual([0, 1, 2, 3, 4])
    expect((await user.get('/api/assets', { include: 'everything' })).status).toBe(400)
  })

  test('a field of one user is seen by nobody else, also on assets of an organization', async () => {
    const theirs = await createOrg(alice)
    await addMembers(alice, theirs, bob)
    const asset = await createAsset(alice, { orgId: theirs.id, values: [{ fieldId: own, value: 'private note' }] })
    expect(shown(asset)).toEqual({ [own]: 'private note' })
    const reply = await getAsset(bob, asset.id)
    expect(ok(reply).data.values).toEqual([])
    expect(reply.text).not.toContain('private note')
    expect((await bob.get('/api/assets', { orgId: theirs.id, [`field.${own}`]: 'private' })).status).toBe(400)
  })

  describe('filters', () => {
    let user: Person
    let light: number
    let heavy: number
    let bare: number

    beforeAll(async () => {
      user = await server.person()
      const make = async (name: string, values: object[], more: object = {}) =>
        (await createAsset(user, { name, values, ...more })).id
      light = await make('light', [
        { fieldId: weight, value: 1 },
        { fieldId: color, value: 'Dark Red' },
      ])
      heavy = await make(
        'heavy',
        [
          { fieldId: weight, value: 9.5 },
          { fieldId: color, value: 'blue' },
        ],
        {
          purchasePrice: '100.10',
          status: 'LOST',
        },
      )
      bare = await make('bare', [])
    })

    const filtered = (query: Record<string, string | number>) => idsOf(user, { sort: 'createdAt', ...query })

    test('field.<id> selects by part of a text, by number and by range', async () => {
      expect(await filtered({ [`field.${color}`]: 'RED' })).toEqual([light])
      expect(await filtered({ [`field.${weight}`]: '9.5' })).toEqual([heavy])
      expect(await filtered({ [`field.${weight}.min`]: '1' })).toEqual([light, heavy])
      expect(await filtered({ [`field.${weight}.max`]: '1' })).toEqual([light])
      expect(await filtered({ [`field.${weight}.min`]: '2', [`field.${weight}.max`]: '9' })).toEqual([])
      expect(await filtered({ [`field.${weight}`]: '' })).toEqual([light, heavy, bare])
    })

    test('a field for a fixed column filters by the column', async () => {
      expect(await filtered({ [`field.${price}.min`]: '100.1', [`field.${price}.max`]: '100.1' })).toEqual([heavy])
    })

    test('a COMPUTED field is evaluated for the filter, in every order and on every page', async () => {
      expect(await filtered({ [`field.${total}.min`]: '2' })).toEqual([light, heavy])
      expect(await filtered({ [`field.${total}`]: '19' })).toEqual([heavy])
      for (const sort of ['name', '-purchasePrice', 'purchasePrice'])
        expect((await filtered({ [`field.${total}.min`]: '2', sort })).toSorted()).toEqual([light, heavy].toSorted())
      const second = await list(user, { [`field.${total}.min`]: '2', sort: 'createdAt', page: 2, size: 1 })
      expect([second.total, second.items.map((row: { id: number }) => row.id)]).toEqual([2, [heavy]])
    })

    test('all filters must hold together', async () => {
      expect(await filtered({ [`field.${weight}.min`]: '1', [`field.${color}`]: 'e', status: 'LOST' })).toEqual([heavy])
      expect(await filtered({ [`field.${weight}.min`]: '1', keyword: 'light' })).toEqual([light])
      expect(await filtered({ [`field.${total}.max`]: '5', [`field.${color}`]: 'blue' })).toEqual([])
    })

    test('unknown fields, bad values, ranges of texts and a sixth filter are 400', async () => {
      const six = await Promise.all(Array.from({ length: 6 }, (_, i) => field(`testSix${i}`, 'NUMBER')))
      for (const query of [
        { 'field.999999': '1' },
        { [`field.${ofOrg}`]: 'x' },
        { [`field.${own}`]: 'x' },
        { 'field.x': '1' },
        { [`field.${weight}`]: 'heavy' },
        { [`field.${weight}.mid`]: '1' },
        { [`field.${color}.min`]: 'a' },
        Object.fromEntries(six.map((id) => [`field.${id}`, '1'])),
      ])
        expect((await user.get('/api/assets', query as never)).status, JSON.stringify(query)).toBe(400)
      expect(await filtered(Object.fromEntries(six.slice(1).map((id) => [`field.${id}`, '1'])))).toEqual([])
    })
  })

  test('giving an asset to an organization keeps its values except those of USER fields', async () => {
    const theirs = await createOrg(alice)
    const asset = await createAsset(alice, {
      publicFields: ['name', `field:${color}`, `field:${own}`],
      values: [
        { fieldId: color, value: 'red' },
        { fieldId: own, value: 'private' },
      ],
    })
    const { data } = ok(await transfer(alice, asset.id, { toOrgId: theirs.id }))
    expect(shown(data.asset)).toEqual({ [color]: 'red' })
    expect(data.asset.publicFields).toEqual(['name', `field:${color}`])
    const rows = await server.ctx.db.read
      .select()
      .from(metaValues)
      .where(and(eq(metaValues.objectName, 'asset'), eq(metaValues.entityId, asset.id)))
    expect(rows.map((row) => [row.fieldId, row.owner])).toEqual([[color, theirs.id]])
  })

  test('public fields name fields that everyone or the owner has', async () => {
    expect((await createAsset(alice, { publicFields: [`field:${own}`, `field:${color}`] })).publicFields).toHaveLength(
      2,
    )
    for (const id of [ofOrg, 999_999, own]) {
      const [user, publicFields] = [id === own ? bob : alice, ['name', `field:${id}`]]
      const reply = await user.post('/api/assets', { name: 'a', publicFields })
      expect([reply.status, reply.details[0]?.path]).toEqual([400, 'body.publicFields.1'])
    }
    const reply = await alice.post('/api/assets', { name: 'a', publicFields: ['field:x'] })
    expect(reply.status).toBe(400)
  })
})
