/** Labels that are scanned: by signed-in users, in inventories, and as files for printing. */

import { describe, expect, test } from 'bun:test'

import type { BlankView } from '#domains/qr-codes/blanks/blanks.model.ts'

import { createAsset, createLocation } from '../assets/helpers.ts'
import { ok, type Person, until, useServer } from '../harness/index.ts'
import { addMembers, createOrg } from '../orgs/helpers.ts'
import { createCode } from './helpers.ts'

const { server, alice, bob, mallory } = useServer({ people: ['alice', 'bob', 'mallory'] })

async function labels(user: Person, count: number, fields: object = {}): Promise<BlankView[]> {
  const body = { name: 'Labels', count, ...fields }
  const batch = ok(await user.call('qrBlanks.create', { body })).data
  const query = {
    batchId: batch.id,
    size: 100,
    ...(batch.orgId !== null && { orgId: batch.orgId }),
  }
  return ok(await user.call('qrBlanks.list', { query })).data.items
}
const bind = async (user: Person, { slug }: BlankView, body: { kind: 'ASSET' | 'LOCATION' | 'QR_CODE'; id: number }) =>
  ok(await user.call('qrBlanks.bind', { params: { slug }, body }))
const scan = async (user: Person, content: string) =>
  ok(await user.call('scanRecords.create', { body: { content } })).data.resolved

describe('a recorded scan of a label', () => {
  test('that is free resolves as BLANK for those who may bind it, in any case, and as TEXT for others', async () => {
    const [label] = await labels(alice, 1)
    const { slug, number, shortUrl } = label!
    for (const content of [shortUrl, shortUrl.toUpperCase(), `${shortUrl}/`])
      expect(await scan(alice, content)).toEqual({ kind: 'BLANK', title: number, slug, number })
    expect(await scan(mallory, shortUrl)).toEqual({ kind: 'TEXT' })
    expect(await scan(alice, `https://elsewhere.example/q/${slug}`)).toEqual({ kind: 'URL' })
    const org = await createOrg(alice)
    await addMembers(alice, org, bob)
    const [ofOrg] = await labels(alice, 1, { orgId: org.id })
    expect((await scan(alice, ofOrg!.shortUrl)).kind).toBe('BLANK')
    // Members may read codes, but not change them.
    expect(await scan(bob, ofOrg!.shortUrl)).toEqual({ kind: 'TEXT' })
  })

  test('that is bound resolves as the thing, with its title for those who may see it', async () => {
    const org = await createOrg(alice)
    const [ofAsset, ofPlace] = await labels(alice, 2, { orgId: org.id })
    const asset = await createAsset(alice, { name: 'Projector', orgId: org.id })
    const locationId = await createLocation(alice, org.id, 'Shelf 4')
    await bind(alice, ofAsset!, { kind: 'ASSET', id: asset.id })
    await bind(alice, ofPlace!, { kind: 'LOCATION', id: locationId })
    expect(await scan(alice, ofAsset!.shortUrl)).toEqual({
      kind: 'ASSET',
      id: asset.id,
      title: 'Projector',
    })
    expect(await scan(alice, ofPlace!.shortUrl)).toEqual({
      kind: 'LOCATION',
      id: locationId,
      title: 'Shelf 4',
    })
    expect(await scan(mallory, ofAsset!.shortUrl)).toEqual({ kind: 'ASSET' })
    expect(await scan(mallory, ofPlace!.shortUrl)).toEqual({ kind: 'LOCATION' })
  })

  test('of a code is a scan of the code, as is one of its short link', async () => {
    const code = await createCode(alice, {
      content: 'https://example.org/dynamic',
      isDynamic: true,
    })
    const [label] = await labels(alice, 1)
    await bind(alice, label!, { kind: 'QR_CODE', id: code.id })
    for (const content of [code.shortUrl!, code.shortUrl!.toUpperCase(), label!.shortUrl])
      expect(await scan(alice, content)).toEqual({
        kind: 'QR_CODE',
        id: code.id,
        title: code.name,
      })
    expect((await scan(mallory, code.shortUrl!)).kind).toBe('QR_CODE')
    ok(await alice.call('qrCodes.publish', { params: { id: code.id }, body: { isPublic: false } }))
    expect(await scan(mallory, code.shortUrl!)).toEqual({ kind: 'URL' })
    expect(await scan(mallory, code.shortUrl!.replace(code.slug!, 'unknown-slug'))).toEqual({
      kind: 'URL',
    })
  })
})

test('an inventory takes a bound label as the code of its asset', async () => {
  const asset = await createAsset(alice, { name: 'Projector' })
  const [label, free] = await labels(alice, 2)
  await bind(alice, label!, { kind: 'ASSET', id: asset.id })
  const { id } = ok(await alice.call('inventories.create', { body: { name: 'All' } })).data
  ok(await alice.call('inventories.update', { params: { id }, body: { status: 'RUNNING' } }))
  const take = (code: string) => alice.call('inventories.scan', { params: { id }, body: { code } })
  const { data } = ok(await take(label!.shortUrl.toUpperCase()))
  expect(data).toMatchObject({ result: 'FOUND', repeated: false, asset: { id: asset.id } })
  expect((await take(free!.shortUrl)).status).toBe(404)
  const foreign = await createAsset(mallory)
  const [ofMallory] = await labels(mallory, 1)
  await bind(mallory, ofMallory!, { kind: 'ASSET', id: foreign.id })
  expect((await take(ofMallory!.shortUrl)).status).toBe(404)
})

describe('the export of a batch', () => {
  const get = (user: Person, id: number, query: object) =>
    user.get(`/api/qr-codes/batches/${id}/export`, query as Record<string, string>)

  test('as CSV has number and address of each label that is not void', async () => {
    const made = await labels(alice, 3, { prefix: 'CSV-' })
    ok(await alice.call('qrBlanks.void', { params: { slug: made[1]!.slug } }))
    const reply = await get(alice, made[0]!.batchId, { format: 'csv' })
    expect(reply.text.replace('\uFEFF', '')).toBe(
      `Number,Address\r\nCSV-00001,${made[0]!.shortUrl}\r\nCSV-00003,${made[2]!.shortUrl}\r\n`,
    )
    expect((await get(mallory, made[0]!.batchId, { format: 'csv' })).status).toBe(404)
    for (const query of [{ format: 'png' }, { format: 'pdf', widthMm: 7 }, { format: 'pdf', widthMm: 1001 }])
      expect((await get(alice, made[0]!.batchId, query)).status).toBe(400)
  })

  test('as ZIP has an SVG for each label', async () => {
    const made = await labels(alice, 2, { prefix: 'ZIP-' })
    const { bytes } = await get(alice, made[0]!.batchId, { format: 'zip' })
    const names = new TextDecoder('latin1').decode(bytes).match(/ZIP-\d{5}\.svg/g)
    // In front of each entry, and in the directory.
    expect(names?.toSorted()).toEqual(['ZIP-00001.svg', 'ZIP-00001.svg', 'ZIP-00002.svg', 'ZIP-00002.svg'])
  })

  test('as PDF has a page of the given width for each label', async () => {
    const made = await labels(alice, 3, { prefix: 'PDF-' })
    const { bytes, headers } = await get(alice, made[0]!.batchId, { format: 'pdf', widthMm: 25.4 })
    expect(headers.get('content-type')).toBe('application/pdf')
    const boxes = [...new TextDecoder('latin1').decode(bytes).matchAll(/MediaBox\[0 0 ([\d.]+) ([\d.]+)\]/g)]
    expect(boxes.map(([, width, height]) => [Number(width), Number(height)])).toEqual(
      Array.from({ length: 3 }, () => [72, 82.08]),
    )
  })
})

describe('GET /q/:slug of a label', () => {
  const PHONE =
    'Mozilla/5.0 (iPhone; CPU iPhone OS 26_0 like Mac OS X) AppleWebKit/605.1.15 Version/26.0 Mobile/15E148 Safari/604.1'
  const open = (slug: string, headers: Record<string, string> = {}) =>
    fetch(`${server.url}/q/${slug}`, {
      redirect: 'manual',
      headers: { 'user-agent': PHONE, ...headers },
    })
  const scansOf = async (slug: string) => ok(await alice.call('qrBlanks.get', { params: { slug } })).data.scanCount

  test('that is free is a page with its number and the way into the web application, in both languages', async () => {
    const [label] = await labels(alice, 1, { prefix: 'FREE-' })
    for (const [language, text, assign] of [
      ['en', 'This label is not in use yet', 'Assign it'],
      ['zh', '此标签尚未使用', '立即绑定'],
    ] as const) {
      const reply = await open(label!.slug.toUpperCase(), { 'accept-language': language })
      const page = await reply.text()
      expect(reply.status).toBe(200)
      expect(reply.headers.get('x-robots-tag')).toBe('noindex')
      expect(reply.headers.get('cache-control')).toBe('no-store')
      for (const part of [text, assign, label!.number, `/console/labels/${label!.slug}`]) expect(page).toContain(part)
    }
    await fetch(`${server.url}/q/${label!.slug}`, {
      method: 'HEAD',
      headers: { 'user-agent': PHONE },
    })
    // Robots do not count.
    await open(label!.slug, { 'user-agent': 'Googlebot/2.1' })
    await until(async () => (await scansOf(label!.slug)) === 2)
  })

  test('leads to the page of its thing, and is counted', async () => {
    const org = await createOrg(alice)
    const [ofAsset, ofPlace, voided] = await labels(alice, 3, { orgId: org.id })
    const asset = await createAsset(alice, { orgId: org.id })
    const locationId = await createLocation(alice, org.id, 'Shelf')
    await bind(alice, ofAsset!, { kind: 'ASSET', id: asset.id })
    await bind(alice, ofPlace!, { kind: 'LOCATION', id: locationId })
    ok(await alice.call('qrBlanks.void', { params: { slug: voided!.slug } }))
    const toAsset = await open(ofAsset!.slug)
    expect([toAsset.status, toAsset.headers.get('location')]).toEqual([302, asset.publicUrl])
    const toPlace = await open(ofPlace!.slug)
    expect([toPlace.status, new URL(toPlace.headers.get('location')!).pathname]).toEqual([
      302,
      `/console/orgs/${org.id}`,
    ])
    expect((await open(voided!.slug)).status).toBe(410)
    await until(async () => (await scansOf(ofAsset!.slug)) === 1)
    ok(await alice.call('assets.delete', { params: { id: asset.id } }))
    expect((await open(ofAsset!.slug)).status).toBe(200)
  })

  test('of a public code leads to its content, and counts for both', async () => {
    const [label] = await labels(alice, 1)
    const create = { name: 'Menu', content: 'https://example.org/menu' }
    const bound = ok(
      await alice.call('qrBlanks.bind', {
        params: { slug: label!.slug },
        body: { kind: 'QR_CODE', create },
      }),
    ).data
    const reply = await open(label!.slug)
    // A server without mail trusts everybody, others warn of codes of unproved owners.
    expect([200, 302]).toContain(reply.status)
    expect(reply.headers.get('location') ?? (await reply.text())).toContain('example.org')
    await until(async () => (await scansOf(label!.slug)) === 1)
    await until(
      async () => ok(await alice.call('qrCodes.get', { params: { id: bound.targetId! } })).data.scanCount === 1,
    )
  })
})

describe('GET /q/:slug/info of a label', () => {
  const JSON_TYPE = { accept: 'application/json' }
  const info = (slug: string, headers: Record<string, string> = {}) =>
    server.request('GET', `/q/${slug}/info`, { headers })

  test('that is free shows its number, also as JSON, and counts nothing', async () => {
    const [label] = await labels(alice, 1, { prefix: 'INFO-' })
    const { slug, number } = label!
    expect(ok(await info(slug.toUpperCase(), JSON_TYPE)).data).toEqual({
      slug,
      name: number,
      opens: null,
      host: null,
      blank: true,
    })
    const page = await info(slug, { accept: 'text/html' })
    expect(page.status).toBe(200)
    expect(page.headers.get('x-robots-tag')).toBe('noindex')
    for (const part of ['This label is not in use yet', number, `/q/${slug}/info?lang=zh`])
      expect(page.text).toContain(part)
    expect(ok(await alice.call('qrBlanks.get', { params: { slug } })).data.scanCount).toBe(0)
  })

  test('that is void is 410', async () => {
    const [label] = await labels(alice, 1)
    ok(await alice.call('qrBlanks.void', { params: { slug: label!.slug } }))
    const page = await info(label!.slug)
    expect([page.status, page.text.includes('This label is no longer used')]).toEqual([410, true])
    const json = await info(label!.slug, JSON_TYPE)
    expect([json.status, json.code]).toEqual([410, 410])
  })

  test('of an asset has its number, and nothing of the asset; of a code it is that of the code', async () => {
    const [ofAsset, ofCode] = await labels(alice, 2)
    const asset = await createAsset(alice, { name: 'Secret projector' })
    await bind(alice, ofAsset!, { kind: 'ASSET', id: asset.id })
    const { slug, number } = ofAsset!
    const expected = { slug, name: number, opens: 'PAGE', host: null, blank: false }
    expect(ok(await info(slug, JSON_TYPE)).data).toEqual(expected)
    const page = await info(slug)
    expect([page.status, page.text.includes(number), page.text.includes('Secret')]).toEqual([200, true, false])

    const code = await createCode(alice, { name: 'Menu', content: 'https://example.org/menu', isPublic: true })
    await bind(alice, ofCode!, { kind: 'QR_CODE', id: code.id })
    expect(ok(await info(ofCode!.slug, JSON_TYPE)).data).toMatchObject({ name: 'Menu', blank: false })
  })
})
