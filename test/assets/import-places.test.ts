/** Imports that create locations, and several assets of one row. */

import { beforeAll, describe, expect, test } from 'bun:test'

import { ok, type Person, useServer } from '../harness/index.ts'
import { addMembers, createOrg, type Org } from '../orgs/helpers.ts'
import { createAsset } from './helpers.ts'
import { type Cells, dryRun, imported, sendImport } from './sheets.ts'

const server = useServer({ people: ['alice', 'owner', 'importer'], noAdmin: true })
const { alice, owner, importer } = server
let org: Org

beforeAll(async () => {
  org = await createOrg(owner)
})

interface Place {
  readonly id: number
  readonly name: string
  readonly children: readonly Place[]
}
const places = async (of: Org): Promise<readonly Place[]> =>
  ok(await owner.call('locations.tree', { params: { orgId: of.id } })).data as never
const shape = (nodes: readonly Place[]): string =>
  nodes.map(({ name, children }) => name + (children.length > 0 ? `(${shape(children)})` : '')).join(',')
const assetsOf = async (person: Person, query: object) =>
  ok(await person.call('assets.list', { query: { size: 100, sort: 'assetNo', ...query } as never })).data.items
const undo = async (person: Person, id: number) =>
  ok(await person.call('assets.undoImport', { params: { id }, query: {} as never, body: {} })).data

describe('missing locations', () => {
  const SLASHES = Array.from({ length: 50 }, () => 'a/'.repeat(45_000))
  const LIST: Cells[] = [
    ['Name', 'Asset no.', 'Location'],
    ['Beamer', 'L-1', 'Main building / Room 201'],
    ['Tisch', 'L-2', 'main building/Room 202'],
    ['Stuhl', 'L-3', 'Main building / Room 201 / Shelf'],
    ['Schrank', 'L-4', ''],
  ]

  test('are errors, unless the import may create them; the undo removes those that are empty and unchanged', async () => {
    const scope = { orgId: org.id }
    const refused = await dryRun(owner, LIST, scope)
    expect(refused).toMatchObject({ errorCount: 3, created: 1 })
    expect(refused.unmatched.location.map(({ text }) => text)).toHaveLength(3)
    expect(await dryRun(owner, LIST, { ...scope, createLocations: true })).toMatchObject({ created: 4, errorCount: 0 })
    expect(await places(org)).toEqual([])
    const { importId } = await imported(owner, LIST, { ...scope, createLocations: true })
    expect(shape(await places(org))).toBe('Main building(Room 201(Shelf),Room 202)')
    const assets = await assetsOf(owner, { ...scope, keyword: 'L-' })
    const [main] = await places(org)
    expect(assets.map(({ locationId }) => locationId)).toEqual([
      main!.children[0]!.id,
      main!.children[1]!.id,
      main!.children[0]!.children[0]!.id,
      null,
    ])
    // Again nothing is missing, and nothing changes.
    expect(await imported(owner, LIST, { ...scope, createLocations: true })).toMatchObject({ unchanged: 4 })
    ok(
      await owner.call('locations.update', {
        params: { orgId: org.id, locationId: main!.children[1]!.id },
        body: { description: 'mine' },
      }),
    )
    expect(await undo(owner, importId!)).toMatchObject({ deleted: 4, keptCount: 0 })
    expect(shape(await places(org))).toBe('Main building(Room 202)')
  })

  test('stay after an undo while something else is there', async () => {
    const scope = { orgId: org.id }
    const rows = [
      ['Name', 'Asset no.', 'Location'],
      ['a', 'S-1', 'Annex / Cellar'],
      ['b', 'S-2', 'Annex / Attic'],
    ]
    const { importId } = await imported(owner, rows, { ...scope, createLocations: true })
    const annex = (await places(org)).find(({ name }) => name === 'Annex')!
    const cellar = annex.children.find(({ name }) => name === 'Cellar')!
    await createAsset(owner, { ...scope, name: 'later', locationId: cellar.id })
    await undo(owner, importId!)
    expect(shape((await places(org)).filter(({ name }) => name === 'Annex'))).toBe('Annex(Cellar)')
  })

  test('of an updated asset are given back', async () => {
    const scope = { orgId: org.id }
    const asset = await createAsset(owner, { ...scope, assetNo: 'B-1' })
    const rows = [
      ['Asset no.', 'Location'],
      ['B-1', 'Gym'],
    ]
    const { importId } = await imported(owner, rows, { ...scope, createLocations: true })
    expect(await undo(owner, importId!)).toMatchObject({ restored: 1 })
    expect((await assetsOf(owner, { ...scope, keyword: 'B-1' })).map(({ id, locationId }) => [id, locationId])).toEqual(
      [[asset.id, null]],
    )
    expect((await places(org)).map(({ name }) => name)).not.toContain('Gym')
  })

  test('are refused without location:create, too deep, without a name, too many, and below one of several', async () => {
    const scope = { orgId: org.id, createLocations: true }
    await addMembers(owner, org, importer)
    const points = ['asset:read', 'asset:create', 'asset:update', 'asset:import']
    const body = { name: 'Importer', permissions: points }
    const { id: roleId } = ok(await owner.call('orgs.createRole', { params: { orgId: org.id }, body } as never))
      .data as { id: number }
    ok(
      await owner.call('orgs.changeMember', {
        params: { orgId: org.id, userId: importer.id },
        body: { roleId },
      } as never),
    )
    expect((await sendImport(importer, LIST, scope)).status).toBe(403)
    expect(await dryRun(importer, LIST.slice(0, 1), { orgId: org.id })).toMatchObject({ errorCount: 0 })

    const errorsFor = async (...paths: string[]) =>
      (await dryRun(owner, [['Name', 'Location'], ...paths.map((path) => ['x', path])], scope)).errors.map(
        ({ row, column, message }) => [row, column, message],
      )
    expect(await errorsFor('1/2/3/4/5/6/7/8/9', 'a // b', 'y'.repeat(101), ...SLASHES)).toEqual(
      Array.from({ length: 3 + SLASHES.length }, (_, i) => [i + 2, 'Location', expect.stringContaining('8 names')]),
    )
    const create = (name: string) => owner.call('locations.create', { params: { orgId: org.id }, body: { name } })
    ok(await create('Twin'))
    ok(await create('TWIN'))
    expect(await errorsFor('Twin / below')).toEqual([[2, 'Location', expect.stringContaining('several')]])
    const many = await errorsFor(...Array.from({ length: 1002 }, (_, i) => `Room ${i}`))
    expect(many.map(([row]) => row)).toEqual([1002, 1003])
    expect(many[0]![2]).toContain('at most 1000')
  })

  test('do not exist for personal assets', async () => {
    const { errors } = await dryRun(alice, LIST, { createLocations: true })
    expect(errors.map(({ message }) => message.includes('organization'))).toEqual([true, true, true])
  })
})

describe('a quantity', () => {
  const LIST: Cells[] = [
    ['Name', 'HB.asset_id', 'Serial no.', 'HB.quantity'],
    ['Chair', '', '', 40],
    ['Table', 'Q-1', 'SN-1', '3'],
    ['Lamp', '', '', ''],
    ['Board', '', '', 1],
  ]

  test('is one asset with a warning, or one for each piece, with generated numbers', async () => {
    const one = await dryRun(alice, LIST)
    expect(one).toMatchObject({ created: 4, errorCount: 0, warningCount: 2 })
    expect(one.columns[3]).toMatchObject({ header: 'HB.quantity', key: 'quantity' })
    expect(one.warnings.map(({ row, column, value }) => [row, column, value])).toEqual([
      [2, 'HB.quantity', '40'],
      [3, 'HB.quantity', '3'],
    ])
    const split = await dryRun(alice, LIST, { splitQuantity: true })
    expect(split).toMatchObject({ created: 45, valid: 4, total: 4, errorCount: 0 })
    expect(split.warnings.map(({ row, column }) => [row, column])).toEqual([[3, 'Serial no.']])
    const { importId, created } = await imported(alice, LIST, { splitQuantity: true })
    expect(created).toBe(45)
    const all = await assetsOf(alice, {})
    const named = (name: string) => all.filter((asset) => asset.name === name)
    expect(named('Chair')).toHaveLength(40)
    expect(new Set(all.map(({ assetNo }) => assetNo)).size).toBe(45)
    expect(named('Table').filter(({ assetNo }) => assetNo === 'Q-1')).toMatchObject([{ serialNo: 'SN-1' }])
    expect(
      named('Table')
        .map(({ serialNo }) => serialNo)
        .toSorted(),
    ).toEqual(['', '', 'SN-1'])
    expect(await undo(alice, importId!)).toMatchObject({ deleted: 45, keptCount: 0 })
    expect(await assetsOf(alice, {})).toEqual([])
  })

  test('of a known number is not split again', async () => {
    await createAsset(alice, { name: 'Table', assetNo: 'Q-7' })
    const rows = [
      ['Name', 'Asset no.', 'Qty'],
      ['Desk', 'Q-7', 5],
    ]
    const result = await imported(alice, rows, { splitQuantity: true })
    expect(result).toMatchObject({ created: 0, updated: 1, warningCount: 1 })
    expect(await imported(alice, rows, { splitQuantity: true })).toMatchObject({ unchanged: 1, created: 0 })
  })

  test('does not take the number of a later row', async () => {
    const [first] = await imported(alice, [['Name'], ['probe']]).then(() => assetsOf(alice, { keyword: 'probe' }))
    const next = first!.assetNo.replace(/\d+$/, (digits) => String(Number(digits) + 1).padStart(digits.length, '0'))
    const rows = [
      ['Name', 'Asset no.', 'Quantity'],
      ['Row', 'N-1', 3],
      ['Taker', next, 1],
    ]
    expect(await imported(alice, rows, { splitQuantity: true })).toMatchObject({ created: 4 })
    expect((await assetsOf(alice, { keyword: next })).map(({ name }) => name)).toEqual(['Taker'])
  })

  test('that is not a whole number, or too large for a row or a file, is an error', async () => {
    const rows: Cells[] = [['Name', '数量'], ...[0, -1, 1.5, 1001, 'many', '1e3', '2'].map((n) => ['a', n])]
    const { errors, created } = await dryRun(alice, rows, { splitQuantity: true })
    expect(errors.map(({ row, column }) => [row, column])).toEqual([2, 3, 4, 5, 6, 7].map((row) => [row, '数量']))
    expect(created).toBe(2)
    expect(await dryRun(alice, rows)).toMatchObject({ errorCount: 0, created: 7 })
    const large: Cells[] = [['Name', 'Qty'], ...Array.from({ length: 102 }, () => ['a', 1000])]
    const tooMany = await dryRun(alice, large, { splitQuantity: true })
    expect(tooMany.errors.map(({ row }) => row)).toEqual([102, 103])
    expect((await sendImport(alice, large, { splitQuantity: true })).status).toBe(400)
  })
})
