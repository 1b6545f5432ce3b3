import { and, eq, sql } from 'drizzle-orm'

import { prepared } from '#db/prepared.ts'
import { blobs } from '#db/schema/files.ts'
import { serverPictures } from '#db/schema/settings.ts'
import type { Db, Tx } from '#db/store.ts'

const columns = {
  key: serverPictures.key,
  name: serverPictures.name,
  blobId: serverPictures.blobId,
  /** Hex. */
  sha256: blobs.sha256,
  size: blobs.size,
  /** Of the bytes, in the blob store. */
  bytesKey: blobs.key,
}

export const listPictures = (tx: Tx) =>
  tx.select(columns).from(serverPictures).innerJoin(blobs, eq(blobs.id, serverPictures.blobId))

const one = prepared((db) =>
  db
    .select(columns)
    .from(serverPictures)
    .innerJoin(blobs, eq(blobs.id, serverPictures.blobId))
    .where(and(eq(serverPictures.key, sql.placeholder('key')), eq(serverPictures.name, sql.placeholder('name')))),
)

/** Undefined if it is not one of the present logo. */
export const findPicture = async (db: Db, key: string, name: string) => (await one(db, { key, name }))[0]

export async function insertPicture(tx: Tx, row: typeof serverPictures.$inferInsert): Promise<void> {
  await tx.insert(serverPictures).values(row)
}

export async function deletePictures(tx: Tx): Promise<void> {
  await tx.delete(serverPictures)
}
