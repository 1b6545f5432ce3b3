/** From the phone to the organization: upload by link, album, thumbnail, shared copy, deletion. */

import { expect, test } from 'bun:test'
import { join } from 'node:path'

import { pathOf, putBytes } from '../files/helpers.ts'
import { ok, type Person, useServer } from '../harness/index.ts'
import { addMembers, createOrg } from '../orgs/helpers.ts'

const { server, alice, colleague, stranger } = useServer({ people: ['alice', 'colleague', 'stranger'], noAdmin: true })

const heic = Bun.file(join(import.meta.dir, '../fixtures/photo.heic'))

/** Fetches a signed address without signing in. */
const fetchUrl = (url: string) => server.request('GET', pathOf(url))

async function uploadByLink(person: Person): Promise<number> {
  const bytes = await heic.bytes()
  const body = { name: 'IMG_2041.HEIC', size: bytes.length, type: 'album' } as const
  const ticket = ok(await person.call('files.createTicket', { body })).data
  ok(await putBytes(server, ticket, bytes))
  return ok(await person.call('files.finishUpload', { body: { uploadId: ticket.uploadId } })).data.id
}

test('a phone uploads a photo, sees its thumbnail and shares it; strangers and altered links get nothing', async () => {
  const org = await createOrg(alice)
  await addMembers(alice, org, colleague)
  const watermark = { text: 'Fire extinguisher 12', place: 'Hall B' }
  const photo = ok(
    await alice.call('album.add', { body: { fileId: await uploadByLink(alice), address: 'Hall B', watermark } }),
  ).data
  expect(photo).toMatchObject({ name: 'IMG_2041.jpg', width: 64, height: 48, watermark })
  expect(photo.takenAt).toBe(Date.parse('2024-05-06T07:08:09+08:00'))
  expect(photo.latitude).toBeCloseTo(-33.858472, 5)

  const [image, thumbnail] = [await fetchUrl(photo.url), await fetchUrl(photo.thumbnailUrl!)]
  expect([image.status, image.headers.get('content-type'), image.bytes.length]).toEqual([200, 'image/jpeg', photo.size])
  expect([thumbnail.status, thumbnail.headers.get('content-type')]).toEqual([200, 'image/webp'])
  // The bytes no longer contain the position and the time.
  expect(new TextDecoder('latin1').decode(image.bytes)).not.toContain('Exif')

  const body = { entityType: 'ALBUM_PHOTO', sourceId: photo.id } as const
  const share = ok(await alice.call('shares.create', { params: { orgId: org.id }, body })).data
  const [copy] = ok(await colleague.call('album.listOfOrg', { params: { orgId: org.id } })).data.items
  expect(copy).toMatchObject({ id: share.copyId, takenAt: photo.takenAt, address: 'Hall B', watermark })
  expect((await fetchUrl(copy!.url)).bytes).toEqual(image.bytes)

  for (const id of [photo.id, copy!.id]) {
    expect((await stranger.call('album.get', { params: { id } })).status).toBe(404)
    expect((await stranger.call('album.delete', { params: { id } })).status).toBe(404)
  }
  expect((await colleague.call('album.get', { params: { id: photo.id } })).status).toBe(404)
  for (const fileId of [photo.fileId, copy!.fileId])
    expect((await stranger.get(`/api/files/${fileId}/content`)).status).toBe(404)
  expect((await colleague.get(`/api/files/${copy!.fileId}/content`)).status).toBe(200)
  for (const [from, to] of [
    [`/files/${photo.fileId}/`, `/files/${copy!.fileId}/`],
    ['variant=ORIGINAL', 'variant=THUMBNAIL'],
    [/expires=\d+/, 'expires=9999999999'],
  ] as const)
    expect((await fetchUrl(photo.url.replace(from, to))).status).toBe(403)

  ok(await alice.call('album.delete', { params: { id: photo.id } }))
  expect((await fetchUrl(photo.url)).status).toBe(404)
  expect((await fetchUrl(copy!.url)).bytes).toEqual(image.bytes)
  ok(await alice.call('shares.delete', { params: { orgId: org.id, shareId: share.id } }))
  for (const url of [copy!.url, copy!.thumbnailUrl!]) expect((await fetchUrl(url)).status).toBe(404)
})
