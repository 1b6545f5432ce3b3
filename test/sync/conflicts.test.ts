import { describe, expect, test } from 'bun:test'

import { sync } from '#domains/sync/index.ts'

import { send } from '../harness/client.ts'
import { inProcess, ok, type Person, startServer, useServer } from '../harness/index.ts'
import { person } from '../harness/people.ts'
import { addMembers, createOrg, leave, setRole } from '../orgs/helpers.ts'
import {
  conflictsOf,
  newCategory,
  newCode,
  otherDevice,
  push,
  pushOne,
  record,
  resolve,
  untilAfter,
} from './push-helpers.ts'

const { server, alice, bob } = useServer({ people: ['alice', 'bob'] })

/** A conflict about a code of the user: the push wins if it is `late`. */
async function conflict(user: Person, { late = false, name = 'of the phone' } = {}) {
  const created = await pushOne(user, newCode('before', { localId: crypto.randomUUID() }))
  const { serverId, localId } = created
  const put = ok(await user.put(`/api/qr-codes/${serverId}`, { name: 'of the server' }))
  expect(put.status).toBe(200)
  await untilAfter(server, created.updatedAt! + 5)
  const pushed = record({
    entity: 'qrCode',
    localId,
    baseVersion: 1,
    updatedAt: late ? Date.now() + 60_000 : 1,
    data: { name },
  })
  const result = await pushOne(user, pushed)
  expect(result.status).toBe(late ? 'APPLIED' : 'CONFLICT')
  return { serverId: serverId!, localId, pushed, id: result.conflictId!, version: result.version! }
}

describe('GET /api/sync/conflicts', () => {
  test('lists the open conflicts of the user, newest first, from all devices', async () => {
    const carol = await server.person('carol')
    const tablet = await otherDevice(server, carol)
    const first = await conflict(carol)
    const second = await conflict(tablet, { late: true })
    for (const device of [carol, tablet]) {
      const { data } = ok(await device.get('/api/sync/conflicts'))
      expect(data.total).toBe(2)
      expect(data.items.map(({ id }: { id: number }) => id)).toEqual([second.id, first.id])
    }
    const [late, early] = await conflictsOf(carol)
    expect(early).toEqual({
      id: first.id,
      entity: 'qrCode',
      serverId: first.serverId,
      localId: first.localId,
      deviceId: early!.deviceId,
      winner: 'SERVER',
      clientData: { name: 'of the phone' },
      serverData: early!.serverData,
      baseVersion: 1,
      serverVersion: 2,
      clientUpdatedAt: 1,
      serverUpdatedAt: early!.serverUpdatedAt,
      status: 'OPEN',
      acceptServer: null,
      createdAt: early!.createdAt,
      resolvedAt: null,
    })
    expect(early!.serverData).toMatchObject({ id: first.serverId, name: 'of the server', version: 2, orgId: null })
    expect(late).toMatchObject({ winner: 'CLIENT', serverData: { name: 'of the server' } })
    // The keys are those of the list of sessions.
    const sessions = ok(await carol.get('/api/auth/sessions')).data.items
    const keyOf = (user: Person) => sessions.find(({ id }: { id: number }) => id === user.sessionId).deviceId
    expect([early!.deviceId, late!.deviceId]).toEqual([keyOf(carol), keyOf(tablet)])
  })

  test('filters by status and entity, and pages', async () => {
    const dave = await server.person('dave')
    const codes = [await conflict(dave), await conflict(dave), await conflict(dave)]
    const created = await pushOne(dave, newCategory('a', { localId: 'category' }))
    await pushOne(await otherDevice(server, dave), { serverId: created.serverId, baseVersion: 1, data: { name: 'b' } })
    const category = await pushOne(dave, { localId: 'category', baseVersion: 1, updatedAt: 1, data: { name: 'c' } })
    ok(await resolve(dave, codes[0]!.id, true))
    const ids = async (query: Record<string, string>) => (await conflictsOf(dave, query)).map(({ id }) => id)
    const [one, two, three] = codes.map(({ id }) => id)
    const last = category.conflictId!
    expect(await ids({})).toEqual([last, three!, two!])
    expect(await ids({ status: 'OPEN', entity: 'qrCode' })).toEqual([three!, two!])
    expect(await ids({ status: 'RESOLVED' })).toEqual([one!])
    expect(await ids({ status: 'ALL' })).toEqual([last, three!, two!, one!])
    expect(await ids({ status: '', entity: '' })).toEqual([last, three!, two!])
    const page = ok(await dave.get('/api/sync/conflicts', { status: 'ALL', page: 2, size: 3 })).data
    expect(page).toMatchObject({ total: 4, page: 2, size: 3, items: [{ id: one! }] })
    for (const query of [{ status: 'open' }, { status: 'X' }, { entity: 'animal' }, { size: 0 }, { page: 0 }])
      expect((await dave.get('/api/sync/conflicts', query as never)).status).toBe(400)
  })

  test('shows no conflict of another user, and needs a signed-in user', async () => {
    await conflict(alice)
    expect((await conflictsOf(bob, { status: 'ALL' })).map(({ localId }) => localId)).toEqual([])
    expect((await server.request('GET', '/api/sync/conflicts')).status).toBe(401)
  })

  test('hides the state of a row whose organization the user may no longer read', async () => {
    const org = await createOrg(alice)
    await addMembers(alice, org, bob)
    await setRole(alice, org, bob, 'ADMIN')
    const { serverId } = await pushOne(alice, newCode('of all', {}, { orgId: org.id }))
    await pushOne(alice, { entity: 'qrCode', serverId, baseVersion: 1, data: { name: 'internal' } })
    const change = { entity: 'qrCode', serverId, baseVersion: 1, updatedAt: 1, data: { name: 'of Bob' } }
    expect(await pushOne(bob, change)).toMatchObject({ status: 'CONFLICT' })
    expect((await conflictsOf(bob))[0]).toMatchObject({ serverData: { name: 'internal' } })
    ok(await leave(bob, org))
    const [hidden] = await conflictsOf(bob)
    expect(hidden).toMatchObject({ serverData: { id: serverId }, clientData: { name: 'of Bob' } })
    expect(JSON.stringify(hidden)).not.toContain('internal')
  })

  test.if(inProcess)('keeps conflicts and results of pushes for 90 days', async () => {
    await using other = await startServer()
    const user = await other.person()
    const created = newCode('kept', { localId: 'kept', updatedAt: 1 })
    const { serverId } = await pushOne(user, created)
    ok(await user.put(`/api/qr-codes/${serverId}`, { name: 'of the server' }))
    const lost = { ...created, baseVersion: 1, data: { name: 'lost' } }
    expect((await pushOne(user, lost)).status).toBe('CONFLICT')
    const runJobs = async () => {
      for (const { name, run } of sync.jobs) if (name.startsWith('sync.deleteOld')) await run(other.ctx)
    }
    other.clock.advance(89 * 86_400_000)
    await runJobs()
    const again = await signedIn(other.url, user)
    expect(await conflictsOf(again, { status: 'ALL' })).toHaveLength(1)
    expect(await pushOne(again, lost)).toMatchObject({ status: 'CONFLICT', version: 2 })
    other.clock.advance(2 * 86_400_000)
    await runJobs()
    const later = await signedIn(other.url, user)
    expect(await conflictsOf(later, { status: 'ALL' })).toEqual([])
    // The record is judged again, by its version and time.
    expect(await pushOne(later, created)).toMatchObject({ status: 'CONFLICT', version: 2, serverId })
  })
})

/** A new session on the device: the former one has expired. */
async function signedIn(url: string, user: Person): Promise<Person> {
  const headers = { 'x-device-id': user.deviceId }
  const body = { account: user.username, password: user.password }
  const login = await send(url, 'POST', '/api/auth/login', { headers, body })
  return person(url, login, user.username, user.password, user.deviceId)
}

describe('POST /api/sync/resolve', () => {
  const nameOf = async (user: Person, id: number) => ok(await user.get(`/api/qr-codes/${id}`)).data.name

  test('keeps the state of the server with acceptServer true if it has won, and answers its version', async () => {
    const { id, serverId, localId } = await conflict(alice)
    expect(ok(await resolve(alice, id, true)).data).toEqual({
      conflictId: id,
      entity: 'qrCode',
      localId,
      serverId,
      version: 2,
      acceptServer: true,
    })
    expect(await nameOf(alice, serverId)).toBe('of the server')
    expect((await conflictsOf(alice, { status: 'RESOLVED' }))[0]).toMatchObject({
      id,
      acceptServer: true,
      status: 'RESOLVED',
    })
  })

  test('with acceptServer true sends the row again, also if another conflict about it is answered with false before', async () => {
    const { id, serverId, pushed } = await conflict(alice)
    const other = (await pushOne(alice, { ...pushed, updatedAt: 2 })).conflictId!
    const { serverTime } = ok(await alice.get('/api/sync/pull', { since: 0, limit: 2000 })).data
    ok(await resolve(alice, id, true))
    ok(await resolve(alice, other, false))
    const again = ok(await alice.get('/api/sync/pull', { since: serverTime })).data
    expect(again.changes.qrCode.updated.map((row: { id: number }) => row.id)).toEqual([serverId])
  })

  test('brings the state of the server back with acceptServer true if the client had won, as a new version', async () => {
    const { id, serverId, version } = await conflict(alice, { late: true })
    expect(version).toBe(3)
    expect(await nameOf(alice, serverId)).toBe('of the phone')
    expect(ok(await resolve(alice, id, true)).data).toMatchObject({ serverId, version: 4 })
    expect(await nameOf(alice, serverId)).toBe('of the server')
    // A client that now has version 4 can push on.
    const change = { entity: 'qrCode', serverId, baseVersion: 4, updatedAt: 1, data: { name: 'next' } }
    expect(await pushOne(alice, change)).toMatchObject({ status: 'APPLIED', version: 5 })
  })

  test('with acceptServer true deletes a row again that a push had brought back, also if it is a repeated answer', async () => {
    const { serverId, updatedAt } = await pushOne(alice, newCode('to and fro'))
    const tablet = await otherDevice(server, alice)
    const deleted = await pushOne(tablet, { entity: 'qrCode', serverId, baseVersion: 1, deleted: true })
    await untilAfter(server, Math.max(updatedAt!, deleted.updatedAt!))
    const back = await pushOne(alice, {
      entity: 'qrCode',
      serverId,
      baseVersion: 1,
      updatedAt: Date.now() + 9999,
      data: { name: 'back' },
    })
    expect(back).toMatchObject({ status: 'APPLIED', version: 3 })
    expect(await nameOf(alice, serverId!)).toBe('back')
    for (let i = 0; i < 2; i++)
      expect(ok(await resolve(alice, back.conflictId!, true)).data).toMatchObject({ version: 4 })
    expect((await alice.get(`/api/qr-codes/${serverId}`)).status).toBe(404)
  })

  test('with acceptServer true brings a row back that a push had deleted, without a category that is gone', async () => {
    const category = await pushOne(alice, newCategory('gone soon'))
    const code = await pushOne(alice, newCode('kept', {}, { categoryId: category.serverId }))
    ok(await alice.put(`/api/qr-codes/${code.serverId}`, { remark: 'changed' }))
    await untilAfter(server, code.updatedAt! + 5)
    const { serverId } = code
    const deleted = await pushOne(alice, {
      entity: 'qrCode',
      serverId,
      baseVersion: 1,
      updatedAt: Date.now() + 9999,
      deleted: true,
    })
    expect(deleted).toMatchObject({ status: 'APPLIED', version: 3 })
    ok(await alice.delete(`/api/categories/${category.serverId}`))
    ok(await alice.delete('/api/qr-codes/trash'))
    expect(ok(await resolve(alice, deleted.conflictId!, true)).data.version).toBeGreaterThan(3)
    expect(ok(await alice.get(`/api/qr-codes/${serverId}`)).data).toMatchObject({
      name: 'kept',
      remark: 'changed',
      categoryId: null,
    })
  })

  test('lets the next push with baseVersion 0 from the device overwrite the row with acceptServer false, whatever the times', async () => {
    const { id, serverId, localId, pushed } = await conflict(alice)
    expect(ok(await resolve(alice, id, false)).data).toMatchObject({ version: 0, acceptServer: false })
    // Other devices, and other versions, do not overwrite it.
    const tablet = await otherDevice(server, alice)
    expect((await pushOne(tablet, { ...pushed, serverId, baseVersion: 0 })).status).toBe('CONFLICT')
    expect((await pushOne(alice, { ...pushed, updatedAt: 2 })).status).toBe('CONFLICT')
    expect(await nameOf(alice, serverId)).toBe('of the server')
    const again = { ...pushed, baseVersion: 0 }
    const applied = await pushOne(alice, again)
    expect(applied).toMatchObject({ status: 'APPLIED', version: 3 })
    expect(applied.conflictId).toBeUndefined()
    expect(await nameOf(alice, serverId)).toBe('of the phone')
    expect(await pushOne(alice, again)).toEqual(applied)
    // Once only.
    const more = record({ entity: 'qrCode', localId, baseVersion: 0, updatedAt: 3, data: { name: 'more' } })
    expect((await pushOne(alice, more)).status).toBe('CONFLICT')
  })

  test('lets the same record come again with acceptServer false if its version was 0', async () => {
    const tablet = await otherDevice(server, alice)
    const { serverId } = await pushOne(alice, newCode('here before'))
    const lost = record({
      entity: 'qrCode',
      serverId,
      localId: 'again',
      baseVersion: 0,
      updatedAt: 1,
      data: { name: 'mine' },
    })
    const refused = await pushOne(tablet, lost)
    expect(refused.status).toBe('CONFLICT')
    ok(await resolve(tablet, refused.conflictId!, false))
    expect(await pushOne(tablet, lost)).toMatchObject({ status: 'APPLIED', version: 2 })
    expect(await nameOf(alice, serverId!)).toBe('mine')
  })

  test('a record that is rejected does not use up the permission to overwrite', async () => {
    const { id, pushed } = await conflict(alice)
    ok(await resolve(alice, id, false))
    expect((await pushOne(alice, { ...pushed, baseVersion: 0, data: { name: '' } })).status).toBe('REJECTED')
    expect(await pushOne(alice, { ...pushed, baseVersion: 0 })).toMatchObject({ status: 'APPLIED' })
  })

  test('can be repeated with the same answer, and is refused with 400 for the other one', async () => {
    for (const acceptServer of [true, false]) {
      const { id } = await conflict(alice)
      const { data } = ok(await resolve(alice, id, acceptServer))
      expect(ok(await resolve(alice, id, acceptServer)).data).toEqual(data)
      expect((await resolve(alice, id, !acceptServer)).status).toBe(400)
    }
  })

  test('of 20 answers at once, those that are equal to the first succeed and the others are refused', async () => {
    const { id, serverId } = await conflict(alice, { late: true })
    const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => resolve(alice, id, i % 2 === 0)))
    const [resolved] = await conflictsOf(alice, { status: 'RESOLVED' })
    expect(resolved!.id).toBe(id)
    for (const [i, { status }] of answers.entries())
      expect(status).toBe((i % 2 === 0) === resolved!.acceptServer ? 200 : 400)
    const change = { entity: 'qrCode', serverId, baseVersion: resolved!.acceptServer ? 4 : 3, data: { name: 'next' } }
    expect((await pushOne(alice, { ...change, updatedAt: 1 })).status).toBe('APPLIED')
  })

  test('answers 404 for conflicts of other users and unknown ones, and 400 for a body that does not fit', async () => {
    const { id } = await conflict(alice)
    expect((await resolve(bob, id, true)).status).toBe(404)
    expect((await resolve(alice, 999_999_999, true)).status).toBe(404)
    for (const body of [
      {},
      { conflictId: id },
      { acceptServer: true },
      { conflictId: id, acceptServer: 'true' },
      { conflictId: id, acceptServer: 1 },
      { conflictId: id, acceptServer: null },
      { conflictId: String(id), acceptServer: true },
      { conflictId: 0, acceptServer: true },
    ])
      expect((await alice.post('/api/sync/resolve', body)).status).toBe(400)
    expect(
      (await server.request('POST', '/api/sync/resolve', { body: { conflictId: id, acceptServer: true } })).status,
    ).toBe(401)
    expect((await conflictsOf(alice)).map((one) => one.id)).toContain(id)
  })

  test('changes no row that the user may no longer change', async () => {
    const org = await createOrg(alice)
    await addMembers(alice, org, bob)
    await setRole(alice, org, bob, 'ADMIN')
    const { serverId, updatedAt } = await pushOne(alice, newCode('of all', {}, { orgId: org.id }))
    const second = await pushOne(alice, { entity: 'qrCode', serverId, baseVersion: 1, data: { name: 'second' } })
    await untilAfter(server, Math.max(updatedAt!, second.updatedAt!))
    const change = {
      entity: 'qrCode',
      serverId,
      baseVersion: 1,
      updatedAt: Date.now() + 9999,
      data: { name: 'of Bob' },
    }
    const { conflictId } = await pushOne(bob, change)
    await setRole(alice, org, bob, 'GUEST')
    expect((await resolve(bob, conflictId!, true)).status).toBe(403)
    ok(await leave(bob, org))
    expect((await resolve(bob, conflictId!, true)).status).toBe(404)
    expect(await nameOf(alice, serverId!)).toBe('of Bob')
    expect((await conflictsOf(bob)).map(({ id }) => id)).toContain(conflictId!)
    expect(await push(alice, record({ entity: 'qrCode', serverId, baseVersion: 3, deleted: true }))).toMatchObject([
      { status: 'APPLIED' },
    ])
  })
})
