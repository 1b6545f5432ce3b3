/** Devices that work offline: their last pulls and pushes for users and administrators, and the end of an account. */

import { describe, expect, test } from 'bun:test'

import { eq, inArray } from 'drizzle-orm'

import { syncAccess, syncConflicts, syncDevices, syncMappings, syncReceipts, syncStarts } from '#db/schema/sync.ts'
import { MINUTE } from '#platform/clock.ts'

import { inProcess, ok, type Person, until, useServer } from '../harness/index.ts'
import { addMembers, createOrg } from '../orgs/helpers.ts'
import { createCode } from '../qr-codes/helpers.ts'
import { secondDevice, startedNow } from './replica.ts'

const { server, admin, owner } = useServer({ people: ['owner'] })

const devicesOf = async (user: Person) => ok(await user.call('sync.devices')).data.items

/** Pushes changes of a code by two devices, so that the second one loses. */
async function conflict(first: Person, second: Person): Promise<void> {
  const { id } = await createCode(first)
  const record = (name: string, updatedAt: number) => ({
    records: [
      { entity: 'qrCode' as const, localId: `l${id}`, serverId: id, baseVersion: 1, updatedAt, data: { name } },
    ],
  })
  ok(await first.call('sync.push', { body: record('from the first', Date.now()) }))
  ok(await second.call('sync.push', { body: record('from the second', 1) }))
}

describe('GET /api/sync/devices', () => {
  test('a user who has never pulled or pushed has no devices', async () => {
    expect(await devicesOf(await server.person())).toEqual([])
  })

  test('devices come with their last pull and push, their names and the conflicts that wait', async () => {
    const phone = await server.person()
    const tablet = await secondDevice(server, phone)
    const before = Date.now()
    await startedNow(phone)
    await conflict(phone, tablet)
    const devices = await devicesOf(phone)
    expect(devices).toHaveLength(2)
    const [last, first] = devices
    expect(last).toMatchObject({ deviceName: 'Tablet', lastPullAt: null, pendingConflicts: 1 })
    expect(first!.pendingConflicts).toBe(0)
    // The other processes know of pulls and pushes within a minute.
    if (inProcess)
      for (const at of [last!.lastPushAt, first!.lastPushAt, first!.lastPullAt])
        expect(at).toBeGreaterThanOrEqual(before)
    expect(JSON.stringify(devices)).not.toContain(phone.deviceId)
    expect(await devicesOf(owner)).toEqual([])
  })

  test.if(inProcess)('the last pull is written after a minute, and by one write for all pulls', async () => {
    const user = await server.person()
    await startedNow(user)
    const stored = async () =>
      (await server.ctx.db.read.select().from(syncDevices).where(eq(syncDevices.userId, user.id)))[0]!.lastPullAt
    expect(await stored()).toBeNull()
    server.clock.advance(MINUTE + 1)
    await startedNow(user)
    await until(async () => (await stored()) !== null)
  })
})

describe('GET /api/admin/sync/devices', () => {
  test('shows the devices of a user to administrators only', async () => {
    const user = await server.person()
    await startedNow(user)
    const page = ok(await admin.call('sync.devicesOf', { query: { userId: user.id } })).data
    expect(page).toMatchObject({ total: 1, page: 1, items: [{ lastPushAt: null, pendingConflicts: 0 }] })
    expect(ok(await admin.call('sync.devicesOf', { query: { userId: 999_999_999 } })).data.items).toEqual([])
    expect((await user.get('/api/admin/sync/devices', { userId: user.id })).status).toBe(403)
    expect((await server.request('GET', `/api/admin/sync/devices?userId=${user.id}`)).status).toBe(401)
    expect((await admin.get('/api/admin/sync/devices')).status).toBe(400)
  })
})

test.if(inProcess)('a deleted account leaves no rows of its devices, and those of others stay', async () => {
  const user = await server.person()
  const tablet = await secondDevice(server, user)
  const org = await createOrg(owner)
  await addMembers(owner, org, user)
  await startedNow(user)
  await startedNow(owner)
  await conflict(user, tablet)
  const { read } = server.ctx.db
  const own = await read.select().from(syncDevices).where(eq(syncDevices.userId, user.id))
  const ids = own.map(({ id }) => id)
  const mappings = await read.select().from(syncMappings).where(inArray(syncMappings.device, ids))
  expect([ids.length, mappings.length]).toEqual([2, 2])
  ok(await user.call('auth.deleteAccount'))
  await until(async () => (await read.select().from(syncAccess).where(eq(syncAccess.userId, user.id))).length === 0)
  expect(await read.select().from(syncDevices).where(eq(syncDevices.userId, user.id))).toEqual([])
  expect(await read.select().from(syncMappings).where(inArray(syncMappings.device, ids))).toEqual([])
  expect(await read.select().from(syncStarts).where(inArray(syncStarts.device, ids))).toEqual([])
  expect(await read.select().from(syncConflicts).where(eq(syncConflicts.userId, user.id))).toEqual([])
  const pushed = mappings.map(({ id }) => id)
  expect(await read.select().from(syncReceipts).where(inArray(syncReceipts.mapping, pushed))).toEqual([])
  expect(await devicesOf(owner)).toHaveLength(1)
})
