import { and, count, eq, inArray, lte, sql } from 'drizzle-orm'

import { blobs, fileUploads } from '#db/schema/files.ts'
import type { Db, Tx } from '#db/store.ts'
import { WAITING_PREFIX } from '#platform/blobs/port.ts'

/** Bytes of uploads under way have keys of their own: `uploads/<upload id>.<random part>`. */
export const waitingKey = (uploadId: string, random: string): string => `${WAITING_PREFIX}${uploadId}.${random}`
const uploadOfKey = (key: string): string => key.slice(WAITING_PREFIX.length).replace(/\..*$/, '')

export interface BlobRow {
  readonly id: number
  readonly key: string
}

/** Adds a reference to bytes, and a row if nothing refers to the same bytes yet. Returns the id of the row. */
export async function retainBlob(tx: Tx, bytes: { sha256: string; size: number; key: string }): Promise<number> {
  const rows = await tx
    .insert(blobs)
    .values({ ...bytes, refs: 1, createdAt: tx.stamp })
    .onConflictDoUpdate({ target: blobs.sha256, set: { refs: sql`${blobs.refs} + 1` } })
    .returning({ id: blobs.id })
  return rows[0]!.id
}

/** Adds a reference to bytes that a row of the same write, or one that it locks, refers to. */
export async function retainBlobById(tx: Tx, id: number): Promise<void> {
  await tx
    .update(blobs)
    .set({ refs: sql`${blobs.refs} + 1` })
    .where(eq(blobs.id, id))
}

/** Removes one reference. Returns the key of the bytes if that was the last one. */
export async function releaseBlob(tx: Tx, id: number): Promise<string | undefined> {
  await tx
    .update(blobs)
    .set({ refs: sql`${blobs.refs} - 1` })
    .where(eq(blobs.id, id))
  const deleted = await tx
    .delete(blobs)
    .where(and(eq(blobs.id, id), lte(blobs.refs, 0)))
    .returning({ key: blobs.key })
  return deleted[0]?.key
}

/** Removes references, by the ids of the blobs and how many of each. Returns the keys of the bytes that have no reference left. */
export async function releaseBlobs(tx: Tx, counts: ReadonlyMap<number, number>): Promise<string[]> {
  for (const [n, ids] of Map.groupBy(counts.keys(), (id) => counts.get(id)!))
    await tx
      .update(blobs)
      .set({ refs: sql`${blobs.refs} - ${n}` })
      .where(inArray(blobs.id, ids))
  const deleted = await tx
    .delete(blobs)
    .where(and(inArray(blobs.id, [...counts.keys()]), lte(blobs.refs, 0)))
    .returning({ key: blobs.key })
  return deleted.map((row) => row.key)
}

export async function countBlobs(db: Db): Promise<number> {
  const [row] = await db.select({ n: count() }).from(blobs)
  return row!.n
}

export async function findBlob(
  db: Db | Tx,
  id: number,
): Promise<(BlobRow & { sha256: string; size: number }) | undefined> {
  const rows = await db
    .select({ id: blobs.id, key: blobs.key, sha256: blobs.sha256, size: blobs.size })
    .from(blobs)
    .where(eq(blobs.id, id))
  return rows[0]
}

/** Those of `keys` that rows refer to: blobs, and uploads under way. */
export async function keysInUse(db: Db, keys: readonly string[]): Promise<Set<string>> {
  const hashes = keys.filter((key) => !key.startsWith(WAITING_PREFIX)).map((key) => key.replace(/^.*\/|\..*$/g, ''))
  const waiting = keys.filter((key) => key.startsWith(WAITING_PREFIX))
  const found =
    hashes.length === 0 ? [] : db.select({ key: blobs.key }).from(blobs).where(inArray(blobs.sha256, hashes))
  const asked =
    waiting.length === 0
      ? []
      : db
          .select({ key: fileUploads.key })
          .from(fileUploads)
          .where(inArray(fileUploads.id, waiting.map(uploadOfKey)))
  return new Set([...(await found), ...(await asked)].flatMap(({ key }) => key ?? []))
}
