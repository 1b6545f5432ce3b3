/** Helpers for the tests of the album. Files are created inside the server, so these tests run in process only. */

import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'

import type { Capture, FileType } from '#db/schema/files.ts'
import type { AddPhoto, PhotoView } from '#domains/album/album.model.ts'
import { type NewPhoto, newPhoto } from '#domains/album/album.rules.ts'
import { insertPhoto } from '#domains/album/album.store.ts'
import { retainBlobById } from '#domains/files/bytes.store.ts'
import { chargeStorage, insertFile } from '#domains/files/files.store.ts'
import { findFile, keepBytes, withStoredBytes } from '#domains/files/index.ts'
import type { Owner } from '#http/endpoint.ts'

import { ok, type Person, type TestServer } from '../harness/index.ts'

export interface Upload {
  readonly orgId?: number
  readonly type?: FileType
  readonly name?: string
  readonly bytes?: Uint8Array
  readonly capture?: Capture | null
}

/** An image that `person` has uploaded. Returns the id of the file. */
export async function upload(server: TestServer, person: { id: number }, options: Upload = {}): Promise<number> {
  const { ctx } = server
  const { orgId = 0, type = 'album', name = 'photo.jpg', bytes = randomBytes(100), capture = null } = options
  const path = await ctx.staging.newPath()
  await writeFile(path, bytes)
  const sha256 = new Bun.CryptoHasher('sha256').update(bytes).digest('hex')
  return withStoredBytes(ctx, [{ path, size: bytes.length, sha256 }], ([stored]) =>
    ctx.db.write('test.upload', async (tx) => {
      const owner = { userId: person.id, orgId }
      await chargeStorage(tx, owner, bytes.length, { bytes: 0, files: 0 })
      const blobId = await keepBytes(tx, stored!)
      return insertFile(tx, {
        uploaderId: person.id,
        orgId,
        type,
        name,
        mime: 'image/jpeg',
        size: bytes.length,
        width: 4,
        height: 3,
        durationMs: null,
        blobId,
        thumbnailBlobId: null,
        entityType: null,
        entityId: null,
        publicKey: null,
        capture,
        requestId: null,
      })
    }),
  )
}

/** Uploads an image and adds it to the album of the user, or of the organization `orgId`. */
export async function addPhoto(
  server: TestServer,
  person: Person,
  fields: Partial<AddPhoto> = {},
  file: Upload = {},
): Promise<PhotoView> {
  const orgId = fields.orgId ?? undefined
  const fileId = await upload(server, person, { ...(orgId !== undefined && { orgId }), ...file })
  return ok(await person.call('album.add', { body: { ...fields, fileId } })).data
}

export const getPhoto = (person: Person, id: number) => person.call('album.get', { params: { id } })
export const deletePhoto = (person: Person, id: number) => person.call('album.delete', { params: { id } })

/** Ids on the first page of a list. */
export const idsOf = (page: { items: readonly { id: number }[] }): number[] => page.items.map((photo) => photo.id)

/** Adds photos in one write, for long lists. All of them have the bytes of one upload. */
export async function addMany(
  server: TestServer,
  owner: Owner,
  photos: readonly (Partial<NewPhoto> & { readonly name?: string })[],
): Promise<number[]> {
  const first = await findFile(server.ctx.db.read, await upload(server, { id: owner.userId }, { orgId: owner.orgId }))
  const ids: number[] = []
  // A write of thousands of statements could exceed the time limit of writes on a busy machine.
  for (let at = 0; at < photos.length; at += 100) {
    const added = await server.ctx.db.write('test.addMany', async (tx) => {
      const batch: number[] = []
      for (const { name = 'photo.jpg', ...given } of photos.slice(at, at + 100)) {
        const id = await insertPhoto(tx, owner, { ...newPhoto({}, null), ...given })
        await retainBlobById(tx, first!.blobId)
        const { id: _, sha256: __, createdAt: ___, ...file } = first!
        await insertFile(tx, { ...file, name, entityType: 'PHOTO', entityId: id, requestId: null })
        batch.push(id)
      }
      return batch
    })
    ids.push(...added)
  }
  return ids
}
