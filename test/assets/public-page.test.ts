/** The public page of an asset. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import type { Browser } from 'playwright-core'

import { LandingContent } from '#domains/qr-codes/public/public.model.ts'
import { answerProblem } from '#http/validate.ts'

import { hasChromium, launchChromium } from '../harness/chromium.ts'
import { inProcess, ok, type Person, type Reply, until, useServer } from '../harness/index.ts'
import { createField } from '../metadata/helpers.ts'
import { addMembers, createOrg, setRole } from '../orgs/helpers.ts'
import { createAsset, createLocation, deleteAsset, photo, updateAsset } from './helpers.ts'
import { createCategory } from './places.ts'

const { server, alice, bob } = useServer({ people: ['alice', 'bob'] })

const get = (uuid: string, headers: Record<string, string> = {}) =>
  server.request('GET', `/s/asset/${uuid}`, { headers: { accept: 'text/html', ...headers } })
/** Also checks that the API document describes the answer. */
async function getJson(uuid: string, language = 'en'): Promise<Reply> {
  const headers = { accept: 'application/json', 'accept-language': language }
  const reply = await server.request('GET', `/s/asset/${uuid}`, { headers })
  if (reply.status === 200) expect(answerProblem(LandingContent, reply.data)).toBeUndefined()
  return reply
}
const fieldsOf = async (uuid: string, language?: string) =>
  ok(await getJson(uuid, language)).data.fields as { key: string; label: string; value: unknown }[]

const setValues = async (user: Person, id: number, values: object[], orgId?: number) =>
  ok(await user.put(`/api/meta/objects/asset/entities/${id}/values`, { values, ...(orgId !== undefined && { orgId }) }))

const full = {
  name: 'Ladder <b>3</b>',
  assetNo: 'NO-77',
  brand: 'Hailo',
  model: 'L80',
  serialNo: 'SN-SECRET',
  supplier: 'Supplier-SECRET',
  remark: 'Remark-SECRET',
  purchasePrice: '1999.9',
  purchaseDate: '2026-01-02',
  warrantyExpiry: '2028-01-02',
}

test('the page is 404 while nothing is public, for unknown uuids, and after deletion', async () => {
  const asset = await createAsset(alice, full)
  const missing = await get('7f0c2d1e-4b5a-4c6d-8e9f-0a1b2c3d4e5f')
  expect(missing.status).toBe(404)
  for (const uuid of [asset.uuid, 'x', String(asset.id)]) {
    expect((await get(uuid)).status).toBe(404)
    expect((await getJson(uuid)).status).toBe(404)
  }
  expect((await get(asset.uuid)).text).toBe(missing.text)
  ok(await updateAsset(alice, asset.id, { publicFields: ['name'] }))
  expect((await get(asset.uuid)).status).toBe(200)
  expect((await get(asset.uuid.toUpperCase())).status).toBe(200)
  expect(asset.publicUrl.endsWith(`/s/asset/${asset.uuid}`)).toBe(true)
  ok(await updateAsset(alice, asset.id, { publicFields: [] }))
  expect((await get(asset.uuid)).status).toBe(404)
  ok(await updateAsset(alice, asset.id, { publicFields: ['name'] }))
  ok(await deleteAsset(alice, asset.id))
  expect((await get(asset.uuid)).status).toBe(404)
})

test('the page shows only the public columns, escaped, without ids and the owner', async () => {
  const org = await createOrg(alice)
  const location = await createLocation(alice, org.id, 'Room 5')
  const category = await createCategory(alice, 'Tools', { orgId: org.id })
  const asset = await createAsset(alice, {
    ...full,
    orgId: org.id,
    locationId: location,
    categoryId: category.id,
    publicFields: ['name', 'assetNo', 'status', 'category', 'location', 'purchasePrice', 'latitude'],
  })
  const page = await get(asset.uuid)
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
  expect(page.headers.get('cache-control')).toBe('no-store')
  for (const shown of ['Ladder &lt;b&gt;3&lt;/b&gt;', 'NO-77', 'In use', 'Tools', 'Room 5', '1999.90'])
    expect(page.text).toContain(shown)
  expect(page.text).not.toContain('<b>3')
  const json = await getJson(asset.uuid)
  expect(json.data).toEqual({
    uuid: asset.uuid,
    kind: 'ASSET',
    fields: [
      { key: 'name', label: 'Name', value: full.name },
      { key: 'assetNo', label: 'Asset no.', value: 'NO-77' },
      { key: 'status', label: 'Status', value: 'IN_USE' },
      { key: 'category', label: 'Category', value: 'Tools' },
      { key: 'location', label: 'Location', value: 'Room 5' },
      { key: 'purchasePrice', label: 'Purchase price', value: '1999.90' },
      { key: 'latitude', label: 'Latitude', value: null },
    ],
    found: null,
  })
  for (const { text } of [page, json])
    for (const hidden of ['SECRET', 'Hailo', '2028', 'alice', org.name, '"id"', 'userId'])
      expect(text).not.toContain(hidden)
  const chinese = await get(asset.uuid, { 'accept-language': 'zh-CN' })
  for (const shown of ['lang="zh-CN"', '状态', '在用', '资产编号']) expect(chinese.text).toContain(shown)
  expect((await fieldsOf(asset.uuid, 'zh')).map((field) => field.label).slice(0, 3)).toEqual([
    '名称',
    '资产编号',
    '状态',
  ])
})

test('public fields of metadata are shown until they are deleted; those of users only on their own assets', async () => {
  const org = await createOrg(alice)
  await addMembers(alice, org, bob)
  const colour = await createField(
    alice,
    { name: 'Colour', type: 'SELECT', config: { options: [{ value: 'r', label: 'Red' }] } },
    { orgId: org.id },
  )
  const own = await createField(alice, { name: 'Own note' })
  const due = await createField(alice, { name: 'Checked', type: 'BOOLEAN' }, { orgId: org.id })
  const empty = await createField(alice, { name: 'Empty' }, { orgId: org.id })
  const asset = await createAsset(alice, { name: 'Lamp', orgId: org.id })
  await setValues(
    alice,
    asset.id,
    [
      { fieldId: colour.id, value: 'r' },
      { fieldId: due.id, value: true },
      { fieldId: own.id, value: 'private-note' },
    ],
    org.id,
  )
  const publish = (publicFields: string[], id = asset.id) => updateAsset(alice, id, { publicFields })
  expect((await publish([`field:${own.id}`])).status).toBe(400)
  expect((await publish(['owner'])).status).toBe(400)
  expect((await publish(['field:999999'])).status).toBe(400)
  ok(await publish([`field:${colour.id}`, `field:${due.id}`, `field:${empty.id}`, 'name']))
  expect(await fieldsOf(asset.uuid)).toEqual([
    { key: `field:${colour.id}`, label: 'Colour', value: 'r' },
    { key: `field:${due.id}`, label: 'Checked', value: true },
    { key: `field:${empty.id}`, label: 'Empty', value: null },
    { key: 'name', label: 'Name', value: 'Lamp' },
  ])
  const { text } = await get(asset.uuid)
  for (const shown of ['Colour', 'Red', 'Yes']) expect(text).toContain(shown)
  for (const hidden of ['private-note', 'Empty']) expect(text).not.toContain(hidden)

  ok(await alice.delete(`/api/orgs/${org.id}/meta/objects/asset/fields/${colour.id}`))
  expect((await fieldsOf(asset.uuid)).map((field) => field.key)).toEqual([
    `field:${due.id}`,
    `field:${empty.id}`,
    'name',
  ])

  const mine = await createAsset(alice, { name: 'Mine' })
  await setValues(alice, mine.id, [{ fieldId: own.id, value: 'to be read' }])
  ok(await publish([`field:${own.id}`], mine.id))
  expect(await fieldsOf(mine.uuid)).toEqual([{ key: `field:${own.id}`, label: 'Own note', value: 'to be read' }])
})

test('references and files of metadata are not shown, because they lead to rows that are not public', async () => {
  const field = await createField(alice, { name: 'Twin', type: 'REF', config: { target: 'ASSET' } })
  const hidden = await createAsset(alice, { name: 'hidden asset' })
  const asset = await createAsset(alice, { name: 'shown' })
  await setValues(alice, asset.id, [{ fieldId: field.id, value: hidden.id }])
  ok(await updateAsset(alice, asset.id, { publicFields: ['name', `field:${field.id}`] }))
  expect((await fieldsOf(asset.uuid)).map(({ key }) => key)).toEqual(['name'])
  expect((await get(asset.uuid)).text).not.toContain('hidden asset')
})

test('photos are shown by signed addresses, without a token, only if they are public', async () => {
  const asset = await createAsset(alice, { name: 'Camera', photos: [await photo(alice), await photo(alice)] })
  ok(await updateAsset(alice, asset.id, { publicFields: ['name'] }))
  expect((await get(asset.uuid)).text).not.toContain('<img')
  ok(await updateAsset(alice, asset.id, { publicFields: ['name', 'photos'] }))
  const [, { value }] = (await fieldsOf(asset.uuid)) as [
    object,
    { value: { url: string; thumbnailUrl: string | null }[] },
  ]
  expect(value).toHaveLength(2)
  for (const shown of value) {
    expect(Object.keys(shown).toSorted()).toEqual(['thumbnailUrl', 'url'])
    const path = shown.url.slice(new URL(shown.url).origin.length)
    expect((await server.request('GET', path)).headers.get('content-type')).toBe('image/png')
    expect((await server.request('GET', path.replace(/&signature=.*/, ''))).status).toBe(401)
  }
  const { text } = await get(asset.uuid)
  expect(text.match(/<img /g)).toHaveLength(2)
  expect(text).not.toContain(`src="${new URL(asset.publicUrl).origin}`)
})

test('a member who may not update assets cannot make anything public', async () => {
  const org = await createOrg(alice)
  await addMembers(alice, org, bob)
  const asset = await createAsset(alice, { name: 'Lamp', orgId: org.id })
  expect((await updateAsset(bob, asset.id, { publicFields: ['name'] })).status).toBe(403)
  expect((await get(asset.uuid)).status).toBe(404)
  await setRole(alice, org, bob, 'ADMIN')
  ok(await updateAsset(bob, asset.id, { publicFields: ['name'] }))
  expect((await get(asset.uuid)).status).toBe(200)
})

describe.if(inProcess && hasChromium)('in Chromium', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launchChromium()
  })
  afterAll(() => browser?.close())

  for (const colorScheme of ['light', 'dark'] as const)
    test(`on a phone, in ${colorScheme} colours, the page fits the screen and shows the photos`, async () => {
      const asset = await createAsset(alice, {
        ...full,
        assetNo: `NO-${colorScheme}`,
        remark: 'several\nlines',
        photos: [await photo(alice, undefined, 900)],
        publicFields: ['name', 'assetNo', 'status', 'brand', 'model', 'warrantyExpiry', 'remark', 'photos'],
      })
      const page = await browser.newPage({ viewport: { width: 375, height: 700 }, colorScheme })
      const problems: string[] = []
      page.on('console', (message) => problems.push(message.text()))
      await page.goto(server.url + new URL(asset.publicUrl).pathname, { waitUntil: 'load' })
      await until(() => page.evaluate<boolean>('document.images[0].naturalWidth > 0'))
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(375)
      expect(await page.textContent('h1')).toBe(full.name)
      expect(problems).toEqual([])
      if (process.env['SCREENSHOTS'])
        await page.screenshot({ path: `${process.env['SCREENSHOTS']}/asset-${colorScheme}.png`, fullPage: true })
      await page.close()
    })
})
