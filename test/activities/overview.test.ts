/** The numbers that organizers follow. */

import { describe, expect, test } from 'bun:test'

import { MINUTE } from '#platform/clock.ts'

import { ok, race, useServer } from '../harness/index.ts'
import { addMembers, createOrg } from '../orgs/helpers.ts'
import { checkIn } from './check-in-helpers.ts'
import { issueOne, nonce, redeem, redeemed, revoke, upload } from './gate-helpers.ts'
import { createGate, deviceAt, scan } from './gate-link-helpers.ts'
import { createActivity } from './helpers.ts'
import { withPasses } from './pass-helpers.ts'
import { register } from './registering.ts'

const { server, admin, alice, bob, carol, dave } = useServer({ people: ['alice', 'bob', 'carol', 'dave'] })

const overview = async (id: number) => ok(await alice.call('activities.overview', { params: { id } })).data

describe('the overview', () => {
  test('of a new activity has nothing but the next step', async () => {
    const { id } = await createActivity(alice)
    expect(await overview(id)).toEqual({
      registrations: { confirmed: 0, waiting: 0, pending: 0, cancelled: 0, capacity: null },
      passes: { issued: 0, used: 0, revoked: 0 },
      checkIns: { total: 0, users: 0 },
      inside: 0,
      lists: [],
      gates: [],
      lastMinutes: expect.any(Array),
      messages: { sent: 0, failed: 0 },
      next: ['PUBLISH'],
    } as never)
  })

  test('counts registrations by their status, and check-ins', async () => {
    const now = server.clock.now()
    const activity = await createActivity(alice, {
      status: 'ACTIVE',
      visibility: 'PUBLIC',
      hasCheckIn: true,
      checkInConfig: { maxPerUser: 2, opensAt: now - MINUTE },
      registration: { capacity: 1, waitlist: true },
      startTime: now + 30 * MINUTE,
      endTime: now + 60 * MINUTE,
    })
    const { id } = activity
    for (const person of [bob, carol, dave]) ok(await register(person, activity))
    ok(await dave.call('registrations.cancel', { params: { id } }))
    for (let i = 0; i < 2; i++) ok(await checkIn(bob, activity))
    expect(await overview(id)).toMatchObject({
      registrations: { confirmed: 1, waiting: 1, pending: 0, cancelled: 1, capacity: 1 },
      checkIns: { total: 2, users: 1 },
    })
  })

  test('follows passes through entries, exits, undo, revocation and deletion', async () => {
    const { id } = await withPasses(alice)
    const [a, b, c] = [await issueOne(alice, id), await issueOne(alice, id), await issueOne(alice, id)]
    const numbers = async () => {
      const { passes, inside } = await overview(id)
      return [passes.issued, passes.used, passes.revoked, inside]
    }
    expect(await numbers()).toEqual([3, 0, 0, 0])
    await redeemed(alice, id, { passUuid: a.uuid })
    const { use } = await redeemed(alice, id, { passUuid: b.uuid })
    expect(await numbers()).toEqual([3, 2, 0, 2])
    await redeemed(alice, id, { passUuid: a.uuid, direction: 'EXIT' })
    expect(await numbers()).toEqual([3, 2, 0, 1])
    ok(await alice.call('passes.undo', { params: { id, recordId: use!.id }, body: {} }))
    expect(await numbers()).toEqual([3, 1, 0, 0])
    await redeemed(alice, id, { passUuid: a.uuid })
    await upload(alice, id, [{ passUuid: c.uuid, nonce: nonce(), usedAt: server.clock.now() }])
    await revoke(alice, b.id)
    expect(await numbers()).toEqual([3, 2, 1, 2])
    ok(await admin.delete(`/api/admin/passes/${a.id}`))
    ok(await admin.delete(`/api/admin/passes/${b.id}`))
    expect(await numbers()).toEqual([1, 1, 0, 1])
  })

  test('counts every entry of a rush once, by the minute, at all doors', async () => {
    const { id } = await withPasses(alice)
    const list = { params: { id }, body: { name: 'Lunch' } }
    const listId = ok(await alice.call('checkInLists.create', list)).data.id
    const passes = await Promise.all(Array.from({ length: 10 }, () => issueOne(alice, id)))
    await race(20, (i) => redeem(alice, id, { passUuid: passes[i % 10]!.uuid }))
    await race(20, (i) => redeem(alice, id, { passUuid: passes[i % 10]!.uuid, listId }))
    const earlier = await issueOne(alice, id)
    const now = server.clock.now()
    const used = (usedAt: number) => ({ passUuid: earlier.uuid, nonce: nonce(), usedAt })
    await upload(alice, id, [used(now - 10 * MINUTE), used(now - 5 * MINUTE)])
    const found = await overview(id)
    expect(found).toMatchObject({ passes: { used: 11 }, inside: 11, lists: [{ listId, admitted: 10, inside: 10 }] })
    const total = () => found.lastMinutes.reduce((sum, { entries }) => sum + entries, 0)
    expect([found.lastMinutes.length, total()]).toEqual([60, 21])
    const minute = now - 10 * MINUTE - (now % MINUTE)
    expect(found.lastMinutes.find(({ at }) => at === minute)!.entries).toBe(1)
    const { items } = ok(
      await alice.call('passes.activityRecords', { params: { id }, query: { passId: earlier.id } }),
    ).data
    const { id: recordId } = items.find(({ result }) => result === 'ACCEPTED')!
    ok(await alice.call('passes.undo', { params: { id, recordId }, body: {} }))
    expect((await overview(id)).lastMinutes.find(({ at }) => at === minute)!.entries).toBe(0)
  })

  test('shows the gates that have not ended, with the scans of their devices', async () => {
    const { id } = await withPasses(alice)
    const pass = await issueOne(alice, id)
    const [door, other] = [await createGate(alice, id, { name: 'Door' }), await createGate(alice, id)]
    ok(await alice.call('activityGates.revoke', { params: { id, gateId: other.id } }))
    const device = await deviceAt(server, door)
    for (let i = 0; i < 2; i++) ok(await scan(device, { passUuid: pass.uuid }))
    expect((await overview(id)).gates).toEqual([
      {
        gateId: door.id,
        name: 'Door',
        online: true,
        admitted: 1,
        refused: 1,
        waiting: 0,
        lastSeenAt: expect.any(Number),
      },
    ] as never)
  })

  test('is for those who may read check-ins', async () => {
    const { id } = await withPasses(alice, { visibility: 'PUBLIC' })
    const hidden = await createActivity(alice)
    expect((await bob.call('activities.overview', { params: { id } })).status).toBe(403)
    expect((await bob.call('activities.overview', { params: { id: hidden.id } })).status).toBe(404)
    expect((await server.call('activities.overview', { params: { id } })).status).toBe(401)
    const org = await createOrg(alice)
    await addMembers(alice, org, bob)
    const ofOrg = await withPasses(alice, { orgId: org.id })
    expect((await bob.call('activities.overview', { params: { id: ofOrg.id } })).status).not.toBe(200)
  })

  test('is 304 with the ETag of the last answer, until something has changed', async () => {
    const { id } = await withPasses(alice)
    const pass = await issueOne(alice, id)
    const path = `/api/activities/${id}/overview`
    const first = await alice.get(path)
    const etag = first.headers.get('etag')!
    expect([first.status, first.headers.get('cache-control')]).toEqual([200, 'private, no-cache'])
    // A new minute has begun in between if it is another one.
    const again = await alice.send('GET', path, { headers: { 'if-none-match': etag } })
    const present = (await alice.get(path)).headers.get('etag')
    if (present === etag) expect([again.status, again.text]).toEqual([304, ''])
    await redeemed(alice, id, { passUuid: pass.uuid })
    expect((await alice.send('GET', path, { headers: { 'if-none-match': present! } })).status).toBe(200)
  })
})
