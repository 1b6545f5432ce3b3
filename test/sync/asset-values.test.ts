/** Values of metadata in the assets that devices get and send. */

import { beforeAll, describe, expect, test } from 'bun:test'

import { createAsset, deleteAsset, getAsset, photo, updateAsset } from '../assets/helpers.ts'
import { ok, passed, type Person, useServer } from '../harness/index.ts'
import { createField } from '../metadata/helpers.ts'
import { addMembers, createOrg, type Org, setRole } from '../orgs/helpers.ts'
import { catchUp, caughtUp, pushOne, record } from './asset-pushes.ts'
import { Replica } from './replica.ts'

const { admin, owner, member, alice } = useServer({ people: ['owner', 'member', 'alice'] })
let org: Org

beforeAll(async () => {
  org = await createOrg(owner)
  await addMembers(owner, org, member)
})

const entity = 'asset' as const
const entities = [entity]
const change = (id: number, baseVersion: number, data: object) => record({ entity, serverId: id, baseVersion, data })
const get = async (user: Person, id: number) => ok(await getAsset(user, id)).data
const setValues = (user: Person, entityId: number, values: object[]) =>
  user.call('metadata.updateValues', { params: { objectName: 'asset', entityId }, body: { values: values as never } })

interface Value {
  readonly fieldId: number
  readonly value: unknown
}
/** The values of an asset on a device, by field. */
const valuesOn = (device: Replica, id: number): Record<number, unknown> => {
  const { values } = device.rows.get(entity)!.get(id) as unknown as { readonly values: readonly Value[] }
  return Object.fromEntries(values.map(({ fieldId, value }) => [fieldId, value]))
}

describe('values in pulls', () => {
  test('values in fields of a user are shown to that user only, and the version rises for everyone', async () => {
    const [own, shared] = [await createField(member), await createField(owner, {}, { orgId: org.id })]
    const { id } = await createAsset(owner, { orgId: org.id, values: [{ fieldId: shared.id, value: 's' }] })
    await setRole(owner, org, member, 'ADMIN')
    const devices = [owner, member].map((user) => new Replica(user, { entities }))
    for (const device of devices) await catchUp(device)
    ok(await setValues(member, id, [{ fieldId: own.id, value: 'mine' }]))
    for (const device of devices) expect((await catchUp(device)).asset.updated).toMatchObject([{ id, version: 2 }])
    expect(devices.map((device) => valuesOn(device, id))).toEqual([
      { [shared.id]: 's' },
      { [shared.id]: 's', [own.id]: 'mine' },
    ])
    await setRole(owner, org, member, 'MEMBER')
  })

  test('members who may not read values get none, and get them with the permission', async () => {
    const role = {
      code: 'COUNTER',
      name: 'Counter',
      domain: 'ORG' as const,
      scopeId: org.id,
      permissions: ['asset:read'],
    }
    ok(await admin.call('access.createRole', { body: role }))
    const field = await createField(owner, {}, { orgId: org.id })
    const { id } = await createAsset(owner, { orgId: org.id, values: [{ fieldId: field.id, value: 'x' }] })
    const device = new Replica(member, { entities })
    const seen = async () => {
      await catchUp(device)
      expect(device.state()).toEqual((await caughtUp(new Replica(member, { entities }))).state())
      return valuesOn(device, id)
    }
    expect(await seen()).toEqual({ [field.id]: 'x' })
    await setRole(owner, org, member, 'COUNTER')
    expect(await seen()).toEqual({})
    await setRole(owner, org, member, 'MEMBER')
    expect(await seen()).toEqual({ [field.id]: 'x' })
  })

  test('COMPUTED values are those of the moment of the pull, and change no asset', async () => {
    const weight = await createField(alice, { type: 'NUMBER', key: 'weight' })
    const double = await createField(alice, { type: 'COMPUTED', config: { formula: '{weight} * 2' } })
    const { id } = await createAsset(alice, { values: [{ fieldId: weight.id, value: 3 }] })
    const device = await caughtUp(new Replica(alice, { entities }))
    expect(valuesOn(device, id)).toEqual({ [weight.id]: 3, [double.id]: 6 })
    const body = { config: { formula: '{weight} * 3' } }
    ok(await alice.call('metadata.updateField', { params: { objectName: 'asset', id: double.id }, body }))
    expect((await catchUp(device)).asset.updated).toEqual([])
    expect(valuesOn(await caughtUp(new Replica(alice, { entities })), id)).toEqual({ [weight.id]: 3, [double.id]: 9 })
    ok(await alice.call('metadata.deleteField', { params: { objectName: 'asset', id: double.id } }))
  })
})

describe('values in pushes', () => {
  test('fields that are not named stay, null clears one, and the same values change nothing', async () => {
    const [a, b] = [await createField(alice), await createField(alice)]
    const values = [a, b].map(({ id }) => ({ fieldId: id, value: 'x' }))
    const { serverId, version } = await pushOne(alice, record({ entity, data: { name: 'n', values } }))
    const id = serverId!
    expect(version).toBe(1)
    expect(await pushOne(alice, change(id, 1, { values }))).toMatchObject({ status: 'APPLIED', version: 1 })
    const cleared = [{ fieldId: a.id, value: null }]
    expect(await pushOne(alice, change(id, 1, { values: cleared }))).toMatchObject({ status: 'APPLIED', version: 2 })
    expect((await get(alice, id)).values).toMatchObject([{ fieldId: b.id, value: 'x' }])
  })

  test('a view with files, references and computed values can be sent back', async () => {
    const file = await createField(alice, { type: 'PHOTO' })
    const ref = await createField(alice, { type: 'REF', config: { target: 'ASSET' } })
    const many = await createField(alice, { type: 'MULTI_SELECT', config: { options: ['a', 'b'] } })
    const place = await createField(alice, { type: 'GEO' })
    const number = await createField(alice, { type: 'NUMBER', key: 'number' })
    const computed = await createField(alice, { type: 'COMPUTED', config: { formula: '{number} + 1' } })
    const target = await createAsset(alice)
    const values = [
      { fieldId: file.id, value: [await photo(alice)] },
      { fieldId: ref.id, value: target.id },
      { fieldId: many.id, value: ['b', 'a'] },
      { fieldId: place.id, value: { latitude: 1, longitude: 2 } },
      { fieldId: number.id, value: 1 },
    ]
    const { id } = await createAsset(alice, { values, brand: 'brand' })
    const device = await caughtUp(new Replica(alice, { entities }))
    expect(valuesOn(device, id)[computed.id]).toBe(2)
    const view = device.rows.get(entity)!.get(id)!
    expect(await pushOne(alice, change(id, 1, view))).toMatchObject({ status: 'APPLIED', version: 1 })
    const renamed = { ...view, name: 'renamed' }
    expect(await pushOne(alice, change(id, 1, renamed))).toMatchObject({ status: 'APPLIED', version: 2 })
    await catchUp(device)
    expect(valuesOn(device, id)).toMatchObject({ [ref.id]: { id: target.id }, [many.id]: ['a', 'b'], [number.id]: 1 })
  })
})

describe('a resolved conflict', () => {
  const resolve = async (conflictId: number) =>
    ok(await alice.call('sync.resolve', { body: { conflictId, acceptServer: true } })).data

  test('takes the state of the server, without the values that the push had added', async () => {
    const [text, added] = [await createField(alice), await createField(alice)]
    const asset = await createAsset(alice, { brand: 'old', photos: [await photo(alice)] })
    const values = [{ fieldId: text.id, value: 'of the server' }]
    const { updatedAt } = ok(await updateAsset(alice, asset.id, { brand: 'of the server', values })).data
    const data = {
      brand: 'of the device',
      photos: [],
      status: 'SCRAPPED',
      values: [
        { fieldId: text.id, value: 'of the device' },
        { fieldId: added.id, value: 'added' },
      ],
    }
    const pushed = await pushOne(alice, { ...change(asset.id, 1, data), updatedAt: await passed(updatedAt) })
    expect(pushed).toMatchObject({ status: 'APPLIED', version: 3 })
    expect(await resolve(pushed.conflictId!)).toMatchObject({ serverId: asset.id, version: 4 })
    const restored = await get(alice, asset.id)
    expect(restored).toMatchObject({
      brand: 'of the server',
      status: 'IN_USE',
      scrappedAt: null,
      scrapReason: '',
      photos: [],
      version: 4,
    })
    expect(restored.values!.filter(({ key }) => key !== 'brand')).toMatchObject([
      { fieldId: text.id, value: 'of the server' },
    ])
  })

  test('brings back an asset that the push had deleted, without what was deleted with it', async () => {
    const field = await createField(alice)
    const asset = await createAsset(alice, {
      photos: [await photo(alice)],
      values: [{ fieldId: field.id, value: 'kept' }],
    })
    const { updatedAt } = ok(await updateAsset(alice, asset.id, { name: 'of the server' })).data
    const deletion = record({
      entity,
      serverId: asset.id,
      baseVersion: 1,
      deleted: true,
      updatedAt: await passed(updatedAt),
    })
    const pushed = await pushOne(alice, deletion)
    expect(pushed).toMatchObject({ status: 'APPLIED', version: 3 })
    expect((await getAsset(alice, asset.id)).status).toBe(404)
    expect(await resolve(pushed.conflictId!)).toMatchObject({ version: 4 })
    expect(await get(alice, asset.id)).toMatchObject({
      name: 'of the server',
      assetNo: asset.assetNo,
      photos: [],
      values: [{ fieldId: field.id, value: 'kept' }],
    })
    ok(await deleteAsset(alice, asset.id))
  })
})
