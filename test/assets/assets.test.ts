import { beforeAll, describe, expect, test } from 'bun:test'

import { assets } from '#db/schema/assets.ts'

import { inProcess, ok, type Person, useServer } from '../harness/index.ts'
import { addMembers, createOrg, type Org, setRole, UNKNOWN_ID } from '../orgs/helpers.ts'
import {
  createAsset,
  createLocation,
  deleteAsset,
  getAsset,
  lend,
  scrapAsset,
  transfer,
  updateAsset,
} from './helpers.ts'

const { server, alice, mallory, owner, manager, member, guest } = useServer({
  people: ['alice', 'mallory', 'owner', 'manager', 'member', 'guest'],
  noAdmin: true,
})
let org: Org
let location: number

beforeAll(async () => {
  org = await createOrg(owner)
  await addMembers(owner, org, manager, member, guest)
  await setRole(owner, org, manager, 'ADMIN')
  await setRole(owner, org, guest, 'GUEST')
  location = await createLocation(owner, org.id, 'Store')
})

const FULL = {
  name: 'Laptop',
  assetNo: 'L-1',
  brand: 'ThinkPad',
  model: 'X1',
  serialNo: 'PF-1',
  purchaseDate: '2024-02-29',
  purchasePrice: '1999.9',
  supplier: 'Office World',
  warrantyExpiry: '2027-02-28',
  remark: 'With\ncharger',
  latitude: 30.25,
  longitude: 120.15,
  publicFields: ['name', 'assetNo'],
}

describe('registering', () => {
  test('POST /api/assets registers an asset with the values given, which GET /api/assets/:id answers', async () => {
    const { data } = ok(await alice.call('assets.create', { body: { ...FULL, custodianId: alice.id } }))
    expect(data).toEqual({
      id: data.id,
      uuid: data.uuid,
      ...FULL,
      purchasePrice: '1999.90',
      categoryId: null,
      nextMaintenance: null,
      lastCountedOn: null,
      nextCountOn: null,
      bookable: null,
      status: 'IN_USE',
      locationId: null,
      custodianId: alice.id,
      photos: [],
      qrContent: data.publicUrl,
      publicUrl: expect.stringContaining(`/s/asset/${data.uuid}`),
      scrappedAt: null,
      scrapReason: '',
      loan: null,
      values: data.values,
      orgId: null,
      userId: alice.id,
      version: 1,
      createdAt: data.createdAt,
      updatedAt: data.createdAt,
    })
    // The standard fields of metadata stand for fixed columns.
    expect(data.values?.map(({ key, value }) => [key, value])).toContainEqual(['purchasePrice', 1999.9])
    expect(ok(await getAsset(alice, data.id)).data).toEqual(data)
  })

  test('POST /api/assets needs a name only', async () => {
    const { data } = ok(await alice.call('assets.create', { body: { name: 'Chair' } }))
    expect(data).toMatchObject({
      name: 'Chair',
      brand: '',
      supplier: '',
      remark: '',
      purchaseDate: null,
      purchasePrice: null,
      warrantyExpiry: null,
      latitude: null,
      photos: [],
      publicFields: [],
      status: 'IN_USE',
    })
    expect(data.assetNo).not.toBe('')
  })

  test('POST /api/assets accepts names in snake_case and prices as numbers', async () => {
    const { data } = ok(await alice.post('/api/assets', { name: 'a', serial_no: 'S', purchase_price: 0.07 }))
    expect(data).toMatchObject({ serialNo: 'S', purchasePrice: '0.07' })
  })

  test('POST /api/assets refuses bad input with 400 at the field and adds nothing', async () => {
    const count = async () => ok(await alice.get('/api/assets', { size: 1 })).data.total
    const before = await count()
    for (const [body, path] of [
      [{}, 'body.name'],
      [{ name: ' ' }, 'body.name'],
      [{ name: 'x'.repeat(101) }, 'body.name'],
      [{ name: 'a', assetNo: 'x'.repeat(65) }, 'body.assetNo'],
      [{ name: 'a', assetNo: 'a\tb' }, 'body.assetNo'],
      [{ name: 'a', brand: 'x'.repeat(101) }, 'body.brand'],
      [{ name: 'a', purchaseDate: '2023-02-29' }, 'body.purchaseDate'],
      // Fields of metadata know the years 1 to 9999 only.
      [{ name: 'a', purchaseDate: '0000-01-01' }, 'body.purchaseDate'],
      [{ name: 'a', warrantyExpiry: '2023-2-1' }, 'body.warrantyExpiry'],
      [{ name: 'a', purchaseDate: 1_700_000_000_000 }, 'body.purchaseDate'],
      [{ name: 'a', purchasePrice: -1 }, 'body.purchasePrice'],
      [{ name: 'a', purchasePrice: '1.005' }, 'body.purchasePrice'],
      [{ name: 'a', purchasePrice: 1e21 }, 'body.purchasePrice'],
      [{ name: 'a', purchasePrice: '10000000000000' }, 'body.purchasePrice'],
      [{ name: 'a', purchasePrice: true }, 'body.purchasePrice'],
      [{ name: 'a', status: 'BROKEN' }, 'body.status'],
      [{ name: 'a', status: 'SCRAPPED' }, 'body.status'],
      [{ name: 'a', latitude: 1 }, 'body.longitude'],
      [{ name: 'a', latitude: 91, longitude: 0 }, 'body.latitude'],
      [{ name: 'a', publicFields: ['userId'] }, 'body.publicFields.0'],
      [{ name: 'a', publicFields: ['name', 'field:0'] }, 'body.publicFields.1'],
      [{ name: 'a', photos: [1, 2, 3, 4, 5, 6] }, 'body.photos'],
      [{ name: 'a', photos: ['x'] }, 'body.photos.0'],
      [{ name: 'a', photos: [UNKNOWN_ID] }, 'body.photos.0'],
      [{ name: 'a', categoryId: UNKNOWN_ID }, 'body.categoryId'],
      [{ name: 'a', locationId: location }, 'body.locationId'],
      [{ name: 'a', custodianId: mallory.id }, 'body.custodianId'],
      [{ name: 'a', custodianId: UNKNOWN_ID }, 'body.custodianId'],
    ] as const) {
      const reply = await alice.post('/api/assets', body)
      expect([reply.status, reply.details[0]?.path], JSON.stringify(body)).toEqual([400, path])
    }
    expect(await count()).toBe(before)
  })

  test('POST /api/assets lists every problem of the body', async () => {
    const reply = await alice.post('/api/assets', {
      name: 'a',
      purchaseDate: '2023-02-30',
      purchasePrice: 'x',
      publicFields: ['nothing'],
    })
    expect(reply.details.map(({ path }) => path)).toEqual([
      'body.purchaseDate',
      'body.purchasePrice',
      'body.publicFields.0',
    ])
  })

  test('the largest price is stored exactly', async () => {
    const asset = await createAsset(alice, { purchasePrice: '9999999999999.99' })
    expect(asset.purchasePrice).toBe('9999999999999.99')
  })
})

describe('changing', () => {
  test('PUT /api/assets/:id changes only the fields present, and null clears', async () => {
    const asset = await createAsset(alice, { ...FULL, assetNo: 'C-1' })
    const { data } = ok(
      await updateAsset(alice, asset.id, { name: 'Tablet', purchaseDate: null, purchasePrice: 5, brand: null }),
    )
    expect(data).toEqual({
      ...asset,
      name: 'Tablet',
      purchaseDate: null,
      purchasePrice: '5.00',
      brand: '',
      values: data.values,
      version: 2,
      updatedAt: data.updatedAt,
    })
    expect(data.updatedAt).toBeGreaterThan(asset.updatedAt)
    const cleared = ok(
      await updateAsset(alice, asset.id, { latitude: null, longitude: null, publicFields: null, status: null }),
    ).data
    expect(cleared).toMatchObject({ latitude: null, longitude: null, publicFields: [], status: 'IN_USE', version: 3 })
  })

  test('PUT /api/assets/:id with the values that are there changes neither version nor updatedAt', async () => {
    const asset = await createAsset(alice, { ...FULL, assetNo: 'C-2' })
    expect(ok(await updateAsset(alice, asset.id, { ...FULL, assetNo: 'C-2' })).data).toEqual(asset)
    expect(ok(await updateAsset(alice, asset.id, {})).data).toEqual(asset)
  })

  test('PUT /api/assets/:id refuses bad input with 400 and changes nothing', async () => {
    const asset = await createAsset(alice)
    for (const [body, path] of [
      [{ name: null }, 'body.name'],
      [{ assetNo: null }, 'body.assetNo'],
      [{ assetNo: '' }, 'body.assetNo'],
      [{ name: 'b', latitude: 5 }, 'body.longitude'],
      [{ name: 'b', categoryId: UNKNOWN_ID }, 'body.categoryId'],
      [{ name: 'b', status: 'SCRAPPED' }, 'body.status'],
    ] as const) {
      const reply = await alice.send('PUT', `/api/assets/${asset.id}`, { body })
      expect([reply.status, reply.details[0]?.path], JSON.stringify(body)).toEqual([400, path])
    }
    expect(ok(await getAsset(alice, asset.id)).data).toEqual(asset)
  })

  test('PUT /api/assets/:id ignores ids, owners and versions in the body', async () => {
    const asset = await createAsset(alice)
    const body = { id: 1, uuid: 'x', userId: mallory.id, version: 9, createdAt: 1, scrapReason: 'x', deletedAt: 1 }
    expect(ok(await updateAsset(alice, asset.id, body)).data).toEqual(asset)
  })
})

describe('status', () => {
  test('PUT changes freely among IN_USE, IDLE, REPAIR and LOST', async () => {
    const asset = await createAsset(alice, { status: 'IDLE' })
    for (const status of ['LOST', 'REPAIR', 'IN_USE', 'IDLE'] as const)
      expect(ok(await updateAsset(alice, asset.id, { status })).data.status).toBe(status)
  })

  test('scrapping sets reason and time, is final, and changes nothing the second time', async () => {
    const asset = await createAsset(alice, { status: 'LOST' })
    const scrapped = ok(await scrapAsset(alice, asset.id, 'broken')).data
    expect(scrapped).toEqual({
      ...asset,
      status: 'SCRAPPED',
      scrapReason: 'broken',
      scrappedAt: scrapped.updatedAt,
      version: 2,
      updatedAt: scrapped.updatedAt,
    })
    expect(ok(await scrapAsset(alice, asset.id, 'other')).data).toEqual(scrapped)
    const reply = await updateAsset(alice, asset.id, { status: 'IDLE' })
    expect([reply.status, reply.details[0]?.path]).toEqual([400, 'body.status'])
    expect(ok(await updateAsset(alice, asset.id, { status: 'SCRAPPED', remark: 'gone' })).data).toMatchObject({
      status: 'SCRAPPED',
      remark: 'gone',
    })
  })

  test('POST /api/assets/:id/scrap needs no body', async () => {
    const asset = await createAsset(alice)
    expect(ok(await alice.post(`/api/assets/${asset.id}/scrap`, {})).data).toMatchObject({ scrapReason: '' })
  })
})

describe('deleting', () => {
  test('a deleted asset is gone from lists and by id, its number is free, and its row stays', async () => {
    const asset = await createAsset(alice, { assetNo: 'D-1' })
    expect(ok(await deleteAsset(alice, asset.id)).data).toBeNull()
    expect((await getAsset(alice, asset.id)).status).toBe(404)
    expect((await deleteAsset(alice, asset.id)).status).toBe(404)
    expect((await updateAsset(alice, asset.id, { name: 'x' })).status).toBe(404)
    expect((await scrapAsset(alice, asset.id)).status).toBe(404)
    expect(ok(await alice.get('/api/assets', { keyword: 'D-1' })).data.total).toBe(0)
    expect((await createAsset(alice, { assetNo: 'd-1' })).assetNo).toBe('d-1')
    if (inProcess)
      expect((await server.ctx.db.read.select().from(assets)).find((row) => row.id === asset.id)?.deletedAt).not.toBe(
        null,
      )
  })

  test.if(inProcess)('an asset on loan shows the loan and cannot be deleted', async () => {
    const asset = await createAsset(alice)
    const id = await lend(server, asset.id)
    expect(ok(await getAsset(alice, asset.id)).data.loan).toEqual({
      id,
      userId: null,
      personName: 'Ms Chen',
      dueAt: null,
    })
    expect((await deleteAsset(alice, asset.id)).status).toBe(400)
    expect((await getAsset(alice, asset.id)).status).toBe(200)
  })
})

describe('access', () => {
  test('an asset of a user is 404 for everyone else', async () => {
    const asset = await createAsset(alice)
    for (const reply of [
      await getAsset(mallory, asset.id),
      await updateAsset(mallory, asset.id, { name: 'x' }),
      await deleteAsset(mallory, asset.id),
      await scrapAsset(mallory, asset.id),
      await getAsset(owner, asset.id, { orgId: org.id }),
    ])
      expect(reply.status).toBe(404)
    expect(ok(await getAsset(alice, asset.id)).data).toEqual(asset)
  })

  test('an asset of an organization is changed by the roles that may, and seen by members', async () => {
    const asset = await createAsset(owner, { orgId: org.id, locationId: location, custodianId: member.id })
    expect(asset).toMatchObject({ orgId: org.id, locationId: location, custodianId: member.id, userId: owner.id })
    const roles = [owner, manager, member, guest, mallory]
    const statuses = async (call: (user: Person) => Promise<{ status: number }>) => {
      const found: number[] = []
      for (const user of roles) found.push((await call(user)).status)
      return found
    }
    // Guests may not read assets, so they may not know of one.
    expect(await statuses((user) => getAsset(user, asset.id))).toEqual([200, 200, 200, 404, 404])
    expect(await statuses((user) => getAsset(user, asset.id, { orgId: org.id }))).toEqual([200, 200, 200, 403, 403])
    expect(await statuses((user) => user.get('/api/assets', { orgId: org.id }))).toEqual([200, 200, 200, 403, 403])
    expect(await statuses((user) => user.post('/api/assets', { name: 'a', orgId: org.id }))).toEqual([
      200, 200, 403, 403, 403,
    ])
    for (const write of [
      (user: Person) => updateAsset(user, asset.id, { remark: `by ${user.id}` }),
      (user: Person) => transfer(user, asset.id, { custodianId: user.id }),
      (user: Person) => scrapAsset(user, asset.id),
    ])
      expect(await statuses(write)).toEqual([200, 200, 403, 404, 404])
    const doomed = [await createAsset(owner, { orgId: org.id }), await createAsset(owner, { orgId: org.id })]
    expect((await deleteAsset(member, doomed[0]!.id)).status).toBe(403)
    expect((await deleteAsset(guest, doomed[0]!.id)).status).toBe(404)
    expect((await deleteAsset(manager, doomed[0]!.id)).status).toBe(200)
    expect((await deleteAsset(owner, doomed[1]!.id)).status).toBe(200)
  })

  test('the list of an organization is 403 for other users', async () => {
    expect((await mallory.get('/api/assets', { orgId: org.id })).status).toBe(403)
    expect((await mallory.post('/api/assets', { name: 'x', orgId: org.id })).status).toBe(403)
    expect(ok(await mallory.get('/api/assets')).data.total).toBe(0)
  })

  test('requests without a token are 401', async () => {
    const asset = await createAsset(alice)
    for (const [method, path] of [
      ['GET', '/api/assets'],
      ['POST', '/api/assets'],
      ['GET', `/api/assets/${asset.id}`],
      ['PUT', `/api/assets/${asset.id}`],
      ['DELETE', `/api/assets/${asset.id}`],
      ['POST', `/api/assets/${asset.id}/scrap`],
      ['POST', `/api/assets/${asset.id}/transfer`],
      ['GET', `/api/assets/${asset.id}/transfers`],
    ] as const)
      expect((await server.request(method, path)).status, path).toBe(401)
  })
})
