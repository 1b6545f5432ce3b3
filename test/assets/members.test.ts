/** How assets follow the members, the locations and the end of their organization, and the other domains that ask about them. */

import { describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { assetCleanUps, assets, assetTransfers } from '#db/schema/assets.ts'
import { cleanUp } from '#domains/assets/clean-up.service.ts'
import { updateRows } from '#domains/assets/register/register.store.ts'

import { inProcess, ok, useServer } from '../harness/index.ts'
import { addMembers, createOrg, leave } from '../orgs/helpers.ts'
import { addMany, createAsset, createLocation, deleteAsset, getAsset, photo, transfer, transfersOf } from './helpers.ts'

const { server, owner, member, stranger } = useServer({ people: ['owner', 'member', 'stranger'], noAdmin: true })

const dissolve = (orgId: number) => owner.call('orgs.dissolve', { params: { id: orgId } })
const rowsOf = (orgId: number) => server.ctx.db.read.select().from(assets).where(eq(assets.owner, orgId))

describe('members who leave', () => {
  test('are no longer the custodians of assets, which the history records', async () => {
    const org = await createOrg(owner)
    await addMembers(owner, org, member)
    const asset = await createAsset(owner, { orgId: org.id, custodianId: member.id })
    const elsewhere = await createOrg(member)
    const kept = await createAsset(member, { orgId: elsewhere.id, custodianId: member.id })
    ok(await leave(member, org))
    expect(ok(await getAsset(owner, asset.id)).data).toMatchObject({ custodianId: null, version: 2 })
    expect(await transfersOf(owner, asset.id)).toMatchObject([
      { fromUserId: member.id, toUserId: null, operatorId: member.id },
    ])
    expect(ok(await getAsset(member, kept.id)).data.custodianId).toBe(member.id)
    expect((await getAsset(member, asset.id)).status).toBe(404)
  })

  test('are no longer custodians when their account is deleted', async () => {
    const [org, user] = [await createOrg(owner), await server.person()]
    await addMembers(owner, org, user)
    const asset = await createAsset(owner, { orgId: org.id, custodianId: user.id })
    ok(await user.call('auth.deleteAccount'))
    expect(ok(await getAsset(owner, asset.id)).data.custodianId).toBeNull()
  })

  test.if(inProcess)('lose the custody of 450 assets in several writes, each with a row in its history', async () => {
    const [org, user] = [await createOrg(owner), await server.person()]
    await addMembers(owner, org, user)
    const ids = await addMany(
      server,
      { userId: owner.id, orgId: org.id },
      Array.from({ length: 450 }, () => ({ custodianId: user.id })),
    )
    ok(await leave(user, org))
    expect((await rowsOf(org.id)).filter((row) => row.custodianId === null)).toHaveLength(200)
    await cleanUp(server.ctx)
    expect((await rowsOf(org.id)).filter((row) => row.custodianId === null)).toHaveLength(450)
    expect(await server.ctx.db.read.select().from(assetCleanUps)).toEqual([])
    expect(ok(await owner.get('/api/assets', { orgId: org.id, custodianId: 0 })).data.total).toBe(450)
    expect(await transfersOf(owner, ids[449]!)).toMatchObject([{ fromUserId: user.id, toUserId: null }])
  })
})

describe('locations and organizations', () => {
  test('a location with an asset cannot be deleted, one whose assets are deleted can', async () => {
    const org = await createOrg(owner)
    const locationId = await createLocation(owner, org.id, 'Store')
    const asset = await createAsset(owner, { orgId: org.id, locationId })
    const remove = () => owner.call('locations.delete', { params: { orgId: org.id, locationId } })
    const refused = await remove()
    expect([refused.status, refused.message]).toEqual([400, expect.stringContaining('assets (1)')])
    ok(await deleteAsset(owner, asset.id))
    ok(await remove())
  })

  test.if(inProcess)('an organization with assets cannot be dissolved, and deleted ones go with it', async () => {
    const org = await createOrg(owner)
    const asset = await createAsset(owner, {
      orgId: org.id,
      custodianId: owner.id,
      photos: [await photo(owner, org.id)],
    })
    ok(await transfer(owner, asset.id, { custodianId: null }))
    const refused = await dissolve(org.id)
    expect([refused.status, refused.message]).toEqual([400, expect.stringContaining('assets (1)')])
    ok(await deleteAsset(owner, asset.id))
    ok(await dissolve(org.id))
    expect(await rowsOf(org.id)).toEqual([])
    const history = await server.ctx.db.read.select().from(assetTransfers).where(eq(assetTransfers.assetId, asset.id))
    expect(history).toEqual([])
  })

  test.if(inProcess)('450 deleted assets of a dissolved organization are deleted in several writes', async () => {
    const org = await createOrg(owner)
    const given = { userId: owner.id, orgId: org.id }
    await addMany(
      server,
      given,
      Array.from({ length: 450 }, () => ({})),
    )
    await server.ctx.db.write('test', async (tx) => {
      const rows = await tx.select().from(assets).where(eq(assets.owner, org.id))
      await updateRows(
        tx,
        rows.map((row) => ({ row, change: { deletedAt: tx.stamp } })),
      )
    })
    ok(await dissolve(org.id))
    expect(await rowsOf(org.id)).toHaveLength(250)
    await cleanUp(server.ctx)
    expect(await rowsOf(org.id)).toEqual([])
    expect(await server.ctx.db.read.select().from(assetCleanUps)).toEqual([])
  })

  test('an asset cannot be registered in an organization that is gone', async () => {
    const org = await createOrg(owner)
    ok(await dissolve(org.id))
    expect([403, 404]).toContain((await owner.post('/api/assets', { name: 'a', orgId: org.id })).status)
  })
})

describe('other domains', () => {
  test('a scanned public address leads to the asset for those who may see it only', async () => {
    const org = await createOrg(owner)
    await addMembers(owner, org, member)
    const asset = await createAsset(owner, { orgId: org.id, name: 'Ladder' })
    const resolved = async (user: typeof owner, content: string) =>
      ok(await user.post('/api/scan-records', { content })).data.resolved
    const kind = 'ASSET'
    for (const content of [
      asset.qrContent,
      ` ${asset.publicUrl}/ `,
      asset.publicUrl.replace(asset.uuid, asset.uuid.toUpperCase()),
    ])
      expect(await resolved(member, content)).toEqual({ kind, id: asset.id, title: 'Ladder' })
    expect(await resolved(stranger, asset.qrContent)).toEqual({ kind })
    ok(await deleteAsset(owner, asset.id))
    expect(await resolved(owner, asset.qrContent)).toEqual({ kind })
  })

  test('the quotas of a user and of an organization show the number of assets', async () => {
    const [user, org] = [await server.person(), await createOrg(owner)]
    const asset = await createAsset(user)
    await createAsset(owner, { orgId: org.id })
    const used = async (person: typeof owner, query = {}) => ok(await person.get('/api/auth/quotas', query)).data.assets
    expect(await used(user)).toEqual({ used: 1, limit: 100_000 })
    expect(await used(owner, { orgId: org.id })).toEqual({ used: 1, limit: 100_000 })
    ok(await deleteAsset(user, asset.id))
    expect(await used(user)).toEqual({ used: 0, limit: 100_000 })
  })
})
