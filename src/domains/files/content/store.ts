import { eq, sql } from 'drizzle-orm'

import { prepared } from '#db/prepared.ts'
import { blobs, files } from '#db/schema/files.ts'
import type { Db } from '#db/store.ts'

import type { Variant } from '../model.ts'
import { fileColumns, type FileRow } from '../store.ts'

/** A file with the bytes of one of its variants. */
export interface ContentRow extends FileRow {
  /** Of the bytes of the variant, as is `contentSize`. */
  readonly sha256: string
  readonly contentSize: number
  /** In the blob store. */
  readonly key: string
}

const columns = { ...fileColumns, contentSize: blobs.size, key: blobs.key }
const BLOB = { ORIGINAL: files.blobId, THUMBNAIL: files.thumbnailBlobId } as const

const byId = (variant: Variant) =>
  prepared((db) =>
    db
      .select(columns)
      .from(files)
      .innerJoin(blobs, eq(blobs.id, BLOB[variant]))
      .where(eq(files.id, sql.placeholder('id'))),
  )
const byPublicKey = (variant: Variant) =>
  prepared((db) =>
    db
      .select(columns)
      .from(files)
      .innerJoin(blobs, eq(blobs.id, BLOB[variant]))
      .where(eq(files.publicKey, sql.placeholder('publicKey'))),
  )

const queries = {
  ORIGINAL: { byId: byId('ORIGINAL'), byPublicKey: byPublicKey('ORIGINAL') },
  THUMBNAIL: { byId: byId('THUMBNAIL'), byPublicKey: byPublicKey('THUMBNAIL') },
}

/** Undefined if there is no such file, or if it has no such variant. */
export const findContent = async (db: Db, id: number, variant: Variant): Promise<ContentRow | undefined> =>
  (await queries[variant].byId(db, { id }))[0]

export const findPublicContent = async (db: Db, publicKey: string, variant: Variant): Promise<ContentRow | undefined> =>
  (await queries[variant].byPublicKey(db, { publicKey }))[0]
