/** Gates without an account: their links, devices and settings, as managers see them. */

import { describe, expect, test } from 'bun:test'

import { activityGates, gateDevices } from '#db/schema/activity-gates.ts'
import { setOrgStatus } from '#domains/orgs/index.ts'
import { DAY, HOUR, MINUTE } from '#platform/clock.ts'

import { inProcess, ok, type Person, race, startServer, useServer } from '../harness/index.ts'
import { addMembers, createOrg, setRole } from '../orgs/helpers.ts'
import { issueOne, usesOf } from './gate-helpers.ts'
import { createGate, deviceAt, deviceWith, gateOf, openGate, scan, searchFrom, secretOf } from './gate-link-helpers.ts'
import { setStatus, update } from './helpers.ts'
import { withPasses } from './pass-helpers.ts'

const { server, alice, bob, admin } = useServer({ people: ['alice', 'bob'] })

const revoke = (person: Person, id: number, gateId: number) =>
  person.call('activityGates.revoke', { params: { id, gateId } })
const renew = (person: Person, id: number, gateId: number) =>
  person.call('activityGates.renew', { params: { id, gateId } })
const change = (person: Person, id: number, gateId: number, body: object) =>
  person.call('activityGates.update', { params: { id, gateId }, body })

describe('a gate', () => {
  test('has a link with the secret in the fragment, the defaults, and ends 12 hours after its activity', async () => {
    const activity = await withPasses(alice)
    const gate = await createGate(alice, activity.id)
    expect(gate).toEqual({
      id: expect.any(Number),
      name: 'Main entrance',
      url: expect.stringMatching(/\/console\/gate#[\w-]{43}$/),
      qrContent: gate.url,
      listIds: null,
      showNames: true,
      canUndo: true,
      canSearch: true,
      direction: 'BOTH',
      maxDevices: 5,
      devices: [],
      admitted: 0,
      expiresAt: null,
      endsAt: activity.endTime + 12 * HOUR,
      revokedAt: null,
      createdBy: alice.id,
      createdAt: expect.any(Number),
    })
    expect(await gateOf(alice, activity.id, gate.id)).toEqual(gate)
    const device = await deviceAt(server, gate)
    ok(await update(alice, activity.id, { endTime: activity.endTime + DAY }))
    expect((await gateOf(alice, activity.id, gate.id)).endsAt).toBe(activity.endTime + DAY + 12 * HOUR)
    expect(ok(await device.send('GET', '/public/gate')).data.gate.expiresAt).toBe(activity.endTime + DAY + 12 * HOUR)
  })

  test('is changed field by field, and null sets a default', async () => {
    const { id } = await withPasses(alice)
    const gate = await createGate(alice, id, { showNames: false, canSearch: true, maxDevices: 2, direction: 'EXIT' })
    expect(gate).toMatchObject({ showNames: false, canSearch: false, canUndo: true, maxDevices: 2, direction: 'EXIT' })
    const expiresAt = server.clock.now() + HOUR
    const changed = ok(await change(alice, id, gate.id, { name: 'Back', canUndo: false, expiresAt })).data
    expect(changed).toEqual({ ...gate, name: 'Back', canUndo: false, expiresAt, endsAt: expiresAt })
    const reset = {
      showNames: null,
      canSearch: null,
      canUndo: null,
      maxDevices: null,
      direction: null,
      expiresAt: null,
    }
    expect(ok(await change(alice, id, gate.id, reset)).data).toEqual({
      ...gate,
      name: 'Back',
      showNames: true,
      canSearch: true,
      maxDevices: 5,
      direction: 'BOTH',
    })
  })

  test.each([
    { name: '' },
    { name: 'x'.repeat(101) },
    { maxDevices: 0 },
    { maxDevices: 51 },
    { direction: 'IN' },
    { expiresAt: 1 },
    { showNames: 'no' },
  ])('is refused with %j, and nothing changes', async (fields) => {
    const { id } = await withPasses(alice)
    const gate = await createGate(alice, id)
    const body = { name: 'A', ...fields }
    expect((await alice.send('POST', `/api/activities/${id}/gates`, { body })).status).toBe(400)
    expect((await alice.send('PUT', `/api/activities/${id}/gates/${gate.id}`, { body: fields })).status).toBe(400)
    const { items } = ok(await alice.call('activityGates.list', { params: { id } })).data
    expect(items).toEqual([gate])
  })

  test('belongs to an activity that is not over', async () => {
    const { id } = await withPasses(alice)
    const gate = await createGate(alice, id)
    const past = await withPasses(alice, { startTime: server.clock.now() - 3 * DAY, endTime: server.clock.now() - DAY })
    const body = { name: 'Late' }
    const late = await alice.call('activityGates.create', { params: { id: past.id }, body })
    expect(late).toMatchObject({ status: 400, details: [{ path: 'body.expiresAt' }] })
    await createGate(alice, past.id, { expiresAt: server.clock.now() + HOUR })
    await setStatus(alice, id, 'ENDED')
    expect((await alice.call('activityGates.create', { params: { id }, body })).status).toBe(400)
    expect((await change(alice, id, gate.id, { name: 'B' })).status).toBe(400)
    expect((await renew(alice, id, gate.id)).status).toBe(400)
    ok(await revoke(alice, id, gate.id))
  })

  test('is not there for others, and of other activities it is unknown', async () => {
    const [{ id }, other] = [await withPasses(alice, { visibility: 'PUBLIC' }), await withPasses(alice)]
    const gate = await createGate(alice, id)
    expect((await bob.call('activityGates.create', { params: { id }, body: { name: 'Mine' } })).status).toBe(403)
    expect((await bob.call('activityGates.list', { params: { id } })).status).toBe(403)
    for (const act of [revoke, renew, (p: Person, a: number, g: number) => change(p, a, g, { name: 'Mine' })]) {
      expect((await act(bob, id, gate.id)).status).toBe(403)
      expect((await act(alice, other.id, gate.id)).status).toBe(404)
      expect((await act(alice, id, 999_999)).status).toBe(404)
    }
    expect(await gateOf(alice, id, gate.id)).toEqual(gate)
  })

  test('is seen without its link by members who may only verify passes, and goes on when its creator leaves', async () => {
    const org = await createOrg(alice)
    const [member, verifier] = [await server.person(), await server.person()]
    await addMembers(alice, org, member, verifier)
    await setRole(alice, org, member, 'ADMIN')
    const activity = await withPasses(alice, { orgId: org.id })
    const gate = await createGate(member, activity.id)
    expect(gate.createdBy).toBe(member.id)
    await setRole(alice, org, verifier, 'MEMBER')
    const seen = await verifier.call('activityGates.list', { params: { id: activity.id } })
    if (seen.status === 200) expect(seen.data.items[0]).toEqual({ ...gate, url: null, qrContent: null })
    else expect(seen.status).toBe(403)
    const device = await deviceAt(server, gate)
    ok(await alice.send('DELETE', `/api/orgs/${org.id}/members/${member.id}`))
    ok(await device.send('GET', '/public/gate'))
    expect((await gateOf(alice, activity.id, gate.id)).url).toBe(gate.url)
  })

  test.if(inProcess)('keeps its secret encrypted, and of tokens and ids of devices only hashes', async () => {
    const { id } = await withPasses(alice)
    const gate = await createGate(alice, id)
    const device = await deviceAt(server, gate, { device: 'the-id-of-this-device' })
    const rows = JSON.stringify([
      await server.ctx.db.read.select().from(activityGates),
      await server.ctx.db.read.select().from(gateDevices),
    ])
    for (const text of [secretOf(gate), device.token, 'the-id-of-this-device']) expect(rows).not.toContain(text)
  })

  test('of an activity are at most 50 that have not ended, also if many are created at once', async () => {
    const { id } = await withPasses(alice)
    const gates = []
    for (let i = 0; i < 48; i++) gates.push(await createGate(alice, id, { expiresAt: server.clock.now() + HOUR }))
    const replies = await race(10, () => alice.call('activityGates.create', { params: { id }, body: { name: 'Next' } }))
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(2)
    expect(replies.filter(({ status, code }) => status === 429 && code === 4022)).toHaveLength(8)
    ok(await revoke(alice, id, gates[0]!.id))
    await createGate(alice, id)
    server.clock.advance(HOUR)
    await createGate(alice, id)
    const expiresAt = server.clock.now() + HOUR
    expect(ok(await change(alice, id, gates[1]!.id, { expiresAt })).data.endsAt).toBe(expiresAt)
  })
})

describe('the link', () => {
  test('opens the gate on a device, which gets a token, the gate, the activity and the keys, and no secret', async () => {
    const activity = await withPasses(alice, { location: 'Boathouse', timeZone: 'Asia/Kathmandu' })
    const gate = await createGate(alice, activity.id, { showNames: false })
    const reply = ok(await openGate(server, secretOf(gate), { name: 'Phone of Lin' }))
    const { token, ...rest } = reply.data
    expect(token).toMatch(/^tgt_[\w-]{43}$/)
    expect(rest).toEqual({
      expiresAt: activity.endTime + 12 * HOUR,
      gate: {
        id: gate.id,
        name: 'Main entrance',
        device: { id: expect.any(Number), name: 'Phone of Lin' },
        listIds: null,
        showNames: false,
        canUndo: true,
        canSearch: false,
        direction: 'BOTH',
        expiresAt: activity.endTime + 12 * HOUR,
      },
      activity: {
        id: activity.id,
        name: activity.name,
        startTime: activity.startTime,
        endTime: activity.endTime,
        timeZone: 'Asia/Kathmandu',
        location: 'Boathouse',
        status: 'ACTIVE',
      },
      lists: [],
      keys: ok(await alice.call('passes.keys', { params: { id: activity.id } })).data.keys,
    })
    expect(reply.headers.get('cache-control')).toBe('no-store')
    expect(reply.headers.get('referrer-policy')).toBe('no-referrer')
    expect(reply.headers.get('x-robots-tag')).toBe('noindex')
    const { expiresAt: _, ...state } = rest
    expect(ok(await deviceWith(server, token).send('GET', '/public/gate')).data).toEqual(state)
    expect((await gateOf(alice, activity.id, gate.id)).devices).toEqual([
      {
        id: rest.gate.device.id,
        name: 'Phone of Lin',
        lastSeenAt: expect.any(Number),
        admitted: 0,
        refused: 0,
        searches: 0,
        waiting: 0,
      },
    ])
  })

  test('that is unknown, altered, replaced, ended, expired, or of a cancelled or deleted activity is the same 404', async () => {
    const { id } = await withPasses(alice)
    const gates = [await createGate(alice, id), await createGate(alice, id)]
    const [revoked, renewed] = gates as [(typeof gates)[0], (typeof gates)[0]]
    ok(await revoke(alice, id, revoked.id))
    ok(await renew(alice, id, renewed.id))
    const expired = await createGate(alice, id, { expiresAt: server.clock.now() + MINUTE })
    const [cancelled, deleted] = [await withPasses(alice), await withPasses(alice)]
    const ofCancelled = await createGate(alice, cancelled.id)
    const ofDeleted = await createGate(alice, deleted.id)
    await setStatus(alice, cancelled.id, 'CANCELLED')
    await setStatus(alice, deleted.id, 'ENDED')
    ok(await alice.call('activities.delete', { params: { id: deleted.id } }))
    server.clock.advance(MINUTE)
    const secrets = [revoked, renewed, expired, ofCancelled, ofDeleted].map(secretOf)
    const texts = new Set<string>()
    for (const secret of [...secrets, 'x', `${secrets[0]}x`, secrets[0]!.toLowerCase()]) {
      const reply = await openGate(server, secret)
      expect(reply.status).toBe(404)
      texts.add(reply.message)
    }
    expect(texts.size).toBe(1)
    for (const body of [{ secret: 'x' }, { secret: 'x', deviceId: 'short' }, { deviceId: 'x'.repeat(20) }])
      expect((await server.request('POST', '/public/gate/session', { body })).status).toBe(400)
  })

  test('opens on as many devices as the gate may have: of 20 at once, five', async () => {
    const { id } = await withPasses(alice)
    const gate = await createGate(alice, id)
    const replies = await race(20, (i) =>
      openGate(server, secretOf(gate), { device: `one-of-many-devices-${i}`, name: `${i}` }),
    )
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(5)
    const refused = replies.filter(({ status }) => status === 403)
    expect(refused).toHaveLength(15)
    expect(refused[0]!.message).toContain('5 devices')
    expect((await gateOf(alice, id, gate.id)).devices).toHaveLength(5)
    // Those that have opened it can open it again.
    const opened = replies.findIndex(({ status }) => status === 200)
    ok(await openGate(server, secretOf(gate), { device: `one-of-many-devices-${opened}` }))
    ok(await change(alice, id, gate.id, { maxDevices: 6 }))
    ok(await openGate(server, secretOf(gate)))
    expect((await openGate(server, secretOf(gate))).status).toBe(403)
    ok(await change(alice, id, gate.id, { maxDevices: 1 }))
    expect((await gateOf(alice, id, gate.id)).devices).toHaveLength(6)
  })

  test('gives the same device a new token in place of the old one, and counts it once', async () => {
    const { id } = await withPasses(alice)
    const gate = await createGate(alice, id, { maxDevices: 1 })
    const replies = await race(20, () => openGate(server, secretOf(gate), { device: 'always-the-same-device' }))
    const tokens = replies.map((reply) => ok(reply).data.token as string)
    expect(new Set(tokens).size).toBe(20)
    const works = await Promise.all(tokens.map((token) => deviceWith(server, token).send('GET', '/public/gate')))
    expect(works.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(works.filter(({ status }) => status === 401)).toHaveLength(19)
    expect((await gateOf(alice, id, gate.id)).devices).toHaveLength(1)
  })

  test('counts only when it is wrong, because a venue shares an address', async () => {
    await using limited = await startServer({ rateLimit: true, noAdmin: true })
    const owner = await limited.person()
    const gate = await createGate(owner, (await withPasses(owner)).id, { maxDevices: 50 })
    const statuses = (await race(61, () => openGate(limited, 'wrong'))).map(({ status }) => status)
    // Signing in counts in the same limit.
    expect(statuses.filter((status) => status === 404).length).toBeWithin(50, 61)
    expect(new Set(statuses)).toEqual(new Set([404, 429]))
    const right = await race(30, () => openGate(limited, secretOf(gate)))
    expect(new Set(right.map(({ status }) => status))).toEqual(new Set([200]))
  })

  test('is replaced by another one, and the devices of the old one end', async () => {
    const { id } = await withPasses(alice)
    const gate = await createGate(alice, id, { maxDevices: 1 })
    const old = await deviceAt(server, gate, { device: 'one-device-two-links' })
    const pass = await issueOne(alice, id)
    ok(await scan(old, { passUuid: pass.uuid }))
    const renewed = ok(await renew(alice, id, gate.id)).data
    expect(renewed.url).not.toBe(gate.url)
    expect(renewed).toEqual({ ...gate, url: renewed.url, qrContent: renewed.url, admitted: 1 })
    expect(await old.send('GET', '/public/gate')).toMatchObject({
      status: 401,
      message: expect.stringContaining('new one'),
    })
    const next = await deviceAt(server, renewed, { device: 'one-device-two-links' })
    expect(next.id).not.toBe(old.id)
    expect((await gateOf(alice, id, gate.id)).devices.map((device) => device.id)).toEqual([next.id])
    expect((await openGate(server, secretOf(renewed))).status).toBe(403)
    expect((await usesOf(alice, id)).items[0]!.gate).toEqual({ id: gate.id, name: 'Main entrance', deviceName: null })
  })
})

describe('a device', () => {
  test('is shown to managers with its last request, the number of scans that wait on it, and that of its searches', async () => {
    const { id } = await withPasses(alice)
    const gate = await createGate(alice, id)
    const device = await deviceAt(server, gate)
    server.clock.advance(MINUTE)
    ok(await device.send('GET', '/public/gate', { query: { waiting: 7 } }))
    ok(await searchFrom(device, 'Lin'))
    ok(await searchFrom(device, 'Lin'))
    const shown = (await gateOf(alice, id, gate.id)).devices[0]!
    expect(shown).toMatchObject({ waiting: 7, searches: 2 })
    expect((await device.send('GET', '/public/gate', { query: { waiting: -1 } })).status).toBe(400)
    ok(await device.send('GET', '/public/gate'))
    expect((await gateOf(alice, id, gate.id)).devices[0]!.waiting).toBe(7)
  })
})

describe('administrators', () => {
  test('list and end the gates of any activity, without their links, and the log has each end once', async () => {
    const { id } = await withPasses(alice)
    const gate = await createGate(alice, id)
    const device = await deviceAt(server, gate)
    const listed = ok(await admin.call('admin.activityGates.list', { params: { activityId: id } })).data
    expect(listed.items).toEqual([{ ...(await gateOf(alice, id, gate.id)), url: null, qrContent: null }])
    const params = { activityId: id, gateId: gate.id }
    expect((await bob.call('admin.activityGates.revoke', { params })).status).toBe(403)
    ok(await admin.call('admin.activityGates.revoke', { params }))
    ok(await admin.call('admin.activityGates.revoke', { params }))
    expect((await device.send('GET', '/public/gate')).status).toBe(401)
    const log = ok(await admin.get('/api/admin/logs', { action: 'GATE_REVOKE' })).data
    expect(log.items).toHaveLength(1)
    expect(log.items[0]).toMatchObject({ targetId: gate.id, targetName: 'Main entrance' })
    expect(JSON.stringify(log)).not.toContain(secretOf(gate))
    const other = { activityId: (await withPasses(alice)).id, gateId: gate.id }
    expect((await admin.call('admin.activityGates.revoke', { params: other })).status).toBe(404)
    expect((await admin.call('admin.activityGates.list', { params: { activityId: 999_999 } })).status).toBe(404)
  })
})

test.if(inProcess)('a DISABLED organization has no gates that work, and none is changed', async () => {
  const org = await createOrg(alice)
  const activity = await withPasses(alice, { orgId: org.id })
  const gate = await createGate(alice, activity.id)
  const device = await deviceAt(server, gate)
  await server.ctx.db.write('test', (tx) => setOrgStatus(server.ctx, tx, org.id, 'DISABLED'))
  const body = { name: 'Next' }
  expect((await alice.call('activityGates.create', { params: { id: activity.id }, body })).status).toBe(403)
  expect((await change(alice, activity.id, gate.id, body)).status).toBe(403)
  expect((await renew(alice, activity.id, gate.id)).status).toBe(403)
  expect((await revoke(alice, activity.id, gate.id)).status).toBe(403)
  expect((await openGate(server, secretOf(gate))).status).toBe(403)
  expect((await device.send('GET', '/public/gate')).status).toBe(403)
  expect((await scan(device, { passUuid: 'x' })).status).toBe(403)
  expect((await device.send('POST', '/public/gate/redemptions', { body: { items: [] } })).status).toBe(403)
  expect(ok(await alice.call('activityGates.list', { params: { id: activity.id } })).data.total).toBe(1)
})
