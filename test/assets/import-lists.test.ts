/** Lists as other programs write them (test/fixtures/lists): imported without editing, previewed as they are written, and undone. */

import { beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import type { ImportResult } from '#domains/assets/importing/importing.model.ts'

import { ok, useServer } from '../harness/index.ts'
import { addMembers, createOrg, type Org } from '../orgs/helpers.ts'
import { dryRun, imported } from './sheets.ts'

const { alice, bob } = useServer({ people: ['alice', 'bob'], noAdmin: true })
let org: Org

beforeAll(async () => {
  org = await createOrg(alice)
  await addMembers(alice, org, bob)
})

const bytesOf = (name: string) => new Uint8Array(readFileSync(join(import.meta.dir, '../fixtures/lists', name)))
const stored = async () =>
  ok(await alice.call('assets.list', { query: { orgId: org.id, size: 100, sort: 'assetNo' } })).data.items

const OPTIONS = { dateOrder: 'AUTO', createCategories: true, createLocations: true, unknownCustodian: 'REMARK' }

/** The values of a column in the preview, in the order of the rows. */
const shown = ({ preview }: ImportResult, key: string) =>
  preview.map(({ values }) => values.find((value) => value.key === key)?.value ?? null)

const undo = async (id: number) =>
  ok(await alice.call('assets.undoImport', { params: { id }, query: {} as never, body: {} })).data

/** The categories that an import of the list gives its assets, which are undone. */
async function categoriesOf(name: string): Promise<(string | null)[]> {
  const { importId } = await imported(alice, bytesOf(name), { orgId: org.id, ...OPTIONS })
  const tree = ok(await alice.call('assetCategories.tree', { query: { orgId: org.id } })).data
  const names = (await stored()).map(({ categoryId }) => tree.find(({ id }) => id === categoryId)?.name ?? null)
  await undo(importId!)
  return names
}

/** Imports the list, compares what was written with the preview, undoes it, imports it again, and leaves nothing. */
async function through(name: string, fields: object = {}): Promise<ImportResult> {
  const options = { orgId: org.id, ...OPTIONS, ...fields }
  const checked = await dryRun(alice, bytesOf(name), options)
  expect(checked.errors).toEqual([])
  const { importId, created } = await imported(alice, bytesOf(name), options)
  expect(created).toBe(checked.created)
  const assets = await stored()
  expect(assets).toHaveLength(created)
  for (const { values } of checked.preview) {
    const number = values.find(({ key }) => key === 'assetNo')?.value
    const asset = assets.find(({ assetNo }) => assetNo === number)
    if (asset === undefined) continue
    for (const key of [
      'name',
      'purchasePrice',
      'purchaseDate',
      'warrantyExpiry',
      'status',
      'brand',
      'remark',
    ] as const) {
      const value = values.find((one) => one.key === key)
      if (value !== undefined) expect([number, key, asset[key]]).toEqual([number, key, value.value as never])
    }
  }
  expect(await undo(importId!)).toMatchObject({ deleted: created, keptCount: 0 })
  const again = await imported(alice, bytesOf(name), options)
  expect(again.created).toBe(created)
  const numbered = await imported(alice, bytesOf(name), options)
  // The rows without a number are new each time.
  if (assets.every(({ assetNo }) => checked.preview.some(({ values }) => values.some((v) => v.value === assetNo))))
    expect(numbered).toMatchObject({
      unchanged: again.total - again.warnings.filter(({ column }) => column === null).length,
    })
  if (numbered.created + numbered.updated > 0) await undo(numbered.importId!)
  await undo(again.importId!)
  expect(await stored()).toEqual([])
  expect(ok(await alice.call('locations.tree', { params: { orgId: org.id } })).data).toEqual([])
  expect(ok(await alice.call('assetCategories.tree', { query: { orgId: org.id } })).data).toEqual([])
  return checked
}

describe('workbooks', () => {
  test.each(['openpyxl-ledger.xlsx', 'libreoffice-ledger.xlsx', 'libreoffice-ledger.csv'])(
    'a ledger with title, day, two rows of headings and a sum: %s',
    async (name) => {
      const result = await through(name)
      expect(result).toMatchObject({ headerRow: 3, headerRows: 2, total: 4, created: 3 })
      expect(result.columns.map(({ key }) => key)).toEqual([
        null,
        'assetNo',
        'name',
        'purchaseDate',
        'purchasePrice',
        'location',
      ])
      expect(result.warnings).toMatchObject([{ row: 8 }])
      expect(shown(result, 'purchaseDate')).toEqual(['2024-03-08', '2024-12-25', '2023-01-02'])
      expect(shown(result, 'purchasePrice')).toEqual(['1849.78', '99.50', '5000.00'])
    },
  )

  test.each(['pandas.xlsx', 'pandas.csv'])('a table of pandas, whose whole numbers can be 36.0: %s', async (name) => {
    const result = await through(name)
    expect(shown(result, 'status')).toEqual(['IDLE', 'IN_USE', 'REPAIR'])
    expect(shown(result, 'warrantyExpiry')).toEqual(['2027-03-08', null, '2025-01-02'])
  })

  test('one of XlsxWriter with numbers that keep their zeros, results of formulas, and quantities', async () => {
    const result = await through('xlsxwriter.xlsx', { mapping: JSON.stringify({ Qty: null }) })
    expect(result).toMatchObject({ headerRow: 3, created: 4 })
    expect(shown(result, 'assetNo')).toEqual(['00101', '00102', '00103', null])
    expect(await dryRun(alice, bytesOf('xlsxwriter.xlsx'), { splitQuantity: true })).toMatchObject({ created: 7 })
  })
})

describe('texts', () => {
  test('of Excel in German Windows: Windows-1252, semicolons, comma and days with points', async () => {
    const result = await through('excel-windows-1252.csv', { mapping: JSON.stringify({ Gerät: 'name' }) })
    expect(result).toMatchObject({ encoding: { used: 'windows-1252', certain: true }, decimal: 'COMMA' })
    expect(shown(result, 'name')).toEqual(['Beamer Größe L', 'Schülerpult'])
    expect(shown(result, 'location')).toEqual(['Größe „A“', 'Größe „A“'])
    expect(shown(result, 'purchasePrice')).toEqual(['1849.78', '99.50'])
    expect(shown(result, 'purchaseDate')).toEqual(['2024-03-08', '2024-12-25'])
  })

  test.each([
    ['wps-gbk.csv', 'gb18030'],
    ['wps-utf-16.txt', 'utf-16le'],
  ] as const)('of WPS in Chinese Windows: %s', async (name, used) => {
    const result = await through(name)
    expect(result).toMatchObject({ encoding: { used, certain: true }, decimal: 'POINT', warningCount: 1 })
    expect(shown(result, 'purchasePrice')).toEqual(['1849.78', '5000.00'])
    expect(shown(result, 'purchaseDate')).toEqual(['2024-03-08', '2024-03-09'])
    expect(await dryRun(alice, bytesOf(name), { splitQuantity: true })).toMatchObject({ created: 41 })
  })

  test('in Big5, with its columns chosen', async () => {
    const mapping = JSON.stringify({ 資產名稱: 'name', 編號: 'assetNo', 價格: 'purchasePrice' })
    const result = await through('big5.csv', { mapping })
    expect(result).toMatchObject({ encoding: { used: 'big5' } })
    expect(shown(result, 'name')).toEqual(['投影機', '學生課桌椅'])
    expect(shown(result, 'purchasePrice')).toEqual(['1200.00', '800.50'])
  })
})

describe('exports of other registers', () => {
  test('Snipe-IT: links are texts, and assets without a name take their model', async () => {
    const result = await through('snipe-it.csv', { emptyNames: 'MODEL' })
    expect(shown(result, 'name')).toEqual(['MacBook Pro 14"', 'Reception', 'Projector X1', 'Old printer'])
    expect(shown(result, 'category')).toEqual(['Laptops', 'Displays', 'Projectors', 'Printers'])
    expect(shown(result, 'status')).toEqual(['IDLE', 'IN_USE', 'REPAIR', 'SCRAPPED'])
    expect(shown(result, 'remark')).toEqual(['first\nsecond', 'Custodian: Jane Doe', null, null])
    const refused = await dryRun(alice, bytesOf('snipe-it.csv'), { orgId: org.id, ...OPTIONS })
    expect(refused.errors.map(({ row, column }) => [row, column])).toEqual([
      [2, 'Asset Name'],
      [4, 'Asset Name'],
    ])
  })

  test('Snipe-IT, the report: a status has its kind behind it, and what is handed out is in use', async () => {
    const result = await through('snipe-it-report.csv', { emptyNames: 'MODEL' })
    expect(shown(result, 'name')).toEqual(['Notebook 14"', 'Front desk', 'Projector X1', 'Old printer'])
    expect(shown(result, 'status')).toEqual(['IN_USE', 'IDLE', 'REPAIR', 'SCRAPPED'])
    expect(shown(result, 'category')).toEqual(['Laptops', 'Displays', 'Projectors', 'Printers'])
    expect(shown(result, 'purchasePrice')).toEqual(['1849.78', '210.50', null, '99.00'])
    expect(shown(result, 'warrantyExpiry')).toEqual(['2027-03-08', null, null, null])
    expect(shown(result, 'custodian')).toEqual(['jdoe', null, null, null])
    expect(shown(result, 'remark')).toEqual(['first\nsecond\nCustodian: jdoe', '=spare', null, null])
  })

  test('Snipe-IT, the list: names with their user names, and days with their weekdays', async () => {
    const result = await through('snipe-it-list.csv')
    expect(shown(result, 'status')).toEqual(['IN_USE', 'IDLE'])
    expect(shown(result, 'purchaseDate')).toEqual(['2024-03-08', '2023-11-02'])
    expect(shown(result, 'warrantyExpiry')).toEqual(['2027-03-08', null])
    const file = new TextDecoder().decode(bytesOf('snipe-it-list.csv')).replace('(jdoe)', `(${bob.username})`)
    const { importId } = await imported(alice, new TextEncoder().encode(file), { orgId: org.id, ...OPTIONS })
    expect((await stored()).map(({ custodianId }) => custodianId)).toEqual([bob.id, null])
    await undo(importId!)
  })

  test('Snipe-IT, saved by Excel of a Macintosh: Mac Roman, with lines that end in CR', async () => {
    const result = await through('snipe-it-macintosh.csv')
    expect(result).toMatchObject({ encoding: { used: 'macintosh', certain: true, other: null } })
    expect(shown(result, 'name')).toEqual(['Vidéoprojecteur', 'Schülerpult Größe L'])
    expect(shown(result, 'location')).toEqual(['Salle à côté', 'Büro'])
    expect(shown(result, 'remark')).toEqual(['Prêté à l’école, ça marche\nCustodian: zlefevre', null])
    expect(shown(result, 'warrantyExpiry')).toEqual(['2017-06-25', '2017-03-08'])
  })

  test('Homebox of 2022 to 2025', async () => {
    const result = await through('homebox.csv')
    expect(shown(result, 'assetNo')).toEqual(['000-001', '000-002'])
    expect(shown(result, 'location')).toEqual(['Garage / Shelf 2', 'Living room'])
    expect(shown(result, 'warrantyExpiry')).toEqual(['2027-03-08', null])
    expect(result.warnings).toMatchObject([{ row: 3, column: 'HB.quantity', value: '4' }])
  })

  test('Homebox of 2026, with its new names of columns, and its bill of materials', async () => {
    const result = await through('homebox-2026.csv')
    expect(shown(result, 'purchaseDate')).toEqual(['2024-03-08', null])
    expect(shown(result, 'warrantyExpiry')).toEqual(['2027-03-08', null])
    expect(shown(result, 'purchasePrice')).toEqual(['129.99', '0.00'])
    expect(shown(result, 'remark')).toEqual(['Two batteries, one charger', null])
    expect(shown(result, 'location')).toEqual(['Garage / Shelf 2', 'Garage / Shelf 2'])
    const materials = await through('homebox-materials.csv')
    expect(shown(materials, 'model')).toEqual(['D 12', null])
    expect(shown(materials, 'purchasePrice')).toEqual(['129.99', '0.00'])
  })

  test('Shelf, of 2024', async () => {
    const result = await through('shelf.csv')
    expect(shown(result, 'name')).toEqual(['Sony A7 IV', 'Tripod'])
    expect(shown(result, 'status')).toEqual(['IDLE', 'IN_USE'])
    expect(shown(result, 'purchasePrice')).toEqual(['2499.00', '150.00'])
  })

  test('Shelf, the index: prices with a currency, and quantities with a unit', async () => {
    const result = await through('shelf-index.csv')
    expect(shown(result, 'assetNo')).toEqual(['SAM-0001', 'SAM-0002', 'SAM-0003'])
    expect(shown(result, 'status')).toEqual(['IDLE', 'IN_USE', 'IN_USE'])
    expect(shown(result, 'purchasePrice')).toEqual(['2499.00', '150.50', '1.20'])
    expect(shown(result, 'model')).toEqual(['Alpha 7 IV', null, null])
    expect(shown(result, 'remark')).toEqual(['Body only\nwith strap', 'Custodian: Jane Doe', null])
    expect([...result.unmatched.custodian]).toMatchObject([{ text: 'Jane Doe', rows: 1 }])
    expect(await categoriesOf('shelf-index.csv')).toEqual(['Cameras', null, 'Consumables'])
    const split = { orgId: org.id, ...OPTIONS, splitQuantity: true }
    expect(await dryRun(alice, bytesOf('shelf-index.csv'), split)).toMatchObject({ created: 5 })
  })

  test('Shelf, for its own import', async () => {
    const result = await through('shelf-import-ready.csv')
    expect(shown(result, 'name')).toEqual(['Camera "A"', 'Tripod', 'Batteries'])
    expect(shown(result, 'model')).toEqual(['Alpha 7 IV', null, null])
    expect(shown(result, 'purchasePrice')).toEqual(['2499.00', '150.50', '1.20'])
    expect(await categoriesOf('shelf-import-ready.csv')).toEqual(['Cameras', null, 'Consumables'])
  })

  test('Shelf, the backup: things in JSON are their names, and its history is no remark', async () => {
    const result = await through('shelf-backup.csv')
    expect(shown(result, 'assetNo')).toEqual(['SAM-0001', 'SAM-0002'])
    expect(shown(result, 'model')).toEqual(['Alpha 7 IV', null])
    expect(shown(result, 'remark')).toEqual(['Body onlywith strap', 'Custodian: Jane Doe'])
    expect(shown(result, 'purchasePrice')).toEqual(['2499.00', '150.50'])
    expect(await categoriesOf('shelf-backup.csv')).toEqual(['Cameras', null])
  })
})
