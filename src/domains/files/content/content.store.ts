import { and, eq, sql } from 'drizzle-orm'

import { isNotErased } from '#db/erasures.ts'
import { prepared } from '#db/prepared.ts'
import { blobs, files } from '#db/schema/files.ts'
import type { Db } from '#db/store.ts'

import type { Variant } from '../files.model.ts'
import type { FileRow } from '../files.store.ts'

/** The bytes of one variant of a file. */
export interface ContentRow extends Pick<FileRow, 'name' | 'mime' | 'uploaderId' | 'entityType' | 'entityId'> {
  /** Hex. */
  readonly sha256: string
  readonly size: number
  /** In the blob store. */
  readonly key: string
}

const columns = {
  name: files.name,
  mime: files.mime,
  uploaderId: files.uploaderId,
  entityType: files.entityType,
  entityId: files.entityId,
  sha256: blobs.sha256,
  size: blobs.size,
  key: blobs.key,
}
const BLOB = { ORIGINAL: files.blobId, THUMBNAIL: files.thumbnailBlobId } as const

/** Whose content a file is. Files of messages and groups stay with these. */
const eraser = sql`case when ${files.orgId} = 0 and coalesce(${files.entityType}, '') not in ('MESSAGE', 'GROUP') then ${files.uploaderId} end`

const findBy = (column: typeof files.id | typeof files.publicKey, variant: Variant) =>
  prepared((db) =>
    db
      .select(columns)
      .from(files)
      .innerJoin(blobs, eq(blobs.id, BLOB[variant]))
      .where(and(eq(column, sql.placeholder('value')), isNotErased(eraser))),
  )

const byId = { ORIGINAL: findBy(files.id, 'ORIGINAL'), THUMBNAIL: findBy(files.id, 'THUMBNAIL') }
const byPublicKey = {
  ORIGINAL: findBy(files.publicKey, 'ORIGINAL'),
  THUMBNAIL: findBy(files.publicKey, 'THUMBNAIL'),
}

/** Undefined if there is no such file, or if it has no such variant. */
export const findContent = async (db: Db, id: number, variant: Variant): Promise<ContentRow | undefined> =>
  (await byId[variant](db, { value: id }))[0]

export const findPublicContent = async (db: Db, publicKey: string, variant: Variant): Promise<ContentRow | undefined> =>
  (await byPublicKey[variant](db, { value: publicKey }))[0]
