import { beforeAll, describe, expect, test } from 'bun:test'

import { usedStorage } from '#domains/files/files.store.ts'
import { setSetting } from '#domains/settings/index.ts'

import { inProcess, ok, type Person, race, useServer } from '../harness/index.ts'
import { addMembers, createOrg, type Org, setRole, UNKNOWN_ID } from '../orgs/helpers.ts'
import {
  createAsset,
  createLocation,
  getAsset,
  photo,
  scrapAsset,
  transfer,
  transfersOf,
  updateAsset,
} from './helpers.ts'
import { createCategory } from './places.ts'

const { server, owner, manager, member, outsider } = useServer({
  people: ['owner', 'manager', 'member', 'outsider'],
  noAdmin: true,
})
let org: Org
let store: number
let hall: number

beforeAll(async () => {
  org = await createOrg(owner)
  await addMembers(owner, org, manager, member)
  await setRole(owner, org, manager, 'ADMIN')
  store = await createLocation(owner, org.id, 'Store')
  hall = await createLocation(owner, org.id, 'Hall')
})

const inOrg = (fields: object = {}) => createAsset(owner, { orgId: org.id, ...fields })
const nickname = async (user: Person): Promise<string> => ok(await user.get('/api/auth/userinfo')).data.nickname
const told = async (user: Person) =>
  ok(await user.get('/api/notifications', { size: 100 })).data.items.filter((n: { type: string }) => n.type === 'ASSET')

describe('POST /api/assets/:id/transfer', () => {
  test('hands an asset to a custodian and a location, and records both with their names', async () => {
    const asset = await inOrg({ custodianId: owner.id, locationId: store })
    const { data } = ok(
      await transfer(owner, asset.id, { toUserId: member.id, locationId: hall, note: 'for the fair' }),
    )
    expect(data.asset).toEqual({
      ...asset,
      custodianId: member.id,
      locationId: hall,
      version: 2,
      updatedAt: data.asset.updatedAt,
    })
    expect(data.transfer).toEqual({
      id: data.transfer.id,
      assetId: asset.id,
      fromUserId: owner.id,
      fromUserName: await nickname(owner),
      toUserId: member.id,
      toUserName: await nickname(member),
      fromLocationId: store,
      fromLocationName: 'Store',
      toLocationId: hall,
      toLocationName: 'Hall',
      fromOrgId: null,
      toOrgId: null,
      note: 'for the fair',
      operatorId: owner.id,
      operatorName: await nickname(owner),
      createdAt: data.asset.updatedAt,
    })
    expect(await transfersOf(member, asset.id)).toEqual([data.transfer])
  })

  test('notifies the new custodian, unless they did it themselves', async () => {
    const asset = await inOrg()
    const before = (await told(member)).length
    ok(await transfer(owner, asset.id, { custodianId: member.id }))
    const [notification] = await told(member)
    expect((await told(member)).length).toBe(before + 1)
    expect(notification.data).toEqual({ assetId: asset.id, orgId: org.id, event: 'TRANSFERRED' })
    expect(notification.body).toContain(asset.name)
    const own = (await told(owner)).length
    ok(await transfer(owner, asset.id, { custodianId: owner.id }))
    expect((await told(owner)).length).toBe(own)
  })

  test('null clears custodian and location', async () => {
    const asset = await inOrg({ custodianId: member.id, locationId: store })
    const { data } = ok(await transfer(owner, asset.id, { custodianId: null, locationId: null }))
    expect(data.asset).toMatchObject({ custodianId: null, locationId: null })
    expect(data.transfer).toMatchObject({
      toUserId: null,
      toUserName: null,
      toLocationId: null,
      fromLocationName: 'Store',
    })
  })

  test('is refused with 400 without a change, and changes nothing', async () => {
    const asset = await inOrg({ custodianId: member.id, locationId: store })
    for (const body of [
      {},
      { note: 'x' },
      { custodianId: member.id },
      { locationId: store, custodianId: member.id },
      { custodianId: member.id, toUserId: owner.id },
      { custodianId: outsider.id },
      { custodianId: UNKNOWN_ID },
      { locationId: UNKNOWN_ID },
      { toOrgId: org.id },
    ])
      expect((await transfer(owner, asset.id, body)).status, JSON.stringify(body)).toBe(400)
    expect(ok(await getAsset(owner, asset.id)).data).toEqual(asset)
    expect(await transfersOf(owner, asset.id)).toEqual([])
  })

  test('a scrapped asset cannot be transferred', async () => {
    const asset = await inOrg()
    ok(await scrapAsset(owner, asset.id))
    expect((await transfer(owner, asset.id, { custodianId: member.id })).status).toBe(400)
  })

  test('a personal asset can only be in the custody of its owner and has no location', async () => {
    const asset = await createAsset(owner)
    expect(ok(await transfer(owner, asset.id, { custodianId: owner.id })).data.asset.custodianId).toBe(owner.id)
    for (const body of [{ custodianId: member.id }, { locationId: store }])
      expect((await transfer(owner, asset.id, body)).status).toBe(400)
  })

  test('PUT that changes custodian or location adds a row to the history and notifies, other changes do not', async () => {
    const asset = await inOrg()
    const before = (await told(member)).length
    ok(await updateAsset(owner, asset.id, { custodianId: member.id, locationId: hall, name: 'moved' }))
    ok(await updateAsset(owner, asset.id, { name: 'renamed', custodianId: member.id }))
    expect(await transfersOf(owner, asset.id)).toMatchObject([
      { fromUserId: null, toUserId: member.id, toLocationName: 'Hall', note: '' },
    ])
    expect((await told(member)).length).toBe(before + 1)
  })

  test('the history keeps the names of its time, newest first, in pages', async () => {
    const place = await createLocation(owner, org.id, 'Old name')
    const asset = await inOrg({ locationId: place })
    for (const locationId of [hall, store, hall]) ok(await transfer(owner, asset.id, { locationId }))
    ok(await owner.call('locations.update', { params: { orgId: org.id, locationId: place }, body: { name: 'New' } }))
    const names = (await transfersOf(owner, asset.id)).map((row) => row.fromLocationName)
    expect(names).toEqual(['Store', 'Hall', 'Old name'])
    const second = ok(await owner.get(`/api/assets/${asset.id}/transfers`, { page: 2, size: 2 })).data
    expect([second.total, second.items.length, second.items[0].fromLocationName]).toEqual([3, 1, 'Old name'])
  })

  test('of 50 concurrent transfers to one custodian, one is recorded', async () => {
    const asset = await inOrg()
    const replies = await race(50, () => transfer(owner, asset.id, { custodianId: member.id }))
    expect(replies.filter((reply) => reply.status === 200)).toHaveLength(1)
    expect(await transfersOf(owner, asset.id)).toHaveLength(1)
  })
})

describe('giving an asset to an organization', () => {
  test('moves it with its photos, and clears category, custodian and location unless they are given', async () => {
    const user = await server.person()
    const theirs = await createOrg(user)
    const place = await createLocation(user, theirs.id, 'Desk')
    const category = await createCategory(user, 'mine')
    const asset = await createAsset(user, {
      custodianId: user.id,
      categoryId: category.id,
      photos: [await photo(user), await photo(user)],
      brand: 'ThinkPad',
    })
    const { data } = ok(await transfer(user, asset.id, { toOrgId: theirs.id, locationId: place }))
    expect(data.asset).toMatchObject({
      id: asset.id,
      uuid: asset.uuid,
      assetNo: asset.assetNo,
      brand: 'ThinkPad',
      orgId: theirs.id,
      userId: user.id,
      categoryId: null,
      custodianId: null,
      locationId: place,
      version: 2,
    })
    expect(data.asset.photos.map((p) => p.fileId)).toEqual(asset.photos.map((p) => p.fileId))
    expect(data.transfer).toMatchObject({ fromOrgId: null, toOrgId: theirs.id, fromUserId: user.id, toUserId: null })
    expect(ok(await user.get('/api/assets')).data.total).toBe(0)
    expect(ok(await user.get('/api/assets', { orgId: theirs.id })).data.total).toBe(1)
    if (inProcess) {
      const { read } = server.ctx.db
      expect(await usedStorage(read, { userId: user.id, orgId: 0 })).toBe(0)
      expect(await usedStorage(read, { userId: user.id, orgId: theirs.id })).toBeGreaterThan(0)
    }
    ok(await updateAsset(user, asset.id, { photos: [] }))
    if (inProcess) expect(await usedStorage(server.ctx.db.read, { userId: user.id, orgId: theirs.id })).toBe(0)
  })

  test('is refused where the user may not create assets, where the number is taken, and for unknown organizations', async () => {
    const asset = await createAsset(member, { assetNo: 'G-1', photos: [await photo(member)] })
    const foreign = await createOrg(outsider)
    for (const toOrgId of [org.id, foreign.id, UNKNOWN_ID])
      expect((await transfer(member, asset.id, { toOrgId })).status).toBe(403)
    const taken = await createAsset(manager, { assetNo: 'g-1' })
    await inOrg({ assetNo: 'G-1' })
    const reply = await transfer(manager, taken.id, { toOrgId: org.id })
    expect([reply.status, reply.details[0]?.path]).toEqual([400, 'body.toOrgId'])
    const free = await createAsset(manager)
    for (const body of [{ custodianId: outsider.id }, { locationId: UNKNOWN_ID }])
      expect((await transfer(manager, free.id, { toOrgId: org.id, ...body })).status).toBe(400)
    expect(ok(await getAsset(manager, free.id)).data).toEqual(free)
    expect(ok(await getAsset(member, asset.id)).data).toEqual({ ...asset, photos: expect.anything() as never })
  })

  test.if(inProcess)(
    'is refused beyond the quota of the organization, and the photos stay where they were',
    async () => {
      const user = await server.person()
      const full = await createOrg(user)
      await createAsset(user, { orgId: full.id })
      const asset = await createAsset(user, { assetNo: 'Q-1', photos: [await photo(user)] })
      const set = (quota: number) => server.ctx.db.write('test', (tx) => setSetting(tx, 'quota.assets', quota))
      await set(1)
      expect((await transfer(user, asset.id, { toOrgId: full.id })).code).toBe(4022)
      await set(100_000)
      expect(await usedStorage(server.ctx.db.read, { userId: user.id, orgId: full.id })).toBe(0)
      expect(ok(await getAsset(user, asset.id)).data.orgId).toBeNull()
    },
  )
})
