/** A device that got no answer sends the same records again: nothing is done twice. */

import { describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { type Child, startChild } from '../chat/child-servers.ts'
import { send } from '../harness/client.ts'
import { freshDatabase } from '../harness/database.ts'
import { inProcess, ok, type Person, race, startServer, useServer } from '../harness/index.ts'
import { person } from '../harness/people.ts'
import { allPages } from '../qr-codes/helpers.ts'
import { changesOf, pull } from './changes.ts'
import { conflictsOf, newCategory, newCode, otherDevice, push, type Pushed, pushOne, record } from './push-helpers.ts'

const { server, alice } = useServer({ people: ['alice'] })

const codesNamed = async (user: Person, name: string) =>
  (await allPages(user, '/api/qr-codes', 100)).filter((code) => code.name === name)

test('the same records again give the same results and change nothing, whatever has happened meanwhile', async () => {
  const tablet = await otherDevice(server, alice)
  const records = [
    newCategory('repeated', { localId: 'repeated' }),
    newCode('repeated', { localId: 'repeated' }, { categoryId: 'repeated' }),
  ]
  const first = await push(alice, ...records)
  expect(await push(alice, ...records)).toEqual(first)
  const { serverId } = first[1]!
  ok(await alice.put(`/api/qr-codes/${serverId}`, { name: 'changed' }))
  expect(await push(alice, ...records)).toEqual(first)
  ok(await alice.delete(`/api/qr-codes/${serverId}`))
  ok(await alice.delete('/api/qr-codes/trash'))
  expect(await push(alice, ...records)).toEqual(first)
  expect((await alice.get(`/api/qr-codes/${serverId}`)).status).toBe(404)
  expect(await codesNamed(alice, 'repeated')).toEqual([])
  expect(await conflictsOf(tablet)).toEqual([])
})

describe('the next pull of the device that pushed has', () => {
  /** A device that has pulled everything, and its cursor. */
  async function upToDate(): Promise<{ device: Person; since: () => Promise<number> }> {
    const device = await otherDevice(server, alice)
    return { device, since: async () => (await pull(device, 0)).serverTime }
  }

  test('the deletion of a row whose creation is answered again, although an earlier pull had it', async () => {
    const { device, since } = await upToDate()
    const lost = [newCode('short', { localId: 'short' }), newCategory('life', { localId: 'life' })]
    const [code, category] = await push(device, ...lost)
    ok(await alice.delete(`/api/qr-codes/${code!.serverId}`))
    ok(await alice.delete(`/api/categories/${category!.serverId}`))
    const cursor = await since()
    expect(await push(device, ...lost)).toEqual([code!, category!])
    const { changes, serverTime } = await pull(device, cursor)
    expect(changes.qrCode).toEqual({ updated: [], deleted: [code!.serverId!] })
    expect(changes.category).toEqual({ updated: [], deleted: [category!.serverId!] })
    expect(changesOf((await pull(device, serverTime)).changes)).toEqual({})
  })

  test('the deletion also if it is the first pull of the device', async () => {
    const device = await otherDevice(server, alice)
    const lost = newCode('never pulled', { localId: 'never pulled' })
    const { serverId } = await pushOne(device, lost)
    ok(await alice.delete(`/api/qr-codes/${serverId}`))
    await pushOne(device, lost)
    expect((await pull(device, 0)).changes.qrCode.deleted).toEqual([serverId!])
  })

  test('the present row, which is later than the first result, also if the repeated record deletes it', async () => {
    const { device, since } = await upToDate()
    const created = newCode('first', { localId: 'again and again' })
    const { serverId } = await pushOne(device, created)
    ok(await alice.put(`/api/qr-codes/${serverId}`, { name: 'second' }))
    let cursor = await since()
    expect(await pushOne(device, created)).toMatchObject({ status: 'APPLIED', version: 1 })
    expect((await pull(device, cursor)).changes.qrCode.updated).toMatchObject([{ id: serverId, version: 2 }])
    const deleted = record({ entity: 'qrCode', localId: 'again and again', baseVersion: 2, deleted: true })
    expect(await pushOne(device, deleted)).toMatchObject({ status: 'APPLIED', version: 3 })
    ok(await alice.patch(`/api/qr-codes/trash/restore/${serverId}`))
    cursor = await since()
    expect(await pushOne(device, deleted)).toMatchObject({ status: 'APPLIED', version: 3 })
    expect((await pull(device, cursor)).changes.qrCode).toMatchObject({ updated: [{ id: serverId, version: 4 }] })
  })

  test('the row that won a conflict, although an earlier pull had it', async () => {
    const { device, since } = await upToDate()
    const { serverId } = await pushOne(device, newCode('contested again', { localId: 'contested again' }))
    ok(await alice.put(`/api/qr-codes/${serverId}`, { name: 'of the server' }))
    const cursor = await since()
    const old = { entity: 'qrCode', localId: 'contested again', baseVersion: 1, updatedAt: 1, data: { name: 'lost' } }
    expect(await pushOne(device, old)).toMatchObject({ status: 'CONFLICT', version: 2 })
    expect((await pull(device, cursor)).changes.qrCode.updated).toMatchObject([{ id: serverId, name: 'of the server' }])
  })

  test('nothing that other devices get too, and each repeated row once however often it is repeated', async () => {
    const { device, since } = await upToDate()
    const records = Array.from({ length: 30 }, (_, i) => newCode(`many ${i}`, { localId: `many ${i}` }))
    await push(device, ...records)
    const cursor = await since()
    await race(5, () => push(device, ...records))
    expect((await pull(device, cursor)).changes.qrCode.updated).toHaveLength(30)
    expect(changesOf((await pull(alice, cursor)).changes)).toEqual({})
  })
})

test('a record that a push contains twice is applied once', async () => {
  const twice = newCode('twice', { localId: 'twice' })
  const [one, other] = await push(alice, twice, twice)
  expect(one!.status).toBe('APPLIED')
  expect(other).toEqual(one!)
  expect(await codesNamed(alice, 'twice')).toHaveLength(1)
})

test('a rejected record is judged again when it comes again', async () => {
  const code = newCode('judged again', { localId: 'judged again' }, { categoryId: 'comes later' })
  expect((await pushOne(alice, code)).status).toBe('REJECTED')
  await pushOne(alice, newCategory('later', { localId: 'comes later' }))
  expect((await pushOne(alice, code)).status).toBe('APPLIED')
})

test('another time or version makes another record', async () => {
  const code = newCode('one', { localId: 'two records', updatedAt: 1000 })
  const [created] = await push(alice, code)
  const change = { ...code, baseVersion: 1, data: { name: 'two' } }
  expect(await pushOne(alice, change)).toMatchObject({ status: 'APPLIED', version: 2, serverId: created!.serverId })
  expect(await pushOne(alice, { ...change, updatedAt: 1001 })).toMatchObject({ status: 'APPLIED', version: 2 })
  expect(await pushOne(alice, change)).toMatchObject({ status: 'APPLIED', version: 2 })
})

test('a lost record that comes again makes no second conflict', async () => {
  const [created] = await push(alice, newCode('contested', { localId: 'contested' }))
  ok(await alice.put(`/api/qr-codes/${created!.serverId}`, { name: 'of the server' }))
  const lost = record({ entity: 'qrCode', localId: 'contested', baseVersion: 1, updatedAt: 1, data: { name: 'lost' } })
  const [first] = await push(alice, lost)
  expect(first!.status).toBe('CONFLICT')
  expect(await push(alice, lost, lost)).toEqual([first!, first!])
  expect((await conflictsOf(alice)).filter(({ localId }) => localId === 'contested')).toHaveLength(1)
})

test('devices have local ids of their own, and entities too', async () => {
  const tablet = await otherDevice(server, alice)
  const mine = await pushOne(alice, newCategory('of the phone', { localId: 'same id' }))
  const other = await pushOne(tablet, newCategory('of the tablet', { localId: 'same id' }))
  const code = await pushOne(alice, newCode('a code', { localId: 'same id' }))
  expect([mine.status, other.status, code.status]).toEqual(['APPLIED', 'APPLIED', 'APPLIED'])
  expect(mine.serverId).not.toBe(other.serverId)
})

test('a server id counts more than the local id, which then means this row', async () => {
  const one = await pushOne(alice, newCategory('one', { localId: 'moving id' }))
  const two = await pushOne(alice, newCategory('two', { localId: 'id of two' }))
  const change = { entity: 'category', localId: 'moving id', serverId: two.serverId, baseVersion: 1, updatedAt: 5 }
  expect(await pushOne(alice, { ...change, data: { name: 'two again' } })).toMatchObject({
    status: 'APPLIED',
    serverId: two.serverId,
    version: 2,
  })
  const code = await pushOne(alice, newCode('in two', {}, { categoryId: 'moving id' }))
  expect(ok(await alice.get(`/api/qr-codes/${code.serverId}`)).data.categoryId).toBe(two.serverId)
  expect(ok(await alice.get(`/api/categories/${one.serverId}`)).data.name).toBe('one')
})

test.if(inProcess)('results are kept over a restart of the server', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'tessera-push-'))
  const database = process.env['TEST_DATABASE_URL'] ? await freshDatabase() : undefined
  const config = { databaseUrl: database?.url ?? '' }
  try {
    const before = await startServer({ dataDir, config })
    const user = await before.person('restarted')
    const records = [newCode('kept', { localId: 'kept' })]
    const first = await push(user, ...records)
    await before.stop()
    const after = await startServer({ dataDir, config })
    const headers = { 'x-device-id': user.deviceId }
    const login = await after.request('POST', '/api/auth/login', {
      headers,
      body: { account: user.username, password: user.password },
    })
    const again = person(after.url, login, user.username, user.password, user.deviceId)
    expect(await push(again, ...records)).toEqual(first)
    expect(await codesNamed(again, 'kept')).toHaveLength(1)
    await after.stop()
  } finally {
    await database?.drop()
    rmSync(dataDir, { recursive: true, force: true })
  }
})

test('a push that a kill has cut short is completed by the same push, and no row is there twice', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'tessera-push-'))
  const database = process.env['TEST_DATABASE_URL'] ? await freshDatabase() : undefined
  const env = { TESSERA_DATABASE_URL: database?.url ?? '' }
  let child: Child | undefined
  try {
    child = await startChild(dataDir, env)
    const headers = { 'x-device-id': 'device-of-the-killed-push' }
    const body = { username: 'killed', password: 'a password of a user' }
    const signIn = async (path: string) => {
      const login = await send(child!.url, 'POST', path, { headers, body: { ...body, account: body.username } })
      return person(child!.url, login, body.username, body.password, headers['x-device-id'])
    }
    let user = await signIn('/api/auth/register')
    const codes = Array.from({ length: 600 }, (_, i) => newCode(`code ${i}`, {}, { categoryId: `category ${i % 5}` }))
    const categories = Array.from({ length: 5 }, (_, i) =>
      newCategory(`category ${i}`, { localId: `category ${i}` }, i === 0 ? {} : { parentId: `category ${i - 1}` }),
    )
    const records: Pushed[] = [...codes, ...categories]
    const partial: number[] = []
    for (let kill = 0; kill < 3; kill++) {
      const total = async () => ok(await user.get('/api/qr-codes', { size: 1 })).data.total as number
      const start = await total()
      const answer = push(user, ...records).catch(() => undefined)
      for (let now = start; now < Math.min(start + 60, 600); now = await total());
      await child.kill()
      await answer
      child = await startChild(dataDir, env)
      user = await signIn('/api/auth/login')
      partial.push(await total())
    }
    expect(partial[0]).toBeLessThan(600)
    const results = await push(user, ...records)
    expect(new Set(results.map(({ status }) => status))).toEqual(new Set(['APPLIED']))
    expect(await push(user, ...records)).toEqual(results)
    const names = (await allPages(user, '/api/qr-codes', 100)).map(({ name }) => name)
    expect(names.toSorted()).toEqual(codes.map((_, i) => `code ${i}`).toSorted())
    expect(ok(await user.get('/api/categories', { size: 100 })).data.total).toBe(5)
  } finally {
    await child?.kill()
    await database?.drop()
    rmSync(dataDir, { recursive: true, force: true })
  }
})
