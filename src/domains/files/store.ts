import { and, eq, isNull } from 'drizzle-orm'

import { blobs, type Capture, type FileEntity, files, type FileType } from '#db/schema/files.ts'
import type { Db, Tx } from '#db/store.ts'
import type { Owner } from '#http/endpoint.ts'

export interface FileRow {
  readonly id: number
  readonly uploaderId: number
  readonly orgId: number
  readonly type: FileType
  readonly name: string
  readonly mime: string
  readonly size: number
  readonly width: number | null
  readonly height: number | null
  readonly sha256: string
  readonly blobId: number
  readonly thumbnailBlobId: number | null
  readonly entityType: FileEntity | null
  readonly entityId: number | null
  readonly publicKey: string | null
  readonly capture: Capture | null
  readonly createdAt: number
}

/** For other domains' queries that join the file of a thing. */
export const fileColumns = {
  id: files.id,
  uploaderId: files.uploaderId,
  orgId: files.orgId,
  type: files.type,
  name: files.name,
  mime: files.mime,
  size: files.size,
  width: files.width,
  height: files.height,
  sha256: blobs.sha256,
  blobId: files.blobId,
  thumbnailBlobId: files.thumbnailBlobId,
  entityType: files.entityType,
  entityId: files.entityId,
  publicKey: files.publicKey,
  capture: files.capture,
  createdAt: files.createdAt,
}

const select = (db: Db | Tx) => db.select(fileColumns).from(files).innerJoin(blobs, eq(blobs.id, files.blobId))

/** A file of any owner. Callers check whether the user may see it. */
export async function findFile(db: Db | Tx, id: number): Promise<FileRow | undefined> {
  return (await select(db).where(eq(files.id, id)))[0]
}

export type NewFile = Omit<FileRow, 'id' | 'sha256' | 'createdAt'> & { readonly requestId: string | null }

/** Undefined if the uploader's request was answered before: the unique index decides. */
export async function insertFile(tx: Tx, file: NewFile): Promise<number | undefined> {
  const rows = await tx
    .insert(files)
    .values({ ...file, createdAt: tx.stamp })
    .onConflictDoNothing()
    .returning({ id: files.id })
  return rows[0]?.id
}

/** The file of a request that is repeated. */
export async function findByRequest(db: Db | Tx, uploaderId: number, requestId: string): Promise<FileRow | undefined> {
  return (await select(db).where(and(eq(files.uploaderId, uploaderId), eq(files.requestId, requestId))))[0]
}

export interface Attachment {
  readonly entityType: FileEntity
  readonly entityId: number
  readonly publicKey: string | null
}

/** Gives the owner's own upload of this type to a thing. False if there is no such file or it belongs to something. */
export async function attach(tx: Tx, owner: Owner, id: number, type: FileType, to: Attachment): Promise<boolean> {
  const rows = await tx
    .update(files)
    .set({ ...to })
    .where(
      and(
        eq(files.id, id),
        eq(files.uploaderId, owner.userId),
        eq(files.orgId, owner.orgId),
        eq(files.type, type),
        isNull(files.entityType),
      ),
    )
    .returning({ id: files.id })
  return rows.length > 0
}

/** Undefined if there is no such file; of several concurrent calls, one gets it. */
export async function deleteFile(
  tx: Tx,
  id: number,
): Promise<Pick<FileRow, 'uploaderId' | 'orgId' | 'size' | 'blobId' | 'thumbnailBlobId'> | undefined> {
  const rows = await tx.delete(files).where(eq(files.id, id)).returning({
    uploaderId: files.uploaderId,
    orgId: files.orgId,
    size: files.size,
    blobId: files.blobId,
    thumbnailBlobId: files.thumbnailBlobId,
  })
  return rows[0]
}
