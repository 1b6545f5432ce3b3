import { describe, expect, test } from 'bun:test'

import * as XLSX from '@e965/xlsx'

import type { FieldType } from '#db/schema/meta.ts'

import { ok, type Person, useServer } from '../harness/index.ts'
import { createField } from '../metadata/helpers.ts'
import { addMembers, createOrg } from '../orgs/helpers.ts'
import { createAsset, createLocation, getAsset, photo } from './helpers.ts'
import { createCategory } from './places.ts'
import { imported, sendImport } from './sheets.ts'

const { server, alice, bob, owner, member } = useServer({ people: ['alice', 'bob', 'owner', 'member'], noAdmin: true })

/** The answer to an export, with its bytes read. */
async function exported(person: Person, query = ''): Promise<{ response: Response; bytes: Uint8Array<ArrayBuffer> }> {
  const response = await fetch(`${server.url}/api/assets/export${query}`, {
    headers: { authorization: `Bearer ${person.token}`, 'x-device-id': person.deviceId },
  })
  return { response, bytes: new Uint8Array(await response.arrayBuffer()) }
}

function rowsOf(bytes: Uint8Array): unknown[][] {
  const book = XLSX.read(bytes, { type: 'buffer' })
  return XLSX.utils.sheet_to_json(book.Sheets[book.SheetNames[0]!]!, { header: 1, raw: false, defval: '' })
}

const HEADERS = [
  'Name',
  'Asset no.',
  'Category',
  'Status',
  'Brand',
  'Model',
  'Serial no.',
  'Purchase date',
  'Purchase price',
  'Supplier',
  'Warranty expiry',
  'Location',
  'Custodian',
  'Latitude',
  'Longitude',
  'Remark',
]

describe('the file', () => {
  test('GET /api/assets/export writes the columns in their order, in the language asked for, by id', async () => {
    await createAsset(alice, {
      name: 'b',
      assetNo: 'X-2',
      purchaseDate: '2024-02-29',
      purchasePrice: '1999.9',
      custodianId: alice.id,
      latitude: 1.5,
      longitude: 2,
    })
    await createAsset(alice, { name: 'a', assetNo: 'X-1', status: 'REPAIR' })
    const { response, bytes } = await exported(alice)
    expect(response.headers.get('content-disposition')).toMatch(/^attachment; filename="assets-\d{8}\.xlsx"$/)
    expect(rowsOf(bytes)).toEqual([
      HEADERS,
      ['b', 'X-2', '', 'In use', '', '', '', '2024-02-29', '1999.9', '', '', '', alice.username, '1.5', '2', ''],
      ['a', 'X-1', '', 'In repair', '', '', '', '', '', '', '', '', '', '', '', ''],
    ])
    const chinese = rowsOf((await exported(alice, '?lang=zh&sort=name')).bytes)
    expect(chinese[0]!.slice(0, 4)).toEqual(['名称', '资产编号', '分类', '状态'])
    expect(chinese.slice(1).map((row) => [row[0], row[3]])).toEqual([
      ['a', '维修中'],
      ['b', '在用'],
    ])
  })

  test('the filters and sorts of the list select and order the rows', async () => {
    const names = async (query: string) =>
      rowsOf((await exported(alice, query)).bytes)
        .slice(1)
        .map(([name]) => name)
    expect(await names('?status=REPAIR')).toEqual(['a'])
    expect(await names('?keyword=x-2')).toEqual(['b'])
    expect(await names('?sort=-purchaseDate')).toEqual(['b', 'a'])
    expect(await names('?sort=purchaseDate')).toEqual(['b', 'a'])
    expect(await names('?categoryId=0&status=LOST')).toEqual([])
    expect((await exported(alice, '?sort=nothing')).response.status).toBe(400)
  })

  test('CSV is UTF-8 with a byte order mark, and formulas are protected', async () => {
    await createAsset(bob, { name: '=1+1', assetNo: '@x', remark: 'a "b",\nc', brand: "'=2" })
    const { response, bytes } = await exported(bob, '?format=csv')
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    const text = Buffer.from(bytes).toString()
    expect(text.startsWith(`\uFEFF${HEADERS.join(',')}\r\n'=1+1,'@x,`)).toBe(true)
    expect(text).toContain(`"a ""b"",\nc"\r\n`)
    const book = XLSX.read((await exported(bob)).bytes, { type: 'buffer' })
    expect(book.Sheets['Assets']!['A2']).toMatchObject({ t: 's', v: '=1+1' })
    expect(book.Sheets['Assets']!['A2']).not.toHaveProperty('f')
  })

  test('a template has headers, an example that an import accepts, and lists of choices', async () => {
    await createCategory(bob, 'Tools')
    const { response, bytes } = await exported(bob, '?template=true')
    expect(response.headers.get('content-disposition')).toContain('.xlsx')
    expect(rowsOf(bytes)).toHaveLength(2)
    const book = XLSX.read(bytes, { type: 'buffer' })
    expect(XLSX.utils.sheet_to_json(book.Sheets['Lists']!, { header: 1 })).toEqual([
      ['Tools', 'In use'],
      [undefined, 'Idle'],
      [undefined, 'In repair'],
      [undefined, 'Lost'],
      [undefined, 'Scrapped'],
    ] as never)
    expect(await imported(bob, bytes, { dryRun: true })).toMatchObject({ valid: 1, created: 1, errorCount: 0 })
  })

  test('a user without asset:export in the organization is refused', async () => {
    const org = await createOrg(owner)
    expect((await exported(alice, `?orgId=${org.id}`)).response.status).toBe(403)
    expect((await exported(owner, `?orgId=${org.id}`)).response.status).toBe(200)
  })
})

const TEXTS = [
  'plain',
  '=1+1',
  "'=1",
  '+8613800138000',
  '-1',
  '@SUM(A1)',
  '_x0041_',
  '名称 😀',
  'a "b", c;d',
  "'quoted'",
  '007',
  '1e5',
  '2024-01-01',
  'TRUE',
  '#N/A',
  '<&>',
]

test('an export of random assets with fields of all types changes nothing when it is imported, in both formats and languages', async () => {
  const org = await createOrg(owner)
  await addMembers(owner, org, member)
  const store = await createLocation(owner, org.id, 'Store')
  const shelf = await createLocation(owner, org.id, 'Shelf; 1, "top"', store)
  const category = await createCategory(owner, 'IT', { orgId: org.id })
  const options = [{ value: 'a', label: '=Alpha' }, { value: 'b', label: 'Beta, B' }, 'c']
  const types: Partial<Record<FieldType, Record<string, unknown>>> = {
    TEXT: {},
    TEXTAREA: {},
    NUMBER: {},
    DATE: {},
    DATETIME: {},
    BOOLEAN: {},
    SELECT: { options },
    RADIO: { options },
    MULTI_SELECT: { options },
    CHECKBOX: { options },
    GEO: {},
    REF: { target: 'LOCATION' },
  }
  const fields = new Map<string, number>()
  for (const [type, config] of Object.entries(types)) {
    const field = { type: type as FieldType, name: `My ${type}`, config }
    fields.set(type, (await createField(owner, field, { orgId: org.id })).id)
  }
  await createField(owner, { name: 'Name' }, { orgId: org.id })
  const formula = `{f${fields.get('NUMBER')}} * 2`
  await createField(owner, { name: 'Twice', type: 'COMPUTED', config: { formula } }, { orgId: org.id })
  for (const type of ['PHOTO', 'ATTACHMENT'] as const)
    fields.set(type, (await createField(owner, { name: `My ${type}`, type }, { orgId: org.id })).id)
  const random = numbers(11)
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random.next().value! * list.length)]!
  const assets: number[] = []
  for (let i = 0; i < 40; i++) {
    const values: Record<string, unknown> = {
      TEXT: pick(TEXTS),
      TEXTAREA: pick(['two\nlines', 'a\n\n=b', pick(TEXTS)]),
      NUMBER: pick([0, -1.5, 123456789.25, 1e-6]),
      DATE: pick(['2024-02-29', '1899-12-31', '1900-02-28', '9999-12-31']),
      DATETIME: pick([1_700_000_000_123, 1_700_000_000_000, 1_704_067_200_000]),
      BOOLEAN: pick([true, false]),
      SELECT: pick(['a', 'b', 'c']),
      RADIO: pick(['a', 'b', 'c']),
      MULTI_SELECT: pick([['a'], ['a', 'b', 'c']]),
      CHECKBOX: pick([['b'], ['a', 'c']]),
      GEO: pick([
        { latitude: 1.5, longitude: -2 },
        { latitude: 0, longitude: 0, address: 'x' },
      ]),
      REF: pick([store, shelf]),
    }
    const { id } = await createAsset(owner, {
      orgId: org.id,
      name: pick(TEXTS),
      assetNo: `${pick(TEXTS)} ${i}`,
      brand: pick(TEXTS),
      remark: pick(['a\r\nb', '\tx', pick(TEXTS)]),
      purchaseDate: pick([null, '2024-02-29', '1899-01-01']),
      purchasePrice: pick([null, '0', '1999.9', '9999999999999.99']),
      status: pick(['IN_USE', 'IDLE', 'LOST']),
      categoryId: pick([null, category.id]),
      locationId: pick([null, store, shelf]),
      custodianId: pick([null, member.id]),
      ...pick([{}, { latitude: -0.000001, longitude: 179.9999999 }]),
      photos: i === 0 ? [await photo(owner, org.id)] : [],
    })
    if (i < 2) for (const type of ['PHOTO', 'ATTACHMENT']) values[type] = [await photo(owner, org.id)]
    const given = Object.entries(values).filter(([, value]) => Array.isArray(value) || random.next().value! < 0.7)
    ok(
      await owner.send('PUT', `/api/meta/objects/asset/entities/${id}/values`, {
        body: { orgId: org.id, values: given.map(([type, value]) => ({ fieldId: fields.get(type), value })) },
      }),
    )
    assets.push(id)
  }
  const state = async () =>
    Promise.all(
      assets.map(async (id) => [
        ok(await getAsset(owner, id)).data,
        ok(await owner.send('GET', `/api/meta/objects/asset/entities/${id}/values?orgId=${org.id}`)).data,
      ]),
    )
  const withoutUrls = (value: unknown) => JSON.stringify(value).replace(/(expires|signature)=[^"&]*/g, '')
  const before = withoutUrls(await state())
  for (const query of ['format=xlsx', 'format=csv', 'format=xlsx&lang=zh', 'format=csv&lang=zh']) {
    const { bytes } = await exported(owner, `?orgId=${org.id}&${query}`)
    const sent = await sendImport(owner, bytes, { orgId: org.id })
    expect(sent.status === 200 ? sent.data : sent.text).toMatchObject({
      total: 40,
      unchanged: 40,
      created: 0,
      updated: 0,
      errorCount: 0,
    })
    const clearing = await sendImport(owner, bytes, { orgId: org.id, clearEmpty: true })
    expect(clearing.data).toMatchObject({ unchanged: 40 })
  }
  expect(withoutUrls(await state())).toBe(before)
})

describe('times in fields', () => {
  test('are exported in the zone that the query names, and imported in the zone that the header names', async () => {
    const field = await createField(bob, { type: 'DATETIME', name: 'Opened' })
    const other = await createField(bob, { type: 'TEXT', name: 'Opened (UTC)' })
    // In New York it is 01:30 twice on that night, for the first time now.
    const at = Date.UTC(2026, 10, 1, 5, 30)
    const asset = await createAsset(bob, { name: 'Safe', assetNo: 'SAFE', values: [{ fieldId: field.id, value: at }] })
    const opened = async () => {
      const { values } = ok(await getAsset(bob, asset.id)).data
      return Object.fromEntries(values!.map(({ fieldId, value }) => [fieldId, value]))
    }
    for (const [tz, header, shown] of [
      ['America/New_York', 'Opened (America/New_York)', '2026-11-01 01:30:00'],
      ['Asia/Kathmandu', 'Opened（Asia/Kathmandu）', '2026-11-01 11:15:00'],
      ['+14:00', 'Opened (UTC+14:00)', '2026-11-01 19:30:00'],
    ] as const)
      for (const format of ['csv', 'xlsx']) {
        const lang = header.includes('（') ? 'zh' : 'en'
        const query = `?format=${format}&lang=${lang}&keyword=safe&tz=${encodeURIComponent(tz)}`
        const { bytes } = await exported(bob, query)
        const [titles, cells] = rowsOf(bytes)
        expect(titles).toContain(header)
        expect(cells![titles!.indexOf(header)]).toBe(shown)
        expect(await imported(bob, bytes)).toMatchObject({ total: 1, unchanged: 1 })
      }
    const changed = [
      ['Name', 'Asset no.', 'Opened (Asia/Kathmandu)', 'Opened (UTC)'],
      ['Safe', 'SAFE', '2026-11-01 05:45:00', 'by hand'],
    ]
    expect(await imported(bob, changed)).toMatchObject({
      updated: 1,
      columns: [{}, {}, { key: `field:${field.id}` }, {}],
    })
    expect(await opened()).toMatchObject({ [field.id]: Date.UTC(2026, 10, 1), [other.id]: 'by hand' })
    // Without tz the header is the name of the field, as in the table of columns.
    expect(rowsOf((await exported(bob)).bytes)[0]).toContain('Opened')
    const refused = await bob.get('/api/assets/export', { tz: 'Mars/Olympus' })
    expect([refused.status, refused.details]).toMatchObject([400, [{ path: 'query.tz' }]])
  })
})

/** A small generator with a fixed sequence, so that a failure can be repeated. */
function* numbers(seed: number): Generator<number> {
  for (let x = seed; ;) {
    x = (x * 1_103_515_245 + 12_345) % 2_147_483_648
    yield x / 2_147_483_648
  }
}
