import { describe, expect, test } from 'bun:test'

import { ok, type Person, useServer } from '../harness/index.ts'
import { workbook } from '../lib/spreadsheets/workbooks.ts'
import { createAsset } from './helpers.ts'
import { dryRun, imported, sendImport, xlsx } from './sheets.ts'

const { alice, bob } = useServer({ people: ['alice', 'bob'], noAdmin: true })

const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'

/** A workbook of these rows of inline texts and numbers; null is an empty cell, and `=…` a formula without a result. */
async function book(rows: Record<number, (string | number | null)[]>, merges: string[] = []) {
  const cell = (value: string | number | null, at: number, row: number) => {
    const r = `${String.fromCharCode(65 + at)}${row}`
    if (value === null) return `<c r="${r}" s="0"/>`
    if (typeof value === 'number') return `<c r="${r}"><v>${value}</v></c>`
    if (value.startsWith('=')) return `<c r="${r}"><f>${value.slice(1)}</f><v></v></c>`
    return `<c r="${r}" t="inlineStr"><is><t>${value.replaceAll('<', '&lt;')}</t></is></c>`
  }
  const data = Object.entries(rows)
    .map(([row, cells]) => `<row r="${row}">${cells.map((value, i) => cell(value, i, Number(row))).join('')}</row>`)
    .join('')
  const merged = merges.map((ref) => `<mergeCell ref="${ref}"/>`).join('')
  const file = await workbook({
    'xl/worksheets/sheet1.xml': `<worksheet xmlns="${MAIN}"><sheetData>${data}</sheetData><mergeCells>${merged}</mergeCells><pageMargins/></worksheet>`,
  })
  return new Uint8Array(await file.arrayBuffer())
}

const bytesOf = (hex: string) => Uint8Array.from(Buffer.from(hex.replaceAll(' ', ''), 'hex'))
const latin1 = (text: string) => Uint8Array.from(Buffer.from(text, 'latin1'))
const utf8 = (text: string) => Uint8Array.from(Buffer.from(text))
const keysOf = async (headers: string[]) => (await dryRun(alice, [headers, headers.map(() => '')])).columns

describe('the header', () => {
  const LEDGER = {
    1: ['固定资产台账', null, null, null, null],
    2: ['单位：第一中学', null, null, '日期：2026-11-30', null],
    3: ['序号', '资产编号', '资产名称', '购置', null],
    4: [null, null, null, '购置日期', '原值'],
    5: [1, 'T-1', '投影仪', '2024-03-08', 1849.78],
    6: [2, 'T-2', '电脑', '2024-03-09', 5000],
    7: ['合计', null, null, null, 6849.78],
  }
  const MERGES = ['A1:E1', 'D3:E3', 'A3:A4', 'B3:B4', 'C3:C4']

  test('a ledger with a merged title, a line of dates, two rows of headings and a sum is read as it is', async () => {
    const result = await imported(alice, await book(LEDGER, MERGES))
    expect(result).toMatchObject({ headerRow: 3, headerRows: 2, total: 3, created: 2, errorCount: 0, encoding: null })
    expect(result.columns.map(({ header, key }) => [header, key])).toEqual([
      ['序号', null],
      ['资产编号', 'assetNo'],
      ['资产名称', 'name'],
      ['购置 / 购置日期', 'purchaseDate'],
      ['购置 / 原值', 'purchasePrice'],
    ])
    expect(result.columns[2]!.samples).toEqual(['投影仪', '电脑'])
    expect(result.warnings).toEqual([{ row: 7, column: null, value: null, message: expect.stringContaining('sums') }])
    expect(result.warningCount).toBe(1)
    expect(result.firstRows.slice(0, 3)).toEqual([
      ['固定资产台账'],
      ['单位：第一中学', '', '', '日期：2026-11-30'],
      ['序号', '资产编号', '资产名称', '购置'],
    ])
    expect(await priceOf(alice, 'T-1')).toBe('1849.78')
  })

  test('errors name the rows of the spreadsheet', async () => {
    const { 7: _, ...rows } = LEDGER
    const result = await dryRun(bob, await book({ ...rows, 9: [3, 'T-3', '桌子', 'x', null] }, MERGES))
    expect(result.errors.map(({ row, column }) => [row, column])).toEqual([[9, '购置 / 购置日期']])
  })

  test('unknown headings below a title are found by their number, and named ones by the mapping', async () => {
    const rows = {
      1: ['Inventarliste'],
      3: ['Gerät', 'Nr', 'Ort'],
      4: ['Beamer', 'Z-1', 'R1'],
      5: ['Tisch', 'Z-2', 'R2'],
    }
    const found = await dryRun(alice, await book(rows))
    expect(found).toMatchObject({ headerRow: 3, total: 2 })
    expect(found.columns.map(({ header }) => header)).toEqual(['Gerät', 'Nr', 'Ort'])
    const mapping = JSON.stringify({ Gerät: 'name', Nr: 'assetNo' })
    expect(await dryRun(alice, await book({ ...rows, 2: ['Stand', 'heute'] }), { mapping })).toMatchObject({
      headerRow: 3,
      created: 2,
    })
  })

  test('headerRow and headerRows decide, and a row without content is refused', async () => {
    const file = await book({ 1: ['Name', 'Asset no.'], 2: ['Device', 'Tag'], 3: ['a', 'Q-1'] })
    expect(await dryRun(alice, file)).toMatchObject({ headerRow: 1, headerRows: 1, total: 2 })
    expect(await dryRun(alice, file, { headerRow: 2 })).toMatchObject({ headerRow: 2, total: 1, created: 1 })
    const two = await dryRun(alice, file, { headerRow: 1, headerRows: 2 })
    expect(two).toMatchObject({ headerRow: 1, headerRows: 2, total: 1, created: 1 })
    expect(two.columns.map(({ header }) => header)).toEqual(['Name / Device', 'Asset no. / Tag'])
    expect((await sendImport(alice, file, { headerRow: 7 })).details).toMatchObject([{ path: 'body.headerRow' }])
    for (const wrong of [{ headerRow: 0 }, { headerRow: 101 }, { headerRows: 3 }])
      expect((await sendImport(alice, file, wrong)).status).toBe(400)
  })

  test('headings of two rows are matched by the lower, then by the upper one, unless two would mean the same', async () => {
    const rows = {
      1: ['Name', 'Purchase', null, 'Keeper', null, 'Room', null],
      2: [null, 'Date', 'Supplier', 'User', 'Mail', 'House', 'Place'],
      3: ['a', '2024-01-02', 'S', null, null, null, null],
    }
    const { columns } = await dryRun(alice, await book(rows, ['A1:A2', 'B1:C1', 'D1:E1', 'F1:G1']))
    expect(columns.map(({ header, key }) => [header, key])).toEqual([
      ['Name', 'name'],
      ['Purchase / Date', 'purchaseDate'],
      ['Purchase / Supplier', 'supplier'],
      ['Keeper / User', 'custodian'],
      ['Keeper / Mail', null],
      ['Room / House', null],
      ['Room / Place', 'location'],
    ])
    const twice = { 1: ['Name', 'Old', null, 'New', null], 2: [null, 'Room', 'x', 'Room', 'y'], 3: ['a', 'R1'] }
    const same = await dryRun(alice, await book(twice, ['A1:A2', 'B1:C1', 'D1:E1']))
    expect(same.columns.map(({ key }) => key)).toEqual(['name', null, null, null, null])
  })
})

const priceOf = async (person: Person, number: string) =>
  ok(await person.call('assets.list', { query: { keyword: number } })).data.items[0]?.purchasePrice

describe('headings of other registers', () => {
  test('those of Homebox, Snipe-IT and Chinese ledgers are known', async () => {
    const known = async (headers: string[]) => (await keysOf(headers)).map(({ key }) => key)
    expect(
      await known([
        'HB.name',
        'HB.asset_id',
        'HB.manufacturer',
        'HB.model_number',
        'HB.serial_number',
        'HB.purchase_time',
      ]),
    ).toEqual(['name', 'assetNo', 'brand', 'model', 'serialNo', 'purchaseDate'])
    expect(
      await known([
        'HB.purchase_price',
        'HB.purchase_from',
        'HB.warranty_expires',
        'HB.location',
        'HB.notes',
        'HB.name',
      ]),
    ).toEqual(['purchasePrice', 'supplier', 'warrantyExpiry', 'location', 'remark', 'name'])
    expect(
      await known([
        'Asset Name',
        'Asset Tag',
        'Manufacturer',
        'Model No.',
        'Status Label',
        'Purchase Cost',
        'Checked Out To',
      ]),
    ).toEqual(['name', 'assetNo', 'brand', 'model', 'status', 'purchasePrice', 'custodian'])
    expect(
      await known(['卡片编号', '资产名称', '厂家', '入账日期', '资产原值', '质保期至', '使用人', '备注说明']),
    ).toEqual(['assetNo', 'name', 'brand', 'purchaseDate', 'purchasePrice', 'warrantyExpiry', 'custodian', 'remark'])
  })

  // Their own sample files are under the AGPL, so the rows below these headings are not theirs.
  test('those of the sample files of Snipe-IT and of an older Homebox are known', async () => {
    const snipe =
      'Company,Name,Asset Tag,Category,Supplier,Manufacturer,Location,Order Number,Model,Model Notes,Model Number,Asset Notes,Purchase Date,' +
      'Purchase Cost,Checkout Type,Checked Out To: Username,Checked Out To: First Name,Checked Out To: Last Name,Checked Out To: Email,' +
      'Checked Out To: Location,Asset EOL Date'
    const lent =
      'School,Drill,S-1,Tools,"Tools, Ltd",Acme,,371,"Drill 13""",,X-1,in its box,1/23/23,2266.13,User,jdoe,Jo,Doe,jo@example.org,,10/27/28'
    const idle = 'School,Saw,S-2,Tools,,Acme,,372,Saw,,,,12/25/22,12.5,,"","","","","",'
    const options = { dateOrder: 'AUTO', unknownCustodian: 'REMARK', createCategories: true }
    const read = await dryRun(alice, utf8(`\uFEFF${snipe}\n${lent}\n${idle}\n`), options)
    expect([read.created, read.errors]).toEqual([2, []])
    expect(Object.fromEntries(read.preview[0]!.values.map(({ key, value }) => [key, value]))).toEqual({
      name: 'Drill',
      assetNo: 'S-1',
      category: 'Tools',
      supplier: 'Tools, Ltd',
      brand: 'Acme',
      model: 'Drill 13"',
      purchaseDate: '2023-01-23',
      purchasePrice: '2266.13',
      custodian: 'jdoe',
      remark: 'in its box\nCustodian: jdoe',
    })
    const homebox =
      'Import Ref,Labels,Quantity,Name,Description,Insured,Serial Number,Mode Number,Manufacturer,Notes,Purchase From,Purchased Price,Purchased Time,' +
      'Lifetime Warranty,Warranty Expires,Warranty Details,Sold To,Sold Price,Sold Time,Sold Notes'
    const relay =
      'A,IOT;Home; Z-Wave,1,Relay,a relay,TRUE,,ZEN17,Acme,,Shop,39.95,10/13/2021,,10/13/2023,,,,10/13/2021,'
    const older = await dryRun(alice, utf8(`${homebox}\n${relay}\n`), { dateOrder: 'AUTO' })
    expect([older.created, older.errors]).toEqual([1, []])
    expect(Object.fromEntries(older.preview[0]!.values.map(({ key, value }) => [key, value]))).toMatchObject({
      model: 'ZEN17',
      supplier: 'Shop',
      purchasePrice: '39.95',
      purchaseDate: '2021-10-13',
      warrantyExpiry: '2023-10-13',
    })
  })

  test('of several headings for one column the first of the table counts, and the others name it', async () => {
    expect(await keysOf(['Name', 'Model Number', 'Model No.', 'Model Name'])).toMatchObject([
      { key: 'name' },
      { key: null, suggestion: 'model' },
      { key: null, suggestion: 'model' },
      { key: 'model' },
    ])
    expect(await keysOf(['Name', 'Price', 'Cost', 'Purchase Cost', '编号', 'Tag', 'Asset Tag'])).toMatchObject([
      { key: 'name' },
      { key: null, suggestion: 'purchasePrice' },
      { key: null, suggestion: 'purchasePrice' },
      { key: 'purchasePrice' },
      { key: null, suggestion: 'assetNo' },
      { key: null, suggestion: 'assetNo' },
      { key: 'assetNo' },
    ])
    expect(await keysOf(['Name', 'Model Name', 'Model'])).toMatchObject([
      { key: 'name' },
      { key: null, suggestion: 'model' },
      { key: 'model' },
    ])
  })

  test('a suggestion has the type of the heading', async () => {
    const suggested = async (heading: string) => (await keysOf(['Name', heading]))[1]!.suggestion
    expect(await suggested('Purchase prise')).toBe('purchasePrice')
    expect(await suggested('Purchasing cost')).not.toBe('purchaseDate')
    expect(await suggested('购置')).toBeUndefined()
  })
})

describe('encodings', () => {
  const name = async (file: Uint8Array<ArrayBuffer>, fields: object = {}) => {
    const { preview, encoding, errors } = await dryRun(alice, file, fields)
    return { names: preview.map(({ values }) => values[0]?.value), encoding, errors }
  }

  test('Windows-1252 and GBK are told apart by their characters', async () => {
    expect(await name(latin1('Name;Asset no.\r\nSchülerpult größe;W-1\r\n'))).toMatchObject({
      names: ['Schülerpult größe'],
      encoding: { used: 'windows-1252', certain: true },
    })
    // 资产编号,名称
    const header = 'd7cab2fa b1e0bac5 2c c3fbb3c6 0a'
    expect(await name(bytesOf(`${header} 47312c cdb6d3b0d2c7 0a`))).toMatchObject({
      names: ['G1'],
      encoding: { used: 'gb18030', certain: true },
    })
  })

  test.each([
    ['big5', 'a657bad9 2c 612c 0a a7eb bc76 bef7 2c 312c 0a', 'euc-kr'],
    ['shift_jis', '4e616d65 2c 612c 0a 8376838d83578346834e835e815b 2c 312c 0a', 'big5'],
  ] as const)('%s is found, or can be chosen', async (encoding, hex) => {
    const file = bytesOf(hex)
    const mapping = JSON.stringify({ [encoding === 'big5' ? '名稱' : 'Name']: 'name' })
    const chosen = await name(file, { encoding, mapping })
    expect(chosen.encoding).toMatchObject({ used: encoding, certain: true })
    expect(chosen.names).toEqual([encoding === 'big5' ? '投影機' : 'プロジェクター'])
    expect((await name(file, { mapping })).encoding).toMatchObject({ used: encoding })
  })

  test('Cyrillic texts are doubtful, and read when the encoding is chosen', async () => {
    // Name,Remark / Проектор,Кабинет
    const file = bytesOf('4e616d65 2c 52656d61726b 0a cff0eee5eaf2eef0 2c cae0e1e8ede5f2 0a')
    expect((await name(file)).encoding).toEqual({ used: 'windows-1252', certain: false, other: 'windows-1251' })
    expect(await name(file, { encoding: 'windows-1251' })).toMatchObject({ names: ['Проектор'] })
  })

  test('bytes that a chosen encoding does not have are errors with their row', async () => {
    const { errors } = await name(latin1('Name,Brand\nok,a\nStühle,b\n'), { encoding: 'utf-8' })
    expect(errors[0]).toMatchObject({ row: 3, column: 'Name', message: expect.stringContaining('bytes') })
    expect(errors.every(({ row }) => row === 3)).toBe(true)
  })

  test('an encoding is for CSV only', async () => {
    const refused = await sendImport(alice, xlsx({ A: [['Name'], ['a']] }), { encoding: 'utf-8' })
    expect(refused).toMatchObject({ status: 400, details: [{ path: 'body.encoding' }] })
    expect((await sendImport(alice, [['Name'], ['a']], { encoding: 'latin1' })).status).toBe(400)
  })
})

describe('cells', () => {
  const FORMULAS = { 1: ['Name', 'Asset no.', 'Purchase price'], 2: ['a', 'F-1', '=ROUND(1,2)'], 3: ['=A2', 'F-2', 5] }

  test('formulas without a stored result are errors, or empty with a warning', async () => {
    const result = await dryRun(alice, await book(FORMULAS))
    expect(result.errors.map(({ row, column, message }) => [row, column, message.includes('save it')])).toEqual([
      [2, 'Purchase price', true],
      [3, 'Name', true],
      [3, 'Name', false],
    ])
    const { 3: _, ...rows } = FORMULAS
    const empty = await imported(alice, await book(rows), { emptyFormulas: 'EMPTY' })
    expect(empty).toMatchObject({ created: 1, warningCount: 1, warnings: [{ row: 2, column: 'Purchase price' }] })
    expect(await priceOf(alice, 'F-1')).toBeNull()
  })

  test('HTML is read as its text, and what our own export wrote stays', async () => {
    const html = '<a href="https://snipe.example/1"><b>Beamer &amp; Co</b></a>'
    const rows = [
      ['Name', 'Asset no.', 'Remark', 'Brand'],
      [html, '<a href="x">I-1</a>', 'one<br>two', 'a < b and c > d'],
    ]
    await imported(alice, rows)
    const found = () => alice.call('assets.list', { query: { keyword: 'I-1' } })
    expect(ok(await found()).data.items).toMatchObject([
      { name: 'Beamer & Co', assetNo: 'I-1', remark: 'one\ntwo', brand: 'a < b and c > d' },
    ])
    await createAsset(alice, { name: 'kept', assetNo: 'I-2', remark: '<b>kept</b>' })
    expect(
      await imported(alice, [
        ['Name', 'Asset no.', 'Remark'],
        ['kept', 'I-2', '<b>kept</b>'],
      ]),
    ).toMatchObject({ unchanged: 1 })
    const long = `<b>${'x'.repeat(101)}</b>`
    expect((await dryRun(alice, [['Name'], [long]])).errors).toMatchObject([{ row: 2, column: 'Name' }])
  })
})

test('a hostile header is read in bounded time: 200 columns, 30 rows of headings, long headings and formulas', async () => {
  const long = 'Purchase '.repeat(1111)
  const file = xlsx({
    A: Array.from({ length: 40 }, (__, row) =>
      Array.from({ length: 200 }, (_, i) => `${i < 10 ? long : ''}${row} ${i}`),
    ),
  })
  expect(await dryRun(bob, file)).toMatchObject({ headerRow: 1, errorCount: 1 })
  expect((await dryRun(bob, await book({ 1: ['Name', '=A2', '=HYPERLINK("x")'], 2: ['a'] }))).created).toBe(1)
})
