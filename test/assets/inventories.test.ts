/** Inventories: their status, the assets that they expect, scans, and who may do what. */

import { beforeAll, describe, expect, test } from 'bun:test'

import * as XLSX from '@e965/xlsx'
import { eq } from 'drizzle-orm'

import { spend } from '#db/counters.ts'
import { inventories, inventoryItems } from '#db/schema/assets.ts'
import { files } from '#db/schema/files.ts'
import { FROZEN_ASSETS } from '#domains/assets/inventories/inventories.model.ts'
import { deleteAbandoned } from '#domains/assets/inventories/inventories.service.ts'
import type { AssetView } from '#domains/assets/register/register.model.ts'
import { localTime } from '#lib/days.ts'
import { csvCell } from '#lib/spreadsheets/csv-writer.ts'

import { png, text, uploaded } from '../files/helpers.ts'
import { inProcess, ok, type Person, race, useServer } from '../harness/index.ts'
import { addMembers, createOrg, setRole, UNKNOWN_ID } from '../orgs/helpers.ts'
import {
  addAsset,
  addCategory,
  addLocation,
  allItems,
  createInventory,
  figuresOf,
  getInventory,
  scan,
  setStatus,
  startedInventory,
} from './counting.ts'
import { deleteAsset, scrapAsset, transfer, updateAsset } from './helpers.ts'

const { server, alice, bob, carol, guest, stranger } = useServer({
  people: ['alice', 'bob', 'carol', 'guest', 'stranger'],
})
let orgId: number
const NONE = { expected: 0, found: 0, missing: 0, unexpected: 0, misplaced: 0 }

beforeAll(async () => {
  orgId = (await createOrg(alice)).id
  await addMembers(alice, { id: orgId }, bob, carol, guest)
  await setRole(alice, { id: orgId }, guest, 'GUEST')
})

/** A new user with some assets of their own. */
async function ownerOf(count: number): Promise<{ me: Person; ids: number[] }> {
  const me = await server.person()
  const ids: number[] = []
  for (let i = 0; i < count; i++) ids.push((await addAsset(me)).id)
  return { me, ids }
}

describe('status', () => {
  const STATUSES = ['DRAFT', 'RUNNING', 'CLOSED'] as const
  const ALLOWED = ['DRAFT DRAFT', 'DRAFT RUNNING', 'RUNNING RUNNING', 'RUNNING CLOSED', 'CLOSED CLOSED']
  for (const [at, from] of STATUSES.entries())
    for (const to of STATUSES) {
      const wanted = ALLOWED.includes(`${from} ${to}`) ? 200 : 400
      test(`an inventory that is ${from} answers ${wanted} to the status ${to}`, async () => {
        const { id } = await createInventory(alice)
        for (const step of STATUSES.slice(1, at + 1)) ok(await setStatus(alice, id, step))
        const before = await getInventory(alice, id)
        expect(before.status).toBe(from)
        expect((await setStatus(alice, id, to)).status).toBe(wanted)
        const after = await getInventory(alice, id)
        if (wanted === 400 || from === to) expect(after).toEqual(before)
        else expect(after).toMatchObject({ status: to })
      })
    }

  test('an inventory records when it started and when it was closed', async () => {
    const draft = await createInventory(alice)
    expect(draft).toMatchObject({ status: 'DRAFT', startedAt: null, closedAt: null, createdBy: alice.id, orgId: null })
    const running = ok(await setStatus(alice, draft.id, 'RUNNING')).data
    expect(running.startedAt).toBeGreaterThan(0)
    const closed = ok(await setStatus(alice, draft.id, 'CLOSED')).data
    expect(closed).toMatchObject({ startedAt: running.startedAt, status: 'CLOSED' })
    expect(closed.closedAt).toBeGreaterThan(running.startedAt!)
  })

  test('the scope of a running inventory cannot change, its name and note can', async () => {
    const category = await addCategory(alice)
    const { id } = await startedInventory(alice, { scope: { categoryIds: [category] } })
    const change = (body: object) => alice.call('inventories.update', { params: { id }, body })
    expect((await change({ scope: null })).status).toBe(400)
    expect((await change({ name: 'lost', scope: { categoryIds: [] } })).status).toBe(400)
    const after = ok(await change({ name: 'new', note: 'new', scope: { categoryIds: [category] } })).data
    expect(after).toMatchObject({ name: 'new', note: 'new', scope: { categoryIds: [category], locationIds: [] } })
  })

  test('a closed inventory changes in nothing, and an update without a change succeeds', async () => {
    const { id } = await startedInventory(alice, { note: 'old' })
    const closed = ok(await setStatus(alice, id, 'CLOSED')).data
    for (const body of [{ name: 'new' }, { note: null }, { assigneeIds: [alice.id] }, { status: 'RUNNING' }])
      expect((await alice.put(`/api/assets/inventories/${id}`, body)).status).toBe(400)
    ok(await alice.put(`/api/assets/inventories/${id}`, { name: closed.name, note: 'old', status: 'CLOSED' }))
    expect(await getInventory(alice, id)).toEqual(closed)
  })

  test('an inventory cannot be created with a status, and its figures cannot be set', async () => {
    const sent = { status: 'CLOSED', expected: 7, found: 7, createdBy: bob.id, startedAt: 1 }
    expect(await createInventory(bob, sent)).toMatchObject({ ...NONE, status: 'DRAFT', createdBy: bob.id })
  })
})

describe('expected assets', () => {
  test('an inventory expects all assets of its owner that are neither deleted nor scrapped', async () => {
    const { me, ids } = await ownerOf(3)
    await addAsset(me, { isScrapped: true })
    await addAsset(me, { isDeleted: true })
    await addAsset(alice)
    const draft = await createInventory(me)
    expect(figuresOf(draft)).toEqual({ ...NONE, expected: 3 })
    expect((await allItems(me, draft.id)).length).toBe(0)
    const running = ok(await setStatus(me, draft.id, 'RUNNING')).data
    expect(figuresOf(running)).toEqual({ ...NONE, expected: 3, missing: 3 })
    const items = await allItems(me, draft.id)
    expect(items.map(({ assetId }) => assetId)).toEqual(ids)
    expect(items.every(({ state, scannedAt }) => state === 'MISSING' && scannedAt === null)).toBe(true)
  })

  test('a draft shows the number of assets in its scope now', async () => {
    const { me } = await ownerOf(1)
    const { id } = await createInventory(me)
    await addAsset(me)
    expect(figuresOf(await getInventory(me, id))).toEqual({ ...NONE, expected: 2 })
    const { data } = ok(await me.call('inventories.list'))
    expect(data.items.map(figuresOf)).toEqual([{ ...NONE, expected: 2 }])
  })

  test('a scope selects categories and locations with those below them, and an asset must be in both', async () => {
    const [hall, office] = [await addLocation(alice, orgId), await addLocation(alice, orgId)]
    const room = await addLocation(alice, orgId, hall)
    const tools = await addCategory(alice, { orgId })
    const saws = await addCategory(alice, { orgId, parentId: tools })
    const put = async (categoryId: number | null, locationId: number | null) =>
      (await addAsset(alice, { categoryId, locationId }, orgId)).id
    const sawInRoom = await put(saws, room)
    const toolInHall = await put(tools, hall)
    const toolInOffice = await put(tools, office)
    const inRoom = await put(null, room)
    await put(null, null)
    for (const [scope, wanted] of [
      [{ categoryIds: [tools], locationIds: [hall] }, [sawInRoom, toolInHall]],
      [{ categoryIds: [saws] }, [sawInRoom]],
      [{ categoryIds: [tools] }, [sawInRoom, toolInHall, toolInOffice]],
      [{ locationIds: [hall] }, [sawInRoom, toolInHall, inRoom]],
      [{ locationIds: [room, office], categoryIds: [] }, [sawInRoom, toolInOffice, inRoom]],
    ] as const) {
      const { id, expected } = await createInventory(alice, { orgId, scope })
      expect(expected).toBe(wanted.length)
      expect(ok(await setStatus(alice, id, 'RUNNING')).data.expected).toBe(wanted.length)
      expect((await allItems(alice, id)).map(({ assetId }) => assetId)).toEqual([...wanted])
    }
  })

  test('a scope whose category was deleted selects nothing', async () => {
    const category = await addCategory(alice)
    await addAsset(alice, { categoryId: category })
    const { id } = await createInventory(alice, { scope: { categoryIds: [category] } })
    ok(await alice.call('assetCategories.delete', { params: { id: category } }))
    expect((await getInventory(alice, id)).expected).toBe(0)
    expect(ok(await setStatus(alice, id, 'RUNNING')).data.expected).toBe(0)
  })

  test('references to rows of others are answered with 400 and their place', async () => {
    const [mine, theirs] = [await addCategory(alice, { orgId }), await addCategory(stranger)]
    const theirOrg = (await createOrg(stranger)).id
    const location = await addLocation(stranger, theirOrg)
    const create = (body: object) => alice.post('/api/assets/inventories', { name: 'x', ...body })
    for (const [body, path] of [
      [{ orgId, scope: { categoryIds: [mine, theirs] } }, 'body.scope.categoryIds.1'],
      [{ orgId, scope: { categoryIds: [UNKNOWN_ID] } }, 'body.scope.categoryIds.0'],
      [{ scope: { categoryIds: [mine] } }, 'body.scope.categoryIds.0'],
      [{ orgId, scope: { locationIds: [location] } }, 'body.scope.locationIds.0'],
      [{ scope: { locationIds: [1] } }, 'body.scope.locationIds.0'],
      [{ orgId, assigneeIds: [bob.id, stranger.id] }, 'body.assigneeIds.1'],
      [{ assigneeIds: [bob.id] }, 'body.assigneeIds.0'],
    ] as const) {
      const reply = await create(body)
      expect(reply.status).toBe(400)
      expect(reply.details.map((d: { path: string }) => d.path)).toEqual([path])
    }
    const before = ok(await alice.call('inventories.list', { query: { orgId } })).data.total
    await create({ orgId, scope: { categoryIds: [theirs] } })
    expect(ok(await alice.call('inventories.list', { query: { orgId } })).data.total).toBe(before)
  })

  test('changes, deletions and transfers of assets after the start change no inventory, and what was recorded can still be found', async () => {
    const { me } = await ownerOf(0)
    const org = await createOrg(me)
    const before: AssetView[] = []
    for (let i = 0; i < 4; i++) before.push(await addAsset(me, { serialNo: `old ${i}` }))
    const { id } = await startedInventory(me)
    ok(await scan(me, id, { assetId: before[0]!.id }))
    const inventory = await getInventory(me, id)
    const items = await allItems(me, id)
    ok(await updateAsset(me, before[0]!.id, { name: 'renamed', assetNo: 'renumbered' }))
    ok(await transfer(me, before[1]!.id, { toOrgId: org.id }))
    ok(await deleteAsset(me, before[2]!.id))
    ok(await scrapAsset(me, before[3]!.id))
    ok(await deleteAsset(me, before[0]!.id))
    await addAsset(me)
    expect(await getInventory(me, id)).toEqual(inventory)
    expect(await allItems(me, id)).toEqual(items)
    for (const asset of before.slice(1)) {
      const { result, asset: found } = ok(await scan(me, id, { code: asset.publicUrl })).data
      expect([result, found.id, found.assetNo]).toEqual(['FOUND', asset.id, asset.assetNo])
    }
    expect((await scan(me, id, { code: before[2]!.assetNo })).status).toBe(404)
    expect(figuresOf(await getInventory(me, id))).toEqual({ ...NONE, expected: 4, found: 4 })
    const other = await startedInventory(me)
    expect((await scan(me, other.id, { code: before[1]!.uuid })).status).toBe(404)
  })

  test('of 50 requests that start an inventory one freezes the assets', async () => {
    const { me } = await ownerOf(5)
    const { id } = await createInventory(me)
    const replies = await race(50, () => setStatus(me, id, 'RUNNING'))
    expect(replies.map(({ status }) => status)).toEqual(Array.from({ length: 50 }, () => 200))
    expect(figuresOf(await getInventory(me, id))).toEqual({ ...NONE, expected: 5, missing: 5 })
    expect((await allItems(me, id)).length).toBe(5)
  })
})

describe('scans', () => {
  test('an asset is found by its number without case, its uuid, the address of its page on any host, its serial number and its id', async () => {
    const me = await server.person()
    const asset = await addAsset(me, { assetNo: 'Pc-Ä 7', serialNo: 'SN 123' })
    const { id } = await startedInventory(me)
    const { uuid } = asset
    for (const code of [
      'Pc-Ä 7',
      ' PC-ä 7 ',
      uuid,
      uuid.toUpperCase(),
      `http://old.example.org/s/asset/${uuid}`,
      `https://example.org:8443/base/path/s/asset/${uuid.toUpperCase()}/?lang=zh#top`,
      'SN 123',
    ]) {
      const { data } = ok(await scan(me, id, { code }))
      expect(data).toMatchObject({
        result: 'FOUND',
        asset: { id: asset.id, uuid, assetNo: 'Pc-Ä 7', locationId: null },
      })
    }
    expect(ok(await scan(me, id, { assetId: asset.id })).data.repeated).toBe(true)
    expect(figuresOf(await getInventory(me, id))).toEqual({ ...NONE, expected: 1, found: 1 })
  })

  test('a code that names no asset of the owner, or several by their serial number, is answered with 404', async () => {
    const me = await server.person()
    await addAsset(me, { serialNo: 'twice' })
    await addAsset(me, { serialNo: 'twice' })
    const foreign = await addAsset(alice, { serialNo: 'foreign' })
    const deleted = await addAsset(me, { isDeleted: true, serialNo: 'gone' })
    const { id } = await startedInventory(me)
    for (const body of [
      { code: 'twice' },
      { code: 'foreign' },
      { code: 'gone' },
      { code: foreign.uuid },
      { code: foreign.assetNo },
      { assetId: foreign.id },
      { code: deleted.uuid },
      { assetId: deleted.id },
      { assetId: UNKNOWN_ID },
      { code: `https://example.org/s/pass/${foreign.uuid}` },
    ])
      expect((await scan(me, id, body)).status, JSON.stringify(body)).toBe(404)
    expect(figuresOf(await getInventory(me, id))).toEqual({ ...NONE, expected: 2, missing: 2 })
  })

  test('a scan needs a code or an id, and a running inventory', async () => {
    const { me, ids } = await ownerOf(1)
    const body = { assetId: ids[0] }
    const { id } = await createInventory(me)
    expect((await scan(me, id, body)).status).toBe(400)
    ok(await setStatus(me, id, 'RUNNING'))
    for (const wrong of [{}, { note: 'x' }, { code: '' }, { code: null, assetId: null }, { assetId: 'x' }])
      expect((await scan(me, id, wrong)).status).toBe(400)
    expect((await scan(me, UNKNOWN_ID, body)).status).toBe(404)
    ok(await setStatus(me, id, 'CLOSED'))
    expect((await scan(me, id, body)).status).toBe(400)
    expect(figuresOf(await getInventory(me, id))).toEqual({ ...NONE, expected: 1, missing: 1 })
  })

  test('an asset outside the expected set is unexpected', async () => {
    const { me, ids } = await ownerOf(1)
    const { id } = await startedInventory(me)
    const [later, scrapped] = [await addAsset(me), await addAsset(me, { isScrapped: true })]
    expect(ok(await scan(me, id, { assetId: later.id })).data).toMatchObject({ result: 'UNEXPECTED', repeated: false })
    expect(ok(await scan(me, id, { assetId: later.id })).data).toMatchObject({ result: 'UNEXPECTED', repeated: true })
    const { inventory } = ok(await scan(me, id, { code: scrapped.assetNo })).data
    expect(figuresOf(inventory)).toEqual({ ...NONE, expected: 1, missing: 1, unexpected: 2 })
    expect((await allItems(me, id)).map(({ assetId, state }) => [assetId, state])).toEqual([
      [ids[0]!, 'MISSING'],
      [later.id, 'UNEXPECTED'],
      [scrapped.id, 'UNEXPECTED'],
    ])
  })

  test('an expected asset is misplaced if it is scanned at another location than recorded, until it is scanned at the right one', async () => {
    const [here, there] = [await addLocation(alice, orgId), await addLocation(alice, orgId)]
    const { id: assetId } = await addAsset(alice, { locationId: here }, orgId)
    const { id: nowhere } = await addAsset(alice, {}, orgId)
    const { id } = await startedInventory(alice, { orgId })
    const { expected } = await getInventory(alice, id)
    const at = async (locationId?: number | null) =>
      ok(await scan(bob, id, { assetId, ...(locationId !== undefined && { locationId }) })).data
    expect((await at(there)).result).toBe('MISPLACED')
    // The location that an earlier scan gave stays.
    expect((await at()).result).toBe('MISPLACED')
    const misplaced = await getInventory(alice, id)
    expect(figuresOf(misplaced)).toEqual({ ...NONE, expected, found: 1, missing: expected - 1, misplaced: 1 })
    expect(await at(here)).toMatchObject({ result: 'FOUND', repeated: true, asset: { locationId: here } })
    expect((await at(there)).result).toBe('MISPLACED')
    expect((await at(null)).result).toBe('FOUND')
    expect(ok(await scan(bob, id, { assetId: nowhere, locationId: there })).data.result).toBe('FOUND')
    expect(figuresOf(await getInventory(alice, id))).toEqual({ ...NONE, expected, found: 2, missing: expected - 2 })
    for (const locationId of [UNKNOWN_ID, await addLocation(stranger, (await createOrg(stranger)).id)]) {
      const reply = await scan(bob, id, { assetId, locationId })
      expect(reply.status).toBe(400)
      expect(reply.details[0]!.path).toBe('body.locationId')
    }
  })

  test('details that a repeated scan gives replace the old ones, and the others stay', async () => {
    const { me, ids } = await ownerOf(1)
    const { id } = await startedInventory(me)
    const assetId = ids[0]!
    ok(await scan(me, id, { assetId, condition: 'GOOD', note: 'first' }))
    ok(await scan(me, id, { assetId, condition: 'DAMAGED' }))
    expect((await allItems(me, id))[0]).toMatchObject({ condition: 'DAMAGED', note: 'first', scannedBy: me.id })
    ok(await scan(me, id, { assetId, condition: null, note: 'second' }))
    expect((await allItems(me, id))[0]).toMatchObject({ condition: null, note: 'second', state: 'FOUND' })
    expect((await scan(me, id, { assetId, condition: 'BROKEN' })).status).toBe(400)
  })

  test('a photo belongs to the inventory, and a repeated scan with another one deletes it', async () => {
    const { id: assetId } = await addAsset(alice, {}, orgId)
    const { id } = await startedInventory(alice, { orgId })
    const photo = async () => (await uploaded(bob, png(), { type: 'asset', name: 'a.png', orgId })).id
    const [first, second] = [await photo(), await photo()]
    ok(await scan(bob, id, { assetId, photoFileId: first }))
    for (const person of [alice, bob, carol]) expect((await person.get(`/api/files/${first}`)).status).toBe(200)
    for (const person of [guest, stranger]) expect((await person.get(`/api/files/${first}`)).status).toBe(404)
    expect(ok(await alice.get(`/api/files/${first}`)).data).toMatchObject({ entityType: 'INVENTORY', entityId: id })
    // The request that a phone repeats after a lost answer.
    ok(await scan(bob, id, { assetId, photoFileId: first }))
    ok(await scan(bob, id, { assetId, photoFileId: second }))
    expect((await bob.get(`/api/files/${first}`)).status).toBe(404)
    expect((await allItems(alice, id)).find((item) => item.assetId === assetId)?.photoFileId).toBe(second)
    ok(await scan(bob, id, { assetId, photoFileId: null }))
    expect((await bob.get(`/api/files/${second}`)).status).toBe(404)
  })

  test('a photo must be an image that the caller uploaded for the same owner and did not use', async () => {
    const { id: assetId } = await addAsset(alice, {}, orgId)
    const { id: other } = await addAsset(alice, {}, orgId)
    const { id } = await startedInventory(alice, { orgId })
    const used = (await uploaded(bob, png(), { type: 'asset', name: 'a.png', orgId })).id
    ok(await scan(bob, id, { assetId, photoFileId: used }))
    for (const photoFileId of [
      used,
      UNKNOWN_ID,
      (await uploaded(alice, png(), { type: 'asset', name: 'a.png', orgId })).id,
      (await uploaded(bob, png(), { type: 'asset', name: 'a.png' })).id,
      (await uploaded(bob, text(), { type: 'asset', name: 'a.txt', orgId }, 'a.txt')).id,
    ]) {
      const reply = await scan(bob, id, { assetId: other, photoFileId })
      expect(reply.status).toBe(400)
      expect(reply.details[0]!.path).toBe('body.photoFileId')
    }
    expect((await allItems(alice, id)).find((item) => item.assetId === other)?.state).toBe('MISSING')
  })

  test('50 scans of one asset at once count once', async () => {
    const { me, ids } = await ownerOf(2)
    const { id } = await startedInventory(me)
    const replies = await race(50, (i) => scan(me, id, { assetId: ids[0], note: `scan ${i}` }))
    expect(replies.filter((reply) => !ok(reply).data.repeated).length).toBe(1)
    expect(figuresOf(await getInventory(me, id))).toEqual({ ...NONE, expected: 2, found: 1, missing: 1 })
  })

  test('50 scans of one unexpected asset at once count once', async () => {
    const { me } = await ownerOf(1)
    const { id } = await startedInventory(me)
    const later = await addAsset(me)
    const replies = await race(50, () => scan(me, id, { code: later.uuid }))
    expect(replies.filter((reply) => !ok(reply).data.repeated).length).toBe(1)
    expect(figuresOf(await getInventory(me, id))).toEqual({ ...NONE, expected: 1, missing: 1, unexpected: 1 })
  })

  test('50 scans of different assets at once count 50', async () => {
    const { me, ids } = await ownerOf(50)
    const { id } = await startedInventory(me)
    const replies = await race(50, (i) => scan(me, id, { assetId: ids[i] }))
    expect(replies.every((reply) => ok(reply).data.result === 'FOUND')).toBe(true)
    expect(figuresOf(await getInventory(me, id))).toEqual({ ...NONE, expected: 50, found: 50 })
  })

  test('50 scans and the end of the inventory at once leave figures that equal its items', async () => {
    const { me, ids } = await ownerOf(50)
    const { id } = await startedInventory(me)
    const scans = race(50, (i) => scan(me, id, { assetId: ids[i] }))
    ok(await setStatus(me, id, 'CLOSED'))
    const counted = (await scans).filter(({ status }) => status === 200).length
    expect(figuresOf(await getInventory(me, id))).toMatchObject({ found: counted, missing: 50 - counted })
    expect((await allItems(me, id)).filter(({ state }) => state === 'FOUND').length).toBe(counted)
  })
})

describe('exports', () => {
  const rowsOf = (bytes: Uint8Array): unknown[][] => {
    const book = XLSX.read(bytes, { type: 'array' })
    return XLSX.utils.sheet_to_json(book.Sheets[book.SheetNames[0]!]!, { header: 1, defval: '' })
  }
  const download = (person: Person, id: number, language = 'en', query = {}) =>
    person.send('GET', `/api/assets/inventories/${id}/export`, { headers: { 'accept-language': language }, query })

  test('the export has a row for each asset, with the paths of locations', async () => {
    const [hall, office] = [await addLocation(alice, orgId), await addLocation(alice, orgId)]
    const room = await addLocation(alice, orgId, hall)
    const category = await addCategory(alice, { orgId })
    const fields = { categoryId: category, locationId: room }
    const first = await addAsset(alice, { ...fields, name: '=1+1', assetNo: 'X-1' }, orgId)
    await addAsset(alice, { ...fields, assetNo: 'X-2' }, orgId)
    const { id } = await startedInventory(alice, { orgId, scope: { categoryIds: [category] } })
    ok(await scan(bob, id, { assetId: first.id, locationId: office, condition: 'FAIR', note: '+a' }))
    const reply = ok(await download(bob, id))
    const day = new Date().getFullYear()
    expect(reply.headers.get('content-disposition')).toMatch(new RegExp(`inventory-${id}-${day}\\d{4}\\.xlsx`))
    const [head, a, b] = rowsOf(reply.bytes)
    const name = async (locationId: number) =>
      ok(await alice.call('locations.tree', { params: { orgId } })).data.find((node) => node.id === locationId)!.name
    const path = `${await name(hall)} / `
    expect(head!.slice(0, 4)).toEqual(['Asset no.', 'Name', 'Result', 'Recorded location'])
    expect(a!.slice(0, 7)).toEqual(['X-1', '=1+1', 'Misplaced', a![3], await name(office), 'Fair', '+a'])
    expect(a![3]).toStartWith(path)
    expect(a![9]).toBe(first.uuid)
    expect([b![0], b![2], b![8]]).toEqual(['X-2', 'Missing', ''])
    expect(rowsOf(ok(await download(bob, id, 'zh')).bytes)[1]![2]).toBe('位置不符')
  })

  test('times of scans are in the zone that the query names', async () => {
    const category = await addCategory(alice, { orgId })
    const asset = await addAsset(alice, { categoryId: category }, orgId)
    const { id } = await startedInventory(alice, { orgId, scope: { categoryIds: [category] } })
    ok(await scan(bob, id, { assetId: asset.id }))
    const [item] = await allItems(alice, id)
    const { bytes } = ok(await download(bob, id, 'zh', { tz: 'Asia/Kathmandu' }))
    const book = XLSX.read(bytes, { type: 'array', dense: false })
    const sheet = book.Sheets[book.SheetNames[0]!]!
    expect(sheet['I1']!.v).toBe('盘点时间（Asia/Kathmandu）')
    expect(sheet['I2']!.w).toBe(csvCell(localTime(item!.scannedAt!, 'Asia/Kathmandu')))
    const refused = await download(bob, id, 'en', { tz: 'Mars/Olympus' })
    expect([refused.status, refused.details]).toMatchObject([400, [{ path: 'query.tz' }]])
  })

  test('the export of a draft has no rows, and strangers get none', async () => {
    const { id } = await createInventory(alice, { orgId })
    expect(rowsOf(ok(await download(alice, id)).bytes).length).toBe(1)
    expect((await download(stranger, id)).status).toBe(404)
    expect((await download(guest, id)).status).toBe(404)
  })

  test('the export has every asset once, also beyond one read', async () => {
    const me = await server.person()
    const numbers: string[] = []
    for (let i = 0; i < 450; i++) numbers.push((await addAsset(me)).assetNo)
    const { id } = await startedInventory(me)
    expect(
      rowsOf(ok(await download(me, id)).bytes)
        .slice(1)
        .map((row) => row[0]),
    ).toEqual(numbers)
  })
})

describe.if(inProcess)('dissolved organizations', () => {
  test('inventories do not keep an organization from being dissolved, and end with it and their photos', async () => {
    const org = await createOrg(alice)
    const { id: assetId } = await addAsset(alice, {}, org.id)
    const { id } = await startedInventory(alice, { orgId: org.id })
    const kept = await startedInventory(alice)
    const photoFileId = (await uploaded(alice, png(), { type: 'asset', name: 'a.png', orgId: org.id })).id
    ok(await scan(alice, id, { assetId, photoFileId }))
    ok(await deleteAsset(alice, assetId))
    ok(await alice.call('orgs.dissolve', { params: { id: org.id } }))
    await deleteAbandoned(server.ctx)
    const { read } = server.ctx.db
    expect(await read.select().from(inventories).where(eq(inventories.id, id))).toEqual([])
    expect(await read.select().from(inventoryItems).where(eq(inventoryItems.inventoryId, id))).toEqual([])
    expect(await read.select().from(files).where(eq(files.id, photoFileId))).toEqual([])
    expect(await getInventory(alice, kept.id)).toEqual(kept)
  })
})

describe('permissions of inventories', () => {
  test('members with inventory:scan scan, organization administrators manage, others do neither', async () => {
    const { id: assetId } = await addAsset(alice, {}, orgId)
    const { id } = await startedInventory(alice, { orgId })
    ok(await scan(carol, id, { assetId }))
    for (const [person, seen, managed, scanned] of [
      [alice, 200, 200, 200],
      [bob, 200, 403, 200],
      [guest, 404, 404, 404],
      [stranger, 404, 404, 404],
    ] as const) {
      expect((await person.call('inventories.get', { params: { id } })).status).toBe(seen)
      expect((await person.call('inventories.items', { params: { id } })).status).toBe(seen)
      expect((await person.call('inventories.update', { params: { id }, body: { note: 'x' } })).status).toBe(managed)
      expect((await scan(person, id, { assetId })).status).toBe(scanned)
    }
    expect((await bob.call('inventories.create', { body: { name: 'x', orgId } })).status).toBe(403)
    expect((await stranger.call('inventories.list', { query: { orgId } })).status).toBe(403)
    expect((await server.call('inventories.list')).status).toBe(401)
  })

  test('only assignees and managers may scan an inventory that has assignees', async () => {
    const { id: assetId } = await addAsset(alice, {}, orgId)
    const { id } = await startedInventory(alice, { orgId, assigneeIds: [bob.id, bob.id] })
    expect((await getInventory(alice, id)).assigneeIds).toEqual([bob.id])
    ok(await scan(bob, id, { assetId }))
    ok(await scan(alice, id, { assetId }))
    expect((await scan(carol, id, { assetId })).status).toBe(403)
    ok(await alice.call('inventories.update', { params: { id }, body: { assigneeIds: null } }))
    ok(await scan(carol, id, { assetId }))
  })

  test('the list shows the inventories of one owner, newest first, by status and keyword', async () => {
    const me = await server.person()
    const [a, b] = [await createInventory(me, { name: 'Autumn' }), await createInventory(me, { note: 'autumn too' })]
    const c = await startedInventory(me, { name: 'winter' })
    const ids = async (query: object) => ok(await me.call('inventories.list', { query })).data.items.map(({ id }) => id)
    expect(await ids({})).toEqual([c.id, b.id, a.id])
    expect(await ids({ keyword: 'AUTUMN' })).toEqual([b.id, a.id])
    expect(await ids({ status: 'RUNNING' })).toEqual([c.id])
    expect(await ids({ page: 2, size: 2 })).toEqual([a.id])
    expect((await me.get('/api/assets/inventories', { status: 'OPEN' })).status).toBe(400)
  })

  test('the items of an inventory are listed by state, in pages', async () => {
    const { me, ids } = await ownerOf(5)
    const { id } = await startedInventory(me)
    for (const assetId of ids.slice(0, 2)) ok(await scan(me, id, { assetId }))
    const page = async (query: object) => ok(await me.call('inventories.items', { params: { id }, query })).data
    expect(await page({ state: 'FOUND' })).toMatchObject({ total: 2 })
    expect(await page({ state: 'UNEXPECTED' })).toMatchObject({ total: 0, items: [] })
    const last = await page({ state: 'MISSING', page: 2, size: 2 })
    expect([last.total, last.items.map(({ assetId }) => assetId)]).toEqual([3, [ids[4]!]])
  })
})

describe.if(inProcess)('limits', () => {
  const { server: limited } = useServer({ rateLimit: true, noAdmin: true })

  test('an inventory that would exceed the assets of a day is not started', async () => {
    const me = await limited.person()
    for (let i = 0; i < 2; i++) await addAsset(me)
    const { id } = await createInventory(me)
    const { name, limit, windowMs } = FROZEN_ASSETS
    const use = { key: `${name}:user:${me.id}`, limit: limit as number, windowMs }
    const spendAll = (cost: number) =>
      limited.ctx.db.write('test', (tx) => spend(tx, [{ ...use, cost }], limited.ctx.clock.now()))
    await spendAll(use.limit - 3)
    ok(await setStatus(me, (await createInventory(me)).id, 'RUNNING'))
    expect((await setStatus(me, id, 'RUNNING')).status).toBe(429)
    expect(await getInventory(me, id)).toMatchObject({ status: 'DRAFT', startedAt: null })
    expect((await allItems(me, id)).length).toBe(0)
  })

  test('a start that the budget refuses records no assets first, and a start with a new scope counts that scope', async () => {
    const me = await limited.person()
    const categoryId = await addCategory(me)
    for (const fields of [{}, {}, { categoryId }]) await addAsset(me, fields)
    const { name, limit, windowMs } = FROZEN_ASSETS
    const use = { key: `${name}:user:${me.id}`, limit: limit as number, windowMs, cost: (limit as number) - 1 }
    await limited.ctx.db.write('test', (tx) => spend(tx, [use], limited.ctx.clock.now()))
    const { id } = await createInventory(me)
    const filled: unknown[] = []
    const { db } = limited.ctx
    const write = db.write.bind(db)
    const spied: typeof write = (title, fn, options) =>
      write(
        title,
        (tx) => {
          const insert = (table: Parameters<typeof tx.insert>[0]) => {
            filled.push(table)
            return tx.insert(table)
          }
          return fn(new Proxy(tx, { get: (of, key) => (key === 'insert' ? insert : Reflect.get(of, key, of)) }))
        },
        options,
      )
    Object.assign(db, { write: spied })
    try {
      expect((await setStatus(me, id, 'RUNNING')).status).toBe(429)
      expect(filled).not.toContain(inventoryItems)
      const body = { status: 'RUNNING' as const, scope: { categoryIds: [categoryId] } }
      const { data } = ok(await me.call('inventories.update', { params: { id }, body }))
      expect(data).toMatchObject({ status: 'RUNNING', expected: 1 })
      expect(filled).toContain(inventoryItems)
    } finally {
      Object.assign(db, { write })
    }
  })
})
