/** Pushed scan records: they find their code as the endpoint does, and are later changed in three fields only. */

import { describe, expect, test } from 'bun:test'

import { ok, type Person, useServer } from '../harness/index.ts'
import { addMembers, createOrg } from '../orgs/helpers.ts'
import { createCode } from '../qr-codes/helpers.ts'
import { changesOf, pull, type Row } from './changes.ts'
import { newCode, push, pushOne, record } from './push-helpers.ts'

const { server, alice, bob, mallory } = useServer({ people: ['alice', 'bob', 'mallory'] })

const newScan = (data: object) => record({ entity: 'scanRecord', data })
const change = (id: number, baseVersion: number, data: object) =>
  record({ entity: 'scanRecord', serverId: id, baseVersion, data })

/** The scan record as a pull shows it, without the id that the device gave it. */
async function get(user: Person, id: number): Promise<Row> {
  const { changes } = await pull(user, 0)
  const row = changes.scanRecord.updated.find((one) => one.id === id)
  if (row === undefined) throw new Error(`the pull does not show the scan record ${id}`)
  const { localId: _, ...shown } = row
  return shown as Row
}

/** Pushes a new scan record, which must be applied. */
async function scanned(user: Person, data: object): Promise<Row> {
  const result = await pushOne(user, newScan(data))
  expect(result).toMatchObject({ status: 'APPLIED', version: 1 })
  return get(user, result.serverId!)
}

describe('a new scan record', () => {
  test('can have every field that the endpoint accepts', async () => {
    const data = {
      content: 'WIFI:S:guest;;',
      source: 'IMAGE',
      title: 'Guest Wi-Fi',
      favorite: true,
      latitude: 30.25,
      longitude: 120.16,
      address: 'Hangzhou',
      scannedAt: 1_700_000_000_000,
    }
    expect(await scanned(alice, data)).toMatchObject({ ...data, contentType: 'WIFI', qrCodeId: null, orgId: null })
  })

  test('finds its code by the content, takes over its name, and counts as a scan once a minute', async () => {
    const code = await createCode(alice)
    for (let i = 0; i < 3; i++)
      expect(await scanned(alice, { content: code.content })).toMatchObject({ qrCodeId: code.id, title: code.name })
    const { changes } = await pull(alice, 0)
    expect(changes.qrCode.updated).toMatchObject([{ id: code.id, scanCount: 1, version: 1 }])
  })

  test('refers to the code that the device names, in the same push or by its id', async () => {
    const code = newCode('pushed with its scan')
    const results = await push(alice, newScan({ content: 'another content', qrCodeId: code.localId }), code)
    expect(results).toMatchObject([{ status: 'APPLIED' }, { status: 'APPLIED' }])
    const [scan, made] = results
    expect(await get(alice, scan!.serverId!)).toMatchObject({ qrCodeId: made!.serverId, title: 'pushed with its scan' })
    const org = await createOrg(bob)
    await addMembers(bob, org, alice)
    const shared = ok(await bob.call('qrCodes.create', { body: { name: 'ours', content: 'x', orgId: org.id } })).data
    expect(await scanned(alice, { content: 'y', qrCodeId: shared.id })).toMatchObject({ qrCodeId: shared.id })
  })

  test('is rejected if it names a code that the user may not see, although its content may find one', async () => {
    const own = await createCode(alice)
    // The user may see it by its link, which has an unguessable part, but not by its id.
    const secret = await createCode(mallory, { isPublic: true })
    const trashed = await createCode(alice)
    ok(await alice.delete(`/api/qr-codes/${trashed.id}`))
    for (const qrCodeId of [secret.id, 999_999_999, 'unknown'])
      expect(await pushOne(alice, newScan({ content: own.content, qrCodeId }))).toMatchObject({
        status: 'REJECTED',
        code: 400,
        details: [{ path: 'data.qrCodeId' }],
      })
    // A deleted code of the user is dropped, and the content may find another one.
    expect(await pushOne(alice, newScan({ content: own.content, qrCodeId: trashed.id }))).toMatchObject({
      status: 'APPLIED',
      dropped: ['qrCodeId'],
    })
    expect(await scanned(alice, { content: secret.publicUrl, qrCodeId: secret.id })).toMatchObject({
      qrCodeId: secret.id,
    })
  })

  test.each([
    ['without a content', {}, 'data.content'],
    ['with a content of 2,954 bytes', { content: 'x'.repeat(2954) }, 'data.content'],
    ['with a latitude alone', { content: 'x', latitude: 1 }, 'data.longitude'],
    ['with a time in two days', { content: 'x', scannedAt: Date.now() + 2 * 86_400_000 }, 'data.scannedAt'],
    ['with an unknown source', { content: 'x', source: 'FAX' }, 'data.source'],
  ])('is rejected %s', async (_, data, path) => {
    const user = await server.person()
    expect(await pushOne(user, newScan(data))).toMatchObject({ status: 'REJECTED', code: 400, details: [{ path }] })
    expect(ok(await user.get('/api/scan-records')).data.total).toBe(0)
  })
})

test('a pushed change sets the favourite mark, the title and the address, and ignores the other fields', async () => {
  const before = await scanned(alice, { content: 'https://example.org/scan', title: 'old' })
  const data = { ...before, favorite: true, title: 'new', address: null, content: 'other', qrCodeId: 1, scannedAt: 1 }
  expect(await pushOne(alice, change(before.id, 1, data))).toMatchObject({ status: 'APPLIED', version: 2 })
  const after = await get(alice, before.id)
  expect(after).toEqual({ ...before, favorite: true, title: 'new', version: 2, updatedAt: expect.any(Number) })
  const { serverTime } = await pull(alice, 0)
  expect(await pushOne(alice, change(before.id, 2, after))).toMatchObject({ status: 'APPLIED', version: 2 })
  const bad = await pushOne(alice, change(before.id, 2, { favorite: 'yes' }))
  expect(bad).toMatchObject({ status: 'REJECTED', code: 400, details: [{ path: 'data.favorite' }] })
  expect(changesOf((await pull(alice, serverTime)).changes)).toEqual({})
})

test('a deleted scan record comes back under its id with a complete change', async () => {
  const before = await scanned(bob, { content: 'https://example.org/back', favorite: true })
  const deletion = record({ entity: 'scanRecord', serverId: before.id, baseVersion: 1, deleted: true })
  expect(await pushOne(bob, deletion)).toMatchObject({ status: 'APPLIED', version: 2 })
  expect((await pull(bob, 0)).changes.scanRecord.updated).toEqual([])
  expect(await pushOne(bob, change(before.id, 2, { ...before, title: 'back' }))).toMatchObject({ version: 3 })
  expect(await get(bob, before.id)).toEqual({
    ...before,
    title: 'back',
    version: 3,
    createdAt: expect.any(Number),
    updatedAt: expect.any(Number),
  })
})
