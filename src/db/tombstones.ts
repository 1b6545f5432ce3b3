/**
 * Tombstones of rows that clients synchronize. A deleted row leaves none of its own if it stays in its table with a time of deletion. A write
 * that deletes one permanently records it here.
 */

import { and, eq } from 'drizzle-orm'

import type { OwnerKey } from './owner-key.ts'
import { type SyncEntityName, syncTombstones, type TombstoneEntity } from './schema/sync.ts'
import type { Tx } from './store.ts'

export interface Tombstone {
  readonly owner: OwnerKey
  readonly id: number
  /** Of the deleted row, plus one. 0 if the row still exists, but not for those who could see it as rows of `owner`. */
  readonly version: number
  /** When it was deleted, if that was before this write: rows in the trash. Otherwise the stamp of the write. */
  readonly deletedAt?: number
}

/** The tombstone of a row that may have been in the trash, where its version has risen already. */
export const tombstoneOf = (
  owner: OwnerKey,
  { id, version, deletedAt }: { readonly id: number; readonly version: number; readonly deletedAt: number | null },
): Tombstone => (deletedAt === null ? { owner, id, version: version + 1 } : { owner, id, version, deletedAt })

/** Rows of one statement, so that it stays below the number of parameters that SQLite accepts. */
const ROWS_PER_STATEMENT = 500

/** Clients get these rows as deleted. */
export async function recordDeleted(tx: Tx, entity: TombstoneEntity, rows: readonly Tombstone[]): Promise<void> {
  for (let at = 0; at < rows.length; at += ROWS_PER_STATEMENT)
    await tx
      .insert(syncTombstones)
      .values(
        rows.slice(at, at + ROWS_PER_STATEMENT).map(({ owner, id, version, deletedAt }) => ({
          owner,
          entity,
          entityId: id,
          version,
          stamp: deletedAt ?? tx.stamp,
        })),
      )
      .onConflictDoNothing()
}

/** The row has been created again under its id. */
export async function forgetDeleted(tx: Tx, entity: SyncEntityName, id: number): Promise<void> {
  await tx.delete(syncTombstones).where(and(eq(syncTombstones.entity, entity), eq(syncTombstones.entityId, id)))
}
