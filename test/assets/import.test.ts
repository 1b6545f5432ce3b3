import { beforeAll, describe, expect, test } from 'bun:test'

import { ok, type Person, useServer } from '../harness/index.ts'
import { addMembers, createOrg, type Org, setRole } from '../orgs/helpers.ts'
import { createAsset, createLocation, getAsset, scrapAsset, transfersOf } from './helpers.ts'
import { createCategory } from './places.ts'
import { dryRun, finished, imported, sendImport, xlsx } from './sheets.ts'

const { alice, bob, owner, manager, member, outsider } = useServer({
  people: ['alice', 'bob', 'owner', 'manager', 'member', 'outsider'],
  noAdmin: true,
})
let org: Org
let store: number
let shelf: number

beforeAll(async () => {
  org = await createOrg(owner)
  await addMembers(owner, org, manager, member)
  await setRole(owner, org, manager, 'ADMIN')
  store = await createLocation(owner, org.id, 'Store')
  shelf = await createLocation(owner, org.id, 'Shelf 1', store)
})

const listed = async (person: Person, query: object = {}) =>
  ok(await person.call('assets.list', { query: { size: 100, sort: 'assetNo', ...query } as never })).data.items
const numbered = async (person: Person, keyword: string, query: object = {}) =>
  (await listed(person, query)).filter(({ assetNo }) => assetNo.startsWith(keyword))

describe('rows', () => {
  test('POST /api/assets/import creates assets with the values of all fixed columns', async () => {
    const category = await createCategory(owner, 'IT', { orgId: org.id })
    const laptops = await createCategory(owner, 'Laptops', { orgId: org.id, parentId: category.id })
    const file = xlsx({
      Assets: [
        [
          'Name',
          '资产编号',
          'category',
          'STATUS',
          'Brand',
          'Model',
          'Serial No',
          'Purchase date',
          'Purchase price',
          'Supplier',
          'Warranty expiry',
          'Location',
          'Custodian',
          'Latitude',
          'Longitude',
          'Remark',
        ],
        [
          'Laptop',
          'F-1',
          'it/laptops',
          'In repair',
          'ThinkPad',
          'X1',
          12345678901,
          new Date(Date.UTC(2024, 1, 29)),
          1999.9,
          'Office',
          '2027年2月28日',
          'Store / Shelf 1',
          member.username,
          30.25,
          '120.15',
          'two\nlines',
        ],
      ],
    })
    const result = await imported(owner, file, { orgId: org.id })
    expect(result).toMatchObject({
      total: 1,
      valid: 1,
      created: 1,
      updated: 0,
      unchanged: 0,
      errorCount: 0,
      errors: [],
    })
    expect(result.columns.map(({ key }) => key)).toEqual([
      'name',
      'assetNo',
      'category',
      'status',
      'brand',
      'model',
      'serialNo',
      'purchaseDate',
      'purchasePrice',
      'supplier',
      'warrantyExpiry',
      'location',
      'custodian',
      'latitude',
      'longitude',
      'remark',
    ])
    expect(await numbered(owner, 'F-', { orgId: org.id })).toMatchObject([
      {
        name: 'Laptop',
        assetNo: 'F-1',
        categoryId: laptops.id,
        status: 'REPAIR',
        brand: 'ThinkPad',
        model: 'X1',
        serialNo: '12345678901',
        purchaseDate: '2024-02-29',
        purchasePrice: '1999.90',
        supplier: 'Office',
        warrantyExpiry: '2027-02-28',
        locationId: shelf,
        custodianId: member.id,
        latitude: 30.25,
        longitude: 120.15,
        remark: 'two\nlines',
        orgId: org.id,
        userId: owner.id,
        version: 1,
      },
    ])
  })

  test('a row with a known number updates that asset, without number one is created, and rows that change nothing are not written', async () => {
    const same = await createAsset(alice, { name: 'Same', assetNo: 'U-1', brand: 'B' })
    const changed = await createAsset(alice, { name: 'Old', assetNo: 'U-2', remark: 'stays' })
    const result = await imported(alice, [
      ['Name', 'Asset no.', 'Brand'],
      ['Same', 'u-1', 'B'],
      ['New', 'U-2', ''],
      ['Created', '', 'C'],
    ])
    expect(result).toMatchObject({ total: 3, valid: 3, created: 1, updated: 1, unchanged: 1 })
    expect(ok(await getAsset(alice, same.id)).data).toEqual(same)
    expect(ok(await getAsset(alice, changed.id)).data).toMatchObject({
      name: 'New',
      remark: 'stays',
      brand: '',
      version: 2,
    })
    expect((await listed(alice)).find(({ name }) => name === 'Created')).toMatchObject({
      brand: 'C',
      assetNo: expect.stringMatching(/./),
    })
  })

  test('empty cells leave the value, and clear it with clearEmpty', async () => {
    const asset = await createAsset(alice, {
      name: 'Full',
      assetNo: 'E-1',
      brand: 'B',
      purchaseDate: '2024-01-01',
      purchasePrice: 5,
    })
    const rows = [
      ['Name', 'Asset no.', 'Brand', 'Purchase date', 'Purchase price', 'Status'],
      ['', 'E-1', '', '', '', ''],
    ]
    expect(await imported(alice, rows)).toMatchObject({ unchanged: 1 })
    expect(ok(await getAsset(alice, asset.id)).data).toEqual(asset)
    expect(await imported(alice, rows, { clearEmpty: true })).toMatchObject({ updated: 1 })
    expect(ok(await getAsset(alice, asset.id)).data).toMatchObject({
      name: 'Full',
      brand: '',
      purchaseDate: null,
      purchasePrice: null,
      status: 'IN_USE',
      version: 2,
    })
  })

  test('generated numbers avoid the numbers of later rows', async () => {
    const [{ assetNo } = { assetNo: '' }] = [await createAsset(bob)]
    const next = assetNo.replace(/\d+$/, (digits) => String(Number(digits) + 1).padStart(digits.length, '0'))
    const result = await imported(bob, [
      ['Name', 'Asset no.'],
      ['first', ''],
      ['second', next],
    ])
    expect(result).toMatchObject({ created: 2, updated: 0 })
    const rows = await listed(bob)
    expect(rows.find(({ name }) => name === 'second')?.assetNo).toBe(next)
    expect(new Set(rows.map((row) => row.assetNo)).size).toBe(3)
  })

  test('mode CREATE refuses known numbers, and mode UPDATE unknown ones', async () => {
    await createAsset(alice, { assetNo: 'M-1' })
    const rows = [
      ['Name', 'Asset no.'],
      ['a', 'M-1'],
      ['b', 'M-2'],
      ['c', ''],
    ]
    const create = await dryRun(alice, rows, { mode: 'CREATE' })
    expect(create.errors.map(({ row, column }) => [row, column])).toEqual([[2, 'Asset no.']])
    const update = await dryRun(alice, rows, { mode: 'UPDATE' })
    expect(update.errors.map(({ row, column }) => [row, column])).toEqual([
      [3, 'Asset no.'],
      [4, 'Asset no.'],
    ])
  })

  test('a changed custodian or location leaves a row in the history', async () => {
    const asset = await createAsset(owner, { assetNo: 'H-1', orgId: org.id })
    const rows = [
      ['Asset no.', 'Location', 'Custodian'],
      ['H-1', 'Store', manager.username!],
    ]
    expect(await imported(owner, rows, { orgId: org.id })).toMatchObject({ updated: 1 })
    expect(await transfersOf(owner, asset.id)).toMatchObject([
      { toLocationId: store, toUserId: manager.id, operatorId: owner.id },
    ])
    expect(await imported(owner, rows, { orgId: org.id })).toMatchObject({ unchanged: 1 })
    expect(await transfersOf(owner, asset.id)).toHaveLength(1)
  })

  test('a new asset may be scrapped, and no other may become so or cease to be', async () => {
    const scrapped = await createAsset(alice, { assetNo: 'S-1' })
    ok(await scrapAsset(alice, scrapped.id))
    await createAsset(alice, { assetNo: 'S-2' })
    const result = await dryRun(alice, [
      ['Name', 'Asset no.', 'Status'],
      ['a', 'S-1', '在用'],
      ['b', 'S-2', '报废'],
      ['c', 'S-3', 'Scrapped'],
      ['d', 'S-1 ', 'SCRAPPED'],
    ])
    expect(result.errors.map(({ row, column }) => [row, column])).toEqual([
      [2, 'Status'],
      [3, 'Status'],
      [5, 'Asset no.'],
    ])
    expect(
      await imported(alice, [
        ['Name', 'Asset no.', 'Status'],
        ['c', 'S-3', '报废'],
      ]),
    ).toMatchObject({ created: 1 })
    expect((await numbered(alice, 'S-3'))[0]).toMatchObject({ status: 'SCRAPPED' })
  })
})

describe('errors', () => {
  const BAD = [
    ['Name', 'Asset no.', 'Purchase date', 'Purchase price', 'Latitude', 'Status', 'Category'],
    ['ok', 'X-1', '2024-02-29', '1,999.90', '', '', ''],
    ['', 'X-2', '', '', '', '', ''],
    ['x'.repeat(101), 'X-3', '31.02.2024', '1.999', 'north', 'Rusty', 'No / Such'],
    ['', '', '', '', '', '', ''],
    ['d', 'x-1', '3/4/2024', '-1', '30', '', ''],
  ]

  test('a dry run names row, column and value of every error, and writes nothing', async () => {
    const before = await listed(alice)
    const result = await dryRun(alice, BAD)
    expect(result).toMatchObject({ total: 4, valid: 1, created: 1, updated: 0 })
    expect(result.errors.map(({ row, column, value }) => [row, column, value])).toEqual(
      expect.arrayContaining([
        [3, 'Name', null],
        [4, 'Name', 'x'.repeat(101)],
        [4, 'Purchase date', '31.02.2024'],
        [4, 'Purchase price', '1.999'],
        [4, 'Latitude', 'north'],
        [4, 'Status', 'Rusty'],
        [4, 'Category', 'No / Such'],
        [6, 'Asset no.', 'x-1'],
        [6, 'Purchase date', '3/4/2024'],
        [6, 'Purchase price', '-1'],
      ]),
    )
    expect(result.errorCount).toBe(result.errors.length)
    expect(await listed(alice)).toEqual(before)
  })

  test('an import with errors is 400 with the places of the errors, and writes nothing', async () => {
    const before = await listed(alice)
    const refused = await sendImport(alice, BAD)
    expect(refused.status).toBe(400)
    expect((refused.details ?? []).map(({ path }: { path: string }) => path)).toEqual(
      expect.arrayContaining(['rows.3.name', 'rows.4.purchaseDate', 'rows.4.category', 'rows.6.assetNo']),
    )
    expect(await listed(alice)).toEqual(before)
  })

  test('at most 1,000 errors are listed, and all are counted', async () => {
    const result = await dryRun(alice, [['Name', 'Status'], ...Array.from({ length: 1500 }, () => ['a', 'Rusty'])])
    expect(result.errors).toHaveLength(1000)
    expect(result).toMatchObject({ errorCount: 1500, valid: 0, total: 1500 })
  })

  test('messages are in the language of the caller', async () => {
    const form = new FormData()
    form.set('dryRun', 'true')
    form.set('file', new File(['名称,状态\na,坏\n'], 'a.csv'))
    const { data } = ok(
      await alice.send('POST', '/api/assets/import', { body: form, headers: { 'accept-language': 'zh-CN' } }),
    )
    expect((data as { errors: { message: string }[] }).errors[0]!.message).toContain('在用')
  })
})

describe('columns', () => {
  test('headers are compared without case, spaces, punctuation and width; unknown ones are listed with a suggestion', async () => {
    const result = await dryRun(alice, [
      ['ＮＡＭＥ', 'asset-no', 'Warranty expirey', '序列 号', 'Colour of it', ''],
      ['a', 'C-1', '', '', '', ''],
    ])
    expect(
      result.columns.map(({ header, key, suggestion }) => ({ header, key, ...(suggestion && { suggestion }) })),
    ).toEqual([
      { header: 'ＮＡＭＥ', key: 'name' },
      { header: 'asset-no', key: 'assetNo' },
      { header: 'Warranty expirey', key: null, suggestion: 'warrantyExpiry' },
      { header: '序列 号', key: 'serialNo' },
      { header: 'Colour of it', key: null },
    ])
    expect(result.preview).toEqual([
      {
        row: 2,
        action: 'CREATE',
        values: [
          { key: 'name', value: 'a', text: 'a' },
          { key: 'assetNo', value: 'C-1', text: 'C-1' },
        ],
      },
    ])
  })

  test('other common names of columns count where no column has the proper name', async () => {
    const columnsOf = async (headers: string[], fields: object = {}) =>
      (await dryRun(alice, [headers, headers.map(() => '')], fields)).columns.map(({ key }) => key)
    expect(await columnsOf(['序号', '资产名称', '编号', '存放地点', '采购日期', '单价', '供货商'])).toEqual([
      null,
      'name',
      'assetNo',
      'location',
      'purchaseDate',
      'purchasePrice',
      'supplier',
    ])
    expect(await columnsOf(['Item', 'Name', 'S/N', 'Serial'])).toEqual([null, 'name', null, 'serialNo'])
    expect(await columnsOf(['资产名称', '品名'], { mapping: '{"资产名称":null}' })).toEqual([null, 'name'])
  })

  test('mapping names the column of a header, and null ignores one', async () => {
    const mapping = JSON.stringify({ Gerät: 'name', Nr: 'assetNo', Brand: null })
    const result = await dryRun(
      alice,
      [
        ['Gerät', 'Nr', 'Brand'],
        ['a', 'C-2', 'b'],
      ],
      { mapping },
    )
    expect(result.columns.map(({ key }) => key)).toEqual(['name', 'assetNo', null])
    for (const wrong of ['{"a":"nothing"}', '[]', 'x', '{"a":5}'])
      expect((await sendImport(alice, [['Name'], ['a']], { mapping: wrong })).status).toBe(400)
  })

  test('the same column twice, no header and no name column are refused', async () => {
    expect(
      (
        await sendImport(alice, [
          ['Name', '名称'],
          ['a', 'b'],
        ])
      ).status,
    ).toBe(400)
    expect((await sendImport(alice, [['Brand'], ['a']])).status).toBe(400)
    expect((await sendImport(alice, [['Name'], ['a']], { mode: 'UPDATE' })).status).toBe(400)
    expect((await sendImport(alice, xlsx({ A: [] }))).status).toBe(400)
  })

  test('a dry run of a sheet without a name column answers its columns with the error', async () => {
    const result = await dryRun(alice, [
      ['Brand', 'Gerät'],
      ['a', 'b'],
    ])
    expect(result).toMatchObject({
      total: 1,
      created: 0,
      errorCount: 1,
      errors: [{ row: 1, column: null, message: expect.stringContaining('no column for the name') }],
      columns: [
        { header: 'Brand', key: 'brand' },
        { header: 'Gerät', key: null },
      ],
    })
    const mapping = '{"Gerät":"name"}'
    const rows = [['Gerät'], ['b']]
    expect(await dryRun(alice, rows, { mapping })).toMatchObject({ created: 1, errorCount: 0 })
    expect((await dryRun(alice, rows, { mapping, mode: 'UPDATE' })).errors).toHaveLength(1)
  })

  test('dateOrder decides the order of ambiguous dates', async () => {
    const rows = [
      ['Name', 'Asset no.', 'Purchase date'],
      ['a', 'D-1', '3/4/2024'],
      ['b', 'D-2', '25/12/24'],
      ['c', 'D-3', '2024.3.4'],
    ]
    expect(await imported(alice, rows, { dateOrder: 'DMY' })).toMatchObject({ created: 3 })
    expect((await numbered(alice, 'D-')).map(({ purchaseDate }) => purchaseDate)).toEqual([
      '2024-04-03',
      '2024-12-25',
      '2024-03-04',
    ])
    expect(await imported(alice, rows.slice(0, 2), { dateOrder: 'MDY' })).toMatchObject({ updated: 1 })
    expect((await numbered(alice, 'D-1'))[0]!.purchaseDate).toBe('2024-03-04')
  })

  test('sheet chooses a sheet by name or number', async () => {
    const file = xlsx({ First: [['Name'], ['a']], Second: [['Name'], ['b'], ['c']] })
    expect((await dryRun(alice, file)).total).toBe(1)
    expect((await dryRun(alice, file, { sheet: 'second' })).total).toBe(2)
    expect((await dryRun(alice, file, { sheet: 2 })).total).toBe(2)
    expect((await sendImport(alice, file, { sheet: 3 })).status).toBe(400)
  })
})

describe('categories', () => {
  test('unknown categories are an error, and are created with createCategories', async () => {
    const rows = [
      ['Name', 'Asset no.', 'Category'],
      ['a', 'K-1', 'Tools / Drills'],
      ['b', 'K-2', 'tools/drills'],
      ['c', 'K-3', 'Tools'],
    ]
    expect(await dryRun(alice, rows)).toMatchObject({ errorCount: 3, valid: 0 })
    expect(await dryRun(alice, rows, { createCategories: true })).toMatchObject({ errorCount: 0, created: 3 })
    expect(ok(await alice.call('assetCategories.tree', { query: {} })).data).toEqual([])
    expect(await imported(alice, rows, { createCategories: true })).toMatchObject({ created: 3 })
    const [tools] = ok(await alice.call('assetCategories.tree', { query: {} })).data
    expect(tools).toMatchObject({ name: 'Tools', assetCount: 1, children: [{ name: 'Drills', assetCount: 2 }] })
    expect(
      (
        await dryRun(
          alice,
          [
            ['Name', 'Category'],
            ['a', 'a/b/c/d/e/f'],
          ],
          { createCategories: true },
        )
      ).errorCount,
    ).toBe(1)
  })

  test('categoryId is the category of new assets without one', async () => {
    const category = await createCategory(alice, 'Default')
    await imported(
      alice,
      [
        ['Name', 'Asset no.', 'Category'],
        ['a', 'G-1', ''],
        ['b', 'G-2', 'Default'],
      ],
      { categoryId: category.id },
    )
    expect((await numbered(alice, 'G-')).map(({ categoryId }) => categoryId)).toEqual([category.id, category.id])
    expect((await sendImport(alice, [['Name'], ['a']], { categoryId: 999_999 })).status).toBe(400)
    expect((await sendImport(bob, [['Name'], ['a']], { categoryId: category.id })).status).toBe(400)
  })
})

describe('files', () => {
  test('files that are neither a workbook nor CSV get 415, damaged ones 400, missing ones 400', async () => {
    const encode = (text: string) => new TextEncoder().encode(text)
    expect((await sendImport(alice, encode('\u0089PNG\r\n\u001a\n\0\0'))).status).toBe(415)
    expect(
      (await sendImport(alice, Uint8Array.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1, 0, 0]))).status,
    ).toBe(415)
    expect((await sendImport(alice, xlsx({ A: [['Name'], ['a']] }).slice(0, 900))).status).toBe(400)
    const form = new FormData()
    form.set('dryRun', 'true')
    expect((await alice.send('POST', '/api/assets/import', { body: form })).status).toBe(400)
  })

  test('more than 100,000 rows or 200 columns are refused', async () => {
    const rows = new TextEncoder().encode(`Name\n${'a\n'.repeat(100_001)}`)
    expect((await sendImport(alice, rows, { dryRun: true })).status).toBe(400)
    const wide = [Array.from({ length: 201 }, (_, i) => (i === 0 ? 'Name' : `c${i}`))]
    expect((await sendImport(alice, wide, { dryRun: true })).status).toBe(400)
  })
})

describe('access', () => {
  test('members without asset:import and other users are refused', async () => {
    expect((await sendImport(member, [['Name'], ['a']], { orgId: org.id })).status).toBe(403)
    expect((await sendImport(outsider, [['Name'], ['a']], { orgId: org.id })).status).toBe(403)
    expect(
      (
        await sendImport(
          manager,
          [
            ['Name', 'Asset no.'],
            ['a', 'A-M'],
          ],
          { orgId: org.id },
        )
      ).status,
    ).toBe(200)
  })

  test('numbers of other owners are not touched', async () => {
    const asset = await createAsset(alice, { assetNo: 'O-1', name: 'hers' })
    expect(
      await imported(bob, [
        ['Name', 'Asset no.'],
        ['his', 'O-1'],
      ]),
    ).toMatchObject({ created: 1, updated: 0 })
    expect(ok(await getAsset(alice, asset.id)).data).toEqual(asset)
  })
})

describe('jobs', () => {
  test('async answers a job, whose result only its user can read', async () => {
    const rows = [['Name', 'Asset no.'], ...Array.from({ length: 200 }, (_, i) => ['a', `J-${i}`])]
    const { jobId } = ok(await sendImport(alice, rows, { async: true })).data as { jobId: string }
    const job = await finished(alice, jobId)
    expect(job).toMatchObject({
      id: jobId,
      state: 'DONE',
      processed: 200,
      total: 200,
      result: { created: 200, errorCount: 0 },
    })
    expect((await bob.call('assets.importJob', { params: { jobId } })).status).toBe(404)
  })

  test('a job with errors fails, and its result lists them', async () => {
    const { jobId } = ok(
      await sendImport(
        alice,
        [
          ['Name', 'Status'],
          ['a', 'Rusty'],
        ],
        { async: true },
      ),
    ).data as { jobId: string }
    expect(await finished(alice, jobId)).toMatchObject({
      state: 'FAILED',
      result: { errorCount: 1, errors: [{ row: 2, column: 'Status' }] },
    })
  })

  test('a user has one import at a time', async () => {
    const rows = [['Name'], ...Array.from({ length: 3000 }, () => ['a'])]
    const answers = await Promise.all(Array.from({ length: 5 }, () => sendImport(bob, rows, { dryRun: true })))
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(1)
    expect(answers.filter(({ status }) => status === 429).length).toBeGreaterThanOrEqual(1)
    expect(answers.every(({ status }) => status === 200 || status === 429)).toBe(true)
  })
})
