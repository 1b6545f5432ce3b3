import { and, asc, count, eq, gt, isNotNull, isNull, lte } from 'drizzle-orm'

import { fileUploads } from '#db/schema/files.ts'
import type { Db, Tx } from '#db/store.ts'

export type UploadRow = typeof fileUploads.$inferSelect
export type NewUploadRow = Omit<UploadRow, 'fileId' | 'createdAt'>

/** Neither finished nor expired and released. */
const isOpen = and(isNull(fileUploads.fileId), gt(fileUploads.size, 0))

export async function insertUpload(tx: Tx, upload: NewUploadRow): Promise<void> {
  await tx.insert(fileUploads).values({ ...upload, fileId: null, createdAt: tx.stamp })
}

export async function countOpen(tx: Tx, userId: number): Promise<number> {
  const [row] = await tx
    .select({ n: count() })
    .from(fileUploads)
    .where(and(eq(fileUploads.userId, userId), isOpen))
  return row!.n
}

export const hasAsked = async (db: Db | Tx, userId: number): Promise<boolean> =>
  (await db.select({ id: fileUploads.id }).from(fileUploads).where(eq(fileUploads.userId, userId)).limit(1)).length > 0

/** An upload of any user: its id is a secret. */
export async function findUpload(db: Db | Tx, id: string): Promise<UploadRow | undefined> {
  return (await db.select().from(fileUploads).where(eq(fileUploads.id, id)))[0]
}

/** Replaces the bytes of an upload, which the write has found open. */
export async function setKey(tx: Tx, id: string, key: string): Promise<void> {
  await tx.update(fileUploads).set({ key }).where(eq(fileUploads.id, id))
}

/** Ends an upload, which the write has found open, with a file. */
export async function finish(tx: Tx, id: string, fileId: number): Promise<void> {
  await tx.update(fileUploads).set({ fileId, key: null }).where(eq(fileUploads.id, id))
}

/** Deletes an open upload if its bytes are still those of `key`. */
export async function deleteOpen(tx: Tx, id: string, key: string): Promise<boolean> {
  const rows = await tx
    .delete(fileUploads)
    .where(and(eq(fileUploads.id, id), eq(fileUploads.key, key), isOpen))
    .returning({ id: fileUploads.id })
  return rows.length > 0
}

/** Some of the open uploads that expired at `now` or before. */
export const expiredUploads = (db: Db, now: number, limit: number): Promise<UploadRow[]> =>
  db
    .select()
    .from(fileUploads)
    .where(and(lte(fileUploads.expiresAt, now), isOpen))
    .orderBy(asc(fileUploads.expiresAt))
    .limit(limit)

/** Marks an open upload as released. Undefined if it is no longer open. */
export async function expire(tx: Tx, id: string): Promise<UploadRow | undefined> {
  const [row] = await tx
    .select()
    .from(fileUploads)
    .where(and(eq(fileUploads.id, id), isOpen))
  if (row !== undefined) await tx.update(fileUploads).set({ size: 0, key: null }).where(eq(fileUploads.id, id))
  return row
}

/** Deletes the rows of uploads that have ended and expired before `before`. */
export async function deleteEnded(tx: Tx, before: number): Promise<void> {
  const ended = and(lte(fileUploads.expiresAt, before), isNotNull(fileUploads.fileId))
  await tx.delete(fileUploads).where(ended)
  await tx.delete(fileUploads).where(and(lte(fileUploads.expiresAt, before), eq(fileUploads.size, 0)))
}

/** Deletes the uploads of a user or for an organization, and returns them. */
export const deleteUploads = (
  tx: Tx,
  of: { readonly userId: number } | { readonly orgId: number },
): Promise<UploadRow[]> =>
  tx
    .delete(fileUploads)
    .where('orgId' in of ? eq(fileUploads.orgId, of.orgId) : eq(fileUploads.userId, of.userId))
    .returning()
