/** Photos that are added with the image in the same request, and images that were uploaded before. */

import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'

import { eq } from 'drizzle-orm'

import { albumPhotos } from '#db/schema/album.ts'
import { files } from '#db/schema/files.ts'

import { png, text, uploaded, usedStorage } from '../files/helpers.ts'
import { inProcess, ok, type Person, race, useServer } from '../harness/index.ts'
import { addMembers, createOrg } from '../orgs/helpers.ts'
import { createCode } from '../qr-codes/helpers.ts'

const { server, alice, mallory, owner, member } = useServer({
  people: ['alice', 'mallory', 'owner', 'member'],
  noAdmin: true,
})

type Bytes = Uint8Array<ArrayBuffer>

function send(user: Person, bytes: Bytes | null, fields: Record<string, string> = {}, name = 'door.png') {
  const form = new FormData()
  for (const [field, value] of Object.entries(fields)) form.set(field, value)
  if (bytes !== null) form.set('file', new File([bytes], name))
  return user.send('POST', '/api/album', { body: form })
}

const total = async (user: Person): Promise<number> => ok(await user.get('/api/album')).data.total

test('POST /api/album stores the file of a form and adds it as a photo, with all fields as text', async () => {
  const code = await createCode(alice)
  const watermark = { text: 'Door', list: [1, { a: null }], yes: true }
  const before = await usedStorage(alice)
  const { data } = ok(
    await send(alice, png(), {
      qr_code_id: String(code.id),
      takenAt: '2026-03-01T09:30:00Z',
      latitude: '-30.25',
      longitude: '120',
      address: 'Hall B',
      watermark: JSON.stringify(watermark),
      orgId: '',
    }),
  )
  expect(data).toMatchObject({
    qrCodeId: code.id,
    orgId: null,
    takenAt: Date.parse('2026-03-01T09:30:00Z'),
    latitude: -30.25,
    longitude: 120,
    address: 'Hall B',
    watermark,
    name: 'door.png',
    width: 64,
    height: 64,
    uploaderId: alice.id,
  })
  expect(data.thumbnailUrl).toContain('variant=THUMBNAIL')
  expect(ok(await alice.get(`/api/album/${data.id}`)).data).toEqual(data)
  expect(await usedStorage(alice)).toBe(before + data.size)
  expect(ok(await alice.get(`/api/files/${data.fileId}`)).data).toMatchObject({
    type: 'album',
    entityType: 'PHOTO',
    entityId: data.id,
  })
})

test('a form that is refused adds no photo and keeps neither file nor storage', async () => {
  const file = await uploaded(alice, png(), { type: 'album' })
  const [photos, storage] = [await total(alice), await usedStorage(alice)]
  for (const [status, bytes, fields] of [
    [400, png(), { qrCodeId: '999999999' }],
    [400, png(), { watermark: 'text' }],
    [400, png(), { watermark: '[1]' }],
    [400, png(), { watermark: '{"a":' }],
    [400, png(), { watermark: `${'{"a":'.repeat(4000)}1${'}'.repeat(4000)}` }],
    [400, png(), { watermark: JSON.stringify({ text: 'x'.repeat(20_480) }) }],
    [400, png(), { watermark: '{"a":"\\u0000"}' }],
    [400, png(), { latitude: '1' }],
    [400, png(), { latitude: 'x', longitude: '1' }],
    [400, png(), { fileId: String(file.id) }],
    [400, null, {}],
    [400, new Uint8Array(), {}],
    [415, text(), {}],
    [415, png().slice(0, 60), {}],
    [403, png(), { orgId: '999999999' }],
  ] as [number, Bytes | null, Record<string, string>][]) {
    const reply = await send(alice, bytes, fields)
    expect(`${reply.status} ${JSON.stringify(fields).slice(0, 60)}`, reply.text).toBe(
      `${status} ${JSON.stringify(fields).slice(0, 60)}`,
    )
  }
  expect([await total(alice), await usedStorage(alice)]).toEqual([photos, storage])
})

test('a form that is sent again with the same requestId is answered with the first photo', async () => {
  const [photos, storage] = [await total(alice), await usedStorage(alice)]
  const requestId = crypto.randomUUID()
  const answers = await race(4, () => send(alice, png(), { requestId }))
  const { data } = ok(await send(alice, png(), { requestId }))
  expect(new Set(answers.map((answer) => ok(answer).data.id))).toEqual(new Set([data.id]))
  expect([await total(alice), await usedStorage(alice)]).toEqual([photos + 1, storage + data.size])

  // Nobody else gets the photo, and the request of another file is no photo.
  expect(ok(await send(mallory, png(), { requestId })).data.id).not.toBe(data.id)
  const form = new FormData()
  form.set('requestId', `${requestId}-2`)
  form.set('file', new File([png()], 'door.png'))
  ok(await alice.send('POST', '/api/files/upload', { body: form }))
  const reply = await send(alice, png(), { requestId: `${requestId}-2` })
  expect([reply.status, reply.text]).toEqual([400, expect.stringContaining('body.requestId')])
  expect(await total(alice)).toBe(photos + 1)
})

test('a form with orgId adds a photo to the album of the organization and counts in its storage', async () => {
  const org = await createOrg(owner)
  await addMembers(owner, org, member)
  const before = await usedStorage(member)
  const { data } = ok(await send(member, png(), { orgId: String(org.id) }))
  expect(data).toMatchObject({ orgId: org.id, uploaderId: member.id })
  expect(await usedStorage(member)).toBe(before)
  expect(ok(await owner.get(`/api/album/org/${org.id}`)).data.items).toEqual([data])
  expect((await send(mallory, png(), { orgId: String(org.id) })).status).toBe(403)
})

test('a form with a file name of a phone keeps the name without its path', async () => {
  expect(ok(await send(alice, png(), {}, '../../DCIM/IMG_2041.PNG')).data.name).toBe('IMG_2041.PNG')
})

test('a JSON body of more than 1 MiB is refused with 413, although a form may be larger', async () => {
  const body = JSON.stringify({ fileId: 1, address: 'x'.repeat(1024 * 1024) })
  expect((await alice.send('POST', '/api/album', { body })).status).toBe(413)
})

test('the file of a photo is seen by those who see the photo, and cannot be deleted or used again', async () => {
  const org = await createOrg(owner)
  await addMembers(owner, org, member)
  const file = await uploaded(member, png(), { type: 'album', orgId: org.id })
  expect((await owner.get(`/api/files/${file.id}`)).status).toBe(404)
  const photo = ok(await member.post('/api/album', { fileId: file.id, orgId: org.id })).data
  for (const who of [owner, member]) expect(ok(await who.get(`/api/files/${file.id}`)).data.entityId).toBe(photo.id)
  for (const who of [alice, mallory]) expect((await who.get(`/api/files/${file.id}`)).status).toBe(404)
  expect((await member.delete(`/api/files/${file.id}`)).status).toBe(400)
  expect((await owner.delete(`/api/files/${file.id}`)).status).toBe(400)
  ok(await owner.delete(`/api/album/${photo.id}`))
  expect((await member.get(`/api/files/${file.id}`)).status).toBe(404)
  // A user who leaves no longer sees the file that they uploaded.
  const left = ok(await send(member, png(), { orgId: String(org.id) })).data
  ok(await member.post(`/api/orgs/${org.id}/leave`))
  expect((await member.get(`/api/files/${left.fileId}`)).status).toBe(404)

  const personal = ok(await send(alice, png())).data
  expect(ok(await alice.get(`/api/files/${personal.fileId}`)).data.entityType).toBe('PHOTO')
  expect((await owner.get(`/api/files/${personal.fileId}`)).status).toBe(404)
})

test('of concurrent requests to add a file and to delete it, one succeeds', async () => {
  for (let round = 0; round < 3; round++) {
    const file = await uploaded(alice, png(), { type: 'album' })
    const replies = await race(10, (i) =>
      i % 2 ? alice.post('/api/album', { fileId: file.id }) : alice.delete(`/api/files/${file.id}`),
    )
    expect(replies.filter((reply) => reply.status === 200)).toHaveLength(1)
    for (const { status } of replies) expect([200, 400, 404]).toContain(status)
  }
})

test('an organization is either dissolved or gets photos, if they are added while it is being dissolved', async () => {
  for (let round = 0; round < 3; round++) {
    const org = await createOrg(owner)
    const [end, ...replies] = await race(9, (i) =>
      i === 0 ? owner.delete(`/api/orgs/${org.id}`) : send(owner, png(), { orgId: String(org.id) }),
    )
    for (const reply of replies) expect([200, 403, 404]).toContain(reply.status)
    const added = replies.filter((reply) => reply.status === 200).length
    expect([200, 400]).toContain(end!.status)
    if (end!.status === 200) expect(added).toBe(0)
    else expect(ok(await owner.get(`/api/album/org/${org.id}`)).data.total).toBe(added)
  }
})

describe('EXIF data', () => {
  const photo = Bun.file(join(import.meta.dir, '../fixtures/photo.heic'))

  test('time and position of an image are kept in the photo only', async () => {
    const bytes = await photo.bytes()
    const direct = ok(await send(alice, bytes)).data
    expect(direct.takenAt).toBe(Date.parse('2024-05-06T07:08:09+08:00'))
    expect(direct.latitude).toBeCloseTo(-33.858472, 5)
    expect(direct.longitude).toBeCloseTo(151.21, 5)

    const file = await uploaded(alice, bytes, { type: 'album' })
    expect(file.capture?.takenAt).toBe(direct.takenAt)
    const body = { fileId: file.id, takenAt: 1000, latitude: 1, longitude: 2 }
    expect(ok(await alice.post('/api/album', body)).data).toMatchObject({ takenAt: 1000, latitude: 1, longitude: 2 })
    expect(ok(await alice.get(`/api/files/${file.id}`)).text).not.toContain('33.85')
    if (inProcess) {
      const rows = await server.ctx.db.read.select().from(files).where(eq(files.uploaderId, alice.id))
      for (const row of rows) expect(row.entityType === null || row.capture === null).toBe(true)
      expect((await server.ctx.db.read.select().from(albumPhotos)).length).toBeGreaterThan(0)
    }
  })
})
