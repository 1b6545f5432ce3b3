/** Dynamic codes: their pictures hold a link of this server, so that scans are counted and the content can change after printing. */

import { expect, test } from 'bun:test'

import { unzipSync } from 'fflate'

import { ok, useServer } from '../harness/index.ts'
import { readByZxing } from '../lib/qr-pictures.ts'
import { addMembers, createOrg } from '../orgs/helpers.ts'
import { createCode } from './helpers.ts'
import { scan } from './link-helpers.ts'

const { server, alice, mallory } = useServer({ people: ['alice', 'mallory'] })

/** The content of the picture at an address of the server. */
async function pictured(address: string): Promise<string | undefined> {
  const path = address.slice(address.indexOf('/api/qrcode/render'))
  return (await readByZxing(ok(await server.request('GET', path)).bytes))?.text
}

test('the pictures of a dynamic code hold its short link, and those of other codes their content', async () => {
  const me = await server.person()
  const plain = await createCode(me, { content: 'https://example.com/plain' })
  const dynamic = await createCode(me, { content: 'x'.repeat(2900), isDynamic: true, isPublic: true })
  expect(plain.isDynamic).toBe(false)
  expect(await pictured(plain.imageUrl)).toBe(plain.content)
  expect(await pictured(dynamic.imageUrl)).toBe(dynamic.pictureContent)
  expect(dynamic.pictureContent).toBe(dynamic.shortUrl!.toUpperCase())
  // The link is short, so the picture needs no lower error correction for the long content.
  expect(dynamic.style.level).toBe('M')

  const page = ok(await server.request('GET', `/public/qr/${dynamic.uuid}`)).text
  const picture = /src="([^"]+)"/.exec(page)![1]!.replaceAll('&amp;', '&')
  expect(await pictured(picture)).toBe(dynamic.pictureContent)
  expect(page).toContain(dynamic.content)

  const files = unzipSync(ok(await me.post('/api/qr-codes/batch/export', { format: 'zip' })).bytes)
  const held = await Promise.all(
    Object.entries(files).map(async ([name, bytes]) => name.endsWith('.png') && (await readByZxing(bytes))?.text),
  )
  expect(held).toEqual([plain.content, dynamic.pictureContent, false])
})

test('a dynamic code keeps its picture when its content changes, and shows the new content', async () => {
  const code = await createCode(alice, { content: 'https://example.com/old', isDynamic: true, isPublic: true })
  const changed = ok(await alice.put(`/api/qr-codes/${code.id}`, { content: 'https://example.com/new' })).data
  expect(changed.imageUrl).toBe(code.imageUrl)
  const shown = ok(await server.request('GET', `/api/qr-codes/public/${code.uuid}`)).data
  expect(shown).toMatchObject({ content: 'https://example.com/new', isDynamic: true, imageUrl: code.imageUrl })
  expect(ok(await alice.put(`/api/qr-codes/${code.id}`, { isDynamic: null })).data).toMatchObject({
    isDynamic: false,
    version: code.version + 2,
  })
})

test('a scan of the public link of a dynamic code is counted, through the page and through the app', async () => {
  const code = await createCode(alice, { isDynamic: true, isPublic: true })
  const link = code.publicUrl
  ok(await scan(server, new URL(link).pathname))
  expect(ok(await mallory.post('/api/scan-records', { content: link })).data.qrCodeId).toBe(code.id)
  expect(ok(await alice.get(`/api/qr-codes/${code.id}`)).data.scanCount).toBe(2)
})

test('a copy of a dynamic code that is shared with an organization is private, with a slug of its own', async () => {
  const org = await createOrg(mallory)
  await addMembers(mallory, org, alice)
  const code = await createCode(alice, { isDynamic: true, isPublic: true })
  const body = { entityType: 'QR_CODE' as const, sourceId: code.id }
  const { copyId } = ok(await alice.call('shares.create', { params: { orgId: org.id }, body })).data
  const copy = ok(await alice.call('qrCodes.get', { params: { id: copyId } })).data
  expect(copy).toMatchObject({ isDynamic: true, isPublic: false, content: code.content, opens: 'TARGET' })
  expect([null, code.slug]).not.toContain(copy.slug)
})
