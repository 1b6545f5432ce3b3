/** Assets on devices: pushed changes go through the checks of the endpoints, and every change that a user sees comes with a pull. */

import { beforeAll, describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { syncTombstones } from '#db/schema/sync.ts'
import { getSetting, setSetting } from '#domains/settings/index.ts'

import {
  addMany,
  createAsset,
  createLocation,
  deleteAsset,
  getAsset,
  lend,
  photo,
  scrapAsset,
  transfer,
  transfersOf,
  updateAsset,
} from '../assets/helpers.ts'
import { createCategory } from '../assets/places.ts'
import { inProcess, ok, passed, type Person, useServer } from '../harness/index.ts'
import { addMembers, createOrg, leave, type Org, setRole } from '../orgs/helpers.ts'
import { ASSET_ENTITIES, catchUp, caughtUp, push, pushOne, record } from './asset-pushes.ts'
import { Replica } from './replica.ts'

const { server, admin, alice, bob, mallory } = useServer({ people: ['alice', 'bob', 'mallory'] })
let org: Org

beforeAll(async () => {
  org = await createOrg(alice)
  await addMembers(alice, org, bob)
})

const entity = 'asset' as const
const entities = [entity]
const made = (data: object, localId?: string) => record({ entity, data, ...(localId !== undefined && { localId }) })
const change = (id: number, baseVersion: number, data: object) => record({ entity, serverId: id, baseVersion, data })
const deletion = (id: number, baseVersion: number) => record({ entity, serverId: id, baseVersion, deleted: true })
const get = async (user: Person, id: number) => ok(await getAsset(user, id)).data
const pulled = async (user: Person, id: number) =>
  (await caughtUp(new Replica(user, { entities }))).rows.get(entity)!.get(id) as Record<string, unknown> | undefined
const rejected = async (user: Person, pushed: ReturnType<typeof record>) => {
  const result = await pushOne(user, pushed)
  expect(result.status).toBe('REJECTED')
  return [result.code, ...(result.details ?? []).map(({ path }) => path)]
}

describe('pushing assets', () => {
  test('a new asset gets a number, and a pull shows it as the list with values does', async () => {
    const data = { name: 'Laptop', purchasePrice: '1999.9', purchaseDate: '2026-03-01', photos: [await photo(alice)] }
    const result = await pushOne(alice, made(data, 'a1'))
    expect(result).toMatchObject({ status: 'APPLIED', version: 1, localId: 'a1' })
    const id = result.serverId!
    const asset = await get(alice, id)
    expect(asset).toMatchObject({ name: 'Laptop', purchasePrice: '1999.90', userId: alice.id, orgId: null })
    expect(asset.assetNo).not.toBe('')
    const listed = ok(await alice.get('/api/assets', { ids: id, include: 'values' })).data.items[0]
    const withoutUrls = ({ photos, ...view }: typeof asset) => ({ ...view, photos: photos.map(({ fileId }) => fileId) })
    const { localId, ...row } = (await pulled(alice, id)) as unknown as typeof asset & { localId: string }
    expect(localId).toBe('a1')
    expect(withoutUrls(row)).toEqual(withoutUrls(listed))
  })

  test('an asset that is sent back as it was pulled is not changed', async () => {
    const category = await createCategory(alice, 'c')
    const { id } = await createAsset(alice, {
      categoryId: category.id,
      photos: [await photo(alice)],
      latitude: 1,
      longitude: 2,
    })
    const view = (await pulled(alice, id))!
    expect(await pushOne(alice, change(id, 1, view))).toMatchObject({ status: 'APPLIED', version: 1 })
    expect(await pulled(alice, id)).toMatchObject({ version: 1, updatedAt: view['updatedAt'] })
  })

  test('a changed column wins against its old value in a view that is sent back', async () => {
    const { id } = await createAsset(alice, { brand: 'old' })
    const view = (await pulled(alice, id))!
    ok(await updateAsset(alice, id, { brand: 'other' }))
    const mine = {
      ...change(id, 1, { ...view, brand: 'mine' }),
      updatedAt: await passed((await get(alice, id)).updatedAt),
    }
    expect(await pushOne(alice, mine)).toMatchObject({ status: 'APPLIED', version: 3, conflictId: expect.any(Number) })
    expect(await get(alice, id)).toMatchObject({ brand: 'mine' })
  })

  test('bad fields are named in the data, and nothing is written', async () => {
    const taken = await createAsset(alice, { assetNo: 'TAKEN-1' })
    const { id } = await createAsset(alice)
    for (const pushed of [(data: object) => change(id, 1, data), (data: object) => made({ name: 'n', ...data })]) {
      const of = (data: object) => rejected(alice, pushed(data))
      expect(await of({ assetNo: 'taken-1' })).toEqual([400, 'data.assetNo'])
      expect(await of({ categoryId: 999_999_999 })).toEqual([400, 'data.categoryId'])
      expect(await of({ locationId: 1 })).toEqual([400, 'data.locationId'])
      expect(await of({ custodianId: bob.id })).toEqual([400, 'data.custodianId'])
      expect(await of({ purchaseDate: '2026-02-30' })).toEqual([400, 'data.purchaseDate'])
      expect(await of({ latitude: 1 })).toEqual([400, 'data.longitude'])
      expect(await of({ photos: [999_999_999] })).toEqual([400, 'data.photos.0'])
      expect(await of({ publicFields: ['secret'] })).toEqual([400, 'data.publicFields.0'])
      expect(await of({ values: [{ fieldId: 999_999_999, value: 1 }] })).toEqual([400, 'data.values.0.value'])
      expect(await of({ name: '' })).toEqual([400, 'data.name'])
    }
    expect(await rejected(alice, change(id, 1, { assetNo: '' }))).toEqual([400, 'data.assetNo'])
    expect(await get(alice, id)).toMatchObject({ version: 1 })
    expect(await get(alice, taken.id)).toMatchObject({ version: 1 })
  })

  test('an asset and its new category can be in one push', async () => {
    const [asset, category] = await push(
      alice,
      made({ name: 'Laptop', categoryId: 'new category' }),
      record({ entity: 'assetCategory', localId: 'new category', data: { name: 'Laptops' } }),
    )
    expect(await get(alice, asset!.serverId!)).toMatchObject({ categoryId: category!.serverId })
  })

  test('another custodian or location adds a row to the history, and the custodian is notified', async () => {
    const locationId = await createLocation(alice, org.id, 'Store')
    const { id } = await createAsset(alice, { orgId: org.id })
    const before = ok(await bob.get('/api/notifications', { size: 100 })).data.total
    expect(await pushOne(alice, change(id, 1, { custodianId: bob.id, locationId }))).toMatchObject({ version: 2 })
    expect(await transfersOf(alice, id)).toMatchObject([
      { fromUserId: null, toUserId: bob.id, toLocationId: locationId, operatorId: alice.id },
    ])
    expect(ok(await bob.get('/api/notifications', { size: 100 })).data.total).toBe(before + 1)
  })

  test('an asset on loan is not deleted', async () => {
    const { id } = await createAsset(alice)
    ok(await alice.call('assets.checkOut', { params: { id }, body: { personName: 'Ms Chen' } }))
    expect(await rejected(alice, deletion(id, 2))).toEqual([400])
    ok(await alice.call('assets.checkIn', { params: { id }, body: {} }))
    expect(await pushOne(alice, deletion(id, 3))).toMatchObject({ status: 'APPLIED', version: 4 })
    expect((await getAsset(alice, id)).status).toBe(404)
  })

  test('assets of others are not found, and those of an organization need its permissions', async () => {
    const [hers, ofOrg] = [await createAsset(alice), await createAsset(alice, { orgId: org.id })]
    for (const { id } of [hers, ofOrg])
      for (const pushed of [change(id, 1, { name: 'x' }), deletion(id, 1)])
        expect(await rejected(mallory, pushed)).toEqual([404])
    expect(await rejected(bob, change(ofOrg.id, 1, { name: 'x' }))).toEqual([403])
    expect(await rejected(bob, made({ name: 'x', orgId: org.id }))).toEqual([403])
    expect(await get(alice, ofOrg.id)).toMatchObject({ version: 1 })
  })

  test.if(inProcess)('the quota counts pushed assets, and those that come back', async () => {
    const me = await server.person()
    const setQuota = (value: number) =>
      server.ctx.db.write('test.setting', (tx) => setSetting(tx, 'quota.assets', value))
    const settled = () => server.ctx.db.settledStamp()
    const { id } = await createAsset(me)
    await createAsset(me)
    ok(await deleteAsset(me, id))
    const before = await getSetting(server.ctx, 'quota.assets')
    await setQuota(2)
    try {
      expect(await pushOne(me, made({ name: 'second' }))).toMatchObject({ status: 'APPLIED' })
      expect(await rejected(me, made({ name: 'third' }))).toEqual([4022])
      const back = async () => ({ ...change(id, 1, { name: 'back' }), updatedAt: await passed(await settled()) })
      expect(await rejected(me, await back())).toEqual([4022])
      const [other] = (await caughtUp(new Replica(me, { entities }))).ids(entity)
      expect(await pushOne(me, deletion(other!, 1))).toMatchObject({ status: 'APPLIED' })
      expect(await pushOne(me, await back())).toMatchObject({ status: 'APPLIED', serverId: id })
    } finally {
      await setQuota(before)
    }
  })
})

describe('scrapping by a push', () => {
  test('is a status, with a reason, and final', async () => {
    const { id } = await createAsset(alice)
    const data = { status: 'SCRAPPED', scrapReason: 'broken' }
    const scrapped = await pushOne(alice, change(id, 1, data))
    expect(scrapped).toMatchObject({ status: 'APPLIED', version: 2 })
    expect(await get(alice, id)).toMatchObject({ ...data, scrappedAt: scrapped.updatedAt })
    expect(await rejected(alice, change(id, 2, { status: 'IDLE' }))).toEqual([400, 'data.status'])
    const other = { ...data, scrapReason: 'other', name: 'renamed' }
    expect(await pushOne(alice, change(id, 2, other))).toMatchObject({ status: 'APPLIED', version: 3 })
    expect(await get(alice, id)).toMatchObject({ name: 'renamed', scrapReason: 'broken' })
    const created = await pushOne(alice, made({ name: 'old', ...data }))
    expect(await get(alice, created.serverId!)).toMatchObject({ ...data, scrappedAt: expect.any(Number), version: 1 })
  })

  test('needs the permission to scrap', async () => {
    const role = {
      code: 'EDITOR',
      name: 'Editor',
      domain: 'ORG' as const,
      scopeId: org.id,
      permissions: ['asset:read', 'asset:create', 'asset:update'],
    }
    ok(await admin.call('access.createRole', { body: role }))
    const editor = await server.person()
    await addMembers(alice, org, editor)
    await setRole(alice, org, editor, 'EDITOR')
    const { id } = await createAsset(editor, { orgId: org.id })
    expect(await rejected(editor, change(id, 1, { status: 'SCRAPPED' }))).toEqual([403])
    expect(await rejected(editor, made({ name: 'n', orgId: org.id, status: 'SCRAPPED' }))).toEqual([403])
    ok(await scrapAsset(alice, id))
    const renamed = change(id, 2, { status: 'SCRAPPED', name: 'renamed' })
    expect(await pushOne(editor, renamed)).toMatchObject({ status: 'APPLIED', version: 3 })
    expect((await updateAsset(alice, id, { status: 'IDLE' })).status).toBe(400)
  })
})

describe('a deleted asset that an update brings back', () => {
  test('has its number, values and history, but no photos, and no references to things that are gone', async () => {
    const locationId = await createLocation(alice, org.id, 'Store')
    const category = await createCategory(alice, 'c', { orgId: org.id })
    const file = await photo(alice, org.id)
    const fields = { orgId: org.id, locationId, categoryId: category.id, custodianId: bob.id, photos: [file] }
    const { id, assetNo, uuid } = await createAsset(alice, fields)
    const view = (await pulled(alice, id))!
    const device = await caughtUp(new Replica(alice, { entities: ASSET_ENTITIES }))
    ok(await deleteAsset(alice, id))
    ok(await alice.call('assetCategories.delete', { params: { id: category.id } }))
    await catchUp(device)
    expect(device.ids(entity)).not.toContain(id)
    const stale = { ...change(id, 1, { ...view, name: 'late' }), updatedAt: 1 }
    expect(await pushOne(alice, stale)).toMatchObject({ status: 'CONFLICT', version: 2 })
    const { categoryId: _, ...data } = { ...view, name: 'back' } as Record<string, unknown>
    await catchUp(device)
    const result = await pushOne(alice, { ...change(id, 1, data), updatedAt: await passed(device.since) })
    expect(result).toMatchObject({ status: 'APPLIED', serverId: id, version: 3, conflictId: expect.any(Number) })
    expect(await get(alice, id)).toMatchObject({
      name: 'back',
      assetNo,
      uuid,
      locationId,
      custodianId: bob.id,
      categoryId: null,
      photos: [],
    })
    expect(await transfersOf(alice, id)).toEqual([])
    await catchUp(device)
    expect(device.state()).toEqual((await caughtUp(new Replica(alice, { entities: ASSET_ENTITIES }))).state())
  })

  test('needs another number if its own is taken', async () => {
    const { id, assetNo } = await createAsset(alice, { assetNo: 'AGAIN-1' })
    ok(await deleteAsset(alice, id))
    const { updatedAt } = await createAsset(alice, { assetNo })
    const back = async (data: object) => ({ ...change(id, 1, data), updatedAt: await passed(updatedAt) })
    expect(await rejected(alice, await back({ name: 'back' }))).toEqual([400, 'data.assetNo'])
    expect(await pushOne(alice, await back({ assetNo: 'AGAIN-2' }))).toMatchObject({ status: 'APPLIED', version: 3 })
    expect(await get(alice, id)).toMatchObject({ assetNo: 'AGAIN-2' })
  })
})

describe('assets that change their place', () => {
  test('an asset that is given to an organization moves there on the devices of its members', async () => {
    const giver = await server.person()
    const shared = await createOrg(alice)
    await addMembers(alice, shared, giver, bob)
    await setRole(alice, shared, giver, 'ADMIN')
    const asset = await createAsset(giver)
    const own = await createAsset(giver)
    const devices = [giver, bob].map((user) => new Replica(user, { entities }))
    for (const device of devices) await catchUp(device)
    const ofOrg = new Replica(bob, { entities, orgId: shared.id })
    await catchUp(ofOrg)
    ok(await transfer(giver, asset.id, { toOrgId: shared.id }))
    for (const device of [...devices, ofOrg]) {
      await catchUp(device, 1)
      expect(device.state()).toEqual((await caughtUp(new Replica(device.user, device.query))).state())
      expect(device.ids(entity)).toContain(asset.id)
    }
    ok(await leave(giver, shared))
    await catchUp(devices[0]!)
    expect(devices[0]!.ids(entity)).toEqual([own.id])
  })

  test('who loses the permission to read assets loses them, also those that were deleted meanwhile', async () => {
    const reader = await server.person()
    const shared = await createOrg(alice)
    await addMembers(alice, shared, reader)
    const [a, b] = [await createAsset(alice, { orgId: shared.id }), await createAsset(alice, { orgId: shared.id })]
    const device = new Replica(reader, { entities })
    await catchUp(device)
    expect(device.ids(entity)).toEqual([a.id, b.id])
    ok(await deleteAsset(alice, a.id))
    await setRole(alice, shared, reader, 'GUEST')
    await catchUp(device)
    expect(device.ids(entity)).toEqual([])
    await setRole(alice, shared, reader, 'MEMBER')
    await catchUp(device)
    expect(device.ids(entity)).toEqual([b.id])
  })

  test('the assets of a dissolved organization disappear from devices that had not heard of their deletion', async () => {
    const reader = await server.person()
    const shared = await createOrg(alice)
    await addMembers(alice, shared, reader)
    const { id } = await createAsset(alice, { orgId: shared.id })
    const device = new Replica(reader, { entities })
    await catchUp(device)
    expect(device.ids(entity)).toEqual([id])
    ok(await deleteAsset(alice, id))
    ok(await alice.call('orgs.dissolve', { params: { id: shared.id }, query: { force: true } }))
    await catchUp(device)
    expect(device.ids(entity)).toEqual([])
    if (!inProcess) return
    const tombstones = await server.ctx.db.read.select().from(syncTombstones).where(eq(syncTombstones.owner, shared.id))
    expect(tombstones).toMatchObject([{ entity, entityId: id, version: 2 }])
  })

  test('a member who leaves is no longer the custodian on the devices of others', async () => {
    const custodian = await server.person()
    const shared = await createOrg(alice)
    await addMembers(alice, shared, custodian)
    const { id } = await createAsset(alice, { orgId: shared.id, custodianId: custodian.id })
    const device = await caughtUp(new Replica(alice, { entities }))
    ok(await leave(custodian, shared))
    const changes = await catchUp(device)
    expect(changes.asset.updated).toMatchObject([{ id, custodianId: null, version: 2 }])
  })
})

test.if(inProcess)('many assets of one write come in one page', async () => {
  const me = await server.person()
  const category = await createCategory(me, 'c')
  const device = await caughtUp(new Replica(me, { entities: ASSET_ENTITIES }))
  await addMany(
    server,
    { userId: me.id, orgId: 0 },
    Array.from({ length: 150 }, () => ({ categoryId: category.id })),
  )
  expect((await catchUp(device, 10)).asset.updated.length).toBe(150)
  ok(await me.call('assetCategories.delete', { params: { id: category.id } }))
  const changes = await catchUp(device, 10)
  expect(changes.asset.updated.length).toBe(150)
  expect(changes.assetCategory.deleted).toEqual([category.id])
  const [lent] = device.ids(entity)
  await lend(server, lent!)
})
