import { describe, expect, test } from 'bun:test'

import { adminLogs } from '#db/schema/operation-log.ts'

import { inProcess, ok, useServer } from '../harness/index.ts'
import { createOrg } from '../orgs/helpers.ts'
import { createAsset, createLocation, getAsset, lend, photo, scrapAsset } from './helpers.ts'
import { createCategory } from './places.ts'

const { server, admin, alice, bob } = useServer({ people: ['alice', 'bob'] })

const list = async (query: Record<string, string | number> = {}) =>
  ok(await admin.get('/api/admin/assets', { size: 100, ...query })).data
const idsOf = (page: { items: readonly { id: number }[] }) => page.items.map((row) => row.id)
const logs = async (targetId: number) =>
  (await server.ctx.db.read.select().from(adminLogs)).filter((row) => row.targetId === targetId)

describe('GET /api/admin/assets', () => {
  test('shows the assets of all owners, newest first, with owner and organization', async () => {
    const org = await createOrg(alice, { name: 'Library' })
    const own = await createAsset(alice)
    const others = await createAsset(bob)
    const ofOrg = await createAsset(alice, { orgId: org.id })
    const page = await list()
    expect(idsOf(page).slice(0, 3)).toEqual([ofOrg.id, others.id, own.id])
    const { values: _, ...plain } = ofOrg
    expect(page.items[0]).toMatchObject({
      ...plain,
      owner: { userId: alice.id, username: 'alice', nickname: expect.any(String) },
      orgName: 'Library',
    })
    expect(page.items[1]).toMatchObject({ orgId: null, orgName: null, owner: { username: 'bob' } })
    expect(idsOf(await list({ sort: 'createdAt' })).slice(-3)).toEqual([own.id, others.id, ofOrg.id])
  })

  test('takes the filters of the list, and those by owner and time of registration', async () => {
    const [user, org] = [await server.person(), await createOrg(bob)]
    const category = await createCategory(bob, 'A', { orgId: org.id })
    const below = await createCategory(bob, 'B', { orgId: org.id, parentId: category.id })
    const building = await createLocation(bob, org.id, 'Building')
    const room = await createLocation(bob, org.id, 'Room', building)
    const asset = await createAsset(user, { serialNo: 'needle-17', status: 'LOST', warrantyExpiry: '2031-05-05' })
    const placed = await createAsset(bob, { orgId: org.id, categoryId: below.id, locationId: room })
    const userId = user.id
    for (const query of [
      { userId },
      { keyword: 'NEEDLE-17' },
      { userId, keyword: 'needle' },
      { userId, status: 'LOST' },
      { warrantyFrom: '2031-05-05', warrantyTo: '2031-05-05' },
      { userId, from: asset.createdAt, to: asset.createdAt + 1 },
      { ids: String(asset.id) },
      { userId, categoryId: 0, custodianId: 0 },
    ])
      expect(idsOf(await list(query as never)), JSON.stringify(query)).toEqual([asset.id])
    for (const query of [
      { orgId: org.id },
      { categoryId: category.id },
      { locationId: building },
      { keyword: placed.name, orgId: org.id },
    ])
      expect(idsOf(await list(query as never)), JSON.stringify(query)).toEqual([placed.id])
    for (const query of [
      { userId: 999_999 },
      { userId, keyword: 'nothing' },
      { userId, to: asset.createdAt },
      { categoryId: 999_999 },
      { locationId: 999_999 },
    ])
      expect(await list(query as never), JSON.stringify(query)).toMatchObject({ items: [], total: 0 })
    for (const query of [{ status: 'GONE' }, { warrantyFrom: '2031-02-30' }, { sort: 'color' }])
      expect((await admin.get('/api/admin/assets', query as never)).status).toBe(400)
  })

  test('is 403 for ordinary users and 401 without a token, as are the writes', async () => {
    const asset = await createAsset(alice)
    for (const [method, path] of [
      ['GET', '/api/admin/assets'],
      ['PUT', `/api/admin/assets/${asset.id}/scrap`],
      ['DELETE', `/api/admin/assets/${asset.id}`],
    ] as const) {
      expect((await alice.send(method, path, method === 'PUT' ? { body: {} } : {})).status).toBe(403)
      expect((await server.request(method, path)).status).toBe(401)
    }
    expect(ok(await getAsset(alice, asset.id)).data).toEqual(asset)
  })
})

describe('administrators', () => {
  test('scrap any asset once, with one row in the operation log', async () => {
    const asset = await createAsset(alice)
    const scrap = (body: object = { reason: 'broken' }) =>
      admin.send('PUT', `/api/admin/assets/${asset.id}/scrap`, { body })
    expect(ok(await scrap()).data).toMatchObject({ status: 'SCRAPPED', scrapReason: 'broken', version: 2 })
    expect(ok(await scrap({ reason: 'other' })).data).toMatchObject({ scrapReason: 'broken', version: 2 })
    expect(ok(await scrapAsset(alice, asset.id)).data.version).toBe(2)
    if (inProcess)
      expect(await logs(asset.id)).toMatchObject([
        {
          action: 'ASSET_SCRAP',
          targetName: asset.name,
          before: { status: 'IN_USE', scrapReason: '' },
          after: { status: 'SCRAPPED', scrapReason: 'broken' },
        },
      ])
  })

  test.if(inProcess)('delete any asset, also one on loan, with its photos and a row in the operation log', async () => {
    const file = await photo(alice)
    const asset = await createAsset(alice, { photos: [file] })
    await lend(server, asset.id)
    expect(ok(await admin.delete(`/api/admin/assets/${asset.id}`)).data).toBeNull()
    expect((await admin.delete(`/api/admin/assets/${asset.id}`)).status).toBe(404)
    expect((await getAsset(alice, asset.id)).status).toBe(404)
    expect((await alice.get(`/api/files/${file}`)).status).toBe(404)
    expect(await logs(asset.id)).toMatchObject([
      { action: 'ASSET_DELETE', targetName: asset.name, before: { assetNo: asset.assetNo, userId: alice.id } },
    ])
    expect((await createAsset(alice, { assetNo: asset.assetNo })).assetNo).toBe(asset.assetNo)
  })
})
