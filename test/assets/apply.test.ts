/** Counts: what a closed inventory does to the dates of its assets, and applying its result. */

import { beforeAll, describe, expect, test } from 'bun:test'

import { notifyOfCounts } from '#domains/assets/inventories/counting.service.ts'
import { addMonths, dayAt } from '#lib/days.ts'

import { inProcess, ok, type Person, useServer } from '../harness/index.ts'
import { addMembers, createOrg, setRole } from '../orgs/helpers.ts'
import { addAsset, addCategory, addLocation, createInventory, scan, setStatus, startedInventory } from './counting.ts'
import { addMany, deleteAsset, getAsset, scrapAsset, transfersOf, updateAsset } from './helpers.ts'

const { server, alice, bob, carol, mallory } = useServer({
  people: ['alice', 'bob', 'carol', 'mallory'],
  domains: (product) => product.map((domain) => (domain.name === 'assets' ? { ...domain, jobs: [] } : domain)),
})
let orgId: number
let places: number[]

beforeAll(async () => {
  orgId = (await createOrg(alice, { timeZone: 'Asia/Shanghai' })).id
  await addMembers(alice, { id: orgId }, bob, carol)
  await setRole(alice, { id: orgId }, bob, 'ADMIN')
  places = [await addLocation(alice, orgId), await addLocation(alice, orgId), await addLocation(alice, orgId)]
})

const apply = (person: Person, id: number, body: object) => person.post(`/api/assets/inventories/${id}/apply`, body)
const applied = async (id: number, body: object) =>
  ok(await apply(alice, id, body)).data as { changed: number; skipped: unknown[]; total: number }
const asset = async (id: number) => ok(await getAsset(alice, id)).data
const all = { missing: 'LOST', misplaced: 'MOVE', found: 'RESTORE' }
/** Assets in a category of their own. */
async function world(count: number, fields: object = {}) {
  const categoryId = await addCategory(alice, { orgId })
  const ids: number[] = []
  for (let i = 0; i < count; i++)
    ids.push((await addAsset(alice, { categoryId, locationId: places[0]!, ...fields }, orgId)).id)
  return { categoryId, ids, start: () => startedInventory(alice, { orgId, scope: { categoryIds: [categoryId] } }) }
}
const close = async (id: number) => void ok(await setStatus(alice, id, 'CLOSED'))

describe('applying', () => {
  test('sets missing assets to LOST, moves misplaced ones, and restores found ones, once', async () => {
    const { ids, start } = await world(4)
    const [missing, misplaced, lost, right] = ids as [number, number, number, number]
    ok(await updateAsset(alice, lost, { status: 'LOST' }))
    const { id } = await start()
    ok(await scan(alice, id, { assetId: misplaced, locationId: places[1] }))
    ok(await scan(alice, id, { assetId: lost, locationId: places[0] }))
    ok(await scan(alice, id, { assetId: right }))
    const unexpected = await addAsset(alice, { status: 'LOST' }, orgId)
    ok(await scan(alice, id, { assetId: unexpected.id, locationId: places[2] }))
    expect((await apply(alice, id, all)).status).toBe(400)
    await close(id)
    expect(await applied(id, { ...all, dryRun: true })).toMatchObject({ changed: 3, skipped: [], total: 3 })
    expect((await asset(missing)).status).toBe('IN_USE')
    expect(await applied(id, {})).toMatchObject({ changed: 0, total: 0 })
    expect(await applied(id, { misplaced: 'MOVE' })).toMatchObject({ changed: 1, total: 1 })
    expect(await applied(id, all)).toMatchObject({ changed: 2, skipped: [], total: 3 })
    expect([(await asset(missing)).status, (await asset(misplaced)).locationId, (await asset(lost)).status]).toEqual([
      'LOST',
      places[1]!,
      'IN_USE',
    ])
    expect((await transfersOf(alice, misplaced)).map(({ toLocationId }) => toLocationId)).toEqual([places[1]!])
    const versions = async () => Promise.all(ids.map(async (one) => (await asset(one)).version))
    const before = await versions()
    expect(await applied(id, all)).toMatchObject({ changed: 0, skipped: [] })
    expect(await versions()).toEqual(before)
    expect(await transfersOf(alice, misplaced)).toHaveLength(1)
    expect(await asset(unexpected.id)).toMatchObject({ status: 'LOST', version: unexpected.version })
  })

  test('skips assets that changed since, are on loan, scrapped or deleted', async () => {
    const { ids, start } = await world(7)
    const [edited, moved, lent, scrapped, deleted, renamed, taken] = ids as [
      number,
      number,
      number,
      number,
      number,
      number,
      number,
    ]
    const { id } = await start()
    await close(id)
    ok(await updateAsset(alice, edited, { status: 'REPAIR' }))
    ok(await updateAsset(alice, moved, { locationId: places[2] }))
    ok(await alice.call('assets.checkOut', { params: { id: lent }, body: { personName: 'Ms Chen' } }))
    ok(await scrapAsset(alice, scrapped))
    ok(await deleteAsset(alice, deleted))
    ok(await updateAsset(alice, renamed, { remark: 'Only a remark' }))
    const expected = [
      { assetId: edited, reason: 'CHANGED' },
      { assetId: moved, reason: 'CHANGED' },
      { assetId: lent, reason: 'ON_LOAN' },
      { assetId: scrapped, reason: 'SCRAPPED' },
      { assetId: deleted, reason: 'DELETED' },
    ]
    expect(await applied(id, { missing: 'LOST' })).toMatchObject({ changed: 2, skipped: expected, total: 7 })
    expect([(await asset(renamed)).status, (await asset(taken)).status, (await asset(edited)).status]).toEqual([
      'LOST',
      'LOST',
      'REPAIR',
    ])
    ok(await updateAsset(alice, taken, { status: 'IN_USE' }))
    expect(await applied(id, { missing: 'LOST' })).toMatchObject({
      changed: 0,
      skipped: [...expected, { assetId: taken, reason: 'CHANGED' }],
    })
  })

  test('leaves what a second inventory has changed, and a place that no longer exists', async () => {
    const { ids, start } = await world(2)
    const [one, gone] = ids as [number, number]
    const place = await addLocation(alice, orgId)
    const first = await start()
    ok(await scan(alice, first.id, { assetId: one, locationId: places[1] }))
    ok(await scan(alice, first.id, { assetId: gone, locationId: place }))
    await close(first.id)
    const second = await start()
    ok(await scan(alice, second.id, { assetId: one, locationId: places[2] }))
    await close(second.id)
    ok(await alice.delete(`/api/orgs/${orgId}/locations/${place}`))
    expect(await applied(second.id, { misplaced: 'MOVE' })).toMatchObject({ changed: 1 })
    expect(await applied(first.id, { misplaced: 'MOVE' })).toMatchObject({
      changed: 0,
      skipped: [
        { assetId: one, reason: 'CHANGED' },
        { assetId: gone, reason: 'CHANGED' },
      ],
    })
    expect((await asset(one)).locationId).toBe(places[2]!)
  })

  test.if(inProcess)('refuses a second request with 429, and the edits of others meanwhile stay', async () => {
    const categoryId = await addCategory(alice, { orgId })
    const ids = await addMany(
      server,
      { userId: alice.id, orgId },
      Array.from({ length: 900 }, () => ({ categoryId, locationId: places[0]! })),
    )
    const { id } = await startedInventory(alice, { orgId, scope: { categoryIds: [categoryId] } })
    await close(id)
    const edits = ids.filter((_, i) => i % 100 === 99)
    const [first, second, ...edited] = await Promise.all([
      apply(alice, id, { missing: 'LOST' }),
      apply(bob, id, { missing: 'LOST' }),
      ...edits.map((one) => updateAsset(alice, one, { status: 'REPAIR' })),
    ])
    expect([first!.status, second!.status].toSorted()).toEqual([200, 429])
    for (const reply of edited) ok(reply)
    ok(await apply(alice, id, { missing: 'LOST' }))
    for (const one of edits) expect((await asset(one)).status).toBe('REPAIR')
    const { data } = ok(await alice.call('assets.list', { query: { orgId, categoryId, status: ['LOST'], size: 1 } }))
    expect(data.total).toBe(ids.length - edits.length)
  })

  test('needs both permissions, and strangers are answered with 404', async () => {
    const { start } = await world(1)
    const { id } = await start()
    await close(id)
    expect((await apply(carol, id, all)).status).toBe(403)
    expect((await apply(mallory, id, all)).status).toBe(404)
    expect(
      (await fetch(`${server.url}/api/assets/inventories/${id}/apply`, { method: 'POST', body: '{}' })).status,
    ).toBe(401)
    for (const bad of [{ missing: 'DELETE' }, { misplaced: 'LOST' }, { found: true }])
      expect((await apply(alice, id, bad)).status, JSON.stringify(bad)).toBe(400)
  })
})

describe('the next count', () => {
  test('is set for the assets that a closed inventory has found, by the interval of their category', async () => {
    const { categoryId, ids, start } = await world(3)
    const [found, misplaced, missing] = ids as [number, number, number]
    ok(await alice.put(`/api/assets/categories/${categoryId}`, { countEveryMonths: 6 }))
    const below = await addCategory(alice, { orgId, parentId: categoryId })
    ok(await updateAsset(alice, misplaced, { categoryId: below }))
    ok(await updateAsset(alice, missing, { nextCountOn: '2020-01-01' }))
    const { id } = await start()
    ok(await scan(alice, id, { assetId: found }))
    ok(await scan(alice, id, { assetId: misplaced, locationId: places[1] }))
    await close(id)
    const today = dayAt(inProcess ? server.clock.now() : Date.now(), 'Asia/Shanghai')
    const next = addMonths(today, 6)
    expect(await asset(found)).toMatchObject({ lastCountedOn: today, nextCountOn: next })
    expect(await asset(misplaced)).toMatchObject({ lastCountedOn: today, nextCountOn: next })
    expect(await asset(missing)).toMatchObject({ lastCountedOn: null, nextCountOn: '2020-01-01' })
    const idsOf = async (query: object) =>
      ok(await alice.call('assets.list', { query: { orgId, categoryId, ...query } }))
        .data.items.map((row) => row.id)
        .toSorted()
    expect(await idsOf({ countTo: next })).toEqual([...ids].toSorted())
    expect(await idsOf({ countTo: today })).toEqual([missing])
    expect(await idsOf({ overdueCount: true })).toEqual([missing])
    expect(await idsOf({ overdueCount: false })).toEqual([found, misplaced].toSorted())
    expect((await updateAsset(alice, found, { nextCountOn: '2026-02-30' })).status).toBe(400)
    expect(ok(await updateAsset(alice, found, { nextCountOn: null, lastCountedOn: '2000-01-01' })).data).toMatchObject({
      nextCountOn: null,
      lastCountedOn: today,
    })
  })

  test.if(inProcess)('is announced once to the keepers, by number and category', async () => {
    const [owner, keeper, member] = [await server.person(), await server.person(), await server.person()]
    const org = await createOrg(owner, { timeZone: 'UTC' })
    await addMembers(owner, org, keeper, member)
    await setRole(owner, org, keeper, 'ADMIN')
    const categoryId = await addCategory(owner, { orgId: org.id })
    const day = (days: number) =>
      Temporal.Instant.fromEpochMilliseconds(server.clock.now())
        .toZonedDateTimeISO('UTC')
        .toPlainDate()
        .add({ days })
        .toString()
    for (const days of [-3, 14, 15]) await addAsset(owner, { categoryId, nextCountOn: day(days) }, org.id)
    await addAsset(owner, { nextCountOn: day(1) }, org.id)
    await addAsset(owner, { nextCountOn: day(1), isScrapped: true }, org.id)
    const notices = async (person: Person) =>
      ok(await person.call('notifications.list', { query: { size: 100 } })).data.items.filter(
        ({ data }) => data['event'] === 'COUNT_DUE',
      )
    await Promise.all([notifyOfCounts(server.ctx), notifyOfCounts(server.ctx)])
    expect([(await notices(owner)).length, (await notices(keeper)).length, (await notices(member)).length]).toEqual([
      1, 1, 0,
    ])
    expect((await notices(owner))[0]!.body).toMatch(/^category \d+: 2; Without a category: 1\.$/)
    server.clock.advance(86_400_000)
    await notifyOfCounts(server.ctx)
    expect((await notices(owner))[0]!.body).toMatch(/^category \d+: 1\.$/)
    await notifyOfCounts(server.ctx)
    expect(await notices(owner)).toHaveLength(2)
  })
})

test('assignees are notified when an inventory starts, and those who are added later at once', async () => {
  const notices = async (person: Person) =>
    ok(await person.call('notifications.list', { query: { size: 100 } })).data.items.flatMap(({ data }) =>
      data['event'] === 'INVENTORY_ASSIGNED' ? [data['inventoryId']] : [],
    )
  const { id } = await createInventory(alice, { orgId, assigneeIds: [bob.id, alice.id] })
  expect(await notices(bob)).toEqual([])
  ok(await setStatus(alice, id, 'RUNNING'))
  expect([await notices(bob), await notices(carol), await notices(alice)]).toEqual([[id], [], []])
  ok(await alice.call('inventories.update', { params: { id }, body: { assigneeIds: [bob.id, carol.id] } }))
  expect([await notices(bob), await notices(carol)]).toEqual([[id], [id]])
})
