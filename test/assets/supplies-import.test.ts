/** Imports of supplies: what their files mean, what they write, and how they are undone. */

import { beforeAll, describe, expect, test } from 'bun:test'

import { inProcess, ok, type Person, useServer } from '../harness/index.ts'
import { addMembers, createOrg, setRole } from '../orgs/helpers.ts'
import { createAsset, createLocation } from './helpers.ts'
import { type Cells, csv, imported as assetsImported, xlsx } from './sheets.ts'

const { server, alice, bob, carol, dave } = useServer({ people: ['alice', 'bob', 'carol', 'dave'] })
let orgId: number
let shelf: number

beforeAll(async () => {
  orgId = (await createOrg(alice)).id
  await addMembers(alice, { id: orgId }, bob, carol)
  await setRole(alice, { id: orgId }, carol, 'ADMIN')
  shelf = await createLocation(alice, orgId, 'Shelf')
})

function send(person: Person, rows: Cells[] | Uint8Array<ArrayBuffer>, fields: object = {}) {
  const form = new FormData()
  for (const [name, value] of Object.entries({ orgId, ...fields })) if (value !== null) form.set(name, String(value))
  form.set('file', new File([Array.isArray(rows) ? csv(rows) : rows], 'list'))
  return person.send('POST', '/api/supplies/import', { body: form })
}
const imported = async (rows: Cells[] | Uint8Array<ArrayBuffer>, fields: object = {}) =>
  ok(await send(alice, rows, fields)).data
const undo = (person: Person, id: number, body: object = {}) =>
  person.call('supplies.undoImport', { params: { id }, body })
const all = async (query: object = {}) =>
  ok(await alice.call('supplies.list', { query: { orgId, size: 100, ...query } })).data.items
const byNumber = async (supplyNo: string) =>
  (await all({ keyword: supplyNo })).find((row) => row.supplyNo === supplyNo)!
const move = async (id: number, body: object) =>
  ok(await alice.call('supplies.move', { params: { id }, body: body as never })).data

describe('an import', () => {
  test('creates supplies with stock, and changes nothing when it is repeated', async () => {
    const rows: Cells[] = [
      ['Name', 'Number', 'Kind', 'Unit', 'Stock', 'Minimum', 'Price', 'Supplier', 'Location', 'Remark'],
      ['Toner', 'T-1', 'Consumable', 'box', 4, 2, '80.5', 'Ink Ltd', 'Shelf', 'black'],
      ['Toner', 'T-1', '', '', 3, '', '', '', '', ''],
      ['Chairs', 'C-1', 'Pool', '', 40, '', '', '', '', ''],
      ['Chalk', '', '', '', '', '', '', '', '', ''],
    ]
    const dry = await imported(rows, { dryRun: true })
    expect(dry).toMatchObject({ total: 4, valid: 4, created: 3, updated: 1, unchanged: 0, errorCount: 0 })
    expect(dry.columns[1]).toEqual({ header: 'Number', key: 'supplyNo', samples: ['T-1', 'T-1', 'C-1'] })
    expect(await all({ keyword: 'T-1' })).toEqual([])
    expect(await imported(rows)).toMatchObject({ created: 3, importId: expect.any(Number) })
    expect(await byNumber('T-1')).toMatchObject({
      name: 'Toner',
      kind: 'CONSUMABLE',
      unit: 'box',
      stock: 7,
      minimum: 2,
      price: '80.50',
      supplier: 'Ink Ltd',
      remark: 'black',
      byLocation: [
        { locationId: null, quantity: 3 },
        { locationId: shelf, quantity: 4 },
      ],
    })
    expect(await byNumber('C-1')).toMatchObject({ kind: 'POOL', stock: 40, unit: 'pcs' })
    expect(await imported(rows.slice(0, 4))).toMatchObject({ created: 0, updated: 0, unchanged: 3 })
    const { items } = ok(await alice.call('supplies.movements', { query: { orgId, type: 'COUNT', size: 100 } })).data
    expect(items.map(({ difference }) => difference).toSorted()).toEqual([3, 4, 40])
  })

  test('takes the file of an export as it is', async () => {
    const before = await all()
    const file = await alice.get(`/api/supplies/export?orgId=${orgId}&format=csv`)
    const result = await imported(new TextEncoder().encode(file.text))
    expect([result.created, result.updated, result.errorCount]).toEqual([0, 0, 0])
    expect(await all()).toEqual(before)
  })

  test('reads foreign headings, titles above them, decimal commas and sums at the end', async () => {
    const book = xlsx({
      Liste: [
        ['Bestand am 30. November'],
        ['Item', 'SKU', 'Qty', 'Unit cost', 'Notes'],
        ['Marker', 'M-1', '1.200', '1,50', ''],
        ['Eraser', 'M-2', 12, '2,25', 'white'],
        ['Total', null, 1212, '', ''],
      ],
    })
    const result = await imported(book)
    expect(result.preview[0].values).toMatchObject([
      { key: 'name', value: 'Marker' },
      { key: 'supplyNo', value: 'M-1' },
      { key: 'stock', value: 1200, text: '1.200' },
      { key: 'price', value: '1.50', text: '1,50' },
    ])
    expect(result).toMatchObject({ headerRow: 2, decimal: 'COMMA', created: 2, errorCount: 0, warningCount: 1 })
    expect(await byNumber('M-1')).toMatchObject({ stock: 1200, price: '1.50' })
  })

  test('refuses rows with errors and writes nothing', async () => {
    const rows: Cells[] = [
      ['Name', 'Number', 'Stock', 'Kind', 'Category', 'Location', 'Price', 'Unit'],
      ['Good', 'E-1', 1, '', '', '', '', ''],
      ['', 'E-2', 1, '', '', '', '', ''],
      ['x', 'E-3', 1.5, '', '', '', '', ''],
      ['x', 'E-4', -1, '', '', '', '', ''],
      ['x', 'E-5', '1e3', '', '', '', '', ''],
      ['x', 'E-6', 1, 'Other', '', '', '', ''],
      ['x', 'E-7', 1, '', 'Nowhere', '', '', ''],
      ['x', 'E-8', 1, '', '', 'Moon', '', ''],
      ['x', 'E-9', 1, '', '', '', '1.234', ''],
      ['x', 'E-10', 1, '', '', '', '', 'x'.repeat(21)],
      ['Good', 'E-1', 2, '', '', '', '', ''],
    ]
    const dry = await imported(rows, { dryRun: true })
    expect(dry.errors.map(({ row, column }: { row: number; column: string }) => [row, column])).toEqual([
      [3, 'Name'],
      [4, 'Stock'],
      [5, 'Stock'],
      [6, 'Stock'],
      [7, 'Kind'],
      [8, 'Category'],
      [9, 'Location'],
      [10, 'Price'],
      [11, 'Unit'],
      [12, 'Location'],
    ])
    expect(dry.unmatched).toMatchObject({
      category: [{ text: 'Nowhere', rows: 1 }],
      location: [{ text: 'Moon', rows: 1 }],
    })
    const refused = await send(alice, rows)
    expect(refused.status).toBe(400)
    expect(refused.details[0]).toMatchObject({ path: 'rows.3.name' })
    expect(await all({ keyword: 'E-1' })).toEqual([])
    expect((await send(alice, [['Colour'], ['red']])).status).toBe(400)
    expect(
      (
        await send(alice, [
          ['Name', 'Name'],
          ['a', 'b'],
        ])
      ).status,
    ).toBe(400)
    expect((await send(alice, new Uint8Array([0x50, 0x4b, 3, 4, 1, 2]))).status).toBe(400)
    expect((await send(bob, rows)).status).toBe(403)
    expect((await send(alice, rows, { mapping: '{"Name":"colour"}' })).status).toBe(400)
    expect((await send(alice, rows, { categoryId: 999_999 })).status).toBe(400)
  })

  test('obeys its mode, and maps of words', async () => {
    const row = (number: string): Cells[] => [
      ['Name', 'Number', 'Location', 'Stock'],
      ['Glue', number, 'R 12', 2],
    ]
    const locationMap = JSON.stringify({ r12: shelf })
    expect((await send(alice, row('G-1'), { mode: 'UPDATE', locationMap })).status).toBe(400)
    await imported(row('G-1'), { mode: 'CREATE', locationMap })
    expect((await byNumber('G-1')).byLocation).toEqual([{ locationId: shelf, quantity: 2 }])
    expect((await send(alice, row('G-1'), { mode: 'CREATE', locationMap })).status).toBe(400)
    expect((await send(alice, row('G-2'), { locationMap: '{"R 12":999999}' })).status).toBe(400)
  })
})

describe('missing categories and locations', () => {
  interface Node {
    readonly id: number
    readonly name: string
    readonly children: readonly Node[]
  }
  const shape = (nodes: readonly Node[]): string =>
    nodes.map(({ name, children }) => name + (children.length > 0 ? `(${shape(children)})` : '')).join(',')
  const locations = async () =>
    ok(await alice.call('locations.tree', { params: { orgId } })).data as unknown as readonly Node[]
  const categories = async () =>
    ok(await alice.call('assetCategories.tree', { query: { orgId } })).data as unknown as readonly Node[]
  const places = async () => shape((await locations()).filter(({ name }) => name !== 'Shelf'))
  const BOTH = { createCategories: true, createLocations: true }
  const LIST: Cells[] = [
    ['Name', 'Number', 'Category', 'Location', 'Stock'],
    ['Toner', 'N-1', 'Office / Printing', 'Main building / Room 201', 4],
    ['Toner', 'N-1', '', 'main building/Room 202', 3],
    ['Chalk', 'N-2', 'office', 'Main building / Room 201 / Cupboard', 5],
    ['Glue', 'N-3', '', 'Never needed', ''],
  ]

  test('are errors, unless the import may create them; the undo removes those that are empty and unchanged', async () => {
    const refused = await imported(LIST, { dryRun: true })
    expect(refused).toMatchObject({ errorCount: 6 })
    expect(refused.unmatched.location).toHaveLength(4)
    expect(await imported(LIST, { ...BOTH, dryRun: true })).toMatchObject({ created: 3, updated: 1, errorCount: 0 })
    expect([await places(), shape(await categories())]).toEqual(['', ''])
    const { importId } = await imported(LIST, BOTH)
    // Nothing is at the location of a row without a stock.
    expect(await places()).toBe('Main building(Room 201(Cupboard),Room 202)')
    expect(shape(await categories())).toBe('Office(Printing)')
    const [main] = (await locations()).filter(({ name }) => name === 'Main building')
    const [room, other] = main!.children
    const [office] = await categories()
    expect(await byNumber('N-1')).toMatchObject({
      categoryId: office!.children[0]!.id,
      byLocation: [
        { locationId: room!.id, quantity: 4 },
        { locationId: other!.id, quantity: 3 },
      ],
    })
    expect(await byNumber('N-2')).toMatchObject({
      categoryId: office!.id,
      byLocation: [{ locationId: room!.children[0]!.id, quantity: 5 }],
    })
    expect(await imported(LIST.slice(0, 4), BOTH)).toMatchObject({ created: 0, updated: 0, unchanged: 3 })
    await move(ok(await alice.call('supplies.create', { body: { name: 'Later', orgId } })).data.id, {
      type: 'IN',
      quantity: 1,
      locationId: other!.id,
    })
    expect(ok(await undo(alice, importId)).data).toMatchObject({ deleted: 3, keptCount: 0 })
    expect(await places()).toBe('Main building(Room 202)')
    expect(shape(await categories())).toBe('')
  })

  test('stay after an undo while a supply that was changed since, or an asset, is in them', async () => {
    const { importId } = await imported(
      [
        ['Name', 'Number', 'Category', 'Location', 'Stock'],
        ['Kept', 'U-1', 'Used', 'Annex / Attic', 1],
        ['Gone', 'U-2', 'Other', 'Annex / Cellar', 1],
        ['Gone', 'U-3', 'Tools', '', 1],
      ],
      BOTH,
    )
    await move((await byNumber('U-1')).id, { type: 'IN', quantity: 1 })
    const tools = (await categories()).find(({ name }) => name === 'Tools')!
    await createAsset(alice, { orgId, name: 'Drill', categoryId: tools.id })
    expect(ok(await undo(alice, importId)).data).toMatchObject({ deleted: 2, keptCount: 1 })
    expect(await places()).toContain('Annex(Attic)')
    expect(shape(await categories())).toBe('Used,Tools')
  })

  test('of an import of assets stay while a supply is in them', async () => {
    const rows: Cells[] = [
      ['Name', 'Asset no.', 'Category'],
      ['Lamp', 'A-77', 'Shared'],
    ]
    const { importId } = await assetsImported(alice, rows, { orgId, createCategories: true })
    const shared = (await categories()).find(({ name }) => name === 'Shared')!
    const { id } = ok(
      await alice.call('supplies.create', { body: { name: 'Bulbs', orgId, categoryId: shared.id } }),
    ).data
    ok(await alice.call('assets.undoImport', { params: { id: importId! }, query: {}, body: {} }))
    expect(ok(await alice.call('supplies.get', { params: { id } })).data.categoryId).toBe(shared.id)
  })

  test('are refused without the right to create them, too deep, too many, and for personal supplies', async () => {
    const permissions = ['asset:read', 'asset:create', 'asset:update', 'asset:import']
    const role = { name: 'Importer', permissions }
    const { id: roleId } = ok(await alice.call('orgs.createRole', { params: { orgId }, body: role } as never)).data as {
      id: number
    }
    ok(await alice.call('orgs.changeMember', { params: { orgId, userId: bob.id }, body: { roleId } } as never))
    for (const fields of [{ createLocations: true }, { createCategories: true }])
      expect((await send(bob, LIST, fields)).status).toBe(403)
    expect((await send(bob, LIST, { dryRun: true })).status).toBe(200)

    const errorsOf = async (column: string, ...paths: string[]) =>
      (
        await imported([['Name', column, 'Stock'], ...paths.map((path) => ['x', path, 1])], { ...BOTH, dryRun: true })
      ).errors.map((error: { row: number }) => error.row)
    expect(await errorsOf('Location', '1/2/3/4/5/6/7/8/9', 'a // b', 'y'.repeat(101), 'fine')).toEqual([2, 3, 4])
    expect(await errorsOf('Category', '1/2/3/4/5/6', 'fine')).toEqual([2])
    expect(await errorsOf('Location', ...Array.from({ length: 1002 }, (_, i) => `Room ${i}`))).toEqual([1002, 1003])

    const personal = (fields: object) => send(dave, LIST, { orgId: null, ...fields })
    const { errors } = ok(await personal({ ...BOTH, dryRun: true })).data
    expect(errors.map(({ column }: { column: string }) => column)).toEqual(Array.from({ length: 4 }, () => 'Location'))
  })

  test('are created once by two imports at once', async () => {
    const rows = (number: string): Cells[] => [
      ['Name', 'Number', 'Category', 'Location', 'Stock'],
      ['Pens', number, 'Race', 'Race / Track', 1],
    ]
    const replies = await Promise.all([send(alice, rows('W-1'), BOTH), send(carol, rows('W-2'), BOTH)])
    expect(replies.map(({ status }) => status)).toEqual([200, 200])
    expect(shape((await locations()).filter(({ name }) => name === 'Race'))).toBe('Race(Track)')
    expect((await categories()).filter(({ name }) => name === 'Race')).toHaveLength(1)
  })
})

describe('an undo', () => {
  test('restores values and stock, deletes what was created, and answers the same again', async () => {
    const { id, ...before } = ok(
      await alice.call('supplies.create', { body: { name: 'Paper', supplyNo: 'P-1', orgId, price: '3.00' } }),
    ).data
    await move(id, { type: 'IN', quantity: 10, locationId: shelf })
    const { importId } = await imported([
      ['Name', 'Number', 'Price', 'Stock', 'Location'],
      ['Copy paper', 'P-1', 4, 6, 'Shelf'],
      ['Envelopes', 'P-2', 1, 50, ''],
    ])
    expect(await byNumber('P-1')).toMatchObject({ name: 'Copy paper', price: '4.00', stock: 6 })
    const expected = { restored: 1, deleted: 1, kept: [], keptCount: 0 }
    expect(ok(await undo(alice, importId, { dryRun: true })).data).toEqual(expected)
    expect(await byNumber('P-1')).toMatchObject({ stock: 6 })
    expect((await undo(bob, importId)).status).toBe(403)
    expect(ok(await undo(alice, importId)).data).toEqual(expected)
    expect(await byNumber('P-1')).toMatchObject({ name: before.name, price: '3.00', stock: 10 })
    expect(await all({ keyword: 'P-2' })).toEqual([])
    expect(ok(await undo(alice, importId)).data).toEqual(expected)
    const [run] = ok(await alice.call('supplies.imports', { query: { orgId } })).data.items
    expect(run).toMatchObject({
      id: importId,
      created: 1,
      updated: 1,
      undoableUntil: null,
      undoneAt: expect.any(Number),
    })
  })

  test('of several imports begins with the last one; what was moved between them stays', async () => {
    const { id } = ok(await alice.call('supplies.create', { body: { name: 'Glue', supplyNo: 'UND-1', orgId } })).data
    await move(id, { type: 'IN', quantity: 1 })
    const sheet = (name: string, stock: number) => [
      ['Name', 'Number', 'Stock'],
      [name, 'UND-1', stock],
      ['Tape', 'UND-2', stock],
      ['Clips', 'UND-3', stock],
    ]
    const { importId: one } = await imported(sheet('Glue stick', 5))
    await move((await byNumber('UND-3')).id, { type: 'TAKE', quantity: 1 })
    const { importId: two } = await imported(sheet('Glue pen', 7))
    const { importId: three } = await imported(sheet('Glue pen', 9))
    expect(ok(await undo(alice, one, { dryRun: true })).data).toMatchObject({ restored: 0, deleted: 0, keptCount: 3 })
    expect(ok(await undo(alice, three)).data).toMatchObject({ restored: 3, keptCount: 0 })
    expect(ok(await undo(alice, two)).data).toMatchObject({ restored: 3, keptCount: 0 })
    expect(await byNumber('UND-1')).toMatchObject({ name: 'Glue stick', stock: 5 })
    const { data } = ok(await undo(alice, one))
    expect(data).toMatchObject({
      restored: 1,
      deleted: 1,
      kept: [{ supplyNo: 'UND-3', reason: 'CHANGED' }],
      keptCount: 1,
    })
    expect(await byNumber('UND-1')).toMatchObject({ name: 'Glue', stock: 1 })
    expect(await byNumber('UND-3')).toMatchObject({ stock: 4 })
  })

  test('leaves what was changed or moved since', async () => {
    const { importId } = await imported([
      ['Name', 'Number', 'Stock'],
      ['One', 'K-1', 5],
      ['Two', 'K-2', 5],
      ['Three', 'K-3', 5],
      ['Four', 'K-4', 5],
    ])
    await move((await byNumber('K-1')).id, { type: 'TAKE', quantity: 1 })
    const two = await byNumber('K-2')
    ok(await alice.call('supplies.update', { params: { id: two.id }, body: { name: 'Second' } }))
    ok(await alice.call('supplies.delete', { params: { id: (await byNumber('K-3')).id } }))
    const { restored, deleted, kept, keptCount } = ok(await undo(carol, importId)).data
    expect({ restored, deleted, keptCount }).toEqual({ restored: 0, deleted: 1, keptCount: 3 })
    expect(kept.map(({ reason }) => reason)).toEqual(['CHANGED', 'CHANGED', 'DELETED'])
    expect(await byNumber('K-1')).toMatchObject({ stock: 4 })
    expect(await all({ keyword: 'K-4' })).toEqual([])
  })

  test.if(inProcess)('is possible for a day', async () => {
    const { importId } = await imported([
      ['Name', 'Number'],
      ['Late', 'L-1'],
    ])
    server.clock.advance(86_400_001)
    expect((await undo(alice, importId)).status).toBe(400)
    expect(await byNumber('L-1')).toMatchObject({ name: 'Late' })
  })
})

// The sample file of Snipe-IT is under the AGPL, so the row below its headings is not theirs.
test('the headings of a list of consumables of Snipe-IT are known', async () => {
  const headings =
    'Company,Name,Category,Supplier,Manufacturer,QTY,Location,Order Number,Min Amount,Model Number,Item Number,Notes,Purchase Date,Purchase Cost'
  const row = [
    'School',
    'Chalk',
    'Office',
    'Shop',
    'Acme',
    '50',
    'Shelf',
    '9-1',
    '10',
    'M-1',
    'I-63',
    'white',
    '11/5/22',
    '35.2',
  ]
  const result = await imported([headings.split(','), row], { dryRun: true, createCategories: true })
  expect([result.created, result.errors]).toEqual([1, []])
  expect(
    Object.fromEntries(result.preview[0].values.map(({ key, value }: { key: string; value: unknown }) => [key, value])),
  ).toEqual({
    name: 'Chalk',
    category: 'Office',
    supplier: 'Shop',
    stock: 50,
    location: 'Shelf',
    minimum: 10,
    supplyNo: 'I-63',
    remark: 'white',
    price: '35.20',
  })
})

const LIST: Cells[] = [
  ['Artikel', 'Nr.', 'Menge', 'Ort'],
  ['Kreide', 'Lager-1', 12, 'Regal'],
  ['Stifte', 'Lager-2', '3', 'Regal'],
]
const HEADINGS = LIST[0] as string[]
const mappingOf = (options: object = {}, fields: object = {}) => ({
  kind: 'SUPPLY',
  name: 'Lagerliste',
  headings: HEADINGS,
  orgId,
  options: {
    mapping: JSON.stringify({ Artikel: 'name', 'Nr.': 'supplyNo', Menge: 'stock', Ort: 'location' }),
    ...options,
  },
  ...fields,
})
const save = (person: Person, body: object) => person.call('importMappings.create', { body: body as never })

describe('a saved mapping', () => {
  test('is named by dry runs of lists of supplies with the same headings, and applied with its id only', async () => {
    const mapping = ok(
      await save(alice, mappingOf({ locationMap: JSON.stringify({ Regal: String(shelf) }), decimal: 'COMMA' })),
    ).data
    expect(mapping).toMatchObject({ kind: 'SUPPLY', name: 'Lagerliste', headings: HEADINGS })
    const named = await imported(LIST, { dryRun: true })
    expect(named).toMatchObject({ savedMapping: { id: mapping.id, name: 'Lagerliste' }, created: 0, errorCount: 1 })
    const result = await imported(LIST, { mappingId: mapping.id })
    expect(result).toMatchObject({ created: 2, errorCount: 0, decimal: 'COMMA', savedMapping: { id: mapping.id } })
    expect((await byNumber('Lager-1')).byLocation).toEqual([{ locationId: shelf, quantity: 12 }])
    // Options of the request win.
    const own = JSON.stringify({ Artikel: 'name', 'Nr.': 'supplyNo', Menge: null, Ort: null })
    expect(await imported(LIST, { mappingId: mapping.id, mapping: own, dryRun: true })).toMatchObject({ unchanged: 2 })
  })

  test('is apart from those for assets: neither lists, names nor takes the other', async () => {
    const list = async (query: object) =>
      ok(await alice.call('importMappings.list', { query: { orgId, ...query } as never })).data.items
    const forAssets = ok(await save(alice, { name: 'Inventar', headings: HEADINGS, orgId, options: {} })).data
    expect(forAssets.kind).toBe('ASSET')
    expect((await list({})).map(({ name }) => name)).toEqual(['Inventar'])
    const [supplies, ...others] = await list({ kind: 'SUPPLY' })
    expect([supplies!.name, others]).toEqual(['Lagerliste', []])
    expect((await imported(LIST, { dryRun: true })).savedMapping).toMatchObject({ name: 'Lagerliste' })
    const refused = await send(alice, LIST, { mappingId: forAssets.id })
    expect([refused.status, refused.details[0]?.path]).toEqual([400, 'body.mappingId'])
    const asset = new FormData()
    for (const [name, value] of Object.entries({ orgId, mappingId: supplies!.id })) asset.set(name, String(value))
    asset.set('file', new File([csv(LIST)], 'list'))
    expect((await alice.send('POST', '/api/assets/import', { body: asset })).status).toBe(400)
    // One name serves one mapping, of either kind.
    expect((await save(alice, mappingOf({}, { name: 'inventar' }))).status).toBe(400)
  })

  test('keeps only options that imports of supplies have', async () => {
    const wrong: [object, string][] = [
      [{ statusMap: '{"a":"IDLE"}' }, 'body.options.statusMap'],
      [{ splitQuantity: true }, 'body.options.splitQuantity'],
      [{ mapping: '{"Artikel":"assetNo"}' }, 'body.options.mapping'],
      [{ categoryId: 999_999 }, 'body.options.categoryId'],
    ]
    for (const [options, path] of wrong) {
      const reply = await save(alice, mappingOf(options, { name: path }))
      expect([reply.status, reply.details[0]?.path]).toEqual([400, path])
    }
    expect((await save(dave, mappingOf({}, { name: 'of a stranger' }))).status).toBe(403)
    expect((await save(alice, mappingOf({}, { kind: 'TOOL' }))).status).toBe(400)
  })
})

describe('an import in the background', () => {
  const started = async (rows: Cells[], fields: object = {}) => (await imported(rows, { async: true, ...fields })).jobId
  const over = async (jobId: string) => {
    for (;;) {
      const { data } = ok(await alice.call('supplies.importJob', { params: { jobId } }))
      if (data.state === 'DONE' || data.state === 'FAILED') return data
      await Bun.sleep(20)
    }
  }

  test('answers a job, whose result only its user can read', async () => {
    const rows: Cells[] = [['Name', 'Number', 'Stock'], ...Array.from({ length: 300 }, (_, i) => ['Pen', `J-${i}`, i])]
    const jobId = await started(rows)
    const job = await over(jobId)
    expect(job).toMatchObject({ id: jobId, state: 'DONE', processed: 300, total: 300, result: { created: 300 } })
    expect(await byNumber('J-299')).toMatchObject({ stock: 299 })
    expect(ok(await undo(alice, job.result!.importId!, { dryRun: true })).data).toMatchObject({ deleted: 300 })
    expect((await bob.call('supplies.importJob', { params: { jobId } })).status).toBe(404)
    expect((await alice.call('assets.importJob', { params: { jobId } })).status).toBe(404)
    expect((await server.request('GET', `/api/supplies/import/${jobId}`)).status).toBe(401)
  })

  test('that has errors fails, lists them and writes nothing', async () => {
    const rows: Cells[] = [
      ['Name', 'Number', 'Stock'],
      ['Good', 'F-1', 1],
      ['Bad', 'F-2', 'many'],
    ]
    const job = await over(await started(rows))
    expect(job).toMatchObject({ state: 'FAILED', result: { errorCount: 1, errors: [{ row: 3, column: 'Stock' }] } })
    expect(await all({ keyword: 'F-1' })).toEqual([])
  })

  test('is not begun for a file without the columns that it needs', async () => {
    expect((await send(alice, [['Colour'], ['red']], { async: true })).status).toBe(400)
  })
})

describe('between the check of an import and its write', () => {
  /** Runs `meanwhile` once, right before the write of the next import. */
  function beforeTheWrite(meanwhile: () => Promise<unknown>): void {
    const { db } = server.ctx
    const { write } = db
    db.write = async (name, ...rest) => {
      if (name === 'supplies.import') {
        db.write = write
        await meanwhile()
      }
      return write.call(db, name, ...rest) as never
    }
  }

  test.if(inProcess)('a supply that is changed, moved or created is counted as it is then', async () => {
    await imported([
      ['Name', 'Number', 'Stock', 'Location'],
      ['known', 'LATE-1', 5, 'Shelf'],
      ['moved', 'LATE-2', 5, 'Shelf'],
    ])
    const [known, moved] = [await byNumber('LATE-1'), await byNumber('LATE-2')]
    beforeTheWrite(async () => {
      ok(await alice.call('supplies.update', { params: { id: known.id }, body: { name: 'other', remark: 'new' } }))
      await move(moved.id, { type: 'TAKE', quantity: 2, locationId: shelf })
      ok(await alice.call('supplies.create', { body: { orgId, name: 'made', supplyNo: 'LATE-3', remark: 'made' } }))
    })
    const rows: Cells[] = [
      ['Name', 'Number', 'Stock', 'Location'],
      ['known', 'LATE-1', 5, 'Shelf'],
      ['moved', 'LATE-2', 5, 'Shelf'],
      ['third', 'LATE-3', 7, 'Shelf'],
    ]
    ok(await send(alice, rows))
    expect(await byNumber('LATE-1')).toMatchObject({ name: 'known', remark: 'new', stock: 5 })
    expect(await byNumber('LATE-2')).toMatchObject({ stock: 5 })
    expect(await byNumber('LATE-3')).toMatchObject({ name: 'third', remark: 'made', stock: 7 })
  })

  test.if(inProcess)('a location that is gone refuses the import', async () => {
    const attic = await createLocation(alice, orgId, 'Attic')
    beforeTheWrite(async () => ok(await alice.call('locations.delete', { params: { orgId, locationId: attic } })))
    const rows: Cells[] = [
      ['Name', 'Number', 'Stock', 'Location'],
      ['lost', 'LATE-4', 5, 'Attic'],
    ]
    const reply = await send(alice, rows)
    expect(reply.status).toBe(400)
    expect(reply.text).toContain('rows.2.location')
    expect(await byNumber('LATE-4')).toBeUndefined()
  })
})

test('rows without a number get none that a later row has', async () => {
  const erin = await server.person('erin')
  const rows: Cells[] = [
    ['Name', 'Number'],
    ...Array.from({ length: 300 }, (_, i): Cells => [`unnumbered ${i}`, '']),
    ['numbered', 'S-00007'],
  ]
  expect(ok(await send(erin, rows, { orgId: null })).data).toMatchObject({ created: 301 })
  const { items } = ok(await erin.call('supplies.list', { query: { keyword: 'S-00007' } })).data
  expect(items).toMatchObject([{ name: 'numbered' }])
})
