/** Scans of gates without an account: what their tokens open, hide and count, and how they end. */

import { beforeAll, describe, expect, test } from 'bun:test'

import { allEndpoints } from '#app'
import { passUses } from '#db/schema/passes.ts'
import { refusedChecksJob } from '#domains/activities/gates/gates.jobs.ts'
import { setOrgStatus } from '#domains/orgs/index.ts'
import { DAY, HOUR, MINUTE, SECOND } from '#platform/clock.ts'

import { inProcess, ok, type Person, race, startServer, until, useServer } from '../harness/index.ts'
import { createOrg } from '../orgs/helpers.ts'
import { issueOne, nonce, redeemed, revoke as revokePass, usesOf } from './gate-helpers.ts'
import { createGate, type Device, deviceAt, gateOf, scan, searchFrom, undoAt, uploadFrom } from './gate-link-helpers.ts'
import { getActivity, setStatus, update } from './helpers.ts'
import { issued, withPasses } from './pass-helpers.ts'

const { server, alice } = useServer({ people: ['alice'] })

const revoke = async (person: Person, id: number, gateId: number) =>
  ok(await person.call('activityGates.revoke', { params: { id, gateId } }))
const renew = async (person: Person, id: number, gateId: number) =>
  ok(await person.call('activityGates.renew', { params: { id, gateId } })).data
const addList = async (id: number, fields: object = {}) =>
  ok(await alice.call('checkInLists.create', { params: { id }, body: { name: 'Workshop', ...fields } })).data

/** An activity with a gate, a device of it and a pass. */
async function atGate(fields: object = {}, opening: { name?: string } = {}) {
  const { id } = await withPasses(alice)
  const gate = await createGate(alice, id, fields)
  return { id, gate, device: await deviceAt(server, gate, opening), pass: await issueOne(alice, id) }
}

describe('the token of a gate', () => {
  let device: Device
  beforeAll(async () => {
    device = (await atGate()).device
  })

  test('is an unknown token for every operation that takes those of users', async () => {
    const unknown = await server.request('GET', '/api/auth/userinfo', { token: 'tgt_unknown' })
    const others = allEndpoints.filter(
      ({ access, opensSocket }) => !['open', 'gate', 'key'].includes(access.kind) && !opensSocket,
    )
    expect(others.length).toBeGreaterThan(450)
    const wrong: string[] = []
    for (const { id, method, path, body } of others) {
      const reply = await device.send(method, path.replaceAll(/:\w+/g, '1'), body && { body: {} })
      if (reply.status !== 401 || reply.message !== unknown.message)
        wrong.push(`${id} ${reply.status} ${reply.message}`)
    }
    expect(wrong).toEqual([])
  })

  test('is refused where a token is optional, and ignored where none is read', async () => {
    const [activity, pass] = [await withPasses(alice), await issueOne(alice, (await withPasses(alice)).id)]
    const path = `/api/activities/${activity.id}/pass/verify`
    const body = { passUuid: pass.uuid, redeem: true }
    expect((await device.send('POST', path, { body })).status).toBe(401)
    expect((await device.send('GET', `/api/activities/${activity.id}/pass/keys`)).status).toBe(200)
  })

  test('of a user opens no gate, and neither does an unknown one or none', async () => {
    for (const { method, path } of allEndpoints.filter(({ access }) => access.kind === 'gate')) {
      const at = path.replace(':id', '1')
      const options = method === 'POST' ? { body: {} } : {}
      expect((await alice.send(method, at, options)).status).toBe(401)
      expect((await server.request(method, at, options)).status).toBe(401)
      expect((await server.request(method, at, { ...options, token: 'tgt_unknown' })).status).toBe(401)
    }
  })

  test('opens one activity: passes and records of another one are not known there', async () => {
    const other = await atGate()
    const { use } = ok(await scan(other.device, { passUuid: other.pass.uuid })).data
    expect(ok(await scan(device, { passUuid: other.pass.uuid })).data).toMatchObject({
      valid: false,
      reason: 'WRONG_ACTIVITY',
      pass: null,
    })
    expect((await undoAt(device, use.id)).status).toBe(404)
    expect(ok(await searchFrom(device, other.pass.uuid)).data.items).toEqual([])
    const items = [{ passUuid: other.pass.uuid, nonce: nonce(), usedAt: server.clock.now() }]
    expect(ok(await uploadFrom(device, items)).data.items[0]).toMatchObject({
      result: 'REFUSED',
      reason: 'WRONG_ACTIVITY',
    })
    const list = await addList(other.id)
    expect((await scan(device, { passUuid: other.pass.uuid, listId: list.id })).status).toBe(400)
  })
})

describe('a scan', () => {
  test('counts a use, is answered without link, code and holder, and is a record of the gate', async () => {
    const { id, gate, device, pass } = await atGate({}, { name: 'Phone of Lin' })
    const { qrContent: _, publicUrl: __, holderUserId: ___, ...shown } = pass
    const first = ok(await scan(device, { content: pass.qrContent!, nonce: nonce() })).data
    expect(first).toEqual({
      valid: true,
      reason: null,
      undone: false,
      pass: { ...shown, status: 'USED', usedCount: 1, lastUsedAt: first.use.usedAt },
      use: expect.objectContaining({
        holderName: 'Lin Mei',
        result: 'ACCEPTED',
        verifierUserId: null,
        gate: { id: gate.id, name: 'Main entrance', deviceName: 'Phone of Lin' },
      }),
    })
    expect(ok(await scan(device, { passUuid: pass.uuid })).data).toMatchObject({ valid: false, reason: 'USED' })
    const { items } = await usesOf(alice, id)
    expect(items.map(({ result, verifierUserId, gate: by }) => [result, verifierUserId, by?.id])).toEqual([
      ['REFUSED', null, gate.id],
      ['ACCEPTED', null, gate.id],
    ])
    expect(items[1]).toEqual(first.use)
    expect((await getActivity(alice, id)).stats!.passUses).toBe(1)
    const seen = await gateOf(alice, id, gate.id)
    expect(seen).toMatchObject({ admitted: 1, devices: [{ admitted: 1, refused: 1 }] })
  })

  test('without redeem counts nothing, and a refused one is a record of the gate', async () => {
    const { id, gate, device, pass } = await atGate()
    const check = { redeem: false, passUuid: pass.uuid }
    expect(ok(await scan(device, check)).data).toMatchObject({ valid: true, use: null, pass: { holderName: 'L**' } })
    await revokePass(alice, pass.id)
    expect(ok(await scan(device, check)).data).toMatchObject({ valid: false, reason: 'REVOKED', use: null })
    const { items } = await usesOf(alice, id)
    expect(items).toHaveLength(1)
    expect(items[0]).toMatchObject({ reason: 'REVOKED', verifierUserId: null, gate: { id: gate.id } })
    expect((await gateOf(alice, id, gate.id)).devices[0]!).toMatchObject({ admitted: 0, refused: 1 })
  })

  test('of one pass at 20 devices and by 20 requests of managers at once is accepted once', async () => {
    const { id } = await withPasses(alice)
    const gate = await createGate(alice, id, { maxDevices: 20 })
    const devices = await Promise.all(Array.from({ length: 20 }, () => deviceAt(server, gate)))
    const pass = await issueOne(alice, id)
    const body = { passUuid: pass.uuid }
    const valid = await race(40, async (i) =>
      i % 2 === 0 ? ok(await scan(devices[i / 2]!, body)).data.valid : (await redeemed(alice, id, body)).valid,
    )
    expect(valid.filter(Boolean)).toHaveLength(1)
    const { admitted, devices: numbers } = await gateOf(alice, id, gate.id)
    const { items } = await usesOf(alice, id)
    const ofGate = items.filter((use) => use.gate !== null)
    expect(ofGate).toHaveLength(20)
    expect(admitted).toBe(ofGate.filter(({ result }) => result === 'ACCEPTED').length)
    expect(numbers.reduce((sum, { refused }) => sum + refused, 0)).toBe(20 - admitted)
  })

  test('of a gate for entries or for exits is refused in the other direction', async () => {
    const { id, device, pass } = await atGate({ direction: 'ENTRY' })
    const exits = await deviceAt(server, await createGate(alice, id, { direction: 'EXIT' }))
    const body = { passUuid: pass.uuid }
    expect((await scan(device, { ...body, direction: 'EXIT' })).status).toBe(403)
    expect((await scan(exits, { ...body, direction: 'ENTRY' })).status).toBe(403)
    expect(ok(await scan(device, body)).data.use.direction).toBe('ENTRY')
    expect(ok(await scan(exits, body)).data.use.direction).toBe('EXIT')
    const later = [{ ...body, nonce: nonce(), usedAt: server.clock.now(), direction: 'EXIT' as const }]
    expect(ok(await uploadFrom(device, later)).data.items[0]).toMatchObject({ result: 'REFUSED', reason: 'USED' })
    ok(await scan(device, body))
    const exit = [{ ...body, nonce: nonce(), usedAt: server.clock.now() + SECOND, direction: 'EXIT' as const }]
    expect(ok(await uploadFrom(device, exit)).data.items[0]).toMatchObject({ reason: 'GATE_NOT_ALLOWED' })
  })

  test.if(inProcess)('of a gate is kept when the job deletes refused checks of other people', async () => {
    await using own = await startServer({ noAdmin: true })
    const owner = await own.person()
    const { id } = await withPasses(owner)
    const device = await deviceAt(own, await createGate(owner, id))
    const passUuid = (await issueOne(owner, id)).uuid
    for (let i = 0; i < 2; i++) ok(await scan(device, { passUuid }))
    ok(await own.call('passes.verify', { params: { id }, body: { passUuid } }))
    const rows = () => own.ctx.db.read.select().from(passUses)
    expect(await rows()).toHaveLength(3)
    own.clock.advance(31 * DAY)
    await refusedChecksJob.run(own.ctx)
    expect((await rows()).map(({ result, gateId }) => [result, gateId !== null])).toEqual([
      ['ACCEPTED', true],
      ['REFUSED', true],
    ])
  })

  test('beyond 60,000 redemptions an hour is refused, for all devices of a gate together', async () => {
    await using limited = await startServer({ rateLimit: true, noAdmin: true })
    const owner = await limited.person()
    const { id } = await withPasses(owner)
    const gate = await createGate(owner, id)
    const [one, two] = [await deviceAt(limited, gate), await deviceAt(limited, gate)]
    const other = await deviceAt(limited, await createGate(owner, id))
    const item = { passUuid: 'x', usedAt: limited.clock.now() }
    const thousand = () => Array.from({ length: 1000 }, () => ({ ...item, nonce: nonce() }))
    if (inProcess) {
      const key = `redemptions of a gate:gate:${gate.id}`
      await limited.ctx.exactLimiter.takeAll([{ key, limit: 60_000, windowMs: HOUR, cost: 59_000 }])
      ok(await uploadFrom(one, thousand()))
      expect(await scan(two, { passUuid: 'x' })).toMatchObject({ status: 429, code: 4022 })
    }
    ok(await scan(other, { passUuid: 'x' }))
  })
})

describe('with showNames: false', () => {
  const NAME = 'Zhang Unforgettable'

  test('no answer contains a name or a field: scans, records, errors and uploads', async () => {
    const { id } = await withPasses(alice)
    const template = ok(
      await alice.call('passTemplates.create', {
        body: { name: 'Card', fields: [{ key: 'seat', label: 'Seat' }] },
      }),
    ).data
    const make = async (maxUses = 1) =>
      (await issued(alice, id, { holderName: NAME, templateId: template.id, maxUses, fields: { seat: NAME } }))[0]!
    const gate = await createGate(alice, id, { showNames: false })
    const device = await deviceAt(server, gate)
    const [pass, other, revoked] = [await make(), await make(0), await make()]
    ok(await alice.call('passes.revoke', { params: { passId: revoked.id }, body: { reason: `Lost by ${NAME}` } }))
    const first = ok(await scan(device, { content: pass.qrContent!, nonce: 'a-nonce-of-names' }))
    expect(first.data.pass).toMatchObject({ holderName: 'Z**', fields: [] })
    expect(first.data.use.holderName).toBe('Z**')
    const ofManager = await redeemed(alice, id, { passUuid: other.uuid, nonce: 'a-nonce-of-a-manager' })
    const second = ok(await scan(device, { passUuid: other.uuid }))
    const third = ok(await scan(device, { passUuid: other.uuid }))
    const replies = [
      first,
      second,
      await scan(device, { passUuid: pass.uuid }),
      await scan(device, { passUuid: revoked.uuid }),
      await scan(device, { passUuid: pass.uuid, redeem: false }),
      // The nonce of a manager, of the same pass and of another one.
      await scan(device, { passUuid: other.uuid, nonce: 'a-nonce-of-a-manager' }),
      await scan(device, { passUuid: pass.uuid, nonce: 'a-nonce-of-a-manager' }),
      await scan(device, { passUuid: 'nothing' }),
      await uploadFrom(device, [
        { passUuid: pass.uuid, nonce: nonce(), usedAt: server.clock.now() },
        { passUuid: pass.uuid, nonce: 'a-nonce-of-names', usedAt: server.clock.now() },
      ]),
      await uploadFrom(device, [{ passUuid: pass.uuid, nonce: 'a-nonce-of-a-manager', usedAt: 1 }]),
      await undoAt(device, second.data.use.id),
      await undoAt(device, third.data.use.id, { reason: 'Twice' }),
      await undoAt(device, third.data.use.id),
      await undoAt(device, ofManager.use!.id),
      await device.send('GET', '/public/gate'),
      await device.send('GET', '/public/gate/revocations'),
      await searchFrom(device, 'Zhang'),
    ]
    for (const { text } of replies) expect(text).not.toContain('Unforgettable')
    expect(replies.map(({ status }) => status)).toEqual([
      200, 200, 200, 200, 200, 200, 400, 200, 200, 400, 400, 200, 200, 404, 200, 200, 403,
    ])
    expect(replies[5]!.data.use).toMatchObject({ holderName: 'Z**', verifierUserId: null, gate: null })
  })

  test('the reason of a manager and the manager who has undone a scan are not shown', async () => {
    const { id, device, pass } = await atGate({ showNames: false })
    const { use } = ok(await scan(device, { passUuid: pass.uuid, nonce: 'undone-by-a-manager' })).data
    const body = { reason: 'It was Lin' }
    ok(await alice.call('passes.undo', { params: { id, recordId: use.id }, body }))
    const again = ok(await scan(device, { passUuid: pass.uuid, nonce: 'undone-by-a-manager' })).data
    expect(again).toMatchObject({ valid: true, undone: true, use: { undoneBy: null, undoReason: null } })
    expect(ok(await undoAt(device, use.id)).data).toMatchObject({ undoneBy: null, undoReason: null })
  })
})

describe('search', () => {
  test('finds at most 20 passes by a part of the name, without links and codes', async () => {
    const { id, device } = await atGate()
    const items = Array.from({ length: 25 }, (_, i) => ({ name: `Guest ${i + 1}` }))
    ok(await alice.call('passes.issue', { params: { id }, body: { holders: items } }))
    const { data } = ok(await searchFrom(device, 'guest'))
    expect(data.items).toHaveLength(20)
    expect(data.total).toBe(25)
    for (const pass of data.items)
      expect(Object.keys(pass)).not.toContainAnyValues(['qrContent', 'publicUrl', 'holderUserId'])
    expect(
      ok(await searchFrom(device, 'Guest 17')).data.items.map(({ holderName }: { holderName: string }) => holderName),
    ).toEqual(['Guest 17'])
    const [found] = ok(await searchFrom(device, 'Guest 17')).data.items
    expect(ok(await scan(device, { passUuid: found.uuid })).data.valid).toBe(true)
    expect((await searchFrom(device, 'G')).status).toBe(400)
  })

  test('is for gates that may, 60 times a minute for each device', async () => {
    const { device } = await atGate({ canSearch: false })
    expect((await searchFrom(device, 'Lin')).status).toBe(403)
    await using limited = await startServer({ rateLimit: true, noAdmin: true })
    const owner = await limited.person()
    const activity = await withPasses(owner)
    const gate = await createGate(owner, activity.id)
    const [one, two] = [await deviceAt(limited, gate), await deviceAt(limited, gate)]
    const statuses: number[] = []
    for (let i = 0; i < 61; i++) statuses.push((await searchFrom(one, 'Lin')).status)
    expect(statuses).toEqual([...Array.from({ length: 60 }, () => 200), 429])
    expect((await searchFrom(two, 'Lin')).status).toBe(200)
    const { devices } = await gateOf(owner, activity.id, gate.id)
    expect(devices.map(({ searches }) => searches)).toEqual([60, 1])
  })
})

describe('undo', () => {
  test('takes back scans of any device of the gate for 15 minutes, and counts them nowhere', async () => {
    const { id, gate, device, pass } = await atGate()
    const other = await deviceAt(server, gate)
    const { use } = ok(await scan(device, { passUuid: pass.uuid })).data
    server.clock.advance(14 * MINUTE)
    const undone = ok(await undoAt(other, use.id, { reason: 'Wrong person' })).data
    expect(undone).toMatchObject({ undoneBy: { gateId: gate.id, name: 'Main entrance' }, undoReason: 'Wrong person' })
    expect((await usesOf(alice, id)).items).toEqual([undone])
    expect((await getActivity(alice, id)).stats!.passUses).toBe(0)
    expect((await gateOf(alice, id, gate.id)).admitted).toBe(0)
    server.clock.advance(HOUR)
    expect(ok(await undoAt(device, use.id)).data).toEqual(undone)
    const next = ok(await scan(device, { passUuid: pass.uuid })).data.use
    server.clock.advance(16 * MINUTE)
    expect(await undoAt(device, next.id)).toMatchObject({ status: 400, message: expect.stringContaining('15 minutes') })
    ok(await alice.call('passes.undo', { params: { id, recordId: next.id }, body: {} }))
    expect((await gateOf(alice, id, gate.id)).admitted).toBe(0)
  })

  test('is for gates that may, and not of scans of managers and other gates', async () => {
    const { id, device, pass } = await atGate()
    const cannot = await deviceAt(server, await createGate(alice, id, { canUndo: false }))
    const { use } = ok(await scan(cannot, { passUuid: pass.uuid })).data
    expect((await undoAt(cannot, use.id)).status).toBe(403)
    expect((await undoAt(device, use.id)).status).toBe(404)
    const refused = ok(await scan(device, { passUuid: pass.uuid })).data.use
    expect((await undoAt(device, refused.id)).status).toBe(400)
    const ofManager = await redeemed(alice, id, { passUuid: (await issueOne(alice, id)).uuid })
    expect((await undoAt(device, ofManager.use!.id)).status).toBe(404)
    expect((await undoAt(device, 999_999)).status).toBe(404)
  })

  test('by 20 requests of two devices at once changes one use', async () => {
    const { id, gate, device, pass } = await atGate()
    const other = await deviceAt(server, gate)
    const { use } = ok(await scan(device, { passUuid: pass.uuid })).data
    const replies = await race(20, (i) => undoAt(i % 2 === 0 ? device : other, use.id))
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]))
    expect((await gateOf(alice, id, gate.id)).admitted).toBe(0)
    expect((await getActivity(alice, id)).stats!.passUses).toBe(0)
  })
})

describe('check-in lists', () => {
  test('limit a gate to those that it names', async () => {
    const { id } = await withPasses(alice)
    const [one, two] = [await addList(id), await addList(id, { name: 'Dinner' })]
    const gate = await createGate(alice, id, { listIds: [one.id] })
    expect(gate.listIds).toEqual([one.id])
    const device = await deviceAt(server, gate)
    const state = ok(await device.send('GET', '/public/gate')).data
    expect(state.lists).toEqual([one])
    expect(state.gate.listIds).toEqual([one.id])
    const pass = await issueOne(alice, id)
    const body = { passUuid: pass.uuid }
    expect((await scan(device, body)).status).toBe(403)
    expect((await scan(device, { ...body, listId: two.id })).status).toBe(403)
    expect((await scan(device, { ...body, listId: 999_999 })).status).toBe(403)
    expect((await scan(device, { ...body, listId: two.id, redeem: false })).status).toBe(403)
    expect((await device.send('GET', '/public/gate/revocations', { query: { listId: two.id } })).status).toBe(403)
    const revocations = ok(await device.send('GET', '/public/gate/revocations', { query: { listId: one.id } })).data
    expect(revocations.list.id).toBe(one.id)
    expect(ok(await scan(device, { ...body, listId: one.id })).data).toMatchObject({
      valid: true,
      use: { list: { id: one.id } },
    })
    const usedAt = server.clock.now()
    const items = [
      { ...body, nonce: nonce(), usedAt, listId: two.id },
      { ...body, nonce: nonce(), usedAt },
      { ...body, nonce: nonce(), usedAt, listId: one.id },
    ]
    expect(ok(await uploadFrom(device, items)).data.items.map(({ reason }: { reason: string }) => reason)).toEqual([
      'GATE_NOT_ALLOWED',
      'GATE_NOT_ALLOWED',
      'USED',
    ])
    expect(await gateOf(alice, id, gate.id)).toMatchObject({ admitted: 1, devices: [{ admitted: 1, refused: 3 }] })
    // The use on the list is not one of the entrance.
    const entrance = await deviceAt(server, await createGate(alice, id, { listIds: [null, two.id] }))
    expect(ok(await scan(entrance, body)).data.valid).toBe(true)
    expect((await scan(entrance, { ...body, listId: one.id })).status).toBe(403)
  })

  test('must be those of the activity, and one stays while a gate is for it only', async () => {
    const [{ id }, other] = [await withPasses(alice), await withPasses(alice)]
    const [one, two, foreign] = [await addList(id), await addList(id), await addList(other.id)]
    const create = (listIds: unknown) =>
      alice.send('POST', `/api/activities/${id}/gates`, { body: { name: 'Gate', listIds } })
    expect((await create([one.id, foreign.id])).details).toMatchObject([{ path: 'body.listIds.1' }])
    for (const listIds of [[], [one.id, one.id], 'x', [0]]) expect((await create(listIds)).status).toBe(400)
    const gate = await createGate(alice, id, { listIds: [one.id, two.id] })
    const remove = (listId: number) => alice.call('checkInLists.delete', { params: { id, listId } })
    ok(await remove(one.id))
    expect(await remove(two.id)).toMatchObject({ status: 400, message: expect.stringContaining('Main entrance') })
    const lists = ok(await alice.call('checkInLists.list', { params: { id } })).data
    expect(lists.items.map((list) => list.id)).toEqual([two.id])
    const change = (body: object) => alice.call('activityGates.update', { params: { id, gateId: gate.id }, body })
    expect(ok(await change({ name: 'Other' })).data.listIds).toEqual([one.id, two.id])
    ok(await change({ listIds: null }))
    ok(await remove(two.id))
    const three = await addList(id)
    ok(await change({ listIds: [three.id] }))
    await revoke(alice, id, gate.id)
    ok(await remove(three.id))
  })
})

describe('the end of a gate', () => {
  const statusOf = async (device: Device) => (await device.send('GET', '/public/gate')).status

  test.each([
    ['DELETE', 'organizer has ended', (id: number, gateId: number) => revoke(alice, id, gateId)],
    ['renew', 'replaced', (id: number, gateId: number) => renew(alice, id, gateId)],
    ['CANCELLED', 'cancelled', (id: number) => setStatus(alice, id, 'CANCELLED')],
    [
      'expiry',
      'expired',
      async (id: number, gateId: number) => {
        const expiresAt = server.clock.now() + MINUTE
        ok(await alice.call('activityGates.update', { params: { id, gateId }, body: { expiresAt } }))
        server.clock.advance(MINUTE)
      },
    ],
  ])('by %s ends its tokens at once, and says why', async (_, why, end) => {
    const { id, gate, device, pass } = await atGate()
    expect(await statusOf(device)).toBe(200)
    await end(id, gate.id)
    for (const reply of [
      await device.send('GET', '/public/gate'),
      await scan(device, { passUuid: pass.uuid }),
      await searchFrom(device, 'Lin'),
      await device.send('GET', '/public/gate/revocations'),
    ])
      expect(reply).toMatchObject({ status: 401, message: expect.stringContaining(why) })
    expect((await usesOf(alice, id)).total).toBe(0)
  })

  test('by the deletion of its activity ends uploads, too', async () => {
    const { id, device, pass } = await atGate()
    await setStatus(alice, id, 'ENDED')
    expect(await statusOf(device)).toBe(200)
    ok(await alice.call('passes.revoke', { params: { passId: pass.id }, body: {} }))
    ok(await alice.call('activities.delete', { params: { id } }))
    const items = [{ passUuid: pass.uuid, nonce: nonce(), usedAt: server.clock.now() }]
    for (const reply of [await device.send('GET', '/public/gate'), await uploadFrom(device, items)])
      expect(reply).toMatchObject({ status: 401, message: expect.stringContaining('deleted') })
  })

  test('with the account of the owner of a personal activity', async () => {
    const owner = await server.person()
    const device = await deviceAt(server, await createGate(owner, (await withPasses(owner)).id))
    expect(await statusOf(device)).toBe(200)
    ok(await owner.call('auth.deleteAccount'))
    expect(await statusOf(device)).toBe(401)
  })

  test.each([
    ['DELETE', (id: number, gateId: number) => revoke(alice, id, gateId)],
    ['renew', (id: number, gateId: number) => renew(alice, id, gateId)],
    ['CANCELLED', (id: number) => setStatus(alice, id, 'CANCELLED')],
  ])(
    'by %s while the device has no connection: scans from before count for 48 hours, and later ones are refused',
    async (_, end) => {
      const { id, gate, device, pass } = await atGate()
      const [late, never] = [await issueOne(alice, id), await issueOne(alice, id)]
      const item = (uuid: string) => ({ passUuid: uuid, nonce: nonce(), usedAt: server.clock.now() })
      const before = item(pass.uuid)
      server.clock.advance(HOUR)
      await end(id, gate.id)
      server.clock.advance(MINUTE)
      const after = item(late.uuid)
      const again = item(pass.uuid)
      server.clock.advance(46 * HOUR)
      const uploaded = ok(await uploadFrom(device, [before, after, again])).data.items
      expect(uploaded[0]).toMatchObject({ result: 'ACCEPTED', reason: null })
      for (const later of uploaded.slice(1)) expect(later).toMatchObject({ result: 'REFUSED' })
      if ((await getActivity(alice, id)).status === 'ACTIVE') expect(uploaded[1].reason).toBe('GATE_NOT_ALLOWED')
      expect(ok(await uploadFrom(device, [before])).data.items[0].result).toBe('DUPLICATE')
      const { items } = await usesOf(alice, id)
      expect(items.some(({ isDoubleUse }) => isDoubleUse)).toBe(false)
      expect(items.map(({ offline, gate: by }) => [offline, by?.id])).toEqual([
        [true, gate.id],
        [true, gate.id],
        [true, gate.id],
      ])
      expect((await gateOf(alice, id, gate.id)).admitted).toBe(1)
      server.clock.advance(2 * HOUR)
      const tooLate = await uploadFrom(device, [{ ...before, nonce: nonce(), passUuid: never.uuid }])
      expect(tooLate.status).toBe(401)
      expect((await usesOf(alice, id)).total).toBe(3)
    },
  )

  test('moves with the end of the activity', async () => {
    const start = server.clock.now()
    const { id } = await withPasses(alice, { startTime: start - HOUR, endTime: start + HOUR })
    const device = await deviceAt(server, await createGate(alice, id))
    server.clock.advance(13 * HOUR)
    expect(await statusOf(device)).toBe(401)
    ok(await update(alice, id, { endTime: server.clock.now() + HOUR }))
    expect(await statusOf(device)).toBe(200)
  })

  test.if(inProcess)('a DISABLED organization only interrupts it', async () => {
    const org = await createOrg(alice)
    const { id } = await withPasses(alice, { orgId: org.id })
    const device = await deviceAt(server, await createGate(alice, id))
    const set = (status: 'DISABLED' | 'ACTIVE') =>
      server.ctx.db.write('test', (tx) => setOrgStatus(server.ctx, tx, org.id, status))
    await set('DISABLED')
    expect(await statusOf(device)).toBe(403)
    await set('ACTIVE')
    expect(await statusOf(device)).toBe(200)
  })
})

test('a device that sends something is seen', async () => {
  const { id, gate, device } = await atGate()
  const before = (await gateOf(alice, id, gate.id)).devices[0]!.lastSeenAt
  server.clock.advance(MINUTE)
  ok(await device.send('GET', '/public/gate'))
  await until(async () => (await gateOf(alice, id, gate.id)).devices[0]!.lastSeenAt >= before + MINUTE)
})
