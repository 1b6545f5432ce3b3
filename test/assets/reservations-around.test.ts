/** Reservations and the rest of the product: administrators, accounts and organizations that end, budgets, synchronization, the undo of imports. */

import { describe, expect, test } from 'bun:test'

import { sql } from 'drizzle-orm'

import { assetReservationItems, assetReservations } from '#db/schema/reservations.ts'

import { inProcess, ok, startServer, useServer } from '../harness/index.ts'
import { addMembers, createOrg } from '../orgs/helpers.ts'
import { createAsset } from './helpers.ts'
import { act, get, reservation, reserve } from './reserving.ts'
import { imported } from './sheets.ts'

const { server, admin, alice, bob } = useServer({ people: ['alice', 'bob'] })
const HOUR = 3_600_000

test('administrators list the reservations of all organizations, by organization and status', async () => {
  const { id, orgId } = await reservation(alice, bob)
  const list = async (query: object) => ok(await admin.call('assetReservations.listAll', { query })).data
  const [found] = (await list({ orgId })).items
  expect(found).toMatchObject({ id, orgId, status: 'REQUESTED', userId: bob.id, owner: { userId: bob.id } })
  expect((await list({ orgId, status: 'APPROVED' })).total).toBe(0)
  expect((await list({ orgId, status: 'REQUESTED' })).total).toBe(1)
  expect((await alice.call('assetReservations.listAll')).status).toBe(403)
  expect((await server.call('assetReservations.listAll')).status).toBe(401)
})

test('an open reservation keeps an organization from being dissolved, and its rows go with it', async () => {
  const { id, orgId, assetId } = await reservation(alice)
  const dissolve = () => alice.call('orgs.dissolve', { params: { id: orgId } })
  ok(await alice.call('assets.delete', { params: { id: assetId }, query: { force: true } }))
  expect(ok(await get(alice, id)).data.status).toBe('CANCELLED')
  const second = await createAsset(alice, { orgId })
  const from = Date.now() + HOUR
  const made = ok(await reserve(alice, { orgId, items: [{ assetId: second.id }], from, to: from + HOUR })).data
  expect((await dissolve()).status).toBe(400)
  ok(await act(alice, 'cancel', made.id))
  ok(await alice.call('assets.delete', { params: { id: second.id } }))
  ok(await dissolve())
  expect((await get(alice, id)).status).toBe(404)
  if (!inProcess) return
  const count = async (table: typeof assetReservations | typeof assetReservationItems) =>
    (
      await server.ctx.db.read
        .select({ id: table.id })
        .from(table)
        .where(sql`${table.orgId} = ${orgId}`)
    ).length
  expect([await count(assetReservations), await count(assetReservationItems)]).toEqual([0, 0])
})

test('reservations of a user whose account ends are cancelled, and no longer show the name', async () => {
  const eve = await server.person('eve')
  const { id, orgId, assetId } = await reservation(alice, eve)
  const before = ok(await get(alice, id)).data
  expect(before.userName).not.toBe('Deleted user')
  ok(await eve.call('auth.deleteAccount'))
  expect(ok(await get(alice, id)).data).toMatchObject({ status: 'CANCELLED', userName: 'Deleted user' })
  const again = { orgId, items: [{ assetId }], from: before.from, to: before.to }
  ok(await reserve(alice, again))
})

test('assets show and take bookable, and devices that synchronize get and push it', async () => {
  const { id } = await createAsset(alice, { bookable: false })
  expect(ok(await alice.call('assets.get', { params: { id } })).data.bookable).toBe(false)
  const pulled = async () => {
    const { changes } = ok(await alice.call('sync.pull', { query: { since: 0 } })).data
    return changes.asset!.updated.find((row) => row.id === id)!
  }
  expect((await pulled())['bookable']).toBe(false)
  const record = {
    entity: 'asset' as const,
    localId: 'a',
    serverId: id,
    baseVersion: 1,
    updatedAt: Date.now(),
    data: { bookable: null },
  }
  ok(await alice.call('sync.push', { body: { records: [record] } }))
  expect(ok(await alice.call('assets.get', { params: { id } })).data.bookable).toBeNull()
  expect((await alice.call('assets.update', { params: { id }, body: { bookable: 'yes' as never } })).status).toBe(400)
})

test('the undo of an import keeps assets that were reserved since', async () => {
  const { id: orgId } = await createOrg(alice)
  const rows = [
    ['Name', 'Asset no.'],
    ['Projector', 'P-1'],
    ['Projector', 'P-2'],
  ]
  const { importId } = await imported(alice, rows, { orgId })
  const { items } = ok(await alice.call('assets.list', { query: { orgId } })).data
  const kept = items.find(({ assetNo }) => assetNo === 'P-1')!
  const from = Date.now() + HOUR
  ok(await reserve(alice, { orgId, items: [{ assetId: kept.id }], from, to: from + HOUR }))
  const undone = ok(await alice.call('assets.undoImport', { params: { id: importId! }, body: {} })).data
  expect(undone).toMatchObject({ deleted: 1, kept: [{ assetId: kept.id, reason: 'RESERVED' }], keptCount: 1 })
})

describe.if(inProcess)('budgets', () => {
  test('a member makes at most 100 requests a day, and a repeated one does not count', async () => {
    await using limited = await startServer({ rateLimit: true })
    const [owner, member] = [await limited.person('owner'), await limited.person('member')]
    const { id: orgId } = await createOrg(owner)
    await addMembers(owner, { id: orgId }, member)
    const { id: assetId } = await createAsset(owner, { orgId, bookable: true })
    let from = Date.now() + HOUR
    for (let i = 0; i < 100; i++) {
      from += HOUR
      const body = { orgId, items: [{ assetId }], from, to: from + HOUR, requestId: `request ${i}` }
      const { id } = ok(await reserve(member, body)).data
      expect(ok(await reserve(member, body)).data.id).toBe(id)
      ok(await act(member, 'cancel', id))
    }
    const refused = await reserve(member, { orgId, items: [{ assetId }], from, to: from + HOUR })
    expect([refused.status, refused.code]).toEqual([429, 4022])
  })
})
