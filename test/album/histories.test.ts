/**
 * Random histories of uploads, photos, shares and deletions by several users at once. Whatever happened, each photo has one file, the
 * bytes of each file can be read, references and storage are counted exactly, and each share has its copy.
 */

import { describe, expect, test } from 'bun:test'

import { albumPhotos } from '#db/schema/album.ts'
import { blobs, files, storageUsage } from '#db/schema/files.ts'
import { orgShares } from '#db/schema/shares.ts'

import { inProcess, type Person, useServer } from '../harness/index.ts'
import { addMembers, createOrg } from '../orgs/helpers.ts'
import { upload } from './helpers.ts'

const ROUNDS = 12
const AT_ONCE = 12

describe.if(inProcess)('histories of the album', () => {
  const { server, alice, bob, carol } = useServer({ people: ['alice', 'bob', 'carol'], noAdmin: true })

  function randomFrom(seed: number): (below: number) => number {
    let state = seed
    return (below) => {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
      return Math.floor((state / 2_147_483_648) * below)
    }
  }

  async function expectConsistent(): Promise<void> {
    const db = server.ctx.db.read
    const [photos, allFiles, allBlobs, shares, usage] = await Promise.all([
      db.select().from(albumPhotos),
      db.select().from(files),
      db.select().from(blobs),
      db.select().from(orgShares),
      db.select().from(storageUsage),
    ])
    const ofPhotos = allFiles.filter((file) => file.entityType === 'PHOTO')
    const sorted = (ids: (number | null)[]) => ids.toSorted((a, b) => a! - b!)
    expect(sorted(ofPhotos.map((file) => file.entityId))).toEqual(sorted(photos.map((photo) => photo.id)))
    for (const file of ofPhotos) {
      const photo = photos.find(({ id }) => id === file.entityId)!
      expect([file.orgId, file.uploaderId]).toEqual([photo.orgId, photo.userId])
    }
    for (const { id, key, sha256, refs } of allBlobs) {
      expect(refs).toBe(allFiles.filter((file) => file.blobId === id || file.thumbnailBlobId === id).length)
      const bytes = await server.ctx.blobs.read(key)
      expect(bytes, `the bytes of ${key}`).toBeDefined()
      const hash = new Bun.CryptoHasher('sha256').update(await new Response(bytes).arrayBuffer()).digest('hex')
      expect(hash).toBe(sha256)
    }
    const used: Record<string, number> = {}
    for (const { uploaderId, orgId, size } of allFiles) {
      const owner = orgId === 0 ? `user ${uploaderId}` : `organization ${orgId}`
      used[owner] = (used[owner] ?? 0) + size
    }
    const counted = usage
      .filter(({ bytes }) => bytes !== 0)
      .map(({ userId, orgId, bytes }) => [orgId === 0 ? `user ${userId}` : `organization ${orgId}`, bytes])
    expect(Object.fromEntries(counted)).toEqual(used)
    for (const share of shares) expect(photos.some(({ id }) => id === share.photoId)).toBe(true)
    expect(new Set(shares.map(({ sourceId, sharedBy }) => `${sourceId} ${sharedBy}`)).size).toBe(shares.length)
  }

  test('after random operations of three users at once, photos, files, bytes, shares and storage agree', async () => {
    const org = await createOrg(alice)
    await addMembers(alice, org, bob, carol)
    const people = [alice, bob, carol]
    // The users often have the same bytes.
    const images = Array.from({ length: 6 }, (_, i) => new Uint8Array(50 + i).fill(i))
    const seed = Number(process.env['SEED'] ?? 9)
    const random = randomFrom(seed)
    const pick = <T>(list: readonly T[]): T | undefined => list[random(list.length)]
    const statuses = new Map<number, number>()

    async function act(user: Person): Promise<void> {
      const photos = await server.ctx.db.read.select().from(albumPhotos)
      const shares = await server.ctx.db.read.select().from(orgShares)
      const orgId = random(3) === 0 ? org.id : null
      const replies = []
      switch (random(6)) {
        case 0:
        case 1: {
          const fileId = await upload(server, user, { bytes: pick(images)!, orgId: orgId ?? 0 })
          const body = { fileId, orgId }
          replies.push(...(await Promise.all([user.post('/api/album', body), user.post('/api/album', body)])))
          break
        }
        case 2:
        case 3: {
          const body = { entityType: 'ALBUM_PHOTO', sourceId: pick(photos)?.id ?? 1 }
          replies.push(await user.post(`/api/orgs/${org.id}/shares`, body))
          break
        }
        case 4:
          replies.push(await user.delete(`/api/album/${pick(photos)?.id ?? 1}`))
          break
        case 5:
          replies.push(await user.delete(`/api/orgs/${org.id}/shares/${pick(shares)?.id ?? 1}`))
      }
      for (const { status } of replies) statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }

    try {
      for (let round = 0; round < ROUNDS; round++) {
        await Promise.all(Array.from({ length: AT_ONCE }, () => act(pick(people)!)))
        await expectConsistent()
      }
    } catch (error) {
      console.error(`seed ${seed}`)
      throw error
    }
    expect([...statuses.keys()].toSorted()).toEqual([200, 400, 403, 404])
    expect(statuses.get(200)).toBeGreaterThan(50)
  })
})
