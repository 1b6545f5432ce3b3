/** Copies of photos that belong to an organization. */

import { beforeAll, describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { albumPhotos } from '#db/schema/album.ts'
import { blobs, files } from '#db/schema/files.ts'
import { orgShares } from '#db/schema/shares.ts'
import { usedStorage } from '#domains/files/files.store.ts'
import { setSetting } from '#domains/settings/index.ts'

import { inProcess, ok, type Person, race, until, useServer } from '../harness/index.ts'
import { addMembers, createOrg, type Org } from '../orgs/helpers.ts'
import { createCode } from '../qr-codes/helpers.ts'
import { addPhoto, deletePhoto, getPhoto } from './helpers.ts'

describe.if(inProcess)('shared photos', () => {
  const { server, owner, member, stranger } = useServer({ people: ['owner', 'member', 'stranger'], noAdmin: true })
  let org: Org

  beforeAll(async () => {
    org = await createOrg(owner)
    await addMembers(owner, org, member)
  })

  const tryShare = (user: Person, where: { id: number }, sourceId: number) =>
    user.call('shares.create', { params: { orgId: where.id }, body: { entityType: 'ALBUM_PHOTO', sourceId } })
  const share = async (user: Person, where: { id: number }, sourceId: number) =>
    ok(await tryShare(user, where, sourceId)).data
  const listShares = async (user: Person, where: { id: number }, query = {}) =>
    ok(await user.call('shares.list', { params: { orgId: where.id }, query: { size: 100, ...query } })).data.items
  const unshare = (user: Person, where: { id: number }, shareId: number) =>
    user.call('shares.delete', { params: { orgId: where.id, shareId } })
  const photosOf = async (user: Person, where: { id: number }) =>
    ok(await user.call('album.listOfOrg', { params: { orgId: where.id } })).data.items
  const storageOf = (where: { id: number }) => usedStorage(server.ctx.db.read, { userId: 0, orgId: where.id })
  const blobOf = async (fileId: number) => {
    const [row] = await server.ctx.db.read
      .select({ id: blobs.id, refs: blobs.refs, key: blobs.key })
      .from(files)
      .innerJoin(blobs, eq(blobs.id, files.blobId))
      .where(eq(files.id, fileId))
    return row
  }

  test('a shared photo is an independent photo of the organization with the same bytes', async () => {
    const where = await createOrg(owner)
    await addMembers(owner, where, member)
    const code = await createCode(member)
    const fields = {
      qrCodeId: code.id,
      takenAt: 1_700_000_000_000,
      latitude: 30,
      longitude: 120,
      address: 'Hall B',
      watermark: { text: 'Door', n: 1 },
    }
    const source = await addPhoto(server, member, fields, { name: 'door.jpg' })
    const made = await share(member, where, source.id)
    expect(made).toMatchObject({ entityType: 'ALBUM_PHOTO', sourceId: source.id, orgId: where.id, name: 'door.jpg' })
    expect(made.copyId).not.toBe(source.id)

    const copies = await photosOf(owner, where)
    expect(copies).toHaveLength(1)
    const copy = copies[0]!
    expect(copy).toEqual({
      ...source,
      id: made.copyId,
      fileId: copy.fileId,
      url: copy.url,
      qrCodeId: null,
      orgId: where.id,
      createdAt: copy.createdAt,
      updatedAt: copy.createdAt,
    })
    expect(copy.fileId).not.toBe(source.fileId)
    const [original, shared] = [await blobOf(source.fileId), await blobOf(copy.fileId)]
    expect(shared).toEqual({ ...original!, refs: 2 })
    expect(await storageOf(where)).toBe(source.size)
    // The personal album of the user has the original only.
    expect(ok(await member.call('album.list')).data.items.map((photo) => photo.id)).toEqual([source.id])
    expect(ok(await getPhoto(member, source.id)).data).toEqual(source)
    expect((await getPhoto(stranger, copy.id)).status).toBe(404)
  })

  test('the original and the copy are deleted without each other, and the bytes with the last of them', async () => {
    for (const first of ['original', 'copy'] as const) {
      const where = await createOrg(owner)
      const source = await addPhoto(server, owner)
      const made = await share(owner, where, source.id)
      const copy = ok(await getPhoto(owner, made.copyId)).data
      const [gone, left] = first === 'original' ? [source, copy] : [copy, source]
      ok(await deletePhoto(owner, gone.id))
      expect(ok(await getPhoto(owner, left.id)).data).toEqual(left)
      expect(await blobOf(left.fileId)).toMatchObject({ refs: 1 })
      expect(await listShares(owner, where)).toHaveLength(first === 'original' ? 1 : 0)
      expect(await storageOf(where)).toBe(first === 'original' ? 100 : 0)
      const { key } = (await blobOf(left.fileId))!
      ok(await deletePhoto(owner, left.id))
      await until(async () => (await server.ctx.blobs.stat(key)) === undefined)
      expect(await listShares(owner, where)).toEqual([])
      expect(await storageOf(where)).toBe(0)
    }
  })

  test('deleting a share deletes the copy and its file, and keeps the original', async () => {
    const where = await createOrg(owner)
    const source = await addPhoto(server, owner)
    const made = await share(owner, where, source.id)
    const copy = ok(await getPhoto(owner, made.copyId)).data
    expect((await unshare(stranger, where, made.id)).status).toBe(403)
    ok(await unshare(owner, where, made.id))
    expect((await unshare(owner, where, made.id)).status).toBe(404)
    expect((await getPhoto(owner, copy.id)).status).toBe(404)
    expect(await blobOf(copy.fileId)).toBeUndefined()
    expect(await storageOf(where)).toBe(0)
    expect(await blobOf(source.fileId)).toMatchObject({ refs: 1 })
    expect(ok(await getPhoto(owner, source.id)).data).toEqual(source)
  })

  test('the list of shares has photos and QR codes, latest first, and filters by kind', async () => {
    const where = await createOrg(owner)
    const code = await createCode(owner, { name: 'Menu' })
    const body = { entityType: 'QR_CODE', sourceId: code.id } as const
    const ofCode = ok(await owner.call('shares.create', { params: { orgId: where.id }, body })).data
    const ofPhoto = await share(owner, where, (await addPhoto(server, owner, {}, { name: 'door.jpg' })).id)
    expect(await listShares(owner, where)).toEqual([ofPhoto, ofCode])
    expect(await listShares(owner, where, { entityType: 'ALBUM_PHOTO' })).toEqual([ofPhoto])
    expect(await listShares(owner, where, { entityType: 'QR_CODE' })).toEqual([ofCode])
    expect([ofPhoto.name, ofCode.name]).toEqual(['door.jpg', 'Menu'])
    // A QR code of the same id as the photo is another original.
    expect((await unshare(owner, where, ofCode.id)).status).toBe(200)
    expect(await listShares(owner, where)).toEqual([ofPhoto])
  })

  test('POST /orgs/:orgId/shares answers 404 to photos of others, copies, deleted photos and ids of QR codes', async () => {
    const foreign = await addPhoto(server, stranger, { address: 'very private' })
    const deleted = await addPhoto(server, member)
    ok(await deletePhoto(member, deleted.id))
    const { copyId } = await share(member, org, (await addPhoto(server, member)).id)
    const before = await listShares(owner, org)
    const [photos, stored] = [await photosOf(owner, org), await storageOf(org)]
    for (const sourceId of [foreign.id, deleted.id, copyId, 999_999_999]) {
      const reply = await tryShare(member, org, sourceId)
      expect(reply.status).toBe(404)
      expect(reply.text).not.toContain('very private')
    }
    expect((await tryShare(stranger, org, foreign.id)).status).toBe(403)
    expect(await listShares(owner, org)).toEqual(before)
    expect(await photosOf(owner, org)).toEqual(photos)
    expect(await storageOf(org)).toBe(stored)
  })

  test('50 concurrent requests to share a photo with an organization make one copy', async () => {
    const where = await createOrg(owner)
    const source = await addPhoto(server, owner)
    const shares = await race(50, () => share(owner, where, source.id))
    expect(new Set(shares.map((made) => made.id)).size).toBe(1)
    expect(await photosOf(owner, where)).toHaveLength(1)
    expect(await storageOf(where)).toBe(100)
    expect(await blobOf(source.fileId)).toMatchObject({ refs: 2 })
    expect(await share(owner, where, source.id)).toEqual(shares[0]!)
  })

  test('copies do not exceed the storage quota of the organization, and refused ones leave nothing', async () => {
    const where = await createOrg(owner)
    await addMembers(owner, where, member)
    const sources = await Promise.all(
      Array.from({ length: 20 }, async (_, i) => {
        const user = i % 2 ? member : owner
        return { user, id: (await addPhoto(server, user)).id }
      }),
    )
    const rows = async () => (await server.ctx.db.read.select().from(albumPhotos)).length
    const before = await rows()
    await server.ctx.db.write('test', (tx) => setSetting(tx, 'quota.storage', 450))
    try {
      const replies = await race(20, (i) => tryShare(sources[i]!.user, where, sources[i]!.id))
      expect(replies.filter((reply) => reply.status === 200)).toHaveLength(4)
      expect(replies.filter((reply) => reply.status === 429 && reply.code === 4022)).toHaveLength(16)
      expect(await storageOf(where)).toBe(400)
      expect(await rows()).toBe(before + 4)
      expect(await server.ctx.db.read.select().from(orgShares).where(eq(orgShares.orgId, where.id))).toHaveLength(4)
    } finally {
      await server.ctx.db.write('test', (tx) => setSetting(tx, 'quota.storage', 0))
    }
  })

  test('a share is deleted once, if its copy and the share are deleted at the same time', async () => {
    for (let round = 0; round < 5; round++) {
      const where = await createOrg(owner)
      const source = await addPhoto(server, owner)
      const made = await share(owner, where, source.id)
      const replies = await race(10, (i) => (i % 2 ? unshare(owner, where, made.id) : deletePhoto(owner, made.copyId)))
      expect(replies.map((reply) => reply.status).toSorted()).toEqual([200, ...Array(9).fill(404)])
      expect(await storageOf(where)).toBe(0)
      expect(await blobOf(source.fileId)).toMatchObject({ refs: 1 })
    }
  })
})
