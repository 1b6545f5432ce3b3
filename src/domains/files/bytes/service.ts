/** Bytes in the blob store, and the rows that count the references to them. Used by files and by everything else that stores bytes. */

import type { AppContext } from '#context'
import type { Tx } from '#db/store.ts'
import { AppError } from '#http/errors.ts'
import { blobKey } from '#platform/blobs/port.ts'
import { randomCode } from '#platform/ids.ts'

import { releaseBlob, retainBlob } from './store.ts'

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
 * Puts temporary files into the blob store and runs `write`, which must refer to each of the results with `keepBytes`. If `write` throws
 * an AppError, the bytes are deleted. After a crash the clean-up finds them.
 */
export async function withStoredBytes<T>(
  ctx: AppContext,
  files: readonly TemporaryFile[],
  write: (stored: readonly StoredBytes[]) => Promise<T>,
): Promise<T> {
  const stored: StoredBytes[] = []
  try {
    for (const { path, size, sha256 } of files) {
      const key = blobKey(sha256, randomCode(ALPHABET, 12))
      await ctx.blobs.put(key, path)
      stored.push({ key, size, sha256 })
    }
    return await write(stored)
  } catch (error) {
    // A refusal rolled the write back. After any other error the write may have been committed, and the clean-up decides.
    if (error instanceof AppError)
      deleteKeys(
        ctx,
        stored.map(({ key }) => key),
      )
    throw error
  }
}

/** Refers to stored bytes. Returns the id of the blob. If the same bytes were stored before, the new copy is deleted after the commit. */
export async function keepBytes(ctx: AppContext, tx: Tx, bytes: StoredBytes): Promise<number> {
  const { id, key } = await retainBlob(tx, bytes)
  if (key !== bytes.key) tx.afterCommit(() => deleteKeys(ctx, [bytes.key]))
  return id
}

/** Removes a reference to a blob. The bytes are deleted after the commit if it was the last one. */
export async function dropBytes(ctx: AppContext, tx: Tx, blobId: number): Promise<void> {
  const key = await releaseBlob(tx, blobId)
  if (key !== undefined) tx.afterCommit(() => deleteKeys(ctx, [key]))
}

/** Not awaited: bytes that cannot be deleted now are orphans, which the clean-up deletes. */
function deleteKeys(ctx: AppContext, keys: readonly string[]): void {
  for (const key of keys)
    ctx.blobs.delete(key).catch((error: unknown) => ctx.log.warn('bytes could not be deleted', { key, error }))
}
