/** Bytes in the blob store, and the rows that count the references to them. Used by files and by everything else that stores bytes. */

import type { AppContext } from '#context'
import { StorageError } from '#db/errors.ts'
import type { Tx } from '#db/store.ts'
import { AppError } from '#http/errors.ts'
import { blobKey } from '#platform/blobs/port.ts'
import { randomCode } from '#platform/ids.ts'

import { keysInUse, releaseBlob, releaseBlobs, retainBlob } from './bytes.store.ts'

/** A complete temporary file. */
export interface TemporaryFile {
  readonly path: string
  readonly size: number
  /** Hex. */
  readonly sha256: string
}

/** Bytes in the blob store that no row refers to yet. */
export interface StoredBytes {
  readonly key: string
  readonly size: number
  readonly sha256: string
}

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789'

/**
 * Puts temporary files into the blob store and runs `write`, which refers to them with `keepBytes`. Those to which it did not refer are
 * deleted afterwards: the write was refused, or the same bytes were stored before. After a crash the clean-up finds them.
 */
export async function withStoredBytes<T>(
  ctx: AppContext,
  files: readonly TemporaryFile[],
  write: (stored: readonly StoredBytes[]) => Promise<T>,
): Promise<T> {
  const stored: StoredBytes[] = []
  let isOutcomeKnown = true
  try {
    for (const { path, size, sha256 } of files) {
      const key = blobKey(sha256, randomCode(ALPHABET, 12))
      await ctx.blobs.put(key, path)
      stored.push({ key, size, sha256 })
    }
    isOutcomeKnown = false
    const result = await write(stored)
    isOutcomeKnown = true
    return result
  } catch (error) {
    isOutcomeKnown ||= isRolledBack(error)
    throw error
  } finally {
    if (isOutcomeKnown) await deleteUnused(ctx, stored)
  }
}

/** After other errors, for example a lost connection to the database, the write may have been committed. */
const isRolledBack = (error: unknown): boolean =>
  error instanceof AppError || (error instanceof StorageError && error.kind === 'full')

async function deleteUnused(ctx: AppContext, stored: readonly StoredBytes[]): Promise<void> {
  const keys = stored.map(({ key }) => key)
  if (keys.length === 0) return
  try {
    const used = await keysInUse(ctx.db.read, keys)
    deleteKeys(
      ctx,
      keys.filter((key) => !used.has(key)),
    )
  } catch (error) {
    // The clean-up does it: the caller must learn the outcome of the write.
    ctx.log.warn('stored bytes could not be checked', { keys, error })
  }
}

/** Refers to stored bytes, or to the same bytes that were stored before. Returns the id of the blob. */
export const keepBytes = (tx: Tx, bytes: StoredBytes): Promise<number> => retainBlob(tx, bytes)

/** Removes a reference to a blob. The bytes are deleted after the commit if it was the last one. */
export async function dropBytes(ctx: AppContext, tx: Tx, blobId: number): Promise<void> {
  const key = await releaseBlob(tx, blobId)
  if (key !== undefined) tx.afterCommit(() => deleteKeys(ctx, [key]))
}

/** Removes references, by the ids of the blobs and how many of each, like `dropBytes`. */
export async function dropAllBytes(ctx: AppContext, tx: Tx, counts: ReadonlyMap<number, number>): Promise<void> {
  const keys = await releaseBlobs(tx, counts)
  tx.afterCommit(() => deleteKeys(ctx, keys))
}

/** Bytes that are deleted at the same time for one write. */
const DELETIONS = 8

/** Not awaited: bytes that cannot be deleted now are orphans, which the clean-up deletes. */
export function deleteKeys(ctx: AppContext, keys: readonly string[]): void {
  const waiting = keys.values()
  const work = async () => {
    for (const key of waiting)
      await ctx.blobs.delete(key).catch((error: unknown) => ctx.log.warn('bytes could not be deleted', { key, error }))
  }
  for (let i = 0; i < Math.min(DELETIONS, keys.length); i++) void work()
}
