/** Stores files by the functions of the domain, with any media type and thumbnail that a test needs. */

import type { AppContext } from '#context'
import type { FileType } from '#db/schema/files.ts'
import { charge } from '#domains/files/files.service.ts'
import { insertFile, usedStorage } from '#domains/files/files.store.ts'
import { keepBytes, withStoredBytes } from '#domains/files/index.ts'

import type { Person, TestServer } from '../harness/index.ts'

/** A PNG of one red pixel. */
export const PIXEL = Uint8Array.fromBase64(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC',
)

interface NewFile {
  bytes: Uint8Array | string
  name?: string
  mime?: string
  type?: FileType
  orgId?: number
  thumbnail?: Uint8Array | string
}

export interface StoredFile {
  id: number
  sha256: string
}

async function staged(ctx: AppContext, bytes: Uint8Array | string) {
  const path = await ctx.staging.newPath()
  await Bun.write(path, bytes)
  const sha256 = new Bun.CryptoHasher('sha256').update(bytes).digest('hex')
  return { path, size: Buffer.byteLength(bytes), sha256 }
}

/** Stores a file of the uploader that belongs to nothing, as an upload does. */
export async function storeFile({ ctx }: TestServer, uploader: Person, file: NewFile): Promise<StoredFile> {
  const { bytes, thumbnail, name = 'a file', mime = 'application/pdf', type = 'other', orgId = 0 } = file
  const temporary = [await staged(ctx, bytes)]
  if (thumbnail !== undefined) temporary.push(await staged(ctx, thumbnail))
  return withStoredBytes(ctx, temporary, (stored) =>
    ctx.db.write('test.storeFile', async (tx) => {
      const [blobId, thumbnailBlobId = null] = [
        await keepBytes(tx, stored[0]!),
        stored[1] && (await keepBytes(tx, stored[1])),
      ]
      await charge(tx, { userId: uploader.id, orgId }, stored[0]!.size, { bytes: 0, files: 0 })
      const id = await insertFile(tx, {
        uploaderId: uploader.id,
        orgId,
        type,
        name,
        mime,
        size: stored[0]!.size,
        width: null,
        height: null,
        durationMs: null,
        blobId,
        thumbnailBlobId,
        entityType: null,
        entityId: null,
        publicKey: null,
        capture: null,
        requestId: null,
      })
      return { id, sha256: stored[0]!.sha256 }
    }),
  )
}

/** Bytes that count for the user, or for the organization. */
export const usage = ({ ctx }: TestServer, owner: { userId: number; orgId: number }): Promise<number> =>
  usedStorage(ctx.db.read, owner)

/** Deletes the bytes of all files, as a fault of the store does. */
export async function loseBytes({ ctx }: TestServer): Promise<void> {
  for await (const { key } of ctx.blobs.list('')) await ctx.blobs.delete(key)
}
