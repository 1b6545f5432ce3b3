import { eq, lt } from 'drizzle-orm'

import { chatCursors as cursors } from '#db/schema/chat.ts'
import { deleteSome } from '#db/slices.ts'
import type { Tx } from '#db/store.ts'

export interface Cursor {
  readonly userId: number
  readonly deviceKey: string
  readonly cursor: number
}

/** A cursor never goes back: an older one may come from another socket of the device. */
export async function saveCursor(tx: Tx, row: Cursor, now: number): Promise<void> {
  await tx
    .insert(cursors)
    .values({ ...row, updatedAt: now })
    .onConflictDoUpdate({
      target: [cursors.userId, cursors.deviceKey],
      set: { cursor: row.cursor, updatedAt: now },
      setWhere: lt(cursors.cursor, row.cursor),
    })
}

export async function deleteCursorsOf(tx: Tx, userId: number): Promise<void> {
  await tx.delete(cursors).where(eq(cursors.userId, userId))
}

/** Deletes at most `limit` cursors that have not moved since `before`. Returns how many it deleted. */
export const deleteOldCursors = (tx: Tx, before: number, limit: number): Promise<number> =>
  deleteSome(tx, cursors, lt(cursors.updatedAt, before), limit)
