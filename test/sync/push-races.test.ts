/** Pushes at the same time as other pushes and changes of the same rows. */

import { describe, expect, test } from 'bun:test'

import { syncConflicts } from '#db/schema/sync.ts'
import { MAX_OPEN } from '#domains/sync/conflicts/conflicts.model.ts'
import { deviceOf } from '#domains/sync/devices/devices.service.ts'
import type { PushRecord, PushResult } from '#domains/sync/push/push.model.ts'
import { type Batch, judge, Known, learn } from '#domains/sync/push/records.service.ts'
import { entitiesOf } from '#domains/sync/sync.service.ts'

import { inProcess, ok, type Person, race, useServer } from '../harness/index.ts'
import { allPages } from '../qr-codes/helpers.ts'
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

const { server, alice } = useServer({ people: ['alice'], settings: { 'quota.qrCodes': 300 } })

/** The latest time that `Date` knows. */
const FAR_AHEAD = 8_640_000_000_000_000

const named = async (user: Person, prefix: string) =>
  (await allPages(user, '/api/qr-codes', 100)).filter(({ name }) => name.startsWith(prefix)).map(({ name }) => name)

test('the same push 50 times at once makes one row of each record', async () => {
  const records = [
    ...Array.from({ length: 20 }, (_, i) => newCode(`raced ${i}`, {}, { categoryId: 'raced' })),
    newCategory('raced', { localId: 'raced' }),
  ]
  const answers = await race(50, () => push(alice, ...records))
  expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
  expect(answers[0]!.map(({ status }) => status)).toEqual(records.map(() => 'APPLIED'))
  expect((await named(alice, 'raced')).toSorted()).toEqual(
    records
      .slice(0, 20)
      .map((_, i) => `raced ${i}`)
      .toSorted(),
  )
})

/** Judges the same record in 50 processes at once, as far as the database can tell: each has read everything before any of them writes. */
async function inManyProcesses(user: Person, one: ReturnType<typeof record>): Promise<PushResult[]> {
  const { ctx } = server
  const deviceKey: string = ok(await user.get('/api/auth/sessions')).data.items.find(
    (session: { id: number }) => session.id === user.sessionId,
  ).deviceId
  const actor = { userId: user.id, sessionId: user.sessionId, deviceKey }
  const caller = { requestId: '', ip: '', locale: 'en' as const, userAgent: '', deviceId: '', deviceName: '' }
  const kinds = new Map([...entitiesOf(ctx)].map(([name, entity]) => [name as string, { name, entity }]))
  const device = await deviceOf(ctx, actor)
  const batches = Array.from({ length: 50 }, (): Batch => ({
    ctx,
    author: { actor, caller },
    device,
    kinds,
    known: new Known(),
    repeated: new Set(),
  }))
  const given = one as PushRecord
  for (const batch of batches) await learn(batch, kinds.get(given.entity)!, [given])
  return race(50, (i) => judge(batches[i]!, given))
}

describe.if(inProcess)('a record that many processes judge at once', () => {
  test('creates one row', async () => {
    const results = await inManyProcesses(alice, newCode('one of many', { localId: 'one of many' }))
    expect(new Set(results.map((result) => JSON.stringify(result))).size).toBe(1)
    expect(results[0]).toMatchObject({ status: 'APPLIED', version: 1 })
    expect(await named(alice, 'one of many')).toHaveLength(1)
  })

  test('changes a row once', async () => {
    const { serverId } = await pushOne(alice, newCode('changed once', { localId: 'changed once' }))
    const change = record({ entity: 'qrCode', localId: 'changed once', baseVersion: 1, data: { remark: 'changed' } })
    const results = await inManyProcesses(alice, change)
    expect(new Set(results.map((result) => JSON.stringify(result))).size).toBe(1)
    expect(results[0]).toMatchObject({ status: 'APPLIED', version: 2, serverId })
  })

  test('makes one conflict, if it wins and if it loses', async () => {
    for (const updatedAt of [1, FAR_AHEAD]) {
      const localId = `conflict at ${updatedAt}`
      const created = await pushOne(alice, newCode('contested', { localId }))
      const put = ok(await alice.put(`/api/qr-codes/${created.serverId}`, { name: `of the server ${updatedAt}` }))
      await untilAfter(server, put.data.updatedAt)
      const change = record({ entity: 'qrCode', localId, baseVersion: 1, updatedAt, data: { name: 'of the phone' } })
      const results = await inManyProcesses(alice, change)
      expect(new Set(results.map((result) => JSON.stringify(result))).size).toBe(1)
      const mine = (await conflictsOf(alice)).filter((conflict) => conflict.localId === localId)
      expect(mine).toMatchObject([{ id: results[0]!.conflictId, winner: updatedAt === 1 ? 'SERVER' : 'CLIENT' }])
    }
  })

  test('overwrites a row once after its server state was rejected', async () => {
    const localId = 'forced once'
    const created = await pushOne(alice, newCode('contested', { localId }))
    ok(await alice.put(`/api/qr-codes/${created.serverId}`, { name: 'of the server' }))
    const change = record({ entity: 'qrCode', localId, baseVersion: 1, updatedAt: 1, data: { name: 'of the phone' } })
    const { conflictId } = await pushOne(alice, change)
    ok(await resolve(alice, conflictId!, false))
    const results = await inManyProcesses(alice, { ...change, baseVersion: 0 })
    expect(new Set(results.map((result) => JSON.stringify(result))).size).toBe(1)
    expect(results[0]).toMatchObject({ status: 'APPLIED', version: 3 })
    expect(results[0]!.conflictId).toBeUndefined()
  })
})

test('a push and an update of the same row at once lose neither change', async () => {
  for (let round = 0; round < 20; round++) {
    const localId = `push and update ${round}`
    const { serverId, updatedAt } = await pushOne(alice, newCode('before', { localId }))
    await untilAfter(server, updatedAt!)
    const pushed = record({ entity: 'qrCode', localId, baseVersion: 1, data: { name: 'pushed' } })
    pushed.updatedAt = round % 2 === 0 ? 1 : FAR_AHEAD
    const [[result], put] = await Promise.all([
      push(alice, pushed),
      alice.put(`/api/qr-codes/${serverId}`, { name: 'put' }),
    ])
    ok(put)
    const row = ok(await alice.get(`/api/qr-codes/${serverId}`)).data
    const conflict = (await conflictsOf(alice)).find((one) => one.localId === localId)
    if (result!.status === 'CONFLICT') {
      expect(row.name).toBe('put')
      expect(conflict).toMatchObject({ winner: 'SERVER', clientData: { name: 'pushed' }, serverData: { name: 'put' } })
    } else if (result!.conflictId === undefined) {
      // The update came after the push.
      expect(result).toMatchObject({ status: 'APPLIED', version: 2 })
      expect(row.name).toBe('put')
      expect(conflict).toBeUndefined()
    } else {
      expect(row.name).toBe('pushed')
      expect(conflict).toMatchObject({ id: result!.conflictId, winner: 'CLIENT', serverData: { name: 'put' } })
    }
  }
})

test('of 8 devices that change a row at once, one applies without a conflict and each other one makes a conflict', async () => {
  const erin = await server.person('erin')
  const devices = await race(8, () => otherDevice(server, erin))
  const { serverId, updatedAt } = await pushOne(erin, newCode('of many devices', { localId: 'of many devices' }))
  await untilAfter(server, updatedAt!)
  const results = await race(8, async (i) => {
    const change = { entity: 'qrCode', localId: `device ${i}`, serverId, baseVersion: 1, data: { name: `of ${i}` } }
    return (await pushOne(devices[i]!, change))!
  })
  const applied = results.filter(({ status }) => status === 'APPLIED')
  expect(applied.filter(({ conflictId }) => conflictId === undefined)).toHaveLength(1)
  expect(results.filter(({ conflictId }) => conflictId !== undefined)).toHaveLength(7)
  expect(applied.map(({ version }) => version!).toSorted((a, b) => a - b)).toEqual(applied.map((_, i) => i + 2))
  const last = results.findIndex(({ version, status }) => status === 'APPLIED' && version === applied.length + 1)
  expect(ok(await erin.get(`/api/qr-codes/${serverId}`)).data.name).toBe(`of ${last}`)
})

test('pushes at once stay within the quota, and records beyond it are rejected with 4022', async () => {
  const bob = await server.person('bob')
  const devices = await race(4, () => otherDevice(server, bob))
  const results = await race(4, (d) =>
    push(devices[d]!, ...Array.from({ length: 100 }, (_, i) => newCode(`${d} ${i}`))),
  )
  const all = results.flat()
  expect(all.filter(({ status }) => status === 'APPLIED')).toHaveLength(300)
  const refused = all.filter(({ status }) => status === 'REJECTED')
  expect(refused).toHaveLength(100)
  expect(new Set(refused.map(({ code }) => code))).toEqual(new Set([4022]))
  expect(await allPages(bob, '/api/qr-codes', 100)).toHaveLength(300)
})

test.if(inProcess)('a user has at most 10,000 open conflicts, also after pushes at once', async () => {
  const carol = await server.person('carol')
  const { serverId } = await pushOne(carol, newCode('contested'))
  ok(await carol.put(`/api/qr-codes/${serverId}`, { name: 'changed' }))
  const lost = () => record({ entity: 'qrCode', serverId, baseVersion: 1, updatedAt: 1, data: { name: 'lost' } })
  const [first] = await push(carol, lost())
  expect(first!.status).toBe('CONFLICT')
  const [{ id: _, ...row }] = (await server.ctx.db.read.select().from(syncConflicts)).filter(
    ({ userId }) => userId === carol.id,
  ) as [typeof syncConflicts.$inferSelect]
  await server.ctx.db.write('test.conflicts', async (tx) => {
    for (let i = 0; i < MAX_OPEN - 6; i += 500)
      await tx.insert(syncConflicts).values(Array.from({ length: Math.min(500, MAX_OPEN - 6 - i) }, () => row))
  })
  const devices = [carol, await otherDevice(server, carol)]
  const results = (await race(2, (i) => push(devices[i]!, ...Array.from({ length: 10 }, lost)))).flat()
  expect(results.filter(({ status }) => status === 'CONFLICT')).toHaveLength(5)
  expect(results.filter(({ code }) => code === 4022)).toHaveLength(15)
  ok(await resolve(carol, first!.conflictId!, true))
  expect((await pushOne(carol, lost())).status).toBe('CONFLICT')
})

test('more than 64 pushes of one user that wait at once are refused with 429', async () => {
  const dave = await server.person('dave')
  const big = Array.from({ length: 200 }, (_, i) => newCategory(`big ${i}`))
  const answers = await race(80, (i) =>
    dave.post('/api/sync/push', { records: i === 0 ? big : [newCategory(`small ${i}`)] }),
  )
  const statuses = answers.map(({ status, code }) => `${status} ${code}`)
  expect(new Set(statuses)).toEqual(new Set(['200 200', '429 4022']))
  expect(statuses.filter((status) => status.startsWith('200')).length).toBeGreaterThanOrEqual(64)
})
