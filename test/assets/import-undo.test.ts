import { beforeAll, describe, expect, test } from 'bun:test'

import { ok, type Person, useServer } from '../harness/index.ts'
import { createField } from '../metadata/helpers.ts'
import { addMembers, createOrg, type Org, setRole } from '../orgs/helpers.ts'
import { createAsset, getAsset, transfersOf } from './helpers.ts'
import { type Cells, imported, sendImport } from './sheets.ts'

/** Rows of the undo beside edits: 20,000, the most that can be undone, before a release. */
const ROWS = Number(process.env['TEST_UNDO_ROWS'] ?? 1000)

const server = useServer({ people: ['alice', 'bob', 'owner', 'manager', 'member', 'outsider'], noAdmin: true })
const { alice, bob, owner, manager, member, outsider } = server
let org: Org

beforeAll(async () => {
  org = await createOrg(owner)
  await addMembers(owner, org, manager, member)
  await setRole(owner, org, manager, 'ADMIN')
})

const runs = async (person: Person, query: object = {}) =>
  ok(await person.call('assets.imports', { query: { size: 100, ...query } as never })).data.items
const undo = (person: Person, id: number, body: object = {}, query: object = {}) =>
  person.call('assets.undoImport', { params: { id }, query: query as never, body: body as never })
const run = async (person: Person, rows: Cells[], fields: object = {}) =>
  (await imported(person, rows, fields)).importId!

describe('an undo', () => {
  test('gives updated assets their former values back, and deletes created ones with their categories', async () => {
    await createField(alice, { name: 'Colour' })
    const old = await createAsset(alice, { name: 'old', assetNo: 'U-1', brand: 'B', purchasePrice: '5.00' })
    await imported(alice, [
      ['Asset no.', 'Colour'],
      ['U-1', 'red'],
    ])
    const before = ok(await getAsset(alice, old.id)).data
    const id = await run(
      alice,
      [
        ['Name', 'Asset no.', 'Brand', 'Purchase price', 'Category', 'Colour', 'Status'],
        ['new', 'U-1', 'C', 7, 'IT / Laptops', 'blue', 'Lost'],
        ['added', 'U-2', '', '', 'IT', 'green', ''],
      ],
      { createCategories: true },
    )
    expect((await runs(alice))[0]).toMatchObject({
      id,
      fileName: 'assets',
      userId: alice.id,
      created: 1,
      updated: 1,
      unchanged: 0,
      undoneAt: null,
      undoableUntil: expect.any(Number),
    })
    const expected = { restored: 1, deleted: 1, kept: [], keptCount: 0 }
    expect(ok(await undo(alice, id, { dryRun: true })).data).toEqual(expected)
    expect(ok(await getAsset(alice, old.id)).data).toMatchObject({ name: 'new' })
    expect(ok(await undo(alice, id)).data).toEqual(expected)
    const after = ok(await getAsset(alice, old.id)).data
    expect(after).toEqual({ ...before, version: before.version + 2, updatedAt: after.updatedAt })
    expect(ok(await alice.call('assets.list', { query: { keyword: 'U-2' } })).data.items).toEqual([])
    expect(ok(await alice.call('assetCategories.tree', { query: {} })).data).toEqual([])
    // Again it answers the same, and the history says so.
    expect(ok(await undo(alice, id)).data).toEqual(expected)
    expect((await runs(alice)).find((one) => one.id === id)).toMatchObject({
      undoableUntil: null,
      undoneAt: expect.any(Number),
    })
    expect(ok(await getAsset(alice, old.id)).data.version).toBe(after.version)
    const red = [
      ['Asset no.', 'Colour'],
      ['U-1', 'red'],
    ]
    expect(await imported(alice, red)).toMatchObject({ unchanged: 1, updated: 0 })
  })

  test('leaves assets that were changed, lent, deleted or are being counted, and says why', async () => {
    const scope = { orgId: org.id }
    const numbers = ['K-1', 'K-2', 'K-3', 'K-4', 'K-5']
    const id = await run(owner, [['Name', 'Asset no.'], ...numbers.map((number) => ['a', number])], scope)
    const all = ok(await owner.call('assets.list', { query: { ...scope, keyword: 'K-', sort: 'assetNo' } as never }))
      .data.items
    const [changed, lent, deleted, counted] = all
    ok(await owner.call('assets.update', { params: { id: changed!.id }, body: { name: 'mine' } }))
    ok(
      await owner.call('assets.checkOut', { params: { id: lent!.id }, query: {}, body: { personName: 'Li' } } as never),
    )
    ok(await owner.call('assets.delete', { params: { id: deleted!.id } } as never))
    const category = ok(
      await owner.call('assetCategories.create', { body: { name: 'Counted', orgId: org.id } } as never),
    ).data as {
      id: number
    }
    const { version } = ok(await getAsset(owner, counted!.id)).data
    const inventory = ok(await owner.call('inventories.create', { body: { name: 'count', orgId: org.id } } as never))
      .data as { id: number }
    ok(await owner.call('inventories.update', { params: { id: inventory.id }, body: { status: 'RUNNING' } } as never))
    expect(category.id).toBeGreaterThan(0)
    expect(version).toBe(1)
    const { data } = ok(await undo(owner, id))
    expect(data).toMatchObject({ restored: 0, deleted: 0, keptCount: 5 })
    expect(data.kept.map(({ assetNo, reason }) => [assetNo, reason]).toSorted()).toEqual([
      ['K-1', 'IN_INVENTORY'],
      ['K-2', 'ON_LOAN'],
      ['K-3', 'DELETED'],
      ['K-4', 'IN_INVENTORY'],
      ['K-5', 'IN_INVENTORY'],
    ])
    expect(ok(await getAsset(owner, changed!.id)).data.name).toBe('mine')
  })

  test('of several imports, the later ones are undone first', async () => {
    const asset = await createAsset(bob, { name: 'first', assetNo: 'T-1' })
    const named = (name: string) => [
      ['Name', 'Asset no.'],
      [name, 'T-1'],
      ['new', 'T-2'],
    ]
    const one = await run(bob, named('second'))
    const two = await run(bob, named('third'))
    const three = await run(bob, named('fourth'))
    const changed = { assetId: asset.id, assetNo: 'T-1', reason: 'CHANGED' }
    expect(ok(await undo(bob, one, { dryRun: true })).data).toMatchObject({ restored: 0, deleted: 1, kept: [changed] })
    const name = async () => ok(await getAsset(bob, asset.id)).data.name
    ok(await undo(bob, three))
    expect(await name()).toBe('third')
    expect(ok(await undo(bob, two)).data).toMatchObject({ restored: 1, keptCount: 0 })
    expect(await name()).toBe('second')
    expect(ok(await undo(bob, one, { dryRun: true })).data).toMatchObject({ restored: 1, deleted: 1, keptCount: 0 })
    expect(ok(await undo(bob, one)).data).toMatchObject({ restored: 1, deleted: 1, keptCount: 0 })
    expect(await name()).toBe('first')
    expect(ok(await undo(bob, three)).data).toMatchObject({ restored: 1, keptCount: 0 })
  })

  test('a change between two imports, or after the undo of the later one, keeps the asset', async () => {
    const numbers = ['V-1', 'V-2']
    const [between, after] = [
      await createAsset(bob, { name: 'first', assetNo: numbers[0] }),
      await createAsset(bob, { name: 'first', assetNo: numbers[1] }),
    ]
    const named = (name: string) => [['Name', 'Asset no.'], ...numbers.map((number) => [name, number])]
    const edit = (id: number) => bob.call('assets.update', { params: { id }, body: { brand: 'mine' } } as never)
    const one = await run(bob, named('second'))
    ok(await edit(between.id))
    const two = await run(bob, named('third'))
    expect(ok(await undo(bob, two)).data).toMatchObject({ restored: 2 })
    ok(await edit(after.id))
    const { data } = ok(await undo(bob, one))
    expect(data).toMatchObject({ restored: 0, keptCount: 2 })
    expect(data.kept.map(({ reason }) => reason)).toEqual(['CHANGED', 'CHANGED'])
    expect(ok(await getAsset(bob, between.id)).data).toMatchObject({ name: 'second', brand: 'mine' })
  })

  test('leaves rows in the history of transfers and notifies the custodian once', async () => {
    const asset = await createAsset(owner, { assetNo: 'P-1', orgId: org.id, custodianId: member.id })
    const id = await run(
      owner,
      [
        ['Asset no.', 'Custodian'],
        ['P-1', manager.username!],
      ],
      { orgId: org.id },
    )
    ok(await undo(owner, id))
    expect(await transfersOf(owner, asset.id)).toMatchObject([
      { fromUserId: manager.id, toUserId: member.id, note: 'Undo of an import' },
      { fromUserId: member.id, toUserId: manager.id },
    ])
  })

  test('20 at once undo it once', async () => {
    const asset = await createAsset(bob, { name: 'a', assetNo: 'R-1' })
    const id = await run(bob, [
      ['Name', 'Asset no.'],
      ['b', 'R-1'],
    ])
    const answers = await Promise.all(Array.from({ length: 20 }, () => undo(bob, id)))
    expect(answers.every(({ status }) => status === 200 || status === 429)).toBe(true)
    expect(answers.some(({ status }) => status === 200)).toBe(true)
    for (const { status, data } of answers)
      if (status === 200) expect(data).toMatchObject({ restored: 1, keptCount: 0 })
    expect(ok(await getAsset(bob, asset.id)).data).toMatchObject({ name: 'a', version: 3 })
  })

  test('during edits by others it is restored or kept, each asset as a whole', async () => {
    const scope = { orgId: org.id }
    const rows = (brand: string) => [
      ['Name', 'Asset no.', 'Brand'],
      ...Array.from({ length: ROWS }, (_, i) => [`n${i}`, `E-${i}`, brand]),
    ]
    await imported(owner, rows('before'), scope)
    const id = await run(owner, rows('after'), scope)
    const query = { ...scope, keyword: 'E-', size: 100 } as never
    const some = ok(await manager.call('assets.list', { query })).data.items
    const edit = (asset: (typeof some)[number]) =>
      manager.call('assets.update', { params: { id: asset.id }, body: { remark: 'edited' } })
    const early = await Promise.all(some.slice(0, 20).map(edit))
    const [answer, ...late] = await Promise.all([undo(owner, id), ...some.slice(20, 60).map(edit)])
    expect([...early, ...late].every(({ status }) => status === 200)).toBe(true)
    const { restored, keptCount, kept } = ok(answer).data
    expect(restored + keptCount).toBe(ROWS)
    expect(keptCount).toBeGreaterThanOrEqual(20)
    expect(kept.every(({ reason }) => reason === 'CHANGED')).toBe(true)
    const left = new Set(kept.map(({ assetId }) => assetId))
    for (const asset of some.slice(0, 60)) {
      const { brand, remark } = ok(await getAsset(manager, asset.id)).data
      expect([asset.assetNo, brand, remark]).toEqual([asset.assetNo, left.has(asset.id) ? 'after' : 'before', 'edited'])
    }
  })

  test('5,000 rows that are undone and imported again have the same values, and then all are unchanged', async () => {
    const rows = [
      ['Name', 'Asset no.', 'Brand'],
      ...Array.from({ length: 5000 }, (_, i) => [`n${i}`, `B-${i}`, `b${i % 7}`]),
    ]
    await imported(alice, rows)
    const changed = rows.map((row, i) => (i === 0 ? row : [row[0]!, row[1]!, 'other']))
    const id = await run(alice, changed)
    expect(ok(await undo(alice, id)).data).toMatchObject({ restored: 5000, deleted: 0, keptCount: 0 })
    expect(await imported(alice, rows)).toMatchObject({ unchanged: 5000, updated: 0, created: 0 })
  })
})

test('an import that changed more than 20,000 rows says that it cannot be undone, and stays', async () => {
  const rows = Array.from({ length: 20_001 }, (_, i) => [`n${i}`, `X-${i}`])
  const id = await run(outsider, [['Name', 'Asset no.'], ...rows])
  expect((await runs(outsider))[0]).toMatchObject({ id, created: 20_001, undoableUntil: null })
  for (const body of [{ dryRun: true }, {}]) {
    const refused = await undo(outsider, id, body)
    expect([refused.status, refused.message]).toEqual([400, expect.stringContaining('20,000')])
  }
  expect(ok(await outsider.call('assets.list', { query: { size: 1 } })).data.total).toBe(20_001)
})

describe('who may undo', () => {
  test('the importer, or a holder of asset:delete; others are refused, and other owners know of nothing', async () => {
    const id = await run(
      manager,
      [
        ['Name', 'Asset no.'],
        ['a', 'W-1'],
      ],
      { orgId: org.id },
    )
    expect((await undo(member, id)).status).toBe(403)
    expect((await undo(outsider, id)).status).toBe(404)
    expect((await undo(alice, id)).status).toBe(404)
    expect((await undo(alice, 999_999)).status).toBe(404)
    expect((await member.call('assets.imports', { query: { orgId: org.id } as never })).status).toBe(403)
    expect(ok(await undo(owner, id)).data).toMatchObject({ deleted: 1 })
    const own = await run(alice, [
      ['Name', 'Asset no.'],
      ['a', 'W-2'],
    ])
    expect((await undo(bob, own)).status).toBe(404)
  })

  test('errors leave nothing in the history', async () => {
    const before = await runs(outsider)
    expect(
      (
        await sendImport(outsider, [
          ['Name', 'Status'],
          ['a', 'Rusty'],
        ])
      ).status,
    ).toBe(400)
    expect(await runs(outsider)).toEqual(before)
  })
})
