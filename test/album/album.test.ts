import { beforeAll, describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { albumPhotos } from '#db/schema/album.ts'
import { blobs, files } from '#db/schema/files.ts'
import { MAX_WATERMARK } from '#domains/album/album.model.ts'
import { PHOTO_BUDGET } from '#domains/album/album.rules.ts'
import { usedStorage } from '#domains/files/files.store.ts'
import { usesOf } from '#http/budget.ts'
import { HOUR } from '#platform/clock.ts'

import { inProcess, ok, type Person, race, startServer, until, useServer } from '../harness/index.ts'
import { addMembers, createOrg, type Org, setRole } from '../orgs/helpers.ts'
import { createCode } from '../qr-codes/helpers.ts'
import { addPhoto, deletePhoto, getPhoto, upload } from './helpers.ts'

const UNKNOWN = 999_999_999
const CAPTURE = { takenAt: 1_600_000_000_000, latitude: 30.25, longitude: 120.15 }

describe.if(inProcess)('album photos', () => {
  const { server, alice, mallory, owner, manager, member, guest } = useServer({
    people: ['alice', 'mallory', 'owner', 'manager', 'member', 'guest'],
    noAdmin: true,
  })
  let org: Org

  beforeAll(async () => {
    org = await createOrg(owner)
    await addMembers(owner, org, manager, member, guest)
    await setRole(owner, org, manager, 'ADMIN')
    await setRole(owner, org, guest, 'GUEST')
  })

  const photoCount = async () => (await server.ctx.db.read.select().from(albumPhotos)).length
  const storageOf = (person: Person, orgId = 0) => usedStorage(server.ctx.db.read, { userId: person.id, orgId })

  describe('adding', () => {
    test('POST /api/album adds a photo with the values given, which GET /api/album/:id answers', async () => {
      const code = await createCode(alice)
      const watermark = {
        text: 'Hall B',
        time: '09:30',
        deep: { a: [1, null, 'ü', { __proto__x: true }] },
        operator: '',
      }
      const fileId = await upload(server, alice, { name: 'door.jpg' })
      const body = {
        fileId,
        qrCodeId: code.id,
        takenAt: 1_700_000_000_000,
        latitude: -30.5,
        longitude: 120,
        address: '1 West Lake Road',
        watermark,
      }
      const { data } = ok(await alice.call('album.add', { body }))
      expect(data).toEqual({
        id: data.id,
        ...body,
        orgId: null,
        url: data.url,
        thumbnailUrl: null,
        uploaderId: alice.id,
        name: 'door.jpg',
        width: 4,
        height: 3,
        size: 100,
        version: 1,
        createdAt: data.createdAt,
        updatedAt: data.createdAt,
      })
      expect(data.url).toContain(`/api/files/${fileId}/content?variant=ORIGINAL`)
      expect(ok(await getPhoto(alice, data.id)).data).toEqual(data)
    })

    test('POST /api/album accepts names in snake_case and times in ISO 8601', async () => {
      const fileId = await upload(server, alice)
      const { data } = ok(await alice.post('/api/album', { file_id: fileId, taken_at: '2026-03-01T09:30:00Z' }))
      expect(data).toMatchObject({ fileId, takenAt: Date.parse('2026-03-01T09:30:00Z') })
    })

    test('a watermark comes back as it was given, whatever its keys are', async () => {
      const json =
        '{"":0,"a\\nb":[[],{}],"snake_case":null,"__proto__":{"x":1.5},"constructor":"\\u2028 \\ud83d\\ude00"}'
      const fileId = await upload(server, alice)
      const reply = await alice.send('POST', '/api/album', { body: `{"fileId":${fileId},"watermark":${json}}` })
      expect(JSON.stringify(ok(reply).data.watermark)).toBe(JSON.stringify(JSON.parse(json)))
      expect(JSON.stringify(ok(await getPhoto(alice, reply.data.id)).data.watermark)).toBe(
        JSON.stringify(JSON.parse(json)),
      )
    })

    test('a photo without time, place and watermark has null for all of them', async () => {
      const photo = await addPhoto(server, alice, { address: '' })
      expect(photo).toMatchObject({
        qrCodeId: null,
        takenAt: null,
        latitude: null,
        longitude: null,
        address: null,
        watermark: null,
      })
    })

    test('a photo takes time and position from the EXIF data of its file, unless they are given', async () => {
      const taken = await addPhoto(server, alice, {}, { capture: CAPTURE })
      expect(taken).toMatchObject(CAPTURE)
      const mixed = await addPhoto(server, alice, { takenAt: 5, latitude: 0, longitude: 0 }, { capture: CAPTURE })
      expect(mixed).toMatchObject({ takenAt: 5, latitude: 0, longitude: 0 })
      const partly = await addPhoto(server, alice, { takenAt: 5, latitude: null }, { capture: CAPTURE })
      expect(partly).toMatchObject({ ...CAPTURE, takenAt: 5 })
    })

    test('POST /api/album refuses bad input with 400 and adds nothing', async () => {
      const fileId = await upload(server, alice)
      const before = await photoCount()
      for (const [body, path] of [
        [{}, 'body.fileId'],
        [{ fileId: null }, 'body.fileId'],
        [{ fileId: 'x' }, 'body.fileId'],
        [{ fileId: UNKNOWN }, 'body.fileId'],
        [{ fileId, latitude: 1 }, 'body.longitude'],
        [{ fileId, longitude: 1 }, 'body.latitude'],
        [{ fileId, latitude: 90.1, longitude: 0 }, 'body.latitude'],
        [{ fileId, latitude: 0, longitude: -180.5 }, 'body.longitude'],
        [{ fileId, takenAt: 'yesterday' }, 'body.takenAt'],
        [{ fileId, takenAt: -1 }, 'body.takenAt'],
        [{ fileId, address: 'x'.repeat(201) }, 'body.address'],
        [{ fileId, watermark: 'text' }, 'body.watermark'],
        [{ fileId, watermark: ['text'] }, 'body.watermark'],
        [{ fileId, watermark: { text: 'nul\0' } }, 'body.watermark.text'],
        [{ fileId, watermark: { text: 'ü'.repeat(MAX_WATERMARK / 2) } }, 'body.watermark'],
        [{ fileId, qrCodeId: UNKNOWN }, 'body.qrCodeId'],
      ] as const) {
        const reply = await alice.post('/api/album', body)
        expect(`${reply.status} ${JSON.stringify(body).slice(0, 80)}`).toBe(`400 ${JSON.stringify(body).slice(0, 80)}`)
        expect(reply.details?.map((detail: { path: string }) => detail.path)).toEqual([path])
      }
      expect(await photoCount()).toBe(before)
      // The file is still unused.
      const room = MAX_WATERMARK - JSON.stringify({ text: '' }).length
      ok(await alice.post('/api/album', { fileId, watermark: { text: 'x'.repeat(room) } }))
    })

    test('POST /api/album accepts only unused uploads of the caller, of type album and for the same owner', async () => {
      const used = (await addPhoto(server, alice)).fileId
      const foreign = await upload(server, mallory)
      const before = await photoCount()
      for (const fileId of [
        used,
        foreign,
        await upload(server, alice, { type: 'other' }),
        await upload(server, owner, { orgId: org.id }),
      ])
        expect((await alice.post('/api/album', { fileId })).status).toBe(400)
      const [personal, ofOrg, ofOwner] = [
        await upload(server, member),
        await upload(server, member, { orgId: org.id }),
        await upload(server, owner, { orgId: org.id }),
      ]
      for (const body of [{ fileId: personal, orgId: org.id }, { fileId: ofOrg }, { fileId: ofOwner, orgId: org.id }])
        expect((await member.post('/api/album', body)).status).toBe(400)
      expect(await photoCount()).toBe(before)
      ok(await member.post('/api/album', { fileId: ofOrg, orgId: org.id }))
    })

    test('POST /api/album accepts only QR codes of the same owner that are not in the trash', async () => {
      const [foreign, trashed] = [await createCode(mallory), await createCode(alice)]
      ok(await alice.delete(`/api/qr-codes/${trashed.id}`))
      const [ofOrg, ofMember] = [
        ok(await owner.call('qrCodes.create', { body: { name: 'x', content: 'x', orgId: org.id } })).data,
        await createCode(member),
      ]
      for (const qrCodeId of [foreign.id, trashed.id, ofOrg.id])
        expect((await alice.post('/api/album', { fileId: await upload(server, alice), qrCodeId })).status).toBe(400)
      const fileId = await upload(server, member, { orgId: org.id })
      expect((await member.post('/api/album', { fileId, orgId: org.id, qrCodeId: ofMember.id })).status).toBe(400)
      const { data } = ok(await member.post('/api/album', { fileId, orgId: org.id, qrCodeId: ofOrg.id }))
      expect(data).toMatchObject({ qrCodeId: ofOrg.id, orgId: org.id, uploaderId: member.id })
    })

    test('of 50 concurrent requests to add the same file, one adds a photo', async () => {
      const fileId = await upload(server, alice)
      const before = await photoCount()
      const replies = await race(50, () => alice.post('/api/album', { fileId }))
      expect(replies.filter((reply) => reply.status === 200)).toHaveLength(1)
      expect(replies.filter((reply) => reply.status === 400)).toHaveLength(49)
      expect(await photoCount()).toBe(before + 1)
    })
  })

  describe('deleting', () => {
    test('DELETE /api/album/:id deletes the photo, its file and its bytes, and frees the storage', async () => {
      const before = await storageOf(alice)
      const photo = await addPhoto(server, alice)
      const [file] = await server.ctx.db.read
        .select({ id: files.id, key: blobs.key })
        .from(files)
        .innerJoin(blobs, eq(blobs.id, files.blobId))
        .where(eq(files.id, photo.fileId))
      expect(await server.ctx.blobs.stat(file!.key)).toBeDefined()
      expect(await storageOf(alice)).toBe(before + 100)
      expect(ok(await deletePhoto(alice, photo.id)).data).toBeNull()
      expect((await getPhoto(alice, photo.id)).status).toBe(404)
      expect((await deletePhoto(alice, photo.id)).status).toBe(404)
      expect(await server.ctx.db.read.select().from(files).where(eq(files.id, photo.fileId))).toEqual([])
      expect(await storageOf(alice)).toBe(before)
      await until(async () => (await server.ctx.blobs.stat(file!.key)) === undefined)
    })

    test('of 50 concurrent requests to delete a photo, one succeeds and the others get 404', async () => {
      const before = await storageOf(alice)
      const photo = await addPhoto(server, alice)
      const replies = await race(50, () => deletePhoto(alice, photo.id))
      expect(replies.map((reply) => reply.status).toSorted()).toEqual([200, ...Array(49).fill(404)])
      expect(await storageOf(alice)).toBe(before)
    })
  })

  describe('permissions', () => {
    test('operations on a photo of another user answer 404 and change nothing', async () => {
      const photo = await addPhoto(server, alice, { address: 'very private' })
      for (const who of [mallory, owner]) {
        for (const reply of [await getPhoto(who, photo.id), await deletePhoto(who, photo.id)]) {
          expect(reply.status).toBe(404)
          expect(reply.text).not.toContain('very private')
        }
        expect(ok(await who.call('album.list')).data.items).not.toContainEqual(
          expect.objectContaining({ id: photo.id }),
        )
      }
      expect(ok(await getPhoto(alice, photo.id)).data).toEqual(photo)
    })

    test('operations without a token answer 401', async () => {
      const photo = await addPhoto(server, alice)
      for (const [method, path] of [
        ['GET', '/api/album'],
        ['POST', '/api/album'],
        ['GET', `/api/album/${photo.id}`],
        ['DELETE', `/api/album/${photo.id}`],
        ['GET', '/api/album/qr-code/1'],
        ['GET', `/api/album/org/${org.id}`],
      ] as const)
        expect((await server.request(method, path)).status).toBe(401)
    })

    test('members see and add photos of the organization, guests only see what their role allows, non-members get 403', async () => {
      const photo = await addPhoto(server, member, { orgId: org.id })
      expect(photo.orgId).toBe(org.id)
      for (const who of [owner, manager, member]) {
        expect(ok(await getPhoto(who, photo.id)).data.id).toBe(photo.id)
        expect(ok(await who.get(`/api/album/org/${org.id}`)).data.items[0].id).toBe(photo.id)
        expect(ok(await who.get('/api/album', { orgId: org.id })).data.items[0].id).toBe(photo.id)
      }
      const guestSees = (await guest.get(`/api/album/org/${org.id}`)).status
      expect((await guest.get(`/api/album/${photo.id}`, { orgId: org.id })).status).toBe(guestSees)
      expect((await guest.post('/api/album', { fileId: 1, orgId: org.id })).status).toBe(403)
      for (const path of [
        `/api/album/org/${org.id}`,
        `/api/album?orgId=${org.id}`,
        `/api/album/${photo.id}?orgId=${org.id}`,
      ])
        expect((await mallory.get(path)).status).toBe(403)
      expect((await mallory.post('/api/album', { fileId: 1, orgId: org.id })).status).toBe(403)
      expect((await getPhoto(mallory, photo.id)).status).toBe(404)
    })

    test('deleting a photo of an organization needs album:delete, for own photos too', async () => {
      const photo = await addPhoto(server, member, { orgId: org.id })
      expect((await deletePhoto(member, photo.id)).status).toBe(403)
      expect((await deletePhoto(guest, photo.id)).status).toBeOneOf([403, 404])
      expect((await deletePhoto(mallory, photo.id)).status).toBe(404)
      const before = await storageOf(member, org.id)
      ok(await deletePhoto(manager, photo.id))
      expect(await storageOf(member, org.id)).toBe(before - 100)
      expect((await getPhoto(member, photo.id)).status).toBe(404)
    })

    test('a photo of an organization stays with it when the user who added it leaves', async () => {
      const leaver = await server.person()
      await addMembers(owner, org, leaver)
      const photo = await addPhoto(server, leaver, { orgId: org.id })
      ok(await leaver.post(`/api/orgs/${org.id}/leave`))
      expect((await getPhoto(leaver, photo.id)).status).toBe(404)
      expect(ok(await getPhoto(owner, photo.id)).data.uploaderId).toBe(leaver.id)
    })

    test('an organization with photos cannot be dissolved', async () => {
      const where = await createOrg(owner)
      const photo = await addPhoto(server, owner, { orgId: where.id })
      const refused = await owner.delete(`/api/orgs/${where.id}`)
      expect(refused.status).toBe(400)
      expect(refused.message).toContain('album photos (1)')
      ok(await deletePhoto(owner, photo.id))
      ok(await owner.delete(`/api/orgs/${where.id}`))
    })
  })

  test('photos of a deleted account stay, and nobody but administrators can see them', async () => {
    const leaver = await server.person()
    const photo = await addPhoto(server, leaver)
    ok(await leaver.post('/api/auth/account/delete'))
    expect(await server.ctx.db.read.select().from(albumPhotos).where(eq(albumPhotos.id, photo.id))).toHaveLength(1)
    for (const who of [alice, owner]) expect((await getPhoto(who, photo.id)).status).toBe(404)
  })
})

test.if(inProcess)('a user can add 2,000 photos an hour, then the answer is 429', async () => {
  await using server = await startServer({ noAdmin: true, rateLimit: true })
  const person = await server.person()
  const { ctx } = server
  const spent = await usesOf(ctx, PHOTO_BUDGET, { actor: { userId: person.id }, caller: { ip: '' } }, 1999)
  expect(ctx.limiter.takeAll(spent)).toBeUndefined()
  ok(await person.post('/api/album', { fileId: await upload(server, person) }))
  const fileId = await upload(server, person)
  const refused = await person.post('/api/album', { fileId })
  expect([refused.status, refused.code]).toEqual([429, 4022])
  server.clock.advance(HOUR)
  ok(await person.post('/api/album', { fileId }))
})
