/** Labels of all assets of a filter. TEST_ALL_LABELS=1 decodes 5,000 of them, the most that a file has, which takes minutes for each format. */

import { beforeAll, describe, expect, test } from 'bun:test'

import { unzipSync } from 'fflate'

import { inProcess, ok, type Person, useServer } from '../harness/index.ts'
import { codesIn, zplLabels } from '../lib/labels/labels.ts'
import { readPdf } from '../lib/pdf-files.ts'
import { addMembers, createOrg } from '../orgs/helpers.ts'
import { allPages } from '../qr-codes/helpers.ts'
import { addMany, type Asset, createAsset, deleteAsset, updateAsset } from './helpers.ts'

const DAY = 86_400_000
const MAX_LABELS = 5000
const isWhole = process.env['TEST_ALL_LABELS'] === '1'

const { server, alice, bob, owner, member } = useServer({
  people: ['alice', 'bob', 'owner', 'member'],
  noAdmin: true,
  rateLimit: true,
})

const ROLL = { media: { key: 'roll-50x30' } } as const
const text = new TextDecoder()

const print = (person: Person, body: object): Promise<Response> =>
  fetch(`${server.url}/api/assets/labels`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${person.token}`,
      'x-device-id': person.deviceId,
    },
    body: JSON.stringify({ profile: ROLL, ...body }),
  })

/** A number of 64 characters, the most that there can be. */
const long = (start: string, character: string) => start.padEnd(64, character)

describe.if(inProcess)('the codes of all assets of a filter', () => {
  const COUNT = isWhole ? MAX_LABELS : 40
  const NAMES = [
    'مكتبة المدرسة',
    '😀 party 🎉',
    '^XZ^XA^FO0,0^FDowned^FS',
    '~DG000.GRF,00080,010',
    'a) Tj ET (',
    'back\\slash\\)',
    '<script>&"',
    '图书馆的显微镜',
    'Laptop of the library',
  ]
  const numbers = [
    (i: number) => long(`L-${i}-`, 'x'),
    (i: number) => `A-2026-${i}`,
    (i: number) => long(`长-${i}-`, '资'),
    (i: number) => `资产-${i}`,
  ]
  const FILTER = { keyword: 'Chosen' }
  const SORT = 'assetNo'
  let chosen: Asset[]

  beforeAll(async () => {
    await createAsset(alice, { name: 'another one' })
    await addMany(
      server,
      { userId: alice.id, orgId: 0 },
      Array.from({ length: COUNT }, (_, i) => ({
        name: NAMES[i % NAMES.length]!,
        assetNo: numbers[i % numbers.length]!(i),
        brand: 'Chosen',
      })),
    )
    chosen = await allPages<Asset>(alice, '/api/assets', 100, { ...FILTER, sort: SORT })
    expect(chosen).toHaveLength(COUNT)
  })

  const printed = async (format: 'PDF' | 'ZPL', content: 'LINK' | 'NUMBER') => {
    const profile = { ...ROLL, content, fields: ['name', 'assetNo', 'brand'] }
    const response = await print(alice, { filter: FILTER, sort: SORT, profile, format })
    expect(response.status).toBe(200)
    return response.bytes()
  }
  const expected = (content: 'LINK' | 'NUMBER') =>
    chosen.map(({ publicUrl, assetNo }) => [content === 'LINK' ? publicUrl : assetNo])

  test.each(['LINK', 'NUMBER'] as const)('are read from a PDF, in the order of the list, as %s', async (content) => {
    const file = await readPdf(await printed('PDF', content))
    expect(file.pages).toHaveLength(COUNT)
    const codes: string[][] = []
    for (let page = 1; page <= COUNT; page++) codes.push(await codesIn(await file.picture(page, 203)))
    expect(codes).toEqual(expected(content))
  })

  test.each(['LINK', 'NUMBER'] as const)('are read from ZPL, in the order of the list, as %s', async (content) => {
    const zpl = text.decode(await printed('ZPL', content))
    const codes: string[][] = []
    // One after the other, as the dots of all take gigabytes.
    for (const part of zpl.split(/(?<=\^XZ\n)/)) {
      const labels = zplLabels(part)
      expect(labels).toHaveLength(1)
      codes.push(await codesIn(labels[0]!))
    }
    expect(codes).toEqual(expected(content))
  })

  test('may be too large for numbers of 64 characters, which the count then names', async () => {
    const body = { filter: FILTER, sort: SORT, profile: { media: { key: 'roll-25x10' }, content: 'NUMBER' } }
    const { data } = ok(await alice.call('assets.countLabels', { body: { ...body, format: 'PNG' } as never }))
    const tooLong = chosen.filter(({ assetNo }) => assetNo.length === 64)
    expect(data).toMatchObject({
      labels: COUNT - tooLong.length,
      missing: tooLong.map(({ id }) => ({ id, reason: 'TOO_LONG' })),
    })
    const refused = await print(alice, { ...body, format: 'PNG' })
    expect(refused.status).toBe(400)
  })
})

describe.if(inProcess)('5,000 labels of a filter', () => {
  test('are those of the assets that matched, each with its own texts, while others rename, delete and add assets', async () => {
    const org = await createOrg(owner)
    await addMembers(owner, org, member)
    const scope = { userId: owner.id, orgId: org.id }
    const ids = await addMany(
      server,
      scope,
      Array.from({ length: MAX_LABELS }, (_, i) => ({ name: `Beamer ${i}`, assetNo: `B-${10_000 + i}` })),
    )
    const body = { orgId: org.id, filter: { keyword: 'Beamer' }, sort: 'assetNo', format: 'SVG' }
    const before = await allPages<Asset>(owner, '/api/assets', 100, {
      orgId: org.id,
      keyword: 'Beamer',
      sort: 'assetNo',
    })
    expect(before.map(({ id }) => id)).toEqual(ids)

    const response = await print(member, body)
    expect(response.status).toBe(200)
    let isRead = false
    const reading = response.bytes().finally(() => (isRead = true))
    const renamed = new Set<number>()
    const deleted = new Set<number>()
    // From the end of the list, which is read last.
    for (let i = MAX_LABELS - 1; !isRead && i > MAX_LABELS - 300; i -= 3) {
      ok(await deleteAsset(owner, ids[i]!))
      deleted.add(ids[i]!)
      ok(await updateAsset(owner, ids[i - 1]!, { name: `Moved ${i - 1}` }))
      renamed.add(ids[i - 1]!)
      await createAsset(owner, { orgId: org.id, name: 'Beamer of today', assetNo: `B-1${i}-new` })
    }
    const files = unzipSync(await reading)
    const [, ...rows] = text.decode(files['index.csv']).trimEnd().split('\r\n')
    const printed = rows.map((row) => row.split(','))
    const byLink = new Map(before.map((asset) => [asset.publicUrl, asset]))
    const order = printed.map(([, link]) => byLink.get(link!)?.id)
    const left = new Set(ids).difference(new Set(order as number[]))
    // An asset that was there all the time has one label, at its place; of the deleted ones some were still there.
    expect(order).toEqual(ids.filter((id) => !left.has(id)))
    expect(left.isSubsetOf(deleted)).toBe(true)
    expect(left).toContain(ids.at(-1)!)
    for (const [file, link, name] of printed) {
      const asset = byLink.get(link!)!
      const moved = asset.name.replace('Beamer', 'Moved')
      expect(renamed.has(asset.id) ? [asset.name, moved] : [asset.name]).toContain(name!)
      expect(text.decode(files[file!])).toContain(name!)
      expect(file).toBe(`${asset.assetNo}.svg`)
    }

    await addMany(
      server,
      scope,
      Array.from({ length: left.size + renamed.size + 1 }, () => ({ name: 'Beamer' })),
    )
    const refused = await print(member, body)
    expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('at most 5000 labels')])
  })
})

describe.if(inProcess)('the labels of a day', () => {
  test('are at most 50,000 a user, in whole files', async () => {
    const ids = await addMany(
      server,
      { userId: bob.id, orgId: 0 },
      Array.from({ length: 250 }, () => ({})),
    )
    /** Labels count when the file begins, so that nobody needs to read it. */
    const begin = async (copies: number, some = ids) => {
      for (;;) {
        const response = await print(bob, { ids: some, copies, format: 'PDF' })
        const { status } = response
        if (status === 200) await response.body!.cancel()
        const { code, message } = status === 200 ? {} : ((await response.json()) as { code: number; message: string })
        if (message?.includes('still being made') !== true) return { status, code, message, headers: response.headers }
        await Bun.sleep(5)
      }
    }
    for (let i = 0; i < 9; i++) expect((await begin(20)).status).toBe(200)
    expect((await begin(19)).status).toBe(200)
    const refused = await begin(20)
    expect([refused.status, refused.code]).toEqual([429, 4022])
    expect(refused.message).toContain('labels')
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(DAY / 1000 - 600)
    expect((await begin(1)).status).toBe(200)
    expect((await begin(1, ids.slice(0, 1))).status).toBe(429)
    // Counting costs nothing, and others have a limit of their own.
    const body = { ids, profile: ROLL, format: 'PDF' } as never
    expect(ok(await bob.call('assets.countLabels', { body })).data.labels).toBe(250)
    const mine = await createAsset(alice)
    expect((await print(alice, { ids: [mine.id], format: 'PDF' })).status).toBe(200)
    server.clock.advance(DAY)
    expect((await begin(1)).status).toBe(200)
  })
})
