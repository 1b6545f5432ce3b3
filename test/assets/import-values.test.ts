import { beforeAll, describe, expect, test } from 'bun:test'

import { numberIn } from '#domains/assets/importing/values.rules.ts'
import { dayIn } from '#lib/spreadsheets/cells.ts'

import { ok, type Person, useServer } from '../harness/index.ts'
import { addMembers, createOrg, type Org } from '../orgs/helpers.ts'
import { createAsset, createLocation, getAsset } from './helpers.ts'
import { createCategory } from './places.ts'
import { type Cells, dryRun, imported, sendImport, xlsx } from './sheets.ts'

const { alice, bob, owner, member, second } = useServer({
  people: ['alice', 'bob', 'owner', 'member', 'second'],
  noAdmin: true,
})
let org: Org
let room: number

beforeAll(async () => {
  org = await createOrg(owner)
  await addMembers(owner, org, member, second)
  room = await createLocation(owner, org.id, 'Room 12')
})

const byNumber = async (person: Person, keyword: string, query: object = {}) =>
  ok(await person.call('assets.list', { query: { size: 100, sort: 'assetNo', keyword, ...query } as never })).data.items

describe('decimals', () => {
  test.each([
    ['1.849,78', 'COMMA', '1849.78'],
    ['1 849,78', 'COMMA', '1849.78'],
    ['1849,78 €', 'COMMA', '1849.78'],
    ["1'849.78", 'POINT', '1849.78'],
    ['¥1,849.78', 'POINT', '1849.78'],
    ['￥１，８４９．７８', 'POINT', '1849.78'],
    ['1,849', 'POINT', '1849'],
    ['1,849', 'COMMA', '1.849'],
    ['EUR 12', 'POINT', '12'],
    ['1,84,9', 'POINT', undefined],
    ['12 pieces', 'POINT', undefined],
  ] as const)('%s with %s is %s', (text, decimal, value) => expect(numberIn(text, decimal)).toBe(value))

  const priced = (...prices: Cells) => [['Name', 'Purchase price'], ...prices.map((price) => ['a', price])]
  const prices = async (rows: Cells[], fields: object = {}) => {
    const { decimal, preview, errors } = await dryRun(alice, rows, fields)
    return { decimal, values: preview.map(({ values }) => values[1]?.value), errors: errors.map(({ row }) => row) }
  }

  test('a file has the separator that its texts prove, and points if they prove none or contradict each other', async () => {
    expect(await prices(priced('1.849,78', '65,84', '7'))).toEqual({
      decimal: 'COMMA',
      values: ['1849.78', '65.84', '7.00'],
      errors: [],
    })
    expect(await prices(priced('1,849.78', '1,849'))).toMatchObject({
      decimal: 'POINT',
      values: ['1849.78', '1849.00'],
    })
    expect(await prices(priced('1,50', '2.50'))).toEqual({ decimal: 'POINT', values: ['2.50'], errors: [2] })
    expect(await prices(priced('1,849'), { decimal: 'COMMA' })).toMatchObject({ errors: [2] })
    expect(await prices(priced('1,849', '2,5'), { decimal: 'COMMA', roundPrices: true })).toMatchObject({
      values: ['1.85', '2.50'],
    })
    expect((await sendImport(alice, priced('1'), { decimal: 'DOT' })).status).toBe(400)
  })

  test('numbers in cells of numbers do not depend on it, and are rounded on request', async () => {
    const file = xlsx({
      A: [
        ['Name', 'Purchase price'],
        ['a', 1234.5678],
        ['b', 0.005],
        ['c', '9,99'],
      ],
    })
    expect((await dryRun(alice, file)).errors.map(({ row }) => row)).toEqual([2, 3])
    const { preview, decimal } = await dryRun(alice, file, { roundPrices: true })
    expect(decimal).toBe('COMMA')
    expect(preview.map(({ values }) => values[1]!.value)).toEqual(['1234.57', '0.01', '9.99'])
  })
})

describe('days', () => {
  test.each([
    ['8 March 2026', '2026-03-08'],
    ['8-Mar-26', '2026-03-08'],
    ['March 8th, 2026', '2026-03-08'],
    ['2026年三月8日', '2026-03-08'],
    ['2026年十一月8日', '2026-11-08'],
    ['8 Maroon 2026', undefined],
  ])('%s is %s', (text, day) => expect(dayIn(text, 'YMD')).toBe(day))

  test('AUTO finds the order of each column by a number above 12', async () => {
    const rows = [
      ['Name', 'Purchase date', 'Warranty expiry'],
      ['a', '3/4/2026', '3/4/2027'],
      ['b', '25/12/2026', '12/25/2027'],
    ]
    const { columns, preview, errorCount } = await dryRun(alice, rows, { dateOrder: 'AUTO' })
    expect(errorCount).toBe(0)
    expect(columns.map(({ dateOrder, ambiguousDates }) => [dateOrder, ambiguousDates])).toEqual([
      [undefined, false],
      ['DMY', false],
      ['MDY', false],
    ])
    expect(preview[0]!.values.slice(1)).toEqual([
      { key: 'purchaseDate', value: '2026-04-03', text: '3/4/2026' },
      { key: 'warrantyExpiry', value: '2027-03-04', text: '3/4/2027' },
    ])
  })

  test('days that prove no order are errors that ask for it', async () => {
    const rows = [
      ['Name', 'Purchase date'],
      ['a', '3/4/26'],
      ['b', '2026-01-02'],
    ]
    const result = await dryRun(alice, rows, { dateOrder: 'AUTO' })
    expect(result.errors).toMatchObject([{ row: 2, message: expect.stringContaining('choose the order') }])
    expect(result.columns[1]).toMatchObject({ ambiguousDates: true })
    expect(await dryRun(alice, rows, { dateOrder: 'DMY' })).toMatchObject({ errorCount: 0 })
  })
})

describe('words', () => {
  test('words of other registers for the status are known', async () => {
    const words = [
      'Ready to Deploy',
      'Deployed',
      'Out for Repair',
      'Lost/Stolen',
      'Archived',
      '备用',
      '领用',
      '待修',
      '盘亏',
      '注销',
    ]
    const { preview } = await dryRun(alice, [['Name', 'Status'], ...words.map((word) => ['a', word])])
    const states = ['IDLE', 'IN_USE', 'REPAIR', 'LOST', 'SCRAPPED']
    expect(preview.map(({ values }) => values[1]!.value)).toEqual([...states, ...states])
  })

  test('maps name what texts of the file mean; unmatched ones are listed with a suggestion', async () => {
    const category = await createCategory(owner, 'Notebooks', { orgId: org.id })
    const rows = [
      ['Name', 'Asset no.', 'Status', 'Category', 'Location', 'Custodian'],
      ['a', 'W-1', 'In  the Shop', 'Notebook', 'room12', 'J. Smith'],
      ['b', 'W-2', 'n/a', 'Notebook', 'Room 12', 'J. Smith'],
    ]
    const { unmatched, errorCount } = await dryRun(owner, rows, { orgId: org.id })
    expect(errorCount).toBe(7)
    expect(unmatched).toEqual({
      status: [
        { text: 'In  the Shop', rows: 1, suggestion: null },
        { text: 'n/a', rows: 1, suggestion: null },
      ],
      custodian: [{ text: 'J. Smith', rows: 2, suggestion: null }],
      category: [{ text: 'Notebook', rows: 2, suggestion: String(category.id) }],
      location: [{ text: 'room12', rows: 1, suggestion: String(room) }],
    })
    const maps = {
      statusMap: JSON.stringify({ 'ＩＮ the shop': 'REPAIR', 'N/A': null }),
      categoryMap: JSON.stringify({ notebook: String(category.id) }),
      locationMap: JSON.stringify({ 'Room 12': room }),
      custodianMap: JSON.stringify({ 'j.smith': member.id }),
    }
    expect(await imported(owner, rows, { orgId: org.id, ...maps })).toMatchObject({ created: 2 })
    expect(await byNumber(owner, 'W-', { orgId: org.id })).toMatchObject([
      { status: 'REPAIR', categoryId: category.id, locationId: room, custodianId: member.id },
      { status: 'IN_USE', categoryId: category.id, locationId: room, custodianId: member.id },
    ])
  })

  test('maps with other values, of other owners, or with too many entries are refused', async () => {
    const foreign = await createCategory(alice, 'Hers')
    const many = Object.fromEntries(Array.from({ length: 1001 }, (_, i) => [`w${i}`, null]))
    for (const [name, value] of [
      ['statusMap', '[]'],
      ['statusMap', '{"a":"SOLD"}'],
      ['statusMap', JSON.stringify(many)],
      ['categoryMap', JSON.stringify({ a: foreign.id })],
      ['locationMap', '{"a":"x"}'],
      ['locationMap', '{"a":999999}'],
      ['custodianMap', JSON.stringify({ a: bob.id })],
    ] as const)
      expect(await sendImport(owner, [['Name'], ['a']], { orgId: org.id, [name]: value })).toMatchObject({
        status: 400,
        details: [{ path: `body.${name}` }],
      })
  })

  test('an unknown custodian is an error, empty, or a line of the remark', async () => {
    const rows = [
      ['Name', 'Asset no.', 'Custodian', 'Remark'],
      ['a', 'V-1', 'Ms Miller', 'old'],
    ]
    expect(await dryRun(owner, rows, { orgId: org.id })).toMatchObject({ errorCount: 1 })
    const fields = { orgId: org.id, unknownCustodian: 'REMARK' }
    expect(await imported(owner, rows, fields)).toMatchObject({ created: 1, warningCount: 1 })
    const [asset] = await byNumber(owner, 'V-1', { orgId: org.id })
    expect(asset).toMatchObject({ custodianId: null, remark: 'old\nCustodian: Ms Miller' })
    const without = rows.map((row) => row.slice(0, 3))
    expect(await imported(owner, without, fields)).toMatchObject({ unchanged: 1 })
    expect(await imported(owner, rows, { ...fields, unknownCustodian: 'EMPTY' })).toMatchObject({ updated: 1 })
    expect(ok(await getAsset(owner, asset!.id)).data.remark).toBe('old')
  })
})

test('months of a warranty count from the purchase, and give a warning without one', async () => {
  const rows = [
    ['Name', 'Asset no.', 'Purchase date', 'Warranty Months'],
    ['a', 'Y-1', '2024-01-31', 1],
    ['b', 'Y-2', '2024-02-29', '36 months'],
    ['c', 'Y-3', '', 12],
  ]
  const result = await imported(alice, rows)
  expect(result).toMatchObject({ created: 3, warningCount: 1, warnings: [{ row: 4 }] })
  expect((await byNumber(alice, 'Y-')).map(({ warrantyExpiry }) => warrantyExpiry)).toEqual([
    '2024-02-29',
    '2027-02-28',
    null,
  ])
  expect(
    (
      await dryRun(alice, [
        ['Name', 'Purchase date', 'Warranty'],
        ['a', '2024-01-01', 24],
      ])
    ).errorCount,
  ).toBe(0)
  const both = await dryRun(alice, [
    ['Name', 'Warranty', 'Warranty Expires'],
    ['a', '24 months', '2026-01-01'],
  ])
  expect(both.columns.map(({ key }) => key)).toEqual(['name', 'warrantyMonths', 'warrantyExpiry'])
  expect(
    (
      await dryRun(alice, [
        ['Name', 'Warranty Months'],
        ['a', 'long'],
      ])
    ).errorCount,
  ).toBe(1)
})

describe('serial numbers', () => {
  const rows = [
    ['Name', 'Serial no.'],
    ['known', 'SN-1'],
    ['twice', 'SN-2'],
    ['twice', 'SN-2'],
  ]

  test('known and repeated ones of rows without a number are warnings, and errors with CREATE and matchSerial', async () => {
    await createAsset(alice, { name: 'known', assetNo: 'SER-1', serialNo: 'SN-1' })
    const result = await dryRun(alice, rows)
    expect(result).toMatchObject({ created: 3, errorCount: 0, warningCount: 2 })
    expect(result.warnings.map(({ row, column }) => [row, column])).toEqual([
      [2, 'Serial no.'],
      [4, 'Serial no.'],
    ])
    const strict = await dryRun(alice, rows, { mode: 'CREATE', matchSerial: true })
    expect(strict.errors.map(({ row }) => row)).toEqual([2, 4])
  })

  test('with matchSerial the only asset with the number is updated', async () => {
    const one = await createAsset(bob, { name: 'old', assetNo: 'SER-2', serialNo: 'SN-1' })
    const file = [
      ['Name', 'Serial no.'],
      ['new', 'SN-1'],
    ]
    expect(await imported(bob, file, { matchSerial: true })).toMatchObject({ updated: 1, created: 0 })
    expect(ok(await getAsset(bob, one.id)).data).toMatchObject({ name: 'new', assetNo: 'SER-2' })
    await createAsset(bob, { assetNo: 'SER-3', serialNo: 'SN-1' })
    expect(await dryRun(bob, file, { matchSerial: true })).toMatchObject({ created: 1, warningCount: 1 })
  })
})

test('with emptyNames a new asset takes its model, its category or its number', async () => {
  const rows = [
    ['Name', 'Asset no.', 'Model', 'Category'],
    ['', 'N-1', 'X1', 'IT / Laptops'],
    ['', 'N-2', '', 'IT / Laptops'],
    ['', 'N-3', '', ''],
  ]
  const fields = { createCategories: true, emptyNames: 'MODEL' }
  expect(await dryRun(bob, rows, { createCategories: true })).toMatchObject({ errorCount: 3 })
  expect(await imported(bob, rows, fields)).toMatchObject({ created: 3 })
  const named = (await byNumber(bob, 'N-')).filter(({ assetNo }) => assetNo.startsWith('N-'))
  expect(named.map(({ name }) => name)).toEqual(['X1', 'Laptops', 'N-3'])
  const withoutColumn = rows.map((row) => row.slice(1))
  expect(await dryRun(bob, withoutColumn, fields)).toMatchObject({ errorCount: 0, unchanged: 3 })
})

const handovers = async (person: Person) =>
  ok(await person.call('notifications.list', { query: { size: 100 } })).data.items.filter(
    ({ data }) => data['event'] === 'TRANSFERRED',
  )

test('an import notifies the custodian of new assets once, too', async () => {
  const columns = ['Name', 'Asset no.', 'Custodian']
  const rows = Array.from({ length: 150 }, (_, i) => [`c${i}`, `C-${i}`, second.username])
  expect(await imported(owner, [columns, ...rows], { orgId: org.id })).toMatchObject({ created: 150 })
  expect(await imported(owner, [columns, ['one', 'C-one', second.username]], { orgId: org.id })).toMatchObject({
    created: 1,
  })
  await imported(owner, [columns, ['own', 'C-own', owner.username]], { orgId: org.id })
  const [last, first, ...others] = await handovers(second)
  expect(others).toEqual([])
  expect(first).toMatchObject({ type: 'ASSET', body: '150 assets were handed to you.', data: { orgId: org.id } })
  expect(first!.data['assetIds']).toHaveLength(100)
  expect(last!.body).toBe('You are now the custodian of one (C-one).')
  expect(await handovers(owner)).toEqual([])
})

test('an import notifies a new custodian once, with the number of assets', async () => {
  const rows = Array.from({ length: 120 }, (_, i) => [`a${i}`, `H-${i}`])
  await imported(owner, [['Name', 'Asset no.'], ...rows], { orgId: org.id })
  const before = (await handovers(member))[0]?.id ?? 0
  const handed = [['Asset no.', 'Custodian'], ...rows.map(([, number]) => [number!, member.username!])]
  expect(await imported(owner, handed, { orgId: org.id })).toMatchObject({ updated: 120 })
  const notices = (await handovers(member)).filter(({ id }) => id > before)
  expect(notices).toMatchObject([{ body: '120 assets were handed to you.', data: { orgId: org.id } }])
  expect(notices[0]!.data['assetIds']).toHaveLength(100)
})
