import { describe, expect, test } from 'bun:test'

import { unzipSync } from 'fflate'

import { inProcess, ok, type Person, useServer } from '../harness/index.ts'
import { codesIn, zplLabels } from '../lib/labels/labels.ts'
import { readPdf } from '../lib/pdf-files.ts'
import { addMembers, createOrg } from '../orgs/helpers.ts'
import { addMany, createAsset, createLocation, deleteAsset } from './helpers.ts'

const { server, alice, bob, owner, member } = useServer({ people: ['alice', 'bob', 'owner', 'member'], noAdmin: true })

const ROLL = { media: { key: 'roll-50x30' } } as const
const text = new TextDecoder()

interface Printed {
  readonly status: number
  readonly type: string
  readonly bytes: Uint8Array
  /** Of an error. */
  readonly error: { readonly message: string; readonly details?: readonly { path: string; message: string }[] }
}

const start = (person: Person | undefined, body: object, path = '/api/assets/labels'): Promise<Response> =>
  fetch(server.url + path, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(person && { authorization: `Bearer ${person.token}`, 'x-device-id': person.deviceId }),
    },
    body: JSON.stringify(body),
  })

async function print(person: Person | undefined, body: object, path?: string): Promise<Printed> {
  const response = await start(person, body, path)
  const bytes = new Uint8Array(await response.arrayBuffer())
  const type = response.headers.get('content-type') ?? ''
  return { status: response.status, type, bytes, error: type.includes('json') ? JSON.parse(text.decode(bytes)) : {} }
}

const count = (person: Person, body: object) =>
  person.call('assets.countLabels', { body: { profile: ROLL, format: 'PDF', ...body } as never })

describe('the file', () => {
  test('is a PDF with a page for each label, in the order of the ids, whose code leads to the asset', async () => {
    const first = await createAsset(alice, { name: 'Laptop', assetNo: 'L-1' })
    const second = await createAsset(alice, { name: '显微镜', assetNo: 'L-2' })
    const { status, type, bytes } = await print(alice, { ids: [second.id, first.id], profile: ROLL, format: 'PDF' })
    expect({ status, type }).toEqual({ status: 200, type: 'application/pdf' })
    const file = await readPdf(bytes)
    expect(file.pages.map((page) => page.includes('L-2'))).toEqual([true, false])
    expect(file.pages[0]).toContain('显微镜')
    expect(await codesIn(await file.picture(1, 203))).toEqual([second.publicUrl])
    expect(await codesIn(await file.picture(2, 203))).toEqual([first.publicUrl])
  })

  test('is the same bytes for the same request in every format', async () => {
    const { id } = await createAsset(alice)
    const other = await createAsset(alice)
    for (const format of ['PDF', 'SVG', 'PNG', 'ZPL']) {
      const body = { ids: [id, other.id], profile: ROLL, format }
      const once = await print(alice, body)
      expect(once.status).toBe(200)
      expect(Bun.hash((await print(alice, body)).bytes)).toBe(Bun.hash(once.bytes))
    }
  })

  test('is one picture for one label, and otherwise a zip with an index', async () => {
    const assets = [await createAsset(alice, { assetNo: 'Z-1' }), await createAsset(alice, { assetNo: 'Z-2' })]
    const one = await print(alice, { ids: [assets[0]!.id], profile: ROLL, format: 'PNG', dpi: 300 })
    expect(one.type).toBe('image/png')
    expect(await codesIn(one.bytes)).toEqual([assets[0]!.publicUrl])
    const more = await print(alice, { ids: assets.map(({ id }) => id), profile: ROLL, format: 'SVG', copies: 2 })
    expect(more.type).toBe('application/zip')
    const files = unzipSync(more.bytes)
    expect(Object.keys(files)).toEqual(['Z-1.svg', 'Z-1 (2).svg', 'Z-2.svg', 'Z-2 (2).svg', 'index.csv'])
    expect(text.decode(files['index.csv']).split('\r\n')[1]).toBe(`Z-1.svg,${assets[0]!.publicUrl},${assets[0]!.name}`)
  })

  test('contains hostile texts as pictures or as data, never as commands', async () => {
    const names = [
      '^XZ^XA^FO0,0^FDowned',
      '~DG000.GRF',
      'a) Tj ET (',
      'back\\slash\\)',
      'مرحبا',
      '😀 party',
      '<script>&"',
    ]
    const ids: number[] = []
    for (const [i, name] of names.entries()) ids.push((await createAsset(alice, { name, assetNo: `H-${i}` })).id)
    const body = { ids, profile: ROLL }
    const labels = zplLabels(text.decode((await print(alice, { ...body, format: 'ZPL' })).bytes))
    expect(labels).toHaveLength(names.length)
    const file = await readPdf((await print(alice, { ...body, format: 'PDF' })).bytes)
    expect(file.pages).toHaveLength(names.length)
    expect(file.pages[2]).toContain('a) Tj ET (')
    expect(file.pages[3]).toContain('back\\slash\\)')
    const svgs = unzipSync((await print(alice, { ...body, format: 'SVG' })).bytes)
    expect(text.decode(svgs['H-6.svg'])).toContain('&lt;script&gt;&amp;&quot;')
    expect(text.decode(svgs['H-4.svg'])).toContain('مرحبا')
  })

  test('has the fields of the profile with what they are', async () => {
    const org = await createOrg(owner, { name: 'Riverside School' })
    const hall = await createLocation(owner, org.id, 'Hall')
    const asset = await createAsset(owner, {
      orgId: org.id,
      name: 'Piano',
      brand: '',
      locationId: hall,
      purchaseDate: '2024-02-29',
    })
    const fields = ['name', 'brand', 'location', 'purchaseDate', 'owner', 'text:Do not remove']
    const profile = { media: { key: 'roll-100x50' }, fields, fieldLabels: true }
    const { bytes } = await print(owner, { orgId: org.id, ids: [asset.id], profile, format: 'PDF' })
    const [page] = (await readPdf(bytes)).pages
    expect(page).toContain('Location: Hall')
    expect(page).toContain('Purchase date: 2024-02-29')
    expect(page).toContain('Riverside School')
    expect(page).toContain('Do not remove')
    expect(page).not.toContain('Brand')
  })

  test('takes all assets of a filter, in the order of the list', async () => {
    await createAsset(bob, { name: 'beamer a', assetNo: 'F-1' })
    await createAsset(bob, { name: 'beamer b', assetNo: 'F-2' })
    await createAsset(bob, { name: 'chair', assetNo: 'F-3' })
    const body = { filter: { keyword: 'beamer' }, sort: '-assetNo', profile: ROLL, format: 'PDF' }
    const { pages } = await readPdf((await print(bob, body)).bytes)
    expect(pages.map((page) => /F-\d/.exec(page)?.[0])).toEqual(['F-2', 'F-1'])
    expect((await print(bob, { ...body, filter: { keyword: 'nothing at all' } })).status).toBe(400)
    // A misspelt filter would select everything.
    expect((await print(bob, { ...body, filter: { keywrod: 'beamer' } })).status).toBe(400)
  })
})

describe('a code that does not fit', () => {
  test('is refused with the size of the label that it needs', async () => {
    const { id } = await createAsset(alice)
    const { status, error } = await print(alice, { ids: [id], profile: { media: { key: 'tze-3.5' } }, format: 'PDF' })
    expect(status).toBe(400)
    expect(error.details?.[0]?.path).toBe('body.profile')
    expect(error.details?.[0]?.message).toMatch(/at least [\d.]+ × [\d.]+ mm/)
  })

  test('Code 128 has the number by default, and no link', async () => {
    const { id } = await createAsset(alice)
    const profile = { ...ROLL, symbology: 'CODE_128' as const }
    const refused = await print(alice, { ids: [id], profile: { ...profile, content: 'LINK' }, format: 'PDF' })
    expect([refused.status, refused.error.details?.[0]?.path]).toEqual([400, 'body.profile.content'])
    const body = { name: `bars ${id}`, ...profile }
    const wrong = await alice.call('labelProfiles.create', { body: { ...body, content: 'LINK' } })
    expect([wrong.status, wrong.details[0]?.path]).toEqual([400, 'body.content'])
    const saved = ok(await alice.call('labelProfiles.create', { body })).data
    expect(saved.content).toBe('NUMBER')
    const change = await alice.call('labelProfiles.update', { params: { id: saved.id }, body: { content: 'LINK' } })
    expect([change.status, change.details[0]?.path]).toEqual([400, 'body.content'])
    const plain = { params: { id: saved.id }, body: { symbology: 'QR', content: 'LINK' } } as const
    expect(ok(await alice.call('labelProfiles.update', plain)).data.content).toBe('LINK')
    const bars = { params: { id: saved.id }, body: { symbology: 'CODE_128' } } as const
    expect(ok(await alice.call('labelProfiles.update', bars)).data.content).toBe('NUMBER')
    ok(await alice.call('labelProfiles.delete', { params: { id: saved.id } }))
  })

  test('leaves out the numbers that Code 128 cannot hold only if the request says so', async () => {
    const good = await createAsset(alice, { assetNo: 'C-1' })
    const chinese = await createAsset(alice, { assetNo: '资产-1' })
    const long = await createAsset(alice, { assetNo: 'x'.repeat(64) })
    const body = { ids: [good.id, chinese.id, long.id], profile: { ...ROLL, symbology: 'CODE_128' }, format: 'ZPL' }
    expect(ok(await count(alice, body)).data).toMatchObject({
      labels: 1,
      missing: [
        { id: chinese.id, reason: 'NOT_ASCII' },
        { id: long.id, reason: 'TOO_LONG' },
      ],
    })
    const refused = await print(alice, body)
    expect(refused.status).toBe(400)
    expect(refused.error.details?.map(({ message }) => message).join()).toContain(String(chinese.id))
    const [label, ...others] = zplLabels(text.decode((await print(alice, { ...body, skipUnfit: true })).bytes))
    expect(others).toEqual([])
    expect(await codesIn(label!)).toEqual(['C-1'])
  })
})

describe('the count', () => {
  test('has labels, sheets, ids that do not exist, and a warning about an address that others cannot open', async () => {
    const { id } = await createAsset(alice)
    const deleted = await createAsset(alice)
    ok(await deleteAsset(alice, deleted.id))
    const profile = { media: { key: 'avery-l7160' } }
    const { data } = ok(await count(alice, { ids: [id, deleted.id], profile, copies: 20, skip: 2 }))
    expect(data).toMatchObject({ labels: 20, pages: 2, missing: [{ id: deleted.id, reason: 'NOT_FOUND' }] })
    expect(data.warning).toContain('http://')
    expect(ok(await count(alice, { ids: [id], profile: { ...profile, content: 'NUMBER' } })).data.warning).toBeNull()
  })
})

describe('limits', () => {
  test.if(inProcess)('5,000 labels with copies are the most', async () => {
    const ids = await addMany(
      server,
      { userId: bob.id, orgId: 0 },
      Array.from({ length: 251 }, () => ({})),
    )
    const body = { ids, copies: 20, profile: ROLL, format: 'PDF' }
    const refused = await print(bob, body)
    expect(refused.status).toBe(400)
    expect(refused.error.message).toContain('5020')
    expect((await print(bob, { ...body, copies: 19 })).status).toBe(200)
  })

  test.if(inProcess)('a user has one file at a time, and two are made at once', async () => {
    const ids = await addMany(
      server,
      { userId: alice.id, orgId: 0 },
      Array.from({ length: 400 }, () => ({})),
    )
    const large = { ids, profile: ROLL, format: 'ZPL', dpi: 300 }
    const org = await createOrg(owner)
    await addMembers(owner, org, member)
    const some = await addMany(
      server,
      { userId: owner.id, orgId: org.id },
      Array.from({ length: 400 }, () => ({})),
    )
    // Nobody reads these answers, so they are not finished.
    const first = await start(alice, large)
    const second = await start(owner, { ...large, ids: some, orgId: org.id })
    expect([first.status, second.status]).toEqual([200, 200])
    expect((await print(alice, { ...large, ids: ids.slice(0, 1) })).status).toBe(429)
    // The page of labels shows a picture of the first one meanwhile.
    expect((await print(alice, { ...large, ids: ids.slice(0, 1), format: 'SVG' })).status).toBe(200)
    const third = await print(member, { ...large, ids: some.slice(0, 1), orgId: org.id })
    expect(third.status).toBe(429)
    await first.body!.cancel()
    await second.arrayBuffer()
    expect((await print(member, { ...large, ids: some.slice(0, 1), orgId: org.id })).status).toBe(200)
  })
})

describe('other people', () => {
  test('get no labels of assets that are not theirs', async () => {
    const mine = await createAsset(alice)
    const body = { ids: [mine.id], profile: ROLL, format: 'PDF' }
    expect((await print(undefined, body)).status).toBe(401)
    const { status, error } = await print(bob, body)
    expect(status).toBe(400)
    expect(error.details?.[0]?.path).toBe('body.ids')
    const org = await createOrg(owner)
    const inOrg = await createAsset(owner, { orgId: org.id })
    expect((await print(bob, { ...body, ids: [inOrg.id], orgId: org.id })).status).toBe(403)
    expect((await print(owner, { ...body, ids: [inOrg.id] })).status).toBe(400)
  })

  test.each([
    ['neither ids nor a filter', { profile: ROLL, format: 'PDF' }, 'body.ids'],
    ['no profile', { ids: [1], format: 'PDF' }, 'body.profile'],
    ['a profile of somebody else', { ids: [1], profileId: 999_999, format: 'PDF' }, 'body.profileId'],
    ['an unknown medium', { ids: [1], profile: { media: { key: 'none' } }, format: 'PDF' }, 'body.profile.media.key'],
    ['an unknown field', { ids: [1], profile: { ...ROLL, fields: ['price'] }, format: 'PDF' }, 'body.profile.fields.0'],
    ['600 dpi for ZPL', { ids: [1], profile: ROLL, format: 'ZPL', dpi: 600 }, 'body.dpi'],
    ['persons', { ids: [1], source: 'PERSON', profile: ROLL, format: 'PDF' }, 'body.source'],
    [
      'labels outside of the paper',
      { ids: [1], profile: { media: { type: 'SHEET', width: 100, height: 50, columns: 3, rows: 2 } }, format: 'PDF' },
      'body.profile.media',
    ],
  ])('%s is a bad request', async (_, body, path) => {
    const { status, error } = await print(alice, body)
    expect({ status, path: error.details?.[0]?.path }).toEqual({ status: 400, path })
  })
})

describe('profiles', () => {
  test('are saved, changed, used and deleted, each by its owner only', async () => {
    const code = { symbology: 'DATA_MATRIX', fields: ['assetNo'] as string[] } as const
    const body = { name: 'Zebra', media: { key: 'roll-50x30' }, ...code }
    const created = ok(await alice.call('labelProfiles.create', { body })).data
    expect(created).toMatchObject({
      name: 'Zebra',
      media: { type: 'ROLL', width: 50, height: 30 },
      content: 'LINK',
      scaleX: 1,
    })
    const params = { id: created.id }
    const changed = ok(await alice.call('labelProfiles.update', { params, body: { offsetX: 0.54 } })).data
    expect(changed).toMatchObject({ offsetX: 0.5, symbology: 'DATA_MATRIX', version: 2 })
    const asset = await createAsset(alice)
    const { bytes } = await print(alice, { ids: [asset.id], profileId: created.id, format: 'PNG' })
    expect(await codesIn(bytes)).toEqual([asset.publicUrl])
    expect((await bob.call('labelProfiles.update', { params, body: { name: 'mine' } })).status).toBe(404)
    expect((await bob.call('labelProfiles.delete', { params })).status).toBe(404)
    expect(ok(await bob.call('labelProfiles.list', {})).data.items).toEqual([])
    ok(await alice.call('labelProfiles.delete', { params }))
    expect(ok(await alice.call('labelProfiles.list', {})).data.items).toEqual([])
  })

  test('of an organization are changed by those who may change assets, and used by all members', async () => {
    const org = await createOrg(owner)
    await addMembers(owner, org, member)
    const body = { name: 'Office', ...ROLL, orgId: org.id }
    expect((await member.call('labelProfiles.create', { body })).status).toBe(403)
    const { id } = ok(await owner.call('labelProfiles.create', { body })).data
    expect(ok(await member.call('labelProfiles.list', { query: { orgId: org.id } })).data.total).toBe(1)
    expect((await member.call('labelProfiles.update', { params: { id }, body: { name: 'x' } })).status).toBe(403)
  })

  test('are at most 50, also when many are created at once', async () => {
    const create = (name: string) => bob.call('labelProfiles.create', { body: { name, ...ROLL } })
    for (let i = 0; i < 48; i++) ok(await create(`p ${i}`))
    const answers = await Promise.all(Array.from({ length: 6 }, (_, i) => create(`late ${i}`)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(2)
    expect(answers.filter(({ status }) => status === 400)).toHaveLength(4)
  })

  test.each(['PDF', 'SVG', 'PNG', 'ZPL'] as const)('have a calibration page as %s', async (format) => {
    const profile = { media: { key: 'avery-l7160' } }
    const { status, bytes } = await print(alice, { profile, format }, '/api/label-profiles/calibration')
    expect(status).toBe(200)
    if (format === 'PDF') expect((await readPdf(bytes)).pages[0]).toMatch(/190.*277/s)
  })
})

describe('locations', () => {
  test('have a code that leads members to their page, and others nowhere', async () => {
    const org = await createOrg(owner)
    await addMembers(owner, org, member)
    const campus = await createLocation(owner, org.id, 'Campus')
    const hall = await createLocation(owner, org.id, 'Hall', campus)
    const [tree] = ok(await owner.call('locations.tree', { params: { orgId: org.id } })).data
    const { publicUrl } = tree!.children[0]!
    const body = {
      orgId: org.id,
      source: 'LOCATION',
      profile: { ...ROLL, fields: ['name', 'location'] },
      format: 'PDF',
    }
    const file = await readPdf((await print(owner, body)).bytes)
    expect(file.pages).toHaveLength(2)
    const { bytes } = await print(owner, { ...body, ids: [hall] })
    const [page] = (await readPdf(bytes)).pages
    expect(page).toContain('Campus / Hall')
    expect(await codesIn(await (await readPdf(bytes)).picture(1, 300))).toEqual([publicUrl])

    const path = new URL(publicUrl).pathname
    const seen = await member.send('GET', path, { headers: { accept: 'application/json' } })
    expect(seen.status).toBe(200)
    expect(seen.data.fields).toContainEqual({ key: 'path', label: 'Path', value: 'Campus / Hall' })
    expect((await bob.send('GET', path, { headers: { accept: 'application/json' } })).status).toBe(404)
    const opened = await fetch(server.url + path, { headers: { accept: 'text/html' } })
    expect(opened.status).toBe(404)
    const html = await opened.text()
    expect(html).toContain('/console/places/')
    expect(html).not.toContain('Hall')
  })

  test('are refused without an organization, and with content that they lack', async () => {
    const body = { source: 'LOCATION', profile: ROLL, format: 'PDF' }
    expect((await print(alice, body)).status).toBe(400)
    const org = await createOrg(owner)
    await createLocation(owner, org.id, 'Hall')
    const { status, error } = await print(owner, { ...body, orgId: org.id, profile: { ...ROLL, content: 'NUMBER' } })
    expect({ status, path: error.details?.[0]?.path }).toEqual({ status: 400, path: 'body.profile' })
  })
})

describe('labels of supplies', () => {
  test('lead to the page where members take some, by ids and by filters of their list', async () => {
    const { id: orgId } = await createOrg(owner)
    const add = async (fields: object) =>
      ok(await owner.call('supplies.create', { body: { name: 'x', orgId, ...fields } })).data
    const toner = await add({ name: 'Toner', supplyNo: 'T-1', minimum: 1 })
    const chairs = await add({ name: 'Chairs', supplyNo: 'C-1', kind: 'POOL' })
    const source = 'SUPPLY'
    const { status, bytes } = await print(owner, {
      orgId,
      source,
      ids: [toner.id, chairs.id],
      profile: ROLL,
      format: 'PDF',
    })
    expect(status).toBe(200)
    const file = await readPdf(bytes)
    expect(file.pages.map((page) => page.includes('T-1'))).toEqual([true, false])
    expect(await codesIn(await file.picture(1, 203))).toEqual([toner.publicUrl])
    expect(await codesIn(await file.picture(2, 203))).toEqual([chairs.publicUrl])
    for (const [filter, labels] of [
      [{}, 2],
      [{ low: true }, 1],
      [{ kind: 'POOL' }, 1],
      [{ keyword: 'ton' }, 1],
    ] as const)
      expect(ok(await count(owner, { orgId, source, filter })).data.labels).toBe(labels)
    const wrong = await count(owner, { orgId, source, filter: { status: ['IDLE'] } })
    expect([wrong.status, wrong.details[0]?.path]).toEqual([400, 'body.filter.status'])
    const none = await count(owner, { orgId, source, ids: [toner.id, 999_999] })
    expect(ok(none).data).toMatchObject({ labels: 1, missing: [{ id: 999_999, reason: 'NOT_FOUND' }] })
    const foreign = await print(member, { source, ids: [toner.id], profile: ROLL, format: 'PDF' })
    expect(foreign.status).toBe(400)
  })
})
